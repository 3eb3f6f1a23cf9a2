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

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, log
from typing import Any, ClassVar

from flint import fmpq

from exactdp.accounting.between import SIZES, BetweenPairs, not_reached
from exactdp.accounting.curves import end_of, pairs_around_part
from exactdp.accounting.powers import group_beside, is_long_in_e
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.dots import pair_through, pairs_through
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    fmpq_of,
    fraction_of,
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

_LONE = Fraction(33, 32)
"""The base of a lattice where a pair has no two ratios."""

_FEW_OUTCOMES = 60
"""Outcomes up to which the pair of a group is composed as it is."""

_REACH = 4
"""Times as many outputs, at most, as a polygon of one record has, where a group has one."""


@dataclass(frozen=True, slots=True)
class _Lattice:
    """Ratios of finite pairs: an offset times powers of a base, most of them or all.

    Attributes:
        base: The quotient of two of them.
        offset: The first one of the pair above that is at least 1.
        reach: The largest exponents down and up, if all ratios are such.
    """

    base: Fraction
    offset: Fraction
    reach: tuple[int, int] | None


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

    sizes: ClassVar[tuple[int, int]] = (SIZES[0], 800)

    mechanism: PrivacyProfile
    size: int
    _found: dict[tuple[int, Fraction], tuple[Pair, Pair]] = field(init=False, default_factory=dict)
    _lattice: dict[tuple[int, Fraction], _Lattice] = field(init=False, default_factory=dict)
    _tails: dict[Fraction, int] = field(init=False, default_factory=dict)

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
            if found.width <= width * found.lower:
                return found
            gaps = [(size, found.width / found.lower)] if found.lower > 0 else []
            size = self._next(size, gaps, width)
        raise not_reached("the error", width, found)

    def _least(self, width: Fraction) -> Fraction:
        with suppress(UndecidedError):
            return BetweenPairs._least(self, width)
        return Fraction(0)

    def _ends(self, size: int, rest: Fraction, rung: int | None = None) -> tuple[Pair, Pair]:
        """Return groups of pairs below and above, of polygons of so many points."""
        if (size, rest) not in self._found:
            excess, first = Exact(1), self._tails.get(rest, 0)
            for i in range(first, _TAILS):
                part = rest * _FEWER**i
                bits = _SPARE_BITS + 2 * size.bit_length() + part.denominator.bit_length()
                pairs = self._pairs(size, part)
                low, high = (
                    group_beside(x, self.size, bits, is_above=bool(i)) for i, x in enumerate(pairs)
                )
                # What is left out of the tails of one record is more for a group.
                last, excess = excess, high.infinity_mass() - low.infinity_mass()
                if excess <= rest or excess > last / 2:
                    break
            self._tails[rest] = i
            self._found[size, rest] = low, high
            self._lattice[size, rest] = _lattice_of(*pairs)
        return self._found[size, rest]

    def _pairs(self, size: int, rest: Fraction) -> tuple[Pair, Pair]:
        """Return pairs below and above the profile for one record, of which groups are feasible."""
        low, high = pairs_around_part(self.mechanism, size, rest)
        if not is_long_in_e(high, self.size):
            return low, high
        return pairs_around_part(low, size, rest)[0], pairs_around_part(high, size, rest)[1]

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, with ratios that are powers of one of them.

        Those of polygons are mostly powers of one ratio, and so are their products, those of
        groups: with these ratios the pair below, too, is linear between its points.
        """
        low, high = self._ends(size, rest)
        if max(len(x.masses()) for x in (low, high)) <= _FEW_OUTCOMES:
            return low, high
        lattice, unit = (
            self._lattice[size, rest],
            1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length()),
        )
        k, most = self.size, 2 * size * min(self.size, _REACH)
        if lattice.reach is not None and k * sum(lattice.reach) <= most:
            down, up = lattice.reach
            powers = range(-k * down, k * up + 1)
            ratios = [lattice.offset**k * lattice.base**j for j in powers]
            below = _through(low, ratios, unit, is_above=False)
        else:
            bottom, top = end_of(high.reversed(), rest), end_of(high, rest)
            ratios = _powers(lattice.base, bottom, top, most=most)
            values = [Enclosure(x, x) for x in map(fraction_of, _deltas(low, ratios))]
            infinite = low.infinity_mass(), low.reversed().infinity_mass()
            lone = infinite[0].as_fraction(), infinite[1].as_fraction()
            below, _ = pairs_through(ratios, values, lone, unit=unit)
        return below, _through(high, ratios, unit, is_above=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupCurve, (self.mechanism, self.size)

    def __repr__(self) -> str:
        return f"<GroupCurve of {self.size} records of {self.mechanism!r}>"


def _lattice_of(low: Pair, high: Pair) -> _Lattice:
    """Return the lattice of the ratios of two pairs, if they have one."""
    atoms = [x.losses().atoms for x in (low, high)]
    if not all(ratio.is_rational for row in atoms for ratio, _ in row):
        return _Lattice(_LONE, Fraction(1), None)
    rows = [[ratio.as_fraction() for ratio, _ in row] for row in atoms]
    i = min(bisect_left(rows[1], 1), len(rows[1]) - 1)
    if i < 1:
        return _Lattice(_LONE, Fraction(1), None)
    offset, base = rows[1][i], rows[1][i] / rows[1][i - 1]
    ratios = {ratio / offset for row in rows for ratio in row}
    steps = {ratio: round(log(ratio) / log(base)) for ratio in ratios}
    is_lattice = all(base**j == ratio for ratio, j in steps.items())
    ends = max(0, -min(steps.values())), max(0, *steps.values())
    return _Lattice(base, offset, ends if is_lattice else None)


def _through(pair: Pair, ratios: Sequence[Fraction], unit: int, *, is_above: bool) -> Pair:
    """Return the pair through points above or below the profile of another."""
    points: list[tuple[Fraction | int, Fraction | int]] = [(0, unit)]
    for x, delta in zip(ratios, _deltas(pair, ratios), strict=True):
        value = unit * delta
        nearby: Fraction | int = max(Fraction(int(value.floor())), unit * (1 - x))
        if is_above:
            nearby = min(points[-1][1], int(value.ceil()))
        points.append((x, nearby))
    return pair_through(points, unit=unit)


def _deltas(pair: Pair, ratios: Sequence[Fraction]) -> list[fmpq]:
    """Return the δ of a pair of rational numbers at ratios that ascend, in one sweep.

    Example:
        >>> coin = Pair.from_masses(["1/4", "3/4", 0], ["1/2", "1/4", "1/4"])
        >>> [str(x) for x in _deltas(coin, [Fraction(1, 4), Fraction(1), Fraction(4)])]
        ['13/16', '1/2', '0']
    """
    law = pair.losses()
    left = [tuple(fmpq_of(x.as_fraction()) for x in (ratio, p, p / ratio)) for ratio, p in law.atoms]
    p_sum, q_sum = fmpq_of(law.infinity_mass().as_fraction()), fmpq(0)
    found = []
    for x in map(fmpq_of, reversed(ratios)):
        while left and left[-1][0] > x:
            _, p, q = left.pop()
            p_sum, q_sum = p_sum + p, q_sum + q
        found.append(p_sum - x * q_sum)
    return found[::-1]


def _powers(base: Fraction, bottom: Fraction, top: Fraction, *, most: int) -> list[Fraction]:
    """Return powers of a ratio from about e^−bottom to e^top, not many more than so many."""
    stride = max(1, ceil((bottom + top) / (log(base) * most)))
    step = stride * log(base)
    places = range(-ceil(bottom / step), ceil(top / step) + 1)
    return [base ** (stride * j) for j in places]
