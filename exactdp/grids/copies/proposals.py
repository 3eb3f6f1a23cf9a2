"""Where a tilted sum of copies lies, and how to put it on grids: choices in doubles.

Nothing here is certified, and nothing that is certified rests on it: a bad choice only
makes an enclosure wide.

The error model: moving mass by a spread of variance v in all changes E max(0, S) by about
v·slope²/2 relative to it. A grid whose step is doubled at every second squaring adds about
1.5·k·h² for k copies with first step h. From below, a mass that lies alone between the points
of a grid is lost to first order. So there are two ways:

- lattice: the values are near a lattice of step G (residual variance r a copy). Values of one
  index are merged into their mean, blocks of B copies are put on the lattice of the block;
  that takes r a copy, and about G·√r a block for what the offsets depend on the index.
- dense: blocks of so many copies that their sums fill the cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, islice
from math import frexp, lgamma, prod, sqrt

import numpy as np
from flint import arb
from numpy.typing import NDArray

from exactdp.distributions.polynomials import histogram_count
from exactdp.numbers import Number, precision
from exactdp.numbers.limits import MAX_CELLS_OF_A_BLOCK

__all__ = ["Integers", "LowerPlan", "SumSketch", "heavy", "histograms", "nearest_cells", "short"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MANY_HISTOGRAMS = 400_000
_PER_CELL = 4
_HEAVIEST = 6
_VARIED = 8
_CELLS_OF_A_DEVIATION = 8
_LATTICES = 6
_ENLARGED = 16
_FINEST = 64
_APART = 1 + 1 / 2**20
_FACTORS = range(1, 17)


@dataclass(frozen=True, slots=True)
class LowerPlan:
    """How blocks are put on a grid from below.

    Attributes:
        groups: The numbers of the values that are merged into their mean, group by group.
        step: Of the grid.
        origin: Of the grid of a block, for each copy.
        copies: Blocks have at least so many copies, and less than twice as many + 1.
    """

    groups: tuple[tuple[int, ...], ...]
    step: Fraction
    origin: Fraction
    copies: int


@dataclass(frozen=True, slots=True)
class _Lattice:
    """A lattice near the values: value ≈ origin + index·step."""

    step: float
    origin: float
    indices: Floats
    variance: float


@dataclass(frozen=True, slots=True)
class SumSketch:
    """The tilted copies, and their sum, in doubles.

    Attributes:
        values: The values of a copy.
        weights: Their tilted probabilities.
        n: The number of copies.
        tilt: λ > 0: the tilted mean is about 0 where it can be.
        log_mean: ln E e^(λX) of a copy.
        deviation: The standard deviation of the tilted sum.
        slope: About |d ln E max(0, S − c) / dc| at c = 0.
    """

    values: Floats
    weights: Floats
    n: int
    tilt: Fraction
    log_mean: float
    deviation: float
    slope: float

    @classmethod
    def of(cls, values: Sequence[Number], masses: Sequence[Number], n: int) -> SumSketch:
        """Return the sketch of n copies; some value is positive."""
        x = np.array([_double(v.ball(96)) for v in values])
        with precision(96):
            logs = np.array([_double(m.ball(96).log()) for m in masses])

        def tilted(rate: float) -> tuple[Floats, float, float, float]:
            exponents = logs + rate * x
            top = np.max(exponents)
            weights = np.exp(exponents - top)
            total = np.sum(weights)
            weights = weights / total
            mean = np.sum(weights * x)
            return weights, top + np.log(total), mean, np.sum(weights * (x - mean) ** 2)

        low, high = np.float64(0), 1 / np.max(x)
        for _ in range(200):
            if tilted(high)[2] >= 0:
                break
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tilted(middle)[2] < 0 else (low, middle)
        deviation = np.sqrt(max(tilted(high)[3], np.float64(2) ** -900) * n)
        tilt = _dyadic(max(high, 1 / (2 * deviation)), 24)
        rate = np.float64(tilt)
        weights, log_mean, _, variance = tilted(rate)
        deviation = np.sqrt(max(variance, np.float64(2) ** -900) * n)
        return cls(x, weights, n, tilt, log_mean, deviation, rate + 1 / deviation)

    def variance_for(self, relative_width: Fraction) -> float:
        """Return the variance that may be added for a relative width."""
        return 2 * np.float64(relative_width) / self.slope**2

    def wanted_step(self, variance: float, copies: int) -> float:
        """Return the step for a law of some of the copies."""
        return float(np.sqrt(2 * variance * copies / (3 * self.n)))

    def allowed(self, relative_width: Fraction) -> float:
        """Return what the mean may lose in all."""
        return np.float64(relative_width)

    def allows(self, step: arb, variance: float, copies: int) -> bool:
        """Return whether a law of some of the copies may have a step."""
        return bool(_double(step) <= self.wanted_step(variance, copies))

    def first_step(self, variance: float) -> Fraction:
        """Return the step for the law of one copy."""
        return _dyadic(self.wanted_step(variance, 1), 20)

    def log_norm(self, copies: int) -> Fraction:
        """Return about ln E e^(λS) for some copies."""
        return Fraction(int(np.floor(self.log_mean * copies * 2**60)), 2**60)

    def losing(self, share: arb, copies: int) -> float:
        """Return about what the mean loses if the law of some copies loses a share of its mass."""
        rate = np.float64(self.tilt)
        return _double(share) * self.n / copies * (self.slope / rate) ** 2

    def lightest(self, relative_width: Fraction) -> float:
        """Return how much lighter than the heaviest a histogram is that does not matter."""
        return float(np.log(self.n / np.float64(relative_width))) + 12

    def bits(self, relative_width: Fraction, step: Fraction) -> int:
        """Return how many bits the weights need if laws of one copy have this step."""
        cells = 20 * self.deviation / (np.float64(step) * sqrt(self.n)) + 64
        return int(np.ceil(np.log2(cells) + np.log2(np.float64(self.n / relative_width)))) + 24

    def lower_plans(self, relative_width: Fraction) -> Iterator[LowerPlan]:
        """Yield plans from below that may do for a relative width, good ones first."""
        lattices = _lattices(self.values, self.weights)
        plans = (self._on_lattice(lattice, relative_width) for lattice in lattices)
        yield from islice((plan for plan in plans if plan is not None), _LATTICES)
        groups = self._merged(self.variance_for(relative_width) / 8)
        yield self._dense(groups, relative_width)

    def enlarged(self, plan: LowerPlan, loss: float, relative_width: Fraction) -> LowerPlan | None:
        """Return a plan with larger blocks, which lose less, if they may lose little enough."""
        factor = 2 * loss / np.float64(relative_width)
        if not factor <= _ENLARGED:
            return None
        copies = int(plan.copies * factor) + 1
        if not self._is_feasible(copies, plan.groups, relative_width):
            return None
        return replace(plan, copies=copies)

    def _is_feasible(
        self, copies: int, groups: Sequence[Sequence[int]], relative_width: Fraction
    ) -> bool:
        """Return whether blocks of up to twice so many copies are not too large."""
        if copies > self.n:
            return False
        weights = np.sort([np.sum(self.weights[list(group)]) for group in groups])
        nats, twice = self.lightest(relative_width), min(self.n, 2 * copies + 1)
        windows = [_count_window(twice, share, nats) for share in weights[:-1]]
        box = prod(int(high - low) + 1 for low, high in windows)
        return min(box, histogram_count(twice, len(groups))) <= _MANY_HISTOGRAMS

    def _merged(self, variance: float) -> list[list[int]]:
        """Merge neighboring values while all copies together lose at most this variance."""
        order = [int(i) for i in np.argsort(self.values)]
        groups = [[i] for i in order]
        x, q = [self.values[i] for i in order], [self.weights[i] for i in order]
        while len(groups) > 2:
            costs = [
                self.n * q[i] * q[i + 1] / (q[i] + q[i + 1]) * (x[i + 1] - x[i]) ** 2
                for i in range(len(groups) - 1)
            ]
            i = int(np.argmin(costs))
            variance -= costs[i]
            if not variance >= 0:
                break
            total = q[i] + q[i + 1]
            x[i : i + 2] = [(q[i] * x[i] + q[i + 1] * x[i + 1]) / total]
            q[i : i + 2] = [total]
            groups[i : i + 2] = [groups[i] + groups[i + 1]]
        return groups

    def _on_lattice(self, lattice: _Lattice, relative_width: Fraction) -> LowerPlan | None:
        variance = self.variance_for(relative_width)
        if lattice.step < self.wanted_step(variance, 1) / _FINEST:
            return None
        if self.n * lattice.variance * 2 > variance:
            return None
        offset = np.sqrt(lattice.variance) * lattice.step
        copies = min(self.n, max(self._smallest_block(), int(2 * self.n * offset / variance)))
        present = sorted({int(i) for i in lattice.indices})
        groups = [tuple(int(i) for i in np.flatnonzero(lattice.indices == k)) for k in present]
        span = lattice.step * MAX_CELLS_OF_A_BLOCK
        if 20 * self.deviation * np.sqrt(copies / self.n) > span:
            return None
        if not self._is_feasible(copies, groups, relative_width):
            return None
        step, origin = _dyadic(lattice.step, 50), _dyadic(lattice.origin, 50)
        return LowerPlan(tuple(groups), step, origin, copies)

    def _smallest_block(self) -> int:
        """Return how many copies have some that are not of the most frequent value."""
        return min(self.n, int(_VARIED / (1 - np.max(self.weights))) + 1)

    def _dense(self, groups: Sequence[Sequence[int]], relative_width: Fraction) -> LowerPlan:
        variance, copies = self.variance_for(relative_width), self._smallest_block()
        while True:
            block = self.deviation * np.sqrt(copies / self.n)
            step = min(self.wanted_step(variance, copies), block / _CELLS_OF_A_DEVIATION)
            filled = histogram_count(copies, len(groups)) >= _PER_CELL * 20 * block / step
            if filled or not self._is_feasible(2 * copies, groups, relative_width):
                break
            copies *= 2
        merged = tuple(tuple(group) for group in groups)
        return LowerPlan(merged, _dyadic(step, 20), Fraction(0), copies)


def _lattices(values: Floats, weights: Floats) -> list[_Lattice]:
    """Return lattices near the values, coarse ones first; at least one."""
    heaviest = sorted(int(i) for i in np.argsort(-weights)[:_HEAVIEST])
    anchor = values[int(np.argmax(weights))]
    found = []
    for i, j in combinations(heaviest, 2):
        both = values[i] + values[j] - 2 * anchor
        for step in (abs(values[i] - values[j]), abs(both)):
            fitted = (_fitted(values, weights, anchor, step / factor) for factor in _FACTORS)
            found += [lattice for lattice in fitted if lattice is not None]
    found.sort(key=lambda lattice: -lattice.step)
    return [x for i, x in enumerate(found) if not i or x.step * _APART < found[i - 1].step]


def _fitted(values: Floats, weights: Floats, anchor: float, step: float) -> _Lattice | None:
    """Return the lattice that fits best with the indices that a step gives."""
    if not step > 0:
        return None
    indices = np.rint((values - anchor) / step)
    if not np.max(np.abs(indices)) < 2**53:
        return None
    if np.gcd.reduce(indices.astype(np.int64)) != 1:  # a coarser one has all that this one has
        return None
    mean, middle = np.sum(weights * values), np.sum(weights * indices)
    spread = np.sum(weights * (indices - middle) ** 2)
    if not spread > 0:
        return None
    step = np.sum(weights * (values - mean) * (indices - middle)) / spread
    origin = mean - step * middle
    residuals = values - origin - step * indices
    if not step > 0:
        return None
    return _Lattice(step, origin, indices, np.sum(weights * residuals**2))


def _count_window(copies: int, share: float, nats: float) -> tuple[int, int]:
    """Return the counts of a letter that are lighter than its mean by about ``nats`` at most."""
    mean = copies * share
    high = mean + nats / 3 + np.sqrt(nats**2 / 9 + 2 * nats * mean)  # Bernstein
    low = mean - np.sqrt(2 * nats * mean)
    return max(0, int(low)), min(copies, int(high) + 1)


def _double(ball: arb) -> float:
    """Return the middle of a ball as a double."""
    return np.float64(ball.mid())


def _dyadic(value: float, bits: int) -> Fraction:
    """Return a double rounded to some significant bits, exactly."""
    mantissa, exponent = frexp(value)
    return Fraction(int(mantissa * 2**bits)) * Fraction(2) ** (exponent - bits)


def histograms(copies: int, windows: Sequence[tuple[int, int]]) -> Integers:
    """Return the ways to share the copies among the letters, one a row.

    A letter has between so many and so many copies, the last one what is left.
    """
    columns: list[Integers] = []
    left = np.array([copies])
    for low, high in windows:
        repeats = np.maximum(np.minimum(left, high) - low + 1, 0)
        ends = np.cumsum(repeats)
        count = low + np.arange(ends[-1]) - np.repeat(ends - repeats, repeats)
        columns = [np.repeat(column, repeats) for column in columns] + [count]
        left = np.repeat(left, repeats) - count
    return np.stack([*columns, left], axis=1)


def heavy(copies: int, masses: Sequence[arb], lightest: float) -> Integers:
    """Return the histograms that are not much lighter than the heaviest."""
    weights = np.array([_double(mass) for mass in masses])
    weights = np.maximum(weights / np.sum(weights), 1e-300)
    order = np.argsort(weights)  # the last letter, which takes what is left, is the heaviest
    windows = [_count_window(copies, q, lightest) for q in weights[order[:-1]]]
    counts = histograms(copies, windows)
    logs = np.zeros(len(counts))
    for column, i in enumerate(order):
        seen, places = np.unique(counts[:, column], return_inverse=True)
        terms = [int(k) * np.log(weights[i]) - lgamma(k + 1) for k in seen]
        logs += np.array(terms)[places]
    heavy = counts[logs >= np.max(logs) - lightest]
    found = np.empty_like(heavy)
    found[:, order] = heavy
    return found


def nearest_cells(counts: Integers, places: Sequence[arb]) -> Integers:
    """Return the cells nearest to the sums of histograms, given those of one copy."""
    nearest: Integers = np.rint(counts @ np.array([_double(x) for x in places])).astype(np.int64)
    return nearest


def short(value: Fraction | float | None) -> str:
    """Return a number for a message."""
    return "?" if value is None else f"{np.float64(value):.3g}"
