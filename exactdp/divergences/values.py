"""Answers of profiles as values: as enclosures, and the largest and the smallest of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import Any, TypeVar, cast

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
    working_bits,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated

__all__ = [
    "Bounds",
    "difference",
    "enclosed",
    "enclosed_at",
    "largest",
    "one_difference",
    "smallest",
    "told",
]

BOUND_BITS = 128
"""Bits of balls of which an end is a bound: so few widen none that anybody prints."""

WIDE = Fraction(1, 8)
"""The relative width of a number of which only the size matters."""

LIMIT_BITS = 1 << 12
"""Bits up to which a δ or an α is told from a limit; beyond them the question is undecided."""

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


def enclosed_at(value: Number, bits: int) -> Enclosure:
    """Return an enclosure of a number of at least 0 by balls of so many bits; a rational as it is.

    Example:
        >>> from exactdp.numbers import exp
        >>> found = enclosed_at(exp(Exact(1)), 64)
        >>> found.contains(Exact.exp(1)), found.width < Fraction(1, 2**50)
        (True, True)
    """
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    low, high = endpoints(value.ball(bits))
    return Enclosure(max(low, Fraction(0)), max(high, Fraction(0)))


@validated
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bounds(Enclosure):
    """An enclosure whose ends are bounds of different origin.

    Attributes:
        lower_by: What the lower end is the δ or ε of.
        upper_by: What the upper end is the δ or ε of.

    Example:
        >>> Bounds(Fraction(1, 4), Fraction(1, 2), lower_by="one pair", upper_by="a theorem")
        Bounds([0.250, 0.500], lower end of one pair, upper end of a theorem)
    """

    lower_by: str = field()
    upper_by: str = field()

    def __float__(self) -> float:
        """Refuse: each end is the value of something else."""
        raise DomainError(
            f"{self} are bounds, which no one double stands for. Take float_below(x) or "
            "float_above(x)."
        )

    def __repr__(self) -> str:
        return f"Bounds({self}, lower end of {self.lower_by}, upper end of {self.upper_by})"


def told(ask: Callable[[Fraction], Enclosure], target: Exact, width: Fraction) -> Enclosure:
    """Return a value to a relative width, or wider where that tells it from a target.

    Args:
        ask: An enclosure of the value, of a relative width.
        target: What it is compared with.
        width: The narrowest that is asked for.

    Example:
        >>> widths = []
        >>> def ask(width):
        ...     widths.append(width)
        ...     return Enclosure(Fraction(1), 1 + width)
        >>> told(ask, Exact(2), Fraction(1, 10**6)).upper, widths
        (Fraction(9, 8), [Fraction(1, 8)])
        >>> told(ask, Exact("1.01"), Fraction(1, 10**6)).upper
        Fraction(513, 512)
    """
    tried = max(width, WIDE)
    while True:
        found = ask(tried)
        if found.is_above(target) is not None or tried == width:
            return found
        if found.is_narrow(width):
            return found
        tried = max(width, tried / 64)


def difference(p: Exact, q: Exact, gamma: Exact) -> Number:
    """Return p − γ·q: exact if all are rational or γ = 1, else as balls.

    γ may have another rate than p and q, as those of two doubles: a common rate might be tiny.
    """
    if gamma == 1 or (p.is_rational and q.is_rational and gamma.is_rational):
        return p - gamma * q
    return Real(partial(_difference_ball, p, q, gamma), "p - gamma*q")


def _difference_ball(p: Exact, q: Exact, gamma: Exact) -> arb:
    bits = working_bits()
    return p.ball(bits) - gamma.ball(bits) * q.ball(bits)


def one_difference(p: Exact, q: Exact, gamma: Exact) -> Number:
    """Return p − γ·q: exact where the three have one rate, so that it may be 0; else as balls.

    Example:
        >>> one_difference(Exact.exp(1), Exact(1), Exact.exp(1))
        Exact('0')
    """
    of_one_rate = len({p.rate, q.rate, gamma.rate} - {0}) < 2
    return p - gamma * q if of_one_rate else difference(p, q, gamma)


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
            found = _between(
                max(ends, key=lambda one: one.lower), max(ends, key=lambda one: one.upper)
            )
        else:
            found = reduce(larger_number, values)
    return cast("A", found)


def smallest(answers: Sequence[A]) -> A:
    """Return the smallest of several answers; if one is an enclosure, an enclosure of it.

    Example:
        >>> smallest([Exact("1/2"), Exact("1/3")])
        Exact('1/3')
    """
    finite = [x for x in answers if not (isinstance(x, Epsilon) and x.is_infinite)]
    epsilons = [x for x in finite if isinstance(x, Epsilon)]
    if len(epsilons) == len(finite):
        return cast("A", min(epsilons, default=Epsilon.infinity()))
    values: list[Any] = [x.nats if isinstance(x, Epsilon) else x for x in finite]
    if not any(isinstance(one, Enclosure) for one in values):
        return cast("A", -reduce(larger_number, [-one for one in values]))
    ends = [enclosed(one, "1e-15") for one in values]
    low, high = min(ends, key=lambda one: one.lower), min(ends, key=lambda one: one.upper)
    return cast("A", _between(low, high))


def _between(low: Enclosure, high: Enclosure) -> Enclosure:
    """Return the lower end of one enclosure and the upper one of another; bounds if one is."""
    if not (isinstance(low, Bounds) or isinstance(high, Bounds)):
        return Enclosure(low.lower, high.upper)
    lower_by = low.lower_by if isinstance(low, Bounds) else "one pair"
    upper_by = high.upper_by if isinstance(high, Bounds) else "one pair"
    return Bounds(low.lower, high.upper, lower_by, upper_by)
