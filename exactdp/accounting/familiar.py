"""Privacy loss distributions under the names that accountants use, with certified answers.

The names follow ``PrivacyLossDistribution`` of Google's dp_accounting: constructors
``from_..._mechanism``, ``compose``, ``self_compose``; ``get_delta_for_epsilon`` and
``get_epsilon_for_delta`` every profile has. There each answer is a double, from a
discretization chosen beforehand; here each is an :class:`Enclosure` of two rationals around
the truth, as narrow as asked, and there is no discretization interval to choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.accounting.on_grids import GridComposition, compose_on_grid
from exactdp.accounting.poisson import poisson_subsampled
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.profile import Largest
from exactdp.mechanisms.discrete_gaussian import discrete_gaussian_mechanism
from exactdp.mechanisms.discrete_laplace import discrete_laplace_mechanism
from exactdp.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism
from exactdp.mechanisms.laplace import LaplaceMechanism, laplace_mechanism
from exactdp.mechanisms.randomized_response import randomized_response
from exactdp.numbers import Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import NumberLike, exact, open_probability, whole_number

__all__ = ["CertifiedPLD"]


@dataclass(frozen=True, slots=True, repr=False)
class CertifiedPLD(Largest):
    """The privacy losses of a composition: the larger of both directions of neighbors.

    Attributes:
        profiles: Of removing a record (P with it, Q without it), and of adding one.

    Example:
        >>> one = CertifiedPLD.from_laplace_mechanism(1)
        >>> found = one.self_compose(10).get_delta_for_epsilon(Epsilon.rational(5))
        >>> 0 < found.lower < found.upper < 1
        True
    """

    profiles: tuple[GridComposition, GridComposition]

    @classmethod
    def from_profile(cls, profile: PrivacyProfile) -> CertifiedPLD:
        """Return the privacy losses of anything that ``compose_on_grid`` takes, once."""
        return cls._composed([(Largest((profile, profile.reversed())), 1)])

    @classmethod
    def from_randomized_response(
        cls, noise_parameter: Exact | RationalLike, num_buckets: int
    ) -> CertifiedPLD:
        """Return k-ary randomized response that reports a uniform value with a probability.

        Args:
            noise_parameter: p, above 0 and below 1: with it the report is uniform on all
                k values, else it is the truth.
            num_buckets: k, at least 2.

        Example:
            p = 1/2 and k = 2 tell the truth with probability 3/4:

            >>> rr = CertifiedPLD.from_randomized_response("1/2", 2)
            >>> rr.get_delta_for_epsilon(Epsilon.log(2)).contains(Exact("1/4"))
            True
        """
        p = open_probability(noise_parameter, name="noise_parameter")
        exp_epsilon = (1 - p + p / num_buckets) / (p / num_buckets)
        rows = randomized_response(num_buckets, Epsilon(exp_epsilon)).rows
        return cls.from_profile(Pair.from_masses(rows[0], rows[1]))

    @classmethod
    def from_laplace_mechanism(
        cls,
        parameter: NumberLike,
        *,
        sensitivity: NumberLike = 1,
        sampling_prob: Exact | RationalLike = 1,
    ) -> CertifiedPLD:
        """Return the Laplace mechanism of scale ``parameter``; the rate 1 samples nothing."""
        return cls._sampled(
            laplace_mechanism(scale=parameter, sensitivity=sensitivity), sampling_prob
        )

    @classmethod
    def from_gaussian_mechanism(
        cls,
        standard_deviation: NumberLike,
        *,
        sensitivity: NumberLike = 1,
        sampling_prob: Exact | RationalLike = 1,
    ) -> CertifiedPLD:
        """Return the Gaussian mechanism; the rate 1 of Poisson sampling samples nothing."""
        return cls._sampled(
            gaussian_mechanism(sigma=standard_deviation, sensitivity=sensitivity), sampling_prob
        )

    @classmethod
    def from_discrete_laplace_mechanism(
        cls, parameter: Epsilon | RationalLike, *, sensitivity: int = 1
    ) -> CertifiedPLD:
        """Return the discrete Laplace mechanism, Pr[k] ∝ e^(−a|k|) for the parameter a."""
        rate = parameter if isinstance(parameter, Epsilon) else Epsilon.rational(parameter)
        return cls.from_profile(discrete_laplace_mechanism(rate=rate, sensitivity=sensitivity))

    @classmethod
    def from_discrete_gaussian_mechanism(
        cls, sigma_squared: RationalLike, *, sensitivity: int = 1
    ) -> CertifiedPLD:
        """Return the discrete Gaussian mechanism; differs in taking σ², not σ."""
        return cls.from_profile(
            discrete_gaussian_mechanism(sigma_squared=sigma_squared, sensitivity=sensitivity)
        )

    @classmethod
    def from_two_probability_mass_functions(
        cls, upper: Mapping[Any, Any], lower: Mapping[Any, Any]
    ) -> CertifiedPLD:
        """Return the privacy losses of two finite laws: outcome to probability (not its log).

        Example:
            >>> pld = CertifiedPLD.from_two_probability_mass_functions(
            ...     {"a": "3/4", "b": "1/4"}, {"a": "1/4", "b": "3/4"}
            ... )
            >>> pld.get_delta_for_epsilon(Epsilon.log(2)).contains(Exact("1/4"))
            True
        """
        return cls.from_profile(Pair.from_pmfs(FinitePmf(dict(upper)), FinitePmf(dict(lower))))

    def compose(self, other: CertifiedPLD) -> CertifiedPLD:
        """Return the privacy losses of both, used independently."""
        return self._composed([(self, 1), (other, 1)])

    def self_compose(self, times: int) -> CertifiedPLD:
        """Return the privacy losses of ``times`` independent uses: 1 to a million in all."""
        return self._composed([(self, whole_number(times, name="times", at_least=1))])

    def __repr__(self) -> str:
        return f"<CertifiedPLD of {self.profiles[0].losses.copies:,} uses>"

    @classmethod
    def _composed(cls, parts: Sequence[tuple[Largest, int]]) -> CertifiedPLD:
        removing, adding = (
            compose_on_grid([(part.profiles[side], times) for part, times in parts])
            for side in (0, 1)
        )
        return cls((removing, adding))

    @classmethod
    def _sampled(
        cls, mechanism: GaussianMechanism | LaplaceMechanism, rate: Exact | RationalLike
    ) -> CertifiedPLD:
        if exact(rate, name="sampling_prob") == 1:
            return cls.from_profile(mechanism)
        return cls.from_profile(poisson_subsampled(mechanism, rate=rate))
