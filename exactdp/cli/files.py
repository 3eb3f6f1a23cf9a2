"""Reading the files that commands are given."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from exactdp.errors import ParseError

__all__ = ["content", "interpreters_of", "programs_of"]


def interpreters_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the interpreters by library, of ``--python LIBRARY=PATH``.

    Raises:
        ParseError: If one is none.
    """
    return _paths_of(
        "--python", texts, Path.exists, "is not an interpreter. Give LIBRARY=PATH of a python."
    )


def programs_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the folders by program, of ``--program NAME=FOLDER``.

    Raises:
        ParseError: If one is none.
    """
    return _paths_of(
        "--program", texts, Path.is_dir, "is not a folder. Give NAME=FOLDER of its files."
    )


def _paths_of(
    option: str, texts: Sequence[str], is_there: Callable[[Path], bool], rule: str
) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not is_there(Path(path)):
            raise ParseError(f"{option}={text!r} {rule}")
        found[name] = path
    return found


def content(file: str, *, most: int | None = None) -> bytes:
    """Return the content of a file, or of standard input, up to just above a limit.

    Args:
        file: A path; ``-`` is standard input.
        most: The limit in bytes; by default that of problem files.

    Raises:
        ParseError: If it cannot be read.
    """
    from exactdp.numbers.limits import MAX_CHARACTERS

    end = (MAX_CHARACTERS if most is None else most) + 1
    try:
        if file == "-":
            return sys.stdin.buffer.read(end)
        with open(file, "rb", opener=_opened) as stream:
            return stream.read(end)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ParseError(
            f"FILE={file!a} cannot be read: {reason}. Give the path of a file, or -."
        ) from None


def _opened(file: str, flags: int) -> int:
    """Open a file; a named pipe that nobody writes to is not waited for, it is empty."""
    handle = os.open(file, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISFIFO(os.fstat(handle).st_mode):
        os.set_blocking(handle, True)
    return handle
