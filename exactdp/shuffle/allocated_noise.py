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
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
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
from exactdp.numbers.limits import MAX_PLACES_OF_A_RATIO
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hiding import HiddenProfile
from exactdp.sums import RepeatedSum

__all__ = [
    "LatticeAllocation",
    "NoiseAllocation",
    "deviation",
    "largest_ratio",
    "ratio_indices",
]

_ATTEMPTS = 12
"""Pairs around a step that are tried, each finer than the last, before a width is given up."""

_PLACES = 1 << 48
"""The denominator of the origin of a coarse lattice."""

_ROUNDS, _MARGIN = 10, Fraction(1, 1 << 20)
"""How often the origin of a coarse lattice is made better, and how much too far it is then."""

_FIRST_PLACE = 4
"""The place after the origin of a coarse lattice at which δ is first looked up for the pair below:
nearer δ bends so much that tangents would lose most of it."""

_COARSER, _FINEST_COARSE = 8, Fraction(1, 2)
"""Steps of a coarse lattice of W in which copies spread by as much as they may; the longest step of
one that begins at 0, and so has places for what is usual."""

_FAR = 8
"""Deviations of the sum of all W up to which the cells of W are those of one W."""

_FEWEST_CELLS = 4
"""Cells of the first pairs around a step, at least."""

_WIDTH_OF_A_CURVE, _WIDEST_OF_A_CURVE = Fraction(1, 10**6), Fraction(1, 100)
"""The relative width of δ at a point of a curve, and the widest that will do where doubles do not
reach that: where one large W is about as likely as many small ones, or far out."""

_FARTHEST = Fraction(10**9)
"""An ε that no search reaches, before the first is found."""

_CELLS_OF_A_CURVE = 20
"""Outputs of a pair for each cell in a deviation of W: both are then about as far from noise."""

_GROWTH = 12
"""The part of the points that lie near 1: beyond, they lie as much farther apart as they are far."""

_NOTHING = Fraction(0), Fraction(0)
"""What P and Q have at least where the other has none: noise has mass everywhere."""

_STEP = Fraction(1, 64)
"""The first ε at which it is seen whether a pair may end there."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatticeAllocation(HiddenProfile):
    """One of t steps, chosen at random, sees the record; the ratios of a step are on a lattice.

    Attributes:
        pair: The step: P with the record, Q without. Its lattice begins at 0 if a record is added.
        steps: t, at least 1.
        adds_record: False for P with the record and Q without, True for the reverse.
        sum: ΣW_i under Q, each less the origin of its lattice; for adding a record that of −W.

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

    def _delta_from_one(
        self, gamma: Exact, width: Fraction, enough: Fraction | None = None
    ) -> Enclosure:
        if self.adds_record:
            found = self.sum.mean_above(
                -self.steps / gamma, relative_width=width / 2, enough=enough
            )
            factor = enclosed(gamma, width / 8)
            return Enclosure(
                found.lower * factor.lower / self.steps, found.upper * factor.upper / self.steps
            )
        alone, above = self.pair.infinity_mass, self.steps * (gamma - self.pair.origin)
        found = self.sum.mean_above(above, relative_width=width, enough=enough)
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
        places = (self.pair.origin + i * self.pair.step for i, _ in self.pair.masses)
        ratios = [x for x in places if x > 0]
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
            around = self.around(gamma, cells, _short(rest))
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
        rest = _short(enclosed(target * width, "1e-2").lower / 16)
        cells = max(_FEWEST_CELLS, isqrt(floor(1 / (8 * width))))
        low, high = start, _FARTHEST
        for _ in range(_ATTEMPTS):
            below, above = (_Side(self, end, cells, rest) for end in (0, 1))
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
        cells, least = max(2, size // _CELLS_OF_A_CURVE), _short(rest)
        sides = [_Side(self, end, cells, least, _WIDEST_OF_A_CURVE) for end in (0, 1)]
        # Twice the bits of a step: what is rounded matters less than what is between two points.
        unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())

        def delta(end: int, ratio: Fraction) -> Enclosure:
            """Return δ at a γ, of the allocation below or above."""
            return sides[end].delta(Epsilon.log(ratio), relative_width=_WIDTH_OF_A_CURVE)

        top = _first(lambda x: delta(1, _power(x)).upper <= 2 * rest)
        bottom = _first(lambda x: delta(1, _power(-x)).upper + _power(-x) - 1 <= rest)
        ratios = _wider_far_out(ratios_between(bottom, top, size=size), size // _GROWTH)
        low, high = (
            pairs_through(ratios, [delta(end, x) for x in ratios], _NOTHING, unit=unit)[end]
            for end in (0, 1)
        )
        return low, high

    def around(
        self, gamma: Exact, cells: int, rest: Fraction
    ) -> tuple[LatticeAllocation, LatticeAllocation]:
        """Return allocations of pairs around a step that serve a γ >= 1 and those near it.

        Args:
            gamma: γ.
            cells: Cells in the deviation of W, or of what is as far out as γ is.
            rest: The δ of a step, a power of 2, from which on what is far out may be left out.
        """
        size, t = deviation(self.mechanism), self.steps
        near = enclosed(gamma, "1e-2")
        if self.adds_record:  # of W smaller values matter; none from S = t/γ on
            octave, beyond = _octave(near.lower), Fraction(0)
            step = min(size, Fraction(1) / 2**octave) / cells
            top = Fraction(t)
        else:
            # Far out, larger values of W decide: coarser cells are of as little weight.
            spread = max(size, size * isqrt(t))
            far_out = t * (near.upper - 1) / (_FAR * spread)
            octave = 1 + _octave(far_out) if far_out > 1 else 0
            beyond = _FAR * spread * 2**octave
            step = size * 2**octave / cells
            coarse = step**2 / _COARSER
            if coarse < 1:
                step = min(step, _FINEST_COARSE)
            else:
                step = min(coarse, spread * 2**octave / cells)
            top = t + beyond
        key = self.adds_record, octave, cells, rest
        if key not in self._found:
            step = Fraction(1, ceil(1 / step)) if step < 1 else Fraction(floor(step))
            far, origin = largest_ratio(self.mechanism, rest), Fraction(0)
            if step > _FINEST_COARSE:  # what is usual has its own place, else all of it would be spread
                origin = _usual_ratio(self.mechanism, step)
            is_cut = top < far
            indices = ratio_indices(1 / far, min(top, far), step=step, cells=Fraction(cells))
            bits = 64 + 2 * (ceil(1 / step) * rest.denominator).bit_length()
            both = partial(
                pairs_around, self.mechanism, steps=1 / step, bits=bits, is_cut=is_cut, origin=origin
            )
            if not origin:
                pairs = both(indices)
            else:
                far_ones = [i for i in indices if i >= _FIRST_PLACE]
                pairs = both([0, *far_ones])[0], both([0, *indices])[1]
            low, high = (LatticeAllocation(pair, t, self.adds_record) for pair in pairs)
            self._found[key] = low, high
        return self._found[key]

    def max_divergence(self) -> Epsilon | Number:
        """Return that of a step: all outputs may be those of the largest loss."""
        return self.mechanism.max_divergence()

    def reversed(self) -> NoiseAllocation:
        """Return the other direction: adding the record for removing it."""
        found = NoiseAllocation(self.mechanism, self.steps, not self.adds_record)
        object.__setattr__(found, "_found", self._found)
        return found


@dataclass(frozen=True, slots=True)
class _Side(HiddenProfile):
    """An allocation of noise from below or above: by cells of W that are as fine as γ asks.

    Attributes:
        allocation: The allocation.
        end: 0 for below, 1 for above.
        cells: Cells in a deviation.
        rest: The δ of a step from which on what is far out may be left out.
        enough: A relative width that will do where doubles do not reach the one that is asked.
    """

    allocation: NoiseAllocation
    end: int
    cells: int
    rest: Fraction
    enough: Fraction | None = None

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        around = self.allocation.around(gamma, self.cells, self.rest)
        return around[self.end]._delta_from_one(gamma, width, self.enough)

    def max_divergence(self) -> Epsilon | Number:
        """Return that of the allocation."""
        return self.allocation.max_divergence()

    def reversed(self) -> _Side:
        """Return the other direction."""
        return replace(self, allocation=self.allocation.reversed())


def _first(holds: Callable[[Fraction], bool]) -> Fraction:
    """Return a number beyond which something holds, from a ladder of them."""
    return next(x for x in (_STEP * k for k in _rungs()) if holds(x))


def _wider_far_out(ratios: list[Fraction], near: int) -> list[Fraction]:
    """Return all of the ratios near 1, and fewer of them far out, of powers of one ratio.

    Example:
        >>> powers = [Fraction(2) ** j for j in range(-1, 7)]
        >>> [int(x) for x in _wider_far_out(powers, 2)[1:]]
        [1, 2, 4, 8, 16, 64]
    """
    middle = next(i for i, x in enumerate(ratios) if x >= 1)
    found = {0, len(ratios) - 1}
    for sign, last in ((-1, middle), (1, len(ratios) - 1 - middle)):
        i = 0
        while i <= last:
            found.add(middle + sign * i)
            i += max(1, i // max(1, near))
    return [ratios[i] for i in sorted(found)]


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


def _octave(value: Fraction) -> int:
    """Return the floor of log2 of a number, at least 0."""
    return max(0, floor(value).bit_length() - 1)


def deviation(noise: GaussianMechanism | LaplaceMechanism) -> Fraction:
    """Return about the mean of |W − 1|, W = P/Q under Q.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(deviation(laplace_mechanism(scale=1)), 2)  # 2(1 − e^(−1/2))
        Fraction(79, 100)
    """
    return 2 * enclosed(noise.delta(Epsilon.log(1)), "1e-2").upper


def largest_ratio(noise: GaussianMechanism | LaplaceMechanism, rest: Fraction) -> Fraction:
    """Return about the ratio e^ε at the ε where δ of the noise is ``rest``, or more.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(largest_ratio(laplace_mechanism(scale=1), Fraction(1, 9)), 1)
        Fraction(11, 5)
    """
    top = noise.epsilon(rest, relative_width="1e-2")
    nats = top.upper if isinstance(top, Enclosure) else enclosed(top.nats, "1e-2").upper
    return enclosed(exp(Exact(nats)), "1e-2").upper


def _usual_ratio(noise: GaussianMechanism | LaplaceMechanism, step: Fraction) -> Fraction:
    """Return about the mean of those W that are below a few steps from it, or a bit more.

    The chord of δ between two places beyond, prolonged, meets 1 − γ there.
    """
    found = Fraction(0)
    for _ in range(_ROUNDS):
        near, far = (
            enclosed(noise.delta(Epsilon.log(found + k * step), relative_width="1e-18"), "1e-18")
            for k in (_FIRST_PLACE, _FIRST_PLACE + 1)
        )
        slope = (near.lower - far.lower) / step
        meet = (1 - near.lower - slope * (found + _FIRST_PLACE * step)) / (1 - slope)
        found = Fraction(ceil((meet + (1 - meet) * _MARGIN) * _PLACES), _PLACES)
    return found


def ratio_indices(
    bottom: Fraction, top: Fraction, *, step: Fraction, cells: Fraction
) -> list[int]:
    """Return where to look δ up, in steps of the ratio: more widely far out.

    Raises:
        TooLargeError: If these are too many places.

    Example:
        >>> ratio_indices(Fraction(2, 5), Fraction(5, 2), step=Fraction(1, 4), cells=Fraction(1))
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    """
    last, ones = ceil(top / step), floor(1 / step)
    far = max(0, top.numerator.bit_length() - top.denominator.bit_length())
    count = ceil(ones + 3 * cells * (2 + far))
    refuse_above(
        MAX_PLACES_OF_A_RATIO,
        count,
        f"the ratios of one step have {count_text(count)} cells",
        advice="Take more noise or a larger delta, or ask for a wider enclosure.",
    )
    indices, i = [], max(1, floor(bottom / step))
    while i <= last:
        indices.append(i)
        i += max(1, floor((i - 1 / step) / (3 * cells)))
    return [*indices, max(i, 2)]
