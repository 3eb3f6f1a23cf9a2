"""DP-SGD: steps of the subsampled Gaussian, and the noise, rate or steps for a target.

A larger σ and fewer steps are post-processing; so is a lower rate q' < q: keep an output
with probability q'/q, else draw one without the record. So δ(ε) is monotone in all three.
All take ``neighbors``, ``batches`` and other names as :func:`dp_sgd` does.

References: M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.accounting.composing import compose
from exactdp.accounting.proposals import likely_rate, likely_sigma, likely_steps
from exactdp.accounting.sampling import Batches, NeighborRelation, sampled
from exactdp.divergences.calibration import calibrated, largest_count
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    RationalLike,
    certainly_not_below,
    log,
)
from exactdp.numbers.arguments import (
    NumberLike,
    also_called,
    open_probability,
    positive,
    privacy_epsilon,
    probability,
    whole_number,
)
from exactdp.numbers.crossing import Slope

__all__ = ["dp_sgd", "dp_sgd_rate", "dp_sgd_sigma", "dp_sgd_steps"]

_POWER_OF_SIGMA = 3
"""The power of 1/σ that ε is about proportional to on samples: it proposes a search's next σ."""

_FEW_STEPS, _BITS = 64, 1 << 10
"""Steps up to which (1 − q)^steps is an exact power; bits of the logarithms of longer ones.

Where so many bits do not tell whether σ may be 0, it is searched for."""

_named = also_called(sigma="noise_multiplier", rate="sampling_probability")


@_named
def dp_sgd(
    *,
    sigma: NumberLike,
    rate: Exact | RationalLike,
    steps: int,
    neighbors: NeighborRelation = "add_or_remove",
    batches: Batches = "poisson",
) -> PrivacyProfile:
    """Return the profile of DP-SGD: the larger of both directions.

    Args:
        sigma: σ, also ``noise_multiplier``: in units of the clipping norm, for all neighbors.
        rate: q, also ``sampling_probability``: each record is in a batch with probability q;
            "100/60000" for batches of 100 of 60,000.
        steps: At least 0.
        neighbors: "add_or_remove" of a record, or "substitution" (replace-one) of one by another.
        batches: "poisson", drawn independently, or "fixed_size", without replacement: an upper
            bound under "substitution", as the ``note`` of the profile says.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = dp_sgd(sigma=1, rate="0.01", steps=1000).epsilon("1e-5", relative_width="1e-3")
        >>> Fraction("1.827") < found.lower < found.upper < Fraction("1.830")
        True
        >>> replaced = dp_sgd(sigma=1, rate="0.01", steps=1000, neighbors="substitution")
        >>> found = replaced.epsilon("1e-5", relative_width="1e-3")
        >>> Fraction("2.842") < found.lower < found.upper < Fraction("2.846")
        True
    """
    step = sampled(gaussian_mechanism(sigma=sigma), rate=rate, neighbors=neighbors, batches=batches)
    return compose([(step, steps)]).both_directions()


@_named
def dp_sgd_sigma(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    rate: Exact | RationalLike,
    steps: int,
    relative_width: RationalLike = "1e-4",
    neighbors: NeighborRelation = "add_or_remove",
    batches: Batches = "poisson",
) -> Enclosure:
    """Return an enclosure of the smallest σ with which DP-SGD is (ε, δ)-private.

    Its upper end certainly is, its lower end certainly is not; the point 0 if every σ > 0 is: a
    record that is in any batch with a probability of at most δ, 1 − (1 − q)^steps, needs no noise.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError, UndecidedError: If the width is not reached.

    Example:
        >>> dp_sgd_sigma(Epsilon.rational(1), "1e-3", rate="1e-5", steps=100).upper
        Fraction(0, 1)
    """
    at, target = privacy_epsilon(epsilon), open_probability(delta, name="delta")
    q, n = probability(rate, name="rate"), whole_number(steps, name="steps", at_least=0)
    if _is_hardly_sampled(q, n, target):
        return Enclosure(Fraction(0), Fraction(0))
    return calibrated(
        lambda sigma: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=at,
        delta=target,
        slope=Slope.FALLING,
        first=likely_sigma(at, target, rate=q, steps=n, neighbors=neighbors, batches=batches),
        power=_POWER_OF_SIGMA,
        relative_width=relative_width,
    )


@_named
def dp_sgd_rate(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sigma: NumberLike,
    steps: int,
    relative_width: RationalLike = "1e-4",
    neighbors: NeighborRelation = "add_or_remove",
    batches: Batches = "poisson",
) -> Enclosure:
    """Return an enclosure of the largest q with which DP-SGD is (ε, δ)-private.

    Its lower end certainly is, its upper end certainly is not; the point 1 if every rate is.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError, UndecidedError: If the width is not reached.

    Example:
        >>> dp_sgd_rate(Epsilon.rational(1), "1e-5", sigma=40, steps=10).lower
        Fraction(1, 1)
    """
    at, target = privacy_epsilon(epsilon), open_probability(delta, name="delta")
    noise, n = positive(sigma, name="sigma"), whole_number(steps, name="steps", at_least=0)
    return calibrated(
        lambda rate: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=at,
        delta=target,
        slope=Slope.GROWING,
        first=likely_rate(at, target, sigma=noise, steps=n, neighbors=neighbors, batches=batches),
        at_most=Fraction(1),
        relative_width=relative_width,
    )


@_named
def dp_sgd_steps(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sigma: NumberLike,
    rate: Exact | RationalLike,
    neighbors: NeighborRelation = "add_or_remove",
    batches: Batches = "poisson",
) -> int:
    """Return the largest number of steps with which DP-SGD is (ε, δ)-private, exactly.

    Raises:
        DomainError: If an argument is outside its range, or not even one step is.
        TooLargeError, UndecidedError: If δ of that many steps cannot be told from the target.

    Example:
        Without sampling, 7 steps of σ = 10 at (1, 1e-5):

        >>> dp_sgd_steps(Epsilon.rational(1), "1e-5", sigma=10, rate=1)
        7
    """
    at, target = privacy_epsilon(epsilon), open_probability(delta, name="delta")
    noise, q = positive(sigma, name="sigma"), probability(rate, name="rate")
    return largest_count(
        lambda steps: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=at,
        delta=target,
        first=likely_steps(at, target, sigma=noise, rate=q, neighbors=neighbors, batches=batches),
    )


def _is_hardly_sampled(rate: Exact, steps: int, delta: Exact) -> bool:
    """Return whether 1 − (1 − q)^steps <= δ; False where balls do not tell.

    The laws of the outputs are equal but for the batches with the record, so that bounds
    δ(0), the total variation distance, and every δ(ε), whatever σ is; as σ falls to 0 it is the
    limit of δ(ε).
    """
    if steps <= _FEW_STEPS or rate == 0:
        return (1 - rate) ** steps >= 1 - delta
    if rate == 1:
        return False
    kept, wanted = steps * log(1 - rate), log(1 - delta)
    return certainly_not_below(kept, wanted, max_bits=_BITS)
