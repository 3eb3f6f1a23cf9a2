"""What does hold: weights of copies, (5) at its best t, randomized response, any randomizers."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import identity, nonnegative
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases, listed
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_least, at_most, equal, for_all
from exactdp.claims.laws import hockey_stick, ldp_ratio
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, formula, function, term
from exactdp.claims.values import exact_value
from exactdp.mechanisms import Randomizer
from exactdp.shuffle import letter_weight, variation_ratio_decomposition
from exactdp.testing import fractions, probability_vectors
from proofs_check.lemmas.clones import CLONES, letter_counts
from proofs_check.lemmas.theorems import in_coq
from proofs_check.lemmas.trials.divergences import JOINT_CONVEXITY
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.randomizers import Matrix
from proofs_check.liu2024.theorems import (
    Profile,
    breakpoints,
    counted,
    equation_5,
    responding,
    response_cases,
)
from proofs_check.liu2024.trials.section_3_1 import different
from proofs_check.liu2024.trials.section_3_3 import OTHERS, telling_victim

TRIALS: Trials = {}

TRIALS["liu2024/repair/equation-2"] = CLONES


def largest_copies(both: Any, w: Any, p: Any, more: Any, share: int = 1) -> list[Relation]:
    """(4) at a message with u + v = both > 0: p up to w/(u + v) leaves nothing negative.

    Any more leaves −more (u + v), below 0: so the least w/(u + v) of all messages is the largest p.
    """
    w, largest = term(w), term(w) / both
    return [
        at_least(w - share * p * both, 0),
        equal(w - (largest + more) * both, -term(more) * both),
    ]


TRIALS["liu2024/repair/equation-4"] = for_all(
    cases(
        both=[Fraction(1), Fraction(1, 3)],
        w=[Fraction(1, 4)],
        p=lambda both, w: [w / both, Fraction(0)],
        more=[Fraction(1, 8)],
    ).within(
        both=reals(above=0),
        w=reals(0),
        p=reals(0, lambda w, both: w / both),
        more=reals(above=0),
    ),
    largest_copies,
    wrong=partial(largest_copies, share=2),
    proof=in_numbers(text="the claim itself, at each message"),
)


def responses(profile: Profile, exp_epsilon: Fraction) -> Relation:
    """The true δ against the largest value of (5)."""
    return at_most(profile.delta(exp_epsilon), profile.bound(exp_epsilon))


def leaky() -> Iterator[Matrix]:
    """The victim sends two letters that nobody else sends."""
    for weights in ((2, 1, 5, 1), (2, 1, 4, 2), (3, 1, 8, 3)):
        a, b, c, d = (Fraction(x, sum(weights)) for x in weights)
        yield ((a, b, c, d), (b, a, d, c), (Fraction(0),) * 2 + (Fraction(1, 2),) * 2)


def any_rows() -> st.SearchStrategy[Matrix]:
    """Draw the victim's rows and another user's, of four letters."""
    law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
    return st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1])


ANY_ROWS = (
    cases(rows=lambda: different(3, 5), n=(2, 3), exp_epsilon=[Fraction(11, 10)])
    .then(cases(rows=leaky, n=(2, 3), exp_epsilon=[Fraction(5, 4), Fraction(3, 2)]))
    .within(
        rows=objects("the victim's two rows, which differ, and the other users'", any_rows),
        n=integers(1, draws=3),
        exp_epsilon=reals(1),
    )
)


def personalized(rows: Matrix, n: int, exp_epsilon: Fraction) -> Relation:
    """The smaller of the bounds with the letters of the positive parts and the clones'."""
    r = Randomizer.from_matrix(rows)
    parts = variation_ratio_decomposition(Randomizer(r.rows[:2]), others=r.rows[2:])
    v = parts.first + parts.second
    weight = letter_weight([letter.law for letter in parts.letters], r.rows[2:])
    x = exact_value(ldp_ratio(rows[:2]))
    by_rows = letter_weight(list(r.rows[:2]), r.rows[2:])
    found = (
        v * hockey_stick(letter_counts(n, parts.first / v, parts.second / v, weight), exp_epsilon),
        hockey_stick(letter_counts(n, x / (x + 1), 1 / (x + 1), by_rows), exp_epsilon),
    )
    return at_most(Profile(rows, (n - 1,)).delta(exp_epsilon), function("min", *found))


def by_test(rows: Matrix, n: int, exp_epsilon: Fraction) -> Relation:
    """Theorem 2 with the p_1 and p_i of Section 3.2."""
    return responses(Profile(rows, (n - 1,)), exp_epsilon)


TRIALS["liu2024/repair/theorem-2"] = for_all(
    ANY_ROWS,
    personalized,
    wrong=by_test,
    proof=proof(
        in_coq(
            "leftover_law",
            "R(x_i) is r_i Q_0 + r_i Q_1 and a leftover law of its own with weight 1 − 2r_i",
        ),
        in_coq(
            "reduction_to_letters",
            "with weight v the victim sends a letter by (a, b), or by (b, a), every other "
            "with weight 2r_i a fair one: at most v times D of the counts of both letters",
        ),
        identity(
            "the clones' letters, with x = e^ε_1 = 1 + s: Q_0 = (x R_0 − R_1)/(x − 1), "
            "Q_1 = (x R_1 − R_0)/(x − 1), a = x/(x + 1), add up to R_0 + R_1 and mix to R_0",
            "s p q",
            lambda s, p, q: (((1 + s) * p - q) / s + ((1 + s) * q - p) / s, p + q),
            lambda s, p, q: (
                (1 + s) / (2 + s) * (((1 + s) * p - q) / s) + ((1 + s) * q - p) / s / (2 + s),
                p,
            ),
        ),
        nonnegative(
            "the positive parts' letters, a = 1: at an outcome with masses q + t and q, "
            "either way, what is left beside the positive part t is q for both inputs",
            "q t",
            lambda q, t: (q + t) - t,
        ),
    ),
)


def failing(
    n: int, exp_epsilon_1: int, delta_1: Fraction, exp_epsilon: Fraction, share: int = 1
) -> Relation:
    """δ <= δ_1 + (1 − δ_1) δ_pure if the victim fails with probability δ_1, else is pure."""
    whole, pure = (telling_victim(exp_epsilon_1, d, n - 1) for d in (delta_1, Fraction(0)))
    most = share * delta_1 + (1 - delta_1) * pure.delta(exp_epsilon)
    return at_most(whole.delta(exp_epsilon), most)


TRIALS["liu2024/repair/approximate-term"] = for_all(
    cases(
        n=(1, 2, 3),
        exp_epsilon_1=(2, 5),
        delta_1=(Fraction(1, 4), Fraction(1, 100)),
        exp_epsilon=(Fraction(1), Fraction(3, 2), Fraction(3)),
    ).within(
        n=integers(1, draws=2),
        exp_epsilon_1=reals(1),
        delta_1=reals(0, 1),
        exp_epsilon=reals(1),
    ),
    failing,
    wrong=partial(failing, share=0),
    proof=proof(
        lemma(
            "lemmas/joint-convexity",
            JOINT_CONVEXITY,
            "the law of the messages is linear in the victim's row: one mixture of two",
        ),
        nonnegative(
            "D_γ <= 1: at each outcome p is at least p - γ q, and at least 0",
            "p q g",
            lambda p, q, g: p - (p - g * q),
        ),
    ),
)


def conversion(f_s: Any = bounds.trade_off_of_complement, **at: Any) -> Relation:
    """For any two sums (5) is 1 − f_s(α) − e^ε α with 1 − F_i in f_s."""
    given = {name: at[name] for name in ("alpha", "plus", "w", "delta_1")}
    value, x = formula(f_s, **given), at["exp_epsilon"]
    claimed = formula(bounds.conjugate_term, exp_epsilon=x, alpha=at["alpha"], value=value)
    return equal(formula(bounds.central_delta, exp_epsilon=x, **given), claimed)


HALF = Fraction(1, 2)

TRIALS["liu2024/repair/equation-5"] = for_all(
    cases(
        alpha=(HALF, Fraction(1)),
        plus=(HALF / 2, Fraction(1)),
        w=(Fraction(0), HALF / 2),
        delta_1=(Fraction(0), HALF / 5),
        exp_epsilon=(Fraction(1), 5 * HALF),
    ).within(
        alpha=reals(0, 1),
        plus=reals(0, 1),
        w=reals(0, HALF),
        delta_1=reals(0, 1),
        exp_epsilon=reals(1),
    ),
    conversion,
    wrong=partial(conversion, f_s=bounds.trade_off),
    proof=in_numbers(text="the claim itself, for any two sums α and Σ w_i F_i"),
)

FORMULAS = cases(
    _n=(1, 2, 3),
    _p=(Fraction(0), Fraction(1, 3), Fraction(1, 2)),
    others=lambda _n, _p: [(_p,) * (_n - 1)],
    w=(Fraction(0), Fraction(1, 4), Fraction(2, 5)),
    delta_1=(Fraction(0), Fraction(1, 10)),
    exp_epsilon=(Fraction(1), Fraction(5, 2)),
).within(
    others=OTHERS,
    w=reals(0, below=Fraction(1, 2)),
    delta_1=reals(0, below=1),
    exp_epsilon=reals(1),
)


def best_t(others: Sequence[Fraction], factor: int = 1, **given: Fraction) -> list[Relation]:
    """(5) is largest at t = (1 − δ_1)(1 − 2w)/(e^ε − 2w(1 − δ_1) − δ_1)."""

    def five(t: Fraction) -> Term:
        return equation_5(counted(others), t, first=0, **given)

    best = five(factor * bounds.best_t(None, **given))
    return [at_most(five(t), best) for t in breakpoints(len(others) + 1)]


TRIALS["liu2024/repair/t_epsilon"] = for_all(
    FORMULAS,
    best_t,
    wrong=partial(best_t, factor=3),
    proof=proof(
        identity(
            "with A = (1 − δ_1)(1 − 2w), B = e^ε − 2w(1 − δ_1) − δ_1 the i-th part of (5) "
            "is A F_i(k) − B F_i(k − 1), k = ⌊(i + 1) t/(t + 1)⌋: a sum of steps "
            "A f_i(k) − B f_i(k − 1), f_i(k) = f_i(k − 1) (i + 1 − k)/k, each with the "
            "sign of (i + 1) t/(t + 1) − k at t = A/B: best for every i at once",
            "i k a b f",
            lambda i, k, a, b, f: (
                a * (f * (i + 1 - k) / k) - b * f,
                f * (a + b) / k * ((i + 1) * (a / b) / (a / b + 1) - k),
            ),
        ),
    ),
)


def tied(*ratios: int) -> dict[str, Any]:
    """Users who answer alike: also with ties, and larger ε_i."""
    profile = responding(ratios)
    return {"exp_epsilons": ratios, "exp_epsilon": Fraction(3, 2), "profile": profile}


def answering(exp_epsilons: Sequence[Any]) -> st.SearchStrategy[Profile]:
    """Draw the other users' inputs."""
    inputs = st.tuples(*[st.integers(0, 1)] * (len(exp_epsilons) - 1))
    return inputs.map(partial(responding, exp_epsilons))


def responses_without(profile: Profile, exp_epsilon: Fraction) -> list[Relation]:
    """Against (5) with sums from i = 1."""
    w, others = profile.probabilities()
    steps = breakpoints(1 + sum(profile.counts))
    values = [equation_5(others, t, w=w, exp_epsilon=exp_epsilon) for t in steps]
    return [at_most(profile.delta(exp_epsilon), function("max", *values))]


TRIALS["liu2024/repair/theorem-2-randomized-response"] = for_all(
    response_cases((2, 3, 4), (2, 3, 5), exp_epsilon=(Fraction(5, 4), Fraction(2), Fraction(3)))
    .then(listed(tied(3, 3), tied(2, 3), tied(3, 3, 5)))
    .within(
        exp_epsilons=objects(
            "the users' e^ε_i",
            lambda: st.lists(fractions(1, 6, max_denominator=3), min_size=1, max_size=4),
        ),
        exp_epsilon=reals(1),
        profile=objects("users of binary randomized response with these, and inputs", answering),
    ),
    responses,
    wrong=responses_without,
    proof=proof(
        words(
            "p_i <= min(R_i) and R(x_1^0) + R(x_1^1) = (1, 1), so R_i is p_i (each letter) "
            "plus a leftover, and R(x_1^b) is the letters mixed with w: the view is a "
            "post-processing of the pair of counts"
        ),
        identity(
            "its D is the largest c P_0(S) − d Q_0(S), and (5) that of "
            "a P_0(S) − b Q_0(S), which is larger by w (e^ε − 1)(P_0(S) − Q_0(S))",
            "p q w g",
            lambda p, q, w, g: (
                (1 - 2 * w) * p - (g - 2 * w) * q,
                ((1 - w - g * w) * p - (g * (1 - w) - w) * q) + w * (g - 1) * (p - q),
            ),
        ),
        words("at its S, c P_0(S) >= d Q_0(S) and c <= d, so P_0(S) >= Q_0(S)"),
    ),
)
