"""δ at an ε, and the smallest ε for a δ: what a profile is asked first.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from exactdp.divergences.derived import RenyiAndTradeOff
from exactdp.divergences.values import LIMIT_BITS, delta_or_less, enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, decided_order
from exactdp.numbers.arguments import open_probability, probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.epsilon import EpsilonLike

__all__ = ["DeltaAndEpsilon"]


class DeltaAndEpsilon(RenyiAndTradeOff):
    """An ordered pair (P, Q) whose δ is known, and whose ε is sought."""

    __slots__ = ()

    @abstractmethod
    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) = H_{e^ε}(P ‖ Q).

        Args:
            epsilon: ε in nats, finite; negative ones are allowed where P and Q are.
            relative_width: The width of an enclosure, at most this times δ.

        Returns:
            With a width, an enclosure. Without one, a number (exact, or a real that refines)
            where the profile has one, and an enclosure of the usual width where it has none.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.
        """

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return δ(ε), ε >= 0, to a width or to where it is told from a target."""
        return delta_or_less(self, epsilon, width)

    @abstractmethod
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0; as nats where e^ε is not exact."""

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 (nats) with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, above 0 and below 1 (exact profiles take 0 and 1 too).
            relative_width: The width of an enclosure, at most this times ε.

        Returns:
            An Epsilon where the profile has exact ones and no width is asked; else an
            enclosure: δ certainly holds at its upper end and certainly fails at its lower
            one, or is a point: 0 if δ holds at ε = 0, and the largest finite loss, if that is
            rational, for a δ that is all that P has where Q has none. Epsilon.infinity() if no
            finite ε has it.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If δ is so close to a limit that it cannot be told from it.
        """
        target = probability(delta, name="delta")
        if relative_width is not None:
            return self._epsilon_within(target, checked_width(relative_width))
        found = self._epsilon_at(target)
        return self._epsilon_within(target, self.usual_width) if found is None else found

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure | None:
        """Return the smallest ε for δ, where no width is asked: exactly, if that is known.

        None where it is an enclosure of the usual width.
        """
        return None

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε for δ, as :meth:`epsilon` says it."""
        target = open_probability(delta, name="delta")
        advice = (
            f"delta={target.text(most=40)} cannot be told from the mass that P has where Q has "
            "none. Ask for another delta."
        )
        order = decided_order(self.infinity_mass(), target, max_bits=LIMIT_BITS, advice=advice)
        if order > 0:
            return Epsilon.infinity()
        if order == 0:
            top = self.largest_finite_loss()
            if isinstance(top, Epsilon):
                if top.is_infinite:
                    return top
                top = max(top, Epsilon.log(1)).nats
            ends = enclosed(top, width)
            return Enclosure(max(ends.lower, Fraction(0)), max(ends.upper, Fraction(0)))
        if self.has_closed_form:
            at_zero = self.delta(Epsilon.rational(0))
            if isinstance(at_zero, Exact) and at_zero <= target:  # which enclosures cannot tell
                return Enclosure(Fraction(0), Fraction(0))
        start = self.search_start(target)
        found = self._smallest_from(start, target, width)
        # δ at the start was not above the target after all: it says nothing.
        if 0 < start == found.upper:
            return self._smallest_from(Fraction(0), target, width)
        return found

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start; the point start if δ holds there."""
        beyond = smallest_from_zero(
            lambda x, asked: delta_or_less(self, Epsilon.rational(start + x), asked),
            target,
            first=self.first_guess(target),
            relative_width=width,
        )
        return Enclosure(start + beyond.lower, start + beyond.upper)

    def quick_bound(self, epsilon: Epsilon) -> Fraction | None:
        """Return a bound of δ(ε) without sums or Rényi divergences; None if none is known."""
        return None

    def loss_bound(self) -> Epsilon | Number:
        """Return a bound of the losses: :meth:`max_divergence` where that is known."""
        return self.max_divergence()

    def infinity_mass(self) -> Number:
        """Return the limit of δ(ε) for ε to infinity: the mass of P where Q has none."""
        return Exact(0)

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the supremum of the finite losses: from there on δ is :meth:`infinity_mass`.

        It is in nats where e^ε is not exact, infinite if they are unbounded, and anything not above
        0 if no loss is. Profiles with mass at infinity override this.

        Raises:
            UndecidedError: If it is not known.
        """
        top = self.max_divergence()
        if isinstance(top, Epsilon) and top.is_infinite and self.infinity_mass() != Exact(0):
            raise UndecidedError(
                "the largest finite loss is not known beside the mass that P has where Q has none. "
                "Ask for hockey_stick, or for the epsilon of a larger delta."
            )
        return top

    def search_start(self, delta: Exact) -> Fraction:
        """Return an ε >= 0 (nats) that is likely too small for a δ, such as the mean loss."""
        return Fraction(0)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return a guess, above 0, of how far beyond :meth:`search_start` ε is."""
        return Fraction(1)
