"""Compositions with parts of which Rényi divergences alone are known: between certified bounds.

Rényi divergences of independent parts, and of parts chosen adaptively, add. So what a sum of them
implies is an upper bound; mechanisms that keep all guarantees are lower ones.

References: I. Mironov, Rényi Differential Privacy, 2017, Proposition 1; M. Bun and T. Steinke,
Concentrated Differential Privacy, 2016, Lemmas 2.3 and 8.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from exactdp.accounting.composition.composed_randomized_response import ComposedRandomizedResponse
from exactdp.accounting.composition.parts import parted
from exactdp.accounting.conversions.best_guarantees import divergence
from exactdp.accounting.conversions.renyi_guarantee import RenyiGuarantee, rounded_up
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.renyi_rows import RenyiRow, RenyiRows
from exactdp.divergences.values import BOUND_BITS, enclosed
from exactdp.divergences.worst import Named, Sandwich
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import Exact, sqrt
from exactdp.numbers.effort import NO_ANSWER, answers

__all__ = ["compose_guarantees", "failing_copies"]

_Parts = Sequence[tuple[PrivacyProfile, int]]

_PLACES = range(-32, 97)
"""The orders 1 + 2^(k/8) at which divergences are added where no table says which."""

_FEW = range(-16, 81, 8)
"""The orders where a divergence takes a search of its own, likewise."""

_FEW_COPIES = 100
"""Failing copies up to which the lower end has the probability of a failure exactly."""


def compose_guarantees(
    parts: _Parts, compose: Callable[[_Parts], PrivacyProfile]
) -> PrivacyProfile:
    """Return the composition of Rényi guarantees, with other profiles or without.

    Args:
        parts: (profile, times), at least one of them a RenyiGuarantee.
        compose: Composes what is none.

    Returns:
        One guarantee as itself. Others as a :class:`Sandwich`: above what the sum of the Rényi
        divergences implies, below mechanisms that keep each guarantee.

    Raises:
        DomainError: If a part has mass at infinity that cannot be set apart.
        UndecidedError: If no finite divergence is known of all parts at one order.
    """
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    mine, others = parted(parts, RenyiGuarantee)
    apart = [(_without_failure(part), k) for part, k in others]
    kept = Exact(1)
    for failure, times in [
        *((part.failure, k) for part, k in mine),
        *((failure, k) for (failure, _), k in apart),
    ]:
        kept = kept * _power(1 - failure, times)
    powers = {row.power for part, _ in mine for row in part.rows.rows}
    rows = RenyiRows.total(
        [
            *((part.rows, k) for part, k in mine),
            *((_rows_of(part, powers), k) for (_, part), k in apart),
        ]
    )
    sides = [{row.power for row in rows.side(is_backward=side)} for side in (False, True)]
    if rows.rho is None and not (sides[0] and sides[1]):
        raise UndecidedError(
            "the Rényi divergences of the parts have no order at which all are known to be "
            "finite. Give the guarantee at other orders."
        )
    orders = "all orders" if rows.rho is not None else f"{len(sides[0])} orders"
    words = f"private as the sum of the Rényi divergences at {orders} says"
    above = RenyiGuarantee(rows, words, 1 - kept)
    return Sandwich(
        tuple(_below(mine, others, compose)),
        (Named(f"upper bound: what the Rényi divergences at {orders} imply", above),),
    )


def _below(
    mine: Sequence[tuple[RenyiGuarantee, int]],
    others: _Parts,
    compose: Callable[[_Parts], PrivacyProfile],
) -> list[Named]:
    """Return mechanisms that keep all guarantees, with the other parts."""
    found: list[Named] = []
    rho = sum((k * part.rows.rho for part, k in mine if part.rows.rho is not None), Fraction(0))
    gaussian: list[tuple[PrivacyProfile, int]] = []
    if rho:
        gaussian = [(GaussianMechanism(Exact(1), sqrt(2 * Exact(rho))), 1)]
    failing = [(failing_copies(part.failure, k), 1) for part, k in mine if part.failure != 0]
    if gaussian or failing or others:
        words = "the Gaussian mechanism of this rho" if gaussian else "what is not a guarantee"
        words += ", composed with the other parts" if others and gaussian else ""
        made = answers(compose, [[*gaussian, *failing, *others]], refusals=NO_ANSWER)
        found += [Named(words, one) for _, one in made]  # any other lower end is certain alone
    found += [Named(f"one mechanism that is {part.words}", part) for part, _ in mine]
    return found


def failing_copies(failure: Exact, times: int) -> Pair:
    """Return a pair that shows nothing unless one of the copies fails, and then all; or a bit less.

    Copies of such a pair are one, as what shows a failure under P never occurs under Q: of the
    probability 1 − (1 − f)^n >= 1 − e^−m >= m − m²/2, m = min(nf, 1).

    Example:
        >>> failing_copies(Exact("1/10"), 2).infinity_mass()
        Exact('19/100')
        >>> failing_copies(Exact("1e-4"), 1000).infinity_mass()
        Exact('19/200')
    """
    if times <= _FEW_COPIES:
        found = 1 - (1 - failure) ** times
    else:
        mean = min(times * failure, Exact(1))
        found = mean - mean * mean / 2
    return Pair.from_masses([found, 1 - found, 0], [0, 1 - found, found])


def _without_failure(part: PrivacyProfile) -> tuple[Exact, PrivacyProfile]:
    """Return a probability of failure, and the profile given that there is none."""
    if part.infinity_mass() == Exact(0) and part.reversed().infinity_mass() == Exact(0):
        return Exact(0), part
    if isinstance(part, ComposedRandomizedResponse):
        one = ComposedRandomizedResponse(part.epsilon0, part.times, Exact(0))
        return 1 - _power(1 - part.delta0, part.times), one
    if not isinstance(part, FiniteProfile):
        raise DomainError(
            "a part has mass at infinity beside a guarantee by Rényi divergences, which says "
            "nothing of it. Compose it apart, or give it as a finite pair."
        )
    masses = Pair.from_losses(part.losses()).masses()
    shared = [(a, b) for a, b in masses if a != 0 and b != 0]
    p, q = (sum((row[i] for row in shared), Exact(0)) for i in (0, 1))
    if not shared:
        return Exact(1), Pair.from_masses([1], [1])
    pair = Pair.from_masses([a / p for a, _ in shared], [b / q for _, b in shared])
    return max(1 - p, 1 - q), pair


def _power(kept: Exact, times: int) -> Exact:
    """Return a power from below: as it is while that is short, else 1 − times·failure."""
    if kept == 1 or (kept.is_rational and times <= 1000):
        return kept**times
    low = enclosed(kept, Fraction(1, 1 << BOUND_BITS)).lower
    return Exact(max(1 - times * (1 - low), Fraction(0)))


def _rows_of(part: PrivacyProfile, powers: set[Fraction]) -> RenyiRows:
    """Return Rényi bounds of a part that is not a guarantee, at orders 1 + λ, or at usual ones.

    Of noise whose D_a is ρ·a it is known at all orders.
    """
    if part.known_rho is not None:
        return RenyiRows(rho=rounded_up(part.known_rho))
    places = _PLACES if part.has_renyi else _FEW
    usual = {Fraction(2 ** (k / 8)).limit_denominator(10**6) for k in places}
    asked = product(enumerate((part, part.reversed())), powers or usual)
    sizes = answers(lambda x: divergence(x[0][1], 1 + x[1]).upper, asked, refusals=NO_ANSWER)
    found = [
        RenyiRow(power, Fraction(size), is_backward=bool(side))
        for ((side, _), power), size in sizes
    ]
    return RenyiRows(tuple(found))
