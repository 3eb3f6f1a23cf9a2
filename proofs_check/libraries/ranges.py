"""The documented ranges of deployments, for campaigns: every field in log scale, ends included.

A deployment is one of a promise's list with other numbers: each number from a grid of its range
(the ends, ones, twos and fives of every power of ten, powers of two) or between two of its points,
by ninths in log scale; words as they stand in the list. The first one that a walk takes is the
list's own. A number that the list never changes beside the same words stays what it is.

δ is split where doubles near 1 end (:data:`TINY`): what is above decides a promise.

Definitions: :func:`wide`, :data:`RANGES`, :data:`TINY`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from exactdp.claims import Cases, Effort, Instance
from exactdp.claims.calls import called, needed
from exactdp.claims.spread import Choose, Drawn

__all__ = ["RANGES", "TINY", "Range", "wide"]

TINY = 1e-15
"""A true δ below is lost among the rounding of sums near 1: it decides no result."""

Range = tuple[float, float]
"""The least and the largest number; of integers where the list has integers."""

RANGES: Mapping[str, Range] = {
    "epsilon": (1e-4, 100.0),
    "epsilon0": (1e-2, 10.0),
    "delta": (1e-300, 0.9),
    "most": (1e-9, 1e3),
    "parameter": (1e-3, 1e6),
    "sigma": (1e-2, 1e6),
    "scale": (1e-6, 1e9),
    "rho": (1e-6, 1e3),
    "rate": (1e-6, 1.0),
    "gamma": (0.01, 0.99),
    "sensitivity": (1e-3, 1e6),
    "distance": (1e-3, 1e6),
    "weight": (1e-2, 100.0),
    "leak": (1e-15, 0.5),
    "slack": (1e-15, 0.5),
    "upper": (1e-2, 1e6),
    "alpha": (1e-12, 0.9),
    "target": (1e-3, 0.99),
    "iterations": (1, 100),
    "prob": (0.5, 1 - 2.0**-53),
    "f": (1e-300, 1.0),
    "times": (1, 10**6),
    "steps": (1, 10**6),
    "updates": (1, 10**5),
    "count": (1, 10**4),
    "n": (2, 10**7),
    "k": (2, 1000),
    "keys": (1, 1000),
    "change": (1, 10**6),
    "sample": (1, 10**6),
    "population": (2, 10**9),
    "samples": (10, 10**7),
    "batch": (1, 10**4),
    "chosen": (1, 100),
}
"""The range of a field by its name, where a promise has none of its own."""

_PARTS = 9
"""The parts into which the gap between two neighbors on a grid is cut, in log scale."""

_ENDS = 3
"""So many points of a grid are near an end."""

_LISTED = 400
"""So many of a promise's own list are begun with."""


def wide(
    over: Cases,
    ranges: Mapping[str, Range | None],
    answered: Callable[[Instance], Instance | None],
    fair: Callable[..., bool] | None = None,
    most: int = 10**7,
) -> Drawn:
    """Return a strategy of deployments over the whole of their ranges, with answers.

    Args:
        over: The list that they begin with, whose conditions they meet.
        ranges: The ranges of fields that differ from those of :data:`RANGES`; None for a field
            that stays as it is listed.
        answered: A deployment with what a library answers; None where it has nothing to ask.
        fair: What the fields must meet together.
        most: Integers are no larger, but for those of the list.
    """
    rows = [at.mapping() for at in islice(over.instances(Effort.DEFAULT), _LISTED)]
    ends: dict[str, Range | None] = {**RANGES, **ranges}
    conditions = [one for one in (*over.conditions, fair) if one is not None]

    def make(choose: Choose) -> Instance | None:
        row = rows[choose(0, len(rows) - 1)]
        fields = dict(row)
        for name, value in row.items():
            found = ends.get(name)
            if found is not None and (name in ranges or _varies(rows, row, name)):
                fields[name] = _number(found, _usual(value), choose, most)
        names = set(fields)
        if not all(called(one, fields) for one in conditions if needed(one) <= names):
            return None
        return answered(Instance.of(**fields))

    return Drawn(make, lambda at: at is not None)


def _usual(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _varies(rows: list[Mapping[str, Any]], row: Mapping[str, Any], name: str) -> bool:
    """Return whether the list has other numbers of a field beside the same words."""
    words = {key: value for key, value in row.items() if isinstance(value, str | bool)}
    values = {
        other[name]
        for other in rows
        if name in other and all(other.get(key) == value for key, value in words.items())
    }
    return len(values) > 1


def _number(ends: Range, usual: float, choose: Choose, most: int = 10**9) -> float:
    """Return a number of a range by choices: the usual one, one near an end, or any.

    A grid has more points than a campaign has instances, so what fails for two users alone would
    not be met by a draw of its points: a fourth of the draws is near an end.

    Example:
        >>> _number((1e-3, 1e3), 5.0, lambda low, high: low)
        5.0
        >>> _number((1, 100), 10, lambda low, high: min(high, low + 1))
        2
    """
    low, high = ends
    how = choose(0, 3)
    if not how:
        return int(usual) if isinstance(usual, int) else usual
    is_whole = isinstance(usual, int)
    if is_whole:
        low, high = float(math.ceil(low)), float(int(min(high, max(most, usual, low + 1))))
    grid = _grid(low, high, is_whole)
    if how == 1:
        found = (*grid[:_ENDS], *grid[: -_ENDS - 1 : -1])[choose(0, 2 * _ENDS - 1)]
        return int(found) if is_whole else found
    first = min(bisect_left(grid, usual), len(grid) - 1)
    i = (first + choose(0, len(grid) - 1)) % len(grid)
    part = choose(0, _PARTS - 1)
    if not part or i + 1 == len(grid):
        return int(grid[i]) if is_whole else grid[i]
    between = grid[i] * (grid[i + 1] / grid[i]) ** (part / _PARTS)
    return int(min(high, math.ceil(between))) if is_whole else min(high, max(low, between))


@lru_cache(maxsize=256)
def _grid(low: float, high: float, is_whole: bool) -> tuple[float, ...]:  # noqa: FBT001 - a cache's key
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    found = {float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)}
    if high / low < 1e30:
        found |= {2.0**j for j in range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)}
    if is_whole:
        found |= {low + i for i in range(8)} | {x + 1 for x in found} | {x - 1 for x in found}
        found = {float(int(x)) for x in found}
    else:
        found |= {math.nextafter(low, high), math.nextafter(high, low)}
        found |= {1 - x for x in found if x < 0.5} if high <= 1 else set()
    return tuple(sorted({x for x in found if low < x < high} | {float(low), float(high)}))
