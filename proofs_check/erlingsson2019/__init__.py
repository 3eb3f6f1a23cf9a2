"""The trial of Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019.

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formulas; ``tree``,
``client`` and ``server`` its algorithms of Section 3; ``swaps`` the steps of Algorithm 5;
``steps`` what several proofs take; ``trials`` puts each claim on trial. Verdicts are what an
audit finds.
"""

from __future__ import annotations

from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

_REPAIRS = {
    "erlingsson2019/lemma-3/triangle": "erlingsson2019/repair/lemma-3-triangle",
    "erlingsson2019/corollary-9": "erlingsson2019/repair/corollary-9",
    "erlingsson2019/section-1.2/group": "erlingsson2019/repair/corollary-9",
    "erlingsson2019/section-3/f_t": "erlingsson2019/repair/marginal-sums",
    "erlingsson2019/theorem-6/proof/nodes-added": "erlingsson2019/repair/marginal-sums",
    "erlingsson2019/theorem-6": "erlingsson2019/repair/theorem-6-expectation",
    "erlingsson2019/theorem-6/proof/expectation-u": "erlingsson2019/repair/theorem-6-expectation",
    "erlingsson2019/theorem-6/proof/expectation-T": "erlingsson2019/repair/theorem-6-expectation",
    "erlingsson2019/theorem-8/proof/B-i": "erlingsson2019/theorem-8/proof/epsilon1",
}


def _claims() -> tuple[Claim, ...]:
    from proofs_check.erlingsson2019.trials import TRIALS

    return claims_of_paper(_FOLDER, trials=TRIALS, repairs=_REPAIRS)


PAPER = Paper(
    key="erlingsson2019",
    citation=(
        "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta: Amplification by Shuffling: "
        "From Local to Central Differential Privacy via Anonymity (2019)"
    ),
    claims=_claims,
    folder=str(_FOLDER),
)
