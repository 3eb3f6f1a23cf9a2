"""The command ``verify``: the kernel's answer to certificates, and whether their labels match."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from exactdp.cli.files import content
from exactdp.errors import ParseError, what_happened

__all__ = ["verify"]


def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificates to check.")],
    *,
    budget: Annotated[
        int,
        typer.Option(min=1, metavar="SECONDS", help="Work and memory that one file may take."),
    ] = 60,
    proved: Annotated[
        bool,
        typer.Option("--proved", help="Ask the checker that is proved in Coq, too."),
    ] = False,
) -> None:
    """Check certificates: 0 all accepted, 1 some rejected or labeled falsely, 2 some unreadable.

    Example: exactdp verify report/certificates/*.json

    A label that no catalog here has is labeled falsely, too; a file without one says `no claim`.
    With --proved both checkers must accept a file: 1 if the proved one refuses it or leaves it
    undecided. That one is built when it is first asked, by Coq and OCaml.
    """
    from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check
    from proofs_check.kernel.results import MAX_FILE_BYTES

    second = None
    if proved:
        from exactdp.cli.proved import ProvedChecker, theorems

        second = ProvedChecker.built()
    worst = 0
    for name in files:
        try:
            data = content(name, most=MAX_FILE_BYTES)
            answer = check(data, seconds=budget)
        except ParseError as error:
            answer = Unreadable(str(error))
        match answer:
            case Accepted():
                about, code = _about(data)
                line = f"accepted: {answer.statement}{about}"
            case Rejected():
                line, code = f"rejected: {answer.reason}", 1
            case Incomplete():
                line, code = f"incomplete: {'; '.join(answer.holes)}", 1
            case Unreadable():
                line, code = f"unreadable: {answer.reason}", 2
        print(f"{name if name.isascii() and name.isprintable() else ascii(name)}: {line}")
        if second is not None and code < 2:
            word, said = second.answer(data, seconds=budget)
            print(f"  the proved checker: {word}: {said}")
            code = max(code, word != "accepted")
        worst = max(worst, code)
    if second is not None:
        print(f"what the proved checker accepts is true and has a meaning:\n{theorems()}")
    raise typer.Exit(worst)


def _about(data: bytes) -> tuple[str, int]:
    """Return the lines on the claim that a certificate is labeled with, and the exit code."""
    from exactdp.audit import read_label

    document = json.loads(data)
    named = ascii(document["claim"])[:300]
    try:
        label = read_label(document)
    except (Exception, SystemExit) as error:  # whatever the code of a paper raises
        return f"\n  labeled {named}, not compared: {what_happened(error)}", 1
    if label.mismatch:
        return f"\n  label does not match: {label.mismatch} ({named})", 1
    if not label.says:
        return "\n  no claim", 0
    at = f"\n  at the witness: {label.witness}" if label.witness else ""
    # What a proof is labeled with here has been compared: it is the catalog's.
    on = f"\n  on the domain: {document['domain']}" if "domain" in document else ""
    return f"\n  the claim, {label.verdict}: {label.says}{at}{on}", 0
