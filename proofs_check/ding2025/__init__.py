"""The trial of Ding, Lu, Yang, Zhang 2025, "Multi-user Pufferfish Privacy".

``catalog.toml`` says what the paper asserts, ``repairs.toml`` what mends it; ``bounds`` holds
its scales of noise, ``printed`` its tables. ``law`` has the laws of reports, ``line`` what the
paper computes from two of them, as terms; ``systems`` and ``bernoulli_user`` have the users that
the trials search over, ``steps`` the inequalities that proofs share. ``trials`` follows the
paper's sections. Verdicts are what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

_MENDED_BY = {
    "section-2.1/smaller-theta": "smaller-theta",
    "section-2.1/request": "request",
    "section-2.1/computation": "computation",
    "section-3/complement": "complement",
    "section-3/missing-user-law": "missing-user-law",
    "equation-7": "conditional-laws",
    "equation-8": "conditional-laws",
    "equation-9": "conditional-laws",
    "theorem-2/proof/inequality": "theorem-2-proof",
    "theorem-3/condition-13": "theorem-3-condition-13",
    "remark-2": "remark-2",
    "section-4.3.1/class-removal": "class-removal",
    "theorem-4": "theorem-4",
    "theorem-4/proof/bounds": "theorem-4-bounds",
    "lemma-6/p-less-than-q": "lemma-6",
    "lemma-6/p-greater-than-q": "lemma-6",
    "lemma-6/proof/off-diagonal-p-greater": "lemma-6-plan",
    "lemma-6/proof/ratio-p-greater": "lemma-6-plan",
    "lemma-6/proof/condition-20-p-greater": "lemma-6-condition-20",
    "lemma-1": "lemma-1",
    "lemma-1/proof/bullet-3/difference": "lemma-1-bullet-3",
    "lemma-1/proof/case-1": "lemma-1-support",
    "lemma-1/proof/case-2": "lemma-1-support",
    "lemma-1/proof/case-3": "lemma-1-support",
    "lemma-1/proof/pointwise-sup": "lemma-1-support",
    "proposition-2": "proposition-2",
    "table-5/s_i": "table-5-s_i",
    "table-5/s_j": "table-5-s_j",
    "example-3/delta-2-3-4": "example-3",
    "section-A.1/lower-shift": "section-A.1-lower-shift",
    "section-A.1/upper-shift": "section-A.1-upper-shift",
    "section-A.1/sup": "lemma-1",
}
"""Place of a claim -> name of its repair."""

_REPAIRS = {f"ding2025/{place}": f"ding2025/repair/{name}" for place, name in _MENDED_BY.items()}


def _claims() -> tuple[Claim, ...]:
    from proofs_check.ding2025.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs=_REPAIRS)


PAPER = Paper(
    key="ding2025",
    citation="Ding, Lu, Yang, Zhang: Multi-user Pufferfish Privacy (2025)",
    claims=_claims,
    folder=str(_FOLDER),
)
