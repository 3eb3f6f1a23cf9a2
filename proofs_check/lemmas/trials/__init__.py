"""The trials of the lemmas."""

from proofs_check.lemmas.trials import divergences

__all__ = ["TRIALS"]

TRIALS = {**divergences.TRIALS}
