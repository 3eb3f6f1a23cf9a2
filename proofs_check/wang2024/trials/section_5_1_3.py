"""Section 5.1.3: Theorem 3, the privacy of Algorithm 2, its tightness, and Proposition 1."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import ceil
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, decided, equal, for_all
from exactdp.claims.laws import hockey_stick, mass
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, function, named, term
from exactdp.claims.verdicts import Falls
from exactdp.testing import fractions
from proofs_check.lemmas.trials.divergences import POST_PROCESSING
from proofs_check.wang2024.trials.section_3 import LEMMA_1
from proofs_check.wang2024.trials.section_5_1_2 import COIN_TOLD
from proofs_check.wang2024.trials.sections_4_and_5 import LEMMA_2
from proofs_check.wang2024.trials.views import (
    ANY_DATA,
    ANY_OTHERS,
    HALF,
    ONE,
    Items,
    Others,
    Sets,
    algorithm_2,
    constraint_pair,
    dominated,
    everywhere,
    multisets,
    some_above,
    victims,
)

TRIALS: Trials = {}

GAMMAS = (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))
ITEMS = ((0,), (1,))


def theorem_3(
    n: int,
    d: int,
    m: Fraction,
    sets: Sets,
    rate: Fraction,
    exp_epsilon: Fraction,
    others: Others,
    *,
    delta: Callable[..., Term],
    growth: Callable[..., Fraction],
) -> Said:
    """The messages at s ε' against δ' of one item, times what s items multiply it with."""
    e, s = exp_epsilon, len(sets[0])
    true = hockey_stick(named("view", algorithm_2(sets, d, m, rate, others)), e**s)
    bound = growth(s, e) * delta(n, d, m, rate, e)
    return at_most(true, bound).given([at_least(term(d) * rate, 1), at_least(e, 1)])


def lemma_1_growth(s: int, e: Fraction) -> Fraction:
    """Return s e^(s ε')."""
    return s * e**s


def of_one_item(n: int, d: int, m: Fraction, rate: Fraction, e: Fraction) -> Term:
    """Return δ' = D_{e^ε'} of one item of one user, procedure H, which is exact."""
    return hockey_stick(algorithm_2(ITEMS, d, m, rate), e)


GROUP = (
    words(
        "from x_i to x'_i items are exchanged one by one, those of x_i outside x'_i for those "
        "of x'_i outside x_i, at most s times and through sets of s items"
    ),
    lemma("wang2024/lemma-2", LEMMA_2, "at each exchange all other messages may be left out"),
    lemma("wang2024/lemma-1", LEMMA_1, "the chain of at most s exchanges"),
)


def drawn_victims(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Draw one user whose sets share as few items as they can."""
    return st.builds(
        lambda shape, **drawn: {"d": shape[0], "sets": victims(*shape)[-1], **more, **drawn},
        st.tuples(st.integers(3, 5), st.integers(1, 2)),
        m=st.sampled_from([ONE, HALF, Fraction(3, 2)]),
        rate=fractions(0, 1, max_denominator=9),
        exp_epsilon=fractions(1, 4, max_denominator=5),
    )


alone = partial(theorem_3, n=1, others=(), delta=of_one_item)

TRIALS["wang2024/section-5.1.3/group-step"] = for_all(
    cases(
        **{"d _s": [(2, 1), (4, 2), (6, 3)]},
        m=(ONE, Fraction(3, 2)),
        rate=(HALF, Fraction(1, 5)),
        exp_epsilon=GAMMAS,
        sets=lambda d, _s: victims(d, _s),
    )
    .within(**ANY_DATA, exp_epsilon=reals(1))
    .drawn(drawn_victims),
    partial(alone, growth=lemma_1_growth),
    wrong=partial(alone, growth=lambda s, e: ONE),
    proof=proof(*GROUP),
)


FORMULA: dict[str, Any] = {
    "rate": (HALF, Fraction(1, 4), ONE, Fraction(3, 4), Fraction(1, 8)),
    "exp_epsilon": GAMMAS,
}

# Several users of one level, the others with a third item; then one user, with one item or two.
SEVERAL = cases(
    n=(2, 3),
    d=(3, 4, 5),
    m=(ONE, HALF),
    sets=[ITEMS],
    **FORMULA,
    others=lambda n, rate: [(((2,), rate),) * (n - 1)],
).where(lambda d, rate: d * rate >= 1)
ALONE = cases(
    n=(1,),
    **{"d _s": [(3, 1), (4, 1), (4, 2), (8, 2)]},
    m=(ONE, Fraction(2), HALF),
    sets=lambda d, _s: victims(d, _s),
    **FORMULA,
    others=[()],
).where(lambda d, rate: d * rate >= 1)
ANY_OTHER = cases(
    n=(2,),
    d=(3, 6),
    m=(ONE, HALF),
    sets=[ITEMS],
    **FORMULA,
    others=lambda d, rate: [((held, rate),) for held in ((0,), (1,), (2,))],
).where(lambda d, rate: d * rate >= 1)


def of_pair(n: int, d: int, m: Fraction, rate: Fraction, e: Fraction, extra: int = 0) -> Term:
    """Return δ' = D_{e^ε'} of the printed pair, of size n⌈m⌉ + extra."""
    return hockey_stick(named("counts", constraint_pair(n, d, m, rate, extra)), e)


TRIALS["wang2024/theorem-3"] = for_all(
    SEVERAL.then(ALONE).then(ANY_OTHER),
    partial(theorem_3, delta=of_pair, growth=lemma_1_growth),
    falls=Falls.RESULT,
)


def of_coin_told(n: int, d: int, m: Fraction, rate: Fraction, e: Fraction) -> Term:
    """Return δ' = λ D_{e^ε'} of the pair with β = 1, of size n⌈m⌉ + 1."""
    return rate * of_pair(n, d, m, ONE, e, 1)


def geometric(s: int, e: Fraction) -> Fraction:
    """Return 1 + e^ε' + ... + e^((s-1)ε')."""
    return sum((e**i for i in range(s)), Fraction(0))


TRIALS["wang2024/repair/theorem-3"] = for_all(
    ALONE.then(ANY_OTHER)
    .then(SEVERAL)
    .within(n=integers(1), **ANY_DATA, exp_epsilon=reals(1), others=ANY_OTHERS)
    .drawn(partial(drawn_victims, n=1, others=())),
    partial(theorem_3, delta=of_coin_told, growth=geometric),
    wrong=partial(theorem_3, delta=partial(of_pair, extra=1), growth=geometric),
    proof=proof(
        *GROUP,
        lemma(
            "wang2024/repair/lemma-3/coin-told",
            COIN_TOLD,
            "each exchange, in n⌈m⌉ slots; a chain adds up to δ' (1 + ... + e^((s-1)ε'))",
        ),
    ),
)


def attained(d: int, m: Fraction, rate: Fraction, exp_epsilon: Fraction) -> Relation:
    """The conclusion at s = 1 is attained: one user, all pairs of its items, n = 1."""
    pairs = permutations(range(d), 2)
    views = [hockey_stick(algorithm_2(((x,), (y,)), d, m, rate), exp_epsilon) for x, y in pairs]
    bound = exp_epsilon * hockey_stick(constraint_pair(1, d, m, rate), exp_epsilon)
    return equal(function("max", *views), bound)


TRIALS["wang2024/section-5.1.3/tight-s=1"] = for_all(
    cases(d=(2, 3), m=(ONE, Fraction(2)), rate=(ONE, HALF), exp_epsilon=GAMMAS[1:]),
    attained,
    falls=Falls.STEP,
)


def on_items(
    d: int, m: Fraction, rate: Fraction, other_rate: Fraction, items: Items, held: Items
) -> Term:
    """Return the messages if the victim has one of two items and the others have ``held``."""
    one, two = items
    return algorithm_2(((one,), (two,)), d, m, rate, [((x,), other_rate) for x in held])


def some_data(n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> Outcome:
    """Some neighboring data have a view that is above the pair, for every D."""
    views = [
        on_items(d, m, rate, other_rate, items, held)
        for items in permutations(range(d), 2)
        for held in product(range(d), repeat=n - 1)
    ]
    return some_above(named("pair", constraint_pair(n, d, m, rate, 1)), views)


def third_item(
    n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction, extra: int = 1
) -> list[Relation]:
    """All others hold item 2: the view is above the pair, of size n⌈m⌉ + extra."""
    held = on_items(d, m, rate, other_rate, (0, 1), (2,) * (n - 1))
    return dominated(constraint_pair(n, d, m, rate, extra), held)


WITH_A_THIRD_ITEM = everywhere(
    cases(
        n=(1, 2, 3),
        d=(3, 4),
        m=(ONE, HALF, Fraction(3, 2)),
        rate=(HALF, ONE, Fraction(1, 5)),
        other_rate=(HALF, ONE),
    ).where(lambda n, d, m: n * ceil(m) <= 4 and d >= 3),
    d=integers(3),
    rate=reals(above=0, most=1),
)

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
            n__d=[(1, 2), (1, 3), (2, 3), (2, 2)],
            m=(ONE, HALF),
            rate=(HALF, ONE),
            other_rate=lambda rate: [rate],
        ),
        some_data,
        falls=Falls.MISPRINT,
    ),
    "b": AT_LEAST_3,
}

TRIALS["wang2024/repair/proposition-1"] = AT_LEAST_3


def same_data(n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> list[Relation]:
    """Reading (a): user i holds T_{j_0} in both datasets, so that they are equal."""
    both = on_items(d, m, rate, other_rate, (0, 0), (2,) * (n - 1))
    return dominated(named("pair", constraint_pair(n, d, m, rate, 1)), named("view", both))


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
        cases(n=(1, 2, 3), d=(3, 4)).within(n=integers(1, draws=3), d=integers(3, draws=3)),
        data_exist,
        wrong=for_all(cases(n=(1, 2, 3), d=(2, 3)), data_exist),
        proof=proof(
            words("user i holds T_1, or T_2, and every other user T_3: the data differ at i only"),
        ),
    ),
}


def counts_of_two(
    n: int, d: int, m: Fraction, rate: Fraction, other_rate: Fraction, extra: int = 1
) -> list[Relation]:
    """The law of (C_{j_0}, C_{j_1}) is that of the pair, of size n⌈m⌉ + extra."""
    slots, classes = n * ceil(m), ((0,), (1,), tuple(range(2, d + 1)))
    merged = algorithm_2(ITEMS, d, m, rate, (((2,), other_rate),) * (n - 1), classes)
    view, pair = named("view", merged), named("pair", constraint_pair(n, d, m, rate, extra))
    return [
        equal(mass(view, side, (a, b, c + n - 1)), mass(pair, side, (a, b, c + extra - 1)))
        for a, b, c in multisets(slots + 1, 3)
        for side in ("p", "q")
    ]


TRIALS["wang2024/proposition-1/proof/F_counts"] = for_all(
    WITH_A_THIRD_ITEM.where(lambda n: n <= 2),
    counts_of_two,
    wrong=partial(counts_of_two, extra=0),
    proof=proof(COUNTS_OF_TWO),
)
