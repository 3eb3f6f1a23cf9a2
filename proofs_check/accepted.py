"""accepted.json: which kept certificates and proofs the proved program accepts.

    python -m proofs_check.accepted --to FOLDER
    checked FOLDER/*/{certificates,proofs}/*.json | python -m proofs_check.accepted > new.json

writes what is kept as single files, and makes the table of what the program of
``proofs_check/coq/extracted`` prints; ``.ci/coq`` compares. An entry is the hash of what is in a
file, as one line of JSON: a file that says anything else is none that the table knows.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from exactdp.audit import kept_evidence
from exactdp.claims.certificate import one_line

__all__ = ["TABLE", "accepted_by", "table_of", "write_single_files"]

TABLE = Path(__file__).parent / "accepted.json"

_PROGRAM = "proved program"


def accepted_by(content: bytes) -> tuple[str, ...]:
    """Return the checkers beside the kernel that accept a file, as the table has it.

    Args:
        content: A certificate or proof that the kernel accepts, in one line or in several.

    Example:
        >>> accepted_by(b"{}")
        ()
    """
    hashes = json.loads(TABLE.read_text(encoding="utf-8"))
    return (_PROGRAM,) if _hash(content) in hashes else ()


def _hash(content: bytes) -> str:
    return hashlib.sha256(one_line(content)).hexdigest()


def table_of(lines: Iterable[str]) -> list[str]:
    """Return the hashes of accepted certificates, in order, from the program's lines."""
    said = (line.partition(".json: ") for line in lines)
    accepted = (name for name, _, answer in said if answer.startswith("accepted: "))
    return sorted({_hash(Path(f"{name}.json").read_bytes()) for name in accepted})


def write_single_files(folder: Path) -> None:
    """Write the kept certificates and proofs of all papers into a folder, one a file."""
    from exactdp.coq.theorems import shipped_folder

    for paper in sorted(path.parent for path in shipped_folder().glob("*/inventory.json")):
        for name, kept in kept_evidence(paper).items():
            path = folder / paper.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(kept.content)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--to"]:
        write_single_files(Path(sys.argv[2]))
        sys.exit()
    print(json.dumps(table_of(sys.stdin), indent=1))
