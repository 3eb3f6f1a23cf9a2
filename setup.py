"""How the wheel is built: what an installed copy reads of the papers is packed, in one file.

A checkout has text, and so has a copy that is installed with ``pip install --editable``. In a wheel
the papers, their evidence and the theory in Coq are one compressed file, which
``proofs_check/__init__.py`` unpacks into the user's cache when a paper is first asked for. The
kernel, and the table of what the proved program accepts, stay as they are.
"""

import hashlib
import json
import lzma
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

STAYS = ("__init__.py", "accepted.py", "accepted.json", "kernel")
"""The files and folders of ``proofs_check`` that are not packed."""
STAYS_BEHIND = ("search.json", "found_again.py", "findings.py", "mends.py")
"""They and pages are for the repository, where the one writes the other."""
BEST = lzma.PRESET_EXTREME | 9


def shortened(path: Path) -> str:
    """Return the text of a file, of JSON without its layout."""
    text = path.read_text("utf-8")
    if path.suffix != ".json":
        return text
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


def pack(folder: Path, *, preset: int = BEST) -> Path:
    """Replace the papers of a package's folder by one file; return it.

    Its first line has the files' lengths in characters, then come their texts.
    """
    others = [path for path in sorted(folder.iterdir()) if path.name not in STAYS]
    files = [path for one in others for path in sorted(one.rglob("*")) or [one] if path.is_file()]
    files = [path for path in files if path.suffix != ".md" and path.name not in STAYS_BEHIND]
    files.sort(key=lambda path: (path.suffix, path))  # what is alike is packed together
    texts = {path.relative_to(folder).as_posix(): shortened(path) for path in files}
    lengths = json.dumps({name: len(text) for name, text in texts.items()})
    content = f"{lengths}\n{''.join(texts.values())}".encode()
    name = f"papers-{hashlib.sha256(content).hexdigest()[:16]}.json.xz"
    for path in others:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    of_text = {"id": lzma.FILTER_LZMA2, "preset": preset, "lc": 4, "pb": 0}  # it has no alignment
    packed = lzma.compress(content, format=lzma.FORMAT_XZ, filters=[of_text])
    (folder / name).write_bytes(packed)
    return folder / name


class Build(build_py):
    """Copies the packages, and packs the papers in the copy."""

    def run(self) -> None:
        """Copy, and pack unless the copy is an editable one, which is none."""
        super().run()
        folder = Path(self.build_lib) / "proofs_check"
        if not self.editable_mode and not any(folder.glob("papers-*.json.xz")):
            pack(folder)


if __name__ == "__main__":
    setup(cmdclass={"build_py": Build})
