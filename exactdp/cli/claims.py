"""The command ``claims``: the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from exactdp.cli.names import complete

__all__ = ["UNREADABLE", "claims", "print_unreadable"]


def claims(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER|CLAIM]...", help="All papers if none.", autocompletion=complete
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the catalog as JSON.")] = False,
) -> None:
    """List what the papers on trial assert: 0, or 3 if a paper could not be read."""
    from exactdp.claims import select
    from exactdp.cli.tables import console, print_table

    selection = select(names or [])
    chosen = selection.chosen
    if as_json:
        document = {
            "format": "exactdp-claims/2",
            "claims": [
                {
                    "id": claim.id,
                    "says": claim.says,
                    "words": claim.words,
                    "source": str(claim.source),
                    "read": claim.source.read or None,
                    "readings": dict(claim.reading_says),
                    "hypothetical": sorted(claim.hypothetical),
                    "asked_by_us": sorted(claim.asked_by_us),
                    "known": claim.known,
                    "withdrawn": claim.withdrawn,
                    "causes": dict(claim.causes),
                    "repair": claim.repair,
                }
                for _, claims in chosen
                for claim in claims
            ],
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        for paper, entries in chosen:
            console().print(f"{paper.key}: {paper.citation} ({len(entries)} claims)")
            print_table(
                ["claim", "where", "says"],
                ([c.id, c.source.locator, _with_readings(c.says, c.reading_says)] for c in entries),
            )
    print_unreadable(selection.unreadable)
    raise typer.Exit(UNREADABLE if selection.unreadable else 0)


UNREADABLE = 3
"""The exit code of a command that went on without a paper that could not be read."""


def print_unreadable(unreadable: Mapping[str, str]) -> None:
    """Print one line on standard error for each paper that could not be read."""
    for key, what in unreadable.items():
        typer.echo(f"error: paper {key} could not be read: {what}", err=True)


def _with_readings(says: str, readings: Mapping[str, str]) -> str:
    return says + "".join(f" ({key}) {text}" for key, text in readings.items())
