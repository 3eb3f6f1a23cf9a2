"""DP-SGD: steps of the subsampled Gaussian; ``calibrated`` finds noise, rate or steps.

A larger σ and fewer steps are post-processing; so is a lower rate q' < q: keep an output
with probability q'/q, else draw one without the record. So δ(ε) is monotone in all three.
All take ``neighbors``, ``batches`` and other names as :func:`dp_sgd` does.

References: M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.accounting.composing import compose
from exactdp.accounting.proposals import likely_rate, likely_sigma, likely_steps
from exactdp.accounting.sampling import Batches, NeighborRelation, sampled
from exactdp.divergences.add_or_remove import add_or_remove
from exactdp.divergences.families import calibrated, calibrates
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    certainly_not_below,
    log,
)
from exactdp.numbers.arguments import (
    NumberLike,
    also_called,
    open_probability,
    probability,
    whole_number,
)
from exactdp.numbers.crossing import Slope

__all__ = ["dp_sgd", "dp_sgd_sigma"]

_USUAL_WIDTH = "1e-4"
"""The relative width of a calibrated σ or rate: each step of the search composes."""

_POWER_OF_SIGMA = 3
"""The power of 1/σ that ε is about proportional to on samples: it proposes a search's next σ."""

_FEW_STEPS, _BITS = 64, 1 << 10
"""Steps up to which (1 − q)^steps is an exact power; bits of the logarithms of longer ones.

Where so many bits do not tell whether σ may be 0, it is searched for."""

_named = also_called(sigma="noise_multiplier", rate="sampling_probability")


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


def _no_noise(
    epsilon: Epsilon, delta: Exact, *, rate: Exact | RationalLike, steps: int, **_: Any
) -> Number | None:
    """Return 0 where every σ > 0 meets the target."""
    target, q = open_probability(delta, name="delta"), probability(rate, name="rate")
    n = whole_number(steps, name="steps", at_least=0)
    return Exact(0) if _is_hardly_sampled(q, n, target) else None


@_named
@calibrates(
    "sigma", first=likely_sigma, known=_no_noise, power=_POWER_OF_SIGMA, usual_width=_USUAL_WIDTH
)
@calibrates(
    "rate",
    slope=Slope.GROWING,
    first=likely_rate,
    at_most=Fraction(1),
    usual_width=_USUAL_WIDTH,
)
@calibrates("steps", slope=Slope.GROWING, argument=int, first=likely_steps)
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
    whole = compose([(step, steps)])
    # All replacements are neighbors in both orders: a worst case has no other direction.
    return add_or_remove(whole) if neighbors == "add_or_remove" else whole.both_directions()


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
    :func:`calibrated` finds the rate, or the number of steps, in the same way.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError, UndecidedError: If the width is not reached.

    Example:
        >>> dp_sgd_sigma(Epsilon.rational(1), "1e-3", rate="1e-5", steps=100).upper
        Fraction(0, 1)
    """
    return calibrated(
        dp_sgd,
        epsilon=epsilon,
        delta=delta,
        rate=rate,
        steps=steps,
        neighbors=neighbors,
        batches=batches,
        relative_width=relative_width,
    )
