"""Profiles of two laws with finitely many losses: exact, and by laws nearby where that is too long.

Weights in powers of e are polynomials in one e^r. Of exponents that are unrelated, as those of two
doubles, r is so small that no polynomial is short; then laws nearby answer (``nearby``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast, overload

from exactdp.divergences.moment_bounds import renyi_number, renyi_real
from exactdp.divergences.number_profile import NumberProfile
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import NumberLike
from exactdp.numbers.effort import first_answer

if TYPE_CHECKING:
    from exactdp.divergences.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["ExactProfile", "FiniteProfile"]

A = TypeVar("A")


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

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        # γ and the masses may have no short common rate; the losses need none.
        exactly = partial(super()._delta_within, gamma, width)
        return self._or_beside(
            lambda: first_answer(exactly, lambda: self.losses()._delta_within(gamma, width)),
            lambda near: enclosed(near.delta(Epsilon(gamma), relative_width=width), width),
        )

    def _beside(self) -> PrivacyProfile | None:
        """Return the profile by laws nearby, where exact numbers may be too long; else None."""
        return None

    def _or_beside(self, exactly: Callable[[], A], ask: Callable[[PrivacyProfile], A]) -> A:
        """Return what is exact; where that is too long, what laws nearby say, if there are any."""
        try:
            return exactly()
        except TooLargeError:
            beside = self._beside()
            if beside is None:
                raise
            return ask(beside)

    def _epsilon_at(self, delta: Exact) -> Epsilon:
        return self.losses()._epsilon_at(delta)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        def exactly() -> Epsilon | Enclosure:
            value = self._epsilon_at(delta)
            return value if value.is_infinite else enclosed(value.nats, width)

        return self._or_beside(exactly, lambda near: near._epsilon_within(delta, width))

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
            """Return the smallest ε >= 0 with δ(ε) <= δ, exactly unless a width is given."""

    def _renyi_at(self, order: Fraction) -> Number:
        found = self._or_beside(
            lambda: renyi_number(self.losses().weights(), order),
            lambda near: near._renyi_at(order),
        )
        return cast("Number", found)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return self._or_beside(
            lambda: enclosed(renyi_real(self.losses().weights(), order), width),
            lambda near: cast("Enclosure", near._renyi_within(order, width)),
        )

    def _trade_off_at(self, level: Exact) -> Exact | None:
        return self._or_beside(lambda: self.losses()._trade_off_at(level), lambda near: None)

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss, at least 0; plus infinity if P has mass where Q has none."""
        return self.losses().max_divergence()

    def infinity_mass(self) -> Exact | Number:
        """Return the mass of P where Q has none: the limit of δ for ε to infinity."""
        return self._or_beside(
            lambda: self.losses().infinity_mass(), lambda near: near.infinity_mass()
        )

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss; 0 if there is none."""
        return self._or_beside(
            lambda: self.losses().largest_finite_loss(), lambda near: near.largest_finite_loss()
        )

    def reversed(self) -> FiniteProfile:
        """Return the profile of (Q, P)."""
        return self.losses().reversed()


ExactProfile = FiniteProfile
"""The class, as it was called where δ and ε are exact."""
