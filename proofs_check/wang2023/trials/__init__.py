"""The trials of the paper's claims, in its order."""

from proofs_check.wang2023.trials import formulas, mixtures, reduction

__all__ = ["TRIALS"]

TRIALS = {**mixtures.TRIALS, **reduction.TRIALS, **formulas.TRIALS}
