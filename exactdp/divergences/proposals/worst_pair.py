"""The pair with two outcomes that has the largest δ within bounds of Rényi divergences, in doubles.

For p it takes the largest loss u = ln(p/q) that the bounds allow, and for φ(p) = p − γq the best p,
by x = ln(p/(1 − p)). Of many bounds it takes one, then those that the best pair breaks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.bernoulli import RenyiRow
from exactdp.divergences.proposals.two_points import (
    Likely,
    broken_rows,
    likely_excess,
    likely_row,
    log_chernoff,
)
from exactdp.divergences.renyi_rows import Concentrated, RenyiRows, RenyiTable
from exactdp.errors import UndecidedError
from exactdp.numbers import Epsilon, Exact

__all__ = ["WorstPair", "WorstPoints", "likely_nats"]

_LEAST, _MOST = -1.0e6, 600.0
"""The range of ln(p/(1 − p)): below it δ is less than e^-1000000, and not told."""

_ROWS = 40
"""Bounds that are taken into account one after another, at most, until none is broken."""

_NEARER, _LAST = 2.0**18, 1e-13
"""The part of the root of a width, one over this, to which x is found; and the least part of x.

Bounds may meet at an angle at the best x: then only points on both sides of it show that it is
best, and the nearest that are tried are a fourth of a millionth of that root apart."""

_LESS = 31 / 32
"""The part of a loss above which that of the next bound is sought first."""

_STEPS = 200
"""Steps of a search for it, at most: all of them golden sections would be a third as many."""


@dataclass(frozen=True, slots=True)
class WorstPoints:
    """Where three points around the best p are asked, and how closely.

    Attributes:
        near: ln p, or ln(1 − p) if that is less.
        is_large: Whether p is above 1/2.
        apart: How far apart the points are, over p or 1 − p.
        slack: How much less u may be than it could be, for δ to be as close as asked.
        fine: How far u may be off where the values of the points are compared.
        bits: The precision that tells this.
    """

    near: float
    is_large: bool
    apart: float
    slack: float
    fine: float
    bits: int


class WorstPair:
    """The maximum of p − γq in doubles, over the pairs that meet some of the bounds."""

    def __init__(self, rows: RenyiRows, epsilon: Epsilon, width: Fraction) -> None:
        self.rows = rows
        self.epsilon = float(epsilon.nats.ball(64))
        self.width = float(width)
        self.x, self.used, self.kept = self._worst()

    def _worst(self) -> tuple[float, list[RenyiRow], float]:
        """Return about ln(p/(1 − p)) of the best pair, the bounds that it took, and a loss.

        The loss meets the others too, which a best pair breaks by so little that δ is the same.
        """
        used = [likely_row(self.rows, self.epsilon)]
        x = self._maximum(used, 0.0, 1.0)
        less = math.inf
        for _ in range(_ROWS):
            u = self.loss(x, used)
            added = broken_rows(self.rows, Likely(*_logs(x), u))
            less = self.loss(x, added, most=u)
            if self._part(less) >= self._part(u) * (1 - self.width / 32):
                break  # δ changes by less than the width
            used += added
            x = self._maximum(used, x, 0.25)
        return x, used, less

    def points(self, attempt: int) -> WorstPoints | None:
        """Return what the three points around the best p are, closer at each attempt."""
        u = self.loss(self.x, self.used)
        apart = math.sqrt(self.width) / 4 ** (attempt + 1)
        log_p, log_rest = _logs(self.x)
        near, pull = min(log_p, log_rest), log_p + self.epsilon - u  # ln min(p, 1 − p), ln γq
        if u <= self.epsilon:
            return None
        gain = log_p + _log_expm1(u - self.epsilon)
        slack = min(self.width / 64 * math.exp(min(gain - pull, 700.0)), 1 / 32, u / 32)
        fine = min(slack, apart**2 / 8 * math.exp(min(near - pull, 0.0)))
        if fine == 0:
            return None
        largest = max(float(row.power) for row in self.used) * u + 1
        bits = 128 + 4 * math.ceil(-math.log2(fine)) + math.ceil(math.log2(largest))
        return WorstPoints(near, self.x > 0, apart, slack, fine, bits)

    def loss_at(self, odds: arb) -> float:
        """Return about the largest u at odds p/(1 − p)."""
        return self.loss(float(odds.log().mid()), self.used)

    def _part(self, u: float) -> float:
        """Return (p − e^ε q)/p."""
        return -math.expm1(min(self.epsilon - u, 0.0))

    def loss(self, x: float, rows: Sequence[RenyiRow], most: float | None = None) -> float:
        """Return about the largest u = ln(p/q) that meets rows."""
        log_p, log_rest = _logs(x)
        high = most
        if high is None:  # p e^(λu) <= e^(λD)
            first = next(row for row in rows if row.power and not row.is_backward)
            high = float(first.bound) - log_p / float(first.power)
        for row in rows:
            excess = likely_excess(log_p, log_rest, row)
            if excess(high) > 0:  # mostly by little
                low = high * _LESS
                high = _root(excess, low if excess(low) <= 0 else 0.0, high)
        return high

    def _maximum(self, rows: Sequence[RenyiRow], start: float, step: float) -> float:
        """Return about the x of the largest φ: uphill in growing steps, then by parabolas."""
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
        near = math.sqrt(self.width) / _NEARER
        return _summit(height, min(behind, ahead), max(behind, ahead), near)


def likely_nats(rows: RenyiRows, delta: Exact) -> Fraction:
    """Return about the ε at which Chernoff's bound is a δ.

    Example:
        ρ + 2√(ρ ln(1/δ)) of ρ-zCDP:

        >>> round(float(likely_nats(Concentrated(Fraction(1, 10)), Exact("1e-6"))), 3)
        2.451
    """
    log_delta = float(delta.ball(64).log())
    if isinstance(rows, Concentrated):
        rho = float(rows.rho)
        return Fraction(rho + 2 * math.sqrt(rho * max(-log_delta, 0.0)))
    assert isinstance(rows, RenyiTable)
    pairs = [(float(power), float(bound)) for power, bound in rows.forward]
    return Fraction(min(b + (log_chernoff(x, 0.0, 0.0) - log_delta) / x for x, b in pairs))


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


def _summit(function: Callable[[float], float], low: float, high: float, near: float) -> float:
    """Return about where a function that grows and then falls is largest (Brent).

    Example:
        >>> abs(_summit(lambda x: -((x - 2) ** 2), 0.0, 7.0, 1e-6) - 2) < 1e-5
        True
    """
    part = (3 - math.sqrt(5)) / 2
    x = second = third = low + part * (high - low)
    at_x = at_second = at_third = function(x)
    step = before = high - low
    for _ in range(_STEPS):
        middle, least = (low + high) / 2, max(near, _LAST * abs(x))
        if abs(x - middle) + (high - low) / 2 <= 2 * least:
            break
        before, step = step, _to_vertex((x, at_x), (second, at_second), (third, at_third))
        if not (low + least < x + step < high - least and abs(step) < abs(before) / 2):
            before = (low if x >= middle else high) - x  # a golden section of the longer side
            step = part * before
        there = x + (step if abs(step) >= least else math.copysign(least, step))
        value = function(there)
        if value >= at_x:
            low, high = (x, high) if there > x else (low, x)
            third, at_third, second, at_second, x, at_x = second, at_second, x, at_x, there, value
            continue
        low, high = (low, there) if there > x else (there, high)
        if value >= at_second or second == x:
            third, at_third, second, at_second = second, at_second, there, value
        elif value >= at_third or third in (x, second):
            third, at_third = there, value
    return x


def _to_vertex(
    one: tuple[float, float], other: tuple[float, float], third: tuple[float, float]
) -> float:
    """Return how far the vertex of the parabola through three points is from the first."""
    (x, at_x), (y, at_y), (z, at_z) = one, other, third
    left, right = (x - y) * (at_x - at_z), (x - z) * (at_x - at_y)
    if not (left - right and math.isfinite(left - right)):
        return math.inf
    return ((x - z) * right - (x - y) * left) / (2 * (left - right))
