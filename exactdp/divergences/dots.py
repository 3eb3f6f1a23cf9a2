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

__all__ = ["RatioLattice", "pairs_around", "pairs_between", "pairs_through"]

_SPARE_BITS = 16
"""Bits of a ball beyond those to which it is rounded."""

_NONE = Fraction(0)
"""No mass, and no distance from the ratio 0."""

_Known = list[tuple[fmpq, fmpq, fmpq]]
"""(γ, low, high): γ ascending from 0, and bounds of δ there, in whole units."""

_Points = list[tuple[fmpq, fmpq]]
"""Points (γ, δ) of a polygon, γ ascending from 0, δ in units."""


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
        cls, points: _Points, *, step: Fraction, unit: int, origin: Fraction = _NONE
    ) -> RatioLattice:
        """Return the pair whose profile is the largest convex function below points (γ, unit·δ).

        If the ratio 0 is not on the lattice, its mass is shared out between the two places beside
        it, one of them below 0: what is convex in the ratio has no smaller mean then.
        """
        bends, infinite = _bends(points, unit)
        masses: dict[int, Fraction] = {}
        share = origin / step
        for ratio, mass in ((fraction_of(x), fraction_of(m)) for x, m in bends):
            parts = {int((ratio - origin) / step): mass}
            if ratio == 0 and share:
                parts = {-1: share * mass, 0: (1 - share) * mass}
            for i, part in parts.items():
                masses[i] = masses.get(i, _NONE) + part
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
        bits: δ is rounded to 2^−bits over the least integer that is at least ``steps``.
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
    ratios = [origin + i * step for i in indices]
    known = _bounded(ratios, _values(profile, ratios, width, unit), unit)
    fewer = [known[0], *(x for i, x in zip(indices, known[1:], strict=True) if i not in omitted)]
    # What else is infinite below is left out: its corner may lie between two places.
    rest = known[-1][1] if is_cut else fmpq(0)
    low = _below(fewer, rest, known[0][1])
    if not {x for x, _ in low} <= {x for x, *_ in fewer}:
        low = _below(fewer, fmpq(0), known[0][1])
    below, above = (
        RatioLattice.of_polygon(points, step=step, unit=unit, origin=origin)
        for points in (low, _above(known))
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
    rest, missing = infinite
    known = _bounded(ratios, values, unit)
    fall, least = fmpq_of(unit * (1 - missing)), fmpq(floor(rest * unit))
    low = _below(known, least, fall, stride=2 if has_middles else 1)
    high = _above(known[::2] if has_middles else known)
    return _pair_through(low, unit), _pair_through(high, unit)


def _pair_through(points: _Points, unit: int) -> Pair:
    """Return the pair whose profile is the largest convex function below points (γ, unit·δ)."""
    masses, alone = _bends(points, unit)
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


def _bounded(ratios: Sequence[Fraction], values: Sequence[Enclosure], unit: int) -> _Known:
    """Return the bounds of a falling δ at 0 and some ratios."""
    known = [(fmpq(0), fmpq(unit), fmpq(unit))]
    for ratio, value in zip(ratios, values, strict=True):
        high = min(known[-1][2], fmpq(ceil(value.upper * unit)))
        known.append((fmpq_of(ratio), fmpq(floor(value.lower * unit)), high))
    return known


def _above(known: _Known) -> _Points:
    return [(x, high) for x, _, high in known]


def _bends(points: _Points, unit: int) -> tuple[_Points, fmpq]:
    """Return where the largest convex function below points bends, by how much, and its end."""
    hull: _Points = []
    for point in points:
        while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
            hull.pop()
        hull.append(point)
    slopes = [fmpq(-1), *((d - b) / ((c - a) * unit) for (a, b), (c, d) in pairwise(hull)), fmpq(0)]
    masses = [(x, v - u) for (x, _), (u, v) in zip(hull, pairwise(slopes), strict=True)]
    return [x for x in masses if x[1]], hull[-1][1]


def _gaps(known: _Known, fall: fmpq, stride: int) -> list[fmpq]:
    """Return how far below its chord δ may be, before each of the points that are kept.

    A profile is above the line from a point to its neighbor, prolonged beyond either: in each
    interval above two such lines, and lowest where they meet, or at a point that is not kept.
    """
    slopes = [(low - high) / (x - w) for (w, _, high), (x, low, _) in pairwise(known)]
    rights = [
        -fall,
        *slopes,
    ]  # of lines to the right of a point; and to the left of one: none rises
    lefts = [*((high - low) / (x - w) for (w, low, _), (x, _, high) in pairwise(known)), fmpq(0)]
    gaps = [fmpq(0)]
    for k in range(0, len(known) - stride, stride):
        (a, b, _), (c, d, _) = known[k], known[k + stride]
        places = [(x, low) for x, low, _ in known[k + 1 : k + stride]]
        for i in range(k, k + stride):
            (u, left, _), (v, right, _) = known[i], known[i + 1]
            up, down = rights[i], lefts[i + 1]
            if up < down:
                x = (right - left + up * u - down * v) / (up - down)
                places += [(x, left + up * (x - u))] if u < x < v else []
        chord = (d - b) / (c - a)
        gaps.append(max([fmpq(0), *(b + chord * (x - a) - y for x, y in places)]))
    return gaps


def _below(known: _Known, rest: fmpq, fall: fmpq, *, stride: int = 1) -> _Points:
    """Return points of a polygon below a profile: at 0, and every so many of those known.

    Args:
        known: The bounds of the profile.
        rest: No value is below it.
        fall: What a line from the first point on falls as γ grows by 1; the profile is above it.
        stride: 1 if all of the points are kept, 2 for every other one.
    """
    kept, gaps = known[::stride], _gaps(known, fall, stride)
    unit, n = kept[0][1], len(kept) - 1
    if rest == unit or not fall:  # P and Q have nothing in common
        return [(fmpq(0), unit)]
    deepest = [max(pair) for pair in pairwise([*gaps, gaps[n]])]
    heights = [fmpq((y - g).floor()) for (_, y, _), g in zip(kept, deepest, strict=True)]
    lines = [unit - fall * x for x, *_ in kept]
    first = max(k for k in range(n + 1) if k == 0 or heights[k] < lines[k]) + 1
    # Where the line ends below the next chord, prolonged, the point after it need not give way.
    for k in range(max(1, first - 2), min(first + 1, n - 1)):
        (a, _, _), (c, y, _), (e, _, z) = kept[k : k + 3]
        least = y + (y - z) * (c - a) / (e - c)
        if lines[k + 1] + gaps[k + 2] <= y and rest < lines[k] <= least:
            first, heights[k + 1] = k, fmpq((y - gaps[k + 2]).floor())
            break
    last = next((k for k in range(n + 1) if heights[k] < rest), n + 1) - 1
    corner = (unit - rest) / fall, rest  # of max(rest, 1 − γ)
    if first >= last or lines[first] <= rest:
        return [(fmpq(0), unit), corner]
    middle = [(kept[k][0], heights[k]) for k in range(first + 1, last)]
    place = kept[last][0]
    end = [(place, rest)] if lines[last] <= rest else [(place, lines[last]), corner]
    return [(fmpq(0), unit), (kept[first][0], lines[first]), *middle, *end]


def _is_above(middle: tuple[fmpq, fmpq], left: tuple[fmpq, fmpq], right: tuple[fmpq, fmpq]) -> bool:
    """Return whether a point is on or above the line through two others."""
    (a, b), (c, d), (e, f) = left, middle, right
    return bool((d - b) * (e - a) >= (f - b) * (c - a))
