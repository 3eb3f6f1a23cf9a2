"""Terms of certificates in Coq: each as a real number that is read, and as data.

Notation: a definition has a kind (term, matrix or pair) and a place, its number among those of
its kind; the data name it by the place. A variable of a sum comes after all terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactdp.errors import ParseError

__all__ = ["Both", "Definition", "Terms", "bare", "in_coq", "not_translated", "whole"]

# A rational as FORMAT.md writes it, in hexadecimal.
_NUMBER = re.compile(r"-?0x[0-9a-fA-F]+(/0x[0-9a-fA-F]+)?")
# A name as FORMAT.md has them.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_RELATIONS = {"<": "Lt", "<=": "Le", "=": "Eq", "!=": "Ne", ">=": "Ge", ">": "Gt"}
# Each operation: how it is read, its data, and the kinds of its arguments ("" is a term).
_OPERATIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "sub": ("({} - {})", "(Op Sub {} {})", ("", "")),
    "div": ("({} / {})", "(Op Div {} {})", ("", "")),
    "pow": ("(power {} {})", "(Op Pow {} {})", ("", "")),
    "binomial": ("(binomial {} {})", "(Op Binom {} {})", ("", "")),
    "neg": ("(- {})", "(Apply Neg {})", ("",)),
    "abs": ("(Rabs {})", "(Apply Abs {})", ("",)),
    "positive_part": ("(positive_part {})", "(Apply Pos {})", ("",)),
    "exp": ("(exp {})", "(Apply Exp {})", ("",)),
    "log": ("(ln {})", "(Apply Log {})", ("",)),
    "cos": ("(cos {})", "(Apply Cos {})", ("",)),
    "sqrt": ("(sqrt {})", "(Apply Sqrt {})", ("",)),
    "normal_cdf": ("(normal_cdf {})", "(Apply Normal {})", ("",)),
    "pi": ("PI", "Pi", ()),
    "hockey_stick": ("(divergence {} {})", "(Divergence {} {})", ("pair", "")),
    "total_variation": ("(distance {})", "(Distance {})", ("pair",)),
    "ldp_ratio": ("(ldp_ratio {})", "(LdpRatio {})", ("matrix",)),
    "entry": ("(entry {} {} {})", "(Entry {} {} {})", ("matrix", "index", "index")),
    "row_sum": ("(row_sum {} {})", "(RowSum {} {})", ("matrix", "index")),
}
_FOLDS = {
    "add": ("({} + {})", "(Op Add {} {})"),
    "mul": ("({} * {})", "(Op Mul {} {})"),
    "max": ("(Rmax {} {})", "(Op Max {} {})"),
    "min": ("(Rmin {} {})", "(Op Min {} {})"),
}
_IRRATIONAL = ("exp", "log", "cos", "sqrt", "pi", "normal_cdf")


@dataclass(frozen=True, slots=True)
class Both:
    """A text as it is read, and as data."""

    said: str
    data: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A name's kind and place; whether it is rational; its size.

    The size is rows and columns of a matrix, outcomes' lengths and users of a view, the number of
    outcomes and 0 of a finite pair.
    """

    kind: str
    place: int
    exact: bool
    size: tuple[int, int] = (0, 0)


def not_translated(what: str) -> ParseError:
    """Return the error for a part of certificates that Coq is not given."""
    return ParseError(f"{what} is not translated to Coq. `exactdp verify` checks it.")


def in_coq(name: str) -> str:
    """Return a name in Coq: a certificate's ends in an apostrophe, one of the export's has none.

    FORMAT.md has no name with an apostrophe, so neither of two certificates' names nor one of
    them and a word of Coq or of the export (``certificate``, ``S``, ``R``) is the same.

    Example:
        >>> in_coq("exp"), in_coq("exp_"), in_coq("$pair_1")
        ("exp'", "exp_'", 'pair_1')
    """
    return name[1:] if name.startswith("$") else f"{name}'"


def bare(said: str) -> str:
    """Return a text without the brackets around the whole of it (an `if` needs them)."""
    if said.startswith("(if "):
        return said
    depth = 0
    for i, c in enumerate(said):
        depth += (c == "(") - (c == ")")
        if not depth:
            return said[1:-1] if 0 < i == len(said) - 1 else said
    return said


@dataclass
class Terms:
    """The definitions so far, and how terms over them are written.

    A name that the export itself gives begins with ``$``, as no certificate's can.
    """

    known: dict[str, Definition] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

    def count(self, kind: str) -> int:
        """Return how many definitions there are of a kind."""
        return sum(x.kind == kind for x in self.known.values())

    def new(self, name: object) -> str:
        """Return a name that is not in use."""
        used = self.known.keys() | self.renamed.keys() | set(self.variables)
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in used:
            raise ValueError(f"the name {name!a}")
        return name

    def reference(self, value: Any, kind: str) -> Definition:
        """Return the term behind a reference."""
        found = self.known[value["ref"]]
        if value.keys() != {"ref"} or found.kind != kind:
            raise ValueError(f"{value!a} is not a {kind}")
        return found

    def exact(self, value: Any) -> bool:
        """Return whether a term is rational by the way it is written."""
        if isinstance(value, dict):
            found = self.known.get(value["ref"])  # else the variable of a sum
            return found is None or found.exact
        if isinstance(value, list) and value:
            return value[0] not in _IRRATIONAL and all(self.exact(x) for x in value[1:])
        return True

    def relation(self, value: Any) -> Both:
        """Return a relation."""
        sign, left, right = value
        x, y = self.term(left), self.term(right)
        said = f"{bare(x.said)} {'<>' if sign == '!=' else sign} {bare(y.said)}"
        return Both(said, f"Holds {_RELATIONS[sign]} {x.data} {y.data}")

    def term(self, value: Any) -> Both:
        """Return a term of a certificate in Coq."""
        if isinstance(value, str) or type(value) is int:
            return _number(value)
        if isinstance(value, dict) and value["ref"] in self.variables:
            place = self.count("term") + self.variables.index(value["ref"])
            return Both(in_coq(value["ref"]), f"(Var {place})")
        if isinstance(value, dict):
            return Both(in_coq(value["ref"]), f"(Var {self.reference(value, 'term').place})")
        head, *rest = value
        special: dict[str, Callable[..., Both]] = {
            "sum": self._sum,
            "when": self._when,
            "event": self._event,
            "mass": lambda pair, side, outcome: self._event(pair, side, [outcome]),
        }
        if head in special:
            return special[head](*rest)
        if head in _FOLDS:
            said, data = _FOLDS[head]
            total, *terms = (self.term(x) for x in rest)
            for x in terms:
                total = Both(said.format(total.said, x.said), data.format(total.data, x.data))
            return total
        if head not in _OPERATIONS:
            raise not_translated(str(head))
        said, data, kinds = _OPERATIONS[head]
        parts = [self._argument(kind, x) for kind, x in zip(kinds, rest, strict=True)]
        return Both(said.format(*(x.said for x in parts)), data.format(*(x.data for x in parts)))

    def _argument(self, kind: str, value: Any) -> Both:
        if kind == "index":
            return Both(str(whole(value)), str(whole(value)))
        if kind:
            return Both(in_coq(value["ref"]), str(self.reference(value, kind).place))
        return self.term(value)

    def _sum(self, name: str, first: Any, last: Any, body: Any) -> Both:
        lo, hi = self.term(first), self.term(last)
        self.variables.append(self.new(name))
        x = self.term(body)
        self.variables.pop()
        said = f"(sum {lo.said} {hi.said} (fun {in_coq(name)} => {bare(x.said)}))"
        return Both(said, f"(Sum {lo.data} {hi.data} {x.data})")

    def _when(self, relation: Any, then: Any, otherwise: Any) -> Both:
        sign, left, right = relation
        word = _RELATIONS[sign]
        a, b, x, y = (self.term(t) for t in (left, right, then, otherwise))
        said = f"(if decide {word} {a.said} {b.said} then {x.said} else {y.said})"
        return Both(said, f"(When {word} {a.data} {b.data} {x.data} {y.data})")

    def _event(self, pair: Any, side: str, outcomes: list[Any]) -> Both:
        found = self.reference(pair, "pair")
        size, users = found.size
        event = []
        for outcome in outcomes:
            listed = isinstance(outcome, list)
            counts = [whole(x) for x in (outcome if listed else [outcome])]
            good = len(counts) == size and sum(counts) == users if users else counts[0] < size
            if not good or min(counts) < 0 or listed != bool(users) or counts in event:
                raise ValueError(f"{outcome!a} is not an outcome, or is repeated")
            event.append(counts)
        text = "[" + "; ".join("[" + "; ".join(map(str, x)) + "]" for x in event) + "]%nat"
        said = {"p": "fst", "q": "snd"}[side]
        return Both(
            f"(event {text} ({said} {in_coq(pair['ref'])}))",
            f"(Event{side.upper()} {found.place} {text})",
        )


def _number(value: str | int) -> Both:
    x = _fraction(value)
    n = str(x.numerator) if x >= 0 else f"({x.numerator})"
    if x.denominator == 1:
        return Both(n, f"(Int {n})")
    return Both(f"({n} / {x.denominator})", f"(Ratio {n} {x.denominator})")


def _fraction(value: str | int) -> Fraction:
    if isinstance(value, int):
        return Fraction(value)
    if not _NUMBER.fullmatch(value):
        raise ValueError(f"{value!a} is not a number")
    top, _, bottom = value.partition("/")
    return Fraction(int(top, 16), int(bottom or "0x1", 16))


def whole(value: Any) -> int:
    """Return a written whole number: an input, a count of an outcome, or an index."""
    if not (isinstance(value, str) or type(value) is int):
        raise not_translated("an input, count or outcome that is a formula")
    x = _fraction(value)
    if x.denominator != 1:
        raise ValueError(f"{x} is not whole")
    return x.numerator
