"""A claim with the verdicts on its readings, and the files that show them.

Definitions: :class:`ClaimVerdict`, :func:`certificate_name`, :func:`written_certificate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from exactdp.audit.trial import found_text
from exactdp.claims import (
    Absent,
    Argued,
    Checker,
    Claim,
    Errored,
    Open,
    Proved,
    Refuted,
    Statement,
    Verdict,
)
from exactdp.divergences.display import InNotebook, Table

__all__ = ["ClaimVerdict", "certificate_name", "written_certificate"]


@dataclass(frozen=True, slots=True)
class ClaimVerdict(InNotebook):
    """A claim with the verdict on each of its readings.

    Attributes:
        claim: The claim.
        readings: The verdict on each reading.
        seconds: How long that took by the clock; None if nobody looked.
    """

    claim: Claim
    readings: Mapping[str, Verdict]
    seconds: float | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """The verdict of the claim: its readings' if they agree, else ``depends``.

        An error in any reading is the claim's.
        """
        labels = {verdict.label for verdict in self.readings.values()}
        if Errored.label in labels:
            return Errored.label
        return labels.pop() if len(labels) == 1 else "depends"

    @property
    def rests(self) -> dict[str, Checker]:
        """The evidence that each proved or argued reading rests on."""
        return {
            key: _rests(self.claim.readings[key], v)
            for key, v in self.readings.items()
            if isinstance(v, Proved | Argued)
        }

    @property
    def tried(self) -> str:
        """The number of tried deployments of a library, and the time; "" for other claims."""
        count = sum(verdict.instances for verdict in self.readings.values())
        if self.claim.about is None or self.seconds is None or self.label == Absent.label:
            return ""
        return f"tried: {count} deployments in {self.seconds:.0f} s"

    def table(self) -> Table:
        """Return the verdict on each reading, and the numbers found."""
        rows = [[key, verdict.label, found_text(verdict)] for key, verdict in self.readings.items()]
        return f"{self.claim.id}: {self.claim.says}", ["reading", "verdict", "what was found"], rows

    def certificates(self) -> dict[str, bytes]:
        """Return file name -> content of the certificate of each refuted reading that has one."""
        return self._written(Refuted)

    def proofs(self) -> dict[str, bytes]:
        """Return file name -> content of the steps of each reading whose proof the kernel has."""
        return self._written(Proved) | self._written(Argued)

    def files(self) -> dict[str, bytes]:
        """Return path -> content of its certificates and proofs."""
        folders = {"certificates": self.certificates(), "proofs": self.proofs()}
        return {f"{x}/{name}": one for x, found in folders.items() for name, one in found.items()}

    def _written(self, kind: type[Refuted] | type[Proved] | type[Argued]) -> dict[str, bytes]:
        return {
            certificate_name(self.claim.id, key): content
            for key, verdict in self.readings.items()
            if isinstance(verdict, kind)
            and (content := written_certificate(self.claim.id, key, verdict)) is not None
        }


def _rests(reading: Statement | Open, verdict: Proved | Argued) -> Checker:
    proof = reading.proof if isinstance(reading, Statement) else None
    if proof is not None and verdict.steps:
        return proof.rests
    return "kernel" if verdict.certificate is not None else "engine"


def written_certificate(claim_id: str, reading: str, verdict: Verdict) -> bytes | None:
    """Return the certificate of a refuted reading, or the steps of a proof; None without."""
    if not isinstance(verdict, Refuted | Proved | Argued) or verdict.certificate is None:
        return None
    return verdict.certificate.to_bytes(claim=claim_id, reading=reading)


def certificate_name(claim_id: str, reading: str) -> str:
    """Return the file name of a certificate: the id and the reading, with slashes as dots."""
    name = f"{claim_id}.{reading}.json" if reading else f"{claim_id}.json"
    return name.replace("/", ".").replace("=", "-").replace(">", "gt")
