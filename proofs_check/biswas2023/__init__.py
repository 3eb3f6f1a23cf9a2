"""The trial of Biswas, Jung, Palamidessi 2023 (k-ary randomized response, shuffled).

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formulas, ``tables``
its numbers; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

_REPAIRS = {
    "biswas2023/theorem-IV.1": "biswas2023/repair/theorem-IV.1-count",
    "biswas2023/section-I-A/contribution-1": "biswas2023/repair/theorem-IV.1-count",
    "biswas2023/equation-15/form-3": "biswas2023/equation-15/form-2",
    "biswas2023/appendix-A/after-11/line-1": "biswas2023/appendix-A/after-11/line-2",
    "biswas2023/appendix-A/after-11/line-3": "biswas2023/equation-12",
    "biswas2023/equation-13/first-display": "biswas2023/equation-13/second-display",
    "biswas2023/figure-1/text": "biswas2023/figure-1/caption",
    "biswas2023/definition-V.1": "biswas2023/repair/definition-V.1-small-epsilon",
}


def _claims() -> tuple[Claim, ...]:
    from proofs_check.biswas2023.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs=_REPAIRS)


PAPER = Paper(
    key="biswas2023",
    citation=(
        "Biswas, Jung, Palamidessi: Tight Differential Privacy Guarantees for the Shuffle Model "
        "with k-Randomized Response (2023)"
    ),
    claims=_claims,
    folder=str(_FOLDER),
)
