"""The step of scores that the growth of a law of runs is paid by: see ``runs``."""

from __future__ import annotations

from fractions import Fraction

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.numbers import Epsilon, Exact, enclosure

__all__ = ["least_step"]

_COARSE, _NEAR = Fraction(1, 64), Fraction(1, 128)
"""The relative widths of a δ, and of the t where it is small enough: any such t gives a bound."""

_BITS = 64
"""Relative bits of a lower bound of a number."""


def least_step(one: PrivacyProfile, odds: Exact) -> Fraction:
    """Return a t with δ(t) <= odds·(e^t − 1), within a hundredth of the least one.

    Example:
        Randomized response of ln 3 has δ(t) = (3 − e^t)/4, so e^t = 5/3 if the odds are 1/2.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> round(float(least_step(coin, Exact("1/2"))), 2)  # ln(5/3) = 0.5108
        0.51
    """

    def holds(t: Fraction) -> bool:
        at = Epsilon.rational(t)
        found = enclosed(one.delta(at, relative_width=_COARSE), _COARSE).upper
        return found <= enclosure(odds * (at.exp - 1), relative_bits=_BITS).lower

    low, high = Fraction(0), Fraction(1)
    while not holds(high):
        low, high = high, 2 * high
    while high - low > _NEAR * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
