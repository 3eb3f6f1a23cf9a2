"""Guarantees in a problem file: (epsilon, delta), zCDP, and Rényi divergences of some orders."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from exactdp.accounting import (
    RenyiGuarantee,
    composed_randomized_response,
    from_renyi,
    from_zcdp,
)
from exactdp.divergences import Pair
from exactdp.divergences.description import description_of
from exactdp.errors import ParseError
from exactdp.numbers import fraction_of
from exactdp.problems.described import law_of
from exactdp.problems.laws import Law, MechanismLaw, SideNames, located
from exactdp.problems.values import HERE, EpsilonValue, Positive, Probability, Rational

__all__ = ["Guarantee", "RenyiCurve", "Zcdp"]

Zcdp: Any = law_of(from_zcdp, MechanismLaw)


class Guarantee(Law, frozen=True, kw_only=True, tag="guarantee"):
    """Any (epsilon, delta)-private mechanism: the pair that dominates them all."""

    epsilon: EpsilonValue
    delta: Probability = field(default_factory=lambda: Probability.read(0))

    def profile(self, path: str) -> Pair:
        """Return the pair."""
        with located(path):
            return composed_randomized_response(
                self.epsilon.value, 1, delta0=self.delta.number
            ).pair

    def sides(self) -> SideNames:
        """Return the sides of the dominating pair."""
        return SideNames(
            p="the first law of the pair that dominates all such mechanisms",
            q="the second law of that pair",
            neighbors="those of the guarantee; both directions agree",
        )


class RationalOrder(
    Rational,
    allows=lambda x: x.is_rational and x > 0 and x != 1,
    rule="must be above 0 and not 1, and rational. Ask for max_divergence for order infinity.",
):
    """The order of a Renyi divergence that is known, above 0 and not 1."""


class RenyiCurve(Law, frozen=True, kw_only=True, tag="renyi"):
    """Any mechanism whose Renyi divergences of some orders above 1 are at most some numbers."""

    orders: Annotated[
        list[RationalOrder], Meta(min_length=1, description="Give at least one order.")
    ]
    divergences: list[Positive]

    def __post_init__(self) -> None:
        if len(self.orders) != len(self.divergences):
            raise ParseError(
                f"{HERE} has {len(self.orders)} orders and {len(self.divergences)} divergences. "
                "Give each order its divergence, in nats."
            )
        if len({fraction_of(order.value) for order in self.orders}) < len(self.orders):
            raise ParseError(
                f"{HERE} has an order twice. Give each order once, with the least divergence that "
                "holds."
            )

    def profile(self, path: str) -> RenyiGuarantee:
        """Return the worst of all mechanisms."""
        with located(path):
            rows = zip(self.orders, self.divergences, strict=True)
            return from_renyi({fraction_of(order.value): value.number for order, value in rows})

    def sides(self) -> SideNames:
        """Return the sides of the worst mechanism."""
        return SideNames.of(description_of(from_zcdp).sides)
