"""Numbers from text, and as text: "4/7", "0.49", "1e-10", "(e^(1/2) - 1)/3".

What is printed can be read. A float is the number that it is, numpy's too: 0.1 is the double next
to 1/10, which the text "0.1" is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeVar

from flint import fmpq, fmpz, fmpz_poly

from exactdp.errors import DomainError, ParseError
from exactdp.numbers.validated import validated

__all__ = [
    "SHORT",
    "RationalLike",
    "as_double",
    "as_written",
    "expression",
    "fmpq_of",
    "fraction_of",
    "in_full",
    "in_powers_of_e",
    "is_rational_text",
    "rational",
    "short",
    "term_count",
]

T = TypeVar("T")

RationalLike = int | float | Fraction | Decimal | str | fmpq | fmpz
"""The types that denote a rational; numpy's numbers are accepted as Python's are."""

_TYPE_NAMES = "an int, a float, a Fraction, or a string such as '4/7' or '0.49'"
"""What errors say may be passed for a rational."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?(/\d+)?\Z", re.ASCII)
SHORT = 24
"""Characters of a number up to which all of them are printed."""

_LONG = 10**SHORT
"""Integers from here on that are doubles are printed as these are."""

_MAX_CHARACTERS = 100_000
"""The characters of one number in a text, at most: it limits the time, and what an error holds."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?)"
    r"|(?P<e>e)(?![\w.])|(?P<call>[a-z]+)(?=\s*\()|(?P<sign>[-+*/()])"
    r"|\^\s*(?P<exponent>[+-]?[\d.]+|\(\s*[+-]?[\d.]+\s*(?:/\s*\d+\s*)?\)))\s*",
    re.ASCII,
)
_CALL = re.compile(r"\b(sqrt|log|ln)\s*\(", re.ASCII)
"""A function of a number in a text, which makes a real of it."""

_MAX_POWER = 10_000
"""The largest exponent of a number in a text: it limits the time that a text may take."""

_MAX_NESTING = 50
"""The depth of parentheses in a text, at most: each is a call within a call of Python."""


def rational(value: RationalLike, *, name: str = "value") -> fmpq:
    """Return the exact rational that ``value`` denotes.

    Args:
        value: An int, Fraction, Decimal, fmpq, a float, which is the binary number that it is
            (of these numpy's, too), or a string in ASCII: ``"4/7"``, ``"0.49"``, ``"1e-10"``,
            ``".5"``, ``"1e5/3"``. A sign stands in front; spaces may surround it, not
            interrupt it.
        name: What to call it in an error message.

    Raises:
        DomainError: If it is a float that is not finite, or of another type.
        ParseError: If a string is not a number in this form.

    Example:
        >>> rational("0.49"), rational(0.75)
        (49/100, 3/4)
        >>> rational(0.1) == rational("0.1")
        False
        >>> rational(float("nan"), name="epsilon")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: epsilon=nan is not finite. Pass a number.
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
            if not value.is_finite():
                raise DomainError(f"{name}={value} is not finite. Pass a number.")
            return parsed(str(value), name=name)
        case Integral():
            return fmpq(int(value))
    held: Any = value
    if getattr(held, "ndim", None) == 0:  # an array of numpy's
        held = held.item()
    # mpmath's and sympy's numbers call themselves real, too, and are not ratios.
    if isinstance(held, Real) and not isinstance(held, bool) and hasattr(held, "as_integer_ratio"):
        if not isfinite(held):
            raise DomainError(f"{name}={held} is not finite. Pass a number.")
        return fmpq(*map(int, held.as_integer_ratio()))
    if isinstance(ratio := getattr(held, "ratio", None), fmpq):  # an exact number that is one
        return ratio
    shown = short(" ".join(repr(value).split()))
    raise DomainError(f"{name}={shown} is of type {type(value).__name__}. Pass {_TYPE_NAMES}.")


def as_double(value: fmpq) -> float | None:
    """Return the float that a rational is, if its decimal is shorter than the fraction; else None.

    Example:
        >>> as_double(rational(0.1)), as_double(fmpq(1, 8)), as_double(fmpq(1, 10))
        (0.1, None, None)
        >>> as_double(rational(1e25)), as_double(rational(3.0))
        (1e+25, None)
    """
    bits = int(value.q).bit_length() - 1
    is_long = abs(value.p) >= _LONG if bits == 0 else 24 <= bits <= 1074  # the least is 2^−1074
    if not is_long or value.q != 1 << bits:
        return None
    try:
        double = int(value.p) / int(value.q)
    except OverflowError:
        return None
    return double if rational(double) == value else None


def as_written(value: Fraction | fmpq) -> str:
    """Return a rational as a person writes it: a short fraction, else a float by its own decimal.

    Example:
        >>> as_written(Fraction(0.1)), as_written(Fraction(1, 10)), as_written(Fraction(1, 2**30))
        ('0.1', '1/10', '1/1073741824')
    """
    text = in_full(value)
    if len(text) <= SHORT:
        return text
    double = as_double(fmpq_of(value) if isinstance(value, Fraction) else value)
    return text if double is None else repr(double)


def in_full(value: Fraction | fmpq) -> str:
    """Return a rational as the fraction that it is."""
    # Python refuses to print integers of many digits; FLINT does not.
    return str(fmpq_of(value) if isinstance(value, Fraction) else value)


def is_rational_text(text: str) -> bool:
    """Return whether a text has the form of a rational number."""
    return _NUMBER.match(text.strip()) is not None


@validated
def short(value: str | Fraction | fmpq, *, most: int = 40) -> str:
    """Return a text or a rational for a message, cut if it is longer than ``most``.

    Example:
        >>> short(Fraction(1, 3)), short(Fraction(0.1)), short(Fraction(10**5000))
        ('1/3', '0.1', '100000000000000000000000000000... (5001 characters)')
    """
    text = as_written(value) if isinstance(value, Fraction | fmpq) else str(value)
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
        if "e^" in stripped or stripped.strip("+-") == "e" or _CALL.search(stripped):
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


def in_powers_of_e(
    text: str,
    *,
    name: str,
    number: Callable[[fmpq], T],
    exp: Callable[[fmpq], T],
    calls: Mapping[str, Callable[[T], T]] | None = None,
) -> T:
    """Return the number that a text such as "(e^(1/2) - 1)/3" denotes.

    Args:
        text: Numbers and powers of e, joined by + - * / and parentheses; "^" takes a rational
            exponent after e, an integer elsewhere.
        name: What to call it in an error message.
        number: Makes a number of a rational.
        exp: Makes the power of e.
        calls: The functions that may be applied, by name, as in "sqrt(10)".

    Raises:
        ParseError: If ``text`` is not such a text.

    Example:
        >>> from exactdp.numbers import Exact
        >>> Exact("e^2") == Exact.exp(2), Exact("(e^(1/2) - 1)/3")
        (True, <Exact: 0.21624042356670938 (exactly (e^(1/2) - 1)/3)>)
    """
    more = " or 'e^(1/2)'" if calls is None else ", 'e^(1/2)', 'sqrt(10)' or 'log(3)'"
    refused = ParseError(
        f"{name}={short(text)!r} is not a number. Write it as '4/7', '0.49', '1e-10'{more}."
    )
    if calls is None and _CALL.search(text):
        refused = ParseError(
            f"{name}={short(text)!r} is not exact. Here it must be a fraction, or have powers of e "
            "alone, as '4/7', '1e-10' and 'e^(1/2)' have."
        )
    tokens: list[tuple[str, str]] = []
    end = 0
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None:
            raise refused
        kind = str(match.lastgroup)
        tokens.append((kind, match[kind]))
        end = match.end()
    tokens.reverse()

    def taken(*signs: str) -> str | None:
        return tokens.pop()[1] if tokens and tokens[-1] in [("sign", s) for s in signs] else None

    def total(depth: int) -> Any:
        if depth > _MAX_NESTING:
            raise refused
        sign = taken("+", "-")
        found = product(depth) if sign != "-" else -product(depth)
        while sign := taken("+", "-"):
            found = found + product(depth) if sign == "+" else found - product(depth)
        return found

    def product(depth: int) -> Any:
        found = power(depth)
        while sign := taken("*", "/"):
            found = found * power(depth) if sign == "*" else found / power(depth)
        return found

    def power(depth: int) -> Any:
        kind, written = tokens.pop() if tokens else ("", "")
        if kind == "e":
            return exp(exponent())
        call = None
        if kind == "call":
            if calls is None or written not in calls:
                raise refused
            call, written = calls[written], tokens.pop()[1]
        if written == "(":
            found = total(depth + 1)
            if not taken(")"):
                raise refused
            found = found if call is None else call(found)
        elif kind == "number":
            found = number(parsed(written, name=name))
        else:
            raise refused
        times = exponent()
        if times.q != 1 or abs(times) > _MAX_POWER:
            raise refused
        return found if times == 1 else found ** int(times.p)

    def exponent() -> fmpq:
        if tokens and tokens[-1][0] == "exponent":
            return parsed("".join(tokens.pop()[1].strip("()").split()), name=name)
        return fmpq(1)

    try:
        result: T = total(0)
    except ZeroDivisionError:
        raise ParseError(
            f"{name}={short(text)!r} divides by zero. Write another denominator."
        ) from None
    if tokens:
        raise refused
    return result


def expression(
    num: fmpz_poly, den: fmpz_poly, rate: Fraction, written: Callable[[Fraction], str] | None = None
) -> str:
    """Return num/den, polynomials in e^rate, as text, with exponents as they are to be written."""
    written = in_full if written is None else written
    top = _polynomial_text(num, rate, written)
    if den.is_one():
        return top
    bottom = _polynomial_text(den, rate, written)
    if term_count(num) > 1:
        top = f"({top})"
    return f"{top}/{bottom}" if den.length() == 1 else f"{top}/({bottom})"


def term_count(p: fmpz_poly) -> int:
    """Return the number of terms of a polynomial."""
    return sum(1 for c in p.coeffs() if c != 0)


def _polynomial_text(p: fmpz_poly, rate: Fraction, written: Callable[[Fraction], str]) -> str:
    """Return a polynomial in e^rate as text, highest power first."""
    parts: list[str] = []
    for exponent in range(p.degree(), -1, -1):
        c, power = p[exponent], rate * exponent
        if c == 0:
            continue
        term = str(abs(c)) if power == 0 or abs(c) != 1 else ""
        if power:
            shown = written(power)
            shown = f"({shown})" if "/" in shown else shown
            term += ("*" if term else "") + ("e" if power == 1 else f"e^{shown}")
        sign = "-" if c < 0 else "+"
        parts.append(f"{sign} {term}" if parts else f"-{term}" if c < 0 else term)
    return " ".join(parts) or "0"


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
