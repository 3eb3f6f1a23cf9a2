"""Privacy amplification by subsampling: a mixture against its base, exactly.

One record takes part with probability q. Let μ1 be the law of the output with the
record and μ0 without it; what is released has the law μ = (1 − q)·μ0 + q·μ1. Both
directions between μ and μ0 follow exactly from divergences of μ1 and μ0, because

    μ − γ·μ0 = q·(μ1 − γ'·μ0),           γ' = (γ − (1 − q)) / q,
    μ0 − γ·μ = (1 − γ(1 − q))·μ0 − γq·μ1.

Definitions: :class:`Subsampling`.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by
Subsampling: Tight Analyses via Couplings and Divergences, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.divergences.validation import nonnegative_exp_epsilon, probability
from exactdp.numbers import Epsilon, Exact, RationalLike

__all__ = ["Subsampling"]


@dataclass(frozen=True, slots=True)
class Subsampling:
    """A record that takes part with probability ``rate``; its laws with it and without it.

    Attributes:
        pair: (μ1, μ0): P with the record taking part, Q without it.
        rate: q, from 0 to 1, exact.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> half = Subsampling.from_pair(coin, rate="1/2")
        >>> half.mixture_against_base.masses()
        [(Exact('1/2'), Exact('1/4')), (Exact('1/2'), Exact('3/4'))]
    """

    pair: Pair
    rate: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", probability(self.rate, name="rate"))

    @classmethod
    def from_pair(cls, pair: Pair, *, rate: Exact | RationalLike) -> Subsampling:
        """Return the subsampling of a pair (μ1, μ0).

        Raises:
            DomainError: If rate is below 0 or above 1, or a float.
        """
        return cls(pair, probability(rate, name="rate"))

    @classmethod
    def from_pmfs(
        cls, with_record: FinitePmf[Any], base: FinitePmf[Any], *, rate: Exact | RationalLike
    ) -> Subsampling:
        """Return the subsampling of two finite laws: μ1 with the record, μ0 without.

        Raises:
            DomainError: If rate is below 0 or above 1, or a float.
        """
        return cls.from_pair(Pair.from_pmfs(with_record, base), rate=rate)

    @property
    def mixture_against_base(self) -> Pair:
        """The pair (μ, μ0): removing the record."""
        masses = self.pair.masses()
        mixture = [(1 - self.rate) * base + self.rate * other for other, base in masses]
        pair = Pair.from_masses(mixture, [base for _, base in masses])
        return Pair(pair.p, pair.q, pair.p_total, pair.q_total, self.pair.outcomes)

    @property
    def base_against_mixture(self) -> Pair:
        """The pair (μ0, μ): adding the record."""
        return self.mixture_against_base.reversed()

    def mixture_delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(μ ‖ μ0), γ = exp_epsilon.

        Formula:
            q·H_γ'(μ1 ‖ μ0) with γ' = 1 + (γ − 1)/q, if γ >= 1 − q and q > 0;
            1 − γ if γ < 1 − q; max(0, 1 − γ) if q = 0.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Source:
            Balle, Barthe & Gaboardi 2018, advanced joint convexity, with equal first
            components. Differs from the source: any γ >= 0.

        Example:
            At γ = 3/2 and q = 1/2, γ' = 2: half of 3/4 − 2/4.

            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> Subsampling.from_pair(coin, rate="1/2").mixture_delta(exp_epsilon="3/2")
            Exact('1/8')
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        kept = gamma - (1 - self.rate)
        if kept.sign() < 0 or self.rate == 0:
            return max(Exact(0), 1 - gamma)
        return self.rate * hockey_stick_divergence(self.pair, exp_epsilon=kept / self.rate)

    def base_delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(μ0 ‖ μ), γ = exp_epsilon.

        Formula:
            c·H_(γq/c)(μ0 ‖ μ1) with c = 1 − γ(1 − q), if c > 0; else 0.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Source:
            The second identity of the module header.

        Example:
            Against the coin's mixture (1/2, 1/2) at γ = 5/4: 3/4 − 5/8.

            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> Subsampling.from_pair(coin, rate="1/2").base_delta(exp_epsilon="5/4")
            Exact('1/8')
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        left = 1 - gamma * (1 - self.rate)
        if left.sign() <= 0:
            return Exact(0)
        reverse = self.pair.reversed()
        return left * hockey_stick_divergence(reverse, exp_epsilon=gamma * self.rate / left)

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return the larger of the two directions: the δ of the unordered pair {μ, μ0}.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> Subsampling.from_pair(coin, rate="1/2").delta(exp_epsilon="7/4")
            Exact('1/16')
        """
        return max(
            self.mixture_delta(exp_epsilon=exp_epsilon), self.base_delta(exp_epsilon=exp_epsilon)
        )

    def amplified(self, epsilon: Epsilon) -> Epsilon:
        """Return ln(1 + q(e^ε − 1)), at which H(μ ‖ μ0) is q times that of (μ1, μ0) at ε.

        Args:
            epsilon: ε, finite, with 1 + q(e^ε − 1) positive.

        Raises:
            DomainError: If epsilon is infinite.

        Source:
            Balle, Barthe & Gaboardi 2018, the theorem on Poisson subsampling.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> Subsampling.from_pair(coin, rate="1/2").amplified(Epsilon.log(3))
            Epsilon.log('2')
        """
        return Epsilon(1 + self.rate * (epsilon.exp - 1))
