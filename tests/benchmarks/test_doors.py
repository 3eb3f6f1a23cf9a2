"""Times of what a new user runs first, and of what README says of them.

Processes of their own, beside nothing else: `-n 0`, on an idle machine of two cores. A question and
a certificate are measured in processor time, with bytecode that a first run has left.

Run: pytest --import-mode=importlib tests/benchmarks/test_doors.py -n 0 --benchmark-enable
"""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def ran(*arguments, cwd=ROOT):
    """Run the commands' Python; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SECONDS = {
    "exactdp audit biswas2023 --out report": r"takes at most (\d+) seconds",
    "exactdp audit": r"and all papers,\s+`exactdp audit`, (\d+) seconds",
}
"""README's sentence on a command."""


def promised(command):
    """Return the seconds that README promises for a command."""
    (count,) = re.findall(SECONDS[command], README)
    return int(count)


@pytest.mark.parametrize("command", SECONDS)
def test_the_main_job(timed, tmp_path, command):
    said = timed(lambda: ran(*command.split(), cwd=tmp_path), seconds=promised(command), rounds=1)
    assert "the inventory is reproduced" in said.splitlines()


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("audit", "--help")])
def test_start(timed, arguments):
    timed(lambda: ran("exactdp", *arguments), seconds=1)


def processor_time(*arguments):
    """The least user and system time of five runs after a first one."""
    taken = []
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(taken[1:])


@pytest.mark.parametrize(
    ("problem", "seconds"), [("calibrate_gaussian.json", 0.5), ("shuffle.json", 0.8)]
)
def test_the_first_question(problem, seconds):
    assert processor_time("exactdp", "solve", f"examples/problems/{problem}") <= seconds


@pytest.mark.parametrize("paper", ["biswas2023", "erlingsson2019", "libraries"])
def test_a_certificate(tmp_path, paper):
    kept = ROOT / "proofs_check" / paper / "evidence.jsonl"
    one = tmp_path / "one.json"
    one.write_text(kept.read_text(encoding="utf-8").partition("\n")[0], encoding="utf-8")
    assert processor_time("exactdp", "verify", str(one)) <= 0.6


def test_verify(timed, tmp_path):
    ran("proofs_check.accepted", "--to", str(tmp_path))
    files = sorted(map(str, (tmp_path / "erlingsson2019" / "certificates").glob("*.json")))
    assert len(files) >= 20
    timed(lambda: ran("exactdp", "verify", *files), seconds=3)
