"""The trial of Wang et al. 2023, "Privacy Amplification via Shuffling" (variation-ratio).

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formula, ``parameters``
its table of parameters; ``trials`` puts each claim on trial. Verdicts are what an audit
finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

_REPAIRS = {
    "wang2023/lemma-4.5": "wang2023/repair/common-leftover",
    "wang2023/appendix-C/post-processing": "wang2023/repair/common-leftover",
    "wang2023/variation-ratio": "wang2023/repair/given-a-letter",
}


def _claims() -> tuple[Claim, ...]:
    from proofs_check.wang2023.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs=_REPAIRS)


PAPER = Paper(
    key="wang2023",
    citation=(
        "Wang, Peng, Li, Wen, Li, Yu, Wang, Yang: Privacy Amplification via Shuffling: Unified, "
        "Simplified, and Tightened (2023)"
    ),
    claims=_claims,
    folder=str(_FOLDER),
)
