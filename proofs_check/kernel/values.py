"""Exact rationals, and intervals of dyadic rationals rounded outward.

A dyadic is a pair (m, e) of integers and means m * 2**e. An interval contains the real
number it stands for: lower endpoints are rounded down and upper endpoints up, to a given
number of significant bits. So an operation adds only its own rounding, which it owns.

A value is a Fraction (exact) or an Interval. Exact operands give exact results.
"""

from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple, TypeAlias

from .results import UndecidedError, UndefinedError

Dyadic: TypeAlias = tuple[int, int]


class Interval(NamedTuple):
    """All real numbers from ``lo`` to ``hi``, both included."""

    lo: Dyadic
    hi: Dyadic


Value: TypeAlias = Fraction | Interval

ONE = Interval((1, 0), (1, 0))
ZERO = Interval((0, 0), (0, 0))
HALF = Interval((1, -1), (1, -1))
UNIT = Interval((-1, 0), (1, 0))


def top(a: Dyadic) -> int:
    """Return t with 2**(t-1) <= |a| < 2**t (for a nonzero)."""
    return a[0].bit_length() + a[1]


def compare(a: Dyadic, b: Dyadic) -> int:
    """Return a negative, zero or positive integer as a < b, a = b or a > b; exact."""
    (m, e), (k, f) = a, b
    if m == 0 or k == 0 or (m > 0) != (k > 0):
        return m - k
    if top(a) != top(b):
        return m if top(a) > top(b) else -m
    # The tops agree, so this shift is no longer than the longer mantissa.
    low = min(e, f)
    return (m << (e - low)) - (k << (f - low))


_order = cmp_to_key(compare)


def round_down(a: Dyadic, bits: int) -> Dyadic:
    """Return the largest dyadic of that many bits that is at most a."""
    s = a[0].bit_length() - bits
    return (a[0] >> s, a[1] + s) if s > 0 else a


def round_up(a: Dyadic, bits: int) -> Dyadic:
    """Return a dyadic of that many bits (or a power of two) that is at least a."""
    s = a[0].bit_length() - bits
    return (-(-a[0] >> s), a[1] + s) if s > 0 else a


def _add_down(a: Dyadic, b: Dyadic, bits: int) -> Dyadic:
    if a[0] == 0 or b[0] == 0:
        return round_down(b if a[0] == 0 else a, bits)
    if top(a) < top(b):
        a, b = b, a
    base = min(a[1], top(a) - bits - 2)
    if top(b) <= base:
        # |b| < 2**base: replaced by 0 or -1 unit, never above b. Avoids a huge shift.
        b = (0 if b[0] > 0 else -1, base)
    low = min(base, b[1])
    return round_down(((a[0] << (a[1] - low)) + (b[0] << (b[1] - low)), low), bits)


def _minus(a: Dyadic) -> Dyadic:
    return (-a[0], a[1])


def _quotient_down(a: Dyadic, b: Dyadic, bits: int) -> Dyadic:
    """Return a/b rounded down, for b > 0."""
    s = max(0, bits + 2 - a[0].bit_length() + b[0].bit_length())
    return round_down(((a[0] << s) // b[0], a[1] - b[1] - s), bits)


def _quotient_up(a: Dyadic, b: Dyadic, bits: int) -> Dyadic:
    return _minus(_quotient_down(_minus(a), b, bits))


def ratio(numerator: int, denominator: int, bits: int) -> Interval:
    """Return an interval that contains numerator/denominator, for denominator > 0."""
    if numerator == 0:
        return ZERO
    a, b = (numerator, 0), (denominator, 0)
    return Interval(_quotient_down(a, b, bits), _quotient_up(a, b, bits))


def enclose(x: Value, bits: int) -> Interval:
    """Return an interval that contains x, rounded outward to that many bits."""
    if isinstance(x, Fraction):
        return ratio(x.numerator, x.denominator, bits)
    return Interval(round_down(x.lo, bits), round_up(x.hi, bits))


def i_neg(a: Interval) -> Interval:
    """Return -a."""
    return Interval(_minus(a.hi), _minus(a.lo))


def i_add(a: Interval, b: Interval, bits: int) -> Interval:
    """Return a + b."""
    hi = _minus(_add_down(_minus(a.hi), _minus(b.hi), bits))
    return Interval(_add_down(a.lo, b.lo, bits), hi)


def i_mul(a: Interval, b: Interval, bits: int) -> Interval:
    """Return a * b."""
    (m, e), (k, f) = a.lo, b.lo
    if m >= 0 and k >= 0:
        hi = (a.hi[0] * b.hi[0], a.hi[1] + b.hi[1])
        return Interval(round_down((m * k, e + f), bits), round_up(hi, bits))
    corners = [(x[0] * y[0], x[1] + y[1]) for x in a for y in b]
    return Interval(
        round_down(min(corners, key=_order), bits), round_up(max(corners, key=_order), bits)
    )


def i_div(a: Interval, b: Interval, bits: int) -> Interval:
    """Return a / b."""
    if b.lo[0] <= 0 <= b.hi[0]:
        raise UndecidedError(
            "div: the divisor's enclosure contains 0; more precision_bits may help"
        )
    if b.hi[0] < 0:
        a, b = i_neg(a), i_neg(b)
    return Interval(
        _quotient_down(a.lo, b.hi if a.lo[0] >= 0 else b.lo, bits),
        _quotient_up(a.hi, b.lo if a.hi[0] >= 0 else b.hi, bits),
    )


def scaled(a: Interval, exponent: int) -> Interval:
    """Return a * 2**exponent; exact."""
    return Interval((a.lo[0], a.lo[1] + exponent), (a.hi[0], a.hi[1] + exponent))


def magnitude(a: Interval) -> Dyadic:
    """Return the largest absolute value in a."""
    return max((abs(a.lo[0]), a.lo[1]), (abs(a.hi[0]), a.hi[1]), key=_order)


def endpoints(x: Value) -> tuple[Dyadic, Dyadic, int]:
    """Return (lo, hi, d): x lies in [lo/d, hi/d]; exact for a Fraction."""
    if isinstance(x, Fraction):
        return (x.numerator, 0), (x.numerator, 0), x.denominator
    return x.lo, x.hi, 1


def separation(x: Value, y: Value) -> tuple[int, int]:
    """Return the signs of (lowest x - highest y) and (highest x - lowest y)."""
    (a, b, d), (c, e, f) = endpoints(x), endpoints(y)
    low = compare((a[0] * f, a[1]), (e[0] * d, e[1]))
    high = compare((b[0] * f, b[1]), (c[0] * d, c[1]))
    return low, high


def holds(relation: str, x: Value, y: Value) -> bool | None:
    """Return whether x relation y is certainly true, certainly false, or None: undecided."""
    low, high = separation(x, y)
    exact = isinstance(x, Fraction) and isinstance(y, Fraction)
    if relation in (">", ">="):
        return holds("<" if relation == ">" else "<=", y, x)
    if relation == "<":
        return True if high < 0 else False if low >= 0 else None
    if relation == "<=":
        return True if high <= 0 else False if low > 0 else None
    # An interval is never known to be equal to anything, even when its endpoints agree.
    equal = False if low > 0 or high < 0 else True if exact else None
    if relation == "!=":
        return None if equal is None else not equal
    return equal


def add(x: Value, y: Value, bits: int) -> Value:
    """Return x + y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    if x == 0 or y == 0:
        return y if x == 0 else x
    return i_add(enclose(x, bits), enclose(y, bits), bits)


def neg(x: Value) -> Value:
    """Return -x."""
    return -x if isinstance(x, Fraction) else i_neg(x)


def mul(x: Value, y: Value, bits: int) -> Value:
    """Return x * y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    if x == 0 or y == 0:
        return Fraction(0)
    return i_mul(enclose(x, bits), enclose(y, bits), bits)


def div(x: Value, y: Value, bits: int) -> Value:
    """Return x / y."""
    if y == 0:
        raise UndefinedError("div: division by zero")
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    return Fraction(0) if x == 0 else i_div(enclose(x, bits), enclose(y, bits), bits)


def maximum(x: Value, y: Value, bits: int) -> Value:
    """Return the larger of x and y."""
    low, high = separation(x, y)
    if low >= 0 or high <= 0:
        return x if low >= 0 else y
    a, b = enclose(x, bits), enclose(y, bits)
    return Interval(max(a.lo, b.lo, key=_order), max(a.hi, b.hi, key=_order))


def minimum(x: Value, y: Value, bits: int) -> Value:
    """Return the smaller of x and y."""
    return neg(maximum(neg(x), neg(y), bits))


def absolute(x: Value, bits: int) -> Value:
    """Return |x|."""
    return maximum(x, neg(x), bits) if isinstance(x, Fraction) else _i_abs(x)


def _i_abs(a: Interval) -> Interval:
    if a.lo[0] >= 0 or a.hi[0] <= 0:
        return a if a.lo[0] >= 0 else i_neg(a)
    return Interval((0, 0), magnitude(a))


def _point_power(a: Dyadic, n: int, bits: int) -> Interval:
    result, square = ONE, Interval(a, a)
    while n:
        if n & 1:
            result = i_mul(result, square, bits)
        n >>= 1
        if n:
            square = i_mul(square, square, bits)
    return result


def power(x: Value, n: int, bits: int) -> Value:
    """Return x**n, with x**0 = 1."""
    if n == 0:
        return Fraction(1)
    if n < 0:
        return div(Fraction(1), power(x, -n, bits), bits)
    if isinstance(x, Fraction):
        return x**n
    # |x|**n for even n and x**n for odd n are increasing: the endpoints decide. The extra
    # bits pay for the roundings, which n amplifies.
    a, extra = (_i_abs(x) if n % 2 == 0 else x), bits + 2 * n.bit_length() + 4
    lo, hi = _point_power(a.lo, n, extra).lo, _point_power(a.hi, n, extra).hi
    return Interval(round_down(lo, bits), round_up(hi, bits))
