"""Numbers from what people write: "4/7", "0.49", "1e-10", 3, Fraction(1, 3), "e^(1/2)/3".

Floats are refused, numpy's too: 0.1 is not 1/10. The one door for them is
``Epsilon.from_float_exactly`` and ``Fraction(x)``, which say what they do.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real

from flint import fmpq, fmpz

from exactdp.errors import DomainError, ParseError
from exactdp.numbers.validated import validated

__all__ = [
    "RationalLike",
    "fmpq_of",
    "fraction_of",
    "is_rational_text",
    "rational",
    "refuse_float",
    "short",
]

RationalLike = int | Fraction | Decimal | str | fmpq | fmpz
"""The types that denote a rational exactly; numpy's integers are accepted as ints are."""

_TYPE_NAMES = "an int, a Fraction, or a string such as '4/7' or '0.49'"
"""What errors say may be passed for a rational."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?(/\d+)?\Z", re.ASCII)
_MAX_CHARACTERS = 100_000
"""The characters of one number in a text, at most: it limits the time, and what an error holds."""


def rational(value: RationalLike, *, name: str = "value") -> fmpq:
    """Return the exact rational that ``value`` denotes.

    Args:
        value: An int (numpy's too), Fraction, Decimal, fmpq, or a string in ASCII: ``"4/7"``,
            ``"0.49"``, ``"1e-10"``, ``".5"``, ``"1e5/3"``. A sign stands in front; spaces
            may surround it, not interrupt it.
        name: What to call it in an error message.

    Raises:
        DomainError: If it is a float (0.1 is not 1/10) or of another type.
        ParseError: If a string is not a number in this form.

    Example:
        >>> rational("0.49")
        49/100
        >>> rational(0.1, name="epsilon")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: epsilon=0.1 is a float, which is not the decimal it prints as. \
Pass "0.1" or Fraction("0.1"), or Fraction(0.1) if you mean that double.
    """
    match value:
        case bool():
            raise DomainError(f"{name}={value!r} is a bool, not a number. Pass {_TYPE_NAMES}.")
        case int():
            return fmpq(value)
        case fmpq():
            return value
        case fmpz():
            return fmpq(value)
        case Fraction():
            return fmpq(value.numerator, value.denominator)
        case str():
            return parsed(value, name=name)
        case Decimal():
            return parsed(str(value), name=name)
        case Integral():
            return fmpq(int(value))
    refuse_float(value, name=name)
    raise DomainError(f"{name}={value!r} is of type {type(value).__name__}. Pass {_TYPE_NAMES}.")


def refuse_float(value: object, *, name: str) -> None:
    """Raise if a value is a float, Python's or numpy's.

    Raises:
        DomainError: With what to pass instead.
    """
    if isinstance(value, Real) and not isinstance(value, Integral | Fraction):
        shown = repr(float(value)) if isinstance(value, float) else str(value)
        raise DomainError(
            f"{name}={shown} is a float, which is not the decimal it prints as. "
            f'Pass "{shown}" or Fraction("{shown}"), '
            f"or Fraction({float(value)!r}) if you mean that double."
        )


def is_rational_text(text: str) -> bool:
    """Return whether a text has the form of a rational number."""
    return _NUMBER.match(text.strip()) is not None


@validated
def short(value: str | Fraction | fmpq, *, most: int = 40) -> str:
    """Return a text or a rational for a message, cut if it is longer than ``most``.

    Example:
        >>> short(Fraction(1, 3)), short(Fraction(10**5000))
        ('1/3', '100000000000000000000000000000... (5001 characters)')
    """
    # Python refuses to print integers of many digits; FLINT does not.
    text = str(fmpq_of(value)) if isinstance(value, Fraction) else str(value)
    return text if len(text) <= most else f"{text[:30]}... ({len(text)} characters)"


def parsed(text: str, *, name: str) -> fmpq:
    """Return the rational that a string denotes; a ParseError if it is none."""
    stripped = text.strip()
    shown = short(stripped)
    if len(stripped) > _MAX_CHARACTERS:
        raise ParseError(
            f"{name}={shown!r} is longer than {_MAX_CHARACTERS} characters. Pass a shorter text."
        )
    match = _NUMBER.match(stripped)
    if match is None:
        if "e^" in stripped or stripped.strip("+-") == "e":
            rule = "is not rational. Here it must be; give a number near it."
            raise ParseError(f"{name}={shown!r} {rule}")
        raise ParseError(f"{name}={shown!r} is not a number. Write it as '4/7', '0.49' or '1e-10'.")
    mantissa, _, slash = stripped.partition("/")
    digits, _, exponent = mantissa.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    # FLINT's own parser has no limit on the number of digits, unlike int().
    scaled = fmpq(fmpz((whole + decimals).lstrip("+")))
    shift = int(exponent or "0") - len(decimals)
    result = scaled * fmpq(10) ** shift
    if slash:
        denominator = fmpz(slash)
        if denominator == 0:
            raise ParseError(f"{name}={shown!r} has denominator zero. Pass a number.")
        result /= denominator
    return result


def fmpq_of(value: Fraction) -> fmpq:
    """Return FLINT's form of a Fraction."""
    try:
        return fmpq(value.numerator, value.denominator)
    except (AttributeError, TypeError):
        raise DomainError(f"value={value!r} is not a rational number. Pass a Fraction.") from None


def fraction_of(value: fmpq) -> Fraction:
    """Return Python's form of a rational."""
    if not isinstance(value, fmpq):
        raise DomainError(f"value={value!r} is not a rational of FLINT's. Pass an fmpq.")
    return Fraction(int(value.p), int(value.q))
