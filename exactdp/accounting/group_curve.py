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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from exactdp.accounting.between import SIZES, BetweenPairs, not_reached
from exactdp.accounting.curves import pairs_around_part
from exactdp.accounting.randomized_response import ComposedRandomizedResponse
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile, TradeOffFunction
from exactdp.divergences.sandwich import Named, Sandwich
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import GaussianMechanism, LaplaceMechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    count_text,
    fmpq_of,
    fraction_of,
    refuse_above,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.validated import validated

__all__ = ["GroupCurve", "group_profile"]

_MOST_PIECES, _MOST_IN_E = 50_000, 200
"""Pieces of a power, times its exponent, that are found exactly: of rational masses, and others."""

_LARGEST = 1_000
"""The largest group: a curve of enclosures has thousands of pieces already."""

_FEWER = Fraction(1, 2**20)
"""How much less of the tails of one record is left out where too much of those of a group is."""

_TAILS = 6
"""Numbers of such steps that are tried."""

_Points = list[tuple[Any, Any]]
"""Points (α, F(α)), α ascending from 0 to 1, in one ordered field."""


@validated
def group_profile(profile: PrivacyProfile, size: int) -> PrivacyProfile:
    """Return the profile for groups of k records of the worst mechanism with a profile for one.

    Formula:
        1 − (1 − f)∘...∘(1 − f), k times, is the trade-off function for k records, f that for one.

    Meaning:
        Neighbors that are k steps apart, all in the direction of the profile. It is an upper
        bound for each mechanism with this profile, and one of them attains it. Of one with an
        (ε, δ) alone take ``guarantee(epsilon, delta)``: that is at most :func:`group_privacy`.

    Args:
        profile: The profile for one record.
        size: k, from 0 to 1,000.

    Returns:
        Of finite pairs the exact pair, where it is not too long; of Gaussian and Laplace noise
        the noise of k times the sensitivity; of a ``Sandwich`` one; of all else a
        :class:`GroupCurve` of certified enclosures.

    Raises:
        DomainError: If size is no such number.
        TooLargeError: If it is too large.

    Source:
        Dong, Roth & Su 2022, Theorem 2.14.

    Example:
        Two records of (ln 3)-privacy: F(α) is 3α up to 1/4, then 1 − (1 − α)/3, and F(F(α)) has
        the slopes 9, 1 and 1/9. So δ(ln 3) is 3/4 − 3/12, where that of (ln 9)-privacy is 6/10.

        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> group_profile(coin, 2).masses()[0]
        (Exact('1/12'), Exact('3/4'))
        >>> group_profile(coin, 2).delta(Epsilon.log(3))
        Exact('1/2')
        >>> noise = group_profile(GaussianMechanism(Exact(2), Exact(1)), 3)
        >>> noise.sigma, noise.sensitivity
        (Exact('2'), Exact('3'))
    """
    count = whole_number(size, name="size", at_least=0)
    refuse_above(_LARGEST, count, f"size={count_text(count)}", advice="Ask for a smaller group.")
    if count == 0:
        return Pair.from_masses([1], [1])
    if count == 1:
        return profile
    if isinstance(profile, GaussianMechanism | LaplaceMechanism):
        return replace(profile, sensitivity=count * profile.sensitivity)
    if isinstance(profile, Sandwich):
        below, above = (
            tuple(Named(f"{x.words}, groups", group_profile(x.profile, count)) for x in side)
            for side in (profile.below, profile.above)
        )
        return Sandwich(below, above)
    if isinstance(profile, FiniteProfile | ComposedRandomizedResponse):
        with suppress(TooLargeError):  # there are certified enclosures instead
            return _group_of(profile, count)
    return GroupCurve(profile, count)


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
            for i in range(_TAILS):
                low, high = (
                    _group_of(x, self.size)
                    for x in pairs_around_part(self.mechanism, size, rest * _FEWER**i)
                )
                # What is left out of the tails of one record is more for a group.
                if high.infinity_mass() <= low.infinity_mass() + rest:
                    break
            self._found[size, rest] = low, high
        return self._found[size, rest]

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupCurve, (self.mechanism, self.size)

    def __repr__(self) -> str:
        return f"<GroupCurve of {self.size} records of {self.mechanism!r}>"


def _group_of(profile: FiniteProfile | ComposedRandomizedResponse, size: int) -> Pair:
    """Return the pair whose power is that of a finite one, composed with itself.

    Raises:
        TooLargeError: If it has too many pieces.
    """
    corners = TradeOffFunction(profile.losses()).vertices
    is_rational = all(x.is_rational for corner in corners for x in corner)
    refuse_above(
        _MOST_PIECES if is_rational else _MOST_IN_E,
        len(corners) * size,
        f"a group of {size} of a pair with {len(corners)} losses is too large",
        advice="Ask for a smaller group, or for fewer losses.",
    )
    power: _Points = [(alpha, 1 - error) for alpha, error in corners]
    if is_rational:
        power = [(fmpq_of(a.as_fraction()), fmpq_of(b.as_fraction())) for a, b in power]
    found = power
    for _ in range(size - 1):
        found = _composed(power, found)
    p, q = [found[0][0]], [found[0][1]]
    p += [b - a for (a, _), (b, _) in pairwise(found)]
    q += [b - a for (_, a), (_, b) in pairwise(found)]
    kept = [(_number(a), _number(b)) for a, b in zip(p, q, strict=True) if a != 0 or b != 0]
    return Pair.from_masses([a for a, _ in kept], [b for _, b in kept])


def _composed(outer: _Points, inner: _Points) -> _Points:
    """Return the points of outer∘inner: those of the inner one, and where it is at an outer one."""
    ends = [alpha for alpha, _ in outer]
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(outer)]

    def power(level: Any) -> Any:
        i = min(max(bisect_left(ends, level) - 1, 0), len(slopes) - 1)
        return outer[i][1] + slopes[i] * (level - ends[i])

    found: _Points = [(inner[0][0], power(inner[0][1]))]
    for (a, b), (c, d) in pairwise(inner):
        for end, value in outer[bisect_left(ends, b) :]:
            if end >= d:
                break
            if end > b:
                found.append((a + (end - b) * (c - a) / (d - b), value))
        found.append((c, power(d)))
    return found


def _number(value: Any) -> Exact:
    return value if isinstance(value, Exact) else Exact(fraction_of(value))
