"""The command ``compare``: accountants beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.errors import ParseError

if TYPE_CHECKING:
    from exactdp.compare import Finding, Task

__all__ = ["compare"]


def compare(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A problem, a grid, or named problems; - is stdin."),
    ] = None,
    *,
    accountants: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="NAME", help="An accountant, a library, or module:function."
        ),
    ] = None,
    pythons: Annotated[
        list[str] | None,
        typer.Option(
            "--python", metavar="LIBRARY=PATH", help="The interpreter that has a library."
        ),
    ] = None,
    style: Annotated[
        str, typer.Option("--format", help="text, json, markdown, junit, sarif or github.")
    ] = "text",
    limit: Annotated[
        float, typer.Option("--time-limit", min=0.1, help="The seconds that a call may take.")
    ] = 60.0,
    minimize: Annotated[
        bool, typer.Option(help="Search the most ordinary instance of each failure.")
    ] = False,
    ci: Annotated[
        bool, typer.Option("--ci", help="Exit 1 if a number is on the wrong side.")
    ] = False,
    known: Annotated[bool, typer.Option("--list", help="List the accountants instead.")] = False,
) -> None:
    """Ask accountants, and show what each says beside the truth."""
    from exactdp.cli.files import interpreters_of
    from exactdp.cli.tables import print_table
    from exactdp.compare import compare as findings_of
    from exactdp.compare.accountants import chosen
    from exactdp.compare.formats import FORMATS, reproduction

    asked = chosen(accountants or [])
    if known:
        print_table(
            ["accountant", "library", "answers", "promises"],
            [[a.name, a.library, ", ".join(a.answers), a.promise.value] for a in asked],
        )
        return
    if style not in ("text", *FORMATS):
        raise ParseError(f"--format={style!r} is unknown. Give text or {', '.join(FORMATS)}.")
    if file is None:
        raise ParseError("FILE is missing. Give a problem file, or --list alone.")
    interpreters = interpreters_of(pythons or [])
    tasks = _tasks(file)
    found = findings_of(tasks, asked, pythons=interpreters, limit=limit)
    findings = sorted(found, key=lambda finding: tasks.index(finding.task))
    if minimize:
        from exactdp.compare.minimizing import with_smallest

        findings = [with_smallest(f, pythons=interpreters, limit=limit) for f in findings]
    wrong = [finding for finding in findings if finding.standing.is_wrong]
    if style != "text":
        print(FORMATS[style](findings))
    else:
        _print(findings)
        answered = {finding.accountant.name for finding in findings}
        silent = [one.name for one in asked if one.name not in answered]
        if silent:
            print(f"no answer to such a question: {', '.join(silent)}")
        for text in dict.fromkeys(reproduction(one.smallest or one) for one in wrong):
            print(f"\n{text}")
    if ci and wrong:
        raise typer.Exit(1)


def _tasks(file: str) -> list[Task]:
    from exactdp.cli.files import content
    from exactdp.compare.tasks import tasks_of
    from exactdp.problems.fixtures import read_problem_set
    from exactdp.problems.products import each_of
    from exactdp.problems.reading import problem_of
    from exactdp.problems.strict_json import strict_json

    text = content(file)
    document = strict_json(text)
    if isinstance(document, dict) and "problems" in document:
        named = [(entry.name, entry.problem) for entry in read_problem_set(text)]
    else:
        named = each_of(document)
    where = "" if file == "-" else file
    return [t for name, one in named for t in tasks_of(problem_of(one), name=name, file=where)]


def _print(findings: Sequence[Finding]) -> None:
    from exactdp.cli.tables import print_table
    from exactdp.compare.formats import COLUMNS, grouped, row

    for title, group in grouped(findings):
        print(title)
        print_table(COLUMNS, [row(finding) for finding in group])
    absent = [f.accountant.library for f in findings if f.standing.name == "ABSENT"]
    if absent:
        print(f"not installed: {', '.join(dict.fromkeys(absent))}")
