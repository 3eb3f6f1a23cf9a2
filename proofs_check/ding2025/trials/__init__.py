"""The trials of the paper's claims, in the paper's order."""

from collections.abc import Mapping

from exactdp.claims import Open, Statement
from proofs_check.ding2025.trials import (
    appendix_example,
    introduction,
    lemma_1,
    lemma_1_proof,
    lemma_5,
    lemma_6,
    lemma_6_condition,
    lemma_6_plan,
    lemma_6_remarks,
    section_2,
    section_3,
    section_4_1,
    section_4_3,
    section_4_3_1,
    section_4_4,
    section_4_4_proof,
)

__all__ = ["TRIALS"]

TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    **introduction.TRIALS,
    **section_2.TRIALS,
    **section_3.TRIALS,
    **section_4_1.TRIALS,
    **section_4_3.TRIALS,
    **section_4_3_1.TRIALS,
    **section_4_4.TRIALS,
    **section_4_4_proof.TRIALS,
    **lemma_5.TRIALS,
    **lemma_6.TRIALS,
    **lemma_6_plan.TRIALS,
    **lemma_6_condition.TRIALS,
    **lemma_6_remarks.TRIALS,
    **lemma_1.TRIALS,
    **lemma_1_proof.TRIALS,
    **appendix_example.TRIALS,
}
