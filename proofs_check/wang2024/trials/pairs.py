"""Pairs of laws: the printed ones, and the order on pairs that decides every measure at once.

A pair (P, Q) is a post-processing of (P', Q') if and only if H_γ(P‖Q) <= H_γ(P'‖Q') for
all γ >= 0 (Blackwell; for two laws the hockey-stick curve is complete). The right curve is
linear between its vertices and the left one convex, so the vertices of the right one
decide. :func:`below` therefore decides D(P‖Q) <= D(P'‖Q') for all measures D with the
data-processing inequality, at one instance; a failure is a failure of one D, the
hockey-stick divergence, and the kernel can check it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb

from exactdp.certificates import Certificate, Term, shuffle_pair
from exactdp.claims import Outcome
from exactdp.divergences import Pair, PrivacyCurve
from exactdp.numbers import Exact, decimal
from exactdp.shuffle import CountPair
from exactdp.truth import Truth

__all__ = [
    "Law",
    "Row",
    "below",
    "between",
    "binomial",
    "compared",
    "convolution",
    "count_rows",
    "count_term",
    "has_laws",
    "mixed",
    "pair_of",
    "poisson_pair",
    "poisson_term",
    "power",
    "same_curve",
    "single",
    "uniform_row",
]

Row = Sequence[Fraction]
Law = Mapping[tuple[int, ...], Fraction]
"""The law of a multiset of messages, by brute force: counts of each letter -> mass."""


# --- the order ---------------------------------------------------------------------------


def below(
    lower: Pair, upper: Pair, certificate: Callable[[Exact], Certificate] | None = None
) -> Outcome:
    """Decide D(lower) <= D(upper) for every D; the certificate gets the γ of a failure."""
    left, right = PrivacyCurve.from_pair(lower), PrivacyCurve.from_pair(upper)
    slack: Fraction | None = None
    # γ >= 1 first: a failure there is one of (ε, δ)-privacy with ε >= 0.
    for gamma, bound in sorted(right.vertices, key=lambda vertex: (vertex[0] < 1, vertex[0])):
        true = left.delta(exp_epsilon=gamma)
        if true > bound:
            found = f"H_γ at γ = {gamma} is {decimal(true, digits=6)}, claimed at most "
            evidence = partial(certificate, gamma) if certificate else None
            return Outcome(Truth.FALSE, found + decimal(bound, digits=6), evidence)
        if true > 0 and gamma > 0:
            ratio = (bound / true).as_fraction()
            slack = ratio if slack is None else min(slack, ratio)
    return Outcome(Truth.TRUE, "the hockey-stick curve is nowhere above", slack=slack)


def between(curves: Iterable[PrivacyCurve]) -> list[Exact]:
    """Return the γ > 1 at which one of the curves bends, and the middles between them."""
    bends = sorted({Exact(1), *(g for curve in curves for g in curve.breakpoints if g > 1)})
    return sorted([*bends[1:], *((x + y) / 2 for x, y in pairwise(bends))])


def same_curve(one: Pair, two: Pair) -> Outcome:
    """Decide D(one) = D(two) for every D."""
    equal = PrivacyCurve.from_pair(one) == PrivacyCurve.from_pair(two)
    return Outcome(Truth.of(equal), f"the hockey-stick curves are {'' if equal else 'not '}equal")


def compared(
    true: Exact, bound: Exact, certificate: Callable[[], Certificate] | None = None
) -> Outcome:
    """Decide true <= bound for two divergences."""
    found = f"divergence {decimal(true, digits=6)}, claimed at most {decimal(bound, digits=6)}"
    slack = (bound / true).as_fraction() if true > 0 else None
    return Outcome(Truth.of(true <= bound), found, certificate, slack=slack)


# --- the printed pair --------------------------------------------------------------------


def poisson_pair(size: int, *, d: int, rate: Fraction, gamma: Fraction) -> CountPair:
    """Return P, Q of this size with p = ∞, β = rate and q = d·rate, the ratio divided by γ."""
    return CountPair(size, Exact(rate), Exact(0), Exact(gamma / d))


def count_rows(first: Fraction, second: Fraction, other: Fraction) -> list[list[Fraction]]:
    """Return rows whose view is the printed pair: victim under P, under Q, another user."""
    rest = 1 - first - second
    return [[first, second, rest], [second, first, rest], [other, other, 1 - 2 * other]]


def count_term(first: Fraction, second: Fraction, other: Fraction, trials: int) -> Term:
    """Return the printed pair for the kernel; C has this number of trials."""
    return shuffle_pair(count_rows(first, second, other), inputs=(0, 1), others=[(2, trials)])


def poisson_term(size: int, *, d: int, rate: Fraction, gamma: Fraction) -> Term:
    """Return :func:`poisson_pair` for the kernel."""
    return count_term(rate, Fraction(0), gamma / d, size - 1)


def single(item: int, *, d: int, rate: Fraction) -> list[Fraction]:
    """Return the row of the Poisson randomizer: its item, or the last letter, nothing."""
    return [rate if y == item else Fraction(0) for y in range(d)] + [1 - rate]


def uniform_row(*, d: int, gamma: Fraction) -> list[Fraction]:
    """Return the row of a blanket slot that sends with probability γ, else nothing."""
    return [gamma / d] * d + [1 - gamma]


# --- laws by brute force: a second route, which shares nothing with the engine --------------


def convolution(one: Law, two: Law) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the union of two independent multisets."""
    law: dict[tuple[int, ...], Fraction] = {}
    for a, p in one.items():
        for b, q in two.items():
            at = tuple(x + y for x, y in zip(a, b, strict=True))
            law[at] = law.get(at, Fraction(0)) + p * q
    return law


def power(law: Law, count: int) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the union of so many independent multisets of one law."""
    whole = {tuple(0 for _ in next(iter(law))): Fraction(1)}
    for _ in range(count):
        whole = convolution(whole, law)
    return whole


def mixed(parts: Iterable[tuple[Fraction, Law]]) -> dict[tuple[int, ...], Fraction]:
    """Return the mixture of laws with these weights."""
    law: dict[tuple[int, ...], Fraction] = {}
    for weight, part in parts:
        for at, mass in part.items():
            law[at] = law.get(at, Fraction(0)) + weight * mass
    return law


def binomial(n: int, share: Fraction) -> Iterator[tuple[int, Fraction]]:
    """Yield the masses of Binomial(n, share)."""
    for k in range(n + 1):
        yield k, comb(n, k) * share**k * (1 - share) ** (n - k)


def has_laws(pair: Pair, p: Law, q: Law) -> bool:
    """Return whether the pair is exactly (p, q), outcome by outcome."""
    masses = dict(zip(pair.outcomes or (), pair.masses(), strict=True))
    zero = Fraction(0)
    support = {y for law in (p, q) for y, mass in law.items() if mass}
    return set(masses) == support and all(
        one == p.get(y, zero) and two == q.get(y, zero)
        for y, (one, two) in ((y, masses[y]) for y in support)
    )


def pair_of(p: Law, q: Law) -> Pair:
    """Return the pair of two laws."""
    outcomes = sorted({*p, *q})
    zero = Fraction(0)
    return Pair.from_masses([p.get(y, zero) for y in outcomes], [q.get(y, zero) for y in outcomes])
