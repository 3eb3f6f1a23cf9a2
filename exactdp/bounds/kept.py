"""Kept facts of a claim, read without its trial: its verdict, and where it was withdrawn.

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

__all__ = ["Kept", "kept", "mend_of"]

MENDS = "mends.json"
"""The file beside the papers' folders that keeps the smallest mends of bounds that fall."""


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
    """Return the kept facts of a claim; none where no installed paper has it.

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


def mend_of(name: str) -> dict[str, Any] | None:
    """Return the kept mends of a bound: factor, addend, hypothesis; None if none are kept."""
    folder = folder_of(name.partition("/")[0])
    file = None if folder is None else folder.parent / MENDS
    if file is None or not file.is_file():
        return None
    found: dict[str, Any] | None = json.loads(file.read_bytes()).get(name)
    return found


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
