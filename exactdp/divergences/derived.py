"""Rényi divergences and trade-off functions of a profile: they follow from δ, and are written once.

References: I. Mironov, Rényi Differential Privacy, 2017; M. Bun and T. Steinke, Concentrated
Differential Privacy, 2016; J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022; C.
Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy, 2020.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import partial

from exactdp.divergences.duality import least_error
from exactdp.divergences.integral import renyi_enclosure
from exactdp.divergences.searched import DeltaAndEpsilon
from exactdp.divergences.values import enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import NumberLike, probability, renyi_order
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, first_answer

__all__ = ["RenyiAndTradeOff"]

_WIDTH_FROM_DELTA = Fraction(1, 10**3)  # the usual relative width of a divergence from δ alone

_ANY = Fraction(1, 100)  # the relative width of the divergence of a part: any gives a bound


class RenyiAndTradeOff(DeltaAndEpsilon):
    """A profile (P, Q) whose Rényi divergences and trade-off function are asked for."""

    __slots__ = ()

    @abstractmethod
    def reversed(self) -> RenyiAndTradeOff:
        """Return the profile of (Q, P), the other direction."""

    def renyi(
        self, order: RationalLike, *, relative_width: RationalLike | None = None
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
        a = renyi_order(order)
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
        """Whether D_a is known beside δ, from which it takes a search of its own."""
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
