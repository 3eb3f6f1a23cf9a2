"""Abstract and Section 1: what depends on the other users, and on who is present."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from exactdp.claims import (
    Falls,
    Relation,
    at_most,
    cases,
    equal,
    for_all,
    function,
    lemma,
    proof,
    words,
)
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.law import Law, bernoulli, laws_on, point
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.steps import MIXED
from proofs_check.ding2025.systems import GROWTHS, OTHER_LAWS, Others, System, drawn_pairs
from proofs_check.ding2025.trials.section_2 import PROPOSITION_1

__all__ = ["ALONE_SERVES", "TRIALS", "alone_serves", "same_as_alone"]


# --- what depends on the other users --------------------------------------------------------


def own_pairs() -> Iterator[tuple[str, Law, Law]]:
    """Yield what two secrets of user i make the user add, for the four sets of pairs."""
    yield "S_a,b", point(3), point(1)
    yield "S_a,absent", point(2), point(0)
    for one in (*laws_on((0, 1), 3), *laws_on((-1, 1), 2), *laws_on((0, 3), 2)):
        yield "S_P,absent", one, point(0)
    for first, second in product(list(laws_on((0, 1, 2), 2)), repeat=2):
        if first != second:
            yield "S_P,Q", first, second


OWN_AND_OTHERS = cases(
    _others=OTHER_LAWS[1:],
    _growth=(Fraction(3), Fraction(3, 2)),
    _own=lambda: own_pairs(),
    pairs=lambda _own: _own[:1],
    P=lambda _own: _own[1:2],
    Q=lambda _own: _own[2:],
    others=lambda _others: [_others],
    growth=lambda _growth: [_growth],
)


def alone_serves(P: Law, Q: Law, others: Law, growth: Fraction) -> Relation:
    """At one θ the ratio of (1) beside others is at most the one alone."""
    own = LinePair.of(P, Q, name="own")
    return at_most(own.beside(others).worst_ratio(growth), own.worst_ratio(growth))


def same_as_alone(P: Law, Q: Law, others: Law, growth: Fraction) -> Relation:
    """At one θ the ratio of (1) is the same alone and beside others.

    The smallest θ of a pair is the same for all others only if this holds at every θ.
    """
    said = alone_serves(P, Q, others, growth)
    return equal(said.right, said.left)


ALONE_SERVES = proof(
    "all P_i, Q_i, eps > 0, theta > 0, all other users (any law of their sum)", MIXED
)


# --- what depends on who is present ---------------------------------------------------------


def conditions(others: Others) -> Callable[[System], list[Relation]]:
    """(21), the one condition that others enter, is what it is if all are present."""

    def says(V: System) -> list[Relation]:
        system = System(V.laws, V.presence, others)
        laws = system.others_of(0), system.all_present.others_of(0)
        p, q = Fraction(1, 4), Fraction(1, 2)
        return [
            equal(*(function("min", 10**6, *_psi(law, p=a, q=b)) for law in laws))
            for a, b in ((p, q), (q, p))
        ]

    return says


def _psi(rest: Law, *, p: Fraction, q: Fraction) -> list[Fraction]:
    return [bounds.psi(p=p, q=q, ratio=m / rest[x - 1]) for x, m in rest.masses if rest[x - 1]]


TRIALS = {
    "ding2025/abstract/own-statistics": {
        "a": for_all(
            OWN_AND_OTHERS.drawn(
                drawn_pairs(pairs=["S_P,Q"], others=OTHER_LAWS[1:], growth=GROWTHS)
            ),
            alone_serves,
            wrong=same_as_alone,
            proof=proof(
                "all four sets of pairs, all others (any law of their sum)",
                MIXED,
                lemma(
                    "ding2025/proposition-1",
                    PROPOSITION_1,
                    "some theta serves alone, such as the largest distance of the plan over eps",
                ),
            ),
        ),
        "b": for_all(OWN_AND_OTHERS, same_as_alone, falls=Falls.STEP),
    },
    "ding2025/section-1/presence": {
        "": for_all(
            cases(
                V=[
                    System((bernoulli("1/2"), law), (Fraction(1, 2), Fraction(zeta)))
                    for law in (*OTHER_LAWS, point(1), bernoulli("2/3"))
                    for zeta in ("1", "1/2", "3/4")
                ]
            ),
            conditions(Others.ALL_PRESENT),
            wrong=conditions(Others.PRESENT_AT_RANDOM),
            proof=proof(
                "Theorems 1-4, Lemmas 5 and 6, with f(D_-i) in (21) the sum of all D_j, j != i "
                "(Section 3)",
                words(
                    "(10), (12)-(14), (16), (18) are written in user i's own a, b, P, Q; (21) in "
                    "p, q and the law of f(D_-i), a sum of reports D_j ~ P_j"
                ),
                words(
                    "zeta_j enters (7)-(9) only by the factor prod zeta_j, common to both secrets "
                    "of a pair, which cancels in (1) unless it is 0"
                ),
            ),
        )
    },
}
