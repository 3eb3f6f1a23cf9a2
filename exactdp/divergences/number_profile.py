"""Profiles whose δ is a number at every ε, and those where it is exact."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import answers

__all__ = ["ExactProfile", "NumberProfile"]

_TRIED = "1e-9"
"""The relative width that is advised where a number is too long."""

_WORK_OF_ADVICE = 200_000
"""The operations after which a width is not advised: a refusal comes at once."""

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
    def delta(self, epsilon: EpsilonLike, *, relative_width: None = None) -> N: ...
    @overload
    def delta(self, epsilon: EpsilonLike, *, relative_width: RationalLike) -> Enclosure: ...
    @overload
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure: ...
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure:
        """Return δ(ε) for an ε of any sign: a number; an enclosure of it if a width is given."""
        gamma = any_epsilon(epsilon).exp
        if relative_width is None:
            try:
                return self._delta_at(gamma)
            except TooLargeError as error:
                raise TooLargeError(f"{error}{self._enclosed_instead(gamma)}") from None
        return self._delta_within(gamma, checked_width(relative_width))

    def _enclosed_instead(self, gamma: Exact) -> str:
        """Return what a width gives where a number is too long: only what was tried."""
        width = Fraction(_TRIED)
        ask = partial(self._delta_within, gamma)
        for _, found in answers(ask, [width], work=_WORK_OF_ADVICE):
            if found.is_narrow(width):
                return f' Or pass relative_width="{_TRIED}".'
            return f" All that a relative_width gives is {found:.3g}."
        return ""


class ExactProfile(NumberProfile[Exact]):
    """A profile with an exact δ for every ε and an exact ε for every δ.

    A subclass says what they are as functions of γ = e^ε and of δ.
    """

    __slots__ = ()

    is_exact = True

    @abstractmethod
    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0, or plus infinity."""

    @abstractmethod
    def _epsilon_at(self, delta: Exact) -> Epsilon:
        """Return the smallest ε >= 0 for δ from 0 to 1."""

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

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε; for those that have a faster way to one."""
        value = self._epsilon_at(delta)
        return value if value.is_infinite else enclosed(value.nats, width)
