"""On which side of a value the truth is: asked for as far as that takes.

PYTEST_DONT_REWRITE: nothing here is a test.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from enum import Enum
from fractions import Fraction

from exactdp.divergences.questions import Question
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, Real, decided_below
from exactdp.numbers.effort import OPERATIONS_A_SECOND, within_work
from exactdp.side import Side
from exactdp.testing.failures import bracket

__all__ = ["HAIR", "Judgment", "compared", "plainly", "slack_of", "within_budget"]

HAIR = Fraction(1, 10**12)
"""A number on the wrong side by less, relatively, is a double that was not rounded outward."""


class Judgment(Enum):
    """The side of the truth on which a number is, and whether it keeps its promise."""

    RIGHT = "right"
    ROUNDED = "wrong by a hair"
    WRONG = "WRONG"
    UNDECIDED = "undecided"
    FAILED = "failed"
    ABSENT = "not installed"

    @property
    def is_wrong(self) -> bool:
        """True if the truth is on the wrong side, however little."""
        return self in (Judgment.WRONG, Judgment.ROUNDED)


def plainly(value: float, side: Side, *, is_parameter: bool) -> Judgment | None:
    """Return where a double stands for which that is plain without the truth; else None.

    Args:
        value: The double.
        side: On which side of the truth it should be.
        is_parameter: Whether it is to be a parameter, finite and above 0.

    Example:
        >>> plainly(math.inf, Side.UPPER, is_parameter=False)
        <Judgment.RIGHT: 'right'>
    """
    if math.isnan(value) or (is_parameter and not 0 < value < math.inf):
        return Judgment.FAILED
    if math.isinf(value):
        return Judgment.RIGHT if value == side.harmless_infinity else Judgment.WRONG
    return None


def compared(
    side: Side,
    value: Exact,
    truth: Number | Enclosure | Question,
    max_bits: int,
    max_seconds: float,
    seen: list[Enclosure] | None = None,
) -> tuple[bool, Enclosure | None, Fraction | None]:
    """Return whether the truth is strictly on the wrong side of a value.

    With what is known of it, and the slack that the search climbs on, where there is one.

    Args:
        side: On which side of the truth the value should be.
        value: The value.
        truth: The truth.
        max_bits: The precision at which the refinement of a Real gives up.
        max_seconds: The seconds of work, as counted, after which a question is given up.
        seen: Gets the narrowest enclosure on the way, whatever becomes of it: of the truth, or for
            a question about ε of δ at the value.

    Raises:
        UndecidedError: If that is not known at the end of the budget.
    """
    if isinstance(truth, Exact | Real):
        a, b = (value, truth) if side is Side.UPPER else (truth, value)
        advice = f"budget: max_bits={max_bits}"
        return decided_below(a, b, max_bits=max_bits, advice=advice), None, None
    if isinstance(truth, Enclosure):
        return _outside(side, value, [truth])
    with within_budget(max_seconds):
        if truth.name != "epsilon":
            if value.sign() < 0 or (value.sign() == 0 and truth.is_certainly_positive()):
                return side is Side.UPPER, None, None
            return _outside(side, value, _noted(truth.bounds(value), seen))
        if value.sign() < 0 or (side is Side.LOWER and value.sign() == 0):
            return side is Side.UPPER, None, None
        # ε is an upper bound of the smallest one exactly if δ(ε) is at most δ.
        assert isinstance(truth.at, Exact)
        there = Question(truth.profile, Epsilon.rational(value.as_fraction()))
        is_wrong, _, slack = _outside(side, truth.at, _noted(there.bounds(truth.at), seen))
        return is_wrong, None, slack


def _noted(bounds: Iterable[Enclosure], seen: list[Enclosure] | None) -> Iterator[Enclosure]:
    for one in bounds:
        if seen is not None:
            seen[:] = [one]
        yield one


def _outside(
    side: Side, value: Exact, bounds: Iterable[Enclosure]
) -> tuple[bool, Enclosure | None, Fraction | None]:
    known = None
    for known in bounds:
        is_wrong = _is_wrong(side, value, known)
        if is_wrong is not None:
            return is_wrong, known, slack_of(side, value, known)
    if known is None:  # infinite
        return side is Side.UPPER, None, None
    raise UndecidedError("budget: the narrowest enclosure that is asked for")


def _is_wrong(side: Side, value: Exact, known: Enclosure) -> bool | None:
    if side is Side.UPPER:
        return known.is_above(value)
    return Enclosure(-known.upper, -known.lower).is_above(-value)


def slack_of(side: Side, value: Exact, known: Enclosure) -> Fraction | None:
    """Return claimed/true of an upper bound, true/claimed of a lower one, or a little less."""
    claim = bracket(value, max_bits=256)
    if claim.lower <= 0 or known.lower < 0 or known.upper <= 0:
        return None
    if side is Side.LOWER and known.lower == 0:
        return None
    return claim.lower / known.upper if side is Side.UPPER else known.lower / claim.upper


def within_budget(seconds: float) -> AbstractContextManager[object]:
    """Stop the block after the work of so many seconds on an ordinary processor.

    Work is counted (:mod:`exactdp.numbers.effort`), a million operations for a second; no clock is
    asked, so that a verdict is the same on every machine.

    Raises:
        UndecidedError: If the work was not enough.
    """
    work = int(seconds * OPERATIONS_A_SECOND)
    return within_work(work, UndecidedError(f"budget: {seconds:g} s of work"))
