"""The answers of a profile: δ at an ε, the smallest ε for a δ, and quantities derived from δ.

Rényi divergences and trade-off functions are written once here, for whoever knows no more than δ.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020; I. Mironov, Rényi Differential Privacy, 2017; M. Bun and T. Steinke, Concentrated
Differential Privacy, 2016; J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022; C.
Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy, 2020.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import partial
from typing import cast

from exactdp.divergences.display import InNotebook
from exactdp.divergences.duality import least_error
from exactdp.divergences.facts import Facts
from exactdp.divergences.integral import renyi_enclosure
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
from exactdp.numbers.arguments import NumberLike, open_probability, probability, renyi_order
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.limits import MAX_BITS_OF_A_NUMBER

__all__ = ["Answers"]

_WIDTH_FROM_DELTA = Fraction(1, 10**3)  # the usual relative width of a divergence from δ alone

_ANY = Fraction(1, 100)  # the relative width of the divergence of a part: any gives a bound


class Answers(Facts, InNotebook, ABC):
    """An ordered pair (P, Q) whose δ is known, and from it all that is asked."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in QUESTIONS:
            if name in vars(cls):
                setattr(cls, name, at_reals(vars(cls)[name]))

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

    @abstractmethod
    def reversed(self) -> Answers:
        """Return the profile of (Q, P), the other direction."""

    @at_reals
    def renyi(
        self, order: NumberLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure | Epsilon:
        """Return the Rényi divergence D_a(P ‖ Q), in nats.

        Formula:
            ln(E_Q (P/Q)^a) / (a − 1), a = order.

        Args:
            order: a, above 0 and not 1.
            relative_width: The width of an enclosure, at most this times the divergence.

        Returns:
            Without a width, a number where one is known, and an enclosure elsewhere, of width
            1e-3 if it comes from δ alone. Epsilon.infinity() where P has mass that Q lacks and
            a > 1, or P and Q have nothing in common. A profile that is the largest of several,
            ε by ε, has the largest of their divergences.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached, or a > 1, only δ is known and the losses
                are unbounded.

        Source:
            Mironov, Rényi Differential Privacy, 2017, Definition 3.

        Example:
            >>> from exactdp.divergences import Pair
            >>> Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]).renyi(2)
            Real(0.84729786038720361: log(7/3))
        """
        a = renyi_order(cast("RationalLike", order))
        if self._has_infinite_renyi(a):
            return Epsilon.infinity()
        if relative_width is not None:
            return self._renyi_within(a, checked_width(relative_width))
        found = self._renyi_at(a)
        return self._renyi_within(a, _WIDTH_FROM_DELTA) if found is None else found

    def _has_infinite_renyi(self, order: Fraction) -> bool:
        """Return whether D_a is infinite, as P has mass that Q lacks; False where it is not known.

        What then answers may be infinite too.
        """
        infinite = self.infinity_mass()
        return infinite == Exact(1) or (order > 1 and infinite != Exact(0))

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        """Return D_a(P ‖ Q), a = order, where it is finite and no width is asked.

        None where it is an enclosure of a usual width.
        """
        return None

    @property
    def has_renyi(self) -> bool:
        """True if D_a is known beside δ, from which it takes a search of its own."""
        ask = partial(self._renyi_at, Fraction(5, 2))
        return first_answer(ask, lambda: None, refusals=NO_ANSWER) is not None

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return an upper bound of D_a, a > 1, over the finite losses; None if none is known.

        It is within a relative width where D_a is not too large to compute; a profile may have
        another bound elsewhere.

        Raises:
            TooLargeError: If it is, and has no other bound.
            UndecidedError: If the width is not reached.
        """
        if self.infinity_mass() == Exact(0):
            found = self.renyi(order, relative_width=width)
            return None if isinstance(found, Epsilon) else enclosed(found, width).upper
        number = self._renyi_at(order)  # a sum over the finite losses, wherever there is one
        return None if number is None else enclosed(number, width).upper

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return such a bound that takes little: of mixtures by their parts.

        Example:
            A record that is seen half of the time, D_2 = 1 if it is: ln(1 + (e − 1)/2).

            >>> from exactdp.accounting.sampling.batches import poisson_subsampled
            >>> from exactdp.mechanisms import gaussian_mechanism
            >>> one = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/2")
            >>> round(float(one.convex_bound(Fraction(2))), 4)
            0.6201
        """
        return self.renyi_bound(order, width=_ANY)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        found = self._renyi_at(order)
        return self._renyi_from_delta(order, width) if found is None else enclosed(found, width)

    def _renyi_from_delta(self, order: Fraction, width: Fraction) -> Enclosure:
        other = self.reversed()
        return renyi_enclosure(
            *(profile._delta_enclosed for profile in (self, other)),
            order=order,
            relative_width=width,
            tops=(self.loss_bound(), other.loss_bound()),
            masses=(self.infinity_mass(), other.infinity_mass()),
        )

    @at_reals
    def trade_off(
        self, alpha: NumberLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return T(P, Q)(α): the least type II error of a test of P against Q of level α.

        Args:
            alpha: α, from 0 to 1: the test rejects P with at most this probability under P.
            relative_width: The width of an enclosure, at most this times the error.

        Returns:
            Without a width, a number where one is known; an enclosure of the usual one elsewhere.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.

        Source:
            Dong, Roth & Su, Gaussian Differential Privacy, 2022, Definition 2.1.

        Example:
            Rejecting on the second outcome half of the time misses 1 − 3/8:

            >>> from exactdp.divergences import Pair
            >>> Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]).trade_off("1/8")
            Exact('5/8')
        """
        level = probability(alpha, name="alpha")
        if relative_width is not None:
            return self._trade_off_within(level, checked_width(relative_width))
        if (known := self._error_at(level)) is not None:
            return known
        found = self._trade_off_within(level, self.usual_width)
        return Exact(0) if found.upper == 0 else found

    def _error_at(self, level: Exact) -> Number | Enclosure | None:
        """Return T(P, Q) of a level from 0 to 1, where no width is asked; None as below."""
        if level == 0:
            return 1 - self.reversed().infinity_mass()
        return Exact(0) if level == 1 else self._trade_off_at(level)

    def _trade_off_at(self, level: Exact) -> Number | Enclosure | None:
        """Return T(P, Q) of a level strictly between 0 and 1, where no width is asked.

        None where it is an enclosure of the usual width.
        """
        return None

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of T(P, Q) of a level from 0 to 1."""
        if (known := self._error_at(level)) is not None:
            return enclosed(known, width)
        directions = self._delta_enclosed, self.reversed()._delta_enclosed
        shared = 1 - self.infinity_mass()
        return least_error(*directions, alpha=level, shared=shared, relative_width=width)

    def _delta_enclosed(self, epsilon: Epsilon, width: Fraction) -> Enclosure:
        return enclosed(self.delta(epsilon, relative_width=width), width)
