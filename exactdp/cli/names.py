"""The names of papers and claims without the papers: for a shell's completion, and near misses.

A key at a shell waits for this: it reads kept inventories and imports no mathematics.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["complete", "complete_bound", "kept_ids", "kept_verdicts", "nearest"]


def kept_ids(papers: str = "") -> list[str]:
    """Return the ids in the kept inventories of installed papers, in the papers' order.

    Args:
        papers: What the papers' keys begin with.
    """
    return list(_kept(papers))


def kept_verdicts() -> dict[str, str]:
    """Return the kept verdicts on the claims of installed papers, by their ids."""
    return {name: str(entry["verdict"]) for name, entry in _kept().items()}


def _kept(papers: str = "") -> dict[str, Any]:
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for entry in sorted(entry_points(group="exactdp.papers"), key=lambda entry: entry.name):
        if entry.name.startswith(papers):
            try:
                spec = find_spec(entry.module)
                folder = Path((spec and spec.origin) or "").parent
                found |= json.loads((folder / "inventory.json").read_bytes())["claims"]
            except Exception:  # whatever a package of others raises
                continue
    return found


def complete(incomplete: str) -> list[str]:
    """Return the papers that begin so, or the claims once the paper's key has its slash."""
    from importlib.metadata import entry_points

    key, slash, _ = incomplete.partition("/")
    if slash:
        return [name for name in kept_ids(key) if name.startswith(incomplete)]
    keys = {entry.name for entry in entry_points(group="exactdp.papers")}
    return sorted(f"{name}/" for name in keys if name.startswith(key))


def complete_bound(incomplete: str) -> list[str]:
    """Return the published bounds that begin so, of which inventories keep how they fare."""
    kept = _kept(incomplete.partition("/")[0]).values()
    names = {one["bound"] for entry in kept for one in entry.get("in_doubles", ())}
    return sorted(name for name in names if name.startswith(incomplete))


def nearest(name: str) -> list[str]:
    """Return at most three ids that look like a name.

    Example:
        >>> nearest("feldman2021/theorem-3.2")[0]
        'feldman2021/theorem-3.1'
    """
    from difflib import get_close_matches

    return get_close_matches(name, kept_ids(), n=3)
