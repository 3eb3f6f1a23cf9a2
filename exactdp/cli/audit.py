"""The command ``audit``: the trial of claims."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.claims import UNREADABLE, print_unreadable
from exactdp.cli.names import complete
from exactdp.cli.running import Dask, Programs, Pythons, Resume, Workers, executor_of, store_of
from exactdp.errors import DomainError, ParseError

if TYPE_CHECKING:
    from exactdp.audit import ClaimVerdict
    from exactdp.claims import Claim, Paper

__all__ = ["audit"]

_CHECKED = {
    "kernel": "in the kernel",
    "coq": "in Coq",
    "engine": "by the engine alone (sympy, balls)",
}
_RESTING = {
    **{("proved", rests): f"proved {how}" for rests, how in _CHECKED.items()},
    **{("argued", rests): f"argued, every step checked {how}" for rests, how in _CHECKED.items()},
    ("argued", "engine"): "argued, every step checked, some by the engine alone (sympy, balls)",
    ("argued", "words"): "argued in words",
}


def audit(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER|CLAIM]...", help="All papers if none.", autocompletion=complete
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write verdicts.json, certificates/, proofs/ here."),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Search much longer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    workers: Workers = None,
    dask: Dask = None,
    resume: Resume = True,
    update_inventory: Annotated[
        bool,
        typer.Option("--update-inventory", help="Keep these verdicts as the paper's inventory."),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="For each claim; by default 3600."),
    ] = None,
    pythons: Pythons = None,
    folders: Programs = None,
    environments: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Install the libraries here, each by itself, and ask them there."
        ),
    ] = None,
    newest: Annotated[
        bool,
        typer.Option("--newest", help="Their newest releases: what is fixed, still so, or new?"),
    ] = False,
) -> None:
    """Put published claims, and promises of libraries, on trial.

    Exit code 0: the inventory is reproduced. 1: a verdict or a kept certificate changed, a
    certificate was refused, or a trial raised an error; with --newest: a promise falls that stood.
    3: a paper could not be read; all others were tried.
    """
    from exactdp.audit import audit_claims, folder_to_keep, verdicts_document, write_results
    from exactdp.claims import Effort, select
    from exactdp.cli.files import interpreters_of, programs_of
    from exactdp.execution import held_folder, tell_interpreters, tell_programs

    tell_interpreters(interpreters_of(pythons or []))
    tell_programs(programs_of(folders or []))
    selection = select(names or [])
    chosen, whole = selection.chosen, selection.whole
    if newest and (environments is None or update_inventory):
        raise DomainError(
            "--newest asks releases that pip installs, of which no inventory is kept. Give "
            "--environments DIR, and leave --update-inventory out."
        )
    versions = {} if environments is None else _installed(chosen, environments, newest=newest)
    if newest:  # what was tried at the newest release is kept
        chosen = [(paper, tuple(_renewed(claims, versions))) for paper, claims in chosen]
    if update_inventory:
        if not all(paper.key in whole for paper, _ in chosen):
            raise DomainError(
                f"--update-inventory with {names} would keep a part of a paper. Name whole papers."
            )
        for paper, _ in chosen:
            folder_to_keep(paper)  # refuses before the trial, not after it
    effort = Effort.DEEP if deep else Effort.DEFAULT
    unwritten = None
    held = nullcontext() if out is None else held_folder(out)
    with executor_of(dask, workers) as executor, held as place:
        decided = audit_claims(
            chosen,
            effort=effort,
            workers=workers,
            executor=executor,
            store=store_of(place, resume=resume),
            seconds=time_limit,
        )
        results = {paper.key: found for (paper, _), found in zip(chosen, decided, strict=True)}
        everything = [result for found in results.values() for result in found]
        try:
            if place is not None:
                write_results(everything, place)
        except DomainError as error:  # what was found is printed all the same
            unwritten = error
    if as_json:
        print(json.dumps(verdicts_document(everything), indent=1, ensure_ascii=False))
    elif everything:
        _print_verdicts(everything)
    if newest:
        asked = selection.chosen
        raise typer.Exit(_print_history(asked, results, versions, quiet=as_json))
    refused = _refused_certificates(everything, workers)
    changes: list[str] = []
    for paper, _ in chosen:
        if update_inventory:
            changes += _not_kept(paper, results[paper.key])
        changes += _changes(paper, results[paper.key], complete=paper.key in whole)
    _print_summary(everything, refused, changes, quiet=as_json)
    print_unreadable(selection.unreadable)
    if unwritten is not None:
        raise unwritten
    raised = any(result.label == "error" for result in everything)
    changed = any(not line.startswith("note: ") for line in changes)
    code = 1 if raised or refused or changed else 0
    raise typer.Exit(UNREADABLE if selection.unreadable else code)


def _installed(
    chosen: Sequence[tuple[Paper, Sequence[Claim]]], folder: Path, *, newest: bool
) -> dict[str, str]:
    """Make the environments of the libraries that are asked; return their versions there."""
    from exactdp.execution import tell_any_version, tell_interpreters
    from exactdp.execution.environments import environments_in, make_all

    asked = {claim.about.partition("==")[0] for _, one in chosen for claim in one if claim.about}
    wanted = [e for paper, _ in chosen for e in environments_in(Path(paper.folder))]
    made = []
    for one in make_all([e for e in wanted if e.name in asked], folder, newest=newest):
        typer.echo(str(one), err=True)
        made.append(one)
    tell_interpreters({one.environment.name: one.python for one in made if one.python})
    if newest:
        tell_any_version()
    return {one.environment.name: one.version for one in made if one.python}


def _renewed(claims: Sequence[Claim], versions: Mapping[str, str]) -> list[Claim]:
    """Return the claims about libraries of which another version is here."""
    abouts = ((claim, (claim.about or "").partition("==")) for claim in claims)
    return [claim for claim, (name, _, kept) in abouts if versions.get(name, kept) != kept]


def _print_history(
    asked: Sequence[tuple[Paper, Sequence[Claim]]],
    results: Mapping[str, list[ClaimVerdict]],
    versions: Mapping[str, str],
    *,
    quiet: bool,
) -> int:
    """Print the change of each promise; return the exit code."""
    from exactdp.audit import read_inventory, since, table

    code = 0
    for paper, claims in asked:
        kept, found = read_inventory(paper) or {}, results[paper.key]
        typer.echo(table(kept, claims, found, versions), err=quiet)
        code |= any(word == "new" for _, _, word in since(kept, found))
    return code


def _print_verdicts(results: list[ClaimVerdict]) -> None:
    from exactdp.audit import found_text
    from exactdp.cli.tables import print_table

    rows = []
    for result in results:
        if "" in result.readings:
            found = found_text(result.readings[""])
            said = _reading(result.claim, "") + _beside(result.claim)
            tried = f" ({result.tried})" if result.tried else ""
            rows.append([result.claim.id, result.label, found + said + tried])
            continue
        rows.append([result.claim.id, result.label, result.tried + _beside(result.claim)])
        rows += [
            [f"  ({key})", v.label, f"{_reading(result.claim, key)}: {found_text(v)}"]
            for key, v in result.readings.items()
        ]
    print_table(["claim", "verdict", "what was found"], rows)


def _reading(claim: Claim, key: str) -> str:
    return claim.reading_says.get(key, "") + "".join(f" [{x}]" for x in claim.apart(key))


def _beside(claim: Claim) -> str:
    """Return the words of the authors, or others, about a claim."""
    said = {"withdrawn by the authors": claim.withdrawn, "known": claim.known}
    return "".join(f" [{how}: {text}]" for how, text in said.items() if text)


def _refused_certificates(results: list[ClaimVerdict], workers: int | None) -> list[str]:
    """Return one line for each certificate that the kernel does not accept."""
    from exactdp.execution import side_by_side

    written = [one for result in results for one in result.certificates().items()]
    written += [(f"proofs/{x}", y) for result in results for x, y in result.proofs().items()]
    answers = side_by_side(_refusal, written, workers=workers, name=lambda one: one[0])
    return [answer for answer in answers if answer is not None]


def _refusal(written: tuple[str, bytes]) -> str | None:
    from proofs_check.kernel import Accepted, check

    name, content = written
    answer = check(content)
    return None if isinstance(answer, Accepted) else f"{name}: {answer}"


def _not_kept(paper: Paper, results: list[ClaimVerdict]) -> list[str]:
    """Write the inventory of a paper; return a line if it must not be written."""
    from exactdp.audit import write_inventory

    try:
        write_inventory(paper, results)
    except DomainError as error:
        return [str(error)]
    return []


def _changes(paper: Paper, results: list[ClaimVerdict], *, complete: bool) -> list[str]:
    from exactdp.audit import inventory_changes, read_inventory

    try:
        kept = read_inventory(paper)
    except ParseError as error:  # one paper's file does not end the run of all
        return [str(error)]
    if kept is None:
        return [f"note: {paper.key} keeps no inventory; --update-inventory makes one"]
    changes = inventory_changes(kept, results, complete=complete)
    return changes or _other_certificates(Path(paper.folder), results)


def _other_certificates(folder: Path, results: list[ClaimVerdict]) -> list[str]:
    """Return one line for each kept certificate that is not that of the kept evidence."""
    from exactdp.audit.kept import EVIDENCE, Kept, kept_evidence
    from exactdp.claims.certificate import one_line

    try:
        kept = kept_evidence(folder)
    except ParseError as error:
        return [str(error)]
    missing = Kept(str(folder / EVIDENCE), b"")
    return [
        f"{one.place}: {name} is not the certificate that the trial finds"
        for result in results
        for name, content in result.files().items()
        if (one := kept.get(name, missing)).content != one_line(content)
    ]


def _resting(results: list[ClaimVerdict]) -> Iterator[str]:
    """Yield for each paper the evidence of its proved readings, and how many are argued."""
    by_paper: dict[str, list[tuple[str, str]]] = {}
    for result in results:
        paper = result.claim.id.partition("/")[0]
        rests = ((result.readings[key].label, rests) for key, rests in result.rests.items())
        by_paper.setdefault(paper, []).extend(rests)
    for paper, found in by_paper.items():
        said = [f"{found.count(x)} {what}" for x, what in _RESTING.items() if x in found]
        if said:
            yield f"{paper}: {', '.join(said)}"


def _print_summary(
    results: list[ClaimVerdict], refused: list[str], changes: list[str], *, quiet: bool
) -> None:
    from collections import Counter

    from exactdp.audit.tally import RULE, rows_of_results, tally

    fallen = tally(rows_of_results(results))
    labels = Counter(result.label for result in results)
    certificates = sum(len(result.certificates()) for result in results)
    proofs = sum(len(result.proofs()) for result in results)
    unproved = sum(line.startswith("proofs/") for line in refused)
    unshown = len(refused) - unproved
    verdicts = [verdict for result in results for verdict in result.readings.values()]
    untested = sum(getattr(verdict, "untested", None) is not None for verdict in verdicts)
    lines = [
        *([f"falls: {fallen.line}. {RULE}"] if fallen.claims else []),
        f"{len(results)} claims: " + ", ".join(f"{n} {label}" for label, n in labels.most_common()),
        f"{certificates} certificates, {certificates - unshown} accepted by the kernel",
        f"{proofs} proofs, {proofs - unproved} accepted by the kernel",
        *_resting(results),
        *([f"untested verdicts: {untested} (see their lines)"] if untested else []),
        *(f"refused: {line}" for line in refused),
        *changes,
    ]
    if results and not changes:
        lines.append("the inventory is reproduced")
    for line in lines:
        typer.echo(line, err=quiet)
