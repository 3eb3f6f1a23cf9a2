"""Roots and maxima of functions in doubles, for proposals: nothing rests on them."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb

__all__ = ["lowest_place", "root", "summit"]

_LAST = 1e-13
"""The least part of x to which a maximum is found."""

_STEPS = 200
"""Steps of a search for it, at most: all of them golden sections would be a third as many."""


def root(function: Callable[[float], float], low: float, high: float) -> float:
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


def summit(function: Callable[[float], float], low: float, high: float, near: float) -> float:
    """Return about where a function that grows and then falls is largest (Brent).

    Example:
        >>> abs(summit(lambda x: -((x - 2) ** 2), 0.0, 7.0, 1e-6) - 2) < 1e-5
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


def lowest_place(
    function: Callable[[int], arb | None], first: int, goal: arb | None = None
) -> int | None:
    """Return about the place at which a function falls no more, or is below a goal.

    None where it has no value; it may have none at places on one side.

    Example:
        >>> lowest_place(lambda i: arb((i - 100) ** 2), 64)
        100
    """
    heights: dict[int, float] = {}

    def height(place: float) -> float:
        at = round(place)
        if at not in heights:
            found = function(at)
            heights[at] = -math.inf if found is None else -float(found.mid())
        return heights[at]

    here = first
    for way in (first, -first):
        while height(here + way) > height(here):
            here += way
    if goal is None or not -height(here) < goal:
        here = round(summit(height, here - first, here + first, 1.0))
    return None if height(here) == -math.inf else here


def _to_vertex(
    one: tuple[float, float], other: tuple[float, float], third: tuple[float, float]
) -> float:
    """Return how far the vertex of the parabola through three points is from the first."""
    (x, at_x), (y, at_y), (z, at_z) = one, other, third
    left, right = (x - y) * (at_x - at_z), (x - z) * (at_x - at_y)
    if not (left - right and math.isfinite(left - right)):
        return math.inf
    return ((x - z) * right - (x - y) * left) / (2 * (left - right))
