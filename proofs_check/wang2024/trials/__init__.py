"""The trials of the paper's claims, by section."""

from proofs_check.wang2024.trials import (
    section_3,
    section_5_1_1,
    section_5_1_2,
    section_5_1_3,
    section_5_2_choice,
    section_5_2_utility,
    section_6,
    sections_4_and_5,
    theorem_1,
)

TRIALS = {
    **section_3.TRIALS,
    **theorem_1.TRIALS,
    **sections_4_and_5.TRIALS,
    **section_5_1_1.TRIALS,
    **section_5_1_2.TRIALS,
    **section_5_1_3.TRIALS,
    **section_5_2_utility.TRIALS,
    **section_5_2_choice.TRIALS,
    **section_6.TRIALS,
}
