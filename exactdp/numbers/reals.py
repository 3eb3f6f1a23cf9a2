"""Computable reals: asked for n bits, they answer with a ball.

A number that is not in the exact field (a logarithm, a square root, a value of the normal
distribution) is a :class:`Real`: a rule that, for every working precision, returns a ball which
contains the number. Nothing is evaluated until a ball is asked for. Equality of
two reals is not decidable: a real and another number that balls do not tell apart are refused
(``order``), or have a third answer (``compare``); two reals are equal if they are one object.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from flint import arb, fmpq

from exactdp.errors import DomainError
from exactdp.numbers.balls import normal_cdf_of, precision, working_bits
from exactdp.numbers.digits import HasDigits, Rounding, rounded
from exactdp.numbers.exact import Exact, ExactLike
from exactdp.numbers.operators import Operators
from exactdp.numbers.order import Ends, Ordered
from exactdp.numbers.text import as_written, in_full, in_powers_of_e, is_rational_text, short
from exactdp.numbers.validated import validated

__all__ = [
    "Number",
    "Real",
    "RealLike",
    "cos",
    "erf",
    "exp",
    "larger_number",
    "log",
    "normal_cdf",
    "normal_pdf",
    "normal_score",
    "number_of_text",
    "pi",
    "power_of_kept",
    "sqrt",
]

_FEW_COPIES = 8
"""Copies up to which the power of a polynomial in a power of e is an exact number."""

_MOST_BITS = 1 << 17
"""Bits up to which the power of a rational number is an exact one: longer ones are slow later."""


class Real(Operators[ExactLike], HasDigits, Ordered):
    """A computable real number.

    Args:
        rule: Returns a ball that contains the number, at FLINT's current
            precision. It is called inside :func:`exactdp.numbers.balls.precision`.
        text: What it is, printed beside its digits.

    Example:
        >>> log(2) / log(10)
        Real(0.30102999566398120: (log(2) / log(10)))
        >>> from exactdp.numbers import decimal
        >>> decimal(log(2) / log(10), digits=12)
        '0.301029995664'
        >>> log(2) < 0.7, float(log(2))
        (True, 0.6931471805599453)
        >>> sqrt(2) * sqrt(2) < 2
        Traceback (most recent call last):
        ...
        exactdp.errors.UndecidedError: whether 2.0000000000000000 is below or above 2 is not \
decided. Ask for a narrower relative_width, compare with another number, or ask \
exactdp.numbers.is_below, which may say unknown.
    """

    __slots__ = ("_rule", "text")
    is_decided = False

    def __init__(self, rule: Callable[[], arb], text: str) -> None:
        self._rule = rule
        self.text = text

    def ball(self, precision_bits: int) -> arb:
        """Return a ball that contains the number, computed at ``precision_bits``."""
        with precision(precision_bits):
            return self._rule()

    def __str__(self) -> str:
        return self.shown() or self._written()  # what is hard to tell is printed as what it is

    def __repr__(self) -> str:
        shown, text = self.shown(), self._written()
        return f"Real({text})" if shown is None else f"Real({shown}: {text})"

    def _written(self) -> str:
        """Return the text as it is printed, with floats as they were typed."""
        text = _FRACTION.sub(lambda found: as_written(Fraction(found[0])), self.text)
        return short(text, most=_SHOWN_TEXT)

    def _other(self, other: Any) -> Real:
        return _real(other)

    def _combined(self, sign: str, other: Real, operation: Callable[[arb, arb], arb]) -> Real:
        return Real(partial(_applied, operation, self, other), f"({self.text} {sign} {other.text})")

    def _add(self, other: Real) -> Real:
        return self._combined("+", other, operator.add)

    def _subtract(self, other: Real) -> Real:
        return self._combined("-", other, operator.sub)

    def _multiply(self, other: Real) -> Real:
        return self._combined("*", other, operator.mul)

    def _divide(self, other: Real) -> Real:
        return self._combined("/", other, operator.truediv)

    def __pow__(self, exponent: RealLike) -> Real:
        return self._combined("^", self._other(exponent), operator.pow)

    def _ends(self) -> Ends:
        return self, self

    def __eq__(self, other: object) -> bool:
        # As parts of what is compared, a law or a claim, two reals are one if they are one object.
        return self is other if isinstance(other, Real) else Ordered.__eq__(self, other)

    __hash__ = object.__hash__

    def __round__(self, places: int = 0) -> Exact:
        scale = fmpq(10) ** places
        return Exact(rounded(self, scale, Rounding.NEAREST) / scale)

    def __neg__(self) -> Real:
        return Real(partial(_applied, operator.neg, self), f"-{self.text}")


def _applied(function: Callable[..., arb], *numbers: Real) -> arb:
    # A function of the module and its arguments, unlike a closure, can be pickled.
    return function(*(number._rule() for number in numbers))


Number = Exact | Real
"""A number that answers with balls: exact or computable."""

RealLike = Real | ExactLike

_LONGEST_TEXT = 2_000
"""The characters by which a number tells what it is in a longer formula, at most."""

_FRACTION = re.compile(r"\d+/\d+")
_SHOWN_TEXT = 160
"""The characters of that which are printed."""

pi = Real(arb.pi, "pi")


def _real(value: Any) -> Real:
    """Return a number as a Real."""
    if not isinstance(value, RealLike) or isinstance(value, bool):
        raise TypeError(
            f"{value!r} of type {type(value).__name__} is not an exact number. "
            "Pass an int, a Fraction, an Exact or a Real."
        )
    if isinstance(value, Real):
        return value
    exact = Exact(value)
    return Real(partial(_ball_of, exact), exact.text(most=_LONGEST_TEXT, written=in_full))


def _ball_of(exact: Exact) -> arb:
    return exact.ball(working_bits())


def _not_below(x: RealLike, *, is_zero_in: bool) -> Real | Exact:
    """Return a number that is not below 0, nor 0; a real that is has no ball."""
    found = x if isinstance(x, Real) else Exact(x, name="x")
    if isinstance(found, Exact) and found.sign() < (0 if is_zero_in else 1):
        rule = "negative. Pass a number of at least 0." if is_zero_in else "not positive. Pass one."
        raise DomainError(f"x={found.text(most=40)} is {rule}")
    return found


def _apply(name: str, function: Callable[[arb], arb], x: RealLike) -> Real:
    inner = _real(x if isinstance(x, Real | Exact) else Exact(x, name="x"))
    return Real(partial(_applied, function, inner), f"{name}({inner.text})")


@validated
def log(x: RealLike) -> Real:
    """Return the natural logarithm of a positive number."""
    return _apply("log", arb.log, _not_below(x, is_zero_in=False))


@validated
def exp(x: RealLike) -> Real:
    """Return e to a computable power."""
    return _apply("exp", arb.exp, x)


@validated
def sqrt(x: RealLike) -> Real:
    """Return the square root of a number of at least 0."""
    return _apply("sqrt", arb.sqrt, _not_below(x, is_zero_in=True))


@validated
def cos(x: RealLike) -> Real:
    """Return the cosine (radians)."""
    return _apply("cos", arb.cos, x)


@validated
def normal_cdf(x: RealLike) -> Real:
    """Return P(N(0, 1) <= x), with relative accuracy in the lower tail."""
    return _apply("normal_cdf", normal_cdf_of, x)


def erf(x: RealLike) -> Real:
    """Return the error function, which keeps relative accuracy at 0."""
    return _apply("erf", arb.erf, x)


@validated
def normal_pdf(x: RealLike) -> Real:
    """Return the standard normal density at x."""
    return _apply("normal_pdf", _pdf, x)


def _pdf(b: arb) -> arb:
    return (-b * b / 2).exp() / (2 * arb.pi()).sqrt()


@validated
def normal_score(level: RealLike) -> Real:
    """Return the x that N(0, 1) exceeds with a probability.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(normal_score(Exact("1/40")), digits=6)
        '1.95996'
    """
    return _apply("normal_score", _score, level)


def _score(b: arb) -> arb:
    return arb(2).sqrt() * (2 * b).erfcinv()


def number_of_text(text: str, *, name: str) -> Number:
    """Return the number that a text denotes, with square roots and logarithms: exact without them.

    Raises:
        ParseError: If it is not such a text.

    Example:
        >>> number_of_text("1/3", name="x"), number_of_text("3*sqrt(10)/2", name="x")
        (Exact('1/3'), Real(4.7434164902525690: ((3 * sqrt(10)) / 2)))
        >>> number_of_text("sqrt(9/4)", name="x")
        Exact('3/2')
    """
    if is_rational_text(text):
        return Exact(text, name=name)
    calls = {"sqrt": _root, "log": _logarithm, "ln": _logarithm, "exp": exp}
    return in_powers_of_e(text, name=name, number=Exact, exp=Exact.exp, calls=calls)


def _root(x: Number) -> Number:
    """Return a square root: exactly, of the square of a rational number."""
    if isinstance(x, Exact) and x.is_rational and x >= 0:
        top, bottom = x.as_fraction().as_integer_ratio()
        if isqrt(top) ** 2 == top and isqrt(bottom) ** 2 == bottom:
            return Exact(Fraction(isqrt(top), isqrt(bottom)))
    return sqrt(x)


def _logarithm(x: Number) -> Number:
    """Return a logarithm: exactly, of a rational power of e."""
    exponent = x.monomial_exponent() if isinstance(x, Exact) else None
    return log(x) if exponent is None else Exact(exponent)


def argument_of_log(x: Number) -> Exact | None:
    """Return the positive exact number whose logarithm a real was made as; None of others.

    Example:
        >>> argument_of_log(log(3)), argument_of_log(sqrt(3))
        (Exact('3'), None)
    """
    rule = x._rule if isinstance(x, Real) else None
    if not isinstance(rule, partial) or rule.args[:1] != (arb.log,):
        return None
    inner = rule.args[1]._rule
    known = isinstance(inner, partial) and inner.func is _ball_of and inner.args[0] > 0
    return inner.args[0] if known else None


def larger_number(a: Number, b: Number) -> Number:
    """Return the larger of two numbers; of computable reals, without deciding which."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return max(a, b)
    x, y = _real(a), _real(b)
    return Real(partial(_applied, arb.max, x, y), f"max({x.text}, {y.text})")


@validated
def power_of_kept(kept: Number, times: int) -> Number:
    """Return a power of the part that is kept each time: exactly, unless it is a long number.

    Example:
        >>> power_of_kept(Exact("1/2"), 3)
        Exact('1/8')
        >>> from exactdp.numbers import decimal
        >>> decimal(power_of_kept(1 - Exact("1e-9"), 10**9), digits=9)
        '0.367879441'
    """
    if isinstance(kept, Exact):
        bits = kept.as_fraction().denominator.bit_length() if kept.is_rational else _MOST_BITS
        if times <= _FEW_COPIES or bits * times <= _MOST_BITS:
            return kept**times
        if kept == 0:
            return kept
    return exp(times * log(kept))
