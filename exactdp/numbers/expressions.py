"""Numbers in powers of e as text, such as "(e^(1/2) - 1)/3": what is printed can be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from flint import fmpq, fmpz_poly

from exactdp.errors import ParseError
from exactdp.numbers.parsing import fmpq_of, parsed, short

__all__ = ["expression", "in_powers_of_e", "term_count"]

T = TypeVar("T")

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?)"
    r"|(?P<e>e)(?![\w.])|(?P<sign>[-+*/()])"
    r"|\^\s*(?P<exponent>[+-]?[\d.]+|\(\s*[+-]?[\d.]+\s*(?:/\s*\d+\s*)?\)))\s*",
    re.ASCII,
)
_MAX_POWER = 10_000
"""The largest exponent of a number in a text: it limits the time that a text may take."""

_MAX_NESTING = 50
"""The depth of parentheses in a text, at most: each is a call within a call of Python."""


def in_powers_of_e(
    text: str, *, name: str, number: Callable[[fmpq], T], exp: Callable[[fmpq], T]
) -> T:
    """Return the number that a text such as "(e^(1/2) - 1)/3" denotes.

    Args:
        text: Numbers and powers of e, joined by + - * / and parentheses; "^" takes a rational
            exponent after e, an integer elsewhere.
        name: What to call it in an error message.
        number: Makes a number of a rational.
        exp: Makes the power of e.

    Raises:
        ParseError: If ``text`` is not such a text.

    Example:
        >>> from exactdp.numbers import Exact
        >>> Exact("e^2") == Exact.exp(2), Exact("(e^(1/2) - 1)/3")
        (True, Exact('(e^(1/2) - 1)/3'))
    """
    refused = ParseError(
        f"{name}={short(text)!r} is not a number. Write it as '4/7', '0.49', '1e-10' or 'e^(1/2)'."
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
        if written == "(":
            found = total(depth + 1)
            if not taken(")"):
                raise refused
        elif kind == "number":
            found = number(parsed(written, name=name))
        else:
            raise refused
        times = exponent()
        if times.q != 1 or abs(times) > _MAX_POWER:
            raise refused
        return found ** int(times.p)

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


def expression(num: fmpz_poly, den: fmpz_poly, rate: Fraction) -> str:
    """Return num/den, polynomials in e^rate, as text."""
    top = _polynomial_text(num, rate)
    if den.is_one():
        return top
    bottom = _polynomial_text(den, rate)
    if term_count(num) > 1:
        top = f"({top})"
    return f"{top}/{bottom}" if den.length() == 1 else f"{top}/({bottom})"


def term_count(p: fmpz_poly) -> int:
    """Return the number of terms of a polynomial."""
    return sum(1 for c in p.coeffs() if c != 0)


def _polynomial_text(p: fmpz_poly, rate: Fraction) -> str:
    """Return a polynomial in e^rate as text, highest power first."""
    parts: list[str] = []
    for exponent in range(p.degree(), -1, -1):
        c, power = p[exponent], rate * exponent
        if c == 0:
            continue
        term = str(abs(c)) if power == 0 or abs(c) != 1 else ""
        if power:
            shown = str(fmpq_of(power)) if power.denominator == 1 else f"({fmpq_of(power)})"
            term += ("*" if term else "") + ("e" if power == 1 else f"e^{shown}")
        sign = "-" if c < 0 else "+"
        parts.append(f"{sign} {term}" if parts else f"-{term}" if c < 0 else term)
    return " ".join(parts) or "0"
