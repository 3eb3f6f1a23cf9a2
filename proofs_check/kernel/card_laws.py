"""Laws of privacy losses on a lattice, as integers: never too small, or never too large.

A law has a mass m_j for each loss j*h, one for infinite losses, and

    D(e) = infinite + sum of m_j * max(0, 1 - exp(e - j*h)).

*Above*: if D(e) is at least H, the hockey-stick divergence of P and Q at exp(e), for all real e,
then so it is for products of laws and of pairs, as it is a mean of D at e - S, S all other losses
(domination composes: Zhu, Dong and Wang 2022, Theorem 10). What is rounded up stays above. *Below*:
the same with the signs turned around. As functions of g = exp(e) both are convex and fall, D is a
polygon with a corner at each loss, and m_j is exp(j*h) times the change of its slope there. So

* above, the polygon has its corners at points that are not below H, and goes through 1 at g = 0;
* below, it is H less e_j at j*h. With l = p - q exp(x) and m = q exp(x + h) - p, p and q what P and
  Q have between x and x + h, the tangents of H at both ends of that cell are l and m below H at the
  other end. A line that is e and e' lower at the ends is below both where e/l + e'/m >= 1: as where
  both are l*m/(l + m), or e is l. The first tangent starts at what P has above all; from the last
  corner on D is 0, and an atom that balls do not tell from a knot is within the margin;
* of all points the lower hull is taken, which above is still above H, as H is convex. Below, what
  balls leave open of it is less than the margin by which all points are lowered;
* masses may be added above, or left out below; losses may be higher above, or lower below.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import isqrt

from .card_numbers import Ball, Fixed
from .results import require

Atom = tuple[Ball, Ball]  # what P and Q have
Curve = dict[int, int]  # what is not below a privacy curve at exp(j*h), at knots j that rise

MOST_BYTES = 1 << 26  # of one factor of a product


@dataclass(frozen=True)
class Step:
    """One step: what P and Q have of outcomes beyond a loss j*h, at knots j that rise.

    Attributes:
        h: The unit of losses.
        tails: What is known of both, at each knot. P has no more of all that is not counted, and
            of outcomes that balls do not tell from a knot, than its ball is too wide above.
        infinite: What P has for certain where Q has nothing, and Q where P has.
    """

    h: Fraction
    tails: dict[int, Atom]
    infinite: tuple[int, int]

    def reversed(self, one: int) -> "Step":
        """Return the step with P and Q exchanged: a loss x is -x."""
        tails = {
            -j: ((one - q[1], one - q[0]), (max(0, one - p[1]), one - p[0]))
            for j, (p, q) in reversed(self.tails.items())
        }
        return Step(self.h, tails, self.infinite[::-1])

    def curve(self, f: Fixed) -> Curve:
        """Return the curve, not below."""
        ratios = ratios_of(f, self.h, min(self.tails), max(self.tails))
        at = {j: f.less(p, f.times(q, ratios[j]))[1] for j, (p, q) in self.tails.items()}
        return {j: min(f.one, x) for j, x in at.items()}


@dataclass(frozen=True)
class Law:
    """Masses of losses j*h, j from ``first`` on, and of infinite ones, in units of 2**-bits."""

    h: Fraction
    first: int
    masses: list[int]
    infinite: int


@dataclass(frozen=True)
class Lattice:
    """How laws are kept.

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

    def over(self, h: Fraction, curve: Curve) -> Law:
        """Return a law above a curve: what it has at the last knot is the mass of infinite ones."""
        shift = self.f.bits - self.bits
        rest = self.safe(curve[max(curve)], shift)
        corners = [(j, max(0, d - (rest << shift))) for j, d in curve.items()]
        return self._law(h, self.f.one - (rest << shift), corners, rest)

    def under(self, step: Step) -> Law:
        """Return a law below one step, of the outcomes between its first knot and its last."""
        f, knots = self.f, list(step.tails)
        ratios, last = ratios_of(f, step.h, knots[0], knots[-1]), step.tails[knots[-1]]
        tails = [(f.less(p, last[0]), f.less(q, last[1])) for p, q in step.tails.values()]
        values = [
            f.less(p, f.times(q, ratios[j]))[0] for j, (p, q) in zip(knots, tails, strict=True)
        ]
        needs = list[Ball]()
        for i in range(len(knots) - 1):
            p, q = (f.less(tails[i][k], tails[i + 1][k]) for k in (0, 1))
            ends = f.times(q, ratios[knots[i]]), f.times(q, ratios[knots[i + 1]])
            needs.append((f.less(p, ends[0])[1], f.less(ends[1], p)[1]))
        infinite = self.safe(step.infinite[0], f.bits - self.bits)
        return self._below(step.h, knots, values, needs, tails[0][0][0], infinite)

    def _below(
        self,
        h: Fraction,
        knots: list[int],
        values: list[int],
        needs: list[Ball],
        mass: int,
        infinite: int,
    ) -> Law:
        """Return the law of a polygon, from points of a curve, and l and m of the cells between.

        The curve is that of the finite losses, and 0 at the last knot. ``mass`` is what P has.
        """
        margin = 16 * len(knots) * (self.f.one // (self.f.exp(h)[0] - self.f.one) + 1)
        both = [margin + (x * y // (x + y) + 1 if x and y else 0) for x, y in needs]
        down = [max(x, y) for x, y in zip([margin, *both], [*both, margin], strict=True)]
        last = next(j for j in range(len(knots)) if j == len(needs) or values[j] < down[j])
        ends = [max(x, margin + need[0]) for x, need in zip(down, needs, strict=False)]
        while last and values[last - 1] < ends[last - 1]:
            last -= 1
        if not last:
            return Law(h, knots[0], [0], infinite)
        down[last - 1] = ends[last - 1]
        lower = accumulate((x - y for x, y in zip(values[:last], down, strict=False)), min)
        return self._law(h, mass, [*zip(knots, lower, strict=False), (knots[last], 0)], infinite)

    def _law(self, h: Fraction, mass: int, corners: list[tuple[int, int]], infinite: int) -> Law:
        """Return the law of the lower hull of corners, and of ``mass`` at ratio 0."""
        while corners[1:] and not corners[-2][1]:
            corners.pop()
        found, shift = dict(hull(self.f, h, mass, corners, up=self.above)), self.f.bits - self.bits
        low, end = corners[0][0], corners[-1][0]
        masses = [self.safe(found.get(j, 0), shift) for j in range(low, end + 1)]
        return self._trimmed(h, low, masses, infinite)

    def _trimmed(self, h: Fraction, first: int, masses: list[int], infinite: int) -> Law:
        """Return a law without its ends: above they go to infinity, and up to the first kept."""
        low, high, under, over = 0, len(masses), 0, 0
        cut = self.f.cut >> self.f.bits - self.bits
        while high - low > 1 and over + masses[high - 1] <= cut:
            high -= 1
            over += masses[high]
        while high - low > 1 and under + masses[low] <= cut:
            under += masses[low]
            low += 1
        kept = masses[low:high]
        kept[0] += under * self.above
        return Law(h, first + low, kept, infinite + over * self.above)

    def times(self, x: Law, y: Law) -> Law:
        """Return the law of a sum of losses: one product of two long integers."""
        while x.h < y.h:
            x = self.coarser(x)
        while y.h < x.h:
            y = self.coarser(y)
        count, totals = len(x.masses) + len(y.masses) - 1, (sum(x.masses), sum(y.masses))
        width = sum(total.bit_length() for total in totals) // 8 + 1
        size = width * count
        require(size <= MOST_BYTES, "a law has too many points. Take a coarser grid")
        self.f.spend(100 + size // 8 + size * isqrt(size) // 800)  # about as Karatsuba has it
        data = (packed(x.masses, width) * packed(y.masses, width)).to_bytes(size, "little")
        pieces = (int.from_bytes(data[i : i + width], "little") for i in range(0, size, width))
        masses = [self.safe(piece, self.bits) for piece in pieces]
        infinite = x.infinite * (totals[1] + y.infinite) + y.infinite * totals[0]
        infinite = self.safe(infinite, self.bits)
        law = self._trimmed(x.h, x.first + y.first, masses, infinite)
        while len(law.masses) > self.most:
            law = self.coarser(law)
        return law

    def power(self, x: Law, count: int) -> Law:
        """Return the law of a sum of so many copies, at least 1."""
        found = [x] * (count & 1)
        while count := count >> 1:
            x = self.times(x, x)
            if count & 1:
                found = [self.times(found[0], x)] if found else [x]
        return found[0]

    def coarser(self, x: Law) -> Law:
        """Return the law on every second point.

        Its curve at even points is what P has above, less ``rest``, what Q has times the ratio.
        """
        f, low, shift = self.f, (x.first - 1) // 2, self.f.bits - self.bits
        f.spend(4 * len(x.masses))
        masses = [m << shift for m in [0] * (x.first - 2 * low - 1) + x.masses + [0]]
        masses += [0] * (len(masses) % 2)
        fall, rise, above, rest, j = f.exp(-x.h), f.exp(x.h), 0, (0, 0), low + len(masses) // 2
        points, needs = [(j, (0, 0))], list[Ball]()
        for odd, even in zip(masses[-2::-2], masses[::-2], strict=True):
            j, above, rest = j - 1, above + odd + even, f.times(plus(rest, (even, even)), fall)
            rest = f.times(plus(rest, (odd, odd)), fall)
            points.append((j, (above - rest[1], above - rest[0])))
            ends = odd * (f.one - fall[0]), odd * (rise[1] - f.one)
            needs.append((-(-ends[0] >> f.bits), -(-ends[1] >> f.bits)))
        points.reverse()
        if self.above:
            return self._law(2 * x.h, above, [(j, d[1]) for j, d in points], x.infinite)
        knots, values = [j for j, _ in points], [d[0] for _, d in points]
        return self._below(2 * x.h, knots, values, needs[::-1], above, x.infinite)

    def divergence(self, x: Law, epsilon: Fraction) -> int:
        """Return D(epsilon), in units of masses, rounded to the safe side."""
        f, start = self.f, max(x.first, int(epsilon // x.h) + 1)
        factor, step, total = f.exp(epsilon - start * x.h), f.exp(-x.h), x.infinite << self.f.bits
        for m in x.masses[max(0, start - x.first) :]:
            total += m * max(0, f.one - factor[not self.above])
            factor = f.times(factor, step)
        return self.safe(total, f.bits)


def hull(
    f: Fixed, h: Fraction, mass: int, points: list[tuple[int, int]], *, up: bool
) -> Iterator[tuple[int, int]]:
    """Yield j and the mass at the corners of the lower hull of points, and of ``mass`` at ratio 0.

    With ``up`` masses are rounded up, and a corner stays where balls leave that open.
    """

    def chord(one: tuple[int, int], two: tuple[int, int], at: tuple[int, int], side: int) -> int:
        """Return minus the slope of a chord, times the ratio at one of its ends."""
        drop = one[1] - two[1] << f.bits
        low = ratio(one[0] - at[0])[(drop < 0) ^ side]
        high = ratio(two[0] - at[0])[(drop >= 0) ^ side]
        return drop // (high - low) + side if drop else 0

    def before(side: int) -> int:
        return chord(kept[-2], kept[-1], kept[-1], side) if kept[1:] else mass - kept[-1][1]

    ratio = cache(lambda count: f.exp(count * h))
    kept, masses = list[tuple[int, int]](), list[int]()
    for after in points:
        while kept:
            here = before(up) - chord(kept[-1], after, kept[-1], not up)
            if here >= up:
                masses.append(here)
                break
            kept.pop()
            del masses[-1:]
        kept.append(after)
    masses.append(max(0, before(up)))
    yield from ((j, m) for (j, _), m in zip(kept, masses, strict=True))


def ratios_of(f: Fixed, h: Fraction, low: int, high: int) -> dict[int, Ball]:
    """Return exp(j*h) for all j from low to high."""
    ups, downs = f.powers(f.exp(h), max(0, high)), f.powers(f.exp(-h), max(0, -low))
    return {j: ups[j] if j >= 0 else downs[-j] for j in range(low, high + 1)}


def plus(x: Ball, y: Ball) -> Ball:
    """Return x + y."""
    return x[0] + y[0], x[1] + y[1]


def packed(masses: list[int], width: int) -> int:
    """Return the integer whose digits are masses, each of so many bytes."""
    return int.from_bytes(b"".join(m.to_bytes(width, "little") for m in masses), "little")
