"""Findings as text for people and for CI systems: JSON, Markdown, JUnit, SARIF, GitHub."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from shlex import quote
from textwrap import shorten
from typing import Any
from urllib.parse import quote as url_quote
from xml.etree import ElementTree as ET

from exactdp import __version__
from exactdp.compare.findings import Finding
from exactdp.compare.tasks import Task
from exactdp.compare.users import ShuffledUsers
from exactdp.numbers import Enclosure
from exactdp.side import Side
from exactdp.testing.deciding import Judgment

__all__ = ["COLUMNS", "FORMATS", "headline", "open_ones", "reproduction", "row"]

COLUMNS = ("accountant", "says", "is", "claim/truth", "digits", "seconds")
_RULE = "exactdp/wrong-side"


def row(finding: Finding) -> list[str]:
    """Return a finding as a row of the table."""
    return [
        named(finding),
        shorten(finding.reason, 48) if finding.value is None else repr(finding.value),
        finding.standing.value + (", by its delta" if finding.known.there else ""),
        _ratio(finding),
        "" if finding.digits is None else f"{finding.digits:.1f}",
        f"{finding.seconds:.2f}" if finding.seconds else "",
    ]


def open_ones(findings: Sequence[Finding]) -> list[str]:
    """Return a line for each number of a table that could not be decided: who, and why."""
    return [
        f"undecided: {named(f)} ({f.reason})"
        for f in findings
        if f.standing is Judgment.UNDECIDED and f.reason
    ]


def named(finding: Finding) -> str:
    """Return who says it, and as which end of an interval."""
    is_end = len(finding.accountant.sides) > 1
    return finding.accountant.name + (f" ({finding.side.value})" if is_end else "")


def headline(finding: Finding) -> str:
    """Return one sentence about a number on the wrong side."""
    task, who = finding.task, f"{finding.accountant.name} {finding.version}".strip()
    if task.ask == "parameter":
        return (
            f"{who}: with the noise {finding.value!r}, epsilon {task.deployment.epsilon!r} has "
            f"delta {finding.known}{_off(finding)}"
        )
    where = "below" if finding.side is Side.UPPER else "above"
    return f"{who}: {task.ask} {finding.value!r} at {task.at} is {where} {_truth(finding)}"


def _truth(finding: Finding) -> str:
    """Return the truth that a number on the wrong side missed, as the end of a sentence."""
    known = finding.known
    if known.is_infinite:
        return "the truth, which is infinite"
    if known.enclosure is not None:
        return f"the truth {known}{_off(finding)}"
    if known.there is not None:
        return f"the truth: {_there(finding)}"
    return "all that the truth can be"


def _there(finding: Finding) -> str:
    return f"at epsilon {finding.value!r} delta is {finding.known.there}"


def reproduction(finding: Finding) -> str:
    """Return the report for a library's issue tracker: call, value, truth, one line each.

    Where the smallest instance is known, that one, after a line on what was found.
    """
    if finding.smallest is not None:
        found, least = headline(finding), reproduction(finding.smallest)
        return least if finding.smallest.task == finding.task else f"{found}\nsmallest: {least}"
    one, case = finding.accountant, finding.task
    line = f"{one.imports}; print({finding.expression})".removeprefix("; ")
    problem = _asked_again(finding)
    lines = [
        headline(finding),
        _deployed(case),
        f"  call:       python -c {_quoted(line)}",
        *([f"  where:      in a folder with the files of {one.library}"] if one.is_program else []),
        f"  value:      {finding.value!r}, promised: {one.promise}",
        f"  truth:      {_certified(finding)}",
    ]
    if problem is not None:
        lines.append(f"  again:      echo {quote(json.dumps(problem))} | exactdp solve -")
    return "\n".join(lines)


def _asked_again(finding: Finding) -> dict[str, Any] | None:
    """Return the problem file whose answer decides; None if there is none, or nothing to ask.

    Where the smallest ε was not found it is δ at the claimed one. Its width is one that was
    reached.
    """
    known, task, value = finding.known, finding.task, finding.value
    if value is None:
        return None
    if known.is_infinite:
        return task.problem(value)
    if known.enclosure is not None:
        # Of users' worst data the ends are bounds of different origin, at whatever width.
        width = _reached(known.enclosure) if task.about == "steps" else None
        return task.problem(value, width=width)
    if known.there is None:
        return None
    at = replace(task, ask="delta", deployment=replace(task.deployment, epsilon=value))
    return at.problem(value, width=_reached(known.there))


def _reached(found: Enclosure) -> str | None:
    """Return the power of 10 above a relative width; None where problem files ask for it anyway."""
    for places in (1, 2, 3, 4, 5):
        if found.upper - found.lower > found.lower / 10 ** (places + 1):
            return f"1e-{places}"
    return None


def _certified(finding: Finding) -> str:
    known, by = finding.known, f"certified enclosure, exactdp {__version__}"
    if known.there is not None:
        return f"{_there(finding)} ({by}); the smallest epsilon is {known}"
    return str(known) if known.enclosure is None else f"{known} ({by})"


def _deployed(task: Task) -> str:
    case = task.deployment
    if isinstance(case, ShuffledUsers):
        return f"  users:      {case}; neighbors replace one user's input"
    mechanisms = "; ".join(
        f"{m.times} x {m.kind}({m.parameter!r}), rate {m.sampling_probability!r}"
        for m in case.mechanisms
    )
    return f"  mechanisms: {mechanisms}; neighbors add or remove a record"


def _quoted(line: str) -> str:
    """Return a line as one word of a shell: between double quotes, where these are readable."""
    if any(character in line for character in '\\"$`!'):
        return quote(line)
    return f'"{line}"'


def _json(findings: Sequence[Finding]) -> str:
    return json.dumps(
        {
            "format": "exactdp-comparison/1",
            "exactdp": __version__,
            "findings": list(map(_dict, findings)),
        },
        indent=1,
        ensure_ascii=False,
    )


def _dict(finding: Finding) -> dict[str, Any]:
    task = finding.task
    return {
        "problem": task.name,
        "ask": task.ask,
        "at": task.at,
        "accountant": finding.accountant.name,
        "version": finding.version,
        "promise": finding.side.value,
        "call": finding.expression,
        "value": None if finding.value is None else finding.value.hex(),
        "decimal": None if finding.value is None else repr(finding.value),
        "truth": None if finding.truth is None else str(finding.truth),
        "truth_missing": finding.known.missing,
        "delta_at_claim": None if finding.known.there is None else str(finding.known.there),
        "standing": finding.standing.name.lower(),
        "ratio": None if finding.ratio is None else repr(finding.ratio),
        "ulps": _short(finding.ulps) or None,
        "reason": finding.reason,
        "seconds": round(finding.seconds, 4),
        "smallest": None if finding.smallest is None else _dict(finding.smallest),
    }


def _markdown(findings: Sequence[Finding]) -> str:
    lines = []
    for title, group in grouped(findings):
        lines += [f"### {title}", "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
        lines += [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row(f)) + " |" for f in group
        ]
        lines += ["", *(f"{line}  " for line in open_ones(group)), ""]
    return "\n".join(lines)


def _junit(findings: Sequence[Finding]) -> str:
    suite = ET.Element("testsuite", name="exactdp compare", tests=str(len(findings)))
    for finding in findings:
        title = f"{finding.task.name} {finding.task.ask} at {finding.task.at}".strip()
        case = ET.SubElement(
            suite,
            "testcase",
            classname=named(finding),
            name=title,
            time=f"{finding.seconds:.3f}",
        )
        if finding.standing.is_wrong:
            ET.SubElement(case, "failure", message=headline(finding)).text = reproduction(finding)
        elif finding.value is None or finding.standing is Judgment.UNDECIDED:
            ET.SubElement(case, "skipped", message=finding.reason)
    suite.set("failures", str(sum(f.standing.is_wrong for f in findings)))
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)


def _sarif(findings: Sequence[Finding]) -> str:
    driver = {
        "name": "exactdp",
        "version": __version__,
        "rules": [
            {
                "id": _RULE,
                "shortDescription": {"text": "A privacy number is on the wrong side of the truth."},
            }
        ],
    }
    results = [
        {
            "ruleId": _RULE,
            "level": "error" if finding.standing is Judgment.WRONG else "warning",
            "message": {"text": reproduction(finding)},
        }
        | _locations(finding.task.file)
        for finding in findings
        if finding.standing.is_wrong
    ]
    return json.dumps(
        {
            "version": "2.1.0",
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "runs": [{"tool": {"driver": driver}, "results": results}],
        },
        indent=1,
        ensure_ascii=False,
    )


def _locations(file: str) -> dict[str, Any]:
    """Return where a result is shown: code scanning takes none without a place."""
    artifact = {"artifactLocation": {"uri": url_quote(file)}, "region": {"startLine": 1}}
    return {"locations": [{"physicalLocation": artifact}]} if file else {}


def _github(findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        if finding.standing.is_wrong:
            level = "error" if finding.standing is Judgment.WRONG else "warning"
            text = reproduction(finding).replace("%", "%25").replace("\n", "%0A")
            place = f"file={_property(finding.task.file)}," if finding.task.file else ""
            lines.append(f"::{level} {place}title={_property(named(finding))}::{text}")
    return "\n".join(lines)


def _property(text: str) -> str:
    """Return a value between commas as GitHub reads it."""
    for character, code in (("%", "%25"), (":", "%3A"), (",", "%2C"), ("\n", "%0A")):
        text = text.replace(character, code)
    return text


FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "json": _json,
    "markdown": _markdown,
    "junit": _junit,
    "sarif": _sarif,
    "github": _github,
}
"""The formats beside the terminal's table."""


def grouped(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Return the findings of each task under its title, which tells the truth.

    Example:
        >>> grouped([])
        []
    """
    groups: dict[Task, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.task, []).append(finding)
    return [(_title(task, group[0]), group) for task, group in groups.items()]


def _title(task: Task, finding: Finding) -> str:
    title = f"{task.name}: {task.ask} at {task.at}".removeprefix(": ")
    if task.ask == "parameter":
        return title
    known = finding.known
    is_told = task.ask == "delta" or known.enclosure is not None or known.is_infinite
    return f"{title} is {known}" + ("" if is_told else "; claims are told by their delta")


def _ratio(finding: Finding) -> str:
    ratio = finding.ratio
    if ratio is None:
        return ""
    if ratio == 1:
        return "1"
    return (
        f"{ratio:.6g}"
        if abs(ratio - 1) > 1e-5
        else f"1 {'-' if ratio < 1 else '+'} {abs(ratio - 1):.1e}"
    )


def _off(finding: Finding) -> str:
    """Return how far off a number is, after a comma; nothing where no number says it."""
    parts = [f"claim/truth = {_ratio(finding)}"] if _ratio(finding) else []
    if finding.ulps is not None and math.isfinite(finding.ulps):
        parts.append(f"{_short(finding.ulps)} ulps")
    return "".join(f", {part}" for part in parts)


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
