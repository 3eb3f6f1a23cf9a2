"""The one place where the arguments of public functions are checked.

Each check returns the argument in the form in which the library computes, or raises a
:class:`DomainError` of one line: the argument's name, its value, the rule, the way out.
"""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any, TypeVar

from flint import fmpq

from exactdp.errors import DomainError, ParseError
from exactdp.numbers.compare import decided_below
from exactdp.numbers.epsilon import Epsilon, EpsilonLike
from exactdp.numbers.exact import Exact
from exactdp.numbers.limits import (
    MAX_BITS_OF_AN_ENCLOSURE,
    MAX_COUNT,
    count_text,
    refuse_above,
)
from exactdp.numbers.reals import Number, Real, argument_of_log, log, number_of_text
from exactdp.numbers.rounding import enclosure
from exactdp.numbers.text import RationalLike, as_double, fmpq_of, fraction_of, rational, short
from exactdp.numbers.validated import READERS, WRITERS

__all__ = [
    "LOGARITHM",
    "NumberLike",
    "any_epsilon",
    "epsilon_or_real",
    "exact",
    "number",
    "of_class",
    "open_probability",
    "positive",
    "privacy_epsilon",
    "probability",
    "relative_bits",
    "relative_width",
    "renyi_order",
    "whole_number",
]

T = TypeVar("T")

LOGARITHM = re.compile(r"\s*(?:log|ln)\s*\(((?:[^()]|\([^()]*\))*)\)\s*", re.ASCII)
"""A text that is an ε by its e^ε, in which parentheses stand beside each other."""

_LONGEST_WRITTEN = 50
"""Characters of a fraction that is printed as it is made."""

NumberLike = RationalLike | Exact | Real
"""The types that denote a number: a rational, an exact number, a computable real."""


def exact(value: NumberLike, *, name: str) -> Exact:
    """Return an exact number.

    Example:
        >>> exact("sqrt(9)/2", name="x")
        Exact('3/2')
    """
    if isinstance(value, str):
        with suppress(ParseError):
            found = number_of_text(value, name=name)
            if isinstance(found, Exact):
                return found
    if isinstance(value, Real):
        raise DomainError(
            f"{name}={_shown(value)} is not exact. Pass a fraction, or a number in powers of e."
        )
    return value if isinstance(value, Exact) else Exact(value, name=name)


def number(value: NumberLike, *, name: str) -> Number:
    """Return a number: exact, or computable if it was, or if its text has roots or logarithms.

    Example:
        >>> number("sqrt(2)", name="sigma")
        Real(1.4142135623730950: sqrt(2))
    """
    if isinstance(value, str):
        return number_of_text(value, name=name)
    return value if isinstance(value, Real) else exact(value, name=name)


def positive(value: NumberLike, *, name: str) -> Number:
    """Return a positive number: exact, or computable if it was."""
    found = number(value, name=name)
    advice = f"{name}={_shown(found)} cannot be told from 0. Pass a positive number."
    if not decided_below(Exact(0), found, advice=advice):
        shown = _typed(value, found)
        raise DomainError(f"{name}={shown} is not positive. Pass a positive number.")
    return found


def probability(value: NumberLike, *, name: str) -> Exact:
    """Return a number from 0 to 1.

    Example:
        >>> probability("1/3", name="alpha")
        Exact('1/3')
        >>> probability(2, name="alpha")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: alpha=2 is not a probability. Pass a number from 0 to 1.
    """
    found = exact(value, name=name)
    if found.sign() < 0 or found > 1:
        raise DomainError(
            f"{name}={_typed(value, found)} is not a probability. Pass a number from 0 to 1."
        )
    return found


def open_probability(value: NumberLike, *, name: str) -> Exact:
    """Return a number above 0 and below 1."""
    found = exact(value, name=name)
    if found.sign() <= 0 or found >= 1:
        shown = _typed(value, found)
        raise DomainError(f"{name}={shown} must be above 0 and below 1. Pass one there.")
    return found


def relative_width(value: NumberLike) -> Fraction:
    """Return the width of an enclosure relative to its value, above 0 and below 1.

    Of a number that is not rational it is one just below.

    Example:
        >>> relative_width("1e-9"), relative_width(log(2) / 1000) < Fraction(694, 10**6)
        (Fraction(1, 1000000000), True)
    """
    held = number(value, name="relative_width")
    width = Fraction(enclosure(held).lower) if held.ratio is None else fraction_of(held.ratio)
    if not 0 < width < 1:
        raise DomainError(
            f"relative_width={_typed(value, held)} must be above 0 and below 1. "
            'Pass a number such as "1e-9".'
        )
    return width


def renyi_order(value: RationalLike) -> Fraction:
    """Return the order of a Rényi divergence, above 0 and not 1."""
    order = fraction_of(rational(value, name="order"))
    if order <= 0 or order == 1:
        shown = _typed(value, Exact(order))
        raise DomainError(
            f"order={shown} must be above 0 and not 1. Use max_divergence for order infinity; a "
            "finite pair has kl_divergence for order 1."
        )
    return order


def relative_bits(width: Fraction) -> int:
    """Return how many bits of relative accuracy an enclosure of a relative width needs.

    Raises:
        TooLargeError: If it is below 2^-50000.

    Example:
        >>> relative_bits(Fraction(1, 10**9))
        31
    """
    bits = max(8, width.denominator.bit_length() - width.numerator.bit_length() + 2)
    refuse_above(
        MAX_BITS_OF_AN_ENCLOSURE,
        bits,
        f"relative_width needs {bits:,} bits",
        advice="Pass a larger one.",
    )
    return bits


def whole_number(value: int | RationalLike, *, name: str, at_least: int) -> int:
    """Return a number of any type that is whole, as an int of at least ``at_least``.

    Raises:
        DomainError: If it is not.
        TooLargeError: If it is above 10^100.

    Example:
        >>> whole_number(4, name="k", at_least=2), whole_number("1e3", name="steps", at_least=1)
        (4, 1000)
        >>> whole_number(2.5, name="count", at_least=0)
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: count=2.5 is not a whole number. Pass an int.
    """
    value = _whole(value, name=name)
    if value < at_least:
        raise DomainError(
            f"{name}={value} must be at least {at_least}. Pass an int from {at_least} on."
        )
    if value > MAX_COUNT:
        refuse_above(MAX_COUNT, value, f"{name}={count_text(value)}", advice="Pass a smaller one.")
    return value


def _whole(value: Any, *, name: str) -> int:
    """Return a number that is whole as an int."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    try:
        held: Any = exact(value, name=name) if isinstance(value, str) else value
        ratio = rational(held, name=name)
    except ParseError:
        ratio = fmpq(1, 2)
    except DomainError:
        if isinstance(value, RealNumber) and not isinstance(value, bool):
            raise  # it is not finite
        kind = type(value).__name__
        raise DomainError(f"{name}={value!r} is of type {kind}. Pass an int.") from None
    if ratio.q != 1:
        raise DomainError(f"{name}={short(repr(value))} is not a whole number. Pass an int.")
    return int(ratio.p)


def of_class(value: T, *kinds: type, name: str, advice: str) -> T:
    """Return a value if it is of one of the classes.

    Example:
        >>> of_class(3, str, name="title", advice="Pass a text.")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: title=3 is of type int, not str. Pass a text.
    """
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DomainError(
            f"{name}={short(repr(value))} is of type {type(value).__name__}, not {wanted}. {advice}"
        )
    return value


def any_epsilon(value: EpsilonLike, *, name: str = "epsilon") -> Epsilon:
    """Return a finite Epsilon, of any sign; a number is one of nats.

    Example:
        >>> any_epsilon(Epsilon.log("1/2")), any_epsilon("1/2"), any_epsilon("log(3)")
        (Epsilon.log('1/2'), Epsilon.rational('1/2'), Epsilon.log('3'))
        >>> any_epsilon(0.1) == Epsilon.from_float_exactly(0.1)
        True
        >>> any_epsilon(Exact("e^2"))
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: epsilon=e^2 is not a rational number of nats. Pass \
Epsilon.log(x) if it is the logarithm of x, or a rational number near it.
    """
    found = epsilon_or_real(value, name=name)
    if not isinstance(found, Epsilon):
        raise DomainError(
            f"{name}={_shown(found)} is not a rational number of nats. Pass Epsilon.log(x) if it "
            "is the logarithm of x, or a rational number near it."
        )
    if found.is_infinite:
        raise DomainError(f"{name} is infinite. Pass a finite Epsilon.")
    return found


def epsilon_or_real(value: EpsilonLike, *, name: str = "epsilon") -> Epsilon | Number:
    """Return an Epsilon, or the number of nats whose power of e is not exact.

    Example:
        >>> epsilon_or_real("log(3)"), epsilon_or_real(log(3)), epsilon_or_real("log(3)/2")
        (Epsilon.log('3'), Epsilon.log('3'), Real(0.54930614433405485: (log(3) / 2)))
    """
    if isinstance(value, Epsilon):
        return value
    if isinstance(value, str) and (log_of := LOGARITHM.fullmatch(value)):
        inside = number_of_text(log_of[1], name=f"e^{name}")
        return log(inside) if isinstance(inside, Real) else Epsilon(inside)
    found = number(value, name=name)
    if (power := argument_of_log(found)) is not None:
        return Epsilon(power)
    if isinstance(found, Real) or not found.is_rational:
        return found
    return Epsilon(Exact.exp(found.as_fraction()))


def privacy_epsilon(value: EpsilonLike, *, name: str = "epsilon") -> Epsilon:
    """Return a finite Epsilon of at least 0."""
    found = any_epsilon(value, name=name)
    if found.exp < 1:
        shown = repr(found) if isinstance(value, Epsilon) else _typed(value, found.nats)
        raise DomainError(f"{name}={shown} is negative. Pass an Epsilon of at least 0.")
    return found


def _typed(value: Any, found: Number) -> str:
    """Return a number for a message: a float as it was typed, numpy's too."""
    is_typed = isinstance(value, float) or hasattr(value, "dtype")
    return str(value) if is_typed else _shown(found)


def _shown(value: Number) -> str:
    return short(value.text) if isinstance(value, Real) else value.text(most=40)


def _written(value: Fraction) -> str:
    """Return the call that makes a fraction, of a float where it is one; of a long one digits."""
    if (double := as_double(fmpq_of(value))) is not None:
        return f"Fraction({double!r})"
    text = repr(value)
    return text if len(text) <= _LONGEST_WRITTEN else f"<Fraction: {Exact(value)}>"


WRITERS[Fraction] = _written

READERS |= {
    int: lambda value, name: whole_number(value, name=name, at_least=-MAX_COUNT),
    Fraction: lambda value, name: fraction_of(rational(value, name=name)),
    Exact: lambda value, name: number(value, name=name),
    Epsilon: lambda value, name: any_epsilon(value, name=name),
}
