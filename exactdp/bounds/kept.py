"""What is kept of a claim, read without its trial: its verdict, and where it was withdrawn.

Definitions: :class:`Kept`, :func:`kept`.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from exactdp.claims.catalog import folder_of
from exactdp.claims.catalog_file import CATALOG, REPAIRS

__all__ = ["Kept", "kept"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A claim's kept verdict.

    Attributes:
        verdict: The word; None where no inventory has it.
        withdrawn: Where the authors have taken it back themselves.
        repair: The id of a claim that mends it.
    """

    verdict: str | None = None
    withdrawn: str | None = None
    repair: str | None = None


def kept(claim: str) -> Kept:
    """Return what is kept of a claim; nothing where no installed paper has it.

    Example:
        >>> kept("feldman2021/theorem-3.1").withdrawn is None, kept("nobody/theorem-1")
        (True, Kept(verdict=None, withdrawn=None, repair=None))
    """
    folder = folder_of(claim.partition("/")[0])
    if folder is None:
        return Kept()
    verdicts, entries = _files(folder)
    entry = entries.get(claim, {})
    return Kept(verdicts.get(claim), entry.get("withdrawn"), entry.get("repair"))


@lru_cache(maxsize=32)
def _files(folder: Path) -> tuple[dict[str, str], dict[str, Any]]:
    verdicts: dict[str, str] = {}
    inventory = folder / "inventory.json"
    if inventory.is_file():
        claims = json.loads(inventory.read_bytes())["claims"]
        verdicts = {name: entry["verdict"] for name, entry in claims.items()}
    entries: dict[str, Any] = {}
    for name in (CATALOG, REPAIRS):
        if (folder / name).is_file():
            written = tomllib.loads((folder / name).read_text(encoding="utf-8"))
            entries |= {entry["id"]: entry for entry in written["claims"]}
    return verdicts, entries
