"""Section 5.1.3: Proposition 1, the lower bound on the privacy of Algorithm 2, and its proof."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import ceil

from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Term,
    cases,
    decided,
    equal,
    for_all,
    lemma,
    mass,
    named,
    proof,
    words,
)
from proofs_check.lemmas.trials.divergences import POST_PROCESSING
from proofs_check.wang2024.trials.section_5_1_3 import ITEMS, printed, view
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    Items,
    Trials,
    dominated,
    messages,
    multisets,
    some_above,
)

__all__ = ["TRIALS"]

TRIALS: Trials = {}


# --- Proposition 1 -------------------------------------------------------------------------------


def on_items(
    d: int, m: Fraction, rate: Fraction, other_rate: Fraction, items: Items, held: Items
) -> Term:
    """Return the messages if the victim has one of two items and the others have ``held``."""
    one, two = items
    return view(((one,), (two,)), d, m, rate, tuple(((x,), other_rate) for x in held))


def some_data(n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> Outcome:
    """Some neighboring data have a view that is above the pair, for every D."""
    views = [
        on_items(d, m, rate, other_rate, items, held)
        for items in permutations(range(d), 2)
        for held in product(range(d), repeat=n - 1)
    ]
    return some_above(named("pair", printed(n, d, m, rate, 1)), views)


def third_item(
    n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction, extra: int = 1
) -> list[Relation]:
    """All others hold item 2: the view is above the pair, of size n⌈m⌉ + extra."""
    held = on_items(d, m, rate, other_rate, (0, 1), (2,) * (n - 1))
    return dominated(printed(n, d, m, rate, extra), held)


WITH_A_THIRD_ITEM = (
    cases(
        n=(1, 2, 3),
        d=(3, 4),
        m=(ONE, HALF, Fraction(3, 2)),
        rate=(HALF, ONE, Fraction(1, 5)),
        other_rate=(HALF, ONE),
    )
).where(lambda n, m: n * ceil(m) <= 4)

COUNTS_OF_TWO = words(
    "in the limit p -> ∞ C ~ Binomial(n⌈m⌉, 2γ/d), Δ_1 ~ Bernoulli(λ), Δ_2 = 0: each of n⌈m⌉ "
    "slots sends either item with probability γ/d, the victim its item with probability λ, the "
    "others neither"
)

AT_LEAST_3 = for_all(
    WITH_A_THIRD_ITEM,
    third_item,
    wrong=partial(third_item, extra=0),
    proof=proof(
        "all n, d >= 3, m > 0, levels with λ_k > 0, all measures D",
        COUNTS_OF_TWO,
        lemma(
            "lemmas/post-processing",
            POST_PROCESSING,
            "the counts of the victim's two items, where the others hold a third item, are a "
            "function of C_1, ..., C_d, which the output determines as its denominator and n m/d "
            "are the same",
        ),
    ),
)

TRIALS["wang2024/proposition-1"] = {
    "a": for_all(
        cases(
            _shape=((1, 2), (1, 3), (2, 3), (2, 2)),
            n=lambda _shape: [_shape[0]],
            d=lambda _shape: [_shape[1]],
            m=(ONE, HALF),
            rate=(HALF, ONE),
            other_rate=lambda rate: [rate],
        ),
        some_data,
        falls=Falls.MISPRINT,
    ),
    "b": AT_LEAST_3,
}

TRIALS["wang2024/repair/proposition-1"] = {"": AT_LEAST_3}


# --- the proof of Proposition 1 ------------------------------------------------------------------


def same_data(n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> list[Relation]:
    """Reading (a): user i holds T_{j_0} in both datasets, so that they are equal."""
    both = on_items(d, m, rate, other_rate, (0, 0), (2,) * (n - 1))
    return dominated(named("pair", printed(n, d, m, rate, 1)), named("view", both))


def data_exist(n: int, d: int) -> Outcome:
    """Reading (b): data with (1), T_{j_1} for the second T_{j_0}, and (2)."""
    found = sum(
        x not in held and y not in held
        for x, y in permutations(range(d), 2)
        for held in product(range(d), repeat=n - 1)
    )
    return decided(found > 0, f"{found} pairs of data")


TRIALS["wang2024/proposition-1/proof/datasets"] = {
    "a": for_all(WITH_A_THIRD_ITEM, same_data, falls=Falls.MISPRINT),
    "b": for_all(
        cases(n=(1, 2, 3), d=(3, 4)),
        data_exist,
        wrong=for_all(cases(n=(1, 2, 3), d=(2, 3)), data_exist),
        proof=proof(
            "all n, d >= 3, i",
            words("user i holds T_1, or T_2, and every other user T_3: the data differ at i only"),
        ),
    ),
}


def counts_of_two(
    n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction, extra: int = 1
) -> list[Relation]:
    """The law of (C_{j_0}, C_{j_1}) is that of the pair, of size n⌈m⌉ + extra."""
    slots, rest = n * ceil(m), tuple(range(2, d + 1))
    merged = messages(
        ITEMS,
        d=d,
        rate=rate,
        slots=slots,
        gamma=m / ceil(m),
        others=(((2,), other_rate),) * (n - 1),
        merge=((0,), (1,), rest),
    )
    view, pair = named("view", merged), named("pair", printed(n, d, m, rate, extra))
    return [
        equal(mass(view, side, (a, b, c + n - 1)), mass(pair, side, (a, b, c + extra - 1)))
        for a, b, c in multisets(slots + 1, 3)
        for side in ("p", "q")
    ]


TRIALS["wang2024/proposition-1/proof/F_counts"] = {
    "": for_all(
        WITH_A_THIRD_ITEM.where(lambda n: n <= 2),
        counts_of_two,
        wrong=partial(counts_of_two, extra=0),
        proof=proof("all n, d >= 2 for which (2) can be met, m > 0, λ_k > 0", COUNTS_OF_TWO),
    )
}
