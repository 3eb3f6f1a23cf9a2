"""Facts of a profile: they steer how it is asked, composed, sampled and grouped."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal

from exactdp.numbers import Number

__all__ = ["Facts", "Reached"]

Reached = Literal["pair", "each epsilon", "bound"]
"""Who has the δ of a profile: one pair of neighbors, at each ε some pair, or possibly none."""


class Facts:
    """Facts about an ordered pair (P, Q), which say how it is asked and composed.

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
        """True if one costly law answers all ε, so that one δ takes as long as ε(δ)."""
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
        """True if δ is a number that costs about as much as an enclosure, to any width."""
        return self.is_exact

    @property
    def is_exact(self) -> bool:
        """True if every δ is an exact number, and every ε an Epsilon."""
        return False

    @property
    def has_exact_epsilon(self) -> bool:
        """True if ε is exact, and costs little more than an enclosure."""
        return self.is_exact

    @property
    def has_quick_epsilon(self) -> bool:
        """True if ε takes one search, where δ may be far harder at some ε than at others."""
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
        """True if removing a record and adding one are told apart, as :meth:`toward` tells."""
        return False

    @property
    def has_sides(self) -> bool:
        """True if a sample of it is in the direction of removing, as of a mechanism."""
        return False

    @property
    def is_fixed(self) -> bool:
        """True if one part has several pairs, of which one is chosen beforehand."""
        return False

    @property
    def is_between(self) -> bool:
        """True if it is known to lie between others, which are named, and no more."""
        return False

    @property
    def is_either_order(self) -> bool:
        """True if it has one order in each direction, and the caller did not say which."""
        return False

    is_noise: ClassVar[bool] = False
    """Whether it is noise on a query, calibrated to one record that is there or not."""

    is_on_integers: ClassVar[bool] = False
    """Whether it is noise of integers: its rows have masses, exact ones or with proven errors."""

    @property
    def has_all_pairs(self) -> bool:
        """True if these are all pairs that neighbors have; else others may compose to more."""
        return False

    @property
    def has_loss_law(self) -> bool:
        """True if it has the law of its loss, as ``loss_law()``: whoever defines that has it."""
        return False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "loss_law" in vars(cls) and "has_loss_law" not in vars(cls):
            cls.has_loss_law = True  # type: ignore[assignment, method-assign]

    @property
    def has_loss_laws(self) -> bool:
        """True if its loss is the sum of independent ones whose laws are known."""
        return self.has_loss_law

    has_losses: ClassVar[bool] = False
    """Whether its losses are finitely many, and listed exactly, as ``losses()``."""

    @property
    def tells_nothing(self) -> bool:
        """True if it is known to be a pair of equal laws."""
        return False

    @property
    def loss_count(self) -> int:
        """The number of finite losses, where they are listed exactly; else 0."""
        return 0

    @property
    def has_pair(self) -> bool:
        """True if noise is an exact pair that is short, as ``pair()``."""
        return False

    @property
    def is_taken_apart(self) -> bool:
        """True if its parts are composed anew with others: more is known of them all."""
        return False

    adds_divergences: ClassVar[bool] = False
    """Whether its Rényi divergences are all that is known: those of parts are added."""

    @property
    def has_laws_near(self) -> bool:
        """True if it is composed by laws ``near(bits)``, whose masses are short rationals."""
        return False
