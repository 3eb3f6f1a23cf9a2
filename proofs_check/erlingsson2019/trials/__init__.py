"""The trials of the paper's claims, in its order."""

from collections.abc import Mapping

from exactdp.claims import Open, Statement
from proofs_check.erlingsson2019.trials import (
    closeness,
    cover,
    section_1,
    section_2,
    section_3,
    section_4,
    section_4_1,
    theorem_6,
    theorem_7,
    theorem_8,
)

__all__ = ["TRIALS"]

TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    **section_1.TRIALS,
    **section_2.TRIALS,
    **closeness.TRIALS,
    **section_3.TRIALS,
    **cover.TRIALS,
    **theorem_6.TRIALS,
    **section_4.TRIALS,
    **theorem_8.TRIALS,
    **theorem_7.TRIALS,
    **section_4_1.TRIALS,
}
