"""Quantities of the claims about Algorithm 2, at an instance and in Coq (``ClaimsWang2024.v``).

A measure D with the data-processing inequality is at an instance the hockey-stick divergence at a
number γ >= 0, which these claims hold for all of (:mod:`~proofs_check.wang2024.trials.views`).

Definitions: the kinds :data:`MEASURE`, :data:`SETS`, :data:`OTHERS`, :data:`KNOWN`, :data:`ITEMS`,
:data:`THIRD` and :data:`PAIRS_OF_COUNTS`; and the quantities.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.laws import hockey_stick, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term, total
from exactdp.coq.values import real_of
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import among
from proofs_check.wang2024.trials.views import (
    ITEMS_0_1,
    ONE,
    Others,
    Sets,
    algorithm_2,
    messages,
    poisson_counts,
)

__all__ = [
    "ANY_DATA",
    "ITEMS",
    "KNOWN",
    "MEASURE",
    "OTHERS",
    "PAIRS_OF_COUNTS",
    "SETS",
    "THIRD",
    "alone_apart",
    "apart",
    "apart_with_third_item",
    "chained",
    "counted",
    "counts_apart",
    "grown",
    "in_set",
    "item_apart",
    "one_item_apart",
    "pair_apart",
    "printed",
    "procedure_apart",
    "procedure_stick",
    "three_apart",
    "told_apart",
    "user_apart",
]

RATE = fractions(0, 1, max_denominator=5)

MEASURE = objects(
    "a measure with the data-processing inequality",
    lambda: fractions(0, 4, max_denominator=4),
    condition=lambda D: D >= 0,
    coq=("measure", "data_processing {0}", ""),
    written=lambda D: f"stick ({real_of(D)})",
)


def _sets(d: int) -> st.SearchStrategy[Sets]:
    """Draw two sets of one item, or of two."""
    one = [((x,), (y,)) for x in range(d) for y in range(d)]
    two = [((x, y), (y, z)) for x, y, z in permutations(range(min(d, 4)), 3)]
    return st.sampled_from([*one, *two])


SETS = objects(
    "two sets of s of the d items",
    _sets,
    coq=(
        "list nat * list nat",
        "length (fst {0}) = length (snd {0}) "
        "/\\ Forall (fun x => (x < d)%nat) (fst {0} ++ snd {0})",
        "",
    ),
)


def _others(d: int, rates: st.SearchStrategy[Fraction]) -> st.SearchStrategy[Any]:
    """Draw no other user, or one with an item."""
    item = st.integers(0, d - 1).map(lambda x: (x,))
    return st.lists(st.tuples(item, rates), max_size=1).map(tuple)


OTHERS = objects(
    "the items and the λ of each other user",
    lambda d: _others(d, RATE),
    condition=lambda others: all(0 <= rate <= 1 for _, rate in others),
    coq=("list (list nat * R)", "Forall is_rate {0}", ""),
)
KNOWN = objects(
    "the items of each other user, with λ = 1",
    lambda d: _others(d, st.just(ONE)),
    condition=lambda others: all(rate == 1 for _, rate in others),
    coq=("list (list nat * R)", "Forall (fun user => snd user = 1) {0}", ""),
)
ITEMS = objects(
    "two different items",
    lambda d: st.sampled_from(list(permutations(range(d), 2))),
    condition=lambda d, items: items[0] != items[1] and max(items) < d,
    coq=("nat * nat", "(fst {0} < d)%nat /\\ (snd {0} < d)%nat /\\ fst {0} <> snd {0}", ""),
)
THIRD = objects(
    "the λ of each other user, who holds a third item",
    lambda: st.lists(RATE, max_size=1).map(tuple),
    condition=lambda thirds: all(0 <= rate <= 1 for rate in thirds),
    coq=("list R", "Forall (fun rate => 0 <= rate <= 1) {0}", ""),
)

ANY_DATA: dict[str, Sort] = {
    "d": integers(1),
    "slots": integers(1, draws=1),
    "m": reals(above=lambda slots: slots - 1, most=lambda slots: slots),
    "sets": SETS,
    "rate": reals(0, 1),
}
"""The victim of Algorithm 2 among blanket messages: slots is ⌈m⌉, of a user."""


@quantity(
    "between {0} {1:nat} (S (length {6}) * {2:nat}) ({3} / INR {2:nat}) {4} {5} {6}", name="D"
)
def apart(D: Any, d: int, slots: int, m: Any, sets: Sets, rate: Any, others: Others) -> Term:
    """D of the messages of Algorithm 2 for the two sets of one user."""
    return hockey_stick(named("view", algorithm_2(sets, d, m, rate, others)), D)


@quantity(
    "between {0} {1:nat} (S (length {6}) * {2:nat}) ({3} / INR {2:nat}) {4} {5} []", name="D_alone"
)
def alone_apart(D: Any, d: int, slots: int, m: Any, sets: Sets, rate: Any, others: Others) -> Term:
    """D of the same without the items of the others, who send blanket messages alone."""
    users = (len(others) + 1) * slots
    return hockey_stick(
        named("alone", messages(sets, d=d, rate=rate, slots=users, gamma=m / slots)), D
    )


@quantity(
    "between (stick ({6} ^ length (fst {4}))) {1:nat} (S (length {0}) * {2:nat}) "
    "({3} / INR {2:nat}) {4} {5} {0}",
    name="D",
)
def item_apart(
    others: Others, d: int, slots: int, m: Any, sets: Sets, rate: Any, exp_epsilon: Any
) -> Term:
    """Return the hockey-stick divergence of the messages at e^(s ε') for sets of s items."""
    e = exp_epsilon ** len(sets[0])
    return hockey_stick(named("view", algorithm_2(sets, d, m, rate, others)), e)


@quantity(
    "between (stick ({5} ^ length (fst {3}))) {0:nat} {1:nat} ({2} / INR {1:nat}) {3} {4} []",
    name="D",
)
def user_apart(d: int, slots: int, m: Any, sets: Sets, rate: Any, exp_epsilon: Any) -> Term:
    """Return the same of one user, who is alone."""
    return term(item_apart((), d, slots, m, sets, rate, exp_epsilon))


@quantity("geometric {0} (length (fst {1}))")
def chained(exp_epsilon: Any, sets: Sets) -> Any:
    """Return 1 + e^ε' + ... + e^((s-1)ε')."""
    return sum((exp_epsilon**i for i in range(len(sets[0]))), Fraction(0))


@quantity("(INR (length (fst {1})) * {0} ^ length (fst {1}))")
def grown(exp_epsilon: Any, sets: Sets) -> Any:
    """Return s e^(s ε')."""
    return len(sets[0]) * exp_epsilon ** len(sets[0])


@quantity(
    "between (stick {4}) {0:nat} {1:nat} ({2} / INR {1:nat}) ([0%nat], [pred {0:nat}]) {3} []",
    name="D_1",
)
def one_item_apart(d: int, slots: int, m: Any, rate: Any, exp_epsilon: Any) -> Term:
    """Return the hockey-stick divergence of one item, the first or the last, of a lone user."""
    return hockey_stick(algorithm_2(((0,), (d - 1,)), d, m, rate), exp_epsilon)


@quantity(
    "hockey_stick same_pair (letters_counted upright 1 ({2} / INR {1:nat}) {0:nat}) "
    "(letters_counted turned 1 ({2} / INR {1:nat}) {0:nat}) {3}",
    name="D_told",
)
def counts_apart(n: int, d: int, gamma: Any, exp_epsilon: Any) -> Term:
    """Return the hockey-stick divergence of P and Q with p = ∞, β = 1 and n trials, r = γ/d."""
    counts = poisson_counts(n + 1, d=d, rate=ONE, gamma=gamma)
    return hockey_stick(named("counts", counts), exp_epsilon)


@quantity(
    "hockey_stick same_pair (letters_counted upright 1 ({2} / INR {1:nat} / INR {0:nat}) "
    "(S (length {4}) * {1:nat})) (letters_counted turned 1 ({2} / INR {1:nat} / INR {0:nat}) "
    "(S (length {4}) * {1:nat})) {3}",
    name="D_told",
)
def told_apart(d: int, slots: int, m: Any, exp_epsilon: Any, others: Others) -> Any:
    """Return the same with n⌈m⌉ trials, γ = m/⌈m⌉."""
    return counts_apart((len(others) + 1) * slots, d, m / slots, exp_epsilon)


@quantity(
    "{0} counts same_counts (procedure_H {3:nat} {1:nat} {2} {4} (fst {5})) "
    "(procedure_H {3:nat} {1:nat} {2} {4} (snd {5}))",
    name="D",
)
def procedure_apart(D: Any, n: int, gamma: Any, d: int, rate: Any, items: tuple[int, int]) -> Term:
    """D of procedure H for two items."""
    sets = ((items[0],), (items[1],))
    return hockey_stick(named("view", messages(sets, d=d, rate=rate, slots=n, gamma=gamma)), D)


@quantity(
    "hockey_stick same_counts (procedure_H {2:nat} {0:nat} {1} {3} (fst {4})) "
    "(procedure_H {2:nat} {0:nat} {1} {3} (snd {4})) {5}",
    name="D",
)
def procedure_stick(
    n: int, gamma: Any, d: int, rate: Any, items: tuple[int, int], exp_epsilon: Any
) -> Term:
    """Return the hockey-stick divergence of procedure H for two items."""
    return term(procedure_apart(exp_epsilon, n, gamma, d, rate, items))


@quantity(
    "{0} counts same_counts (three_counts {3:nat} {1:nat} {2} {4} 0) "
    "(three_counts {3:nat} {1:nat} {2} {4} 1)",
    name="D_three",
)
def three_apart(D: Any, n: int, gamma: Any, d: int, rate: Any) -> Term:
    """D of the counts of the two items and of all others."""
    share, none = gamma / d, Fraction(0)
    rows = [
        [rate, none, none, 1 - rate],
        [none, rate, none, 1 - rate],
        [share, share, (d - 2) * share, 1 - gamma],
    ]
    return hockey_stick(named("three", among(rows, n)), D)


@quantity(
    "{0} (nat * nat)%type same_pair (letters_counted upright {4} ({3} / INR {2:nat} / INR {1:nat}) "
    "(S (length {5}) * {2:nat})) (letters_counted turned {4} ({3} / INR {2:nat} / INR {1:nat}) "
    "(S (length {5}) * {2:nat}))",
    name="D_pair",
)
def pair_apart(D: Any, d: int, slots: int, m: Any, rate: Any, thirds: Sequence[Any]) -> Term:
    """D of P and Q with p = ∞, β = λ, q = dλ/γ and n⌈m⌉ trials."""
    trials = (len(thirds) + 1) * slots
    counts = poisson_counts(trials + 1, d=d, rate=rate, gamma=m / slots)
    return hockey_stick(named("pair", counts), D)


@quantity(
    "between {0} {1:nat} (S (length {5}) * {2:nat}) ({3} / INR {2:nat}) ([0%nat], [1%nat]) {4} "
    "(map (fun rate => ([2%nat], rate)) {5})",
    name="D",
)
def apart_with_third_item(
    D: Any, d: int, slots: int, m: Any, rate: Any, thirds: Sequence[Any]
) -> Term:
    """D of Algorithm 2 where user i holds the first or the second item, all others the third."""
    others = [((2,), other) for other in thirds]
    return hockey_stick(named("view", algorithm_2(ITEMS_0_1, d, m, rate, others)), D)


PAIRS_OF_COUNTS = objects(
    "a set of pairs of counts",
    lambda: st.sets(st.tuples(*[st.integers(0, 2)] * 2), max_size=3).map(tuple),
    coq=("nat * nat -> bool", "", ""),
)


@quantity(
    "prob {6} (image (picked 0 1) (messages_of {1:nat} (S (length {5}) * {2:nat}) "
    "({3} / INR {2:nat}) ([{0:nat}%nat], {4}) (map (fun rate => ([2%nat], rate)) {5})))",
    name="Pr",
)
def counted(
    item: int, d: int, slots: int, m: Any, rate: Any, thirds: Sequence[Any], event: Any
) -> Term:
    """Return the probability that the counts of the first two items are in an event."""
    n, classes = len(thirds) + 1, ((0,), (1,), tuple(range(2, d + 1)))
    others = [((2,), other) for other in thirds]
    merged = algorithm_2(ITEMS_0_1, d, m, rate, others, classes)
    return in_set(named("view", merged), item, n * slots + n, event)


@quantity(
    "prob {6} (letters_counted (shown {0:nat}) {4} ({3} / INR {2:nat} / INR {1:nat}) "
    "(S (length {5}) * {2:nat}))",
    name="Pr",
)
def printed(
    side: int, d: int, slots: int, m: Any, rate: Any, thirds: Sequence[Any], event: Any
) -> Term:
    """Return the probability of an event under P or Q with p = ∞, β = λ, q = dλ/γ, n⌈m⌉ trials."""
    trials = (len(thirds) + 1) * slots
    pair = poisson_counts(trials + 1, d=d, rate=rate, gamma=m / slots)
    return in_set(named("pair", pair), side, trials + 1, event)


def in_set(view: Term, side: int, messages: int, event: Any) -> Term:
    """Return the probability that the counts of two letters, beside a third, are in an event."""
    outcomes = [(a, b, messages - a - b) for a, b in event if a + b <= messages]
    return total([term(0), *(mass(view, "pq"[side], counts) for counts in outcomes)])
