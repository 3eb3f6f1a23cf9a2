"""The command ``fixtures``: a file of problems to a file of answers."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.tables import one_line
from exactdp.errors import ExactDPError, ParseError

if TYPE_CHECKING:
    from exactdp.problems.fixtures import Fixture, NamedProblem

__all__ = ["fixtures"]


def fixtures(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A file of named problems; - is stdin.")
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write; - is standard output.")
    ] = None,
    style: Annotated[
        str,
        typer.Option("--format", help="json, jsonl, rust, kotlin, java, go, cpp or javascript."),
    ] = "json",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one a processor.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the output instead.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="For each problem; by default 600."),
    ] = None,
) -> None:
    """Turn a file of problems into a file of answers for any test suite, in any language.

    Exit code 1: some problems have no answer; each is named, all others are written.
    """
    import json

    from exactdp.problems.fixtures import fixture_schema

    if schema:
        print(json.dumps(fixture_schema(), indent=2))
        return
    if file is None or out is None:
        raise ParseError("FILE or --out is missing. Give FILE --out FILE, or --schema alone.")
    _write(file, out, style, workers, time_limit)


def _write(file: str, out: Path, style: str, workers: int | None, time_limit: float | None) -> None:
    from exactdp.cli.files import content
    from exactdp.execution import Limits, held_file, side_by_side
    from exactdp.numbers.limits import MAX_MEMORY, MAX_SECONDS_OF_A_PROBLEM
    from exactdp.problems.fixtures import HEAD, Fixture, fixtures_json, read_problem_set
    from exactdp.problems.sources import HEADS, source

    heads = {"json": HEAD, **HEADS}
    if style not in heads:
        raise ParseError(f"--format={style!r} is unknown. Give one of {', '.join(heads)}.")
    entries = read_problem_set(content(file))
    seconds = MAX_SECONDS_OF_A_PROBLEM if time_limit is None else time_limit
    with nullcontext() if str(out) == "-" else held_file(out, head=heads[style].encode()) as place:
        found = side_by_side(
            _answered,
            entries,
            workers=workers,
            name=lambda entry: one_line(entry.name),
            limits=Limits(seconds=seconds, memory=MAX_MEMORY),
            stopped=lambda entry, error: f"{entry.name}: {error}",
        )
        answered = [one for one in found if isinstance(one, Fixture)]
        errors = [one for one in found if isinstance(one, str)]
        is_json = style == "json"
        text = fixtures_json(answered) if is_json else source(answered, language=style)
        if place is None:
            print(text, end="")
        else:
            place.write(text.encode())
            answers = sum(len(fixture.answers) for fixture in answered)
            print(f"{len(answered)} problems, {answers} answers: {one_line(str(out))}")
    for error in errors:
        print("error:", one_line(error), file=sys.stderr)
    if errors:
        raise typer.Exit(1)


def _answered(entry: NamedProblem) -> Fixture | str:
    """Return a problem's fixture, or why it has none."""
    from exactdp.problems.fixtures import fixture_of

    try:
        return fixture_of(entry)
    except ExactDPError as error:
        return str(error)
