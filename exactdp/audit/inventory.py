"""The inventory: a paper's verdicts, kept with its sources, and the changes to them.

A reading's entry is what was found of it (:func:`~exactdp.audit.records.facts_of`), without what
there is not, and a hash of its evidence. Verdict, witness, domain, what falls and the hash decide
whether an audit reproduces the entry; what else is kept is shown without a trial, and compared
where it is kept. What a search saw before it gave up may change with the search. What a claim's
bounds do in doubles is copied from what ``exactdp bounds --try --update`` keeps.

Definitions: :func:`read_inventory`, :func:`write_inventory`, :func:`inventory_of`,
:func:`inventory_changes`, :func:`renew_doubles`, :func:`folder_to_keep`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from exactdp.audit.begun import is_false
from exactdp.audit.claim_verdict import ClaimVerdict, certificate_name, written_certificate
from exactdp.audit.kept import EVIDENCE, evidence_lines, kept_evidence, single_files
from exactdp.audit.records import FOLDERS, doubles_of, facts_of, json_bytes
from exactdp.audit.trial import found_text
from exactdp.claims import (
    Absent,
    Claim,
    Errored,
    Paper,
    Refuted,
    Standing,
    Statement,
    Survived,
    Verdict,
)
from exactdp.errors import DomainError, ParseError

__all__ = [
    "INVENTORY",
    "INVENTORY_FORMAT",
    "folder_to_keep",
    "inventory_changes",
    "inventory_of",
    "read_inventory",
    "renew_doubles",
    "write_inventory",
]

INVENTORY_FORMAT = "exactdp-inventory/5"
"""The name of the file's format, with the version of its keys."""

INVENTORY = "inventory.json"

_BEFORE = ("exactdp-inventory/4", "exactdp-inventory/3", "exactdp-inventory/2")
"""Have fewer keys: so they are read as ones that do not keep the others."""

_DECIDING = ("verdict", "witness", "domain", "falls", "evidence")
_DOUBLES = "in_doubles"
_SEEN = ("instances", "slack", "closest", "tried")
"""What a search saw of a statement that it did not refute."""


def inventory_of(results: Sequence[ClaimVerdict]) -> dict[str, Any]:
    """Return id -> verdict, and for each reading the numbers found and a hash of the evidence."""
    return {
        result.claim.id: {
            "verdict": result.label,
            **({"about": result.claim.about} if result.claim.about else {}),
            **_kept_doubles(result.claim.id),
            "readings": {
                key: {
                    "verdict": verdict.label,
                    **{x: fact for x, fact in facts_of(result, key).items() if fact is not None},
                    "evidence": _evidence_hash(result.claim, key, verdict),
                }
                for key, verdict in result.readings.items()
            },
        }
        for result in results
    }


def _kept_doubles(claim_id: str) -> dict[str, Any]:
    found = doubles_of(claim_id)
    return {_DOUBLES: found} if found else {}


def _evidence_hash(claim: Claim, key: str, verdict: Verdict) -> str:
    digest = hashlib.sha256()
    # What a search saw before it gave up is not evidence, and may change with the search;
    # nor is a variant that is missing: the verdict says so itself.
    found = replace(verdict, untested=None) if isinstance(verdict, Standing) else verdict
    digest.update(("" if isinstance(verdict, Survived) else found_text(found)).encode())
    if isinstance(verdict, Refuted):
        digest.update(written_certificate(claim.id, key, verdict) or b"")
    return digest.hexdigest()[:16]


def read_inventory(paper: Paper) -> dict[str, Any] | None:
    """Return the kept inventory of a paper; None if it keeps none.

    Raises:
        ParseError: If the file is not an inventory.
    """
    path = Path(paper.folder) / INVENTORY
    if not paper.folder or not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        form, claims = document["format"], dict(document["claims"])
        for entry in claims.values():
            _verdict_text(entry)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParseError(
            f"{path}: not an inventory ({error}). Make it anew with --update-inventory."
        ) from error
    if form not in (INVENTORY_FORMAT, *_BEFORE):
        raise ParseError(
            f"{path}: format {form!r} is not {INVENTORY_FORMAT!r}. Make it anew with "
            "--update-inventory."
        )
    return claims


def folder_to_keep(paper: Paper) -> Path:
    """Return the folder where a paper's inventory may be written.

    Raises:
        DomainError: If it has none, or an installation owns it: a file written there is
            lost with the next one, and is not a part of the paper's sources.
    """
    if not paper.folder:
        raise DomainError(f"paper {paper.key!r} has no folder that could keep an inventory.")
    folder = Path(paper.folder).resolve()
    for place in folder.parents:
        is_of_others = place.name in ("site-packages", "dist-packages")
        is_unpacked = (place.parent.name, place.name[:7]) == ("exactdp", "papers-")
        if is_of_others or is_unpacked or any(place.glob("*.dist-info")):
            raise DomainError(
                f"paper {paper.key!r} is installed in {place}, where --update-inventory writes "
                "nothing. Install its sources with `pip install -e` and run this again."
            )
    return folder


def write_inventory(paper: Paper, results: Sequence[ClaimVerdict]) -> Path:
    """Replace the kept inventory and certificates of a paper by these results.

    What was not tried keeps the verdict, the version and the certificates that it has.

    Raises:
        DomainError: If the folder is not to be written to, or a trial raised: an error is
            no verdict to keep.
    """
    folder = folder_to_keep(paper)
    raised = [result.claim.id for result in results if result.label == Errored.label]
    if raised:
        raise DomainError(
            f"the inventory of {paper.key!r} is not written: the trial of {', '.join(raised)} "
            "raised. An error is not a verdict to keep; mend the trial first."
        )
    path = folder / INVENTORY
    absent = [result.claim for result in results if result.label == Absent.label]
    before = (read_inventory(paper) or {}) if absent else {}
    away = {claim.id for claim in absent}
    now = inventory_of(results).items()
    claims = {key: before.get(key) if key in away else entry for key, entry in now}
    claims = {key: entry for key, entry in claims.items() if entry is not None}
    names = {
        f"{part}/{certificate_name(claim.id, key)}"
        for claim in absent
        for key in claim.readings
        for part in FOLDERS.values()
    }
    files = {x: one.content for x, one in kept_evidence(folder).items() if x in names}
    files |= {x: one for result in results for x, one in result.files().items()}
    evidence, stale = folder / EVIDENCE, single_files(folder)
    if not files and evidence.exists():
        stale.add(evidence)
    from exactdp.execution import held_file

    with held_file(path) as place:
        place.write(
            json_bytes({"format": INVENTORY_FORMAT, "claims": claims}),
            beside={evidence: evidence_lines(files)} if files else {},
            stale=stale,
        )
    return path


def renew_doubles(folder: Path) -> None:
    """Write the results of a paper's bounds in doubles into its inventory, if it has one.

    All else that the inventory keeps stays.
    """
    path = folder / INVENTORY
    if not path.is_file():
        return
    claims = json.loads(path.read_bytes())["claims"]
    renewed = {
        claim_id: {
            **{key: entry[key] for key in ("verdict", "about") if key in entry},
            **_kept_doubles(claim_id),
            "readings": entry["readings"],
        }
        for claim_id, entry in claims.items()
    }
    from exactdp.execution import held_file

    with held_file(path) as place:
        place.write(json_bytes({"format": INVENTORY_FORMAT, "claims": renewed}))


def inventory_changes(
    kept: Mapping[str, Any], results: Sequence[ClaimVerdict], *, complete: bool
) -> list[str]:
    """Return one line for each claim whose verdict or evidence is not the kept one."""
    now = inventory_of(results)
    lines = []
    for result, (claim_id, entry) in zip(results, now.items(), strict=True):
        before = kept.get(claim_id)
        if entry["verdict"] == Absent.label:
            continue
        if before is None:
            lines.append(f"{claim_id}: new, {entry['verdict']}")
        elif _labels(before) != _labels(entry):
            lines.append(f"{claim_id}: was {_verdict_text(before)}, is {_verdict_text(entry)}")
        elif witness := _false_witness(result, before, entry):
            lines.append(f"{claim_id}: it does not fail at its kept witness, {witness}")
        elif not _is_kept(before, entry):
            lines.append(f"note: {claim_id} is {entry['verdict']} as before, on other evidence")
        elif before.get(_DOUBLES) != entry.get(_DOUBLES):
            lines.append(f"note: {claim_id} keeps other words on its bounds in doubles")
    if complete:
        lines += [f"{claim_id}: gone from the catalog" for claim_id in kept if claim_id not in now]
    return lines


def _false_witness(
    result: ClaimVerdict, before: Mapping[str, Any], entry: Mapping[str, Any]
) -> str:
    """Return a kept witness that is not found again because it is none; "" if there is none."""
    for key, now in entry["readings"].items():
        kept, statement = before["readings"][key].get("witness"), result.claim.readings[key]
        is_other = kept is not None and kept != now.get("witness")
        if is_other and isinstance(statement, Statement) and is_false(statement, kept):
            return str(kept)
    return ""


def _is_kept(before: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    """Return whether the kept entry of a claim equals the one found now."""
    if before.get("about") != entry.get("about"):
        return False
    return all(
        now.get(x) == kept.get(x)
        for key, now in entry["readings"].items()
        for kept in [before["readings"][key]]
        for x in {*kept, *_DECIDING}.difference(_SEEN)
    )


def _labels(entry: Mapping[str, Any]) -> dict[str, str]:
    return {key: reading["verdict"] for key, reading in entry["readings"].items()}


def _verdict_text(entry: Mapping[str, Any]) -> str:
    readings = ", ".join(f"{key}: {label}" for key, label in _labels(entry).items() if key)
    return f"{entry['verdict']} ({readings})" if readings else str(entry["verdict"])
