"""δ at an ε, and the smallest ε for a δ: what a profile is asked first.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar, Literal

from exactdp.divergences.display import InNotebook
from exactdp.divergences.values import LIMIT_BITS, QUESTIONS, at_reals, enclosed
from exactdp.errors import BeyondRangeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    certainly_below,
    decided_order,
)
from exactdp.numbers.arguments import NumberLike, open_probability, probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.limits import MAX_BITS_OF_A_NUMBER

__all__ = ["DeltaAndEpsilon", "Reached"]


Reached = Literal["pair", "each epsilon", "bound"]
"""Who has the δ of a profile: one pair of neighbors, at each ε some pair, or possibly none."""


class DeltaAndEpsilon(InNotebook, ABC):
    """An ordered pair (P, Q) whose δ is known, whose ε is sought, and facts that steer that.

    A fact costs nothing and never raises. The most important one is :attr:`reached`: of which pair
    of laws the numbers are.
    """

    __slots__ = ()

    @property
    def usual_width(self) -> Fraction:
        """The relative width of an enclosure where none is asked for."""
        return Fraction(1, 10**9)

    @property
    def has_one_law(self) -> bool:
        """Whether what costs is a law that answers all ε: then one δ takes what ε(δ) does."""
        return False

    @property
    def reached(self) -> Reached:
        """Who has these δ, in each direction of neighbors.

        - ``"pair"``: one pair of laws that neighbors have. What is composed of such pairs is again
          one, and has enclosures of any width.
        - ``"each epsilon"``: at each ε some pair has it, another one elsewhere. Enclosures for one
          release; what is composed, sampled or grouped lies between bounds.
        - ``"bound"``: δ is at most this, and at least that of pairs which are named.
        """
        return "pair"

    @property
    def has_closed_form(self) -> bool:
        """Whether δ is a number that costs about as much as an enclosure, to any width."""
        return self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether every δ is an exact number, and every ε an Epsilon."""
        return False

    @property
    def has_exact_epsilon(self) -> bool:
        """Whether ε is exact, and costs little more than an enclosure."""
        return self.is_exact

    @property
    def has_quick_epsilon(self) -> bool:
        """Whether ε takes one search, where δ may be far harder at some ε than at others."""
        return False

    @property
    def known_rho(self) -> Number | None:
        """The smallest ρ with D_a <= ρ·a at all orders a > 1, where a formula tells it; else None.

        Source:
            Bun & Steinke 2016, Proposition 1.6; Canonne, Kamath & Steinke 2020, Theorem 4.

        Example:
            >>> from exactdp.mechanisms import discrete_gaussian_mechanism
            >>> discrete_gaussian_mechanism(sigma=2).known_rho
            Exact('1/8')
        """
        return None

    @property
    def note(self) -> str | None:
        """One line on the facts that these numbers leave open of a mechanism; None if none is."""
        return None

    # How it is composed.

    @property
    def is_directed(self) -> bool:
        """Whether removing a record and adding one are told apart, as :meth:`toward` tells."""
        return False

    @property
    def has_sides(self) -> bool:
        """Whether a sample of it is in the direction of removing, as of a mechanism."""
        return False

    @property
    def is_fixed(self) -> bool:
        """Whether one part has several pairs, of which one is chosen beforehand."""
        return False

    @property
    def is_between(self) -> bool:
        """Whether it is known to lie between others, which are named, and no more."""
        return False

    @property
    def is_either_order(self) -> bool:
        """Whether it has one order in each direction, and nobody said which."""
        return False

    is_noise: ClassVar[bool] = False
    """Whether it is noise on a query, calibrated to one record that is there or not."""

    is_on_integers: ClassVar[bool] = False
    """Whether it is noise of integers: its rows have masses, exact ones or with proven errors."""

    @property
    def has_all_pairs(self) -> bool:
        """Whether these are all pairs that neighbors have; else others may compose to more."""
        return False

    @property
    def has_loss_law(self) -> bool:
        """Whether it has the law of its loss, as ``loss_law()``: whoever defines that has it."""
        return False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "loss_law" in vars(cls) and "has_loss_law" not in vars(cls):
            cls.has_loss_law = True  # type: ignore[assignment, method-assign]
        for name in QUESTIONS:
            if name in vars(cls):
                setattr(cls, name, at_reals(vars(cls)[name]))

    @property
    def has_loss_laws(self) -> bool:
        """Whether its loss is the sum of independent ones whose laws are known."""
        return self.has_loss_law

    has_losses: ClassVar[bool] = False
    """Whether its losses are finitely many, and listed exactly, as ``losses()``."""

    @property
    def tells_nothing(self) -> bool:
        """Whether it is known to be a pair of equal laws."""
        return False

    @property
    def loss_count(self) -> int:
        """How many finite losses it has, where they are listed exactly; else 0."""
        return 0

    @property
    def has_pair(self) -> bool:
        """Whether noise is an exact pair that is short, as ``pair()``."""
        return False

    @property
    def is_taken_apart(self) -> bool:
        """Whether its parts are composed anew with others: more is known of them all."""
        return False

    adds_divergences: ClassVar[bool] = False
    """Whether its Rényi divergences are all that is known: those of parts are added."""

    @property
    def has_laws_near(self) -> bool:
        """Whether it is composed by laws ``near(bits)``, whose masses are short rationals."""
        return False

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
        return self._delta_or_less(epsilon, width)

    def _delta_or_less(self, epsilon: Epsilon, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε); from 0 on where δ is too small to be a fraction."""
        try:
            return enclosed(self.delta(epsilon, relative_width=width), width)
        except BeyondRangeError:
            found = self.delta(epsilon)
            least = Exact(Fraction(1, 1 << MAX_BITS_OF_A_NUMBER))
            if isinstance(found, Enclosure) or not certainly_below(found, least, max_bits=64):
                raise
            return Enclosure(Fraction(0), least.as_fraction())

    @abstractmethod
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0; as nats where e^ε is not exact."""

    @at_reals
    def epsilon(
        self, delta: NumberLike, *, relative_width: RationalLike | None = None
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
            lambda x, asked: self._delta_or_less(Epsilon.rational(start + x), asked),
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
