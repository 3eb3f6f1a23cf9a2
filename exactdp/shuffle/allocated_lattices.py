"""One of t steps with ratios on a lattice, and such steps below and above noisy ones.

With W = P/Q of a noisy step under Q, S = ΣW_i and a threshold c, E max(0, S − c) does not change if
W is cut at a T >= c and t·E max(0, W − T) is added: a W beyond c alone brings S above it. So pairs
that are cut there, with what is beyond as infinite ratios, serve all thresholds up to T; likewise
E max(0, c − S), to which no W beyond c contributes.

Beside the mean, cells are parts of the deviation of W. Far out one large W decides, and cells grow
with the distance: of t copies that are spread over cells of length h <= 1 the variance grows by
about th², and of longer ones by th, as nearly all of W lies in one cell. That must be little beside
the square of the distance. On a lattice with longer cells the usual W has a place of its own, the
origin: below, nearly all of W is at its mean.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor, isqrt

from exactdp.divergences.dots import RatioLattice, pairs_around
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, count_text, exp, refuse_above
from exactdp.numbers.limits import MAX_PLACES_OF_A_RATIO
from exactdp.shuffle.at_scale.hiding import HiddenProfile
from exactdp.sums import RepeatedSum

__all__ = ["LatticeAllocation", "RatioGrid", "deviation", "largest_ratio", "ratio_indices"]


_MOST = 1 << 80
"""The largest ratio of a step that a lattice has: noise with larger ones hardly hides a record."""

_PLACES = 1 << 48
"""The denominator of the origin of a coarse lattice."""

_ROUNDS, _MARGIN = 10, Fraction(1, 1 << 20)
"""How often the origin of a coarse lattice is made better, and how much too far it is then."""

_FIRST_PLACE = 4
"""The place after the origin of a coarse lattice at which δ is first looked up for the pair below:
nearer δ bends so much that tangents would lose most of it."""

_COARSER, _LONGEST = 8, Fraction(1, 2)
"""Steps of a coarse lattice of W in which copies spread by as much as they may; the longest step of
one that begins at 0, and so has places for what is usual."""

_APART, _TOGETHER = 4, 3
"""Octaves of the distance that have a lattice each; farther out, as many as have one together."""

_FAR = 8
"""Deviations of the sum of all W up to which the cells of W are those of one W."""


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
        """Return the mass of P alone in a step; for adding, the mass of P in none of the steps."""
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


@dataclass(frozen=True, slots=True)
class RatioGrid:
    """A lattice of W that serves the thresholds up to some number.

    Attributes:
        step: h.
        has_origin: Whether the usual W has a place of its own.
        top: Up to where thresholds are served.
    """

    step: Fraction
    has_origin: bool
    top: Fraction

    @classmethod
    def near(
        cls, noise: AdditiveNoise, t: int, gamma: Exact, cells: int, *, adds_record: bool
    ) -> RatioGrid:
        """Return the lattice for a γ >= 1 and those near it.

        Args:
            noise: The noise of a step.
            t: The number of steps.
            gamma: γ.
            cells: Cells in the deviation of W, or of what is as far out as γ is.
            adds_record: False for P with the record and Q without, True for the reverse.
        """
        size, about = deviation(noise), enclosed(gamma, "1e-2")
        if adds_record:  # smaller values of W matter
            step = min(size, Fraction(1) / 2 ** _octave(about.lower)) / cells
            return cls(Fraction(1, ceil(1 / step)), has_origin=False, top=Fraction(t))
        spread = max(size, size * isqrt(t))
        far_out = t * (about.upper - 1) / (_FAR * spread)
        octave = 1 + _octave(far_out) if far_out > 1 else 0
        above = 0
        if octave > _APART:  # one lattice for several of them, as fine as the first one needs
            octave, above = octave - (octave - _APART - 1) % _TOGETHER, _TOGETHER - 1
        step = size * 2**octave / cells
        coarse = step**2 / _COARSER
        longest = spread * 2**octave / cells
        step = min(step, _LONGEST) if coarse < 1 else min(coarse, longest)
        step = Fraction(1, ceil(1 / step)) if step < 1 else Fraction(floor(step))
        return cls(step, step > _LONGEST, t + _FAR * spread * 2 ** (octave + above))

    def allocations(
        self, noise: AdditiveNoise, t: int, cells: int, rest: Fraction, *, adds_record: bool
    ) -> tuple[LatticeAllocation, LatticeAllocation]:
        """Return allocations of pairs on the lattice, below and above noisy steps.

        Args:
            noise: The noise of a step.
            t: The number of steps.
            cells: Cells in a deviation: beyond, they grow as W does.
            rest: The δ of a step from which on what is far out may be left out, 1 over an integer.
            adds_record: False for P with the record and Q without, True for the reverse.
        """
        far = largest_ratio(noise, rest)
        if far > _MOST:
            raise TooLargeError(
                "with so little noise, likelihood ratios above 2^80 contribute to delta. Take more "
                "noise or a larger delta."
            )
        indices = ratio_indices(1 / far, min(self.top, far), step=self.step, cells=Fraction(cells))
        bits = 64 + 2 * (ceil(1 / self.step) * rest.denominator).bit_length()
        pairs_at = partial(
            pairs_around,
            noise,
            steps=1 / self.step,
            bits=bits,
            is_cut=self.top < far,
            origin=_usual_ratio(noise, self.step) if self.has_origin else Fraction(0),
        )
        if self.has_origin:
            below, above = pairs_at([0, *indices], omitted=range(1, _FIRST_PLACE))
        else:
            below, above = pairs_at(indices)
        return LatticeAllocation(below, t, adds_record), LatticeAllocation(above, t, adds_record)


def _octave(value: Fraction) -> int:
    """Return the floor of log2 of a number, at least 0."""
    return max(0, floor(value).bit_length() - 1)


def deviation(noise: AdditiveNoise) -> Fraction:
    """Return about the mean of |W − 1|, W = P/Q under Q.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(deviation(laplace_mechanism(scale=1)), 2)  # 2(1 − e^(−1/2))
        Fraction(79, 100)
    """
    return 2 * enclosed(noise.delta(Epsilon.log(1)), "1e-2").upper


def largest_ratio(noise: AdditiveNoise, rest: Fraction) -> Fraction:
    """Return about the ratio e^ε at the ε where δ of the noise is ``rest``, or more.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(largest_ratio(laplace_mechanism(scale=1), Fraction(1, 9)), 1)
        Fraction(11, 5)
    """
    top = noise.epsilon(rest, relative_width="1e-2")
    nats = top.upper if isinstance(top, Enclosure) else enclosed(top.nats, "1e-2").upper
    return enclosed(exp(Exact(nats)), "1e-2").upper


def _usual_ratio(noise: AdditiveNoise, step: Fraction) -> Fraction:
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


def ratio_indices(bottom: Fraction, top: Fraction, *, step: Fraction, cells: Fraction) -> list[int]:
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
