"""Theorem 1, the variation-ratio reduction, what holds in its place, and equation (1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.certificates import (
    Certificate,
    finite_pair,
    function,
    hockey_stick,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, total_variation
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, decimal, enclosure, log
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import Users, Victim, shuffle_view, variation_ratio, variation_ratio_pair
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.trials.pairs import Row, below, binomial, count_term

__all__ = ["TRIALS", "properties", "property_relations", "small_rows", "sufficient"]


def small_rows(*, messages: int, weights: Sequence[int]) -> Iterator[tuple[Row, ...]]:
    """Yield the victim's two rows and another's with finite p and q, small numbers first."""
    for weight in weights:
        laws = [
            tuple(Fraction(w, weight) for w in ws)
            for ws in product(range(weight, -1, -1), repeat=messages)
            if sum(ws) == weight
        ]
        for two, one, other in product(laws, repeat=3):
            columns = zip(one, two, other, strict=True)
            finite = all((u > 0) == (v > 0) <= (w > 0) for u, v, w in columns)
            if one != two and finite:
                yield one, two, other


def properties(rows: Sequence[Row]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the smallest p, β and q of a victim (rows 0 and 1) and another user (row 2)."""
    r = Randomizer.from_matrix(rows)
    exact = variation_ratio(r, others=r.rows[2:])
    return exact.p.exp.as_fraction(), exact.beta.as_fraction(), exact.q.exp.as_fraction()


def property_relations(rows: Sequence[Row], p: Fraction, beta: Fraction, q: Fraction) -> list[Any]:
    """Return the hypotheses of the theorem for the kernel: variation and ratio properties."""
    ways = [(rows[0], rows[1]), (rows[1], rows[0])]
    return [
        *(relation("=", hockey_stick(finite_pair(*way), p), 0) for way in ways),
        *(relation("<=", hockey_stick(finite_pair(*way), 1), beta) for way in ways),
        *(relation("=", hockey_stick(finite_pair(row, rows[2]), q), 0) for row in rows[:2]),
        relation("<=", beta, (term(p) - 1) / (term(p) + 1)),
        relation(">=", q, 1),
    ]


# --- Theorem 1 -----------------------------------------------------------------------------


def _theorem_1() -> Statement:
    """One other user, whose randomizer ignores its input; two messages."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3):
            for rows in small_rows(messages=2, weights=(2, 3, 4)):
                yield Instance.of(n=n, rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, rows = v["n"], v["rows"]
        p, beta, q = properties(rows)
        matrix = Randomizer.from_matrix(rows)
        view = shuffle_view(Victim(matrix), [Users(matrix, 2, n - 1)])
        bound = variation_ratio_pair(n, p=p, beta=beta, q=q)

        def certificate(gamma: Exact) -> Certificate:
            a = beta * p / (p - 1)
            return Certificate(
                define=[
                    ("view", shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)])),
                    ("counts", count_term(a, a / p, a / q, n - 1)),
                ],
                hypotheses=property_relations(rows, p, beta, q),
                conclusion=[
                    relation(">", *(hockey_stick(ref(x), gamma) for x in ("view", "counts")))
                ],
            )

        return below(view.pair, bound.pair(), certificate)

    return Statement(instances=instances, holds=holds)


# --- the repair: what is left over is counted, too --------------------------------------------


def letters_pair(n: int, p: Fraction, beta: Fraction, q: Fraction, gamma: Fraction) -> Pair:
    """Return the counts of both letters, of the rest, and of the others' leftovers.

    The victim sends the letters with pα and α (α and pα), else the rest; each of n slots
    sends with probability γ, and then each letter with pα/q, the rest with (1-α-pα)/q.
    """
    first = p * beta / (p - 1)
    second = first / p
    rest, zero = 1 - first - second, Fraction(0)
    left = 1 - (1 + beta) / q
    slot = [gamma * share for share in (first / q, first / q, rest / q, left)]
    rows = [
        [first, second, rest, zero, zero],
        [second, first, rest, zero, zero],
        [*slot, 1 - gamma],
    ]
    matrix = Randomizer.from_matrix(rows)
    return shuffle_view(Victim(matrix), [Users(matrix, 2, n)]).pair


def sufficient(*, rest: bool, sampled: bool) -> Statement:
    """The view is below the counts with the rest (false variant: the printed two counts)."""
    gammas = (Fraction(1, 2), Fraction(1, 3)) if sampled else (Fraction(1),)

    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = (1, 2) if effort is Effort.DEFAULT else (1, 2, 3, 4)
        for slots, gamma in product(sizes, gammas):
            for rows in small_rows(messages=2, weights=(3, 4)):
                yield Instance.of(slots=slots, gamma=gamma, rows=rows)
        for rows in list(small_rows(messages=3, weights=(5,)))[::29]:
            yield Instance.of(slots=2, gamma=gammas[0], rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        slots, gamma, rows = v["slots"], v["gamma"], v["rows"]
        p, beta, q = properties(rows)
        zero = Fraction(0)
        sent = [*([*row, zero] for row in rows[:2]), [*(gamma * m for m in rows[2]), 1 - gamma]]
        matrix = Randomizer.from_matrix(sent)
        view = shuffle_view(Victim(matrix), [Users(matrix, 2, slots)])
        if not rest:
            printed = variation_ratio_pair(slots + 1, p=p, beta=beta, q=q / gamma)
            return below(view.pair, printed.pair())
        return below(view.pair, letters_pair(slots, p, beta, q, gamma))

    def strategy() -> st.SearchStrategy[Instance]:
        law = probability_vectors(size=3).filter(lambda masses: min(masses) > 0)
        rows = st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1])
        return st.builds(
            lambda slots, gamma, rows: Instance.of(slots=slots, gamma=gamma, rows=rows),
            st.integers(1, 2),
            st.sampled_from(gammas),
            rows,
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if rest else None,
        proof=(lambda: letters_proof(sampled=sampled)) if rest else None,
        false_variant=sufficient(rest=False, sampled=sampled) if rest else None,
    )


def letters_proof(*, sampled: bool) -> Proved | None:
    """Where the victim's rows are u >= v: the other case is the same with them exchanged."""
    u, v, p, beta = sympy.symbols("u v p beta", positive=True)
    letter, rest = (u - v) / (p - 1), (p * v - u) / (p - 1)  # α Q(y), and (1-α-pα) of the rest
    first = p * beta / (p - 1)
    identities = [
        p * letter + rest - u,
        letter + rest - v,
        2 * first + (1 - first - first / p) - (1 + beta),
    ]
    if any(sympy.simplify(identity) != 0 for identity in identities):
        return None
    return Proved(
        "all measures D; all finite randomizers with the two properties for finite p > 1 and q, "
        "β the total variation of the victim's rows"
        + ("; all integers n >= 1 and γ in [0, 1]" if sampled else "; all n >= 2"),
        "max(R_v(x), R_v(x')) = pα Q^0 + pα Q^1 + (1-α-pα) Q (computed), of mass 1+β, is at most "
        "q R_i: so R_i is 1/q of it, plus a leftover law of its own with weight 1 - (1+β)/q. Every "
        "other user draws its component with the same weights, so given the counts those who send "
        "leftovers are a uniform subset of the others who send, whatever the victim's input: the "
        "view is a post-processing of the counts",
    )


# --- equation (1) ----------------------------------------------------------------------------

HOEFFDING = 6  # 3 from log(4/δ) <= 3 log(1/δ), 2 from n <= 2(n-1)


def _constant(f: Any, *, p: Any, beta: Any, q: Any) -> Any:
    """Return the factor of (1) that the proof gives for these p, β, q."""
    r = beta * p / ((p - 1) * q)
    counts = (p - 1) * (f.sqrt(f.constant(2)) + 1) / f.sqrt(r)
    whole = f.log(p) / (r * f.sqrt(f.constant(2)))
    scale = f.sqrt(beta * (p - 1) * q / p)
    return f.sqrt(f.constant(HOEFFDING)) * f.maximum(counts, whole) / scale


def _amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return the constant times what stands in (1)."""
    formula = bounds.amplified_epsilon(f, p=p, beta=beta, q=q, n=n, delta=delta)
    return _constant(f, p=p, beta=beta, q=q) * formula


def _order(*, with_delta: bool = True) -> Statement:
    """Reading (a), with the constant of the proof; the false variant has no log(1/δ)."""
    shapes = [
        (Fraction(2), Fraction(1, 3), Fraction(3, 2)),
        (Fraction(2), Fraction(1, 10), Fraction(2)),
        (Fraction(5), Fraction(1, 2), Fraction(5)),
        (Fraction(20), Fraction(9, 10), Fraction(3)),
    ]

    def instances(effort: Effort) -> Iterator[Instance]:
        for (p, beta, q), n, digits in product(shapes, (2, 10, 100, 1000, 10_000), (0, 1, 6, 200)):
            delta = Fraction(1, 10**digits) if digits else Fraction(3, 4)
            nobody = (1 - 2 * beta * p / ((p - 1) * q)) ** (n - 1)
            if delta <= Fraction(1, 2) or beta * (1 + nobody) <= 1:
                yield Instance.of(n=n, p=p, beta=beta, q=q, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, p, beta, q, delta = (v[name] for name in ("n", "p", "beta", "q", "delta"))
        pair = variation_ratio_pair(n, p=p, beta=beta, q=q)
        if n <= 10 and total_variation(pair.pair()) != _total_variation(n, p, beta, q):
            return Outcome(Truth.FALSE, "the total variation is not β E[h(C)]")
        if pair.delta_enclosure(exp_epsilon=1).upper <= delta:
            return Outcome(Truth.TRUE, "ε = 0")
        if pair.delta_enclosure(exp_epsilon=p).upper > delta:
            return Outcome(Truth.FALSE, "the ratio of the laws exceeds p")
        true = pair.epsilon(delta=delta, relative_width="1e-6")
        if with_delta:
            claimed = evaluate(_amplified, n=n, p=p, beta=beta, q=q, delta=delta)
        else:
            claimed = evaluate(_amplified, n=n, p=p, beta=beta, q=q, delta=Fraction(1, 3))
        bracket = enclosure(claimed, relative_bits=40)
        return Outcome(
            Truth.FALSE if true.lower > bracket.upper else Truth.of(true.upper <= bracket.lower),
            f"ε is {decimal(Exact(true.lower), digits=6)}, claimed {decimal(claimed, digits=6)}",
            slack=bracket.lower / true.upper,
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=_order_proof if with_delta else None,
        false_variant=_order(with_delta=False) if with_delta else None,
    )


def _total_variation(n: int, p: Fraction, beta: Fraction, q: Fraction) -> Fraction:
    """Return β E[h(C)], h(c) the largest mass of Binomial(c, 1/2)."""
    share = 2 * beta * p / ((p - 1) * q)
    half = Fraction(1, 2)
    total = sum(
        (mass * max(m for _, m in binomial(c, half)) for c, mass in binomial(n - 1, share)),
        Fraction(0),
    )
    return beta * total


def _order_proof() -> Proved | None:
    """Given that the victim sends a letter, with a + b = c + 1."""
    a, b, p = sympy.symbols("a b p", positive=True)
    c = a + b - 1
    # binom(c, a-1) = binom(c+1, a) a/(c+1), binom(c, a) = binom(c+1, a) b/(c+1)
    ratio = (p * a / (c + 1) + b / (c + 1)) / (a / (c + 1) + p * b / (c + 1))
    gap = (ratio - 1) - (p - 1) * (a - b) / (a + p * b)
    alpha, beta = sympy.symbols("alpha beta", positive=True)
    variation = (alpha * (p + 1) * (p - 1) / (p + 1)).subs(alpha, beta / (p - 1)) - beta
    if sympy.simplify(gap) != 0 or sympy.simplify(variation) != 0:
        return None
    return Proved(
        "p > 1, β in (0, (p-1)/(p+1)], q with 2r <= 1 fixed (r = βp/((p-1)q)); all δ in (0, 1), "
        "fixed or not, and all n >= 2 with β(1 + (1-2r)^(n-1)) <= 1; β = 0 has P = Q",
        "the laws agree where the victim sends no letter; where it does, log P/Q <= (p-1)|a-b|/"
        "(a+b), a+b = C+1, |a-b| <= |2A-C|+1. Hoeffding, L = log(4/δ): |2A-C| <= sqrt(2CL) but for "
        "δ/2, C >= r(n-1) but for e^(-2r²(n-1)); if that is at most δ/2, ε <= (p-1)(sqrt(2)+1)"
        "sqrt(L/(r(n-1))), else L > 2r²(n-1) and ε <= log p <= log(p) sqrt(L/(2(n-1)))/r. For "
        "δ <= 1/2, L <= 3 log(1/δ). For δ > 1/2 the total variation β E[h(C)] <= β(1 + "
        "(1-2r)^(n-1))/2 (computed; h(0) = 1, else h <= 1/2) is at most δ, and ε = 0",
    )


def _uniformly() -> Statement:
    """Reading (b): β → 0 at fixed p, q = 150 n and δ = β/4 makes (1) go to 0, and not ε.

    D_2(P‖Q) >= (pα - 2α) P(C = 0) = (β/2)(1 - 2r)^(n-1) > β/4 as 2r = β/(50n) is small:
    so ε >= log 2, for every n, while (1) is sqrt(100 β log(4/β)).
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, beta, factor = v["n"], v["beta"], v["constant"]
        p, q, delta = Fraction(3), Fraction(150 * n), beta / 4
        lower = variation_ratio_pair(n, p=p, beta=beta, q=q).delta_enclosure(exp_epsilon=2).lower
        claimed = factor * evaluate(bounds.amplified_epsilon, p=p, beta=beta, q=q, n=n, delta=delta)
        fails = lower > delta and enclosure(log(2) - claimed, relative_bits=20).lower > 0

        def certificate() -> Certificate:
            a = beta * p / (p - 1)
            inside = beta * (term(p) - 1) * q * function("log", 1 / term(delta)) / (term(p) * n)
            return Certificate(
                define=[("counts", count_term(a, a / p, a / q, n - 1))],
                hypotheses=[
                    relation("<=", beta, (term(p) - 1) / (term(p) + 1)),
                    relation(">=", q, 1),
                ],
                conclusion=[
                    relation(">", hockey_stick(ref("counts"), 2), delta),
                    relation("<", factor * function("sqrt", inside), function("log", 2)),
                ],
            )

        return Outcome(
            Truth.of(not fails),
            f"ε > log 2 at this δ = β/4, claimed at most {decimal(claimed, digits=6)}; "
            "as β → 0 the same holds for every constant and every n",
            certificate,
        )

    return Statement(
        instances=lambda effort: [Instance.of(constant=1000, n=100, beta=Fraction(1, 10**10))],
        holds=holds,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/theorem-1": {"": _theorem_1()},
    "wang2024/repair/theorem-1": {"": sufficient(rest=True, sampled=False)},
    "wang2024/equation-1": {"a": _order(), "b": _uniformly()},
}
