"""Claims as data, their verdicts, and the catalog of installed papers."""

from exactdp.claims.catalog import claims_from_catalog, claims_of_paper, papers, select
from exactdp.claims.claim import Claim, Effort, Open, Outcome, Paper, Quantifier, Source, Statement
from exactdp.claims.verdicts import Instance, Proved, Refuted, Survived, Undecided, Verdict

__all__ = [
    "Claim",
    "Effort",
    "Instance",
    "Open",
    "Outcome",
    "Paper",
    "Proved",
    "Quantifier",
    "Refuted",
    "Source",
    "Statement",
    "Survived",
    "Undecided",
    "Verdict",
    "claims_from_catalog",
    "claims_of_paper",
    "papers",
    "select",
]
