"""Papers on trial, one folder each, and the kernel that checks their certificates.

In a wheel the papers are packed (``setup.py``). They are unpacked when one is first imported, into
``$XDG_CACHE_HOME/exactdp`` or ``~/.cache/exactdp``, or for this process alone where neither can be
written. Nothing is unpacked for the kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


class _Packed:
    """Find the papers that Python does not find in this folder, by unpacking them."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, inside = name.partition(".")
        archive = next(Path(__file__).parent.glob("papers-*.json.xz"), None)
        if package != __name__ or not inside or archive is None or len(__path__) > 1:
            return None
        __path__.append(str(_unpacked(archive)))
        return PathFinder.find_spec(name, __path__, target)


def _unpacked(archive: Path) -> Path:
    """Return the folder of the papers; they are there at once and whole, or not at all."""
    import os
    import tempfile

    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exactdp"
        cache.mkdir(parents=True, exist_ok=True)
        folder = cache / archive.name.partition(".")[0]
        if folder.is_dir():
            return folder
        written = Path(tempfile.mkdtemp(dir=cache, prefix="unpacking-"))
    except (OSError, RuntimeError):  # no home, or none that can be written
        import atexit
        import shutil

        folder = written = Path(tempfile.mkdtemp(prefix="exactdp-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _unpack(archive, written)
    try:
        if written != folder:
            written.replace(folder)
    except OSError:  # another process was sooner
        if not folder.is_dir():
            raise
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    import json
    import lzma

    lengths, _, texts = lzma.decompress(archive.read_bytes()).decode().partition("\n")
    start = 0
    for name, length in json.loads(lengths).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[start : start + length], encoding="utf-8")
        start += length


sys.meta_path.append(_Packed)
