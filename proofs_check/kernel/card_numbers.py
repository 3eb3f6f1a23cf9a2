"""Numbers of cards: integers in units of 2**-bits, each known between two of them.

A ball is a pair (lo, hi) of integers: the number lies between lo and hi units. Every function
rounds outward and owns that rounding. Logarithms and the normal distribution function are wanted
at thousands of places: each is a short series about a nearby point, where functions.py has it.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from . import functions
from .results import Spend, require
from .values import Value, enclose

Ball = tuple[int, int]

CENTERS = 8  # in 1: the normal distribution function is known at multiples of 1/CENTERS
FAR = 24  # it is not looked at farther out than this
GUARD = 96  # more bits in which these are made
PARTS = 64  # of an octave: logarithms are known at 1 + i/PARTS


class Fixed:
    """Arithmetic in units of 2**-bits."""

    def __init__(self, bits: int, spend: Spend, cut: int = 0) -> None:
        """Choose a unit and the mass that a law may lose; ``spend`` counts steps beforehand."""
        self.bits, self.one, self.spend, self.cut = bits, 1 << bits, spend, cut
        more = bits + 16
        self.exp = cache(lambda x: self.ball(functions.exp(x, more + 2 * max(0, int(x)), spend)))
        self._centers = cache(self._centers_of)
        self._log = cache(lambda x: self.ball(functions.log(x, more, spend)))

    def ball(self, x: Value | int) -> Ball:
        """Return the ball around a value."""
        if isinstance(x, (int, Fraction)):
            n = x.numerator << self.bits
            return n // x.denominator, -(-n // x.denominator)
        return x.at(-self.bits)

    def times(self, x: Ball, y: Ball) -> Ball:
        """Return x * y, of numbers that are not negative."""
        return x[0] * y[0] >> self.bits, -(-x[1] * y[1] >> self.bits)

    def over(self, x: Ball, y: Ball) -> Ball:
        """Return x / y, of numbers that are not negative; y is above 0."""
        require(y[0] > 0, "a number is not seen to be above 0. Take more bits")
        return (x[0] << self.bits) // y[1], -(-(x[1] << self.bits) // y[0])

    def less(self, x: Ball, y: Ball) -> Ball:
        """Return max(0, x - y)."""
        return max(0, x[0] - y[1]), max(0, x[1] - y[0])

    def root(self, x: Ball) -> Ball:
        """Return the square root."""
        return isqrt(x[0] << self.bits), isqrt(x[1] << self.bits) + 1

    def powers(self, step: Ball, count: int) -> list[Ball]:
        """Return step**j for j = 0, 1, ..., count."""
        self.spend(count * (1 + self.bits // 100))
        found = [(self.one, self.one)]
        for _ in range(count):
            found.append(self.times(found[-1], step))
        return found

    def log(self, x: Ball) -> Ball:
        """Return the natural logarithm of a number above 0.

        log x = k log 2 + log c + 2 artanh t, t = (x - c)/(x + c), with c = 2**k (1 + i/PARTS)
        so near that abs(t) < 1/PARTS; what the artanh series leaves out is below 2 t**(2n + 1).
        """
        require(x[0] > 0, "a number is not seen to be above 0. Take more bits")
        m = x[0]
        k = m.bit_length() - 1
        i = (m * PARTS >> k) - PARTS
        c = (PARTS + i << k) // PARTS if k >= 6 else m
        require(c * PARTS == PARTS + i << k, "a number is too small for so few bits")
        t = (m - c << self.bits) // (m + c)
        square, total, power, n = t * t >> self.bits, t, t, 1
        while power:
            power, n = power * square >> self.bits, n + 2
            total += power // n
        # Each of the n/2 terms is off by 2 units at most, what is left out by 3, and log 2 by 1.
        k -= self.bits
        middle = self._log(1 + Fraction(i, PARTS))[0] + k * self._log(Fraction(2))[0] + 2 * total
        error = 4 * n + 9 + abs(k)
        return middle - error, middle + error + ((x[1] - m << self.bits) // m) + 1

    def normal(self, z: Ball) -> Ball:
        """Return the standard normal distribution function.

        About a center c, F(c + d) = F(c) + sum of a_n d**(n + 1)/(n + 1), a_n those of the
        density: a_(n + 1) = -(c a_n + a_(n - 1))/(n + 1), and by Cauchy's formula on the circle
        of radius r about c, abs(a_n) <= e**(r*r/2) / r**n, so (e/n)**(n/2) for r*r = n. That is
        below 2**(-1.77 n) from n = 32 on, and abs(d) <= 1/16, or 1/8 from center to center.
        """
        middle = (z[0] + z[1]) // 2
        radius, m = z[1] - middle + 1, abs(middle)  # the density is below 1
        k = (2 * CENTERS * m + self.one) // (2 * self.one)
        values, terms = self._centers()
        d, total, radius = m - k * self.one // CENTERS, 0, radius + 8
        if k >= len(values):
            low, high = values[-1] - 2, self.one
        else:
            # Every a is off by at most one unit and every product by one more, times abs(d).
            for a in reversed(terms[k]):
                total = (total + a) * d >> self.bits
            low, high = values[k] + total - radius, values[k] + total + radius
        low, high = (low, high) if middle >= 0 else (self.one - high, self.one - low)
        return max(0, low), min(self.one, high)

    def _centers_of(self) -> tuple[list[int], list[list[int]]]:
        """Return F at the centers from 0 on, and a_n/(n + 1) there, each off by one unit at most.

        In the finer units here an error of one in each step of the recurrence of the a_n adds up to
        less than e**(c/8 + 1) in a sum at d = 1/8, and what is off at one center to 2**16 more.
        """
        more = self.bits + GUARD
        tau = functions.sqrt(2 * functions.pi(more + 8, self.spend), more + 8, self.spend)
        density = enclose(1 / tau, more + 8).at(-more)[0]
        square, half = (
            enclose(functions.exp(-Fraction(1, n), more + 8, self.spend), more + 8).at(-more)[0]
            for n in (CENTERS**2, 2 * CENTERS**2)
        )
        values, found, value, ratio = [], list[list[int]](), 1 << more - 1, half
        # What is left out of so many terms is below 2**(-4.77 n), and so below one finer unit.
        count = max(32, more // 4)
        self.spend(FAR * CENTERS * count)
        for k in range(FAR * CENTERS + 1):
            terms, before, a = list[int](), 0, density
            for n in range(1, count + 1):
                terms.append(a // n)
                before, a = a, -(k * a + CENTERS * before) // (CENTERS * n)
            values.append(value >> GUARD)
            found.append([a >> GUARD for a in terms])
            for n in range(count, 0, -1):
                value += terms[n - 1] >> 3 * n
            density, ratio = density * ratio >> more, ratio * square >> more
        return values, found
