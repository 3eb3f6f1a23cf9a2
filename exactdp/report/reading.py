"""The results that a report is about: the results of an audit, as its files have them.

``read_results`` takes the folder that ``exactdp audit --out DIR`` wrote, ``read_baseline`` an
older ``verdicts.json``. What was not tried because a library is missing shows the verdict that
its paper's inventory keeps, marked as kept. Nothing is decided here.

Definitions: :class:`Facts`, :class:`Reading`, :class:`ReportedClaim`, :class:`ReportedPaper`,
:func:`read_results`, :func:`read_baseline`, :func:`changes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from exactdp.audit import certificate_name, read_inventory
from exactdp.audit.records import FOLDERS
from exactdp.audit.tally import SERIOUS, CountedReading
from exactdp.claims import Paper, Sides, StepRecord, installed_paper
from exactdp.claims.claim import APART
from exactdp.claims.doubles import InDoubles
from exactdp.errors import ParseError
from exactdp.report.evidence import KeptCertificate
from exactdp.report.tables import Cell

__all__ = ["VERDICTS", "Facts", "Reading", "ReportedClaim", "ReportedPaper", "changes"]
__all__ += ["read_baseline", "read_results"]

_Word = Literal[
    "refuted",
    "depends",
    "undecided",
    "unspecified",
    "survived",
    "argued",
    "proved",
    "absent",
    "error",
]
VERDICTS: tuple[_Word, ...] = (
    *("refuted", "depends", "undecided", "unspecified", "survived"),
    *("argued", "proved", "absent", "error"),
)
"""The verdicts, in the order in which a reader wants them: what falls first."""

_File = TypeVar("_File", bound=msgspec.Struct)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a reading in ``verdicts.json``, or an inventory; other keys are passed over."""

    verdict: _Word = "absent"
    formula: str | None = None
    witness: str | None = None
    at: dict[str, Any] | None = None
    sides: Sides | None = None
    domain: str | None = None
    falls: Literal["rounding", "misprint", "remark", "step", "result"] | None = None
    cause: str | None = None
    by_how_much: dict[str, str | None] | None = None
    tried: str | None = None
    instances: int | None = None
    slack: str | None = None
    closest: str | None = None
    found: str | None = None
    reason: str | None = None
    missing: tuple[str, ...] | None = None
    untested: str | None = None
    rests: str | None = None
    steps: tuple[StepRecord, ...] | None = None
    certificate: str | None = None
    beside: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if self.sides is not None and not self.sides.are_numbers:
            raise ValueError(f"the sides {self.sides} are not numbers")


class _Entry(Facts, frozen=True, kw_only=True):
    id: str
    says: str
    source: str
    readings: dict[str, _Word] = {}
    reading_says: dict[str, str] = {}
    read: str | None = None
    words: str | None = None
    known: str | None = None
    hypothetical: tuple[str, ...] = ()
    asked_by_us: tuple[str, ...] = ()
    evidence: dict[str, Facts] = {}
    repair: str | None = None
    withdrawn: str | None = None
    about: str | None = None
    in_doubles: tuple[InDoubles, ...] = ()


class _Document(msgspec.Struct, frozen=True):
    format: Literal["exactdp-verdicts/5", "exactdp-verdicts/4"]
    claims: list[_Entry]


class _Labels(msgspec.Struct, frozen=True):
    id: str
    verdict: _Word
    readings: dict[str, _Word] = {}


class _Baseline(msgspec.Struct, frozen=True):
    format: Literal[
        "exactdp-verdicts/5", "exactdp-verdicts/4", "exactdp-verdicts/3", "exactdp-verdicts/2"
    ]
    claims: list[_Labels]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a claim, with its verdict and the evidence for it.

    Attributes:
        key: Its letter, or "" if the print is unambiguous.
        says: The sentence that it takes the print to mean.
        verdict: The verdict on this reading.
        facts: The rest of its entry in verdicts.json.
        apart: Why it is counted nowhere, in words; empty if somebody claims it.
        certificate: The certificate of the refutation, or of the proof, if it has one.
    """

    key: str
    says: str
    verdict: _Word
    facts: Facts
    apart: tuple[str, ...]
    certificate: KeptCertificate | None

    @property
    def sides(self) -> Sides | None:
        """The two numbers that a refutation compares, if the kernel has computed them too."""
        found, shown = self.facts.sides, self.certificate
        return found if found and shown and shown.shows(found) else None

    @property
    def compared(self) -> Sides | None:
        """The two sides, if it is known which one is claimed, and the ratio of the two."""
        found = self.sides
        return found if found and found.claimed and found.times else None

    @property
    def found(self) -> str:
        """The computed numbers, or the reason."""
        return self.facts.found or self.facts.reason or ""


@dataclass(frozen=True, slots=True)
class ReportedClaim:
    """A claim with the verdicts on its readings.

    Attributes:
        verdict: The verdict that the run found; that of the inventory where ``kept`` is set.
        where: The place in the print.
        read: Which version was read.
        words: The words of the print.
        about: The library and version, for claims about one.
        now: The verdict of the run, with the readings where they differ.
        was: The verdict of the baseline, likewise, if it changed; "new" if there was none.
        kept: Whether the verdict was not found in this run, but kept by the paper.
        in_doubles: What its published bounds do in doubles.
    """

    id: str
    verdict: _Word
    says: str
    where: str
    read: str | None
    words: str | None
    readings: tuple[Reading, ...]
    repair: str | None
    withdrawn: str | None
    known: str | None
    about: str | None
    now: str
    was: str | None
    kept: bool
    in_doubles: tuple[InDoubles, ...]

    @property
    def falls(self) -> list[str]:
        """The kinds of its refuted readings that a source claims, the most serious first."""
        refuted = (r for r in self.readings if r.verdict == "refuted" and not r.apart)
        found = {r.facts.falls or SERIOUS[0] for r in refuted}
        return [falls for falls in SERIOUS if falls in found]

    @property
    def rows(self) -> Iterator[CountedReading]:
        """Its readings, as the tally counts them."""
        for r in self.readings:
            yield CountedReading(self.id, r.verdict, r.facts.falls, not r.apart, r.facts.cause)


@dataclass(frozen=True, slots=True)
class ReportedPaper:
    """A paper and the claims of it that were on trial."""

    key: str
    citation: str
    claims: tuple[ReportedClaim, ...]

    @property
    def readings(self) -> Iterator[tuple[ReportedClaim, Reading]]:
        """Every reading of every claim."""
        return ((claim, reading) for claim in self.claims for reading in claim.readings)

    @property
    def in_doubles(self) -> list[tuple[ReportedClaim, InDoubles]]:
        """Every published bound, with its claim."""
        return [(claim, one) for claim in self.claims for one in claim.in_doubles]


def read_results(folder: Path, *, baseline: Mapping[str, str] | None = None) -> list[ReportedPaper]:
    """Return the papers of a folder of results; certificates are read, but not checked.

    Args:
        folder: What ``exactdp audit --out`` wrote.
        baseline: Claim id -> verdict of an older run, as :func:`read_baseline` returns it.

    Raises:
        ParseError: If it is no such folder, or a certificate of it cannot be read.
    """
    if not folder.is_dir():
        raise ParseError(f"DIR={str(folder)!a} is not a folder. Give one of `exactdp audit --out`.")
    by_paper: dict[str, list[_Entry]] = {}
    for entry in _read(folder / "verdicts.json", _Document).claims:
        by_paper.setdefault(entry.id.partition("/")[0], []).append(entry)
    papers = []
    for key, entries in by_paper.items():
        try:
            source = installed_paper(key)
        except (Exception, SystemExit):  # a report of results needs no installed paper
            source = Paper(key, key, tuple)
        away = any(entry.verdict == "absent" for entry in entries)
        kept = (read_inventory(source) or {}) if away else {}
        claims = []
        for entry in entries:
            before = kept.get(entry.id) if entry.verdict == "absent" else None
            if before is None:
                claims.append(_claim(entry, folder, baseline))
            else:
                old = msgspec.structs.replace(
                    entry,
                    verdict=before["verdict"],
                    about=before.get("about"),
                    readings={k: facts["verdict"] for k, facts in before["readings"].items()},
                    evidence=msgspec.convert(before["readings"], dict[str, Facts]),
                )
                claims.append(_claim(old, Path(source.folder), baseline, now=_spelled(entry)))
        papers.append(ReportedPaper(key, source.citation, tuple(claims)))
    return papers


def read_baseline(path: Path) -> dict[str, str]:
    """Return claim id -> verdict of an older ``verdicts.json``.

    Raises:
        ParseError: If it is none.
    """
    return {entry.id: _spelled(entry) for entry in _read(path, _Baseline).claims}


def changes(
    papers: Sequence[ReportedPaper], baseline: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Return (claim id, verdict then, verdict now) for each claim whose verdict changed."""
    claims = [claim for paper in papers for claim in paper.claims]
    gone = baseline.keys() - {claim.id for claim in claims}
    return [
        *((claim.id, claim.was, claim.now) for claim in claims if claim.was is not None),
        *((name, baseline[name], "not in this run") for name in sorted(gone)),
    ]


def _spelled(entry: _Entry | _Labels) -> str:
    """Return the verdict as one text; where it depends, with those of the readings."""
    parts = ", ".join(f"{key}: {label}" for key, label in entry.readings.items())
    return f"depends ({parts})" if entry.verdict == "depends" else entry.verdict


def _read(path: Path, kind: type[_File]) -> _File:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error.strerror}. Run `exactdp audit`.") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ParseError(
            f"{path} is not a file of verdicts: {error}. Run the audit again."
        ) from None


def _claim(
    entry: _Entry, folder: Path, baseline: Mapping[str, str] | None, *, now: str | None = None
) -> ReportedClaim:
    """Return a claim; ``now`` has the facts of the run, if the entry is the inventory's."""
    kept, now = now is not None, now or _spelled(entry)
    readings = []
    for key, verdict in (entry.readings or {"": entry.verdict}).items():
        facts = entry.evidence.get(key, entry)
        file = facts.certificate
        if kept and verdict in FOLDERS:
            file = f"{FOLDERS[verdict]}/{certificate_name(entry.id, key)}"
            file = file if (folder / file).exists() else None
        certificate = None if file is None else _certificate(folder, file, kept=kept)
        of = {"hypothetical": entry.hypothetical, "asked_by_us": entry.asked_by_us}
        apart = tuple(APART[why] for why, keys in of.items() if key in keys)
        says = entry.reading_says.get(key, "")
        readings.append(Reading(key, says, verdict, facts, apart, certificate))
    return ReportedClaim(
        id=entry.id,
        verdict=entry.verdict,
        says=entry.says,
        where=entry.source.removeprefix(f"{entry.id.partition('/')[0]}, "),
        read=entry.read,
        words=entry.words,
        readings=tuple(sorted(readings, key=lambda reading: bool(reading.apart))),
        repair=entry.repair,
        withdrawn=entry.withdrawn,
        known=entry.known,
        about=entry.about,
        now=now,
        was=None
        if baseline is None or baseline.get(entry.id) == now
        else baseline.get(entry.id, "new"),
        kept=kept,
        in_doubles=entry.in_doubles,
    )


def _certificate(folder: Path, name: str, *, kept: bool) -> KeptCertificate:
    path = folder / name
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ParseError(f"the certificate {name!a} is outside of {folder}.")
        return KeptCertificate(name, path.read_bytes(), kept=kept)
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error.strerror}.") from None
