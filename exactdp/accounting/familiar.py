"""Privacy loss distributions under the names that accountants use, with certified answers.

The names follow ``PrivacyLossDistribution`` of Google's dp_accounting: constructors
``from_..._mechanism``, ``compose``, ``self_compose``, ``get_delta_for_epsilon``,
``get_epsilon_for_delta``. There each answer is a double, from a discretization chosen
beforehand; here each is an :class:`Enclosure` of two rationals around the truth, as narrow
as asked, and there is no discretization interval to choose.

Definitions: :class:`CertifiedPLD`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from exactdp.accounting.grid_composition import GridComposition, compose_on_grid
from exactdp.accounting.loss_laws import LossLaw, Part, poisson_subsampled
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms.discrete_gaussian import discrete_gaussian_mechanism
from exactdp.mechanisms.discrete_laplace import discrete_laplace_mechanism
from exactdp.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism
from exactdp.mechanisms.laplace import LaplaceMechanism, laplace_mechanism
from exactdp.mechanisms.noise import Parameter
from exactdp.mechanisms.randomized_response import randomized_response
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike

__all__ = ["CertifiedPLD"]


@dataclass(frozen=True, slots=True, repr=False)
class CertifiedPLD:
    """The privacy losses of a composition, in both directions of neighbors.

    Attributes:
        losses: The direction of removing a record (P with it, Q without it).
        reverse: The direction of adding one.

    Example:
        >>> one = CertifiedPLD.from_laplace_mechanism(1)
        >>> found = one.self_compose(10).get_delta_for_epsilon(5)
        >>> 0 < found.lower < found.upper < 1
        True
    """

    losses: GridComposition
    reverse: GridComposition

    @classmethod
    def from_part(cls, part: Part) -> CertifiedPLD:
        """Return the privacy losses of anything that ``compose_on_grid`` takes, once."""
        losses = compose_on_grid([(part, 1)])
        return cls(losses, losses.reversed())

    @classmethod
    def from_randomized_response(
        cls, noise_parameter: Exact | RationalLike, num_buckets: int
    ) -> CertifiedPLD:
        """Return k-ary randomized response that reports a uniform value with a probability.

        Args:
            noise_parameter: p, above 0 and below 1: with it the report is uniform on all
                k values, else it is the truth.
            num_buckets: k, at least 2.

        Raises:
            DomainError: If an argument is outside its range.

        Example:
            p = 1/2 and k = 2 tell the truth with probability 3/4:

            >>> rr = CertifiedPLD.from_randomized_response("1/2", 2)
            >>> rr.get_delta_for_epsilon(Epsilon.log(2)).contains(Exact("1/4"))
            True
        """
        p = noise_parameter if isinstance(noise_parameter, Exact) else Exact(noise_parameter)
        if p.sign() <= 0 or p >= 1:
            raise DomainError(f"noise_parameter={p} must be above 0 and below 1.")
        exp_epsilon = (1 - p + p / num_buckets) / (p / num_buckets)
        rows = randomized_response(num_buckets, Epsilon(exp_epsilon)).rows
        return cls.from_pair(Pair.from_masses(rows[0], rows[1]))

    @classmethod
    def from_laplace_mechanism(
        cls,
        parameter: Parameter,
        *,
        sensitivity: Parameter = 1,
        sampling_prob: Exact | RationalLike = 1,
    ) -> CertifiedPLD:
        """Return the Laplace mechanism, of scale ``parameter``.

        Args:
            parameter: b.
            sensitivity: Δ.
            sampling_prob: The rate of Poisson sampling; 1 for none.
        """
        return cls._sampled(
            laplace_mechanism(scale=parameter, sensitivity=sensitivity), sampling_prob
        )

    @classmethod
    def from_gaussian_mechanism(
        cls,
        standard_deviation: Parameter,
        *,
        sensitivity: Parameter = 1,
        sampling_prob: Exact | RationalLike = 1,
    ) -> CertifiedPLD:
        """Return the Gaussian mechanism.

        Args:
            standard_deviation: σ.
            sensitivity: Δ.
            sampling_prob: The rate of Poisson sampling; 1 for none.
        """
        return cls._sampled(
            gaussian_mechanism(sigma=standard_deviation, sensitivity=sensitivity), sampling_prob
        )

    @classmethod
    def from_discrete_laplace_mechanism(
        cls, parameter: Epsilon | RationalLike, *, sensitivity: int = 1
    ) -> CertifiedPLD:
        """Return the discrete Laplace mechanism.

        Args:
            parameter: a, so that Pr[k] ∝ e^(−a|k|): an inverse scale, as in dp_accounting.
            sensitivity: Δ.
        """
        rate = parameter if isinstance(parameter, Epsilon) else Epsilon.rational(parameter)
        return cls.from_part(discrete_laplace_mechanism(rate=rate, sensitivity=sensitivity))

    @classmethod
    def from_discrete_gaussian_mechanism(
        cls, sigma_squared: RationalLike, *, sensitivity: int = 1
    ) -> CertifiedPLD:
        """Return the discrete Gaussian mechanism; differs in taking σ², not σ."""
        return cls.from_part(
            discrete_gaussian_mechanism(sigma_squared=sigma_squared, sensitivity=sensitivity)
        )

    @classmethod
    def from_pair(cls, pair: Pair) -> CertifiedPLD:
        """Return the privacy losses of a finite pair."""
        return cls.from_part(LossLaw.from_pair(pair))

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
        return cls.from_pair(Pair.from_pmfs(FinitePmf(dict(upper)), FinitePmf(dict(lower))))

    def compose(self, other: CertifiedPLD) -> CertifiedPLD:
        """Return the privacy losses of both, used independently."""
        return CertifiedPLD(
            GridComposition((*self.losses.parts, *other.losses.parts)),
            GridComposition((*self.reverse.parts, *other.reverse.parts)),
        )

    def self_compose(self, times: int) -> CertifiedPLD:
        """Return the privacy losses of ``times`` independent uses, at least 1.

        Raises:
            DomainError: If times is not an int of at least 1.
            TooLargeError: If there are more than a million uses in all.
        """
        if not isinstance(times, int) or isinstance(times, bool) or times < 1:
            raise DomainError(f"times={times!r} is not an int of at least 1.")
        return CertifiedPLD(
            compose_on_grid([(law, k * times) for law, k in self.losses.parts]),
            compose_on_grid([(law, k * times) for law, k in self.reverse.parts]),
        )

    def get_delta_for_epsilon(
        self, epsilon: Epsilon | RationalLike, *, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return an enclosure of the least δ at ε for both directions: the larger one.

        Raises:
            DomainError: If an argument is a float or outside its range.
            UndecidedError: If the width is not reached.
        """
        one = self.losses.delta_enclosure(epsilon, relative_width=relative_width)
        other = self.reverse.delta_enclosure(epsilon, relative_width=relative_width)
        return Enclosure(max(one.lower, other.lower), max(one.upper, other.upper))

    def get_epsilon_for_delta(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return an enclosure of the least ε for δ in both directions: the larger one.

        Raises:
            DomainError: If an argument is a float or outside its range, or no ε is enough.
            UndecidedError: If the width is not reached.
        """
        one = self.losses.epsilon(delta, relative_width=relative_width)
        other = self.reverse.epsilon(delta, relative_width=relative_width)
        return Enclosure(max(one.lower, other.lower), max(one.upper, other.upper))

    def __repr__(self) -> str:
        times = sum(k for _, k in self.losses.parts)
        return f"<CertifiedPLD of {times:,} uses>"

    @classmethod
    def _sampled(
        cls, mechanism: GaussianMechanism | LaplaceMechanism, rate: Exact | RationalLike
    ) -> CertifiedPLD:
        value = rate if isinstance(rate, Exact) else Exact(rate)
        return cls.from_part(mechanism if value == 1 else poisson_subsampled(mechanism, rate=value))
