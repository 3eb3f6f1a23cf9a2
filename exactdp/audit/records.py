"""Facts of a verdict, as data: ``verdicts.json`` and the inventory have it alike.

``docs/reference/formats.md`` says every key.

Definitions: :func:`verdicts_document`, :func:`facts_of`, :func:`doubles_of`, :func:`json_bytes`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from exactdp.audit.claim_verdict import ClaimVerdict, certificate_name, written_certificate
from exactdp.claims import (
    Absent,
    Argued,
    Errored,
    Open,
    Proved,
    Refuted,
    Sides,
    Standing,
    Survived,
    Undecided,
    Unspecified,
)
from exactdp.claims.doubles import in_doubles
from exactdp.claims.general import formula_of
from exactdp.claims.verdicts import WIDE
from exactdp.numbers import Exact, Rounding, decimal

__all__ = [
    "FOLDERS",
    "VERDICTS_FORMAT",
    "doubles_of",
    "facts_of",
    "json_bytes",
    "verdicts_document",
]

VERDICTS_FORMAT = "exactdp-verdicts/5"
"""The name of the format of verdicts.json, with the version of its keys."""

FOLDERS = {"refuted": "certificates", "proved": "proofs", "argued": "proofs"}
"""Where the certificate of a verdict is kept."""

_MOST_TO_SAY = (
    *("error", "refuted", "undecided", "unspecified"),
    *("survived", "argued", "proved", "absent"),
)


def verdicts_document(results: Sequence[ClaimVerdict]) -> dict[str, Any]:
    """Return the content of verdicts.json."""
    return {"format": VERDICTS_FORMAT, "claims": [_entry(result) for result in results]}


def _entry(result: ClaimVerdict) -> dict[str, Any]:
    claim = result.claim
    entry: dict[str, Any] = {
        "id": claim.id,
        "verdict": result.label,
        "says": claim.says,
        "source": str(claim.source),
        "read": claim.source.read or None,
        "words": claim.words,
    }
    evidence = {key: _evidence(result, key) for key in result.readings}
    if "" not in result.readings:
        entry["readings"] = {key: verdict.label for key, verdict in result.readings.items()}
        entry["reading_says"] = dict(claim.reading_says)
        entry["hypothetical"] = sorted(claim.hypothetical)
        entry["evidence"] = evidence
    # The first reading with the most to say stands for the claim in the flat fields.
    key = min(result.readings, key=lambda k: _MOST_TO_SAY.index(result.readings[k].label))
    entry.update(evidence[key])
    entry["instances"] = sum(verdict.instances for verdict in result.readings.values())
    entry["repair"] = claim.repair
    entry["withdrawn"] = claim.withdrawn
    entry["known"] = claim.known
    entry["asked_by_us"] = sorted(claim.asked_by_us)
    entry["about"] = claim.about
    entry["in_doubles"] = doubles_of(claim.id)
    return entry


def doubles_of(claim_id: str) -> list[dict[str, Any]]:
    """Return the kept results of a claim's bounds in doubles; an audit does not try them."""
    return [asdict(one) for one in in_doubles(claim_id)]


def _evidence(result: ClaimVerdict, key: str) -> dict[str, Any]:
    claim, verdict, reading = result.claim, result.readings[key], result.claim.readings[key]
    written = written_certificate(claim.id, key, verdict) is not None
    formula = None if isinstance(reading, Open) else formula_of(reading)
    cells = getattr(verdict, "beside", ())
    return {
        "formula": None if formula is None else str(formula),
        **facts_of(result, key),
        "certificate": f"{FOLDERS[verdict.label]}/{certificate_name(claim.id, key)}"
        if written
        else None,
        **({"beside": list(map(asdict, cells))} if cells else {}),
    }


def facts_of(result: ClaimVerdict, key: str) -> dict[str, Any]:
    """Return the facts found of a reading: every field, None where the verdict has none."""
    verdict = result.readings[key]
    found: dict[str, Any] = {
        **dict.fromkeys(("witness", "at", "sides", "by_how_much", "falls", "cause", "found")),
        **dict.fromkeys(("domain", "steps", "rests", "slack", "closest", "tried")),
        **dict.fromkeys(("reason", "missing", "untested")),
        "instances": verdict.instances,
    }
    if isinstance(verdict, Standing):
        found |= {"untested": verdict.untested}
        found |= {"slack": verdict.slack, "closest": verdict.closest}
    match verdict:
        case Proved() | Argued():
            found["domain"] = verdict.domain
            found["steps"] = [asdict(step) for step in verdict.steps]
            found["rests"] = result.rests[key]
            found["found"] = (isinstance(verdict, Proved) and verdict.found) or None
        case Survived():
            found |= {"tried": verdict.tried or None, "reason": verdict.unproved}
        case Refuted():
            found |= {
                "witness": verdict.witness,
                "at": dict(verdict.at),
                "sides": verdict.sides and _sides(verdict.sides),
                "by_how_much": _by_how_much(verdict),
                "falls": verdict.falls and verdict.falls.value,
                "cause": result.claim.causes.get(key),
                "found": verdict.found,
            }
        case Unspecified():
            found |= {"reason": verdict.reason, "missing": list(verdict.missing)}
            found["found"] = verdict.found or None
        case Undecided() | Errored() | Absent():
            found["reason"] = verdict.reason
    return found


def _sides(sides: Sides) -> dict[str, Any]:
    return {
        **asdict(sides),
        "times": None if sides.times is None else _ratio(sides.times),
        "apart": f"{sides.apart:.4g}",
    }


def _by_how_much(refuted: Refuted) -> dict[str, str | None] | None:
    """Return the ratio of the truth to the claim.

    ``kernel`` is what the certificate shows; ``lower`` and ``upper`` enclose it, where the trial
    says so: at the very answer of a library, which the certificate has with an allowance.
    """
    sides, over = refuted.sides, refuted.over
    shown = None if sides is None else sides.over
    if shown is None and over is None:
        return None
    ends: dict[str, str | None] = {"kernel": None if shown is None else _ratio(shown)}
    for name, rounding in (("lower", Rounding.DOWN), ("upper", Rounding.UP)):
        end = None if over is None else Exact(over[name == "upper"])
        ends[name] = None if end is None else decimal(end, digits=4, rounding=rounding)
    return ends


def _ratio(times: Decimal) -> str:
    """Return a ratio to four digits, or to three of its distance to 1."""
    above = WIDE.subtract(times, Decimal(1))
    digits = max(4, 3 - above.adjusted()) if above else 1
    return f"{times:.{digits}g}"


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """Return a document as the bytes of its file."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
