"""The command ``solve``: one problem file, its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.errors import ParseError

if TYPE_CHECKING:
    from exactdp.problems import Answer, Answers

__all__ = ["solve"]

SHORT = 40
"""An exact answer longer than this is left to --json."""


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
) -> None:
    """Answer the questions of a problem file, exactly."""
    import json

    from exactdp.cli.files import content
    from exactdp.problems import answers_json, problem_schema, read_problem
    from exactdp.problems import solve as answers_of

    if schema:
        print(json.dumps(problem_schema(), indent=2))
        return
    if file is None:
        raise ParseError("FILE is missing. Give FILE, or --schema alone.")
    answers = answers_of(read_problem(content(file)), digits=digits)
    if as_json:
        print(answers_json(answers))
    else:
        _print_table(answers)


def _print_table(answers: Answers) -> None:
    from exactdp.cli.tables import print_table

    names = ["ask", "at", "decimal", "exact"]
    if any(isinstance(answer.bound, str) for answer in answers.answers):
        names.append("bound")
    print_table(names, [_row(answer)[: len(names)] for answer in answers.answers])
    for note in dict.fromkeys(answer.note for answer in answers.answers):
        if isinstance(note, str):
            print(f"note: {note}")


def _row(answer: Answer) -> list[str]:
    exact = answer.exact if answer.exact is not None else answer.expression
    return [
        answer.ask,
        _at(answer.at),
        answer.decimal if answer.decimal is not None else f"{answer.lower} to {answer.upper}",
        exact if isinstance(exact, str) and len(exact) <= SHORT else "",
        answer.bound if isinstance(answer.bound, str) else "",
    ]


def _at(at: object) -> str:
    match at:
        case None:
            return ""
        case {"epsilon": epsilon, "delta": delta}:
            return f"epsilon {_at(epsilon)}, delta {delta}"
        case {"epsilon": epsilon}:
            return f"epsilon {_at(epsilon)}"
        case {"log": value}:
            return f"log({value})"
        case {"rational": value}:
            return str(value)
        case {"at_float": value}:
            return f"the double {float.fromhex(value)!r}"
    return str(at)
