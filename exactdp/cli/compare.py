"""The command ``compare``: accountants beside the truth."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.numeric import seconds
from exactdp.cli.running import Dask, Programs, Pythons, Workers, executor_of
from exactdp.cli.tables import one_line
from exactdp.errors import ParseError

if TYPE_CHECKING:
    from exactdp.compare import Finding, Task
    from exactdp.compare.accountants import Accountant
    from exactdp.execution import Session

__all__ = ["compare"]

_AT_A_TIME = 8
"""The tasks of which a machine of a cluster asks all accountants, whose imports take seconds."""


def compare(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Problems, or a registry's claims; - is stdin."),
    ] = None,
    *,
    accountants: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="NAME", help="An accountant, a library, or module:function."
        ),
    ] = None,
    pythons: Pythons = None,
    folders: Programs = None,
    style: Annotated[
        str, typer.Option("--format", help="text, json, markdown, junit, sarif or github.")
    ] = "text",
    limit: Annotated[
        float, typer.Option("--time-limit", help="What a call may take.", **seconds("0.1"))
    ] = 60.0,
    minimize: Annotated[
        bool, typer.Option(help="Search the most ordinary instance of each failure.")
    ] = False,
    ci: Annotated[
        bool, typer.Option("--ci", help="Exit 1 if a number is on the wrong side.")
    ] = False,
    badge: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Of a registry: where a badge goes.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of a registry: where a certificate goes."),
    ] = None,
    known: Annotated[bool, typer.Option("--list", help="List the accountants instead.")] = False,
    workers: Workers = None,
    dask: Dask = None,
) -> None:
    """Ask accountants, and show their answers beside the truth.

    Example: exactdp compare examples/problems/shuffle.json

    A registry's claims are asked, too. Seconds are of calls beside others; --workers 1 makes one
    after the other.
    """
    from exactdp.cli.files import interpreters_of
    from exactdp.cli.tables import print_table
    from exactdp.compare.accountants import chosen
    from exactdp.execution import interpreters, side_by_side, tell_interpreters, tell_programs

    asked = chosen(accountants or [])
    if known:
        print_table(
            ["accountant", "library", "about", "answers", "promises"],
            [
                [a.name, a.library, ", ".join(a.about), ", ".join(a.answers), a.promise]
                for a in asked
            ],
        )
        return
    tell_interpreters(interpreters_of(pythons or []))
    tell_programs(_programs(folders or []))
    with asked[0].session(interpreters(), limit=limit) as first:
        first.begin()  # it imports its library while this process imports the mathematics
        from exactdp.cli.registry import answered_registry
        from exactdp.compare.formats import FORMATS, reproduction
        from exactdp.compare.registry import is_registry

        if style not in ("text", *FORMATS):
            raise ParseError(f"--format={style!r} is unknown. Give text or {', '.join(FORMATS)}.")
        if file is None:
            raise ParseError("FILE is missing. Give a problem file, or --list alone.")
        document = _document(file)
        if is_registry(document):
            first.close()
            if accountants:
                raise ParseError("--with is of problems, not of a registry's claims. Leave it out.")
            holds = answered_registry(document, style=style, badge=badge, certificate=certificate)
            raise typer.Exit(int(ci and not holds))
        if badge is not None or certificate is not None:
            raise ParseError(
                "--badge and --certificate are of a registry's claims. Give a file of the format "
                "exactdp-registry/1, or leave them out."
            )
        tasks = _tasks(document, file)
        size = _AT_A_TIME if dask else -(-len(tasks) // (workers or os.cpu_count() or 1)) or 1
        parts = [tasks[i : i + size] for i in range(0, len(tasks), size)]
        jobs = [(part, asked, interpreters(), limit, minimize) for part in parts]
        if len(jobs) == 1 and not dask:
            found = [_findings(jobs[0], begun=first)]
        else:
            first.close()  # each worker asks processes of its own
            with executor_of(dask, workers) as executor:
                found = side_by_side(
                    _findings,
                    jobs,
                    workers=workers,
                    executor=executor,
                    name=lambda job: one_line(job[0][-1].name),
                )
    findings = [finding for part in found for finding in part]
    wrong = [finding for finding in findings if finding.standing.is_wrong]
    if style != "text":
        print(FORMATS[style](findings))
    else:
        _print(findings)
        answered = {finding.accountant.name for finding in findings}
        about = {task.about for task in tasks}
        silent = [
            one.name
            for one in asked
            if one.name not in answered and (accountants or about.intersection(one.about))
        ]
        if silent:
            print(f"no answer to such a question: {', '.join(silent)}")
        for text in dict.fromkeys(reproduction(one.smallest or one) for one in wrong):
            print(f"\n{text}")
    if ci and wrong:
        raise typer.Exit(1)


def _findings(
    job: tuple[Sequence[Task], Sequence[Accountant], dict[str, str], float, bool],
    *,
    begun: Session | None = None,
) -> list[Finding]:
    """Return the answers of accountants to some tasks, in the order of these."""
    from exactdp.compare import compare as findings_of
    from exactdp.compare.minimizing import with_smallest

    tasks, asked, pythons, limit, minimize = job
    found = findings_of(tasks, asked, pythons=pythons, limit=limit, begun=begun)
    findings = sorted(found, key=lambda finding: tasks.index(finding.task))
    if minimize:
        findings = [with_smallest(f, pythons=pythons, limit=limit) for f in findings]
    return findings


def _programs(texts: Sequence[str]) -> dict[str, str]:
    """Return the folders of ``--program NAME=FOLDER``; a ParseError if nobody asks such a one."""
    from exactdp.cli.files import programs_of
    from exactdp.compare.accountants import known_programs

    found, known = programs_of(texts), known_programs()
    for name in found:
        if name not in known:
            raise ParseError(
                f"--program={name!r} is not a program that can be asked here. "
                f"Give one of {', '.join(known)}."
            )
    return found


def _document(file: str) -> Any:
    from exactdp.cli.files import content
    from exactdp.problems.strict_json import strict_json

    return strict_json(content(file))


def _tasks(document: Any, file: str) -> list[Task]:
    from exactdp.compare.tasks import tasks_of
    from exactdp.problems.fixtures import problem_set_of
    from exactdp.problems.products import each_of
    from exactdp.problems.reading import problem_of

    if isinstance(document, dict) and "problems" in document:
        named = [(entry.name, entry.problem) for entry in problem_set_of(document)]
    else:
        named = [(one.name, one.problem) for one in each_of(document)]
    where = "" if file == "-" else file
    return [t for name, one in named for t in tasks_of(problem_of(one), name=name, file=where)]


def _print(findings: Sequence[Finding]) -> None:
    from exactdp.cli.tables import print_table
    from exactdp.compare.formats import COLUMNS, grouped, open_ones, row

    for title, group in grouped(findings):
        print(one_line(title))
        print_table(COLUMNS, [row(finding) for finding in group])
        for line in open_ones(group):
            print(one_line(line))
    absent = [f.accountant for f in findings if f.standing.name == "ABSENT"]
    for words, is_program in (("not installed", False), ("in no folder here (--program)", True)):
        names = dict.fromkeys(one.library for one in absent if one.is_program is is_program)
        if names:
            print(f"{words}: {', '.join(names)}")
