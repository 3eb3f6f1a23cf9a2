"""The trials of the paper's claims, by topic."""

from proofs_check.erlingsson2019.trials import (
    client,
    closeness,
    composition,
    inequalities,
    remarks,
    server,
    shuffling,
    swapping,
    tree,
)

__all__ = ["TRIALS"]

TRIALS = {
    **closeness.TRIALS,
    **composition.TRIALS,
    **tree.TRIALS,
    **client.TRIALS,
    **server.TRIALS,
    **shuffling.TRIALS,
    **swapping.TRIALS,
    **inequalities.TRIALS,
    **remarks.TRIALS,
}
