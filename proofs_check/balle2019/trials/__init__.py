"""The trials of the paper's claims, by topic."""

from proofs_check.balle2019.trials import blanket, closed_forms, reduction

__all__ = ["TRIALS"]

TRIALS = {**blanket.TRIALS, **reduction.TRIALS, **closed_forms.TRIALS}
