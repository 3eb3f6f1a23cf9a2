"""Views and printed pairs as terms, and the order on pairs that decides every measure at once.

A pair (P, Q) is a post-processing of (P', Q') if and only if D_γ(P‖Q) <= D_γ(P'‖Q') for
all γ >= 0 (Blackwell; for two laws the hockey-stick curve is complete). The right curve is
linear between the likelihood ratios of its pair and the left one convex, so these ratios
decide: :func:`dominated` claims D(P‖Q) <= D(P'‖Q') for all measures D with the
data-processing inequality, at one instance.

Letters are items 0, ..., d - 1, and then nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil
from typing import Any

from exactdp.claims import (
    Open,
    Outcome,
    Relation,
    Said,
    Statement,
    Term,
    at_most,
    below,
    decided,
    equal,
    finite_pair,
    function,
    hockey_stick,
    likelihood_ratios,
    named,
    not_all,
    shuffle_pair,
    term,
)
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import protocol_view

__all__ = [
    "HALF",
    "ONE",
    "Items",
    "Row",
    "Trials",
    "between",
    "binomial",
    "constraint_pair",
    "counts",
    "dominated",
    "item_sets",
    "messages",
    "multisets",
    "numbers",
    "poisson_counts",
    "reduction_counts",
    "same_for_all",
    "sent_item",
    "slot",
    "some_above",
    "victims",
]

ONE, HALF = Fraction(1), Fraction(1, 2)

Row = Sequence[Fraction]
Items = tuple[int, ...]

Trials = dict[str, dict[str, Statement | Open]]
"""Claim id -> reading -> what to decide."""


def numbers(*texts: str) -> list[Fraction]:
    """Return rationals."""
    return list(map(Fraction, texts))


# --- the order -----------------------------------------------------------------------------------


def dominated(lower: Term, upper: Term) -> list[Relation]:
    """Claim D(lower) <= D(upper) for every D; γ >= 1, which is (ε, δ)-privacy, first."""
    lower, upper = _under_name("lower", lower), _under_name("upper", upper)
    ratios = sorted(likelihood_ratios(upper), key=lambda gamma: (gamma < 1, gamma))
    return [at_most(hockey_stick(lower, g), hockey_stick(upper, g)) for g in ratios]


def _under_name(name: str, pair: Term) -> Term:
    return pair if pair.head == "named" else named(name, pair)


def same_for_all(one: Term, two: Term) -> list[Relation]:
    """Claim D(one) = D(two) for every D."""
    one, two = _under_name("one", one), _under_name("two", two)
    ratios = sorted({*likelihood_ratios(one), *likelihood_ratios(two)})
    return [equal(hockey_stick(one, g), hockey_stick(two, g)) for g in ratios]


def some_above(target: Term, views: Sequence[Term]) -> Outcome:
    """Claim that one of the views is above the target for every D.

    It is not if there is an ε > 0 at which all of them are below the target.
    """
    for view in views:
        if Said(dominated(target, view)).outcome().truth is Truth.TRUE:
            return decided(holds=True, found="one of the views is above for every D")
    for gamma in between([target, *views]):
        top = hockey_stick(target, gamma)
        found = not_all([below(hockey_stick(view, gamma), top) for view in views])
        if found.truth is Truth.FALSE:
            return found
    return decided(Truth.UNKNOWN, "no view is above for every D, but some is for each ε >= 0")


def between(pairs: Iterable[Term]) -> list[Exact]:
    """Return the γ > 1 at which the curve of one of the pairs bends, and the middles between."""
    ratios = {g for pair in pairs for g in likelihood_ratios(pair) if g > 1}
    bends = sorted({Exact(1), *ratios})
    return sorted([*bends[1:], *((x + y) / 2 for x, y in pairwise(bends))])


# --- the printed pairs ---------------------------------------------------------------------------


def counts(first: Fraction, second: Fraction, other: Fraction, trials: int) -> Term:
    """Return (A + Δ_1, C - A + Δ_2) and (A + Δ_2, C - A + Δ_1), C with so many trials.

    The victim has the first letter with probability ``first`` (``second``) and the second
    one with ``second`` (``first``); each trial has either letter with probability ``other``.
    """
    rest = 1 - first - second
    rows = [[first, second, rest], [second, first, rest], [other, other, 1 - 2 * other]]
    return shuffle_pair(rows, inputs=(0, 1), others=[(2, trials)])


def reduction_counts(size: int, p: Fraction, beta: Fraction, q: Fraction) -> Term:
    """Return the pair of Theorem 1, of size n."""
    first = bounds.first_probability(None, p=p, beta=beta)
    return counts(first, first / p, first / q, size - 1)


def poisson_counts(size: int, *, d: int, rate: Fraction, gamma: Fraction) -> Term:
    """Return the pair with p = ∞, β = λ and q = dλ/γ, of size n'."""
    return counts(rate, Fraction(0), gamma / d, size - 1)


def constraint_pair(n: int, d: int, m: Fraction, rate: Fraction = ONE) -> Term:
    """Return the pair of (7): n' = n⌈m⌉, γ = m/⌈m⌉."""
    return poisson_counts(n * ceil(m), d=d, rate=rate, gamma=m / ceil(m))


# --- the messages of Algorithm 2 -----------------------------------------------------------------


def sent_item(item: int, *, d: int, rate: Fraction) -> list[Fraction]:
    """Return the row of the Poisson randomizer: its item with probability λ, or nothing."""
    return [rate if y == item else Fraction(0) for y in range(d)] + [1 - rate]


def slot(*, d: int, gamma: Fraction) -> list[Fraction]:
    """Return the row of a blanket slot: a uniform item with probability γ, or nothing."""
    return [gamma / d] * d + [1 - gamma]


def messages(
    sets: tuple[Items, Items],
    *,
    d: int,
    rate: Fraction,
    slots: int,
    gamma: Fraction,
    others: Sequence[tuple[Items, Fraction]] = (),
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of line 18 for two sets of one user.

    Users who hold several items send several messages, which the kernel's users do not:
    then the two laws are those that the engine computes.

    Args:
        sets: The victim's two sets.
        d: Items in the domain.
        rate: The victim's λ.
        slots: The number of blanket slots of all users, n⌈m⌉.
        gamma: The probability m/⌈m⌉ that a slot sends.
        others: (items, λ) of the other users.
        merge: Classes of letters that are not told apart.
    """
    if any(len(items) > 1 for items in [*sets, *(held for held, _ in others)]):
        view = protocol_view(*sets, d=d, rate=rate, blankets=slots, slot_rate=gamma, others=others)
        return finite_pair(*zip(*view.pair.masses(), strict=True))
    rows = [sent_item(*items, d=d, rate=rate) for items in sets]
    rows += [slot(d=d, gamma=gamma), *(sent_item(*held, d=d, rate=r) for held, r in others)]
    users = [(2, slots), *((3 + i, 1) for i in range(len(others)))]
    return shuffle_pair(rows, inputs=(0, 1), others=users, merge=merge)


def item_sets(d: int, s: int) -> list[Items]:
    """Return the sets of s items."""
    return list(combinations(range(d), s))


def victims(d: int, s: int) -> list[tuple[Items, Items]]:
    """Return, up to names of items, the victim's two sets: by how many items they differ."""
    return [(tuple(range(s)), tuple(range(k, s + k))) for k in range(1, min(s, d - s) + 1)]


def binomial(n: Any, share: Any, k: Any) -> Term:
    """Return the mass of Binomial(n, share) at k."""
    chance: Term = term(share) ** k * (1 - term(share)) ** (n - k)
    return function("binomial", n, k) * chance


def multisets(size: int, letters: int) -> Iterator[tuple[int, ...]]:
    """Yield the counts of so many letters that have this sum.

    Example:
        >>> list(multisets(1, 3))
        [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    if letters == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for rest in multisets(size - first, letters - 1):
            yield (first, *rest)
