"""The trials of the paper's claims, in its order."""

from proofs_check.biswas2023.trials import (
    appendix_a,
    equation_10,
    section_3,
    section_4,
    section_5a,
    section_5c,
    table_ii,
    table_iv,
)

__all__ = ["TRIALS"]

TRIALS = {
    **section_3.TRIALS,
    **table_ii.TRIALS,
    **section_4.TRIALS,
    **section_5a.TRIALS,
    **equation_10.TRIALS,
    **section_5c.TRIALS,
    **table_iv.TRIALS,
    **appendix_a.TRIALS,
}
