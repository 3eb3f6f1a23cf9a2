"""The command ``one-run``: what an auditor's right guesses about one training run refute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactdp.errors import ParseError

__all__ = ["one_run"]

_DIGITS = 12
"""Digits of the ε that is refuted, rounded down: fewer claim less."""


def one_run(
    canaries: Annotated[int, typer.Argument(help="Records in the data or not, by fair coins.")],
    guesses: Annotated[int, typer.Argument(help="Coins that were guessed.")],
    right: Annotated[int, typer.Argument(help="Guesses that were right.")],
    *,
    delta: Annotated[str, typer.Option(help="Of the promise that is tried.")] = "0",
    level: Annotated[
        str, typer.Option(help="The probability of refuting what holds: 1 - confidence.")
    ] = "0.05",
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write one for the kernel.")
    ] = None,
) -> None:
    """Show the largest epsilon that one audited run refutes (Steinke, Nasr, Jagielski 2023).

    Example: exactdp one-run 1000 100 75 --delta 1e-4

    Exit code 1: no epsilon is refuted.
    """
    from exactdp.numbers import Epsilon, Exact, Rounding, decimal, enclosure
    from exactdp.testing.one_run import OneRun

    audit = OneRun(canaries, guesses, right, delta)
    found = audit.refuted(level=level)
    if not found.lower:
        blind = enclosure(audit.p_value(Epsilon.rational(0)), relative_bits=64)
        print(f"nothing is refuted at level {level}: at epsilon 0 the p-value is in {blind:.3g}")
        raise typer.Exit(1)
    least = decimal(Exact(found.lower), digits=_DIGITS, rounding=Rounding.DOWN)
    print(f"({least}, {delta})-DP is refuted at level {level}; the crossing is in {found}")
    if certificate is not None:
        made = audit.certificate(level=level, epsilon=found.lower)
        if certificate.exists():
            raise ParseError(f"--certificate={str(certificate)!r} exists. Name another file.")
        certificate.write_bytes(made.to_bytes())
        print(f"certificate: {certificate} (exactdp verify {certificate})")
