"""A letter: one refuted claim on one page of Markdown, to paste into an issue or a mail.

It has the quoted words, the instance, the numbers, some lines of Python with which anybody can
check them, and what would mend the claim. Everything is kept: nothing is tried again. The lines
are the certificate's formulas, unless the paper's folder keeps shorter ones in ``letters.toml``.

Definitions: :func:`letter`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from exactdp.audit import certificate_name, kept_evidence, read_inventory
from exactdp.audit.kept import Kept
from exactdp.audit.tally import SERIOUS
from exactdp.claims import Claim, Paper
from exactdp.errors import DomainError, ParseError
from exactdp.report.script import script_of
from exactdp.report.words import FALLS

__all__ = ["letter"]

_LETTERS = "letters.toml"
"""The file of lines that check a claim from the definitions, by its certificate's name."""


def letter(paper: Paper, claim: Claim, reading: str | None = None) -> str:
    """Return the page.

    Args:
        paper: The paper of the claim, with its kept inventory and certificates.
        claim: The claim.
        reading: Which reading; by default the most serious refuted one that somebody claims.

    Raises:
        DomainError: If no such reading is refuted, or there is no certificate of it.
        ParseError: If ``letters.toml`` is malformed.
    """
    inventory = read_inventory(paper) or {}
    kept: Mapping[str, Any] = inventory.get(claim.id, {}).get("readings", {})
    refuted = [key for key, facts in kept.items() if facts["verdict"] == "refuted"]
    asked = [key for key in refuted if reading in (None, key)]
    if not kept:
        raise DomainError(
            f"claim={claim.id!r}: no verdict on it is kept. "
            f"Run `exactdp audit {claim.source.paper} --update-inventory`."
        )
    if not asked:
        which = f"reading {reading!r} of it" if reading is not None else "it"
        told = ", ".join(f"{key or 'it'} is {facts['verdict']}" for key, facts in kept.items())
        raise DomainError(
            f"claim={claim.id!r}: {which} is not refuted ({told}). "
            "Ask for what falls: see `exactdp report`."
        )
    key = min(asked, key=lambda key: (bool(claim.apart(key)), _seriousness(kept[key])))
    facts, file = kept[key], f"certificates/{certificate_name(claim.id, key)}"
    folder = Path(paper.folder)
    certificate = kept_evidence(folder).get(file)
    if certificate is None:
        raise DomainError(
            f"claim={claim.id!r}: no certificate of it is kept, only {facts['found']!r}. "
            "Ask for a claim that anybody can check again."
        )
    script = _script(folder, Path(file).stem, certificate)
    return "\n".join(_lines(paper, claim, key, facts, script, file, inventory)) + "\n"


def _script(folder: Path, name: str, certificate: Kept) -> str | None:
    """Return the lines that are kept for a certificate, else those that its formulas are."""
    letters = folder / _LETTERS
    try:
        kept = tomllib.loads(letters.read_text(encoding="utf-8")) if letters.exists() else {}
    except ValueError as error:  # no UTF-8, or no TOML
        raise ParseError(f"{letters}: {error}") from None
    if name in kept:
        return str(kept[name]).strip()
    return script_of(certificate.document)


def _seriousness(facts: Mapping[str, Any]) -> int:
    return SERIOUS.index(facts.get("falls") or SERIOUS[0])


def _lines(
    paper: Paper,
    claim: Claim,
    key: str,
    facts: Mapping[str, Any],
    script: str | None,
    file: str,
    inventory: Mapping[str, Any],
) -> Iterator[str]:
    read = f", {claim.source.read}" if claim.source.read else ""
    about = f" ({claim.about.replace('==', ' ')})" if claim.about else ""
    yield f"# {claim.source.locator}{about}: fails at an instance\n"
    yield f"*{paper.citation}{read}*\n"
    if claim.words:
        yield f"The text says:\n\n> {claim.words}\n\nWhich is taken to mean:\n"
    yield f"> {claim.says}\n"
    if key:
        yield f"In this reading: {claim.reading_says[key]}.\n"
    yield from (f"({why[0].upper()}{why[1:]}.)\n" for why in claim.apart(key))
    yield f"It fails at `{facts['witness']}`" + (
        f": {facts['found']}.\n" if facts.get("found") else ".\n"
    )
    over = facts.get("by_how_much") or {}
    if over.get("lower"):
        yield f"The truth is {over['lower']} to {over['upper']} times the claimed number.\n"
    elif over.get("kernel"):
        yield f"The truth is {over['kernel']} times the claimed number.\n"
    if facts.get("falls"):
        yield f"What falls: {facts['falls']} ({FALLS[facts['falls']]}).\n"
    cause = paper.causes.get(claim.causes.get(key, ""))
    said = {"The cause": cause, "Known before": claim.known, "Withdrawn": claim.withdrawn}
    yield from (f"{name}: {text}\n" for name, text in said.items() if text)
    yield "## To check it again\n"
    if script is not None:
        needs = "Python and mpmath" if "mpmath" in script else "Python"
        yield f"With {needs} alone:\n\n```python\n{script}\n```\n"
    else:
        yield "The formula at this instance is too long for some lines of Python.\n"
    yield (
        f"The certificate `{file}` has the same in exact numbers or intervals; `exactdp verify`, "
        "and the kernel of the standard library alone, accept it.\n"
    )
    yield "## What would mend it\n"
    mend, claims = paper.mend_of(claim, key), {one.id: one for one in paper.claims()}
    if mend is None or mend not in claims:
        yield mend or "No mend is known to us."
        return
    verdict = inventory.get(mend, {}).get("verdict", "without a kept verdict")
    yield f"> {claims[mend].says}\n\n(`{mend}`: {verdict})"
