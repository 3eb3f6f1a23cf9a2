"""The shift Δ*(x) of (25), which is that of (17) too, between two cumulative distributions.

    Δ*(x) = 0 if F_p(x) = F_q(x); min {Δ > 0 : F_p(x) <= F_q(x + Δ)} if F_p(x) > F_q(x);
    min {Δ > 0 : F_p(x) >= F_q(x − Δ)} if F_p(x) < F_q(x).

The paper leaves open over which Δ the minimum runs, so that is a parameter. Over the
positive reals the second minimum is only an infimum: a cumulative distribution is
continuous from the right, so x − Δ may come as close as one likes to the point where F_q exceeds
F_p(x), but not reach it.

Definitions: :class:`Cumulative`, :class:`Shifts`, :func:`largest_shift`, :func:`shift`,
:func:`symmetric_shift`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from typing import Any

from exactdp.distributions import FinitePmf

__all__ = ["Cumulative", "Shifts", "largest_shift", "shift", "symmetric_shift"]


class Shifts(Enum):
    """The Δ over which the minimum of (25) runs."""

    INTEGERS = "positive integers"
    REALS = "positive reals, the infimum where no minimum exists"
    DIFFERENCES = "positive differences of the alphabet"


@dataclass(frozen=True, slots=True)
class Cumulative:
    """A cumulative distribution function on the line.

    Attributes:
        points: The points of positive mass, ascending.
        values: F at these points.

    Example:
        >>> F = Cumulative.of(FinitePmf({0: "1/4", 2: "3/4"}))
        >>> [str(F(x)) for x in (-1, 0, 1, 2)], str(F.before(2))
        (['0', '1/4', '1/4', '1'], '1/4')
    """

    points: tuple[Fraction, ...]
    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, law: FinitePmf[Any]) -> Cumulative:
        """Return the function of a law with rational masses."""
        masses = sorted((Fraction(x), m.as_fraction()) for x, m in law.masses.items() if m)
        return cls(tuple(x for x, _ in masses), tuple(accumulate(m for _, m in masses)))

    def __call__(self, x: Fraction | int) -> Fraction:
        """Return F(x), the mass of (-∞, x]."""
        k = bisect_right(self.points, x)
        return self.values[k - 1] if k else Fraction(0)

    def before(self, x: Fraction | int) -> Fraction:
        """Return F(x−), the mass of (-∞, x)."""
        below = [v for z, v in zip(self.points, self.values, strict=True) if z < x]
        return below[-1] if below else Fraction(0)

    def first_at_least(self, value: Fraction) -> Fraction:
        """Return the first point z with F(z) >= value, for 0 < value <= 1."""
        return next(z for z, v in zip(self.points, self.values, strict=True) if v >= value)

    def first_above(self, value: Fraction) -> Fraction:
        """Return the first point z with F(z) > value, for 0 <= value < 1."""
        return next(z for z, v in zip(self.points, self.values, strict=True) if v > value)


def shift(
    p: Cumulative,
    q: Cumulative,
    x: Fraction | int,
    *,
    shifts: Shifts,
    alphabet: Sequence[Fraction | int] = (),
) -> Fraction | None:
    """Return Δ*(x), or None if no Δ of the class serves (differences of the alphabet only).

    Source:
        Ding et al. 2025, (17), (25).

    Example:
        From 2 to 0: at 0 all smaller points already have F_q = 0.

        >>> p, q = Cumulative.of(FinitePmf.point(2)), Cumulative.of(FinitePmf.point(0))
        >>> [str(shift(p, q, 0, shifts=s, alphabet=[0, 2])) for s in Shifts]
        ['1', '0', '2']
    """
    value, other = p(x), q(x)
    if value == other:
        return Fraction(0)
    if value > other:
        needed = q.first_at_least(value) - x
        match shifts:
            case Shifts.INTEGERS:
                return Fraction(ceil(needed))
            case Shifts.REALS:
                return needed
            case Shifts.DIFFERENCES:
                return min((d for d in _differences(alphabet) if d >= needed), default=None)
    infimum = x - q.first_above(value)
    match shifts:
        case Shifts.INTEGERS:
            return Fraction(floor(infimum) + 1)
        case Shifts.REALS:
            return infimum
        case Shifts.DIFFERENCES:
            return min((d for d in _differences(alphabet) if d > infimum), default=None)


def largest_shift(
    p: Cumulative, q: Cumulative, alphabet: Sequence[Fraction | int], *, shifts: Shifts
) -> Fraction | None:
    """Return sup over x in the alphabet of Δ*(x); None if Δ* is undefined somewhere."""
    values = [shift(p, q, x, shifts=shifts, alphabet=alphabet) for x in alphabet]
    defined = [v for v in values if v is not None]
    return max(defined) if len(defined) == len(values) else None


def symmetric_shift(p: Cumulative, q: Cumulative, x: Fraction | int) -> Fraction:
    """Return the larger of min {Δ >= 0 : F_p(x) <= F_q(x + Δ)} and the same with p, q exchanged.

    Its maximum over an alphabet is the largest distance of the plan (6), on any alphabet.

    Example:
        >>> p, q = Cumulative.of(FinitePmf.point(2)), Cumulative.of(FinitePmf.point(0))
        >>> [str(symmetric_shift(p, q, x)) for x in (0, 2)]
        ['2', '0']
    """
    return max(_needed(p, q, x), _needed(q, p, x))


def _needed(p: Cumulative, q: Cumulative, x: Fraction | int) -> Fraction:
    value = p(x)
    if value <= q(x):
        return Fraction(0)
    return q.first_at_least(value) - x


def _differences(alphabet: Iterable[Fraction | int]) -> set[Fraction]:
    points = [Fraction(x) for x in alphabet]
    return {a - b for a in points for b in points if a > b}
