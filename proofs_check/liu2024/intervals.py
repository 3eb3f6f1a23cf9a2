"""Open intervals of the line with computable ends, and what noise puts on them.

Endpoints that meet have no mass, so open and closed are not told apart. Comparisons of
endpoints end where they are different numbers; equal ones that are not both exact raise.

Definitions: :data:`Interval`, :func:`intersection`, :func:`is_less`.
"""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.errors import UndecidedError
from exactdp.numbers import Number, is_below
from exactdp.truth import Truth

__all__ = ["Interval", "intersection", "is_less"]

Interval = tuple[Number | None, Number | None]
"""Lower and upper end; None is minus infinity below and plus infinity above."""

_COMPARISON_BITS = 1 << 12


def is_less(a: Number, b: Number) -> bool:
    """Return whether a < b.

    Raises:
        UndecidedError: If 4,096 bits do not tell.
    """
    answer = is_below(a, b, max_bits=_COMPARISON_BITS)
    if answer is Truth.UNKNOWN:
        raise UndecidedError(f"{a!r} and {b!r} cannot be told apart with {_COMPARISON_BITS} bits.")
    return answer is Truth.TRUE


def intersection(first: Sequence[Interval], second: Sequence[Interval]) -> tuple[Interval, ...]:
    """Return the intersection of two unions of disjoint intervals.

    Example:
        >>> from exactdp.numbers import Exact
        >>> intersection([(None, Exact(2))], [(Exact(1), None)])
        ((Exact('1'), Exact('2')),)
    """
    found = []
    for a, b in first:
        for c, d in second:
            low = c if a is None else a if c is None or is_less(c, a) else c
            high = d if b is None else b if d is None or is_less(b, d) else d
            if low is None or high is None or is_less(low, high):
                found.append((low, high))
    return tuple(found)
