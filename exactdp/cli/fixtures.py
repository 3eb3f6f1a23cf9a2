"""The command ``fixtures``: a file of problems to a file of answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactdp.errors import ParseError

__all__ = ["fixtures"]


def fixtures(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A file of named problems; - is stdin.")
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write; - is standard output.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one a processor.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the output instead.")
    ] = False,
) -> None:
    """Turn a file of problems into a file of answers for any test suite."""
    import json

    from exactdp.problems.fixtures import fixture_schema

    if schema:
        print(json.dumps(fixture_schema(), indent=2))
        return
    if file is None or out is None:
        raise ParseError("FILE or --out is missing. Give FILE --out FILE, or --schema alone.")
    _write(file, out, workers)


def _write(file: str, out: Path, workers: int | None) -> None:
    from exactdp.claims import write_atomically
    from exactdp.cli.files import content
    from exactdp.execution import side_by_side
    from exactdp.problems.fixtures import fixture_of, fixtures_json, read_problem_set

    entries = read_problem_set(content(file))
    answered = side_by_side(fixture_of, entries, workers=workers, name=lambda entry: entry.name)
    answers = sum(len(fixture.answers) for fixture in answered)
    if str(out) == "-":
        print(fixtures_json(answered), end="")
        return
    write_atomically(out, fixtures_json(answered).encode())
    print(f"{len(answered)} problems, {answers} answers: {out}")
