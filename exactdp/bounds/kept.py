"""What is kept of a claim, read without its trial: its verdict, and where it was withdrawn.

Definitions: :class:`Kept`, :func:`kept`.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from exactdp.claims.catalog import GROUP
from exactdp.claims.catalog_file import CATALOG, REPAIRS

__all__ = [
    "DOUBLES",
    "DOUBLES_FORMAT",
    "Kept",
    "doubles_file",
    "doubles_of",
    "doubles_of_claim",
    "folder_of",
    "kept",
    "mend_of",
    "word_of",
]

DOUBLES = "doubles.json"
"""The file beside a paper's catalog that keeps what its bounds do in doubles."""

MENDS = "mends.json"
"""The file beside the papers' folders that keeps the smallest mends of bounds that fall."""

DOUBLES_FORMAT = "exactdp-doubles/1"
"""The name of the file's format, with the version of its keys."""


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


def folder_of(paper: str) -> Path | None:
    """Return the folder of an installed paper, without importing it."""
    for entry in entry_points(group=GROUP, name=paper):
        spec = find_spec(entry.module)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent
    return None


@lru_cache(maxsize=32)
def doubles_file(paper: str) -> dict[str, Any]:
    """Return what a paper keeps of its bounds in doubles, by name; empty if it keeps none."""
    folder = folder_of(paper)
    file = None if folder is None else folder / DOUBLES
    if file is None or not file.is_file():
        return {}
    found: dict[str, Any] = json.loads(file.read_bytes())["bounds"]
    return found


def mend_of(name: str) -> dict[str, Any] | None:
    """Return the kept mends of a bound: factor, addend, hypothesis; None if none are kept."""
    folder = folder_of(name.partition("/")[0])
    file = None if folder is None else folder.parent / MENDS
    if file is None or not file.is_file():
        return None
    found: dict[str, Any] | None = json.loads(file.read_bytes()).get(name)
    return found


def word_of(name: str) -> str | None:
    """Return the kept word on a bound in doubles; None if it has none."""
    entry = doubles_file(name.partition("/")[0]).get(name)
    return None if entry is None else str(entry["in_doubles"])


def doubles_of_claim(claim: str) -> list[str]:
    """Return the kept words on the bounds of a claim in doubles; several are named."""
    names = [x for x in doubles_file(claim.partition("/")[0]) if x.partition("#")[0] == claim]
    return [
        f"{name}: {doubles_of(name)}" if "#" in name else f"{doubles_of(name)}" for name in names
    ]


def doubles_of(name: str) -> str | None:
    """Return the kept word on a bound in doubles, with where it was seen; None if it has none."""
    entry = doubles_file(name.partition("/")[0]).get(name)
    if entry is None:
        return None
    word: str = entry["in_doubles"]
    fall = entry["falls"].get(word.partition(" of ")[0])
    if fall is None:
        return word
    under = ", and below the truth" if fall["below_truth"] else ""
    got = "an error" if fall["double"] is None else fall["double"]
    return f"{word} at {fall['at']}: {got} where the formula is {fall['formula']}{under}"


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
