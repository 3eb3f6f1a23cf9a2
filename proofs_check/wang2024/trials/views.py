"""Views and printed pairs as terms, and the order on pairs that decides every measure at once.

A pair (P, Q) is a post-processing of (P', Q') if and only if D_γ(P‖Q) <= D_γ(P'‖Q') for
all γ >= 0 (Blackwell; for two laws the hockey-stick curve is complete). The right curve is
linear between the likelihood ratios of its pair and the left one convex, so these ratios
decide: :func:`dominated` claims D(P‖Q) <= D(P'‖Q') for all measures D with the
data-processing inequality, at one instance.

Letters are items 0, ..., d - 1, and then nothing.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil
from typing import Any

from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Relation, Said, at_most, below, decided, not_all
from exactdp.claims.laws import finite_pair, hockey_stick, shuffle_pair
from exactdp.claims.terms import Term, function, named, term
from exactdp.claims.values import likelihood_ratios
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.lemmas.mixtures import among, letter_rows
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import protocol_view

ONE, HALF = Fraction(1), Fraction(1, 2)

Items = tuple[int, ...]

Sets = tuple[Items, Items]
"""The victim's items under P and under Q."""

Others = Sequence[tuple[Items, Fraction]]
"""The items and the λ of each other user."""


ITEMS_0_1: Sets = ((0,), (1,))


def numbers(*texts: str) -> list[Fraction]:
    """Return rationals."""
    return list(map(Fraction, texts))


def dominated(lower: Term, upper: Term) -> list[Relation]:
    """Claim D(lower) <= D(upper) for every D; γ >= 1, which is (ε, δ)-privacy, first."""
    lower, upper = _under_name("lower", lower), _under_name("upper", upper)
    ratios = sorted(likelihood_ratios(upper), key=lambda gamma: (gamma < 1, gamma))
    return [at_most(hockey_stick(lower, g), hockey_stick(upper, g)) for g in ratios]


def _under_name(name: str, pair: Term) -> Term:
    return pair if pair.head == "named" else named(name, pair)


def some_above(target: Term, views: Sequence[Term]) -> Outcome:
    """Claim that one of the views is above the target for every D.

    It is not if there is an ε > 0 at which all of them are below the target: tried are where
    one of the curves bends, and the middles between.
    """
    for view in views:
        if Said(dominated(target, view)).outcome().truth.is_certain:
            return decided(holds=True, found="one of the views is above for every D")
    bends = sorted(
        {Exact(1), *(g for x in [target, *views] for g in likelihood_ratios(x) if g > 1)}
    )
    for gamma in sorted([*bends[1:], *((x + y) / 2 for x, y in pairwise(bends))]):
        top = hockey_stick(target, gamma)
        found = not_all([below(hockey_stick(view, gamma), top) for view in views])
        if not found.truth.is_possible:
            return found
    return decided(Truth.UNKNOWN, "no view is above for every D, but some is for each ε >= 0")


def reduction_counts(size: int, p: Fraction, beta: Fraction, q: Fraction) -> Term:
    """Return the pair of Theorem 1, of size n."""
    first = bounds.first_probability(None, p=p, beta=beta)
    return among(letter_rows(first, first / p, first / q), size - 1)


def poisson_counts(size: int, *, d: int, rate: Fraction, gamma: Fraction) -> Term:
    """Return the pair with p = ∞, β = λ and q = dλ/γ, of size n'."""
    return among(letter_rows(rate, Fraction(0), gamma / d), size - 1)


def constraint_pair(n: int, d: int, m: Fraction, rate: Fraction = ONE, extra: int = 0) -> Term:
    """Return the pair of (7): n' = n⌈m⌉ (plus ``extra``), γ = m/⌈m⌉."""
    return poisson_counts(n * ceil(m) + extra, d=d, rate=rate, gamma=m / ceil(m))


def sent_item(item: int, *, d: int, rate: Fraction) -> list[Fraction]:
    """Return the row of the Poisson randomizer: its item with probability λ, or nothing."""
    return [rate if y == item else Fraction(0) for y in range(d)] + [1 - rate]


def slot(*, d: int, gamma: Fraction) -> list[Fraction]:
    """Return the row of a blanket slot: a uniform item with probability γ, or nothing."""
    return [gamma / d] * d + [1 - gamma]


def messages(
    sets: Sets,
    *,
    d: int,
    rate: Fraction,
    slots: int,
    gamma: Fraction,
    others: Others = (),
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of line 18 for two sets of one user.

    Users who hold several items send several messages, which the kernel's users do not:
    then the two laws are those that the engine computes.

    Args:
        sets: The victim's two sets of d items, which it sends with probability ``rate``.
        d: The size of the domain.
        rate: The victim's λ.
        slots: The blanket slots of all users, n⌈m⌉; each sends with probability ``gamma``.
        gamma: m/⌈m⌉.
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


def algorithm_2(
    sets: Sets,
    d: int,
    m: Fraction,
    rate: Fraction,
    others: Others = (),
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of all messages of Algorithm 2: n⌈m⌉ slots for the victim and the others."""
    slots, gamma = (len(others) + 1) * ceil(m), m / ceil(m)
    return messages(sets, d=d, rate=rate, slots=slots, gamma=gamma, others=others, merge=merge)


def victims(d: int, s: int) -> list[Sets]:
    """Return, up to names of items, the victim's two sets: by how many items they differ."""
    return [(tuple(range(s)), tuple(range(k, s + k))) for k in range(1, min(s, d - s) + 1)]


def binomial(n: Any, share: Any, k: Any) -> Term:
    """Return the mass of Binomial(n, share) at k."""
    chance: Term = term(share) ** k * (1 - term(share)) ** (n - k)
    return function("binomial", n, k) * chance


def multisets(size: int, letters: int) -> list[tuple[int, ...]]:
    """Return the counts of so many letters that have this sum.

    Example:
        >>> multisets(1, 3)
        [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    return [c for c in product(range(size + 1), repeat=letters) if sum(c) == size]
