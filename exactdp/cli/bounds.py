"""The command ``bounds``: the published bounds, with their verdicts on paper and in doubles."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.claims import UNREADABLE
from exactdp.cli.numeric import whole
from exactdp.cli.tables import one_line
from exactdp.errors import ParseError
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.bounds import PublishedBound

__all__ = ["bounds"]

_SECONDS = 60
"""The limit of one bound; what takes longer is undecided."""

_FROM = {Side.UPPER: "above", Side.LOWER: "below"}


def bounds(
    papers: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER]...", help="All if none.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    again: Annotated[
        bool, typer.Option("--try", help="Try each over its domain; exit 1 where another is kept.")
    ] = False,
    update: Annotated[bool, typer.Option("--update", help="Keep what --try finds.")] = False,
    fixtures: Annotated[
        str | None,
        typer.Option(metavar="STYLE", help="Print fixtures of them: json, jsonl, rust, java, ..."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where an earlier file of fixtures, in JSON, is asked."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a processor.", **whole(1))
    ] = None,
) -> None:
    """List the bounds that papers publish, and how each fares.

    Example: exactdp bounds feldman2021

    0, or 1 where --try finds something else than is kept; 3 if a paper's bounds could not be read.
    """
    from exactdp.bounds.papers import papers_with_bounds, readable_bounds

    if at is not None and fixtures is None:
        raise ParseError(f"--at={at!r} is where --fixtures are asked. Give --fixtures, too.")
    readable, unreadable = readable_bounds(papers or papers_with_bounds())
    chosen = [bound for bounds in readable.values() for bound in bounds]
    code = UNREADABLE if unreadable else 0
    if fixtures is not None:
        _print_fixtures(chosen, fixtures, at)
    elif again or update:
        code = code or _try([*readable], chosen, update=update, workers=workers)
    elif as_json:
        print(json.dumps(_document(chosen), indent=1, ensure_ascii=False))
    else:
        _print_list(chosen)
    for what in unreadable:
        typer.echo(f"error: {one_line(what)}", err=True)
    raise typer.Exit(code)


def _print_list(chosen: list[PublishedBound]) -> None:
    from exactdp.claims.doubles import bound_in_doubles
    from exactdp.cli.tables import print_table

    print_table(
        ["bound", "what it bounds", "verdict", "in doubles"],
        [
            [
                one.claim,
                f"{one.bounds}, from {_FROM[one.side]}: {one.of}",
                (one.verdict or "") + (", withdrawn" if one.withdrawn else ""),
                kept.short if (kept := bound_in_doubles(one.claim)) else "not tried",
            ]
            for one in chosen
        ],
    )


def _print_fixtures(chosen: list[PublishedBound], style: str, at: str | None) -> None:
    from exactdp.bounds.fixtures import asked_again, ordinary, written
    from exactdp.cli.files import content

    written([], style)  # refuses now what is unknown
    if at is not None:
        print(written(asked_again(content(at)), style), end="")
        return
    found = {one.claim: ordinary(one) for one in chosen}
    print(written([answer for answers in found.values() for answer in answers], style), end="")
    for name, answers in found.items():
        if not answers:
            typer.echo(f"note: {name} has none: no answer with a finite truth comes soon", err=True)


def _document(chosen: list[PublishedBound]) -> dict[str, object]:
    from exactdp.claims.doubles import bound_in_doubles

    return {
        "format": "exactdp-bounds/2",
        "bounds": [
            {
                "claim": one.claim,
                "bounds": one.bounds,
                "unit": one.unit,
                "side": one.side.value,
                "of": one.of,
                "arguments": [
                    {"name": name, "range": kind.text(name), "unit": one.unit_of(name)}
                    for name, kind in one.domain.kinds.items()
                ],
                "hypotheses": one.hypothesis_texts(),
                "verdict": one.verdict,
                "in_doubles": (kept := bound_in_doubles(one.claim)) and asdict(kept),
                "withdrawn": one.withdrawn,
                "instead": one.instead,
            }
            for one in chosen
        ],
    }


def _try(
    keys: list[str], chosen: list[PublishedBound], *, update: bool, workers: int | None
) -> int:
    """Try bounds over their domains; return 1 where another verdict is kept."""
    from exactdp.bounds.keeping import found_of, keep, kept_changes, undecided
    from exactdp.cli.tables import print_table
    from exactdp.execution import Limits, side_by_side
    from exactdp.numbers.limits import MAX_MEMORY

    names = [one.claim for one in chosen]
    entries = side_by_side(
        found_of,
        names,
        workers=workers,
        name=str,
        limits=Limits(seconds=_SECONDS, memory=MAX_MEMORY),
        stopped=lambda _, error: undecided(str(error)),
    )
    found = dict(zip(names, entries, strict=True))
    print_table(
        ["bound", "in doubles", "formula", "times the truth"],
        [
            [name, entry["in_doubles"], entry["formula"], entry["ratio"] or ""]
            for name, entry in found.items()
        ],
    )
    changed = [line for key in keys for line in kept_changes(key, found)]
    if update:
        for key in keys:
            keep(key, found)
    for line in changed:
        print(line)
    print("kept" if update else f"{len(changed)} differ from what is kept")
    return 1 if changed and not update else 0
