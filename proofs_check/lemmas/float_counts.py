"""Binomial laws in doubles, many masses at once, as people sum over counts in practice.

Masses by their saddle point (C. Loader, Fast and Accurate Computation of Binomial Probabilities,
2000), to a few ulps. Nothing here is certified.

The same doubles on every machine: no vectorized logarithm and no fused sum of products, both of
which follow the processor.

Definitions: :func:`binomial_masses`, :func:`binomial_mass`, :func:`convolved`, :func:`tails_along`.
"""

from __future__ import annotations

import math
from typing import Any

from exactdp.numbers.later import np

__all__ = ["binomial_mass", "binomial_masses", "convolved", "tails_along"]

_exp, _log = np.vectorize(math.exp, otypes=[float]), np.vectorize(math.log, otypes=[float])

_SMALL = 16
"""Below so many the error of Stirling's formula is a table, from there on its series."""

_TERMS = 12
"""Terms of the series of a deviance, in squares of at most 0.01."""

_REACH = 9
"""Terms of a tail, in √c: the rest is below e^−160."""


def binomial_mass(n: int, k: int, p: float) -> float:
    """Return P(Bin(n, p) = k) in doubles."""
    return float(binomial_masses(n, np.array([k]), p)[0])


def binomial_masses(n: Any, k: Any, p: float) -> Any:
    """Return P(Bin(n, p) = k) in doubles, for arrays of n or k."""
    n, k = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    if p >= 1 or p <= 0:
        return (k == (n if p >= 1 else 0)).astype(float)
    found = np.zeros(k.shape)
    found[k == 0] = _exp(n[k == 0] * math.log1p(-p))
    found[(k == n) & (k > 0)] = _exp(n[(k == n) & (k > 0)] * math.log(p))
    inner = (k > 0) & (k < n)
    n, k = n[inner], k[inner]
    gap = _deviance(k, n * p) + _deviance(n - k, n * (1 - p))
    correction = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    found[inner] = _exp(correction - gap) / np.sqrt(2 * math.pi * k * ((n - k) / n))
    return found


def convolved(law: Any, other: Any) -> Any:
    """Return the law of a sum, in doubles: one law shifted by each value of the other."""
    few, many = sorted((law, other), key=len)
    result = np.zeros(len(few) + len(many) - 1)
    for i, mass in enumerate(few.tolist()):
        result[i : i + len(many)] += mass * many
    return result


def tails_along(first: int, t: Any) -> tuple[Any, Any]:
    """Return P(Bin(c, 1/2) >= t_c) and P(Bin(c, 1/2) = t_c − 1) for c = first, first + 1, ...

    From the largest c, whose tail is least, downward by Pascal's rule T(c + 1, t) = T(c, t) +
    β_c(t − 1)/2: nothing that is added up is much larger than what it becomes.

    Args:
        first: The first c.
        t: t_c for each c, at least 1, with steps of 0 or 1.
    """
    c = first + np.arange(len(t))
    below = binomial_masses(c, t - 1, 0.5)
    top, last = int(c[-1]), int(t[-1])
    reached = np.arange(last, min(top, last + math.ceil(_REACH * math.sqrt(top)) + 60) + 1)
    end = float(np.sum(binomial_masses(top, reached, 0.5)[::-1])) if last <= top else 0.0
    rises = np.diff(t) > 0
    # T(c, t_c) = T(c + 1, t_(c+1)) − β_c(t_c − 1)/2, and β_(c+1)(t_c) more where t rises.
    steps = np.where(rises, below[1:], 0.0) - below[:-1] / 2
    tails = np.cumsum(np.append(end, steps[::-1]))[::-1]
    return np.where(t > c, 0.0, tails), below


def _stirling_error(n: Any) -> Any:
    """Return ln n! − ln(√(2πn)(n/e)^n), n >= 1."""
    x = 1 / (n * n)
    series = (1 / 12 - x * (1 / 360 - x * (1 / 1260 - x * (1 / 1680 - x / 1188)))) / n
    return np.where(n < _SMALL, _TABLE[np.minimum(n, _SMALL).astype(int)], series)


_TABLE = np.array(
    [0.0]
    + [
        math.log(math.factorial(n)) - ((n + 0.5) * math.log(n) - n + math.log(2 * math.pi) / 2)
        for n in range(1, _SMALL + 1)
    ]
)


def _deviance(x: Any, mean: Any) -> Any:
    """Return x ln(x/mean) + mean − x, near x = mean by its series."""
    v = (x - mean) / (x + mean)
    square = np.minimum(v * v, 0.01)
    series = np.zeros(x.shape)
    for k in range(_TERMS, 0, -1):
        series = square * (series + 1 / (2 * k + 1))
    near = (x - mean) * v + 2 * x * v * series
    with np.errstate(over="ignore"):  # a mean near 0 leaves a mass of 0
        far = x * _log(x / mean) + mean - x
    return np.where(np.abs(v) > 0.1, far, near)
