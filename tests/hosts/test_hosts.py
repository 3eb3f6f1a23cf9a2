"""The unit tests of accounting libraries pass with this library's accountants in their place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.installed import folder
from tests.hosts.kept import HEAD, KEPT, OPACUS, WHEEL, Why, kept

ROOT = Path(__file__).resolve().parents[2]


def ran(host, *options):
    """Return the tests of a host that ran in a process of their own, each with what went wrong."""
    paths = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.hosts.runner", host, *options],
        capture_output=True,
        text=True,
        timeout=1800,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0 and lines, done.stderr
    return {row["test"]: row["why"] for row in map(json.loads, lines)}


def passed(found, suite):
    return sum(why is None for name, why in found.items() if name.startswith(suite))


@pytest.mark.timeout(1800)
@pytest.mark.skipif(folder("dp-accounting") is None, reason="dp-accounting is not installed")
def test_the_wheel_of_dp_accounting():
    found = ran("dp-accounting", "--folder", str(folder("dp-accounting")))
    assert kept(WHEEL, found) == []
    assert len(found) == 68 + 142
    assert passed(found, "Pld") >= 60 and passed(found, "Rdp") >= 120


@pytest.mark.timeout(1800)
def test_a_checkout_of_dp_accounting(request):
    source = request.config.getoption("--host-source")
    if source is None:
        pytest.skip("no checkout is named by --host-source")
    found = ran("dp-accounting", "--host-source", source, "--folder", str(folder("dp-accounting")))
    assert kept(HEAD, found) == []


@pytest.mark.timeout(1800)
@pytest.mark.skipif(folder("opacus") is None, reason="opacus is not installed")
def test_opacus():
    found = ran("opacus", "--folder", str(folder("opacus")))
    assert kept(OPACUS, found) == []


def test_a_failure_and_a_success_that_are_not_kept_are_told():
    found = dict.fromkeys(KEPT[WHEEL], None) | {"Suite.test_new": "ValueError: no"}
    for name, why in KEPT[WHEEL].items():
        found[name] = f"AssertionError: ... {why.value[1]} ..."
    assert kept(WHEEL, found) == ["Suite.test_new fails unexpectedly: ValueError: no"]
    first, second, third = list(found)[:3]
    found = {**found, "Suite.test_new": None, first: None, second: "AttributeError: no"}
    del found[third]
    assert KEPT[WHEEL][first] is Why.MESSAGE
    told = kept(WHEEL, found)
    assert [told[0].split()[1], told[-1]] == ["passes,", f"{third} did not run"]
    assert "fails for another reason" in told[1] and len(told) == 3
