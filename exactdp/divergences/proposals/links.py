"""The links of a group at one ε, in doubles: where its best test stands between the neighbors.

Nothing rests on them but how many knots are needed.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from math import exp, inf, log

from exactdp.divergences.pair import Pair
from exactdp.divergences.trade_off import TradeOffFunction
from exactdp.numbers import Exact

__all__ = ["likely_slopes", "spread_of"]

_LEAST_SLOPE, _LOWEST_LEVEL, _HALVINGS = 1e-300, -600.0, 60
"""The least slope and the logarithm of the least level in doubles, and steps to one between."""


def likely_slopes(pair: Pair, size: int, nats: float) -> list[float]:
    """Return about the losses of the links of a group, in nats, that add up to an ε: in doubles.

    The best test of S_0 against S_k at e^ε has the level α at which the slopes of F at α, F(α), ...
    multiply to e^ε.

    Example:
        >>> coin = Pair.from_masses(["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"])
        >>> [round(x, 3) for x in likely_slopes(coin, 2, 1.0)]
        [0.693, 0.0]
    """
    corners = TradeOffFunction(pair.losses()).vertices
    points = [(_double(alpha), 1.0 - _double(error)) for alpha, error in corners]
    ends = [x for x, _ in points]
    slopes = [(d - b) / (c - a) if c > a else inf for (a, b), (c, d) in pairwise(points)]

    def losses(level: float) -> list[float]:
        found = []
        for _ in range(size):
            i = min(max(bisect_left(ends, level) - 1, 0), len(slopes) - 1)
            found.append(log(max(slopes[i], _LEAST_SLOPE)))
            level = min(1.0, points[i][1] + slopes[i] * (level - ends[i]))
        return found

    low, high = _LOWEST_LEVEL, 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if sum(losses(exp(middle))) > nats:
            low = middle
        else:
            high = middle
    return losses(exp(high))


def spread_of(pair: Pair) -> tuple[float, float]:
    """Return about the least and the largest finite loss of a pair, in nats."""
    atoms = pair.losses().atoms
    low, high = (log(_double(ratio)) for ratio, _ in (atoms[0], atoms[-1]))
    return low, high


def _double(value: Exact) -> float:
    return float(value.ball(64).mid())
