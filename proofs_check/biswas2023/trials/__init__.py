"""The trials of the paper's claims, by topic."""

from proofs_check.biswas2023.trials import definitions, identities, monotonicity, tables, theorem, utility

__all__ = ["TRIALS"]

TRIALS = {
    **definitions.TRIALS,
    **theorem.TRIALS,
    **identities.TRIALS,
    **tables.TRIALS,
    **monotonicity.TRIALS,
    **utility.TRIALS,
}
