"""The command ``solve``: one problem file, its answers.

Definitions: :func:`solve`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.errors import ParseError

if TYPE_CHECKING:
    from exactdp.problems import Answer, Answers

__all__ = ["solve"]

SHORT = 40
"""An exact answer longer than this is left to --json."""


def solve(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A problem file; - is stdin.")],
    *,
    digits: Annotated[int, typer.Option(help="Significant digits of the decimals.")] = 17,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
) -> None:
    """Answer the questions of a problem file, exactly."""
    from exactdp.problems import answers_json, read_problem
    from exactdp.problems import solve as answers_of

    answers = answers_of(read_problem(_content(file)), digits=digits)
    if as_json:
        print(answers_json(answers))
    else:
        _print_table(answers)


def _content(file: str) -> bytes:
    """Return the content of a file, or of standard input, up to just above the size limit."""
    from exactdp.problems.strict_json import MAX_CHARACTERS

    try:
        if file == "-":
            return sys.stdin.buffer.read(MAX_CHARACTERS + 1)
        with Path(file).open("rb") as stream:
            return stream.read(MAX_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ParseError(
            f"FILE={file!r} cannot be read: {reason}. Give the path of a problem file, or -."
        ) from None


def _print_table(answers: Answers) -> None:
    from exactdp.cli.tables import print_table

    names = ["ask", "at", "decimal", "exact"]
    if any(isinstance(answer.bound, str) for answer in answers.answers):
        names.append("bound")
    print_table(names, [_row(answer)[: len(names)] for answer in answers.answers])


def _row(answer: Answer) -> list[str]:
    exact = answer.exact if answer.exact is not None else answer.expression
    return [
        answer.ask,
        _at(answer.at),
        answer.decimal,
        exact if isinstance(exact, str) and len(exact) <= SHORT else "",
        answer.bound if isinstance(answer.bound, str) else "",
    ]


def _at(at: object) -> str:
    match at:
        case None:
            return ""
        case {"log": value}:
            return f"log({value})"
        case {"rational": value}:
            return str(value)
    return str(at)
