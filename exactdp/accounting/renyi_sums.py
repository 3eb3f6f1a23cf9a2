"""Compositions with parts of which Rényi divergences alone are known: between certified bounds.

Rényi divergences of independent parts, and of parts chosen adaptively, add. So what a sum of them
implies is an upper bound; mechanisms that keep all guarantees are lower ones.

References: I. Mironov, Rényi Differential Privacy, 2017, Proposition 1; M. Bun and T. Steinke,
Concentrated Differential Privacy, 2016, Lemmas 2.3 and 8.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from exactdp.accounting.randomized_response import ComposedRandomizedResponse
from exactdp.accounting.renyi_guarantee import RenyiGuarantee, known_rho
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.renyi_rows import Concentrated, RenyiRows, RenyiTable
from exactdp.divergences.sandwich import Named, Sandwich
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, ExactDPError, TooLargeError, UndecidedError
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import Epsilon, Exact, enclosure, sqrt

__all__ = ["compose_guarantees", "failing_copies"]

_Parts = Sequence[tuple[PrivacyProfile, int]]

_PLACES = range(-32, 97)
"""The orders 1 + 2^(k/8) at which divergences are added where no table says which."""

_FEW = range(-16, 81, 8)
"""The orders where a divergence takes a search of its own, likewise."""

_NARROW, _WIDE = Fraction(1, 10**9), Fraction(1, 10**3)
"""The relative width of a divergence of a part, where it has a formula and where it has none."""

_FEW_COPIES = 100
"""Failing copies up to which the lower end has the probability of a failure exactly."""

_BITS = 100
"""Relative bits of what is rounded up."""


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
        DomainError: If a part has mass at infinity that cannot be set apart, or no finite
            divergence is known of all parts at one order.
    """
    mine = [(part, k) for part, k in parts if isinstance(part, RenyiGuarantee)]
    others = [(part, k) for part, k in parts if not isinstance(part, RenyiGuarantee)]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    apart = [_without_failure(part) for part, _ in others]
    kept = Exact(1)
    for failure, times in [
        *((part.failure, k) for part, k in mine),
        *((failure, k) for (failure, _), (_, k) in zip(apart, others, strict=True)),
    ]:
        kept = kept * _power(1 - failure, times)
    finite = [(part, k) for (_, part), (_, k) in zip(apart, others, strict=True)]
    rows = _sum(mine, finite)
    orders = "all orders" if isinstance(rows, Concentrated) else f"{len(rows.forward)} orders"
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
    rho = sum(
        (k * part.rows.rho for part, k in mine if isinstance(part.rows, Concentrated)), Fraction(0)
    )
    gaussian: list[tuple[PrivacyProfile, int]] = []
    if rho:
        gaussian = [(GaussianMechanism(Exact(1), sqrt(2 * Exact(rho))), 1)]
    failing = [(failing_copies(part.failure, k), 1) for part, k in mine if part.failure != 0]
    if gaussian or failing or others:
        with suppress(ExactDPError):  # any other lower end is certain without it
            words = "the Gaussian mechanism of this rho" if gaussian else "what is not a guarantee"
            words += ", composed with the other parts" if others and gaussian else ""
            found.append(Named(words, compose([*gaussian, *failing, *others])))
    found += [Named(f"one mechanism that is {part.words}", part) for part, _ in mine]
    return found


def failing_copies(failure: Exact, times: int) -> Pair:
    """Return what tells nothing unless one of so many copies fails, and then all; or a bit less.

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
    low = enclosed(kept, Fraction(1, 1 << _BITS)).lower
    return Exact(max(1 - times * (1 - low), Fraction(0)))


def _sum(mine: Sequence[tuple[RenyiGuarantee, int]], others: _Parts) -> Concentrated | RenyiTable:
    """Return the rows of the composition, at every order if all parts have them."""
    rho, rest = Fraction(0), []
    for part, times in others:
        known = known_rho(part)
        if known is not None:
            rho += times * enclosure(known, relative_bits=_BITS).upper
        else:
            rest.append((part, times))
    tables = [(part.rows, k) for part, k in mine if not isinstance(part.rows, Concentrated)]
    rho += sum(
        (k * part.rows.rho for part, k in mine if isinstance(part.rows, Concentrated)), Fraction(0)
    )
    if not tables and not rest:
        return Concentrated(Fraction(rho))
    powers = _powers(tables, rest)
    sides = [
        _table(powers, rho, [(r, k) for r, k in tables], rest),
        _table(
            powers,
            rho,
            [(r.reversed(), k) for r, k in tables],
            [(part.reversed(), k) for part, k in rest],
        ),
    ]
    common = [power for power in powers if all(power in side for side in sides)]
    if not common:
        raise UndecidedError(
            "the Rényi divergences of the parts have no order in common at which all are known to "
            "be finite. Give the guarantee at other orders."
        )
    forward, backward = (tuple((x, side[x]) for x in common) for side in sides)
    return RenyiTable(forward, backward)


def _powers(tables: Sequence[tuple[RenyiRows, int]], rest: _Parts) -> list[Fraction]:
    """Return the λ = a − 1 at which divergences are added."""
    if tables:
        rows = [rows for rows, _ in tables if isinstance(rows, RenyiTable)]
        return sorted({x for table in rows for x, _ in (*table.forward, *table.backward)})
    places = _PLACES if all(_is_known(part) for part, _ in rest) else _FEW
    return [Fraction(2 ** (k / 8)).limit_denominator(10**6) for k in places]


def _is_known(part: PrivacyProfile) -> bool:
    with suppress(ExactDPError):
        return part._renyi_at(Fraction(5, 2)) is not None
    return False


def _table(
    powers: Sequence[Fraction],
    rho: Fraction,
    tables: Sequence[tuple[RenyiRows, int]],
    rest: _Parts,
) -> dict[Fraction, Fraction]:
    """Return the sum of bounds by λ, where all are known."""
    found: dict[Fraction, Fraction] = {}
    for power in powers:
        total: Fraction | None = rho * (1 + power)
        for rows, times in tables:
            bound = rows.bound(1 + power)
            total = None if total is None or bound is None else total + times * bound
        for part, times in rest:
            if total is not None:
                size = _divergence(part, 1 + power)
                total = None if size is None else total + times * size
        if total is not None and total > 0:
            found[power] = total
    return found


def _divergence(part: PrivacyProfile, order: Fraction) -> Fraction | None:
    """Return an upper bound of D_a of a part; None if none is known."""
    width = _NARROW if _is_known(part) else _WIDE
    try:
        found = part.renyi(order, relative_width=width)
    except (DomainError, TooLargeError, UndecidedError):
        return None
    return None if isinstance(found, Epsilon) else Fraction(enclosed(found, width).upper)
