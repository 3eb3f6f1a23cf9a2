"""Lemma 3, the Poisson randomizer among blanket messages, its proof, and what does hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.certificates import (
    Certificate,
    finite_pair,
    hockey_stick,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    Users,
    Victim,
    shuffle_view,
    variation_ratio,
    variation_ratio_decomposition,
)
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.wang2024.protocol import protocol_view
from proofs_check.wang2024.trials.lemma2 import brute_slot, brute_user
from proofs_check.wang2024.trials.pairs import (
    below,
    compared,
    convolution,
    pair_of,
    poisson_pair,
    poisson_term,
    power,
    same_curve,
    single,
    uniform_row,
)

__all__ = ["TRIALS"]

ONE, HALF = Fraction(1), Fraction(1, 2)


def _procedures(*, least_q: Fraction = ONE) -> Iterator[Instance]:
    """Yield n slots, γ, d and λ with q = dλ at least least_q, small ones first."""
    rates = (HALF, ONE, Fraction(1, 4), Fraction(3, 4))
    for n, gamma, d, rate in product((1, 2, 3), (ONE, HALF), (2, 3, 4), rates):
        if d * rate >= least_q:
            yield Instance.of(n=n, gamma=gamma, d=d, rate=rate)


def _any_procedure() -> st.SearchStrategy[Instance]:
    return st.builds(
        lambda n, gamma, d, rate: Instance.of(n=n, gamma=gamma, d=d, rate=rate),
        st.integers(1, 4),
        st.fractions(0, 1, max_denominator=5),
        st.integers(2, 4),
        st.fractions(0, 1, max_denominator=9),
    )


# --- Lemma 3 -------------------------------------------------------------------------------


def _lemma_3() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, d, rate = v["n"], v["gamma"], v["d"], v["rate"]
        view = protocol_view([0], [1], d=d, rate=rate, blankets=n, slot_rate=gamma)
        bound = poisson_pair(n, d=d, rate=rate, gamma=gamma)

        def certificate(at_gamma: Exact) -> Certificate:
            rows = [single(x, d=d, rate=rate) for x in (0, 1)] + [uniform_row(d=d, gamma=gamma)]
            return Certificate(
                define=[
                    ("view", shuffle_pair(rows, inputs=(0, 1), others=[(2, n)])),
                    ("counts", poisson_term(n, d=d, rate=rate, gamma=gamma)),
                ],
                hypotheses=[relation(">=", term(d) * rate, 1)],
                conclusion=[
                    relation(">", *(hockey_stick(ref(x), at_gamma) for x in ("view", "counts")))
                ],
            )

        return below(view.pair, bound.pair(), certificate)

    return Statement(instances=lambda effort: _procedures(), holds=holds)


# --- what does hold --------------------------------------------------------------------------


def _brute_pair(n: int, gamma: Fraction, d: int, rate: Fraction) -> Pair:
    """Return the two laws of H, all d items told apart."""
    blanket = power(brute_slot(d=d, gamma=gamma), n)
    laws = [convolution(brute_user([x], d=d, rate=rate), blanket) for x in (0, 1)]
    return pair_of(*laws)


def _three_counts(n: int, gamma: Fraction, d: int, rate: Fraction) -> Pair:
    """Return the counts of x_1^0, of x_1^1 and of all other items."""
    share, zero = gamma / d, Fraction(0)
    rows = [
        [rate, zero, zero, 1 - rate],
        [zero, rate, zero, 1 - rate],
        [share, share, (d - 2) * share, 1 - gamma],
    ]
    matrix = Randomizer.from_matrix(rows)
    return shuffle_view(Victim(matrix), [Users(matrix, 2, n)]).pair


def _exact_counts(*, others: bool = True) -> Statement:
    """D(H) = D(three counts) for all D (false variant: the printed two, of size n + 1)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        whole = _brute_pair(**v)
        if not others:
            printed = poisson_pair(v["n"] + 1, d=v["d"], rate=v["rate"], gamma=v["gamma"])
            return same_curve(whole, printed.pair())
        return same_curve(whole, _three_counts(**v))

    def proof() -> Proved | None:
        return Proved(
            "all integers n >= 0, γ in [0, 1], d >= 2, λ in [0, 1], items x_1^0 != x_1^1, all D",
            "the counts are a function of the messages; given them, the messages that are neither "
            "item are blanket messages, independent and uniform on the d - 2 others, whatever x is",
        )

    return Statement(
        instances=lambda effort: _procedures(least_q=Fraction(0)),
        holds=holds,
        strategy=_any_procedure if others else None,
        proof=proof if others else None,
        false_variant=_exact_counts(others=False) if others else None,
    )


def _coin_told(*, printed: bool = False) -> Statement:
    """D_{e^ε}(H) <= λ D_{e^ε}(P‖Q), β = 1, size n + 1 (false variant: β = λ, q = dλ)."""
    gammas = (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(4))

    def instances(effort: Effort) -> Iterator[Instance]:
        for at, e in product(_procedures(least_q=Fraction(0)), gammas):
            yield Instance.of(**at.mapping(), exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, d, rate, e = (v[x] for x in ("n", "gamma", "d", "rate", "exp_epsilon"))
        true = hockey_stick_divergence(_brute_pair(n, gamma, d, rate), exp_epsilon=e)
        told = poisson_pair(n + 1, d=d, rate=rate if printed else ONE, gamma=gamma).pair()
        bound = hockey_stick_divergence(told, exp_epsilon=e)
        return compared(true, bound if printed else rate * bound)

    def strategy() -> st.SearchStrategy[Instance]:
        e = st.fractions(1, 6, max_denominator=5)
        return st.builds(
            lambda at, e: Instance.of(**at.mapping(), exp_epsilon=e), _any_procedure(), e
        )

    def proof() -> Proved | None:
        return Proved(
            "all integers n >= 0, γ in [0, 1], d >= 2, λ in [0, 1], ε >= 0",
            "tell the observer whether the item was sent: if not, the laws are equal and "
            "D_{e^ε} = 0; if so, the counts (a, b) of both items have the laws P, Q with β = 1 and "
            "n trials, and the number of other items given (a, b) is Binomial on n + 1 - a - b "
            "slots, whatever x is; D_{e^ε} of the labeled laws is the mean",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if printed else strategy,
        proof=None if printed else proof,
        false_variant=None if printed else _coin_told(printed=True),
    )


# --- the proof -----------------------------------------------------------------------------


def _total_variation(*, share: bool = False) -> Statement:
    """D_1 of the two rows is λ (false variant: λ(1 - 1/d))."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for d, rate in product((2, 3, 5), (HALF, ONE, Fraction(1, 3), Fraction(0))):
            yield Instance.of(d=d, rate=rate)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, rate = v["d"], v["rate"]
        rows = [single(x, d=d, rate=rate) for x in (0, d - 1)]
        true = hockey_stick_divergence(Pair.from_masses(*rows), exp_epsilon=1)
        claimed = rate * (1 - Fraction(1, d)) if share else rate
        return Outcome(Truth.of(true == claimed), f"total variation {true}, claimed {claimed}")

    def proof() -> Proved | None:
        rate = sympy.symbols("lambda", nonnegative=True)
        # Positive parts at x, at x', at Φ, and at each other item.
        if sympy.Max(rate - 0, 0) + sympy.Max(0 - rate, 0) + 0 + 0 != rate:
            return None
        return Proved(
            "all d >= 2, λ in [0, 1], x != x'",
            "the rows differ at x, by λ, and at x', by -λ: the sum of the positive parts is λ",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if share else proof,
        false_variant=None if share else _total_variation(share=True),
    )


def _mixtures(*, q_factor: Fraction = ONE) -> Statement:
    """The mixtures (3), (4), (5), for p and q at or above the smallest possible ones."""
    factors = (ONE, Fraction(3, 2))

    def instances(effort: Effort) -> Iterator[Instance]:
        weight = 4 if effort is Effort.DEFAULT else 6
        laws = [
            tuple(Fraction(w, weight) for w in ws)
            for ws in product(range(1, weight), repeat=3)
            if sum(ws) == weight
        ]
        for rows, more_p, more_q in product(product(laws, repeat=3), factors, factors):
            if rows[0] != rows[1] and (more_p == 1 or more_q == 1):
                yield Instance.of(rows=rows, more_p=more_p, more_q=more_q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        r = Randomizer.from_matrix(v["rows"])
        exact = variation_ratio(r, others=r.rows[2:])
        p, q = exact.p.exp * v["more_p"], exact.q.exp * v["more_q"] * q_factor
        if q < 1:
            return Outcome(Truth.TRUE, "q is below 1")
        parts = variation_ratio_decomposition(r, others=r.rows[2:], p=Epsilon(p), q=q)
        alpha = exact.beta / (p - 1)
        weights = (parts.first, parts.second, parts.other) == (p * alpha, alpha, alpha * p / q)
        fault = parts.check()
        return Outcome(Truth.of(weights and fault is None), str(fault or "all parts are laws"))

    def strategy() -> st.SearchStrategy[Instance]:
        law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
        rows = st.tuples(law, law, law, law).filter(lambda rows: rows[0] != rows[1])
        factor = st.fractions(1, 3, max_denominator=3)
        return st.builds(
            lambda rows, p, q: Instance.of(rows=rows, more_p=p, more_q=q), rows, factor, factor
        )

    def proof() -> Proved | None:
        # Where R_1(x^0) = u >= v = R_1(x^1); the other case is the same with them exchanged.
        u, v, w, p, q = sympy.symbols("u v w p q", positive=True)
        letter, rest = (u - v) / (p - 1), (p * v - u) / (p - 1)
        slack = (w - u / q) + rest / q
        identities = [u - p * letter - rest, v - letter - rest, w - p * letter / q - slack]
        if any(sympy.simplify(identity) != 0 for identity in identities):
            return None
        return Proved(
            "all finite randomizers, p > 1 and q >= 1 with the two properties (β' = 0: α = r = 0)",
            "Q_1^0, Q_1^1 the positive and negative part of R_1(x^0) - R_1(x^1) over β': where "
            "u >= v they leave (p v - u)/(p-1) >= 0 of both rows by D_p = 0, and (w - u/q) + "
            "(p v - u)/((p-1)q) >= 0 of another's by D_q = 0; weights sum to 1",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if q_factor == 1 else None,
        proof=proof if q_factor == 1 else None,
        false_variant=_mixtures(q_factor=Fraction(3, 4)) if q_factor == 1 else None,
    )


def _q_ratio() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for d, rate in product((2, 3, 4), (ONE, HALF, Fraction(3, 4))):
            if d * rate >= 1:
                yield Instance.of(d=d, rate=rate)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, rate = v["d"], v["rate"]
        q, sent, blanket = d * rate, single(0, d=d, rate=rate), uniform_row(d=d, gamma=ONE)
        excess = hockey_stick_divergence(Pair.from_masses(sent, blanket), exp_epsilon=q)
        return Outcome(
            Truth.of(excess == 0),
            f"D_q(R_k(x)‖uniform) is {excess}, q = {q}: Φ has mass {1 - rate} and 0",
            lambda: Certificate(
                hypotheses=[relation(">=", term(d) * rate, 1)],
                conclusion=[
                    relation(">", hockey_stick(finite_pair(sent, blanket), term(d) * rate), 0)
                ],
            ),
        )

    return Statement(instances=instances, holds=holds)


def _decomposition(*, q_factor: Fraction = ONE) -> Statement:
    """p = ∞: pα = λ, α = 0, r = λ/q; what the letters leave must be a law of weight 1 - 2r."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for d, rate in product((2, 3, 5), (HALF, ONE, Fraction(1, 3), Fraction(1, 10))):
            yield Instance.of(d=d, rate=rate)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, rate = v["d"], v["rate"]
        r = rate / (d * rate * q_factor)
        letters = [single(x, d=d, rate=ONE) for x in (0, 1)]
        left = [
            [m - rate * one for m, one in zip(single(x, d=d, rate=rate), letters[x], strict=True)]
            for x in (0, 1)
        ]
        uniform = uniform_row(d=d, gamma=ONE)
        other = [m - r * a - r * b for m, a, b in zip(uniform, *letters, strict=True)]
        fine = left[0] == left[1] and min(left[0]) >= 0 and min(other) >= 0
        fine = fine and sum(left[0]) == 1 - rate and sum(other) == 1 - 2 * r
        return Outcome(Truth.of(fine), f"the blanket leaves {list(map(str, other))}")

    def proof() -> Proved | None:
        p, rate, d = sympy.symbols("p lambda d", positive=True)
        alpha = rate / (p - 1)
        limits = [
            sympy.limit(alpha, p, sympy.oo),
            sympy.limit(p * alpha, p, sympy.oo) - rate,
            sympy.limit(alpha * p / (d * rate), p, sympy.oo) - 1 / d,
        ]
        if any(sympy.simplify(limit) != 0 for limit in limits):
            return None
        return Proved(
            "all d >= 2, λ in (0, 1], x_1^0 != x_1^1, in the limit p → ∞",
            "α → 0, pα → λ, r → 1/d: R_k(x_1^b) = λ δ + (1-λ) δ_Φ, and the uniform law is "
            "1/d + 1/d on the two items and (1 - 2/d) times the uniform law on the d - 2 others",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if q_factor == 1 else None,
        false_variant=_decomposition(q_factor=HALF) if q_factor == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-5.1.2/total-variation": {"": _total_variation()},
    "wang2024/lemma-3": {"": _lemma_3()},
    "wang2024/repair/lemma-3/three-counts": {"": _exact_counts()},
    "wang2024/repair/lemma-3/coin-told": {"": _coin_told()},
    "wang2024/lemma-3/proof/mixture-equations": {"": _mixtures()},
    "wang2024/lemma-3/proof/q-ratio": {"": _q_ratio()},
    "wang2024/lemma-3/proof/decomposition": {"": _decomposition()},
}
