"""The trials of the lemmas."""

from proofs_check.lemmas.trials import divergences, sampling

TRIALS = {**divergences.TRIALS, **sampling.TRIALS}
