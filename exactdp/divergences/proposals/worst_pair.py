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

from exactdp.divergences.proposals.searches import root, summit
from exactdp.divergences.proposals.two_points import (
    broken_rows,
    likely_divergence,
    likely_side,
    worst_power,
)
from exactdp.divergences.renyi_rows import RenyiRow, RenyiRows
from exactdp.errors import UndecidedError
from exactdp.numbers import Epsilon, precision

__all__ = ["WorstPair", "WorstPoints"]

_LEAST, _MOST = -1.0e6, 600.0
"""The range of ln(p/(1 − p)): below it δ is less than e^-1000000, and not enclosed."""

_ROWS = 40
"""Bounds that are taken into account one after another, at most, until none is broken."""

_NEARER = 2.0**18
"""The part of the root of a width, one over this, to which x is found.

Bounds may meet at an angle at the best x: then only points on both sides of it show that it is
best, and the nearest that are tried are a fourth of a millionth of that root apart."""

_LESS = 31 / 32
"""The part of a loss above which that of the next bound is sought first."""

_ROUGH, _FEW, _SAME, _FALLS = 2.0**-12, 8, 1e-4, 0.9
"""How closely x and λ are found before other bounds than the one are looked at, in how many steps
at most, where ln λ counts as found, and the part of a gap below which the next one is not noise."""

_NEXT = 2.0**-4
"""The first step of the searches for x that follow."""

_LARGEST_REST = 2.0**-10
"""The least 1 − p, about, at which the search starts."""

_BITS = 64
"""Bits in which the first bound is chosen; any is right."""

_LEAST_POWER = 0.05
"""The least λ of the first bound."""


@dataclass(frozen=True, slots=True)
class WorstPoints:
    """The three points around the best p that are asked, and how closely.

    Attributes:
        near: ln p, or ln(1 − p) if that is less.
        is_large: Whether p is above 1/2.
        apart: How far apart the points are, over p or 1 − p.
        slack: How much less u may be than it could be, for δ to be as close as asked.
        bits: The precision that tells this.
    """

    near: float
    is_large: bool
    apart: float
    slack: float
    bits: int


class WorstPair:
    """The maximum of p − γq in doubles, over the pairs that meet some of the bounds."""

    def __init__(self, rows: RenyiRows, epsilon: Epsilon, width: Fraction) -> None:
        self.rows = rows
        self.epsilon = float(epsilon.nats.ball(64))
        self.width = float(width)
        self.x, first = self.start()
        self.used = [first]
        self.kept = self._widened()

    def start(self) -> tuple[float, RenyiRow]:
        """Return about the best x of one bound, and the one that says the most.

        The largest x of an order and the worst order of an x take turns; that both stay is a root,
        which secants find.
        """
        with precision(_BITS):
            row = self.rows.least_delta(arb(self.epsilon))
        power = max(float(row.power), _LEAST_POWER)  # as if p were little
        log_p = power * (float(row.bound) - self.epsilon - math.log1p(1 / power))
        self.x = log_p - math.log(-math.expm1(min(log_p, -_LARGEST_REST)))
        if self.rows.rho is None:
            return self.x, row
        last: tuple[float, float] | None = None
        y = math.log(power)
        for _ in range(_FEW):
            row = self._at(y)
            self._climb([row], _NEXT if last else 4 * _NEXT, near=_ROUGH)
            side = likely_side(_logs(self.x), self.loss(self.x, [row]), is_backward=False)
            gap = math.log(max(worst_power(side, float(self.rows.rho)), _LEAST_POWER)) - y
            step = gap * (last[0] - y) / (gap - last[1]) if last and gap / last[1] < _FALLS else gap
            y, last = max(y + step, math.log(_LEAST_POWER)), (y, gap)
            if abs(gap) <= _SAME:
                break
        return self.x, self._at(y)

    def _at(self, log_power: float) -> RenyiRow:
        return self.rows.at(Fraction(math.exp(log_power)))[0]

    def _widened(self) -> float:
        """Take bounds that the best pair breaks, one after another; return a loss that meets all.

        What it then breaks it does by so little that δ is the same.
        """
        less = math.inf
        for _ in range(_ROWS):
            self._climb(self.used, _NEXT)
            u = self.loss(self.x, self.used)
            added = broken_rows(self.rows, _logs(self.x), u)
            less = self.loss(self.x, added, most=u)
            if self._part(less) >= self._part(u) * (1 - self.width / 32):
                break  # δ changes by less than the width
            self.used += added
        return less

    def points(self, attempt: int) -> WorstPoints | None:
        """Return the three points around the best p, closer at each attempt."""
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
        return WorstPoints(near, self.x > 0, apart, slack, bits)

    def binding(self, odds: arb) -> tuple[float, RenyiRow]:
        """Return about the largest u that meets the rows taken, and the one that is nearest."""
        x = float(odds.log().mid())
        u = self.loss(x, self.used)
        return u, max(self.used, key=lambda row: _excess(_logs(x), row)(u))

    def _part(self, u: float) -> float:
        """Return (p − e^ε q)/p."""
        return -math.expm1(min(self.epsilon - u, 0.0))

    def loss(self, x: float, rows: Sequence[RenyiRow], most: float | None = None) -> float:
        """Return about the largest u = ln(p/q) that meets rows."""
        logs, high = _logs(x), most
        if high is None:  # p e^(λu) <= e^(λD)
            first = next(row for row in rows if row.power and not row.is_backward)
            high = float(first.bound) - logs[0] / float(first.power)
        for row in reversed(rows):  # the last one is nearest, mostly
            excess = _excess(logs, row)
            if excess(high) > 0:  # mostly by little
                low = high * _LESS
                high = root(excess, low if excess(low) <= 0 else 0.0, high)
        return high

    def _climb(self, rows: Sequence[RenyiRow], step: float, near: float | None = None) -> float:
        """Set x to about that of the largest φ of rows, and return ln φ.

        It goes uphill in growing steps, then by parabolas.
        """
        known: dict[float, float] = {}

        def height(x: float) -> float:
            if x not in known:
                log_p, gain = _logs(x)[0], self.loss(x, rows) - self.epsilon
                known[x] = log_p + _log_expm1(gain) if gain > 0 else -math.inf
            return known[x]

        here = self.x
        side = -1 if height(here - step) >= height(here) else 1
        behind = here - side * step
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
                "delta of these Rényi divergences is below e^-1000000: too small to be enclosed. "
                "Ask for a smaller epsilon."
            )
        near = near or math.sqrt(self.width) / _NEARER
        self.x = summit(height, min(behind, ahead), max(behind, ahead), near)
        return height(self.x)


def _excess(logs: tuple[float, float], row: RenyiRow) -> Callable[[float], float]:
    """Return D_(1 + power) less a bound, as a function of u."""
    power, bound, is_backward = float(row.power), float(row.bound), row.is_backward
    return lambda u: likely_divergence(likely_side(logs, u, is_backward=is_backward), power) - bound


def _logs(x: float) -> tuple[float, float]:
    """Return ln p and ln(1 − p) for x = ln(p/(1 − p))."""
    small = math.log1p(math.exp(-abs(x)))
    return (-small, -x - small) if x > 0 else (x - small, -small)


def _log_expm1(x: float) -> float:
    """Return ln(1 − e^−x), near 0 where x is large."""
    return math.log1p(-math.exp(-x)) if x > 1 else math.log(-math.expm1(-x))
