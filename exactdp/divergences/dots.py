"""Finite pairs around a profile: one that it dominates, one that dominates it, ratios on a lattice.

A profile is a convex function of γ = e^ε, from 1 at γ = 0 on, and at least 1 − γ and 0. Each
such polygon is the profile of a finite pair, with the ratios P/Q where it bends and the change of
slope there as their mass under Q. A polygon through points on or above a profile is above it
(Doroshenko et al.). A polygon below is made from one on it: between two points the profile is
above both neighboring chords, prolonged, so that it is at most g = uv/(u + v) below its own
chord, where the chord is u above the one line at its far end and v above the other at its near
end; points are lowered by the larger g beside them. A number that is monotone in the order of
Blackwell lies, for the profile's pair, between those of the finite pairs.

References: V. Doroshenko et al., Connect the Dots: Tighter Discrete Approximations of Privacy
Loss Distributions, PoPETs 2022; D. Blackwell, Equivalent Comparisons of Experiments, 1953.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.numbers import Epsilon

__all__ = ["RatioLattice", "pairs_around"]

Points = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RatioLattice:
    """A finite pair with ratios P/Q on a lattice, and perhaps mass of P where Q has none.

    Attributes:
        step: h, positive.
        masses: (i, mass of Q at the ratio i·h), ascending; their sum is 1.
        infinity_mass: The mass that P has where Q has none.
    """

    step: Fraction
    masses: tuple[tuple[int, Fraction], ...]
    infinity_mass: Fraction

    @classmethod
    def of_polygon(cls, points: Points, *, step: Fraction, unit: int) -> RatioLattice:
        """Return the pair whose profile is the largest convex function below points (i, unit·δ)."""
        hull: Points = []
        for point in points:
            while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
                hull.pop()
            hull.append(point)
        slopes = [Fraction(-1)]
        slopes += [Fraction(d - b, c - a) / (step * unit) for (a, b), (c, d) in pairwise(hull)]
        bends = zip(hull, pairwise([*slopes, Fraction(0)]), strict=True)
        masses = tuple((i, after - before) for (i, _), (before, after) in bends)
        return cls(step, tuple(x for x in masses if x[1]), Fraction(hull[-1][1], unit))

    def pair(self) -> Pair:
        """Return it as a pair.

        Example:
            >>> RatioLattice(Fraction(1, 2), ((1, Fraction(1)),), Fraction(1, 2)).pair().masses()
            [(Exact('1/2'), Exact('1')), (Exact('1/2'), Exact('0'))]
        """
        p = [i * self.step * q for i, q in self.masses]
        return Pair.from_masses([*p, self.infinity_mass], [*(q for _, q in self.masses), 0])


def pairs_around(
    profile: PrivacyProfile, indices: Sequence[int], *, steps: int, bits: int
) -> tuple[RatioLattice, RatioLattice]:
    """Return finite pairs below and above a profile, in the order of Blackwell.

    Args:
        profile: With a δ to any width.
        indices: The i of the ratios i/steps at which δ is looked up: positive, ascending, at least
            two.
        steps: 1/h, an integer.
        bits: δ is rounded to 2^−bits/steps.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> low, high = pairs_around(coin, range(1, 40), steps=8, bits=40)
        >>> at = Epsilon.log(2)
        >>> low.pair().delta(at) < coin.delta(at) <= high.pair().delta(at)
        True
    """
    step, unit = Fraction(1, steps), steps << bits
    width = Fraction(1, unit)
    below, above = [(0, unit)], [(0, unit)]
    for i in indices:
        found = enclosed(profile.delta(Epsilon.log(i * step), relative_width=width), width)
        below.append((i, floor(found.lower * unit)))
        above.append((i, min(above[-1][1], ceil(found.upper * unit))))
    low = _lowered(below, fall=1 << bits)
    return (
        RatioLattice.of_polygon(low, step=step, unit=unit),
        RatioLattice.of_polygon(above, step=step, unit=unit),
    )


def _lowered(points: Points, *, fall: int) -> Points:
    """Return points whose polygon is below a profile, from points at most two units below it.

    Where that would be below 1 − γ, which falls by ``fall`` a step, or below 0, these stand.
    """
    (_, unit), n = points[0], len(points) - 1
    slopes = [Fraction(d - b, c - a) for (a, b), (c, d) in pairwise(points)]
    slopes = [Fraction(-fall), *slopes, Fraction(0)]
    gaps = [0]
    for j, ((a, _), (c, _)) in enumerate(pairwise(points)):
        nearest = min(y[0] - x[0] for x, y in pairwise(points[max(0, j - 1) : j + 3]))
        slack = 2 * (1 + Fraction(c - a, nearest))
        u, v = ((slopes[k + 1] - slopes[k]) * (c - a) + slack for k in (j, j + 1))
        gaps.append(ceil(u * v / (u + v)) if u > 0 and v > 0 else ceil(slack))
    heights = [y - max(gaps[k], gaps[min(k + 1, n)]) for k, (_, y) in enumerate(points)]
    lines = [unit - fall * i for i, _ in points]
    first = max(k for k in range(n + 1) if k == 0 or heights[k] < lines[k]) + 1
    last = next((k for k in range(n + 1) if heights[k] < 0), n + 1) - 1
    if first >= last:  # max(0, 1 − γ)
        return [(0, unit), (unit // fall, 0)]
    middle = [(points[k][0], heights[k]) for k in range(first + 1, last)]
    return [(0, unit), (points[first][0], lines[first]), *middle, (points[last][0], 0)]


def _is_above(middle: tuple[int, int], left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Return whether a point is on or above the line through two others."""
    (a, b), (c, d), (e, f) = left, middle, right
    return (d - b) * (e - a) >= (f - b) * (c - a)
