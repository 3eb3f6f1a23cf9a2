"""Facts of a profile: what is known of its answers before any is computed.

A fact costs nothing and never raises. The most important one is :attr:`Facts.reached`: of which
pair of laws the numbers are.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (dominating pairs, and that they compose).
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal

__all__ = ["Facts", "Reached"]

Reached = Literal["pair", "each epsilon", "bound"]
"""Who has the δ of a profile: one pair of neighbors, at each ε some pair, or possibly none."""


class Facts:
    """What a profile says of itself."""

    __slots__ = ()

    usual_width: ClassVar[Fraction] = Fraction(1, 10**9)
    """The relative width of an enclosure where none is asked for."""

    has_one_law: ClassVar[bool] = False
    """Whether what costs is a law that answers all ε: then one δ takes what ε(δ) does."""

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
        """Whether δ is a number that costs about what an enclosure does, to any width."""
        return self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether every δ is an exact number, and every ε an Epsilon."""
        return False

    @property
    def has_exact_epsilon(self) -> bool:
        """Whether ε is exact, and costs about what an enclosure does or little."""
        return self.is_exact

    @property
    def has_quick_epsilon(self) -> bool:
        """Whether ε takes one search, where δ may be far harder at some ε than at others."""
        return False

    @property
    def note(self) -> str | None:
        """What these numbers do not show of a mechanism, in one line; None if nothing is open."""
        return None
