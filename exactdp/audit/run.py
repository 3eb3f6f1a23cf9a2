"""Run the trials of claims, side by side, and write the results into a folder.

A trial that raises is that claim's recorded error (``Errored``); all others go on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic
from typing import Any

from exactdp.audit.begun import BEGINNING, KeptReadings, begun_at
from exactdp.audit.campaign import kept_instances, read_searches, with_hardest
from exactdp.audit.claim_verdict import ClaimVerdict, certificate_name, written_certificate
from exactdp.audit.records import json_bytes, verdicts_document
from exactdp.audit.trial import decide
from exactdp.claims import (
    Absent,
    Claim,
    Effort,
    Errored,
    Open,
    Paper,
    Proved,
    Refuted,
    Statement,
    Verdict,
    installed_paper,
    packages_of_papers,
)
from exactdp.errors import DomainError, what_happened
from exactdp.execution import Limits, Place, Store, absence, side_by_side
from exactdp.numbers.limits import MAX_SECONDS_OF_A_TRIAL

__all__ = ["audit_claim", "audit_claims", "write_results"]


def audit_claim(
    claim: Claim,
    *,
    effort: Effort = Effort.DEFAULT,
    kept: KeptReadings | None = None,
    hardest: Mapping[str, Sequence[str]] | None = None,
) -> ClaimVerdict:
    """Decide every reading of a claim; an error of its trial is recorded.

    Args:
        claim: The claim.
        effort: How long a search may take.
        kept: What an inventory keeps of its readings, where their trials begin: those that are
            seen there end there, without a search.
        hardest: The instances of each reading that a campaign keeps: they are tried, too.
    """
    if claim.about and (missing := absence(claim.about, claim.files)):
        return ClaimVerdict(claim, dict.fromkeys(claim.readings, Absent(missing)))
    start = monotonic()
    readings = {
        key: _decided(
            with_hardest(begun_at(reading, (kept or {}).get(key)), (hardest or {}).get(key, ())),
            claim.id,
            key,
            effort,
        )
        for key, reading in claim.readings.items()
    }
    return ClaimVerdict(claim, readings, monotonic() - start)


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
    """A certificate as its bytes, which one process can hand to another."""

    content: bytes

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        return self.content


def audit_claims(
    chosen: Sequence[tuple[Paper, Sequence[Claim]]],
    *,
    effort: Effort = Effort.DEFAULT,
    kept: Mapping[str, Mapping[str, Any]] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    seconds: float | None = None,
) -> list[list[ClaimVerdict]]:
    """Decide the claims of papers, trials side by side; one list a paper, in order.

    Args:
        chosen: Papers with their claims.
        effort: How long a search may take.
        kept: The inventories of papers, by their keys: trials begin where verdicts were seen, and
            end there, without a search.
        workers: Processes; by default one a processor.
        executor: Who tries them instead, with the same papers installed.
        store: Has verdicts of a run that was stopped, and keeps those of this one.
        seconds: When to give up on a claim, which then has a recorded error, as if it raised.

    Raises:
        DomainError: If the certificates of two readings would have one name.
    """
    asked = [(paper.key, claim) for paper, claims in chosen for claim in claims]
    campaigns = {paper.key: read_searches(paper) for paper, _ in chosen}
    names = Counter(certificate_name(claim.id, key) for _, claim in asked for key in claim.readings)
    for name, count in names.items():
        if count > 1:
            raise DomainError(f"{count} claims have the certificate {name!a}. Rename one of them.")
    answers = side_by_side(
        _readings,
        [
            (
                paper,
                claim.id,
                tuple(claim.readings),
                effort,
                _kept_of(claim, (kept or {}).get(paper)),
                {x: kept_instances(y) for x, y in campaigns[paper].get(claim.id, {}).items()},
            )
            for paper, claim in asked
        ],
        workers=workers,
        executor=executor,
        store=store,
        packages=packages_of_papers(),
        name=lambda job: job[1],
        limits=Limits(seconds=MAX_SECONDS_OF_A_TRIAL if seconds is None else seconds),
        stopped=lambda job, error: (dict.fromkeys(job[2], Errored(f"the trial: {error}")), None),
        is_final=lambda found: not any(isinstance(v, Errored | Absent) for v in found[0].values()),
    )
    found = iter(answers)
    return [[ClaimVerdict(claim, *next(found)) for claim in claims] for _, claims in chosen]


_Found = tuple[Mapping[str, Verdict], float | None]
"""The verdicts on readings, and how many seconds they took."""


def _kept_of(claim: Claim, inventory: Mapping[str, Any] | None) -> KeptReadings:
    readings = (inventory or {}).get(claim.id, {}).get("readings", {})
    return {key: {x: facts.get(x) for x in BEGINNING} for key, facts in readings.items()}


_Job = tuple[str, str, tuple[str, ...], Effort, KeptReadings, Mapping[str, Sequence[str]]]


def _readings(job: _Job) -> _Found:
    paper, claim_id, keys, effort, kept, hardest = job
    try:
        claim = _claims_of(paper)[claim_id]
    except (Exception, SystemExit) as error:  # found by the command, but not by its worker
        missing = Errored(f"the trial was not found: {what_happened(error)}")
        return dict.fromkeys(keys, missing), None
    result = audit_claim(claim, effort=effort, kept=kept, hardest=hardest)
    return result.readings, result.seconds


@lru_cache(maxsize=32)
def _claims_of(paper: str) -> dict[str, Claim]:
    return {claim.id: claim for claim in installed_paper(paper).claims()}


def write_results(results: Sequence[ClaimVerdict], place: Place) -> None:
    """Make verdicts.json, certificates/ and proofs/ the content of a folder that is held.

    Raises:
        DomainError: As ``Place.write_folder``.
    """
    certificates = {name: one for result in results for name, one in result.files().items()}
    place.write_folder({"verdicts.json": json_bytes(verdicts_document(results)), **certificates})
