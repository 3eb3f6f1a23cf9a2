"""Values of an instance as closed terms of Coq, by their types there.

A law on an abstract type of outcomes is written on ``nat``; a function of finitely many places by
a list of its values, the last of which it keeps.

Definitions: :func:`coq_value`, :func:`coq_record`, :func:`definitions_in_coq`, :func:`concrete`,
:func:`real_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.calls import called
from exactdp.claims.kinds import Numbers, Sort
from exactdp.claims.terms import Term
from exactdp.claims.values import value as value_of
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["ABSTRACT", "concrete", "coq_record", "coq_value", "definitions_in_coq", "real_of"]

ABSTRACT = ("A", "B", "D", "X")
"""The types of outcomes and of inputs that a statement leaves open; here they are ``nat``."""

_TOKEN = re.compile(r"->|[()*]|\w+")


def coq_value(kind: str, value: Any) -> str:
    """Return a value as a closed term of a type.

    Args:
        kind: The type, made of R, nat, Z, bool, counts, open types, ``law``, ``list``, ``*``, ->.
        value: A number; a tuple for a pair or list; masses, in order or by outcome, for a law.

    Raises:
        DomainError: If the value has no such form.

    Example:
        >>> coq_value("law A", (Fraction(1, 4), Fraction(3, 4)))
        '[(0%nat, 1 / 4); (1%nat, 3 / 4)]'
        >>> coq_value("nat -> R * R", ((2, 1), (0, -5)))
        '(fun i => nth i [(2, 1); (0, (- 5))] (0, (- 5)))'
        >>> coq_value("nat -> R", (2, Fraction(1, 2)))
        '(fun i => nth i [2; 1 / 2] (1 / 2))'
    """
    tokens = _TOKEN.findall(kind)
    parsed, rest = _arrow(tokens)
    if rest:
        raise DomainError(f"{kind!r} is not a type that can be written here.")
    return _written(parsed, value)


def coq_record(name: str, *fields: tuple[str, Any]) -> str:
    """Return a record of Coq from the types and the values of its fields.

    Example:
        >>> coq_record("point", ("R", 1), ("list nat", (2, 3)))
        '(Build_point (1) ([2%nat; 3%nat]))'
    """
    written = (coq_value(kind, value) for kind, value in fields)
    return f"(Build_{name} {' '.join(f'({x})' for x in written)})"


def concrete(first: str) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return the definitions of binders such as ``{A} (same : ...)``, and their names.

    Example:
        >>> concrete("{X : Type}")
        ([('X', 'Type', 'nat')], ['X'])
    """
    found, names = [], []
    for group in re.findall(r"\{[^{}]*\}|\([^()]*\)", first):
        name, _, kind = (part.strip() for part in group[1:-1].partition(":"))
        if kind in ("", "Type"):
            found.append((name, "Type", "nat"))
        elif kind.startswith("forall x y"):
            found.append((name, kind, "Nat.eq_dec"))
        names.append(name)
    return found, names


def real_of(x: Any) -> str:
    """Return a rational as a real number of Coq.

    Raises:
        DomainError: If it is none.
    """
    if isinstance(x, Term):
        x = value_of(x)
    if isinstance(x, Exact) and x.is_rational:
        x = x.as_fraction()
    if isinstance(x, str) or type(x) not in (int, Fraction):
        raise DomainError(f"{x!r} is not a rational number")
    x = Fraction(x)
    top = str(x.numerator) if x >= 0 else f"(- {-x.numerator})"
    return top if x.denominator == 1 else f"{top} / {x.denominator}"


def definitions_in_coq(kinds: Mapping[str, Sort], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the definitions of an instance's variables, after those that their types need."""
    known: set[str] = set()
    for kind in kinds.values():
        if isinstance(kind, Numbers) or kind.coq is None:
            continue
        for written in _needed(kind.coq[2], values):
            if written not in known:
                known.add(written)
                yield written
    for name, kind in kinds.items():
        if isinstance(kind, Numbers):
            sort, text = (
                ("nat", f"{_whole(values[name])}%nat")
                if kind.whole
                else ("R", real_of(values[name]))
            )
        else:
            assert kind.coq is not None
            sort = kind.coq[0]
            own = kind.written
            text = _described(sort, values[name]) if own is None else called(own, values)
        yield f"Definition {name} : {sort} := {text}."


Parsed = tuple[Any, ...]
"""A type: its head, then its parts."""


def _arrow(tokens: Sequence[str]) -> tuple[Parsed, Sequence[str]]:
    left, tokens = _product(tokens)
    if tokens and tokens[0] == "->":
        right, tokens = _arrow(tokens[1:])
        return ("->", left, right), tokens
    return left, tokens


def _product(tokens: Sequence[str]) -> tuple[Parsed, Sequence[str]]:
    left, tokens = _applied(tokens)
    while tokens and tokens[0] == "*":
        right, tokens = _applied(tokens[1:])
        left = ("*", left, right)
    return left, tokens


def _applied(tokens: Sequence[str]) -> tuple[Parsed, Sequence[str]]:
    head, tokens = tokens[0], tokens[1:]
    if head in ("law", "list"):
        part, tokens = _applied(tokens)
        return (head, part), tokens
    if head == "(":
        part, tokens = _arrow(tokens)
        return part, tokens[1:]
    return (head,), tokens


def _written(kind: Parsed, value: Any) -> str:
    match kind:
        case ("R",):
            return real_of(value)
        case ("bool",):
            return "true" if value else "false"
        case ("nat",) if isinstance(value, int) and value >= 0:
            return f"{value}%nat"
        case ("Z",) if isinstance(value, int):
            return f"({value})%Z"
        case (name,) if name in ABSTRACT:
            return _written(("nat",), value)
        case ("counts",):
            return _written(("list", ("nat",)), value)
        case ("*", left, right):
            first, second = _items(value)
            return f"({_written(left, first)}, {_written(right, second)})"
        case ("list", part):
            return "[" + "; ".join(_written(part, x) for x in _items(value)) + "]"
        case ("law", part):
            pairs = (f"({_written(part, x)}, {real_of(m)})" for x, m in _masses(value))
            return "[" + "; ".join(pairs) + "]"
        case ("->", ("nat",) | ("A",) | ("X",), ("bool",)):
            return f"(fun y => existsb (Nat.eqb y) {_written(('list', ('nat',)), value)})"
        case ("->", ("*", ("nat",), ("nat",)), ("bool",)):
            same = "andb (Nat.eqb (fst y) (fst z)) (Nat.eqb (snd y) (snd z))"
            chosen = _written(("list", kind[1]), value)
            return f"(fun y => existsb (fun z => {same}) {chosen})"
        case ("->", ("nat",) | ("A",) | ("X",), part):
            values = [_written(part, x) for x in _items(value)]
            last = f"({values[-1]})" if part == ("R",) else values[-1]
            return f"(fun i => nth i [{'; '.join(values)}] {last})"
    raise DomainError(f"{str(value)[:60]!r} is not written as a {kind[0]}")


def _items(value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise DomainError(f"{str(value)[:60]!r} lists nothing")
    return list(value)


def _masses(value: Any) -> list[tuple[Any, Any]]:
    """Return the outcomes of a law with their masses."""
    masses = getattr(value, "masses", value)
    if isinstance(masses, Mapping):
        return list(masses.items())
    return list(enumerate(_items(value))) if masses is value else list(masses)


def _described(sort: str, x: Any) -> str:
    try:
        return coq_value(sort, x)
    except (TypeError, ValueError) as error:  # its type's writer does not know such a value
        raise DomainError(
            f"an instance cannot be written as {sort}: {error}. Give `written=`."
        ) from None


def _needed(first: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the definitions that a type needs before it; k letters hold all laws."""
    defined, names = concrete(first)
    for name, kind, text in defined:
        yield f"Definition {name} : {kind} := {text}."
    if "k" in names:
        yield f"Definition k : nat := {max(map(_longest, values.values()))}%nat."


def _whole(x: Any) -> int:
    return int(Fraction(x)) if not isinstance(x, Exact) else int(x.as_fraction())


def _longest(x: Any) -> int:
    """Return the length of the longest list of numbers in a value."""
    if not isinstance(x, tuple | list):
        return 0
    inner = max(map(_longest, x), default=0)
    return max(inner, len(x) if x and not isinstance(x[0], tuple | list) else 0)
