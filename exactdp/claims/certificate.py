"""A certificate: evidence for one statement, in the kernel's format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.claims.terms import Term, definitions

__all__ = ["FORMAT", "Certificate"]

FORMAT = "exactdp-certificate/1"


@dataclass(frozen=True, slots=True)
class Certificate:
    """Relations (sign, left, right) that the kernel recomputes and checks.

    Attributes:
        conclusion: What holds at the instance (for a refutation: the failure).
        hypotheses: What the statement assumes of the instance.
        precision_bits: The kernel's working precision for numbers such as e^2.
    """

    conclusion: Sequence[tuple[str, Term, Term]]
    hypotheses: Sequence[tuple[str, Term, Term]] = ()
    precision_bits: int = 128

    def to_bytes(self, *, claim: str, reading: str = "") -> bytes:
        """Return the certificate as deterministic JSON; named terms are defined once."""
        document: dict[str, Any] = {"format": FORMAT, "claim": claim}
        if reading:
            document["reading"] = reading
        document["precision_bits"] = self.precision_bits
        relations = (*self.hypotheses, *self.conclusion)
        define = definitions([t for _, left, right in relations for t in (left, right)])
        if define:
            document["define"] = [[name, value] for name, value in define]
        if self.hypotheses:
            document["hypotheses"] = [_relation(r) for r in self.hypotheses]
        document["conclusion"] = [_relation(r) for r in self.conclusion]
        return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def _relation(relation: tuple[str, Term, Term]) -> list[Any]:
    sign, left, right = relation
    return [sign, left.json, right.json]
