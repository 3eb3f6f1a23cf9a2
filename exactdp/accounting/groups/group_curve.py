r"""Groups of records: what a profile for one record says of k, as tightly as it can be said.

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
from typing import Any, ClassVar

from exactdp.accounting.composition.between_pairs import SIZES, BetweenPairs, not_reached
from exactdp.accounting.composition.curve_composition import pairs_around_part
from exactdp.accounting.groups.powers_of_tests import group_beside, is_long_in_e
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.proposals.knots import Placing, nats_at, rung_of
from exactdp.divergences.proposals.links import likely_slopes, spread_of
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
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

    sizes: ClassVar[tuple[int, int]] = (SIZES[0], 2400)

    mechanism: PrivacyProfile
    size: int
    _found: dict[tuple[int, Fraction, Placing | None], tuple[Pair, Pair]] = field(
        init=False, default_factory=dict
    )
    _tails: dict[Fraction, int] = field(init=False, default_factory=dict)
    _coarse: dict[Fraction, Pair] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        whole_number(self.size, name="size", at_least=1)

    @property
    def note(self) -> str:
        """That other mechanisms with the same profile have less."""
        found = (
            f"upper bound for groups of {self.size}: the worst mechanism with this delta for one "
            "record attains it (Dong, Roth, Su 2022, Theorem 2.14)"
        )
        return f"{found}. {self.mechanism.note}" if self.mechanism.note else found

    @property
    def is_redrawn(self) -> bool:
        """Whether pairs of another size are around another profile, as of one record's."""
        return getattr(self.mechanism, "is_redrawn", False)

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

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        found, rest, size = None, Fraction(1), self.sizes[0]
        while size:
            rest *= _FEWER
            # The pair below has the larger error.
            high, low = (x.trade_off(level) for x in self._ends(size, rest))
            found = Enclosure(enclosed(low, width / 4).lower, enclosed(high, width / 4).upper)
            if found.is_narrow(width):
                return found
            gaps = [(size, found.width / found.lower)] if found.lower > 0 else []
            size = self._next(size, gaps, width)
        raise not_reached("the error", width, found)

    def _ends(self, size: int, rest: Fraction, rung: int | None = None) -> tuple[Pair, Pair]:
        """Return groups of pairs below and above, of polygons of so many points."""
        knots = None
        if rung is not None:
            self._groups(self.sizes[0], rest)
            pair = self._coarse[rest]
            knots = Placing.around(likely_slopes(pair, self.size, nats_at(rung)), spread_of(pair))
        return self._groups(size, rest, knots)

    def _rung(self, rest: Fraction, nats: Fraction) -> int | None:
        """Return the rung of an ε on a ladder: the links' losses that add up to it are near."""
        return rung_of(nats) if nats > 0 else None

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
            excess, first = Exact(1), self._tails.get(rest, 1)
            for i in range(first, _TAILS):
                part = rest * _FEWER**i
                bits = _SPARE_BITS + 2 * size.bit_length() + part.denominator.bit_length()
                pairs = self._pairs(size, part, knots)
                low, high = (
                    group_beside(x, self.size, bits, is_above=bool(side))
                    for side, x in enumerate(pairs)
                )
                # What is left out of the tails of one record is more for a group.
                last, excess = excess, high.infinity_mass() - low.infinity_mass()
                if rest in self._tails or excess <= rest or excess > last / 2:
                    break
            if rest not in self._tails:
                self._tails[rest], self._coarse[rest] = i, pairs[1]
            self._found[key] = low, high
        return self._found[key]

    def _pairs(self, size: int, rest: Fraction, knots: Placing | None) -> tuple[Pair, Pair]:
        """Return pairs below and above the profile for one record, of which groups are feasible."""
        low, high = pairs_around_part(self.mechanism, size, rest, knots)
        if not is_long_in_e(high, self.size):
            return low, high
        return pairs_around_part(low, size, rest)[0], pairs_around_part(high, size, rest)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupCurve, (self.mechanism, self.size)

    def __repr__(self) -> str:
        return f"<GroupCurve of {self.size} records of {self.mechanism!r}>"
