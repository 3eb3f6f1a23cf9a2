"""DP-SGD: steps of the Poisson-subsampled Gaussian, and the noise, rate or steps for a target.

A larger σ and fewer steps are post-processing; so is a lower rate q' < q: keep an output
with probability q'/q, else draw one without the record. So δ(ε) is monotone in all three.

References: M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.accounting.composing import compose
from exactdp.accounting.poisson import poisson_subsampled
from exactdp.divergences.calibration import calibrated, largest_count
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import NumberLike
from exactdp.numbers.crossing import Slope

__all__ = ["dp_sgd", "dp_sgd_rate", "dp_sgd_sigma", "dp_sgd_steps"]


def dp_sgd(*, sigma: NumberLike, rate: Exact | RationalLike, steps: int) -> PrivacyProfile:
    """Return the profile of DP-SGD under add/remove neighbors: the larger of both directions.

    Args:
        sigma: σ, the noise multiplier: in units of the clipping norm.
        rate: q, from 0 to 1: each record is in a batch with probability q, independently.
        steps: At least 0.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = dp_sgd(sigma=1, rate="0.01", steps=1000).epsilon("1e-5", relative_width="1e-3")
        >>> Fraction("1.827") < found.lower < found.upper < Fraction("1.830")
        True
    """
    step = poisson_subsampled(gaussian_mechanism(sigma=sigma), rate=rate)
    return compose([(step, steps)]).both_directions()


def dp_sgd_sigma(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    rate: Exact | RationalLike,
    steps: int,
    relative_width: RationalLike = "1e-4",
) -> Enclosure:
    """Return an enclosure of the smallest σ with which DP-SGD is (ε, δ)-private.

    Its upper end certainly is, its lower end certainly is not.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If the width is not reached.
    """
    return calibrated(
        lambda sigma: dp_sgd(sigma=sigma, rate=rate, steps=steps),
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
        lambda rate: dp_sgd(sigma=sigma, rate=rate, steps=steps),
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
        lambda steps: dp_sgd(sigma=sigma, rate=rate, steps=steps), epsilon=epsilon, delta=delta
    )
