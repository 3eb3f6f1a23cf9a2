"""Random allocation: a record takes part in k of t steps, all choices equally likely.

In the steps that are not chosen the mechanism runs without the record, with the law Q; in the
chosen ones with P. Without the record all t outputs are from Q. So the order of the outputs
tells nothing more than their histogram: it is a shuffle, of k users with input P and t − k with
input Q, against t with input Q. For k = 1 it is the view of a victim among others with one input
(``hiding``), with a likelihood ratio that is a mean of t independent ratios W = P/Q under Q,

    H_γ = E max(0, ΣW_i − tγ)/t + P(Q = 0), and E max(0, t − γΣW_i)/t for (Q, P).

Of noise, W is enclosed by finite variables on a lattice (``divergences.dots``): both means are
convex in each W_i. For k > 1 the ratio is a symmetric polynomial in the W_i, convex in each,
too; but its mean is only bounded, by finite pairs with few outputs below and above the noise.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate, pairwise
from math import ceil, floor, isqrt
from typing import ClassVar

from exactdp.distributions import HistogramPolynomial, histogram_count, scale_rows
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.calibration import crossing_parameter
from exactdp.divergences.dots import RatioLattice, pairs_around
from exactdp.divergences.sandwich import Bounds, Named, Sandwich
from exactdp.divergences.values import enclosed, told
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import GaussianMechanism, LaplaceMechanism, Randomizer
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Rounding,
    count_text,
    exp,
    refuse_above,
    short,
)
from exactdp.numbers.arguments import privacy_epsilon, whole_number
from exactdp.numbers.balls import endpoints
from exactdp.numbers.crossing import Slope
from exactdp.numbers.limits import MAX_CELLS_OF_A_LATTICE
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hiding import HiddenProfile
from exactdp.shuffle.views.shuffle_view import Users, Victim, shuffle_view
from exactdp.sums import AtomLattice, exact_masses, mean_positive_on_lattice

__all__ = ["NoiseAllocation", "allocated_scale", "random_allocation"]

_ATTEMPTS = 12
"""Pairs around a step that are tried, each finer than the last, before a width is given up."""

_CELLS, _FEW_BITS = 20, 40
"""Cells in a deviation of W, and bits of a mass, of the pairs that bound k > 1 steps."""

_FEW, _MOST_OUTPUTS = 20_000, 24
"""Histograms of t steps, and outputs, that the finite pairs around k > 1 noisy steps may have.

With more of them the bounds are nearer and slower."""

_RESTS = Fraction(1, 100), Fraction(1, 10**4), Fraction(1, 10**7)
"""The δ of a step up to whose ε the finite pairs around k > 1 noisy steps reach.

Each makes one bound below and one above; which is the nearest depends on the δ asked for."""


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
        >>> one, many = (random_allocation(gaussian_mechanism(sigma=2), steps=t) for t in (1, 9))
        >>> at = Epsilon.rational("1/2")
        >>> many.delta(at).upper * 2 < one.delta(at, relative_width="1e-3").lower
        True
    """

    usual_width: ClassVar[Fraction] = Fraction(1, 100)

    mechanism: GaussianMechanism | LaplaceMechanism
    steps: int
    adds_record: bool = False

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
            ends = self._around(gamma, rest, cells, width)
            low, high = max(low, ends.lower), min(high, ends.upper)
            if low > 0 and high - low <= width * low:
                return Enclosure(low, high)
            if target is not None and (bool(target < low) or bool(high <= target)):
                return Enclosure(low, high)
            # First what is left out of W far out is to be little, then the squares of the cells.
            likely = max(ends.lower, ends.upper - rest)
            if rest * 16 > width * likely and not self.adds_record:
                rest = max(rest / 2**14, width * likely / 32)
                continue
            rest, gap = rest / 8, (high - low) / max(low, width * high)
            cells = min(4 * cells, 1 + max(cells * 4 // 3, isqrt(ceil(cells**2 * gap / width))))
        ends = Enclosure(low, high)
        raise UndecidedError(
            f"relative_width={short(width)} is not reached: δ is {ends:.3g}. "
            "Ask for a wider enclosure."
        )

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return told(lambda asked: self._delta_from_one(epsilon.exp, asked, target), target, width)

    def _around(self, gamma: Exact, rest: Fraction, cells: int, width: Fraction) -> Enclosure:
        """Return bounds from pairs around a step: ``cells`` in a deviation of W, and ends."""
        size = _deviation(self.mechanism)
        if self.adds_record:  # W matters where it is small
            size = min(size, enclosed(1 / gamma, "1e-2").upper)
        steps = ceil(cells / size)
        indices = _indices(self.mechanism, rest, steps=steps, size=size)
        bits = 64 + 2 * (steps * rest.denominator).bit_length()
        low, high = pairs_around(self.mechanism, indices, steps=steps, bits=bits)
        return Enclosure(self._mean(low, gamma, width).lower, self._mean(high, gamma, width).upper)

    def _mean(self, pair: RatioLattice, gamma: Exact, width: Fraction) -> Enclosure:
        """Return the δ of a finite step."""
        t, origin, unit, alone = self.steps, -gamma, Exact(pair.step), pair.infinity_mass
        indices = [i for i, _ in pair.masses]
        if self.adds_record:
            origin, unit, alone = Exact(1), gamma * unit, Fraction(0)
            # From W = t/γ on, none is of any use.
            most = ceil(enclosed(t / unit, "1e-9").upper)
            indices = [-min(i, most) for i in indices]
        ends = [endpoints((origin + i * unit).ball(128)) for i in (indices[0], indices[-1])]
        if all(low <= 0 for low, _ in ends):  # no sum is above t times the largest
            return Enclosure(alone, alone + max(Fraction(0), *(high for _, high in ends)))
        law: dict[int, Fraction] = {}
        for i, (_, mass) in zip(indices, pair.masses, strict=True):
            law[i] = law.get(i, Fraction(0)) + mass
        masses = exact_masses(list(law), [Exact(mass) for mass in law.values()])
        lattice = AtomLattice(origin, unit, None, masses)
        found = mean_positive_on_lattice(lattice, t, relative_width=width / 16)
        return Enclosure(alone + found.lower / t, alone + found.upper / t)

    def max_divergence(self) -> Epsilon | Number:
        """Return that of a step: all outputs may be those of the largest loss."""
        return self.mechanism.max_divergence()

    def reversed(self) -> NoiseAllocation:
        """Return the other direction: adding the record for removing it."""
        return replace(self, adds_record=not self.adds_record)


def _deviation(noise: GaussianMechanism | LaplaceMechanism) -> Fraction:
    """Return about the mean of |W − 1|."""
    return 2 * enclosed(noise.delta(Epsilon.log(1)), "1e-2").upper


def _indices(
    noise: GaussianMechanism | LaplaceMechanism, rest: Fraction, *, steps: int, size: Fraction
) -> list[int]:
    """Return where to look δ up, over ``steps``: denser near 1, and to where it is ``rest``."""
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


def _between_few(noise: GaussianMechanism | LaplaceMechanism, t: int, k: int) -> Sandwich:
    """Return k of t steps between those of finite pairs with few outputs.

    Below, outputs of a finite pair below the noise are merged (data processing); above, the pair
    has the noise's δ at the borders of what was merged. Gaussian noise in k of t steps is also
    at most that in k known steps: a mixture over the choices of them.
    """
    few = max(m for m in range(2, _MOST_OUTPUTS) if m == 2 or histogram_count(t, m + 2) <= _FEW)
    size = _deviation(noise)
    steps = ceil(_CELLS / size)
    below: list[Named] = []
    above: list[Named] = []
    for rest in _RESTS:
        indices = _indices(noise, rest, steps=steps, size=size)
        low, _ = pairs_around(noise, indices, steps=steps, bits=_FEW_BITS)
        # Groups of outputs that have about the same part of Σ √(PQ).
        laws = [[i * low.step * q for i, q in low.masses], [q for _, q in low.masses]]
        roots = [isqrt(floor(p * q * 4**_FEW_BITS)) for p, q in zip(*laws, strict=True)]
        sums = list(accumulate(roots))
        groups = [min(few - 1, x * few // sums[-1]) for x in sums]
        merged = [[Fraction(0)] * few for _ in laws]
        for law, into in zip(laws, merged, strict=True):
            for x, group in zip(law, groups, strict=True):
                into[group] += x
        changes = zip(low.masses[1:], pairwise(groups), strict=True)
        borders = {i for (i, _), (g, h) in changes if g != h} | {indices[-1]}
        _, high = pairs_around(noise, sorted(borders), steps=steps, bits=_FEW_BITS)
        for pair, named, side in (
            (Pair.from_masses(*merged), below, "below"),
            (high.pair(), above, "above"),
        ):
            words = f"steps of {len(pair)} outputs {side} the noise, to where its delta is "
            found = random_allocation(pair, steps=t, chosen=k)
            named.append(Named(words + short(rest), found))
    if isinstance(noise, GaussianMechanism):
        above.append(Named(f"{k} known steps", noise.composed(k)))
    return Sandwich(tuple(below), tuple(above))


def random_allocation(mechanism: PrivacyProfile, *, steps: int, chosen: int = 1) -> PrivacyProfile:
    """Return k of t steps, chosen at random, in the direction of removing the record.

    Args:
        mechanism: The profile of a step: P with the record, Q without. A finite pair or its
            losses, or Gaussian or Laplace noise.
        steps: t, at least 1.
        chosen: k, from 1 to t.

    Returns:
        Of a finite pair the exact pair of histograms; if k = 1 and these are too many, certified
        enclosures, as of noise (of one step, the noise itself). Of noise with k > 1 a
        :class:`Sandwich` of named bounds, which are far apart where t is large.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError: If k > 1 and there are too many histograms.

    Example:
        Of two steps one is chosen, and both outputs may be those that speak most for P.

        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> random_allocation(coin, steps=2).max_divergence()
        Epsilon.log('3')
        >>> random_allocation(coin, steps=2, chosen=2).max_divergence()
        Epsilon.log('9')
    """
    t = whole_number(steps, name="steps", at_least=1)
    k = whole_number(chosen, name="chosen", at_least=1)
    if k > t:
        raise DomainError(f"chosen={k} is more than steps={t}. Choose at most all of them.")
    if isinstance(mechanism, GaussianMechanism | LaplaceMechanism):
        if t == 1:
            return mechanism
        return NoiseAllocation(mechanism, t) if k == 1 else _between_few(mechanism, t, k)
    if not isinstance(mechanism, FiniteProfile):
        raise DomainError(
            f"{mechanism!r} is no finite pair and no Gaussian or Laplace noise. Pass one of them."
        )
    rows = Pair.from_losses(mechanism.losses()).masses()
    matrix = [[p for p, _ in rows], [q for _, q in rows]]
    if k == 1:
        step = Randomizer.from_matrix(matrix)
        view = shuffle_view(Victim(step, (0, 1)), [Users(step, 1, t - 1)] if t > 1 else [])
        return view.at_scale() if view.is_too_large else view
    forms = scale_rows(matrix)
    with_record = HistogramPolynomial(forms, [k - 1, t - k])
    p = with_record.weights_by_histogram(forms.weights[0])
    q = HistogramPolynomial(forms, [0, t - 1]).weights_by_histogram(forms.weights[1])
    totals = (forms.number(forms.total(powers)) for powers in ((k, t - k), (0, t)))
    p_total, q_total = totals
    return Pair.from_weight_maps(p, q, p_total=p_total, q_total=q_total)


def allocated_scale(
    mechanism_of: Callable[[Fraction], PrivacyProfile],
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    steps: int,
    chosen: int = 1,
    first: Fraction = Fraction(1),
    both_directions: bool = True,
    relative_width: RationalLike = "1e-2",
) -> Enclosure:
    """Return an enclosure of the smallest scale at which k of t steps are (ε, δ)-private.

    No scale is tried below that of one step at ε + ln t, which is too small: that some output is
    in an event A has at least the probability P(A) with the record, at most t·Q(A) without. So

        H_γ of the allocation >= H_tγ(P ‖ Q) of a step.

    Args:
        mechanism_of: A step with a scale; its δ falls in the scale.
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.
        steps: t, at least 1.
        chosen: k, from 1 to t.
        first: A guess of the scale of one step.
        both_directions: Whether adding the record counts too, not only removing it.
        relative_width: The relative width of the enclosure. If k > 1 steps have noise, that of
            each of two searches: a lower bound on δ certainly fails at the lower end, an upper one
            holds at the upper.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError, UndecidedError: If no enclosure of this width is within reach.

    Example:
        One step of one is the noise itself, of σ = 3.73 at ε = 1 and δ = 1e-5.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> found = allocated_scale(
        ...     lambda sigma: gaussian_mechanism(sigma=sigma), Epsilon.rational(1), "1e-5", steps=1
        ... )
        >>> found.lower < Fraction("3.7304") < found.upper
        True
    """
    t = whole_number(steps, name="steps", at_least=1)

    @cache
    def profile_of(scale: Fraction) -> PrivacyProfile:
        found = random_allocation(mechanism_of(scale), steps=t, chosen=chosen)
        return found.both_directions() if both_directions else found

    scale_of = partial(crossing_parameter, delta=delta, slope=Slope.FALLING)
    search = partial(scale_of, profile_of, epsilon=epsilon)
    start = scale_of(
        mechanism_of,
        epsilon=privacy_epsilon(epsilon) + Epsilon.log(t),
        first=first,
        relative_width="1e-3",
    ).lower
    if chosen == 1 or not isinstance(mechanism_of(start), GaussianMechanism | LaplaceMechanism):
        return search(first=start, relative_width=relative_width)
    low = search(first=start, end=Rounding.DOWN, relative_width=relative_width).lower
    high = search(first=low, end=Rounding.UP, relative_width=relative_width).upper
    return Bounds(low, high, "a lower bound on delta", "an upper bound on delta")
