"""The page: one HTML file with everything in it, and no address that would be loaded.

``html`` fills ``page.html`` with what was read; the style sheet and the script are put inside.

Definitions: :func:`html`, :data:`HEAD`, :data:`MOST_BYTES`.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from importlib import resources
from typing import Any

from exactdp import __version__
from exactdp.audit.tally import RULE
from exactdp.claims import Sides, installed_paper
from exactdp.report import plots, tables
from exactdp.report.evidence import KeptCertificate
from exactdp.report.looseness import Setting, drawn_bounds
from exactdp.report.prose import prose, signs, witness
from exactdp.report.reading import VERDICTS, Reading, ReportedClaim, ReportedPaper
from exactdp.report.words import (
    FALLS,
    HOW,
    IN_DOUBLES,
    MEANING,
    SIGNS,
    doubles_in_words,
    fallen,
    falls_in_words,
    label,
)

__all__ = ["HEAD", "MOST_BYTES", "html"]

HEAD = b"<!DOCTYPE html>\n<!-- exactdp report -->"
"""What every report begins with: so a later run knows that it may replace it."""

VISIBLE = Decimal("1.001")
"""Two numbers that are nearer than this factor are not an interval that an eye could see."""

MOST_BYTES = 2_000_000
"""The size of a page: certificates for which there is no room in it are beside it."""


def html(
    papers: Sequence[ReportedPaper],
    *,
    folder: str,
    command: str,
    beside: str,
    changed: Sequence[tuple[str, str, str]] | None = None,
    looseness: Sequence[Setting] = (),
) -> bytes:
    """Return the page.

    Args:
        papers: What was read, with the kernel's answers.
        folder: What to call the folder of results.
        command: What made the page.
        beside: The way from the page to the folder, for certificates that do not fit inside.
        changed: What changed since the baseline, if there is one.
        looseness: How many times the truth bounds are; drawn if one of them is on the page.

    Raises:
        ModuleNotFoundError: If jinja2 is not installed.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("exactdp", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    files = resources.files("exactdp") / "report"
    environment.filters |= {
        "witness": lambda at: Markup(witness(at)),
        "prose": lambda text: Markup(prose(signs(text))),
        "visible": lambda pair: pair.times >= VISIBLE,
        "number": lambda value: Markup(_scientific(plots.four_digits(Decimal(value)))),
        "lead": _lead,
        "html": Markup,
    }
    claims = [claim for paper in papers for claim in paper.claims]
    certificates = [c for p in papers for _, r in p.readings if (c := r.certificate) is not None]
    page = environment.get_template("page.html")
    values: dict[str, Any] = {
        "papers": [_Section(paper, Markup) for paper in papers],
        "claims": claims,
        "ids": {claim.id for claim in claims},
        "certificates": certificates,
        "accepted": sum(certificate.accepted for certificate in certificates),
        "counts": _counts(claims),
        "kept": sum(claim.kept for claim in claims),
        "fallen": fallen(papers),
        "verdicts": VERDICTS,
        "signs": SIGNS,
        "meaning": MEANING,
        "falls": FALLS,
        "in_doubles": IN_DOUBLES,
        "looseness": _looseness(looseness, {claim.id for claim in claims}, Markup),
        "rule": RULE,
        "causes": _causes(papers),
        "how": HOW,
        "table": lambda reading: list(map(tables.row_of, reading.facts.beside)),
        "folder": folder,
        "command": command,
        "changed": changed,
        "version": __version__,
        "style": Markup((files / "page.css").read_text(encoding="utf-8")),
        "script": Markup((files / "page.js").read_text(encoding="utf-8")),
    }

    def link(certificate: KeptCertificate) -> str:
        if certificate in inside:
            return f"data:application/json;base64,{b64encode(certificate.content).decode()}"
        return "" if certificate.kept else f"{beside}/{certificate.name}"

    def render() -> bytes:
        text: str = page.render(**values, link=link, inside=inside)
        return text.encode()

    inside: list[KeptCertificate] = []
    room = MOST_BYTES - len(render())
    # What is kept has no other place that the page could lead to; then the small ones.
    for certificate in sorted(certificates, key=lambda c: (not c.kept, len(c.content))):
        room -= len(certificate.content) * 4 // 3 + 100
        if room >= 0:
            inside.append(certificate)
    return render()


def _looseness(settings: Sequence[Setting], ids: set[str], markup: Any) -> dict[str, Any] | None:
    """Return the plot of bounds of which the page has one, and its legend: symbols with names."""
    names = drawn_bounds(settings)
    anchors = {name: claim for name in names if (claim := name.partition("#")[0]) in ids}
    if not anchors:
        return None
    legend = [(markup(plots.symbol(i)), name, anchors.get(name)) for i, name in enumerate(names)]
    return {
        "count": len(settings),
        "legend": legend,
        "plot": markup(plots.looseness_plot(settings, anchors=anchors)),
    }


class _Section:
    """A paper as the page shows it: counts, refuted claims, plots."""

    def __init__(self, paper: ReportedPaper, markup: Any) -> None:
        self.paper = paper
        self.counts = _counts(paper.claims)
        self.bar = markup(plots.verdict_bar(self.counts))
        self.falls = falls_in_words(paper)
        self.doubles = doubles_in_words(paper)
        pairs = _against(paper)
        against = [row for row in pairs if _times(row[2]) >= VISIBLE]
        self.against, self.near, self.slack = len(against), pairs[len(against) :], _slack(paper)
        self.against_plot = self.slack_plot = ""
        if against:
            self.against_plot = markup(plots.claimed_against_true(against, name=paper.key))
        if self.slack:
            self.slack_plot = markup(plots.slack_plot(self.slack, name=paper.key))


def _causes(papers: Sequence[ReportedPaper]) -> dict[str, str]:
    """Return the errors that the installed papers name."""
    found: dict[str, str] = {}
    for paper in papers:
        try:
            found |= installed_paper(paper.key).causes
        except (Exception, SystemExit):  # a report of results needs no installed paper
            continue
    return found


def _counts(claims: Sequence[ReportedClaim]) -> dict[str, int]:
    found = Counter(claim.verdict for claim in claims)
    return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


def _against(paper: ReportedPaper) -> list[tuple[str, str, Sides]]:
    rows = [(c.id, label(c, r), pair) for c, r in paper.readings if (pair := r.compared)]
    return sorted(rows, key=lambda row: _times(row[2]), reverse=True)


def _times(pair: Sides) -> Decimal:
    return pair.times or Decimal(1)


def _slack(paper: ReportedPaper) -> list[tuple[str, str, Decimal]]:
    survived = [(c, r) for c, r in paper.readings if r.verdict == "survived"]
    rows = [(c.id, label(c, r), s) for c, r in survived if (s := _ratio(r)) is not None]
    return sorted(rows, key=lambda row: row[2])


def _ratio(reading: Reading) -> Decimal | None:
    try:
        ratio = Decimal(reading.facts.slack or "")
    except InvalidOperation:
        return None
    return ratio if ratio >= 1 else None


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    power = str(int(exponent or 0)).replace("-", "−")
    return f"{mantissa} · 10<sup>{power}</sup>" if exponent else text


def _lead(text: str) -> str:
    """Return the beginning of a sentence, without formulas cut in the middle."""
    if len(text) <= 150:
        return text
    start = text[:150].rpartition(" ")[0]
    if start.count("{") > start.count("}"):
        start = start.rpartition("{")[0].rpartition(" ")[0]
    return f"{start} …"
