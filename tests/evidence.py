"""The certificates and proofs that papers keep, one a line of ``evidence.jsonl``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import proofs_check
from exactdp.audit import kept_evidence

__all__ = ["KeptFile", "kept_files"]

FOLDER = Path(proofs_check.__path__[0])


@dataclass(frozen=True, order=True)
class KeptFile:
    """One, as the file that it is in a report."""

    paper: str
    kind: str
    name: str
    content: bytes

    @property
    def stem(self) -> str:
        return self.name.removesuffix(".json")

    def read_bytes(self) -> bytes:
        return self.content

    def read_text(self) -> str:
        return self.content.decode()


def kept_files(kind: str, paper: str = "*") -> list[KeptFile]:
    """Return the kept "certificates" or "proofs", of one paper or all."""
    return sorted(
        KeptFile(folder.name, kind, name.removeprefix(f"{kind}/"), kept.content)
        for folder in (path.parent for path in FOLDER.glob(f"{paper}/inventory.json"))
        for name, kept in kept_evidence(folder).items()
        if name.startswith(f"{kind}/")
    )
