"""The command ``show``: one claim, its kept verdict and the evidence, without a trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.names import complete, nearest
from exactdp.errors import DomainError

if TYPE_CHECKING:
    from exactdp.claims import Claim, Paper

__all__ = ["show"]

_COPIED = ("id", "certificate", "repair", "again")
_NONE = "no kept verdict"
_FACTS = ("falls", "witness", "domain", "reason", "certificate", "statement")


def show(
    claim: Annotated[str, typer.Argument(help="Its id.", autocompletion=complete)],
    reading: Annotated[str | None, typer.Argument(help="All readings if none.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show one claim: what it says, the kept verdict, and the evidence. No trial is run."""
    from exactdp.claims import select
    from exactdp.cli.tables import print_fields

    try:
        selection = select([claim])
    except DomainError as error:
        near = nearest(claim)
        raise DomainError(f"{error} Near: {', '.join(near)}." if near else str(error)) from None
    for key, what in selection.unreadable.items():
        raise DomainError(f"paper {key} could not be read: {what}")
    paper, claims = selection.chosen[0]
    found = next((one for one in claims if one.id == claim), None)
    if found is None:
        raise DomainError(f"claim={claim!r} is {len(claims)} claims. See `exactdp claims {claim}`.")
    if reading is not None and reading not in found.readings:
        named = ", ".join(found.readings) if "" not in found.readings else "none"
        raise DomainError(f"reading={reading!r} is none of {claim}. Its readings: {named}.")
    document = _document(paper, found, reading)
    if as_json:
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    rows = [(name, document[name]) for name in ("id", "says", "source")]
    kept = document["verdict"]
    rows.append(("verdict", f"{kept} (kept verdict; no trial was run)" if kept else _NONE))
    for key, facts in document["readings"].items():
        if key:
            odd = " [hypothetical: nobody is known to claim it]" if facts["hypothetical"] else ""
            rows.append((f"({key})", f"{facts['verdict'] or _NONE}: {facts['says']}{odd}"))
        rows += [(name, facts[name]) for name in _FACTS]
    rows += [(name, document[name]) for name in ("withdrawn", "repair", "about", "again")]
    print_fields([(name, text) for name, text in rows if text], copied=_COPIED)


def _document(paper: Paper, claim: Claim, reading: str | None) -> dict[str, Any]:
    from exactdp.audit import read_inventory

    kept = (read_inventory(paper) or {}).get(claim.id, {})
    keys = list(claim.readings) if reading is None else [reading]
    return {
        "format": "exactdp-claim/1",
        "id": claim.id,
        "says": claim.says,
        "source": str(claim.source),
        "verdict": kept.get("verdict"),
        "readings": {key: _reading(paper, claim, key, kept.get("readings", {})) for key in keys},
        "withdrawn": claim.withdrawn,
        "repair": claim.repair,
        "about": claim.about,
        "again": f"exactdp audit {claim.id}",
    }


def _reading(paper: Paper, claim: Claim, key: str, kept: dict[str, Any]) -> dict[str, Any]:
    from exactdp.claims import Open
    from proofs_check.kernel import Accepted, check

    facts, stated = kept.get(key, {}), claim.readings[key]
    file = _certificate(paper, claim.id, key)
    answer = None if file is None else check(file.read_bytes())
    return {
        "says": claim.reading_says.get(key, claim.says),
        "hypothetical": key in claim.hypothetical,
        "verdict": facts.get("verdict"),
        **{name: facts.get(name) for name in ("falls", "witness", "domain")},
        "reason": stated.reason if isinstance(stated, Open) else None,
        "certificate": None if file is None else str(file),
        "statement": answer.statement if isinstance(answer, Accepted) else answer and str(answer),
    }


def _certificate(paper: Paper, claim_id: str, key: str) -> Path | None:
    from exactdp.audit import certificate_name

    name, folder = certificate_name(claim_id, key), Path(paper.folder)
    places = [folder / kind / name for kind in ("certificates", "proofs")]
    found = next((place for place in places if place.is_file()), None)
    here = found and found.is_relative_to(Path.cwd())
    return found.relative_to(Path.cwd()) if found and here else found
