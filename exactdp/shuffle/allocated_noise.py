"""One of t noisy steps, chosen at random, sees the record: between finite steps, by enclosures.

With W = P/Q the likelihood ratio of a step, that of t steps is a mean of t independent copies under
Q, and

    H_γ = E max(0, ΣW_i − tγ)/t + P(Q = 0), and E max(0, t − γΣW_i)/t for (Q, P).

W is enclosed by finite variables on a lattice (``divergences.dots``): both means are convex in each
W_i. The law of their sum answers for many γ (``sums.RepeatedSum``).

E max(0, ΣW_i − c) does not change if W is cut at a T >= c and t·E max(0, W − T) is added: a W
beyond c alone brings the sum above it. So pairs that are cut there, with what is beyond as infinite
ratios, serve all thresholds up to T; likewise E max(0, c − ΣW_i), to which no W beyond c
contributes.

Beside the mean, cells are parts of the deviation of W. Far out one large W decides, and cells grow
with the distance: of t copies that are spread over cells of length h <= 1 the variance grows by
about th², and of longer ones by th, as nearly all of W lies in one cell. That must be little beside
the square of the distance. On a lattice with longer cells the usual W has a place of its own, the
origin: below, nearly all of W is at its mean.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import ceil, floor, isqrt
from typing import Any

from exactdp.divergences import Pair
from exactdp.divergences.dots import RatioLattice
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed, told
from exactdp.divergences.worst import Bounds
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
from exactdp.numbers.limits import effort_of_today
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hidden_curves import pairs_of_ends
from exactdp.shuffle.at_scale.hiding import HiddenProfile, smallest_from
from exactdp.shuffle.noise_pairs import LONGEST, deviation, pairs_on_lattice
from exactdp.sums import RepeatedSum

__all__ = ["LatticeSteps", "NoiseAllocation"]

_FAR = 8
"""Deviations of the sum of all W up to which the cells of W are those of one W."""


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
    _found: dict[Any, tuple[LatticeSteps, LatticeSteps]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        whole_number(self.steps, name="steps", at_least=1)

    def _delta_from_one(
        self, gamma: Exact, width: Fraction, target: Exact | None = None
    ) -> Enclosure:
        if self._is_beyond(gamma):
            return Enclosure(Fraction(0), Fraction(0))
        rest, cells, low, high = width / 64, isqrt(floor(2 / width)), Fraction(0), Fraction(1)
        if target is not None and not self.adds_record:  # δ is about that where it matters
            rest = min(rest, enclosed(target * width, "1e-2").lower / 16)
        for _ in range(2 * effort_of_today().tries):
            around = self.around(gamma, cells, _short(rest))
            below, above = (one.delta_above(gamma, width / 16, width / 4) for one in around)
            low, high = max(low, below.lower), min(high, above.upper)
            if low > 0 and high - low <= width * low:
                return Enclosure(low, high)
            if target is not None and (bool(target < low) or bool(high <= target)):
                return Enclosure(low, high)
            # First what is left out of W far out is to be little, then the squares of the cells.
            likely = max(below.lower, above.upper - rest)
            if rest * 16 > width * likely and not self.adds_record:
                rest = max(rest / 2**14, width * likely / 32)
                continue
            rest, gap = rest / 8, (high - low) / max(low, width * high)
            cells = min(4 * cells, 1 + max(cells * 4 // 3, isqrt(ceil(cells**2 * gap / width))))
        raise _not_reached(width, "δ", Enclosure(low, high))

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε); without a width that of one known step, if it is too large.

        The choice of a step is a mixture of known ones, with the same law without the record.
        """
        ask = partial(HiddenProfile.delta, self, epsilon, relative_width=relative_width)

        def known() -> Bounds:
            return _known(self.mechanism.delta(epsilon, relative_width=self.usual_width))

        return ask() if relative_width is not None else first_answer(ask, known)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) where no width is given, as :meth:`delta` does."""
        ask = partial(self._epsilon_within, delta, self.usual_width)

        def known() -> Epsilon | Enclosure:
            found = self.mechanism.epsilon(delta, relative_width=self.usual_width)
            # An infinite one says nothing of one step of many.
            return ask() if isinstance(found, Epsilon) else _known(found)

        return first_answer(ask, known)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return told(lambda asked: self._delta_from_one(epsilon.exp, asked, target), target, width)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start: that of each of the pairs around."""
        rest = _short(enclosed(target * width, "1e-2").lower / 16)
        cells = max(4, isqrt(floor(1 / (8 * width))))

        def end(side: int, gamma: Exact, asked: Fraction) -> Enclosure:
            return self.around(gamma, cells, rest)[side].delta_above(gamma, asked)

        found: list[Enclosure] = []
        for _ in range(2 * effort_of_today().tries):
            below, above = (smallest_from(partial(end, i), target, width / 4) for i in (0, 1))
            found.append(Enclosure(below.lower, above.upper))
            low = max(start, *(one.lower for one in found))
            high = min(one.upper for one in found)
            if high - low <= width * low:
                return Enclosure(low, high)
            cells *= 2
        raise _not_reached(width, "epsilon", Enclosure(low, high))

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        # Outputs of a pair for each cell in a deviation of W: both are about as far from noise.
        cells, least = max(6, size // 20), _short(rest)
        # As narrow as gaps between points; where doubles do not reach that, as one large W is
        # about as likely as many small ones, or far out, it may be wider.
        width, widest = min(Fraction(20, size**2), self.usual_width), self.usual_width

        def ends(one: NoiseAllocation, ratio: Fraction) -> list[Enclosure]:
            around = one.around(Exact(ratio), cells, least)
            return [side.delta_above(Exact(ratio), width, widest) for side in around]

        def is_far(one: NoiseAllocation, ratio: Fraction) -> bool:
            _, above = one.around(Exact(ratio), 2, least)
            return above.delta_above(Exact(ratio), widest, widest).upper <= 2 * least

        sides = self, self.reversed()
        both = [partial(ends, one) for one in sides], [partial(is_far, one) for one in sides]
        return pairs_of_ends(*both, size=size, rest=rest, knots=knots)

    def around(self, gamma: Exact, cells: int, rest: Fraction) -> tuple[LatticeSteps, LatticeSteps]:
        """Return steps below and above the noisy ones that serve a γ >= 1 and those near it.

        Args:
            gamma: γ.
            cells: Cells in the deviation of W, or of what is as far out as γ is.
            rest: The δ of a step, a power of 2, from which on what is far out may be left out.
        """
        step, top = self._grid(gamma, cells)
        key = self.adds_record, step, top, cells, rest
        if key not in self._found:
            below, above = pairs_on_lattice(self.mechanism, step, top, cells, rest)
            self._found[key] = (
                LatticeSteps(below, self.steps, self.adds_record),
                LatticeSteps(above, self.steps, self.adds_record),
            )
        return self._found[key]

    def _grid(self, gamma: Exact, cells: int) -> tuple[Fraction, Fraction]:
        """Return the step of a lattice for a γ >= 1 and those near it, and the last threshold."""
        t, size, about = self.steps, deviation(self.mechanism), enclosed(gamma, "1e-2")
        if self.adds_record:  # smaller values of W matter
            step = min(size, Fraction(1) / 2 ** _octave(about.lower)) / cells
            return Fraction(1, ceil(1 / step)), Fraction(t)
        spread = max(size, size * isqrt(t))
        far_out = t * (about.upper - 1) / (_FAR * spread)
        octave = 1 + _octave(far_out) if far_out > 1 else 0
        above = 0
        if octave > 4:  # one lattice for three of them, as fine as the first one needs
            octave, above = octave - (octave - 5) % 3, 2
        step, longest = size * 2**octave / cells, spread * 2**octave / cells
        coarse = step**2 / 8  # in which copies spread by as much as they may
        step = min(step, LONGEST) if coarse < 1 else min(coarse, longest)
        step = Fraction(1, ceil(1 / step)) if step < 1 else Fraction(floor(step))
        return step, t + _FAR * spread * 2 ** (octave + above)

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatticeSteps:
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
        >>> LatticeSteps(step, 2).delta_above(Exact("5/4"), half / 50).contains(Exact("1/16"))
        True
    """

    pair: RatioLattice
    steps: int
    adds_record: bool = False
    sum: RepeatedSum = field(init=False)

    def __post_init__(self) -> None:
        law = dict(self.pair.masses)
        if self.adds_record:  # from W = t on, which tells all, none matters
            law, last = {}, ceil(self.steps / self.pair.step)
            for i, mass in self.pair.masses:
                law[-min(i, last)] = law.get(-min(i, last), Fraction(0)) + mass
        object.__setattr__(self, "sum", RepeatedSum(self.pair.step, law, self.steps))

    def delta_above(
        self, gamma: Exact, width: Fraction, enough: Fraction | None = None
    ) -> Enclosure:
        """Return an enclosure of H_gamma, gamma >= 1, of a width, or of a wider one in doubles."""
        if self.adds_record:
            at, alone, factor = -self.steps / gamma, Fraction(0), enclosed(gamma, width / 8)
            width /= 2
        else:
            at, alone = self.steps * (gamma - self.pair.origin), self.pair.infinity_mass
            factor = Enclosure(Fraction(1), Fraction(1))
        found = self.sum.mean_above(at, relative_width=width, enough=enough)
        return Enclosure(
            alone + found.lower * factor.lower / self.steps,
            alone + found.upper * factor.upper / self.steps,
        )


def _octave(value: Fraction) -> int:
    """Return the floor of log2 of a number, at least 0."""
    return max(0, floor(value).bit_length() - 1)


def _known(found: Number | Enclosure) -> Bounds:
    """Return bounds where noise is too little, from the number of one step."""
    upper = enclosed(found, "1e-2").upper
    return Bounds(Fraction(0), upper, "nothing", "looser: one step, known which")


def _not_reached(width: Fraction, what: str, found: Enclosure) -> UndecidedError:
    return UndecidedError(
        f"relative_width={short(width)} is not reached: {what} is {found:.3g}. "
        "Ask for a wider enclosure."
    )


def _short(value: Fraction) -> Fraction:
    """Return a power of two at most a positive number."""
    return Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 1)
