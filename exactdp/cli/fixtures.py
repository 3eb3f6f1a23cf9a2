"""The command ``fixtures``: a file of problems to a file of answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.numeric import seconds
from exactdp.cli.running import Dask, Pythons, Resume, Workers, executor_of, store_of
from exactdp.cli.tables import one_line
from exactdp.errors import ExactDPError, ParseError, number_of

if TYPE_CHECKING:
    from exactdp.problems.fixtures import Fixture, NamedProblem

__all__ = ["fixtures"]


def fixtures(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Named problems, or a sweep; - is stdin.")
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write; - is standard output.")
    ] = None,
    style: Annotated[
        str,
        typer.Option(
            "--format", help="json, jsonl, csv, parquet, rust, kotlin, java, go, cpp or javascript."
        ),
    ] = "json",
    workers: Workers = None,
    dask: Dask = None,
    resume: Resume = True,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the output instead.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(help="For each problem; by default 600.", **seconds()),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option("--for", metavar="LIBRARY", help="A test file for this library instead."),
    ] = None,
    pythons: Pythons = None,
) -> None:
    """Write the answers to a file of problems, for a test suite.

    Example: exactdp fixtures examples/fixtures/problems.json --out fixtures.json

    A suite may be in any language. Exit code 1: some problems have no answer; each is named, all
    others are written.
    """
    import json

    from msgspec.json import decode

    from exactdp.cli.files import content
    from exactdp.execution import Limits, held_file, side_by_side
    from exactdp.numbers.limits import MAX_MEMORY, MAX_SECONDS_OF_A_PROBLEM
    from exactdp.problems.fixtures import HEAD, Fixture, fixture_schema, read_problem_set
    from exactdp.problems.sources import HEADS
    from exactdp.problems.tables import CSV_HEAD, PARQUET_HEAD, PARQUET_MARK

    if schema:
        print(json.dumps(fixture_schema(), indent=2, ensure_ascii=False))
        return
    if library is not None:
        if file is not None:
            raise ParseError(f"FILE={file!r} and --for={library!r} are two asks. Give one of them.")
        _ready_tests(library, out, pythons or [])
        return
    if file is None or out is None:
        raise ParseError("FILE or --out is missing. Give FILE --out FILE, or --schema alone.")
    heads = {style: head.encode() for style, head in {"json": HEAD, **HEADS}.items()}
    heads |= {"csv": CSV_HEAD, "parquet": PARQUET_HEAD}
    if style not in heads:
        raise ParseError(f"--format={style!r} is unknown. Give one of {', '.join(heads)}.")
    _written([], style)  # refuses now what is not installed
    entries = read_problem_set(content(file))
    mark = PARQUET_MARK if style == "parquet" else b""
    seconds = MAX_SECONDS_OF_A_PROBLEM if time_limit is None else time_limit
    held = nullcontext() if str(out) == "-" else held_file(out, head=heads[style], mark=mark)
    with executor_of(dask, workers) as executor, held as place:
        found = side_by_side(
            _answered,
            entries,
            workers=workers,
            executor=executor,
            store=store_of(place, resume=resume),
            name=lambda entry: one_line(entry.name),
            limits=Limits(seconds=seconds, memory=MAX_MEMORY),
            stopped=lambda entry, error: f"{entry.name}: {error}",
        )
        both = zip(entries, found, strict=True)
        answered = [(entry, decode(one, type=Fixture)) for entry, one in both if type(one) is bytes]
        written = _written(answered, style)
        if place is None and style == "parquet":
            sys.stdout.buffer.write(written)
        elif place is None:
            print(written.decode(), end="")
        else:
            place.write(written)
            answers = sum(len(fixture.answers) for _, fixture in answered)
            print(
                f"{number_of(len(answered), 'problem')}, {number_of(answers, 'answer')}: "
                f"{one_line(str(out))}"
            )
    errors = [one for one in found if isinstance(one, str)]
    for error in errors:
        print("error:", one_line(error), file=sys.stderr)
    if errors:
        raise typer.Exit(1)


def _ready_tests(library: str, out: Path | None, pythons: Sequence[str]) -> None:
    """Write the tests of a library's numbers; without --out they are printed."""
    from exactdp.cli.files import interpreters_of
    from exactdp.execution import held_file, tell_interpreters
    from proofs_check.libraries.ready_tests import ready_tests

    tell_interpreters(interpreters_of(pythons))
    text = ready_tests(library)
    if out is None or str(out) == "-":
        print(text, end="")
        return
    with held_file(out, head=b'"""Numbers of ') as place:
        place.write(text.encode())
    print(f"{text.count('def test_')} tests: {one_line(str(out))}")


def _written(answered: Sequence[tuple[NamedProblem, Fixture]], style: str) -> bytes:
    from exactdp.problems.fixtures import fixtures_json
    from exactdp.problems.sources import source
    from exactdp.problems.tables import csv_table, parquet_table

    if style in ("csv", "parquet"):
        return csv_table(answered) if style == "csv" else parquet_table(answered)
    bare = [fixture for _, fixture in answered]
    text = fixtures_json(bare) if style == "json" else source(bare, language=style)
    return text.encode()


def _answered(entry: NamedProblem) -> bytes | str:
    """Return a problem's fixture, as JSON that takes little time to hand on, or why it has none."""
    from msgspec.json import encode

    from exactdp.problems.fixtures import fixture_of

    try:
        return encode(fixture_of(entry))
    except ExactDPError as error:
        return str(error)
