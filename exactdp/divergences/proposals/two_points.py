"""Two laws on two outcomes in doubles, and which bounds of Rényi divergences they break.

The formulas are those of ``exactdp.divergences.bernoulli``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from exactdp.divergences.bernoulli import RenyiRow
from exactdp.divergences.proposals.searches import summit
from exactdp.divergences.renyi_rows import Concentrated, RenyiRows, RenyiTable

__all__ = [
    "Likely",
    "broken_rows",
    "likely_divergence",
    "likely_excess",
    "likely_row",
    "log_chernoff",
    "row_at",
    "worst_power",
]

_PLACES = 32
"""Orders at which a bound at every order is looked at before the worst is refined."""

_LEAST_POWER = 2.0**-12
"""The least λ of these; below it, and far below 1/u, the Kullback-Leibler divergence says it."""

_FAR_BELOW = 2.0**-5
"""What is far below 1, as λu is where a law that is tilted by λ is still itself."""

_NEAR = 1e-7
"""How closely ln λ is found: the factor is flat there."""

_HALVINGS = 40
"""Halvings of the range of a λ that is sought; any is right."""

_NOISE = 1e-13
"""The part by which a divergence in doubles may exceed its bound, and be at it."""

_LARGE = 30.0
"""The exponent above which one exponential is all of a sum in doubles, but for its logarithm."""


@dataclass(frozen=True, slots=True)
class Likely:
    """Two laws on two outcomes in doubles, by logarithms of p and 1 − p, and by u."""

    log_p: float
    log_rest: float
    u: float

    def side(self, *, is_backward: bool) -> tuple[float, float, float, float]:
        """Return ln p, u, ln(1 − p) and v of (P, Q), or what takes their place backward."""
        gap = self.log_p + math.log(-math.expm1(-self.u)) if self.u > 0 else -math.inf
        v = _log1p_of_exp(gap - self.log_rest)
        if is_backward:
            return self.log_rest + v, v, self.log_p - self.u, self.u
        return self.log_p, self.u, self.log_rest, v


def likely_divergence(point: Likely, power: float, *, is_backward: bool) -> float:
    """Return D_(1 + power) in doubles.

    Example:
        >>> coin = Likely(math.log(3 / 4), math.log(1 / 4), math.log(3))
        >>> abs(likely_divergence(coin, 1, is_backward=False) - math.log(7 / 3)) < 1e-15
        True
    """
    return _divergences(point.side(is_backward=is_backward))(power)


def _divergences(side: tuple[float, float, float, float]) -> Callable[[float], float]:
    """Return D_(1 + power) as a function of the power."""
    log_up, up, log_down, down = side
    up_mass, down_mass = math.exp(log_up), math.exp(log_down)

    def divergence(power: float) -> float:
        if power == 0:
            return up_mass * up - down_mass * down
        if power * up > _LARGE:
            first, second = log_up + power * up, log_down - power * down
            top = max(first, second)
            return (top + math.log(math.exp(first - top) + math.exp(second - top))) / power
        rise = up_mass * math.expm1(power * up)
        return math.log1p(rise + down_mass * math.expm1(-power * down)) / power

    return divergence


def likely_excess(log_p: float, log_rest: float, row: RenyiRow) -> Callable[[float], float]:
    """Return D_(1 + power) less a bound, as a function of u: as above, for many u of one p.

    Example:
        >>> row = RenyiRow(Fraction(1), Fraction(1, 2), is_backward=False)
        >>> found = likely_excess(math.log(3 / 4), math.log(1 / 4), row)(math.log(3))
        >>> abs(found - math.log(7 / 3) + 0.5) < 1e-15
        True
    """
    power, bound, is_backward = float(row.power), float(row.bound), row.is_backward
    p, rest = math.exp(log_p), math.exp(log_rest)

    def excess(u: float) -> float:
        if u > 0 and power > 0:
            v = _log1p_of_exp(log_p + math.log(-math.expm1(-u)) - log_rest)
            if power * (v if is_backward else u) <= _LARGE:
                if is_backward:
                    rise = math.exp(log_rest + v) * math.expm1(power * v)
                    fall = math.exp(log_p - u) * math.expm1(-power * u)
                else:
                    rise, fall = p * math.expm1(power * u), rest * math.expm1(-power * v)
                return math.log1p(rise + fall) / power - bound
        point = Likely(log_p, log_rest, u)
        return likely_divergence(point, power, is_backward=is_backward) - bound

    return excess


def _log1p_of_exp(x: float) -> float:
    return math.log1p(math.exp(x)) if x < _LARGE else x + math.exp(-x)


def likely_row(rows: RenyiRows, epsilon: float) -> RenyiRow:
    """Return about the row of (P, Q) that says the most of δ(ε), by Chernoff's bound."""
    if isinstance(rows, Concentrated):
        rho = float(rows.rho)
        return row_at(rows, max(_best_power(rho, epsilon), 0.05))
    assert isinstance(rows, RenyiTable)
    power, bound = min(
        rows.forward, key=lambda row: log_chernoff(float(row[0]), float(row[1]), epsilon)
    )
    return RenyiRow(power, bound, is_backward=False)


def log_chernoff(power: float, bound: float, epsilon: float) -> float:
    """Return the logarithm of Chernoff's bound of δ(ε) by one order, 1 + power."""
    return power * (bound - epsilon) - (1 + power) * math.log1p(power) + power * math.log(power)


def broken_rows(rows: RenyiRows, point: Likely) -> list[RenyiRow]:
    """Return rows that a pair breaks: of each direction the one exceeded by the largest factor."""
    found = (_worst(rows, point, is_backward=side) for side in (False, True))
    return [row for row in found if row is not None]


def _worst(rows: RenyiRows, point: Likely, *, is_backward: bool) -> RenyiRow | None:
    if isinstance(rows, Concentrated):
        return _worst_of_all(rows, point, is_backward=is_backward)
    assert isinstance(rows, RenyiTable)

    def factor(row: tuple[Fraction, Fraction]) -> float:
        size = likely_divergence(point, float(row[0]), is_backward=is_backward)
        return size / float(row[1])

    worst = max(rows.backward if is_backward else rows.forward, key=factor)
    return RenyiRow(*worst, is_backward=is_backward) if factor(worst) > 1 + _NOISE else None


def _worst_of_all(rows: Concentrated, point: Likely, *, is_backward: bool) -> RenyiRow | None:
    rho = float(rows.rho)
    power, size = _worst_power(rho, point, is_backward=is_backward)
    return row_at(rows, power, is_backward=is_backward) if size > 1 + _NOISE else None


def worst_power(rows: Concentrated, point: Likely) -> float:
    """Return about the λ of the bound of (P, Q) that is exceeded by the largest factor."""
    return _worst_power(float(rows.rho), point, is_backward=False)[0]


def _worst_power(rho: float, point: Likely, *, is_backward: bool) -> tuple[float, float]:
    """Return the λ at which D_(1 + λ) is the largest part of ρ(1 + λ), and that part."""
    side = point.side(is_backward=is_backward)
    divergence, up = _divergences(side), side[1]

    def factor(power: float) -> float:
        return divergence(power) / (rho * (1 + power))

    least = min(_LEAST_POWER, _FAR_BELOW / max(up, 1.0))
    last = max(up / rho, 2 * least)  # from here on D_∞ is at most ρ·a
    step = math.log(last / least) / _PLACES
    best = max(
        (math.log(least) + step * i for i in range(_PLACES + 1)), key=lambda y: factor(math.exp(y))
    )
    found = summit(lambda y: factor(math.exp(y)), best - step, best + step, _NEAR)
    return max(((power, factor(power)) for power in (0.0, math.exp(found))), key=lambda one: one[1])


def _best_power(rho: float, epsilon: float) -> float:
    """Return the λ of the least Chernoff bound: where ln(λ/(1 + λ)) + ρ(1 + 2λ) is ε."""
    low, high = 0.0, max(1.0, epsilon / rho)
    for _ in range(_HALVINGS):
        power = (low + high) / 2
        is_less = math.log(power / (1 + power)) + rho * (1 + 2 * power) < epsilon
        low, high = (power, high) if is_less else (low, power)
    return (low + high) / 2


def row_at(rows: Concentrated, power: float, *, is_backward: bool = False) -> RenyiRow:
    """Return the bound at the order 1 + power, or near it."""
    x = Fraction(max(power, 0.0)).limit_denominator(1 << 40)
    return RenyiRow(x, rows.rho * (1 + x), is_backward=is_backward)
