"""What another version of a library makes of the promises of the one that was tried before.

Definitions: :func:`since`, :func:`table`, :data:`WORDS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exactdp.audit.claim_verdict import ClaimVerdict
from exactdp.claims.verdicts import Absent, Errored, Refuted, Standing, Verdict

__all__ = ["WORDS", "since", "table"]

WORDS = ("new", "fixed", "still so", "not asked")
"""What may have become of a reading: it falls now; it did and does not; it does as before; the
newer version answers in another way, or is not here."""


def since(
    kept: Mapping[str, Any], results: Sequence[ClaimVerdict]
) -> Iterator[tuple[str, str, str]]:
    """Yield claim, reading and what has become of it, where it falls or did.

    Readings that nobody claims are left out.

    Args:
        kept: The inventory of the older version.
        results: The verdicts on the newer one.
    """
    for result in results:
        readings = kept.get(result.claim.id, {}).get("readings", {})
        for key, verdict in result.readings.items():
            fell = readings.get(key, {}).get("verdict") == "refuted"
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
    kept: Mapping[str, Any], results: Sequence[ClaimVerdict], versions: Mapping[str, str]
) -> str:
    """Return a Markdown table: a row a library, its versions, and what has become of what.

    Args:
        kept: The inventory of the older versions.
        results: The verdicts on the newer ones.
        versions: Library to the newer version.
    """
    found = list(since(kept, results))
    lines = [f"| library | kept | newest | {' | '.join(WORDS)} |", "|---" * (3 + len(WORDS)) + "|"]
    about = {r.claim.about: None for r in results if r.claim.about and not r.claim.files}
    for requirement in about:
        library, _, version = requirement.partition("==")
        claims = {r.claim.id for r in results if r.claim.about == requirement}
        cells = [
            ", ".join(
                f"`{claim.partition('/')[2]}`{key and f' ({key})'}"
                for claim, key, word in found
                if claim in claims and word == column
            )
            for column in WORDS
        ]
        newest = versions.get(library, "not installed")
        lines.append(f"| {library} | {version} | {newest} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
