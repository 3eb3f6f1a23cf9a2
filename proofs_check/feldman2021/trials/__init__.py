"""The trials of the paper's claims, by topic."""

from proofs_check.feldman2021.trials import bound, decomposition, reduction

__all__ = ["TRIALS"]

TRIALS = {**decomposition.TRIALS, **reduction.TRIALS, **bound.TRIALS}
