"""A pair of laws on common outcomes, as weights over two totals.

The weights w_P(y) = P(y) * p_total and w_Q(y) = Q(y) * q_total lie in an ordered ring
(FLINT integers for rational laws, elements of the exact field otherwise), so that a law
with half a million cells costs half a million integers and one denominator.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from flint import fmpz

from exactdp.distributions.finite import DIVIDED, FinitePmf, weights_of
from exactdp.divergences.likelihood import (
    Weight,
    Weights,
    exact_weight,
    has_integer_weights,
    ratio,
)
from exactdp.divergences.number_profile import or_nearby
from exactdp.divergences.privacy_loss_distribution import FiniteProfile, PrivacyLossDistribution
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import DomainError, number_of
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    enclosure,
    fmpq_of,
    is_ratio_above,
)
from exactdp.numbers.arguments import any_epsilon, of_class, probability
from exactdp.numbers.effort import first_answer
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.validated import validated

_FEW, _LONGEST = 8, 100
"""Outcomes of a pair whose masses are printed, and characters of it, at most."""

__all__ = ["Pair", "Weight"]


@validated
@dataclass(frozen=True)
class Pair(FiniteProfile):
    """Two laws P and Q on the same outcomes, whose δ and ε are exact.

    Its numbers are facts about one ordered pair: a mechanism's δ is the largest over all
    neighboring pairs, taken in both orders.

    Attributes:
        p: The weights of P, one an outcome, nonnegative, with sum p_total.
        q: The weights of Q, in the same order, with sum q_total.
        p_total: The common denominator of P, positive.
        q_total: The common denominator of Q, positive.
        outcomes: The outcomes themselves, in the same order; None if they are not kept.
        note: What was done to the masses that were given; None if nothing.

    Example:
        Randomized response that tells the truth with probability 3/4 is exactly (ln 3)-DP:

        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> pair.masses()[0]
        (Exact('3/4'), Exact('1/4'))
        >>> pair.delta(Epsilon.log(2)), pair.delta(Epsilon.log(3)), pair.max_divergence()
        (Exact('1/4'), Exact('0'), Epsilon.log('3'))

        At ε = 1/2 its δ is 3/4 − e^(1/2)/4:

        >>> pair.delta(Epsilon.rational("1/2")), pair.epsilon("1/4")
        (<Exact: 0.33781968232496796 (exactly (-e^(1/2) + 3)/4)>, Epsilon.log('2'))
    """

    p: Sequence[Weight]
    q: Sequence[Weight]
    p_total: Weight
    q_total: Weight
    outcomes: Sequence[Hashable] | None = None
    note: str | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            raise DomainError(
                f"p has {number_of(len(self.p), 'outcome')}, but q {len(self.q):,}. Give "
                "both a weight for "
                "each outcome."
            )
        if self.p_total == 0 or self.q_total == 0:
            raise DomainError(
                f"p_total={self.p_total} and q_total={self.q_total} must be above 0. "
                "Pass the sums of the weights, or masses to Pair.from_masses."
            )

    def __repr__(self) -> str:
        laws = [*zip(*self.masses(), strict=True)] if len(self.p) <= _FEW else []
        if laws and not any("..." in mass.text(most=_LONGEST) for law in laws for mass in law):
            p, q = (", ".join(mass.argument for mass in law) for law in laws)
            text = f"Pair.from_masses([{p}], [{q}])"
            if len(text) <= _LONGEST:
                return text
        return f"<Pair of laws on {number_of(len(self.p), 'outcome')}>"

    @property
    def tells_nothing(self) -> bool:
        """True if both laws are equal."""
        return all(p == q for p, q in self.masses())

    @classmethod
    def from_masses(cls, p: Iterable[Any], q: Iterable[Any], *, normalize: bool = False) -> Pair:
        """Return the pair with the given masses (numbers or strings), in order.

        Args:
            p: The masses of P, one an outcome.
            q: The masses of Q, likewise.
            normalize: Whether to divide each law by its sum, which doubles seldom have at 1.

        Raises:
            DomainError: If lengths differ, a mass is negative, or a sum is not 1.

        Example:
            >>> pair = Pair.from_masses([0.5, 0.5], [0.3, 0.7], normalize=True)
            >>> pair.delta(0)
            <Exact: 0.19999999999999999 (exactly 7205759403792793/36028797018963966)>
            >>> pair.note
            'masses were divided by their sum'
        """
        first, second = list(p), list(q)
        if len(first) != len(second):
            raise DomainError(
                f"p has {number_of(len(first), 'mass')} and q has {len(second)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        left = FinitePmf(dict(enumerate(first)), name="p", normalize=normalize)
        right = FinitePmf(dict(enumerate(second)), name="q", normalize=normalize)
        return replace(cls.from_pmfs(left, right), note=DIVIDED if normalize else None)

    @classmethod
    def from_pmfs(cls, p: FinitePmf[Any], q: FinitePmf[Any]) -> Pair:
        """Return the pair of two finite distributions, on the union of their outcomes."""
        outcomes = list(dict.fromkeys([*p.masses, *q.masses]))
        p_weights, p_total = weights_of([p[y] for y in outcomes])
        q_weights, q_total = weights_of([q[y] for y in outcomes])
        return cls(p_weights, q_weights, p_total, q_total, outcomes)

    @classmethod
    def from_weight_maps(
        cls,
        p: Mapping[Any, Weight],
        q: Mapping[Any, Weight],
        *,
        p_total: Weight,
        q_total: Weight,
    ) -> Pair:
        """Return the pair of two sparse laws given by weights (trusted to sum to the totals)."""
        if list(p) == list(q):  # much faster than looking all of them up
            return cls(list(p.values()), list(q.values()), p_total, q_total, list(p))
        zero: Weight = fmpz(0)
        outcomes = list(dict.fromkeys([*p, *q]))
        return cls(
            [p.get(y, zero) for y in outcomes],
            [q.get(y, zero) for y in outcomes],
            p_total,
            q_total,
            outcomes,
        )

    @classmethod
    def from_losses(cls, losses: PrivacyLossDistribution) -> Pair:
        """Return the pair with one outcome for each loss, ascending.

        Example:
            >>> coin = Pair.from_masses(["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"])
            >>> Pair.from_losses(coin.losses().self_compose(2)).masses()[-1]
            (Exact('1/4'), Exact('1/16'))
        """
        return cls(*losses.weights())

    def __len__(self) -> int:
        return len(self.p)

    def __hash__(self) -> int:
        return hash((len(self.p), str(self.p_total), str(self.q_total)))  # weights may be many

    def __iter__(self) -> Iterator[tuple[Weight, Weight]]:
        return zip(self.p, self.q, strict=True)

    def reversed(self) -> Pair:
        """Return the pair (Q, P): the other direction of every divergence."""
        return Pair(self.q, self.p, self.q_total, self.p_total, self.outcomes, note=self.note)

    def masses(self) -> list[tuple[Exact, Exact]]:
        """Return the (P(y), Q(y)) as exact numbers, in order."""
        return [(ratio(a, self.p_total), ratio(b, self.q_total)) for a, b in self]

    @property
    def weights(self) -> Weights:
        """The weights and the totals."""
        return self.p, self.q, self.p_total, self.q_total

    def losses(self) -> PrivacyLossDistribution:
        """Return the law of the privacy loss: outcomes with equal P/Q merged, ascending.

        Example:
            The first two outcomes both have P/Q = 1/2:

            >>> pair = Pair.from_masses(["1/6", "1/6", "2/3", 0], ["1/3", "1/3", "1/3", 0])
            >>> pair.losses().atoms
            ((Exact('1/2'), Exact('1/3')), (Exact('2'), Exact('2/3')))
        """
        return self._losses

    @cached_property
    def _losses(self) -> PrivacyLossDistribution:
        return PrivacyLossDistribution.from_weights(self.weights)

    def _delta_at(self, gamma: Exact) -> Exact:
        # H_γ(P ‖ Q) = Σ_y max(0, P(y) − γ·Q(y)), with O(n) operations.
        p_sum: Any = fmpz(0)
        q_sum: Any = fmpz(0)
        for index in self._indices_above(gamma):
            p_sum += self.p[index]
            q_sum += self.q[index]
        return ratio(p_sum, self.p_total) - gamma * ratio(q_sum, self.q_total)

    def as_finite(self) -> PrivacyProfile:
        """Return the pair as it is composed: by pairs nearby where its losses are too long."""
        beside = self._beside()
        return (
            self
            if beside is None
            else first_answer(lambda: (self.losses(), self)[1], lambda: beside)
        )

    def _beside(self) -> PrivacyProfile | None:
        if has_integer_weights(self.weights):
            return None
        near, above = (
            import_module(f"exactdp.divergences.{x}") for x in ("nearby", "nearby_profile")
        )
        p, q = zip(*self.masses(), strict=True)
        found: PrivacyProfile = above.profile_near(
            partial(near.near_pair, self), self.reversed()._beside, near.largest_loss(p, q)
        )
        return found

    @or_nearby
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), the max over y with P(y) > 0 of ln(P(y) / Q(y)), in O(n)."""
        top: Any = fmpz(0)
        bottom: Any = fmpz(1)
        for a, b in self:
            # The ratio grows; products of weights spare a division for each outcome.
            if a * bottom > top * b:
                if b == 0:
                    return Epsilon.infinity()
                top, bottom = a, b
        return Epsilon(ratio(top, bottom) * ratio(self.q_total, self.p_total))

    def infinity_mass(self) -> Exact:
        """Return P(Q = 0), the limit of δ for ε to infinity."""
        missing: Any = sum((a for a, b in self if b == 0), fmpz(0))
        return ratio(missing, self.p_total)

    def subsampled(self, rate: Exact | RationalLike) -> Pair:
        """Return the pair (μ, Q) of a subsampled record: μ = (1 − q)·Q + q·P.

        P is the law with the record taking part, Q the law without it; it takes part with
        probability q, ``rate``, from 0 to 1. This is the direction of removing it, and the
        reversed pair that of adding it.

        Source:
            Balle, Barthe & Gaboardi, Privacy Amplification by Subsampling, 2018.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> coin.subsampled("1/2").masses()
            [(Exact('1/2'), Exact('1/4')), (Exact('1/2'), Exact('3/4'))]
        """
        share = probability(rate, name="rate")
        mixed = [(1 - share) * b + share * a for a, b in self.masses()]
        pair = Pair.from_masses(mixed, [b for _, b in self.masses()])
        return replace(pair, outcomes=self.outcomes, note=self.note)

    def post_process(
        self, matrix: Iterable[Iterable[Exact | RationalLike]], *, normalize: bool = False
    ) -> Pair:
        """Return the pair whose outcome is sent through a channel, at random.

        Formula:
            (P M, Q M), (P M)[z] = Σ_y P[y]·M[y, z]. No divergence is larger (data processing).

        Args:
            matrix: M, a row of masses with sum 1 for each outcome, in order.
            normalize: Whether to divide each row by its sum.

        Raises:
            DomainError: If it has another number of rows, rows of different lengths, or a row is
                no law.

        Example:
            A coin whose outcome is told half of the time, else a 0:

            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> coin.post_process([[1, 0], ["1/2", "1/2"]]).masses()
            [(Exact('7/8'), Exact('5/8')), (Exact('1/8'), Exact('3/8'))]
        """
        advice = "Give a list of masses for each outcome."
        rows = [
            list(of_class(row, Iterable, name=f"matrix[{i}]", advice=advice))
            for i, row in enumerate(of_class(matrix, Iterable, name="matrix", advice=advice))
        ]
        if len(rows) != len(self) or len({len(row) for row in rows}) > 1:
            shown = ", ".join(map(str, sorted({len(row) for row in rows})))
            raise DomainError(
                f"matrix has {number_of(len(rows), 'row')} of {shown or 'no'} masses, and the pair "
                f"{number_of(len(self), 'outcome')}. Give each outcome a row, all of one length."
            )
        laws = [
            FinitePmf(dict(enumerate(row)), name=f"matrix[{i}]", normalize=normalize)
            for i, row in enumerate(rows)
        ]
        sent = [
            [
                sum((m * law[z] for m, law in zip(side, laws, strict=True)), Exact(0))
                for z in range(len(rows[0]))
            ]
            for side in zip(*self.masses(), strict=True)
        ]
        return replace(Pair.from_masses(*sent), note=DIVIDED if normalize else self.note)

    def event(self, epsilon: EpsilonLike) -> list[Hashable]:
        """Return the outcomes y with P(y) > e^ε·Q(y): the smallest event that attains δ(ε).

        They are in the pair's order; if it does not keep its outcomes, their indices are. Outcomes
        with P = e^ε·Q add nothing and are left out.

        Source:
            The Neyman-Pearson lemma: P(S) − γ·Q(S) is largest on {P > γ·Q}.

        Example:
            >>> p = FinitePmf({"low": "1/6", "mid": "1/3", "high": "1/2"})
            >>> q = FinitePmf({"low": "1/2", "mid": "1/3", "high": "1/6"})
            >>> Pair.from_pmfs(p, q).event(Epsilon.log(1))
            ['high']
        """
        labels = self.outcomes if self.outcomes is not None else range(len(self))
        return [labels[index] for index in self._indices_above(any_epsilon(epsilon).exp)]

    def _indices_above(self, gamma: Exact) -> Iterator[int]:
        """Yield the indices with P > γ·Q, decided exactly."""
        threshold = gamma * ratio(self.p_total, self.q_total)
        if not has_integer_weights(self.weights):
            yield from (
                i
                for i, (a, b) in enumerate(self)
                if is_ratio_above(exact_weight(a), exact_weight(b), threshold)
            )
            return
        if threshold.ratio is not None:
            top, bottom = threshold.ratio.p, threshold.ratio.q
            yield from (i for i, (a, b) in enumerate(self) if a * bottom > b * top)
            return
        # The few weights whose ratio falls inside a bracket of the threshold are compared
        # in the exact field.
        bracket = enclosure(threshold, relative_bits=_BRACKET_BITS)
        lower, upper = fmpq_of(bracket.lower), fmpq_of(bracket.upper)
        upper_p, upper_q, lower_p, lower_q = upper.p, upper.q, lower.p, lower.q
        for index, (a, b) in enumerate(self):
            if a * upper_q > b * upper_p or (
                a * lower_q > b * lower_p and exact_weight(a) > threshold * exact_weight(b)
            ):
                yield index


_BRACKET_BITS = 128
"""Relative bits of the bracket in which weights are compared exactly: with more there are fewer."""
