"""Lemmas and constructions that several papers share, with ids and verdicts of their own.

``catalog.toml`` says what they assert; ``trials`` puts each on trial, and keeps its proof as
a value that a paper's proof can rest on; ``extremal`` lists the extremal private
randomizers and the worst adaptive sequences of few users.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent


def _claims() -> tuple[Claim, ...]:
    from proofs_check.lemmas.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs={})


PAPER = Paper(
    key="lemmas", citation="Lemmas that several papers share", claims=_claims, folder=str(_FOLDER)
)
