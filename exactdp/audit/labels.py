"""Whether a certificate states what its label says: the catalog's sentence at its witness.

The kernel checks a statement and only repeats its label; a proof's steps are compared with the
catalog's. For a refutation the labeled claim is looked up,
its formula is evaluated again at the witness that the inventory keeps, and the relations that
this gives are compared with those of the file: so nobody's ``0 < 1`` passes for a theorem's end.
A long search may have found another witness; so a file that differs is compared at the listed
instances too, as far as some seconds of work reach.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from time import process_time
from typing import Any

from exactdp.audit.run import read_inventory
from exactdp.audit.trial import decide
from exactdp.claims import Effort, Open, Outcome, Proved, Quantifier, Statement, find_claim
from exactdp.claims.certificate import PROOF_FORMAT
from exactdp.claims.verdicts import Evidence
from exactdp.errors import ParseError

__all__ = ["Label", "proof_of", "read_label", "restated"]

_TERMS = ("format", "domain", "define", "hypotheses", "conclusion")
_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Label:
    """What the catalog knows of the claim that a certificate names.

    Attributes:
        says: The sentence, with the reading; "" if the catalog has no such claim.
        verdict: The kept verdict on it.
        witness: Where it fails.
        mismatch: Why the label does not match; "" if it does.
    """

    says: str = ""
    verdict: str = ""
    witness: str = ""
    mismatch: str = ""


def read_label(document: Mapping[str, Any]) -> Label:
    """Return the claim that a certificate is labeled with, and whether it states its end.

    Args:
        document: The content of a certificate that the kernel has accepted.
    """
    name, reading = document["claim"], document.get("reading", "")
    found = find_claim(name)
    if found is None or reading not in found[1].readings:
        return Label()
    paper, claim = found
    says = claim.says + (f" ({reading}) {claim.reading_says.get(reading, '')}" if reading else "")
    try:
        inventory = read_inventory(paper) or {}
    except ParseError:  # as good as none
        inventory = {}
    kept = inventory.get(name, {}).get("readings", {}).get(reading)
    if kept is None:
        return Label(says, "without a kept verdict, so not compared")
    verdict, witness = kept["verdict"], kept.get("witness", "")
    statement = claim.readings[reading]
    mismatch = ""
    if document["format"] == PROOF_FORMAT:
        made = proof_of(statement) if verdict == "proved" else None
        if verdict != "proved":
            mismatch = f"the catalog keeps the claim as {verdict}, which no proof shows"
        elif made is None or not _states(document, made):
            mismatch = "the catalog's proof has other steps"
    elif verdict != "refuted":
        mismatch = f"the catalog keeps the claim as {verdict}, which no certificate shows"
    elif isinstance(statement, Open):
        mismatch = "the catalog's sentence has no certificate"
    else:
        made = restated(statement, witness)
        if made is None or not _states(document, made):
            other, tried = _stated(statement, document)
            witness = witness if other is None else other
            if other is None:
                mismatch = (
                    "the catalog's sentence is another statement at its kept witness, and at the "
                    f"{tried} instances that {_SECONDS} s of work reached"
                )
    return Label(says, verdict, witness, mismatch)


def restated(statement: Statement, witness: str) -> Evidence | None:
    """Return the certificate of a refuted statement at its witness, without a search.

    ``None`` if no listed instance is the witness, or the statement does not fail there. A
    statement that holds nowhere (:attr:`Quantifier.SOME`) has that of its first instance.
    """
    # An inventory may keep what a long search found.
    efforts = Effort.DEFAULT, Effort.DEEP
    listed = chain.from_iterable(map(statement.instances, efforts))
    for at in listed if statement.read is None else [statement.read(witness)]:
        if statement.quantifier is Quantifier.ALL and str(at) != witness:
            continue
        made = _failure(statement.holds(at))
        if made is not None or statement.quantifier is Quantifier.ALL:
            return made
    return None


def _stated(statement: Statement, document: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the listed instance whose certificate this is, if any, and how many were tried."""
    end, tried = process_time() + _SECONDS, 0
    efforts = (Effort.DEEP, Effort.DEFAULT) if statement.quantifier is Quantifier.ALL else ()
    for at in chain(*map(statement.instances, efforts)):
        if process_time() > end:
            break
        tried += 1
        made = _failure(statement.holds(at))
        if made is not None and _states(document, made):
            return str(at), tried
    return None, tried


def proof_of(statement: Statement | Open) -> Evidence | None:
    """Return the steps of its proof, or the instances that are its whole domain, or an example."""
    if isinstance(statement, Statement) and statement.proof is not None:
        return statement.proof.certificate()
    verdict = decide(statement)
    return verdict.certificate if isinstance(verdict, Proved) else None


def _failure(outcome: Outcome) -> Evidence | None:
    made = outcome.certificate if not outcome.truth.is_possible else None
    return None if made is None else made()


def _states(document: Mapping[str, Any], made: Evidence) -> bool:
    same = json.loads(made.to_bytes(claim=document["claim"], reading=document.get("reading", "")))
    return all(document.get(part, []) == same.get(part, []) for part in _TERMS)
