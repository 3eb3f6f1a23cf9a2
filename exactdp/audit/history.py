"""The promises of one version of a library beside those of the version tried before.

Definitions: :func:`since`, :func:`table`, :func:`upstream`, :data:`WORDS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from exactdp.audit.claim_verdict import ClaimVerdict
from exactdp.claims import Claim
from exactdp.claims.verdicts import Absent, Errored, Refuted, Standing, Verdict

__all__ = ["WORDS", "since", "table", "upstream"]

WORDS = ("new", "fixed", "still so", "not asked")
"""What may have become of a reading: it falls now; it did and does not; it does as before; the
newer version answers in another way, or is not here."""


_HISTORY = "HISTORY.md"
"""The file that keeps the table of newer releases."""


def since(
    kept: Mapping[str, Any], results: Sequence[ClaimVerdict]
) -> Iterator[tuple[str, str, str]]:
    """Yield claim, reading and change since that version, where it falls or did.

    Readings that nobody claims are left out.

    Args:
        kept: The inventory of the older version.
        results: The verdicts on the newer one.
    """
    for result in results:
        fallen = set(_fallen(kept, result.claim))
        for key, verdict in result.readings.items():
            fell = key in fallen
            word = None if result.claim.apart(key) else _word(verdict, fell=fell)
            if word is not None:
                yield result.claim.id, key, word


def _word(verdict: Verdict, *, fell: bool) -> str | None:
    match verdict:
        case Refuted():
            return "still so" if fell else "new"
        case Absent() | Errored():
            return "not asked"
        case _ if isinstance(verdict, Standing):
            return "fixed" if fell else None
    return "not asked" if fell else None


def table(
    kept: Mapping[str, Any],
    claims: Sequence[Claim],
    results: Sequence[ClaimVerdict],
    versions: Mapping[str, str],
) -> str:
    """Return a Markdown table: a row a library, with its versions and the changes of findings.

    Of a library whose newest version is the kept one, what falls by the inventory is still so.

    Args:
        kept: The inventory of the older versions.
        claims: The claims about libraries.
        results: The verdicts on newer ones.
        versions: Library to the newest version.
    """
    found = list(since(kept, results))
    lines = [f"| library | kept | newest | {' | '.join(WORDS)} |", "|---" * (3 + len(WORDS)) + "|"]
    for about in {c.about: None for c in claims if c.about and not c.files}:
        library, _, version = about.partition("==")
        newest, own = versions.get(library, ""), [c for c in claims if c.about == about]
        ids = {claim.id for claim in own}
        told = [one for one in found if one[0] in ids]
        if newest == version:
            told = [(c.id, key, "still so") for c in own for key in _fallen(kept, c)]
        cells = [_cell([(name, key) for name, key, word in told if word == w]) for w in WORDS]
        lines.append(f"| {library} | {version} | {newest or 'none'} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def upstream(folder: str | Path, claim: Claim, key: str) -> str:
    """Return the verdict of the newest tried release on a finding, from the kept table.

    Args:
        folder: The folder of the libraries' claims, with the table in ``HISTORY.md``.
        claim: A claim that falls.
        key: Its reading.

    Returns:
        Words, such as ``mended in 2.0``; "" where no release was asked.
    """
    library, name = (claim.about or "").partition("==")[0], claim.id.partition("/")[2]
    place = Path(folder) / _HISTORY
    text = place.read_text(encoding="utf-8") if place.exists() else ""
    row = re.search(rf"^\| {re.escape(library)} \|(.*)\|$", text, re.MULTILINE)
    cells = [] if not library or row is None else [cell.strip() for cell in row[1].split("|")]
    for word, cell in zip(WORDS, cells[2:], strict=False):
        found = re.search(rf"`{re.escape(name)}`(?: \(([^)]*)\))?", cell)
        if found is not None and key in (found[1] or "").split(", "):
            return f"mended in {cells[1]}" if word == "fixed" else f"{word} in {cells[1]}"
    return ""


def _cell(readings: Sequence[tuple[str, str]]) -> str:
    keys: dict[str, list[str]] = {}
    for name, key in readings:
        keys.setdefault(name.partition("/")[2], []).append(key)
    told = [(f"`{name}`", f" ({', '.join(of)})" if any(of) else "") for name, of in keys.items()]
    return ", ".join(name + which for name, which in told)


def _fallen(kept: Mapping[str, Any], claim: Claim) -> Iterator[str]:
    """Yield the readings that fall by the inventory, and that somebody claims."""
    for key, facts in kept.get(claim.id, {}).get("readings", {}).items():
        if facts.get("verdict") == "refuted" and not claim.apart(key):
            yield key
