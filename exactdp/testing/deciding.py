"""On which side of a value the truth is: asked for as far as that takes.

PYTEST_DONT_REWRITE: nothing here is a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, Real, decided_below
from exactdp.testing.failures import Side, bracket
from exactdp.testing.truths import Question, at_most

__all__ = ["compared", "slack_of"]


def compared(
    side: Side,
    value: Exact,
    truth: Number | Enclosure | Question,
    max_bits: int,
    max_seconds: float,
) -> tuple[bool, Enclosure | None, Fraction | None]:
    """Return whether the truth is strictly on the wrong side of a value.

    With what is known of it, and the slack that the search climbs on, where there is one.

    Raises:
        UndecidedError: If that is not known at the end of the budget.
    """
    if isinstance(truth, Exact | Real):
        a, b = (value, truth) if side is Side.UPPER else (truth, value)
        advice = f"budget: max_bits={max_bits}"
        return decided_below(a, b, max_bits=max_bits, advice=advice), None, None
    if isinstance(truth, Enclosure):
        return _outside(side, value, [truth])
    with at_most(max_seconds):
        if truth.name != "epsilon":
            if value.sign() < 0 or (value.sign() == 0 and truth.is_certainly_positive()):
                return side is Side.UPPER, None, None
            return _outside(side, value, truth.bounds(value))
        if value.sign() < 0 or (side is Side.LOWER and value.sign() == 0):
            return side is Side.UPPER, None, None
        # ε is an upper bound of the smallest one exactly if δ(ε) is at most δ.
        assert isinstance(truth.at, Exact)
        there = Question(truth.profile, Epsilon.rational(value.as_fraction()))
        is_wrong, _, slack = _outside(side, truth.at, there.bounds(truth.at))
        return is_wrong, None, slack


def _outside(
    side: Side, value: Exact, bounds: Iterable[Enclosure]
) -> tuple[bool, Enclosure | None, Fraction | None]:
    known = None
    for known in bounds:
        above, below = bool(value < known.lower), bool(known.upper <= value)
        if side is Side.LOWER:
            above, below = bool(known.upper < value), bool(value <= known.lower)
        if above or below:
            return above, known, slack_of(side, value, known)
    if known is None:  # infinite
        return side is Side.UPPER, None, None
    raise UndecidedError("budget: the narrowest enclosure that is asked for")


def slack_of(side: Side, value: Exact, known: Enclosure) -> Fraction | None:
    """Return claimed/true of an upper bound, true/claimed of a lower one, or a little less."""
    claim = bracket(value, max_bits=256)
    if claim.lower <= 0 or known.lower < 0 or known.upper <= 0:
        return None
    if side is Side.LOWER and known.lower == 0:
        return None
    return claim.lower / known.upper if side is Side.UPPER else known.lower / claim.upper
