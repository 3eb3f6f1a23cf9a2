"""The instances at which Coq compares both meanings of a claim's quantities.

A comparison tells something where a function that is constant, or that ignores its laws, would not
pass: where a compared value is neither 0 nor 1, and laws differ. So many instances are looked for
(:data:`ASKED`), among the listed ones and then among those that the domain's strategy draws. Where
a claim itself makes a quantity 0 or 1 (a divergence at e^ε of what is ε-private), the quantity is
compared with one argument changed, too (:class:`Changed`): at a smaller factor, or beside the laws
of another instance. What has no other value than 0 and 1 has to have both.

Definitions: :class:`Telling`, :class:`Changed`, :func:`telling_instances`, :data:`ASKED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from itertools import chain, islice, pairwise
from typing import Any

from exactdp.claims.built import at_values
from exactdp.claims.claim import Effort, Statement
from exactdp.claims.domains import Domain
from exactdp.claims.general import said_of
from exactdp.claims.kinds import Numbers, Objects, Sort
from exactdp.claims.terms import Term, parts_of_term, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Instance
from exactdp.coq.statements import CoqSides, coq_sides, coq_term
from exactdp.coq.values import definitions_in_coq
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Exact, Number
from exactdp.numbers.balls import endpoints

__all__ = ["ASKED", "Changed", "SideAt", "Telling", "telling_instances"]

ASKED = 3
"""At so many instances the meanings are compared, or at all that there are."""

_TRIED = 60
"""The most telling are taken of so many instances, and of so many drawn ones."""

_LONGEST = 60
"""A larger instance takes Coq too long."""

_ENOUGH = 6
"""So many different values tell enough."""

_PLAIN = (Fraction(0), Fraction(1))
"""Values that tell nothing: a constant has them, too."""

_OTHERS = (Fraction(1), None, *map(Fraction, ("5/4", "3/2", "3/4", "1/2", "2", "1/4")))
"""What a real argument is changed to: at 1 a divergence is a total variation, at less it may be
1 − γ for all laws. None: an object is changed, to another instance's."""

_POOL = 24
"""An argument is changed at so many instances beside those that are taken."""

_ARGUMENT = re.compile(r"\(?\{\d\}\)?")
"""The expression of a quantity that is one of its arguments."""

_BITS = 60
"""The width of an enclosure of what is not rational."""

_Change = tuple[Term, Mapping[str, Any], Mapping[str, Sort], tuple[str, ...]]
"""Another argument, with the values and kinds of all variables, and what defines it in Coq."""

SideAt = tuple[int, int]
"""A side: the number of its relation, and 0 for the left one."""


@dataclass(frozen=True, slots=True)
class Telling:
    """An instance as Coq has it, with the values of both sides of each relation.

    Attributes:
        at: The instance.
        written: Its variables' definitions in Coq.
        values: Both sides' values, the domain's conditions first.
        told: The sides with a quantity whose value is neither 0 nor 1.
        inside: Whether it is in the claim's domain.
    """

    at: Instance
    written: tuple[str, ...]
    values: tuple[tuple[Number, Number], ...]
    told: frozenset[SideAt]
    inside: bool = True

    @property
    def tells(self) -> bool:
        """True if a constant, and a function that ignores the laws, would both be noticed."""
        return bool(self.told) and _differ(self)

    @property
    def length(self) -> int:
        """The length of the instance in Coq."""
        return sum(map(len, self.written))

    def value(self, place: SideAt) -> Any:
        """Return a side's value as a fraction, or as a text."""
        return _as_rational(self.values[place[0]][place[1]])

    def rank(self) -> tuple[bool, int, int, int]:
        """Return the rank of an instance: few sides 0 or 1, few parts alike, then the smallest."""
        numbers = [x for pair in self.values for x in map(_as_rational, pair)]
        plain = sum(x in _PLAIN for x in numbers)
        alike = _alike(tuple(x for _, x in self.at.values))
        return not self.tells, plain - min(len({*numbers}), _ENOUGH), alike, self.length


@dataclass(frozen=True, slots=True)
class Changed:
    """A quantity of a claim with one argument changed, at an instance.

    Attributes:
        at: The instance.
        written: The definition of another value of a variable, if the argument is one.
        side: The quantity in Coq.
        value: The engine's value.
    """

    at: Telling
    written: tuple[str, ...]
    side: str
    value: Number


def _differ(tried: Telling) -> bool:
    """Return whether not all laws of an instance are one."""
    laws = list(_laws(tuple(x for _, x in tried.at.values)))
    return len(laws) < 2 or len({*laws}) > 1


def telling_instances(
    statement: Statement, sides: CoqSides, outside: Mapping[str, Any] | None
) -> tuple[list[Telling], list[Changed]]:
    """Return the most telling instances, and the quantities that are compared with changes.

    Args:
        statement: What is claimed.
        sides: The sides of the claim's relations, in Coq.
        outside: Values outside of the domain: taken, too.

    Raises:
        DomainError: If there is none (why the first one is not written), or a constant would pass.
    """
    assert statement.domain is not None
    refused: list[DomainError] = []
    listed = iter(statement.instances(Effort.DEFAULT))
    found = list(islice(_written(statement, sides, listed, refused), _TRIED))
    if sum(x.tells for x in found) < ASKED and (found or outside is None):
        found += _written(statement, sides, _drawn(statement), refused)
    taken: list[Telling] = []
    while found and len(taken) < ASKED:
        known = frozenset().union(*(x.told for x in taken))
        seen = [x.values for x in taken]
        best = min(
            found, key=lambda x: (not x.tells, -len(x.told - known), x.values in seen, x.rank())
        )
        taken.append(best)
        found = [x for x in found if x.at != best.at]
    if outside is not None:
        taken.append(replace(_tried(statement, sides, Instance.of(**outside)), inside=False))
    if not taken:
        raise refused[0] if refused else DomainError("it lists no instance")
    pool = sorted(found, key=lambda x: x.length)[:_POOL]
    more = _changed(sides, statement.domain, taken, [*taken, *pool])
    return list({id(x): x for x in (*taken, *(x.at for x in more))}.values()), more


def too_few_tell(statement: Statement, outside: Mapping[str, Any] | None) -> str:
    """Return why a constant would pass for a claim's quantities; "" where their meanings are told.

    They are at :data:`ASKED` instances that tell. Where the listed ones and those that the domain's
    strategy draws have fewer, they are at all that there are, beside other arguments, and at the
    values outside, of which one has to tell.

    Args:
        statement: What is claimed.
        outside: Values outside of its domain, where those inside are too large or too alike.
    """
    sides = coq_sides(statement)
    if not _asked(sides):
        return ""
    refused: list[DomainError] = []
    at = chain(statement.instances(Effort.DEFAULT), _drawn(statement))
    tell = (one for one in _written(statement, sides, at, refused) if one.tells)
    if sum(1 for _ in islice(tell, ASKED)) == ASKED:
        return ""
    try:
        taken, more = telling_instances(statement, sides, outside)
    except DomainError as error:
        return f"both meanings of its quantities are not told apart: {error}"
    is_told = any(one.told for one in taken) or any(x.written or _differ(x.at) for x in more)
    if is_told or all(_has_both(taken, x) for x in _asked(sides)):
        return ""
    return "both meanings of its quantities are compared where a constant would pass alone"


def _changed(
    sides: CoqSides, domain: Domain, taken: Sequence[Telling], pool: Sequence[Telling]
) -> list[Changed]:
    """Return the quantities with an argument changed, where their sides are 0 or 1 themselves.

    Raises:
        DomainError: If no comparison would tell a constant from a quantity.
    """
    found: list[Changed] = []
    told = frozenset().union(*(x.told for x in taken))
    places = _asked(sides)
    dull = [p for p in places if p not in told and not _has_both(taken, p)]
    quantities = dict.fromkeys(
        t
        for i, j in dull
        for t in parts_of_term((sides.terms[i][j],))
        if t.head == "quantity" and not _ARGUMENT.fullmatch(t.parts[0].coq)
    )
    for t in quantities:
        found += islice(_with_changes(t, domain, pool), ASKED)
    if len(dull) == len(places) and not found:
        raise DomainError(
            f"what is compared is {taken[0].value(places[0])} at all {len(taken)} instances, and "
            "a constant would pass. Add cases with other values, or an instance outside."
        )
    return found


def _with_changes(t: Term, domain: Domain, pool: Sequence[Telling]) -> Iterator[Changed]:
    """Yield a quantity with an argument changed, at instances where its value is telling."""
    for number in _OTHERS:
        for tried in pool:
            for i, argument in enumerate(t.parts[1:], start=1):
                for new, values, kinds, written in _changes(argument, number, domain, tried, pool):
                    whole = Term("quantity", *t.parts[:i], new, *t.parts[i + 1 :])
                    try:
                        found = value(at_values(whole, values))
                        side = coq_term(Domain(kinds), whole)
                    except (ExactDPError, ArithmeticError, LookupError, TypeError, ValueError):
                        continue  # it has no value beside the other arguments
                    if isinstance(found, Exact) and found.is_rational and found not in (0, 1):
                        yield Changed(tried, written, side, found)
                        break


def _changes(
    argument: Any, number: Fraction | None, domain: Domain, at: Telling, pool: Sequence[Telling]
) -> Iterator[_Change]:
    """Yield the stand-ins of an argument: a number, or the objects of other instances if none."""
    if not isinstance(argument, Term) or argument.head == "quantity":
        return
    own = at.at.mapping()
    kind = domain.kinds.get(argument.parts[0]) if argument.head == "variable" else None
    if not isinstance(kind, Objects):
        is_real = kind is None or (isinstance(kind, Numbers) and not kind.whole)
        if number is not None and is_real:
            yield term(number), own, domain.kinds, ()
        return
    name = argument.parts[0]
    other = f"{name}_other"
    for tried in pool[: ASKED if number is None else 0]:
        if (x := tried.at.mapping()[name]) != own[name]:
            try:
                *_, line = definitions_in_coq({name: kind}, {**own, name: x})
            except DomainError:
                continue  # it is not written beside the others
            line = line.replace(f"Definition {name} ", f"Definition {other} ", 1)
            values, kinds = {**own, other: x}, {**domain.kinds, other: kind}
            yield Term("variable", other), values, kinds, (line,)


def _asked(sides: CoqSides) -> list[SideAt]:
    """Return the sides that have a quantity."""
    return [
        (i, j)
        for i, pair in enumerate(sides.terms)
        for j, side in enumerate(pair)
        if any(t.head == "quantity" for t in parts_of_term((side,)))
    ]


def _has_both(taken: Sequence[Telling], place: SideAt) -> bool:
    return {x.value(place) for x in taken} >= {*_PLAIN}


def _written(
    statement: Statement, sides: CoqSides, at: Iterator[Instance], refused: list[DomainError]
) -> Iterator[Telling]:
    """Yield the small instances that can be written and have values; why others are not."""
    for one in at:
        try:
            yield _tried(statement, sides, one)
        except DomainError as error:
            refused.append(error)


def _drawn(statement: Statement) -> Iterator[Instance]:
    """Yield instances that the statement's strategy draws, the same ones each time."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis.errors import HypothesisException

    if statement.strategy is None:
        return
    found: list[Instance] = []

    quietly = settings(
        max_examples=_TRIED,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )

    @quietly
    @given(statement.strategy())
    def collect(at: Instance) -> None:
        found.append(at)

    with suppress(HypothesisException):  # where it rejects nearly all that it draws
        collect()
    yield from found


def _tried(statement: Statement, sides: CoqSides, at: Instance) -> Telling:
    """Return an instance with its values.

    Raises:
        DomainError: If it is too large, cannot be written or has no values.
    """
    assert statement.domain is not None
    assert statement.says is not None
    values = at.mapping()
    size = _size(tuple(values.values()))
    if size > _LONGEST:
        raise DomainError(f"an instance of {size} numbers takes Coq too long")
    written = tuple(definitions_in_coq(statement.domain.kinds, values))
    said = said_of(statement)
    assert said is not None
    try:
        both = [*statement.domain.relations(values), *said.at(values).relations]
    except (ExactDPError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise DomainError(f"a quantity has no value there: {error}") from None
    if len(both) != len(sides.sides):
        raise DomainError("its relations are not the same at all instances")
    try:
        numbers = tuple((value(r.left), value(r.right)) for r in both)
    except ExactDPError as error:
        raise DomainError(f"a quantity has no value there: {error}") from None
    told = {(i, j) for i, j in _asked(sides) if _as_rational(numbers[i][j]) not in _PLAIN}
    return Telling(at, written, numbers, frozenset(told))


def _as_rational(number: Number) -> Any:
    if isinstance(number, Exact) and number.is_rational:
        return number.as_fraction()
    ball = number.ball(_BITS)
    low, high = endpoints(ball)
    return Fraction(low) if low == high else str(ball)


def _laws(x: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the laws in a value: masses that add up to 1, and the rows of randomizers."""
    x = getattr(x, "masses", getattr(x, "rows", getattr(x, "steps", x)))
    if isinstance(x, Mapping):
        yield tuple(sorted(map(str, x.items())))
    elif isinstance(x, tuple | list):
        numbers = [Exact(y) for y in x if type(y) in (int, Fraction, Exact)]
        if numbers and len(numbers) == len(x) and sum(numbers, Exact(0)) == 1:
            yield tuple(map(str, numbers))
        for inner in x:
            yield from _laws(inner)


def _alike(x: Any) -> int:
    """Return how many lists in a value are the same as the one before them."""
    if is_dataclass(x):
        x = tuple(getattr(x, part.name) for part in fields(x))
    if not isinstance(x, tuple | list):
        return 0
    lists = [y for y in x if isinstance(y, tuple | list) or is_dataclass(y)]
    return sum(a == b for a, b in pairwise(lists)) + sum(map(_alike, lists))


def _size(x: Any) -> int:
    """Return how many numbers a value holds, an integer as often as it is large."""
    x = getattr(x, "masses", x)
    if isinstance(x, Mapping):
        return _size(tuple(x)) + len(x)
    if isinstance(x, tuple | list):
        return sum(map(_size, x))
    return abs(x) if type(x) is int else 1
