"""A profile's table and curves, and its questions by the names of other accountants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from exactdp.divergences.display import (
    DELTA,
    LEVELS,
    POINTS,
    InNotebook,
    Table,
    curve,
    deltas,
    marked,
    name_of,
)
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, short
from exactdp.numbers.arguments import open_probability, privacy_epsilon

__all__ = ["Shown"]


class Shown(InNotebook, ABC):
    """A thing that answers δ(ε), ε(δ) and T(P, Q)(α), shown as a table and as curves."""

    __slots__ = ()

    @abstractmethod
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε)."""

    @abstractmethod
    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 for a δ."""

    @abstractmethod
    def trade_off(
        self, alpha: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the least type II error of a test of level α."""

    def get_delta_for_epsilon(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return :meth:`delta`, as dp_accounting calls it."""
        return self.delta(epsilon, relative_width=relative_width)

    def get_epsilon_for_delta(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return :meth:`epsilon`, as dp_accounting calls it."""
        return self.epsilon(delta, relative_width=relative_width)

    def plot(
        self,
        epsilons: Sequence[Epsilon] = (),
        *,
        trade_off: bool = False,
        label: str = "",
        claim: tuple[Epsilon, Exact | RationalLike] | None = None,
        axes: Any = None,
    ) -> Any:
        """Draw δ(ε) or the trade-off function, with matplotlib (the extra ``report``).

        Several profiles are in one picture if each is drawn on the axes that the first returned.

        Args:
            epsilons: Where; by default 0 to 4 nats in steps of 1/8.
            trade_off: Whether to draw T(P, Q)(α) at α from 0 to 1 in steps of 1/32 instead.
            label: The name in the legend; by default the mechanism with its parameters.
            claim: An (ε, δ) to mark, δ above 0; no trade-off function has such a point.
            axes: What to draw on and is returned; by default new axes.

        Raises:
            DomainError: If matplotlib is not installed, or an argument is out of range.
        """
        point = None if claim is None else _point(claim, is_trade_off=trade_off)
        name = label or name_of(self)
        if trade_off:
            title, up = "Trade-off function: least type II error at a level α", "T(P, Q)(α)"
            return curve(self._error_shown, LEVELS, "α", up, label=name, title=title, axes=axes)
        axes = curve(
            self._shown,
            epsilons or POINTS,
            "ε (nats)",
            DELTA,
            label=name,
            title="Privacy profile: the least δ at each ε",
            axes=axes,
        )
        if point is not None:
            marked(axes, *point)
        return axes

    def table(self) -> Table:
        """Return δ at a few ε."""
        return deltas(name_of(self), self._shown)

    def _shown(self, epsilon: Epsilon) -> Enclosure:
        return enclosed(self.delta(epsilon, relative_width="1e-3"), "1e-3")

    def _error_shown(self, alpha: Exact) -> Enclosure:
        return enclosed(self.trade_off(alpha, relative_width="1e-3"), "1e-3")


def _point(
    claim: tuple[Epsilon, Exact | RationalLike], *, is_trade_off: bool
) -> tuple[Epsilon, Exact]:
    if is_trade_off:
        raise DomainError(
            "claim=(ε, δ) is a point of δ(ε), not of a trade-off function. Leave out one of them."
        )
    if not isinstance(claim, tuple) or len(claim) != 2:
        raise DomainError(f"claim={short(repr(claim))} is not a pair. Pass (epsilon, delta).")
    return privacy_epsilon(claim[0]), open_probability(claim[1], name="claim's delta")
