"""The trials of the paper's claims, by topic."""

from proofs_check.wang2023.trials import decompositions, formulas, mixtures, repairs, views

__all__ = ["TRIALS"]

TRIALS = {
    **decompositions.TRIALS,
    **mixtures.TRIALS,
    **views.TRIALS,
    **formulas.TRIALS,
    **repairs.TRIALS,
}
