"""Lemma 4.4, the mixtures, and Lemma 4.6, the pair for a smaller β."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    CountPair,
    variation_ratio,
    variation_ratio_decomposition,
    variation_ratio_pair,
)
from exactdp.testing import probability_vectors
from exactdp.truth import Truth

__all__ = ["TRIALS"]

FACTORS = [Fraction(1), Fraction(3, 2)]
"""How much p and q are above the smallest possible ones."""


# --- Lemma 4.4 -----------------------------------------------------------------------------


def _laws(weight: int) -> list[tuple[Fraction, ...]]:
    """Return the positive laws on three messages with this common denominator."""
    return [
        (Fraction(i, weight), Fraction(j, weight), Fraction(weight - i - j, weight))
        for i, j in product(range(1, weight), repeat=2)
        if i + j < weight
    ]


def _mixtures(*, q_factor: Fraction = Fraction(1)) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        laws = _laws(5 if effort is Effort.DEFAULT else 7)
        for rows, more_p, more_q in product(product(laws, repeat=3), FACTORS, FACTORS):
            if rows[0] != rows[1]:
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
        return Outcome(Truth.of(weights and fault is None), str(fault or "all components are laws"))

    return Statement(
        instances=instances,
        holds=holds,
        strategy=_any_rows if q_factor == 1 else None,
        proof=_mixtures_proof if q_factor == 1 else None,
        false_variant=_mixtures(q_factor=Fraction(3, 4)) if q_factor == 1 else None,
    )


def _any_rows() -> st.SearchStrategy[Instance]:
    law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
    rows = st.tuples(law, law, law, law).filter(lambda rows: rows[0] != rows[1])
    factor = st.fractions(1, 3, max_denominator=3)
    return st.builds(
        lambda rows, p, q: Instance.of(rows=rows, more_p=p, more_q=q), rows, factor, factor
    )


def _mixtures_proof() -> Proved | None:
    """Where R_1(x^0) = u >= v = R_1(x^1); the other case is the same with them exchanged."""
    u, v, w, p, q = sympy.symbols("u v w p q", positive=True)
    letter = (u - v) / (p - 1)  # α Q_1^0(y), for Q_1^0 = (u - v)/β' and α = β'/(p-1)
    common = (p * v - u) / (p - 1)
    slack = (w - u / q) + (p * v - u) / ((p - 1) * q)
    identities = [u - p * letter - common, v - letter - common, w - p * letter / q - slack]
    if any(sympy.simplify(identity) != 0 for identity in identities):
        return None
    return Proved(
        "all finite randomizers, p > 1 and q >= 1 with the two properties (β' = 0: α = r = 0)",
        "the construction of Appendix A: where u >= v the letters leave (p v - u)/(p-1) >= 0 of "
        "both rows, and (w - u/q) + (p v - u)/((p-1) q) >= 0 of another; weights sum to 1",
    )


# --- Lemma 4.6 -----------------------------------------------------------------------------


def _monotone(*, reverse: bool = False) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        shapes = [
            (Fraction(2), Fraction(1)),
            (Fraction(2), Fraction(2)),
            (Fraction(4), Fraction(3)),
        ]
        for n, (p, q), keep in product(range(1, 6), shapes, (Fraction(1, 3), Fraction(3, 4))):
            for part in (Fraction(1, 2), Fraction(1)):
                beta = part * (p - 1) / (p + 1)
                for g in (1, (1 + p) / 2, (1 + 3 * p) / 4):
                    if 2 * beta * p <= (p - 1) * q:
                        yield Instance.of(n=n, p=p, beta=beta, q=q, keep=keep, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, p, beta, q, keep = (v[name] for name in ("n", "p", "beta", "q", "keep"))
        large = variation_ratio_pair(n, p=p, beta=beta, q=q)
        small = variation_ratio_pair(n, p=p, beta=beta * keep, q=q)
        thinned = CountPair(n, large.first * keep, large.second * keep, large.other * keep)
        above, below = (
            hockey_stick_divergence(pair.pair(), exp_epsilon=v["exp_epsilon"])
            for pair in (large, small)
        )
        fine = thinned == small and (below >= above if reverse else below <= above)
        return Outcome(Truth.of(fine), f"for β' {below}, for β {above}")

    def proof() -> Proved | None:
        return Proved(
            "all n, p, q, β' <= β",
            "the counts are sums over independent users; keeping every letter with probability "
            "β'/β, independently, multiplies α, pα and r = αp/q by β'/β",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if reverse else proof,
        false_variant=None if reverse else _monotone(reverse=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2023/lemma-4.4": {"": _mixtures()},
    "wang2023/lemma-4.6": {"": _monotone()},
}
