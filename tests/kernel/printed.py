"""Reads the kernel's print of a proof step back: what an accepted statement says, and no more.

A judge of the file would forgive a print that hides a condition. So this takes the printed line
as its reader does: variables, where they run, what is left out, conditions, claims.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any

Json = Any
TOKEN = re.compile(
    r" (?P<infix>[-+*/^=<>]|<=|>=|!=) |(?P<number>-?\d+(/\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mark>[(),\[\]{}]|: )|(?P<space> )"
)
OPERATIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}
RELATIONS = ("<", "<=", "=", "!=", ">=", ">")
STEP = re.compile(r"\((?P<rule>\w+)\) (?P<said>.*?); (each step|the statement is the last)")
FOR_ALL = re.compile(
    r"for all (?P<over>.*?)(?P<defined>, wherever no denominator is 0)?(, where (?P<apart>.*))?"
)


@dataclass
class Said:
    """The content of a printed step.

    Attributes:
        ranges: Each variable with its least and its largest value, or None.
        values: Or the values of each, if the step is about listed instances.
        instances: How many of these there are said to be.
        partial: Whether points where a denominator is 0 are left out.
        conditions: Relations; those of ``apart`` come first, as others may divide by these, or
            speak of what is in a range.
        claims: What holds where the conditions do.
    """

    ranges: list[tuple[str, Json, Json]] = field(default_factory=list)
    values: list[tuple[str, list[Json]]] = field(default_factory=list)
    instances: int = 1
    partial: bool = False
    apart: list[Json] = field(default_factory=list)
    conditions: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)


def said(statement: str) -> Said | None:
    """Return what a statement of one step says.

    None if parts are left out, or if it is about laws, but by another rule than ``claim``.
    """
    found = STEP.match(statement)
    assert found, statement
    text = found["said"]
    if "[..." in text or (found["rule"] != "claim" and ("{kind" in text or "[[" in text)):
        return None
    if found["rule"] == "every":
        return instances(text)
    head, _, text = text.partition(": ")
    heads = FOR_ALL.fullmatch(head)
    assert heads, statement
    result = Said(partial=bool(heads["defined"]), apart=relations(heads["apart"] or ""))
    if found["rule"] == "claim":
        for entry in re.split(r", (?![^(]*\))", heads["over"]):
            bounded(entry, result)
    else:
        result.ranges = [*plain_ranges(heads["over"].removesuffix(" in R"))]
    if text.startswith("if "):
        condition, _, text = text.removeprefix("if ").partition(" then ")
        result.conditions = relations(condition)
    result.claims = relations(text)
    return result


def plain_ranges(over: str) -> Iterator[tuple[str, Json, Json]]:
    """Yield variables with numbers as ends; all are at least 0 if that stands after them."""
    least = "0x0" if over.endswith(" >= 0") else None
    for entry in over.removesuffix(" >= 0").split(", "):
        parts = entry.split(" <= ")
        name = parts[1] if len(parts) > 1 else parts[0]
        lo = term(parts[0]) if len(parts) > 1 else least
        yield name, lo, term(parts[2]) if len(parts) > 2 else None


def of_the_program(statement: str) -> Said | None:
    """Return what the proved program prints of one step; None if that is about laws or sums."""
    text = statement.partition("; where ")[0]
    if any(mark in text for mark in ("$", "%", "[[")):
        return None
    if text.startswith("for each "):
        head, _, text = text.removeprefix("for each ").partition(": ")
        named = (entry.split(" in {") for entry in head.removesuffix("}").split("} and "))
        values = [(name, [*read(listed)]) for name, listed in named]
        count = reduce(mul, (len(listed) for _, listed in values), 1)
        return Said(values=values, instances=count, claims=relations(text))
    if not text.startswith("for all "):
        return Said(claims=relations(text))
    head, _, text = text.removeprefix("for all ").partition(": ")
    over, partial, meant = head.partition(", wherever ")
    step = Said(partial=bool(partial))
    if partial:
        step.ranges = [*plain_ranges(over)]
        # A product has a meaning where 0 times it is 0.
        products = meant.removesuffix(" have a meaning").split(" and ")[1:]
        step.apart = [["=", ["mul", "0x0", term(f"({x})")], "0x0"] for x in products]
    else:
        for entry in re.split(r", (?![^(]*\))", over):
            bounded(entry, step)
    if text.startswith("if "):
        condition, _, text = text.removeprefix("if ").partition(" then ")
        step.conditions = relations(condition)
    step.claims = relations(text)
    return step


def bounded(entry: str, step: Said) -> None:
    """Read a range whose ends are open or terms: they are conditions, too."""
    parts = re.split(r" (<=|<|>=|>) ", entry)
    if len(parts) == 5:
        lo, below, name, above, hi = parts
        step.ranges.append((name, term(lo), term(hi)))
        step.apart += [[below, term(lo), {"ref": name}], [above, {"ref": name}, term(hi)]]
    elif len(parts) == 3:
        name, sign, end = parts
        lo_hi = (term(end), None) if ">" in sign else (None, term(end))
        step.ranges.append((name, *lo_hi))
        step.apart.append([sign, {"ref": name}, term(end)])
    else:
        step.ranges.append((entry.removesuffix(" in R"), None, None))


def instances(text: str) -> Said:
    if not text.startswith("at each of "):
        text = text.partition("; where ")[0]  # the definitions stand in the document
        return Said(claims=relations(re.sub(r" \[left = .*?, right = .*?\](?= and |$)", "", text)))
    head, _, text = text.partition(": ")
    count, *sets = re.split(r" instances, |} and |}", head.removeprefix("at each of "))
    named = (entry.split(" in {") for entry in sets if entry)
    values = [(name, [*read(listed)]) for name, listed in named]
    return Said(values=values, instances=int(count), claims=relations(text))


def term(text: str) -> Json:
    (only,) = read(text)
    return only


def relations(text: str) -> list[Json]:
    """Return the relations of a list with "and" between them."""
    found = [term(f"({part})") for part in (text.split(" and ") if text else [])]
    assert all(relation[0] in RELATIONS for relation in found), text
    return found


def read(text: str) -> Iterator[Json]:
    """Yield the terms of a list with commas between them."""
    tokens = [*TOKEN.finditer(text)]
    assert "".join(t[0] for t in tokens) == text, text
    tokens = [t for t in tokens if t.lastgroup != "space"][::-1]
    yield atom(tokens)
    while tokens:
        assert tokens.pop()[0] == ",", text
        yield atom(tokens)


def atom(tokens: list[re.Match[str]]) -> Json:
    token = tokens.pop()
    if token["number"]:
        top, _, bottom = token[0].partition("/")
        return f"{int(top):#x}/{int(bottom or 1):#x}"
    if token["name"]:
        if not tokens or tokens[-1][0] != "(":
            return {"ref": token[0]}
        parts = bracket(tokens)[::2]
        if token[0] == "sum":
            parts[0] = parts[0]["ref"]
        if token[0] in ("mass", "event"):
            parts[1] = parts[1]["ref"]
        return [token[0], *parts]
    if token[0] == "{":
        return dict(entries(tokens))
    tokens.append(token)
    if token[0] == "[":
        return bracket(tokens)[::2]
    assert token[0] == "("
    parts = bracket(tokens)
    heads = {*parts[1::2]}
    assert len(heads) <= 1, parts
    if not heads:
        return parts[0]
    (head,) = heads
    return [OPERATIONS.get(head, head), *parts[::2]]


def bracket(tokens: list[re.Match[str]]) -> list[Json]:
    """Return the terms in a pair of brackets, with the signs (or commas) between them."""
    end = {"(": ")", "[": "]"}[tokens.pop()[0]]
    parts: list[Json] = []
    while tokens[-1][0] != end:
        parts.append(atom(tokens))
        if tokens[-1][0] != end:
            sign = tokens.pop()
            parts.append(sign["infix"] or sign[0])
    tokens.pop()
    return parts


def entries(tokens: list[re.Match[str]]) -> Iterator[tuple[str, Json]]:
    """Yield the keys of a pair with their values; its kind is a word."""
    end = ","
    while end == ",":
        key, _ = tokens.pop()[0], tokens.pop()
        yield key, tokens.pop()[0] if key == "kind" else atom(tokens)
        end = tokens.pop()[0]
    assert end == "}"
