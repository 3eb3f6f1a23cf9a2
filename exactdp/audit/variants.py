"""False variants of a claim: each must be false because of the claim, not by itself.

A trial that refutes ``1 <= 0`` would refute it beside any claim. A variant counts only if, where it
falls, it has something in common with the claim there that is more than a constant: a side, a law
inside of one, or the code that both are made by.

Definitions: :func:`is_about`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from exactdp.claims import Instance, Outcome, Statement
from exactdp.claims.calls import called
from exactdp.claims.forms import Relation, Said
from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.values import value
from exactdp.numbers import Exact

__all__ = ["is_about"]

_LAWS = ("finite_pair", "shuffle", "matrix")


def is_about(variant: Statement, claim: Statement, at: Instance) -> bool:
    """Return whether a variant that fails at an instance has to do with the claim.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> claim = for_all(cases(x=(1, 2)), lambda x: at_most(x * x, 4))
        >>> at = Instance.of(x=2)
        >>> is_about(for_all(cases(x=(2,)), lambda x: at_most(x * x, 3)), claim, at)
        True
        >>> is_about(for_all(cases(x=(2,)), lambda x: at_most(1, 0)), claim, at)
        False
    """
    if variant.says is None or claim.says is None:
        return True  # what a library answers has no formula; both ask the same library
    if not set(_codes(variant.says)).isdisjoint(_codes(claim.says)):
        return True
    fallen, claimed = _said(variant, at), _said(claim, at)
    if fallen is None:
        return False  # two computations that share no code
    bad = [side for r in fallen if not r.holds() for side in (r.left, r.right)]
    if claimed is None:
        return any(part.head in _LAWS for part in parts_of_term(tuple(bad)))
    sides = [side for r in claimed for side in (r.left, r.right)]
    return not (_keys(bad).isdisjoint(_keys(sides)) and _values(bad).isdisjoint(_values(sides)))


def _codes(says: Callable[..., Any]) -> Iterator[Any]:
    """Yield the code of a function, and of the functions that it is made of."""
    todo, seen = [says], set[int]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, partial):
            todo.append(one.func)
            continue
        code = getattr(one, "__code__", None)
        if code is None:
            continue
        yield code
        cells = [cell.cell_contents for cell in getattr(one, "__closure__", None) or ()]
        todo += [cell for cell in cells if callable(cell)]


def _said(statement: Statement, at: Instance) -> Sequence[Relation] | None:
    """Return the relations at an instance; None if it is none of the statement's, or has none."""
    assert statement.says is not None
    try:
        found = called(statement.says, at.mapping())
    except (TypeError, ValueError, LookupError, AttributeError):  # an instance of other variables
        return None
    match found:
        case Outcome():
            return None
        case Said():
            return list(found.relations)
        case Relation():
            return [found]
    return list(found)


def _keys(sides: Sequence[Term]) -> set[str]:
    """Return the sides, and the laws in them, as texts; without bare numbers."""
    parts = (*sides, *(part for part in parts_of_term(tuple(sides)) if part.head in _LAWS))
    return {repr(part.json) for part in parts if part.head != "number"}


def _values(sides: Sequence[Term]) -> set[Any]:
    """Return the exact values of sides, without 0 and 1, which are no claim's own."""
    found = {value(side) for side in sides}
    return {x for x in found if isinstance(x, Exact) and x not in (0, 1)}
