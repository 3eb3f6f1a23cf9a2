"""Pairs whose masses are computable reals: by finite pairs of short masses near them.

What is known of a mass is a ball, as narrow as wanted. So δ and ε are enclosures; a mass that is 0
is the number 0, which no ball tells.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce

from flint import arb

from exactdp.distributions.finite import FinitePmf, near_one
from exactdp.divergences.nearby import NearLaws, rounded_pair
from exactdp.divergences.nearby_profile import NearbyProfile
from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import DomainError, number_of
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    fmpq_of,
    log,
    precision,
    short,
    working_bits,
)
from exactdp.numbers.arguments import NumberLike, number
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated

__all__ = ["pair_of_reals"]

_CHECKED_BITS = 256
"""Bits to which it is seen that masses are not negative, and sum to 1."""

_GUARD_BITS = 32
"""Bits of the balls of masses beyond those of the short ones."""

_Masses = tuple[Number, ...]


@validated
def pair_of_reals(
    p: Iterable[NumberLike],
    q: Iterable[NumberLike],
    *,
    outcomes: Sequence[Hashable] | None = None,
    normalize: bool = False,
) -> PrivacyProfile:
    """Return the pair with masses that may have roots and logarithms, or be computable reals.

    Args:
        p: The masses of P, one an outcome, with sum 1.
        q: The masses of Q, likewise.
        outcomes: Their names, which a pair of exact masses keeps; by default 0, 1, ...
        normalize: Whether to divide each law by its sum.

    Returns:
        A :class:`Pair` if all are exact. Else a profile with enclosures of δ and ε, which composes.

    Raises:
        DomainError: If lengths differ, a mass is negative, or a sum is certainly not 1.

    Example:
        A coin that falls on one side with probability 1/√2, and its mirror image:

        >>> coin = pair_of_reals(["sqrt(1/2)", "1 - sqrt(1/2)"], ["1 - sqrt(1/2)", "sqrt(1/2)"])
        >>> print(f"{coin.delta(0):.6f}")  # √2 − 1
        [0.414213, 0.414214]
    """
    sides = ((p, "p"), (q, "q"))
    laws = tuple(_law(masses, name, normalize=normalize) for masses, name in sides)
    if len(laws[0]) != len(laws[1]):
        raise DomainError(
            f"p has {number_of(len(laws[0]), 'mass')} and q has {len(laws[1])}. Give both "
            "laws on the same "
            "outcomes, with 0 where there is no mass."
        )
    exact = [[x for x in law if isinstance(x, Exact)] for law in laws]
    if len(exact[0]) == len(exact[1]) == len(laws[0]):
        pair = Pair.from_masses(*exact)
        return pair if outcomes is None else replace(pair, outcomes=outcomes)
    return _near(*laws)


def _law(masses: Iterable[NumberLike], name: str, *, normalize: bool) -> _Masses:
    found = tuple(number(x, name=f"{name}[{i}]") for i, x in enumerate(masses))
    exact = [x for x in found if isinstance(x, Exact)]
    if len(exact) == len(found):
        law = FinitePmf(dict(enumerate(exact)), name=name, normalize=normalize)
        return tuple(law.masses.values())
    if normalize:
        whole = sum(found[1:], found[0])
        found = tuple(x if _is_zero(x) else x / whole for x in found)
    balls = [x.ball(_CHECKED_BITS) for x in found]
    for i, (x, ball) in enumerate(zip(found, balls, strict=True)):
        if ball < 0:
            raise DomainError(f"{name}[{i}]={x} is negative. A mass is at least 0.")
    with precision(_CHECKED_BITS):
        total = sum(balls, arb(0))
        if not total.contains(1):
            raise DomainError(
                f"{name} sums to {near_one(sum(found[1:], found[0]))}, not 1 "
                f"({number_of(len(found), 'outcome')}). Correct a mass, give the last one as 1 "
                "less the others, or pass normalize=True to divide them by their sum."
            )
    return found


def _near(p: _Masses, q: _Masses) -> NearbyProfile:
    both = list(zip(p, q, strict=True))
    ratios = [x / y for x, y in both if not (_is_zero(x) or _is_zero(y))]
    return NearbyProfile(
        partial(_laws_near, p, q),
        top=log(reduce(larger_number, ratios)) if ratios else Epsilon.log(1),
        infinite=sum((x for x, y in both if _is_zero(y)), Exact(0)),
        other=partial(_near, q, p),
        renyi_at=partial(_divergence, p, q),
    )


def _is_zero(mass: Number) -> bool:
    return isinstance(mass, Exact) and mass == 0


def _laws_near(p: _Masses, q: _Masses, bits: int) -> NearLaws[PrivacyProfile]:
    with precision(bits + _GUARD_BITS):
        return rounded_pair(*([x.ball(working_bits()) for x in law] for law in (p, q)), bits=bits)


def _divergence(p: _Masses, q: _Masses, order: Fraction) -> Number:
    """Return ln(Σ p^a q^(1 − a))/(a − 1) over the outcomes of both."""
    both = [(x, y) for x, y in zip(p, q, strict=True) if not (_is_zero(x) or _is_zero(y))]
    return Real(partial(_divergence_ball, both, order), f"divergence of order {short(order)}")


def _divergence_ball(both: Sequence[tuple[Number, Number]], order: Fraction) -> arb:
    bits, power = working_bits(), arb(fmpq_of(order))
    total = arb(0)
    for x, y in both:
        total += x.ball(bits) ** power * y.ball(bits) ** (1 - power)
    return total.log() / (power - 1)
