"""The pytest plugin, in a pytest of its own, loaded by its entry point."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]

SUITE = """
    import math
    import pytest
    from fractions import Fraction
    from hypothesis import given, settings, strategies as st
    from exactdp.testing import assert_never_above_truth, assert_never_below_truth

    @pytest.mark.parametrize("n", [3, 2, 5])
    def test_upper(n):
        assert_never_below_truth((n + 1) / 4, Fraction(1, 2), at={"n": n})

    @given(st.integers(1, 9))
    def test_lower(n):
        assert_never_above_truth(Fraction(n, 10), 1, at=n)

    class TestIt:
        def test_wrong(self):
            assert_never_below_truth(0.25, 1)

    def test_nothing():
        pass
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Return a function that runs pytest in another process, with only our plugins."""
    folder = pytester.mkdir("plugins")
    metadata = folder / "exactdp_plugin-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: exactdp-plugin\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text("[pytest11]\nexactdp = exactdp.testing.plugin\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def start(*arguments):
        return pytester.runpytest_subprocess("-W", "error", "-p", "no:cacheprovider", *arguments)

    return start


def test_a_suite_whose_claims_have_slack(pytester, run):
    """The summary, the line of the failure, and a report without anything of ours."""
    pytester.makepyfile(SUITE)
    result = run("--junitxml=report.xml")
    result.assert_outcomes(passed=5, failed=1)
    file = "test_a_suite_whose_claims_have_slack.py"
    result.stdout.fnmatch_lines(
        [
            "*= exactdp: smallest slack seen =*",
            "claimed/true of upper bounds, true/claimed of lower ones, rounded down; below 1 fails",
            f"0.250000  {file}::TestIt::test_wrong",
            f"1.11111  {file}::test_lower at 9",
            f"1.50000  {file}::test_upper at [[]2] {{'n': 2}}",
        ],
        consecutive=True,
    )
    result.stdout.no_fnmatch_line("*test_nothing*")
    result.stdout.fnmatch_lines(
        [
            ">       assert_never_below_truth(0.25, 1)",
            "E       AssertionError: claimed 0.25 is below the truth: no upper bound",
            "E         kind     more than rounding*",
        ]
    )
    result.stdout.no_fnmatch_line("*assertions.py:*")
    report = (pytester.path / "report.xml").read_text()
    assert "test_upper" in report
    assert "exactdp" not in re.sub("<failure.*?</failure>", "", report, flags=re.DOTALL)


def test_the_slack_of_parallel_workers_is_gathered(pytester, run):
    pytest.importorskip("xdist")
    pytester.makepyfile(SUITE)
    result = run("-n", "2")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*smallest slack seen*", "0.250000*", "1.11111*", "1.50000*"])


def test_a_suite_without_exactdp_loads_none_of_it(pytester, run):
    pytester.makepyfile(
        """
        import sys

        def test_mine():
            assert "exactdp.testing.plugin" in sys.modules
            heavy = {"flint", "hypothesis", "numpy", "sympy", "exactdp.numbers"}
            assert not heavy & set(sys.modules)
        """
    )
    run("-p", "no:benchmark").assert_outcomes(passed=1)


def test_the_plugin_imports_little():
    code = (
        "import sys, json, pytest; before = set(sys.modules); import exactdp.testing.plugin; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = {name for name in json.loads(done.stdout) if name.partition(".")[0] == "exactdp"}
    assert loaded == {
        "exactdp",
        "exactdp.testing",
        "exactdp.testing.plugin",
        "exactdp.testing.slack",
    }
    assert not {"flint", "hypothesis", "numpy"} & set(json.loads(done.stdout))


PROFILE = """
    from hypothesis import settings

    def test_profile():
        print()
        print("profile", settings.default.max_examples, settings.default.derandomize,
              settings.default.deadline)
"""


@pytest.mark.parametrize(
    ("options", "profile"),
    [
        ((), "7 *"),
        (("--exactdp-effort=quick",), "20 True None"),
        (("--exactdp-effort=default",), "100 True None"),
        (("--exactdp-effort=deep",), "5000 False None"),
    ],
)
def test_the_effort_chooses_a_profile_else_that_of_the_suite_stays(pytester, run, options, profile):
    pytester.makepyfile(PROFILE)
    pytester.makeconftest(
        """
        from hypothesis import settings
        settings.register_profile("mine", max_examples=7)
        settings.load_profile("mine")
        """
    )
    result = run("-s", *options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"profile {profile}"])
    result.stdout.no_fnmatch_line("*exactdp*slack*")  # nothing was recorded
    assert result.stderr.str() == ""


def test_a_test_that_states_its_own_settings_keeps_them(pytester, run):
    pytester.makepyfile(
        """
        from hypothesis import given, settings, strategies as st
        seen = []

        @settings(max_examples=5)
        @given(st.integers(0, 10**9))
        def test_few(n):
            seen.append(n)

        def test_count():
            assert len(seen) <= 5
        """
    )
    run("--exactdp-effort=default").assert_outcomes(passed=2)


def test_two_choices_of_a_profile_are_refused(pytester, run):
    pytester.makepyfile(PROFILE)
    result = run("--exactdp-effort=quick", "--hypothesis-profile=default")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Pass one of them.*"])


def test_an_unknown_effort_is_refused(run):
    assert run("--exactdp-effort=most").ret == pytest.ExitCode.USAGE_ERROR
