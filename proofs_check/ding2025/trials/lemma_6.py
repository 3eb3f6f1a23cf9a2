"""Section 4.4.1: Lemma 6, the smallest scale that serves, and the remarks on both.

Beyond all points of X the rest contributes a factor that cancels, so user i's own two laws decide:
with l < h the smaller and the larger of p and q, v = e^{1/θ} − 1 and E = e^ε,

    (1 + h v) / (1 + l v) <= E  exactly if  v (h − E l) <= E − 1,
    (1 + (1 − l) v) / (1 + (1 − h) v) <= E  exactly if  v ((1 − l) − E (1 − h)) <= E − 1.

With x over the whole alphabet (21) looks one point beyond the largest of f(D_{-i}), where the
quotient is 0: v <= (E − 1) h/(h − l), whatever the rest. Over fewer x it may be larger, and fail.

``section-4.4.1/without-calculation`` is printed with Lemma 6 where the sentence fits Lemma 5,
so both are tried.
"""

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Statement
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    equal,
    for_all,
    some,
)
from exactdp.claims.kinds import reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, when
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    INTEGER,
    INTEGER_USERS,
    LESS,
    MORE,
    X_OF_21,
    Range,
    differ,
    drawn_users,
    growth,
    growth_of_alphabet,
    growth_of_proof,
    growth_over,
    has_noise,
    in_order,
    infinite,
    least_growth,
    meeting,
    parts,
    quotients,
    some_quotient,
    users,
    values,
)
from proofs_check.ding2025.law import Rest, drawn_law, fractions, point, sum_of
from proofs_check.ding2025.printed import USERS_123
from proofs_check.ding2025.quantities import added, of_bernoulli, worst_beside
from proofs_check.ding2025.systems import everywhere
from proofs_check.ding2025.trials.lemma_1 import Points
from proofs_check.ding2025.trials.lemma_5 import one_over_epsilon
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def not_larger(
    p: Fraction,
    q: Fraction,
    others: Rest,
    exp_epsilon: Fraction,
    X: Points,
    more: Fraction = Fraction(0),
) -> Relation:
    """The θ of (21), x over a set, is at most 1/ε: e^{1/θ} >= E (+ more (E − 1))."""
    least = exp_epsilon + more * (exp_epsilon - 1) if more else exp_epsilon
    return at_least(growth_over(p, q, others, exp_epsilon, X), least)


def smaller(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> list[Relation]:
    """The θ of (21) is below 1/ε for some range of x; θ = 0 is."""
    noisy = [over for over in Range if quotients(p, q, others, over)]
    found = [growth(p, q, others, exp_epsilon, over) for over in noisy]
    return [above(function("max", *found), exp_epsilon)] if len(found) == len(Range) else []


DIFFERENT = users(exp_epsilon=BASES[:2]).where(lambda p, q: p != q)


def sets(p: Fraction, q: Fraction, others: Rest) -> list[Points]:
    """Return the ranges of x that give noise."""
    noisy = [over for over in Range if quotients(p, q, others, over)]
    return [Points(values(p, q, others, over)) for over in noisy]


def drawn_sets() -> Any:
    """Return a strategy for users with one of these ranges."""
    return (
        st.fixed_dictionaries(drawn_users()())
        .filter(lambda at: at["p"] != at["q"])
        .flatmap(
            lambda at: st.sampled_from(sets(at["p"], at["q"], at["others"])).map(
                lambda X: {**at, "X": X}
            )
        )
    )


TRIALS["ding2025/section-4.4.1/smaller-theta"] = {
    "a": for_all(
        meeting(users(exp_epsilon=BASES[:2], X=sets), differ, some_quotient)
        .where(lambda p, q: p != q)
        .drawn(drawn_sets),
        not_larger,
        wrong=partial(not_larger, more=Fraction(1, 100)),
        proof=theorem("ding2025_smaller_theta"),
    ),
    "b": for_all(DIFFERENT, smaller, falls=Falls.REMARK),
}


def lemma_6(over: Range, p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Said:
    """The θ of (21), x over a range, attains ε."""
    found = named("growth", growth(p, q, others, exp_epsilon, over))
    ratio = parts(p, q, others).x.worst_ratio(found)
    return at_most(ratio, exp_epsilon).given(
        lambda: [
            *in_order(p, q),
            *infinite(p, q, others, over),
            *others_need_less(p, q, others, exp_epsilon, found),
        ]
    )


def others_need_less(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, found: Term
) -> list[Relation]:
    """Return relations that say that user i has the largest θ of all users in (21).

    Their Q_j are ours to choose, near P_j: user j's ψ is at least l/(h − l) at every x, l < h the
    two probabilities of 1.
    """
    least = (exact_value(found).as_fraction() - exp_epsilon) / (exp_epsilon - 1)
    share = 1 + 1 / least if p < q else least / (least + 1)
    relations = []
    for other in others:
        low, high = sorted((other[1], other[1] * share))
        psi = term(low) / (term(high) - low)
        relations.append(at_least(exp_epsilon + (exp_epsilon - 1) * psi, found))
    return relations


def needed(low: Any, high: Any, e: Any) -> tuple[Any, Any]:
    """Return h − E l and (1 − l) − E (1 − h), which times v are to be at most E − 1."""
    return high - e * low, (1 - low) - e * (1 - high)


NAMES = {
    (LESS, Range.PROOF): "ding2025_lemma_6_less_as_in_proof",
    (LESS, Range.ALPHABET): "ding2025_lemma_6_less",
    (MORE, Range.ALPHABET): "ding2025_lemma_6_more",
}
"""The theorems of Lemma 6, by case and range of x."""

BY_RANGE = {Range.PROOF: growth_of_proof, Range.ALPHABET: growth_of_alphabet}


def attains_beside(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, growth: Fraction
) -> Relation:
    """Noise of scale θ attains ε, growth = e^{1/θ}."""
    laws = of_bernoulli(p), of_bernoulli(q)
    return at_most(worst_beside(*laws, added(others), growth), exp_epsilon)


def over_range(order: str, over: Range, *, binary: bool, wrong: Statement | None) -> Statement:
    """Return Lemma 6 for x over a range, without the systems without noise; it falls or stands.

    θ is a supremum over all users: it is at least that of user i.
    """
    rests = BINARY if binary else INTEGER
    if wrong is None:
        found = users(order, rests, exp_epsilon=BASES[:3]).where(has_noise(over))
        return for_all(found, partial(lemma_6, over), falls=Falls.RESULT)

    def own(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> list[Fraction]:
        if p == q or not quotients(p, q, others, over):
            return []
        return [exact_value(growth(p, q, others, exp_epsilon, over)).as_fraction()]

    def drawn() -> Any:
        found = st.fixed_dictionaries(drawn_users(binary=binary)())
        return (
            found.map(lambda at: {**at, "growth": own(**at)})
            .flatmap(
                lambda at: st.sampled_from(at["growth"] or [None]).map(
                    lambda g: {**at, "growth": g}
                )
            )
            .filter(lambda at: at["growth"] is not None)
        )

    found = users(order, rests, exp_epsilon=BASES[:3], growth=own)
    of = BY_RANGE[over]
    return for_all(
        meeting(
            found,
            lambda p, q, others, exp_epsilon, growth: at_most(
                growth, of(p, q, others, exp_epsilon)
            ),
        ).drawn(drawn),
        attains_beside,
        wrong=wrong,
        proof=theorem(NAMES[order, over]),
    )


def readings(order: str) -> dict[str, Statement]:
    """Return the three readings of Lemma 6."""
    falls = over_range(order, Range.SUPPORT, binary=True, wrong=None)
    of_proof = falls if order == LESS else None
    return {
        "a": falls,
        "b": over_range(order, Range.PROOF, binary=True, wrong=of_proof),
        "c": over_range(order, Range.ALPHABET, binary=False, wrong=falls),
    }


TRIALS["ding2025/lemma-6/p-less-than-q"] = readings(LESS)


@quantity("(if Rle_dec {0} {1} then 1 else 0)", name="is_at_most")
def is_at_most(left: Any, right: Any) -> Term:
    """Return 1 if left <= right, else 0."""
    return when("<=", left, right, 1, 0)


def smallest_scale(
    p: Fraction,
    q: Fraction,
    others: Rest,
    exp_epsilon: Fraction,
    growth: Fraction,
    conditions: int = 2,
) -> Relation:
    """θ attains ε exactly if (e^{1/θ} − 1) times both numbers is at most E − 1."""
    low, high = function("min", p, q), function("max", p, q)
    most = function("max", *needed(low, high, exp_epsilon)[:conditions])
    said = is_at_most((growth - 1) * most, exp_epsilon - 1)
    shown = attains_beside(p, q, others, exp_epsilon, growth)
    return equal(said, is_at_most(shown.left, shown.right))


def critical(p: Fraction, q: Fraction, exp_epsilon: Fraction) -> list[Fraction]:
    """Return the e^{1/θ} where the conditions are tight, one beyond, and a large one."""
    exact = max(needed(min(p, q), max(p, q), exp_epsilon))
    tight = [1 + (exp_epsilon - 1) / exact] if exact > 0 else []
    return [*tight, *(g + Fraction(1, 1000) for g in tight), Fraction(50)]


def drawn_critical() -> Any:
    """Return a strategy for users with such e^{1/θ}."""
    return st.fixed_dictionaries(drawn_users(binary=False)()).flatmap(
        lambda at: st.sampled_from(critical(at["p"], at["q"], at["exp_epsilon"])).map(
            lambda g: {**at, "growth": g}
        )
    )


TRIALS["ding2025/repair/lemma-6"] = for_all(
    meeting(users(rests=INTEGER, exp_epsilon=BASES[:2], growth=critical), differ)
    .where(lambda p, q: p != q)
    .drawn(drawn_critical),
    smallest_scale,
    wrong=partial(smallest_scale, conditions=1),
    proof=theorem("ding2025_repair_lemma_6"),
)

TRIALS["ding2025/lemma-6/p-greater-than-q"] = readings(MORE)

_P, _Q = Fraction(1, 5), Fraction(9, 10)
TABLE_2 = Rest(USERS_123)
RANGES = (Range.SUPPORT, Range.ALPHABET)


def figure_8(
    p: Fraction,
    q: Fraction,
    others: Rest,
    exp_epsilon: Fraction,
    X: Points,
    more: Fraction = Fraction(0),
) -> Relation:
    """The θ of (21) is below 1/ε: e^{1/θ} > E (+ more (E − 1))."""
    said = not_larger(p, q, others, exp_epsilon, X, more)
    return above(said.left, said.right)


TRIALS["ding2025/figure-8"] = for_all(
    meeting(
        everywhere(
            cases(
                p=[_P],
                q=[_Q],
                others=[TABLE_2, BINARY[1]],
                exp_epsilon=fractions("26/25 1001/1000 3/2 2 20"),
                X=lambda p, q, others: sets(p, q, others)[::2],
            ),
            p=reals(_P, _P),
            q=reals(_Q, _Q),
            others=INTEGER_USERS,
            X=X_OF_21,
        ),
        some_quotient,
    ),
    figure_8,
    wrong=partial(figure_8, more=Fraction(1, 2)),
    proof=theorem("ding2025_figure_8"),
)


def gives_one_over_epsilon(exp_epsilon: Fraction) -> Relation:
    """For p = 0.2, q = 0.9 beside Table 2, (21) gives e^{1/θ} = E under some range of x."""
    found = [growth(_P, _Q, TABLE_2, exp_epsilon, over) for over in RANGES]
    return equal(function("min", *(function("abs", g - exp_epsilon) for g in found)), 0)


TRIALS["ding2025/section-4.4.1/without-calculation"] = {
    "a": for_all(cases(exp_epsilon=BASES), gives_one_over_epsilon, falls=Falls.MISPRINT),
    "b": for_all(
        everywhere(
            cases(p=[_P], q=[_Q], others=(TABLE_2, Rest((point(3),)), *BINARY), exp_epsilon=BASES),
            p=reals(_P, _P),
            q=reals(_Q, _Q),
            others=INTEGER_USERS,
        ).drawn(
            lambda: {
                "p": st.just(_P),
                "q": st.just(_Q),
                "others": st.lists(drawn_law(range(1, 6)), min_size=3, max_size=3).map(Rest),
                "exp_epsilon": st.sampled_from(BASES),
            }
        ),
        one_over_epsilon,
        wrong=partial(one_over_epsilon, more=Fraction(1)),
        proof=theorem("ding2025_without_calculation"),
    ),
}


def needs_the_rest(over: Range, p: Fraction, q: Fraction, exp_epsilon: Fraction) -> Relation:
    """Two systems that differ in the rest alone have different θ by (21), x over a range.

    For the one pair (s_P, s_Q) of user i, as in the paper's example.
    """
    noisy = [rest for rest in BINARY if quotients(p, q, rest, over)]
    found = [bare_growth(p, q, rest, exp_epsilon, over) for rest in noisy]
    return above(function("max", *found), function("min", *found))


def bare_growth(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, over: Range) -> Term:
    """Return (21) with masses of f(D_{-i}) as numbers: several rests can stand in one formula."""
    g = sum_of(others)
    ratios = [term(g[x]) / g[x - 1] for x in quotients(p, q, others, over)]
    return least_growth(exp_epsilon, [bounds.psi(p=p, q=q, ratio=r) for r in ratios])


TRIALS["ding2025/section-4.4.1/rest-of-users"] = {
    "a": for_all(
        cases(
            **{"p q": [fractions(two) for two in ("1/4 1/2", "1/5 9/10", "2/3 1/3")]},
            exp_epsilon=[Fraction(2)],
        ),
        partial(needs_the_rest, Range.ALPHABET),
        falls=Falls.REMARK,
    ),
    "b": some(
        cases(p=[Fraction(1, 4)], q=[Fraction(1, 2)], exp_epsilon=[Fraction(2)]),
        partial(needs_the_rest, Range.SUPPORT),
    ),
}

TRIALS["ding2025/figure-9"] = Open(
    "how much is gained turns on the shares p and q of the coded records, by the formulas of the "
    "two lemmas, which are under their own ids",
    ("the UCI records that were used", "their binary coding", 'the size of "significantly"'),
)
