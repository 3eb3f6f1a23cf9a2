"""Section 5.1.2: the Poisson randomizer among blanket messages, Lemma 3, and its repair."""

from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    equal,
    for_all,
)
from exactdp.claims.kinds import Numbers, integers, reals
from exactdp.claims.laws import finite_pair, hockey_stick, total_variation_of
from exactdp.claims.terms import Term, named, term, total
from exactdp.claims.verdicts import Falls
from exactdp.shuffle import MultisetLaw, union_of
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import MIXTURES
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024.blankets import SLOTS, more_sent, sent_exactly
from proofs_check.wang2024.protocol import blanket_slot
from proofs_check.wang2024.quantities import (
    ITEMS,
    MEASURE,
    counts_apart,
    procedure_apart,
    procedure_stick,
    three_apart,
)
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    dominated,
    messages,
    numbers,
    poisson_counts,
    sent_item,
    slot,
)

TRIALS: Trials = {}


def rows_of_two(d: Any, rate: Any) -> tuple[list[Any], list[Any]]:
    """Return the rows of two items: on each of the two, on all d - 2 others, and on nothing."""
    none, rest = 0 * term(rate), (term(d) - 2) * 0
    return [rate, none, rest, 1 - term(rate)], [none, rate, rest, 1 - term(rate)]


def total_variation(d: Any, rate: Any, share: Any = ONE) -> Relation:
    """D_1 of the rows of two items is λ, or a share of it."""
    return equal(total_variation_of(finite_pair(*rows_of_two(d, rate))), share * rate)


TRIALS["wang2024/section-5.1.2/total-variation"] = for_all(
    cases(d=(2, 3, 5), rate=(HALF, ONE, Fraction(1, 3), Fraction(0))).within(
        d=integers(2), rate=reals(0, 1)
    ),
    total_variation,
    wrong=lambda d, rate: total_variation(d, rate, 1 - Fraction(1, d)),
    proof=in_numbers(),
)


PROCEDURES = cases(
    n=(1, 2, 3), gamma=(ONE, HALF), d=(2, 3, 4), rate=(HALF, ONE, Fraction(1, 4), Fraction(3, 4))
)
ANY_PROCEDURE: dict[str, Numbers] = {
    "n": integers(0, draws=3),
    "gamma": reals(0, 1),
    "d": integers(2, draws=2),
    "rate": reals(0, 1),
}


def procedure_h(n: int, gamma: Fraction, d: int, rate: Fraction) -> Term:
    """Return the view of H for two items."""
    return named("view", messages(((0,), (1,)), d=d, rate=rate, slots=n, gamma=gamma))


def lemma_3(n: int, gamma: Fraction, d: int, rate: Fraction) -> Said:
    """H against the printed pair, of size n."""
    counts = named("counts", poisson_counts(n, d=d, rate=rate, gamma=gamma))
    return Said(dominated(procedure_h(n, gamma, d, rate), counts), [at_least(term(d) * rate, 1)])


TRIALS["wang2024/lemma-3"] = for_all(
    PROCEDURES.where(lambda d, rate: d * rate >= 1).within(
        lambda d, rate: at_least(d * rate, 1), **ANY_PROCEDURE
    ),
    lemma_3,
    falls=Falls.RESULT,
)


def three_counts(D: Any, n: int, gamma: Any, d: int, rate: Any, items: Any) -> Relation:
    """H has the divergence of the counts of x_1^0, x_1^1 and of all other items."""
    return equal(procedure_apart(D, n, gamma, d, rate, items), three_apart(D, n, gamma, d, rate))


def two_counts(D: Any, n: int, gamma: Any, d: int, rate: Any, items: Any) -> Relation:
    """False: of the printed two counts, of size n + 1."""
    printed = poisson_counts(n + 1, d=d, rate=rate, gamma=gamma)
    return equal(procedure_apart(D, n, gamma, d, rate, items), hockey_stick(printed, D))


TRIALS["wang2024/repair/lemma-3/three-counts"] = for_all(
    cases(**PROCEDURES.axes, items=[(0, 1)], D=numbers("1", "2", "5/4", "1/2")).within(
        D=MEASURE, **ANY_PROCEDURE, items=ITEMS
    ),
    three_counts,
    wrong=two_counts,
    proof=theorem("wang2024_three_counts"),
)


def coin_told(n: int, gamma: Any, d: int, rate: Any, items: Any, exp_epsilon: Any) -> Relation:
    """D(H) against λ D(P‖Q) with β = 1 and size n + 1."""
    true = procedure_stick(n, gamma, d, rate, items, exp_epsilon)
    return at_most(true, rate * counts_apart(n, d, gamma, exp_epsilon))


def coin_hidden(n: int, gamma: Any, d: int, rate: Any, items: Any, exp_epsilon: Any) -> Relation:
    """False: D(H) against D(P‖Q) with β = λ, q = dλ and size n + 1."""
    counts = named("counts", poisson_counts(n + 1, d=d, rate=rate, gamma=gamma))
    true = procedure_stick(n, gamma, d, rate, items, exp_epsilon)
    return at_most(true, hockey_stick(counts, exp_epsilon))


TRIALS["wang2024/repair/lemma-3/coin-told"] = for_all(
    cases(
        **PROCEDURES.axes,
        items=[(0, 1)],
        exp_epsilon=numbers("1", "5/4", "3/2", "2", "4"),
    ).within(**ANY_PROCEDURE, items=ITEMS, exp_epsilon=reals(1)),
    coin_told,
    wrong=coin_hidden,
    proof=theorem("wang2024_coin_told"),
)


TRIALS["wang2024/lemma-3/proof/mixture-equations"] = MIXTURES


def q_ratio(d: int, rate: Fraction) -> Said:
    """D_q of the Poisson randomizer's row from a uniform message, which is never nothing."""
    pair = finite_pair(sent_item(0, d=d, rate=rate), slot(d=d, gamma=ONE))
    return at_most(hockey_stick(pair, term(d) * rate), 0).given([at_least(term(d) * rate, 1)])


TRIALS["wang2024/lemma-3/proof/q-ratio"] = for_all(
    cases(d=(2, 3, 4), rate=(ONE, HALF, Fraction(3, 4)))
    .where(lambda d, rate: d * rate >= 1)
    .within(lambda d, rate: at_least(d * rate, 1), d=integers(2), rate=reals(0, 1)),
    q_ratio,
    falls=Falls.STEP,
)


def decomposition(d: Any, rate: Any, factor: Fraction = ONE) -> list[Relation]:
    """p = ∞: pα = λ, α = 0, r = λ/q; the letters leave a measure of weight 1 - 2r.

    The limits of pα = λp/(p-1), α = λ/(p-1) and r = pα/(dλ) are λ, 0 and 1/d.
    """
    r = rate / (term(d) * rate * factor)
    rows, letters = rows_of_two(d, rate), rows_of_two(d, 1)
    left, also = (
        [term(m) - rate * one for m, one in zip(row, letter, strict=True)]
        for row, letter in zip(rows, letters, strict=True)
    )
    blanket = [1 / term(d), 1 / term(d), (term(d) - 2) / d, 0]
    other = [term(m) - r * a - r * b for m, a, b in zip(blanket, *letters, strict=True)]
    return [
        *(equal(x, y) for x, y in zip(left[:2], also[:2], strict=True)),
        *(at_least(x, 0) for x in [*left, *other]),
        equal(total(left), 1 - rate),
        equal(total(other), 1 - 2 * r),
    ]


TRIALS["wang2024/lemma-3/proof/decomposition"] = for_all(
    cases(d=(2, 3, 5), rate=(HALF, ONE, Fraction(1, 3), Fraction(1, 10))).within(
        d=integers(2), rate=reals(above=0, most=1)
    ),
    decomposition,
    wrong=partial(decomposition, factor=HALF),
    proof=in_numbers(),
)


def size_parameter(users: int, m: Fraction, size: Any) -> Said:
    """The size parameter is the most blanket messages that the users of Algorithm 2 send."""
    calls = [blanket_slot(d=2, rate=m / ceil(m))] * (users * ceil(m))
    most = union_of([MultisetLaw.point((0, 0)), *calls]).most_messages
    return equal(size, most).given([equal(most, term(users) * ceil(m))])


def users_are_n(users: int, m: Fraction) -> Said:
    """Reading (a): users = size·⌈m⌉."""
    return size_parameter(users, m, term(users) / ceil(m))


USERS = (
    cases(users=(1, 2, 3, 4), m=(HALF, ONE, Fraction(3, 2), Fraction(2), Fraction(3)))
    .within(users=integers(1), m=reals(above=0))
    .drawn(
        lambda: {"users": st.integers(1, 4), "m": fractions(Fraction(1, 5), 4, max_denominator=5)}
    )
)
DIVISIBLE = USERS.where(lambda users, m: users % ceil(m) == 0)


def most_sent(users: Any, slots: Any, m: Any, d: Any, size: Any) -> list[Relation]:
    """The users of Algorithm 2 send ``size`` blanket messages with a chance, and never more."""
    at = (size, users, slots, m, d)
    return [above(sent_exactly(*at), 0), equal(more_sent(*at), 0)]


ANY_USERS = cases(
    users=(1, 2, 3, 4),
    m=(HALF, ONE, Fraction(3, 2), Fraction(2), Fraction(3)),
    slots=lambda m: [ceil(m)],
    d=(2,),
).within(
    users=integers(1, draws=2), slots=integers(1, draws=2), m=SLOTS["m"], d=integers(1, draws=1)
)

TRIALS["wang2024/section-5.1.2/combination"] = {
    "a": for_all(DIVISIBLE, users_are_n, falls=Falls.MISPRINT),
    "b": for_all(
        ANY_USERS,
        lambda users, slots, m, d: most_sent(users, slots, m, d, users * slots),
        wrong=lambda users, slots, m, d: most_sent(users, slots, m, d, users),
        proof=theorem("wang2024_combination"),
    ),
}
