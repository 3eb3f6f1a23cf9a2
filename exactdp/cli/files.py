"""Reading the files that commands are given."""

from __future__ import annotations

import sys
from pathlib import Path

from exactdp.errors import ParseError

__all__ = ["content"]


def content(file: str) -> bytes:
    """Return the content of a file, or of standard input, up to just above the size limit."""
    from exactdp.numbers.limits import MAX_CHARACTERS

    try:
        if file == "-":
            return sys.stdin.buffer.read(MAX_CHARACTERS + 1)
        with Path(file).open("rb") as stream:
            return stream.read(MAX_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ParseError(
            f"FILE={file!r} cannot be read: {reason}. Give the path of a file, or -."
        ) from None
