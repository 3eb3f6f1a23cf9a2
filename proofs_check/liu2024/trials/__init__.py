"""The trials of the paper's claims, in its order."""

from exactdp.claims import Trials
from proofs_check.liu2024.trials import (
    repairs,
    section_3_1,
    section_3_2,
    section_3_3,
    section_4,
    theorem_2,
)

TRIALS: Trials = {
    **section_3_1.TRIALS,
    **section_3_2.TRIALS,
    **section_3_3.TRIALS,
    **theorem_2.TRIALS,
    **section_4.TRIALS,
    **repairs.TRIALS,
}
