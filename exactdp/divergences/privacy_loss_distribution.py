"""The privacy loss distribution: exact atoms, exact δ and ε, exact composition.

The loss of an outcome y is ln(P(y) / Q(y)), in nats. Its law under P, with the mass at plus
infinity (Q = 0 < P), determines the hockey-stick divergence at every γ, which is convex,
nonincreasing and piecewise linear, and bends exactly at the finite ratios P/Q. Losses are
kept as e^loss, which is exact, so equal losses are merged exactly.

Source: Sommer, Meiser & Mohammadi 2019, Privacy Loss Classes.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

from flint import fmpz, fmpz_poly

from exactdp.divergences.likelihood import (
    LossCell,
    Weight,
    Weights,
    cells_of,
    exact_weight,
    lowest_terms,
    merged_cells,
    over_one_ring,
    partial_sums,
    refuse_large_power,
    refuse_large_product,
    sum_by_halves,
    weight_bits,
)
from exactdp.divergences.moment_bounds import renyi_number, renyi_real
from exactdp.divergences.number_profile import NumberProfile, or_nearby
from exactdp.divergences.profile import Parts, reversed_parts
from exactdp.divergences.values import enclosed, one_difference
from exactdp.errors import number_of
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import NumberLike, whole_number
from exactdp.numbers.commensurable import ExplicitScale, GeometricScale
from exactdp.numbers.effort import first_answer
from exactdp.numbers.validated import validated

__all__ = ["ExactProfile", "FiniteProfile", "PrivacyLossDistribution"]


class FiniteProfile(NumberProfile[Exact]):
    """The profile of two laws with finitely many losses, which are exact."""

    __slots__ = ()

    @abstractmethod
    def losses(self) -> PrivacyLossDistribution:
        """Return the law of the privacy loss."""

    is_exact = True
    has_losses = True
    has_loss_laws = True  # exactly

    @property
    def loss_count(self) -> int:
        """The number of finite losses."""
        return len(self.losses().atoms)

    def _delta_at(self, gamma: Exact) -> Exact:
        return self.losses()._delta_at(gamma)

    @or_nearby
    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        # γ and the masses may have no short common rate; the losses need none.
        exactly = partial(super()._delta_within, gamma, width)
        return first_answer(exactly, lambda: self.losses()._delta_within(gamma, width))

    def _epsilon_at(self, delta: Exact) -> Epsilon:
        return self.losses()._epsilon_at(delta)

    @or_nearby
    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        value = self._epsilon_at(delta)
        return value if value.is_infinite else enclosed(value.nats, width)

    if TYPE_CHECKING:

        @overload
        def epsilon(self, delta: NumberLike, *, relative_width: None = None) -> Epsilon: ...
        @overload
        def epsilon(
            self, delta: NumberLike, *, relative_width: RationalLike | None = None
        ) -> Epsilon | Enclosure: ...
        def epsilon(
            self, delta: NumberLike, *, relative_width: RationalLike | None = None
        ) -> Epsilon | Enclosure:
            """Return the smallest ε >= 0 with δ(ε) <= δ, exactly if it is short."""

    @or_nearby
    def _renyi_at(self, order: Fraction) -> Number:
        return renyi_number(self.losses().weights(), order)

    @or_nearby
    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return enclosed(renyi_real(self.losses().weights(), order), width)

    @or_nearby
    def _trade_off_at(self, level: Exact) -> Exact:
        return self.losses()._trade_off_at(level)

    @or_nearby
    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss, at least 0; plus infinity if P has mass where Q has none."""
        return self.losses().max_divergence()

    @or_nearby
    def infinity_mass(self) -> Exact | Number:
        """Return the mass of P where Q has none: the limit of δ for ε to infinity."""
        return self.losses().infinity_mass()

    @or_nearby
    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss; 0 if there is none."""
        return self.losses().largest_finite_loss()

    def reversed(self) -> FiniteProfile:
        """Return the profile of (Q, P)."""
        return self.losses().reversed()


ExactProfile = FiniteProfile
"""The class, as it was called where δ and ε are exact."""


@validated
@dataclass(frozen=True, repr=False, eq=False)
class PrivacyLossDistribution(FiniteProfile):
    """The exact law of the privacy loss of a pair (P, Q).

    Two of them are equal exactly if they have the same δ at every ε. Asked for many values of
    δ or ε it adds each weight once: rational laws keep the partial sums of their weights.

    Attributes:
        ratios: The e^loss of the finite losses, ascending.
        p, q: The weights of P and of Q at these losses (some may be 0).
        p_total: The weight of all outcomes under P; what p lacks is at plus infinity.
        q_total: The total weight of Q; what q lacks of it is at minus infinity.
        rate: The r of g = e^r for weights that are polynomials in g; else 0.
        parts: What it is composed of, if that is kept.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]).losses()
        >>> coin.atoms
        ((Exact('1/3'), Exact('1/4')), (Exact('3'), Exact('3/4')))
        >>> coin.delta(Epsilon.log(2)), coin.epsilon("1/4")
        (Exact('1/4'), Epsilon.log('2'))
    """

    ratios: GeometricScale | ExplicitScale
    p: Sequence[Any]
    q: Sequence[Any]
    p_total: Any
    q_total: Any
    rate: Fraction = Fraction(0)
    parts: Parts = field(default=(), kw_only=True, repr=False)

    @classmethod
    def from_weights(cls, weights: Weights) -> PrivacyLossDistribution:
        """Return the law of ln(P/Q) for laws given by weights, merging equal losses."""
        uniform = over_one_ring(weights)
        return cls.from_cells(merged_cells(cells_of(uniform)), *uniform[2:])

    @classmethod
    def from_cells(
        cls, cells: Iterable[LossCell], p_total: Weight, q_total: Weight
    ) -> PrivacyLossDistribution:
        """Return the law of cells of different losses, ascending, and the totals of P and Q."""
        finite = [cell for cell in cells if cell[1] != 0]
        p, p_total = lowest_terms([a for _, a, _ in finite], p_total)
        q, q_total = lowest_terms([b for _, _, b in finite], q_total)
        return cls(ExplicitScale([r for r, _, _ in finite]), p, q, p_total, q_total)

    def losses(self) -> PrivacyLossDistribution:
        """Return this distribution."""
        return self

    @cached_property
    def atoms(self) -> tuple[tuple[Exact, Exact], ...]:
        """The finite losses as (e^loss, mass under P), ascending, masses positive.

        The mass under Q of such a loss is mass / e^loss.
        """
        total = self._number(self.p_total)
        return tuple(
            (self.ratios[i], self._number(weight) / total)
            for i, weight in enumerate(self.p)
            if weight != 0
        )

    def infinity_mass(self) -> Exact:
        """Return the mass under P of the loss plus infinity: P(Q = 0), the limit of δ."""
        return self._number(self._p_from(len(self.ratios))) / self._number(self.p_total)

    def minus_infinity_mass(self) -> Exact:
        """Return the mass under Q of the loss minus infinity: Q(P = 0)."""
        missing = self.q_total - self._q_from(0)
        return self._number(missing) / self._number(self.q_total)

    def weights(self) -> Weights:
        """Return the weights of a pair with these losses: one outcome a loss, ascending."""
        kept = [i for i, weight in enumerate(self.p) if weight != 0]
        p = [self._weight(self.p[i]) for i in kept]
        q = [self._weight(self.q[i]) for i in kept]
        p_total, q_total = self._weight(self.p_total), self._weight(self.q_total)
        infinite = self._weight(self._p_from(len(self.ratios)))
        if infinite != 0:
            p, q = [*p, infinite], [*q, fmpz(0)]
        minus_infinite = self._weight(self.q_total - self._q_from(0))
        if minus_infinite != 0:
            p, q = [fmpz(0), *p], [minus_infinite, *q]
        return over_one_ring((p, q, p_total, q_total))

    def _delta_at(self, gamma: Exact) -> Exact:
        # δ(γ) = P(r > γ) − γ·Q(r > γ), infinity included.
        return self._line(self.ratios.index_above(gamma), gamma)

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        index = self.ratios.index_above(gamma)
        p, q = self._number(self._p_from(index)), self._number(self._q_from(index))
        p, q = p / self._number(self.p_total), q / self._number(self.q_total)
        return enclosed(p if q == 0 else one_difference(p, q, gamma), width)

    def _epsilon_at(self, delta: Exact) -> Epsilon:
        if self._delta_at(Exact(1)) <= delta:
            return Epsilon.log(1)
        # The first ratio r with δ(r) <= delta: δ(1) is above it, so r > 1, and the crossing
        # lies on the line that ends at r, whose losses are from r on.
        index = bisect_left(
            range(len(self.ratios)),
            x=True,
            key=lambda i: self._line(i + 1, self.ratios[i]) <= delta,
        )
        if index == len(self.ratios):
            return Epsilon.infinity()
        excess = self._number(self._p_from(index)) / self._number(self.p_total) - delta
        return Epsilon(excess * self._number(self.q_total) / self._number(self._q_from(index)))

    def _trade_off_at(self, level: Exact) -> Exact:
        # The best tests accept the largest ratios: all above ``index``, a share of those there.
        accepted, p_total = 1 - level, self._number(self.p_total)
        index = bisect_left(
            range(len(self.ratios)),
            x=True,
            key=lambda i: self._number(self._p_from(i + 1)) / p_total <= accepted,
        )
        if index == len(self.ratios):
            return Exact(0)
        share = accepted - self._number(self._p_from(index + 1)) / p_total
        missed = self._number(self._q_from(index + 1)) / self._number(self.q_total)
        return missed + share / self.ratios[index]

    def max_divergence(self) -> Epsilon:
        """Return the largest loss, at least 0; plus infinity if P has mass where Q has none."""
        is_infinite = self._p_from(len(self.ratios)) != 0
        return Epsilon.infinity() if is_infinite else self.largest_finite_loss()

    def largest_finite_loss(self) -> Epsilon:
        """Return the largest finite loss; 0 if there is none."""
        kept = (i for i in reversed(range(len(self.ratios))) if self.p[i] != 0)
        return Epsilon(next((self.ratios[i] for i in kept), Exact(1)))

    def reversed(self) -> PrivacyLossDistribution:
        """Return the law for (Q, P): its losses are the negatives of these."""
        p, q = self.p[::-1], self.q[::-1]
        ratios, parts = self.ratios.inverted(), reversed_parts(self.parts)
        return PrivacyLossDistribution(
            ratios, q, p, self.q_total, self.p_total, self.rate, parts=parts
        )

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def made_of(self, parts: Parts) -> PrivacyLossDistribution:
        """Return the same with these parts."""
        return replace(self, parts=tuple(parts))

    @property
    def breakpoints(self) -> tuple[Exact, ...]:
        """The γ > 0 at which γ -> δ changes its slope: the finite ratios P/Q, ascending."""
        return tuple(self.ratios[i] for i, weight in enumerate(self.p) if weight != 0)

    @property
    def vertices(self) -> tuple[tuple[Exact, Exact], ...]:
        """The (γ, δ) at γ = 0 and at each breakpoint; δ is linear in γ = e^ε in between."""
        kept = (i for i, weight in enumerate(self.p) if weight != 0)
        bends = ((self.ratios[i], self._line(i + 1, self.ratios[i])) for i in kept)
        return ((Exact(0), Exact(1)), *bends)

    def compose(self, other: PrivacyLossDistribution) -> PrivacyLossDistribution:
        """Return the law for the product of two independent pairs: losses add.

        The pairs are fixed in advance (no adaptivity is modeled). For n and m losses O(n m)
        operations; :func:`exactdp.accounting.compose` is faster for losses on a lattice.

        Raises:
            TooLargeError: If that would take more than minutes or gigabytes.

        Example:
            Two coins with loss ±ln 3: the sum is 2 ln 3, 0 or −2 ln 3.

            >>> from exactdp.divergences import Pair
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]).losses()
            >>> coin.compose(coin).atoms[1:]
            ((Exact('1'), Exact('3/8')), (Exact('9'), Exact('9/16')))
        """
        left, right = self.weights(), other.weights()
        n, m = len(left[0]), len(right[0])
        bits = weight_bits(left) + weight_bits(right)
        refuse_large_product(n, m, bits, f"the product of {n:,} and {m:,} losses")
        others = list(cells_of(right))
        cells = ((r * s, a * c, b * d) for r, a, b in cells_of(left) for s, c, d in others)
        return self.from_cells(merged_cells(cells), left[2] * right[2], left[3] * right[3])

    def self_compose(self, times: int) -> PrivacyLossDistribution:
        """Return the law for ``times`` independent copies of the pair.

        0 copies reveal nothing, so the loss is 0.

        Raises:
            DomainError: If times is not an int >= 0.
            TooLargeError: If that would take more than minutes or gigabytes.

        Example:
            >>> from exactdp.divergences import Pair
            >>> law = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]).losses().self_compose(10)
            >>> len(law.atoms), law.atoms[-1] == (Exact(2**10), Exact("1024/59049"))
            (11, True)
        """
        times = whole_number(times, name="times", at_least=0)
        refuse_large_power(self.weights(), len(self.breakpoints), times)
        one = fmpz(1)
        result = PrivacyLossDistribution(ExplicitScale([Exact(1)]), [one], [one], one, one)
        square = self
        while times:
            if times % 2:
                result = result.compose(square)
            times //= 2
            if times:
                square = square.compose(square)
        return result

    def _line(self, index: int, gamma: Exact) -> Exact:
        """Return P(S) − γ·Q(S) for the losses S from ``index`` on."""
        p, q = self._number(self._p_from(index)), self._number(self._q_from(index))
        p_total, q_total = self._number(self.p_total), self._number(self.q_total)
        if p_total == q_total:  # one reduction to lowest terms instead of three
            return (p - gamma * q) / p_total
        return p / p_total - gamma * q / q_total

    def _p_from(self, index: int) -> Any:
        """Return the weight under P of the losses from ``index`` on, infinity included."""
        if self._p_sums is not None:
            return self.p_total - self._p_sums[index]
        return self.p_total - sum_by_halves(self.p[:index], self.p_total - self.p_total)

    def _q_from(self, index: int) -> Any:
        """Return the weight under Q of the finite losses from ``index`` on."""
        if self._q_sums is not None:
            return self._q_sums[-1] - self._q_sums[index]
        return sum_by_halves(self.q[index:], self.q_total - self.q_total)

    @cached_property
    def _p_sums(self) -> list[fmpz] | None:
        return partial_sums(self.p, self.p_total)

    @cached_property
    def _q_sums(self) -> list[fmpz] | None:
        return partial_sums(self.q, self.q_total)

    def _number(self, weight: Any) -> Exact:
        if isinstance(weight, fmpz_poly):
            return Exact.from_polynomial(weight, rate=self.rate)
        return exact_weight(weight)

    def _weight(self, weight: Any) -> Weight:
        return weight if isinstance(weight, fmpz) else self._number(weight)

    def __eq__(self, other: object) -> bool:
        # The masses under P and the ratios fix the masses under Q, and what is infinite.
        found = other.atoms if isinstance(other, PrivacyLossDistribution) else None
        return NotImplemented if found is None else self.atoms == found

    def __hash__(self) -> int:
        return hash(self.atoms)

    def __repr__(self) -> str:
        return f"<PrivacyLossDistribution with {number_of(len(self.breakpoints), 'finite loss')}>"
