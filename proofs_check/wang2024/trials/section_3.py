"""Section 3: Lemma 1, the variation property, and the parameters of Theorem 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import follows, identity
from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Term,
    above,
    at_least,
    at_most,
    cases,
    equal,
    finite_pair,
    for_all,
    function,
    hockey_stick,
    ldp_ratio,
    named,
    positive_part,
    proof,
    shuffle_pair,
    term,
    total,
    total_variation_of,
    words,
)
from exactdp.testing import probability_vectors
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    Row,
    Trials,
    dominated,
    reduction_counts,
)

__all__ = ["LEMMA_1", "MIXTURES", "TRIALS", "drawn_rows", "letters_share", "positive_laws"]

TRIALS: Trials = {}

Rows = tuple[Row, ...]


# --- Section 3.1, Lemma 1 ------------------------------------------------------------------------


def chain(s: int, exp_epsilon: Fraction, delta: Fraction) -> tuple[Row, ...]:
    """Return laws that attain the sum of the e^(i ε) δ: x_i = e^ε x_(i+1) + δ."""
    masses = [Fraction(0)]
    for _ in range(s):
        masses.append(exp_epsilon * masses[-1] + delta)
    return tuple((x, 1 - x) for x in reversed(masses))


def lemma_1(exp_epsilon: Fraction, laws: Sequence[Row], growth: int = 1) -> list[Relation]:
    """A protocol on s bits whose output has law number (sum of the bits).

    Data that differ in one entry have neighboring sums, in all entries the sums 0 and s.
    """
    s = len(laws) - 1

    def delta(i: int, j: int, e: Fraction) -> Any:
        return hockey_stick(finite_pair(laws[i], laws[j]), e)

    steps = [delta(*ends, exp_epsilon) for i in range(s) for ends in ((i, i + 1), (i + 1, i))]
    bound = s * exp_epsilon ** (growth * s) * named("delta", function("max", *steps))
    apart = [(i, j) for i in range(s + 1) for j in range(s + 1) if i != j]
    return [at_most(delta(i, j, exp_epsilon**s), bound) for i, j in apart]


def drawn_chains() -> st.SearchStrategy[dict[str, Any]]:
    """Draw e^ε and laws of the sums."""
    laws = st.integers(1, 3).flatmap(lambda s: st.tuples(*[probability_vectors(size=3)] * (s + 1)))
    return st.fixed_dictionaries(
        {"exp_epsilon": st.fractions(1, 3, max_denominator=4), "laws": laws}
    )


LEMMA_1 = proof(
    "all protocols, ε >= 0, δ >= 0, s >= 1",
    follows(
        "P_0 <= t P + δ S at an event and P <= e^ε P' + δ give P_0 <= t e^ε P' + δ (S + t)",
        "P_0 P P_1 t e S delta",
        lambda P_0, P, P_1, t, e, S, delta: t * e * P_1 + delta * (S + t) - P_0,
        lambda P_0, P, P_1, t, e, S, delta: [
            (1, t * P + delta * S - P_0),
            (t, e * P_1 + delta - P),
        ],
    ),
    words(
        "so along a chain of t <= s changes of one entry P_0 <= e^(tε) P_t + "
        "δ (1 + e^ε + ... + e^((t-1)ε)); every term of the sum is at most e^(sε), and a smaller t "
        "is the stronger statement"
    ),
)

TRIALS["wang2024/lemma-1"] = {
    "": for_all(
        cases(
            _s=(1, 2, 3),
            exp_epsilon=(ONE, Fraction(3, 2), Fraction(2)),
            _delta=(Fraction(1, 30), Fraction(1, 100)),
            laws=lambda _s, exp_epsilon, _delta: [chain(_s, exp_epsilon, _delta)],
        ).drawn(drawn_chains),
        lemma_1,
        wrong=lambda exp_epsilon, laws: lemma_1(exp_epsilon, laws, growth=0),
        proof=LEMMA_1,
    )
}


# --- Section 3.3, the variation property ---------------------------------------------------------


def of_first_user(R_1: Rows, R_2: Rows) -> tuple[Fraction, Fraction, Fraction]:
    """Return p and β of R_1's two rows, and q for R_2's rows against them."""
    p = max(max(u / v, v / u) for u, v in zip(*R_1, strict=True))
    beta = sum((max(u - v, Fraction(0)) for u, v in zip(*R_1, strict=True)), Fraction(0))
    q = max(row[y] / other[y] for row in R_2 for other in R_1 for y in range(2))
    return max(p, Fraction(2)), beta, max(q, ONE)


def pair_is_defined(R_1: Rows, R_2: Rows) -> bool:
    """Return whether C has a probability."""
    p, beta, q = of_first_user(R_1, R_2)
    return bool(bounds.letters_probability(None, p=p, beta=beta, q=q) <= 1)


def first_users_property(R_1: Rows, R_2: Rows) -> Said:
    """The variation property of user 1 is all that is known; the victim is user 2."""
    p, beta, q = of_first_user(R_1, R_2)
    view = shuffle_pair([*R_2, R_1[0]], inputs=(0, 1), others=[(2, 1)])
    ways = [finite_pair(*R_1), finite_pair(*reversed(R_1))]
    return Said(
        dominated(named("view", view), named("counts", reduction_counts(2, p, beta, q))),
        [
            *(equal(hockey_stick(way, p), 0) for way in ways),
            *(at_most(hockey_stick(way, 1), beta) for way in ways),
            *(
                equal(hockey_stick(finite_pair(row, other), q), 0)
                for row, other in product(R_2, R_1)
            ),
        ],
    )


COIN, BIASED = (HALF, HALF), (Fraction(2, 3), Fraction(1, 3))
RESPONSES = [(COIN, COIN), (BIASED, BIASED[::-1])]


def victims_mixtures(rows: Rows, ratio: Callable[..., Any] = ldp_ratio) -> list[Relation]:
    """(3), (4): pα Q^0 + α Q^1 and α Q^0 + pα Q^1 leave one measure of weight 1 - α - pα."""
    p = named("p", ratio(rows))
    beta = named("beta", total_variation_of(finite_pair(*rows)))
    ends = [(term(u), term(v)) for u, v in zip(*rows, strict=True)]
    one = [positive_part(u - v) / (p - 1) for u, v in ends]
    two = [positive_part(v - u) / (p - 1) for u, v in ends]
    rest = [u - p * a - b for (u, _), a, b in zip(ends, one, two, strict=True)]
    also = [v - a - p * b for (_, v), a, b in zip(ends, one, two, strict=True)]
    return [
        *(at_least(x, 0) for x in rest),
        *(equal(x, y) for x, y in zip(rest, also, strict=True)),
        equal(total(rest), 1 - beta / (p - 1) - p * beta / (p - 1)),
        at_least(total(rest), 0),
    ]


def one_way(rows: Rows) -> Any:
    """The largest ratio of the first row to the second."""
    return term(max(u / v for u, v in zip(*rows, strict=True)))


def positive_laws(weight: int, outcomes: int = 3) -> list[Row]:
    """Return the positive laws with this denominator."""
    return [
        tuple(Fraction(w, weight) for w in ws)
        for ws in product(range(1, weight), repeat=outcomes)
        if sum(ws) == weight
    ]


def drawn_rows(count: int, size: int) -> st.SearchStrategy[tuple[Row, ...]]:
    """Draw positive laws, the first two different."""
    law = probability_vectors(size=size).filter(lambda masses: min(masses) > 0)
    return st.tuples(*[law] * count).filter(lambda rows: rows[0] != rows[1])


MIXTURES = (
    identity(
        "where u = R_v(x)(y) >= v = R_v(x')(y) both rows leave (p v - u)/(p-1) beside the "
        "letters, at least 0 by D_p = 0, and u < v is the same with the rows exchanged",
        "u v t",
        lambda u, v, t: (u - (1 + t) * (u - v) / t, ((1 + t) * v - u) / t),
        lambda u, v, t: (v - (u - v) / t, ((1 + t) * v - u) / t),
    ),
    identity(
        "with sums 1-β of the smaller and 1+β of the larger masses what is left sums to 1-α-pα",
        "b t",
        lambda b, t: (((1 + t) * (1 - b) - (1 + b)) / t, 1 - b / t - (1 + t) * b / t),
    ),
)

TRIALS["wang2024/section-3.3/variation-property"] = {
    "a": for_all(
        cases(
            v=(2,),
            R_1=RESPONSES,
            R_2=[*RESPONSES, ((ONE, ONE - 1), (ONE - 1, ONE))],
        ).where(pair_is_defined),
        first_users_property,
        falls=Falls.MISPRINT,
    ),
    "b": for_all(
        cases(_one=positive_laws(5), _two=positive_laws(5), rows=lambda _one, _two: [(_one, _two)])
        .where(lambda rows: rows[0] != rows[1])
        .deep(_one=positive_laws(8), _two=positive_laws(8))
        .drawn(lambda: drawn_rows(2, 4).map(lambda rows: {"rows": rows})),
        victims_mixtures,
        wrong=lambda rows: victims_mixtures(rows, one_way),
        proof=proof(
            "all finite rows with D_p = 0 both ways, β their total variation",
            *MIXTURES,
            follows(
                "1-α-pα = (p+1)/(p-1) ((p-1)/(p+1) - β) >= 0",
                "b t",
                lambda b, t: 1 - b / t - (1 + t) * b / t,
                lambda b, t: [((2 + t) / t, t / (2 + t) - b)],
            ),
        ),
    ),
}


# --- the parameters of Theorem 1 -----------------------------------------------------------------


def shapes(*, least: Fraction | None = None) -> Cases:
    """p > 1, β in [0, (p-1)/(p+1)] and q from 1 on, or from 1 + least·β on."""
    more: Any = (ONE, Fraction(2), Fraction(5, 4))
    if least is not None:
        more = lambda beta: (1 + least * beta, 1 + least * beta + HALF)  # noqa: E731
    return cases(
        p=(Fraction(2), Fraction(3), Fraction(3, 2), Fraction(10)),
        _part=(ONE, HALF, Fraction(1, 4), Fraction(0)),
        beta=lambda p, _part: [_part * (p - 1) / (p + 1)],
        q=more,
    )


def letters_share(p: Any, beta: Any, q: Any, gamma: Fraction = ONE) -> Said:
    """C's success probability, times γ in the proof of Theorem 2, is one."""
    p, beta, q = term(p), term(beta), term(q)
    share = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
    asked = [above(p, 1), at_most(beta, (p - 1) / (p + 1)), at_least(q, 1), at_most(gamma, 1)]
    return at_most(share, 1).given(asked)


TRIALS["wang2024/theorem-1/parameters"] = {"": for_all(shapes(), letters_share, falls=Falls.STEP)}


def all_probabilities(p: Fraction, beta: Fraction, q: Fraction) -> list[Relation]:
    """The three parameters of Theorem 1 are in [0, 1]."""
    values = [
        bounds.letters_probability(None, p=p, beta=beta, q=q),
        bounds.first_probability(None, p=p, beta=beta),
        bounds.second_probability(None, p=p, beta=beta),
    ]
    return [relation for x in values for relation in (at_least(x, 0), at_most(x, 1))]


SECOND_IS_PROBABILITY = follows(
    "p-1-βp-β = (p+1)((p-1)/(p+1) - β) >= 0, and p-1-βp > 0 as it is that and β, or p > 1 at β = 0",
    "b t",
    lambda b, t: t - b * (1 + t) - b,
    lambda b, t: [(2 + t, t / (2 + t) - b)],
)

REPAIRED_PARAMETERS = proof(
    "all p > 1, β in [0, (p-1)/(p+1)], q >= 1 + β",
    follows(
        "C: (p-1)q - 2βp = (p+1)((p-1)/(p+1) - β) + (p-1)(q-1-β) >= 0",
        "b t q",
        lambda b, t, q: t * q - 2 * b * (1 + t),
        lambda b, t, q: [(2 + t, t / (2 + t) - b), (t, q - 1 - b)],
    ),
    follows(
        "Δ_1: p-1-βp = p((p-1)/(p+1) - β) + (p-1)/(p+1) >= 0",
        "b t",
        lambda b, t: t - b * (1 + t),
        lambda b, t: [(1 + t, t / (2 + t) - b), (t / (2 + t), 1)],
    ),
    SECOND_IS_PROBABILITY,
    follows(
        "q w >= u and q w >= v at each message of another user, summed where u >= v and where "
        "u < v, of masses a and b under the victim's rows there: q >= 1 + β",
        "W_1 W_2 q U V",
        lambda W_1, W_2, q, U, V: q * (W_1 + W_2) - (U + V),
        lambda W_1, W_2, q, U, V: [(1, q * W_1 - U), (1, q * W_2 - V)],
    ),
)

TRIALS["wang2024/repair/theorem-1/parameters"] = {
    "": for_all(
        shapes(least=ONE),
        all_probabilities,
        wrong=for_all(shapes(least=Fraction(1, 4)), all_probabilities),
        proof=REPAIRED_PARAMETERS,
    )
}


# --- Δ_2 -----------------------------------------------------------------------------------------


def second_letter(p: Term, beta: Term, share: Callable[..., Any]) -> Said:
    """P(Δ_2 = 1), where Δ_1 = 0 and where it is 1, adds up to α = β/(p-1), and one is 0."""
    first = bounds.first_probability(None, p=p, beta=beta)
    second = bounds.second_probability(None, p=p, beta=beta)
    alone, both = share(first, second)
    return Said(
        [equal(alone + both, beta / (p - 1)), equal(both, 0)],
        [above(p, 1), at_most(beta, (p - 1) / (p + 1))],
    )


def whatever_first_is(p: Fraction, beta: Fraction) -> Said:
    """Reading (a): Bernoulli, whatever Δ_1 is."""
    return second_letter(term(p), term(beta), lambda one, two: ((1 - one) * two, one * two))


def given_first(p: Fraction, beta: Fraction) -> Said:
    """Reading (b): zero where Δ_1 = 1."""
    return second_letter(term(p), term(beta), lambda one, two: ((1 - one) * two, term(0)))


LETTERS = cases(**{k: v for k, v in shapes().axes.items() if k != "q"}).where(lambda beta: beta > 0)

TRIALS["wang2024/theorem-1/Delta_2"] = {
    "a": for_all(LETTERS, whatever_first_is, falls=Falls.MISPRINT),
    "b": for_all(
        LETTERS,
        given_first,
        wrong=whatever_first_is,
        proof=proof(
            "all p > 1, β in [0, (p-1)/(p+1)]",
            identity(
                "(1 - βp/(p-1)) β/(p-1-βp) = β/(p-1), and Δ_2 = 0 where Δ_1 = 1",
                "b t",
                lambda b, t: (
                    (1 - bounds.first_probability(None, p=1 + t, beta=b))
                    * bounds.second_probability(None, p=1 + t, beta=b),
                    b / t,
                ),
            ),
            SECOND_IS_PROBABILITY,
        ),
    ),
}
