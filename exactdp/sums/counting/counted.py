r"""E f(S − c) over counts: a window of each, the last one added up. Any width is in reach.

S adds n copies of a variable of values v_i, masses m_i, with f, r, κ of ``saddle`` and the tilted
masses π_i = m_i e^(λv_i)/M(λ). The counts N_i of the values are multinomial. Two values v > w
are added up: given that they take K of the copies and given all other counts, S = z + jh,
h = v − w, and with u_i(a) = m_i^a/a! everything that f needs of j is in the tables

    T(t) = Σ_{j >= t} u_v(j)·u_w(K − j),   T'(t) = Σ_{j >= t} g(j)·u_v(j)·u_w(K − j),

g(j) = j (r = 0) or e^(−jh) (r = 1), at the least t with z + th > c. A table serves all counts
with this K. So d values take about d − 2 nested windows, each of the length of some standard
deviations times the root of the number of digits. Further variables add their own points. Each
loss is one named number:

* ``lost``: as e^(−λx) f(x) <= κ, what is outside of the windows adds at most κ·M(λ)^n·e^(−λc)
  times its tilted mass, which Bernstein's inequality bounds count by count: at most
  e^(−x²/(2(V + x/3))) at a distance x from the mean on one side, V the variance;
* ``moved``: values and c are rounded to multiples of 2^−b, so that the place of each sum beside c
  is exact; that moves S − c by at most η, and as f rises by at most 1 a step, the mean by at most
  η·Pr[S >= c − η] <= η·M(λ)^n·e^(−λ(c − η));
* rounding: in the balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, inf, log, log2, prod, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, precision, short, working_bits
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.numbers.limits import effort_of_today, refuse_above
from exactdp.sums.counting.tails import window_of_binomial
from exactdp.sums.doubles import BALL_BITS
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.saddle import A_PLAN, log_kappa_ball, minimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CountedSum"]

_SPARE = 64  # bits of 2^−b, so that ``moved`` is far below the width
_NEAR = 0.25
"""The radius up to which a ball is rounded: it moves less than a unit, as ``moved`` supposes."""
_STEEPEST = 1e18
"""The most that λ times the largest value may be: any λ is right, and few counts are left there."""
_TABLES = 20
"""Entries of all tables at most, over those of a law that is held."""
_LISTED = 5  # entries of a table that take the memory of one that is listed

Objects: TypeAlias = "NDArray[Any]"
"""An array of balls or integers."""


@dataclass(frozen=True, slots=True)
class _Count:
    """The count of one value, in a window.

    Attributes:
        value: The value, in units of 2^−b.
        mass: The mass of the value, not tilted.
        low: The least count.
        high: The largest one.
    """

    value: int
    mass: arb
    low: int
    high: int

    @classmethod
    def never(cls) -> _Count:
        """Return the count of a value that does not come."""
        return cls(0, arb(1), 0, 0)

    @property
    def range(self) -> range:
        """The counts in the window."""
        return range(self.low, self.high + 1)

    def weights(self) -> Objects:
        """Return m^a/a! in the window."""
        found = [self.mass**self.low / arb(self.low + 1).gamma()]
        for a in self.range[1:]:
            found.append(found[-1] * self.mass / a)
        return np.array(found, dtype=object)

    def cut(self, values: Objects, low: int, high: int) -> Objects:
        """Return the part of an array over the window between two counts, both included."""
        return values[low - self.low : high - self.low + 1]


@dataclass(frozen=True, slots=True)
class _Copies:
    """The counts of the copies of one variable.

    Attributes:
        counts: The counts of the values, that of the largest variance first.
        times: The number of copies.
        others: A window of the number that neither of the first two values takes.
        lost: A bound of the tilted mass outside of the windows.
        log_moment: ln M(λ)^n.
    """

    counts: list[_Count]
    times: int
    others: range
    lost: arb
    log_moment: arb

    @classmethod
    def of(cls, part: FiniteVariable, unit: arb, rate: arb, nats: float) -> _Copies:
        """Return windows outside of which there is about e^−nats."""
        masses: dict[int, arb] = {}
        for x, mass in zip(part.values, part.masses, strict=True):
            value = _nearest(x / unit)
            masses[value] = masses.get(value, arb(0)) + mass
        tilted = {value: mass * (rate * value * unit).exp() for value, mass in masses.items()}
        total, lost, counts = sum(tilted.values(), arb(0)), arb(0), []
        shares = {value: mass / total for value, mass in tilted.items()}
        order = sorted(masses, key=lambda x: -float((shares[x] * (1 - shares[x])).mid()))
        for value in order:
            window, beyond = window_of_binomial(part.times, shares[value], nats)
            counts.append(_Count(value, masses[value], window[0], window[-1]))
            lost += beyond
        others = range(1)
        if len(order) > 2:
            rest = sum((shares[value] for value in order[2:]), arb(0))
            others, beyond = window_of_binomial(part.times, rest, nats)
            lost += beyond
        return cls(counts, part.times, others, lost, part.times * total.log())

    def points(self) -> list[tuple[int, arb]]:
        """Return the sums in the windows, with their masses."""
        first, *rest = self.counts
        table, factor, found = first.weights(), arb(self.times + 1).gamma(), []
        for taken, value, mass in _ways(rest, self.times):
            left = self.times - taken
            if left in first.range:
                mass *= table[left - first.low] * factor
                found.append((value + left * first.value, mass))
        return found

    def size_but(self, kept: int) -> int:
        """Return a bound of the ways to count all values but the first so many."""
        rest = self.counts[kept:]
        windows = prod(len(count.range) for count in rest)
        return min(windows, comb(self.times + len(rest), len(rest)))


@dataclass(frozen=True, slots=True)
class _Tilt:
    """The places of the windows.

    Attributes:
        rate: λ, about the saddle point.
        spread: About λ times the deviation of the tilted sum.
        bits: More than those of λ times the largest value, and of λc.
    """

    rate: float
    spread: float
    bits: int


@dataclass(frozen=True, eq=False)
class CountedSum:
    """A sum of independent finite variables, count by count.

    Attributes:
        parts: The variables, at a number of bits; nothing may have been left out of them.
        threshold: c, at a number of bits.
        rate: r: 0 for E max(0, S − c), 1 for E max(0, 1 − e^(c − S)).
        relative_width: (upper − lower) <= relative_width·lower is wanted.

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> coin = FiniteVariable([arb(1), arb(-1)], [arb(0.5), arb(0.5)], 2)
        >>> total = CountedSum(lambda _: [coin], lambda _: arb(0), 0, Fraction(1, 10**30))
        >>> total.mean().contains(Fraction(1, 2)), total.size
        (True, 5)
    """

    parts: Callable[[int], Sequence[FiniteVariable]]
    threshold: Callable[[int], arb]
    rate: int
    relative_width: Fraction

    @cached_property
    def _largest(self) -> float:
        """The largest |x|; where all are 0, |c|."""
        with precision(BALL_BITS):
            found = max(abs(float(x.mid())) for y in self.parts(BALL_BITS) for x in y.values)
            return found or abs(float(self.threshold(BALL_BITS).mid())) or 1.0

    @cached_property
    def _tilt(self) -> _Tilt:
        with precision(BALL_BITS):
            parts, c = self.parts(BALL_BITS), float(self.threshold(BALL_BITS).mid())
            largest = self._largest

            def height(tilt: float) -> float:
                if tilt > _STEEPEST / largest:
                    return inf  # doubles do not tell c from the largest sum
                total = sum(part.about_log_moment(tilt) for part in parts)
                return total - tilt * c - log(tilt) - log(self.rate + tilt)

            rate, square = minimum(height, 1 / largest)[0], arb(0)
            for part in parts:
                masses = part.probabilities(arb(rate))
                mean = sum((p * x for p, x in zip(masses, part.values, strict=True)), arb(0))
                for p, x in zip(masses, part.values, strict=True):
                    square += part.times * p * (x - mean) * (x - mean)
            spread = rate * sqrt(abs(float(square.mid())))
            return _Tilt(rate, spread, 32 + int(log2(1 + rate * max(largest, abs(c)))))

    @cached_property
    def size(self) -> int:
        """The entries of all tables, and the places where they are looked up.

        What is listed counts more often, for its memory: 230 bytes each. 10^99 where values are too
        extreme for doubles.
        """
        if not self._largest < inf:
            return 10**99
        with precision(BALL_BITS):
            unit = self._unit(BALL_BITS - self._tilt.bits)
            main, *rest = self._copies(unit, 1.0)[0]
        pairs = len(main.counts[2].range) if len(main.counts) > 2 else 1
        listed = main.size_but(4) * prod(one.size_but(1) for one in rest)
        tables = len(main.others) * (len(main.counts[0].range) + pairs * listed)
        return max(tables, _LISTED * listed)

    @property
    def work(self) -> float:
        """About how many operations the sum takes; infinity if it has too many entries."""
        return A_PLAN + self.size if self.size <= _TABLES * effort_of_today().cells else inf

    def mean(self) -> Enclosure:
        """Return an enclosure of E f(S − c).

        Raises:
            TooLargeError: If there are too many counts.
            UndecidedError: If the mean cannot be told from 0.
        """
        if not self._largest < inf:
            raise UndecidedError("the values are too extreme for doubles. Take others.")
        what = f"relative_width={short(self.relative_width)} takes {self.size:,} counts"
        most = _TABLES * effort_of_today().cells
        refuse_above(most, self.size, what, advice="Take fewer copies.")
        for attempt in range(effort_of_today().tries):
            found = self._attempt(2.0**attempt)
            if found.lower > 0 and found.is_narrow(self.relative_width):
                return found
        raise UndecidedError("the mean cannot be told from zero. Ask at a smaller epsilon.")

    def _attempt(self, more: float) -> Enclosure:
        copies = sum(part.times for part in self.parts(BALL_BITS))
        bits = int(self._nats(more) / log(2)) + 4 * copies.bit_length() + _SPARE
        spend(self.size)
        with precision(bits + 2 * copies.bit_length() + self._tilt.bits):
            unit, rate = self._unit(bits), arb(self._tilt.rate)
            parts, level = self._copies(unit, more)
            scale = sum((one.log_moment for one in parts), -rate * level * unit)
            value = _total(parts, unit, level, self.rate)
            shift = (copies + 1) * unit
            moved = shift * (scale + rate * shift).exp()
            kappa = log_kappa_ball(rate, self.rate)
            lost = sum((one.lost for one in parts), arb(0)) * (scale + kappa).exp()
            low, high = value - moved, value + moved + lost
            if not (low.is_finite() and high.is_finite()):
                return Enclosure(Fraction(0), Fraction(1))
            return Enclosure(
                *(max(x, Fraction(0)) for x in (endpoints(low)[0], endpoints(high)[1]))
            )

    def _nats(self, more: float) -> float:
        """Return approximately how small the mass outside a window must be."""
        width = self.relative_width
        usual = log(width.denominator) - log(width.numerator) + log(64 * (2 + self._tilt.spread))
        return more * usual

    def _unit(self, bits: int) -> arb:
        """Return 2^−b, small against 1/λ."""
        return arb(2) ** -(bits + int(log2(self._tilt.rate)))

    def _copies(self, unit: arb, more: float) -> tuple[list[_Copies], int]:
        """Return the counts of the variables, that with the most values first, and c in units."""
        bits, rate, nats = working_bits(), arb(self._tilt.rate), self._nats(more)
        found = [_Copies.of(part, unit, rate, nats) for part in self.parts(bits)]
        found.sort(key=lambda one: -one.size_but(1))
        return found, _nearest(self.threshold(bits) / unit)


def _total(parts: Sequence[_Copies], unit: arb, level: int, rate: int) -> arb:
    """Return the mean over the windows, from tables of the first variable."""
    main, *rest = parts
    counts = [*main.counts, *[_Count.never() for _ in range(4 - len(main.counts))]]
    # v, w: if w does not come, the step is arbitrary.
    v, w = sorted(counts[:2], key=lambda count: -count.value)
    one, other, *more = counts[2:]
    step = v.value - w.value or 1
    ofs = v.weights(), w.weights(), one.weights(), other.weights()
    slope = one.value - other.value
    factors = [arb(a) for a in v.range]
    places = np.array([a * slope for a in one.range], dtype=object)
    if rate:
        factors = [(-step * unit * a).exp() for a in v.range]
    heights = np.array(
        [(-p * unit).exp() if rate else p * unit for p in places.tolist()], dtype=object
    )
    gains = np.array(factors, dtype=object)
    beside, total = _ways(more, main.times), arb(0)
    for copies in rest:
        points = copies.points()
        beside = [(k, z + value, m * mass) for k, z, m in beside for value, mass in points]
    for left in main.others:
        both = main.times - left
        low, high = max(v.low, both - w.high), min(v.high, both - w.low)
        if low > high:
            continue
        masses = v.cut(ofs[0], low, high) * w.cut(ofs[1], both - high, both - low)[::-1]
        table, gained = _tails(masses), _tails(masses * v.cut(gains, low, high))
        for taken, z, weight in beside:
            free = left - taken
            first, last = max(one.low, free - other.high), min(one.high, free - other.low)
            if first > last:
                continue
            pairs = one.cut(ofs[2], first, last)
            pairs = pairs * other.cut(ofs[3], free - last, free - first)[::-1]
            z += both * w.value + free * other.value - level
            # The least j with z + place + j·step > 0, as a place of the table.
            least = -(z + one.cut(places, first, last)) // step + (1 - low)
            index = np.clip(least, 0, len(masses)).astype(np.int64)
            height = one.cut(heights, first, last)
            if rate:
                values = table[index] - height * (-z * unit).exp() * gained[index]
            else:
                values = (height + z * unit) * table[index] + gained[index] * (step * unit)
            total += weight * (pairs * values).sum()
    return total * arb(main.times + 1).gamma()


def _ways(counts: Sequence[_Count], times: int) -> list[tuple[int, int, arb]]:
    """Return the copies, the sum and the mass Π m^a/a! of all counts of at most so many copies."""
    found = [(0, 0, arb(1))]
    for count in counts:
        pairs = list(zip(count.range, count.weights(), strict=True))
        found = [
            (k + a, z + a * count.value, m * x)
            for k, z, m in found
            for a, x in pairs
            if k + a <= times
        ]
    return found


def _tails(masses: Objects) -> Objects:
    """Return the sums from each place on, and 0."""
    found = np.array([arb(0), *masses[::-1]], dtype=object)
    return np.asarray(np.add.accumulate(found)[::-1])


def _nearest(x: arb) -> int:
    """Return an integer less than 1 from x."""
    if not x.rad() < _NEAR:
        raise UndecidedError("the values are too extreme for balls. Take less extreme numbers.")
    return int(floor_of(x.mid() + arb(_NEAR)))
