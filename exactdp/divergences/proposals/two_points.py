"""Two laws on two outcomes in doubles, and which bounds of Rényi divergences they break.

The formulas are those of ``exactdp.divergences.renyi_rows``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from exactdp.divergences.proposals.searches import summit
from exactdp.divergences.renyi_rows import RenyiRow, RenyiRows

__all__ = ["broken_rows", "likely_divergence", "likely_side", "worst_power"]

_PLACES = 32
"""Orders at which a bound at every order is looked at before the worst is refined."""

_LEAST_POWER = 2.0**-12
"""The least λ of these; below it, and far below 1/u, the Kullback-Leibler divergence says it."""

_FAR_BELOW = 2.0**-5
"""What is far below 1, as λu is where a law that is tilted by λ is still itself."""

_NEAR = 1e-7
"""How closely ln λ is found: the factor is flat there."""

_NOISE = 1e-13
"""The part by which a divergence in doubles may exceed its bound, and be at it."""

_LARGE = 30.0
"""The exponent above which one exponential is all of a sum in doubles, but for its logarithm."""

Side = tuple[float, float, float, float]
"""ln p, u, ln(1 − p) and v of (P, Q), or what takes their place backward."""


def likely_side(logs: tuple[float, float], u: float, *, is_backward: bool) -> Side:
    """Return the numbers of two laws from ln p and ln(1 − p), and from u."""
    log_p, log_rest = logs
    gap = log_p + math.log(-math.expm1(-u)) if u > 0 else -math.inf
    v = _log1p_of_exp(gap - log_rest)
    if is_backward:
        return log_rest + v, v, log_p - u, u
    return log_p, u, log_rest, v


def likely_divergence(side: Side, power: float) -> float:
    """Return D_(1 + power) in doubles.

    Example:
        >>> coin = likely_side((math.log(3 / 4), math.log(1 / 4)), math.log(3), is_backward=False)
        >>> abs(likely_divergence(coin, 1) - math.log(7 / 3)) < 1e-15
        True
    """
    log_up, up, log_down, down = side
    if power == 0:
        return math.exp(log_up) * up - math.exp(log_down) * down
    if power * up > _LARGE:
        first, second = log_up + power * up, log_down - power * down
        return (max(first, second) + _log1p_of_exp(-abs(first - second))) / power
    rise = math.exp(log_up) * math.expm1(power * up)
    return math.log1p(rise + math.exp(log_down) * math.expm1(-power * down)) / power


def _log1p_of_exp(x: float) -> float:
    return math.log1p(math.exp(x)) if x < _LARGE else x + math.exp(-x)


def broken_rows(rows: RenyiRows, logs: tuple[float, float], u: float) -> list[RenyiRow]:
    """Return rows that a pair breaks: of each direction the one exceeded by the largest factor."""
    found: list[RenyiRow] = []
    for is_backward in (False, True):
        side = likely_side(logs, u, is_backward=is_backward)
        factor = partial(_factor, side)
        tried = rows.side(is_backward=is_backward)
        if rows.rho is not None:
            for power in (0.0, worst_power(side, float(rows.rho))):
                tried += rows.at(Fraction(power), is_backward=is_backward)
        worst = max(tried, key=factor, default=None)
        found += [worst] if worst is not None and factor(worst) > 1 + _NOISE else []
    return found


def _factor(side: Side, row: RenyiRow) -> float:
    return likely_divergence(side, float(row.power)) / float(row.bound)


def worst_power(side: Side, rho: float) -> float:
    """Return about the λ > 0 at which D_(1 + λ) is the largest part of ρ(1 + λ)."""

    def part(log_power: float) -> float:
        power = math.exp(log_power)
        return likely_divergence(side, power) / (1 + power)

    least = min(_LEAST_POWER, _FAR_BELOW / max(side[1], 1.0))
    last = max(side[1] / rho, 2 * least)  # from here on D_∞ is at most ρ·a
    step = math.log(last / least) / _PLACES
    best = max((math.log(least) + step * i for i in range(_PLACES + 1)), key=part)
    return math.exp(summit(part, best - step, best + step, _NEAR))
