"""Random allocation: a record takes part in k of t steps, all choices equally likely.

In the steps that are not chosen the mechanism runs without the record, with the law Q; in the
chosen ones with P. Without the record all t outputs are from Q. So the order of the outputs
tells nothing more than their histogram: it is a shuffle, of k users with input P and t − k with
input Q, against t with input Q. For k = 1 it is the view of a victim among others with one input
(``hiding``); of noise ``allocated_noise`` has its enclosures. For k > 1 the likelihood ratio is a
symmetric polynomial in those of the steps, convex in each; its mean is only bounded, by finite
pairs with few outputs below and above the noise.

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate, pairwise
from math import sqrt

from exactdp.distributions import HistogramPolynomial, histogram_count, scale_rows
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.calibration import crossing_parameter
from exactdp.divergences.dots import pairs_between
from exactdp.divergences.worst import Bounds, Named, Sandwich
from exactdp.errors import DomainError
from exactdp.mechanisms import GaussianMechanism, Randomizer
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    Rounding,
    short,
)
from exactdp.numbers.arguments import of_class, privacy_epsilon, whole_number
from exactdp.numbers.crossing import Slope
from exactdp.shuffle.allocated_noise import NoiseAllocation
from exactdp.shuffle.noise_pairs import largest_ratio, pairs_on_grid
from exactdp.shuffle.views.shuffle_view import Users, Victim, shuffle_view

__all__ = ["allocated_scale", "random_allocation"]

_CELLS = 20
"""Cells in the size of a loss of the pairs that bound k > 1 steps."""

_FEW, _MOST_OUTPUTS = 20_000, 24
"""Histograms of t steps, and outputs, that the finite pairs around k > 1 noisy steps may have.

With more of them the bounds are nearer and slower."""

_RESTS = Fraction(1, 100), Fraction(1, 10**4), Fraction(1, 10**7)
"""The δ of a step up to whose ε the finite pairs around k > 1 noisy steps reach.

Each makes one bound below and one above; which is the nearest depends on the δ asked for."""


def _between_few(noise: AdditiveNoise, t: int, k: int) -> Sandwich:
    """Return k of t steps between those of finite pairs with few outputs.

    Below, outputs of a finite pair below the noise are merged (data processing); above, the pair
    has the noise's δ at the borders of what was merged. Gaussian noise in k of t steps is also
    at most that in k known steps: a mixture over the choices of them.
    """
    few = max(m for m in range(2, _MOST_OUTPUTS) if m == 2 or histogram_count(t, m + 2) <= _FEW)
    below: list[Named] = []
    above: list[Named] = []
    for rest in _RESTS:
        bits, top = rest.denominator.bit_length(), largest_ratio(noise, rest)
        low, _ = pairs_on_grid(noise, bits=bits, cells=_CELLS)
        outputs = [(p.as_fraction(), q.as_fraction()) for p, q in low.masses()]
        # Groups of outputs that have about the same part of Σ √(PQ).
        sums = list(accumulate(sqrt(p * q) for p, q in outputs))
        groups = [min(few - 1, int(x * few / sums[-1])) for x in sums]
        merged = [[Fraction(0)] * few for _ in range(2)]
        for output, group in zip(outputs, groups, strict=True):
            for into, mass in zip(merged, output, strict=True):
                into[group] += mass
        changes = zip(outputs[1:], pairwise(groups), strict=True)
        borders = {p / q for (p, q), (g, h) in changes if g != h and p} | {top}
        _, high = pairs_between(noise, sorted(borders), unit=1 << (bits + 40), width=None)
        for pair, named, side in (
            (Pair.from_masses(*merged), below, "below"),
            (high, above, "above"),
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
            losses, or noise that has mass everywhere.
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
    if isinstance(mechanism, AdditiveNoise) and mechanism.infinity_mass() == Exact(0):
        if t == 1:
            return mechanism
        return NoiseAllocation(mechanism, t) if k == 1 else _between_few(mechanism, t, k)
    if not isinstance(mechanism, FiniteProfile):
        raise DomainError(
            f"{mechanism!r} is neither a finite pair nor noise with mass everywhere. "
            "Pass one of them."
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
    epsilon: EpsilonLike,
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
        >>> found.lower < Fraction("3.7306316") < found.upper
        True
    """
    t = whole_number(steps, name="steps", at_least=1)

    def step_of(scale: Fraction) -> PrivacyProfile:
        advice = "Pass a function that returns a mechanism."
        return of_class(
            mechanism_of(scale), PrivacyProfile, name="mechanism_of(scale)", advice=advice
        )

    @cache
    def profile_of(scale: Fraction) -> PrivacyProfile:
        found = random_allocation(step_of(scale), steps=t, chosen=chosen)
        return found.both_directions() if both_directions else found

    scale_of = partial(crossing_parameter, delta=delta, slope=Slope.FALLING)
    search = partial(scale_of, profile_of, epsilon=epsilon)
    start = scale_of(
        step_of,
        epsilon=privacy_epsilon(epsilon) + Epsilon.log(t),
        first=first,
        relative_width="1e-3",
    ).lower
    if chosen == 1 or not isinstance(step_of(start), AdditiveNoise):
        return search(first=start, relative_width=relative_width)
    low = search(first=start, end=Rounding.DOWN, relative_width=relative_width).lower
    high = search(first=low, end=Rounding.UP, relative_width=relative_width).upper
    return Bounds(low, high, "a lower bound on delta", "an upper bound on delta")
