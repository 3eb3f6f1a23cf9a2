"""What the mechanisms that add noise have in common: one profile, the same both ways.

Sensitivity is Δ = max |f(D) − f(D')| over neighbors. Under add/remove neighbors a count
has Δ = 1; a sum of values in [0, B] has Δ = B under either relation, of values in
[−B, B] it has Δ = B under add/remove and 2B under replace. A mechanism here is told Δ
and knows nothing of the relation: it stands for the pair f = 0 against f = Δ.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Self, overload

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.grids import LossLaw
from exactdp.numbers import Enclosure, Epsilon, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon

__all__ = ["AdditiveNoise"]


class AdditiveNoise(PrivacyProfile):
    """Noise that is as likely as its negative, on a query of sensitivity Δ.

    So (P, Q) is the mirror image of (Q, P), and both have the same δ at every ε.
    """

    __slots__ = ()

    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: None = None) -> Number: ...

    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: RationalLike) -> Enclosure: ...

    @overload
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure: ...

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε), the same in both directions.

        Args:
            epsilon: ε in nats, finite, of any sign.
            relative_width: The width of an enclosure, at most this times δ.

        Returns:
            A number of any precision; an enclosure of it if a width is given.

        Raises:
            DomainError: If an argument is outside its range.

        Example:
            >>> from exactdp.mechanisms import laplace_mechanism
            >>> laplace_mechanism(scale=1).delta(Epsilon.rational("1/2"))
            Exact('(e^(1/4) - 1)/(e^(1/4))')
        """
        at = any_epsilon(epsilon)
        if relative_width is None:
            return self._delta(at)
        return enclosed(self._refined_delta(at), relative_width)

    @property
    def has_closed_form(self) -> bool:
        """Always."""
        return True

    def reversed(self) -> Self:
        """Return the mechanism itself: the other direction is the mirror image."""
        return self

    @abstractmethod
    def loss_law(self) -> LossLaw:
        """Return the law of the privacy loss ln(P/Q) under P, for compositions."""

    @abstractmethod
    def _delta(self, epsilon: Epsilon) -> Number:
        """Return δ at a finite ε."""

    def _refined_delta(self, epsilon: Epsilon) -> Number:
        """Return δ at a finite ε, as a number that is quickly enclosed."""
        return self._delta(epsilon)
