"""Runs the trial of claims and keeps its results: verdicts, certificates, inventory.

A trial that raises is that claim's recorded error (``Errored``); all others go on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from exactdp.audit.claim_verdict import ClaimVerdict, certificate_name, written_certificate
from exactdp.audit.trial import decide, found_text
from exactdp.claims import (
    Absent,
    Argued,
    Claim,
    Effort,
    Errored,
    Open,
    Paper,
    Proved,
    Refuted,
    Standing,
    Statement,
    Survived,
    Undecided,
    Verdict,
    installed_paper,
    packages_of_papers,
)
from exactdp.errors import DomainError, ParseError, what_happened
from exactdp.execution import Limits, Place, Store, absence, held_file, side_by_side
from exactdp.numbers.limits import MAX_SECONDS_OF_A_TRIAL

__all__ = [
    "INVENTORY",
    "VERDICTS_FORMAT",
    "ClaimVerdict",
    "audit_claim",
    "audit_claims",
    "certificate_name",
    "folder_to_keep",
    "inventory_changes",
    "inventory_of",
    "read_inventory",
    "verdicts_document",
    "write_inventory",
    "write_results",
]

VERDICTS_FORMAT = "exactdp-verdicts/2"
INVENTORY_FORMAT = "exactdp-inventory/2"
INVENTORY = "inventory.json"
_FOLDERS = ("certificates", "proofs")


def audit_claim(claim: Claim, *, effort: Effort = Effort.DEFAULT) -> ClaimVerdict:
    """Decide every reading of a claim; what its trial raises is recorded."""
    if claim.about and (missing := absence(claim.about)):
        return ClaimVerdict(claim, dict.fromkeys(claim.readings, Absent(missing)))
    readings = {
        key: _decided(reading, claim.id, key, effort) for key, reading in claim.readings.items()
    }
    return ClaimVerdict(claim, readings)


def _decided(reading: Statement | Open, claim_id: str, key: str, effort: Effort) -> Verdict:
    try:
        verdict = decide(reading, effort=effort)
        content = written_certificate(claim_id, key, verdict)
    except (Exception, SystemExit) as error:
        return Errored(f"the trial raised {what_happened(error)}")
    if isinstance(verdict, Refuted | Proved) and content is not None:
        return replace(verdict, certificate=_Written(content))
    return verdict


@dataclass(frozen=True, slots=True)
class _Written:
    """A certificate as its bytes: what one process can hand to another."""

    content: bytes

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        return self.content


def audit_claims(
    chosen: Sequence[tuple[Paper, Sequence[Claim]]],
    *,
    effort: Effort = Effort.DEFAULT,
    workers: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    seconds: float | None = None,
) -> list[list[ClaimVerdict]]:
    """Decide the claims of papers, trials side by side; one list a paper, in order.

    Args:
        chosen: Papers with their claims.
        effort: How long a search may take.
        workers: Processes; by default one a processor.
        executor: Who tries them instead, with the same papers installed.
        store: Has verdicts of a run that was stopped, and keeps those of this one.
        seconds: When to give up on a claim, which then has a recorded error, as if it raised.

    Raises:
        DomainError: If the certificates of two readings would have one name.
    """
    asked = [(paper.key, claim) for paper, claims in chosen for claim in claims]
    names = Counter(certificate_name(claim.id, key) for _, claim in asked for key in claim.readings)
    for name, count in names.items():
        if count > 1:
            raise DomainError(f"{count} claims have the certificate {name!a}. Rename one of them.")
    answers = side_by_side(
        _readings,
        [(paper, claim.id, tuple(claim.readings), effort) for paper, claim in asked],
        workers=workers,
        executor=executor,
        store=store,
        packages=packages_of_papers(),
        name=lambda job: job[1],
        limits=Limits(seconds=MAX_SECONDS_OF_A_TRIAL if seconds is None else seconds),
        stopped=lambda job, error: dict.fromkeys(job[2], Errored(f"the trial: {error}")),
        is_final=lambda found: not any(isinstance(v, Errored | Absent) for v in found.values()),
    )
    found = iter(answers)
    return [[ClaimVerdict(claim, next(found)) for claim in claims] for _, claims in chosen]


def _readings(job: tuple[str, str, tuple[str, ...], Effort]) -> Mapping[str, Verdict]:
    paper, claim_id, keys, effort = job
    try:
        claim = _claims_of(paper)[claim_id]
    except (Exception, SystemExit) as error:  # found by the command, but not by its worker
        return dict.fromkeys(keys, Errored(f"the trial was not found: {what_happened(error)}"))
    return audit_claim(claim, effort=effort).readings


@lru_cache(maxsize=32)
def _claims_of(paper: str) -> dict[str, Claim]:
    return {claim.id: claim for claim in installed_paper(paper).claims()}


def verdicts_document(results: Sequence[ClaimVerdict]) -> dict[str, Any]:
    """Return the content of verdicts.json."""
    return {"format": VERDICTS_FORMAT, "claims": [_entry(result) for result in results]}


_MOST_TO_SAY = ("error", "refuted", "undecided", "survived", "argued", "proved", "absent")


def _entry(result: ClaimVerdict) -> dict[str, Any]:
    claim = result.claim
    entry: dict[str, Any] = {
        "id": claim.id,
        "verdict": result.label,
        "says": claim.says,
        "source": str(claim.source),
    }
    if "" not in result.readings:
        entry["readings"] = {key: verdict.label for key, verdict in result.readings.items()}
        entry["reading_says"] = dict(claim.reading_says)
        entry["hypothetical"] = sorted(claim.hypothetical)
        entry["evidence"] = {key: _evidence(result, key) for key in result.readings}
    # The first reading with the most to say stands for the claim in the flat fields.
    key = min(result.readings, key=lambda k: _MOST_TO_SAY.index(result.readings[k].label))
    entry.update(_evidence(result, key))
    entry["instances"] = sum(verdict.instances for verdict in result.readings.values())
    entry["repair"] = claim.repair
    entry["withdrawn"] = claim.withdrawn
    entry["about"] = claim.about
    return entry


def _evidence(result: ClaimVerdict, key: str) -> dict[str, Any]:
    claim, verdict = result.claim, result.readings[key]
    kept = {Refuted: "certificates", Proved: "proofs"}.get(type(verdict))
    written = kept is not None and written_certificate(claim.id, key, verdict) is not None
    cells = getattr(verdict, "beside", ())
    return {
        "instances": verdict.instances,
        "slack": verdict.slack if isinstance(verdict, Survived) else None,
        **_facts(verdict),
        "rests": result.rests.get(key),
        "certificate": f"{kept}/{certificate_name(claim.id, key)}" if written else None,
        "found": found_text(verdict),
        "reason": verdict.reason if isinstance(verdict, Undecided | Errored | Absent) else None,
        "untested": verdict.untested if isinstance(verdict, Standing) else None,
        **({"beside": list(map(asdict, cells))} if cells else {}),
    }


def _facts(verdict: Verdict) -> dict[str, str | None]:
    """Return the domain of a proof, the witness of a refutation, and what falls with it."""
    found: dict[str, str | None] = dict.fromkeys(("witness", "domain", "falls"))
    match verdict:
        case Proved(domain) | Argued(domain) | Survived(domain=domain):
            found["domain"] = domain
        case Refuted(witness, falls=falls):
            found |= {"witness": witness, "falls": falls.value if falls else None}
    return found


def write_results(results: Sequence[ClaimVerdict], place: Place) -> None:
    """Make verdicts.json, certificates/ and proofs/ the content of a folder that is held.

    Raises:
        DomainError: As ``Place.write_folder``.
    """
    document = verdicts_document(results)
    place.write_folder({"verdicts.json": _json(document), **_certificates(results)})


def _certificates(results: Sequence[ClaimVerdict]) -> dict[str, bytes]:
    return {path: content for result in results for path, content in result.files().items()}


def inventory_of(results: Sequence[ClaimVerdict]) -> dict[str, Any]:
    """Return id -> verdict, and for each reading its verdict, facts and a hash of the evidence."""
    return {
        result.claim.id: {
            "verdict": result.label,
            **({"about": result.claim.about} if result.claim.about else {}),
            "readings": {
                key: {
                    "verdict": verdict.label,
                    **{name: fact for name, fact in _facts(verdict).items() if fact is not None},
                    "evidence": _evidence_hash(result.claim, key, verdict),
                }
                for key, verdict in result.readings.items()
            },
        }
        for result in results
    }


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
        if document["format"] != INVENTORY_FORMAT:
            raise ParseError(f"{path}: format {document['format']!r} is not {INVENTORY_FORMAT!r}.")
        claims: dict[str, Any] = document["claims"]
        for entry in claims.values():
            _verdict_text(entry)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParseError(
            f"{path}: not an inventory ({error}). Make it anew with --update-inventory."
        ) from error
    return claims


def folder_to_keep(paper: Paper) -> Path:
    """Return the folder where a paper's inventory may be written.

    Raises:
        DomainError: If it has none, or an installation owns it: a file written there is
            lost with the next one, and is no part of the paper's sources.
    """
    if not paper.folder:
        raise DomainError(f"paper {paper.key!r} has no folder that could keep an inventory.")
    folder = Path(paper.folder).resolve()
    for place in folder.parents:
        if place.name in ("site-packages", "dist-packages") or any(place.glob("*.dist-info")):
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
            "raised. An error is no verdict to keep; mend the trial first."
        )
    path = folder / INVENTORY
    certificates = {folder / name: content for name, content in _certificates(results).items()}
    absent = [result.claim for result in results if result.label == Absent.label]
    before = (read_inventory(paper) or {}) if absent else {}
    away = {claim.id for claim in absent}
    now = inventory_of(results).items()
    claims = {key: before.get(key) if key in away else entry for key, entry in now}
    claims = {key: entry for key, entry in claims.items() if entry is not None}
    kept = {
        folder / part / certificate_name(claim.id, key)
        for claim in absent
        for key in claim.readings
        for part in _FOLDERS
    }
    there = {path for part in _FOLDERS for path in (folder / part).glob("*.json")}
    with held_file(path) as place:
        place.write(
            _json({"format": INVENTORY_FORMAT, "claims": claims}),
            beside=certificates,
            stale=there - set(certificates) - kept,
        )
    return path


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def inventory_changes(
    kept: Mapping[str, Any], results: Sequence[ClaimVerdict], *, complete: bool
) -> list[str]:
    """Return one line for each claim whose verdict or evidence is not the kept one."""
    now = inventory_of(results)
    lines = []
    for claim_id, entry in now.items():
        before = kept.get(claim_id)
        if entry["verdict"] == Absent.label:
            continue
        if before is None:
            lines.append(f"{claim_id}: new, {entry['verdict']}")
        elif _labels(before) != _labels(entry):
            lines.append(f"{claim_id}: was {_verdict_text(before)}, is {_verdict_text(entry)}")
        elif before != entry:
            lines.append(f"note: {claim_id} is {entry['verdict']} as before, on other evidence")
    if complete:
        lines += [f"{claim_id}: gone from the catalog" for claim_id in kept if claim_id not in now]
    return lines


def _labels(entry: Mapping[str, Any]) -> dict[str, str]:
    return {key: reading["verdict"] for key, reading in entry["readings"].items()}


def _verdict_text(entry: Mapping[str, Any]) -> str:
    readings = ", ".join(f"{key}: {label}" for key, label in _labels(entry).items() if key)
    return f"{entry['verdict']} ({readings})" if readings else str(entry["verdict"])
