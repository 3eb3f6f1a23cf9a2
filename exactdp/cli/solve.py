"""The command ``solve``: one problem file, its answers."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Annotated

import typer

from exactdp.cli.numeric import seconds, whole
from exactdp.errors import ExactDPError, ParseError, StoppedError, number_of

if TYPE_CHECKING:
    from exactdp.problems import Answer, Problem, Refused, SomeAnswers

__all__ = ["solve"]

Table = tuple[Sequence[str], Sequence[Sequence[str]], list[str]]
"""Columns, rows, and the notes below them."""


def solve(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A problem file; - is stdin.")
    ] = None,
    *,
    digits: Annotated[
        int, typer.Option(help="Significant digits of the decimals.", **whole(None))
    ] = 17,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of problem files instead.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(help="When to give up; by default after 60.", **seconds()),
    ] = None,
) -> None:
    """Answer the questions of a problem file, exactly.

    Example: exactdp solve examples/problems/shuffle.json --digits 12
    """
    from exactdp.cli.files import content
    from exactdp.cli.tables import print_table
    from exactdp.execution import Limits, alone
    from exactdp.numbers.limits import MAX_MEMORY, MAX_SECONDS
    from exactdp.problems import answers_json

    if schema:
        import json

        from exactdp.problems import problem_schema

        print(json.dumps(problem_schema(), indent=2, ensure_ascii=False))
        return
    if file is None:
        raise ParseError("FILE is missing. Give FILE, or --schema alone.")
    limits = Limits(seconds=MAX_SECONDS if time_limit is None else time_limit, memory=MAX_MEMORY)
    text = content(file)
    with TemporaryFile() as told:  # which outlives a process that is stopped
        try:
            found = alone(_answered, (text, digits, told.fileno()), limits=limits)
        except StoppedError as error:
            found = _told(text, told, error)
    if as_json:
        print(answers_json(found))
    else:
        columns, rows, notes = _table(found, digits)
        print_table(columns, rows)
        for note in notes:
            print(f"note: {note}")
    for refused in found.refused:
        print("error:", refused, file=sys.stderr)
    if found.refused:
        raise typer.Exit(1)


def _answered(asked: tuple[bytes, int, int]) -> SomeAnswers:
    from exactdp.problems import solve_each

    text, digits, place = asked

    def tell(answer: Answer | Refused) -> None:
        os.write(place, pickle.dumps(answer))

    return solve_each(_problem(text), digits=digits, told=tell)


def _told(text: bytes, file: IO[bytes], error: StoppedError) -> SomeAnswers:
    """Return the answers that a process had before it was stopped.

    Raises:
        StoppedError: If it had none.
    """
    from exactdp.problems import Refused, SomeAnswers

    answers: list[Answer | Refused] = []
    file.seek(0)
    with suppress(EOFError, pickle.UnpicklingError):  # the last may be half written
        while True:
            answers.append(pickle.load(file))
    if all(isinstance(one, Refused) for one in answers):
        raise error
    problem = _problem(text)  # which was read in time
    left = problem.questions[len(answers) :]
    answers += [Refused.of(question, error) for question in left]
    return SomeAnswers(sides=problem.law.sides(), answers=answers)


def _problem(text: bytes) -> Problem:
    from exactdp.problems import read_problem

    try:
        return read_problem(text)
    except ParseError as error:
        from exactdp.problems.fixtures import read_problem_set

        try:
            count = len(read_problem_set(text))
        except ExactDPError:
            raise error from None
    raise ParseError(
        f"FILE stands for {number_of(count, 'problem')}; solve answers one. Give it to "
        "`exactdp fixtures` "
        "(--format csv is a table) or to `exactdp compare`."
    )


def _table(answers: SomeAnswers, digits: int) -> Table:
    _, columns, rows = answers.table(digits)
    found = answers.found.answers
    notes = dict.fromkeys(a.note for a in found if isinstance(a.note, str))
    published = [
        f"{one.name}: epsilon {one.epsilon} at delta {answer.row(digits)[1]}, {one.at_least} to "
        f"{one.at_most} times the truth ({one.standing})"
        for answer in found
        for one in answer.published or ()
    ]
    return columns, rows, [*notes, *published]
