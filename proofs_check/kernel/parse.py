"""Strict reading: bytes to JSON, and JSON to the terms of the grammar in FORMAT.md.

``OPERATORS`` is the closed list of operations with the kinds of their arguments. Reading
needs no arithmetic; a name must be defined before it is used.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .results import (
    MAX_BITS,
    MAX_FILE_BYTES,
    MAX_NESTING,
    MalformedError,
    NotACertificateError,
    TooLargeError,
)

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True)
class Node:
    """A term, matrix, pair or relation: what it is, and its parts."""

    kind: str
    parts: "tuple[Part, ...]"


Part: TypeAlias = "Node | Fraction | int | str | tuple[Part, ...]"

RELATIONS = ("<", "<=", "=", "!=", ">=", ">")

OPERATORS: Mapping[str, tuple[str, ...]] = {
    "add": ("terms",),
    "mul": ("terms",),
    "max": ("terms",),
    "min": ("terms",),
    "sub": ("term", "term"),
    "div": ("term", "term"),
    "neg": ("term",),
    "abs": ("term",),
    "positive_part": ("term",),
    "pow": ("term", "integer"),
    "binomial": ("integer", "integer"),
    "factorial": ("integer",),
    "sum": ("binder", "integer", "integer", "body"),
    "product": ("binder", "integer", "integer", "body"),
    "when": ("relation", "term", "term"),
    "exp": ("term",),
    "log": ("term",),
    "sqrt": ("term",),
    "pi": (),
    "cos": ("term",),
    "normal_cdf": ("term",),
    "hockey_stick": ("pair", "term"),
    "total_variation": ("pair",),
    "mass": ("pair", "side", "outcome"),
    "event": ("pair", "side", "outcomes"),
    "renyi_power": ("pair", "integer"),
    "ldp_ratio": ("matrix",),
    "entry": ("matrix", "integer", "integer"),
    "row_sum": ("matrix", "integer"),
}

_NUMBER = re.compile(r"-?0x[0-9a-fA-F]+(/0x[0-9a-fA-F]+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
# The closing quote is optional, so that an unclosed string is scanned only once.
_BRACKETS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def quoted(text: object, limit: int = 60) -> str:
    """Return text from a file, made safe to print: ASCII, one line, short."""
    written = ascii(text)
    return written if len(written) <= limit else written[: limit - 3] + "..."


def read_json(data: bytes) -> dict[str, Json]:
    """Return the JSON object that the bytes spell, without repeated keys or floats."""
    if len(data) > MAX_FILE_BYTES:
        raise NotACertificateError(f"more than {MAX_FILE_BYTES} bytes")
    depth = 0
    for found in _BRACKETS.finditer(data):
        depth += 1 if found[0] in (b"[", b"{") else -1 if found[0] in (b"]", b"}") else 0
        if depth > MAX_NESTING:
            raise NotACertificateError(f"nested deeper than {MAX_NESTING} levels")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unrepeated,
            parse_float=_no_float,
            parse_constant=_no_float,
            parse_int=_short_integer,
        )
    except (ValueError, RecursionError) as error:
        raise NotACertificateError(f"not JSON: {quoted(str(error), 120)}") from error
    if not isinstance(value, dict):
        raise NotACertificateError("the outermost value must be a JSON object")
    return value


def _unrepeated(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result: dict[str, Json] = {}
    for key, value in pairs:
        if key in result:
            raise NotACertificateError(f"the key {quoted(key)} is repeated")
        result[key] = value
    return result


def _no_float(text: str) -> Json:
    raise NotACertificateError(f"the float {quoted(text)}; write a rational such as '0x1/0x2'")


def _short_integer(text: str) -> Json:
    if len(text) > 20:
        raise NotACertificateError("a JSON integer of more than 20 characters")
    return int(text)


def keys(value: Json, required: set[str], optional: set[str], what: str) -> dict[str, Json]:
    """Return the object, with exactly the allowed keys."""
    if not isinstance(value, dict):
        raise MalformedError(f"{what} must be an object")
    for key in value:
        if key not in required | optional:
            raise MalformedError(f"{what}: unknown key {quoted(key)}")
    for key in sorted(required - value.keys()):
        raise MalformedError(f"{what}: the key {key!r} is missing")
    return value


def items(value: Json, what: str) -> list[Json]:
    """Return the list, which may not be empty."""
    if not isinstance(value, list) or not value:
        raise MalformedError(f"{what} must be a list that is not empty")
    return value


def name(value: Json) -> str:
    """Return a name: a letter or underscore, then letters, digits and underscores."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise MalformedError(f"{quoted(value)} is not a name")
    return value


def number(text: str) -> Fraction:
    """Return the rational that a hexadecimal string such as '-0x3/0x4' spells."""
    if 4 * len(text) > MAX_BITS:
        raise TooLargeError(f"a number of {len(text)} digits; the limit is {MAX_BITS} bits")
    if not _NUMBER.fullmatch(text):
        raise MalformedError(f"{quoted(text)} is not a number; write '0x3/0x4' or '-0x3'")
    top, _, bottom = text.partition("/")
    denominator = int(bottom, 16) if bottom else 1
    if denominator == 0:
        raise MalformedError(f"{quoted(text)} has the denominator 0")
    return Fraction(int(top, 16), denominator)


class Reader:
    """Reads terms, given the kinds of the names defined so far."""

    def __init__(self) -> None:
        """Start with no names."""
        self.scope: dict[str, str] = {}

    def anything(self, value: Json) -> tuple[str, Node]:
        """Return a definition's kind (term, matrix or pair) and its tree."""
        kind = "term"
        if isinstance(value, list) and value and isinstance(value[0], list):
            kind = "matrix"
        elif isinstance(value, dict):
            kind = self.scope.get(str(value["ref"]), "term") if "ref" in value else "pair"
        return kind, {"term": self.term, "matrix": self.matrix, "pair": self.pair}[kind](value)

    def _reference(self, value: dict[str, Json], wanted: str) -> Node:
        target = name(keys(value, {"ref"}, set(), "a reference")["ref"])
        if target not in self.scope:
            raise MalformedError(f"{target} is not defined here")
        if self.scope[target] != wanted:
            raise MalformedError(f"{target} is a {self.scope[target]}, not a {wanted}")
        return Node("ref", (target,))

    def term(self, value: Json) -> Node:
        """Return a term: a number, a reference or an operation."""
        if isinstance(value, str):
            return Node("number", (number(value),))
        if isinstance(value, dict):
            return self._reference(value, "term")
        operation = items(value, "a term")
        head, arguments = operation[0], operation[1:]
        if not isinstance(head, str) or head not in OPERATORS:
            raise MalformedError(f"unknown operation {quoted(head)}")
        kinds = OPERATORS[head]
        if kinds == ("terms",):
            kinds = ("term",) * max(1, len(arguments))
        if len(arguments) != len(kinds):
            raise MalformedError(f"{head}: takes {len(kinds)} arguments, not {len(arguments)}")
        if kinds and kinds[0] == "binder":
            return self._binder(head, arguments)
        return Node(head, tuple(self._part(k, a) for k, a in zip(kinds, arguments, strict=True)))

    def _binder(self, head: str, arguments: list[Json]) -> Node:
        variable = name(arguments[0])
        if variable in self.scope:
            raise MalformedError(f"{head}: the name {variable} is already in use")
        lo, hi = self._integer(arguments[1]), self._integer(arguments[2])
        self.scope[variable] = "term"
        body = self.term(arguments[3])
        del self.scope[variable]
        return Node(head, (variable, lo, hi, body))

    def _part(self, kind: str, value: Json) -> Part:
        if kind == "term":
            return self.term(value)
        if kind == "integer":
            return self._integer(value)
        if kind == "relation":
            return self.relation(value)
        if kind == "pair":
            return self.pair(value)
        if kind == "matrix":
            return self.matrix(value)
        if kind == "outcome":
            return self._outcome(value)
        if kind == "outcomes":
            if not isinstance(value, list):
                raise MalformedError("an event is a list of outcomes")
            return tuple(self._outcome(outcome) for outcome in value)
        if kind == "side" and isinstance(value, str) and value in ("p", "q"):
            return value
        raise MalformedError(f"{quoted(value)} must be 'p' or 'q'")

    def _integer(self, value: Json) -> Part:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return self.term(value)

    def _outcome(self, value: Json) -> Part:
        # A list of counts, unless it is an operation: only those begin with a name.
        if isinstance(value, list) and not (value and value[0] in tuple(OPERATORS)):
            return tuple(self._integer(count) for count in items(value, "an outcome"))
        return self._integer(value)

    def relation(self, value: Json) -> Node:
        """Return a relation between two terms."""
        parts = items(value, "a relation")
        if parts[0] not in RELATIONS or len(parts) != 3:
            raise MalformedError(f"{quoted(parts[0])} does not begin a relation of two terms")
        return Node(str(parts[0]), (self.term(parts[1]), self.term(parts[2])))

    def matrix(self, value: Json) -> Node:
        """Return a matrix: rows are inputs, columns are messages."""
        if isinstance(value, dict):
            return self._reference(value, "matrix")
        rows = [items(row, "a row of a matrix") for row in items(value, "a matrix")]
        if len({len(row) for row in rows}) != 1:
            raise MalformedError("the rows of a matrix must have equal lengths")
        return Node("matrix", tuple(tuple(self.term(x) for x in row) for row in rows))

    def pair(self, value: Json) -> Node:
        """Return a pair of laws: a finite pair, a shuffled view or a reference."""
        if isinstance(value, dict) and "ref" in value:
            return self._reference(value, "pair")
        kind = value.get("kind") if isinstance(value, dict) else None
        if kind == "finite_pair":
            parts = keys(value, {"kind", "p", "q"}, set(), "finite_pair")
            sides = (items(parts[side], f"finite_pair, {side}") for side in ("p", "q"))
            return Node("finite_pair", tuple(tuple(self.term(x) for x in side) for side in sides))
        if kind == "shuffle":
            return self._shuffle(value)
        raise MalformedError(f"{quoted(kind)} is not a kind of pair")

    def _shuffle(self, value: Json) -> Node:
        parts = keys(value, {"kind", "randomizers", "victim", "others"}, {"merge"}, "shuffle")
        randomizers = parts["randomizers"]
        if not isinstance(randomizers, dict) or not randomizers:
            raise MalformedError("shuffle: randomizers must be an object that is not empty")
        named: Part = tuple((name(key), self.matrix(x)) for key, x in randomizers.items())
        victim = keys(parts["victim"], {"randomizer", "inputs"}, set(), "victim")
        inputs = items(victim["inputs"], "victim, inputs")
        if len(inputs) != 2:
            raise MalformedError("victim: inputs must be two inputs")
        first, second = (self._integer(x) for x in inputs)
        others: list[Part] = []
        if not isinstance(parts["others"], list):
            raise MalformedError("shuffle: others must be a list")
        for entry in parts["others"]:
            group = keys(entry, {"randomizer", "input", "count"}, set(), "others")
            numbers = self._integer(group["input"]), self._integer(group["count"])
            others.append((name(group["randomizer"]), *numbers))
        merge: Part = ()
        if "merge" in parts:
            blocks = [items(block, "merge") for block in items(parts["merge"], "merge")]
            merge = tuple(tuple(_index(column) for column in block) for block in blocks)
        who: Part = (name(victim["randomizer"]), first, second)
        return Node("shuffle", (named, who, tuple(others), merge))


def _index(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MalformedError(f"merge: {quoted(value)} is not the index of a message")
    return value
