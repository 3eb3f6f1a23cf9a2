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
from dataclasses import Field, fields, is_dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz_poly

import exactdp
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, rational_text, short

__all__ = ["instance_text", "rebuild_line"]

_PLAIN = (type(None), bool, str, bytes)
"""The types, without subclasses, whose repr is an expression."""


_LONGEST = 20_000
"""The characters of a line that rebuilds an instance, at most."""


class _NoExpressionError(Exception):
    """A value has no expression."""


def instance_text(at: object) -> str:
    """Return the instance on one line, in full up to 20,000 characters; nothing for None.

    Example:
        >>> instance_text((Exact("1/3"), Epsilon.rational("1/2")))
        "(Exact('1/3'), Epsilon.rational('1/2'))"
    """
    if at is None:
        return ""
    try:
        text = _Source().of(at)
    except Exception:
        try:
            text = " ".join(repr(at).split())
        except Exception as error:  # the failure that is told matters more
            text = f"a {type(at).__name__} whose repr raises {type(error).__name__}"
    return short(text, most=_LONGEST)


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
    source = _Source()
    try:
        expression = source.of(at)
    except Exception:  # none that is an expression, or that its repr gives at all
        return None
    line = "; ".join([*sorted(source.imports), f"at = {expression}"])
    return line if len(line) <= _LONGEST else None


class _Source:
    """Writes values as expressions, and gathers their imports."""

    def __init__(self) -> None:
        self.imports: set[str] = set()

    def of(self, value: object) -> str:
        """Return an expression for the value; raise _NoExpressionError if there is none."""
        match value:
            case float():
                number = float(value)  # a subclass, such as NumPy's, prints differently
                return repr(number) if math.isfinite(number) else f"float({str(number)!r})"
            case int() if type(value) is int:
                return _int_source(value)
            case None | bool() | str() | bytes() if type(value) in _PLAIN:
                return repr(value)
            case Fraction():
                self.imports.add("from fractions import Fraction")
                return f"Fraction({_int_source(value.numerator)}, {_int_source(value.denominator)})"
            case Exact():
                return self.exact(value)
            case Epsilon():
                return self.epsilon(value)
            case Randomizer():
                if not value.has_matrix:
                    raise _NoExpressionError
                rows = self.of([list(row) for row in value.rows])
                return f"{self.ours('Randomizer')}.from_matrix({rows})"
            case FinitePmf():
                return f"{self.ours('FinitePmf')}({self.of(dict(value.masses))})"
            case Pair():
                p, q = (self.of([masses[i] for masses in value.masses()]) for i in (0, 1))
                return f"{self.ours('Pair')}.from_masses({p}, {q})"
            case list() if type(value) is list:
                return f"[{', '.join(map(self.of, value))}]"
            case tuple() if type(value) is tuple:
                return f"({', '.join(map(self.of, value))}{',' if len(value) == 1 else ''})"
            case Mapping() if type(value).__name__ in ("dict", "mappingproxy"):
                items = (f"{self.of(k)}: {self.of(v)}" for k, v in value.items())
                return f"{{{', '.join(items)}}}"
        if is_dataclass(value) and not isinstance(value, type):
            return self.dataclass(value)
        return self.from_repr(value)

    def ours(self, name: str) -> str:
        self.imports.add(f"from exactdp import {name}")
        return name

    def defined(self, module: str, qualified_name: str) -> None:
        if module not in ("builtins", "__main__"):
            home = "exactdp.testing" if module.startswith("exactdp.testing.") else module
            self.imports.add(f"from {home} import {qualified_name.partition('.')[0]}")

    def dataclass(self, value: Any) -> str:
        """Return the call of a dataclass's constructor, if that is defined in a module."""
        name = type(value).__qualname__
        if "<locals>" in name:
            raise _NoExpressionError
        entries = [(entry, getattr(value, entry.name)) for entry in fields(value) if entry.init]
        arguments = [f"{one.name}={self.of(x)}" for one, x in entries if not _is_default(x, one)]
        self.defined(type(value).__module__, name)
        return f"{name}({', '.join(arguments)})"

    def from_repr(self, value: object) -> str:
        text = repr(value)
        try:
            tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _NoExpressionError from None
        if "\n" in text or _is_literal_of_another_type(text, value):
            raise _NoExpressionError
        for name in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
            if name == type(value).__name__:
                self.defined(type(value).__module__, name)
            elif name in exactdp.__all__:
                self.ours(name)
            elif name == "Fraction":
                self.imports.add("from fractions import Fraction")
            elif not hasattr(builtins, name):
                raise _NoExpressionError
        return text

    def epsilon(self, value: Epsilon) -> str:
        self.ours("Epsilon")
        if value.is_infinite or value.exp.is_rational or value.exp.monomial_exponent() is not None:
            return repr(value)
        return f"Epsilon({self.exact(value.exp)})"

    def exact(self, value: Exact) -> str:
        self.ours("Exact")
        if value.is_rational:
            return f"Exact({rational_text(value.as_fraction())!r})"
        top = _polynomial_source(value.numerator, value.rate)
        if value.denominator.is_one():
            return top
        bottom = _polynomial_source(value.denominator, value.rate)
        top = f"({top})" if " " in top else top
        return f"{top}/{bottom}" if value.denominator.length() == 1 else f"{top}/({bottom})"


def _is_literal_of_another_type(text: str, value: object) -> bool:
    # So numbers of NumPy 1 print.
    try:
        return type(ast.literal_eval(text)) is not type(value)
    except ValueError:
        return False


def _is_default(value: object, entry: Field[Any]) -> bool:
    # Of the same type, so that an exact number is not compared with a float.
    return type(value) is type(entry.default) and value == entry.default


def _int_source(value: int) -> str:
    # Python neither prints nor reads more than 4,300 decimal digits.
    return repr(value) if value.bit_length() <= 10_000 else hex(value)


def _polynomial_source(p: fmpz_poly, rate: Fraction) -> str:
    terms = []
    for i, c in enumerate(p.coeffs()):
        if c != 0:
            power = f"Exact.exp('{rate * i}')"
            terms.append(str(c) if i == 0 else power if c == 1 else f"{c}*{power}")
    return " + ".join(terms)
