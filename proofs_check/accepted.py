"""accepted.json: which kept certificates and proofs the proved program accepts.

    checked proofs_check/*/{certificates,proofs}/*.json | python -m proofs_check.accepted > new.json

makes it of what the program of ``proofs_check/coq/extracted`` prints; ``.ci/coq`` compares. An
entry is about the bytes whose hash it has: a file that has changed is none that the table knows.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["TABLE", "accepted_by", "table_of"]

TABLE = Path(__file__).parent / "accepted.json"

_PROGRAM = "proved program"


def accepted_by(content: bytes) -> tuple[str, ...]:
    """Return the checkers beside the kernel that accept a file, as the table has it.

    Example:
        >>> accepted_by(b"a file that the table does not know")
        ()
    """
    files = json.loads(TABLE.read_text(encoding="utf-8"))
    return (_PROGRAM,) if hashlib.sha256(content).hexdigest() in files.values() else ()


def table_of(lines: Iterable[str]) -> dict[str, str]:
    """Return file -> hash of what the program accepts, from the lines that it prints."""
    found = {}
    for line in sorted(lines):
        name, _, answer = line.partition(".json: ")
        if answer.startswith("accepted: "):
            path = Path(f"{name}.json")
            found["/".join(path.parts[-3:])] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


if __name__ == "__main__":
    print(json.dumps(table_of(sys.stdin), indent=1))
