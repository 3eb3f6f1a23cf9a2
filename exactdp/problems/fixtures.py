"""Fixtures: many problems with their answers in one file, for anybody's test suite.

The input lists problems under names; the output repeats each problem beside its
answers, so that a reader needs nothing else (``examples/fixtures/read_fixtures.py``
does it in plain Python). :func:`fixture_schema` is the output's JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from exactdp.errors import ExactDPError, ParseError
from exactdp.problems.answers import Answer
from exactdp.problems.reading import problem_of
from exactdp.problems.solving import solve
from exactdp.problems.strict_json import shown, strict_json
from exactdp.problems.validation import converted

__all__ = [
    "DIGITS",
    "Fixture",
    "Fixtures",
    "NamedProblem",
    "fixture_of",
    "fixture_schema",
    "fixtures_json",
    "read_problem_set",
]

_FORM = (
    'The form is {"format": "exactdp-problems/1", '
    '"problems": [{"name": ..., "problem": {...}}, ...]}.'
)

DIGITS = 17
"""The significant digits of the decimals in a fixture file."""


class NamedProblem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A problem file's content under a name."""

    name: Annotated[str, Meta(min_length=1)]
    problem: dict[str, Any]


class _ProblemSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["exactdp-problems/1"]
    problems: list[NamedProblem]


class Fixture(Struct, frozen=True, kw_only=True):
    """A problem and its answers, in the order of the questions."""

    name: str
    problem: dict[str, Any]
    answers: list[Answer]


class Fixtures(Struct, frozen=True, kw_only=True):
    """A file of fixtures."""

    format: Literal["exactdp-fixtures/1"] = "exactdp-fixtures/1"
    fixtures: list[Fixture]


def read_problem_set(text: str | bytes) -> list[NamedProblem]:
    """Return the named problems of a file, each checked.

    Raises:
        ParseError: If the file is no problem set, a name is repeated, or a problem is
            not well formed; the message names it.

    Example:
        >>> read_problem_set('{"format": "exactdp-problems/1", "problems": []}')
        []
    """
    document = strict_json(text)
    try:
        content: _ProblemSet = converted(document, _ProblemSet)
    except ParseError as error:
        raise ParseError(f"{error} {_FORM}") from None
    seen: set[str] = set()
    for index, entry in enumerate(content.problems):
        if entry.name in seen:
            raise ParseError(
                f"$.problems[{index}].name={shown(entry.name)} is used twice. Rename one."
            )
        seen.add(entry.name)
        with _named(entry):
            problem_of(entry.problem)
    return content.problems


def fixture_of(entry: NamedProblem) -> Fixture:
    """Return a problem with its answers.

    Raises:
        ExactDPError: As ``solve``; the message begins with the problem's name.
    """
    with _named(entry):
        answers = solve(problem_of(entry.problem), digits=DIGITS).answers
    # Numbers for a test suite: what they do not show of a mechanism stands in the docs.
    bare = [msgspec.structs.replace(answer, note=UNSET) for answer in answers]
    return Fixture(name=entry.name, problem=entry.problem, answers=bare)


def fixtures_json(fixtures: list[Fixture]) -> str:
    """Return the fixtures as JSON text, one line a problem and one an answer.

    Equal fixtures have equal texts, byte for byte.

    Example:
        >>> print(fixtures_json([]), end="")
        {"format": "exactdp-fixtures/1", "fixtures": [
        ]}
    """
    lines = []
    for fixture in fixtures:
        head = msgspec.json.encode({"name": fixture.name, "problem": fixture.problem}).decode()
        answers = ",\n".join("  " + msgspec.json.encode(a).decode() for a in fixture.answers)
        lines.append(f'{head[:-1]}, "answers": [\n{answers}\n]}}')
    body = ",\n".join(lines)
    newline = "\n" if body else ""
    return f'{{"format": "exactdp-fixtures/1", "fixtures": [\n{body}{newline}]}}\n'


def fixture_schema() -> dict[str, Any]:
    """Return the JSON Schema of fixture files.

    Example:
        >>> fixture_schema()["$ref"]
        '#/$defs/Fixtures'
    """
    return msgspec.json.schema(Fixtures)


@contextmanager
def _named(entry: NamedProblem) -> Iterator[None]:
    """Put the problem's name before the message of an error."""
    try:
        yield
    except ExactDPError as error:
        raise type(error)(f"{entry.name}: {error}") from None
