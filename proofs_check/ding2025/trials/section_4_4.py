"""Section 4.4: secrets about the law of a report (Theorem 4), its proof, and its repairs.

Alone, user i's own laws are those of Proposition 2, so Theorem 4 stands or falls with Lemma 1:
on consecutive integers sup Δ* is the largest distance W of the plan, elsewhere it may be
less. Other users add an independent sum to both sides.

The second repair needs no plan. With D in an interval of length d and K the noise's density, the
values K(y − t), t in D, differ by a factor of at most g = e^{d/θ}; with k the least of them

    f_P(y) − f_Q(y) = Σ (P(t) − Q(t)) K(y − t) <= TV (g k − k) <= TV (g − 1) f_Q(y).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Effort
from exactdp.claims.forms import (
    Relation,
    Trials,
    at_least,
    at_most,
    equal,
    for_all,
)
from exactdp.claims.kinds import Sort, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, total
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.bernoulli_user import INTEGER_USERS
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
from proofs_check.ding2025.quantities import (
    Secrets,
    added,
    cumulative_beside,
    farthest_of_pairs,
    power,
    shift_of_pairs,
    spread,
    total_variation,
    worst_beside,
    worst_of_pairs_beside,
)
from proofs_check.ding2025.systems import (
    ANOTHER_LAW,
    KINDS,
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
    REAL_GAPS,
    REALS,
    Laws,
    Mechanism,
    Points,
    drawn_on_alphabets,
    largest_shift_of_pairs,
    law_on,
    of_alphabet,
    on_alphabets,
)
from proofs_check.ding2025.trials.section_3 import alone_serves, same_as_alone
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

THEOREM_4 = Mechanism("D", "own", SOME_OTHERS)


def beside_anyone(D: Points, S: Secrets, others: Rest, growth: Fraction, less: int = 0) -> Relation:
    """Noise with θ = max sup Δ* / ε attains ε beside any others, D consecutive integers."""
    most = largest_shift_of_pairs(D, S) - less if less else largest_shift_of_pairs(D, S)
    return at_most(worst_of_pairs_beside(S, others, growth), power(growth, most))


def every_fifth(effort: Effort) -> Iterator[Laws]:
    """Yield some pairs of laws on 0, ..., n − 1."""
    yield from islice(CONSECUTIVE(effort), 0, None, 5)


TRIALS["ding2025/theorem-4"] = {
    "a": THEOREM_4.with_largest(INTEGERS, INTEGER_GAPS),
    "b": for_all(
        on_alphabets("D", CONSECUTIVE, others=SOME_OTHERS[:1])
        .then(on_alphabets("D", every_fifth, others=SOME_OTHERS[1:]))
        .within(others=INTEGER_USERS, **of_alphabet("D", CONSECUTIVE))
        .drawn(
            drawn_on_alphabets("D", 1, others=st.lists(drawn_law((0, 1, 3)), max_size=2).map(Rest))
        ),
        beside_anyone,
        wrong=partial(beside_anyone, less=1),
        proof=theorem("ding2025_theorem_4"),
    ),
    "c": THEOREM_4.with_largest(REALS, REAL_GAPS),
    "d": THEOREM_4.with_largest(
        partial(LinePair.largest_shift, over=Shifts.DIFFERENCES), REAL_GAPS
    ),
}


def mended(D: Points, S: Secrets, others: Rest, growth: Fraction, less: int = 0) -> list[Relation]:
    """Noise with θ = sup Δ / ε attains ε beside any others, and sup Δ is W_∞, that of the plan."""
    most = shift_of_pairs(D, S) - less if less else shift_of_pairs(D, S)
    return [
        at_most(worst_of_pairs_beside(S, others, growth), power(growth, most)),
        equal(shift_of_pairs(D, S), farthest_of_pairs(S)),
    ]


TRIALS["ding2025/repair/theorem-4"] = for_all(
    on_alphabets("D", others=SOME_OTHERS[:2])
    .within(others=INTEGER_USERS, **of_alphabet("D"))
    .drawn(drawn_on_alphabets("D", others=st.lists(drawn_law((0, 1, 3)), max_size=2).map(Rest))),
    mended,
    wrong=partial(mended, less=1),
    proof=theorem("ding2025_repair_theorem_4"),
)

# F_{X|S}(x + Δ | s_P) − F_{X|S}(x | s_Q) is the average over m, with weights G(m), of h(x − m),
# h(t) = F_P(t + Δ) − F_Q(t), and that t may lie outside of D_i. For Δ = 0 the values of h are
# those on D_i, 0 at the largest; for Δ > 0 its maximum is perhaps on D_i − Δ only.
_COIN = Rest((bernoulli("1/2"),))
_OTHERS = (Rest(), _COIN, *(Rest((law,)) for law in OTHER_LAWS[2:]))


def steps_of_both(D: Points, others: Rest, Delta: Fraction = Fraction(0)) -> list[Fraction]:
    """Return the x at which F_{X|S}(x) or F_{X|S}(x + Δ) steps, and one beyond."""
    found = {t + z - s for t in D for z in sum_of(others).points for s in (0, Delta)}
    return sorted({*found, max(found) + 1})


def laws_beside_others(**more: Any) -> Cases:
    """Return pairs of laws on small alphabets beside others."""

    def laws(denominator: int) -> Any:
        return lambda D: list(laws_on(D, denominator))

    alphabets = [Points(map(Fraction, xs)) for xs in ((0, 1), (0, 2), (0, 1, 3), (0, 1, 2))]
    found = cases(D=alphabets, P=laws(2), Q=laws(2), others=_OTHERS, **more)
    kinds: dict[str, Sort] = {
        "D": ALPHABET,
        **dict.fromkeys("PQ", law_on("D")),
        "others": INTEGER_USERS,
        "Delta": reals(above=0),
    }
    return everywhere(found.deep(P=laws(4), Q=laws(4)), **kinds)


@st.composite
def drawn_beside_others(draw: st.DrawFn, *, Delta: bool = False, x: bool = False) -> dict[str, Any]:
    """Draw laws on integers beside others, and perhaps Δ and x."""
    points = sorted(draw(st.sets(st.integers(-3, 4), min_size=1, max_size=4)))
    rest = draw(st.lists(drawn_law(range(-1, 3)), max_size=2))
    return {
        "D": Points(map(Fraction, points)),
        **{side: draw(drawn_law(points)) for side in "PQ"},
        "others": Rest(rest),
        **({"Delta": Fraction(draw(st.integers(1, 12)), 2)} if Delta else {}),
        **({"x": Fraction(draw(st.integers(-10, 16)), 2)} if x else {}),
    }


@quantity("largest (map (fun t => up_to {1} t - up_to {2} t) {0})")
def most_of_gap(D: Points, P: Law, Q: Law) -> Fraction:
    """Return max over D_i of F_P(t) − F_Q(t)."""
    return max(P.up_to(t) - Q.up_to(t) for t in D)


@quantity("smallest (map (fun t => up_to {1} t - up_to {2} t) {0})")
def least_of_gap(D: Points, P: Law, Q: Law) -> Fraction:
    """Return min over D_i of F_P(t) − F_Q(t)."""
    return min(P.up_to(t) - Q.up_to(t) for t in D)


def sign_cases(
    D: Points, P: Law, Q: Law, others: Rest, x: Fraction, most: Any = most_of_gap
) -> list[Relation]:
    """F_X|P − F_X|Q is at most its maximum on D_i and at least its minimum, so has their signs."""
    gap = cumulative_beside(P, others, x) - cumulative_beside(Q, others, x)
    return [at_most(gap, most(D, P, Q)), at_least(gap, least_of_gap(D, P, Q))]


TRIALS["ding2025/theorem-4/proof/sign-cases"] = for_all(
    laws_beside_others(x=steps_of_both).drawn(partial(drawn_beside_others, x=True)),
    sign_cases,
    wrong=partial(sign_cases, most=least_of_gap),
    proof=theorem("ding2025_sign_cases"),
)


def between(D: Points, P: Law, Q: Law, others: Rest, Delta: Fraction) -> list[Relation]:
    """The difference is the average of h, and lies between minimum and maximum of h over t.

    t runs over D_i and x over the alphabet of X.
    """
    own = LinePair.of(P, Q, name="own", points=D)
    x_pair, rest = own.beside(*others), sum_of(others)

    def h(t: Fraction) -> Term:
        return own.cumulative("p", t + Delta) - own.cumulative("q", t)

    values = [h(t) for t in D]
    claimed = []
    for x in sorted({t + z for t in D for z in rest.points}):
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


@quantity("mean (fun m => up_to {0} ({4} - m + {3}) - up_to {1} ({4} - m)) (sum_of {2})")
def mean_of_steps(P: Law, Q: Law, others: Rest, Delta: Fraction, x: Fraction) -> Fraction:
    """Return Σ_m Pr(f(D_{−i}) = m)(F_P(x−m+Δ) − F_Q(x−m))."""
    steps = ((P.up_to(x - m + Delta) - Q.up_to(x - m), w) for m, w in sum_of(others).masses)
    return sum((h * w for h, w in steps), Fraction(0))


def _steps(D: Points, P: Law, Q: Law, Delta: Fraction) -> list[Fraction]:
    return [P.up_to(t + Delta) - Q.up_to(t) for t in (*D, *(t - Delta for t in D))]


_OVER_T = "(map (fun t => up_to {1} (t + {3}) - up_to {2} t) ({0} ++ map (fun t => t - {3}) {0}))"


@quantity(f"largest {_OVER_T}")
def most_of_steps(D: Points, P: Law, Q: Law, Delta: Fraction) -> Fraction:
    """Return max over T of F_P(t+Δ) − F_Q(t)."""
    return max(_steps(D, P, Q, Delta))


@quantity(f"smallest {_OVER_T}")
def least_of_steps(D: Points, P: Law, Q: Law, Delta: Fraction) -> Fraction:
    """Return min over T of F_P(t+Δ) − F_Q(t)."""
    return min(_steps(D, P, Q, Delta))


def mended_between(
    D: Points, P: Law, Q: Law, others: Rest, Delta: Fraction, x: Fraction
) -> list[Relation]:
    """The difference is the average of h, and lies between minimum and maximum of h over T."""
    average = mean_of_steps(P, Q, others, Delta, x)
    found = cumulative_beside(P, others, x + Delta) - cumulative_beside(Q, others, x)
    return [
        equal(found, average),
        at_least(average, least_of_steps(D, P, Q, Delta)),
        at_most(average, most_of_steps(D, P, Q, Delta)),
    ]


TRIALS["ding2025/repair/theorem-4-bounds"] = for_all(
    laws_beside_others(
        Delta=lambda others: fractions("1 2 1/2" if others == _COIN else "1"), x=steps_of_both
    ).drawn(partial(drawn_beside_others, x=True, Delta=True)),
    mended_between,
    wrong=for_all(laws_beside_others(Delta=[Fraction(1)]), between),
    proof=theorem("ding2025_repair_theorem_4_bounds"),
)


def by_total_variation(
    D: Points,
    P: Law,
    Q: Law,
    others: Rest,
    growth: Fraction,
    tv: Any = total_variation,
) -> Relation:
    """Noise with e^{d/θ} = 1 + (E − 1)/TV attains ε, d the diameter of D.

    Given growth = e^{1/θ}, E is 1 + TV (growth^d − 1).
    """
    e = 1 + tv(P, Q) * (power(growth, spread(D)) - 1)
    return at_most(worst_beside(P, Q, added(others), growth), e)


TRIALS["ding2025/repair/theorem-4-total-variation"] = for_all(
    cases(
        others=SOME_OTHERS,
        **{"P Q": lambda others: list(pairs())[:: 5 if others else 1]},
        D=lambda P, Q: [Points(sorted({*P.points, *Q.points}))],
        growth=[Fraction(2)],
    )
    .where(lambda P, Q: P != Q)
    .within(
        D=ALPHABET,
        P=law_on("D"),
        Q=law_on("D"),
        others=INTEGER_USERS,
        growth=KINDS["growth"],
    )
    .drawn(
        lambda: drawn_pairs(others=SOME_OTHERS, growth=BASES)().map(
            lambda at: {**at, "D": Points(sorted({*at["P"].points, *at["Q"].points}))}
        )
    ),
    by_total_variation,
    wrong=partial(by_total_variation, tv=lambda P, Q: Fraction(9, 10) * total_variation(P, Q)),
    proof=theorem("ding2025_repair_total_variation"),
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
    "a": for_all(OWN_USER, same_as_alone, falls=Falls.REMARK),
    "b": for_all(
        OWN_USER.drawn(drawn_pairs(others=OTHER_LAWS[1:], growth=BASES)),
        alone_serves,
        wrong=same_as_alone,
        proof=theorem("ding2025_own_user"),
    ),
}
