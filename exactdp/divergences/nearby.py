r"""δ and ε of two laws from those of two others nearby, whose masses are short rationals.

Exact masses in e^(p/q) are polynomials as long as the protocol is; rounded ones are short, and
what is then exact for the rounded laws encloses what is true of the others. Let
P/c <= P' <= cP and Q/c <= Q' <= cQ, event by event. Then for γ > 0

    δ'(c²γ)/c <= δ(γ) <= c·δ'(γ/c²),

since P(S) − γQ(S) <= c(P'(S) − (γ/c²)Q'(S)), and the same with the laws exchanged. So the
smallest ε >= 0 for a δ lies between ε'(cδ) − 2 ln c and ε'(δ/c) + 2 ln c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from exactdp.divergences.number_profile import ExactProfile
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from exactdp.numbers.balls import endpoints

__all__ = ["NearBy", "delta_of_near", "epsilon_of_near", "rounded_masses"]

_ATTEMPTS = 3
_MORE_BITS = 24

NearBy = Callable[[int], tuple[ExactProfile, Fraction]]
"""For a number of bits: laws nearby whose masses have about so many, and c."""


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
    """Return an enclosure of δ(γ) of a relative width, from laws nearby; None if they do not."""
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
    """Return an enclosure of ε(δ) of a relative width, 0 < δ < 1; None if they do not."""
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


def _rising(width: Fraction) -> list[int]:
    start = max(0, width.denominator.bit_length() - width.numerator.bit_length()) + _MORE_BITS
    return [start << k for k in range(_ATTEMPTS)]


def _cut(mass: Exact, bits: int) -> Fraction:
    """Return a dyadic rational of b + 3 bits or so between mass·(1 − 2^−b) and mass."""
    if mass == 0:
        return Fraction(0)
    lower = enclosure(mass, relative_bits=bits + 2).lower
    places = bits + 3 + lower.denominator.bit_length() - lower.numerator.bit_length()
    return Fraction(int(lower * Fraction(2) ** places)) / Fraction(2) ** places
