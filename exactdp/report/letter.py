"""A letter: one refuted claim on one page of Markdown, to paste into an issue or a mail.

It has the quoted words, the instance, the numbers, some lines of Python with which anybody can
check them, and what would mend the claim. Everything is kept: nothing is tried again. The lines
are the certificate's formulas, unless the paper's folder keeps shorter ones in ``letters.toml``.

Some letters there are written to be sent: they have a subject, which text was read, and the lines
that run the library and print its number. All others say that they are not for sending.

Definitions: :func:`letter`, :class:`Lines`, :func:`kept_lines`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from exactdp.audit import certificate_name, kept_evidence, read_inventory
from exactdp.audit.history import upstream
from exactdp.audit.sizes import errs, is_ordinary_kept, size_in_words
from exactdp.audit.tally import SERIOUS
from exactdp.claims import Claim, Paper
from exactdp.errors import DomainError, ParseError
from exactdp.report.script import script_of
from exactdp.report.words import FALLS

__all__ = ["Lines", "kept_lines", "letter"]

_LETTERS = "letters.toml"
"""The file of lines that check a claim from the definitions, by its certificate's name."""

_SIDES = {
    "unsafe": "unsafe: more is lost than is promised",
    "safe": "safe: less is lost than is promised, or a lower end is too high",
    "": "not told by the two numbers",
}


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kept parts of the letter of a certificate.

    Attributes:
        truth: The lines that compute the truth; "" for those of the certificate's formulas.
        subject: A sentence, of a letter that is for sending; else "".
        read: The version, the file and the line that were read, the first line of such a letter.
        run: The lines that run the library and print its number; "" where there is no library.
    """

    truth: str = ""
    subject: str = ""
    read: str = ""
    run: str = ""


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
    folder = Path(paper.folder)
    lines = kept_lines(folder)

    def of(key: str) -> Lines:
        return lines.get(Path(certificate_name(claim.id, key)).stem, Lines())

    key = min(
        asked,
        key=lambda key: (not of(key).subject, bool(claim.apart(key)), _seriousness(kept[key])),
    )
    facts, file = kept[key], f"certificates/{certificate_name(claim.id, key)}"
    certificate = kept_evidence(folder).get(file)
    if certificate is None:
        raise DomainError(
            f"claim={claim.id!r}: no certificate of it is kept, only {facts['found']!r}. "
            "Ask for a claim that anybody can check again."
        )
    own = of(key)
    script = own.truth.strip() or script_of(certificate.document)
    if own.subject:
        return "\n".join(_to_send(paper, claim, key, facts, own, script, inventory)) + "\n"
    page = _lines(paper, claim, key, facts, script, file, inventory)
    return "\n".join(["*Not for sending: it is one of many of its kind.*\n", *page]) + "\n"


def kept_lines(folder: Path) -> dict[str, Lines]:
    """Return the kept parts of a folder's letters, by the names of certificates.

    Raises:
        ParseError: If ``letters.toml`` is malformed.
    """
    letters = folder / _LETTERS
    try:
        kept = tomllib.loads(letters.read_text(encoding="utf-8")) if letters.exists() else {}
        lines = {x: {"truth": y} if isinstance(y, str) else y for x, y in kept.items()}
        return msgspec.convert(lines, dict[str, Lines])
    except ValueError as error:  # no UTF-8, no TOML, or no lines
        raise ParseError(f"{letters}: {error}") from None


def _printed(answer: Any) -> str:
    numbers = answer if isinstance(answer, list) else [answer]
    return " and ".join(f"`{one}`" for one in numbers)


def _to_send(
    paper: Paper,
    claim: Claim,
    key: str,
    facts: Mapping[str, Any],
    own: Lines,
    script: str | None,
    inventory: Mapping[str, Any],
) -> Iterator[str]:
    """Yield a letter that is for sending: nothing of ours is in it."""
    reading = claim.readings[key]
    size, side = size_in_words(facts, reading), errs(facts, reading)
    yield f"# {own.subject}: {size}\n" if size else f"# {own.subject}\n"
    yield f"Read: {own.read}.\n"
    if claim.words:
        yield f"What is promised there:\n\n> {claim.words}\n"
    if own.run:
        yield f"The library's number:\n\n```python\n{own.run.strip()}\n```\n"
        yield f"It prints {_printed((facts.get('at') or {}).get('answer'))}.\n"
    needs = "Python and mpmath" if script and "mpmath" in script else "Python"
    yield f"The truth, by its definition, with {needs} alone:\n\n```python\n{script}\n```\n"
    usual = "an ordinary deployment" if is_ordinary_kept(facts) else "no ordinary deployment"
    yield f"- side: {_SIDES[side]}"
    yield f"- size, in {usual}: {size or facts['found']}"
    yield f"- cause: {paper.causes.get(claim.causes.get(key, ''), 'not found')}"
    yield f"- known reports: {claim.known or 'none that we found'}"
    status = upstream(paper.folder, claim, key)
    if status:
        yield f"- the newest release that was tried: {status}"
    mend, claims = paper.mend_of(claim, key), {one.id: one for one in paper.claims()}
    if mend in claims:
        mend = f"{claims[mend].says} ({inventory.get(mend, {}).get('verdict', 'no verdict')})"
    yield f"- what would mend it: {mend or 'not known to us'}"


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
