"""The trials of the paper's claims, in its order."""

from exactdp.claims import Trials
from proofs_check.erlingsson2019.trials import (
    closeness,
    section_1,
    section_2,
    section_3,
    section_4,
    section_4_1,
    theorem_6,
    theorem_7,
    theorem_8,
)

_SECTIONS = (
    section_1,
    section_2,
    closeness,
    section_3,
    theorem_6,
    section_4,
    theorem_8,
    theorem_7,
    section_4_1,
)

TRIALS: Trials = {name: trial for part in _SECTIONS for name, trial in part.TRIALS.items()}
