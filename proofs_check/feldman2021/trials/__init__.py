"""The trials of the paper's claims, in its order."""

from proofs_check.feldman2021.trials import decomposition, reduction

TRIALS = {**decomposition.TRIALS, **reduction.TRIALS}
