"""A certificate as a few lines of Python that need mpmath alone, to paste into a mail.

They are not a proof, as mpmath rounds to nearest: whoever reads a letter sees in a moment, without
anything of ours, that the numbers are what they are said to be.

Definitions: :func:`script_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

__all__ = ["script_of"]

_LONGEST = 8000
"""Characters of a script that somebody would paste."""

_SHUFFLED = """\
def shuffled(rows, merge=None):
    merge = merge or [[y] for y in range(len(rows[0]))]
    law = {(0,) * len(merge): mpf(1)}  # how many users sent each message -> probability
    for row in rows:
        before, law = law, {}
        for (counts, mass), (i, columns) in product(before.items(), enumerate(merge)):
            after = counts[:i] + (counts[i] + 1,) + counts[i + 1:]
            law[after] = law.get(after, 0) + mass * sum(row[y] for y in columns)
    return law
"""
_OF_PAIRS = {
    "hockey_stick": "def hockey_stick(P, Q, E): return fsum(max(0, P[o] - E * Q[o]) for o in P)\n",
    "total_variation": "def total_variation(P, Q): return fsum(abs(P[o] - Q[o]) for o in P) / 2\n",
    "ldp_ratio": "def ldp_ratio(M): return max(max(c) / min(c) for c in zip(*M) if any(c))\n",
}
_INFIX = {"add": " + ", "mul": " * ", "sub": " - ", "div": " / "}
_CALLS = {
    **{"exp": "exp", "log": "log", "cos": "cos", "sqrt": "sqrt", "normal_cdf": "ncdf"},
    **{"abs": "abs", "max": "max", "min": "min", "binomial": "binomial"},
}
_SIGNS = {"=": "==", **{sign: sign for sign in ("<", "<=", "!=", ">=", ">")}}


def script_of(document: Mapping[str, Any]) -> str | None:
    """Return the lines; None where a certificate has a part that is too long for them.

    Example:
        >>> pair = {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"], "q": ["0x1/0x2"] * 2}
        >>> relation = [">", ["hockey_stick", pair, "0x1"], "0x1/0x5"]
        >>> print(script_of({"format": "exactdp-certificate/1", "conclusion": [relation]}))
        from mpmath import *
        mp.dps = 50
        def hockey_stick(P, Q, E): return fsum(max(0, P[o] - E * Q[o]) for o in P)
        left = hockey_stick(dict(enumerate([mpf(0.75), mpf(0.25)])), \
dict(enumerate([mpf(0.5), mpf(0.5)])), mpf(1))
        right = (mpf(1) / 5)
        print(nstr(left, 15), ">", nstr(right, 15), "is", left > right)
    """
    if document.get("format") != "exactdp-certificate/1":
        return None
    writer = _Writer()
    lines = writer.lines
    for name, value in document.get("define", []):
        line = writer.definition(name, value)
        lines.append(line)
    for sign, *sides in document["conclusion"]:
        left, right = map(writer.term, sides)
        lines += [f"left = {left}", f"right = {right}"]
        holds = f"left {_SIGNS[sign]} right"
        lines.append(f'print(nstr(left, 15), "{sign}", nstr(right, 15), "is", {holds})')
    body = "\n".join(lines) + "\n"
    head = f"from mpmath import *\nmp.dps = {_digits(document)}\n"
    if "shuffled(" in body:
        head = "from itertools import product\n" + head + _SHUFFLED
    head += "".join(text for name, text in _OF_PAIRS.items() if f"{name}(" in body)
    script = (head + body).rstrip()
    return script if len(script) <= _LONGEST else None


class _Writer:
    """Terms as Python.

    Attributes:
        lines: What was written: a matrix that stands in a term gets a line of its own, once.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._matrices: dict[str, str] = {}
        self._running: list[str] = []

    def definition(self, name: str, value: Any) -> str:
        """Return the line of a definition."""
        if isinstance(value, dict) and "kind" in value:
            return f"{_name(name)} = {', '.join(self.pair(value))}"
        if isinstance(value, list) and isinstance(value[0], list):
            return f"{_name(name)} = {self._rows(value)}"
        return f"{_name(name)} = {self.term(value)}"

    def matrix(self, value: Any) -> str:
        """Return the name of a matrix, or its rows where they have a sum's variable."""
        if isinstance(value, dict):
            return _name(value["ref"])
        rows = self._rows(value)
        if any(name in rows for name in self._running):
            return rows
        if rows not in self._matrices:
            self._matrices[rows] = f"R{len(self._matrices) + 1}"
            self.lines.append(f"{self._matrices[rows]} = {rows}")
        return self._matrices[rows]

    def _rows(self, value: Sequence[Sequence[Any]]) -> str:
        return "[" + ", ".join(map(self.row, value)) + "]"

    def row(self, row: Sequence[Any]) -> str:
        """Return a row as a list."""
        return "[" + ", ".join(map(self.term, row)) + "]"

    def pair(self, value: Mapping[str, Any]) -> list[str]:
        """Return both laws, outcome -> probability."""
        if "ref" in value:
            return [f"*{_name(value['ref'])}"]
        if value["kind"] == "finite_pair":
            return [f"dict(enumerate({self.row(value[side])}))" for side in ("p", "q")]
        named = {key: self.matrix(rows) for key, rows in value["randomizers"].items()}
        others = " + ".join(
            f"{self.index(one['count'])} * [{named[one['randomizer']]}[{self.index(one['input'])}]]"
            for one in value["others"]
        )
        victim = named[value["victim"]["randomizer"]]
        merge = f", {value['merge']}" if "merge" in value else ""
        rows = [f"[{victim}[{self.index(i)}]]" for i in value["victim"]["inputs"]]
        more = f" + {others}" if others else ""
        return [f"shuffled({row}{more}{merge})" for row in rows]

    def index(self, value: Any) -> str:
        """Return an integer: a number as a literal, a term as its expression."""
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return str(int(value, 16))
        return f"int({self.term(value)})"

    def term(self, value: Any) -> str:
        """Return a term as an expression."""
        match value:
            case str():
                return _number(value)
            case {"ref": name}:
                return _name(name)
            case ["pi"]:
                return "pi"
            case ["max" | "min" | "add" | "mul", one]:
                return self.term(one)
            case ["neg", one]:
                return f"-({self.term(one)})"
            case ["positive_part", one]:
                return f"max(0, {self.term(one)})"
            case ["pow", base, n]:
                return f"({self.term(base)}) ** ({self.index(n)})"
            case ["binomial", n, k]:
                return f"binomial({self.index(n)}, {self.index(k)})"
            case ["sum", name, low, high, body]:
                span = f"range({self.index(low)}, {self.index(high)} + 1)"
                self._running.append(_name(name))
                inner = self.term(body)
                self._running.pop()
                return f"fsum({inner} for {_name(name)} in {span})"
            case ["when", [sign, left, right], one, other]:
                test = f"{self.term(left)} {_SIGNS[sign]} {self.term(right)}"
                return f"({self.term(one)} if {test} else {self.term(other)})"
            case ["hockey_stick", pair, e]:
                return f"hockey_stick({', '.join([*self.pair(pair), self.term(e)])})"
            case ["total_variation", pair]:
                return f"total_variation({', '.join(self.pair(pair))})"
            case ["mass", pair, side, outcome]:
                return f"{self.law(pair, side)}[{self.outcome(outcome)}]"
            case ["event", pair, side, outcomes]:
                told = ", ".join(map(self.outcome, outcomes))
                return f"fsum({self.law(pair, side)}[o] for o in [{told}])"
            case ["ldp_ratio", matrix]:
                return f"ldp_ratio({self.matrix(matrix)})"
            case ["entry", matrix, i, j]:
                return f"{self.matrix(matrix)}[{self.index(i)}][{self.index(j)}]"
            case ["row_sum", matrix, i]:
                return f"fsum({self.matrix(matrix)}[{self.index(i)}])"
            case [operation, *parts] if operation in _INFIX:
                return "(" + _INFIX[operation].join(map(self.term, parts)) + ")"
            case [operation, *parts] if operation in _CALLS:
                return f"{_CALLS[operation]}({', '.join(map(self.term, parts))})"
        raise AssertionError(f"{value!r} is not a term of the language")

    def law(self, pair: Any, side: str) -> str:
        """Return one law of a pair."""
        if "ref" in pair:
            return f"{_name(pair['ref'])}[{'pq'.index(side)}]"
        return self.pair(pair)["pq".index(side)]

    def outcome(self, outcome: Any) -> str:
        """Return an outcome as a key of a law."""
        if isinstance(outcome, list) and (not outcome or not isinstance(outcome[0], str)):
            return "(" + "".join(f"{self.index(count)}, " for count in outcome) + ")"
        return self.index(outcome)


def _digits(document: Mapping[str, Any]) -> int:
    """Return the digits that the kernel's own bits are, fifty at least."""
    return max(50, int(document.get("precision_bits", 128) * 0.3) + 10)


def _name(name: str) -> str:
    """Return a name that no name of mpmath or Python is."""
    return f"{name}_"


def _number(text: str) -> str:
    """Return a number: a double as the double, else a quotient of integers."""
    top, _, bottom = text.partition("/")
    value = Fraction(int(top, 16), int(bottom or "1", 16))
    if value.denominator & (value.denominator - 1) == 0 and value == _double(value):
        return f"mpf({int(value) if value.denominator == 1 else repr(float(value))})"
    return f"(mpf({value.numerator}) / {value.denominator})"


def _double(value: Fraction) -> Fraction | None:
    try:
        return Fraction(float(value))
    except OverflowError:
        return None
