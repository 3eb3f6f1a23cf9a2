"""Section 4.4.1: the proof of Lemma 6: column x' of (20), which is (23), and the θ of (21)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.algebra import follows
from exactdp.claims import (
    Falls,
    Relation,
    Said,
    Statement,
    Term,
    at_most,
    cases,
    equal,
    for_all,
    function,
    named,
    proof,
    term,
    total,
    when,
    words,
)
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    INTEGER,
    LESS,
    MORE,
    Parts,
    Range,
    drawn_users,
    growth,
    has_noise,
    in_order,
    parts,
    users,
)
from proofs_check.ding2025.law import sum_of
from proofs_check.ding2025.systems import Rest
from proofs_check.ding2025.trials.lemma_5 import same_symbols
from proofs_check.ding2025.trials.lemma_6_plan import ratio_less, repaired_more, support

__all__ = ["TRIALS"]

Growth = Callable[[Fraction, Fraction, Rest, Fraction], Term]
"""(p, q, others, e^ε) -> e^{1/θ}."""


# --- the proof: (20) and (23) ---------------------------------------------------------------


def column(t: Parts, z: int, growth: Any, e: Fraction) -> Term:
    """Return Σ_x (e^{|x − x'|/θ} − e^ε) π*(x, x'), which (20) wants to be <= 0."""
    return total([(term(growth) ** abs(x - z) - e) * t.plan(x, z) for x in t.columns])


def all_hold(relations: list[tuple[Any, Any]]) -> Term:
    """Return 1 if left <= right for all of these, else 0."""
    return function("min", 1, *(when("<=", left, right, 1, 0) for left, right in relations))


def equation_23(
    p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction, *, ratio: bool = True
) -> list[Relation]:
    """(20) over all x' is the display over 1, ..., |V|, and implies the bound on e^{1/θ}.

    The variant forgets the ratio: e^{1/θ} <= e^ε.
    """
    t, g = parts(p, q, others), sum_of(others)
    columns = range(1, len(others) + 2)
    stay, move = ({z: t.plan(z - d, z) for z in columns} for d in (0, 1))
    request = all_hold([(column(t, z, growth, e), 0) for z in t.columns])
    shown = all_hold([(stay[z] + growth * move[z], (stay[z] + move[z]) * e) for z in columns])
    bound = all_hold(
        [
            (growth, e + (e - 1) * (stay[z] / move[z] if ratio else term(0)))
            for z in columns
            if g[z - 1]  # else π*(z − 1, z) = 0
        ]
    )
    return [equal(request, shown), at_most(shown, bound)]


COLUMNS = cases(
    **users(LESS, BINARY).axes,
    growth=[Fraction(3, 2), Fraction(3)],
    e=[Fraction(3, 2), Fraction(2)],
).where(lambda p, q: p < q)


def condition_20(of: Growth, p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Said:
    """The θ with e^{1/θ} = of(...) satisfies (20)."""
    t, found = parts(p, q, others), named("growth", of(p, q, others, exp_epsilon))
    columns = [column(t, z, found, exp_epsilon) for z in t.columns]
    return Said([at_most(one, 0) for one in columns], lambda: in_order(p, q))


def by_21(over: Range) -> Growth:
    """e^{1/θ} of (21)."""
    return partial(growth, over=over)


def with_ratio(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Term:
    """e^{1/θ} for p > q with ψ(x) = ((1 − p) + q g(x−1)/g(x)) / (p − q) on the support."""
    g = parts(p, q, others).g
    psis = [((1 - p) + q * (g(int(x) - 1) / g(int(x)))) / (p - q) for x in sum_of(others).points]
    return function("min", *(exp_epsilon + (exp_epsilon - 1) * psi for psi in psis))


def satisfies_20(
    order: str, of: Growth, over: Range | None, *, rests: Sequence[Rest], wrong: Growth
) -> Statement:
    """Return the statement that a θ satisfies (20), where its range gives noise."""

    def noisy(p: Fraction, q: Fraction, others: Rest) -> bool:
        return over is None or has_noise(over)(p, q, others)

    drawn = drawn_users(order, binary=rests is BINARY, bases=BASES)
    shown, step = (ratio_less, "x'-1") if order == LESS else (repaired_more, "x'+1")
    return for_all(
        users(order, rests, BASES[:2])
        .where(noisy)
        .drawn(lambda: drawn().filter(lambda at: noisy(at["p"], at["q"], at["others"]))),
        partial(condition_20, of),
        wrong=for_all(
            users(order, rests, BASES[:2]).where(has_noise(Range.SUPPORT)),
            partial(condition_20, wrong),
        ),
        proof=proof(
            f"all {order}, eps > 0, f(D_-i) integer-valued (for p < q all users binary, as said)",
            *support(order).steps,
            same_symbols(order, shown),
            BY_RATIO,
            words(f"columns with pi*({step},x') = 0 read pi*(x',x') (1 - E) <= 0"),
        ),
    )


BY_RATIO = follows(
    "column x' of (20), with the masses stay and move, is e^(1/theta) <= E + (E-1) stay/move",
    "stay move growth E",
    lambda stay, move, g, e: (stay + move) * e - (stay + g * move),
    lambda stay, move, g, e: [(move, e + (e - 1) * stay / move - g)],
)


TRIALS = {
    "ding2025/equation-23": {
        "": for_all(
            COLUMNS,
            equation_23,
            wrong=partial(equation_23, ratio=False),
            proof=proof(
                "all p < q, all other users binary, c/0 counted as infinite, 0/0 left out",
                *support(LESS).steps,
                BY_RATIO,
                words(
                    "column x' of (20) has the two masses only, column 0 the one at (0, 0), where "
                    "it reads 1 <= e^eps"
                ),
            ),
        )
    },
    "ding2025/lemma-6/proof/condition-20-p-less": {
        "": satisfies_20(
            LESS, by_21(Range.PROOF), Range.PROOF, rests=BINARY, wrong=by_21(Range.SUPPORT)
        )
    },
    # Over the largest range (21) gives the largest θ: over fewer x (20) fails there too.
    "ding2025/lemma-6/proof/condition-20-p-greater": {
        "": for_all(
            users(MORE, BINARY, BASES[:2]),
            partial(condition_20, by_21(Range.ALPHABET)),
            falls=Falls.STEP,
        )
    },
    "ding2025/repair/lemma-6-condition-20": {
        "": satisfies_20(MORE, with_ratio, None, rests=INTEGER, wrong=by_21(Range.ALPHABET))
    },
}
