"""exp, log, cos, sqrt, pi and the normal distribution function, by series with remainders.

Each function takes a value and a precision and returns a value that contains the truth for
every real number in its argument; an increasing function is evaluated at the two ends of an
interval, and the cosine on the whole of it. Every series names its remainder where it is added;
roundings are owned by the operators of values.py. Exact answers (exp 0, log 1, cos 0, square
roots of squares, the normal distribution function at 0) stay exact. ``wp`` is a working precision.
A step of a series is counted with ``spend`` before it is taken.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import isqrt

from .results import Spend, division_steps, require, steps
from .values import HALF, ONE, ZERO, Interval, Value, enclose, ends, holds, increasing, size

UNIT = Interval(-1, 1, 0, 1)  # y * UNIT is an error of size at most y
SLACK = 24  # a series stops when its remainder is 2**SLACK roundings: so tests can see it


def term_steps(wp: int) -> int:
    """Return the steps of one term of a series: a product, a short division and a sum."""
    return 40 + steps(4 * wp)


def series(term: Interval, factor: Interval, divisors: Iterator[int], spend: Spend) -> Interval:
    """Return the sum of the terms: each is the one before times the factor, over a divisor.

    The divisors rise without end.
    """
    total, far = term, 2 << max(0, factor.top())  # more than twice the factor
    for divisor in divisors:
        spend(term_steps(term.bits))
        term = term * factor / divisor
        total = total + term
        if divisor >= far and term.top() < max(total.top() + SLACK - term.bits, -(1 << 98)):
            break
    # Each later term is at most half the one before, so all are at most this one: the sum owns it.
    return total + term * UNIT


def exp(x: Value, bits: int, spend: Spend) -> Value:
    """Return e**x."""
    return ONE if x == 0 else increasing(lambda point: _exp(point, bits, spend), x, bits)


def _exp(x: Value, bits: int, spend: Spend) -> Interval:
    """Return exp(x) = exp(x / 2**j) ** (2**j), the inner one by Taylor's series."""
    top = enclose(x, 8).top()
    require(top <= 32, "exp: the argument must be less than 2^32 in absolute value")
    # Balances the halvings against the terms of Taylor's series, at a number below 1/16.
    j = max(0, top + isqrt(bits) // 2 + 4)
    wp = bits + j + 64
    spend(steps(size(x)) + 3 * j * steps(4 * wp))
    return series(enclose(1, wp), enclose(x, wp) / (1 << j), count(1), spend) ** (1 << j)


def cos(x: Value, bits: int, spend: Spend) -> Value:
    """Return the cosine of x, by Taylor's series."""
    top = max(0, enclose(x, 8).top())
    require(top <= 8, "cos: the argument must be less than 2^8 in absolute value")
    y = enclose(x, bits + (2 << top) + 48)  # terms are as large as e**(2**top), and cancel
    total = series(enclose(1, y.bits), -(y * y), (n * n + n for n in count(1, 2)), spend)
    return ONE if x == 0 else enclose(total, bits)


def log(x: Value, bits: int, spend: Spend) -> Value:
    """Return the natural logarithm of x."""
    require(holds(">", x, ZERO), "log: the argument is not certainly positive")
    return ZERO if x == 1 else increasing(lambda point: _log(point, bits, spend), x, bits)


def _log(x: Value, bits: int, spend: Spend) -> Interval:
    """Return log x = k log 2 + log f, for a single number x = f * 2**k and f near 1."""
    k, wp = (enclose(x, 64) * Fraction(4, 3)).top() - 1, bits + 48
    spend(5 * steps(2 * size(x)) + bits)
    m, _, e, d = ends(x)
    f = Fraction(m, d) * Fraction(2) ** (e - k)
    third, z = enclose(Fraction(1, 3), wp), enclose((f - 1) / (f + 1), wp)
    # log f = 2 artanh((f - 1) / (f + 1)), and so log 2 = 2 artanh(1/3).
    return 2 * (k * _odd(third, third * third, spend) + _odd(z, z * z, spend))


def _odd(z: Interval, square: Interval, spend: Spend) -> Interval:
    """Return the odd series after counting its terms, whether or not it is kept."""
    spend((2 + z.bits // max(1, -square.top())) * term_steps(z.bits))
    return _odd_series(z, square)


@lru_cache(maxsize=16)  # for log 2 and pi
def _odd_series(z: Interval, square: Interval) -> Interval:
    """Return z + z * square / 3 + z * square**2 / 5 + ..., for abs(square) <= 1/2.

    This is artanh z for square = z**2, and arctan z for square = -z**2.
    """
    power, total, i = z, z, 1
    while power.top() > max(z.top() + SLACK - z.bits, -(1 << 98)):
        i += 2
        power = power * square
        total = total + power / i
    # Remainder after power / i: at most abs(power), a geometric series. This sum owns it.
    return total + power * UNIT


def sqrt(x: Value, bits: int, spend: Spend) -> Value:
    """Return the nonnegative square root of x; exact for the square of a rational."""
    require(holds(">=", x, ZERO), "sqrt: the argument is not certainly nonnegative")
    spend(2 * steps(size(x)) + 2 * steps(8 * bits))
    if isinstance(x, Fraction):
        n, d = isqrt(x.numerator), isqrt(x.denominator)
        if n * n == x.numerator and d * d == x.denominator:
            return Fraction(n, d)
    y = enclose(x, bits + 4)
    s = max(0, 2 * bits + 8 - y.hi.bit_length())
    s += (y.exponent - s) % 2
    # isqrt rounds down, and one more unit is above the root.
    return enclose(Interval(isqrt(y.lo << s), isqrt(y.hi << s) + 1, (y.exponent - s) // 2, 0), bits)


def pi(bits: int, spend: Spend) -> Interval:
    """Return pi by Machin's formula 16 arctan(1/5) - 4 arctan(1/239)."""
    a, b = (enclose(Fraction(1, n), bits + 48) for n in (5, 239))
    return enclose(16 * _odd(a, -(a * a), spend) - 4 * _odd(b, -(b * b), spend), bits)


def normal_cdf(x: Value, bits: int, spend: Spend) -> Value:
    """Return the standard normal distribution function; relatively precise in the lower tail."""
    return HALF if x == 0 else increasing(lambda point: _normal_cdf(point, bits, spend), x, bits)


def _normal_cdf(x: Value, bits: int, spend: Spend) -> Value:
    rough = enclose(x, bits)
    require(rough.top() <= 16, "normal_cdf: the argument must be less than 2^16 in absolute value")
    _, most = abs(rough).at(0)  # abs(x) <= most
    far = most * most > bits + 16
    # Below 0 the result is 1/2 minus nearly 1/2. It exceeds e**(-t*t/2) / 10 / (1 + t), so
    # 3/4 * t*t + 40 more bits survive the cancellation.
    wp = bits + 96 + (0 if far else most * most)
    spend(steps(size(x)) + 3 * division_steps(wp))
    t = abs(enclose(x, wp))
    density = exp(-(t * t) / 2, wp, spend) / sqrt(2 * pi(wp, spend), wp, spend)
    if far:
        # The tail is density / (t + 1/(t + 2/(t + 3/(t + ...)))). What follows the last n taken
        # lies between t and t + (n + 1) / t, as everything is positive.
        spend((bits + 64) * (20 + division_steps(wp)))
        ratio = t + (bits + 65) / t * Interval(0, 1, 0, 1)
        for n in range(bits + 64, 0, -1):
            ratio = t + n / ratio
        tail = density / ratio
    else:
        # The tail is 1/2 - density * (t + t**3/3 + t**5/(3*5) + ...).
        tail = HALF - density * series(t, t * t, count(3, 2), spend)
    return tail if rough.hi < 0 else 1 - tail
