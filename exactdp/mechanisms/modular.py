"""Integer noise modulo m, as of secret shares in a prime field, where sums wrap around.

With g(r) the sum of f(k) over k = r modulo m, P is g and Q is g moved by s. That hides no less
than the noise itself, of which it is a function; but a larger s need not be the worse one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from flint import arb

from exactdp.divergences import Largest, Pair, PrivacyProfile
from exactdp.divergences.nearby import NearLaws, rounded_pair
from exactdp.divergences.nearby_profile import NearbyProfile
from exactdp.errors import DomainError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    count_text,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.balls import floor_of, nonnegative_ball
from exactdp.numbers.effort import answers
from exactdp.numbers.limits import MAX_MASSES

__all__ = ["modular_noise"]

_SPARE_BITS = 4
"""Bits by which what is left out is below the least mass, beyond those that are asked."""

_MOST_TIMES = 8
"""Multiples of the bits asked that are spent so that no residue has more by what is left out."""

_ENDLESS = 1 << 30
"""More bits than are spent on any residue."""


def modular_noise(noise: IntegerNoise, *, modulus: int) -> PrivacyProfile:
    """Return the profile of integer noise whose sum with the query is taken modulo m.

    Args:
        noise: The noise, with its sensitivity Δ.
        modulus: m, an int of at least 2; a prime or not.

    Returns:
        The largest over the shifts 1, ..., Δ (below m): of exact pairs where the noise is exact,
        else of enclosures. Noise that cannot wrap around is returned as it is.

    Raises:
        DomainError: If m is not an int of at least 2, or the noise not one of integers.
        TooLargeError: If m and Δ are too many residues to tell apart.

    Example:
        Two coins modulo 3: the laws 1/4, 1/2, 1/4 and 1/4, 1/4, 1/2 on the residues 0, 1, 2.

        >>> from exactdp.mechanisms import binomial_mechanism
        >>> from exactdp.numbers import Epsilon
        >>> wrapped = modular_noise(binomial_mechanism(trials=2), modulus=3)
        >>> wrapped.delta(Epsilon.rational(0)), wrapped.max_divergence()
        (Exact('1/4'), Epsilon.log('2'))
    """
    m = whole_number(modulus, name="modulus", at_least=2)
    if not noise.is_on_integers:
        raise DomainError(f"{noise!r} is not integer noise, for which a modulus is. Pass one.")
    first, last = noise.support
    if first is not None and last is not None and last - first + noise.sensitivity < m:
        return noise
    shifts = range(1, min(noise.sensitivity, m - 1) + 1)
    refuse_above(
        MAX_MASSES,
        m * len(shifts),
        f"modulus={count_text(m)} and {count_text(len(shifts))} shifts have "
        f"{count_text(m * len(shifts))} residues",
        advice="Ask for the noise without its modulus, which bounds delta from above.",
    )
    if noise.is_exact and first is not None:
        # Exact masses that have a short sum may be long themselves.
        for _, pairs in answers(partial(_exactly, noise, first, m), [shifts]):
            return pairs[0] if len(pairs) == 1 else Largest(tuple(pairs))
    found = tuple(_near(noise, m, s) for s in shifts)
    return found[0] if len(found) == 1 else Largest(found)


def _exactly(noise: IntegerNoise, first: int, m: int, shifts: Sequence[int]) -> list[Pair]:
    weights, total = noise.weights()
    folded = _folded(weights, first, m, zero=total * 0)
    return [Pair(folded, _moved(folded, s), total, total) for s in shifts]


def _folded(masses: Sequence[Any], first: int, m: int, *, zero: Any) -> list[Any]:
    found = [zero] * m
    for k, mass in enumerate(masses, first):
        found[k % m] += mass
    return found


def _moved(law: Sequence[Any], s: int) -> list[Any]:
    return [*law[-s:], *law[:-s]]


def _near(noise: IntegerNoise, m: int, s: int) -> PrivacyProfile:
    """Return the profile of one shift, with enclosures; s is taken modulo m."""
    infinite: Number = Exact(0)
    top: Epsilon | Number = Real(partial(_top, noise, m, s), "largest loss")
    first, last = noise.support
    if first is not None and last is not None and last - first + 1 < m:
        # Each residue is one value at most; Q lacks those from the end of its shifted interval.
        start = max(first, last + 1 + s - m)
        infinite = Real(partial(noise.between, start, first + s - 1), "mass that does not wrap")
        # f(k)/f(k − s) falls in k and f(k)/f(k + m − s) rises: each is largest at one end.
        pairs = [(first + s, first), (last + s - m, last)]
        inside = [(k, other) for k, other in pairs if first <= k <= last]
        top = Real(partial(_largest_of, noise, inside), "largest finite loss")
        if not inside:
            top = Epsilon.log(1)  # there is no finite loss
    return NearbyProfile(
        partial(_laws_near, noise, m, s),
        top,
        infinite,
        partial(_near, noise, m, m - s),
    )


def _laws_near(noise: IntegerNoise, m: int, s: int, bits: int) -> NearLaws[Pair]:
    with precision(bits + 32):
        low, masses = noise.wide_window(bits)
        folded = _folded(masses, low, m, zero=arb(0))
        more = bits + _bits_of_least(folded)
        if more > _MOST_TIMES * bits:
            near = rounded_pair(folded, _moved(folded, s), bits=bits)
            inside = near.inside + near.apart  # what is left out may be anywhere
            return NearLaws(near.laws, near.apart, inside)
    with precision(more + 32):
        # Of what is left out each residue has little beside its own mass, so nothing is apart.
        folded = _folded_whole(noise, m, more)
        return rounded_pair(folded, _moved(folded, s), bits=bits)


def _bits_of_least(masses: Sequence[arb]) -> int:
    """Return the bits by which the least of some masses is below 1, and a few; many if it is 0."""
    least = reduce(arb.min, masses).lower()
    return int(floor_of(-least.log() / arb.const_log2())) + _SPARE_BITS if least > 0 else _ENDLESS


def _folded_whole(noise: IntegerNoise, m: int, bits: int) -> list[arb]:
    """Return balls for the masses of all residues; mass beyond a window may be in each."""
    low, masses = noise.wide_window(bits)
    rest = nonnegative_ball((1 - sum(masses, arb(0))).abs_upper())
    return [mass + rest for mass in _folded(masses, low, m, zero=arb(0))]


def _largest_of(noise: IntegerNoise, pairs: Sequence[tuple[int, int]]) -> arb:
    """Return a ball for the largest of some ln(f(k)/f(l))."""
    found: arb = reduce(
        arb.max, ((noise.mass_ball(k) / noise.mass_ball(other)).log() for k, other in pairs)
    )
    return found


def _top(noise: IntegerNoise, m: int, s: int) -> arb:
    """Return a ball for the largest loss, where no residue is without mass."""
    folded = _folded_whole(noise, m, working_bits())
    losses = [(p / q).log() for p, q in zip(folded, _moved(folded, s), strict=True)]
    found: arb = reduce(arb.max, losses)
    return found
