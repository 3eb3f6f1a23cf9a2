"""Number systems in which formulas are evaluated; balls and exact numbers are two of them.

A formula is written once over :class:`RealFunctions` and meets its values only through
+ - * /, integer powers and the functions of its number system. The values here say when an
operation has no answer, instead of passing on a ball that is not a number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, Generic, Protocol, Self, TypeVar

from flint import arb

from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers.balls import nonnegative_ball, normal_cdf_of
from exactdp.numbers.exact import Exact
from exactdp.numbers.operators import Operators
from exactdp.numbers.text import RationalLike, fmpq_of, rational

__all__ = [
    "Ball",
    "BallFunctions",
    "ExactFunctions",
    "ExactValue",
    "FormulaValue",
    "LeavesFieldError",
    "RealFunctions",
    "RealNumber",
]

_NARROW_BITS = 24
"""Above this relative accuracy a ball is a number with an error, below it an interval."""

_MAX_SIZE = 20_000
"""The degree times the bits to which an exact power may grow; larger ones are left to balls."""


class LeavesFieldError(ExactDPError):
    """A formula leaves the field of rational functions of e^r. Use balls."""


class RealNumber(Protocol):
    """The arithmetic that a formula may use on its numbers."""

    def __add__(self, other: Self | int, /) -> Self: ...
    def __radd__(self, other: int, /) -> Self: ...
    def __sub__(self, other: Self | int, /) -> Self: ...
    def __rsub__(self, other: int, /) -> Self: ...
    def __mul__(self, other: Self | int, /) -> Self: ...
    def __rmul__(self, other: int, /) -> Self: ...
    def __truediv__(self, other: Self | int, /) -> Self: ...
    def __rtruediv__(self, other: int, /) -> Self: ...
    def __pow__(self, exponent: int, /) -> Self: ...
    def __neg__(self) -> Self: ...


T = TypeVar("T", bound=RealNumber)
V = TypeVar("V")


class RealFunctions(ABC, Generic[T]):
    """A number system: the real functions on numbers of type T."""

    @property
    @abstractmethod
    def pi(self) -> T:
        """The ratio of circumference to diameter."""

    @abstractmethod
    def constant(self, value: RationalLike, /) -> T:
        """Return a rational constant."""

    @abstractmethod
    def exp(self, x: T, /) -> T:
        """Return e^x."""

    @abstractmethod
    def log(self, x: T, /) -> T:
        """Return the natural logarithm."""

    @abstractmethod
    def sqrt(self, x: T, /) -> T:
        """Return the square root."""

    @abstractmethod
    def normal_cdf(self, x: T, /) -> T:
        """Return P(N(0, 1) <= x), with relative accuracy in the lower tail."""

    @abstractmethod
    def maximum(self, x: T, y: T, /) -> T:
        """Return the larger of two."""

    def minimum(self, x: T, y: T, /) -> T:
        """Return the smaller of two."""
        return -self.maximum(-x, -y)

    def expm1(self, x: T, /) -> T:
        """Return e^x - 1."""
        return self.exp(x) - 1

    def log1p(self, x: T, /) -> T:
        """Return log(1 + x)."""
        return self.log(1 + x)

    def log1pmx(self, x: T, /) -> T:
        """Return log(1 + x) - x, which is near -x^2/2."""
        return self.log1p(x) - x

    def erf(self, x: T, /) -> T:
        """Return the error function."""
        return 2 * self.normal_cdf(x * self.sqrt(self.constant(2))) - 1

    def erfc(self, x: T, /) -> T:
        """Return 1 - erf(x), with relative accuracy in the upper tail."""
        return 2 * self.normal_cdf(-x * self.sqrt(self.constant(2)))


class FormulaValue(Operators[int | Fraction], Generic[V]):
    """A value with the operators of a formula; a subclass defines them.

    The other side may be a value of the same system, an int or a Fraction, not a float.
    """

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    @abstractmethod
    def _lift(self, number: int | Fraction) -> Self:
        """Return a rational number as a value of this system."""

    @abstractmethod
    def _power(self, exponent: int) -> Self:
        """Return a power, the exponent at least 0."""

    @abstractmethod
    def _as_integer(self) -> int | None:
        """Return the integer that this value certainly is, or None."""

    def _other(self, other: object) -> Self | None:
        if isinstance(other, type(self)):
            return other
        if isinstance(other, int | Fraction) and not isinstance(other, bool):
            return self._lift(other)
        return None

    def __pow__(self, exponent: Self | int) -> Self:
        integer = exponent._as_integer() if isinstance(exponent, FormulaValue) else exponent
        if not isinstance(integer, int):
            raise DomainError(
                f"exponent={exponent!r} is not certainly an integer. "
                "Write x ** y as f.exp(y * f.log(x))."
            )
        return self._power(integer) if integer >= 0 else 1 / self._power(-integer)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"


class Ball(FormulaValue[arb]):
    """A real number known to lie in a ball, at FLINT's working precision."""

    __slots__ = ()

    def _lift(self, number: int | Fraction) -> Ball:
        return Ball(arb(number) if isinstance(number, int) else arb(fmpq_of(number)))

    def _add(self, other: Ball) -> Ball:
        return Ball(self.value + other.value)

    def _multiply(self, other: Ball) -> Ball:
        return Ball(_product(self.value, other.value))

    def _divide(self, other: Ball) -> Ball:
        if other.value == 0:
            raise DomainError("division by zero")
        return Ball(self.value / other.value)

    def _power(self, exponent: int) -> Ball:
        return Ball(_power_of_ball(self.value, exponent))

    def _as_integer(self) -> int | None:
        integer = self.value.unique_fmpz() if self.value.is_exact() else None
        return None if integer is None or self.value != integer else int(integer)

    def __neg__(self) -> Ball:
        return Ball(-self.value)


def _on_balls(
    function: Callable[[arb], arb], *, is_wide: bool = False
) -> Callable[[BallFunctions, Ball], Ball]:
    """Return a function of balls; an increasing one of wide balls goes through their ends."""

    def apply(_: BallFunctions, x: Ball) -> Ball:
        return Ball(_increasing(function, x.value) if is_wide else function(x.value))

    return apply


class BallFunctions(RealFunctions[Ball]):
    """The real functions in balls, at FLINT's working precision.

    Every result contains the values at all numbers in the arguments, however wide.
    """

    exp = _on_balls(arb.exp)
    expm1 = _on_balls(arb.expm1)
    erf = _on_balls(arb.erf, is_wide=True)
    normal_cdf = _on_balls(normal_cdf_of, is_wide=True)

    @property
    def pi(self) -> Ball:
        """The ratio of circumference to diameter."""
        return Ball(arb.pi())

    def constant(self, value: RationalLike) -> Ball:
        """Return a rational constant."""
        return Ball(arb(rational(value)))

    def log(self, x: Ball) -> Ball:
        """Return the natural logarithm."""
        if x.value <= 0:
            raise DomainError(f"log of {x.value.str(6)}, which is not positive")
        return Ball(x.value.log())

    def log1p(self, x: Ball) -> Ball:
        """Return log(1 + x)."""
        if x.value <= -1:
            raise DomainError(f"log1p of {x.value.str(6)}, which is not above -1")
        return Ball(x.value.log1p())

    def sqrt(self, x: Ball) -> Ball:
        """Return the square root."""
        if x.value < 0:
            raise DomainError(f"sqrt of {x.value.str(6)}, which is negative")
        if x.value >= 0 and x.value.contains(0) and not x.value.is_exact():
            return Ball(nonnegative_ball(x.value.upper().sqrt()))
        return Ball(x.value.sqrt())

    def maximum(self, x: Ball, y: Ball) -> Ball:
        """Return the larger of two."""
        a, b = x.value, y.value
        if not (a.is_finite() and b.is_finite()):
            return Ball(arb.nan())
        return x if a >= b else y if a <= b else Ball(a.max(b))


class ExactValue(FormulaValue[Exact]):
    """A number of the exact field, of a size that stays quick."""

    __slots__ = ()

    def _lift(self, number: int | Fraction) -> ExactValue:
        return ExactValue(Exact(number))

    def _add(self, other: ExactValue) -> ExactValue:
        return _sized(self.value + other.value)

    def _multiply(self, other: ExactValue) -> ExactValue:
        return _sized(self.value * other.value)

    def _divide(self, other: ExactValue) -> ExactValue:
        if other.value == 0:
            raise DomainError("division by zero")
        return _sized(self.value / other.value)

    def _power(self, exponent: int) -> ExactValue:
        if exponent > 1 and _size(self.value) * exponent > _MAX_SIZE:
            raise LeavesFieldError("an exact power would be long")
        return ExactValue(self.value**exponent)

    def _as_integer(self) -> int | None:
        fraction = self.value.as_fraction() if self.value.is_rational else Fraction(1, 2)
        return fraction.numerator if fraction.denominator == 1 else None

    def __neg__(self) -> ExactValue:
        return ExactValue(-self.value)


def _at_zero(value: RationalLike) -> Callable[[ExactFunctions, ExactValue], ExactValue]:
    """Return a function that is known at 0 only."""

    def apply(_: ExactFunctions, x: ExactValue) -> ExactValue:
        if x.value != 0:
            raise LeavesFieldError("the error function away from 0")
        return ExactValue(Exact(value))

    return apply


class ExactFunctions(RealFunctions[ExactValue]):
    """The real functions where they stay in the exact field.

    Exponentials of rationals, logarithms of e^r, roots of rational squares, values at 0;
    everything else raises :class:`LeavesFieldError`.
    """

    erf = _at_zero(0)
    erfc = _at_zero(1)
    normal_cdf = _at_zero("1/2")

    @property
    def pi(self) -> ExactValue:
        """The number π, which raises: it is not in the exact field."""
        raise LeavesFieldError("pi")

    def constant(self, value: RationalLike) -> ExactValue:
        """Return a rational constant."""
        return ExactValue(Exact(value))

    def exp(self, x: ExactValue) -> ExactValue:
        """Return e^x for rational x."""
        if not x.value.is_rational:
            raise LeavesFieldError("exp of an irrational number")
        return ExactValue(Exact.exp(x.value.as_fraction()))

    def log(self, x: ExactValue) -> ExactValue:
        """Return r for x = e^r."""
        if x.value <= 0:
            raise DomainError(f"log of {x.value}, which is not positive")
        exponent = x.value.monomial_exponent()
        if exponent is None:
            raise LeavesFieldError("the logarithm of a number that is not a power of e")
        return ExactValue(Exact(exponent))

    def sqrt(self, x: ExactValue) -> ExactValue:
        """Return the root of a rational square."""
        if x.value < 0:
            raise DomainError(f"sqrt of {x.value}, which is negative")
        if x.value.is_rational:
            square = x.value.as_fraction()
            root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
            if root * root == square:
                return ExactValue(Exact(root))
        raise LeavesFieldError("the root of a number that is not a rational square")

    def maximum(self, x: ExactValue, y: ExactValue) -> ExactValue:
        """Return the larger of two."""
        return x if x.value >= y.value else y


def _is_wide(x: arb) -> bool:
    return bool(x.is_finite()) and x.rel_accuracy_bits() < _NARROW_BITS


def _increasing(function: Callable[[arb], arb], x: arb) -> arb:
    """Return the values of an increasing function; an interval through its ends."""
    if not _is_wide(x):
        return function(x)
    return function(x.lower()).union(function(x.upper()))


def _product(x: arb, y: arb) -> arb:
    """Return the product; of two intervals of one sign each, through their ends."""
    if not (_is_wide(x) and _is_wide(y)):
        return x * y
    # The middle and radius of a product of [0, a] and [0, b] would reach below 0.
    if x <= 0:
        return -_product(-x, y)
    if y <= 0:
        return -_product(x, -y)
    if not (x >= 0 and y >= 0):
        return x * y
    if x.contains(0) or y.contains(0):
        return nonnegative_ball(x.upper() * y.upper())
    return (x.lower() * y.lower()).union(x.upper() * y.upper())


def _power_of_ball(x: arb, n: int) -> arb:
    """Return x^n as a ball; wide balls by their ends, as FLINT would widen them."""
    if n == 0:
        return arb(1)
    if not _is_wide(x):
        return x**n
    if n % 2 == 1 or x > 0:
        return _increasing(lambda b: b**n, x)
    if x.contains(0):
        return nonnegative_ball(x.abs_upper() ** n)
    return _increasing(lambda b: b**n, -x)


def _size(x: Exact) -> int:
    """Return about the bits of an exact number, all coefficients together."""
    parts: tuple[Any, ...] = (x.numerator, x.denominator)
    return sum(int(p.length()) * int(p.height_bits()) for p in parts)


def _sized(x: Exact) -> ExactValue:
    """Return an exact value, if it is not too long."""
    if _size(x) > _MAX_SIZE:
        raise LeavesFieldError("an exact value would be long")
    return ExactValue(x)
