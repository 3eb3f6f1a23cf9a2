"""Guarantees by Rényi divergences in a problem file."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from exactdp.accounting import RenyiGuarantee, from_renyi, from_zcdp
from exactdp.errors import ParseError
from exactdp.numbers import fraction_of
from exactdp.problems.laws import Law, MechanismLaw, SideNames, located
from exactdp.problems.values import HERE, Order, Positive, Probability

__all__ = ["RenyiCurve", "ZeroConcentratedLaw"]

_SIDES = SideNames(
    p="the result of one of two neighbors, of the worst mechanism with this guarantee",
    q="the result of the other",
    neighbors="those of the guarantee; both directions agree",
)


class ZeroConcentratedLaw(MechanismLaw, frozen=True, kw_only=True, tag="zcdp"):
    """Any rho-zCDP mechanism, or delta-approximately so: the worst of them all."""

    rho: Positive | UnsetType = UNSET
    delta: Probability = field(default_factory=lambda: Probability.read(0))

    mechanism = staticmethod(from_zcdp)
    side_names: ClassVar[SideNames] = _SIDES


class RenyiCurve(Law, frozen=True, kw_only=True, tag="renyi"):
    """Any mechanism whose Renyi divergences of some orders above 1 are at most some numbers."""

    orders: Annotated[list[Order], Meta(min_length=1, description="Give at least one order.")]
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
        return _SIDES
