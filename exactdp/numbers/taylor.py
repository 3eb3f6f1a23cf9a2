"""Truncated Taylor series over any number system, other series included.

A formula evaluated at x + s, s the variable of the series, gives its value and its
derivatives: coefficient j is the j-th derivative divided by j!. Over exact numbers the
coefficients are those of a point, over wide balls they bound the coefficients at every
point of an interval, as the remainder of Taylor's theorem needs.

References: Moore, Kearfott, Cloud, Introduction to Interval Analysis (2009), Chapter 9.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import comb
from operator import add
from typing import Any, Generic, TypeVar

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers.number_systems import (
    Ball,
    ExactValue,
    FormulaValue,
    LeavesFieldError,
    RealFunctions,
)
from exactdp.numbers.text import RationalLike

__all__ = ["Series", "SeriesFunctions"]

V = TypeVar("V", bound=FormulaValue[Any])


class Series(FormulaValue[tuple[V, ...]], Generic[V]):
    """A Taylor polynomial: ``value`` holds the coefficients, constant first."""

    __slots__ = ("functions",)

    def __init__(self, functions: SeriesFunctions[V], value: tuple[V, ...]) -> None:
        super().__init__(value)
        self.functions = functions

    def _of(self, coefficients: list[V]) -> Series[V]:
        return Series(self.functions, tuple(coefficients))

    def _lift(self, number: int | Fraction) -> Series[V]:
        return self.functions.constant(number)

    def _add(self, other: Series[V]) -> Series[V]:
        return self._of([a + b for a, b in zip(self.value, other.value, strict=True)])

    def __neg__(self) -> Series[V]:
        return self._of([-a for a in self.value])

    def _multiply(self, other: Series[V]) -> Series[V]:
        a, b = self.value, other.value
        return self._of(
            [_sum([a[j] * b[k - j] for j in range(k + 1)]) for k in range(len(self.value))]
        )

    def __mul__(self, other: Series[V] | int | Fraction) -> Series[V]:
        if isinstance(other, int | Fraction) and not isinstance(other, bool):
            return self._of([c * other for c in self.value])
        return super().__mul__(other)

    __rmul__ = __mul__

    def _divide(self, other: Series[V]) -> Series[V]:
        """Return the quotient, coefficient by coefficient."""
        a, b = self.value, other.value
        quotient = [a[0] / b[0]]
        for k in range(1, len(a)):
            known = _sum([quotient[j] * b[k - j] for j in range(k)])
            quotient.append((a[k] - known) / b[0])
        return self._of(quotient)

    def _power(self, exponent: int) -> Series[V]:
        # The binomial theorem in (constant + rest): no division, and tight even powers.
        first = self.value[0]
        result = self._of([first**exponent, *(c * 0 for c in self.value[1:])])
        rest = self._of([first * 0, *self.value[1:]])
        rest_power = rest
        for j in range(1, min(exponent, len(self.value) - 1) + 1):
            rest_power = rest_power._multiply(rest) if j > 1 else rest
            factor = first ** (exponent - j) * comb(exponent, j)
            result = result._add(self._of([factor * c for c in rest_power.value]))
        return result

    def _as_integer(self) -> int | None:
        is_constant = all(c._as_integer() == 0 for c in self.value[1:])
        return self.value[0]._as_integer() if is_constant else None


class SeriesFunctions(RealFunctions[Series[V]], Generic[V]):
    """The real functions on series of one order, over a number system.

    maximum and minimum: where the order of two arguments is open, a ball's first
    derivative is the union of theirs (a generalized derivative: the mean value theorem
    holds with it), and higher coefficients are unknown.

    Args:
        base: The number system of the coefficients.
        order: The highest coefficient.
        within: Whether the direction stays inside the set that the balls cover. Then
            x >= y on that set, equality included, makes x the maximum along it; at a
            point where x = y nothing follows for the derivative.

    Example:
        >>> from exactdp.numbers.number_systems import ExactFunctions
        >>> f = SeriesFunctions(ExactFunctions(), order=2)
        >>> x = f.variable(ExactFunctions().constant(0))
        >>> [c.value for c in (f.exp(x) - 1 - x).value]
        [Exact('0'), Exact('0'), Exact('1/2')]
    """

    def __init__(self, base: RealFunctions[V], *, order: int, within: bool = False) -> None:
        if order < 0:
            raise DomainError(f"order={order} must be at least 0. Use 0 for values alone.")
        self.base = base
        self.order = order
        self.within = within

    def variable(self, center: V, *, slope: RationalLike = 1) -> Series[V]:
        """Return center + slope * s."""
        zeros = [self.base.constant(0) for _ in range(self.order)]
        if zeros:
            zeros[0] = self.base.constant(slope)
        return Series(self, (center, *zeros))

    def constant(self, value: RationalLike) -> Series[V]:
        """Return a rational constant."""
        return self.variable(self.base.constant(value), slope=0)

    @property
    def pi(self) -> Series[V]:
        """The ratio of circumference to diameter."""
        return self.variable(self.base.pi, slope=0)

    def exp(self, x: Series[V]) -> Series[V]:
        """Return e^x."""
        a = x.value
        result = [self.base.exp(a[0])]
        for k in range(1, len(a)):
            result.append(_sum([a[j] * result[k - j] * j for j in range(1, k + 1)]) / k)
        return Series(self, tuple(result))

    def log(self, x: Series[V]) -> Series[V]:
        """Return the natural logarithm."""
        a = x.value
        result = [self.base.log(a[0])]
        for k in range(1, len(a)):
            top = a[k]
            if k > 1:
                top = top - _sum([result[j] * a[k - j] * j for j in range(1, k)]) / k
            result.append(top / a[0])
        return Series(self, tuple(result))

    def sqrt(self, x: Series[V]) -> Series[V]:
        """Return the square root."""
        a = x.value
        result = [self.base.sqrt(a[0])]
        for k in range(1, len(a)):
            top = a[k]
            if k > 1:
                top = top - _sum([result[j] * result[k - j] for j in range(1, k)])
            result.append(top / (result[0] * 2))
        return Series(self, tuple(result))

    def normal_cdf(self, x: Series[V]) -> Series[V]:
        """Return P(N(0, 1) <= x)."""
        return self._integral(self.base.normal_cdf(x.value[0]), x, self._normal_slope)

    def maximum(self, x: Series[V], y: Series[V]) -> Series[V]:
        """Return the larger of two."""
        first = self.base.maximum(x.value[0], y.value[0])
        return Series(self, (first, *_branch(x, y).value[1:]))

    def _normal_slope(self, x: Series[V]) -> Series[V]:
        return self.exp(-(x**2) / 2) / self.sqrt(self.pi * 2)

    def _integral(self, first: V, x: Series[V], slope: Any) -> Series[V]:
        """Return the series of F(x), given F at the constant term and F'."""
        if self.order == 0:
            return Series(self, (first,))
        a, g = x.value, slope(x).value
        rest = [_sum([a[j] * g[k - j] * j for j in range(1, k + 1)]) / k for k in range(1, len(a))]
        return Series(self, (first, *rest))


def _sum(terms: list[V]) -> V:
    return reduce(add, terms)


def _leading(x: FormulaValue[Any]) -> FormulaValue[Any]:
    """Return the value itself, under one level of series or more."""
    while isinstance(x, Series):
        x = x.value[0]
    return x


def _branch(x: Series[V], y: Series[V]) -> Series[V]:
    """Return the one that is strictly larger, or the known derivatives."""
    a, b = _leading(x), _leading(y)
    # Not >= at a point: where the two touch, the derivative of the maximum is neither's.
    if a.value > b.value or len(x.value) == 1:
        return x
    if b.value > a.value:
        return y
    if x.functions.within and bool(a.value >= b.value) != bool(b.value >= a.value):
        return x if a.value >= b.value else y
    if isinstance(a, ExactValue) or isinstance(x.value[0], Series):
        raise LeavesFieldError("the derivative of a maximum where the two are equal")
    pairs: list[Any] = list(zip(x.value, y.value, strict=True))
    known: list[Any] = [Ball(u.value.union(v.value)) for u, v in pairs[:2]]
    unknown = [Ball(arb.nan()) for _ in pairs[2:]]
    return Series(x.functions, tuple(known + unknown))
