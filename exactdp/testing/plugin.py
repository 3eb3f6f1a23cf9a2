"""The pytest plugin: how hard to search, and how close the claims came to the truth.

PYTEST_DONT_REWRITE: nothing here is a test.

It does nothing that is not asked for. ``--exactdp-effort`` loads a Hypothesis
profile; without it, the profile of the suite stays. Tests that use the one-sided
assertions are listed at the end with the smallest slack seen; if there are none,
nothing is printed. Only pytest and the standard library load with this module.

Definitions: the hooks of pytest, and the profiles :data:`PROFILES`.
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from typing import Any

import pytest

from exactdp.testing.slack import Slack, recording

__all__ = ["PROFILES"]

PROFILES: dict[str, dict[str, Any]] = {
    "quick": {"max_examples": 20, "derandomize": True, "deadline": None},
    "default": {"max_examples": 100, "derandomize": True, "deadline": None},
    "deep": {"max_examples": 5_000, "derandomize": False, "deadline": None},
}
"""What each effort means: settings of Hypothesis; all but deep run the same examples always.

None has Hypothesis's phase ``explain``, which runs a failing test a hundred times more, slowed
down by tracing, for comments beside its arguments.
"""

_NEAR = Fraction(1, 10**5)
"""A slack this near to 1 is shown as its distance from 1: six digits would hide it."""

_ATTRIBUTE = "exactdp_slack"
_SLACK = pytest.StashKey[Slack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--exactdp-effort``."""
    parser.getgroup("exactdp", "exact verification of differential privacy").addoption(
        "--exactdp-effort",
        choices=tuple(PROFILES),
        default=None,
        help="load a Hypothesis profile: quick (20 examples) or default (100), both "
        "derandomized, or deep (5,000, random). Without it the suite's profile stays.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the profile that was asked for, and listen to reports."""
    effort = config.getoption("--exactdp-effort")
    if effort is not None:
        if config.getoption("--hypothesis-profile", None):
            raise pytest.UsageError(
                "--exactdp-effort and --hypothesis-profile both choose a Hypothesis profile. "
                "Pass one of them."
            )
        from hypothesis import Phase, settings

        name, phases = f"exactdp-{effort}", [one for one in Phase if one is not Phase.explain]
        settings.register_profile(name, phases=phases, **PROFILES[effort])
        settings.load_profile(name)
    config.pluginmanager.register(_Summary(), "exactdp-slack-summary")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Record the slack of the assertions of one test."""
    with recording() as recorder:
        yield
    slack = recorder.told()
    if slack is not None:
        item.stash[_SLACK] = slack


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """Send the slack along with the report, as text: a report may change processes."""
    outcome = yield
    slack = item.stash.get(_SLACK, None)
    if call.when == "call" and slack is not None:
        vars(outcome.get_result())[_ATTRIBUTE] = {
            "ratio": [hex(slack.ratio.numerator), hex(slack.ratio.denominator)],
            "at": slack.at,
            "is_allowed": slack.is_allowed,
            "words": slack.words,
        }


class _Summary:
    """Gathers the smallest slack of each test, over its parameters and repetitions."""

    def __init__(self) -> None:
        self._smallest: dict[str, Slack] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        sent = getattr(report, _ATTRIBUTE, None)
        if sent is None:
            return
        name, bracket, parameters = report.nodeid.partition("[")
        numerator, denominator = (int(part, 16) for part in sent["ratio"])
        at = " ".join(part for part in (bracket + parameters, sent["at"]) if part)
        slack = Slack(Fraction(numerator, denominator), at, sent["is_allowed"], sent["words"])
        before = self._smallest.get(name)
        if before is None or slack.ratio < before.ratio:
            self._smallest[name] = slack

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._smallest:
            return
        terminalreporter.section("exactdp: smallest slack seen")
        terminalreporter.write_line(
            "claimed/true of upper bounds, true/claimed of lower ones, rounded down; below 1 fails"
        )
        for name, slack in sorted(self._smallest.items(), key=lambda entry: entry[1].ratio):
            place = f" at {slack.at}" if slack.at else ""
            terminalreporter.write_line(f"{_shown(slack)}  {name}{place}")


def _shown(slack: Slack) -> str:
    """Return a slack with six digits, rounded down; near 1 as its distance from 1."""
    # Whoever recorded a slack has loaded the numbers already, except across processes.
    from exactdp.numbers import Exact, Rounding, decimal

    ratio, gap = slack.ratio, abs(slack.ratio - 1)
    text = decimal(Exact(ratio), digits=6, rounding=Rounding.DOWN)
    if gap == 0:
        text = "1"
    elif gap < _NEAR:
        rounding = Rounding.UP if ratio < 1 else Rounding.DOWN
        text = f"1 {'-' if ratio < 1 else '+'} {decimal(Exact(gap), digits=2, rounding=rounding)}"
    if ratio < 1 and slack.is_allowed:
        text += " (within tolerance)"
    return f"{text} ({slack.words})" if slack.words else text
