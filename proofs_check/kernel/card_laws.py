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
from math import isqrt

from .card_numbers import Ball, Fixed
from .results import require

Atom = tuple[Ball, Ball]  # what P and Q have
Points = list[tuple[int, Ball]]  # j, and a curve at exp(j*h)

MOST_BYTES = 1 << 26  # of one factor of a product


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one step, by their losses in cells from (j - 1)*h to j*h.

    Attributes:
        h: The step.
        first: The j of the first cell.
        cells: What has a density, in each cell.
        atoms: Outcomes that have one loss each.
        over: What has a density, and losses above the last cell; also what is not listed.
        under: The same below the first one.
    """

    h: Fraction
    first: int
    cells: list[Atom]
    atoms: list[Atom]
    over: Atom
    under: Atom

    def reversed(self) -> "Outcomes":
        """Return them with P and Q exchanged: a loss x is -x, and cell j is cell 1 - j."""
        cells, first = [x[::-1] for x in reversed(self.cells)], 2 - self.first - len(self.cells)
        atoms = [x[::-1] for x in self.atoms]
        return Outcomes(self.h, first, cells, atoms, self.under[::-1], self.over[::-1])


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
        cut: The mass that may be moved at each end of a law, in units.
        most: The points above which a law is put on every second point.
        above: Whether laws are above.
    """

    f: Fixed
    bits: int
    cut: int
    most: int
    above: bool

    def safe(self, x: int, bits: int) -> int:
        """Return x / 2**bits, rounded to the safe side."""
        return -(-x >> bits) if self.above else x >> bits

    def law(self, outcomes: Outcomes) -> Law:
        """Return a law above or below one step."""
        f, low, high = self.f, outcomes.first - 1, outcomes.first - 1 + len(outcomes.cells)
        ratios, cells, infinite = ratios_of(f, outcomes.h, low, high), [*outcomes.cells], (0, 0)
        for p, q in outcomes.atoms:
            # The first j with p <= q exp(j*h) for certain; at the first knot nothing is above it.
            least, end = low, high + 1
            while least < end:
                middle = (least + end) // 2
                if p[1] <= f.times(q, ratios[middle])[0]:
                    end = middle
                else:
                    least = middle + 1
            if low < least <= high:
                x, y = cells[least - low - 1]
                cells[least - low - 1] = plus(x, p), plus(y, q)
            elif least > low and (self.above or q[1] == 0):
                infinite = plus(infinite, p)
        infinite = plus(infinite, outcomes.over[0]) if self.above else infinite
        above, points, needs = ((0, 0), (0, 0)), [(high, (0, 0))], [(0, 0)]
        for j in range(high - 1, low - 1, -1):
            p, q = cells[j - low]
            above, low_end = (plus(above[0], p), plus(above[1], q)), f.times(q, ratios[j])
            needs.append((f.less(p, low_end)[1], f.less(f.times(q, ratios[j + 1]), p)[1]))
            points.append((j, f.less(above[0], f.times(above[1], ratios[j]))))
        amount = self.safe(infinite[self.above], f.bits - self.bits)
        rest = f.one - (amount << f.bits - self.bits)
        whole = above[0][0], max(above[0][1], rest)
        return self._polygon(outcomes.h, points[::-1], needs[:0:-1], whole, amount)

    def _polygon(
        self, h: Fraction, points: Points, needs: list[Ball], whole: Ball, infinite: int
    ) -> Law:
        """Return the law of a polygon, from points of a curve, and l and m of the cells between.

        The curve is that of the finite losses, and 0 at the last point. ``whole`` is from what P
        has above the first, to all. The infinite mass is in units of masses.
        """
        f, low, corners = self.f, points[0][0], [(j, d[1]) for j, d in points]
        if self.above:
            mass = max(whole[1], corners[0][1])
            while corners[1:] and not corners[-2][1]:
                corners.pop()
        else:
            mass = whole[0]
            margin = 16 * len(points) * (f.one // (f.exp(h)[0] - f.one) + 1)
            both = [margin + (x * y // (x + y) + 1 if x and y else 0) for x, y in needs]
            down = [max(x, y) for x, y in zip([margin, *both], [*both, margin], strict=True)]
            deltas, last = [d[0] for _, d in points], len(needs)
            last = next(j for j in range(last + 1) if j == last or deltas[j] < down[j])
            ends = [max(x, margin + need[0]) for x, need in zip(down, needs, strict=False)]
            while last and deltas[last - 1] < ends[last - 1]:
                last -= 1
            down[last - 1], corners = ends[last - 1] if last else 0, []
            for j in range(last):
                value = deltas[j] - down[j]
                corners.append((low + j, min(value, corners[-1][1]) if corners else value))
            corners.append((low + last, 0))
            if not last:
                return Law(h, low, [0], infinite)
        found = dict(hull(f, h, mass, corners, up=self.above))
        shift, end = f.bits - self.bits, corners[-1][0]
        masses = [self.safe(found.get(j, 0), shift) for j in range(low, end + 1)]
        return self._trimmed(h, low, masses, infinite)

    def _trimmed(self, h: Fraction, first: int, masses: list[int], infinite: int) -> Law:
        """Return a law without its ends: above they go to infinity, and up to the first kept."""
        low, high, under, over = 0, len(masses), 0, 0
        while high - low > 1 and over + masses[high - 1] <= self.cut:
            high -= 1
            over += masses[high]
        while high - low > 1 and under + masses[low] <= self.cut:
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
        points, needs = [(j, (0, 0))], [(0, 0)]
        for odd, even in zip(masses[-2::-2], masses[::-2], strict=True):
            j, above, rest = j - 1, above + odd + even, f.times(plus(rest, (even, even)), fall)
            rest = f.times(plus(rest, (odd, odd)), fall)
            points.append((j, (above - rest[1], above - rest[0])))
            ends = odd * (f.one - fall[0]), odd * (rise[1] - f.one)
            needs.append((-(-ends[0] >> f.bits), -(-ends[1] >> f.bits)))
        return self._polygon(2 * x.h, points[::-1], needs[:0:-1], (above, above), x.infinite)

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
