"""A card as a file, and in words."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Card"]


@dataclass(frozen=True)
class Card:
    """A deployment, the claim about it, and the grid that a checker needs.

    Attributes:
        content: The keys of the file.
        statement: What the kernel shows of it.
    """

    content: dict[str, Any]
    statement: str

    def to_json(self) -> str:
        """Return the file."""
        return json.dumps(self.content, indent=1, ensure_ascii=True) + "\n"

    @property
    def sha256(self) -> str:
        """The hash of the file, by which a text says which card it means."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def write(self, path: str | Path) -> None:
        """Write the file: to another name first, so that no half of it is ever there."""
        whole = Path(path)
        beside = whole.with_name(whole.name + ".part")
        beside.write_text(self.to_json(), encoding="utf-8")
        beside.replace(whole)

    def markdown(self, path: str = "card.json") -> str:
        """Return a badge and a paragraph for a model card, bound to this file by its hash."""
        content = self.content
        private = "" if content["says"] == "private" else "not "
        epsilon, delta = content["epsilon"], content["delta"]
        label = f"{private}({epsilon}, {delta})-DP".replace("-", "--").replace(" ", "_")
        badge = (
            f"![{private}({epsilon}, {delta})-DP](https://img.shields.io/badge/{label}-proved-blue)"
        )
        return (
            f"{badge}\n\n"
            f"{self.statement}.\n\n"
            f"Check it on a bare Python: `python -I -S proofs_check/kernel/check.py {path}` "
            f"(sha256 `{self.sha256}`).\n"
        )

    def __str__(self) -> str:
        return self.statement
