"""Computable reals: asked for n bits, they answer with a ball.

What is not in the exact field (logarithms, square roots, the normal distribution)
is a :class:`Real`: a rule that, for every working precision, returns a ball which
contains the number. Nothing is evaluated until a ball is asked for. Equality of
two reals is not decidable; order is asked through ``exactdp.numbers.compare``.

Definitions: :class:`Real`, the functions log, exp, sqrt, cos, normal_cdf,
normal_pdf, and the constant pi.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from exactdp.numbers.balls import precision, working_bits
from exactdp.numbers.exact import Exact, ExactLike

__all__ = [
    "Number",
    "Real",
    "RealLike",
    "cos",
    "exp",
    "log",
    "normal_cdf",
    "normal_pdf",
    "pi",
    "sqrt",
]


class Real:
    """A computable real number.

    Args:
        rule: Returns a ball that contains the number, at FLINT's current
            precision. It is called inside :func:`exactdp.numbers.balls.precision`.
        text: What to print.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(log(2) / log(10), digits=12)
        '0.301029995664'
    """

    __slots__ = ("_rule", "text")

    def __init__(self, rule: Callable[[], arb], text: str) -> None:
        self._rule = rule
        self.text = text

    def ball(self, precision_bits: int) -> arb:
        """Return a ball that contains the number, computed at ``precision_bits``."""
        with precision(precision_bits):
            return self._rule()

    def __repr__(self) -> str:
        return f"Real({self.text})"

    def __add__(self, other: RealLike) -> Real:
        return _combine(self, other, "+", lambda x, y: x + y)

    def __radd__(self, other: RealLike) -> Real:
        return _combine(other, self, "+", lambda x, y: x + y)

    def __sub__(self, other: RealLike) -> Real:
        return _combine(self, other, "-", lambda x, y: x - y)

    def __rsub__(self, other: RealLike) -> Real:
        return _combine(other, self, "-", lambda x, y: x - y)

    def __mul__(self, other: RealLike) -> Real:
        return _combine(self, other, "*", lambda x, y: x * y)

    def __rmul__(self, other: RealLike) -> Real:
        return _combine(other, self, "*", lambda x, y: x * y)

    def __truediv__(self, other: RealLike) -> Real:
        return _combine(self, other, "/", lambda x, y: x / y)

    def __rtruediv__(self, other: RealLike) -> Real:
        return _combine(other, self, "/", lambda x, y: x / y)

    def __pow__(self, exponent: RealLike) -> Real:
        return _combine(self, exponent, "^", lambda x, y: x**y)

    def __neg__(self) -> Real:
        return Real(lambda: -self._rule(), f"-{self.text}")


Number = Exact | Real
"""A number that answers with balls: exact or computable."""

RealLike = Real | ExactLike


def _rule(value: RealLike) -> tuple[Callable[[], arb], str]:
    if isinstance(value, Real):
        return value._rule, value.text
    exact = value if isinstance(value, Exact) else Exact(value)
    return lambda: exact.ball(working_bits()), exact.expression()


def _combine(a: RealLike, b: RealLike, sign: str, operation: Callable[[arb, arb], arb]) -> Real:
    for value in (a, b):
        if not isinstance(value, RealLike) or isinstance(value, bool):
            raise TypeError(
                f"{value!r} of type {type(value).__name__} is no exact number. "
                "Pass an int, a Fraction, an Exact or a Real."
            )
    (left, left_text), (right, right_text) = _rule(a), _rule(b)
    return Real(lambda: operation(left(), right()), f"({left_text} {sign} {right_text})")


def _apply(name: str, function: Callable[[Any], arb], x: RealLike) -> Real:
    rule, text = _rule(x)
    return Real(lambda: function(rule()), f"{name}({text})")


def log(x: RealLike) -> Real:
    """Return the natural logarithm."""
    return _apply("log", lambda b: b.log(), x)


def exp(x: RealLike) -> Real:
    """Return e to a computable power."""
    return _apply("exp", lambda b: b.exp(), x)


def sqrt(x: RealLike) -> Real:
    """Return the square root."""
    return _apply("sqrt", lambda b: b.sqrt(), x)


def cos(x: RealLike) -> Real:
    """Return the cosine (radians)."""
    return _apply("cos", lambda b: b.cos(), x)


def normal_cdf(x: RealLike) -> Real:
    """Return P(N(0, 1) <= x), through erfc, which keeps relative accuracy in the lower tail."""
    return _apply("normal_cdf", lambda b: (-b / arb(2).sqrt()).erfc() / 2, x)


def normal_pdf(x: RealLike) -> Real:
    """Return the standard normal density at x."""
    return _apply("normal_pdf", lambda b: (-b * b / 2).exp() / (2 * arb.pi()).sqrt(), x)


pi = Real(lambda: arb.pi(), "pi")
