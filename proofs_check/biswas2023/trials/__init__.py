"""The trials of the paper's claims, by topic."""

from proofs_check.biswas2023.trials import (
    definitions,
    identities,
    inversion,
    monotonicity,
    privacy_loss,
    reductions,
    table_ii,
    table_iv,
    theorem,
    utility,
)

__all__ = ["TRIALS"]

TRIALS = {
    **definitions.TRIALS,
    **theorem.TRIALS,
    **privacy_loss.TRIALS,
    **reductions.TRIALS,
    **identities.TRIALS,
    **table_ii.TRIALS,
    **table_iv.TRIALS,
    **monotonicity.TRIALS,
    **inversion.TRIALS,
    **utility.TRIALS,
}
