"""A claim's relations, built once from symbols, and evaluated at each instance.

The code of an author runs once, with a symbol for each variable. What it returns is data, which is
printed, proved, given to the kernel, and evaluated at instances; so what was tried is what is
proved. A function that no term writes down is a quantity (:mod:`exactdp.claims.quantities`), which
is computed at an instance's values.

Definitions: :class:`Form`, :func:`at_values`, :func:`plain_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import add, mul, sub
from typing import Any

from exactdp.claims.calls import called
from exactdp.claims.terms import Term, parts_of_term, term
from exactdp.claims.values import value
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["Form", "at_values", "plain_at"]

Values = Mapping[str, Any]


@dataclass(eq=False)
class Form:
    """A formula applied to symbols, which is done once.

    Attributes:
        says: The formula, a function of variables by name.
        variables: The names.

    Example:
        >>> form = Form(lambda n, x: term(x) ** n, ("n", "x"))
        >>> form.said().json, form.said() is form.said()
        (['pow', {'ref': 'x'}, {'ref': 'n'}], True)
        >>> Form(lambda n: sum(range(n)), ("n",)).refusal()
        "its formula computes with numbers (TypeError: 'Term' object cannot be interpreted as an \
integer)"
    """

    says: Callable[..., Any]
    variables: tuple[str, ...]
    _found: list[Any] = field(default_factory=list, repr=False)

    def said(self) -> Any:
        """Return the formula applied to symbols; None if it computes with numbers."""
        if not self._found:
            try:
                at = {name: Term("variable", name) for name in self.variables}
                found = called(self.says, at)
                self._found += [tuple(found) if isinstance(found, list) else found, ""]
            except (Exception, SystemExit) as error:  # whatever it says of a symbol
                why = f"{type(error).__name__}: {str(error).partition('.')[0]}"
                self._found += [None, f"its formula computes with numbers ({why})"]
        return self._found[0]

    def refusal(self) -> str:
        """Return why the formula says nothing of symbols; "" where it does."""
        self.said()
        return str(self._found[1])


def at_values(whole: Any, values: Values) -> Any:
    """Return a term, or terms in tuples, at values of variables, with its quantities computed.

    Raises:
        DomainError: If a variable that stands for a number has another value.

    Example:
        >>> n, x = Term("variable", "n"), Term("variable", "x")
        >>> value(at_values(x**n + 1, {"n": 3, "x": Fraction(1, 2)}))
        Exact('9/8')
    """
    return _At(values).term(whole, frozenset())


def plain_at(whole: Any, values: Values) -> Any:
    """Return a term at values by Python's own arithmetic, for functions that take numbers.

    Example:
        >>> n = Term("variable", "n")
        >>> plain_at((n - 1) / 2, {"n": 4}), plain_at(n, {"n": (0, 1)})
        (Fraction(3, 2), (0, 1))
    """
    return _At(values).plain(whole)


class _At:
    """One instance: each part of a term is computed once."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.known: dict[tuple[int, frozenset[str]], tuple[Any, Any]] = {}

    def term(self, part: Any, bound: frozenset[str]) -> Any:
        """Return a part with its variables replaced, but for those that a sum has bound."""
        if isinstance(part, tuple):
            return tuple(self.term(x, bound) for x in part)
        if not isinstance(part, Term):
            return part
        key = (id(part), bound)
        if key not in self.known:
            self.known[key] = (part, self._term(part, bound))
        return self.known[key][1]

    def _term(self, part: Term, bound: frozenset[str]) -> Term:
        match part.head:
            case "variable" if part.parts[0] not in bound and part.parts[0] in self.values:
                return self._number(part.parts[0], self.values[part.parts[0]])
            case "quantity":
                inside = {x.parts[0] for x in parts_of_term(part.parts) if x.head == "variable"}
                if inside & bound:
                    raise DomainError(
                        f"the quantity {part.parts[0].name} is of the index of a sum. "
                        "Make a quantity of the sum."
                    )
                return self._number(part.parts[0].name, self.plain(part))
            case "sum":
                bound = bound | {part.parts[0]}
        inner = tuple(self.term(x, bound) for x in part.parts)
        same = all(a is b for a, b in zip(inner, part.parts, strict=True))
        return part if same else Term(part.head, *inner)

    def _number(self, name: str, found: Any) -> Term:
        try:
            return term(found)
        except (DomainError, TypeError, ValueError) as error:
            raise DomainError(
                f"{name} has the value {found!r:.80}, which is not a number. Make a quantity of "
                "what the claim says of it."
            ) from error

    def plain(self, part: Any) -> Any:
        """Return a part as a function takes it: an int, a Fraction, an object."""
        if isinstance(part, tuple):
            return tuple(map(self.plain, part))
        if not isinstance(part, Term):
            return part
        key = (id(part), _PLAIN)
        if key not in self.known:
            self.known[key] = (part, self._plain(part))
        return self.known[key][1]

    def _plain(self, part: Term) -> Any:
        match part.head:
            case "number":
                return _as_python(part.parts[0])
            case "variable":
                return self.values[part.parts[0]]
            case "named":  # as a term, so that it keeps its name
                return self.term(part, frozenset())
            case "quantity":
                notion, *arguments = part.parts
                return notion.compute(*map(self.plain, arguments))
            case "neg":
                return -self.plain(part.parts[0])
            case "pow":
                base, power = map(self.plain, part.parts)
                return (Fraction(base) if type(base) is int else base) ** int(power)
            case head if head in _FOLDED:
                return reduce(_FOLDED[head], map(self.plain, part.parts))
        closed = self.term(part, frozenset())
        found = value(closed)
        return _as_python(found) if isinstance(found, Exact) else closed


_PLAIN = frozenset({""})
"""Beside a term's id: as a function takes it."""


def _divided(x: Any, y: Any) -> Any:
    return Fraction(x) / y if type(x) is int else x / y


_FOLDED: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": _divided,
}


def _as_python(number: Exact) -> Any:
    if not number.is_rational:
        return number
    fraction = number.as_fraction()
    return int(fraction) if fraction.denominator == 1 else fraction
