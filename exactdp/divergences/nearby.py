r"""δ and ε of two laws from those of two others nearby, whose masses are short rationals.

Exact masses in e^(p/q) are polynomials as long as the protocol is; rounded ones are short, and
what is then exact for the rounded laws encloses what is true of the others. Let
P/c <= P' <= cP and Q/c <= Q' <= cQ, event by event. Then for γ > 0

    δ'(c²γ)/c <= δ(γ) <= c·δ'(γ/c²),

since P(S) − γQ(S) <= c(P'(S) − (γ/c²)Q'(S)), and the same with the laws exchanged. So the
smallest ε >= 0 for a δ lies between ε'(cδ) − 2 ln c and ε'(δ/c) + 2 ln c.

Laws of integers with tails have others near on a window W of the integers alone, on which masses
are short too. With numbers t <= 1/2 and u let, for all events S,

    (1 − t)P'(S) <= P(S) <= (1 + t)P'(S) + t,   P(S) <= (1 + t)P'(S) + u for S in W,

and the same of Q. If W holds all that Q' or P' has, it does so for independent laws together, where
s = Σ t and U = e^s Σ u take the places of t and u. So with x = 2s, as 1 − t >= e^(−2t),

    e^(−x)δ'(e^(2x)γ) − γe^x U <= δ(γ) <= e^x (δ'(e^(−2x)γ) + s),

from below with the best S of δ', which lies in W. And |dδ'/d ln γ| <= 1, as it is γ times what Q'
has of an event in which Q' is below P'/γ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Generic, TypeVar

from flint import arb, fmpz

from exactdp.divergences.chernoff import Bounded
from exactdp.divergences.fallbacks import looser_delta, looser_epsilon, reached_or_bounds
from exactdp.divergences.number_profile import ExactProfile
from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import Parts, PrivacyProfile
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Rounding,
    certainly_below,
    decimal,
    enclosure,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import ceiling_of, endpoints, floor_of
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.effort import spend

__all__ = [
    "NearBy",
    "NearLaws",
    "NearbyProfile",
    "delta_of_near",
    "epsilon_of_near",
    "nearby_together",
    "rounded_masses",
    "rounded_pair",
]

_ATTEMPTS = 3
"""Laws nearby that are tried, at most, each with masses of twice as many bits."""

_MORE_BITS = 24
"""Bits of the masses of the first laws nearby, beyond those of the width that is wanted."""

_GUARD_BITS = 16
"""Bits of the least mass beyond those that are asked: it is rounded by so much less."""

_MOST_TIMES = 8
"""Multiples of the bits asked that the least mass may lie below 1; others count in u."""

_TARGET_BITS = 128
"""Bits of a target, from which others beside it are made."""

_SPARED = Fraction(1, 16)
"""The part of a width of ε that the s of the header may be of a δ."""

_ASKED = Fraction(9, 20)
"""The part of a width of ε to which the ε of laws nearby is asked for, twice."""

_BITS = (40, 80, 160, 320)
"""Bits of the laws that are tried, one after another: they limit how small a δ can be told."""

NearBy = Callable[[int], tuple[ExactProfile, Fraction]]
"""A function from a number of bits to laws nearby, with masses of about so many bits, and c."""


def rounded_masses(masses: Sequence[Exact], *, bits: int) -> list[Exact]:
    """Return rational masses, each within a factor 1 − 2^−bits of one given, or its inverse.

    Laws whose masses are rational are returned as they are.

    Args:
        masses: At least 0, with sum 1.
        bits: b.

    Example:
        >>> e = Exact.exp(1)
        >>> rounded_masses([1 / (1 + e), e / (1 + e)], bits=4)
        [Exact('137/511'), Exact('374/511')]
    """
    if all(mass.is_rational for mass in masses):
        return list(masses)
    cut = [_cut(mass, bits) for mass in masses]
    total = sum(cut, Fraction(0))
    return [Exact(mass / total) for mass in cut]


def delta_of_near(near: NearBy, gamma: Exact, width: Fraction) -> Enclosure | None:
    """Return an enclosure of δ(γ) of a relative width; None if laws nearby do not reach it."""
    for bits in _rising(width):
        laws, factor = near(bits)
        around = enclosure(gamma, relative_bits=bits)
        low = laws._delta_at(Exact(around.upper * factor**2)).as_fraction() / factor
        high = laws._delta_at(Exact(around.lower / factor**2)).as_fraction() * factor
        low = endpoints(Exact(low).ball(bits))[0]
        high = min(endpoints(Exact(high).ball(bits))[1], Fraction(1))
        if high - low <= width * low:
            return Enclosure(low, high)
    return None


def epsilon_of_near(near: NearBy, delta: Exact, width: Fraction) -> Epsilon | Enclosure | None:
    """Return an enclosure of ε(δ), 0 < δ < 1, of a relative width; None as above."""
    for bits in _rising(width):
        laws, factor = near(bits)
        if laws._delta_at(Exact(1 / factor**2)) * factor <= delta:
            return Enclosure(Fraction(0), Fraction(0))
        first = laws._epsilon_at(min(delta * factor, Exact(1)))
        if first.is_infinite:
            return first
        last = laws._epsilon_at(delta / factor)
        lower = first.exp / factor**2
        if last.is_infinite or lower <= 1:
            continue
        low = enclosure(Epsilon(lower).nats, relative_bits=bits).lower
        high = enclosure(Epsilon(last.exp * factor**2).nats, relative_bits=bits).upper
        if high - low <= width * low:
            return Enclosure(low, high)
    return None


A = TypeVar("A")
L = TypeVar("L", bound=PrivacyProfile, covariant=True)


@dataclass(frozen=True, slots=True)
class NearLaws(Generic[L]):
    """Laws near others, as the header says it.

    Attributes:
        laws: The profile of P' and Q'.
        apart: s of the header; t of one part.
        inside: U of the header; u of one part.
    """

    laws: L
    apart: Fraction
    inside: Fraction = Fraction(0)

    def around(self, found: Enclosure, gamma: Fraction) -> Enclosure:
        """Return an enclosure of δ(γ), from one of δ'(γ) and an upper bound of γ."""
        x, more = 2 * self.apart, 1 + 4 * self.apart  # e^x <= 1 + 2x for x <= 1
        if x > 1:
            return Enclosure(Fraction(0), Fraction(1))
        low = (found.lower - 2 * x) * (1 - x) - gamma * more * self.inside
        high = (found.upper + 2 * x + self.apart) * more
        return Enclosure(max(low, Fraction(0)), min(high, Fraction(1)))


def nearby_together(
    parts: Sequence[tuple[NearLaws[PrivacyProfile], int]],
    compose: Callable[[Sequence[tuple[PrivacyProfile, int]]], PrivacyProfile],
) -> NearLaws[PrivacyProfile]:
    """Return laws near those of independent parts, s and U of the header.

    Args:
        parts: What is near each part, and the number of its copies.
        compose: Returns the profile of profiles together.
    """
    apart = sum((times * near.apart for near, times in parts), Fraction(0))
    inside = sum((times * near.inside for near, times in parts), Fraction(0))
    laws = compose([(near.laws, times) for near, times in parts])
    return NearLaws(laws, apart, inside * (1 + 2 * min(apart, Fraction(1))))  # e^s, s <= 1


def rounded_pair(p: Sequence[arb], q: Sequence[arb], *, bits: int) -> NearLaws[Pair]:
    """Return a pair of rational laws near two laws, with t and u of the header, about 2^-bits.

    Masses are rounded down to multiples of one power of 2, and then brought to sum 1. Masses that
    are left out of p and q lie outside of W.

    Example:
        >>> found = rounded_pair([arb(1) / 3, arb(2) / 3], [arb(1), arb(0)], bits=8)
        >>> found.laws.masses()[0], found.apart <= Fraction(1, 2**8), found.inside
        ((Exact('1/3'), Exact('1')), True, Fraction(0, 1))
    """
    ends = [mass.lower() for mass in (*p, *q) if mass > 0]
    small = min((end for end in ends if end > 0), default=arb(1))
    least = int(floor_of(-small.log() / arb.const_log2())) + 1
    places = bits + _GUARD_BITS + min(max(least, 0), _MOST_TIMES * bits)
    scale, weights, totals, inside = arb(2) ** places, [], [], fmpz(0)
    for law in (p, q):
        spend(2 * len(law))
        found = [max(fmpz(0), floor_of(mass * scale)) for mass in law]
        tops = [ceiling_of(mass * scale) for mass in law]
        # What a mass may have more is little of it, or is counted by itself.
        more = (top - weight for weight, top in zip(found, tops, strict=True))
        far = (x for x, weight in zip(more, found, strict=True) if x << bits > weight)
        inside = max(inside, sum(far, fmpz(0)))
        weights.append(found)
        totals.append(sum(found, fmpz(0)))
    apart = max(1 - Fraction(int(min(totals)), 1 << places), Fraction(1, 1 << bits))
    kept = [i for i, both in enumerate(zip(*weights, strict=True)) if any(both)]
    first, second = ([law[i] for i in kept] for law in weights)
    pair = Pair(first, second, totals[0], totals[1])
    return NearLaws(pair, apart, Fraction(int(inside), 1 << places))


@dataclass(frozen=True, repr=False, eq=False)
class NearbyProfile(PrivacyProfile):
    """The profile of two laws, near which others are known.

    Attributes:
        laws: The function from a number of bits to laws nearby, about 2^-bits off.
        top: The largest finite loss of the laws themselves; Epsilon.infinity() if there is none.
        infinite: The mass of P where Q has none.
        other: The other direction.
        renyi_at: The Rényi divergence of an order, where it is known; None if none is.
        parts: What it is composed of, if it is.
        bounds: Rényi divergences that bound it where no width is asked, and the usual one is not
            reached: ``upper_by`` says so.
    """

    laws: Callable[[int], NearLaws[PrivacyProfile]]
    top: Epsilon | Number
    infinite: Number
    other: Callable[[], PrivacyProfile]
    renyi_at: Callable[[Fraction], Number | None] | None = None
    parts: Parts = ()
    bounds: Bounded | None = None

    usual_width = Fraction(1, 10**6)
    has_laws_near = True

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return an enclosure of δ(ε); without a width to 1e-6, 1e-3, 1e-2 or a named bound."""
        at = any_epsilon(epsilon)
        if relative_width is not None:
            return self._delta_to(at, checked_width(relative_width))
        return self._usual(partial(self._delta_to, at), partial(looser_delta, epsilon=at))

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is asked."""
        return self._usual(
            partial(self._epsilon_within, delta), partial(looser_epsilon, delta=delta)
        )

    def _usual(
        self, ask: Callable[[Fraction], A], looser: Callable[[Bounded], tuple[Fraction, str] | None]
    ) -> A | Bounds:
        if self.bounds is None:
            return ask(self.usual_width)
        return reached_or_bounds(ask, self.usual_width, partial(looser, self.bounds))

    def _delta_to(self, at: Epsilon, width: Fraction) -> Enclosure:
        top = self.top
        is_above_all = (
            top <= at if isinstance(top, Epsilon) else certainly_below(top, at.nats, max_bits=256)
        )
        if is_above_all:
            return enclosed(self.infinite, width)
        found = self._within(at, width, Fraction(0))
        if not found.is_narrow(width):
            raise UndecidedError(
                f"delta is {decimal(Exact(found.upper), digits=3, rounding=Rounding.UP)} at most, "
                "and not known more closely. Ask for a larger delta or relative_width."
            )
        return found

    def _within(self, epsilon: Epsilon, width: Fraction, floor: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε): narrow enough, below a floor, or the best that was tried."""
        gamma = enclosure(epsilon.exp).upper
        for bits in _BITS:
            near, asked = self.near(bits), width * Fraction(9, 10)
            found = near.around(
                enclosed(near.laws.delta(epsilon, relative_width=asked), asked), gamma
            )
            if found.is_narrow(width) or found.upper <= floor:
                break
        return found

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 at which δ is at most a target."""
        found = self._between_laws(target, width)
        if found is not None:
            return found
        floor = enclosed(target, "1/8").lower / 4
        return smallest_from_zero(
            lambda x, asked: self._within(Epsilon.rational(x), asked, floor),
            target,
            first=self.near(_BITS[0]).laws.first_guess(target),
            relative_width=width,
        )

    def _between_laws(self, target: Exact, width: Fraction) -> Enclosure | None:
        """Return the same from the ε of laws nearby; None where that is not near enough."""
        more = (target * width * _SPARED).ball(_TARGET_BITS)
        spare = Exact(endpoints(more)[0])
        goal = enclosure(target, relative_bits=_TARGET_BITS)
        ends = goal.upper - spare.as_fraction(), goal.lower + spare.as_fraction()
        if ends[1] >= 1:
            return None

        def is_near(near: NearLaws[PrivacyProfile], gamma: Fraction) -> bool:
            high, low = (near.around(Enclosure(end, end), gamma) for end in ends)
            return high.upper <= goal.lower and goal.upper <= low.lower

        for bits in _BITS:
            near = self.near(bits)
            if not is_near(near, Fraction(1)):
                continue
            with suppress(UndecidedError):
                upper = _nats(near.laws._epsilon_within(target - spare, width * _ASKED), width)
                if upper is None:
                    continue  # what rounding has left at infinity is above the target
                gamma = enclosure(Epsilon.rational(upper.upper).exp).upper
                if not is_near(near, gamma):
                    continue
                lower = _nats(near.laws._epsilon_within(target + spare, width * _ASKED), width)
                if lower is not None and upper.upper - lower.lower <= width * lower.lower:
                    return Enclosure(lower.lower, upper.upper)
            return None
        return None

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        return self.top if self.infinite == Exact(0) else Epsilon.infinity()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss."""
        return self.top

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none."""
        return self.infinite

    def reversed(self) -> PrivacyProfile:
        """Return the other direction."""
        return self.other()

    def _renyi_at(self, order: Fraction) -> Number | None:
        return None if self.renyi_at is None else self.renyi_at(order)

    def near(self, bits: int) -> NearLaws[PrivacyProfile]:
        """Return laws near P and Q, about 2^-bits off; they are kept."""
        if bits not in self._found:
            self._found[bits] = self.laws(bits)
        return self._found[bits]

    @cached_property
    def _found(self) -> dict[int, NearLaws[PrivacyProfile]]:
        return {}


def _nats(found: Epsilon | Enclosure, width: Fraction) -> Enclosure | None:
    """Return an ε as an enclosure in nats; None if it is infinite."""
    if isinstance(found, Enclosure):
        return found
    return None if found.is_infinite else enclosed(found.nats, width / 64)


def _rising(width: Fraction) -> list[int]:
    """Return the bits of the laws nearby that are tried for a relative width, one after another."""
    start = max(0, width.denominator.bit_length() - width.numerator.bit_length()) + _MORE_BITS
    return [start << k for k in range(_ATTEMPTS)]


def _cut(mass: Exact, bits: int) -> Fraction:
    """Return a dyadic rational of b + 3 bits or so between mass·(1 − 2^−b) and mass."""
    if mass == 0:
        return Fraction(0)
    lower = enclosure(mass, relative_bits=bits + 2).lower
    places = bits + 3 + lower.denominator.bit_length() - lower.numerator.bit_length()
    return Fraction(int(lower * Fraction(2) ** places)) / Fraction(2) ** places
