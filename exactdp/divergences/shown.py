"""A profile's table and curves, and its questions by the names of other accountants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from exactdp.divergences.display import LEVELS, POINTS, InNotebook, Table, curve, deltas
from exactdp.divergences.values import enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike

__all__ = ["Shown"]


class Shown(InNotebook, ABC):
    """A thing that answers δ(ε), ε(δ) and T(P, Q)(α), shown as a table and as curves."""

    __slots__ = ()

    @abstractmethod
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
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
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return :meth:`delta`, as dp_accounting calls it."""
        return self.delta(epsilon, relative_width=relative_width)

    def get_epsilon_for_delta(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return :meth:`epsilon`, as dp_accounting calls it."""
        return self.epsilon(delta, relative_width=relative_width)

    def plot(
        self, epsilons: Sequence[Epsilon] = (), *, trade_off: bool = False, axes: Any = None
    ) -> Any:
        """Draw δ(ε) or the trade-off function, with matplotlib (the extra ``report``).

        Args:
            epsilons: Where; by default 0 to 4 nats in steps of 1/8.
            trade_off: Whether to draw T(P, Q)(α) at α from 0 to 1 in steps of 1/32 instead.
            axes: What to draw on and is returned; by default new axes.
        """
        label = type(self).__name__
        if trade_off:
            return curve(self._error_shown, LEVELS, "α", "T(P, Q)(α)", label=label, axes=axes)
        return curve(self._shown, epsilons or POINTS, "ε (nats)", "δ", label=label, axes=axes)

    def table(self) -> Table:
        """Return δ at a few ε."""
        return deltas(type(self).__name__, self._shown)

    def _shown(self, epsilon: Epsilon) -> Enclosure:
        return enclosed(self.delta(epsilon, relative_width="1e-3"), "1e-3")

    def _error_shown(self, alpha: Exact) -> Enclosure:
        return enclosed(self.trade_off(alpha, relative_width="1e-3"), "1e-3")
