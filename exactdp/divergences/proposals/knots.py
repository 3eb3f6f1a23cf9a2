"""The placing of a polygon's knots, so that each cell has the same share of the error.

A chord over a cell of h nats is above the curve by about h² times what bends there. Of a sum of
losses that are tilted by λ, what lies at the loss u counts e^(λu) times. With e_i the error of the
cells of a coarse polygon, in which m_i finer ones lie, the error of all is Σ e_i/m_i²; it is least
where m_i is proportional to the cube root of e_i.

Nothing rests on the placing but how many knots are needed.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from exactdp.divergences.pair import Pair
from exactdp.divergences.ratios import ratios_between

__all__ = ["Placing", "likely_growth", "placed_ratios"]

_FEWEST = 24
"""Cells of a polygon, at least."""

_EVEN = 1 / 8
"""The part of the cells that are as wide as others, wherever they are: errors are guesses."""

_BITS = 40
"""Bits of a ratio."""

_LEAST_GROWTH, _MOST_GROWTH = 5 / 4, 8.0
"""How many times as many knots come next, at least and at most."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The density of a polygon's knots.

    Attributes:
        ends: The ends of cells, in nats, ascending.
        shares: How many of the finer cells lie before each end, of all of them; from 0 to 1.
        spared: How many times as many knots would be needed if cells were equally wide.
    """

    ends: tuple[float, ...]
    shares: tuple[float, ...]
    spared: float

    @classmethod
    def of(cls, pair: Pair, tilt: float) -> Placing | None:
        """Return the knots for a curve near that of a finite pair; None if it has few losses.

        Args:
            pair: A pair above, of a coarse polygon.
            tilt: λ, at least 0.

        Example:
            >>> pair = Pair.from_masses(["1/8", "3/8", "1/2"], ["1/2", "3/8", "1/8"])
            >>> knots = Placing.of(pair, 1.0)
            >>> knots.shares[0], 0 < knots.shares[1] < 1 / 2, knots.shares[2]
            (0.0, True, 1.0)
        """
        atoms = [(float(x.ball(64).mid()), float(p.ball(64).mid())) for x, p in pair.losses().atoms]
        atoms = [(x, p) for x, p in atoms if 0 < x < math.inf]
        if len(atoms) < 3:  # no cell has another beside it
            return None
        ends = [math.log(x) for x, _ in atoms]
        most = max(ends)
        # What bends the curve at a knot is the mass of Q there.
        errors = [
            math.exp(tilt * ((u + v) / 2 - most)) * (v - u) * (y - x) * (p / x + q / y)
            for ((x, p), (y, q)), (u, v) in zip(pairwise(atoms), pairwise(ends), strict=True)
        ]
        roots = [error ** (1 / 3) for error in errors]
        total, length = sum(roots), ends[-1] - ends[0]
        if not (0 < total < math.inf):
            return None
        shares = [
            (1 - _EVEN) * root / total + _EVEN * (v - u) / length
            for root, (u, v) in zip(roots, pairwise(ends), strict=True)
        ]
        even = sum(
            e * (length / (v - u)) ** 2 for e, (u, v) in zip(errors, pairwise(ends), strict=True)
        )
        here = sum(e / share**2 for e, share in zip(errors, shares, strict=True) if share > 0)
        found = list(accumulate(shares, initial=0.0))
        return cls(
            tuple(ends), tuple(x / found[-1] for x in found), max(1.0, math.sqrt(even / here))
        )

    def ratios(self, bottom: Fraction, top: Fraction, *, size: int) -> list[Fraction]:
        """Return ratios from about e^−bottom to e^top: as good as ``size`` equally spaced ones.

        Example:
            >>> knots = Placing((-1.0, 0.0, 1.0), (0.0, 0.25, 1.0), 2.0)
            >>> found = knots.ratios(Fraction(1), Fraction(1), size=160)
            >>> len(found), sum(x < 1 for x in found)
            (81, 20)
        """
        count = max(_FEWEST, math.ceil(size / self.spared))
        places = (self._place(k / count) for k in range(1, count))
        inside = (x for x in places if -bottom < x < top)
        return sorted({_short(x) for x in (-float(bottom), *inside, float(top))})

    def reversed(self) -> Placing:
        """Return the knots for the other direction: of the ratios Q/P."""
        ends, shares = (
            tuple(t - x for x in reversed(row)) for t, row in ((0.0, self.ends), (1.0, self.shares))
        )
        return Placing(ends, shares, self.spared)

    def shared(self, count: int) -> Placing:
        """Return the knots for each of so many curves whose losses add up to those here.

        Example:
            >>> Placing((-1.0, 0.0, 2.0), (0.0, 0.5, 1.0), 2.0).shared(4).ends
            (-0.25, 0.0, 0.5)
        """
        return Placing(tuple(x / count for x in self.ends), self.shares, self.spared)

    def _place(self, share: float) -> float:
        i = min(bisect_right(self.shares, share), len(self.shares) - 1)
        (s, t), (u, v) = self.shares[i - 1 : i + 1], self.ends[i - 1 : i + 1]
        return u + (v - u) * (share - s) / (t - s) if t > s else u


def placed_ratios(
    knots: Placing | None,
    bottom: Fraction,
    top: Fraction,
    *,
    size: int,
    corners: tuple[Fraction | None, Fraction | None] = (None, None),
) -> list[Fraction]:
    """Return ratios from about e^−bottom to e^top: as knots say, else equally spaced.

    Corners, down and up, are those of :func:`~exactdp.divergences.ratios.ratios_between`: knots
    have one more point a little inside of each.
    """
    if knots is None:
        return ratios_between(bottom, top, size=size, corners=corners)
    inside = (bottom + top) / size**2
    signed = ((sign, corner) for sign, corner in zip((-1, 1), corners, strict=True) if corner)
    beside = {_short(float(sign * (corner - inside))) for sign, corner in signed}
    return sorted(beside.union(knots.ratios(bottom, top, size=size)))


def likely_growth(gap: Fraction, width: Fraction) -> Fraction:
    """Return how many times as many knots likely narrow a gap so far: it falls with their square.

    Example:
        >>> likely_growth(Fraction(9, 100), Fraction(1, 100))
        Fraction(7, 2)
    """
    return Fraction(min(max(math.sqrt(gap / width) * 7 / 6, _LEAST_GROWTH), _MOST_GROWTH))


def _short(nats: float) -> Fraction:
    """Return a dyadic number near e^x, of few bits."""
    places = _BITS - math.floor(nats / math.log(2))
    return Fraction(round(math.exp(nats) * 2.0**places)) / Fraction(2) ** places
