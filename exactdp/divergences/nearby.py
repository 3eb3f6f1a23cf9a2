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
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from flint import arb, fmpz

from exactdp.divergences.pair import Pair
from exactdp.divergences.privacy_loss_distribution import FiniteProfile
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import TooLargeError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    enclosure,
)
from exactdp.numbers.balls import ceiling_of, endpoints, floor_of
from exactdp.numbers.effort import first_answer, spend

__all__ = [
    "NearBy",
    "NearLaws",
    "delta_of_near",
    "epsilon_of_near",
    "largest_loss",
    "near_pair",
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

NearBy = Callable[[int], tuple[FiniteProfile, Fraction]]
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


def near_pair(pair: Pair, bits: int) -> tuple[Pair, Fraction]:
    """Return a pair whose masses are short rationals, and how near it is.

    Example:
        >>> e = Exact.exp(1)
        >>> near_pair(Pair.from_masses([1 / e, 1 - 1 / e], [1, 0]), 4)
        (Pair.from_masses(['94/255', '161/255'], ['1', '0']), Fraction(16, 15))
    """
    p, q = (rounded_masses(law, bits=bits) for law in zip(*pair.masses(), strict=True))
    return Pair.from_masses(p, q), Fraction(2**bits, 2**bits - 1)


def largest_loss(p: Sequence[Exact], q: Sequence[Exact]) -> Epsilon | None:
    """Return the largest finite ln(P/Q); None if a ratio is no short number, or there is none."""
    ratios = (lambda: max(x / y for x, y in zip(p, q, strict=True) if x and y), lambda: None)
    found = first_answer(*ratios, refusals=(TooLargeError, ValueError))
    return None if found is None else Epsilon(found)


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

    def beside(self, target: Enclosure, gamma: Fraction) -> Enclosure:
        """Return a δ'(γ) with which δ(γ) is at most a target, and one with which it is at least it.

        Example:
            >>> near = NearLaws(Pair.from_masses([1, 0], [0, 1]), Fraction(1, 2**20))
            >>> half = Fraction(1, 2)
            >>> ends = near.beside(Enclosure(half, half), Fraction(1))
            >>> near.around(Enclosure(ends.lower, ends.lower), Fraction(1)).upper <= half
            True
            >>> half <= near.around(Enclosure(ends.upper, ends.upper), Fraction(1)).lower
            True
        """
        x, more = 2 * self.apart, 1 + 4 * self.apart  # 1/(1 − x) <= 1 + 2x for x <= 1/2
        if 2 * x > 1:
            return Enclosure(Fraction(0), Fraction(1))
        low = target.lower * (2 - more) - 2 * x - self.apart
        high = (target.upper + gamma * more * self.inside) * more + 2 * x
        return Enclosure(low, high)


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
