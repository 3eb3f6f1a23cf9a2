"""The trials of the paper's claims, in its order."""

from proofs_check.balle2019.trials import blanket, closed_forms

__all__ = ["TRIALS"]

TRIALS = {**blanket.TRIALS, **closed_forms.TRIALS}
