"""Section 4.4: secrets about the law of a report (Theorem 4), its proof, and its repairs.

Alone, user i's own laws are those of Proposition 2, so Theorem 4 stands or falls with Lemma 1:
on consecutive integers sup Δ* is the largest distance W of the plan, elsewhere it may be
less. Other users add an independent sum to both sides.

The second repair needs no plan. With D in an interval of length d and K the noise's density, the
values K(y − t), t in D, differ by a factor of at most g = e^{d/θ}; with k the least of them

    f_P(y) − f_Q(y) = Σ (P(t) − Q(t)) K(y − t) <= TV (g k − k) <= TV (g − 1) f_Q(y).
"""

from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import follows
from exactdp.claims.cases import Cases, cases
from exactdp.claims.domains import objects, reals
from exactdp.claims.forms import (
    Relation,
    Trials,
    above,
    at_least,
    at_most,
    below,
    equal,
    for_all,
    holding,
)
from exactdp.claims.laws import total_variation_of
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, function, term, total, when
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.law import (
    Law,
    Rest,
    bernoulli,
    drawn_law,
    fractions,
    law,
    laws_on,
    point,
    sum_of,
)
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.printed import P_4, Q_4, USERS_123
from proofs_check.ding2025.steps import MIXED, TRIANGLE
from proofs_check.ding2025.systems import (
    ANOTHER_LAW,
    OTHER_LAWS,
    SOME_OTHERS,
    drawn_pairs,
    everywhere,
    pairs,
)
from proofs_check.ding2025.trials.lemma_1 import (
    ALPHABET,
    BASES,
    CONSECUTIVE,
    INTEGER_GAPS,
    INTEGERS,
    LEMMA_1,
    LEMMA_1_MENDED,
    REAL_GAPS,
    REALS,
    SYMMETRIC,
    Mechanism,
    Points,
)
from proofs_check.ding2025.trials.section_2 import PROPOSITION_1
from proofs_check.ding2025.trials.section_3 import alone_serves, same_as_alone
from proofs_check.ding2025.trials.section_4_1 import plan_figure
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

THEOREM_4 = Mechanism(
    "D",
    "own",
    SOME_OTHERS,
    (lemma("ding2025/proposition-1", PROPOSITION_1, "so theta attains eps alone"), MIXED),
)

TRIALS["ding2025/theorem-4"] = {
    "a": THEOREM_4.with_largest(INTEGERS, INTEGER_GAPS),
    "b": THEOREM_4.with_largest(INTEGERS, CONSECUTIVE, "1", LEMMA_1),
    "c": THEOREM_4.with_largest(REALS, REAL_GAPS),
    "d": THEOREM_4.with_largest(
        partial(LinePair.largest_shift, over=Shifts.DIFFERENCES), REAL_GAPS
    ),
}

TRIALS["ding2025/repair/theorem-4"] = THEOREM_4.with_largest(
    SYMMETRIC, REAL_GAPS, "1 2 5", LEMMA_1_MENDED
)

# F_{X|S}(x + Δ | s_P) − F_{X|S}(x | s_Q) is the average over m, with weights G(m), of h(x − m),
# h(t) = F_P(t + Δ) − F_Q(t), and that t may lie outside of D_i. For Δ = 0 the values of h are
# those on D_i, 0 at the largest; for Δ > 0 its maximum is perhaps on D_i − Δ only.
_COIN = Rest((bernoulli("1/2"),))
_OTHERS = (Rest(), _COIN, *(Rest((law,)) for law in OTHER_LAWS[2:]))


def laws_beside_others(**more: Any) -> Cases:
    """Return pairs of laws on small alphabets beside others."""

    def laws(denominator: int) -> Any:
        return lambda D: list(laws_on(D, denominator))

    alphabets = [Points(map(Fraction, xs)) for xs in ((0, 1), (0, 2), (0, 1, 3), (0, 1, 2))]
    found = cases(D=alphabets, P=laws(2), Q=laws(2), others=_OTHERS, **more)
    return everywhere(found.deep(P=laws(4), Q=laws(4)), D=ALPHABET, Delta=reals(above=0))


@st.composite
def drawn_beside_others(draw: st.DrawFn) -> dict[str, Any]:
    """Draw laws on integers beside others, and Δ."""
    points = sorted(draw(st.sets(st.integers(-3, 4), min_size=1, max_size=4)))
    rest = draw(st.lists(drawn_law(range(-1, 3)), max_size=2))
    return {
        "D": Points(map(Fraction, points)),
        **{side: draw(drawn_law(points)) for side in "PQ"},
        "others": Rest(rest),
        "Delta": Fraction(draw(st.integers(1, 12)), 2),
    }


def sign_cases(D: Points, P: Law, Q: Law, others: Rest, *, strict: bool = True) -> list[Relation]:
    """F_X|P − F_X|Q is at most its maximum on D_i, and negative if that is, positive if ...."""
    own = LinePair.of(P, Q, name="own", points=D)
    x_pair = own.beside(*others)
    gaps = [own.cumulative("p", t) - own.cumulative("q", t) for t in D]
    top, bottom = function("max", *gaps), function("min", *gaps)
    claimed = []
    for x in range(int(x_pair.points[0]) - 1, int(x_pair.points[-1]) + 2):
        gap = x_pair.cumulative("p", x) - x_pair.cumulative("q", x)
        claimed += [
            at_most(gap, top),
            below(when("<" if strict else "<=", top, 0, gap, -1), 0),
            above(when(">" if strict else ">=", bottom, 0, gap, 1), 0),
        ]
    return claimed


TRIALS["ding2025/theorem-4/proof/sign-cases"] = for_all(
    laws_beside_others().drawn(drawn_beside_others),
    sign_cases,
    wrong=partial(sign_cases, strict=False),
    proof=proof(
        words(
            "F_X|P(x) - F_X|Q(x) is an average of values F_P(t) - F_Q(t), t real, which "
            "are those on D_i, 0 at its largest point; so it is at most the maximum on "
            "D_i, which is >= 0, and the minimum is <= 0: both implications are empty"
        ),
    ),
)


def between(
    D: Points, P: Law, Q: Law, others: Rest, Delta: Fraction, *, mended: bool = False
) -> list[Relation]:
    """The difference is the average of h, and lies between minimum and maximum of h over t.

    t runs over D_i and x over the alphabet of X; of the mended form, t over D_i − Δ too, and x
    also where F_{X|S}(x + Δ) steps.
    """
    own = LinePair.of(P, Q, name="own", points=D)
    x_pair, rest = own.beside(*others), sum_of(others)

    def h(t: Fraction) -> Term:
        return own.cumulative("p", t + Delta) - own.cumulative("q", t)

    steps = (0, Delta) if mended else (0,)
    values = [h(t) for t in sorted({t - s for t in D for s in steps})]
    claimed = []
    for x in sorted({t + z - s for t in D for z in rest.points for s in steps}):
        found = x_pair.cumulative("p", x + Delta) - x_pair.cumulative("q", x)
        claimed += [
            equal(found, total([m * h(x - z) for z, m in rest.masses])),
            at_least(found, function("min", *values)),
            at_most(found, function("max", *values)),
        ]
    return claimed


TRIALS["ding2025/theorem-4/proof/bounds"] = for_all(
    laws_beside_others(Delta=[Fraction(1)]), between, falls=Falls.STEP
)

TRIALS["ding2025/repair/theorem-4-bounds"] = for_all(
    laws_beside_others(Delta=lambda others: fractions("1 2 1/2" if others == _COIN else "1")).drawn(
        drawn_beside_others
    ),
    partial(between, mended=True),
    wrong=between,
    proof=proof(
        words(
            "the difference is an average of h(t) = F_P(t+Delta) - F_Q(t), t real; h is "
            "constant between neighbors of D_i and D_i - Delta, 0 below them and 0 at the "
            "largest of D_i"
        ),
    ),
)


def by_total_variation(
    P: Law, Q: Law, others: Rest, growth: Fraction, share: Fraction = Fraction(1)
) -> Relation:
    """Noise with e^{d/θ} = 1 + (E − 1)/TV attains ε, d the length of the alphabet.

    Given growth = e^{1/θ} and integers, E is 1 + TV (growth^d − 1).
    """
    own = LinePair.of(P, Q, name="own")
    length = int(own.points[-1] - own.points[0])
    e = 1 + share * total_variation_of(own.pair) * (term(growth) ** length - 1)
    return at_most(own.beside(*others).worst_ratio(growth), e)


TRIALS["ding2025/repair/theorem-4-total-variation"] = for_all(
    everywhere(
        cases(
            others=SOME_OTHERS,
            **{"P Q": lambda others: list(pairs())[:: 5 if others else 1]},
            growth=[Fraction(2)],
        ),
        Q=ANOTHER_LAW,
    )
    .where(lambda P, Q: P != Q)
    .drawn(drawn_pairs(others=SOME_OTHERS, growth=BASES)),
    by_total_variation,
    wrong=partial(by_total_variation, share=Fraction(9, 10)),
    proof=proof(
        TRIANGLE,
        follows(
            "K(y-t) lies between k and m <= e^(d/theta) k on the set, so f_P - f_Q = up - "
            "down, up <= TV m, down >= TV k, is at most TV (e^(d/theta) - 1) f_Q(y), "
            "e^(d/theta) = 1 + s",
            "tv k m s f up down",
            lambda tv, k, m, s, f, up, down: tv * s * f - (up - down),
            lambda tv, k, m, s, f, up, down: [
                (1, tv * m - up),
                (1, down - tv * k),
                (tv, (1 + s) * k - m),
                (tv * s, f - k),
            ],
        ),
        MIXED,
    ),
)

# The first pair needs less noise beside others.
OWN_USER = everywhere(
    cases(
        **{"P Q": lambda: [(point(1), law({0: "1/2", 2: "1/2"})), *pairs()]},
        others=OTHER_LAWS[1:],
        growth=[Fraction(3)],
    ).where(lambda P, Q: P != Q),
    Q=ANOTHER_LAW,
)

# At every θ the least ε is the same alone and beside others: the smallest θ is the same.
TRIALS["ding2025/section-4.4/own-user"] = {
    "a": for_all(OWN_USER, same_as_alone, falls=Falls.STEP),
    "b": for_all(
        OWN_USER.drawn(drawn_pairs(others=OTHER_LAWS[1:], growth=BASES)),
        alone_serves,
        wrong=same_as_alone,
        proof=theorem("ding2025_own_user"),
    ),
}

ENDS = law({1: "1/2", 5: "1/2"})


def table_3(users123: Rest, base: Fraction, powers: tuple[int, int] = (2, 1)) -> list[Relation]:
    """sup Δ* of Table 3 is 2, and θ = 2/ε attains ε beside any users 1-3.

    e^ε = base^a, e^{1/θ} = base^b, ``powers`` = (a, b).
    """
    own = LinePair.of(P_4, Q_4, name="own", points=range(1, 6))
    return [
        equal(INTEGERS(own, own.points), 2),
        at_most(own.beside(*users123).worst_ratio(base ** powers[1]), term(base) ** powers[0]),
    ]


TRIALS["ding2025/section-4.4/table-3-example"] = for_all(
    everywhere(
        cases(
            users123=[
                Rest(USERS_123),
                Rest([point(1)] * 3),
                Rest([point(1), point(3), ENDS]),
                Rest([ENDS] * 3),
                Rest([USERS_123[2]] * 3),
            ],
            base=BASES,
        ),
        users123=objects("the laws of users 1-3"),
    ).drawn(
        lambda: {
            "users123": st.lists(drawn_law(range(1, 6)), min_size=3, max_size=3).map(Rest),
            "base": st.sampled_from(BASES),
        }
    ),
    table_3,
    wrong=partial(table_3, powers=(1, 1)),
    proof=proof(
        holding(
            "the plan of P_4 and Q_4 moves mass by 2",
            lambda: [equal(LinePair.of(P_4, Q_4).farthest(), 2)],
        ),
        lemma("ding2025/proposition-1", PROPOSITION_1, "theta = 2/eps attains eps alone"),
        MIXED,
    ),
)

TRIALS["ding2025/figure-6"] = plan_figure(P_4, Q_4, distance=2, less="distance")
