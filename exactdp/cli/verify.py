"""The command ``verify``: the kernel's answer to certificates, and whether their labels match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["verify"]


def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificates to check.")],
    *,
    budget: Annotated[
        int,
        typer.Option(min=1, metavar="SECONDS", help="Work and memory that one file may take."),
    ] = 60,
) -> None:
    """Check certificates: 0 all accepted, 1 some rejected or labeled falsely, 2 some unreadable."""
    from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check

    worst = 0
    for name in files:
        try:
            content = _content(name)
            answer = check(content, seconds=budget)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            answer = Unreadable(f"cannot be read: {reason}")
        match answer:
            case Accepted():
                about, code = _about(content)
                line = f"accepted: {answer.statement}{about}"
            case Rejected():
                line, code = f"rejected: {answer.reason}", 1
            case Incomplete():
                line, code = f"incomplete: {'; '.join(answer.holes)}", 1
            case Unreadable():
                line, code = f"unreadable: {answer.reason}", 2
        print(f"{_printable(name)}: {line}")
        worst = max(worst, code)
    raise typer.Exit(worst)


def _content(name: str) -> bytes:
    """Return the file, and of one that is too long for the kernel enough to show that."""
    from proofs_check.kernel.results import MAX_FILE_BYTES

    with Path(name).open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def _about(content: bytes) -> tuple[str, int]:
    """Return the lines on the claim that a certificate is labeled with, and the exit code."""
    from exactdp.audit import read_label

    document = json.loads(content)
    label = read_label(document)
    named = ascii(document["claim"])[:300]
    if not label.says:
        return f"\n  labeled {named}, which is not in the catalog: not checked", 0
    lines = [f"  the claim, {label.verdict}: {label.says}"]
    if label.witness:
        lines.append(f"  at the witness: {label.witness}")
    if label.mismatch:
        lines = [f"  label does not match: {label.mismatch} ({named})"]
    return "".join(f"\n{line}" for line in lines), 1 if label.mismatch else 0


def _printable(name: str) -> str:
    return name if name.isascii() and name.isprintable() else ascii(name)
