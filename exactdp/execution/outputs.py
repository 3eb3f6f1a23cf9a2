"""The output of a run: a file, or a folder of files, replaced whole.

A run holds its place from the start: what stands there must be missing, empty, or written by an
earlier run, and what would keep the results from being written is found before the work, where
that is possible. Meanwhile the folder ``.NAME.exactdp`` stands beside the place NAME: it has the
lock that keeps a second run out, the results that are finished (see ``store``), and the new state
while it is written. One rename then puts the new state into place. A run that is stopped leaves
the old state or the new, and perhaps that folder, which the next run takes over. (Where a system
cannot swap two folders in one step, a kill between two renames leaves the old state in that
folder; the next run puts it back.)

A folder of results has a file ``SHA256SUMS``: that exactdp wrote it, and each file's hash. A file
that it does not list, or lists with another hash, was not written by that run.

Definitions: :func:`held_file`, :func:`held_folder`, :class:`Place`, :data:`SUMS`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from exactdp.errors import DomainError
from exactdp.execution.store import remove

if sys.platform != "win32":
    import fcntl

__all__ = ["SUMS", "Place", "held_file", "held_folder"]

SUMS = "SHA256SUMS"
"""The file of a folder of results that lists all others with their hashes."""

_HEAD = "# exactdp"
_STORE = "store.sqlite"
_WORK = ("lock", "new", "old")
_NONE: Set[Path] = frozenset()
_ROOM = 1 << 20
"""The bytes that must fit before a run starts."""

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder that no other run may write to, as long as it is held.

    Attributes:
        path: Its absolute path.
        refuse: Raises DomainError if something stands there that exactdp did not write.
    """

    path: Path
    refuse: Callable[[], None]

    @property
    def work(self) -> Path:
        """The folder beside it, with the lock and the files being written."""
        return self.path.parent / f".{self.path.name}.exactdp"

    @property
    def store(self) -> Path:
        """The file in that folder for finished results; it outlives a run that writes nothing."""
        return self.work / _STORE

    def write(
        self,
        content: bytes,
        *,
        beside: Mapping[Path, bytes] | None = None,
        stale: Set[Path] = _NONE,
    ) -> None:
        """Write a file whole.

        The permissions of a file that is replaced are kept.

        Args:
            content: The new content of the file.
            beside: Other files that the lock of this one guards, with their content: all are
                written before the first is put into its place, and this file is put there last.
            stale: Files that are removed then.

        Raises:
            DomainError: If it cannot be written; what stood there then stands there still.
        """
        files = {**(beside or {}), self.path: content}
        with _in_one_line(self.path):
            self.refuse()
            for number, (path, text) in enumerate(files.items()):
                path.parent.mkdir(parents=True, exist_ok=True)
                _write(self.work / "new" / str(number), text, like=path)
            for number, path in enumerate(files):
                os.replace(self.work / "new" / str(number), path)
            for path in stale:
                path.unlink()
            remove(self.store)

    def write_folder(self, files: Mapping[str, bytes]) -> None:
        """Write a folder whole, with its ``SHA256SUMS``.

        Args:
            files: Path inside of the folder, with slashes -> content.

        Raises:
            DomainError: As :meth:`write`.
        """
        with _in_one_line(self.path):
            new, old = self.work / "new", self.work / "old"
            for name, content in {**files, SUMS: _sums(files)}.items():
                _write(new / name, content, like=self.path / name)
            for folder in (new, *(path for path in new.rglob("*") if path.is_dir())):
                _keep_mode(folder, like=self.path / folder.relative_to(new))
            self.refuse()
            if not self.path.exists() or not any(self.path.iterdir()):
                os.rename(new, self.path)
            elif not _swapped(new, self.path):
                os.rename(self.path, old)
                os.rename(new, self.path)
            remove(self.store)


@contextmanager
def held_file(path: Path, *, head: bytes | None = None, mark: bytes = b"") -> Iterator[Place]:
    """Hold a file.

    Args:
        path: The file; its folder is made if it is missing.
        head: The bytes that a file of exactdp begins with; None if every file is ours to replace.
        mark: Bytes that such a file has somewhere else too.

    Raises:
        DomainError: If something else stands there, or it cannot be written, or another run
            holds it; the message is one line.
    """

    def refuse() -> None:
        if _stands(path, stat.S_IFREG) and head is not None:
            with path.open("rb") as file:
                start = file.read(len(head))
                rest = file.read() if mark else b""
            if start and (start != head or mark not in rest):
                raise _not_ours(path)

    with _held(path, refuse) as place:
        yield place


@contextmanager
def held_folder(path: Path) -> Iterator[Place]:
    """Hold a folder of results.

    Args:
        path: The folder; it is made if it is missing.

    Raises:
        DomainError: As :func:`held_file`; a folder that is replaced may have nothing in it
            but what a run has written.
    """

    def refuse() -> None:
        if Path(os.path.realpath(path)) in (Path.cwd(), *Path.cwd().parents):
            raise DomainError(f"{_named(path)} is the current folder, or above it. {_ELSE}")
        if _stands(path, stat.S_IFDIR) and (foreign := _foreign(path)) is not None:
            raise _not_ours(path / foreign)

    with _held(path, refuse) as place:
        yield place


@contextmanager
def _held(path: Path, refuse: Callable[[], None]) -> Iterator[Place]:
    """Hold a place: lock it, clear the leavings of an earlier run, and clear up in the end."""
    with _in_one_line(path):
        refuse()
        place = Place(Path(os.path.abspath(path)), refuse)
        work = place.work
        work.parent.mkdir(parents=True, exist_ok=True)
        lock = _lock(work, path)
    try:
        with _in_one_line(path):
            _clear(place)
            (work / "new").write_bytes(bytes(_ROOM))
            _clear(place)
        yield place
    finally:
        with suppress(OSError):
            # The lock goes last: who has it may trust that nobody else clears the folder.
            _clear(place)
            (work / "lock").unlink()
            work.rmdir()  # a store stays, and the folder with it
        os.close(lock)


def _lock(work: Path, path: Path) -> int:
    """Return the open lock of a work folder, which is made."""
    while True:
        work.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # its last holder has just removed it
            state = work.lstat()
            owned = sys.platform == "win32" or state.st_uid == os.geteuid()
            inside = all(entry.name in _WORK or _is_store(entry) for entry in work.iterdir())
            if not (inside and owned and stat.S_ISDIR(state.st_mode)):
                raise _not_ours(work)
            lock = os.open(work / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if sys.platform != "win32":
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock), (work / "lock").lstat()):
                    return lock
            except BlockingIOError:
                os.close(lock)
                advice = "Wait for it, or name another place."
                raise DomainError(f"another run writes {_named(path)}. {advice}") from None
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)


def _clear(place: Place) -> None:
    """Empty the work folder, but for lock and store; an old state may get its place back."""
    if (place.work / "old").exists() and not place.path.exists():
        os.rename(place.work / "old", place.path)
    for entry in place.work.iterdir():
        if entry.name != "lock" and not _is_store(entry):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _is_store(entry: Path) -> bool:
    return entry.name.startswith(_STORE) and stat.S_ISREG(entry.lstat().st_mode)


def _write(path: Path, content: bytes, *, like: Path) -> None:
    """Write a file through to the disk, with the permissions of another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        _keep_mode(path, like=like)
        file.flush()
        os.fsync(file.fileno())


def _keep_mode(path: Path, *, like: Path) -> None:
    with suppress(FileNotFoundError):
        path.chmod(stat.S_IMODE(like.lstat().st_mode))


def _stands(path: Path, wanted: int) -> bool:
    """Return whether something stands there; refuse another kind of file, or a read-only one."""
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return False
    found, needed = _KINDS.get(kind, "a device"), _KINDS[wanted]
    if kind != wanted:
        raise DomainError(f"{_named(path)} is {found}, not {needed}. Name {needed}.")
    if os.path.ismount(path):
        raise DomainError(f"{_named(path)} is a mount point. Name {needed} inside of it.")
    if not os.access(path, os.W_OK):
        raise DomainError(f"{_named(path)} is read-only. {_ELSE}")
    return True


def _sums(files: Mapping[str, bytes]) -> bytes:
    lines = "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    run = sha256(lines.encode()).hexdigest()[:16]
    return f"{_HEAD} run {run}: sha256sum -c {SUMS}\n{lines}".encode()


def _foreign(folder: Path) -> Path | None:
    """Return the path, inside a folder of results, of something that no run wrote there."""
    inside = sorted(path.relative_to(folder) for path in _tree(folder))
    listed = folder / SUMS
    if not inside or not listed.is_file() or listed.is_symlink():
        return next(iter(inside), None)
    lines = os.fsdecode(listed.read_bytes()).splitlines()
    if not lines or not lines[0].startswith(_HEAD):
        return Path(SUMS)
    hashes = {name: digest for digest, _, name in (line.partition("  ") for line in lines[1:])}
    folders = {parent for name in hashes for parent in Path(name).parents}
    for name in inside:
        mode = (folder / name).lstat().st_mode
        if name == Path(SUMS) or (stat.S_ISDIR(mode) and name in folders):
            continue
        expected = hashes.get(name.as_posix())
        if expected is None or not stat.S_ISREG(mode) or _hash(folder / name) != expected:
            return name
    return None


def _tree(folder: Path) -> Iterator[Path]:
    """Yield the entries of a folder and its folders; links are not followed."""
    for entry in folder.iterdir():
        yield entry
        if entry.is_dir() and not entry.is_symlink():
            yield from _tree(entry)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _swapped(one: Path, other: Path) -> bool:
    """Swap two names in one step; return whether the system could."""
    if sys.platform != "linux":
        return False
    swap = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    return swap is not None and not swap(here, os.fsencode(one), here, os.fsencode(other), exchange)


_ELSE = "Move it away, or name another place."


def _named(path: Path) -> str:
    return ascii(str(path))


def _not_ours(path: Path) -> DomainError:
    return DomainError(f"{_named(path)} was not written by exactdp, or was changed since. {_ELSE}")


@contextmanager
def _in_one_line(path: Path) -> Iterator[None]:
    """Turn a message of the system into a DomainError about this path."""
    try:
        yield
    except DomainError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DomainError(
            f"{_named(path)} cannot be written: {reason}. Name another place, or make room there."
        ) from None
