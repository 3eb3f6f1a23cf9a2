"""The command ``bound``: a published bound at arguments, beside its double and the truth."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.names import complete_bound
from exactdp.errors import ParseError
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.bounds import BoundAnswer, PublishedBound

__all__ = ["bound"]

_MOST = 1000
"""The arguments that are asked at: each takes a fraction of a second."""

_EQUAL = Fraction(1, 100)
"""A bound that lies so near the truth, relatively, with the truth on both sides, is equal to it."""

_STANDING = ("proved", "argued", "survived")
"""Verdicts with which a bound may be used; with others it is said what to use instead."""

_HEADS = ("formula", "double", "safe double", "truth from", "to", "times the truth", "stands")


def bound(
    name: Annotated[
        str,
        typer.Argument(
            metavar="BOUND", help="Its name; see `exactdp bounds`.", autocompletion=complete_bound
        ),
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE...", help="Its arguments; lists as 1e3,1e6,1e9."),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the answers as CSV.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw bound, double and truth.")
    ] = None,
) -> None:
    """Ask a published bound: its formula, double and truth.

    Example: exactdp bound feldman2021/theorem-3.1 n=1e6 epsilon0=1 delta=1e-9

    Exit code 0, or 1 where the formula or its double is on the wrong side of the truth.
    """
    from exactdp.bounds import published

    found = published(name)
    asked = _asked(found, arguments or [])
    answers = [found(**one) for one in asked]
    varied = [x for x in found.domain.kinds if len({one[x] for one in asked}) > 1]
    if plot is not None:
        _draw(found, asked, answers, varied, plot)
    if as_json:
        documents = [answer.document() for answer in answers]
        whole = documents[0] if len(documents) == 1 else documents
        print(json.dumps(whole, indent=1, ensure_ascii=False))
    elif as_csv:
        sys.stdout.write(_csv(asked, answers))
    elif len(answers) == 1:
        _print(found, asked[0], answers[0])
    else:
        _print_table(found, asked, answers, varied)
    if any(answer.below_truth for answer in answers):
        raise typer.Exit(1)


def _asked(found: PublishedBound, given: Sequence[str]) -> list[dict[str, str]]:
    """Return the arguments of each answer, as they were typed."""
    values: dict[str, list[str]] = {}
    for text in given:
        name, equals, list_ = text.partition("=")
        if not equals or not list_:
            raise ParseError(f"{text!r} is not an argument. Give NAME=VALUE, such as n=1e6.")
        if name in values:
            raise ParseError(f"{name} is given twice. Give it once; a list is {name}=1,2,3.")
        values[name] = list_.split(",")
        if not all(values[name]):
            raise ParseError(f"{text!r} has an empty value. Write {name}=1,2,3.")
    count = 1
    for listed in values.values():
        count *= len(listed)
    if count > _MOST:
        raise ParseError(
            f"the lists are {count} questions; at most {_MOST} are asked. Shorten one."
        )
    asked = [dict(zip(values, texts, strict=True)) for texts in product(*values.values())]
    for one in asked:  # all of them before the first is computed
        found.checked(one)
    return asked


def _print(found: PublishedBound, at: dict[str, str], answer: BoundAnswer) -> None:
    from exactdp.claims.doubles import bound_in_doubles
    from exactdp.cli.tables import print_fields

    document = answer.document()
    rows = [("bound", f"{found.claim}: {found}")]
    if found.withdrawn:
        rows.append(("withdrawn", f"by the authors: {found.withdrawn}"))
    verdict = found.verdict or "none is kept"
    rows.append(("verdict", verdict if verdict != "refuted" else "refuted: it is not a bound"))
    if found.instead and (found.withdrawn or found.verdict not in _STANDING):
        rows.append(("instead", found.instead))
    rows += _mends(found)
    units = [f"{name} = {value} ({found.unit_of(name)})" for name, value in at.items()]
    rows.append(("at", ", ".join(units)))
    said = {True: "holds", False: "does NOT hold: the theorem says nothing here", None: "not told"}
    for one in document["hypotheses"]:
        rows.append(("supposes", f"{one['text']}: {said[one['holds']]}"))
    if answer.fault:
        rows.append(("fault", answer.fault))
    if answer.formula is not None:
        rows.append(("formula", f"{document['formula']} ({found.unit})"))
    if answer.double is not None:
        rows.append(("in doubles", f"{answer.double!r}{_apart(found, answer)}"))
    if answer.safe_double is not None:
        rows.append(("safe double", repr(answer.safe_double)))
    if answer.stable_double is not None:
        form = "its stable form" if found.stable else "the printed form"
        rows.append(("by doubles", f"{answer.stable_double!r}: {form}, with its error's bound"))
    rows += [("truth", text) for text in _truth(document["truth"])]
    if document["ratio"]:
        low, high = document["ratio"]["lower"], document["ratio"]["upper"]
        rows.append(("the bound is", f"{_short(low)} to {_short(high)} times the truth"))
    rows.append(("stands", _stands(answer)))
    kept = bound_in_doubles(found.claim)
    if kept:
        rows.append(("over its domain", f"in doubles: {kept}"))
    print_fields(rows, copied=("bound",))


def _mends(found: PublishedBound) -> list[tuple[str, str]]:
    """Return the kept mends of a bound that falls, in words."""
    from exactdp.bounds.kept import mend_of

    kept = mend_of(found.claim)
    if kept is None:
        return []
    tried = f"{kept['tried']} ordinary deployments"
    if not kept["refuted"]:
        return [("smallest mend", f"none of {tried} that were tried refutes it as it is")]
    rows = [f"tried at {tried}, {kept['refuted']} of which refute it as it is"]
    for key, words in (("factor", "times"), ("addend", "plus")):
        if (one := kept.get(key)) is not None:
            row = f"{words} {one['value']} none of them refutes it"
            if one["at"] is not None:
                at = ", ".join(f"{name}={value}" for name, value in one["at"].items())
                row += f"; {words} {one['refuted']} it is refuted at {at}"
            rows.append(row)
    if (supposed := kept["hypothesis"]) is not None:
        rows.append(f"with {supposed['text']} none of the {supposed['tried']} left refutes it")
    return [("smallest mend", row) for row in rows]


def _apart(found: PublishedBound, answer: BoundAnswer) -> str:
    from exactdp.bounds.layer import fall_at

    fall = fall_at(found, answer.arguments)
    if fall is None:
        return ", on its side of the formula"
    where = answer.bound.side.wrong
    many = "" if fall.ulps is None else f" by {fall.ulps:,} ulps" if fall.ulps < 10**9 else ""
    return f", {where} the formula{many} ({fall.fault.value})"


def _truth(known: dict[str, str] | None) -> list[str]:
    if known is None:
        return ["nothing finite is proved from above"]
    if known["lower_by"] == known["upper_by"]:
        return [f"{known['lower']} to {known['upper']}: {known['lower_by']}"]
    return [
        f"at least {known['lower']}: {known['lower_by']}",
        f"at most {known['upper']}: {known['upper_by']}",
    ]


def _stands(answer: BoundAnswer) -> str:
    where = answer.bound.side.wrong
    if answer.formula is None:
        return "not told: the formula has no value here"
    if answer.below_truth == "formula":
        return f"{where.upper()} THE TRUTH: the formula is not a bound here"
    if answer.below_truth == "double":
        return f"the formula holds or is not told; its double is {where.upper()} THE TRUTH"
    if answer.is_told:
        return "on its side of the truth"
    if answer.truth is None:
        return "not told: nothing is proved from above"
    ratio = answer.ratio
    if ratio is not None and ratio.lower <= 1 <= ratio.upper < ratio.lower + _EQUAL:
        return f"equal to the truth, as far as that is told: to {float(ratio.width):.1g}"
    proved, needed = "what is proved", "what is known to be needed"
    if answer.bound.side is Side.LOWER:
        proved, needed = needed, proved
    return f"not told: it is {where} {proved}, and not {where} {needed}"


def _short(text: str) -> str:
    return f"{float(text):.4g}"


def _row(answer: BoundAnswer) -> list[str]:
    document = answer.document()
    truth, ratio = document["truth"] or {}, document["ratio"] or {}
    times = f"{_short(ratio['lower'])} to {_short(ratio['upper'])}" if ratio else ""
    stands = answer.below_truth or ("on its side" if answer.is_told else "not told")
    if answer.below_truth:
        stands = f"{answer.below_truth} {answer.bound.side.wrong.upper()}"
    double = ["" if x is None else str(x) for x in (document["double"], document["safe_double"])]
    formula = "" if answer.formula is None else f"{float(document['formula']):.6g}"
    return [formula, *double, truth.get("lower", ""), truth.get("upper", ""), times, stands]


def _print_table(
    found: PublishedBound,
    asked: list[dict[str, str]],
    answers: list[BoundAnswer],
    varied: list[str],
) -> None:
    from exactdp.cli.tables import console, print_table

    fixed = ", ".join(f"{x}={v}" for x, v in asked[0].items() if x not in varied)
    out = console()
    out.print(f"{found.claim}: {found}")
    if found.withdrawn:
        out.print(f"withdrawn by the authors: {found.withdrawn}")
    out.print(f"verdict {found.verdict}; {fixed}")
    names = [", ".join(f"{x}={one[x]}" for x in varied) for one in asked]
    rows = [[name, *_row(answer)] for name, answer in zip(names, answers, strict=True)]
    print_table(["at", *_HEADS], rows)
    failing = {text for a in answers for text, holds in a.hypotheses if not holds.is_certain}
    for text in sorted(failing):
        where = [
            n
            for n, a in zip(names, answers, strict=True)
            if (text, a.holds) in [(t, a.holds) for t, h in a.hypotheses if not h.is_certain]
        ]
        out.print(
            f"note: {text} does not hold at {'; '.join(where)}: the theorem says nothing there"
        )


def _csv(asked: list[dict[str, str]], answers: list[BoundAnswer]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ["formula", "double", "safe_double", "truth_lower", "truth_upper"]
    more = ["lower_by", "upper_by", "ratio_lower", "ratio_upper", "below_truth", "hypotheses_hold"]
    writer.writerow([*asked[0], *heads, *more])
    for one, answer in zip(asked, answers, strict=True):
        document: dict[str, Any] = answer.document()
        truth, ratio = document["truth"] or {}, document["ratio"] or {}
        holds = {"TRUE": "true", "FALSE": "false", "UNKNOWN": ""}[answer.holds.name]
        writer.writerow(
            [
                *one.values(),
                *(document[x] for x in heads[:3]),
                *(truth.get(x) for x in ("lower", "upper", "lower_by", "upper_by")),
                *(ratio.get(x) for x in ("lower", "upper")),
                document["below_truth"],
                holds,
            ]
        )
    return out.getvalue()


def _draw(
    found: PublishedBound,
    asked: list[dict[str, str]],
    answers: list[BoundAnswer],
    varied: list[str],
    file: Path,
) -> None:
    from exactdp.bounds.plots import drawn

    if len(varied) != 1:
        raise ParseError(
            f"a plot is over one argument, and {len(varied)} have lists. Give one list, such as "
            "n=1e3,1e4,1e5."
        )
    fixed = ", ".join(f"{x}={v}" for x, v in asked[0].items() if x != varied[0])
    file.write_bytes(drawn(found, varied[0], answers, fixed))
