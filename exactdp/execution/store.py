"""The finished results of a run, kept until it ends: one SQLite file, from which the next goes on.

A result stands under the hash of its job, of the function that did it, and of the sources and
versions that decide it (:func:`code_of`): where these have changed, there is none. Each is kept as
soon as it is there, so that a kill loses none. A file of others, a damaged one and one of another
form have no results; nor has one that was copied from elsewhere: no stranger's is believed.

Definitions: :class:`Store`, :func:`code_of`.
"""

from __future__ import annotations

import pickle
import platform
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from exactdp.errors import DomainError

__all__ = ["Store", "code_of", "remove"]

_FORM = 0xDB1
"""The version of the store's tables: files of other versions are not read."""

_ENDINGS = ("", "-wal", "-shm", "-journal")
_DECIDING = ("hypothesis", "msgspec", "numpy", "python-flint", "sympy")
_DIGEST = 32  # the bytes of SHA-256
_NOT_OURS = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Store:
    """The results of a run that has not ended.

    Args:
        path: The file, in a folder that no other run uses. It is made with the first result.
        resume: Whether the results of a run that was stopped are used; else they are removed.

    Example:
        >>> from contextlib import closing
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, closing(Store(Path(folder) / "store")) as store:
        ...     store.keep("abs", -2, 2)
        ...     store.known("abs", [-1, -2]), store.known("len", [-2])
        ({1: 2}, {})
    """

    def __init__(self, path: Path, *, resume: bool = True) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        if not resume:
            remove(path)

    def known(self, deciding: str, jobs: Sequence[object]) -> dict[int, Any]:
        """Return the results that are kept, by the place of their job.

        Args:
            deciding: A text that decides a result, beside the job: a function and its
                :func:`code_of`.
            jobs: The jobs; the repr of one says all of it.
        """
        found: dict[int, Any] = {}
        if self._database is None and not self._path.exists():
            return found
        try:
            database = self._open()
            for place, job in enumerate(jobs):
                query = "select result from results where job = ?"
                row = database.execute(query, [self._key(deciding, job)]).fetchone()
                if row is not None and sha256(row[0][_DIGEST:]).digest() == row[0][:_DIGEST]:
                    with suppress(Exception):  # what no reading can make of it is not known
                        found[place] = _Reader(BytesIO(row[0][_DIGEST:])).load()
        except sqlite3.Error as error:
            self.close()
            if error.sqlite_errorcode & 0xFF not in _NOT_OURS:
                raise self._unwritten(error) from None
            remove(self._path)
        return found

    def keep(self, deciding: str, job: object, result: object) -> None:
        """Keep the result of a job.

        Raises:
            DomainError: If it cannot be written; what was kept before still is.
        """
        content = pickle.dumps(result)
        row = [self._key(deciding, job), sha256(content).digest() + content]
        try:
            self._open().execute("insert or replace into results values (?, ?)", row)
        except sqlite3.Error as error:
            raise self._unwritten(error) from None

    def _unwritten(self, error: sqlite3.Error) -> DomainError:
        return DomainError(
            f"{str(self._path)!a} cannot be written: {error}. Make room there; the same "
            "command then goes on where this one was."
        )

    def _key(self, deciding: str, job: object) -> bytes:
        # A stranger who packs a store into an archive does not know the number of its folder.
        text = f"{self._path.parent.stat().st_ino} {deciding} {job!r}"
        return sha256(text.encode(errors="surrogatepass")).digest()

    def _open(self) -> sqlite3.Connection:
        """Return the connection to the file, opened and formed once."""
        if self._database is not None:
            return self._database
        self._database = database = sqlite3.connect(self._path, isolation_level=None)
        # Who holds the place is alone here, also where a file system shares no memory.
        database.execute("pragma locking_mode = exclusive")
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = normal")
        if database.execute("pragma user_version").fetchone() != (_FORM,):
            database.execute("create table results (job blob primary key, result blob not null)")
            database.execute(f"pragma user_version = {_FORM}")
        return database

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None


class _Reader(pickle.Unpickler):
    """Reads results: plain values, and the library's records and enumerations."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "getattr"):  # so Python 3.11.0 to 3.11.3 write a member
            return _member
        if module.startswith("exactdp."):
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _member(kind: Any, name: str) -> Any:
    """Return a member of an enumeration, which is all that ``getattr`` is read as."""
    if not (isinstance(kind, type) and issubclass(kind, Enum)):
        raise pickle.UnpicklingError(f"{name} of {kind}")
    return kind[name]  # no other attribute is a member


def remove(path: Path) -> None:
    """Remove a store, with the files that SQLite has beside it."""
    for ending in _ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)


@lru_cache(maxsize=8)
def code_of(packages: tuple[str, ...] = ()) -> str:
    """Return a hash of the code that decides results: exactdp, further packages, their imports.

    Args:
        packages: Names of packages or modules without a dot.
    """
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as version_of

    digest = sha256(platform.python_version().encode())
    for name in _DECIDING:
        with suppress(PackageNotFoundError):
            digest.update(f"{name} {version_of(name)}\n".encode())
    for name in sorted({"exactdp", *packages}):
        spec = find_spec(name)
        for top in (spec and (spec.submodule_search_locations or [str(spec.origin)])) or ():
            for path in sorted(Path(top).rglob("*")) or [Path(top)]:
                if "__pycache__" not in path.parts and path.is_file():
                    content = path.read_bytes()
                    digest.update(f"{name} {path.relative_to(top)} {len(content)}\n".encode())
                    digest.update(content)
    return digest.hexdigest()
