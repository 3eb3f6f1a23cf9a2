"""Theorem IV.1: formula (6) against the exact delta, under each reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from exactdp.certificates import hockey_stick, relation, term
from exactdp.claims import Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact
from exactdp.shuffle import worst_case
from exactdp.truth import Truth
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat, delta_hat_terms
from proofs_check.biswas2023.proof_steps import (
    ALL_DATASETS,
    absorption_holds,
    bracket_is,
    hockey_stick_formula_is_exact,
)
from proofs_check.biswas2023.protocol import (
    X,
    count_pair,
    count_view,
    histogram_pair,
    histogram_view,
    randomizer,
)
from proofs_check.biswas2023.trials.instances import (
    certified,
    compared,
    count_instances,
    count_strategy,
    counts_of,
    histogram_instances,
    sign,
)

__all__ = ["TRIALS"]


def _delta_statement(
    exp_loss: Callable[[Any, Counts, int], Any],
    *,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """(6) with some v_s against the exact delta of the count of x_0."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        truth = count_view(x, c).hockey_stick_divergence(exp_epsilon=e)
        claimed = delta_hat(delta_hat_terms(x, c, exp_loss=exp_loss), e)
        formula = delta_hat(delta_hat_terms(X, c, exp_loss=exp_loss), term(e))
        concluded = relation(sign(claimed, truth), hockey_stick(count_pair(c), e), formula)
        return compared(claimed, truth, "delta of the count", certified(x, c.k, [concluded]))

    return Statement(
        instances=count_instances,
        holds=holds,
        strategy=count_strategy,
        proof=proof,
        false_variant=false_variant,
    )


def _theorem_on_histograms() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        truth = histogram_view(x, c.k, v["others"]).hockey_stick_divergence(exp_epsilon=e)
        claimed = delta_hat(delta_hat_terms(x, c), e)
        formula = delta_hat(delta_hat_terms(X, c), term(e))
        pair = histogram_pair(c.k, v["others"])
        concluded = relation(sign(claimed, truth), hockey_stick(pair, e), formula)
        return compared(claimed, truth, "delta of the histogram", certified(x, c.k, [concluded]))

    return Statement(instances=histogram_instances, holds=holds)


def _theorem_on_all_datasets() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        worst = worst_case([(randomizer(x, c.k), c.n)], exp_epsilon=e, inputs=(0, 1))
        claimed = delta_hat(delta_hat_terms(x, c), e)
        if claimed > worst.value:
            return Outcome(Truth.FALSE, f"formula {claimed} above the worst case {worst.value}")
        others = [(u.input, u.count) for u in worst.neighbors.others]
        formula = delta_hat(delta_hat_terms(X, c), term(e))
        concluded = relation(">", hockey_stick(histogram_pair(c.k, others), e), formula)
        return compared(
            claimed,
            worst.value,
            f"delta over all datasets (attained at {worst.neighbors})",
            certified(x, c.k, [concluded]),
        )

    return Statement(instances=count_instances, holds=holds)


def _count_delta_is_tight() -> Proved | None:
    """Return the proof that (6) with the second form of (15) is the count's exact delta."""
    steps = (
        bracket_is(bounds.line_2, first=True),
        bracket_is(bounds.equation_13, first=False),
        absorption_holds(),
        hockey_stick_formula_is_exact(),
    )
    if not all(steps):
        return None
    return Proved(
        f"{ALL_DATASETS}, eps > 0",
        "both masses by generating functions, then (1 - e^eps/r) P = P - e^eps Q term by term",
    )


_PRINTED = bounds.exp_privacy_loss_printed

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/theorem-IV.1": {
        "a": _theorem_on_histograms(),
        "b": _delta_statement(_PRINTED),
        "c": _theorem_on_all_datasets(),
    },
    "biswas2023/section-I-A/contribution-1": {"": _theorem_on_histograms()},
    "biswas2023/repair/theorem-IV.1-count": {
        "": _delta_statement(
            bounds.exp_privacy_loss_form_2,
            proof=_count_delta_is_tight,
            false_variant=_delta_statement(_PRINTED),
        )
    },
}
