"""The trials of the paper's claims, by topic."""

from proofs_check.wang2024.trials import (
    definitions,
    experiments,
    lemma2,
    lemma3,
    optimization,
    parameters,
    proposition1,
    theorem1,
    theorem2,
    theorem3,
    unbiased,
    variance,
)

__all__ = ["TRIALS"]

TRIALS = {
    **definitions.TRIALS,
    **parameters.TRIALS,
    **theorem1.TRIALS,
    **lemma2.TRIALS,
    **theorem2.TRIALS,
    **lemma3.TRIALS,
    **theorem3.TRIALS,
    **proposition1.TRIALS,
    **unbiased.TRIALS,
    **variance.TRIALS,
    **optimization.TRIALS,
    **experiments.TRIALS,
}
