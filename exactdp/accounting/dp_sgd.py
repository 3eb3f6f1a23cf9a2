"""DP-SGD: steps of the subsampled Gaussian, and the noise, rate or steps for a target.

A larger σ and fewer steps are post-processing; so is a lower rate q' < q: keep an output
with probability q'/q, else draw one without the record. So δ(ε) is monotone in all three.
All take ``neighbors`` and ``batches`` as :func:`dp_sgd` does.

References: M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.accounting.composing import compose
from exactdp.accounting.sampling import Batches, Neighbors, sampled
from exactdp.divergences.calibration import calibrated, largest_count
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import NumberLike
from exactdp.numbers.crossing import Slope

__all__ = ["dp_sgd", "dp_sgd_rate", "dp_sgd_sigma", "dp_sgd_steps"]


def dp_sgd(
    *,
    sigma: NumberLike,
    rate: Exact | RationalLike,
    steps: int,
    neighbors: Neighbors = "add_or_remove",
    batches: Batches = "poisson",
) -> PrivacyProfile:
    """Return the profile of DP-SGD: the larger of both directions.

    Args:
        sigma: σ, the noise multiplier: in units of the clipping norm, for all neighbors.
        rate: q, from 0 to 1: each record is in a batch with probability q; "100/60000" for
            batches of 100 of 60,000.
        steps: At least 0.
        neighbors: "add_or_remove" of a record, or "substitution" of one by another.
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


def dp_sgd_sigma(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    rate: Exact | RationalLike,
    steps: int,
    relative_width: RationalLike = "1e-4",
    neighbors: Neighbors = "add_or_remove",
    batches: Batches = "poisson",
) -> Enclosure:
    """Return an enclosure of the smallest σ with which DP-SGD is (ε, δ)-private.

    Its upper end certainly is, its lower end certainly is not.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If the width is not reached.
    """
    return calibrated(
        lambda sigma: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=epsilon,
        delta=delta,
        slope=Slope.FALLING,
        first=Fraction(1, 4),
        relative_width=relative_width,
    )


def dp_sgd_rate(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sigma: NumberLike,
    steps: int,
    relative_width: RationalLike = "1e-4",
    neighbors: Neighbors = "add_or_remove",
    batches: Batches = "poisson",
) -> Enclosure:
    """Return an enclosure of the largest q with which DP-SGD is (ε, δ)-private.

    Its lower end certainly is, its upper end certainly is not; the point 1 if every rate is.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If the width is not reached.

    Example:
        >>> dp_sgd_rate(Epsilon.rational(1), "1e-5", sigma=40, steps=10).lower
        Fraction(1, 1)
    """
    return calibrated(
        lambda rate: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=epsilon,
        delta=delta,
        slope=Slope.GROWING,
        first=Fraction(1, 100),
        at_most=Fraction(1),
        relative_width=relative_width,
    )


def dp_sgd_steps(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sigma: NumberLike,
    rate: Exact | RationalLike,
    neighbors: Neighbors = "add_or_remove",
    batches: Batches = "poisson",
) -> int:
    """Return the largest number of steps with which DP-SGD is (ε, δ)-private, exactly.

    Raises:
        DomainError: If an argument is outside its range, or not even one step is.
        UndecidedError: If δ of that many steps cannot be told from the target.

    Example:
        Without sampling, 7 steps of σ = 10 at (1, 1e-5):

        >>> dp_sgd_steps(Epsilon.rational(1), "1e-5", sigma=10, rate=1)
        7
    """
    return largest_count(
        lambda steps: dp_sgd(
            sigma=sigma, rate=rate, steps=steps, neighbors=neighbors, batches=batches
        ),
        epsilon=epsilon,
        delta=delta,
    )
