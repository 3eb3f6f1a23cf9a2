r"""Groups of records: the tightest profile for k records that one for a single record implies.

Let F(α) = 1 − T(P, Q)(α) be the largest power of a test of level α between neighbors. A test of
level α of S_0 against S_1 has a power of at most F(α) there, which is its level against S_2; so for
a chain S_0, ..., S_k of neighbors T(S_0, S_k) >= 1 − F∘...∘F, k times. A mechanism attains it, of
which every link has the curve F: let S_i have the distribution function F∘...∘F, i times, on [0, 1]
(an atom at 0 is put below all that was there before). F is concave, so the likelihood ratios of
S_i and S_(i+1), and of S_0 and S_k, fall, and half-lines are the best tests.

For finite pairs F has finitely many pieces, and so has its power: exactly those where a power of
F, one smaller, is at the end of a piece. F∘...∘F rises with F: what lies between finite pairs does
so for groups. Noise with a log-concave density on the line has F(α) = 1 − G(G^(-1)(1 − α) − Δ), G
its distribution function, whose power is that of kΔ.

References: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Theorem 2.14 and
Lemma A.5 (T(S_0, S_k) >= 1 − (1 − f)^k); Section 2.4 of it for a chain that attains it for noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactdp.accounting.composition.certified_composition import compose_certified, placings
from exactdp.accounting.composition.curve_composition import pairs_around_part
from exactdp.accounting.groups.powers_of_tests import group_beside
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.between_pairs import BetweenPairs
from exactdp.divergences.proposals.knots import Placing
from exactdp.errors import UndecidedError, number_of
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.validated import validated

__all__ = ["GroupCurve"]

_FEWER = Fraction(1, 2**20)
"""How much less of the tails of one record is left out where too much of those of a group is."""

_TAILS = 6
"""Numbers of such steps that are tried."""

_SPARE_BITS = 24
"""Bits to which points are rounded, beyond those of a step and of what is left out."""


@validated
@dataclass(frozen=True, repr=False, eq=False)
class GroupCurve(BetweenPairs):
    """The profile for groups of the worst mechanism with a profile for one record.

    Attributes:
        mechanism: The profile for one record.
        size: k, at least 1.

    Example:
        Laplace noise, known by its δ alone: that of twice the sensitivity, within a percent.

        >>> from exactdp.divergences import Largest
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> curve = GroupCurve(Largest((laplace_mechanism(scale=2),)), 2)
        >>> found = curve.delta(Epsilon.rational("1/2"))
        >>> found.contains(laplace_mechanism(scale=1).delta(Epsilon.rational("1/2")))
        True
    """

    has_one_law = True

    mechanism: PrivacyProfile
    size: int
    _found: dict[tuple[int, Fraction, Placing | None], tuple[Pair, Pair]] = field(
        init=False, default_factory=dict
    )
    _links: dict[Fraction, tuple[Fraction, Pair]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        whole_number(self.size, name="size", at_least=1)

    @property
    def note(self) -> str:
        """The note that other mechanisms with the same profile may have less."""
        found = (
            f"upper bound for groups of {self.size}: the worst mechanism with this delta for one "
            "record attains it (Dong, Roth, Su 2022, Theorem 2.14)"
        )
        return f"{found}. {self.mechanism.note}" if self.mechanism.note else found

    def max_divergence(self) -> Epsilon | Number:
        """Return k times that for one record."""
        top = self.mechanism.max_divergence()
        if isinstance(top, Epsilon) and top.is_infinite:
            return top
        return self.size * top

    def infinity_mass(self) -> Exact:
        """Return 0, if it is that for one record.

        Raises:
            UndecidedError: If it is not.
        """
        if self.mechanism.infinity_mass() == Exact(0):
            return Exact(0)
        raise UndecidedError(
            "the mass that P has where Q has none is not found for groups: only delta is between "
            "bounds. Ask for delta."
        )

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return k times that for one record, if no loss is infinite.

        Raises:
            UndecidedError: If one is.
        """
        self.infinity_mass()
        return self.max_divergence()

    def reversed(self) -> GroupCurve:
        """Return the groups of the reversed profile: the same chains, from their ends."""
        other = self.mechanism.reversed()
        return self if other is self.mechanism else GroupCurve(other, self.size)

    def _ends(self, size: int, rest: Fraction, near: Fraction | None = None) -> tuple[Pair, Pair]:
        """Return groups of pairs below and above, of polygons of so many points.

        Its links' losses add up to the ε, as those of as many copies do.
        """
        knots = None
        if near is not None:
            coarse = compose_certified([(self._link(rest)[1], self.size)])
            (knots,) = placings(coarse, near)
        return self._groups(size, rest, knots)

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above: the groups of polygons, which they are exactly.

        Polygons through points of these would be further away, below most of all: a group's pair
        has its corners where no other points are.
        """
        return self._groups(size, rest, None if knots is None else knots.shared(self.size))

    def _groups(self, size: int, rest: Fraction, knots: Placing | None = None) -> tuple[Pair, Pair]:
        """Return groups of pairs below and above, with the knots of polygons of one record."""
        key = size, rest, knots
        if key not in self._found:
            self._found[key] = self._grouped(size, self._link(rest)[0], knots)[0]
        return self._found[key]

    def _link(self, rest: Fraction) -> tuple[Fraction, Pair]:
        """Return the δ at which polygons of one record end, and a coarse pair above it.

        What is left out of the tails of one record is more for a group.
        """
        if rest not in self._links:
            excess = Exact(1)
            for i in range(1, _TAILS):
                part = rest * _FEWER**i
                (low, high), link = found = self._grouped(self.sizes[0], part)
                last, excess = excess, high.infinity_mass() - low.infinity_mass()
                if excess <= rest or excess > last / 2:
                    break
            self._links[rest] = part, link
            self._found[self.sizes[0], rest, None] = found[0]
        return self._links[rest]

    def _grouped(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[tuple[Pair, Pair], Pair]:
        """Return groups of pairs around one record, and the pair above that."""
        links = pairs_around_part(self.mechanism, size, rest, knots)
        bits = _SPARE_BITS + 2 * size.bit_length() + rest.denominator.bit_length()
        low, high = (
            group_beside(x, self.size, bits, is_above=bool(side)) for side, x in enumerate(links)
        )
        return (low, high), links[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupCurve, (self.mechanism, self.size)

    def __repr__(self) -> str:
        return f"<GroupCurve of {number_of(self.size, 'record')} of {self.mechanism!r}>"
