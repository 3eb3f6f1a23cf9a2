"""The command ``claims``: the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from exactdp.cli.names import complete, kept_verdicts
from exactdp.cli.tables import WIDTH

__all__ = ["UNREADABLE", "claims", "print_unreadable"]


_WORDS = 10
"""The words of a claim that are listed."""


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
    """List the claims on trial, with their kept verdicts.

    Example: exactdp claims biswas2023

    Exit code 0, or 3 if a paper could not be read.
    """
    from exactdp.claims import select

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
        verdicts = kept_verdicts()
        for _, entries in chosen:
            longest = max(len(claim.id) for claim in entries)
            for claim in entries:
                verdict = verdicts.get(claim.id, "not tried")
                line = f"{claim.id.ljust(longest)}  {verdict:11}  {_ten_words(claim.says)}"
                print(line if len(line) <= WIDTH else f"{line[: WIDTH - 4].rstrip()} ...")
    print_unreadable(selection.unreadable)
    raise typer.Exit(UNREADABLE if selection.unreadable else 0)


UNREADABLE = 3
"""The exit code of a command that went on without a paper that could not be read."""


def print_unreadable(unreadable: Mapping[str, str]) -> None:
    """Print one line on standard error for each paper that could not be read."""
    for key, what in unreadable.items():
        typer.echo(f"error: paper {key} could not be read: {what}", err=True)


def _ten_words(says: str) -> str:
    words = says.split()
    return " ".join(words[:_WORDS]) + (" ..." if len(words) > _WORDS else "")
