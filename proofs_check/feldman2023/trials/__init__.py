"""The trials of the paper's claims, in its order."""

from proofs_check.feldman2023.trials import reduction, sequences

TRIALS = {**reduction.TRIALS, **sequences.TRIALS}
