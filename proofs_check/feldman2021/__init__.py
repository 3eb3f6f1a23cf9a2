"""The trial of Feldman, McMillan, Talwar 2021, "Hiding among the Clones".

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formula; ``search`` the
worst adaptive randomizers for few users; ``trials`` puts each claim on trial. Verdicts are
what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent


def _claims() -> tuple[Claim, ...]:
    from proofs_check.feldman2021.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs={})


PAPER = Paper(
    key="feldman2021",
    citation=(
        "Feldman, McMillan, Talwar: Hiding Among the Clones: A Simple and Nearly Optimal Analysis "
        "of Privacy Amplification by Shuffling (2021)"
    ),
    claims=_claims,
    folder=str(_FOLDER),
)
