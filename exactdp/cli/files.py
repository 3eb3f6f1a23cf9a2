"""Reading the files that commands are given."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

from exactdp.errors import ParseError

if TYPE_CHECKING:
    from proofs_check.kernel import Unreadable

__all__ = ["certificates_in", "content", "interpreters_of", "programs_of"]


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


def certificates_in(file: str) -> Iterator[tuple[str, bytes | Unreadable]]:
    """Yield the certificates of a file with their places: itself, or the lines of a ``.jsonl``.

    What cannot be read is the kernel's answer to it.

    Args:
        file: A path, or ``FILE.jsonl:LINE``; ``-`` is standard input.
    """
    from proofs_check.kernel import Unreadable
    from proofs_check.kernel.check import parts_of

    path, _, number = file.rpartition(":")
    is_line = path.endswith(".jsonl") and number.isdecimal()
    count = 0
    try:
        with _stream(path if is_line else file) as stream:
            for place, part in parts_of(stream, path if is_line else file):
                if not is_line or place == file:
                    count += 1
                    yield place, part
        if not count:
            yield file, Unreadable("there is no such line")
    except (OSError, ValueError) as error:
        yield file, Unreadable(_unread(error))


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
        with _stream(file) as stream:
            return stream.read(end)
    except (OSError, ValueError) as error:
        raise ParseError(f"FILE={file!a} {_unread(error)}") from None


def _unread(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"cannot be read: {reason}. Give the path of a file, or -."


def _stream(file: str) -> AbstractContextManager[IO[bytes]]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    return open(file, "rb", opener=_opened)


def _opened(file: str, flags: int) -> int:
    """Open a file; a named pipe that nobody writes to is not waited for, it is empty."""
    handle = os.open(file, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISFIFO(os.fstat(handle).st_mode):
        os.set_blocking(handle, True)
    return handle
