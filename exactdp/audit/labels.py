"""Labels of certificates: a file must state the catalog's sentence for the claim that it names.

The kernel checks a statement and only repeats its label; a proof's steps are compared with the
catalog's. For a refutation the labeled claim is looked up,
its formula is evaluated again at the witness that the inventory keeps, and the relations that
this gives are compared with those of the file: so nobody's ``0 < 1`` passes for a theorem's end.
A long search may have found another witness, and a paper of one's own keeps no inventory yet; so
a file that differs is compared at the listed instances too, as far as some counted work reaches,
and then with what an audit finds now, which may be an instance that its search draws.
A label that cannot be compared at all (no such claim, no such reading) does not match.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from exactdp import __version__
from exactdp.audit.begun import instance_of
from exactdp.audit.inventory import read_inventory
from exactdp.audit.trial import decide, domain_of
from exactdp.claims import (
    Effort,
    Open,
    Outcome,
    Proved,
    Quantifier,
    Refuted,
    Statement,
)
from exactdp.claims.catalog import Catalogs
from exactdp.claims.certificate import PROOF_FORMAT
from exactdp.claims.verdicts import Evidence
from exactdp.errors import ParseError, TooLargeError
from exactdp.numbers.effort import spend, within_work

__all__ = ["Label", "proof_of", "read_label", "restated"]

_TERMS = ("format", "domain", "define", "hypotheses", "conclusion")
_WORK, _WORK_OF_AN_INSTANCE = 5_000_000, 1_000
"""Operations in which listed instances are tried for one certificate, and those of one at least.

More finds the instance of more certificates; one that is not found is not accepted."""


@dataclass(frozen=True, slots=True)
class Label:
    """The catalog's entry for the claim that a certificate names.

    Attributes:
        says: The sentence, with the reading; "" if the file names no claim, or the catalog has
            no such claim or reading.
        verdict: The kept verdict on it.
        witness: Where it fails.
        mismatch: Why the label does not match; "" if it does, or there is none.
    """

    says: str = ""
    verdict: str = ""
    witness: str = ""
    mismatch: str = ""


def read_label(document: Mapping[str, Any], catalogs: Catalogs | None = None) -> Label:
    """Return the claim that a certificate is labeled with, and whether it states its end.

    Args:
        document: The content of a certificate that the kernel has accepted.
        catalogs: What was read for others.
    """
    name, reading = document["claim"], document.get("reading", "")
    if not name:
        return Label(mismatch=f"the reading {reading!a} is of no claim" if reading else "")
    found = (catalogs or Catalogs()).find(name)
    if found is None:
        return Label(mismatch=f"no catalog that can be read here (exactdp {__version__}) has it")
    paper, claim = found
    if reading not in claim.readings:
        has = f"the readings {', '.join(claim.readings)}" if "" not in claim.readings else "none"
        asked = f"the reading {reading!a}" if reading else "no reading"
        here = f"the claim here (exactdp {__version__}) has {has}"
        return Label(mismatch=f"the label names {asked}, and {here}")
    says = claim.says + (f" ({reading}) {claim.reading_says.get(reading, '')}" if reading else "")
    try:
        inventory = read_inventory(paper) or {}
    except ParseError:  # as good as none
        inventory = {}
    kept = inventory.get(name, {}).get("readings", {}).get(reading, {})
    verdict, witness = kept.get("verdict", ""), kept.get("witness", "")
    statement = claim.readings[reading]
    if document["format"] == PROOF_FORMAT:
        mismatch = _other_proof(document, statement, verdict)
    else:
        mismatch, witness = _other_statement(document, statement, verdict, witness)
    return Label(says, verdict or "without a kept verdict", witness, mismatch)


def _other_proof(document: Mapping[str, Any], statement: Statement | Open, verdict: str) -> str:
    """Return why a document is not the proof of a statement; "" if it is."""
    if verdict not in ("", "proved", "argued"):
        return f"the catalog keeps the claim as {verdict}, which no proof shows"
    made = proof_of(statement)
    same = made is not None and _states(document, made)
    return "" if same else "the catalog's proof has other steps"


def _other_statement(
    document: Mapping[str, Any], statement: Statement | Open, verdict: str, witness: str
) -> tuple[str, str]:
    """Return why a document does not refute a statement, "" if it does, and where it fails."""
    if verdict not in ("", "refuted"):
        return f"the catalog keeps the claim as {verdict}, which no certificate shows", witness
    if isinstance(statement, Open):
        return "the catalog's sentence has no certificate", witness
    everywhere = statement.quantifier is Quantifier.SOME
    made = restated(statement, witness) if verdict or everywhere else None
    if made is not None and _states(document, made):
        return "", witness
    other, tried = _stated(statement, document)
    if other is not None:
        return "", other
    match decide(statement) if statement.strategy is not None else None:
        case Refuted(witness=drawn, certificate=found) if found and _states(document, found):
            return "", drawn
    kept = "at its kept witness, and" if verdict else "(it has no kept verdict)"
    reached = f"at the {tried} instances that {_WORK:,} operations reached"
    return f"the catalog's sentence is another statement {kept} {reached}", witness


def restated(statement: Statement, witness: str) -> Evidence | None:
    """Return the certificate of a refuted statement at its witness, without a search.

    ``None`` if no instance is the witness, or the statement does not fail there. A statement that
    holds nowhere (:attr:`Quantifier.SOME`) has that of its first instance.
    """
    if statement.quantifier is Quantifier.ALL:
        at = instance_of(statement, witness)
        return None if at is None else _failure(statement.holds(at))
    listed = statement.instances(Effort.DEFAULT)
    return next((made for at in listed if (made := _failure(statement.holds(at)))), None)


def _stated(statement: Statement, document: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the listed instance whose certificate this is, if any, and how many were tried."""
    enough, tried = TooLargeError("it is another statement, as far as was tried."), 0
    efforts = (Effort.DEEP, Effort.DEFAULT) if statement.quantifier is Quantifier.ALL else ()
    try:
        with within_work(_WORK, enough):
            for at in chain(*map(statement.instances, efforts)):
                spend(_WORK_OF_AN_INSTANCE)
                tried += 1
                made = _failure(statement.holds(at))
                if made is not None and _states(document, made):
                    return str(at), tried
    except TooLargeError as error:
        if error is not enough:
            raise
    return None, tried


def proof_of(statement: Statement | Open) -> Evidence | None:
    """Return the steps of its proof, or the instances that are its whole domain, or an example."""
    if isinstance(statement, Statement) and statement.proof is not None:
        return statement.proof.certificate(domain_of(statement))
    verdict = decide(statement)
    return verdict.certificate if isinstance(verdict, Proved) else None


def _failure(outcome: Outcome) -> Evidence | None:
    # What a file states was computed by the kernel: it is not computed again.
    made = outcome.uncomputed or outcome.certificate
    return None if outcome.truth.is_possible or made is None else made()


def _states(document: Mapping[str, Any], made: Evidence) -> bool:
    same = json.loads(made.to_bytes(claim=document["claim"], reading=document.get("reading", "")))
    return all(document.get(part, []) == same.get(part, []) for part in _TERMS)
