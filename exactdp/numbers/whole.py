"""The last whole number at which a function is at most a target, from a bracket of it.

The function is nearly a power of its argument: Newton's method on ln f over ln x comes to within
one in few steps, each of which asks for f as closely as the next is to be right.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

from exactdp.errors import UndecidedError
from exactdp.numbers.crossing import ValueAt, log_ratio, untold, value_and_side
from exactdp.numbers.exact import Exact
from exactdp.numbers.seen import Bracket, LogPoint, log_of, steepness, width_of

__all__ = ["last_whole"]

_STEPS = 200
"""Whole numbers at which a function is asked, at most, before a search is given up."""

_FINEST = Fraction(1, 1 << 64)
"""The narrowest relative width that is asked for where a value cannot be told from the target."""

_POWERS = 1 / 64, 4096.0
"""The least and the largest power of x that f is taken to be, locally; others are not believed."""


def last_whole(value_at: ValueAt, target: Exact, near: Bracket) -> int:
    """Return the largest whole number at which a growing f is at most a target.

    Args:
        value_at: Enclosures of f, at whole numbers, of about a relative width.
        target: The value to cross, positive.
        near: Two whole numbers: f is at most the target at the lower one, or that is 0, and above
            it at the upper one.

    Raises:
        UndecidedError: If a value cannot be told from the target.

    Example:
        >>> from exactdp.numbers import Enclosure
        >>> widths = []
        >>> def squares(x, width):
        ...     widths.append(width)
        ...     return Enclosure(x * x, x * x)
        >>> near = Bracket(Fraction(1), Fraction(10**9), Fraction(10**6))
        >>> last_whole(squares, Exact(10**9), near), len(widths) < 12
        (31622, True)
    """
    low, high = int(near.low), int(near.high)
    points: list[LogPoint] = []
    gaps = [high - low]
    likely, first = int(near.guess), 2.0**-20
    for _ in range(_STEPS):
        if high - low == 1:
            return low
        x = min(max(likely, low + 1), high - 1)
        power = steepness(points, 0.0, _POWERS) or near.steepness
        # An eighth of the way to the next whole number is seen; first, a millionth of all.
        asked = max(power / (8 * x), 0.0 if points else first)
        value, is_above = value_and_side(value_at, Fraction(x), target, width_of(asked), _FINEST)
        if is_above is None:
            raise UndecidedError(untold(x, target))
        low, high = (low, x) if is_above else (x, high)
        gaps.append(high - low)
        if value.lower > 0:
            points.append((log_of(Fraction(x)), float(log_ratio(value, target, 64)), 0.0))
        is_slow = len(gaps) > 3 and 2 * gaps[-1] > gaps[-4]
        likely = (low + high) // 2
        if points and not is_slow:
            power = steepness(points, 0.0, _POWERS) or near.steepness
            likely = int(exp(points[-1][0] - points[-1][1] / power))
    raise UndecidedError(untold(f"about {low}", target))
