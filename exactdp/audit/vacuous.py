"""Vacuous claims: 0 times a divergence is at most anything.

A claim with an idle part is not proved: what was shown is not what a reader takes it to say. Idle
are a divergence or a mass in whose place any other number gives the same sides at all of the first
instances, or, if nothing else is claimed, the variables of an inequality whose sides are the same
whatever these are, or a term that is compared with itself.

An argument is none for a domain that is in words and was not searched: a machine proves the claim
on all of it, or the search must have been able to find what is false.

Definitions: :func:`idle_part`, :func:`unsearched`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from exactdp.claims import Effort, Statement
from exactdp.claims.built import at_values
from exactdp.claims.general import said_of
from exactdp.claims.kinds import Objects
from exactdp.claims.printing import shown
from exactdp.claims.relations import Relation
from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.values import truth_of, value
from exactdp.numbers import Exact

__all__ = ["idle_part", "unsearched"]

_OF_LAWS = frozenset(
    ("hockey_stick", "total_variation", "mass", "event", "ldp_ratio", "entry", "row_sum")
)
_INSTEAD = (Fraction(1, 3), Fraction(5, 7), Fraction(1001))
"""Values in the place of a part."""

_INSTANCES = 12
"""The instances at which it may matter."""

_NAME = "instead of it"


def idle_part(statement: Statement) -> str:
    """Return the first part of a claim that matters nowhere, as it is printed; "" if all do.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all, reals, term
        >>> over = cases(x=(1, 2)).within(x=reals(1))
        >>> idle_part(for_all(over, lambda x: at_most(0 * term(x), 1)))
        'x'
        >>> idle_part(for_all(over, lambda x: at_most(x, x * x)))
        ''
    """
    said = said_of(statement)
    if said is None:
        return ""
    instances = [at.mapping() for at in islice(statement.instances(Effort.DEFAULT), _INSTANCES)]
    idle = [_idle(relation, instances) for relation in said.relations]
    return next((part for part, is_all in idle if part and not is_all), "") or (
        idle[0][0] if all(part for part, _ in idle) else ""
    )


def unsearched(statement: Statement) -> str:
    """Return why a claim's domain is in words that no search could read; "" where it is not.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all, objects
        >>> over = cases(n=(1, 2)).within(n=objects("an integer of at least 1"))
        >>> unsearched(for_all(over, lambda n: at_most(n, 5)))
        'n is a number, and its domain is in words: say reals, integers or among'
    """
    kinds = {} if statement.domain is None else statement.domain.kinds
    named = {name: kind for name, kind in kinds.items() if isinstance(kind, Objects)}
    for at in islice(statement.instances(Effort.DEFAULT), _INSTANCES):
        for name in named:
            if isinstance(at[name], int | Fraction | Exact):
                return (
                    f"{name} is a number, and its domain is in words: say reals, integers or among"
                )
    fixed = [name for name, kind in named.items() if kind.drawn is None]
    return f"no instances beyond the listed ones can be drawn: {fixed[0]}" if fixed else ""


def _idle(relation: Relation, instances: Sequence[Mapping[str, Any]]) -> tuple[str, bool]:
    """Return the part of a relation that matters nowhere, and whether it is all of it."""
    sides = (relation.left, relation.right)
    if _same(*sides):
        return shown(relation.left), True
    parts = list(parts_of_term(sides))
    for part in (x for x in parts if x.head in _OF_LAWS):
        if not any(_matters(sides, part, at) for at in instances):
            return shown(part), False
    indices = {part.parts[0] for part in parts if part.head == "sum"}
    names = [x for x in parts if x.head == "variable" and x.parts[0] not in indices]
    is_plain = relation.sign != "=" and not any(part.head == "quantity" for part in parts)
    if not names or not is_plain:
        return "", False
    is_idle = not any(_matters(sides, x, at) for x in names for at in instances)
    return (", ".join(map(shown, names)), True) if is_idle else ("", False)


def _same(one: Any, other: Any) -> bool:
    """Return whether two terms are the same operations on the same parts."""
    if isinstance(one, Term) and isinstance(other, Term):
        return one is other or (one.head == other.head and _same(one.parts, other.parts))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(not isinstance(one, Term) and not isinstance(other, Term) and one == other)


def _matters(sides: Sequence[Term], part: Term, values: Mapping[str, Any]) -> bool:
    """Return whether some other value of a part gives another value of a side."""
    changed = tuple(_with(side, part) for side in sides)
    found: list[Any] = []
    for other in _INSTEAD:
        try:
            found.append([value(x) for x in at_values(changed, {**values, _NAME: other})])
        except Exception:  # it has no value there, so its value matters
            return True
    first, *others = found
    return any(
        not truth_of("=", x, y).is_possible
        for more in others
        for x, y in zip(first, more, strict=True)
    )


def _with(whole: Any, part: Term) -> Any:
    """Return a term with a variable in the place of a part."""
    if whole is part or (
        isinstance(whole, Term)
        and part.head == whole.head == "variable"
        and part.json == whole.json
    ):
        return Term("variable", _NAME)
    if isinstance(whole, tuple):
        return tuple(_with(x, part) for x in whole)
    return Term(whole.head, *_with(whole.parts, part)) if isinstance(whole, Term) else whole
