"""Ratios P/Q at which a profile is looked up: powers of one of them, beside its corners."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1, log

__all__ = ["ratios_between"]

_FEWEST_PARTS = 4
"""Steps between two corners, at least, that are beside points: fewer would be far finer ones."""

_CORNER_BITS = 12
"""Bits of a ratio beyond those that bring a corner nearer to a point than a step's square."""


def ratios_between(
    bottom: Fraction,
    top: Fraction,
    *,
    size: int,
    corners: tuple[Fraction | None, Fraction | None] = (None, None),
) -> list[Fraction]:
    """Return powers of one ratio, from e^−bottom to e^top and beyond: about so many.

    The losses of pairs with such ratios lie on a lattice: they are added up fastest.

    Args:
        bottom: How far losses reach down, positive.
        top: How far they reach up, positive.
        size: The number of ratios.
        corners: How far down and up δ may have a corner, if that is known. A ratio is a little
            inside of each: the corner of the pair below is there, and not a whole step before.
            Where they are not alike, all ratios have one more factor.

    Example:
        >>> ratios_between(Fraction("0.4"), Fraction("0.4"), size=2)
        [Fraction(2, 3), Fraction(1, 1), Fraction(3, 2)]
        >>> half, none = Fraction(1, 2), Fraction(1, 10**6)
        >>> len(ratios_between(half, half, size=80, corners=(none, none)))
        83
    """
    base, first = 1 + Fraction(1, max(2, round(size / (bottom + top)))), Fraction(1)
    step = log(base)
    low, high = corners
    whole = low + high if low and high else 2 * (low or high or Fraction(0))
    parts = 2 * round(whole / step / 2)
    if parts >= _FEWEST_PARTS:  # else no corner is far from 1, beside a step
        unit = 1 << (_CORNER_BITS + 3 * parts.bit_length())
        inside = whole / parts**2
        base = 1 + Fraction(max(1, round(expm1((whole - 2 * inside) / parts) * unit)), unit)
        if low and high and low != high:
            first += Fraction(round(expm1((high - inside) % log(base)) * unit), unit)
    step = log(base)
    places = range(-ceil(bottom / step) - (first > 1), ceil(top / step) + 1)
    return [first * base**j for j in places]
