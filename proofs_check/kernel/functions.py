"""exp, log, sqrt, pi, cos and the normal distribution function, by series with remainders.

Each function takes a value and a precision and returns a value that contains the truth for
every real number in its argument. An increasing function is evaluated at the two endpoints
of an interval. Every series names its remainder where it is added; roundings are owned by
the interval operations of values.py. Exact answers (exp 0, log 1, square roots of squares,
cos 0, the normal distribution function at 0) stay exact.

Notation: a point is a Fraction or an interval of one number; ``wp`` is a working precision.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from .results import TooLargeError, UndecidedError, UndefinedError
from .values import (
    HALF,
    ONE,
    UNIT,
    Dyadic,
    Interval,
    Value,
    compare,
    enclose,
    i_add,
    i_div,
    i_mul,
    i_neg,
    magnitude,
    ratio,
    round_down,
    round_up,
    scaled,
    top,
)


def _increasing(f: Callable[[Value, int], Interval], x: Value, bits: int) -> Interval:
    if isinstance(x, Fraction):
        return enclose(f(x, bits), bits)
    lo = f(Interval(x.lo, x.lo), bits).lo
    hi = f(Interval(x.hi, x.hi), bits).hi
    return Interval(round_down(lo, bits), round_up(hi, bits))


def _thin(x: Value, bits: int) -> Interval:
    return enclose(x, bits) if isinstance(x, Fraction) else x


def _within(a: Dyadic) -> Interval:
    return Interval((-a[0], a[1]), a)


def _integer(n: int) -> Interval:
    return Interval((n, 0), (n, 0))


def _halvings(size: int, bits: int) -> int:
    # |x| < 2**size. Balances the number of halvings against the terms of the series;
    # afterwards |x| < 1/16.
    return max(0, size + isqrt(bits) // 2 + 4)


def _size(x: Interval, name: str) -> int:
    size = top(magnitude(x))
    if size > 32:
        raise TooLargeError(f"{name}: the argument must be less than 2^32 in absolute value")
    return size


def exp(x: Value, bits: int) -> Value:
    """Return e**x."""
    return Fraction(1) if x == 0 else _increasing(_exp_point, x, bits)


def _exp_point(x: Value, bits: int) -> Interval:
    """Return exp(x), by exp(x) = exp(x / 2**j) ** (2**j), the inner one by Taylor's series."""
    y = _thin(x, bits + 64)
    if y.lo[0] == 0:
        return ONE
    j = _halvings(_size(y, "exp"), bits)
    wp = bits + j + 32
    y = scaled(y, -j)
    term, total, i = ONE, ONE, 0
    while top(magnitude(term)) >= -wp:
        i += 1
        term = i_div(i_mul(term, y, wp), _integer(i), wp)
        total = i_add(total, term, wp)
    # Remainder after y**i/i!, as |y| <= 1/2: at most |y**i/i!|. This sum owns it.
    total = i_add(total, _within(magnitude(term)), wp)
    for _ in range(j):
        total = i_mul(total, total, wp)
    return total


def log(x: Value, bits: int) -> Value:
    """Return the natural logarithm of x."""
    if isinstance(x, Fraction) and x <= 0:
        raise UndefinedError("log: the argument must be positive")
    if isinstance(x, Interval) and x.lo[0] <= 0:
        if x.hi[0] <= 0:
            raise UndefinedError("log: the argument must be positive")
        raise UndecidedError("log: not certain that the argument is positive")
    return Fraction(0) if x == 1 else _increasing(_log_point, x, bits)


def _log_point(x: Value, bits: int) -> Interval:
    wp = bits + 40
    minus_one = _integer(-1)
    if isinstance(x, Fraction):
        n, d = x.numerator, x.denominator
        if abs(n - d) << 8 < d:
            return _twice_atanh(ratio(n - d, n + d, wp), wp)
    elif compare(magnitude(i_add(x, minus_one, wp)), (1, -8)) < 0:
        # x is one number, so this difference keeps its relative precision.
        z = i_div(i_add(x, minus_one, wp), i_add(x, ONE, wp), wp)
        return _twice_atanh(z, wp) if z.lo[0] or z.hi[0] else z
    y = _thin(x, wp)
    k = top(y.lo)
    wp += abs(k).bit_length()
    reduced = _log_by_roots(scaled(_thin(x, wp), -k), wp)
    return i_add(reduced, i_mul(_integer(k), _log_two(wp), wp), wp)


@lru_cache(maxsize=8)
def _log_two(wp: int) -> Interval:
    return i_neg(_log_by_roots(HALF, wp))


def _log_by_roots(f: Interval, bits: int) -> Interval:
    """Return log f, by log f = 2**s * log(f ** (1 / 2**s)), for f in [1/2, 2] and away from 1."""
    s = isqrt(bits) // 2
    wp = bits + 2 * s + 16
    for _ in range(s):
        f = Interval(_sqrt_down(f.lo, wp), _sqrt_up(f.hi, wp))
    z = i_div(i_add(f, _integer(-1), wp), i_add(f, ONE, wp), wp)
    return scaled(_twice_atanh(z, wp), s)


def _twice_atanh(z: Interval, wp: int) -> Interval:
    """Return log((1 + z) / (1 - z)) = 2 * (z + z**3/3 + z**5/5 + ...), |z| <= 1/3."""
    square, odd, stop = i_mul(z, z, wp), z, top(magnitude(z)) - wp
    total, i = z, 1
    while top(magnitude(odd)) >= stop:
        i += 2
        odd = i_mul(odd, square, wp)
        total = i_add(total, i_div(odd, _integer(i), wp), wp)
    # Remainder after z**i/i: at most |z**i| * z**2 / (1 - z**2) <= |z**i|. This sum owns it.
    return scaled(i_add(total, _within(magnitude(odd)), wp), 1)


def _sqrt_down(a: Dyadic, bits: int) -> Dyadic:
    m, e = a
    s = max(0, 2 * bits + 2 - m.bit_length())
    s += (e - s) % 2
    return round_down((isqrt(m << s), (e - s) // 2), bits)


def _sqrt_up(a: Dyadic, bits: int) -> Dyadic:
    m, e = a
    s = max(0, 2 * bits + 2 - m.bit_length())
    s += (e - s) % 2
    root = isqrt(m << s)
    root += root * root != m << s
    return round_up((root, (e - s) // 2), bits)


def sqrt(x: Value, bits: int) -> Value:
    """Return the nonnegative square root of x; exact for the square of a rational."""
    if isinstance(x, Fraction):
        if x < 0:
            raise UndefinedError("sqrt: the argument must be nonnegative")
        n, d = isqrt(x.numerator), isqrt(x.denominator)
        if n * n == x.numerator and d * d == x.denominator:
            return Fraction(n, d)
        x = enclose(x, bits + 4)
    if x.lo[0] < 0:
        if x.hi[0] < 0:
            raise UndefinedError("sqrt: the argument must be nonnegative")
        raise UndecidedError("sqrt: not certain that the argument is nonnegative")
    return Interval(_sqrt_down(x.lo, bits), _sqrt_up(x.hi, bits))


@lru_cache(maxsize=8)
def pi(bits: int) -> Interval:
    """Return pi by Machin's formula 16 atan(1/5) - 4 atan(1/239)."""
    wp = bits + 64
    value, error = 0, 0
    for factor, q in ((16, 5), (-4, 239)):
        term, n, sign = (1 << wp) // q, 1, 1
        while term:
            value += factor * sign * (term // n)
            term, n, sign = term // (q * q), n + 2, -sign
            # Two floors a term, below 1 unit each, and a remainder below 1 unit in all.
            error += 2 * abs(factor)
        error += 2 * abs(factor)
    return Interval(round_down((value - error, -wp), bits), round_up((value + error, -wp), bits))


def cos(x: Value, bits: int) -> Value:
    """Return the cosine of x: an absolute error near 2**-bits, plus the width of x."""
    if x == 0:
        return Fraction(1)
    y = _thin(x, bits + 64)
    if y.lo[0] == y.hi[0] == 0:
        return ONE
    j = _halvings(_size(y, "cos"), bits)
    wp = bits + 2 * j + 32
    # cos is 1-Lipschitz: the middle's cosine, give or take the radius, which owns the width.
    middle = scaled(i_add(Interval(y.lo, y.lo), Interval(y.hi, y.hi), wp), -1)
    radius = magnitude(i_add(y, i_neg(middle), wp))
    halved = scaled(middle, -j)
    square = i_mul(halved, halved, wp)
    term, total, i = ONE, ONE, 0
    while top(magnitude(term)) >= -wp and term.hi[0]:
        i += 2
        term = i_neg(i_div(i_mul(term, square, wp), _integer(i * (i - 1)), wp))
        total = i_add(total, term, wp)
    # The series alternates with decreasing terms: the last one added bounds the remainder.
    total = i_add(total, _within(magnitude(term)), wp)
    for _ in range(j):
        total = i_add(scaled(i_mul(total, total, wp), 1), _integer(-1), wp)
    total = i_add(total, _within(radius), bits)
    lo = total.lo if compare(total.lo, UNIT.lo) > 0 else UNIT.lo
    hi = total.hi if compare(total.hi, UNIT.hi) < 0 else UNIT.hi
    return Interval(lo, hi)


def normal_cdf(x: Value, bits: int) -> Value:
    """Return the standard normal distribution function at x.

    Its relative precision is kept in the far lower tail.
    """
    return Fraction(1, 2) if x == 0 else _increasing(_normal_cdf_point, x, bits)


def _normal_cdf_point(x: Value, bits: int) -> Interval:
    rough = _thin(x, bits)
    if rough.lo[0] == 0:
        return HALF
    far = magnitude(rough)
    if top(far) > 16:
        raise TooLargeError("normal_cdf: the argument must be less than 2^16 in absolute value")
    below = rough.hi[0] < 0
    t_up = ((far[0] << far[1]) if far[1] >= 0 else far[0] >> -far[1]) + 1
    if t_up * t_up > bits + 16:
        wp = bits + 96
        t = _thin(x, wp)
        t = i_neg(t) if below else t
        tail = i_mul(_density(t, wp), _mills_ratio(t, wp), wp)
        return tail if below else i_add(ONE, i_neg(tail), wp)
    # Below 0 the tail is 1/2 minus nearly 1/2. It exceeds e**(-t*t/2) / 10 / (1 + t), so
    # 3/4 * t*t + 40 more bits survive the cancellation.
    wp = bits + t_up * t_up + 64
    t = _thin(x, wp)
    t = i_neg(t) if below else t
    center = i_mul(_density(t, wp), _center_series(t, wp), wp)
    return i_add(HALF, i_neg(center) if below else center, wp)


def _density(t: Interval, wp: int) -> Interval:
    """Return exp(-t*t/2) / sqrt(2 pi)."""
    height = _increasing(_exp_point, scaled(i_neg(i_mul(t, t, wp + 32)), -1), wp)
    two_pi = scaled(pi(wp), 1)
    return i_div(height, Interval(_sqrt_down(two_pi.lo, wp), _sqrt_up(two_pi.hi, wp)), wp)


def _center_series(t: Interval, wp: int) -> Interval:
    """Return t + t**3/3 + t**5/(3*5) + ..., that is (Phi(t) - 1/2) / density, t > 0."""
    square = i_mul(t, t, wp)
    bound = magnitude(square)
    term, total, n = t, t, 1
    while top(term.hi) >= top(total.lo) - wp or compare((2 * bound[0], bound[1]), (n + 2, 0)) > 0:
        n += 2
        term = i_div(i_mul(term, square, wp), _integer(n), wp)
        total = i_add(total, term, wp)
    # Each later term is at most half the one before: the remainder is in [0, last term].
    return i_add(total, Interval((0, 0), term.hi), wp)


def _mills_ratio(t: Interval, wp: int) -> Interval:
    """Return (1 - Phi(t)) / density(t) = 1/(t + 1/(t + 2/(t + 3/(t + ...)))), t > 0.

    All elements are positive, so the value lies between any two consecutive convergents:
    their hull owns the truncation.
    """
    a, a_next, b, b_next = _integer(0), ONE, ONE, t
    for n in range(1, 1_000_000):
        before = i_div(a_next, b_next, wp)
        a, a_next = a_next, i_add(i_mul(t, a_next, wp), i_mul(_integer(n), a, wp), wp)
        b, b_next = b_next, i_add(i_mul(t, b_next, wp), i_mul(_integer(n), b, wp), wp)
        after = i_div(a_next, b_next, wp)
        lo = before.lo if compare(before.lo, after.lo) < 0 else after.lo
        hi = before.hi if compare(before.hi, after.hi) > 0 else after.hi
        gap = i_add(Interval(hi, hi), i_neg(Interval(lo, lo)), wp)
        if top(magnitude(gap)) < top(lo) - wp + 60:
            return Interval(lo, hi)
    raise TooLargeError("normal_cdf: the continued fraction needs too many terms")
