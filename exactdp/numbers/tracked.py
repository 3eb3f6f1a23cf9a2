"""Doubles that carry a bound on their error: a formula in doubles with a proven end.

Each value is a double v with e >= |v − x|, where x is the number that it stands for. The operations
+ - * / and the square root are rounded to the nearest double (IEEE 754), so each adds half an ulp
of its result to what its arguments bring; exp, log and their kin are those of the C library, which
are taken to be within :data:`LIBM_ULPS` of the truth. The bounds themselves are computed in
doubles and enlarged by a factor that covers their own rounding.

Definitions: :class:`Tracked`, :class:`TrackedFunctions`, :func:`safe_double`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isfinite, ulp
from sys import float_info
from typing import Any

from exactdp.errors import DomainError
from exactdp.numbers.exact import Exact
from exactdp.numbers.near_zero import log1pmx_near_zero
from exactdp.numbers.number_systems import FormulaValue, RealFunctions
from exactdp.numbers.reals import Number
from exactdp.numbers.rounding import Rounding, float_rounded
from exactdp.numbers.text import RationalLike
from exactdp.side import Side

__all__ = ["LIBM_ULPS", "Tracked", "TrackedFunctions", "safe_double"]

LIBM_ULPS = 4
"""How many ulps a function of the C library may be off; glibc states 1 to 2 for those used here."""

_MORE = 1 + 2.0**-49
"""Covers the rounding of a bound, which takes at most six operations of positive doubles."""

_COUNTED = 2.0**53
"""Doubles are all integers up to here."""


class Tracked(FormulaValue[float]):
    """A double, and how far it may be from the number that it stands for."""

    __slots__ = ("error",)

    def __init__(self, value: float, error: float) -> None:
        if not (isfinite(value) and isfinite(error)):
            raise DomainError("a double, or the bound on its error, overflows")
        self.value, self.error = value, error

    @classmethod
    def of_count(cls, number: int) -> Tracked:
        """Return an integer that doubles count with exactly, at most 2^53."""
        return cls(float(number), 0.0)

    def _lift(self, number: int | Fraction) -> Tracked:
        if isinstance(number, int) and abs(number) <= _COUNTED:
            return Tracked(float(number), 0.0)
        return _rounded(Exact(number))

    def _add(self, other: Tracked) -> Tracked:
        total = self.value + other.value
        if self.error == 0 == other.error and _is_sum(self.value, other.value, total):
            return Tracked(total, 0.0)
        return _after(total, self.error + other.error)

    def _multiply(self, other: Tracked) -> Tracked:
        a, b, product = abs(self.value), abs(other.value), self.value * other.value
        if self.error == 0 == other.error:
            return Tracked(product, 0.0) if _is_product(a, b) else _after(product, 0.0)
        if (a == 0 and self.error == 0) or (b == 0 and other.error == 0):
            return Tracked(0.0, 0.0)
        return _after(product, a * other.error + b * self.error + self.error * other.error)

    def _divide(self, other: Tracked) -> Tracked:
        least = abs(other.value) - other.error
        if least <= 0 or least * (1 - 2.0**-52) <= 0:
            raise DomainError("division by what may be zero")
        quotient = self.value / other.value
        brought = (self.error + abs(quotient) * other.error) / least
        return _after(quotient, brought)

    def _power(self, exponent: int) -> Tracked:
        found = Tracked(1.0, 0.0)
        square = self
        while exponent:
            if exponent & 1:
                found = found._multiply(square)
            exponent >>= 1
            if exponent:
                square = square._multiply(square)
        return found

    def _as_integer(self) -> int | None:
        return int(self.value) if self.error == 0 and self.value.is_integer() else None

    def __neg__(self) -> Tracked:
        return Tracked(-self.value, self.error)


def _is_sum(a: float, b: float, total: float) -> bool:
    """Return whether a sum is not rounded, by Knuth's TwoSum."""
    rest = total - a
    return (a - (total - rest)) + (b - rest) == 0


def _is_product(a: float, b: float) -> bool:
    """Return whether a product is not rounded: 0, of small integers, or by a power of 2."""
    if a == 0 or b == 0:
        return True
    if a * b <= _COUNTED and a.is_integer() and b.is_integer():
        return True
    return a * b >= float_info.min and 0.5 in (math.frexp(a)[0], math.frexp(b)[0])


def _after(value: float, brought: float, ulps: float = 0.5) -> Tracked:
    """Return a result that is so many ulps off, added to the error of its arguments."""
    return Tracked(value, brought * _MORE + ulps * ulp(value) + ulp(0.0))


def _rounded(number: Number) -> Tracked:
    value = float_rounded(number, Rounding.NEAREST)
    is_rational = isinstance(number, Exact) and number.is_rational
    if is_rational and math.isfinite(value) and Exact(Fraction(value)) == number:
        return Tracked(value, 0.0)
    return _after(value, 0.0)


def _from_libm(
    function: Callable[[float], float], slope: Callable[[float, float], float], name: str
) -> Callable[[TrackedFunctions, Tracked], Tracked]:
    """Return a function of tracked doubles.

    Args:
        function: It, in doubles.
        slope: Returns the largest derivative within an error of a double, as it was computed.
        name: It, for errors.
    """

    def apply(_: TrackedFunctions, x: Tracked) -> Tracked:
        try:
            value = function(x.value)
            steepest = slope(x.value, x.error) if x.error else 0.0
        except (ValueError, OverflowError, ZeroDivisionError):
            raise DomainError(f"{name} of {x.value} has no value in doubles") from None
        # The slope is computed in the same library: it is enlarged by as many ulps.
        more = 1 + 4 * LIBM_ULPS * 2.0**-52
        return _after(value, x.error * steepest * more, LIBM_ULPS)

    return apply


def _up(x: float) -> float:
    return math.nextafter(x, math.inf)


def _inverse(least: float) -> float:
    if least <= 0:
        raise ValueError
    return 1 / least


def _bell(least: float) -> float:
    """Return more than 2/√π e^(−x²) for all |x| >= least."""
    return 1.2 * math.exp(-(max(0.0, least) ** 2)) + ulp(0.0)


class TrackedFunctions(RealFunctions[Tracked]):
    """The real functions in doubles that carry a bound on their error."""

    exp = _from_libm(math.exp, lambda v, e: math.exp(_up(v + e)), "exp")
    expm1 = _from_libm(math.expm1, lambda v, e: math.exp(_up(v + e)), "expm1")
    log = _from_libm(math.log, lambda v, e: _inverse(-_up(e - v)), "log")
    log1p = _from_libm(math.log1p, lambda v, e: _inverse(-_up(_up(e - v) - 1)), "log1p")
    erf = _from_libm(math.erf, lambda v, e: _bell(abs(v) - e), "erf")
    erfc = _from_libm(math.erfc, lambda v, e: _bell(abs(v) - e), "erfc")

    def log1pmx(self, x: Tracked) -> Tracked:
        """Return log(1 + x) - x; near 0 by a series, with a bound of its rest."""
        if abs(x.value) + x.error > 0.5:
            return self.log1p(x) - x
        found: Tracked = log1pmx_near_zero(x)
        return Tracked(found.value, found.error + 1e-18 * (abs(found.value) + found.error) * _MORE)

    @property
    def pi(self) -> Tracked:
        """The ratio of circumference to diameter."""
        return _after(math.pi, 0.0)

    def constant(self, value: RationalLike) -> Tracked:
        """Return a rational constant."""
        return _rounded(Exact(value))

    def sqrt(self, x: Tracked) -> Tracked:
        """Return the square root; |√a − √b| <= |a − b|/√a, and at most √|a − b|."""
        if x.value < 0:
            raise DomainError(f"sqrt of {x.value}, which is negative")
        root = math.sqrt(x.value)
        brought = min(x.error / root if root else math.inf, math.sqrt(x.error))
        return _after(root, brought * _MORE)

    def normal_cdf(self, x: Tracked) -> Tracked:
        """Return P(N(0, 1) <= x)."""
        return self.erfc(-x / self.sqrt(self.constant(2))) / 2

    def maximum(self, x: Tracked, y: Tracked) -> Tracked:
        """Return the larger of two."""
        for one, other in ((x, y), (y, x)):
            if one.value - other.value > (one.error + other.error) * _MORE:
                return one
        return Tracked(max(x.value, y.value), max(x.error, y.error))


def safe_double(bound: Callable[..., Any], arguments: Mapping[str, Number], side: Side) -> float:
    """Return a formula in doubles, moved outward by the bound on its error.

    Raises:
        DomainError: If an operation has no value in doubles, or its error no finite bound.

    Example:
        >>> at = {"q": Exact("1e-3"), "epsilon": Exact("1e-16")}
        >>> def sampled(f, *, q, epsilon):
        ...     return f.log1p(q * f.expm1(epsilon))
        >>> safe_double(sampled, at, Side.UPPER), safe_double(sampled, at, Side.LOWER)
        (1.0000000000000013e-19, 9.999999999999987e-20)
    """
    values = {name: _rounded(number) for name, number in arguments.items()}
    found = bound(TrackedFunctions(), **values)
    if not isinstance(found, Tracked):
        found = _rounded(Exact(found))
    if found.error == 0:
        return found.value
    if side is Side.UPPER:
        return math.nextafter(found.value + found.error, math.inf)
    return math.nextafter(found.value - found.error, -math.inf)
