"""The command ``export``: certificates, claims, meanings of quantities, for Coq."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.files import certificates_in
from exactdp.cli.meanings import Quantities, Written
from exactdp.cli.statements import statements
from exactdp.cli.tables import one_line
from exactdp.errors import DomainError, ExactDPError, ParseError, what_happened

if TYPE_CHECKING:
    from exactdp.claims import Statement
    from proofs_check.kernel import Unreadable

__all__ = ["export"]


class Target(StrEnum):
    """Files that can be written for Coq: certificates, claims, or quantities."""

    COQ = "coq"
    COQ_CLAIMS = "coq-claims"
    COQ_MEANINGS = "coq-meanings"
    COQ_STATEMENTS = "coq-statements"

    @property
    def written(self) -> tuple[str, str]:
        """The content of a file, and the beginning of its name."""
        first = {"coq": "c_", "coq-claims": "n_", "coq-meanings": "m_", "coq-statements": "s_"}
        return ("certificates" if self is Target.COQ else "claims"), first[self.value]


def export(
    target: Annotated[
        Target,
        typer.Argument(
            metavar="TARGET",
            help="coq: certificates; coq-claims: proved claims; coq-meanings: quantities of "
            "theorems; coq-statements: claims not proved.",
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...|[PAPER|CLAIM]...", help="All papers if no claim."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
) -> None:
    """Write certificates, claims or quantities for Coq.

    Example: exactdp export coq report/certificates/*.json --out coq

    Claims are those that the kernel proves, or those that nothing does. 0: all are written; 1: some
    are refused, each with its reason.
    """
    from exactdp.coq.certificates import LIBRARIES
    from exactdp.coq.theorems import shipped_folder

    if target is Target.COQ and not names:
        raise typer.BadParameter("no certificate is named. Name files, or use coq-claims.")
    found, libraries, quantities = _certificates(names or []), [*LIBRARIES], Quantities()
    if target is Target.COQ_CLAIMS:
        found, libraries = _claims(names or []), [*LIBRARIES, "Numbers.v"]
    elif target is Target.COQ_MEANINGS:
        found, libraries = quantities.files(names or []), quantities.libraries()
    elif target is Target.COQ_STATEMENTS:
        libraries = quantities.libraries()
        found = statements(names or [], libraries)
    what, first = target.written
    written: dict[str, str] = {}
    count = 0
    for label, name, made in found:
        count += 1
        file = first + re.sub(r"\W", "_", name, flags=re.ASCII)
        try:
            text = made()
            if file in written:
                raise ParseError(f"{file}.v is written for {written[file]}. Export it alone.")
        except (Exception, SystemExit) as error:  # whatever the code of a paper raises
            told = str(error) if isinstance(error, ExactDPError) else what_happened(error)
            print(f"{label}: refused: {one_line(told)}")
            continue
        written[file] = label
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{file}.v").write_text(text)
    if written:
        for library in libraries:
            (out / library).write_bytes((shipped_folder() / "coq" / library).read_bytes())
    quantities.report()
    print(f"{len(written)} of {count} {what} written to {out}, {count - len(written)} refused")
    if written:
        order = " ".join(libraries)
        print(f"check them: cd {out} && for f in {order} {first}*.v; do coqc $f; done")
    raise typer.Exit(1 if len(written) < count else 0)


def _certificates(files: Sequence[str]) -> Written:
    for file in files:
        for place, data in certificates_in(file):
            label, path = place if place.isprintable() else ascii(place), Path(place)
            paper = f"{path.parent.name}." if ".jsonl:" in path.name else ""
            yield label, paper + path.name.removesuffix(".json"), partial(_certificate, data)


def _certificate(data: bytes | Unreadable) -> str:
    from exactdp.coq.certificates import coq_file

    if not isinstance(data, bytes):
        raise ParseError(data.reason)
    return coq_file(data)


def _claims(names: Sequence[str]) -> Written:
    """Yield the readings that the kernel proves: in numbers, or by listing all instances."""
    from exactdp.audit import certificate_name, read_inventory
    from exactdp.claims import Statement, select

    for paper, claims in select(names).chosen:
        kept = read_inventory(paper) or {}
        for claim in claims:
            facts = kept.get(claim.id, {}).get("readings", {})
            for key, stated in claim.readings.items():
                verdict = facts.get(key, {})
                if (verdict.get("verdict"), verdict.get("rests")) == ("proved", "kernel"):
                    assert isinstance(stated, Statement)
                    name = certificate_name(claim.id, key).removesuffix(".json")
                    yield name, name, partial(_claim, name, stated)


def _claim(name: str, stated: Statement) -> str:
    from exactdp.audit.labels import proof_of
    from exactdp.coq.certificates import coq_file
    from exactdp.coq.claims_in_numbers import coq_file_of_claim, is_in_numbers

    if is_in_numbers(stated):
        return coq_file_of_claim(name, stated)
    listed = proof_of(stated)
    if listed is None:
        raise DomainError(f"{name} has no list of instances now. Audit it first.")
    return coq_file(listed.to_bytes(claim=name))
