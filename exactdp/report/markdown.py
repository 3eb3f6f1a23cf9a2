"""A report for a README or an artifact appendix: tables of verdicts, refutations with witness."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from exactdp import __version__
from exactdp.claims.doubles import InDoubles
from exactdp.report.plots import four_digits
from exactdp.report.reading import VERDICTS, Reading, ReportedClaim, ReportedPaper
from exactdp.report.words import MEANING, SIGNS, doubles_in_words, falls_in_words

__all__ = ["MARK", "markdown"]

MARK = b"<!-- exactdp report"
"""What every such file begins with."""


def markdown(
    papers: Sequence[ReportedPaper], *, changed: Sequence[tuple[str, str, str]] | None = None
) -> bytes:
    """Return the report as Markdown, for the papers in their order.

    Args:
        papers: What was read, with the kernel's answers.
        changed: What changed since the baseline, if there is one.
    """
    used = [v for v in VERDICTS if any(c.verdict == v for p in papers for c in p.claims)]
    certificates = [c for p in papers for _, r in p.readings if (c := r.certificate) is not None]
    lines = [
        f"{MARK.decode()}, exactdp {__version__} -->",
        "# Published claims on trial",
        "",
        *_table(
            ["paper", "claims", *(f"{SIGNS[v]} {v}" for v in used)], [_row(p, used) for p in papers]
        ),
        "",
        *(f"- **{SIGNS[v]} {v}**: {MEANING[v]}." for v in used),
        "",
        f"{sum(c.accepted for c in certificates)} of {len(certificates)} certificates are accepted "
        "by the kernel. (kept): not found in this run, but kept for the named version.",
    ]
    if changed is not None:
        lines += ["", "## Changed since the baseline", ""]
        lines += [f"- `{name}`: was {was}, is {now}" for name, was, now in changed] or ["Nothing."]
    for paper in papers:
        rows = [_fallen(c, r) for c, r in paper.readings if r.verdict == "refuted"]
        lines += ["", f"## {_cell(paper.citation)}", "", falls_in_words(paper), ""]
        if rows:
            lines += _table(["claim", "falls", "fails at", "found", "certificate"], rows)
        if paper.in_doubles:
            lines += ["", f"Published bounds in doubles: {doubles_in_words(paper)}.", ""]
            lines += _table(
                ["bound", "in doubles", "at", "the double", "the formula"],
                [_double(one) for _, one in paper.in_doubles],
            )
    return ("\n".join(lines) + "\n").encode()


def _row(paper: ReportedPaper, verdicts: Sequence[str]) -> list[str]:
    counts = [sum(claim.verdict == verdict for claim in paper.claims) for verdict in verdicts]
    return [paper.key, str(len(paper.claims)), *map(str, counts)]


def _fallen(claim: ReportedClaim, reading: Reading) -> list[str]:
    kept = f" (kept, {claim.about})" if claim.kept else ""
    pair, certificate = reading.compared, reading.certificate
    found = reading.found
    if not found and pair is not None:
        stated, true = (four_digits(Decimal(x.decimal)) for x in (pair.stated, pair.true) if x)
        found = f"claimed {stated}, true {true}"
    checked = "none"
    if certificate is not None:
        checked = f"`{certificate.file}`, " + ("accepted" if certificate.accepted else "refused")
        checked += "".join(f"; {name}: accepted" for name in certificate.also)
    name = f"`{claim.id}`" + (f" ({reading.key})" if reading.key else "")
    falls = reading.facts.falls or ""
    return [name + kept, falls, reading.facts.witness or "", found, checked]


def _double(one: InDoubles) -> list[str]:
    word = one.short + (", below the truth" if one.below_truth else "")
    double = "" if one.at is None else one.double or "an error"
    return [f"`{one.bound}`", word, one.at or "", double, one.formula or ""]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [columns, ["---"] * len(columns), *rows]
    return ["| " + " | ".join(map(_cell, row)) + " |" for row in lines]


def _cell(text: str) -> str:
    for character in "\\|<>*_":
        text = text if text.startswith("`") else text.replace(character, f"\\{character}")
    return " ".join(text.split())
