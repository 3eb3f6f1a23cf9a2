"""Section 4.4.1: Lemma 6, the smallest scale that serves, and what is said about both.

With l < h the smaller and the larger of p and q, v = e^{1/θ} − 1 and E = e^ε, the two own
laws are compared at y >= 1 and y <= 0 (between, the ratio is a Moebius function of e^{2y/θ}):

    (1 + h v) / (1 + l v) <= E  exactly if  v (h − E l) <= E − 1,
    (1 + (1 − l) v) / (1 + (1 − h) v) <= E  exactly if  v ((1 − l) − E (1 − h)) <= E − 1.

Beyond all points of X the rest contributes a factor that cancels, so the two conditions are
needed too. With x over the whole alphabet (21) looks one point beyond the largest of f(D_{-i}),
where the quotient is 0 and ψ = l/(h − l) is least: v = (E − 1) h/(h − l), whatever the rest.
Over fewer x it may be larger, and fail.

``section-4.4.1/without-calculation`` is printed with Lemma 6 where the sentence fits Lemma 5,
so both are tried.
"""

from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import follows, identity, nonnegative
from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Statement
from exactdp.claims.domains import objects, reals
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    equal,
    for_all,
    holding,
    some,
)
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import Term, function, named, term, when
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Exact
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    BINARY_USERS,
    DIFFERS,
    INTEGER,
    INTEGER_USERS,
    LESS,
    MORE,
    Range,
    drawn_users,
    growth,
    has_noise,
    in_order,
    infinite,
    least_growth,
    parts,
    quotients,
    users,
)
from proofs_check.ding2025.law import Rest, drawn_law, fractions, point, sum_of
from proofs_check.ding2025.printed import USERS_123
from proofs_check.ding2025.steps import MIXED
from proofs_check.ding2025.systems import everywhere
from proofs_check.ding2025.trials.lemma_5 import one_over_epsilon
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def growths(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> list[Term]:
    """Return e^{1/θ} of (21) for each range of x that gives noise."""
    noisy = [over for over in Range if quotients(p, q, others, over)]
    return [growth(p, q, others, exp_epsilon, over) for over in noisy]


def not_larger(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, more: Fraction = Fraction(0)
) -> list[Relation]:
    """The θ of (21) is at most 1/ε, for every range of x: e^{1/θ} >= E (+ more (E − 1))."""
    least = exp_epsilon + more * (exp_epsilon - 1)
    return [at_least(one, least) for one in growths(p, q, others, exp_epsilon)]


def smaller(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> list[Relation]:
    """The θ of (21) is below 1/ε for some range of x; θ = 0 is."""
    found = growths(p, q, others, exp_epsilon)
    return [above(function("max", *found), exp_epsilon)] if len(found) == len(Range) else []


DIFFERENT = everywhere(users(exp_epsilon=BASES[:2]), others=BINARY_USERS, q=DIFFERS).where(
    lambda p, q: p != q
)

TRIALS["ding2025/section-4.4.1/smaller-theta"] = {
    "a": for_all(
        DIFFERENT.drawn(drawn_users()),
        not_larger,
        wrong=partial(not_larger, more=Fraction(1, 100)),
        proof=proof(
            follows(
                "psi >= 0 at every x: l < h in order, h - l = d, r the quotient, E = 1 + t",
                "l h d r t",
                lambda low, high, d, r, t: t * ((1 - high) * r + low) / d,
                lambda low, high, d, r, t: [(t * r / d, 1 - high), (t / d, low)],
            ),
        ),
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


CONDITIONS = identity(
    "f_s(y), times 1 + v = e^(1/theta), is 1 + s v at y >= 1 and 1 + (1-s) v at y <= 0; E times "
    "that of one side less that of the other is E - 1 - v times h - E l, or (1-l) - E (1-h)",
    "l h E v",
    lambda low, high, e, v: ((1 + v) * (low + (1 - low) / (1 + v)), 1 + low * v),
    lambda low, high, e, v: ((1 + v) * ((1 - low) + low / (1 + v)), 1 + (1 - low) * v),
    lambda low, high, e, v: (
        e * (1 + low * v) - (1 + high * v),
        (e - 1) - v * needed(low, high, e)[0],
    ),
    lambda low, high, e, v: (
        e * (1 + (1 - high) * v) - (1 + (1 - low) * v),
        (e - 1) - v * needed(low, high, e)[1],
    ),
)

BETWEEN = words(
    "f_h/f_l is largest at y >= 1 and f_l/f_h at y <= 0: between, the ratio is Moebius in "
    "e^(2y/theta)"
)

LEMMA_6 = proof(
    words(
        "one point beyond the largest of f(D_-i) the quotient is 0, so v = e^(1/theta) - 1 <= "
        "(e^eps - 1) h/(h - l), l < h being p and q in order"
    ),
    CONDITIONS,
    nonnegative(
        "h (h - E l) <= h - l and h ((1-l) - E (1-h)) <= h - l, E = 1 + t, h - l = d, 1 - h = b, "
        "1 written as l + d + b",
        "l d b t",
        lambda l, d, b, t: d * (l + d + b) - (l + d) * ((l + d) - (1 + t) * l),  # noqa: E741
        lambda l, d, b, t: d * (l + d + b) - (l + d) * ((d + b) - (1 + t) * b),  # noqa: E741
    ),
    BETWEEN,
    MIXED,
)


def over_range(order: str, over: Range, *, binary: bool, wrong: Statement | None) -> Statement:
    """Return Lemma 6 for x over a range, without the systems without noise; it falls or stands."""
    found = users(order, BINARY if binary else INTEGER, exp_epsilon=BASES[:3])
    found, says = found.where(has_noise(over)), partial(lemma_6, over)
    if wrong is None:
        return for_all(found, says, falls=Falls.RESULT)
    return for_all(found.drawn(drawn_users(binary=binary)), says, wrong=wrong, proof=LEMMA_6)


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


def smallest_scale(
    p: Fraction,
    q: Fraction,
    others: Rest,
    exp_epsilon: Fraction,
    growth: Fraction,
    conditions: int = 2,
) -> Relation:
    """θ attains ε exactly if (e^{1/θ} − 1) times both numbers is at most E − 1."""
    low, high = sorted((p, q))
    most = function("max", *needed(term(low), term(high), exp_epsilon)[:conditions])
    ratio = parts(p, q, others).x.worst_ratio(growth)
    said = when("<=", (growth - 1) * most, exp_epsilon - 1, 1, 0)
    return equal(said, when("<=", ratio, exp_epsilon, 1, 0))


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
    everywhere(
        users(rests=INTEGER, exp_epsilon=BASES[:2], growth=critical),
        others=INTEGER_USERS,
        q=DIFFERS,
    )
    .where(lambda p, q: p != q)
    .drawn(drawn_critical),
    smallest_scale,
    wrong=partial(smallest_scale, conditions=1),
    proof=proof(
        CONDITIONS,
        BETWEEN,
        MIXED,
        words("beyond all points of X the rest contributes a factor that cancels"),
    ),
)

TRIALS["ding2025/lemma-6/p-greater-than-q"] = readings(MORE)

_P, _Q = Fraction(1, 5), Fraction(9, 10)
TABLE_2 = Rest(USERS_123)
RANGES = (Range.SUPPORT, Range.ALPHABET)


def figure_8(over: Range, epsilon: Fraction, share: Fraction = Fraction(1)) -> Relation:
    """The θ of (21) is below share times 1/ε: e^{1/θ} > e^{ε/share}."""
    e = Exact.exp(epsilon)
    return above(growth(_P, _Q, TABLE_2, e, over), function("exp", epsilon / share))


TRIALS["ding2025/figure-8"] = for_all(
    cases(over=RANGES, epsilon=fractions("1/25 1/1000 1/2 1 3")).within(
        over=objects(
            "the support of f(D_-i), or the alphabet of X", lambda: st.sampled_from(RANGES)
        ),
        epsilon=reals(above=0),
    ),
    figure_8,
    wrong=partial(figure_8, share=Fraction(3, 4)),
    proof=proof(
        holding(
            "the least psi, computed, is above 0, so e^(1/theta) = E + (E-1) psi > E",
            lambda: [above(growth(_P, _Q, TABLE_2, Fraction(2), over), 2) for over in RANGES],
        ),
    ),
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
