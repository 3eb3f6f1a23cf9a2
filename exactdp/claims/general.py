"""A statement's formula in general form, for people: nothing is decided, and no trial is run.

What is claimed at an instance is a function of the instance's values that writes terms. Given
variables for the values, it writes the formula itself. A value on which the shape of the formula
depends (how many users there are, say) stays what it is at the first instance, and the formula
says so. What computes its decision, and writes no relation, has no formula.

Definitions: :class:`Formula`, :func:`formula_of`, :data:`DECIDED`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from inspect import signature
from typing import Any

from exactdp.claims.calls import of_variables
from exactdp.claims.claim import Effort, Outcome, Quantifier, Statement
from exactdp.claims.forms import Relation, Said, as_said
from exactdp.claims.printing import SIGNS, shown, shown_value, variable, where
from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.verdicts import Instance, Plain
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["DECIDED", "Formula", "formula_of", "proved_form", "said_of", "written_generally"]

DECIDED = "decided by an engine's computation"
"""What stands where a statement has no formula."""

_MOST_NUMBERS = 40
"""A value of more numbers has no variables for them: nobody would read these."""

_LONGEST = 1_500
"""The characters of a relation, or of what a name stands for; a longer one lacks its middle."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as text.

    Attributes:
        relations: What is claimed, each a relation.
        every: Whether it is claimed everywhere, or somewhere.
        variables: The variables that are open.
        at: The other ones, with their values at the first instance.
        given: What is assumed, each a relation.
        where: What the names in all these stand for, each an equation.
    """

    relations: tuple[str, ...]
    every: bool = True
    variables: tuple[str, ...] = ()
    at: Mapping[str, Plain] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    def __str__(self) -> str:
        over = f"for {'all' if self.every else 'some'} {', '.join(self.variables)}"
        fixed = ", ".join(f"{variable(x)} = {_cut(shown_value(v))}" for x, v in self.at.items())
        heads = [over] * bool(self.variables) + [f"at {fixed}"] * bool(fixed)
        text = " and ".join(self.relations)
        text = f"{', '.join(heads)}: {text}" if heads else text
        text += f"; given {' and '.join(self.given)}" if self.given else ""
        return text + (f"; where {', '.join(self.where)}" if self.where else "")


def formula_of(statement: Statement) -> Formula | None:
    """Return the formula of a statement; None if it is decided by a computation.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> over = cases(n=(2, 3), x=("1/2",))
        >>> print(formula_of(for_all(over, lambda n, x: at_most(x**n, x))))
        for all n, x: x^n ≤ x
        >>> print(formula_of(for_all(over, lambda n, x: at_most(sum([x] * n), 1))))
        None
    """
    found = written_generally(statement)
    if found is None:
        return None
    said, opened, fixed = found
    try:
        given = said.hypotheses() if callable(said.hypotheses) else said.hypotheses
    except (
        Exception,
        SystemExit,
    ):  # hypotheses of numbers, asked for a formula: they are not shown
        given = ()
    all_terms = [t for r in (*said.relations, *given) for t in (r.left, r.right)]
    return Formula(
        relations=tuple(map(_relation, said.relations)),
        every=statement.quantifier is Quantifier.ALL,
        variables=tuple(map(variable, opened)),
        at=Instance(tuple(fixed.items())).plain(),
        given=tuple(map(_relation, given)),
        where=tuple(f"{name} = {_cut(text)}" for name, text in where(all_terms)),
    )


def written_generally(
    statement: Statement,
) -> tuple[Said, dict[str, Any], dict[str, Any]] | None:
    """Return the claim with variables for values, these by name, and the values that stay.

    None if no relation is written.
    """
    says = statement.says
    if says is None or _is_decided(says):
        return None
    opened: dict[str, Any] = {name: Term("variable", name) for name in statement.variables}
    said = said_of(statement)
    if said is not None:
        return said, opened, {}
    try:
        at = next(iter(statement.instances(Effort.DEFAULT)), None)
    except (Exception, SystemExit):  # an enumeration that asks what is not here
        at = None
    fixed = {} if at is None else dict(at.values)
    said, opened = _said(says, fixed), {}
    if said is None:
        return None
    for name, value in list(fixed.items()):
        symbol, count = _symbol(name, value)
        wider = (
            _said(says, {**fixed, **opened, name: symbol}) if 0 < count <= _MOST_NUMBERS else None
        )
        # A value that the formula does not write down may still have decided its shape.
        if wider is not None and _read(symbol) <= {id(t) for t in parts_of_term(_terms(wider))}:
            said, opened[name] = wider, symbol
    return said, opened, {x: v for x, v in fixed.items() if x not in opened}


def said_of(statement: Statement) -> Said | None:
    """Return a statement applied to a symbol for each variable; None if it needs numbers."""
    return None if statement.form is None else as_said(statement.form.said())


def proved_form(statement: Statement) -> Said | str:
    """Return the relations that a proof of a statement is of, or why there are none.

    They are built once, from symbols, and so is its domain: what a function computes at an
    instance's numbers is proved by no steps.
    """
    if statement.domain is not None and statement.domain.computed:
        return "a condition of its domain computes with numbers"
    found = said_of(statement)
    if found is not None:
        return found
    refusal = "" if statement.form is None else statement.form.refusal()
    return refusal or "its formula returns no relation"


def _is_decided(says: Callable[..., Any]) -> bool:
    """Return whether a function says of itself that it answers with an outcome."""
    try:
        return signature(says).return_annotation in (Outcome, "Outcome")
    except (TypeError, ValueError):
        return False


def _said(says: Callable[..., Any], values: Mapping[str, Any]) -> Said | None:
    try:
        found = of_variables(says, values)
    except DomainError:
        return None
    return as_said(found)


def _symbol(name: str, value: Any) -> tuple[Any, int]:
    """Return variables in the shape of a value, and how many; 0 if something is not a number."""
    if type(value) in (int, Fraction, Exact):
        return Term("variable", name), 1
    if type(value) not in (tuple, list):
        return value, 0
    parts = [_symbol(f"{name}_{i}", inner) for i, inner in enumerate(value)]
    is_whole = all(count for _, count in parts)
    return tuple(part for part, _ in parts), sum(count for _, count in parts) * is_whole


def _read(symbol: Any) -> set[int]:
    return {id(part) for part in parts_of_term(symbol)}


def _terms(said: Said) -> tuple[Term, ...]:
    return tuple(side for r in said.relations for side in (r.left, r.right))


def _relation(r: Relation) -> str:
    return f"{_cut(shown(r.left))} {SIGNS[r.sign]} {_cut(shown(r.right))}"


def _cut(text: str) -> str:
    half = _LONGEST // 2
    hidden = f" [... {len(text) - _LONGEST} characters ...] "
    return text if len(text) <= _LONGEST else text[:half] + hidden + text[-half:]
