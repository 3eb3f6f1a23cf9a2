"""Answers of profiles as values: as enclosures, and the largest and the smallest of several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeVar, cast

from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, enclosure
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.reals import larger_number

__all__ = ["enclosed", "largest", "smallest"]

A = TypeVar("A")


def enclosed(value: Number | Enclosure, relative_width: RationalLike) -> Enclosure:
    """Return a number as an enclosure of a relative width; an enclosure as it is."""
    if isinstance(value, Enclosure):
        return value
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    width = checked_width(relative_width)
    bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
    return enclosure(value, relative_bits=max(8, bits))


def largest(answers: Sequence[A]) -> A:
    """Return the largest of several answers; if one is an enclosure, an enclosure of it."""
    values: list[Any] = list(answers)
    found: Any
    if all(isinstance(one, Epsilon) for one in values):
        found = max(values)
    elif any(isinstance(one, Epsilon) and one.is_infinite for one in values):
        found = Epsilon.infinity()
    else:
        values = [one.nats if isinstance(one, Epsilon) else one for one in values]
        if any(isinstance(one, Enclosure) for one in values):
            ends = [enclosed(one, "1e-15") for one in values]
            found = Enclosure(max(one.lower for one in ends), max(one.upper for one in ends))
        else:
            found = reduce(larger_number, values)
    return cast("A", found)


def smallest(answers: Sequence[Number | Enclosure]) -> Number | Enclosure:
    """Return the smallest of several numbers; if one is an enclosure, an enclosure of it.

    Example:
        >>> smallest([Exact("1/2"), Exact("1/3")])
        Exact('1/3')
    """
    numbers = [-one for one in answers if not isinstance(one, Enclosure)]
    if len(numbers) == len(answers):
        return -reduce(larger_number, numbers)
    ends = [enclosed(one, "1e-15") for one in answers]
    return Enclosure(min(one.lower for one in ends), min(one.upper for one in ends))
