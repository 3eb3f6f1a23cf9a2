"""Numbers over the whole of a range, in order: ends, powers of two and ten, a grid in log scale.

A search that walks along them climbs from one to the next, and between two by ninths.

Definitions: :func:`spread`, :class:`Drawn`, :data:`FARTHEST`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

__all__ = ["FARTHEST", "Choose", "Drawn", "spread"]

FARTHEST = 10**12
"""So far from an end, or from 0, numbers are tried; none that is closer to one than its inverse."""

_FIRST = 16
"""So many integers from the least are tried one by one."""

_PER_OCTAVE = 4
"""The numbers of the grid from one power of two to the next, and the parts of a unit: a bound that
fails on a whole octave is met four times."""

_BETWEEN = 9
"""The parts into which the gap between two neighbors on the grid is cut."""


Choose = Callable[[int, int], int]
"""Chooses an integer, from the first one to the second; the first one is the simplest."""


class Drawn:
    """An instance made of choices, one after another.

    Attributes:
        make: Makes it, by what chooses.
        conditions: What it must meet.
    """

    def __init__(self, make: Callable[[Choose], Any], *conditions: Callable[[Any], bool]) -> None:
        self.make, self.conditions = make, conditions

    def filter(self, condition: Callable[[Any], bool]) -> Drawn:
        """Return it with one more condition."""
        return Drawn(self.make, *self.conditions, condition)

    def made(self, choose: Choose) -> Any:
        """Return the instance made of choices; None where it does not meet the conditions."""
        found = self.make(choose)
        return found if all(condition(found) for condition in self.conditions) else None


def spread(low: Any, high: Any, *, whole: bool, most: int, choose: Choose) -> Any:
    """Return a number between two ends, either of which may be missing, by two choices.

    Args:
        low: The least number, a Fraction or an exact number; None for no end.
        high: The largest one, likewise.
        whole: Whether they are integers.
        most: How far from an end, or from 0, they may be.
        choose: What chooses.

    Example:
        >>> last = lambda low, high: high
        >>> spread(Fraction(1), None, whole=True, most=FARTHEST, choose=last)
        1000000000001
        >>> spread(Fraction(0), Fraction(1), whole=False, most=FARTHEST, choose=last)
        Fraction(1, 1)
    """
    if low is None and high is None:
        sign = choose(0, 1)
        found = spread(Fraction(0), None, whole=whole, most=most, choose=choose)
        return -found if sign else found
    if low is None:
        return -spread(-high, None, whole=whole, most=most, choose=choose)
    grid = _integers(low, high, most) if whole else _steps(high is None, most)
    found = _at(grid, choose(0, len(grid) - 1), choose(0, _BETWEEN - 1), whole=whole)
    return found if whole else low + found if high is None else low + (high - low) * found


def _at(grid: tuple[Any, ...], i: int, part: int, *, whole: bool) -> Any:
    if i + 1 == len(grid) or not part:
        return grid[i]
    gap = grid[i + 1] - grid[i]
    return grid[i] + (gap * part // _BETWEEN if whole else gap * Fraction(part, _BETWEEN))


@lru_cache(maxsize=1024)
def _integers(low: Fraction, high: Fraction | None, most: int) -> tuple[int, ...]:
    """Return integers from low to high, or up to ``most`` above low."""
    far = low + most
    end = int(far if high is None else min(high, far))
    first = int(low)
    found = {*range(first, min(first + _FIRST, end + 1)), end, end - 1, (first + end) // 2}
    scale = [2**j for j in range(most.bit_length() + 1)] + [10**j for j in range(len(str(most)))]
    scale += [2**j + 2**j * i // _PER_OCTAVE for j in range(2, 64) for i in range(1, _PER_OCTAVE)]
    found |= {x + near for x in scale for near in (-1, 0, 1)} | {first + x for x in scale}
    return tuple(sorted(x for x in found if first <= x <= end))


@lru_cache(maxsize=64)
def _steps(is_far: bool, most: int) -> tuple[Fraction, ...]:  # noqa: FBT001 - a cache's key
    """Return distances from an end: of the whole range, or in numbers, up to ``most``."""
    small = [Fraction(1, 2**j) for j in range(1, most.bit_length())]
    small += [Fraction(1, 10**j) for j in range(1, len(str(most)))]
    small += [Fraction(i, 12) for i in range(13)]
    if is_far:
        octave = [Fraction(_PER_OCTAVE + i, _PER_OCTAVE) for i in range(_PER_OCTAVE)]
        large = [2**j * x for j in range(64) for x in octave]
        large += [Fraction(10**j) for j in range(len(str(most)))]
        return tuple(sorted({*small, *(x for x in large if x <= most)}))
    return tuple(sorted({*small, *(1 - s for s in small)}))
