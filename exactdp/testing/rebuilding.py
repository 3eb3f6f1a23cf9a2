"""Instances as Python: a line that a reader pastes to have the instance again.

Numbers, randomizers and pairs of this library print in short; here they are
written out in full. Other objects are taken at their repr, if it is an expression
whose names can be imported.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction

from flint import fmpz_poly

import exactdp
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, rational_text

__all__ = ["instance_text", "rebuild_line"]

_PLAIN = (type(None), bool, str, bytes)
"""The types, without subclasses, whose repr is an expression."""


def instance_text(at: object) -> str:
    """Return the instance in full on one line; nothing for None.

    Example:
        >>> instance_text((Exact("1/3"), Epsilon.rational("1/2")))
        "(Exact('1/3'), Epsilon.rational('1/2'))"
    """
    if at is None:
        return ""
    source = _source(at, set())
    return source if source is not None else " ".join(repr(at).split())


def rebuild_line(at: object) -> str | None:
    """Return a line of Python that binds ``at`` to the instance anew; None if there is none.

    Example:
        >>> rebuild_line({"n": 2, "exp_epsilon": Fraction(3, 2)})
        "from fractions import Fraction; at = {'n': 2, 'exp_epsilon': Fraction(3, 2)}"
        >>> rebuild_line(Exact.exp("1/2") / 3)
        "from exactdp import Exact; at = Exact.exp('1/2')/3"
        >>> rebuild_line(object()) is None
        True
    """
    if at is None:
        return None
    imports: set[str] = set()
    source = _source(at, imports)
    return None if source is None else "; ".join([*sorted(imports), f"at = {source}"])


def _source(value: object, imports: set[str]) -> str | None:
    """Return an expression for the value, and add what it imports; None if there is none."""
    match value:
        case float():
            number = float(value)  # a subclass, such as NumPy's, prints differently
            return repr(number) if math.isfinite(number) else f"float({str(number)!r})"
        case int() if type(value) is int:
            return _int_source(value)
        case None | bool() | str() | bytes() if type(value) in _PLAIN:
            return repr(value)
        case Fraction():
            imports.add("from fractions import Fraction")
            return f"Fraction({_int_source(value.numerator)}, {_int_source(value.denominator)})"
        case Exact():
            imports.add("from exactdp import Exact")
            return _exact_source(value)
        case Epsilon():
            return _epsilon_source(value, imports)
        case Randomizer():
            rows = [list(row) for row in value.rows]
            return _call("exactdp", "Randomizer.from_matrix", rows, imports)
        case FinitePmf():
            return _call("exactdp", "FinitePmf", dict(value.masses), imports)
        case Pair():
            imports.add("from exactdp import Pair")
            p, q = (_source([m[i] for m in value.masses()], imports) for i in (0, 1))
            return f"Pair.from_masses({p}, {q})"
        case list() | tuple() if type(value) in (list, tuple):
            parts = [_source(part, imports) for part in value]
            if any(part is None for part in parts):
                return None
            inside = ", ".join(part for part in parts if part is not None)
            if isinstance(value, list):
                return f"[{inside}]"
            return f"({inside},)" if len(parts) == 1 else f"({inside})"
        case Mapping() if type(value).__name__ in ("dict", "mappingproxy"):
            items = [(_source(k, imports), _source(v, imports)) for k, v in value.items()]
            if any(k is None or v is None for k, v in items):
                return None
            return "{" + ", ".join(f"{k}: {v}" for k, v in items) + "}"
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass_source(value, imports)
    return _repr_source(value, imports)


def _int_source(value: int) -> str:
    # Python neither prints nor reads more than 4,300 decimal digits.
    return repr(value) if value.bit_length() <= 10_000 else hex(value)


def _call(module: str, name: str, argument: object, imports: set[str]) -> str | None:
    inside = _source(argument, imports)
    if inside is None:
        return None
    imports.add(f"from {module} import {name.partition('.')[0]}")
    return f"{name}({inside})"


def _dataclass_source(value: object, imports: set[str]) -> str | None:
    """Return the call of a dataclass's constructor; None if it is not defined in a module."""
    kind = type(value)
    if "<locals>" in kind.__qualname__ or not is_dataclass(value):
        return None
    parts = []
    for entry in fields(value):
        if entry.init:
            inside = _source(getattr(value, entry.name), imports)
            if inside is None:
                return None
            parts.append(f"{entry.name}={inside}")
    _import(kind.__module__, kind.__qualname__, imports)
    return f"{kind.__qualname__}({', '.join(parts)})"


def _repr_source(value: object, imports: set[str]) -> str | None:
    text = repr(value)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if "\n" in text:
        return None
    for name in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
        if name == type(value).__name__:
            _import(type(value).__module__, name, imports)
        elif name in exactdp.__all__:
            imports.add(f"from exactdp import {name}")
        elif name == "Fraction":
            imports.add("from fractions import Fraction")
        elif not hasattr(builtins, name):
            return None
    return text


def _import(module: str, qualified_name: str, imports: set[str]) -> None:
    if module not in ("builtins", "__main__"):
        home = "exactdp.testing" if module == "exactdp.testing.cases" else module
        imports.add(f"from {home} import {qualified_name.partition('.')[0]}")


def _epsilon_source(value: Epsilon, imports: set[str]) -> str:
    imports.add("from exactdp import Epsilon")
    if value.is_infinite or value.exp.is_rational or value.exp.monomial_exponent() is not None:
        return repr(value)
    imports.add("from exactdp import Exact")
    return f"Epsilon({_exact_source(value.exp)})"


def _exact_source(value: Exact) -> str:
    if value.is_rational:
        return f"Exact({rational_text(value.as_fraction())!r})"
    top = _polynomial_source(value.numerator, value.rate)
    if value.denominator.is_one():
        return top
    bottom = _polynomial_source(value.denominator, value.rate)
    top = f"({top})" if " " in top else top
    if value.denominator.length() == 1:
        return f"{top}/{bottom}"
    return f"{top}/({bottom})"


def _polynomial_source(p: fmpz_poly, rate: Fraction) -> str:
    terms = []
    for i, c in enumerate(p.coeffs()):
        if c != 0:
            power = f"Exact.exp('{rate * i}')"
            terms.append(str(c) if i == 0 else power if c == 1 else f"{c}*{power}")
    return " + ".join(terms)
