"""The pair with two outcomes that has the largest δ within bounds of Rényi divergences, in doubles.

For p it takes the largest loss u = ln(p/q) that the bounds allow, and for φ(p) = p − γq the best p,
by x = ln(p/(1 − p)). Of many bounds it takes one, then those that the best pair breaks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.bernoulli import RenyiRow
from exactdp.divergences.proposals.searches import root, summit
from exactdp.divergences.proposals.two_points import (
    Likely,
    broken_rows,
    likely_excess,
    likely_row,
    log_chernoff,
    row_at,
    worst_power,
)
from exactdp.divergences.renyi_rows import Concentrated, RenyiRows, RenyiTable
from exactdp.errors import UndecidedError
from exactdp.numbers import Epsilon, Exact

__all__ = ["WorstPair", "WorstPoints", "likely_nats"]

_LEAST, _MOST = -1.0e6, 600.0
"""The range of ln(p/(1 − p)): below it δ is less than e^-1000000, and not told."""

_ROWS = 40
"""Bounds that are taken into account one after another, at most, until none is broken."""

_NEARER = 2.0**18
"""The part of the root of a width, one over this, to which x is found.

Bounds may meet at an angle at the best x: then only points on both sides of it show that it is
best, and the nearest that are tried are a fourth of a millionth of that root apart."""

_LESS = 31 / 32
"""The part of a loss above which that of the next bound is sought first."""

_ROUGH, _FEW, _SAME = 2.0**-12, 8, 1e-4
"""How closely x and λ are found before other bounds than the one are looked at, in how many steps
at most, and where λ counts as found."""

_NEXT = 2.0**-4
"""The first step of the searches for x that follow."""

_LARGEST_REST = 2.0**-10
"""The least 1 − p, about, at which the search starts."""

_LEAST_POWER = 0.05
"""The least λ of the first bound."""


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
        x, first = self.start()
        used, less = [first], math.inf
        x = self._maximum(used, x, _NEXT)
        for _ in range(_ROWS):
            u = self.loss(x, used)
            added = broken_rows(self.rows, Likely(*_logs(x), u))
            less = self.loss(x, added, most=u)
            if self._part(less) >= self._part(u) * (1 - self.width / 32):
                break  # δ changes by less than the width
            used += added
            x = self._maximum(used, x, _NEXT)
        return x, used, less

    def start(self) -> tuple[float, RenyiRow]:
        """Return about the best x of one bound, and the one that says the most.

        The largest x of an order and the worst order of an x take turns; from three orders in turn
        follows about where they lead (Aitken).
        """
        row = likely_row(self.rows, self.epsilon)
        power = max(float(row.power), _LEAST_POWER)  # as if p were little
        log_p = power * (float(row.bound) - self.epsilon - math.log1p(1 / power))
        x = log_p - math.log(-math.expm1(min(log_p, -_LARGEST_REST)))
        if not isinstance(self.rows, Concentrated):
            return x, row
        powers, step = [power], 0.25
        for _ in range(_FEW):
            row = row_at(self.rows, powers[-1])
            x = self._maximum([row], x, step, near=_ROUGH)
            worst = worst_power(self.rows, Likely(*_logs(x), self.loss(x, [row])))
            found = max(worst, _LEAST_POWER)
            if abs(found - powers[-1]) <= _SAME * powers[-1]:
                break
            powers.append(found)
            if len(powers) == 3:
                a, b, c = powers
                bend = 2 * b - a - c
                powers = [max(a + (b - a) ** 2 / bend, _LEAST_POWER) if bend else c]
            step = _NEXT
        return x, row

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
        for row in reversed(rows):  # the last one is nearest, mostly
            excess = likely_excess(log_p, log_rest, row)
            if excess(high) > 0:  # mostly by little
                low = high * _LESS
                high = root(excess, low if excess(low) <= 0 else 0.0, high)
        return high

    def _maximum(
        self, rows: Sequence[RenyiRow], start: float, step: float, near: float | None = None
    ) -> float:
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
        near = near or math.sqrt(self.width) / _NEARER
        return summit(height, min(behind, ahead), max(behind, ahead), near)


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
