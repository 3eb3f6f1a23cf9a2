"""Random allocation: a record takes part in k of t steps, all choices equally likely.

In the steps that are not chosen the mechanism runs without the record, with the law Q; in the
chosen ones with P. Without the record all t outputs are from Q. So the order of the outputs
tells nothing more than their histogram: it is a shuffle, of k users with input P and t − k with
input Q, against t with input Q. For k = 1 it is the view of a victim among others with one input
(``hiding``); of noise ``allocated_noise`` has its enclosures. For k > 1 the likelihood ratio is a
symmetric polynomial in those of the steps; of noise ``chosen_steps`` has two ends, a test of all
outputs below, and above what it leaves open.

With Gaussian noise, and a record that adds nothing in its place if it is left out, this is
"balanced iteration subsampling".

References: V. Feldman and M. Shenfeld, Privacy Amplification by Random Allocation, 2025; A. Dong
and A. Özgür, What is the Optimal Subsampling Scheme for DP-SGD?, 2026.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from typing import cast

from exactdp.distributions import HistogramPolynomial, scale_rows
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.calibration import crossing_parameter
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    Rounding,
)
from exactdp.numbers.arguments import of_class, privacy_epsilon, whole_number
from exactdp.numbers.crossing import Slope
from exactdp.shuffle.allocated_noise import NoiseAllocation
from exactdp.shuffle.chosen_steps import ChosenSteps
from exactdp.shuffle.views.shuffle_view import Users, Victim, shuffle_view

__all__ = ["allocated_scale", "random_allocation"]


def random_allocation(mechanism: PrivacyProfile, *, steps: int, chosen: int = 1) -> PrivacyProfile:
    """Return k of t steps, chosen at random, in the direction of removing the record.

    Args:
        mechanism: The profile of a step: P with the record, Q without. A finite pair or its
            losses, or noise that has mass everywhere.
        steps: t, at least 1.
        chosen: k, from 1 to t.

    Returns:
        Of a finite pair the exact pair of histograms; if k = 1 and these are too many, certified
        enclosures, as of noise (of one step, the noise itself). Of noise with 1 < k < t
        :class:`Bounds`, whose ends are as near as they get; with k = t the composition of t steps.

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
        if t == k:
            compose = import_module("exactdp.accounting").compose  # a floor above
            return cast("PrivacyProfile", compose([(mechanism, k)]))
        return NoiseAllocation(mechanism, t) if k == 1 else ChosenSteps(mechanism, t, k)
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
