"""One of t noisy steps, chosen at random, sees the record: between finite steps, by enclosures.

With W = P/Q the likelihood ratio of a step, that of t steps is a mean of t independent copies under
Q, and

    H_γ = E max(0, ΣW_i − tγ)/t + P(Q = 0), and E max(0, t − γΣW_i)/t for (Q, P).

W is enclosed by finite variables on a lattice (``divergences.dots``): both means are convex in each
W_i. The law of their sum answers for many γ; ``allocated_lattices`` has both, as fine as γ asks.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from math import ceil, floor, isqrt
from typing import Any

from exactdp.divergences import Pair
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.ratios import ratios_between
from exactdp.divergences.sandwich import Bounds
from exactdp.divergences.values import enclosed, told
from exactdp.errors import UndecidedError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    short,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.effort import first_answer
from exactdp.numbers.validated import validated
from exactdp.shuffle.allocated_lattices import LatticeAllocation, RatioGrid
from exactdp.shuffle.at_scale.hiding import HiddenProfile

__all__ = ["AllocationSide", "NoiseAllocation"]

_ATTEMPTS = 12
"""Pairs around a step that are tried, each finer than the last, before a width is given up."""

_FEWEST_CELLS = 4
"""Cells of the first pairs around a step, at least."""

_WIDTH_OF_A_CURVE, _WIDEST_OF_A_CURVE = 20, Fraction(1, 100)
"""The relative width of δ at a point of a curve, times the square of the number of points, as gaps
between them are; and the widest that will do where doubles do not reach that: where one large W is
about as likely as many small ones, or far out."""

_FARTHEST = Fraction(10**9)
"""An ε that no search reaches, before the first is found."""

_CELLS_OF_A_CURVE, _FEWEST_OF_A_CURVE, _FEWEST_OF_AN_END = 20, 6, 2
"""Outputs of a pair for each cell in a deviation of W, so that both are about as far from noise;
the fewest cells; and those with which it is seen where a pair may end."""

_GROWTH = 12
"""The part of the points that lie near 1: beyond, they lie farther apart the farther out."""

_NOTHING = Fraction(0), Fraction(0)
"""What P and Q have at least where the other has none: noise has mass everywhere."""

_KNOWN = "looser: one step, known which"
"""What is said of a bound where noise is too little."""

_STEP, _LEAP = Fraction(1, 64), 4
"""The first ε at which it is seen whether a pair may end there, and rungs after which it is again:
farther out, ratios may be too many."""


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

    usual_width = Fraction(1, 100)

    mechanism: AdditiveNoise
    steps: int
    adds_record: bool = False
    _found: dict[Any, tuple[LatticeAllocation, LatticeAllocation]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        whole_number(self.steps, name="steps", at_least=1)

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

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε); without a width that of one known step, if it is too large.

        The choice of a step is a mixture of known ones, with the same law without the record.
        """
        ask = partial(HiddenProfile.delta, self, epsilon, relative_width=relative_width)
        return (
            ask()
            if relative_width is not None
            else first_answer(ask, partial(self._known, epsilon))
        )

    def _known(self, epsilon: EpsilonLike) -> Bounds:
        known = self.mechanism.delta(epsilon, relative_width=self.usual_width)
        return Bounds(Fraction(0), enclosed(known, "1e-2").upper, "nothing", _KNOWN)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) where no width is given, as :meth:`delta` does."""

        def known() -> Epsilon | Enclosure:
            found = self.mechanism.epsilon(delta, relative_width=self.usual_width)
            if isinstance(found, Epsilon):  # infinite: it says nothing of one step of many
                return self._epsilon_within(delta, self.usual_width)
            return Bounds(Fraction(0), found.upper, "nothing", _KNOWN)

        return first_answer(lambda: self._epsilon_within(delta, self.usual_width), known)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return told(lambda asked: self._delta_from_one(epsilon.exp, asked, target), target, width)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start: that of each of the pairs around."""
        rest = _short(enclosed(target * width, "1e-2").lower / 16)
        cells = max(_FEWEST_CELLS, isqrt(floor(1 / (8 * width))))
        low, high = start, _FARTHEST
        for _ in range(_ATTEMPTS):
            below, above = (AllocationSide(self, end, cells, rest) for end in (0, 1))
            low = max(low, below._smallest_from(start, target, width / 4).lower)
            high = min(high, above._smallest_from(start, target, width / 4).upper)
            if high - low <= width * low:
                return Enclosure(low, high)
            cells *= 2
        raise UndecidedError(
            f"relative_width={short(width)} is not reached: epsilon is {Enclosure(low, high):.3g}. "
            "Ask for a wider enclosure."
        )

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        if self.adds_record:
            turned = None if knots is None else knots.reversed()
            low, high = self.reversed().pairs_near(size, rest, turned)
            return low.reversed(), high.reversed()
        cells, least = max(_FEWEST_OF_A_CURVE, size // _CELLS_OF_A_CURVE), _short(rest)
        sides = [AllocationSide(self, end, cells, least, _WIDEST_OF_A_CURVE) for end in (0, 1)]
        bottom, top = self._reach(rest)
        # Twice the bits of a step: what is rounded matters less than what is between two points.
        unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())

        width = min(Fraction(_WIDTH_OF_A_CURVE, size**2), _WIDEST_OF_A_CURVE)

        def delta(end: int, ratio: Fraction) -> Enclosure:
            """Return δ at a γ, of the allocation below or above."""
            return sides[end].delta(Epsilon.log(ratio), relative_width=width)

        if knots is None:
            ratios = _wider_far_out(ratios_between(bottom, top, size=size), size // _GROWTH)
        else:
            ratios = knots.ratios(bottom, top, size=size)
        low, high = (
            pairs_through(ratios, [delta(end, x) for x in ratios], _NOTHING, unit=unit)[end]
            for end in (0, 1)
        )
        return low, high

    def _reach(self, rest: Fraction) -> tuple[Fraction, Fraction]:
        """Return the x from which on δ at −x is 1 − e^−x, but for a rest, and δ at x is little."""
        side = AllocationSide(self, 1, _FEWEST_OF_AN_END, _short(rest), _WIDEST_OF_A_CURVE)

        def delta(ratio: Fraction) -> Fraction:
            return side.delta(Epsilon.log(ratio), relative_width=_WIDEST_OF_A_CURVE).upper

        top = _first(lambda x: delta(_power(x)) <= 2 * rest)
        return _first(lambda x: delta(_power(-x)) + _power(-x) - 1 <= rest), top

    def around(
        self, gamma: Exact, cells: int, rest: Fraction
    ) -> tuple[LatticeAllocation, LatticeAllocation]:
        """Return allocations of pairs around a step that serve a γ >= 1 and those near it.

        Args:
            gamma: γ.
            cells: Cells in the deviation of W, or of what is as far out as γ is.
            rest: The δ of a step, a power of 2, from which on what is far out may be left out.
        """
        grid = RatioGrid.near(
            self.mechanism, self.steps, gamma, cells, adds_record=self.adds_record
        )
        key = self.adds_record, grid, cells, rest
        if key not in self._found:
            self._found[key] = grid.allocations(
                self.mechanism, self.steps, cells, rest, adds_record=self.adds_record
            )
        return self._found[key]

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return D_a of a step that is known, a > 1.

        With V the mean of t copies of W = P/Q, E_Q V^a <= E_Q W^a, and for (Q, P)
        E_Q V^(1 − a) <= E_Q W^(1 − a): both powers are convex.
        """
        one = self.mechanism.reversed() if self.adds_record else self.mechanism
        return one.renyi_bound(order, width=width)

    def max_divergence(self) -> Epsilon | Number:
        """Return that of a step: all outputs may be those of the largest loss."""
        return self.mechanism.max_divergence()

    def reversed(self) -> NoiseAllocation:
        """Return the other direction: adding the record for removing it."""
        found = NoiseAllocation(self.mechanism, self.steps, not self.adds_record)
        object.__setattr__(found, "_found", self._found)
        return found


@dataclass(frozen=True, slots=True)
class AllocationSide(HiddenProfile):
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

    def reversed(self) -> AllocationSide:
        """Return the other direction."""
        return replace(self, allocation=self.allocation.reversed())


def _first(holds: Callable[[Fraction], bool]) -> Fraction:
    """Return a number from which on something holds, from a ladder of them.

    Example:
        >>> _first(lambda x: x > 3)
        Fraction(97, 32)
    """
    rungs: list[Fraction] = []
    ladder = (_STEP * k for k in _rungs())
    while not rungs or not holds(rungs[-1]):
        rungs = list(islice(ladder, _LEAP))
    return next(rung for rung in rungs if holds(rung))


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
