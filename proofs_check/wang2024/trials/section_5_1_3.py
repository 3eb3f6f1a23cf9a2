"""Section 5.1.3: Theorem 3, the privacy of Algorithm 2, its tightness, and Proposition 1."""

from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import ceil
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Relation, Said, Trials, above, at_least, at_most, equal, for_all
from exactdp.claims.kinds import Sort, integers, reals
from exactdp.claims.laws import hockey_stick
from exactdp.claims.terms import Term, function, named, term
from exactdp.claims.verdicts import Falls
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024.blankets import pairs_of_datasets
from proofs_check.wang2024.quantities import (
    ANY_DATA,
    MEASURE,
    OTHERS,
    PAIRS_OF_COUNTS,
    THIRD,
    apart_with_third_item,
    chained,
    counted,
    grown,
    in_set,
    item_apart,
    one_item_apart,
    pair_apart,
    printed,
    told_apart,
    user_apart,
)
from proofs_check.wang2024.trials.views import (
    HALF,
    ITEMS_0_1,
    ONE,
    Items,
    algorithm_2,
    constraint_pair,
    dominated,
    numbers,
    some_above,
    victims,
)

TRIALS: Trials = {}

GAMMAS = (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))


def group_step(
    d: int, slots: int, m: Any, sets: Any, rate: Any, exp_epsilon: Any, power: int = 1
) -> Relation:
    """Compare s items of one user with one item of it, times s e^(s ε') (or, false, 1)."""
    growth = grown(exp_epsilon, sets) if power else 1
    one = one_item_apart(d, slots, m, rate, exp_epsilon)
    return at_most(user_apart(d, slots, m, sets, rate, exp_epsilon), growth * one)


TRIALS["wang2024/section-5.1.3/group-step"] = for_all(
    cases(
        **{"d _s": [(2, 1), (4, 2), (6, 3)]},
        m=(ONE, Fraction(3, 2)),
        slots=lambda m: [ceil(m)],
        rate=(HALF, Fraction(1, 5)),
        exp_epsilon=GAMMAS,
        sets=lambda d, _s: victims(d, _s),
    ).within(**ANY_DATA, exp_epsilon=reals(1)),
    group_step,
    wrong=partial(group_step, power=0),
    proof=theorem("wang2024_group_step"),
)


FORMULA: dict[str, Any] = {
    "rate": (HALF, Fraction(1, 4), ONE, Fraction(3, 4), Fraction(1, 8)),
    "exp_epsilon": GAMMAS,
}

# Several users of one level, the others with a third item; then one user, with one item or two.
SEVERAL = cases(
    _n=(2, 3),
    d=(3, 4, 5),
    m=(ONE, HALF),
    slots=(1,),
    sets=[ITEMS_0_1],
    **FORMULA,
    others=lambda _n, rate: [(((2,), rate),) * (_n - 1)],
).where(lambda d, rate: d * rate >= 1)
ALONE = cases(
    **{"d _s": [(3, 1), (4, 1), (4, 2), (8, 2)]},
    m=(ONE, Fraction(2), HALF),
    slots=lambda m: [ceil(m)],
    sets=lambda d, _s: victims(d, _s),
    **FORMULA,
    others=[()],
).where(lambda d, rate: d * rate >= 1)
ANY_OTHER = cases(
    d=(3, 6),
    m=(ONE, HALF),
    slots=(1,),
    sets=[ITEMS_0_1],
    **FORMULA,
    others=lambda d, rate: [((held, rate),) for held in ((0,), (1,), (2,))],
).where(lambda d, rate: d * rate >= 1)


def of_pair(n: int, d: int, m: Fraction, rate: Fraction, e: Fraction, extra: int = 0) -> Term:
    """Return δ' = D_{e^ε'} of the printed pair, of size n⌈m⌉ + extra."""
    return hockey_stick(named("counts", constraint_pair(n, d, m, rate, extra)), e)


def theorem_3(
    d: int, slots: int, m: Any, sets: Any, rate: Any, exp_epsilon: Any, others: Any
) -> Said:
    """Compare the messages at s ε' with D of the printed pair at ε', times s e^(s ε')."""
    e = exp_epsilon
    bound = grown(e, sets) * of_pair(len(others) + 1, d, m, rate, e)
    true = item_apart(others, d, slots, m, sets, rate, e)
    return at_most(true, bound).given([at_least(term(d) * rate, 1), at_least(e, 1)])


TRIALS["wang2024/theorem-3"] = for_all(
    SEVERAL.then(ALONE).then(ANY_OTHER), theorem_3, falls=Falls.RESULT
)


def of_items(
    d: int,
    slots: int,
    m: Any,
    sets: Any,
    rate: Any,
    exp_epsilon: Any,
    others: Any,
    *,
    hidden: bool = False,
) -> Relation:
    """Compare the messages at s ε' with λ D_{e^ε'}, β = 1, chained (or, false, D with β = λ)."""
    told = rate * told_apart(d, slots, m, exp_epsilon, others)
    if hidden:
        told = of_pair(len(others) + 1, d, m, rate, exp_epsilon, 1)
    true = item_apart(others, d, slots, m, sets, rate, exp_epsilon)
    return at_most(true, chained(exp_epsilon, sets) * told)


TRIALS["wang2024/repair/theorem-3"] = for_all(
    ALONE.then(ANY_OTHER)
    .then(SEVERAL)
    .within(**{**ANY_DATA, "d": integers(2)}, exp_epsilon=reals(1), others=OTHERS),
    of_items,
    wrong=partial(of_items, hidden=True),
    proof=theorem("wang2024_repair_theorem_3"),
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


WITH_A_THIRD_ITEM = (
    cases(
        n=(1, 2, 3),
        d=(3, 4),
        m=(ONE, HALF, Fraction(3, 2)),
        rate=(HALF, ONE, Fraction(1, 5)),
        other_rate=(HALF, ONE),
    )
    .where(lambda n, m: n * ceil(m) <= 4)
    .within(
        n=integers(1),
        d=integers(3),
        m=reals(above=0),
        rate=reals(above=0, most=1),
        other_rate=reals(0, 1),
    )
    .drawn(
        lambda: {
            "n": st.integers(1, 2),
            "d": st.integers(3, 4),
            "m": fractions(Fraction(1, 3), 2, max_denominator=3),
            "rate": fractions(Fraction(1, 5), 1, max_denominator=5),
            "other_rate": fractions(0, 1, max_denominator=5),
        }
    )
)


def third_item(D: Any, d: int, slots: int, m: Any, rate: Any, thirds: Any) -> Relation:
    """All others hold item 2: the view is above the pair, of size n⌈m⌉ + 1."""
    held = apart_with_third_item(D, d, slots, m, rate, thirds)
    return at_least(held, pair_apart(D, d, slots, m, rate, thirds))


WITH_THIRD: dict[str, Sort] = {
    "d": integers(3),
    **{x: ANY_DATA[x] for x in ("slots", "m")},
    "rate": reals(above=0, most=1),
    "thirds": THIRD,
}

AT_LEAST_3 = for_all(
    cases(
        d=(3, 4),
        m=(ONE, HALF, Fraction(3, 2)),
        slots=lambda m: [ceil(m)],
        rate=(HALF, ONE, Fraction(1, 5)),
        thirds=((), (HALF,), (ONE,)),
        D=numbers("1", "2", "3/2", "1/2"),
    ).within(D=MEASURE, **WITH_THIRD),
    third_item,
    wrong=lambda D, d, slots, m, rate, thirds: at_least(
        apart_with_third_item(D, d, slots, m, rate, thirds),
        hockey_stick(constraint_pair(len(thirds) + 1, d, m, rate), D),
    ),
    proof=theorem("wang2024_proposition_1"),
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


def data_exist(n: Any, d: Any) -> Relation:
    """Reading (b): two different data sets with (1), T_{j_1} for the second T_{j_0}, and (2)."""
    return above(pairs_of_datasets(n, d), 0)


TRIALS["wang2024/proposition-1/proof/datasets"] = {
    "a": for_all(WITH_A_THIRD_ITEM, same_data, falls=Falls.MISPRINT),
    "b": for_all(
        cases(n=(1, 2, 3), d=(3, 4)).within(n=integers(1, draws=3), d=integers(3, draws=3)),
        data_exist,
        wrong=for_all(cases(n=(1, 2, 3), d=(2, 3)), data_exist),
        proof=theorem("wang2024_datasets"),
    ),
}


def counts_of_two(d: int, slots: int, m: Any, rate: Any, thirds: Any, event: Any) -> list[Relation]:
    """The law of (C_{j_0}, C_{j_1}) is that of the pair, of size n⌈m⌉ + 1."""
    at = (d, slots, m, rate, thirds, event)
    return [equal(counted(side, *at), printed(side, *at)) for side in (0, 1)]


def counts_of_fewer(**at: Any) -> list[Relation]:
    """False: of the pair of size n⌈m⌉."""
    pair = constraint_pair(len(at["thirds"]) + 1, at["d"], at["m"], at["rate"])
    return [
        equal(x.left, in_set(pair, side, (len(at["thirds"]) + 1) * at["slots"], at["event"]))
        for side, x in enumerate(counts_of_two(**at))
    ]


TRIALS["wang2024/proposition-1/proof/F_counts"] = for_all(
    cases(
        d=(3, 4),
        m=(ONE, HALF, Fraction(3, 2)),
        slots=lambda m: [ceil(m)],
        rate=(HALF, ONE, Fraction(1, 5)),
        thirds=((), (HALF,)),
        event=[((a, b),) for a in range(3) for b in range(3)],
    ).within(**WITH_THIRD, event=PAIRS_OF_COUNTS),
    counts_of_two,
    wrong=counts_of_fewer,
    proof=theorem("wang2024_F_counts"),
)
