"""The trial of Ding, Lu, Yang, Zhang 2025, "Multi-user Pufferfish Privacy".

``catalog.toml`` says what the paper asserts, ``repairs.toml`` what mends it; ``bounds`` holds
its scales of noise, ``printed`` its tables. ``law`` has the laws of reports, ``couplings`` their
transport plans, ``line`` what the paper computes from two of them, as terms; ``systems`` and
``bernoulli_user`` have the users that the trials search over, ``steps`` the inequalities that
proofs share. ``trials`` follows the paper's sections. Verdicts are what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent


def _claims() -> tuple[Claim, ...]:
    from proofs_check.ding2025.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS)


PAPER = Paper(
    key="ding2025",
    citation="Ding, Lu, Yang, Zhang: Multi-user Pufferfish Privacy (2025)",
    claims=_claims,
    folder=str(_FOLDER),
)
