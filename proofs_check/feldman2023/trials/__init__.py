"""The trials of the paper's claims, by topic."""

from proofs_check.feldman2023.trials import bound, decomposition, reduction, sequences

__all__ = ["TRIALS"]

TRIALS = {
    **decomposition.TRIALS,
    **reduction.TRIALS,
    **sequences.TRIALS,
    **bound.TRIALS,
}
