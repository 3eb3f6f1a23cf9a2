"""The trials of the paper's claims, in its order."""

from exactdp.claims import Trials
from proofs_check.biswas2023.trials import (
    appendix_a,
    equation_10,
    section_3,
    section_4,
    section_5a,
    section_5c,
    table_ii,
    table_ii_references,
    table_iv,
)

_SECTIONS = (
    section_3,
    table_ii_references,
    table_ii,
    section_4,
    section_5a,
    equation_10,
    section_5c,
    table_iv,
    appendix_a,
)

TRIALS: Trials = {name: trial for part in _SECTIONS for name, trial in part.TRIALS.items()}
