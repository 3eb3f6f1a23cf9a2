"""The trials of the lemmas."""

from proofs_check.lemmas.trials import divergences, sampling

__all__ = ["TRIALS"]

TRIALS = {**divergences.TRIALS, **sampling.TRIALS}
