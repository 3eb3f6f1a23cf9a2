"""The trials of the paper's claims, in its order."""

from proofs_check.balle2019.trials import amplification, blanket, closed_forms

TRIALS = {**blanket.TRIALS, **amplification.TRIALS, **closed_forms.TRIALS}
