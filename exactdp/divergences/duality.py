r"""The trade-off function of a profile by convex duality, with a proof at both ends.

T = T(P, Q), α the level. H_γ(P ‖ Q) is the largest of 1 − α − γ·T(α), so with u = 1/γ

    T(α) = sup over u > 0 of g(u),  g(u) = u(1 − α − H_{1/u}(P ‖ Q)) = 1 − uα − H_u(Q ‖ P).

u·H_{1/u}(P ‖ Q) is the largest of u·P(S) − Q(S), convex in u: g is concave. So each g(u) is a
bound of T from below. Right of two points g is at most the line through them, and left of two
points too; besides g(0) = 0, g(u) <= u(1 − α) and g(u) <= 1 − uα. Between neighbors g is below
the tent of the two lines, and the highest tent is a bound of T from above; its peak is the
next point. The u are rational, so that e^ε is; g is asked of the direction with ε >= 0.

References: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Proposition 2.12.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

from flint import fmpq

from exactdp.divergences.values import LIMIT_BITS, enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    decided_below,
    fmpq_of,
    fraction_of,
    short,
)
from exactdp.numbers.effort import TOO_MUCH, answers

__all__ = ["DeltaAt", "least_error", "trade_off_enclosure"]

DeltaAt = Callable[[Epsilon, Fraction], Enclosure]
"""δ at an ε >= 0, to a relative width."""

_STEPS = 250
"""Points u at which g is asked, at most, before a level counts as undecided."""

_NARROWEST = Fraction(1, 1 << 4096)
"""The relative width of δ at which g(u) is no more told from 0."""

_TRIES = 16
"""Widths of δ that are tried for one g(u), at most, each narrower than the one before."""

_NOISE = 64
"""A value of g may be off by the width that is wanted over this: less would cost more than it
gains."""

_COARSEST = Fraction(1, 1024)
"""The widest relative width for which δ is asked."""

_MARGIN = 8
"""A new point keeps the length of its interval over this from both ends."""

_BITS = 72
"""Bits of the rational u of a new point: e^ε stays short. Any u gives a bound."""


@dataclass(frozen=True, slots=True, order=True)
class _Point:
    """A point u, and bounds of g(u) there."""

    u: fmpq
    low: fmpq
    high: fmpq


_Line = tuple[fmpq, fmpq]
"""Intercept and slope of a line that bounds g in the interval where it is used."""


@dataclass(slots=True)
class _Search:
    """The points so far, by u, for one level."""

    forward: DeltaAt
    backward: DeltaAt
    level: Enclosure
    noise: Fraction
    points: list[_Point] = field(default_factory=lambda: [_Point(fmpq(0), fmpq(0), fmpq(0))])
    best: fmpq = field(default_factory=lambda: fmpq(0))
    asked: Fraction = _COARSEST
    first: fmpq = field(default_factory=lambda: fmpq(3))
    """About where the first point beyond 1 belongs: the losses are of the size of H_1."""

    def ask(self, u: fmpq) -> None:
        """Ask for g(u), so narrowly that its noise does not matter."""
        width = min(_COARSEST, 16 * self.asked)
        low = high = None
        for _ in range(_TRIES):
            refusals = () if low is None else TOO_MUCH
            widths = [width] if low is None or width > _NARROWEST else []
            found = next(answers(partial(self._bounds, u), widths, refusals=refusals), None)
            if found is None:
                width = self.asked  # g(u) may be 0, which no width tells, and higher elsewhere
                break
            low, high, reached = found[1]
            size = max(self.best, low, -high)
            if high == low or (size > 0 and high - low <= size * fmpq_of(self.noise)):
                break
            lack = fraction_of((high - low) / size) / self.noise if size > 0 else 1 / width
            # A power of two, which stays short.
            width = Fraction(1, 2 ** (int(lack / min(width, reached)).bit_length() + 1))
        else:
            raise UndecidedError(
                "the type II error is too small to be told from 0. Ask at a smaller alpha."
            )
        assert low is not None and high is not None
        self.asked = width
        self.best = max(self.best, low)
        insort(self.points, _Point(u, low, high))

    def _bounds(self, u: fmpq, width: Fraction) -> tuple[fmpq, fmpq, Fraction]:
        """Return the bounds of g(u), and the relative width of δ there."""
        top, bottom = fmpq_of(self.level.upper), fmpq_of(self.level.lower)
        if u < 1:
            found = self.forward(Epsilon.log(1 / u), width)
        else:
            found = self.backward(Epsilon.log(u), width)
        factor = min(u, fmpq(1))
        low = factor * (1 - fmpq_of(found.upper)) - u * top
        high = factor * (1 - fmpq_of(found.lower)) - u * bottom
        return low, high, found.width / found.upper if found.width else width

    def highest_tent(self) -> tuple[fmpq, fmpq, int]:
        """Return the height and the place of the highest peak, and the index of its left end."""
        return max((*self._tent(i), i) for i in range(len(self.points)))

    def _tent(self, i: int) -> tuple[fmpq, fmpq]:
        """Return the height and the place of the lowest peak over points i and i + 1."""
        level, near, end = fmpq_of(self.level.lower), self.points[: i + 1], self.points[i + 1 :]
        rising, falling = [(fmpq(0), 1 - level)], [(fmpq(1), -level)]
        rising += [_line(near[-1], near[-2])] if near[1:] else []
        falling += [_line(*end[:2])] if end[1:] else []
        stop = end[0].u if end else 1 / level
        return min(_peak(a, b, near[-1].u, stop) for a, b in product(rising, falling))

    def next(self, peak: fmpq, index: int) -> fmpq:
        """Return where to ask next, in the interval of the highest tent."""
        start = self.points[index].u
        if index + 1 == len(self.points):  # beyond all points, in strides that double
            far = max(start * start, self.first)
            return _shortened(min(far, 1 / fmpq_of(self.level.lower)))
        stop = self.points[index + 1].u
        if start == 0:
            return _shortened(min(stop * stop, 1 / self.first))
        if stop > 16 * start:
            middle: fmpq = fmpq(2) ** ((_exponent(start) + _exponent(stop)) // 2)
            return middle
        margin = (stop - start) / _MARGIN
        return _shortened(min(max(peak, start + margin), stop - margin))


def least_error(
    forward: DeltaAt, backward: DeltaAt, *, alpha: Exact, shared: Number, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of T(P, Q)(α), 0 < α < 1; 0 if all that P and Q share is rejected.

    Args:
        forward: δ of (P, Q).
        backward: δ of (Q, P).
        alpha: α.
        shared: The mass of P where Q has some.
        relative_width: (upper − lower) is at most this times the lower end.

    Raises:
        UndecidedError: If α cannot be told from the shared mass, or the steps do not suffice.

    Example:
        >>> def apart(epsilon, width):  # P and Q share one half each
        ...     return Enclosure(Fraction(1, 2), Fraction(1, 2))
        >>> width = Fraction(1, 100)
        >>> least_error(apart, apart, alpha=Exact("3/4"), shared=Exact("1/2"), relative_width=width)
        Enclosure([0, 0])
    """
    advice = f"alpha={alpha.text(most=40)} cannot be told from a limit. Ask for another."
    if not decided_below(alpha, shared, max_bits=LIMIT_BITS, advice=advice):
        return Enclosure(Fraction(0), Fraction(0))
    level = enclosed(alpha, relative_width**2 / 2**64)
    return trade_off_enclosure(forward, backward, level=level, relative_width=relative_width)


def trade_off_enclosure(
    forward: DeltaAt, backward: DeltaAt, *, level: Enclosure, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of T(P, Q)(α).

    Args:
        forward: δ of (P, Q).
        backward: δ of (Q, P).
        level: α, above 0, and so low that T(α) > 0.
        relative_width: (upper − lower) is at most this times the lower end.

    Raises:
        UndecidedError: If the steps do not suffice.

    Example:
        Equal laws cannot be told apart, T(α) = 1 − α:

        >>> def nothing(epsilon, width):
        ...     return Enclosure(Fraction(0), Fraction(0))
        >>> quarter = Enclosure(Fraction(1, 4), Fraction(1, 4))
        >>> trade_off_enclosure(nothing, nothing, level=quarter, relative_width=Fraction(1, 100))
        Enclosure([0.750, 0.750])
    """
    search = _Search(forward, backward, level, relative_width / _NOISE)
    search.ask(fmpq(1))
    search.first = 3 - 2 * (search.points[-1].low + fmpq_of(level.lower))  # 1 + 2·H_1, or more
    for _ in range(_STEPS):
        height, peak, index = search.highest_tent()
        low, high = search.best, max(height, *(point.high for point in search.points))
        if low > 0 and high - low <= low * fmpq_of(relative_width):
            return Enclosure(fraction_of(low), fraction_of(high))
        place = search.next(peak, index)
        if any(point.u == place for point in search.points):
            break  # no number of this length lies between
        search.ask(place)
    raise UndecidedError(
        f"relative_width={short(relative_width)} was not reached in {len(search.points)} steps. "
        "Ask for a wider enclosure."
    )


def _line(near: _Point, far: _Point) -> _Line:
    """Return the highest line through two points, beyond the near one."""
    slope = (near.high - far.low) / (near.u - far.u)
    return near.high - slope * near.u, slope


def _peak(left: _Line, right: _Line, start: fmpq, stop: fmpq) -> tuple[fmpq, fmpq]:
    """Return the largest value of the lower of two lines in an interval, and where it is."""
    (a, b), (c, d) = left, right
    ends = [(min(a + b * u, c + d * u), u) for u in (start, stop)]
    if b != d:
        u = (c - a) / (b - d)
        if start < u < stop:
            ends.append((a + b * u, u))
    return max(ends)


def _exponent(value: fmpq) -> int:
    return int(value.p.bit_length()) - int(value.q.bit_length())


def _shortened(value: fmpq) -> fmpq:
    """Return a dyadic number near a positive one."""
    scale = fmpq(2) ** (_BITS - _exponent(value))
    scaled = value * scale
    return fmpq(scaled.p // scaled.q) / scale
