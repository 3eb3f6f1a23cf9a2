"""Numbers of a range, its ends and their neighbors among the first that are drawn.

Functions of doubles break where a range ends: a test that draws at will seldom gets there.

Definitions: :func:`doubles`, :func:`whole_numbers`, :func:`least_and_largest`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from exactdp.errors import DomainError
from exactdp.numbers import RationalLike, short
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.text import fraction_of, rational
from exactdp.testing.later import st

__all__ = ["doubles", "least_and_largest", "whole_numbers"]


def least_and_largest(
    ends: tuple[RationalLike | float, RationalLike | float], *, name: str, most: float = math.inf
) -> tuple[float, float]:
    """Return the ends of a range of doubles above 0.

    Args:
        ends: The least and the largest number.
        name: The argument's name.
        most: What the largest may be.

    Raises:
        DomainError: If they are not two such numbers, the smaller one first.

    Example:
        >>> least_and_largest(("1e-3", "1e6"), name="parameters")
        (0.001, 1000000.0)
    """
    try:
        low, high = (one if isinstance(one, float) else _double(one, name) for one in ends)
    except (TypeError, ValueError):
        raise DomainError(
            f"{name}={short(repr(ends))} is not a pair. Pass (least, largest)."
        ) from None
    if not 0 < low <= high <= most or math.isinf(high):
        limit = "finite" if math.isinf(most) else f"at most {most:g}"
        raise DomainError(
            f"{name}=({low}, {high}) must be above 0, {limit}, the smaller first. Pass such ends."
        )
    return low, high


def _double(value: RationalLike, name: str) -> float:
    fraction: Fraction = fraction_of(rational(value, name=name))
    try:
        return float(fraction)
    except OverflowError:
        return math.inf


@lru_cache(maxsize=1024)
def doubles(low: float, high: float, *, ordinary: float = 1.0) -> st.SearchStrategy[float]:
    """Return doubles of a range: an ordinary one, the ends, their neighbors, any others.

    The others are spread evenly over the decades. Shrinks to the ordinary one, else to a power
    of ten or an end.

    Args:
        low: The least.
        high: The largest.
        ordinary: The first, or what is nearest to it in the range.

    Example:
        >>> from hypothesis import find
        >>> find(doubles(1e-3, 1e6), lambda x: True)
        1.0
        >>> find(doubles(1e-3, 1e6), lambda x: x > 1e5)
        1000000.0
    """
    first = min(max(ordinary, low), high)
    beside = [math.nextafter(low, high), math.nextafter(high, low)]
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    decades = [x for x in (float(f"1e{power}") for power in powers) if low <= x <= high]
    spread = st.floats(math.log10(low), math.log10(high)).map(
        lambda power: float(min(max(10.0**power, low), high))
    )
    return st.one_of(
        st.sampled_from([first, high, low]), st.sampled_from([*decades, *beside]), spread
    )


@lru_cache(maxsize=1024)
def whole_numbers(ends: tuple[int, int], *, name: str) -> st.SearchStrategy[int]:
    """Return whole numbers of a range: the ends first, then a digit times a power of ten.

    Raises:
        DomainError: If the ends are not whole numbers of at least 1, the smaller one first.

    Example:
        >>> from hypothesis import find
        >>> find(whole_numbers((1, 10**6), name="times"), lambda n: n > 1)
        1000000
    """
    if not isinstance(ends, tuple) or len(ends) != 2:
        raise DomainError(f"{name}={short(repr(ends))} is not a pair. Pass (least, largest).")
    low, high = (whole_number(end, name=name, at_least=1) for end in ends)
    if low > high:
        raise DomainError(f"{name}=({low}, {high}): the smaller one is first. Swap them.")
    digits, powers = st.integers(1, 9), st.integers(0, len(str(high)) - 1)
    spread = st.builds(
        lambda digit, power: min(high, max(low, int(digit) * 10 ** int(power))), digits, powers
    )
    return st.sampled_from([low, high]) | spread
