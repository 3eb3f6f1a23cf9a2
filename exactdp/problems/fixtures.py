"""Fixtures: many problems with their answers in one file, for anybody's test suite.

The input lists problems under names (with lists of values a sweep of them, see ``products``), or
is one problem; the output repeats each problem beside its answers, so that a reader needs nothing
else (``examples/fixtures/read_fixtures.py`` does it in plain Python). :func:`fixture_schema` is the
output's JSON Schema.

The same problems give the same bytes on every machine: the print depends on the truth
alone (answers are settled, see ``answers``), not on where an enclosure's ends happened to lie.
That takes somewhat narrower enclosures than asked for; where they are slow, ask for wider ones.
The worst case over all data of a shuffled protocol is kept at a relative width of 1e-2 in
``examples/fixtures``: its ends are bounds of different origin (``lower_by``, ``upper_by``), which
no precision brings together, and two digits of each follow from the truth of either.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from exactdp import __version__
from exactdp.errors import ExactDPError, ParseError
from exactdp.problems.answers import Answer
from exactdp.problems.kinds import ProblemFile
from exactdp.problems.laws import SideNames
from exactdp.problems.products import each_of
from exactdp.problems.reading import problem_of
from exactdp.problems.schema import json_schema
from exactdp.problems.solving import solve
from exactdp.problems.strict_json import as_strings, shown_json, strict_json
from exactdp.problems.validation import converted

__all__ = [
    "DIGITS",
    "HEAD",
    "Fixture",
    "FixtureFile",
    "NamedProblem",
    "fixture_of",
    "fixture_schema",
    "fixtures_json",
    "problem_set_of",
    "read_problem_set",
]

_FORM = (
    'The form is {"format": "exactdp-problems/1", '
    '"problems": [{"name": ..., "problem": {...}}, ...]}.'
)

HEAD = '{"format": "exactdp-fixtures/'
"""The first characters of every file of fixtures, of whatever version."""

DIGITS = 17
"""The significant digits of the decimals in a fixture file."""


class _Named(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1)]
    problem: dict[str, Any]


class NamedProblem(_Named, frozen=True, kw_only=True):
    """A problem file's content under a name, and the choices of a sweep in it, by key."""

    varied: dict[str, Any] = {}


class _ProblemSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["exactdp-problems/1"]
    problems: list[_Named]


class Fixture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A problem, whose laws its two sides are, and its answers in the order of the questions."""

    name: str
    problem: dict[str, Any]
    sides: SideNames
    answers: list[Answer]


class WrittenFixture(Fixture, frozen=True, kw_only=True):
    """A named problem, as in a file that is read."""

    problem: ProblemFile


class FixtureFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of fixtures, and the version of exactdp that answered.

    Epsilons and divergences are in nats; every bound is rounded outward.
    """

    format: Literal["exactdp-fixtures/2"]
    exactdp: str
    fixtures: list[WrittenFixture]


def read_problem_set(text: str | bytes) -> list[NamedProblem]:
    """Return the named problems of a file, each checked; a sweep is all its problems.

    A file of one problem is read too.

    Raises:
        ParseError: If the file is not a problem set, a name is repeated, or a problem is
            not well formed; the message names it.

    Example:
        >>> read_problem_set('{"format": "exactdp-problems/1", "problems": []}')
        []
    """
    return problem_set_of(strict_json(text))


def problem_set_of(document: Any) -> list[NamedProblem]:
    """Return the named problems of a document that was read by ``strict_json``.

    Raises:
        ParseError: As :func:`read_problem_set`.
    """
    if isinstance(document, dict) and "kind" in document:
        return [
            NamedProblem(name=one.name or "problem", problem=one.problem, varied=one.varied)
            for one in each_of(document)
            if problem_of(one.problem)
        ]
    try:
        content: _ProblemSet = converted(document, _ProblemSet)
    except ParseError as error:
        raise ParseError(f"{error} {_FORM}") from None
    seen: set[str] = set()
    problems = []
    for index, entry in enumerate(content.problems):
        if entry.name in seen:
            raise ParseError(
                f"$.problems[{index}].name={shown_json(entry.name)} is used twice. Rename one."
            )
        seen.add(entry.name)
        with _named(entry):
            for name, problem, varied in each_of(entry.problem, name=entry.name):
                problem_of(problem)
                problems.append(NamedProblem(name=name, problem=problem, varied=varied))
    return problems


def fixture_of(entry: NamedProblem) -> Fixture:
    """Return a problem with its answers.

    Raises:
        ExactDPError: As ``solve``; the message begins with the problem's name.
    """
    with _named(entry):
        found = solve(problem_of(entry.problem), digits=DIGITS, settled=True)
    # Numbers for a test suite: what they do not show of a mechanism stands in the docs.
    bare = [msgspec.structs.replace(answer, note=UNSET) for answer in found.answers]
    problem = as_strings(entry.problem)
    return Fixture(name=entry.name, problem=problem, sides=found.sides, answers=bare)


def fixtures_json(fixtures: list[Fixture]) -> str:
    """Return the fixtures as JSON text, one line a problem and one an answer.

    Equal fixtures have equal texts, byte for byte.

    Example:
        >>> print(fixtures_json([]), end="")  # doctest: +ELLIPSIS
        {"format": "exactdp-fixtures/2", "exactdp": "...", "fixtures": [
        ]}
    """
    lines = []
    for fixture in fixtures:
        about = {"name": fixture.name, "problem": fixture.problem, "sides": fixture.sides}
        head = msgspec.json.encode(about).decode()
        answers = ",\n".join("  " + msgspec.json.encode(a).decode() for a in fixture.answers)
        lines.append(f'{head[:-1]}, "answers": [\n{answers}\n]}}')
    body = ",\n".join(lines)
    newline = "\n" if body else ""
    return f'{HEAD}2", "exactdp": "{__version__}", "fixtures": [\n{body}{newline}]}}\n'


def fixture_schema() -> dict[str, Any]:
    """Return the JSON Schema of fixture files.

    Example:
        >>> fixture_schema()["$ref"], fixture_schema()["$id"]
        ('#/$defs/FixtureFile', 'urn:exactdp:fixtures:2')
    """
    return json_schema(FixtureFile, name="fixtures:2")


@contextmanager
def _named(entry: _Named) -> Iterator[None]:
    """Put the problem's name before the message of an error."""
    try:
        yield
    except ExactDPError as error:
        raise type(error)(f"{entry.name}: {error}") from None
