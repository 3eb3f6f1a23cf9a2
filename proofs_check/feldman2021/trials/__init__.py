"""The trials of the paper's claims, in its order."""

from proofs_check.feldman2021.trials import decomposition, reduction

__all__ = ["TRIALS"]

TRIALS = {**decomposition.TRIALS, **reduction.TRIALS}
