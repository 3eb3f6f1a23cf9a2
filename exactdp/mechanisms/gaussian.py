"""The Gaussian mechanism: f(D) + N(0, σ²).

References: B. Balle and Y.-X. Wang, Improving the Gaussian Mechanism for Differential
Privacy: Analytical Calibration and Optimal Denoising, ICML 2018; I. Mironov, Rényi
Differential Privacy, 2017; J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isqrt

from flint import arb

from exactdp.divergences.description import (
    OTHER_SCALES,
    POSITIVE,
    SENSITIVITY,
    Event,
    checked,
    described,
)
from exactdp.divergences.families import calibrated, noise_scale
from exactdp.divergences.profile import Mixture
from exactdp.mechanisms.losses.gaussian_loss import (
    GaussianLoss,
    GaussianMixtureLoss,
    ReplacedGaussianLoss,
)
from exactdp.mechanisms.mixtures import replaced_rate
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
    normal_cdf,
    normal_score,
    sqrt,
    working_bits,
)
from exactdp.numbers.arguments import NumberLike, whole_number
from exactdp.numbers.balls import normal_cdf_of
from exactdp.numbers.reals import erf
from exactdp.sums import LossLaw

__all__ = ["GaussianMechanism", "gaussian_mechanism", "smallest_sigma"]


@dataclass(frozen=True, slots=True)
class GaussianMechanism(AdditiveNoise):
    """Noise N(0, σ²) on a query of sensitivity Δ (Euclidean, for vectors).

    Formula:
        δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ = Δ/σ.

    Source:
        Balle & Wang 2018, Theorem 8.

    Example:
        At ε = 0 it is 2Φ(μ/2) − 1, the total variation distance:

        >>> from exactdp.numbers import decimal
        >>> decimal(gaussian_mechanism(sigma="1/2").delta(Epsilon.rational(0)), digits=6)
        '0.682689'

    Attributes:
        sigma: σ, the standard deviation.
        sensitivity: Δ; replacing a record may double that of adding one.
    """

    sigma: Number
    sensitivity: Number

    ranges = (("sigma", POSITIVE),)

    @property
    def mu(self) -> Real:
        """The number μ = Δ/σ: the loss is N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q."""
        return Real(partial(_quotient, self.sensitivity, self.sigma), "mu")

    @property
    def loss_size(self) -> Real:
        """The standard deviation μ of the loss."""
        return self.mu

    def max_divergence(self) -> Epsilon:
        """Return infinity: the loss is unbounded."""
        return Epsilon.infinity()

    def _loss_law(self) -> LossLaw:
        """Return the normal law of the loss."""
        return LossLaw(density=GaussianLoss(self.mu))

    def law_between(self, first: Mixture, second: Mixture) -> LossLaw | None:
        """Return that of a replaced record on a Poisson sample, or of any shifts against none."""
        if tuple(second) == ((0, Exact(1)),):
            return self.law_of_shifts(first)
        rate = replaced_rate(first, second)
        if rate is None:
            return None
        return LossLaw(density=ReplacedGaussianLoss(self.mu, rate), is_symmetric=True)

    def law_of_shifts(self, shifts: Sequence[tuple[int | Exact, Exact]]) -> LossLaw:
        """Return the law of the loss of one of several shifts, in units of Δ, against none.

        Args:
            shifts: The shifts, at least 0, with weights that sum to 1; one shift is positive.
        """
        none = sum((p for c, p in shifts if c == 0), Exact(0))
        top, rate = max(c for c, _ in shifts), 1 - none
        seen = tuple((Exact(c) / top, p / rate) for c, p in shifts if c != 0)
        inner = GaussianMixtureLoss(top * self.sensitivity / self.sigma, seen)
        if none == 0:
            return LossLaw(density=inner)
        return LossLaw(density=inner.subsampled(rate), ratio_ends=(none, None))

    def above(self, x: Number) -> Real:
        """Return Φ(−x/σ)."""
        return normal_cdf(-x / self.sigma)

    def exceeded(self, level: Exact) -> Number:
        """Return −σ Φ⁻¹(level)."""
        return self.sigma * normal_score(level)

    def search_start(self, delta: Exact) -> Fraction:
        """Return the mean loss less forty deviations, μ²/2 − 40μ, if that is above 0."""
        size = int(enclosure(self.mu, relative_bits=64).upper).bit_length()
        mu = enclosure(self.mu, relative_bits=64 + size).lower  # μ² to within μ
        return max(Fraction(0), mu * (mu / 2 - 40))

    def first_guess(self, delta: Exact) -> Fraction:
        """Return 1, or forty deviations of the loss."""
        start = self.search_start(delta)
        return 40 * enclosure(self.mu, relative_bits=64).upper if start else Fraction(1)

    def _delta_at(self, gamma: Exact) -> Real:
        if gamma == 1:  # the same without cancellation: 2Φ(μ/2) − 1
            return erf(self.mu / sqrt(8))
        return Real(partial(_delta_ball, self, gamma), "delta of a Gaussian mechanism")

    @property
    def known_rho(self) -> Number:
        """The number ρ = μ²/2, as D_a is a·μ²/2."""
        return self._renyi_at(Fraction(2)) / 2

    def _renyi_at(self, order: Fraction) -> Number:
        # a·μ²/2: exact where σ² and Δ² are. Mironov 2017, Proposition 7.
        return Exact(order) / 2 * (self.sensitivity / self.sigma) ** 2

    def _trade_off_at(self, level: Exact) -> Real:
        # G_μ(α) = Φ(Φ⁻¹(1 − α) − μ). Dong, Roth & Su 2022, Definition 2.6.
        return normal_cdf(normal_score(level) - self.mu)

    def composed(self, times: int) -> GaussianMechanism:
        """Return one Gaussian mechanism with the privacy of ``times`` adaptive uses.

        Formula:
            Losses are normal, so μ² adds: σ becomes σ/√times.

        Example:
            Four uses of σ = 2 are one of σ = 1: 2Φ(1/2) − 1.

            >>> from exactdp.numbers import decimal
            >>> whole = gaussian_mechanism(sigma=2).composed(4)
            >>> decimal(whole.delta(Epsilon.rational(0)), digits=6)
            '0.382925'
        """
        times = whole_number(times, name="times", at_least=1)
        return GaussianMechanism(self.sigma / sqrt(times), self.sensitivity)


def _delta_ball(mechanism: GaussianMechanism, gamma: Exact) -> arb:
    """Return a ball around δ at γ: many of them are asked."""
    bits = working_bits()
    mu, nats, ratio = mechanism.mu.ball(bits), Epsilon(gamma).nats.ball(bits), gamma.ball(bits)
    return normal_cdf_of(mu / 2 - nats / mu) - ratio * normal_cdf_of(-mu / 2 - nats / mu)


def _quotient(x: Number, y: Number) -> arb:
    return (x / y).ball(working_bits())


@described(
    "gaussian",
    "Normal noise.",
    noise_scale("sigma", "σ, the standard deviation of the noise"),
    *OTHER_SCALES,
    SENSITIVITY,
    one_of=("sigma", "noise_multiplier", "sigma_squared", "rho"),
    goes_into=frozenset({"thresholds", "allocations", "shuffles"}),
    event=Event("GaussianDpEvent", {"sigma": "noise_multiplier"}),
    drawn="sigma",
    is_drawn_sampled=True,
)
def gaussian_mechanism(
    *,
    sigma: NumberLike | None = None,
    noise_multiplier: NumberLike | None = None,
    sigma_squared: NumberLike | None = None,
    rho: NumberLike | None = None,
    sensitivity: NumberLike = 1,
) -> GaussianMechanism:
    """Return the Gaussian mechanism, by one of four ways to say its noise.

    Args:
        sigma: σ, in the units of Δ.
        noise_multiplier: σ/Δ.
        sigma_squared: σ².
        rho: Δ²/(2σ²), of zCDP, in nats.
        sensitivity: Δ.

    Raises:
        DomainError: If not one of the first four is given, or one is not positive.

    Example:
        >>> ways = ({"sigma": 4}, {"noise_multiplier": 2}, {"sigma_squared": 16}, {"rho": "1/8"})
        >>> [str(gaussian_mechanism(sensitivity=2, **way).sigma) for way in ways]
        ['4', '4', '4', '4']
    """
    given = checked(
        gaussian_mechanism,
        sigma=sigma,
        noise_multiplier=noise_multiplier,
        sigma_squared=sigma_squared,
        rho=rho,
        sensitivity=sensitivity,
    )
    size = given["sensitivity"]
    if "sigma" in given:
        return GaussianMechanism(given["sigma"], size)
    if "noise_multiplier" in given:
        return GaussianMechanism(given["noise_multiplier"] * size, size)
    if "sigma_squared" in given:
        return GaussianMechanism(_root(given["sigma_squared"]), size)
    return GaussianMechanism(size / _root(2 * given["rho"]), size)


def _root(x: Number) -> Number:
    """Return a square root, exactly where it is rational."""
    if isinstance(x, Exact) and x.is_rational:
        above, below = x.as_fraction().as_integer_ratio()
        if isqrt(above) ** 2 == above and isqrt(below) ** 2 == below:
            return Exact(Fraction(isqrt(above), isqrt(below)))
    return sqrt(x)


def smallest_sigma(
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    *,
    sensitivity: NumberLike = 1,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the smallest σ that gives (ε, δ)-differential privacy.

    Its upper end certainly gives (ε, δ), its lower end certainly does not: one family of
    :func:`calibrated`, by the name that it has in the field.

    Args:
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.
        sensitivity: Δ, in the units of σ.
        relative_width: The relative width of the enclosure.

    Source:
        Balle & Wang 2018, Section 3. Differs from the source: certified.

    Example:
        >>> from fractions import Fraction
        >>> found = smallest_sigma(Epsilon.rational(1), "1e-5", relative_width="1e-6")
        >>> Fraction("3.7303") < found.lower < found.upper < Fraction("3.7307")
        True
    """
    return calibrated(
        gaussian_mechanism,
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        relative_width=relative_width,
    )
