"""The command ``audit``: the trial of claims."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.claims import UNREADABLE, print_unreadable
from exactdp.cli.names import complete
from exactdp.cli.numeric import seconds, whole
from exactdp.cli.running import Dask, Programs, Pythons, Resume, Workers, executor_of, store_of
from exactdp.cli.summary import FEW, LINES, folded, in_full, lines_of, shortened
from exactdp.errors import DomainError, ParseError

if TYPE_CHECKING:
    from exactdp.audit import ClaimVerdict
    from exactdp.claims import Claim, Paper

__all__ = ["audit"]

_RECOUNT = 1
"""The kernel's budget for the recount of a finite domain, in its seconds; more takes longer."""

_LEFT = "its recount is kept"


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
    full: Annotated[
        bool, typer.Option("--full", help="Search anew, also where a verdict is kept.")
    ] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Search much longer; a --full one.")] = False,
    search: Annotated[
        bool,
        typer.Option("--search", help="Search what survived over its whole domain, no trial."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the draws of --search.", **whole())] = 0,
    budget: Annotated[
        int | None,
        typer.Option(help="Of --search, for each reading.", **whole(1, metavar="OPERATIONS")),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every verdict.")] = False,
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
        typer.Option(help="For each claim; by default 3600.", **seconds()),
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

    Trials begin at kept evidence: refutations are computed again at their witnesses, proofs are
    checked, finite domains counted. --full searches anew, which takes minutes. --search is a
    campaign: what survived is looked at over all that is documented; --update-inventory keeps it.

    Example: exactdp audit biswas2023 --out report

    Exit code 0: the inventory is reproduced. 1: a verdict or a kept certificate changed, a
    certificate was refused, or a trial raised an error; with --newest: a promise falls that stood;
    with --search: an instance fails.
    3: a paper could not be read; all others were tried.
    """
    from exactdp.audit import audit_claims, folder_to_keep, verdicts_document, write_results
    from exactdp.claims import Effort, select
    from exactdp.cli.audit_search import search as search_all
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
    if search:
        if environments is not None:
            _installed(chosen, environments, newest=False)
        keep = update_inventory
        raise typer.Exit(search_all(chosen, seed=seed, budget=budget, keep=keep, workers=workers))
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
    is_full = full or deep or newest or update_inventory
    inventories = {} if is_full else {paper.key: _inventory(paper) for paper, _ in chosen}
    unwritten = None
    held = nullcontext() if out is None else held_folder(out)
    with executor_of(dask, workers) as executor, held as place:
        decided = audit_claims(
            chosen,
            effort=effort,
            kept=inventories,
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
    if newest:
        asked = selection.chosen
        raise typer.Exit(_print_history(asked, results, versions, quiet=as_json))
    refused, uncounted = _checked_by_the_kernel(everything, workers, is_full=is_full)
    changes: list[str] = []
    for paper, _ in chosen:
        if update_inventory:
            changes += _not_kept(paper, results[paper.key])
        changes += _changes(paper, results[paper.key], complete=paper.key in whole)
    in_short = not verbose and len(everything) > FEW
    lines = [
        *lines_of(everything, refused, uncounted, rule=not in_short),
        *(f"refused: {line}" for line in refused),
        *changes,
        *(["the inventory is reproduced"] if everything and not changes else []),
        *([] if is_full else _kept_searches(everything, inventories, uncounted)),
    ]
    lines = folded(lines) if in_short else lines
    if in_short and not as_json:
        found = [(paper, results[paper.key]) for paper, _ in chosen]
        lines = [*shortened(found, lines=LINES - len(lines)), *lines]
    elif everything and not as_json:
        in_full(everything)
    for line in lines:
        typer.echo(line, err=as_json)
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


def _checked_by_the_kernel(
    results: Sequence[ClaimVerdict], workers: int | None, *, is_full: bool
) -> tuple[list[str], int]:
    """Return one line for each certificate that the kernel refuses, and how many it left.

    That are finite domains which the engine has counted, and whose recount takes the kernel long:
    of a run that is not full, the kept recount of the same bytes stands.
    """
    from exactdp.claims import Proved
    from exactdp.execution import side_by_side

    written = [(name, one, 0) for result in results for name, one in result.certificates().items()]
    for result in results:
        is_counted = not any(isinstance(v, Proved) and v.steps for v in result.readings.values())
        most = _RECOUNT if is_counted and not is_full else 0
        written += [(f"proofs/{name}", one, most) for name, one in result.proofs().items()]
    answers = side_by_side(_refusal, written, workers=workers, name=lambda one: one[0])
    refused = [answer for answer in answers if answer]
    left = [answer for answer in refused if answer.endswith(_LEFT)]
    return [answer for answer in refused if answer not in left], len(left)


def _refusal(written: tuple[str, bytes, int]) -> str:
    """Return why the kernel does not accept a certificate; "" if it does."""
    from proofs_check.kernel import Accepted, check

    name, content, most = written
    answer = check(content, seconds=most) if most else check(content)
    if isinstance(answer, Accepted):
        return ""
    is_left = most and f"more than {most} seconds of work" in str(answer)
    return f"{name}: {_LEFT if is_left else answer}"


def _kept_searches(
    results: Sequence[ClaimVerdict], inventories: Mapping[str, Any], uncounted: int
) -> Iterator[str]:
    """Yield lines on the searches that a run without --full has not made anew."""
    from collections import Counter

    from exactdp.audit.begun import begun_at

    ended: Counter[bool] = Counter()
    for result in results:
        kept = inventories.get(result.claim.id.partition("/")[0], {}).get(result.claim.id, {})
        for key, facts in kept.get("readings", {}).items():
            reading = result.claim.readings.get(key)
            if reading is not None and result.label != "absent":
                ended[facts["verdict"] == "refuted"] += begun_at(reading, facts) is not reading
    if uncounted:
        yield f"{uncounted} more are finite domains: the engine counted, the kernel's count is kept"
    if ended.total():
        yield (
            f"kept, not made (--full): searches behind {ended[False]} verdicts that stand, "
            f"{ended[True]} that fall"
        )


def _not_kept(paper: Paper, results: list[ClaimVerdict]) -> list[str]:
    """Write the inventory of a paper; return a line if it must not be written."""
    from exactdp.audit import write_inventory

    try:
        write_inventory(paper, results)
    except DomainError as error:
        return [str(error)]
    return []


def _inventory(paper: Paper) -> Mapping[str, Any]:
    """Return a paper's inventory, if it can be read."""
    from exactdp.audit import read_inventory

    try:
        return read_inventory(paper) or {}
    except ParseError:  # which the comparison says
        return {}


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
