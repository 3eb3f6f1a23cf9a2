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


ONE_AFTER_ANOTHER = """
import json, sys, pytest
for options in json.loads(sys.argv[1]):
    print("RUN", flush=True)
    code = pytest.main(["-W", "error", "-p", "no:cacheprovider", *options])
    print("ENDS", int(code), flush=True)
"""


@pytest.fixture
def run_each(pytester, run):
    """Return a function that runs pytest with one list of options after another, in one process.

    What each prints on standard output and ends with, and the common standard error.
    """

    def start(*runs):
        done = pytester.run(sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(runs))
        assert done.ret == 0
        return f"{done.stdout.str()}\n".split("RUN\n")[1:], done.stderr.str()

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


def test_the_slack_in_another_process_is_gathered(pytester, run):
    pytest.importorskip("xdist")
    pytester.makepyfile(SUITE)
    result = run("-n", "1")
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


def test_the_effort_chooses_a_profile_else_that_of_the_suite_stays(pytester, run_each):
    pytester.makepyfile(PROFILE)
    pytester.makeconftest(
        """
        from hypothesis import settings
        settings.register_profile("mine", max_examples=7)
        settings.load_profile("mine")
        """
    )
    own = pytester.makepyfile(
        own="""
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
    profiles = {
        None: "7 ",
        "quick": "20 True None\n",
        "default": "100 True None\n",
        "deep": "5000 False None\n",
    }
    efforts = [[f"--exactdp-effort={name}"] if name else [] for name in profiles]
    shown, said = run_each(*(["-s", *effort] for effort in efforts), [*efforts[2], str(own)])
    assert len(shown) == 5 and said == ""
    for text, profile in zip(shown, profiles.values(), strict=False):
        assert "1 passed" in text and text.endswith("ENDS 0\n") and f"profile {profile}" in text
        assert "slack" not in text  # nothing was recorded
    assert "2 passed" in shown[4]  # a test that states its own settings keeps them


def test_two_choices_of_a_profile_and_an_unknown_one_are_refused(run_each):
    shown, said = run_each(
        ["--exactdp-effort=quick", "--hypothesis-profile=default"], ["--exactdp-effort=most"]
    )
    assert shown == [f"ENDS {int(pytest.ExitCode.USAGE_ERROR)}\n"] * 2
    assert "Pass one of them." in said and "invalid choice: 'most'" in said
