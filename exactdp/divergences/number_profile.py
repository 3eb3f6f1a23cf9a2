"""Profiles whose δ is a number at every ε, and those of finitely many losses, where it is exact."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from exactdp.divergences.moment_bounds import renyi_number, renyi_real
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import answers, first_answer

if TYPE_CHECKING:
    from exactdp.divergences.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["ExactProfile", "FiniteProfile", "NumberProfile"]

_INSTEAD, _WORK_INSTEAD = "1e-9", 200_000
"""The relative width of an enclosure where a number is too long, and the operations for it: a
refusal comes at once."""

N = TypeVar("N", bound=Number, covariant=True)


class NumberProfile(PrivacyProfile, Generic[N]):
    """A profile whose δ is a number of type N, exact or a real that refines, at every ε.

    A subclass says what it is as a function of γ = e^ε.
    """

    __slots__ = ()

    @abstractmethod
    def _delta_at(self, gamma: Exact) -> N:
        """Return H_γ(P ‖ Q) for γ > 0."""

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of H_γ(P ‖ Q); for those that have a faster way to one."""
        return enclosed(self._delta_at(gamma), width)

    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: None = None) -> N: ...
    @overload
    def delta(self, epsilon: EpsilonLike, *, relative_width: RationalLike) -> Enclosure: ...
    @overload
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure: ...
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure:
        """Return δ(ε) for an ε of any sign: a number; an enclosure of it if a width is given.

        Of a number of nats it is an enclosure, too, where the exact one would be too long: e^ε and
        the masses may be powers of e whose exponents, as of two doubles, have no small common
        denominator. An Epsilon asks for an exact answer.

        Raises:
            TooLargeError: If the number is too long, and an enclosure was not asked for.
        """
        gamma = any_epsilon(epsilon).exp
        if relative_width is not None:
            return self._delta_within(gamma, checked_width(relative_width))
        try:
            return self._delta_at(gamma)
        except TooLargeError as error:
            found = self._enclosed_instead(gamma, error)
            if isinstance(epsilon, Epsilon):
                raise TooLargeError(f'{error} Or pass relative_width="{_INSTEAD}".') from None
            return found

    def _enclosed_instead(self, gamma: Exact, error: TooLargeError) -> Enclosure:
        """Return an enclosure of a number that is too long, or refuse it."""
        width = Fraction(_INSTEAD)
        for _, found in answers(partial(self._delta_within, gamma), [width], work=_WORK_INSTEAD):
            if found.is_narrow(width):
                return found
            raise TooLargeError(f"{error} All that a relative_width gives is {found:.3g}.")
        raise error


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
        return first_answer(exactly, lambda: self.losses()._delta_within(gamma, width))

    def _epsilon_at(self, delta: Exact) -> Epsilon:
        return self.losses()._epsilon_at(delta)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε; for those that have a faster way to one."""
        value = self._epsilon_at(delta)
        return value if value.is_infinite else enclosed(value.nats, width)

    if TYPE_CHECKING:

        @overload
        def epsilon(
            self, delta: Exact | RationalLike, *, relative_width: None = None
        ) -> Epsilon: ...
        @overload
        def epsilon(
            self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
        ) -> Epsilon | Enclosure: ...
        def epsilon(
            self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
        ) -> Epsilon | Enclosure:
            """Return the smallest ε >= 0 with δ(ε) <= δ, exactly unless a width is given."""

    def _renyi_at(self, order: Fraction) -> Number:
        return renyi_number(self.losses().weights(), order)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return enclosed(renyi_real(self.losses().weights(), order), width)

    def _trade_off_at(self, level: Exact) -> Exact:
        return self.losses()._trade_off_at(level)

    def max_divergence(self) -> Epsilon:
        """Return the largest loss, at least 0; plus infinity if P has mass where Q has none."""
        return self.losses().max_divergence()

    def infinity_mass(self) -> Exact:
        """Return the mass of P where Q has none: the limit of δ for ε to infinity."""
        return self.losses().infinity_mass()

    def largest_finite_loss(self) -> Epsilon:
        """Return the largest finite loss; 0 if there is none."""
        return self.losses().largest_finite_loss()

    def reversed(self) -> FiniteProfile:
        """Return the profile of (Q, P)."""
        return self.losses().reversed()


ExactProfile = FiniteProfile
"""The class, as it was called where δ and ε are exact."""
