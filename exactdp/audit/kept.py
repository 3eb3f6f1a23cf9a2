"""The evidence that a paper keeps beside its inventory: certificates and proofs, one a line.

``evidence.jsonl`` has them in the order of the files that ``exactdp audit --out`` writes,
``certificates/NAME.json`` and ``proofs/NAME.json``, each as one line. Papers kept these files
themselves before; they are read, and replaced when the inventory is written.

Definitions: :class:`Kept`, :func:`kept_evidence`, :func:`evidence_lines`, :func:`single_files`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from exactdp.audit.claim_verdict import certificate_name
from exactdp.audit.records import FOLDERS
from exactdp.claims.certificate import PROOF_FORMAT, one_line
from exactdp.errors import ParseError

__all__ = ["EVIDENCE", "Kept", "evidence_lines", "kept_evidence", "single_files"]

EVIDENCE = "evidence.jsonl"


class Kept(NamedTuple):
    """A kept certificate or proof.

    Attributes:
        place: The file, with the line's number: ``evidence.jsonl:3``.
        content: What the kernel reads: the line.
    """

    place: str
    content: bytes

    @property
    def document(self) -> dict[str, Any]:
        """Its content as JSON."""
        found: dict[str, Any] = json.loads(self.content)
        return found


def kept_evidence(folder: Path) -> dict[str, Kept]:
    """Return the kept evidence of a paper's folder, by the path of its file in a report.

    Raises:
        ParseError: If a line is no certificate; it names the place.
    """
    found = {
        f"{path.parent.name}/{path.name}": Kept(str(path), one_line(path.read_bytes()))
        for path in single_files(folder)
    }
    path = folder / EVIDENCE
    if not path.is_file():
        return found
    with path.open("rb") as file:
        lines = list(file)
    for number, line in enumerate(lines, start=1):
        kept = Kept(f"{path}:{number}", line)
        try:
            document = kept.document
            name = certificate_name(document["claim"], document.get("reading", ""))
            kind = "proved" if document["format"] == PROOF_FORMAT else "refuted"
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ParseError(
                f"{kept.place}: no certificate ({error}). Make it anew with --update-inventory."
            ) from error
        found[f"{FOLDERS[kind]}/{name}"] = kept
    return found


def evidence_lines(files: Mapping[str, bytes]) -> bytes:
    """Return the content of :data:`EVIDENCE`, from files by their paths in a report."""
    return b"".join(one_line(files[name]) for name in sorted(files))


def single_files(folder: Path) -> set[Path]:
    """Return the files of earlier versions, with one certificate each."""
    return {path for kind in FOLDERS.values() for path in (folder / kind).glob("*.json")}
