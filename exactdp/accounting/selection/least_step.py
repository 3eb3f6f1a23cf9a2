"""The step of scores that the growth of a law of runs is paid by: see ``runs``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from exactdp.divergences.values import BOUND_BITS
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from exactdp.numbers.crossing import Slope, crossing

__all__ = ["DeltaAbove", "least_step"]

DeltaAbove = Callable[[Epsilon, Fraction], Fraction]
"""An upper bound of δ(ε) of one run, the larger of both orders, of about a relative width."""

_NEAR = Fraction(1, 128)
"""The relative width of the t where δ(t) is small enough: any such t gives a bound."""


def least_step(delta: DeltaAbove, odds: Exact) -> Fraction:
    """Return about the least t with δ(t) <= odds·(e^t − 1).

    Example:
        Randomized response of ln 3 has δ(t) = (3 − e^t)/4, so e^t = 5/3 if the odds are 1/2.

        >>> def delta(at, width):
        ...     return max(Fraction(0), enclosure((3 - at.exp) / 4, relative_bits=64).upper)
        >>> round(float(least_step(delta, Exact("1/2"))), 2)  # ln(5/3) = 0.5108
        0.51
    """

    def part(t: Fraction, width: Fraction) -> Enclosure:
        at = Epsilon.rational(t)
        rise = enclosure(at.exp - 1, relative_bits=BOUND_BITS).lower
        return Enclosure(*[delta(at, width) / rise] * 2)

    found = crossing(part, odds, slope=Slope.FALLING, first=Fraction(1), relative_width=_NEAR)
    return found.upper
