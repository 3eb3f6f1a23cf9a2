"""Section 4.4: secrets about the law of a report (Theorem 4), and its repairs.

Alone, user i's own laws are those of Proposition 2, so Theorem 4 stands or falls with Lemma 1:
on consecutive integers sup Δ* is the largest distance W of the plan, elsewhere it may be
less. Other users add an independent sum to both sides.

The second repair needs no plan. With D in an interval of length d and K the noise's density, the
values K(y − t), t in D, differ by a factor of at most g = e^{d/θ}; with k the least of them

    f_P(y) − f_Q(y) = Σ (P(t) − Q(t)) K(y − t) <= TV (g k − k) <= TV (g − 1) f_Q(y).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from hypothesis import strategies as st

from exactdp.audit.algebra import follows
from exactdp.claims import (
    Effort,
    Falls,
    Proof,
    Relation,
    Statement,
    Term,
    at_most,
    cases,
    checked,
    equal,
    for_all,
    lemma,
    proof,
    term,
    total_variation_of,
    value,
)
from exactdp.numbers import Exact
from proofs_check.ding2025.law import Law, drawn_law, law, point, sum_of
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.printed import P_4, Q_4, USERS_123
from proofs_check.ding2025.steps import MIXED, TRIANGLE
from proofs_check.ding2025.systems import SOME_OTHERS, Rest, drawn_pairs, pairs
from proofs_check.ding2025.trials.introduction import ALONE_SERVES, alone_serves
from proofs_check.ding2025.trials.lemma_1 import (
    BASES,
    CONSECUTIVE,
    INTEGER_GAPS,
    INTEGERS,
    LEMMA_1,
    REAL_GAPS,
    REALS,
    SYMMETRIC,
    Alphabets,
    Largest,
    Points,
    attains,
    drawn_laws,
    moves,
    symmetric,
)
from proofs_check.ding2025.trials.section_2 import PROPOSITION_1
from proofs_check.ding2025.trials.section_4_1 import plan_figure

__all__ = ["TRIALS"]


# --- Theorem 4 ------------------------------------------------------------------------------


def theorem_4(
    largest: Largest,
    D: Points,
    P: Law,
    Q: Law,
    others: Rest,
    base: Fraction,
    powers: tuple[int, int] = (1, 1),
) -> Relation:
    """Noise with θ = sup Δ* / ε attains ε beside any others; powers as in Proposition 2."""
    return attains(largest, D, LinePair.of(P, Q, name="own", points=D), others, base, powers)


def by_differences(pair: LinePair, alphabet: Points) -> Term:
    """sup over t of Δ*(t), Δ a difference of the alphabet; no mass moves on a single point."""
    return pair.largest_shift(Shifts.DIFFERENCES, alphabet)


def mechanism(
    largest: Largest,
    alphabets: Alphabets,
    *,
    gaps: Sequence[str] = (),
    lemma_1: Proof | None = None,
) -> Statement:
    """Return Theorem 4: pairs of laws alone, then every fifth of them beside others."""

    def noisy(D: Points, P: Law, Q: Law) -> bool:
        return moves(largest, D, P, Q)

    def some(rest: Rest, effort: Effort) -> list[tuple[Points, Law, Law]]:
        return list(alphabets(effort))[:: 5 if rest else 1]

    found = cases(
        _rest=SOME_OTHERS,
        _laws=lambda _rest: some(_rest, Effort.DEFAULT),
        D=lambda _laws: _laws[:1],
        P=lambda _laws: _laws[1:2],
        Q=lambda _laws: _laws[2:],
        others=lambda _rest: [_rest],
        base=BASES[:1],
    ).deep(_laws=lambda _rest: some(_rest, Effort.DEEP))
    says = partial(theorem_4, largest)
    if lemma_1 is None:
        return for_all(found.where(noisy), says, falls=Falls.RESULT)
    rests = st.lists(drawn_law((0, 1, 3)), max_size=2).map(Rest)
    drawn = drawn_laws(gaps, "D", others=rests, base=st.sampled_from(BASES))
    return for_all(
        found.where(noisy).drawn(
            lambda: drawn().filter(lambda at: noisy(at["D"], at["P"], at["Q"]))
        ),
        says,
        wrong=partial(says, powers=(2, 3)),
        proof=proof(
            f"{lemma_1.domain} as alphabet D_i, eps > 0, all other users",
            lemma("ding2025/lemma-1", lemma_1, "sup Delta* is the plan's largest distance"),
            lemma("ding2025/proposition-1", PROPOSITION_1, "so theta attains eps alone"),
            MIXED,
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
    return at_most(others.beside(own).worst_ratio(growth), e)


# --- other users, and Table 3 ---------------------------------------------------------------


def beside(P: Law, Q: Law, others: Rest, growth: Fraction) -> Relation:
    """What is attained alone is attained beside others."""
    return alone_serves(P, Q, sum_of(others), growth)


def same_alone(P: Law, Q: Law, others: Rest, growth: Fraction) -> Relation:
    """At every θ the least ε is the same alone and beside others: the smallest θ is the same."""
    said = beside(P, Q, others, growth)
    return equal(said.right, said.left)


def different_pairs() -> list[tuple[Law, Law]]:
    """Return pairs of laws; the first needs less noise beside others."""
    return [(point(1), law({0: "1/2", 2: "1/2"})), *((p, q) for p, q in pairs() if p != q)]


OWN_USER = cases(
    _pair=lambda: different_pairs(),
    P=lambda _pair: _pair[:1],
    Q=lambda _pair: _pair[1:],
    others=SOME_OTHERS[1:],
    growth=[Fraction(3)],
)


def table_3(users123: Rest, base: Fraction, powers: tuple[int, int] = (2, 1)) -> list[Relation]:
    """sup Δ* of Table 3 is 2, and θ = 2/ε attains ε beside any users 1-3.

    e^ε = base^a, e^{1/θ} = base^b, ``powers`` = (a, b).
    """
    own = LinePair.of(P_4, Q_4, name="own", points=range(1, 6))
    return [
        equal(own.largest_shift(Shifts.INTEGERS, own.points), 2),
        at_most(users123.beside(own).worst_ratio(base ** powers[1]), term(base) ** powers[0]),
    ]


ENDS = law({1: "1/2", 5: "1/2"})


TRIALS = {
    "ding2025/theorem-4": {
        "a": mechanism(INTEGERS, INTEGER_GAPS),
        "b": mechanism(INTEGERS, CONSECUTIVE, gaps=("1",), lemma_1=LEMMA_1),
        "c": mechanism(REALS, REAL_GAPS),
        "d": mechanism(by_differences, REAL_GAPS),
    },
    "ding2025/section-4.4/own-user": {
        "a": for_all(OWN_USER, same_alone, falls=Falls.STEP),
        "b": for_all(
            OWN_USER.drawn(drawn_pairs(others=SOME_OTHERS, growth=BASES)),
            beside,
            wrong=same_alone,
            proof=ALONE_SERVES,
        ),
    },
    "ding2025/section-4.4/table-3-example": {
        "": for_all(
            cases(
                users123=[
                    Rest(users)
                    for users in (
                        USERS_123,
                        [point(1)] * 3,
                        [point(1), point(3), ENDS],
                        [ENDS] * 3,
                        [USERS_123[2]] * 3,
                    )
                ],
                base=BASES,
            ).drawn(
                lambda: st.fixed_dictionaries(
                    {
                        "users123": st.lists(drawn_law(range(1, 6)), min_size=3, max_size=3).map(
                            Rest
                        ),
                        "base": st.sampled_from(BASES),
                    }
                )
            ),
            table_3,
            wrong=partial(table_3, powers=(1, 1)),
            proof=proof(
                "eps > 0, all laws of users 1-3",
                checked(
                    "the plan of P_4 and Q_4 moves mass by 2",
                    lambda: value(LinePair.of(P_4, Q_4).farthest()) == Exact(2),
                ),
                lemma("ding2025/proposition-1", PROPOSITION_1, "theta = 2/eps attains eps alone"),
                MIXED,
            ),
        )
    },
    "ding2025/figure-6": {"": plan_figure(P_4, Q_4, distance=2, by_theorem=2, less="distance")},
    "ding2025/repair/theorem-4": {
        "": mechanism(symmetric, REAL_GAPS, gaps=("1", "2", "5"), lemma_1=SYMMETRIC)
    },
    "ding2025/repair/theorem-4-total-variation": {
        "": for_all(
            cases(
                others=SOME_OTHERS,
                _pair=lambda others: [
                    (p, q) for p, q in list(pairs())[:: 5 if others else 1] if p != q
                ],
                P=lambda _pair: _pair[:1],
                Q=lambda _pair: _pair[1:],
                growth=[Fraction(2)],
            ).drawn(
                lambda: drawn_pairs(others=SOME_OTHERS, growth=BASES)().filter(
                    lambda at: at["P"] != at["Q"]
                )
            ),
            by_total_variation,
            wrong=partial(by_total_variation, share=Fraction(9, 10)),
            proof=proof(
                "all P_i != Q_i on a set of diameter d, eps > 0, all other users",
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
    },
}
