"""Privacy loss distributions under the names that accountants use, with certified answers.

The names follow ``PrivacyLossDistribution`` of Google's dp_accounting: constructors
``from_..._mechanism``, ``compose``, ``self_compose``; ``get_delta_for_epsilon`` and
``get_epsilon_for_delta`` every profile has. There each answer is a double, from a
discretization chosen beforehand; here each is an :class:`Enclosure` of two rationals around
the truth, as narrow as asked, and there is no discretization interval to choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import sampled
from exactdp.accounting.sampling.relations import Batches, NeighborRelation
from exactdp.distributions import FinitePmf
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile, Worst, add_or_remove
from exactdp.divergences.profile import enclosed
from exactdp.errors import number_of
from exactdp.mechanisms.discrete_gaussian import discrete_gaussian_mechanism
from exactdp.mechanisms.discrete_laplace import discrete_laplace_mechanism
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.mechanisms.laplace import laplace_mechanism
from exactdp.mechanisms.randomized_response import randomized_response
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, RationalLike
from exactdp.numbers.arguments import NumberLike, open_probability, probability, whole_number
from exactdp.numbers.validated import validated

__all__ = ["CertifiedPLD"]


@validated
@dataclass(frozen=True, slots=True, repr=False)
class CertifiedPLD(Worst):
    """The privacy losses of a composition: the larger of both directions of neighbors.

    Attributes:
        profiles: The composition where a record is removed (P with it, Q without it), and where
            one is added; one only where both are the same.
        parts: The profiles that are composed, in the direction of removing, each with its number
            of uses.

    Example:
        >>> one = CertifiedPLD.from_gaussian_mechanism(1, sampling_prob="0.01")
        >>> found = one.self_compose(1000).get_epsilon_for_delta("1e-5", relative_width="1e-3")
        >>> Fraction("1.827") < found.lower < found.upper < Fraction("1.830")
        True
        >>> one = CertifiedPLD.from_laplace_mechanism(1)
        >>> found = one.self_compose(100).get_delta_for_epsilon(Epsilon.rational(30))
        >>> 0 < found.lower < found.upper < 1
        True
    """

    @classmethod
    def from_parts(cls, parts: Iterable[tuple[PrivacyProfile, int]]) -> CertifiedPLD:
        """Return the privacy losses of (profile, times), of anything that ``compose`` takes.

        Args:
            parts: The profiles for removing a record, each with its number of uses; equal ones
                are joined.
        """
        joined: dict[object, tuple[PrivacyProfile, int]] = {}
        for part, times in parts:
            key = id(part) if isinstance(part, FiniteProfile) else part  # masses may be many
            count = whole_number(times, name="times", at_least=0)
            joined[key] = part, count + joined.get(key, (part, 0))[1]
        given = tuple(one for one in joined.values() if not one[0].tells_nothing)
        whole = compose([(add_or_remove(part), times) for part, times in given])
        sides = whole.worst_of() if whole.is_directed else (whole,)
        return cls.of(sides, parts=given, is_directed=True, width=Fraction(1, 10**6))

    @classmethod
    def from_profile(cls, profile: PrivacyProfile) -> CertifiedPLD:
        """Return the privacy losses of anything that ``compose`` takes, once."""
        return cls.from_parts([(profile, 1)])

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
        neighbors: NeighborRelation = "add_or_remove",
        batches: Batches = "poisson",
    ) -> CertifiedPLD:
        """Return the Laplace mechanism of scale ``parameter``, on a sample as for ``dp_sgd``."""
        noise = laplace_mechanism(scale=parameter, sensitivity=sensitivity)
        return cls._sampled(noise, sampling_prob, neighbors, batches)

    @classmethod
    def from_gaussian_mechanism(
        cls,
        standard_deviation: NumberLike,
        *,
        sensitivity: NumberLike = 1,
        sampling_prob: Exact | RationalLike = 1,
        neighbors: NeighborRelation = "add_or_remove",
        batches: Batches = "poisson",
    ) -> CertifiedPLD:
        """Return the Gaussian mechanism, on a sample as for ``dp_sgd``."""
        noise = gaussian_mechanism(sigma=standard_deviation, sensitivity=sensitivity)
        return cls._sampled(noise, sampling_prob, neighbors, batches)

    @classmethod
    def from_discrete_laplace_mechanism(
        cls,
        parameter: Epsilon | RationalLike,
        *,
        sensitivity: int = 1,
        sampling_prob: Exact | RationalLike = 1,
        neighbors: NeighborRelation = "add_or_remove",
    ) -> CertifiedPLD:
        """Return the discrete Laplace mechanism, Pr[k] ∝ e^(−a|k|), a = ``parameter``, sampled."""
        rate = parameter if isinstance(parameter, Epsilon) else Epsilon.rational(parameter)
        noise = discrete_laplace_mechanism(rate=rate, sensitivity=sensitivity)
        return cls._sampled(noise, sampling_prob, neighbors, "poisson")

    @classmethod
    def from_discrete_gaussian_mechanism(
        cls,
        sigma_squared: RationalLike,
        *,
        sensitivity: int = 1,
        sampling_prob: Exact | RationalLike = 1,
        neighbors: NeighborRelation = "add_or_remove",
    ) -> CertifiedPLD:
        """Return the discrete Gaussian mechanism, sampled; differs in taking σ², not σ.

        Example:
            >>> one = CertifiedPLD.from_discrete_gaussian_mechanism(4, sampling_prob="0.01")
            >>> found = one.self_compose(10).get_epsilon_for_delta("1e-6", relative_width="1e-2")
            >>> Fraction("0.085") < found.lower < found.upper < Fraction("0.0856")
            True
        """
        noise = discrete_gaussian_mechanism(sigma_squared=sigma_squared, sensitivity=sensitivity)
        return cls._sampled(noise, sampling_prob, neighbors, "poisson")

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
        return self.from_parts([*self.parts, *other.parts])

    def self_compose(self, times: int) -> CertifiedPLD:
        """Return the privacy losses of ``times`` independent uses, at least 1."""
        times = whole_number(times, name="times", at_least=1)
        return self.from_parts([(part, count * times) for part, count in self.parts])

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of the larger δ(ε); of relative width 1e-6 if none is given."""
        width = self.usual_width if relative_width is None else relative_width
        # Not super(): dataclasses with slots are made twice.
        return enclosed(Worst.delta(self, epsilon, relative_width=width), width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return an enclosure of the larger ε(δ), or infinity; the width as for :meth:`delta`."""
        return self._epsilon_within(delta, self.usual_width)

    def __repr__(self) -> str:
        return f"<CertifiedPLD of {number_of(sum(times for _, times in self.parts), 'use')}>"

    @classmethod
    def _sampled(
        cls,
        mechanism: PrivacyProfile,
        rate: Exact | RationalLike,
        neighbors: NeighborRelation,
        batches: Batches,
    ) -> CertifiedPLD:
        q = probability(rate, name="sampling_prob")
        return cls.from_profile(
            sampled(mechanism, sampling_probability=q, neighbors=neighbors, batches=batches)
        )
