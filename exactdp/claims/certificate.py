"""Certificates: evidence for one statement, or the steps of a proof, in the kernel's formats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.claims.terms import Term, definitions

__all__ = ["FORMAT", "PROOF_FORMAT", "Certificate", "ProofCertificate", "Rule"]

FORMAT = "exactdp-certificate/1"
PROOF_FORMAT = "exactdp-proof/1"


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
        parts = {"hypotheses": self.hypotheses, "conclusion": self.conclusion}
        return _document(FORMAT, claim, reading, self.precision_bits, {}, parts)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the kernel with what it takes: terms, in lists and beside JSON.

    Attributes:
        name: The rule.
        parts: Its parts, by name; terms in them are written in the certificate format.
        precision_bits: The kernel's working precision for it.
    """

    name: str
    parts: Mapping[str, Any]
    precision_bits: int = 128


@dataclass(frozen=True, slots=True)
class ProofCertificate:
    """The steps of a proof, each with the rule by which the kernel checks it.

    Attributes:
        domain: What it is a proof on, in words.
        steps: For each step its text and its rule.
    """

    domain: str
    steps: Sequence[tuple[str, Rule]]

    def to_bytes(self, *, claim: str, reading: str = "") -> bytes:
        """Return the certificate as deterministic JSON; named terms are defined once."""
        steps = [{"text": text, "rule": rule.name, **rule.parts} for text, rule in self.steps]
        bits = max(rule.precision_bits for _, rule in self.steps)
        return _document(
            PROOF_FORMAT, claim, reading, bits, {"domain": self.domain}, {"conclusion": steps}
        )


def _document(
    kind: str,
    claim: str,
    reading: str,
    precision_bits: int,
    labels: Mapping[str, str],
    parts: Mapping[str, Any],
) -> bytes:
    document: dict[str, Any] = {"format": kind, "claim": claim}
    if reading:
        document["reading"] = reading
    document |= {**labels, "precision_bits": precision_bits}
    define = definitions([*_terms(parts)])
    if define:
        document["define"] = [[name, value] for name, value in define]
    document |= {name: _json(part) for name, part in parts.items() if part}
    return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def _terms(part: Any) -> Iterator[Term]:
    if isinstance(part, Term):
        yield part
    elif isinstance(part, Mapping | list | tuple):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from _terms(inner)


def _json(part: Any) -> Any:
    if isinstance(part, Term):
        return part.json
    if isinstance(part, Mapping):
        return {name: _json(inner) for name, inner in part.items()}
    return [_json(inner) for inner in part] if isinstance(part, list | tuple) else part
