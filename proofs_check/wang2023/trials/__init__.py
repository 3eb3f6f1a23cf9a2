"""The trials of the paper's claims, in its order."""

from proofs_check.wang2023.trials import formulas, mixtures, reduction

TRIALS = {**mixtures.TRIALS, **reduction.TRIALS, **formulas.TRIALS}
