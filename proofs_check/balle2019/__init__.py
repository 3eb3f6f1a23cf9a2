"""The trial of Balle, Bell, Gascon, Nissim 2019, "The Privacy Blanket of the Shuffle Model".

``catalog.toml`` says what the paper asserts of amplification by shuffling; ``bounds`` holds
its formulas; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent


def _claims() -> tuple[Claim, ...]:
    from proofs_check.balle2019.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs={})


PAPER = Paper(
    key="balle2019",
    citation="Balle, Bell, Gascon, Nissim: The Privacy Blanket of the Shuffle Model (2019)",
    claims=_claims,
    folder=str(_FOLDER),
)
