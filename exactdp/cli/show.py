"""The command ``show``: one claim, its formula, kept verdict and evidence, without a trial."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.names import complete, nearest
from exactdp.errors import DomainError, number_of

if TYPE_CHECKING:
    from exactdp.audit.kept import Kept
    from exactdp.claims import Claim, Paper, Statement

__all__ = ["show"]

_COPIED = ("id", "certificate", "repair", "again")
_NONE = "no kept verdict"
_KEPT = (
    *("witness", "at", "sides", "by_how_much", "falls", "cause", "found", "domain", "steps"),
    *("rests", "instances", "slack", "closest", "tried", "reason", "missing", "untested"),
)
"""What an inventory keeps of a reading; None where it does not know it."""

_RESTS = {
    "kernel": "checked by the kernel",
    "coq": "a theorem in Coq",
    "engine": "checked by the engine",
    "words": "in words",
}
_WEAKEST = {"kernel": "the kernel", "coq": "Coq", "engine": "the engine alone", "words": "words"}
_STAND = ("proved", "argued")
_FIRST, _MOST = 3, 10_000
"""Instances that are shown, and how many are counted."""


def show(
    claim: Annotated[str, typer.Argument(help="Its id.", autocompletion=complete)],
    reading: Annotated[str | None, typer.Argument(help="All readings if none.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show one claim: its formula, verdict and evidence. No trial is run.

    Example: exactdp show biswas2023/theorem-IV.1
    """
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
        raise DomainError(
            f"claim={claim!r} is {number_of(len(claims), 'claim')}. See `exactdp claims {claim}`."
        )
    if reading is not None and reading not in found.readings:
        named = ", ".join(found.readings) if "" not in found.readings else "none"
        raise DomainError(f"reading={reading!r} is none of {claim}. Its readings: {named}.")
    document = _document(paper, found, reading)
    if as_json:
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    rows = [(name, document[name]) for name in ("id", "says", "words", "source", "read")]
    kept = document["verdict"]
    rows.append(("verdict", f"{kept} (kept verdict; no trial was run)" if kept else _NONE))
    odd = {key: "".join(f" [{x}]" for x in found.apart(key)) for key in document["readings"]}
    for key in sorted(odd, key=lambda key: bool(odd[key])):  # what nobody claims comes last
        facts = document["readings"][key]
        if key:
            rows.append((f"({key})", f"{facts['verdict'] or _NONE}: {facts['says']}{odd[key]}"))
        elif odd[key]:
            rows.append(("", odd[key].strip()))
        rows += _rows(facts)
    rows += [("in doubles", text) for text in _in_doubles(found.id)]
    last = ("withdrawn", "known", "repair", "about", "again")
    rows += [(name, document[name]) for name in last]
    print_fields([(name, text) for name, text in rows if text], copied=_COPIED)


def _document(paper: Paper, claim: Claim, reading: str | None) -> dict[str, Any]:
    from exactdp.audit import doubles_of, read_inventory

    kept = (read_inventory(paper) or {}).get(claim.id, {})
    keys = list(claim.readings) if reading is None else [reading]
    return {
        "format": "exactdp-claim/4",
        "id": claim.id,
        "says": claim.says,
        "words": claim.words,
        "source": str(claim.source),
        "read": claim.source.read or None,
        "verdict": kept.get("verdict"),
        "readings": {key: _reading(paper, claim, key, kept.get("readings", {})) for key in keys},
        "withdrawn": claim.withdrawn,
        "known": claim.known,
        "repair": claim.repair,
        "about": claim.about,
        "in_doubles": doubles_of(claim.id),
        "again": f"exactdp audit {claim.id}",
    }


def _in_doubles(claim_id: str) -> Iterator[str]:
    """Yield the kept results of each bound of a claim in doubles; several have their names."""
    from exactdp.claims.doubles import in_doubles

    for one in in_doubles(claim_id):
        yield f"{one.bound}: {one}" if one.name else str(one)


def _reading(paper: Paper, claim: Claim, key: str, kept: dict[str, Any]) -> dict[str, Any]:
    from exactdp.claims import Open
    from exactdp.claims.general import formula_of
    from exactdp.cli.kernel import asked

    facts, stated = kept.get(key, {}), claim.readings[key]
    evidence = _certificate(paper, claim.id, key)
    answer = None if evidence is None else asked(evidence.content)
    document = {
        "says": claim.reading_says.get(key, claim.says),
        "hypothetical": key in claim.hypothetical,
        "asked_by_us": key in claim.asked_by_us,
        "verdict": facts.get("verdict"),
        "formula": None,
        "listed": None,
        **{name: facts.get(name) for name in _KEPT},
        "certificate": None if evidence is None else evidence.place,
        "claimed_over": None,
        "coq": None,
        "statement": answer and (answer.said if answer.kind == "Accepted" else str(answer[:2])),
        "accepted_by": answer and (["kernel", *answer.also] if answer.kind == "Accepted" else []),
    }
    if isinstance(stated, Open):
        return document | {"reason": stated.reason, "missing": list(stated.missing) or None}
    formula = formula_of(stated)
    if formula is not None:
        document["formula"] = {"text": str(formula), **asdict(formula)}
    if stated.domain is not None:
        document["claimed_over"] = str(stated.domain)
        document["coq"] = _in_coq(stated)
    if claim.about is None:  # else the list asks the library
        document["listed"] = _listed(stated)
    if document["steps"] is None and stated.proof and facts.get("verdict") in _STAND:
        # An inventory of an earlier version; its verdict is this proof's.
        document["steps"] = [asdict(step) for step in stated.proof.records()]
    return document


def _in_coq(statement: Statement) -> str | None:
    """Return the claim as a statement of Coq, if all of it has a form there."""
    from exactdp.coq.statements import coq_statement

    try:
        return coq_statement(statement)
    except DomainError:  # it computes with numbers, or a part of it has no form there
        return None


def _listed(statement: Statement) -> dict[str, Any]:
    """Return how many instances are listed, as far as they are counted, and the first."""
    from exactdp.claims import Effort

    count, first = 0, list[str]()
    for at in islice(statement.instances(Effort.DEFAULT), _MOST):
        count += 1
        first += [str(at)] if len(first) < _FIRST else []
    return {"count": count, "whole": count < _MOST, "first": first}


def _rows(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines on a reading: names with texts."""
    from exactdp.claims.general import DECIDED

    if facts["reason"] is None or facts["listed"] is not None:
        yield "formula", (facts["formula"] or {}).get("text", DECIDED)
    if facts["claimed_over"] != facts["domain"]:
        yield "claimed over", facts["claimed_over"]
    if facts["listed"] is not None:
        count, whole, first = facts["listed"].values()
        more = "; ..." if count > len(first) else ""
        many = _instances(count, "" if whole else " or more")
        yield "listed", f"{many}: {'; '.join(first)}{more}" if first else many
    if facts["instances"]:
        slack = f"; smallest claimed/true {facts['slack']} at {facts['closest']}"
        where = f": {facts['tried']}" if facts["tried"] else ""
        yield "tried", _instances(facts["instances"]) + where + (slack if facts["slack"] else "")
    elif facts["verdict"] == "survived":
        yield "tried", "how many instances is not kept"
    yield "falls", facts["falls"]
    yield "cause", _cause(facts["cause"])
    yield "witness", facts["witness"]
    yield from _sides(facts["sides"])
    yield from _by_how_much(facts["by_how_much"])
    yield "found", facts["found"]
    yield "domain", facts["domain"]
    for number, step in enumerate(facts["steps"] or (), 1):
        how = f"by {step['cites']}" if step["cites"] else _RESTS[step["rests"]]
        yield "because" if number == 1 else "", f"{number}. {how}: {step['text']}"
    also = (facts["verdict"], facts["rests"]) == ("proved", "kernel")
    more = "; a theorem of Coq too, by `exactdp export coq-claims`" if also else ""
    yield "rests on", _WEAKEST.get(facts["rests"], "") + more
    for name in ("untested", "reason"):
        yield name, facts[name]
    yield "missing", "; ".join(facts["missing"] or ())
    yield "certificate", facts["certificate"]
    yield "accepted by", ", ".join(facts["accepted_by"] or ())
    yield "statement", facts["statement"]
    yield "in Coq", facts["coq"]


def _cause(name: str | None) -> str:
    """Return the error that a refutation comes from, with the sentence on it."""
    from exactdp.claims import installed_paper

    if name is None:
        return ""
    try:
        says = installed_paper(name.partition("/")[0]).causes.get(name, "")
    except Exception:  # of a paper that is not here
        says = ""
    return f"{name}: {says}" if says else name


def _by_how_much(over: Mapping[str, str | None] | None) -> Iterator[tuple[str, str]]:
    """Yield the ratio of the truth to the claim, and which end the kernel checked."""
    if over is None:
        return
    kernel, lower, upper = over["kernel"], over["lower"], over["upper"]
    parts = [f"{lower} to {upper} times the claimed number"] if lower else []
    parts += [f"{kernel} times as the kernel checks it"] if kernel else []
    yield "the truth is", "; ".join(parts)


def _instances(count: int, more: str = "") -> str:
    return f"{count}{more} {'instance' if count == 1 and not more else 'instances'}"


def _sides(sides: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield the claimed side, the true one, and how far they are apart."""
    if sides is None:
        return
    left, right = (
        x["decimal"] if x["exact"] in (None, x["decimal"]) else f"{x['exact']} (~{x['decimal']})"
        for x in (sides["left"], sides["right"])
    )
    apart = f"{sides['apart']} apart" + (
        f", a factor of {sides['times']}" if sides["times"] else ""
    )
    if sides["claimed"] is None:
        yield "there", f"{left} {sides['sign']} {right}: {apart}"
        return
    stated, true = (left, right) if sides["claimed"] == "left" else (right, left)
    yield "claimed", stated
    yield "true", f"{true}: {apart}"


def _certificate(paper: Paper, claim_id: str, key: str) -> Kept | None:
    """Return the kept evidence of a reading, with its place as seen from here."""
    from exactdp.audit import certificate_name, kept_evidence
    from exactdp.audit.records import FOLDERS

    name, kept = certificate_name(claim_id, key), kept_evidence(Path(paper.folder))
    found = next((kept[x] for kind in FOLDERS.values() if (x := f"{kind}/{name}") in kept), None)
    here = Path.cwd()
    if found is None or not Path(found.place).is_relative_to(here):
        return found
    return found._replace(place=str(Path(found.place).relative_to(here)))
