"""The lines that ``audit`` prints of its verdicts: all in a table, or their sum in forty lines.

The sum says what holds and what falls, paper by paper; then the worst of what falls, one line for
each error, with the numbers and with what to use instead; then what was checked, and what of it was
kept and not made anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from textwrap import shorten, wrap
from typing import TYPE_CHECKING

from exactdp.cli.tables import one_line
from exactdp.errors import number_of

if TYPE_CHECKING:
    from exactdp.audit import ClaimVerdict
    from exactdp.claims import Claim, Paper, Refuted

__all__ = ["FEW", "LINES", "WIDTH", "folded", "in_full", "lines_of", "shortened"]

WIDTH, LINES = 80, 40
"""The columns and the lines of a short summary, at most."""

FEW = 8
"""So many claims are few: their verdicts are printed one by one."""

_LABELS = ("proved", "argued", "survived", "refuted", "unspecified", "undecided", "error", "absent")
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

_Results = Sequence[tuple["Paper", Sequence["ClaimVerdict"]]]


def in_full(results: Sequence[ClaimVerdict]) -> None:
    """Print each verdict with its finding."""
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
    """Return the words of the authors, or of others, about a claim."""
    said = {"withdrawn by the authors": claim.withdrawn, "known": claim.known}
    return "".join(f" [{how}: {text}]" for how, text in said.items() if text)


def shortened(results: _Results, *, lines: int) -> Iterator[str]:
    """Yield the tally by paper, and the worst that falls, in so many lines."""
    yield from (by_paper := list(_by_paper(results)))
    left, worst = lines - len(by_paper) - 2, list(_worst(results))
    if worst:
        yield "results that fall, one for each error, unsafe unless said; what to use instead:"
    for number, (paper, result, key) in enumerate(worst):
        told = list(_fallen(paper, result, key))
        if (left := left - len(told)) < 0:
            yield f"  and {number_of(len(worst) - number, 'more error')}: --verbose"
            return
        yield from told


def _by_paper(results: _Results) -> Iterator[str]:
    """Yield a table of verdicts on readings."""
    found = [
        (paper.key, Counter(v.label for result in own for v in result.readings.values()))
        for paper, own in results
    ]
    labels = [label for label in _LABELS if any(label in counts for _, counts in found)]
    names = max(len(name) for name, _ in found)
    yield "  ".join(["readings".ljust(names), *labels])
    for name, counts in found:
        cells = (str(counts[label] or "-").rjust(len(label)) for label in labels)
        yield "  ".join([name.ljust(names), *cells])


def _worst(results: _Results) -> list[tuple[Paper, ClaimVerdict, str]]:
    """Return the refuted results that somebody claims, the worst of each error, the worst first."""
    from exactdp.claims import Refuted
    from exactdp.claims.verdicts import Falls

    found: dict[str, tuple[Decimal, tuple[Paper, ClaimVerdict, str]]] = {}
    for paper, own in results:
        for result in own:
            for key, verdict in result.readings.items():
                if not isinstance(verdict, Refuted) or result.claim.apart(key):
                    continue
                if (verdict.falls or Falls.RESULT) is not Falls.RESULT:
                    continue
                error = result.claim.causes.get(key, result.claim.id)
                entry = _times(verdict), (paper, result, key)
                found[error] = max(found.get(error, entry), entry, key=lambda one: one[0])
    return [one for _, one in sorted(found.values(), key=lambda one: one[0], reverse=True)]


def _times(verdict: Refuted) -> Decimal:
    """Return how many times the smaller side the larger is; 0 where that is no number."""
    return (verdict.sides and verdict.sides.claimed and verdict.sides.times) or Decimal(0)


def _fallen(paper: Paper, result: ClaimVerdict, key: str) -> Iterator[str]:
    """Yield where an error is worst, by how much, on which side, and its repair."""
    from exactdp.audit.sizes import errs

    verdict, name = result.readings[key], result.claim.id + (f" ({key})" if key else "")
    sides, said = getattr(verdict, "sides", None), f"at {getattr(verdict, 'witness', '')}"
    reading = result.claim.readings[key]
    unit = getattr(reading, "unit", "")
    if sides is not None and sides.true is not None and unit:
        true, stated = (f"{Decimal(one.decimal):.3g}" for one in (sides.true, sides.stated))
        side = errs({"sides": {"sign": sides.sign, "claimed": sides.claimed}}, reading)
        said = f"true {unit} {true}, claimed {stated}"
        said += " (on the safe side)" if side == "safe" else ""
    mend = paper.mend_of(result.claim, key)
    yield _cut("  ", f"{name}: {said}")
    yield _cut("    ", f"use {mend}" if mend else "no mend is known")


def _cut(indent: str, text: str) -> str:
    return indent + shorten(one_line(text), WIDTH - len(indent), placeholder=" ...")


def lines_of(
    results: Sequence[ClaimVerdict], refused: Sequence[str], uncounted: int, *, rule: bool
) -> Iterator[str]:
    """Yield the counts of errors, verdicts and evidence, and the grounds of these.

    Args:
        results: The verdicts.
        refused: One line for each certificate that the kernel does not accept.
        uncounted: The proofs that it has not checked.
        rule: Whether all is told: how errors are counted, and what each paper's proofs rest on.
    """
    from exactdp.audit.tally import RULE, rows_of_results, tally

    fallen = tally(rows_of_results(results))
    labels = Counter(result.label for result in results)
    certificates = sum(len(result.certificates()) for result in results)
    proofs = sum(len(result.proofs()) for result in results)
    unproved = sum(line.startswith("proofs/") for line in refused)
    verdicts = [verdict for result in results for verdict in result.readings.values()]
    untested = sum(getattr(verdict, "untested", None) is not None for verdict in verdicts)
    if fallen.claims:
        yield f"falls: {fallen.line}" + (f". {RULE}" if rule else "")
    told = ", ".join(f"{n} {label}" for label, n in labels.most_common())
    yield f"{number_of(len(results), 'claim')}: {told}"
    shown = certificates - len(refused) + unproved
    yield f"{number_of(certificates, 'certificate')}, {shown} accepted by the kernel"
    yield f"{number_of(proofs, 'proof')}, {proofs - unproved - uncounted} accepted by the kernel"
    yield from _resting(results, each=rule)
    if untested:
        yield f"untested verdicts: {untested} (see their lines)"


def _resting(results: Sequence[ClaimVerdict], *, each: bool) -> Iterator[str]:
    """Yield the grounds of proved readings, and how many are argued: of each paper, or of all."""
    found: dict[str, list[tuple[str, str]]] = {}
    for result in results:
        paper = result.claim.id.partition("/")[0] if each else "all"
        rests = ((result.readings[key].label, rests) for key, rests in result.rests.items())
        found.setdefault(paper, []).extend(rests)
    for paper, of_paper in found.items():
        said = [f"{of_paper.count(x)} {what}" for x, what in _RESTING.items() if x in of_paper]
        if said:
            yield f"{paper}: {', '.join(said)}"


def folded(lines: Sequence[str]) -> list[str]:
    """Return lines as lines of at most :data:`WIDTH` columns."""
    return [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="  ") or [""]]
