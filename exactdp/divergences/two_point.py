"""The largest δ that bounds of Rényi divergences leave: that of a pair with two outcomes.

Let an event S attain δ(γ) = P(S) − γQ(S). Whether an outcome lies in S is a post-processing, which
raises no Rényi divergence (data processing). So whatever the bounds are, and of how many orders,
the largest δ of all pairs that meet them is that of two laws on two outcomes:

    δ(γ) = max of p − γq over the pairs (p, 1 − p), (q, 1 − q) that meet them.

These (p, q) are a convex set K, as e^(λD_(1 + λ)) is jointly convex, and so φ(p) = p − γ·min{q :
(p, q) in K} is concave. A pair that certainly meets all bounds is a lower end. For the upper end,
few bounds suffice: with φ1 = φ(p1) >= φ(p0), φ(p2) of these, p0 < p1 < p2, no φ exceeds

    φ1 + max((φ1 − φ2)(p1 − p0)/(p2 − p1), (φ1 − φ0)(p2 − p1)/(p1 − p0)),

what the lines through two of the points reach at the third. Doubles propose the bounds and the
points; balls decide.

References: S. Asoodeh, J. Liao, F. P. Calmon, O. Kosut and L. Sankar, Three Variants of
Differential Privacy: Lossless Conversion and Applications, 2021 (one order, one direction: the
same maximum); T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence,
2014, Theorems 9 and 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.bernoulli import (
    Certain,
    Likely,
    Row,
    divergence_excess,
    likely_divergence,
)
from exactdp.divergences.renyi_rows import RenyiRows
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, precision
from exactdp.numbers.balls import endpoints

__all__ = ["two_point_delta"]

_LEAST, _MOST = -1.0e6, 600.0
"""The range of ln(p/(1 − p)): below it δ is less than e^-1000000, and not told."""

_ROWS = 40
"""Bounds that are taken into account one after another, at most, until none is broken."""

_ATTEMPTS = 8
"""Distances of the three points that are tried, each a quarter of the one before."""


def two_point_delta(rows: RenyiRows, epsilon: Epsilon, width: Fraction) -> Enclosure:
    """Return an enclosure of the largest δ(ε) of all pairs that meet bounds, ε >= 0.

    Args:
        rows: The bounds.
        epsilon: ε in nats, finite.
        width: The relative width.

    Raises:
        UndecidedError: If the width is not reached, as one below 1e-12 may not be.

    Example:
        All pairs with D_2 <= 1 both ways, at ε = 3: with p = 0.0461 and q = 0.00118.

        >>> from exactdp.divergences.renyi_rows import RenyiTable
        >>> order_two = ((Fraction(1), Fraction(1)),)
        >>> rows = RenyiTable(order_two, order_two)
        >>> print(two_point_delta(rows, Epsilon.rational(3), Fraction(1, 10**6)))
        [0.02248116232, 0.02248116385]
    """
    search = _Search(rows, float(epsilon.nats.ball(64)))
    x, used = search.worst(float(width))
    gap = 1.0
    for attempt in range(_ATTEMPTS):
        apart = math.sqrt(float(width)) / 4 ** (attempt + 1)
        found = _Certificate(rows, used, epsilon, float(width)).around(search, x, apart)
        if found is not None:
            if found.width <= width * found.lower:
                return found
            gap = min(gap, float(found.width / max(found.lower, found.width)))
    raise UndecidedError(
        f"delta of these Rényi divergences is told to a relative width of {gap:.0e} here. "
        "Ask for a larger relative_width."
    )


class _Search:
    """The maximum of p − γq in doubles, over the pairs that meet some of the bounds."""

    def __init__(self, rows: RenyiRows, epsilon: float) -> None:
        self.rows = rows
        self.epsilon = epsilon

    def worst(self, width: float) -> tuple[float, list[Row]]:
        """Return about ln(p/(1 − p)) of the best pair, and the bounds that it took."""
        used = [self.rows.likely_order(self.epsilon)]
        x = self._maximum(used, 0.0, 1.0)
        for _ in range(_ROWS):
            u = self.loss(x, used)
            added = self.rows.broken(Likely(*_logs(x), u))
            less = self.loss(x, added, most=u)
            if self._part(less) >= self._part(u) * (1 - width / 32):
                break  # δ changes by less than the width
            used += added
            x = self._maximum(used, x, 0.25)
        return x, used

    def _part(self, u: float) -> float:
        """Return (p − e^ε q)/p."""
        return -math.expm1(min(self.epsilon - u, 0.0))

    def loss(self, x: float, rows: Sequence[Row], most: float | None = None) -> float:
        """Return about the largest u = ln(p/q) that meets rows."""
        log_p, log_rest = _logs(x)
        high = most
        if high is None:  # p e^(λu) <= e^(λD)
            first = next(row for row in rows if row.power and not row.is_backward)
            high = float(first.bound) - log_p / float(first.power)
        for row in rows:
            power, bound = float(row.power), float(row.bound)

            def excess(
                u: float, row: Row = row, power: float = power, bound: float = bound
            ) -> float:
                point = Likely(log_p, log_rest, u)
                return likely_divergence(point, power, is_backward=row.is_backward) - bound

            if excess(high) > 0:
                high = _root(excess, 0.0, high)
        return high

    def _maximum(self, rows: Sequence[Row], start: float, step: float) -> float:
        """Return about the x of the largest φ: uphill in growing steps, then golden sections."""
        known: dict[float, float] = {}

        def height(x: float) -> float:
            if x not in known:
                log_p, gain = _logs(x)[0], self.loss(x, rows) - self.epsilon
                known[x] = log_p + _log_expm1(gain) if gain > 0 else -math.inf
            return known[x]

        side = -1 if height(start - step) >= height(start) else 1
        behind, here = start - side * step, start
        while True:
            ahead = min(max(here + side * step, _LEAST), _MOST)
            if ahead == here:
                break
            is_flat = height(ahead) == height(here)  # p is far too large, or too near to 1
            if height(ahead) <= height(here) and not (is_flat and side < 0):
                break
            behind, here, step = here, ahead, 2 * step
        if here <= _LEAST:
            raise UndecidedError(
                "delta of these Rényi divergences is below e^-1000000, and not told. "
                "Ask for a smaller epsilon."
            )
        return _golden(height, min(behind, ahead), max(behind, ahead))


@dataclass(frozen=True, slots=True)
class _Certificate:
    """Bounds of the largest δ in balls: from below by all rows, from above by some of them."""

    rows: RenyiRows
    used: Sequence[Row]
    epsilon: Epsilon
    width: float

    def around(self, search: _Search, x: float, apart: float) -> Enclosure | None:
        """Return an enclosure by three points around p; None if they do not show one.

        Args:
            search: The pairs in doubles.
            x: ln(p/(1 − p)).
            apart: How far apart the points are, over p or 1 − p, whichever is less.
        """
        u = search.loss(x, self.used)
        if u <= search.epsilon:
            return None
        log_p = _logs(x)[0]
        near, pull = min(_logs(x)), log_p + search.epsilon - u  # ln min(p, 1 − p), ln γq
        # By so much u may be off, for δ and for what tells the three values apart.
        gain = log_p + _log_expm1(u - search.epsilon)
        slack = min(self.width / 64 * math.exp(min(gain - pull, 700)), 1 / 32, u / 32)
        fine = min(slack, apart**2 / 8 * math.exp(min(near - pull, 0)))
        bits = _bits(fine, u, self.used)
        lower = None
        with precision(bits):
            nats = self.epsilon.nats.ball(bits)
            middle = arb(near).exp().mid()
            places = [(middle * (1 + arb(apart) * i)).mid() for i in (0, -1, 1)]
            found: list[tuple[arb, arb]] = []
            for place in places:
                p, rest = (place, 1 - place) if x <= 0 else (1 - place, place)
                likely = search.loss(float((p / rest).log().mid()), self.used)
                ends = self._bracket(p, rest, likely, fine)
                if ends is None:
                    break
                found.append((_gain(p, ends[0], nats), _gain(p, ends[1], nats)))
                lower = lower or self._attained(p, rest, ends[0], slack, nats)
                if lower is None:
                    return None
            return None if lower is None else _between_lines(places, found, lower)

    def _bracket(self, p: arb, rest: arb, u: float, tolerance: float) -> tuple[arb, arb] | None:
        """Return losses u that certainly meet and certainly break what is used, close together."""
        low, high = arb(u), arb(u)
        for k in range(_ATTEMPTS * 3):
            step = arb(tolerance) / 4 * 8**k
            if high == u and not self._breaks(p, rest, (arb(u) + step).mid()):
                continue
            high = high if high != u else (arb(u) + step).mid()
            low = (arb(u) - step).mid()
            if low <= 0 or self._meets(p, rest, low):
                low = low if low > 0 else arb(0)
                break
        else:
            return None
        while high - low > tolerance:
            middle = ((low + high) / 2).mid()
            if self._meets(p, rest, middle):
                low = middle
            elif self._breaks(p, rest, middle):
                high = middle
            else:
                return None
        return low, high

    def _meets(self, p: arb, rest: arb, u: arb) -> bool:
        point = Certain(p, rest, u)
        return all(divergence_excess(point, row) <= 0 for row in self.used)

    def _breaks(self, p: arb, rest: arb, u: arb) -> bool:
        point = Certain(p, rest, u)
        return any(divergence_excess(point, row) > 0 for row in self.used)

    def _attained(self, p: arb, rest: arb, u: arb, tolerance: float, nats: arb) -> arb | None:
        """Return the δ of a pair that certainly meets all rows."""
        for step in (0, 1, 4, 16):
            less = (u - step * arb(tolerance)).mid()
            if less > 0 and self.rows.hold(Certain(p, rest, less)):
                return _gain(p, less, nats)
        return None


def _gain(p: arb, u: arb, nats: arb) -> arb:
    """Return p − e^ε q."""
    return -p * (nats - u).expm1()


def _between_lines(
    places: Sequence[arb], found: Sequence[tuple[arb, arb]], lower: arb
) -> Enclosure:
    """Return the ends: above, what a concave function reaches at most by three of its values.

    That is 1 where the first of them is not seen to be the largest.
    """
    least, most = max(endpoints(lower)[0], Fraction(0)), Fraction(1)
    if len(found) == len(places):
        (low1, high1), (low0, high0), (low2, high2) = found
        first, last = places[0] - places[1], places[2] - places[0]
        more = ((high1 - low2) * first / last).max((high1 - low0) * last / first)
        if low1 >= high0 and low1 >= high2:
            most = min(endpoints(high1 + more)[1], most)
    return Enclosure(least, most)


def _bits(tolerance: float, u: float, rows: Sequence[Row]) -> int:
    """Return the bits that tell a difference of a tolerance in u from the rounding."""
    largest = max(float(row.power) for row in rows) * u + 1
    return 128 + 4 * math.ceil(-math.log2(tolerance)) + math.ceil(abs(math.log2(largest)))


def _logs(x: float) -> tuple[float, float]:
    """Return ln p and ln(1 − p) for x = ln(p/(1 − p))."""
    small = math.log1p(math.exp(-abs(x)))
    return (-small, -x - small) if x > 0 else (x - small, -small)


def _log_expm1(x: float) -> float:
    """Return ln(1 − e^−x), near 0 where x is large."""
    return math.log1p(-math.exp(-x)) if x > 1 else math.log(-math.expm1(-x))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return about the root of a growing function between two points (Illinois)."""
    at_low, at_high = function(low), function(high)
    x, side = high, 0
    for _ in range(200):
        x = high - at_high * (high - low) / (at_high - at_low)
        if not low < x < high:
            break
        value = function(x)
        if value > 0:
            high, at_high, at_low, side = x, value, at_low / 2 if side > 0 else at_low, 1
        else:
            low, at_low, at_high, side = x, value, at_high / 2 if side < 0 else at_high, -1
    return min(max(x, low), high)


def _golden(function: Callable[[float], float], low: float, high: float) -> float:
    """Return about where a function that grows and then falls is largest."""
    part = (math.sqrt(5) - 1) / 2
    x, y = high - part * (high - low), low + part * (high - low)
    at_x, at_y = function(x), function(y)
    while high - low > 1e-13 * max(1.0, abs(low)):
        if at_x >= at_y:
            high, y, at_y = y, x, at_x
            x = high - part * (high - low)
            at_x = function(x)
        else:
            low, x, at_x = x, y, at_y
            y = low + part * (high - low)
            at_y = function(y)
    return x if at_x >= at_y else y
