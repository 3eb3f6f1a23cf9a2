"""Finite pairs around a profile: one that it dominates, one that dominates it, ratios on a lattice.

A profile is a convex function of γ = e^ε, from 1 at γ = 0 on, and at least 1 − γ and 0. Each
such polygon is the profile of a finite pair, with the ratios P/Q where it bends and the change of
slope there as their mass under Q. A polygon through points on or above a profile is above it
(Doroshenko et al.). A polygon below is made from one on it: between two points the profile is
above both neighboring chords, prolonged, so that it is at most g = uv/(u + v) below its own
chord, where the chord is u above the one line at its far end and v above the other at its near
end; points are lowered by the larger g beside them. Where it is known between these points too,
less is enough: a third of that where it bends evenly. A number that is monotone in the order of
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

from flint import fmpq

from exactdp.divergences.number_profile import NumberProfile
from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed, enclosed_at
from exactdp.numbers import Enclosure, Epsilon, Exact, fmpq_of, fraction_of
from exactdp.numbers.effort import first_answer

__all__ = [
    "RatioLattice",
    "pair_through",
    "pairs_around",
    "pairs_between",
    "pairs_through",
]

_SPARE_BITS = 16
"""Bits of a ball beyond those to which it is rounded."""

_NONE = Fraction(0)
"""No mass, and no distance from the ratio 0."""

Point = tuple[Fraction | int, Fraction | int]
Points = list[Point]
"""Points (x, y) of a polygon, x ascending."""


@dataclass(frozen=True, slots=True)
class RatioLattice:
    """A finite pair with ratios P/Q on a lattice, and perhaps mass of P where Q has none.

    Attributes:
        step: h, positive.
        masses: (i, mass of Q at the ratio w + i·h), ascending; their sum is 1.
        infinity_mass: The mass that P has where Q has none.
        origin: w, at least 0 and below h.
    """

    step: Fraction
    masses: tuple[tuple[int, Fraction], ...]
    infinity_mass: Fraction
    origin: Fraction = Fraction(0)

    @classmethod
    def of_polygon(
        cls, points: Points, *, step: Fraction, unit: int, origin: Fraction = _NONE
    ) -> RatioLattice:
        """Return the pair whose profile is the largest convex function below points (γ/h, unit·δ).

        If the ratio 0 is not on the lattice, its mass is shared out between the two places beside
        it, one of them below 0: what is convex in the ratio has no smaller mean then.
        """
        bends, infinite = _bends(points, Fraction(-1), scale=step * unit)
        masses: dict[int, Fraction] = {}
        share = origin / step
        for place, mass in ((fraction_of(x), fraction_of(m)) for x, m in bends):
            if place == 0 and share:
                masses[-1] = masses.get(-1, _NONE) + share * mass
                masses[0] = masses.get(0, _NONE) + (1 - share) * mass
            else:
                i = int(place - share)
                masses[i] = masses.get(i, _NONE) + mass
        return cls(step, tuple(sorted(masses.items())), fraction_of(infinite) / unit, origin)

    def pair(self) -> Pair:
        """Return it as a pair.

        Example:
            >>> RatioLattice(Fraction(1, 2), ((1, Fraction(1)),), Fraction(1, 2)).pair().masses()
            [(Exact('1/2'), Exact('1')), (Exact('1/2'), Exact('0'))]
        """
        p = [(self.origin + i * self.step) * q for i, q in self.masses]
        return Pair.from_masses([*p, self.infinity_mass], [*(q for _, q in self.masses), 0])


def pairs_around(
    profile: PrivacyProfile,
    indices: Sequence[int],
    *,
    steps: Fraction | int,
    bits: int,
    width: Fraction | None = None,
    is_cut: bool = False,
    origin: Fraction = _NONE,
    omitted: range = range(0),
) -> tuple[RatioLattice, RatioLattice]:
    """Return finite pairs below and above a profile, in the order of Blackwell.

    Args:
        profile: With a δ to the width.
        indices: The i of the ratios w + i·h at which δ is looked up, positive, ascending, at least
            two.
        steps: 1/h.
        bits: δ is rounded to 2^−bits/steps, if that is an integer; else to 2^−bits over the next.
        width: The relative width to which δ is looked up; as it is rounded, if not given.
        is_cut: Whether the pair below is to be below that of the losses in which all ratios above
            the last one are infinite, as the pair above has it; else below the profile.
        origin: w, at least 0 and below h. If it is not 0, the pair below may lack mass of P.
        omitted: The indices at which the pair below has no ratios.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> low, high = pairs_around(coin, range(1, 40), steps=8, bits=40)
        >>> at = Epsilon.log(2)
        >>> low.pair().delta(at) < coin.delta(at) <= high.pair().delta(at)
        True
    """
    step, unit = 1 / Fraction(steps), ceil(steps) << bits
    values = _values(profile, [origin + i * step for i in indices], width, unit)
    places = [origin / step + i for i in indices] if origin else indices
    # What else is infinite below is left out: its corner may lie between two places.
    rest = values[-1].lower if is_cut else _NONE
    fall = unit // steps if unit % steps == 0 else unit * step
    _, high = _around(places, values, rest, unit=unit, fall=fall)
    taken = [k for k, i in enumerate(indices) if i not in omitted]
    fewer, known = [places[k] for k in taken], [values[k] for k in taken]
    low, _ = _around(fewer, known, rest, unit=unit, fall=fall)
    if not {x for x, _ in low} <= {0, *fewer}:
        low, _ = _around(fewer, known, _NONE, unit=unit, fall=fall)
    below, above = (
        RatioLattice.of_polygon(points, step=step, unit=unit, origin=origin)
        for points in (low, high)
    )
    return below, above


def pairs_between(
    profile: PrivacyProfile, ratios: Sequence[Fraction], *, unit: int, width: Fraction | None
) -> tuple[Pair, Pair]:
    """Return finite pairs below and above a profile, as above, with given ratios P/Q.

    Args:
        profile: With a δ to the width.
        ratios: The γ at which δ is looked up: positive, ascending, at least two.
        unit: δ is rounded to 1/unit.
        width: The relative width to which δ is looked up; as it is rounded, if it is None.

    Example:
        >>> coin = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"])
        >>> low, high = pairs_between(coin, [Fraction(1, 2), Fraction(2)], unit=2**40, width=None)
        >>> [high.delta(Epsilon.log(x)) for x in ("1/2", 1, 2)]  # that of the coin itself
        [Exact('1/2'), Exact('1/3'), Exact('0')]
    """
    values = _values(profile, ratios, width, unit)
    infinite = _infinite(profile), _infinite(profile.reversed())
    return pairs_through(ratios, values, infinite, unit=unit)


def pairs_through(
    ratios: Sequence[Fraction],
    values: Sequence[Enclosure],
    infinite: tuple[Fraction, Fraction],
    *,
    unit: int,
    has_middles: bool = False,
) -> tuple[Pair, Pair]:
    """Return finite pairs below and above a profile with known values of δ.

    Args:
        ratios: The γ at which it is known: positive, ascending, at least two.
        values: δ there.
        infinite: What P has at least where Q has none, and Q where P has none.
        unit: δ is rounded to 1/unit.
        has_middles: Whether the first, third, ... of them, of an even number, only show how far
            the profile is below the chords of the others, and no outcomes have these ratios.

    Example:
        A coin with the ratios 1/2 and 2:

        >>> values = [Enclosure(x, x) for x in (Fraction(1, 2), Fraction(0))]
        >>> none = (Fraction(0), Fraction(0))
        >>> found = pairs_through([Fraction(1, 2), Fraction(2)], values, none, unit=2**40)
        >>> found[1].delta(Epsilon.log(1))
        Exact('1/3')
    """
    found = []
    rest, missing = infinite
    fall, gaps = unit * (1 - missing), None
    if has_middles:
        known = [
            (fmpq_of(x), fmpq(floor(y.lower * unit)), fmpq(ceil(y.upper * unit)))
            for x, y in zip(ratios, values, strict=True)
        ]
        gaps = _gaps_by_middles([(fmpq(0), fmpq(unit), fmpq(unit)), *known], fmpq_of(fall))
        ratios, values = ratios[1::2], values[1::2]
    for points in _around(ratios, values, rest, unit=unit, fall=fall, gaps=gaps):
        found.append(pair_through(points, unit=unit))
    return found[0], found[1]


def pair_through(points: Points, *, unit: int) -> Pair:
    """Return the pair whose profile is the largest convex function below points (γ, unit·δ).

    Example:
        >>> found = pair_through([(0, 9), (Fraction(1, 2), 5), (Fraction(2), 0)], unit=9)
        >>> found.delta(Epsilon.log(1))
        Exact('10/27')
    """
    masses, alone = _bends(points, Fraction(-1), scale=Fraction(unit))
    p = [*(x * q for x, q in masses), alone / unit]
    return Pair.from_masses(p, [*(q for _, q in masses), 0])


def _values(
    profile: PrivacyProfile, ratios: Sequence[Fraction], width: Fraction | None, unit: int
) -> list[Enclosure]:
    """Return δ at ratios, to a relative width or, of a number, to a small part of 1/unit.

    Where both directions agree, δ(γ) is 1 − γ + γδ(1/γ): every other one need not be asked for.
    """
    if profile.reversed() is not profile:
        return _asked(profile, ratios, width, unit)
    mirrored = {x for x in ratios if x < 1} & {1 / x for x in ratios if x > 1}
    left = [x for x in ratios if x not in mirrored]
    known = dict(zip(left, _asked(profile, left, width, unit), strict=True))
    for x in mirrored:
        other = known[1 / x]
        known[x] = Enclosure(1 - x + x * other.lower, 1 - x + x * other.upper)
    return [known[x] for x in ratios]


def _asked(
    profile: PrivacyProfile, ratios: Sequence[Fraction], width: Fraction | None, unit: int
) -> list[Enclosure]:
    if width is None and isinstance(profile, NumberProfile):
        bits = unit.bit_length() + _SPARE_BITS
        found = [enclosed_at(profile._delta_at(Exact(x)), bits) for x in ratios]
        if all(one.width * unit < 1 for one in found):
            return found
    width = width or Fraction(1, unit)
    deltas = (profile.delta(Epsilon.log(ratio), relative_width=width) for ratio in ratios)
    return [enclosed(delta, width) for delta in deltas]


def _infinite(profile: PrivacyProfile) -> Fraction:
    return first_answer(
        lambda: enclosed(profile.infinity_mass(), "1e-9").lower,
        Fraction,  # as little is certain
    )


def _around(
    places: Sequence[Fraction | int],
    values: Sequence[Enclosure],
    infinite: Fraction,
    *,
    unit: int,
    fall: Fraction | int,
    gaps: Sequence[int] | None = None,
) -> tuple[Points, Points]:
    """Return points (x, unit·δ) of polygons below and above a profile.

    Its gaps below the chords are found from the points if they are not known.
    """
    below: Points = [(0, unit)]
    above: Points = [(0, unit)]
    errors = [2]
    for x, found in zip(places, values, strict=True):
        low, high = floor(found.lower * unit), ceil(found.upper * unit)
        below.append((x, low))
        above.append((x, min(above[-1][1], high)))
        errors.append(max(2, high - low))
    if gaps is None:
        gaps = _gaps_beside(below, errors, fall)
    return _lowered(below, gaps, errors, fall=fall, rest=floor(infinite * unit)), above


def _bends(
    points: Points, first: Fraction, *, scale: Fraction
) -> tuple[list[tuple[fmpq, fmpq]], fmpq]:
    """Return where the largest convex function below points bends, by how much, and its end."""
    hull: list[tuple[fmpq, fmpq]] = []
    for x, y in points:  # ratios may have thousands of bits
        point = fmpq(x.numerator, x.denominator), fmpq(y.numerator, y.denominator)
        while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
            hull.pop()
        hull.append(point)
    factor, slopes = fmpq_of(scale), [fmpq_of(first)]
    slopes += [(d - b) / ((c - a) * factor) for (a, b), (c, d) in pairwise(hull)]
    changes = zip(hull, pairwise([*slopes, fmpq(0)]), strict=True)
    masses = [(x, after - before) for (x, _), (before, after) in changes]
    return [x for x in masses if x[1]], hull[-1][1]


def _gaps_beside(points: Points, errors: Sequence[int], fall: Fraction | int) -> list[int]:
    """Return how far below its chord a profile may be, before each point: by prolonged chords."""
    lengths = [fmpq_of(Fraction(c - a)) for (a, _), (c, _) in pairwise(points)]
    rises = [fmpq_of(Fraction(d - b)) for (_, b), (_, d) in pairwise(points)]
    slopes = [rise / length for rise, length in zip(rises, lengths, strict=True)]
    slopes = [-fmpq_of(Fraction(fall)), *slopes, fmpq(0)]
    gaps = [0]
    for j, length in enumerate(lengths):
        nearest = min(lengths[max(0, j - 1) : j + 2])
        slack = max(errors[max(0, j - 1) : j + 3]) * (1 + length / nearest)
        u, v = ((slopes[k + 1] - slopes[k]) * length + slack for k in (j, j + 1))
        gaps.append(int((u * v / (u + v) if u > 0 and v > 0 else slack).ceil()))
    return gaps


def _gaps_by_middles(known: Sequence[tuple[fmpq, fmpq, fmpq]], fall: fmpq) -> list[int]:
    """Return the same before every other of points (x, low, high), from those between them too.

    A profile is above the line from a point to its neighbor, prolonged beyond either; from two such
    lines beside each of two halves the chord of both is seen to be so far above it at most.
    """
    lines = [-fall]  # the slopes of lines that are prolonged to the right of a point
    lines += [(low - high) / (x - w) for (w, _, high), (x, low, _) in pairwise(known)]
    back = [(high - low) / (x - w) for (w, low, _), (x, _, high) in pairwise(known)]
    back.append(fmpq(0))  # of those to the left: no profile rises
    gaps = [0]
    for k in range(0, len(known) - 2, 2):
        (a, b, _), (c, d, _) = known[k], known[k + 2]
        chord, gap = (d - b) / (c - a), fmpq(0)
        places = [(known[k + 1][0], known[k + 1][1])]
        for i in (k, k + 1):
            (u, left, _), (v, right, _) = known[i], known[i + 1]
            up, down = lines[i], back[i + 1]
            if up == down:
                continue
            x = (right - left + up * u - down * v) / (up - down)
            if u < x < v:
                places.append((x, left + up * (x - u)))
        for x, least in places:
            gap = max(gap, b + chord * (x - a) - least)
        gaps.append(int((gap + 1).floor()))
    return gaps


def _lowered(
    points: Points,
    gaps: Sequence[int],
    errors: Sequence[int],
    *,
    fall: Fraction | int,
    rest: int,
) -> Points:
    """Return points whose polygon is below a profile that is at most so far below its chords.

    Args:
        points: On or below the profile.
        gaps: How far below the chord before each point, 0 before the first.
        errors: The most by which the profile may be above each point.
        fall: What a line from 1 on falls by a step; the profile is nowhere below it.
        rest: No value is below it.
    """
    (_, unit), n = points[0], len(points) - 1
    if rest == unit or not fall:  # P and Q have nothing in common
        return points[:1]
    heights = [y - max(gaps[k], gaps[min(k + 1, n)]) for k, (_, y) in enumerate(points)]
    lines = [unit - fall * i for i, _ in points]
    first = max(k for k in range(n + 1) if k == 0 or heights[k] < lines[k]) + 1
    # Where the line ends below the next chord, prolonged, the point after it need not give way.
    for k in range(max(1, first - 2), min(first + 1, n - 1)):
        (a, _), (c, y), (e, z) = points[k : k + 3]
        share = Fraction(c - a) / Fraction(e - c)
        least = y + (y - z) * share - max(errors[k + 1 : k + 3]) * (1 + share)
        if lines[k + 1] + gaps[k + 2] <= y and rest < lines[k] <= least:
            first, heights[k + 1] = k, y - gaps[k + 2]
            break
    last = next((k for k in range(n + 1) if heights[k] < rest), n + 1) - 1
    corner = Fraction(unit - rest) / fall, rest  # of max(rest, 1 − γ)
    if first >= last or lines[first] <= rest:
        return [(0, unit), corner]
    middle = [(points[k][0], heights[k]) for k in range(first + 1, last)]
    place = points[last][0]
    end = [(place, rest)] if lines[last] <= rest else [(place, lines[last]), corner]
    return [(0, unit), (points[first][0], lines[first]), *middle, *end]


def _is_above(middle: tuple[fmpq, fmpq], left: tuple[fmpq, fmpq], right: tuple[fmpq, fmpq]) -> bool:
    """Return whether a point is on or above the line through two others."""
    (a, b), (c, d), (e, f) = left, middle, right
    return bool((d - b) * (e - a) >= (f - b) * (c - a))
