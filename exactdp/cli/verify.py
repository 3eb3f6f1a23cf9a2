"""The command ``verify``: the kernel's answer to certificates.

Definitions: :func:`verify`.
"""

from __future__ import annotations

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
                line, code = f"accepted: {answer.statement}", 0
            case Rejected():
                line, code = f"rejected: {answer.reason}", 1
            case Incomplete():
                line, code = f"incomplete: {'; '.join(answer.holes)}", 1
            case Unreadable():
                line, code = f"unreadable: {answer.reason}", 2
        print(f"{name}: {line}")
        worst = max(worst, code)
    raise typer.Exit(worst)
