"""The command ``one-run``: the epsilon that right guesses about one training run refute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactdp.cli.numeric import whole
from exactdp.errors import ParseError

__all__ = ["one_run"]

_DIGITS = 12
"""Digits of the ε that is refuted, rounded down: fewer claim less."""


def one_run(
    canaries: Annotated[
        int,
        typer.Argument(
            help="Records in the data or not, by fair coins.", **whole(metavar="CANARIES")
        ),
    ],
    guesses: Annotated[
        int,
        typer.Argument(help="Coins that were guessed.", **whole(metavar="GUESSES")),
    ],
    right: Annotated[
        int,
        typer.Argument(help="Guesses that were right.", **whole(metavar="RIGHT")),
    ],
    *,
    delta: Annotated[str, typer.Option(help="Of the promise that is tried.")] = "0",
    level: Annotated[
        str, typer.Option(help="The probability of refuting what holds: 1 - confidence.")
    ] = "0.05",
    by_trade_off: Annotated[
        bool, typer.Option("--by-trade-off", help="By f-DP; it shows mu of Gaussian DP, too.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write one for the kernel.")
    ] = None,
) -> None:
    """Show the largest epsilon that one audited run refutes.

    By the theorem of Steinke, Nasr, Jagielski 2023; with --by-trade-off, by that of Mahloujifar,
    Melis, Chaudhuri 2025: all r guesses are made, whatever the output.

    Example: exactdp one-run 1000 100 75 --delta 1e-4

    Exit code 1: no epsilon is refuted.
    """
    from exactdp.auditing import TradeOffRun
    from exactdp.numbers import Epsilon, Exact, Rounding, decimal, enclosure
    from exactdp.testing.one_run import OneRun

    audit: OneRun | TradeOffRun
    if by_trade_off:
        audit = TradeOffRun(canaries, guesses, right)
        found, blind = audit.refuted(level=level, delta=delta), audit.p_value(0, delta)
    else:
        audit = OneRun(canaries, guesses, right, delta)
        found = audit.refuted(level=level)
        blind = enclosure(audit.p_value(Epsilon.rational(0)), relative_bits=64)
    if not found.lower:
        print(f"nothing is refuted at level {level}: at epsilon 0 the p-value is in {blind:.3g}")
        raise typer.Exit(1)
    least = decimal(Exact(found.lower), digits=_DIGITS, rounding=Rounding.DOWN)
    print(f"({least}, {delta})-DP is refuted at level {level}; the crossing is in {found}")
    if isinstance(audit, TradeOffRun):
        mu = Exact(audit.refuted_mu(level=level).lower)
        shown = decimal(mu, digits=_DIGITS, rounding=Rounding.DOWN)
        print(f"{shown}-GDP is refuted at level {level}, too")
    if certificate is not None:
        if isinstance(audit, TradeOffRun):
            made = audit.certificate(level=level, epsilon=found.lower, delta=delta)
        else:
            made = audit.certificate(level=level, epsilon=found.lower)
        if certificate.exists():
            raise ParseError(f"--certificate={str(certificate)!r} exists. Name another file.")
        certificate.write_bytes(made.to_bytes())
        print(f"certificate: {certificate} (exactdp verify {certificate})")
