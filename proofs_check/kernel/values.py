"""Exact rationals, and intervals rounded outward.

A value is a Fraction (exact) or an Interval. The operators + - * / and abs work on both, and
mixed; exact operands give exact results. An interval contains the real number it stands for:
every operation rounds the lower end down and the upper end up, and owns that rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from .results import require


@dataclass(frozen=True, slots=True)
class Interval:
    """All reals from lo * 2**exponent to hi * 2**exponent; operators round to its ``bits``."""

    lo: int
    hi: int
    exponent: int
    bits: int

    def top(self) -> int:
        """Return the least t with abs(x) < 2**t for all x inside (far below all others for 0)."""
        size = max(-self.lo, self.hi).bit_length()
        return size + self.exponent if size else -(1 << 99)

    def at(self, exponent: int) -> tuple[int, int]:
        """Return lo and hi in units of 2**exponent, rounded outward."""
        s = self.exponent - exponent
        return (self.lo << s, self.hi << s) if s >= 0 else (self.lo >> -s, -(-self.hi >> -s))

    def __add__(self, other: "Real") -> "Interval":
        """Return self + other."""
        (a, b), (c, d), e = _aligned(self, enclose(other, self.bits))
        return _rounded(a + c, b + d, e, self.bits)

    __radd__ = __add__

    def __neg__(self) -> "Interval":
        """Return -self; exact."""
        return Interval(-self.hi, -self.lo, self.exponent, self.bits)

    def __sub__(self, other: "Real") -> "Interval":
        """Return self - other."""
        return self + -other

    def __rsub__(self, other: "Real") -> "Interval":
        """Return other - self."""
        return -self + other

    def __mul__(self, other: "Real") -> "Interval":
        """Return self * other."""
        y = enclose(other, self.bits)
        corners = self.lo * y.lo, self.lo * y.hi, self.hi * y.lo, self.hi * y.hi
        return _rounded(min(corners), max(corners), self.exponent + y.exponent, self.bits)

    __rmul__ = __mul__

    def __truediv__(self, other: "Real") -> "Interval":
        """Return self / other."""
        y = enclose(other, self.bits)
        require(not y.lo <= 0 <= y.hi, "division by what is not certainly different from 0")
        s = self.bits + 2 + max(-y.lo, y.hi).bit_length()
        corners = [(m << s, n) for m in (self.lo, self.hi) for n in (y.lo, y.hi)]
        lo, hi = min(m // n for m, n in corners), max(-(-m // n) for m, n in corners)
        return _rounded(lo, hi, self.exponent - y.exponent - s, self.bits)

    def __rtruediv__(self, other: "Real") -> "Interval":
        """Return other / self."""
        return enclose(other, self.bits) / self

    def __abs__(self) -> "Interval":
        """Return the absolute value; exact."""
        return Interval(max(0, self.lo, -self.hi), max(-self.lo, self.hi), self.exponent, self.bits)

    def __pow__(self, n: int) -> "Interval":
        """Return self**n, for n >= 0."""
        return _power(self, n)


Value: TypeAlias = Fraction | Interval
Real: TypeAlias = int | Fraction | Interval

RELATIONS = ("<", "<=", "=", "!=", ">=", ">")
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def _rounded(lo: int, hi: int, exponent: int, bits: int) -> Interval:
    s = max(0, lo.bit_length() - bits, hi.bit_length() - bits)
    return Interval(lo >> s, -(-hi >> s), exponent + s, bits)


def enclose(x: Real, bits: int) -> Interval:
    """Return an interval of that many bits that contains x."""
    if isinstance(x, Interval):
        return x if x.bits == bits else _rounded(x.lo, x.hi, x.exponent, bits)
    n, d = x.numerator, x.denominator
    s = max(0, bits + 2 + d.bit_length() - n.bit_length()) if d > 1 else 0
    return _rounded((n << s) // d, -((-n << s) // d), -s, bits)


def _aligned(x: Interval, y: Interval) -> tuple[tuple[int, int], tuple[int, int], int]:
    # What lies 2**(bits + 8) below the larger of the two is rounded off: no shift is huge.
    exponent = max(min(x.exponent, y.exponent), max(x.top(), y.top()) - x.bits - 8)
    return x.at(exponent), y.at(exponent), exponent


def increasing(f: Callable[[Value], Value], x: Value, bits: int) -> Interval:
    """Return an enclosure of f on x, for an increasing f that accepts single numbers."""
    if isinstance(x, Fraction):
        return enclose(f(x), bits)
    low, high = (enclose(f(Interval(m, m, x.exponent, x.bits)), bits) for m in (x.lo, x.hi))
    (lo, _), (_, hi), exponent = _aligned(low, high)
    return _rounded(lo, hi, exponent, bits)


def _difference(m: int, e: int, k: int, f: int) -> int:
    """Return an integer with the sign of m * 2**e - k * 2**f."""
    # One shift beyond both lengths decides as well as a longer one.
    s = min(abs(e - f), 1 + max(m.bit_length(), k.bit_length()))
    return (m << s) - k if e > f else m - (k << s)


def ends(x: Real) -> tuple[int, int, int, int]:
    """Return (a, b, e, d), where x lies between a * 2**e / d and b * 2**e / d."""
    if isinstance(x, Interval):
        return x.lo, x.hi, x.exponent, 1
    return x.numerator, x.numerator, 0, x.denominator


def size(*values: object) -> int:
    """Return the bits that a multiplication of these values handles."""
    bits = 0
    for x in values:
        if type(x) is Interval:
            bits += 2 * x.bits
        elif isinstance(x, (int, Fraction)):
            n, d = x.as_integer_ratio()
            bits += n.bit_length() + d.bit_length()
    return bits


def separation(x: Real, y: Real) -> tuple[int, int]:
    """Return integers with the signs of (lowest x - highest y) and (highest x - lowest y)."""
    (a, b, e, d), (lo, hi, f, g) = ends(x), ends(y)
    return _difference(a * g, e, hi * d, f), _difference(b * g, e, lo * d, f)


def holds(relation: str, x: Value, y: Value) -> bool | None:
    """Return whether x relation y is certainly true, certainly false, or None: undecided."""
    low, high = separation(x, y)
    if relation in ("=", "!="):
        # An interval is never known to be equal to anything, even when its ends agree.
        answer = False if low > 0 or high < 0 else None if Interval in (type(x), type(y)) else True
    elif relation in ("<", ">="):
        answer = True if high < 0 else False if low >= 0 else None
    else:
        answer = True if high <= 0 else False if low > 0 else None
    return answer if answer is None or relation in ("=", "<", "<=") else not answer


def positive_part(x: Real) -> Real:
    """Return max(0, x); exact."""
    if isinstance(x, Interval):
        return Interval(max(0, x.lo), max(0, x.hi), x.exponent, x.bits)
    return max(x, 0)


def maximum(x: Value, y: Value, bits: int) -> Value:
    """Return the larger of x and y."""
    low, high = separation(x, y)
    if low >= 0 or high <= 0:
        return x if low >= 0 else y
    (a, b), (c, d), exponent = _aligned(enclose(x, bits), enclose(y, bits))
    return _rounded(max(a, c), max(b, d), exponent, bits)


def multiply(x: Value, y: Value) -> Value:
    """Return x * y; exact 0 times anything is exact 0."""
    return x * y if x and y else ZERO  # an interval is never known to be 0


def divide(x: Value, y: Value) -> Value:
    """Return x / y."""
    require(holds("!=", y, ZERO), "division by what is not certainly different from 0")
    return ZERO if x == 0 else x / y


@lru_cache(maxsize=256)  # a sum in a sum has the same powers again and again
def _power(x: Interval, n: int) -> Interval:
    # abs(x)**n for even n, and x**n for odd n, are increasing.
    base = x if n % 2 else abs(x)
    ends = (base.lo, False), (base.hi, True)
    low, high = (_power_of_end(m, base.exponent, n, x.bits, up=up) for m, up in ends)
    (lo, _), (_, hi), exponent = _aligned(low, high)
    return _rounded(lo, hi, exponent, x.bits)


def _power_of_end(m: int, exponent: int, n: int, bits: int, *, up: bool) -> Interval:
    # (m * 2**exponent)**n, rounded up or down: abs(m)**n is squared, one bit of n after another,
    # and rounded away from 0 or towards it. More bits pay for the roundings, which n amplifies.
    more, away = bits + 2 * n.bit_length() + 4, up == (m > 0)
    k, shift = 1, 0
    for bit in bin(n)[2:]:
        k, shift = k * k * (abs(m) if bit == "1" else 1), 2 * shift
        s = max(0, k.bit_length() - more)
        k, shift = (-(-k >> s) if away else k >> s), shift + s
    k = k if m > 0 or n % 2 == 0 else -k
    return enclose(Interval(k, k, exponent * n + shift, more), bits)
