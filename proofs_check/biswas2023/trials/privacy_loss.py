"""Result 1, (14) and the final display: delta as a sum over privacy losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, finite_pair, hockey_stick, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat
from proofs_check.biswas2023.proof_steps import (
    ALL_DATASETS,
    absorption_holds,
    bracket_is,
    hockey_stick_formula_is_exact,
)
from proofs_check.biswas2023.protocol import (
    count_masses,
    count_pair,
    count_view,
    histogram_pair,
    histogram_view,
)
from proofs_check.biswas2023.trials.instances import (
    certified,
    compared,
    count_instances,
    count_strategy,
    counts_of,
    histogram_instances,
    histogram_strategy,
    sign,
)

__all__ = ["TRIALS"]


def _pair_instances(effort: Effort) -> Iterator[Instance]:
    size = 3 if effort is Effort.DEFAULT else 5
    weights = range(3)
    for length in range(1, size + 1):
        for p, q in product(product(weights, repeat=length), repeat=2):
            if sum(p) and sum(q):
                for e in (Fraction(3, 2), Fraction(2)):
                    yield Instance.of(p=_normal(p), q=_normal(q), exp_epsilon=e)


def _normal(weights: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(Fraction(w, sum(weights)) for w in weights)


def _losses(p: Sequence[Any], q: Sequence[Any]) -> tuple[dict[Any, Any], Any]:
    """Return omega by finite e^u, and omega at plus infinity (Definitions III.8, III.9)."""
    omega: dict[Any, Any] = {}
    infinite = p[0] * 0
    for a, b in zip(p, q, strict=True):
        if b == 0:
            infinite += a
        elif a != 0:
            omega[a / b] = omega.get(a / b, 0) + a
    return omega, infinite


def _result_1(*, one_index: bool) -> Statement:
    """(2), with u and v one index, or with v a second index that the summand ignores."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e = v["p"], v["q"], v["exp_epsilon"]
        omega, infinite = _losses(p, q)
        inner = sum(((1 - e / u) * mass for u, mass in omega.items() if u > e), Fraction(0))
        claimed = Exact(infinite + (inner if one_index else inner * len(omega)))
        truth = hockey_stick_divergence(Pair.from_masses(p, q), exp_epsilon=Exact(e))
        return compared(
            claimed,
            truth,
            "hockey-stick divergence",
            lambda: Certificate(
                conclusion=[relation("!=", hockey_stick(finite_pair(p, q), e), claimed)]
            ),
        )

    def proof() -> Proved | None:
        if not hockey_stick_formula_is_exact():
            return None
        return Proved(
            "all pairs of laws on countably many outputs, all eps",
            "(1 - e^eps/r) P = P - e^eps Q term by term; the best event is P > e^eps Q",
        )

    return Statement(
        instances=_pair_instances,
        holds=holds,
        proof=proof if one_index else None,
        false_variant=_result_1(one_index=False) if one_index else None,
    )


def _grouped_delta(x: Exact, c: Counts, e: Exact) -> Exact:
    """Return the right side of (14), grouping outputs s by their loss v."""
    first, second = count_masses(x, c)
    omega, infinite = _losses(first, second)
    total: Exact = sum(((1 - e / u) * mass for u, mass in omega.items() if u > e), infinite)
    return total


def _equation_14(*, histogram: bool) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        claimed = _grouped_delta(x, c, e)
        others = v["others"]
        view = histogram_view(x, c.k, others) if histogram else count_view(x, c)
        truth = view.hockey_stick_divergence(exp_epsilon=e)
        pair = histogram_pair(c.k, others) if histogram else count_pair(c)
        concluded = relation(
            sign(claimed, truth), hockey_stick(pair, e), hockey_stick(count_pair(c), e)
        )
        return compared(claimed, truth, "delta", certified(x, c.k, [concluded]))

    def proof() -> Proved | None:
        if not hockey_stick_formula_is_exact():
            return None
        return Proved("all k > 2, n, n_x0, eps0 > 0, eps > 0", "Result 1 for the count of x_0")

    return Statement(
        instances=lambda effort: histogram_instances(effort, first_k=3),
        holds=holds,
        strategy=lambda: histogram_strategy(first_k=3),
        proof=None if histogram else proof,
        false_variant=None if histogram else _equation_14(histogram=True),
    )


def _final_display_first_step(*, one_index: bool) -> Statement:
    """With two symbols, v is free and only the number of u > eps enters: for every loss v."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        first, second = count_masses(x, c)
        right = sum(
            ((1 - e * b / a) * a for a, b in zip(first, second, strict=True) if a / b > e),
            Exact(0),
        )
        if one_index:
            claimed = [_grouped_delta(x, c, e)]
        else:
            omega, _ = _losses(first, second)
            above = sum(1 for u in omega if u > e)
            claimed = [above * (1 - e / u) * mass for u, mass in omega.items()]
        wrong = next((value for value in claimed if value != right), None)
        if wrong is None:
            return Outcome(Truth.TRUE)
        concluded = relation("!=", hockey_stick(count_pair(c), e), wrong)
        return compared(wrong, right, "right side", certified(x, c.k, [concluded]))

    def proof() -> Proved | None:
        return Proved(
            "all n, n_x0, k, eps0 > 0, eps > 0",
            "outputs s grouped by their loss: the same finite sum, reordered",
        )

    return Statement(
        instances=count_instances,
        holds=holds,
        strategy=count_strategy,
        proof=proof if one_index else None,
        false_variant=_final_display_first_step(one_index=False) if one_index else None,
    )


def _final_display_last_step(*, factor: Fraction = Fraction(1)) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        first, second = count_masses(x, c)
        by_definition = [(a / b, a) for a, b in zip(first, second, strict=True)]
        by_formula = [
            (a / b, bounds.equation_12(x, c, s) * factor)
            for s, (a, b) in enumerate(zip(first, second, strict=True))
        ]
        claimed, truth = delta_hat(by_formula, e), delta_hat(by_definition, e)
        concluded = relation("!=", hockey_stick(count_pair(c), e), claimed)
        return compared(claimed, truth, "left side", certified(x, c.k, [concluded]))

    def proof() -> Proved | None:
        if factor != 1 or not (absorption_holds() and bracket_is(bounds.line_2, first=True)):
            return None
        return Proved(ALL_DATASETS, "(12) is P(M_x0(x_0) = s), proved by generating functions")

    return Statement(
        instances=count_instances,
        holds=holds,
        strategy=count_strategy,
        proof=proof,
        false_variant=_final_display_last_step(factor=Fraction(99, 100)) if factor == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/equation-2": {"a": _result_1(one_index=False), "b": _result_1(one_index=True)},
    "biswas2023/equation-14": {
        "a": _equation_14(histogram=True),
        "b": _equation_14(histogram=False),
    },
    "biswas2023/appendix-A/final-display/first-step": {
        "a": _final_display_first_step(one_index=False),
        "b": _final_display_first_step(one_index=True),
    },
    "biswas2023/appendix-A/final-display/last-step": {"": _final_display_last_step()},
}
