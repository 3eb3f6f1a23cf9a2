"""The trials of the paper's claims, in the paper's order."""

from exactdp.claims import Trials
from proofs_check.ding2025.trials import (
    appendix_example,
    lemma_1,
    lemma_1_proof,
    lemma_5,
    lemma_6,
    lemma_6_proof,
    section_2,
    section_3,
    section_4_1,
    section_4_3,
    section_4_3_1,
    section_4_4,
)

_FILES = (
    section_2,
    section_3,
    section_4_1,
    section_4_3,
    section_4_3_1,
    section_4_4,
    lemma_5,
    lemma_6,
    lemma_6_proof,
    lemma_1,
    lemma_1_proof,
    appendix_example,
)
TRIALS: Trials = {place: trial for file in _FILES for place, trial in file.TRIALS.items()}
