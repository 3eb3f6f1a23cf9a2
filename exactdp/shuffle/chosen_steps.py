"""Several of t noisy steps, chosen at random, see the record: δ of their pair between two ends.

``sums.counting.scored`` has both ends of one law of a sum of scores, which has a rate r. If m steps
are known to be chosen, as their outputs are large, any other one is with probability
(k − m)/(t − m): scores of that rate lose little. The rate is proposed in doubles; nothing rests on
it.

Above, there are also blocks. Cut the steps, in a random order, into k blocks, and choose one step
in each: k of t are chosen uniformly. Whoever is told the blocks sees the composition of k
allocations of one step, and H_γ is jointly convex: that of k of t is at most as large.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025 (blocks).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import cast

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed
from exactdp.divergences.worst import BOUNDS, Bounds
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number
from exactdp.numbers.effort import answers, remembered
from exactdp.numbers.validated import validated
from exactdp.shuffle.allocated_noise import NoiseAllocation
from exactdp.shuffle.allocation_scores import score_laws
from exactdp.shuffle.at_scale.hidden_curves import pairs_of_ends
from exactdp.shuffle.at_scale.hiding import HiddenProfile, smallest_from
from exactdp.shuffle.rate_proposals import likely_rate

__all__ = ["ChosenSteps"]

_CELLS = 8
"""Places of scores in the deviation of a ratio: δ is a percent off, or less."""

_BITS = 40, 80, 160
"""Steps end where δ is 2^−bits: the later ones where that matters beside δ."""

_LITTLE = Fraction(1, 64)
"""The part of an upper end that may be for what is left out of steps and sums."""

_NEAR, _ROUGH = Fraction(1, 100), Fraction(1, 8)
"""The relative distance of two ends at which blocks are not asked, and a width for a first look."""

_USUAL = Fraction(2)
"""The γ whose rate is taken for all, where sums are composed."""

_LARGEST = 1 << 300
"""The largest γ, whose square is a double."""

_EQUAL = Fraction(1, 1 << 60)
"""The relative width of a γ that becomes a double."""

_OUTPUTS = 400
"""Outputs of finite pairs, where a question is asked of them."""

_FAR = Fraction(1 << 64)
"""An ε that stands for infinity."""

_SCORES = "a sum of scores of all outputs"
_MOMENTS = "second moments beside a sum of scores"
_BLOCKS = "one chosen step in each of as many blocks"
"""What the ends rest on."""


@validated
@dataclass(frozen=True, slots=True)
class ChosenSteps(HiddenProfile):
    """Some of t steps with noise, chosen at random, see the record.

    It is one pair of laws, whose δ lies between two ends that are as near as they get; each says
    what it rests on.

    Attributes:
        mechanism: The noise of a step: P with the record, Q without.
        steps: t.
        chosen: k, above 1 and below t.
        adds_record: False for P with the record and Q without, True for the reverse.

    Example:
        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> from exactdp.shuffle import random_allocation
        >>> noise = discrete_laplace_mechanism(scale=1)
        >>> found = random_allocation(noise, steps=10, chosen=2).delta(Epsilon.rational(1))
        >>> found.lower_by, found.upper < found.lower * Fraction("1.001")
        ('a sum of scores of all outputs', True)
    """

    mechanism: AdditiveNoise
    steps: int
    chosen: int
    adds_record: bool = False

    note = BOUNDS

    def _delta_from_one(self, gamma: Exact, width: Fraction, target: Exact | None = None) -> Bounds:
        found = Bounds(Fraction(0), Fraction(1), "nothing", "nothing")
        for _, (low, high) in answers(self._scored, [gamma]):
            found = Bounds(low, high, _SCORES, _MOMENTS)
        if target is not None and found.is_above(target) is not None:
            return found
        return self._or_blocks(
            found, lambda one, width: one.delta(Epsilon(gamma), relative_width=width)
        )

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return bounds on δ(ε), ε >= 0, without blocks where scores tell it from the target."""
        return self._delta_from_one(epsilon.exp, width, target)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Bounds:
        """Return bounds on the smallest ε: where each of the two ends of δ meets the target."""

        def end(side: int, gamma: Exact, _: Fraction) -> Enclosure:
            found = self._scored(gamma)[side]
            return Enclosure(found, found)

        def ends(_: None) -> Bounds:
            low, high = (smallest_from(partial(end, i), target, width / 2) for i in (0, 1))
            return Bounds(low.lower, high.upper, _SCORES, _MOMENTS)

        none = Bounds(Fraction(0), _FAR, "nothing", "nothing")
        found = next((x for _, x in answers(ends, [None])), none)
        found = self._or_blocks(found, lambda one, width: one.epsilon(target, relative_width=width))
        if found.upper == _FAR:
            raise UndecidedError("nothing finite is proved from above. Ask for a larger delta.")
        return found

    def _or_blocks(
        self,
        found: Bounds,
        ask: Callable[[PrivacyProfile, Fraction | None], Number | Enclosure | Epsilon],
    ) -> Bounds:
        """Return bounds with the upper end of blocks, or of known steps, if that is nearer."""
        if found.upper - found.lower <= _NEAR * found.lower:
            return found

        def ends(one: PrivacyProfile, width: Fraction | None) -> Enclosure:
            answer = ask(one.reversed() if self.adds_record else one, width)
            return enclosed(answer.nats if isinstance(answer, Epsilon) else answer, _NEAR)

        def upper(steps: int) -> Fraction:
            above = _blocks(self.mechanism, steps, self.chosen)
            rough = [x.lower for _, x in answers(partial(ends, above), [_ROUGH])]
            # A narrow one takes far longer.
            return found.upper if rough > [found.upper] else ends(above, None).upper

        # Blocks of one step are known steps.
        for steps, most in answers(upper, (self.steps, self.chosen)):
            if most < found.upper:
                words = _BLOCKS if steps == self.steps else f"{steps} known steps"
                found = replace(found, upper=max(most, found.lower), upper_by=words)
            break
        return found

    def _scored(self, gamma: Exact) -> tuple[Fraction, Fraction]:
        """Return both ends of H_γ, γ >= 1, by a sum of scores."""
        at = enclosed(gamma, _EQUAL).lower
        if at > _LARGEST:
            raise TooLargeError("e^epsilon is above 2^300. Ask for a smaller epsilon.")
        below, above = self._ends(at, self._rate(at))
        return below.lower, above.upper

    def _ends(self, gamma: Fraction, rate: Fraction) -> tuple[Enclosure, Enclosure]:
        """Return H_γ of a law below, with its roundings, and the end above."""
        for bits in _BITS:
            below, above = score_laws(
                self.mechanism,
                steps=self.steps,
                chosen=self.chosen,
                rate=rate,
                cells=_CELLS,
                bits=bits,
            )
            high, lost = above.upper(gamma, adds=self.adds_record)
            if lost <= _LITTLE * high:
                break
        top = min(high, Fraction(1))
        return below.lower(gamma, adds=self.adds_record), Enclosure(top, top)

    def _rate(self, gamma: Fraction) -> Fraction:
        """Return the rate of scores whose sum, in doubles, tells about most."""
        return likely_rate(
            self.mechanism,
            self.steps,
            self.chosen,
            gamma,
            adds=self.adds_record,
            cells=_CELLS,
            bits=_BITS[0],
        )

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, by scores of one rate."""
        rate = self._rate(_USUAL)

        def ends(one: ChosenSteps, ratio: Fraction) -> tuple[Enclosure, Enclosure]:
            return one._ends(ratio, rate)

        def is_far(one: ChosenSteps, ratio: Fraction) -> bool:
            return ends(one, ratio)[0].upper <= 2 * rest

        sides = self, self.reversed()
        both = [partial(ends, one) for one in sides], [partial(is_far, one) for one in sides]
        return pairs_of_ends(*both, size=size, rest=rest, knots=knots)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        """Return bounds: of a finite pair below, and of known steps."""
        found = self.mechanism.renyi(order, relative_width=width)
        if isinstance(found, Epsilon):
            return found
        high = self.chosen * enclosed(found, width).upper
        low = _finite(self)[0].renyi(order, relative_width=width)
        words = _SCORES, f"{self.chosen} known steps"
        return Bounds(min(high, enclosed(cast("Number", low), width).lower), high, *words)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        """Return bounds, of finite pairs above and below."""
        high, low = (enclosed(one.trade_off(level), width) for one in _finite(self))
        return Bounds(min(low.lower, high.upper), high.upper, _MOMENTS, _SCORES)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return D_a of known steps, a > 1: the choice of steps mixes those of each choice."""
        one = self.mechanism.renyi_bound(order, width=width)
        return None if one is None else self.chosen * one

    def max_divergence(self) -> Epsilon | Number:
        """Return that of known steps: all outputs may be those of the largest loss."""
        return self.mechanism.max_divergence() * self.chosen

    def reversed(self) -> ChosenSteps:
        """Return the other direction: adding the record for removing it."""
        return replace(self, adds_record=not self.adds_record)


@remembered(maxsize=16)
def _finite(allocation: ChosenSteps) -> tuple[Pair, Pair]:
    """Return finite pairs below and above, for all questions that are no δ."""
    return allocation.pairs_near(_OUTPUTS, Fraction(1, 1 << _BITS[0]))


@remembered(maxsize=64)
def _blocks(noise: AdditiveNoise, steps: int, chosen: int) -> PrivacyProfile:
    """Return one chosen step in each of as many blocks, of about one size."""
    size, more = divmod(steps, chosen)
    parts = [
        (noise if t == 1 else NoiseAllocation(noise, t), times)
        for t, times in ((size, chosen - more), (size + 1, more))
    ]
    found: PrivacyProfile = import_module("exactdp.accounting").compose(parts)  # a floor above
    return found
