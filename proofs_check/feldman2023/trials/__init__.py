"""The trials of the paper's claims, in its order."""

from proofs_check.feldman2023.trials import reduction, sequences

__all__ = ["TRIALS"]

TRIALS = {**reduction.TRIALS, **sequences.TRIALS}
