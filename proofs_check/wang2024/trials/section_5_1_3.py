"""Section 5.1.3: the privacy of Algorithm 2, Theorem 3, its proof and its tightness."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import ceil
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Term,
    at_least,
    at_most,
    cases,
    equal,
    for_all,
    function,
    hockey_stick,
    lemma,
    named,
    proof,
    term,
    words,
)
from proofs_check.wang2024.trials.section_3 import LEMMA_1
from proofs_check.wang2024.trials.section_4 import LEMMA_2
from proofs_check.wang2024.trials.section_5_1_2 import COIN_TOLD
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    Items,
    Trials,
    item_sets,
    messages,
    poisson_counts,
    victims,
)

__all__ = ["ITEMS", "TRIALS", "printed", "view"]

TRIALS: Trials = {}

GAMMAS = (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))
ITEMS = ((0,), (1,))

Others = tuple[tuple[Items, Fraction], ...]


def view(
    sets: tuple[Items, Items], d: int, m: Fraction, rate: Fraction, others: Others = ()
) -> Term:
    """Return the messages of Algorithm 2 for two sets of one user."""
    slots = (len(others) + 1) * ceil(m)
    return messages(sets, d=d, rate=rate, slots=slots, gamma=m / ceil(m), others=others)


def printed(n: int, d: int, m: Fraction, rate: Fraction, extra: int) -> Term:
    """Return P, Q with p = ∞, β = λ and q = dλ/γ, of size n⌈m⌉ + extra."""
    return poisson_counts(n * ceil(m) + extra, d=d, rate=rate, gamma=m / ceil(m))


# --- the group of virtual users ------------------------------------------------------------------


def lemma_1_growth(s: int, e: Fraction) -> Fraction:
    """Return s e^(s ε')."""
    return s * e**s


def group_step(
    d: int,
    m: Fraction,
    sets: tuple[Items, Items],
    rate: Fraction,
    exp_epsilon: Fraction,
    growth: Callable[..., Fraction] = lemma_1_growth,
) -> Relation:
    """The s items at s ε' against δ' of one item, procedure H, which is exact, times a growth."""
    e, s = exp_epsilon, len(sets[0])
    one = hockey_stick(view(ITEMS, d, m, rate), e)
    return at_most(hockey_stick(view(sets, d, m, rate), e**s), growth(s, e) * one)


GROUP = (
    words(
        "from x_i to x'_i items are exchanged one by one, those of x_i outside x'_i for those "
        "of x'_i outside x_i, at most s times and through sets of s items"
    ),
    lemma("wang2024/lemma-2", LEMMA_2, "at each exchange all other messages may be left out"),
    lemma("wang2024/lemma-1", LEMMA_1, "the chain of at most s exchanges"),
)

TRIALS["wang2024/section-5.1.3/group-step"] = {
    "": for_all(
        cases(
            _shape=((2, 1), (4, 2), (6, 3)),
            d=lambda _shape: [_shape[0]],
            m=(ONE, Fraction(3, 2)),
            rate=(HALF, Fraction(1, 5)),
            exp_epsilon=GAMMAS,
            sets=lambda _shape: victims(*_shape),
        ),
        group_step,
        wrong=partial(group_step, growth=lambda s, e: Fraction(1)),
        proof=proof("all s, d >= s, ε' >= 0, δ' and data", *GROUP),
    )
}


# --- Theorem 3 -----------------------------------------------------------------------------------

RATES = (HALF, Fraction(1, 4), ONE, Fraction(3, 4), Fraction(1, 8))

# Several users of one level, the others with a third item; then one user, with one item or two.
SEVERAL = cases(
    n=(2, 3),
    d=(3, 4, 5),
    m=(ONE, HALF),
    sets=[ITEMS],
    rate=RATES,
    exp_epsilon=GAMMAS,
    others=lambda n, rate: [(((2,), rate),) * (n - 1)],
)
ALONE = cases(
    n=(1,),
    _shape=((3, 1), (4, 1), (4, 2), (8, 2)),
    d=lambda _shape: [_shape[0]],
    m=(ONE, Fraction(2), HALF),
    sets=lambda _shape: victims(*_shape),
    rate=RATES,
    exp_epsilon=GAMMAS,
    others=[()],
)
ANY_OTHER = cases(
    n=(2,),
    d=(3, 6),
    m=(ONE, HALF),
    sets=[ITEMS],
    rate=RATES,
    exp_epsilon=GAMMAS,
    others=lambda d, rate: [((held, rate),) for held in item_sets(d, 1)[:3]],
)


def with_ratio(*families: Cases) -> Cases:
    """Return the cases with q = dλ >= 1, one family after the other."""
    first, *rest = (family.where(lambda d, rate: d * rate >= 1) for family in families)
    for family in rest:
        first = first.then(family)
    return first


def at_most_times(
    delta: Callable[[int, int, Fraction, Fraction, Fraction], Term], growth: Callable[..., Any]
) -> Callable[..., Said]:
    """The messages at s ε' against δ' of one item, times what s items multiply it with."""

    def says(
        n: int,
        d: int,
        m: Fraction,
        sets: tuple[Items, Items],
        rate: Fraction,
        exp_epsilon: Fraction,
        others: Others,
    ) -> Said:
        e, s = exp_epsilon, len(sets[0])
        true = hockey_stick(named("view", view(sets, d, m, rate, others)), e**s)
        bound = growth(s, e) * delta(n, d, m, rate, e)
        return at_most(true, bound).given([at_least(term(d) * rate, 1), at_least(e, 1)])

    return says


def of_pair(extra: int) -> Callable[..., Term]:
    """Return δ' = D_{e^ε'} of the printed pair, of size n⌈m⌉ + extra."""
    return lambda n, d, m, rate, e: hockey_stick(named("counts", printed(n, d, m, rate, extra)), e)


def of_coin_told(n: int, d: int, m: Fraction, rate: Fraction, e: Fraction) -> Term:
    """Return δ' = λ D_{e^ε'} of the pair with β = 1, of size n⌈m⌉ + 1."""
    return rate * of_pair(1)(n, d, m, ONE, e)


def geometric(s: int, e: Fraction) -> Fraction:
    """Return 1 + e^ε' + ... + e^((s-1)ε')."""
    return sum((e**i for i in range(s)), Fraction(0))


TRIALS["wang2024/theorem-3"] = {
    "": for_all(
        with_ratio(SEVERAL, ALONE, ANY_OTHER),
        at_most_times(of_pair(0), lemma_1_growth),
        falls=Falls.RESULT,
    )
}


def drawn_single_users() -> st.SearchStrategy[dict[str, Any]]:
    """Draw one user whose sets share as few items as they can."""
    shape = st.tuples(st.integers(3, 5), st.integers(1, 2))
    return shape.flatmap(
        lambda shape: st.fixed_dictionaries(
            {
                "n": st.just(1),
                "d": st.just(shape[0]),
                "m": st.sampled_from([ONE, HALF, Fraction(3, 2)]),
                "sets": st.just(victims(*shape)[-1]),
                "rate": st.fractions(0, 1, max_denominator=9),
                "exp_epsilon": st.fractions(1, 4, max_denominator=5),
                "others": st.just(()),
            }
        )
    )


TRIALS["wang2024/repair/theorem-3"] = {
    "": for_all(
        with_ratio(ALONE, ANY_OTHER, SEVERAL).drawn(drawn_single_users),
        at_most_times(of_coin_told, geometric),
        wrong=at_most_times(of_pair(1), geometric),
        proof=proof(
            "all n, d >= 2, s, m > 0, levels, data, ε' >= 0",
            *GROUP,
            lemma(
                "wang2024/repair/lemma-3/coin-told",
                COIN_TOLD,
                "each exchange, in n⌈m⌉ slots; a chain adds up to δ' (1 + ... + e^((s-1)ε'))",
            ),
        ),
    )
}


# --- tightness -----------------------------------------------------------------------------------


def attained(d: int, m: Fraction, rate: Fraction, exp_epsilon: Fraction) -> Relation:
    """The conclusion at s = 1 is attained: one user, all pairs of its items, n = 1."""
    pairs = permutations(range(d), 2)
    views = [hockey_stick(view(((x,), (y,)), d, m, rate), exp_epsilon) for x, y in pairs]
    bound = exp_epsilon * hockey_stick(printed(1, d, m, rate, 0), exp_epsilon)
    return equal(function("max", *views), bound)


TRIALS["wang2024/section-5.1.3/tight-s=1"] = {
    "": for_all(
        cases(d=(2, 3), m=(ONE, Fraction(2)), rate=(ONE, HALF), exp_epsilon=GAMMAS[1:]),
        attained,
        falls=Falls.STEP,
    )
}
