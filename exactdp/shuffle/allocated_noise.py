"""One of t noisy steps, chosen at random, sees the record: between finite steps, by enclosures.

With W = P/Q the likelihood ratio of a step, that of t steps is a mean of t independent copies under
Q, and

    H_γ = E max(0, ΣW_i − tγ)/t + P(Q = 0), and E max(0, t − γΣW_i)/t for (Q, P).

W is enclosed by finite variables on a lattice (``divergences.dots``): both means are convex in each
W_i. The law of their sum answers for many γ.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any, ClassVar

from exactdp.divergences import Pair
from exactdp.divergences.dots import (
    RatioLattice,
    pairs_around,
    pairs_through,
    ratios_between,
)
from exactdp.divergences.values import enclosed, told
from exactdp.errors import UndecidedError
from exactdp.mechanisms import GaussianMechanism, LaplaceMechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    count_text,
    exp,
    refuse_above,
    short,
)
from exactdp.numbers.limits import MAX_CELLS_OF_A_LATTICE
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenProfile, HiddenVictim
from exactdp.shuffle.noise_grids import pairs_on_grid
from exactdp.sums import RepeatedSum

__all__ = ["LatticeAllocation", "NoiseAllocation", "deviation", "ratio_indices"]

_ATTEMPTS = 12
"""Pairs around a step that are tried, each finer than the last, before a width is given up."""

_FARTHEST = Fraction(10**9)
"""An ε that no search reaches, before the first is found."""

_CELLS_OF_A_CURVE = 8
"""Outputs of a pair for each cell in a deviation of W: both are then about as far from noise."""

_MANY_STEPS = 64
"""Steps from which on a curve is summed at once, between finite pairs of a few losses."""

_FEWEST_CELLS, _OUTPUTS_OF_A_CELL = 8, 16
"""Cells in the size of a loss at least, and outputs of a pair for each, for such pairs: both are
then about as far from the noise."""

_NOTHING = Fraction(0), Fraction(0)
"""What P and Q have at least where the other has none: noise has mass everywhere."""

_STEP = Fraction(1, 64)
"""The first ε at which it is seen whether a pair may end there."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatticeAllocation(HiddenProfile):
    """One of t steps, chosen at random, sees the record; the ratios of a step are on a lattice.

    Attributes:
        pair: The step: P with the record, Q without.
        steps: t, at least 1.
        adds_record: False for P with the record and Q without, True for the reverse.
        sum: ΣW_i under Q; for adding a record that of −W.

    Example:
        One of two steps with the ratios 1/2 and 3/2: both speak for P with probability 1/4.

        >>> half = Fraction(1, 2)
        >>> step = RatioLattice(half, ((1, half), (3, half)), Fraction(0))
        >>> LatticeAllocation(step, 2).delta(Epsilon.log("5/4")).contains(Exact("1/16"))
        True
    """

    pair: RatioLattice
    steps: int
    adds_record: bool = False
    sum: RepeatedSum = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum", RepeatedSum(self.pair.step, self._masses(), self.steps))

    def _masses(self) -> Mapping[int, Fraction]:
        """Return the law of W, or that of −W: from W = t on, which tells all, none matters."""
        if not self.adds_record:
            return dict(self.pair.masses)
        law: dict[int, Fraction] = {}
        for i, mass in self.pair.masses:
            place = -min(i, ceil(self.steps / self.pair.step))
            law[place] = law.get(place, Fraction(0)) + mass
        return law

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        if self.adds_record:
            found = self.sum.mean_above(-self.steps / gamma, relative_width=width / 2)
            factor = enclosed(gamma, width / 8)
            return Enclosure(
                found.lower * factor.lower / self.steps, found.upper * factor.upper / self.steps
            )
        alone, found = (
            self.pair.infinity_mass,
            self.sum.mean_above(self.steps * gamma, relative_width=width),
        )
        return Enclosure(alone + found.lower / self.steps, alone + found.upper / self.steps)

    def infinity_mass(self) -> Number:
        """Return what P alone has in a step; for adding, that P has in none of the steps."""
        if not self.adds_record:
            return Exact(self.pair.infinity_mass)
        return Exact(dict(self.pair.masses).get(0, Fraction(0))) ** self.steps

    def max_divergence(self) -> Epsilon:
        """Return the largest loss: of a step, or of all of them."""
        is_finite = self.infinity_mass() == Exact(0)
        return self.largest_finite_loss() if is_finite else Epsilon.infinity()

    def largest_finite_loss(self) -> Epsilon:
        """Return the largest finite loss, at least 0."""
        ratios = [i * self.pair.step for i, _ in self.pair.masses if i]
        if not self.adds_record:
            return Epsilon.log(max(Fraction(1), *ratios))
        is_missing = self.infinity_mass() != Exact(0)
        return Epsilon.log(max(Fraction(1), (self.steps if is_missing else 1) / min(ratios)))

    def reversed(self) -> LatticeAllocation:
        """Return the other direction."""
        return replace(self, adds_record=not self.adds_record)


@validated
@dataclass(frozen=True, slots=True)
class NoiseAllocation(HiddenProfile):
    """One of t steps with noise, chosen at random, sees the record.

    Attributes:
        mechanism: The noise of a step: P with the record, Q without.
        steps: t, at least 1.
        adds_record: False for P with the record and Q without, True for the reverse.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.shuffle import random_allocation
        >>> one, many = (random_allocation(gaussian_mechanism(sigma=2), steps=t) for t in (1, 9))
        >>> at = Epsilon.rational("1/2")
        >>> many.delta(at).upper * 2 < one.delta(at, relative_width="1e-3").lower
        True
    """

    usual_width: ClassVar[Fraction] = Fraction(1, 100)

    mechanism: GaussianMechanism | LaplaceMechanism
    steps: int
    adds_record: bool = False
    _found: dict[Any, tuple[LatticeAllocation, LatticeAllocation]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def _delta_from_one(
        self, gamma: Exact, width: Fraction, target: Exact | None = None
    ) -> Enclosure:
        limit = self.max_divergence()
        if isinstance(limit, Epsilon) and not Epsilon(gamma) < limit:
            return Enclosure(Fraction(0), Fraction(0))
        rest, cells, low, high = width / 64, isqrt(floor(2 / width)), Fraction(0), Fraction(1)
        if target is not None and not self.adds_record:  # δ is about that where it matters
            rest = min(rest, enclosed(target * width, "1e-2").lower / 16)
        for _ in range(_ATTEMPTS):
            around = self._around(rest, cells, self._size(gamma))
            ends = [one._delta_from_one(gamma, width / 16) for one in around]
            low, high = max(low, ends[0].lower), min(high, ends[1].upper)
            if low > 0 and high - low <= width * low:
                return Enclosure(low, high)
            if target is not None and (bool(target < low) or bool(high <= target)):
                return Enclosure(low, high)
            # First what is left out of W far out is to be little, then the squares of the cells.
            likely = max(ends[0].lower, ends[1].upper - rest)
            if rest * 16 > width * likely and not self.adds_record:
                rest = max(rest / 2**14, width * likely / 32)
                continue
            rest, gap = rest / 8, (high - low) / max(low, width * high)
            cells = min(4 * cells, 1 + max(cells * 4 // 3, isqrt(ceil(cells**2 * gap / width))))
        ends_of_all = Enclosure(low, high)
        raise UndecidedError(
            f"relative_width={short(width)} is not reached: δ is {ends_of_all:.3g}. "
            "Ask for a wider enclosure."
        )

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return told(lambda asked: self._delta_from_one(epsilon.exp, asked, target), target, width)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start: that of each of the pairs around."""
        rest, cells = enclosed(target * width, "1e-2").lower / 16, isqrt(floor(1 / width))
        low, high = start, _FARTHEST
        for _ in range(_ATTEMPTS):
            below, above = self._around(_short(rest), cells, self._size(Exact(1)))
            low = max(low, below._smallest_from(start, target, width / 4).lower)
            high = min(high, above._smallest_from(start, target, width / 4).upper)
            if high - low <= width * low:
                return Enclosure(low, high)
            cells *= 2
        raise UndecidedError(
            f"relative_width={short(width)} is not reached: epsilon is {Enclosure(low, high):.3g}. "
            "Ask for a wider enclosure."
        )

    def pairs_near(self, size: int, rest: Fraction) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, of about so many outputs; above δ ends at rest."""
        if self.adds_record:
            low, high = self.reversed().pairs_near(size, rest)
            return low.reversed(), high.reversed()
        if self.steps >= _MANY_STEPS:
            with suppress(UndecidedError):
                return self._pairs_by_curves(size, rest)
        around = self._around(_short(rest), max(2, size // _CELLS_OF_A_CURVE), self._size(Exact(1)))
        # Twice the bits of a step: what is rounded matters less than what is between two points.
        unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
        tables = [one.sum.table(error=Fraction(self.steps, 16 * unit)) for one in around]

        def delta(end: int, ratio: Fraction) -> Enclosure:
            """Return δ at a γ, of the allocation below or above."""
            t, least = self.steps, Fraction(0)
            if ratio < 1:
                found, least = tables[end].below(t * ratio), 1 - ratio
            else:
                found, least = tables[end].above(t * ratio), around[end].pair.infinity_mass
            return Enclosure(least + found.lower / t, least + found.upper / t)

        top = _first(lambda x: delta(1, _power(x)).upper <= 2 * rest)
        most = self.steps * rest
        bottom = _first(lambda x: tables[1].below(self.steps * _power(-x)).upper <= most)
        ratios = ratios_between(bottom, top, size=size)
        low, high = (
            pairs_through(ratios, [delta(end, x) for x in ratios], _NOTHING, unit=unit)[end]
            for end in (0, 1)
        )
        return low, high

    def _pairs_by_curves(self, size: int, rest: Fraction) -> tuple[Pair, Pair]:
        bits = 2 + rest.denominator.bit_length() - rest.numerator.bit_length()
        cells = max(_FEWEST_CELLS, size // _OUTPUTS_OF_A_CELL)
        found = []
        for pair in pairs_on_grid(self.mechanism, bits=bits, cells=cells):
            one = HiddenVictim(self.steps, Hidden.of((p, q, q) for p, q in pair.masses()))
            found.append(one.pairs_near(size, rest))
        return found[0][0], found[1][1]

    def _size(self, gamma: Exact) -> Fraction:
        """Return the deviation of W where it matters for γ."""
        size = deviation(self.mechanism)
        return min(size, enclosed(1 / gamma, "1e-2").upper) if self.adds_record else size

    def _around(
        self, rest: Fraction, cells: int, size: Fraction
    ) -> tuple[LatticeAllocation, LatticeAllocation]:
        """Return allocations of pairs around a step: ``cells`` in a deviation of W, and ends."""
        steps = ceil(cells / size)
        if (rest, steps) not in self._found:
            indices = ratio_indices(self.mechanism, rest, steps=steps, size=size)
            bits = 64 + 2 * (steps * rest.denominator).bit_length()
            low, high = pairs_around(self.mechanism, indices, steps=steps, bits=bits)
            self._found[rest, steps] = (
                LatticeAllocation(low, self.steps, self.adds_record),
                LatticeAllocation(high, self.steps, self.adds_record),
            )
        return self._found[rest, steps]

    def max_divergence(self) -> Epsilon | Number:
        """Return that of a step: all outputs may be those of the largest loss."""
        return self.mechanism.max_divergence()

    def reversed(self) -> NoiseAllocation:
        """Return the other direction: adding the record for removing it."""
        return NoiseAllocation(self.mechanism, self.steps, not self.adds_record)


def _first(holds: Callable[[Fraction], bool]) -> Fraction:
    """Return a number beyond which something holds, from a ladder of them."""
    return next(x for x in (_STEP * k for k in _rungs()) if holds(x))


def _rungs() -> Iterator[int]:
    """Yield 1, 2, ... and from 16 on numbers that grow by a sixteenth."""
    rung = 1
    while True:
        yield rung
        rung += max(1, rung // 16)


def _power(nats: Fraction) -> Fraction:
    return Fraction(round(2**40 * math.exp(nats)), 2**40)


def _short(value: Fraction) -> Fraction:
    """Return a power of two at most a positive number."""
    return Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 1)


def deviation(noise: GaussianMechanism | LaplaceMechanism) -> Fraction:
    """Return about the mean of |W − 1|, W = P/Q under Q.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(deviation(laplace_mechanism(scale=1)), 2)  # 2(1 − e^(−1/2))
        Fraction(79, 100)
    """
    return 2 * enclosed(noise.delta(Epsilon.log(1)), "1e-2").upper


def ratio_indices(
    noise: GaussianMechanism | LaplaceMechanism, rest: Fraction, *, steps: int, size: Fraction
) -> list[int]:
    """Return where to look δ up, over ``steps``: denser near 1, and to where it is ``rest``.

    Raises:
        TooLargeError: If these are too many cells.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> ratio_indices(laplace_mechanism(scale=1), Fraction(1, 9), steps=4, size=Fraction(1))
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    top = noise.epsilon(rest, relative_width="1e-2")
    nats = top.upper if isinstance(top, Enclosure) else enclosed(top.nats, "1e-2").upper
    largest = enclosed(exp(Exact(nats)), "1e-2").upper
    indices, i, last = [], max(1, floor(steps / largest)), ceil(largest * steps)
    refuse_above(
        MAX_CELLS_OF_A_LATTICE,
        last,
        f"the ratios of one step have {count_text(last)} cells",
        advice="Take more noise or a larger delta, or ask for a wider enclosure.",
    )
    while i <= last:
        indices.append(i)
        i += max(1, floor((Fraction(i, steps) - 1) / (3 * size)))
    return [*indices, max(i, 2)]
