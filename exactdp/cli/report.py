"""The command ``report``: the results of an audit as one page for readers."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.kernel import asked
from exactdp.cli.names import complete
from exactdp.cli.numeric import whole
from exactdp.errors import DomainError, ParseError

if TYPE_CHECKING:
    from exactdp.report import Setting

__all__ = ["report"]


class Style(StrEnum):
    """The forms of a report; the value is also the file's ending."""

    HTML = "html"
    MARKDOWN = "markdown"


def report(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="What `exactdp audit --out DIR` wrote.")
    ] = None,
    *,
    claim: Annotated[
        str | None,
        typer.Option(
            "--letter",
            metavar="CLAIM",
            help="Print one refuted claim as a page to paste into a mail.",
            autocompletion=complete,
        ),
    ] = None,
    reading: Annotated[
        str | None, typer.Option(help="Of the letter; by default the first that falls.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="By default DIR.html beside DIR; - prints.")
    ] = None,
    style: Annotated[Style, typer.Option("--format", help="For a browser, or for a README.")] = (
        Style.HTML
    ),
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="OLD.json", help="Mark what changed since these verdicts."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a processor.", **whole(1))
    ] = None,
) -> None:
    """Write the results of an audit as one page.

    Example: exactdp report report

    With --letter, print one refuted claim as it is kept: the words, the instance, the numbers, and
    some lines of Python that check them.

    The kernel checks each certificate again. Exit code 0: all are accepted. 1: one is not, and the
    page says so.
    """
    if claim is not None:
        _letter(claim, reading, folder)
        return
    if folder is None:
        raise DomainError("DIR is missing. Give a folder of `exactdp audit --out`, or --letter.")
    from exactdp.execution import held_file, side_by_side
    from exactdp.report import HEAD, MARK, changes, html, markdown, read_baseline, read_results

    if style is Style.HTML and find_spec("jinja2") is None:
        raise DomainError("the page needs jinja2, which is missing. Install exactdp[report].")
    before = None if baseline is None else read_baseline(baseline)
    papers = read_results(folder, baseline=before)
    certificates = [c for p in papers for _, r in p.readings if (c := r.certificate) is not None]
    answers = side_by_side(
        asked, [c.content for c in certificates], workers=workers, name=lambda _: "certificates"
    )
    for certificate, answer in zip(certificates, answers, strict=True):
        if answer.kind == "Unreadable":
            raise ParseError(f"{folder / certificate.name} is not a certificate: {answer.said}.")
        certificate.accepted = answer.kind == "Accepted"
        certificate.statement, certificate.values = answer.said, answer.values
        certificate.also = answer.also
    changed = None if before is None else changes(papers, before)
    home = folder.resolve()
    path = home.with_name(f"{home.name}.{'md' if style is Style.MARKDOWN else 'html'}")
    if out not in (None, "-"):
        path = Path(str(out))
    typed = ["exactdp", "report", str(folder)]
    typed += [] if baseline is None else ["--baseline", str(baseline)]
    if style is Style.MARKDOWN:
        head, content = MARK, markdown(papers, changed=changed)
    else:
        beside = Path(relpath(home, path.resolve().parent)).as_posix()
        content = html(
            papers,
            folder=str(folder),
            command=join(typed),
            beside=beside,
            changed=changed,
            looseness=_looseness(),
        )
        head = HEAD
    if out == "-":
        sys.stdout.write(content.decode())
    else:
        with held_file(path, head=head) as place:
            place.write(content)
        print(f"{path}: {len(content) / 1e6:.2f} MB")
    refused = [c for c in certificates if not c.accepted]
    for certificate in refused:
        print(f"not accepted: {certificate.name}: {certificate.statement}", file=sys.stderr)
    raise typer.Exit(1 if refused else 0)


def _looseness() -> list[Setting]:
    """Return how many times the truth published bounds are, as it is kept beside the papers."""
    from msgspec import convert

    from exactdp.report import Setting
    from proofs_check.looseness import kept

    return convert(kept(), list[Setting])


def _letter(claim_id: str, reading: str | None, folder: Path | None) -> None:
    from exactdp.claims import find_claim
    from exactdp.report.letter import letter

    if folder is not None:
        raise DomainError(
            "--letter is about a kept claim, and takes no DIR. Leave one of them out."
        )
    found = find_claim(claim_id)
    if found is None:
        raise DomainError(f"claim={claim_id!r} is not in the catalog. See `exactdp claims`.")
    print(letter(*found, reading), end="")
