"""Reports of the truth by an assertion: to its message, to the search, and to whoever keeps slacks.

PYTEST_DONT_REWRITE: nothing here is a test.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from exactdp.divergences.questions import Question
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Exact, Number, Real, Rounding, decimal
from exactdp.side import Side
from exactdp.testing.deciding import slack_of, within_budget
from exactdp.testing.failures import Claimed, bracket
from exactdp.testing.slack import Slack

__all__ = ["climb", "enclosure_shown", "epsilon_slack", "instead_of", "worst_line"]

_WIDTHS = (Fraction(1, 10**20), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10))
"""Relative widths to which the truth is sought for a message, until one has an answer."""
_SECONDS = 2.0  # of work for each of these widths; the verdict is known before
_LARGEST_TARGET = 4096.0  # octaves, the score that Hypothesis is given for a claim of 0


def climb(side: Side, slack: Fraction | None, *, is_wrong: bool) -> None:
    """Let Hypothesis look for small slacks, if it runs the test."""
    if slack is None and not is_wrong:
        return
    # A wrong claim without a ratio, such as 0, is as far off as it can be.
    far = _LARGEST_TARGET if slack is None else -_log2(slack)
    hypothesis = sys.modules.get("hypothesis")
    if hypothesis is None or not hypothesis.currently_in_test_context():
        return
    with suppress(hypothesis.errors.InvalidArgument):  # a second assertion on this side
        hypothesis.target(
            min(far, _LARGEST_TARGET),
            label=f"exactdp: {side.article} {side.value} bound that is off",
        )


def _log2(value: Fraction) -> float:
    # A slack may be too small or too large for a double.
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    return bits + math.log2(value / Fraction(2) ** bits)


def enclosure_shown(
    truth: Number | Enclosure | Question, value: Exact | None, max_bits: int
) -> Enclosure | None:
    """Return an enclosure of the truth for the message, apart from the value; None if none is."""
    if isinstance(truth, Exact | Real):
        return bracket(truth, max_bits=max_bits, away_from=value)
    if isinstance(truth, Enclosure):
        return truth
    for width in _WIDTHS[not truth.profile.has_closed_form :]:
        try:
            with within_budget(_SECONDS):
                found = truth.answer(width)
        except (UndecidedError, TooLargeError):
            continue
        if found is not None and (value is None or not found.contains(value)):
            return found
    return None


def instead_of(
    truth: Number | Enclosure | Question, value: Exact | None, seen: Sequence[Enclosure]
) -> str:
    """Return the facts of a truth that no width decides: it is infinite, or how far it was.

    Args:
        truth: The truth.
        value: What is claimed, if it is a number.
        seen: The narrowest enclosure of the comparison: of the truth, or of δ at a claimed ε.

    Example:
        >>> from exactdp.divergences.questions import question
        >>> from exactdp.divergences import Pair
        >>> instead_of(question(Pair.from_masses([1], [1]), delta=0), Exact(1), [])
        'not found within the budget'
    """
    if isinstance(truth, Question) and truth.name in ("epsilon", "renyi") and _is_infinite(truth):
        return "infinite"
    said = "not found within the budget"
    if not seen or not isinstance(truth, Question):
        return said
    low, high = (
        decimal(Exact(end), digits=6, rounding=rounding)
        for end, rounding in ((seen[-1].lower, Rounding.DOWN), (seen[-1].upper, Rounding.UP))
    )
    if truth.name != "epsilon":
        return f"{said}; it is between {low} and {high}"
    if value is None:
        return said
    asked = decimal(truth.at, digits=6) if isinstance(truth.at, Exact) else str(truth.at)
    return f"{said}; delta at the claimed epsilon is between {low} and {high}, and {asked} is asked"


def _is_infinite(truth: Question) -> bool:
    with suppress(UndecidedError, TooLargeError), within_budget(_SECONDS):
        return truth.answer(_WIDTHS[-1]) is None
    return False


def epsilon_slack(side: Side, claimed: Claimed, truth: Question) -> Fraction | None:
    """Return the slack of a claimed ε, or a little less; None if the true one is out of reach."""
    found = enclosure_shown(truth, None, 256)
    value = claimed if isinstance(claimed, Exact) else Exact(Fraction(claimed))
    return None if found is None else slack_of(side, value, found)


def worst_line(seen: Slack, side: Side) -> str:
    """Return the line about the worst claim of a search."""
    ratio = "claimed / truth" if side is Side.UPPER else "truth / claimed"
    place = f" at {seen.at}" if seen.at else ""
    return f"{float(seen.ratio):.3g} = {ratio} in this test{place}"
