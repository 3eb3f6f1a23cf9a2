"""Quantities of claims about blanket messages, at an instance and in Coq.

In Coq a slot sends a uniform item or nothing, and a view is counted
(``ClaimsWang2024Blankets.v``); here their number is binomial. R_blanket(m) has ⌈m⌉ slots, here
``slots``, of which each sends with probability γ = m/⌈m⌉.

Definitions: the kinds :data:`SLOTS`, :data:`MESSAGE`, :data:`BLANKET_MESSAGE`, :data:`SEEN` and
:data:`SEEN_ITEMS`; and the quantities.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims.forms import Relation, at_least
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.laws import hockey_stick, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, sum_over, term, total
from exactdp.claims.values import exact_value
from exactdp.shuffle import MultisetLaw, union_of
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import Row, among
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import blanket_slot
from proofs_check.wang2024.quantities import in_set
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    binomial,
    poisson_counts,
    reduction_counts,
)

__all__ = [
    "BLANKET_MESSAGE",
    "MESSAGE",
    "SEEN",
    "SEEN_ITEMS",
    "SLOTS",
    "bisected",
    "constraint_apart",
    "four_steps",
    "is_not_negative",
    "item_count",
    "items_of_slots",
    "letters_given",
    "letters_printed",
    "messages_sent",
    "more_sent",
    "number_thinned",
    "of_slots",
    "pairs_of_datasets",
    "sent_exactly",
    "share_of_binomial",
    "uniform_items",
]

SLOTS: dict[str, Sort] = {
    "slots": integers(0),
    "m": reals(above=lambda slots: slots - 1, most=lambda slots: slots),
}
"""⌈m⌉ and m, if m is not negative (:func:`is_not_negative`)."""


def is_not_negative(m: Any) -> Relation:
    """Say that m is at least 0, even where there is no slot."""
    return at_least(m, 0)


def _law(what: str) -> Sort:
    return objects(what, lambda k: probability_vectors(size=k), coq=("law nat", "is_law {0}", ""))


def _counts(letters: int, most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw counts of so many letters, up to so many messages in all."""
    letter = st.integers(0, letters - 1)
    sent = st.lists(letter, max_size=most)
    return sent.map(lambda ys: tuple(ys.count(y) for y in range(letters)))


MESSAGE = _law("the law of R_k(x)")
BLANKET_MESSAGE = _law("the law of a blanket message")
SEEN = objects(
    "how often each message is seen", lambda k, n: _counts(k, n + 1), coq=("counts", "", "")
)
SEEN_ITEMS = objects(
    "how often each item is seen",
    lambda d, n, slots: _counts(d, n * slots),
    coq=("counts", "", ""),
)


def chance(m: Any, slots: int) -> Any:
    """Return m/⌈m⌉; 0 without a slot."""
    return m / slots if slots else Fraction(0)


# --- how many are sent ------------------------------------------------------------------------


def _mean(trials: int, share: Any) -> Term:
    return term(sum_over("i", 0, trials, lambda i: i * binomial(trials, share, i)))


@quantity(
    "mean (fun c => INR (messages_in c)) (slots_counted {0:nat} {1:nat} ({2} / INR {1:nat}))",
    name="E",
)
def messages_sent(d: int, slots: int, m: Any) -> Term:
    """Return the mean number of messages of R_blanket(m)."""
    return _mean(slots, chance(m, slots))


@quantity(
    "count_mean {2:nat} (slots_counted {1:nat} ({0:nat} * {3:nat}) ({4} / INR {3:nat}))", name="E"
)
def item_count(n: int, d: int, j: int, slots: int, m: Any) -> Term:
    """Return the mean count of item j in the blanket messages of n users."""
    return _mean(n * slots, chance(m, slots) / d)


def _number_of_messages(users: int, slots: int, m: Any, d: int) -> dict[int, Fraction]:
    """Return the law of how many blanket messages the users of Algorithm 2 send."""
    calls = [blanket_slot(d=d, rate=chance(m, slots))] * (users * slots)
    law: dict[int, Fraction] = {}
    for counts, share in union_of([MultisetLaw.point((0,) * d), *calls]).masses.masses.items():
        law[sum(counts)] = law.get(sum(counts), Fraction(0)) + share.as_fraction()
    return law


@quantity(
    "prob (fun c => Nat.eqb {0:nat} (messages_in c)) "
    "(slots_counted {4:nat} ({1:nat} * {2:nat}) ({3} / INR {2:nat}))",
    name="Pr_equal",
)
def sent_exactly(size: int, users: int, slots: int, m: Any, d: int) -> Fraction:
    """Return the probability that the users send so many blanket messages."""
    return _number_of_messages(users, slots, m, d).get(size, Fraction(0))


@quantity(
    "prob (fun c => Nat.ltb {0:nat} (messages_in c)) "
    "(slots_counted {4:nat} ({1:nat} * {2:nat}) ({3} / INR {2:nat}))",
    name="Pr_more",
)
def more_sent(size: int, users: int, slots: int, m: Any, d: int) -> Fraction:
    """Return the probability that they send more."""
    law = _number_of_messages(users, slots, m, d)
    return sum((share for number, share in law.items() if number > size), Fraction(0))


@quantity("mass Nat.eq_dec (bind (heads {1} {0:nat}) (heads {2})) {3:nat}", name="Pr")
def number_thinned(n: int, gamma: Any, share: Any, c: int) -> Term:
    """Pr[C = c], C ~ Binomial(N, share), N ~ Binomial(n, γ)."""
    if c > n:
        return term(0)
    return term(sum_over("N", c, n, lambda N: binomial(n, gamma, N) * binomial(N, share, c)))


@quantity("mass Nat.eq_dec (heads {1} {0:nat}) {2:nat}", name="Pr")
def share_of_binomial(n: int, share: Any, c: int) -> Term:
    """Return the mass of Binomial(n, share) at c."""
    return binomial(n, share, c) if c <= n else term(0)


# --- what is seen -----------------------------------------------------------------------------


@quantity("mass same_counts (F_rb {0:nat} {1:nat} {2} {4} {3}) {5}", name="Pr")
def four_steps(k: int, n: int, gamma: Any, message: Row, blanket: Row, seen: Sequence[int]) -> Term:
    """Pr[F_rb(x) = these messages]: one of the law ``message``, N ~ Binomial(n, γ) others."""
    number = sum(seen) - 1
    if len(seen) != k or not 0 <= number <= n:
        return term(0)
    fixed = named("fixed", among([message, message, blanket], number))
    return binomial(n, gamma, number) * mass(fixed, "p", tuple(seen))


@quantity("mass same_counts (view {0:nat} ({3} :: repeat (sampled {0:nat} {2} {4}) {1:nat})) {5}")
def of_slots(k: int, n: int, gamma: Any, message: Row, blanket: Row, seen: Sequence[int]) -> Term:
    """Return the same where each of n slots sends with probability γ."""
    silent, none = n + 1 - sum(seen), Fraction(0)
    if len(seen) != k or silent not in range(n + 1):
        return term(0)
    rows = [[*message, none], [*message, none], [*(gamma * x for x in blanket), 1 - gamma]]
    return mass(named("slots", among(rows, n)), "p", (*seen, silent))


def _beside_item_0(n: int, d: int, slots: int, m: Any, seen: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments of the same for uniform items beside one message, item 0."""
    item_0, uniform = (ONE, *[Fraction(0)] * (d - 1)), (Fraction(1, d),) * d
    return d, n * slots, chance(m, slots), item_0, uniform, (seen[0] + 1, *seen[1:])


@quantity(
    "mass same_counts (slots_counted {1:nat} ({0:nat} * {2:nat}) ({3} / INR {2:nat})) {4}",
    name="Pr",
)
def items_of_slots(n: int, d: int, slots: int, m: Any, seen: Sequence[int]) -> Term:
    """Return the probability that n calls of R_blanket(m) send these items."""
    return term(of_slots(*_beside_item_0(n, d, slots, m, seen)))


@quantity(
    "mass same_counts (bind (heads ({3} / INR {2:nat}) ({0:nat} * {2:nat})) "
    "(fun N => view {1:nat} (repeat (uniform_item {1:nat}) N))) {4}",
    name="Pr",
)
def uniform_items(n: int, d: int, slots: int, m: Any, seen: Sequence[int]) -> Term:
    """Return the same for N ~ Binomial(n⌈m⌉, m/⌈m⌉) uniform items."""
    return term(four_steps(*_beside_item_0(n, d, slots, m, seen)))


# --- letters ----------------------------------------------------------------------------------

_WAYS = ("upright", "turned")


def _given(side: int) -> Any:
    @quantity(f"prob {{5}} (theorem_2 {_WAYS[side]} {{0}} {{1}} {{2}} {{3}} {{4:nat}})", name="Pr")
    def law(p: Any, beta: Any, q: Any, gamma: Any, n: int, event: Any) -> Term:
        share = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
        first = bounds.first_probability(None, p=p, beta=beta)
        second = (1 - first) * bounds.second_probability(None, p=p, beta=beta)
        one, two = (first, second)[:: 1 - 2 * side]

        def split(a: int, b: int) -> Term:
            """Return the mass of (A, C - A) at (a, b)."""
            if min(a, b) < 0 or a + b > n:
                return term(0)
            return binomial(n, share, a + b) * binomial(a + b, HALF, a)

        return total(
            [
                term(0),
                *(
                    one * split(a - 1, b) + two * split(a, b - 1) + (1 - one - two) * split(a, b)
                    for a, b in event
                ),
            ]
        )

    return law


def _printed(side: int) -> Any:
    @quantity(f"prob {{4}} (theorem_1 {_WAYS[side]} {{0}} {{1}} {{2}} {{3:nat}})", name="Pr")
    def law(p: Any, beta: Any, q: Any, size: int, event: Any) -> Term:
        counts = named("printed", reduction_counts(size, p, beta, q))
        return in_set(counts, side, size, event)

    return law


letters_given = (_given(0), _given(1))
"""The probability of an event under U and V: C ~ Binomial(n, γ·2βp/((p-1)q))."""

letters_printed = (_printed(0), _printed(1))
"""The same under P and Q of Theorem 1, of a size."""


# --- the constraint on λ ----------------------------------------------------------------------


@quantity("(apart_at {5} ({3} / INR {2:nat} / INR {1:nat}) ({0:nat} * {2:nat} - 1) {4})", name="D")
def constraint_apart(n: int, d: int, slots: int, m: Any, rate: Any, exp_epsilon: Any) -> Term:
    """Return the divergence of (7) at λ, of n' = n⌈m⌉ and γ = m/⌈m⌉; exp_epsilon is e^(E_k/s)."""
    counts = poisson_counts(n * slots, d=d, rate=rate, gamma=m / slots)
    return hockey_stick(named("counts", counts), exp_epsilon)


@quantity(
    "(bisected (apart_at {4} ({3} / INR {2:nat} / INR {1:nat}) ({0:nat} * {2:nat} - 1)) {5} "
    "{6:nat})",
    name="found",
)
def bisected(n: int, d: int, slots: int, m: Any, exp_epsilon: Any, bound: Any, t: int) -> Fraction:
    """Return the lower end of the λ in [0, 1] after t steps: the middle, if it meets the bound."""
    found = Fraction(0)
    for step in range(1, t + 1):
        middle = found + Fraction(1, 2**step)
        divergence = constraint_apart(n, d, slots, m, middle, exp_epsilon)
        found = middle if exact_value(divergence) <= bound else found
    return found


# --- data -------------------------------------------------------------------------------------


@quantity("INR (length (pairs_of_datasets {0:nat} {1:nat}))", name="pairs_of_datasets")
def pairs_of_datasets(n: int, d: int) -> int:
    """Return the number of pairs of different data sets of n users.

    They differ in user i's item alone, and nobody else holds either of these two.
    """
    datasets = list(product(range(d), repeat=n))
    return sum(
        X[0] != other[0] and X[1:] == other[1:] and not {X[0], other[0]} & {*X[1:]}
        for X, other in product(datasets, repeat=2)
    )
