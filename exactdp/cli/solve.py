"""The command ``solve``: one problem file, its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.errors import ExactDPError, ParseError

if TYPE_CHECKING:
    from exactdp.problems import Answer, Answers, Problem

__all__ = ["solve"]

SHORT = 40
"""An exact answer longer than this is left to --json."""

Table = tuple[list[str], list[list[str]], list[str]]
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
    return answers_json(answers) if as_json else _table(answers)


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


def _table(answers: Answers) -> Table:
    from exactdp.problems.tables import at_text

    columns = ["ask", "at", "decimal", "exact"]
    if any(isinstance(answer.bound, str) for answer in answers.answers):
        columns.append("bound")
    notes = dict.fromkeys(a.note for a in answers.answers if isinstance(a.note, str))
    published = [
        f"{one.name}: epsilon {one.epsilon} at delta {at_text(answer.at)}, {one.at_least} to "
        f"{one.at_most} times the truth ({one.standing})"
        for answer in answers.answers
        for one in answer.published or ()
    ]
    rows = [_row(answer)[: len(columns)] for answer in answers.answers]
    return columns, rows, [*notes, *published]


def _row(answer: Answer) -> list[str]:
    from exactdp.problems.tables import at_text

    exact = answer.exact if answer.exact is not None else answer.expression
    return [
        answer.ask,
        at_text(answer.at),
        _value(answer),
        exact if isinstance(exact, str) and len(exact) <= SHORT else "",
        answer.bound if isinstance(answer.bound, str) else "",
    ]


def _value(answer: Answer) -> str:
    ends = f"{answer.lower} to {answer.upper}"
    if isinstance(answer.gap, str) and answer.exact is None:
        return f"{ends}, gap {answer.gap}"
    return ends if answer.decimal is None else answer.decimal
