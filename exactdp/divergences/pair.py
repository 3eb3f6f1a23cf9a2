"""A pair of laws on common outcomes, as weights over two totals.

Everything that a divergence needs of P and Q is the list of (P(y), Q(y)). A
:class:`Pair` keeps them as weights w_P(y) = P(y) * p_total and w_Q(y) = Q(y) *
q_total in an ordered ring (FLINT integers for rational laws, elements of the
exact field otherwise), so that a law with half a million cells costs half a
million integers and one denominator.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpz

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["Pair", "Weight"]

Weight = fmpz | Exact
"""An element of the ordered ring of weights."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two laws P and Q on the same outcomes.

    Attributes:
        p: The weights of P, one an outcome, nonnegative, with sum p_total.
        q: The weights of Q, in the same order, with sum q_total.
        p_total: The common denominator of P, positive.
        q_total: The common denominator of Q, positive.
        outcomes: What the outcomes are, in the same order; None if not kept.

    Example:
        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> pair.masses()[0]
        (Exact('3/4'), Exact('1/4'))
    """

    p: Sequence[Weight]
    q: Sequence[Weight]
    p_total: Weight
    q_total: Weight
    outcomes: Sequence[Hashable] | None = None

    @classmethod
    def from_masses(cls, p: Iterable[Any], q: Iterable[Any]) -> Pair:
        """Return the pair with the given masses (numbers or strings), in order.

        Raises:
            DomainError: If lengths differ, a mass is negative, or a sum is not 1.
        """
        first, second = list(p), list(q)
        if len(first) != len(second):
            raise DomainError(
                f"p has {len(first)} masses and q has {len(second)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        left = FinitePmf(dict(enumerate(first)), name="p")
        right = FinitePmf(dict(enumerate(second)), name="q")
        return cls.from_pmfs(left, right)

    @classmethod
    def from_pmfs(cls, p: FinitePmf[Any], q: FinitePmf[Any]) -> Pair:
        """Return the pair of two finite distributions, on the union of their outcomes."""
        outcomes = list(dict.fromkeys([*p.masses, *q.masses]))
        p_weights, p_total = _weights([p[y] for y in outcomes])
        q_weights, q_total = _weights([q[y] for y in outcomes])
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
        zero: Weight = fmpz(0)
        outcomes = list(dict.fromkeys([*p, *q]))
        return cls(
            [p.get(y, zero) for y in outcomes],
            [q.get(y, zero) for y in outcomes],
            p_total,
            q_total,
            outcomes,
        )

    def __len__(self) -> int:
        return len(self.p)

    def __iter__(self) -> Iterator[tuple[Weight, Weight]]:
        return zip(self.p, self.q, strict=True)

    def reversed(self) -> Pair:
        """Return the pair (Q, P): the other direction of every divergence."""
        return Pair(self.q, self.p, self.q_total, self.p_total, self.outcomes)

    def masses(self) -> list[tuple[Exact, Exact]]:
        """Return the (P(y), Q(y)) as exact numbers, in order."""
        return [(ratio(a, self.p_total), ratio(b, self.q_total)) for a, b in self]


def ratio(a: Weight, b: Weight) -> Exact:
    """Return a / b as an exact number."""
    return exact(a) / exact(b)


def exact(weight: Weight) -> Exact:
    """Return a weight as an exact number."""
    return weight if isinstance(weight, Exact) else Exact(weight)


def _weights(masses: Sequence[Exact]) -> tuple[list[Weight], Weight]:
    """Clear denominators: integers for rational masses, the masses themselves otherwise."""
    if all(m.is_rational for m in masses):
        common = fmpz(1)
        for m in masses:
            common = common.lcm(m.as_fmpq().q)
        return [m.as_fmpq().p * (common // m.as_fmpq().q) for m in masses], common
    return list(masses), Exact(1)
