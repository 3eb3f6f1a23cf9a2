"""The command ``verify``: the kernel's answer to certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["verify"]


def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificates to check.")],
) -> None:
    """Check certificates with the kernel: 0 all accepted, 1 some rejected, 2 some unreadable."""
    from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check

    worst = 0
    for name in files:
        try:
            answer = check(Path(name).read_bytes())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            answer = Unreadable(f"cannot be read: {reason}")
        match answer:
            case Accepted():
                line, code = f"accepted: {answer.statement}{_about(name)}", 0
            case Rejected():
                line, code = f"rejected: {answer.reason}", 1
            case Incomplete():
                line, code = f"incomplete: {'; '.join(answer.holes)}", 1
            case Unreadable():
                line, code = f"unreadable: {answer.reason}", 2
        print(f"{name}: {line}")
        worst = max(worst, code)
    raise typer.Exit(worst)


def _about(name: str) -> str:
    """Return the sentence that a certificate is about and its witness, if the catalog has it.

    The kernel knows neither: it only repeats the label, which is not checked.
    """
    from exactdp.audit import read_inventory
    from exactdp.claims import papers

    document = json.loads(Path(name).read_bytes())
    claim_id, reading = document["claim"], document.get("reading", "")
    paper = papers().get(claim_id.partition("/")[0])
    claim = next((c for c in paper.claims() if c.id == claim_id), None) if paper else None
    if paper is None or claim is None:
        return ""
    says = claim.says + (f" ({reading}) {claim.reading_says.get(reading, '')}" if reading else "")
    kept = (read_inventory(paper) or {}).get(claim_id, {}).get("readings", {}).get(reading, {})
    lines = [f"  the claim, {kept.get('verdict', 'without a kept verdict')}: {says}"]
    if "witness" in kept:
        lines.append(f"  at the witness: {kept['witness']}")
    return "".join(f"\n{line}" for line in lines)
