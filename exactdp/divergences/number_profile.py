"""Profiles whose δ is a number at every ε, exact or a real."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, Generic, TypeVar, overload

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width

__all__ = ["NumberProfile", "or_nearby"]

F = TypeVar("F", bound=Callable[..., Any])
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
        return self._delta_at(gamma)

    def _beside(self) -> PrivacyProfile | None:
        """Return the profile by laws nearby, where exact numbers may be too long; else None."""
        return None


def or_nearby(method: F) -> F:
    """Return a method that laws nearby answer where an exact answer is too long, if there are any.

    Exact numbers are too long where exponents of e have no short common denominator, as those of
    two doubles.
    """

    @wraps(method)
    def ask(self: Any, *args: Any) -> Any:
        try:
            return method(self, *args)
        except TooLargeError:
            beside = self._beside()
            if beside is None:
                raise
            return getattr(beside, method.__name__)(*args)

    return ask  # type: ignore[return-value]
