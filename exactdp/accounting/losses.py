"""The exact law of a sum of independent privacy losses.

Definitions: :class:`ComposedLosses`.

Notation: finite losses are ln r_0 < ln r_1 < ... with ratios r_i = P/Q; P may have
mass where Q has none (loss plus infinity), and Q where P has none (minus infinity).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from flint import fmpz, fmpz_poly

from exactdp.accounting.commensurable import ExplicitScale, GeometricScale
from exactdp.divergences import Pair, PrivacyLossDistribution
from exactdp.divergences.likelihood import finite_ratios
from exactdp.divergences.validation import nonnegative_exp_epsilon, probability
from exactdp.numbers import Epsilon, Exact, RationalLike

__all__ = ["ComposedLosses"]


@dataclass(frozen=True, repr=False, eq=False)
class ComposedLosses:
    """The exact privacy loss distribution of a composition.

    Asked for many values of δ it adds each weight once: rational laws keep the
    partial sums of their weights. Compare two of them through
    :meth:`privacy_loss_distribution`, which is canonical.

    Attributes:
        ratios: The e^loss of the finite losses, ascending.
        p: The weights of P at these losses (some may be 0).
        q: The weights of Q at these losses.
        p_total: The weight of all outcomes under P; what p lacks is at plus infinity.
        q_total: The same for Q; what q lacks is at minus infinity.
        rate: The r of g = e^r for weights that are polynomials in g; else 0.

    Example:
        >>> coin = PrivacyLossDistribution.from_pair(
        ...     Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        ... )
        >>> losses = ComposedLosses.from_distribution(coin)
        >>> losses.atoms
        ((Exact('1/3'), Exact('1/4')), (Exact('3'), Exact('3/4')))
    """

    ratios: GeometricScale | ExplicitScale
    p: Sequence[Any]
    q: Sequence[Any]
    p_total: Any
    q_total: Any
    rate: Fraction = Fraction(0)

    @classmethod
    def from_distribution(cls, distribution: PrivacyLossDistribution) -> ComposedLosses:
        """Return the same law with partial sums, one loss an atom."""
        pair = distribution.pair
        ratios = [r if isinstance(r, Exact) else Exact(r) for r in finite_ratios(pair)]
        first = 1 if ratios and ratios[0] == 0 else 0
        part = slice(first, len(ratios))
        return cls(ExplicitScale(ratios[part]), pair.p[part], pair.q[part], *_totals(pair))

    @property
    def infinity_mass(self) -> Exact:
        """The mass under P of the loss plus infinity: P(Q = 0).

        Example:
            >>> pair = Pair.from_masses(["1/2", "1/2", 0], ["1/4", 0, "3/4"])
            >>> law = ComposedLosses.from_distribution(PrivacyLossDistribution(pair))
            >>> law.infinity_mass, law.minus_infinity_mass
            (Exact('1/2'), Exact('3/4'))
        """
        return self._number(self._p_from(len(self.ratios))) / self._number(self.p_total)

    @property
    def minus_infinity_mass(self) -> Exact:
        """The mass under Q of the loss minus infinity: Q(P = 0)."""
        missing = self.q_total - self._q_from(0)
        return self._number(missing) / self._number(self.q_total)

    @property
    def atoms(self) -> tuple[tuple[Exact, Exact], ...]:
        """The finite losses as (e^loss, mass under P), ascending, masses positive."""
        total = self._number(self.p_total)
        return tuple(
            (self.ratios[i], self._number(weight) / total)
            for i, weight in enumerate(self.p)
            if weight != 0
        )

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(P ‖ Q) of the composition, γ = exp_epsilon.

        Formula:
            δ(γ) = P(r > γ) − γ·Q(r > γ), where r = P/Q, infinity included.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Returns:
            An exact number in [0, 1]; nothing is rounded.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> law = ComposedLosses.from_distribution(PrivacyLossDistribution(coin))
            >>> law.delta(exp_epsilon=2)
            Exact('1/4')
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        return self._line(self.ratios.index_above(gamma), gamma)

    def deltas(self, exp_epsilons: Iterable[Exact | RationalLike]) -> list[Exact]:
        """Return H_γ(P ‖ Q) for each γ, in order.

        Raises:
            DomainError: If one of them is negative, a float, or an Epsilon.
        """
        return [self.delta(exp_epsilon=gamma) for gamma in exp_epsilons]

    def epsilon(self, *, delta: Exact | RationalLike) -> Epsilon:
        """Return the smallest ε >= 0 with H_{e^ε}(P ‖ Q) <= δ, by bisection among the losses.

        Args:
            delta: δ, from 0 to 1.

        Returns:
            The Epsilon (nats), with e^ε exact; plus infinity if δ is below the
            mass of the loss plus infinity.

        Raises:
            DomainError: If delta is below 0 or above 1, or a float.

        Example:
            The same coin: δ(γ) = 3/4 − γ/4 from γ = 1/3 to 3.

            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> law = ComposedLosses.from_distribution(PrivacyLossDistribution(coin))
            >>> law.epsilon(delta="1/4"), law.epsilon(delta=0)
            (Epsilon.log('2'), Epsilon.log('3'))
        """
        bound = probability(delta, name="delta")
        if self.delta(exp_epsilon=1) <= bound:
            return Epsilon.log(1)
        index = bisect_left(
            range(len(self.ratios)),
            x=True,
            key=lambda i: self._line(i + 1, self.ratios[i]) <= bound,
        )
        if index == len(self.ratios):
            return Epsilon.infinity()
        # δ(γ) is the line of the losses from here on, up to the ratio r_index.
        excess = self._number(self._p_from(index)) / self._number(self.p_total) - bound
        return Epsilon(excess * self._number(self.q_total) / self._number(self._q_from(index)))

    @property
    def pair(self) -> Pair:
        """A pair of laws with these losses: one outcome for each."""
        kept = [i for i, weight in enumerate(self.p) if weight != 0]
        p = [self._weight(self.p[i]) for i in kept]
        q = [self._weight(self.q[i]) for i in kept]
        infinite = self._weight(self._p_from(len(self.ratios)))
        minus_infinite = self._weight(self.q_total - self._q_from(0))
        p_total, q_total = self._weight(self.p_total), self._weight(self.q_total)
        zero = p_total - p_total
        return Pair([zero, *p, infinite], [minus_infinite, *q, zero], p_total, q_total)

    def privacy_loss_distribution(self) -> PrivacyLossDistribution:
        """Return the canonical privacy loss distribution, equal exactly for equal laws."""
        return PrivacyLossDistribution.from_pair(self.pair)

    def _line(self, index: int, gamma: Exact) -> Exact:
        """Return P(S) − γ·Q(S) for the losses S from ``index`` on."""
        p, q = self._number(self._p_from(index)), self._number(self._q_from(index))
        p_total, q_total = self._number(self.p_total), self._number(self.q_total)
        if p_total == q_total:  # one reduction to lowest terms instead of three
            return (p - gamma * q) / p_total
        return p / p_total - gamma * q / q_total

    def _p_from(self, index: int) -> Any:
        """Return the weight under P of the losses from ``index`` on, infinity included."""
        return self.p_total - _between(self._p_sums, self.p, index)

    def _q_from(self, index: int) -> Any:
        """Return the weight under Q of the finite losses from ``index`` on."""
        if self._q_sums is not None:
            return self._q_sums[-1] - self._q_sums[index]
        return _sum(self.q[index:], self.q_total - self.q_total)

    @cached_property
    def _p_sums(self) -> list[fmpz] | None:
        return _partial_sums(self.p, self.p_total)

    @cached_property
    def _q_sums(self) -> list[fmpz] | None:
        return _partial_sums(self.q, self.q_total)

    def _number(self, weight: Any) -> Exact:
        if isinstance(weight, fmpz_poly):
            return Exact.from_polynomial(weight, rate=self.rate)
        return weight if isinstance(weight, Exact) else Exact(weight)

    def _weight(self, weight: Any) -> Any:
        return weight if isinstance(weight, fmpz) else self._number(weight)

    def __repr__(self) -> str:
        return f"<ComposedLosses with {sum(1 for w in self.p if w != 0)} finite losses>"


def _totals(pair: Pair) -> tuple[Any, Any]:
    return pair.p_total, pair.q_total


def _partial_sums(weights: Sequence[Any], total: Any) -> list[fmpz] | None:
    """Return the sums of weights[:i]; None for weights that are too long to keep them."""
    if not isinstance(total, fmpz):
        return None
    return list(accumulate(weights, initial=fmpz(0)))


def _between(sums: list[fmpz] | None, weights: Sequence[Any], index: int) -> Any:
    """Return the sum of weights[:index]."""
    return sums[index] if sums is not None else _sum(weights[:index], 0)


def _sum(values: Sequence[Any], zero: Any) -> Any:
    """Return the sum by halves, which keeps the numbers short for long."""
    while len(values) > 1:
        rest = values[-1:] if len(values) % 2 else []
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=False)] + list(rest)
    return values[0] if values else zero
