"""The trials of the paper's claims, by topic."""

from proofs_check.liu2024.trials import (
    definitions,
    experiments,
    repairs,
    testing_quantities,
    theorem1,
    theorem2,
)

__all__ = ["TRIALS"]

TRIALS = {
    **definitions.TRIALS,
    **testing_quantities.TRIALS,
    **theorem1.TRIALS,
    **theorem2.TRIALS,
    **experiments.TRIALS,
    **repairs.TRIALS,
}
