"""The number that a published bound bounds: a number that is known from both sides.

The worst case over all that a theorem quantifies over is at least what any of its protocols
needs, and at most what a proved reduction gives. A :class:`BoundedNumber` keeps such numbers, each
with words that say whose it is; where the worst case is one number, it is both.

Definitions: :class:`BoundedNumber`, :func:`one_number`, :func:`asked_between`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.divergences.questions import Question
from exactdp.errors import BeyondRangeError, TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Exact, Number, enclosure
from exactdp.shuffle import Bounds, Named
from exactdp.side import Side
from exactdp.testing.deciding import compared, within_budget
from exactdp.truth import Truth

_MAX_BITS = 1 << 14
"""The bits up to which a number is told from another."""

__all__ = ["Asked", "BoundedNumber", "asked_between", "one_number"]

Asked = Number | Enclosure | Question
"""A number; or one that is not computed yet."""

WIDTH = Fraction(1, 1000)
"""The relative width of an end that is printed."""


@dataclass(frozen=True, slots=True)
class BoundedNumber:
    """A number between others, each with words that name it.

    Attributes:
        below: Numbers that it is at least; with none it is at least 0.
        above: Numbers that it is at most; with none nothing is known from above.

    Example:
        >>> half = one_number("the fair coin", Exact("1/2"))
        >>> half.standing(Exact("1/3"), Side.UPPER), half.standing(Exact("1/3"), Side.LOWER)
        (<Truth.FALSE: 'false'>, <Truth.TRUE: 'true'>)
    """

    below: tuple[tuple[str, Asked], ...]
    above: tuple[tuple[str, Asked], ...]

    def standing(self, value: Exact, side: Side, *, seconds: float = 10.0) -> Truth:
        """Return whether a value is on its side of the number: no, yes, or not known.

        Args:
            value: What is claimed to be at least (or, LOWER, at most) the number.
            side: On which side it is claimed to be.
            seconds: How long each number may be asked.
        """
        near, far = (self.below, self.above) if side is Side.UPPER else (self.above, self.below)
        told: dict[int, bool | None] = {}

        def is_wrong(asked: Asked) -> bool | None:
            """Return whether one number is wrong; it is asked once, on both sides."""
            if id(asked) not in told:
                told[id(asked)] = _is_wrong(side, value, asked, seconds)
            return told[id(asked)]

        if any(is_wrong(asked) is True for _, asked in near):
            return Truth.FALSE
        if any(is_wrong(asked) is False for _, asked in far):
            return Truth.TRUE
        # A bound that needs no computation: what is bounded is never below 0.
        is_plain = side is Side.LOWER and value.sign() <= 0
        return Truth.TRUE if is_plain else Truth.UNKNOWN

    def nearest(self, side: Side) -> Asked:
        """Return the number that a bound on this side is compared with first.

        Of an upper bound the largest of those that are known to be needed.
        """
        numbers = self.below if side is Side.UPPER else self.above
        if len(numbers) == 1:
            return numbers[0][1]
        is_upper = side is Side.UPPER
        ends = []
        for _, asked in numbers:
            known = _answer(asked, WIDTH, 10.0)
            if known is not None:
                ends.append((known.lower if is_upper else known.upper, asked))
        if not ends:
            return Exact(0)
        best = max if is_upper else min
        return best(ends, key=lambda end: end[0])[1]

    def known(self, side: Side, width: Fraction, *, seconds: float = 10.0) -> Enclosure | None:
        """Return the best of the numbers that a bound on this side must not pass; None if none is.

        Of an upper bound the largest of those that are needed, of a lower one the smallest of those
        that are proved.
        """
        numbers = self.below if side is Side.UPPER else self.above
        found = [e for _, asked in numbers if (e := _answer(asked, width, seconds)) is not None]
        if not found:
            return None
        best = max if side is Side.UPPER else min
        return Enclosure(best(e.lower for e in found), best(e.upper for e in found))

    def enclosed(self, width: Fraction = WIDTH, *, seconds: float = 10.0) -> Bounds | None:
        """Return the number between its best ends; None where nothing finite is above it."""
        answers = {
            id(asked): _answer(asked, width, seconds) for _, asked in (*self.below, *self.above)
        }
        lows = [
            (e.lower, words) for words, asked in self.below if (e := answers[id(asked)]) is not None
        ]
        highs = [
            (e.upper, words) for words, asked in self.above if (e := answers[id(asked)]) is not None
        ]
        low, low_by = max(lows, default=(Fraction(0), "nothing"), key=lambda end: end[0])
        if not highs:
            return None
        high, high_by = min(highs, key=lambda end: end[0])
        return Bounds(low, max(low, high), low_by, high_by)


def one_number(words: str, asked: Asked) -> BoundedNumber:
    """Return a target that is one number."""
    number = ((words, asked),)
    return BoundedNumber(number, number)


def asked_between(
    below: Sequence[Named], above: Sequence[Named], at: Callable[[Named], Question]
) -> BoundedNumber:
    """Return the same question to profiles below and above a worst case.

    Args:
        below: Profiles of protocols that are allowed.
        above: Profiles of proved reductions.
        at: The question to one.
    """
    return BoundedNumber(
        tuple((one.words, at(one)) for one in below), tuple((one.words, at(one)) for one in above)
    )


def _is_wrong(side: Side, value: Exact, asked: Asked, seconds: float) -> bool | None:
    """Return whether a value is strictly on the wrong side of a number; None if not told."""
    try:
        with within_budget(seconds):
            return compared(side, value, asked, _MAX_BITS, seconds)[0]
    except (BeyondRangeError, UndecidedError, TooLargeError):
        return None


def _answer(asked: Asked, width: Fraction, seconds: float) -> Enclosure | None:
    """Return a number between ends; None where it is infinite, or not known in time."""
    try:
        with within_budget(seconds):
            if isinstance(asked, Question):
                return asked.answer(width)
            return asked if isinstance(asked, Enclosure) else enclosure(asked)
    except (BeyondRangeError, UndecidedError, TooLargeError):
        return None
