"""Figures 1-3, 6 and 7, and the example of Table 3: the plan (6), and the scales that follow.

The paper computes them beside users 1-3 of Table 2. They hold beside any other users, in Figures 6
and 7 any whose sum is an integer: so they are tried, and proved, beside others too.
"""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import Objects, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term
from exactdp.coq.values import coq_value
from exactdp.testing.later import st
from proofs_check.ding2025.bernoulli_user import INTEGER_USERS
from proofs_check.ding2025.law import Law, Rest, bernoulli, drawn_law, fractions, law, point, sum_of
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.printed import P_4, Q_4, USERS_123
from proofs_check.ding2025.quantities import added, power, worst_beside
from proofs_check.ding2025.systems import KINDS, LAW, OTHER_LAWS, System, everywhere
from proofs_check.ding2025.trials.lemma_1 import BASES, Points, largest_shift
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

TABLE_2 = sum_of(USERS_123)
"""The law of what users 1-3 add."""

INTEGER_LAW = objects(
    "any law of the others' sum, on finitely many integers",
    condition=lambda others: all(x.denominator == 1 for x in others.points),
    coq=("law R", "is_law {0} /\\ integers {0}", ""),
)


def exactly(one: Law) -> Objects:
    """Return this law alone, as a kind."""
    return objects(f"the law {one}", coq=("law R", f"{{0}} = {coq_value('law R', one)}", ""))


@quantity("farthest (plus {0} {2}) (plus {1} {2})", name="farthest_beside")
def farthest_beside(P: Law, Q: Law, others: Law) -> Term:
    """Return the largest |x − x'| on the support of the plan (6) beside others."""
    return LinePair.of(P, Q, name="own").beside(others).farthest()


def shown(
    P: Law, Q: Law, others: Law, base: Fraction, *, distance: int, noise: int
) -> list[Relation]:
    """The plan moves mass as far as the paper says; e^{1/θ} = base attains e^ε = base^noise."""
    return [
        equal(farthest_beside(P, Q, others), distance),
        at_most(worst_beside(P, Q, others, base), power(base, noise)),
    ]


def plan_figure(
    first: Law, second: Law, name: str, *, distance: int, less: str, whole: bool = False
) -> Statement:
    """Return a figure for two laws of user 4 beside others: a theorem.

    Its variant takes a smaller distance, or scales the noise to one.
    """
    says = partial(shown, distance=distance, noise=distance)
    kinds = {"P": exactly(first), "Q": exactly(second), "others": INTEGER_LAW if whole else LAW}
    return for_all(
        everywhere(
            cases(
                others=(TABLE_2, *OTHER_LAWS),
                base=fractions("2 11/10 5 101/100"),
                P=[first],
                Q=[second],
            ).printed("P Q others base"),
            **kinds,
        ).drawn(
            lambda: {
                "P": st.just(first),
                "Q": st.just(second),
                "others": drawn_law(range(-2, 4)),
                "base": st.sampled_from(fractions("3 3/2 1001 1001/1000")),
            }
        ),
        says,
        wrong=partial(says, **{less: distance - 1}),
        proof=theorem(f"ding2025_{name}"),
    )


ABSENT = point(0)

TRIALS["ding2025/figure-1"] = plan_figure(
    point(5), point(3), "figure_1", distance=abs(5 - 3), less="noise"
)
TRIALS["ding2025/figure-2"] = plan_figure(point(5), ABSENT, "figure_2", distance=5, less="noise")
TRIALS["ding2025/figure-3"] = plan_figure(
    P_4, ABSENT, "figure_3", distance=P_4.largest_size, less="noise"
)


@quantity("(certain {0})", name="certain")
def of_value(a: Fraction) -> Law:
    """Return the law of one report."""
    return point(a)


def caption(
    P: Law, Q: Law, others: Law, a: Fraction, rest: Law, base: Fraction, distance: int = 5
) -> list[Relation]:
    """The plan of (s_{P_4}, s_⊥) moves mass by 5; θ = 5/ε attains ε on it and each (s_a, s_⊥)."""
    return [
        *shown(P, Q, others, base, distance=5, noise=distance),
        at_most(worst_beside(of_value(a), Q, rest, base), power(base, distance)),
    ]


def beside_users() -> list[tuple[int, Law]]:
    """Return each report together with the sum that the user's others add."""
    system = System((*USERS_123, P_4))
    return [(a, system.others_of(i)) for i, a in product(range(4), range(5, 0, -1))]


TRIALS["ding2025/figure-3/caption"] = for_all(
    everywhere(
        cases(
            others=[TABLE_2, OTHER_LAWS[0]],
            base=[Fraction(2), Fraction(11, 10)],
            **{"a rest": lambda others: beside_users() if others == TABLE_2 else [(3, others)]},
            P=[P_4],
            Q=[ABSENT],
        ).printed("P Q others a rest base"),
        P=exactly(P_4),
        Q=exactly(ABSENT),
        others=LAW,
        a=reals(1, 5),
        rest=LAW,
    ),
    caption,
    wrong=partial(caption, distance=4),
    proof=theorem("ding2025_figure_3_caption"),
)

ENDS = law({1: "1/2", 5: "1/2"})
FIVE = Points(map(Fraction, range(1, 6)))


def table_3(
    D: Points, P: Law, Q: Law, users123: Rest, base: Fraction, noise: int = 2
) -> list[Relation]:
    """sup Δ* of Table 3 is 2, and θ = 2/ε attains ε beside any users 1-3."""
    return [
        equal(largest_shift(D, P, Q), 2),
        at_most(worst_beside(P, Q, added(users123), base), power(base, noise)),
    ]


def tables_2() -> list[Rest]:
    """Return laws of users 1-3, those of Table 2 first."""
    return [
        Rest(USERS_123),
        Rest([point(1)] * 3),
        Rest([point(1), point(3), ENDS]),
        Rest([ENDS] * 3),
        Rest([USERS_123[2]] * 3),
    ]


def drawn_tables() -> Any:
    """Return strategies for laws of users 1-3."""
    return {
        "D": st.just(FIVE),
        "P": st.just(P_4),
        "Q": st.just(Q_4),
        "users123": st.lists(drawn_law(range(1, 6)), min_size=3, max_size=3).map(Rest),
        "base": st.sampled_from(BASES),
    }


TRIALS["ding2025/section-4.4/table-3-example"] = for_all(
    cases(D=[FIVE], P=[P_4], Q=[Q_4], users123=tables_2, base=BASES)
    .within(
        D=objects("the points 1, ..., 5", coq=("list R", "{0} = [1; 2; 3; 4; 5]", "")),
        P=exactly(P_4),
        Q=exactly(Q_4),
        users123=INTEGER_USERS,
        base=KINDS["base"],
    )
    .drawn(drawn_tables),
    table_3,
    wrong=partial(table_3, noise=1),
    proof=theorem("ding2025_table_3_example"),
)

TRIALS["ding2025/figure-6"] = plan_figure(
    P_4, Q_4, "figure_6", distance=2, less="distance", whole=True
)
TRIALS["ding2025/figure-7"] = plan_figure(
    bernoulli("1/5"), bernoulli("9/10"), "figure_7", distance=1, less="distance", whole=True
)
