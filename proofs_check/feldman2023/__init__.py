"""The trial of Feldman, McMillan, Talwar 2023, "Stronger Privacy Amplification by Shuffling".

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formula; ``worst`` the
worst adaptive randomizers for few users; ``trials`` puts each claim on trial. Verdicts are
what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

_REPAIRS = {
    "feldman2023/decomposition": "feldman2023/repair/reduction-two-letters",
    "feldman2023/lemma-3.5": "feldman2023/repair/reduction-two-letters",
    "feldman2023/k-rr": "feldman2023/repair/reduction-two-letters",
}


def _claims() -> tuple[Claim, ...]:
    from proofs_check.feldman2023.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs=_REPAIRS)


PAPER = Paper(
    key="feldman2023",
    citation=(
        "Feldman, McMillan, Talwar: Stronger Privacy Amplification by Shuffling for Rényi and "
        "Approximate Differential Privacy (2023)"
    ),
    claims=_claims,
    folder=str(_FOLDER),
)
