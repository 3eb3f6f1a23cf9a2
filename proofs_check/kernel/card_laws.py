"""Laws of privacy losses on a lattice, as integers: never too small, or never too large.

A law has a mass m_j for each loss j*h, one for infinite losses, and

    D(e) = infinite + sum of m_j * max(0, 1 - exp(e - j*h)).

*Above*: if D(e) is at least H, the hockey-stick divergence of P and Q at exp(e), for all real e,
then so it is for products of laws and of pairs, as it is a mean of D at e - S, S all other losses
(domination composes: Zhu, Dong and Wang 2022, Theorem 10). What is rounded up stays above. *Below*:
the same with the signs turned around. As functions of g = exp(e) both are convex and fall, D is a
polygon with a corner at each loss, and m_j is exp(j*h) times the change of its slope there. So

* above, the corners are points at losses j*h that are not below H, and the polygon starts with 1 at
  g = 0: a chord of points that are not below a convex function is not below it;
* below, P(S) - g Q(S) is a line below H, for any outcomes S. With S what is beyond the loss
  (j + 1/2) h, both ends of the side from j*h to (j + 1) h are below that line, and so the side is.
  Where that line falls below 0 it is the one of what is not below (j + 1) h;
* of all points the lower hull is taken. Where fine units leave a corner, its mass or the end of D
  open, D is off by less than one unit of masses: above one more is infinite, and below one less;
* masses may be added above, or left out below; losses may be higher above, or lower below.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import isqrt
from typing import TypeVar

from .card_numbers import Ball, Fixed
from .results import require
from .values import HALF

Atom = tuple[Ball, Ball]  # what P and Q have

T = TypeVar("T")
MOST_BYTES = 1 << 26  # of one factor of a product


@dataclass(frozen=True)
class Law:
    """Masses of losses j*h, j from ``first`` on, and of infinite ones, in units of 2**-bits."""

    h: Fraction
    first: int
    masses: list[int]
    infinite: int


@dataclass(frozen=True)
class Lattice:
    """The form in which laws are kept.

    Attributes:
        f: The arithmetic of single steps, finer than that of masses.
        bits: A mass is in units of 2**-bits.
        most: The points above which a law is put on every second point.
        above: Whether laws are above.
    """

    f: Fixed
    bits: int
    most: int
    above: bool

    def safe(self, x: int, bits: int) -> int:
        """Return x / 2**bits, rounded to the safe side."""
        return -(-x >> bits) if self.above else x >> bits

    def law(self, h: Fraction, first: int, tails: Sequence[Atom], most: int) -> Law:
        """Return a law by the masses of P (``most`` in all) and of Q times the ratio, beyond knots.

        The knots are j*h above, from j = first on, and below (j + 1/2) h, (j + 1) h, and so on.
        """
        f = self.f
        if self.above:
            return self.over(h, first, [f.less(p, s)[1] for p, s in tails], most)
        infinite = 0 if tails[-1][1][1] else tails[-1][0][0]
        fall, down, up = (f.exp(x * h)[1] for x in (-1, -HALF, HALF))
        # Where a line is 0 at an end of its side, D may be; balls do not tell that from below 0.
        lines, low = [(p[0] - infinite, s[1]) for p, s in tails], -(1 << f.bits - self.bits - 16)
        left, right = [lines[0][0]], list[int]()
        for (p, s), (q, t) in zip(lines[::2], lines[1::2], strict=False):
            ends = p + (-s * down >> f.bits), p + (-s * up >> f.bits)
            ends = ends if ends[1] >= low else (q + (-t * fall >> f.bits), q - t)
            left.append(ends[0])
            right.append(ends[1])
        values = [max(0, min(x)) for x in zip(left[1:], [left[1], *right], strict=False)]
        mass = left[0] if left[1] >= low else 0
        return self._law(h, first, mass, [*values, 0], infinite)

    def over(self, h: Fraction, first: int, curve: list[int], most: int) -> Law:
        """Return a law above a curve; its value at the last knot is the mass of infinite losses."""
        values = [max(0, min(most, x) - curve[-1]) for x in curve]
        return self._law(h, first, most - curve[-1], values, curve[-1])

    def _law(self, h: Fraction, first: int, mass: int, values: list[int], infinite: int) -> Law:
        """Return the law of the lower hull of values, and of ``mass`` at ratio 0."""
        shift, found = self.f.bits - self.bits, [0] * (values.index(0) + 1)
        for j, m in hull(self.f, h, mass, values[: len(found)]).items():
            found[j] = max(0, self.safe(m, shift))
        infinite = self.safe(infinite, shift) + (1 if self.above else -1)
        return self._trimmed(h, first, found, infinite)

    def _trimmed(self, h: Fraction, first: int, masses: list[int], infinite: int) -> Law:
        """Return a law without its ends: above they go to infinity, and up to the first kept."""
        low, high = ends_of(masses, self.f.cut >> self.f.bits - self.bits)
        kept = masses[low:high]
        if self.above:
            kept[0] += sum(masses[:low])
            infinite += sum(masses[high:])
        return Law(h, first + low, kept, infinite)

    def times(self, x: Law, y: Law) -> Law:
        """Return the law of a sum of losses: one product of two long integers."""
        while x.h != y.h:
            x, y = (self.coarser(x), y) if x.h < y.h else (x, self.coarser(y))
        masses, total = product(self.f, x.masses, y.masses, self.bits, up=self.above), sum(y.masses)
        # D is at most what y has, each above what x has: of y's infinite losses all.
        infinite = self.safe(x.infinite * total, self.bits) + y.infinite
        law = self._trimmed(x.h, x.first + y.first, masses, infinite)
        while len(law.masses) > self.most:
            law = self.coarser(law)
        return law

    def coarser(self, x: Law) -> Law:
        """Return the law on every second point.

        Its knots are even points above. Below a line at an odd one has half of its mass.
        """
        f, tails, odd = self.f, list[Atom](), not self.above
        f.spend(4 * len(x.masses))
        low, fall = (x.first - 1 - odd) // 2, f.exp(-x.h)
        masses = [0] * (x.first - 2 * low - odd) + x.masses
        masses += [0] * (self.above and 1 - len(masses) % 2)
        p, s = 0, (0, 0)
        for i in range(len(masses) - 1, -1, -1):
            half, s = masses[i] << f.bits - self.bits - 1, f.times(s, fall)
            p, s = p + half, (s[0] + half, s[1] + half)
            tails += [((p, p), s)] if not i % 2 else []
            p, s = p + half, (s[0] + half, s[1] + half)
            tails += [((p, p), s)] if odd and i % 2 else []
        tails.reverse()
        law = self.law(2 * x.h, low, tails, p)
        return Law(law.h, law.first, law.masses, law.infinite + x.infinite)

    def divergence(self, x: Law, epsilon: Fraction) -> int:
        """Return D(epsilon), in units of masses, rounded to the safe side."""
        f, start = self.f, max(x.first, int(epsilon // x.h) + 1)
        factor, step, total = f.exp(epsilon - start * x.h), f.exp(-x.h), x.infinite << self.f.bits
        for m in x.masses[max(0, start - x.first) :]:
            total += m * max(0, f.one - factor[not self.above])
            factor = f.times(factor, step)
        return self.safe(total, f.bits)


def hull(f: Fixed, h: Fraction, mass: int, values: list[int]) -> dict[int, int]:
    """Return the mass at each corner of the lower hull of values, and of ``mass`` at ratio 0.

    A fall is minus the slope of a side, times the ratio at its last end.
    """
    ratio, kept, found = cache(lambda d: f.exp(d * h)[0]), list[tuple[int, int, int]](), {}
    i = x = fall = 0
    for j, y in enumerate(values):
        while kept:
            i, x, fall = kept[-1]
            found[i] = fall - (x - y << f.bits) // (ratio(j - i) - f.one)
            if found[i] > 0:
                break
            del found[kept.pop()[0]]
        fall = (x - y << f.bits) // (f.one - ratio(i - j)) if kept else mass - y
        kept.append((j, y, fall))
    return found | {len(values) - 1: fall}


def product(f: Fixed, x: list[int], y: list[int], bits: int, *, up: bool) -> list[int]:
    """Return the masses of sums, in units of 2**-bits, by one product of two long integers."""
    count, width = len(x) + len(y) - 1, (sum(x).bit_length() + sum(y).bit_length()) // 8 + 1
    size = width * count
    require(size <= MOST_BYTES, "a law has too many points. Take a coarser grid")
    f.spend(100 + size // 8 + size * isqrt(size) // 800)  # about as Karatsuba has it
    left, right = (
        int.from_bytes(b"".join(m.to_bytes(width, "little") for m in z), "little") for z in (x, y)
    )
    data = (left * right).to_bytes(size, "little")
    pieces = (int.from_bytes(data[i : i + width], "little") for i in range(0, size, width))
    return [-(-piece >> bits) if up else piece >> bits for piece in pieces]


def power(times: Callable[[T, T], T], x: T, count: int) -> T:
    """Return the law of so many copies, at least 1, given a product of two."""
    found = x if count & 1 else None
    while count := count >> 1:
        x = times(x, x)
        if count & 1:
            found = times(found, x) if found else x
    return found or x


def ends_of(masses: list[int], cut: int) -> tuple[int, int]:
    """Return the places from which, and up to which, masses are without ends of so much each."""
    ways = ([*accumulate(way)] for way in (masses, reversed(masses)))
    low, end = (bisect_right(way, cut) for way in ways)
    high = max(1, len(masses) - end)
    return min(low, high - 1), high


def plus(x: Ball, y: Ball) -> Ball:
    """Return x + y."""
    return x[0] + y[0], x[1] + y[1]
