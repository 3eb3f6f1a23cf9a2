"""Section 4.4.1: what is said about the scale of Lemma 6: smaller than 1/ε, at what expense.

``section-4.4.1/without-calculation`` is printed with Lemma 6 where the sentence fits Lemma 5,
so both are tried.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from hypothesis import strategies as st

from exactdp.audit.algebra import follows
from exactdp.claims import (
    Falls,
    Open,
    Relation,
    Statement,
    Term,
    above,
    at_least,
    cases,
    checked,
    equal,
    for_all,
    function,
    proof,
    some,
    term,
    value,
)
from exactdp.numbers import Exact
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    Range,
    drawn_users,
    growth,
    quotients,
    users,
)
from proofs_check.ding2025.law import drawn_law, point, sum_of
from proofs_check.ding2025.printed import USERS_123
from proofs_check.ding2025.systems import Rest
from proofs_check.ding2025.trials.lemma_5 import lemma_5

__all__ = ["TRIALS"]

# --- a smaller value of the scale, and what (21) requires to know ---------------------------


def growths(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> list[Term]:
    """Return e^{1/θ} of (21) for each range of x that gives noise."""
    return [
        growth(p, q, others, exp_epsilon, over) for over in Range if quotients(p, q, others, over)
    ]


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
    psis = [bounds.psi(p=p, q=q, ratio=r) for r in ratios]
    return function("min", *(exp_epsilon + (exp_epsilon - 1) * psi for psi in psis))


_P, _Q = Fraction(1, 5), Fraction(9, 10)
TABLE_2 = Rest(USERS_123)


def gives_one_over_epsilon(exp_epsilon: Fraction) -> Relation:
    """For p = 0.2, q = 0.9 beside Table 2, (21) gives e^{1/θ} = E under some range of x."""
    ranges = (Range.SUPPORT, Range.ALPHABET)
    found = [growth(_P, _Q, TABLE_2, exp_epsilon, over) for over in ranges]
    return equal(function("min", *(function("abs", g - exp_epsilon) for g in found)), 0)


def figure_8(over: Range, epsilon: Fraction, share: Fraction = Fraction(1)) -> Relation:
    """The θ of (21) is below share times 1/ε: e^{1/θ} > e^{ε/share}."""
    e = Exact.exp(epsilon)
    return above(growth(_P, _Q, TABLE_2, e, over), function("exp", epsilon / share))


DIFFERENT = users(bases=BASES[:2]).where(lambda p, q: p != q)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/section-4.4.1/smaller-theta": {
        "a": for_all(
            DIFFERENT.drawn(
                lambda: drawn_users(bases=BASES)().filter(lambda at: at["p"] != at["q"])
            ),
            not_larger,
            wrong=partial(not_larger, more=Fraction(1, 100)),
            proof=proof(
                "all p != q, eps > 0, any other users, every range of x",
                follows(
                    "psi >= 0 at every x: l < h in order, h - l = d, r the quotient, E = 1 + t",
                    "l h d r t",
                    lambda low, high, d, r, t: t * ((1 - high) * r + low) / d,
                    lambda low, high, d, r, t: [(t * r / d, 1 - high), (t / d, low)],
                ),
            ),
        ),
        "b": for_all(DIFFERENT, smaller, falls=Falls.STEP),
    },
    "ding2025/figure-8": {
        "": for_all(
            cases(
                over=(Range.SUPPORT, Range.ALPHABET),
                epsilon=[Fraction(v) for v in ("1/25", "1/1000", "1/2", "1", "3")],
            ),
            figure_8,
            wrong=partial(figure_8, share=Fraction(3, 4)),
            proof=proof(
                "every eps > 0, x over the support of f(D_-i) or the alphabet of X",
                checked(
                    "the least psi, computed, is above 0, so e^(1/theta) = E + (E-1) psi > E",
                    lambda: all(
                        value(growth(_P, _Q, TABLE_2, Fraction(2), over)) > Exact(2)  # type: ignore[operator]
                        for over in (Range.SUPPORT, Range.ALPHABET)
                    ),
                ),
            ),
        )
    },
    "ding2025/section-4.4.1/without-calculation": {
        "a": for_all(cases(exp_epsilon=BASES), gives_one_over_epsilon, falls=Falls.MISPRINT),
        "b": lemma_5(
            cases(
                p=[_P],
                q=[_Q],
                others=(TABLE_2, Rest((point(3),)), *BINARY),
                exp_epsilon=BASES,
            ).drawn(
                lambda: st.fixed_dictionaries(
                    {
                        "p": st.just(_P),
                        "q": st.just(_Q),
                        "others": st.lists(drawn_law(range(1, 6)), min_size=3, max_size=3).map(
                            Rest
                        ),
                        "exp_epsilon": st.sampled_from(BASES),
                    }
                )
            ),
            wrong=(1, 2),
        ),
    },
    "ding2025/section-4.4.1/rest-of-users": {
        "a": for_all(
            cases(
                _own=[("1/4", "1/2"), ("1/5", "9/10"), ("2/3", "1/3")],
                p=lambda _own: [Fraction(_own[0])],
                q=lambda _own: [Fraction(_own[1])],
                exp_epsilon=[Fraction(2)],
            ),
            partial(needs_the_rest, Range.ALPHABET),
            falls=Falls.STEP,
        ),
        "b": some(
            cases(p=[Fraction(1, 4)], q=[Fraction(1, 2)], exp_epsilon=[Fraction(2)]),
            partial(needs_the_rest, Range.SUPPORT),
        ),
    },
    "ding2025/figure-9": {
        "": Open(
            "The UCI records and their binary coding are not in the paper, and "
            '"significantly reduced" has no stated size.'
        )
    },
}
