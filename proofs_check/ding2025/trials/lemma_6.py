"""Section 4.4.1: Lemma 6, and the smallest scale that serves.

With l < h the smaller and the larger of p and q, v = e^{1/θ} − 1 and E = e^ε, the two own
laws are compared at y >= 1 and y <= 0 (between, the ratio is a Moebius function of e^{2y/θ}):

    (1 + h v) / (1 + l v) <= E  exactly if  v (h − E l) <= E − 1,
    (1 + (1 − l) v) / (1 + (1 − h) v) <= E  exactly if  v ((1 − l) − E (1 − h)) <= E − 1.

Beyond all points of X the rest contributes a factor that cancels, so the two conditions are
needed too. With x over the whole alphabet (21) looks one point beyond the largest of f(D_{-i}),
where the quotient is 0 and ψ = l/(h − l) is least: v = (E − 1) h/(h − l), whatever the rest.
Over fewer x it may be larger, and fail.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims import (
    Falls,
    Open,
    Relation,
    Said,
    Statement,
    Term,
    at_least,
    at_most,
    cases,
    equal,
    for_all,
    function,
    named,
    proof,
    term,
    value,
    when,
    words,
)
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    INTEGER,
    LESS,
    MORE,
    Range,
    drawn_users,
    growth,
    has_noise,
    in_order,
    infinite,
    parts,
    users,
)
from proofs_check.ding2025.steps import MIXED
from proofs_check.ding2025.systems import Rest

__all__ = ["TRIALS"]

# --- Lemma 6 --------------------------------------------------------------------------------


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
    least = (Fraction(str(value(found))) - exp_epsilon) / (exp_epsilon - 1)
    share = 1 + 1 / least if p < q else least / (least + 1)
    relations = []
    for other in others:
        low, high = sorted((other[1], other[1] * share))
        psi = term(low) / (term(high) - low)
        relations.append(at_least(exp_epsilon + (exp_epsilon - 1) * psi, found))
    return relations


def over_range(
    order: str, over: Range, *, binary: bool, wrong: Statement | None = None, falls: Any = None
) -> Statement:
    """Return Lemma 6 for x over a range; systems without noise are left out."""
    found = users(order, BINARY if binary else INTEGER, BASES[:3]).where(has_noise(over))
    if wrong is None:
        return for_all(found, partial(lemma_6, over), falls=falls)
    drawn = drawn_users(order, binary=binary, bases=BASES)
    noisy = has_noise(over)
    return for_all(
        found.drawn(lambda: drawn().filter(lambda at: noisy(at["p"], at["q"], at["others"]))),
        partial(lemma_6, over),
        wrong=wrong,
        proof=LEMMA_6,
    )


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
    "all p != q, eps > 0, all other users with finite alphabets",
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


# --- the repair -----------------------------------------------------------------------------


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
    drawn = drawn_users(binary=False, bases=BASES)().filter(lambda at: at["p"] != at["q"])
    return drawn.flatmap(
        lambda at: st.sampled_from(critical(at["p"], at["q"], at["exp_epsilon"])).map(
            lambda g: {**at, "growth": g}
        )
    )


def readings(order: str) -> dict[str, Statement | Open]:
    """Return the three readings of Lemma 6."""
    on_support = over_range(order, Range.SUPPORT, binary=True, falls=Falls.RESULT)
    everywhere = over_range(
        order,
        Range.ALPHABET,
        binary=False,
        wrong=over_range(order, Range.SUPPORT, binary=False),
    )
    if order == MORE:
        of_proof = over_range(order, Range.PROOF, binary=True, falls=Falls.RESULT)
    else:
        of_proof = over_range(order, Range.PROOF, binary=True, wrong=on_support)
    return {"a": on_support, "b": of_proof, "c": everywhere}


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-6/p-less-than-q": readings(LESS),
    "ding2025/lemma-6/p-greater-than-q": readings(MORE),
    "ding2025/repair/lemma-6": {
        "": for_all(
            cases(
                _rest=INTEGER,
                p=[Fraction(k, 4) for k in range(5)],
                q=[Fraction(k, 4) for k in range(5)],
                others=lambda _rest: [_rest],
                exp_epsilon=BASES[:2],
                growth=critical,
            )
            .where(lambda p, q: p != q)
            .drawn(drawn_critical),
            smallest_scale,
            wrong=partial(smallest_scale, conditions=1),
            proof=proof(
                "all p != q, eps > 0, theta > 0, all other users with finite alphabets",
                CONDITIONS,
                BETWEEN,
                MIXED,
                words("beyond all points of X the rest contributes a factor that cancels"),
            ),
        )
    },
}
