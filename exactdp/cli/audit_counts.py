"""The command ``audit-counts``: the epsilon that an attack's errors in many runs refute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactdp.cli.numeric import whole
from exactdp.errors import ParseError

__all__ = ["audit_counts"]


def audit_counts(
    *,
    false_positives: Annotated[
        int, typer.Option(help="How often it said 'with' of runs without the record.", **whole())
    ],
    negatives: Annotated[int, typer.Option(help="The runs without the record.", **whole())],
    false_negatives: Annotated[
        int, typer.Option(help="How often it said 'without' of runs with the record.", **whole())
    ],
    positives: Annotated[int, typer.Option(help="The runs with the record.", **whole())],
    delta: Annotated[str, typer.Option(help="Of the promise that is tried.")] = "0",
    level: Annotated[
        str, typer.Option(help="The probability of refuting what holds: 1 - confidence.")
    ] = "0.05",
    split: Annotated[str, typer.Option(help="The false positives' part of the level.")] = "1/2",
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write one for the kernel.")
    ] = None,
) -> None:
    """Show the largest epsilon that an attack's errors refute.

    Example: exactdp audit-counts --false-positives 25 --negatives 1000 --false-negatives 300 \
--positives 1000 --delta 1e-5

    It shows mu of Gaussian DP, too. Exit code 1: no epsilon is refuted.
    """
    from exactdp.auditing import from_counts

    audit = from_counts(
        false_positives=false_positives,
        negatives=negatives,
        false_negatives=false_negatives,
        positives=positives,
        level=level,
        delta=delta,
        split=split,
    )
    print(audit)
    if not audit.is_refuted:
        raise typer.Exit(1)
    if certificate is not None:
        made = audit.certificate()
        if certificate.exists():
            raise ParseError(f"--certificate={str(certificate)!r} exists. Name another file.")
        certificate.write_bytes(made.to_bytes())
        print(f"certificate: {certificate} (exactdp verify {certificate})")
