"""The command ``solve``: one problem file, its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.errors import ExactDPError, ParseError

if TYPE_CHECKING:
    from exactdp.problems import Answers, Problem

__all__ = ["solve"]

Table = tuple[Sequence[str], Sequence[Sequence[str]], list[str]]
"""Columns, rows, and the notes below them."""


def solve(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A problem file; - is stdin.")
    ] = None,
    *,
    digits: Annotated[int, typer.Option(help="Significant digits of the decimals.")] = 17,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of problem files instead.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="When to give up; by default after 60."),
    ] = None,
) -> None:
    """Answer the questions of a problem file, exactly."""
    from exactdp.cli.files import content
    from exactdp.cli.tables import print_table
    from exactdp.execution import Limits, alone
    from exactdp.numbers.limits import MAX_MEMORY, MAX_SECONDS

    if schema:
        import json

        from exactdp.problems import problem_schema

        print(json.dumps(problem_schema(), indent=2))
        return
    if file is None:
        raise ParseError("FILE is missing. Give FILE, or --schema alone.")
    limits = Limits(seconds=MAX_SECONDS if time_limit is None else time_limit, memory=MAX_MEMORY)
    found = alone(_answered, (content(file), digits, as_json), limits=limits)
    if isinstance(found, str):
        print(found)
        return
    columns, rows, notes = found
    print_table(columns, rows)
    for note in notes:
        print(f"note: {note}")


def _answered(asked: tuple[bytes, int, bool]) -> str | Table:
    from exactdp.problems import answers_json
    from exactdp.problems import solve as answers_of

    text, digits, as_json = asked
    answers = answers_of(_problem(text), digits=digits)
    return answers_json(answers) if as_json else _table(answers, digits)


def _problem(text: bytes) -> Problem:
    from exactdp.problems import read_problem
    from exactdp.problems.fixtures import read_problem_set

    try:
        return read_problem(text)
    except ParseError as error:
        try:
            count = len(read_problem_set(text))
        except ExactDPError:
            raise error from None
    raise ParseError(
        f"FILE stands for {count} problems; solve answers one. Give it to `exactdp fixtures` "
        "(--format csv is a table) or to `exactdp compare`."
    )


def _table(answers: Answers, digits: int) -> Table:
    _, columns, rows = answers.table(digits)
    notes = dict.fromkeys(a.note for a in answers.answers if isinstance(a.note, str))
    published = [
        f"{one.name}: epsilon {one.epsilon} at delta {row[1]}, {one.at_least} to "
        f"{one.at_most} times the truth ({one.standing})"
        for answer, row in zip(answers.answers, rows, strict=True)
        for one in answer.published or ()
    ]
    return columns, rows, [*notes, *published]
