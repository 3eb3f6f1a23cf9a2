"""Powers of tests between finite pairs: composed with each other, and the largest of several.

Points (α, F(α)) from 0 to 1, F(α) the largest power of a test of level α. A pair is its power, as
it is its trade-off function, 1 − F; a larger power is a pair above in the order of Blackwell.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import ceil
from typing import Any

from flint import fmpq, fmpz

from exactdp.accounting.composition.composed_randomized_response import ComposedRandomizedResponse
from exactdp.divergences import FiniteProfile, Pair, TradeOffFunction
from exactdp.divergences.between_pairs import nats_of
from exactdp.divergences.values import WIDE
from exactdp.numbers import Exact, count_text, fmpq_of, precision, refuse_above
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_BITS_OF_A_NUMBER

__all__ = ["group_beside", "group_of_finite", "joined"]

_MOST_PIECES, _MOST_IN_E = 50_000, 200
"""Pieces of a power, times its exponent, that are found exactly: of rational masses, and others."""

_Points = list[tuple[Any, Any]]
"""Points (α, F(α)), α ascending from 0 to 1, in one ordered field."""


def joined(profiles: Iterable[FiniteProfile | ComposedRandomizedResponse]) -> Pair:
    """Return the pair whose δ is the largest of those of finite pairs, at every ε.

    Its power is the least concave function above theirs: a test may be chosen by a coin.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> one = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> [joined([one, one.reversed()]).delta(Epsilon.log(x)) for x in (1, 2, 3)]
        [Exact('1/2'), Exact('1/2'), Exact('1/2')]
    """
    powers = [_power_of(profile) for profile in profiles]
    is_rational = all(known for _, known in powers)
    points = [
        (x, y) if is_rational else (_number(x), _number(y))
        for power, known in powers
        for x, y in power
    ]
    return _pair_of(_concave(sorted(points)))


def group_of_finite(profile: FiniteProfile | ComposedRandomizedResponse, size: int) -> Pair:
    """Return the pair whose power is that of a finite one, composed with itself.

    Raises:
        TooLargeError: If it has too many pieces.
    """
    power, is_rational = _power_of(profile)
    refuse_above(
        _MOST_PIECES if is_rational else _MOST_IN_E,
        len(power) * size,
        f"a group of {size} of a pair with {len(power)} losses is too large",
        advice="Ask for a smaller group, or for fewer losses.",
    )
    return _pair_of(_to_the(power, size, lambda points: points))


def group_beside(pair: Pair, size: int, bits: int, *, is_above: bool) -> Pair:
    """Return a rational pair above or below the group of a finite one, in steps of about 2^-bits.

    A point of a power is moved up and to the left, or down and to the right: as powers grow and
    are concave, the least concave function above such points is above, or below, everywhere.
    """
    power, is_rational = _power_of(pair)
    steep = ceil(max(nats_of(x.largest_finite_loss(), WIDE).upper for x in (pair, pair.reversed())))
    places = bits + 2 * size * max(steep, 0)  # 2² is more than e
    refuse_above(
        MAX_BITS_OF_A_NUMBER,
        places,
        f"masses of a group of {size} need {count_text(places)} bits",
        advice="Ask for a smaller group.",
    )
    unit = fmpz(1) << places

    def rounded(points: _Points) -> _Points:
        if is_above:
            points = [(_floored(x, unit), -_floored(-y, unit)) for x, y in points]
        else:
            points = [(-_floored(-x, unit), _floored(y, unit)) for x, y in points]
        return _concave(sorted([(fmpq(0), points[0][1]), *points, (fmpq(1), fmpq(1))]))

    return _pair_of(_to_the(power if is_rational else rounded(power), size, rounded))


def _to_the(power: _Points, size: int, rounded: Callable[[_Points], _Points]) -> _Points:
    """Return a power composed with itself so many times, by squares, rounded after each step."""
    found = power
    for bit in bin(size)[3:]:
        found = rounded(_composed(found, found))
        if bit == "1":
            found = rounded(_composed(power, found))
    return found


def _power_of(profile: FiniteProfile | ComposedRandomizedResponse) -> tuple[_Points, bool]:
    """Return the points of a power, and whether they are rational numbers of flint."""
    corners = TradeOffFunction(profile.losses()).vertices
    if not all(x.is_rational for corner in corners for x in corner):
        return [(alpha, 1 - error) for alpha, error in corners], False
    as_fmpq = ((fmpq_of(a.as_fraction()), fmpq_of(b.as_fraction())) for a, b in corners)
    return [(alpha, 1 - error) for alpha, error in as_fmpq], True


def _pair_of(power: _Points) -> Pair:
    """Return the pair with a power."""
    p, q = [power[0][0]], [power[0][1]]
    p += [b - a for (a, _), (b, _) in pairwise(power)]
    q += [b - a for (_, a), (_, b) in pairwise(power)]
    kept = [(_number(a), _number(b)) for a, b in zip(p, q, strict=True) if a != 0 or b != 0]
    return Pair.from_masses([a for a, _ in kept], [b for _, b in kept])


def _floored(value: fmpq | Exact, unit: fmpz) -> fmpq:
    """Return a multiple of 1/unit that is at most a number from -1 to 1, and hardly less."""
    if isinstance(value, fmpq):
        return fmpq((value * unit).floor(), unit)
    bits = unit.bit_length()
    with precision(bits):
        return fmpq(max(floor_of(value.ball(bits) * unit), -unit), unit)


def _concave(points: _Points) -> _Points:
    """Return the corners of the least concave function above points that ascend."""
    hull: _Points = []
    for x, y in points:
        if hull and x == hull[-1][0]:
            if y <= hull[-1][1]:
                continue
            hull.pop()
        while len(hull) > 1 and _is_below(hull[-1], hull[-2], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _is_below(middle: tuple[Any, Any], left: tuple[Any, Any], right: tuple[Any, Any]) -> bool:
    """Return whether a point is on or below the line through two others."""
    (a, b), (c, d), (e, f) = left, middle, right
    return bool((d - b) * (e - a) <= (f - b) * (c - a))


def _composed(outer: _Points, inner: _Points) -> _Points:
    """Return the points of outer∘inner: those of the inner one, and where it is at an outer one."""
    ends = [alpha for alpha, _ in outer]
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(outer)]

    def power(level: Any) -> Any:
        i = min(max(bisect_left(ends, level) - 1, 0), len(slopes) - 1)
        return outer[i][1] + slopes[i] * (level - ends[i])

    found: _Points = [(inner[0][0], power(inner[0][1]))]
    for (a, b), (c, d) in pairwise(inner):
        for i in range(bisect_right(ends, b), bisect_left(ends, d)):
            found.append((a + (ends[i] - b) * (c - a) / (d - b), outer[i][1]))
        found.append((c, power(d)))
    return found


def _number(value: Any) -> Exact:
    return value if isinstance(value, Exact) else Exact(value)
