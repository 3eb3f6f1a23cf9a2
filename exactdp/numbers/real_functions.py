"""One formula, many number systems.

A published bound is written once, as a Python function of a number system ``f`` and
of named numbers; it uses + - * /, integer powers and the functions of ``f``:

    def amplified(f, *, n, epsilon0):
        return f.log(1 + (f.exp(epsilon0) - 1) * f.sqrt(f.constant("1/2") / n))

In doubles that is the bound which people deploy, in balls it is the mathematics.

Every argument becomes a number of the system. An int that must stay one (a range, a
binomial coefficient) is bound by the caller with ``functools.partial``.

The systems are in ``number_systems``, Taylor series in ``taylor``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flint import arb

from exactdp.errors import BeyondRangeError, DomainError, TooLargeError, UndecidedError
from exactdp.numbers.arguments import NumberLike, number
from exactdp.numbers.balls import TOLD_BITS, endpoints, precisions, working_bits
from exactdp.numbers.exact import Exact
from exactdp.numbers.near_zero import log1pmx_near_zero
from exactdp.numbers.number_systems import (
    Ball,
    BallFunctions,
    ExactFunctions,
    ExactValue,
    LeavesFieldError,
    RealFunctions,
)
from exactdp.numbers.reals import Number, Real
from exactdp.numbers.rounding import Rounding, float_rounded
from exactdp.numbers.text import RationalLike

__all__ = [
    "Argument",
    "Ball",
    "BallFunctions",
    "Bound",
    "ExactFunctions",
    "FloatFunctions",
    "RealFunctions",
    "evaluate",
    "evaluate_exact",
    "evaluate_float",
    "lower_float",
    "nearest_float",
    "upper_float",
]

Bound = Callable[..., Any]
"""A formula: called with a number system and named numbers of it."""

Argument = NumberLike
"""The types of an argument of a formula; a float is the binary number that it is."""


class FloatFunctions(RealFunctions[float]):
    """The real functions in doubles, through Python's ``math``: the bound as deployed."""

    pi = math.pi
    exp = staticmethod(math.exp)
    expm1 = staticmethod(math.expm1)
    log = staticmethod(math.log)
    log1p = staticmethod(math.log1p)
    sqrt = staticmethod(math.sqrt)
    erf = staticmethod(math.erf)
    erfc = staticmethod(math.erfc)
    maximum = staticmethod(max)
    minimum = staticmethod(min)

    def constant(self, value: RationalLike) -> float:
        """Return the double nearest to a rational."""
        return nearest_float(Exact(value))

    def log1pmx(self, x: float) -> float:
        """Return log(1 + x) - x; near 0 by the series of :func:`log1pmx_near_zero`."""
        return log1pmx_near_zero(x) if abs(x) < 0.5 else math.log1p(x) - x

    def normal_cdf(self, x: float) -> float:
        """Return P(N(0, 1) <= x), as erfc(-x / sqrt(2)) / 2."""
        return math.erfc(-x / math.sqrt(2)) / 2


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
    name = getattr(bound, "__name__", type(bound).__name__)
    result = Real(partial(_ball_of, bound, numbers), f"{name}({_text(numbers)})")
    result.ball(64)  # a formula without a value says so now, not when it is printed
    return result


def _ball_of(bound: Bound, numbers: Mapping[str, Number]) -> arb:
    """Return a formula as a ball at the working precision."""
    functions = BallFunctions()
    balls = {name: Ball(x.ball(working_bits())) for name, x in numbers.items()}
    try:
        value: Ball = bound(functions, **balls)
    except DomainError as error:
        raise _no_value(numbers, error) from None
    return value.value if isinstance(value, Ball) else functions.constant(value).value


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
    for name, x in _numbers(arguments).items():
        if not isinstance(x, Exact):
            return None
        values[name] = ExactValue(x)
    try:
        result = bound(ExactFunctions(), **values)
    except (LeavesFieldError, TooLargeError):
        return None
    except DomainError as error:
        raise _no_value(arguments, error) from None
    return result.value if isinstance(result, ExactValue) else Exact(result)


def evaluate_float(bound: Bound, /, **arguments: Argument) -> float:
    """Return the value of a formula in doubles; arguments go to the nearest double first.

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
    except (ValueError, ArithmeticError) as error:
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
    return _safe_float(bound, arguments, Rounding.UP)


def lower_float(bound: Bound, /, **arguments: Argument) -> float:
    """Return a double that is never above the formula's mathematical value."""
    return _safe_float(bound, arguments, Rounding.DOWN)


def nearest_float(x: Number) -> float:
    """Return the double nearest to a number (ties to even).

    Raises:
        DomainError: If it is beyond the largest double.
        UndecidedError: If a computable real sits in the middle as far as balls see.
    """
    found = float_rounded(x, Rounding.NEAREST)
    if math.isinf(found):
        raise DomainError(f"{x!r} is beyond the largest double. Use smaller numbers.")
    return found


def _numbers(arguments: Mapping[str, Argument]) -> dict[str, Number]:
    return {name: number(x, name=name) for name, x in arguments.items()}


def _safe_float(bound: Bound, arguments: Mapping[str, Argument], rounding: Rounding) -> float:
    """Return a formula as a double, rounded to one side."""
    exact = evaluate_exact(bound, **arguments)
    if exact is not None:
        return float_rounded(exact, rounding)
    value = evaluate(bound, **arguments)
    found: set[float] = set()
    for bits in precisions(max_bits=TOLD_BITS):
        ball = value.ball(bits)
        try:
            if ball.is_finite():
                found = {float_rounded(Exact(end), rounding) for end in endpoints(ball)}
        except BeyondRangeError:
            if not ball.contains(0):  # else it is wide: more bits may show a small number
                raise
        if len(found) == 1:
            break
    if not found:
        raise UndecidedError(
            f"{value!r} has no finite ball at {TOLD_BITS} bits. Take another number."
        )
    return max(found) if rounding is Rounding.UP else min(found)


def _text(arguments: Mapping[str, Argument]) -> str:
    shown = {name: x.text if isinstance(x, Real) else str(x) for name, x in arguments.items()}
    return ", ".join(f"{name}={x}" for name, x in shown.items())


def _no_value(arguments: Mapping[str, Argument], error: Exception) -> DomainError:
    where = f" at {_text(arguments)}" if arguments else ""
    return DomainError(f"the formula has no value{where}: {error}.")
