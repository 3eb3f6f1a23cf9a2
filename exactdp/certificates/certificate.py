"""A certificate: evidence for one statement, in the kernel's format."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactdp.certificates.terms import Term, term
from exactdp.numbers import ExactLike

__all__ = ["FORMAT", "Certificate", "Relation", "relation", "write_atomically"]

FORMAT = "exactdp-certificate/1"

Relation = tuple[str, Any, Any]


def relation(sign: str, left: ExactLike | Term, right: ExactLike | Term) -> Relation:
    """Return a relation of the format: sign is one of < <= = != >= >."""
    return (sign, term(left).json, term(right).json)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Relations that the kernel recomputes and checks.

    Attributes:
        define: Named terms, in order; later ones may refer to earlier ones.
        hypotheses: What the statement assumes of the instance.
        conclusion: What then holds (for a refutation: the failure).
        precision_bits: The kernel's working precision for numbers such as e^2.
    """

    conclusion: Sequence[Relation]
    define: Sequence[tuple[str, Term]] = ()
    hypotheses: Sequence[Relation] = ()
    precision_bits: int = 128

    def to_bytes(self, *, claim: str, reading: str = "") -> bytes:
        """Return the certificate as deterministic JSON."""
        document: dict[str, Any] = {"format": FORMAT, "claim": claim}
        if reading:
            document["reading"] = reading
        document["precision_bits"] = self.precision_bits
        if self.define:
            document["define"] = [[name, value.json] for name, value in self.define]
        if self.hypotheses:
            document["hypotheses"] = [list(r) for r in self.hypotheses]
        document["conclusion"] = [list(r) for r in self.conclusion]
        return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: to a temporary file beside it, then rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp makes the file private; give it the rights that open() would.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
