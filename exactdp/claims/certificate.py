"""Certificates: evidence for one statement, or the steps of a proof, in the kernel's formats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.claims.terms import Term, definitions, named

__all__ = ["FORMAT", "PROOF_FORMAT", "Certificate", "ProofCertificate", "Rule", "one_line"]

FORMAT = "exactdp-certificate/1"
"""The name of the format of a certificate, with the version of FORMAT.md."""

PROOF_FORMAT = "exactdp-proof/1"
"""The name of the format of a proof in steps, with the version of FORMAT.md."""

_MOST = 300  # characters of a label


@dataclass(frozen=True, slots=True)
class Certificate:
    """Relations (sign, left, right) that the kernel recomputes and checks.

    Attributes:
        conclusion: The relations that hold at the instance (for a refutation: the failure).
        hypotheses: The relations that the statement assumes of the instance.
        precision_bits: The kernel's working precision for numbers such as e^2.
    """

    conclusion: Sequence[tuple[str, Term, Term]]
    hypotheses: Sequence[tuple[str, Term, Term]] = ()
    precision_bits: int = 128

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        """Return deterministic JSON, named terms defined once; without a claim it has no label."""
        relations = (*self.hypotheses, *self.conclusion)
        define = definitions([t for _, left, right in relations for t in (left, right)])
        hypotheses, conclusion = (
            [[sign, left.json, right.json] for sign, left, right in part]
            for part in (self.hypotheses, self.conclusion)
        )
        labels = {"claim": claim, "reading": reading}
        more = {"define": define, "hypotheses": hypotheses}
        document = _document(FORMAT, labels, self.precision_bits, more, conclusion)
        return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the kernel with its arguments: terms, in lists and beside JSON.

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
        domain: The set on which it is a proof, in words.
        steps: The text and the rule of each step, in order.
    """

    domain: str
    steps: Sequence[tuple[str, Rule]]

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        """Return deterministic JSON, named terms defined once; without a claim it has no label."""
        steps = [{"text": text, "rule": rule.name, **rule.parts} for text, rule in self.steps]
        labels = {"claim": claim, "reading": reading, "domain": self.domain}
        bits = max(rule.precision_bits for _, rule in self.steps)
        define = {"define": definitions([*_terms(steps)])}
        document = _document(PROOF_FORMAT, labels, bits, define, _json(steps))
        return ("{" + ",\n ".join(map(_line, document.items())) + "}\n").encode()

    @classmethod
    def of_instances(
        cls, domain: str, instances: Sequence[tuple[str, Certificate | ProofCertificate]]
    ) -> ProofCertificate:
        """Return the proof by listing: one step for each instance, or the instance's own steps."""
        steps, met = [], dict[str, str]()
        for number, (at, one) in enumerate(instances):
            rules = [_as_rule(one)] if isinstance(one, Certificate) else [x for _, x in one.steps]
            # Each instance has its own laws, and the same names for them; those whose names all
            # mean the same share them, so that each is computed once.
            meant = json.dumps(definitions([*_terms([rule.parts for rule in rules])]))
            suffix = met.setdefault(meant, f"_{number}" if number else "")
            for rule in rules:
                parts = _suffixed(rule.parts, suffix)
                steps.append((at[:_MOST], Rule(rule.name, parts, rule.precision_bits)))
        return cls(domain, steps)


def _as_rule(one: Certificate) -> Rule:
    relations = list(map(list, (*one.hypotheses, *one.conclusion)))
    return Rule("every", {"variables": [], "relations": relations}, one.precision_bits)


def one_line(content: bytes) -> bytes:
    """Return a certificate as it is kept: the same JSON, as one line.

    Example:
        >>> print(one_line(b'{"claim": "", "conclusion": []}').decode(), end="")
        {"claim":"","conclusion":[]}
    """
    return (json.dumps(json.loads(content), separators=(",", ":")) + "\n").encode()


def _document(
    kind: str, labels: Mapping[str, str], bits: int, more: Mapping[str, Any], conclusion: Any
) -> dict[str, Any]:
    kept = {key: part for key, part in {**labels, "precision_bits": bits, **more}.items() if part}
    return {"format": kind, "claim": labels["claim"], **kept, "conclusion": conclusion}


def _line(entry: tuple[str, Any]) -> str:
    """Return an entry of a proof as JSON: a step, or a definition, is one line."""
    key, part = entry
    parts = map(json.dumps, part if isinstance(part, list) else ())
    value = "[\n  " + ",\n  ".join(parts) + "]" if isinstance(part, list) else json.dumps(part)
    return f"{json.dumps(key)}: {value}"


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


def _suffixed(part: Any, suffix: str) -> Any:
    """Return a term with its names made longer, so that it stands beside others of these names."""
    if not isinstance(part, Term):
        if isinstance(part, tuple | list):
            return type(part)(_suffixed(inner, suffix) for inner in part)
        if isinstance(part, Mapping):
            return {name: _suffixed(inner, suffix) for name, inner in part.items()}
        return part
    if part.head in ("number", "variable"):
        return part
    if part.head != "named":
        return Term(part.head, *(_suffixed(inner, suffix) for inner in part.parts))
    name, definition = part.parts
    return named(name + suffix, _suffixed(definition, suffix))
