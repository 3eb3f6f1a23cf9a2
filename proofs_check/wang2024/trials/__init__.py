"""The trials of the paper's claims, by section."""

from proofs_check.wang2024.trials import (
    proposition_1,
    section_3,
    section_4,
    section_5,
    section_5_1_1,
    section_5_1_2,
    section_5_1_3,
    section_5_2_parameters,
    section_5_2_thresholds,
    section_5_2_utility,
    section_6,
    theorem_1,
)

__all__ = ["TRIALS"]

TRIALS = {
    **section_3.TRIALS,
    **theorem_1.TRIALS,
    **section_4.TRIALS,
    **section_5.TRIALS,
    **section_5_1_1.TRIALS,
    **section_5_1_2.TRIALS,
    **section_5_1_3.TRIALS,
    **proposition_1.TRIALS,
    **section_5_2_utility.TRIALS,
    **section_5_2_parameters.TRIALS,
    **section_5_2_thresholds.TRIALS,
    **section_6.TRIALS,
}
