"""One formula, many number systems.

A published bound is written once, as a Python function of a number system ``f`` and
of named numbers; it uses + - * /, integer powers and the functions of ``f``:

    def amplified(f, *, n, epsilon0):
        return f.log(1 + (f.exp(epsilon0) - 1) * f.sqrt(f.constant("1/2") / n))

In doubles that is the bound which people deploy, in balls it is the mathematics.

Every argument becomes a number of the system. An int that must stay one (a range, a
binomial coefficient) is bound by the caller with ``functools.partial``.

The systems of balls and exact numbers are in ``number_systems``, Taylor series in ``taylor``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol, Self, TypeVar

from flint import arb

from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers.balls import ball_of_rational, endpoints, precisions, working_bits
from exactdp.numbers.compare import is_below
from exactdp.numbers.exact import Exact
from exactdp.numbers.number_systems import (
    Ball,
    BallFunctions,
    ExactFunctions,
    ExactValue,
    LeavesFieldError,
)
from exactdp.numbers.parsing import RationalLike, rational
from exactdp.numbers.reals import Number, Real
from exactdp.numbers.rounding import float_above, float_below
from exactdp.truth import Truth

__all__ = [
    "Argument",
    "Ball",
    "BallFunctions",
    "Bound",
    "ExactFunctions",
    "FloatFunctions",
    "RealFunctions",
    "RealNumber",
    "evaluate",
    "evaluate_exact",
    "evaluate_float",
    "lower_float",
    "nearest_float",
    "upper_float",
    "value_of",
]

ROUNDING_BITS = 1 << 14
"""Where a double that need only be safe stops asking for a tighter ball."""


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


class RealFunctions(Protocol[T]):
    """A number system: the real functions on numbers of type T."""

    @property
    def pi(self) -> T: ...  # noqa: D102 - the name says it
    def constant(self, value: RationalLike) -> T: ...  # noqa: D102
    def exp(self, x: T) -> T: ...  # noqa: D102
    def expm1(self, x: T) -> T: ...  # noqa: D102
    def log(self, x: T) -> T: ...  # noqa: D102
    def log1p(self, x: T) -> T: ...  # noqa: D102
    def sqrt(self, x: T) -> T: ...  # noqa: D102
    def erf(self, x: T) -> T: ...  # noqa: D102
    def erfc(self, x: T) -> T: ...  # noqa: D102
    def normal_cdf(self, x: T) -> T: ...  # noqa: D102
    def maximum(self, x: T, y: T) -> T: ...  # noqa: D102
    def minimum(self, x: T, y: T) -> T: ...  # noqa: D102


Bound = Callable[..., Any]
"""A formula: called with a number system and named numbers of it."""

Argument = RationalLike | Number
"""What an argument of a formula may be given as; floats are refused."""


class FloatFunctions:
    """The real functions in doubles, through Python's ``math``: the bound as deployed."""

    pi = math.pi

    def constant(self, value: RationalLike) -> float:
        """Return the double nearest to a rational."""
        return nearest_float(Exact(value))

    def exp(self, x: float) -> float:
        """Return e^x."""
        return math.exp(x)

    def expm1(self, x: float) -> float:
        """Return e^x - 1."""
        return math.expm1(x)

    def log(self, x: float) -> float:
        """Return the natural logarithm."""
        if not x > 0:
            raise DomainError(f"log of {x!r}, which is not positive")
        return math.log(x)

    def log1p(self, x: float) -> float:
        """Return log(1 + x)."""
        if not x > -1:
            raise DomainError(f"log1p of {x!r}, which is not above -1")
        return math.log1p(x)

    def sqrt(self, x: float) -> float:
        """Return the square root."""
        if not x >= 0:
            raise DomainError(f"sqrt of {x!r}, which is negative")
        return math.sqrt(x)

    def erf(self, x: float) -> float:
        """Return the error function."""
        return math.erf(x)

    def erfc(self, x: float) -> float:
        """Return 1 - erf(x)."""
        return math.erfc(x)

    def normal_cdf(self, x: float) -> float:
        """Return P(N(0, 1) <= x), as erfc(-x / sqrt(2)) / 2."""
        return math.erfc(-x / math.sqrt(2)) / 2

    def maximum(self, x: float, y: float) -> float:
        """Return the larger of two."""
        return max(x, y)

    def minimum(self, x: float, y: float) -> float:
        """Return the smaller of two."""
        return min(x, y)


def evaluate(bound: Bound, /, **arguments: Argument) -> Real:
    """Return the mathematical value of a formula, as a computable real.

    Raises:
        DomainError: If the formula has no value there (log of 0, division by 0); it
            names the arguments.

    Example:
        >>> from exactdp.numbers import decimal
        >>> def odds(f, *, epsilon0):
        ...     return f.exp(epsilon0) / (1 + f.exp(epsilon0))
        >>> decimal(evaluate(odds, epsilon0="1/2"), digits=12)
        '0.622459331202'
        >>> evaluate(lambda f, *, n: 1 / n, n=0)
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: the formula has no value at n=0: division by zero.
    """
    numbers = _numbers(arguments)
    functions = BallFunctions()

    def rule() -> arb:
        balls = {name: Ball(x.ball(working_bits())) for name, x in numbers.items()}
        try:
            value: Ball = bound(functions, **balls)
        except DomainError as error:
            raise _no_value(arguments, error) from None
        return value.value if isinstance(value, Ball) else _constant_ball(value)

    name = getattr(bound, "__name__", type(bound).__name__)
    result = Real(rule, f"{name}({_text(arguments)})")
    result.ball(64)  # a formula without a value says so now, not when it is printed
    return result


def evaluate_exact(bound: Bound, /, **arguments: Argument) -> Exact | None:
    """Return the value of a formula if it stays in the exact field, else None.

    Raises:
        DomainError: If the formula has no value there; it names the arguments.

    Example:
        >>> evaluate_exact(lambda f, *, x: f.exp(x) - 1 - x, x=0)
        Exact('0')
        >>> evaluate_exact(lambda f, *, x: f.sqrt(x), x=2)  # no rational root: None
    """
    values = {}
    for name, number in _numbers(arguments).items():
        if not isinstance(number, Exact):
            return None
        values[name] = ExactValue(number)
    try:
        result = bound(ExactFunctions(), **values)
    except (LeavesFieldError, TooLargeError):
        return None
    except DomainError as error:
        raise _no_value(arguments, error) from None
    return result.value if isinstance(result, ExactValue) else Exact(result)


def evaluate_float(bound: Bound, /, **arguments: Argument) -> float:
    """Return what the formula gives in doubles; arguments go to the nearest double first.

    Raises:
        DomainError: If an operation has no value in doubles, or overflows; it names the
            arguments.

    Example:
        >>> evaluate_float(lambda f, *, x: 3 * x, x="0.1")
        0.30000000000000004
    """
    doubles = {name: nearest_float(x) for name, x in _numbers(arguments).items()}
    try:
        result = bound(FloatFunctions(), **doubles)
    except (DomainError, ZeroDivisionError, OverflowError) as error:
        raise _no_value(arguments, error) from None
    if isinstance(result, complex) or math.isnan(result):
        raise _no_value(arguments, DomainError(f"doubles give {result!r}"))
    return float(result)


def upper_float(bound: Bound, /, **arguments: Argument) -> float:
    """Return a double that is never below the formula's mathematical value.

    The smallest such double, unless the value is so near to a double that 16,384 bits
    do not tell on which side; then it may be the next one.

    Example:
        >>> upper_float(lambda f, *, x: 3 * x, x="0.1")
        0.30000000000000004
        >>> lower_float(lambda f, *, x: 3 * x, x="0.1")
        0.3
    """
    return _safe_float(bound, arguments, float_above, end=1)


def lower_float(bound: Bound, /, **arguments: Argument) -> float:
    """Return a double that is never above the formula's mathematical value."""
    return _safe_float(bound, arguments, float_below, end=0)


def nearest_float(x: Number) -> float:
    """Return the double nearest to a number (ties to even).

    Raises:
        DomainError: If it is beyond the largest double.
        UndecidedError: If a computable real sits in the middle as far as balls see.
    """
    if isinstance(x, Exact) and x.is_rational:
        try:
            return float(x.as_fraction())
        except OverflowError:
            raise DomainError("a number is beyond the largest double. Use smaller ones.") from None
    below, above = float_below(x), float_above(x)
    if math.isinf(below) or math.isinf(above):
        raise DomainError(f"{x!r} is beyond the largest double. Use smaller numbers.")
    middle = Exact((Fraction(below) + Fraction(above)) / 2)
    match is_below(x, middle):
        case Truth.TRUE:
            return below
        case Truth.FALSE:
            return above
        case Truth.UNKNOWN:
            raise UndecidedError(f"{x!r} may lie in the middle of two doubles.")


def _numbers(arguments: Mapping[str, Argument]) -> dict[str, Number]:
    return {
        name: x if isinstance(x, Exact | Real) else Exact(rational(x, name=name))
        for name, x in arguments.items()
    }


def value_of(bound: Bound, arguments: Mapping[str, Argument]) -> Number:
    """Return the value of a formula: exact if it stays in the field, else computable."""
    exact = evaluate_exact(bound, **arguments)
    return evaluate(bound, **arguments) if exact is None else exact


def _constant_ball(value: int | Fraction) -> arb:
    return ball_of_rational(rational(value, name="a constant formula"))


def _safe_float(
    bound: Bound, arguments: Mapping[str, Argument], rounded: Callable[[Number], float], *, end: int
) -> float:
    value = value_of(bound, arguments)
    if isinstance(value, Exact):
        return rounded(value)
    best: float | None = None
    for bits in precisions(max_bits=ROUNDING_BITS):
        ball = value.ball(bits)
        if not ball.is_finite():
            continue
        ends = endpoints(ball)
        best = rounded(Exact(ends[end]))
        if best == rounded(Exact(ends[1 - end])):
            break
    if best is None:
        raise UndecidedError(f"{value!r} has no finite ball at {ROUNDING_BITS} bits.")
    return best


def _text(arguments: Mapping[str, Argument]) -> str:
    shown = {name: x.text if isinstance(x, Real) else str(x) for name, x in arguments.items()}
    return ", ".join(f"{name}={x}" for name, x in shown.items())


def _no_value(arguments: Mapping[str, Argument], error: Exception) -> DomainError:
    return DomainError(f"the formula has no value at {_text(arguments)}: {error}.")
