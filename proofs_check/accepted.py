"""accepted.json: which checkers accept each certificate and proof that is kept.

    python -m proofs_check.accepted > new.json && mv new.json proofs_check/accepted.json

asks the kernel, and the program that is extracted from Coq; ``.ci/coq`` compares. An entry is about
the bytes whose hash it has, so a file that has changed is none that the table knows.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from proofs_check.kernel import Accepted, check

__all__ = ["KERNEL", "PROGRAM", "TABLE", "accepted_by"]

TABLE = Path(__file__).parent / "accepted.json"
KERNEL, PROGRAM = "kernel", "proved program"

_SECONDS = 60


def accepted_by(content: bytes) -> tuple[str, ...]:
    """Return the checkers that the table says accept a file; none if it does not know it.

    Example:
        >>> accepted_by(b"another file")
        ()
    """
    files = json.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(files.get(hashlib.sha256(content).hexdigest(), {}).get("accepted", ()))


def _table() -> dict[str, dict[str, object]]:
    """Return hash -> the file and its checkers, in the order of the files."""
    from exactdp.cli.proved import ProvedChecker

    program = ProvedChecker.built()
    table: dict[str, dict[str, object]] = {}
    folder = Path(__file__).parent
    for path in sorted([*folder.glob("*/certificates/*.json"), *folder.glob("*/proofs/*.json")]):
        content = path.read_bytes()
        answers = {
            KERNEL: isinstance(check(content, seconds=_SECONDS), Accepted),
            PROGRAM: program.answer(content, seconds=_SECONDS).word == "accepted",
        }
        table[hashlib.sha256(content).hexdigest()] = {
            "file": path.relative_to(folder).as_posix(),
            "accepted": [name for name, accepted in answers.items() if accepted],
        }
    return table


if __name__ == "__main__":
    print(json.dumps(_table(), indent=1))
