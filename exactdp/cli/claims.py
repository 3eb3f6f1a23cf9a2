"""The command ``claims``: the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

import typer

__all__ = ["claims"]


def claims(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER|CLAIM]...", help="All papers if none.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the catalog as JSON.")] = False,
) -> None:
    """List what the papers on trial assert, under permanent ids."""
    from exactdp.claims import select
    from exactdp.cli.tables import console, print_table

    chosen = select(names or [])
    if as_json:
        document = {
            "format": "exactdp-claims/1",
            "claims": [
                {
                    "id": claim.id,
                    "says": claim.says,
                    "source": str(claim.source),
                    "readings": dict(claim.reading_says),
                    "repair": claim.repair,
                }
                for _, claims in chosen
                for claim in claims
            ],
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    for paper, entries in chosen:
        console().print(f"{paper.key}: {paper.citation} ({len(entries)} claims)")
        print_table(
            ["claim", "where", "says"],
            ([c.id, c.source.locator, _with_readings(c.says, c.reading_says)] for c in entries),
        )


def _with_readings(says: str, readings: Mapping[str, str]) -> str:
    return says + "".join(f" ({key}) {text}" for key, text in readings.items())
