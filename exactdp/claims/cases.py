"""The instances that a statement quantifies over: instances in order, simplest first, and beyond.

Definitions: :class:`Cases`, :func:`cases`, :func:`listed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

from exactdp.claims.calls import called, needed
from exactdp.claims.claim import Effort
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import Sort
from exactdp.claims.spread import FARTHEST
from exactdp.claims.verdicts import Instance
from exactdp.errors import DomainError

__all__ = ["Cases", "cases", "listed"]

Axis = Iterable[Any] | Callable[..., Iterable[Any]]
"""The values of a variable; or a function of variables before it, by their names.

An axis whose name is several names, such as P__Q or "P Q", has tuples of their values.
"""


@dataclass(frozen=True)
class Cases:
    """The instances of a statement.

    Attributes:
        axes: The variables and their values, outermost loop first. A variable whose name
            begins with an underscore serves the others and is not part of the instance.
        conditions: What a listed instance must meet, as functions of variables by name; one that
            ``strategy`` draws too, where it has the variables. What is drawn from a domain meets
            that alone: the claim is of all of it.
        deeper: Other values of some axes, for the long search.
        strategy: Makes a hypothesis strategy for instances beyond these, or one strategy
            for each variable.
        complete: Whether these are said to be all of the domain: where they are, as many as it
            has, computing all of them proves the sentence.
        domain: What the variables may be: instances beyond these are drawn from it.
        more: Instances after these.
        order: The variables as an instance prints them, if not as they are looped over.

    Example:
        >>> over = cases(n=(1, 2), _ones=lambda n: range(n), others=lambda n, _ones: [(_ones, n)])
        >>> [str(at) for at in over.instances(Effort.DEFAULT)]
        ['n=1, others=(0, 1)', 'n=2, others=(0, 2)', 'n=2, others=(1, 2)']
        >>> over = cases(n=(1, 2), **{"a b": [(3, 4)]}).printed("a b n")
        >>> [str(at) for at in over.instances(Effort.DEFAULT)]
        ['a=3, b=4, n=1', 'a=3, b=4, n=2']
        >>> [str(at) for at in cases(n__k=[(2, 3), (4, 1)]).instances(Effort.DEFAULT)]
        ['n=2, k=3', 'n=4, k=1']
    """

    axes: Mapping[str, Axis]
    conditions: tuple[Callable[..., bool], ...] = ()
    deeper: Mapping[str, Axis] = field(default_factory=dict)
    strategy: Callable[[], Any] | None = None
    complete: bool = False
    domain: Domain | None = None
    more: Cases | None = None
    order: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of an instance's values, in order."""
        names = [name for axis in self.axes for name in axis.replace("__", " ").split()]
        return tuple(self.order.split() or [name for name in names if name[0] != "_"])

    def where(self, condition: Callable[..., bool]) -> Cases:
        """Return the cases that meet a condition on variables, by their names; those after, too.

        Example:
            >>> over = listed({"n": 1}, {"n": 2}, {"n": 3}).where(lambda n: n % 2)
            >>> [str(at) for at in over.instances(Effort.DEFAULT)]
            ['n=1', 'n=3']
        """
        more = None if self.more is None else self.more.where(condition)
        return replace(self, conditions=(*self.conditions, condition), more=more)

    def deep(self, **axes: Axis) -> Cases:
        """Return the cases with other values of some axes in the long search."""
        return replace(self, deeper={**self.deeper, **axes})

    def drawn(self, strategy: Callable[[], Any]) -> Cases:
        """Return the cases with a strategy (of instances, or mappings) for a search beyond."""
        return replace(self, strategy=strategy)

    def printed(self, order: str) -> Cases:
        """Return the cases with the variables of an instance in this order."""
        return replace(self, order=order)

    def all_of(
        self, given: Callable[..., Any] | Sequence[Callable[..., Any]] = (), /, **kinds: Sort
    ) -> Cases:
        """Return the cases, which are all instances of a finite domain: they are counted.

        Args:
            given: More conditions, as for :meth:`within`.
            kinds: Every variable of the instances: integers between two ends, or values that are
                listed (``among``, ``rows``).

        Raises:
            DomainError: If that is not a domain, or none that can be counted.

        Example:
            >>> from exactdp.claims.kinds import integers
            >>> over = cases(n=range(1, 4)).all_of(n=integers(1, 3))
            >>> str(over.domain), over.complete
            ('all integer 1 ≤ n ≤ 3', True)
            >>> cases(n=range(1, 4)).all_of("every integer n")
            Traceback (most recent call last):
            ...
            exactdp.errors.DomainError: all_of('every integer n') takes no words. Say what each \
variable may be, such as n=integers(1, 9), among(...) or rows(...): its instances are counted.
        """
        if isinstance(given, str):
            raise DomainError(
                f"all_of({given!r}) takes no words. Say what each variable may be, such as "
                "n=integers(1, 9), among(...) or rows(...): its instances are counted."
            )
        found = replace(self.within(given, **kinds), complete=True)
        assert found.domain is not None
        found.domain.refuse_infinite()
        return found

    def within(
        self, given: Callable[..., Any] | Sequence[Callable[..., Any]] = (), /, **kinds: Sort
    ) -> Cases:
        """Return the cases as instances of a domain, given each variable's kind in order.

        Args:
            given: More conditions, as functions of variables by name that return relations.
            kinds: Every variable of the instances.

        Raises:
            DomainError: If a variable has no kind, or a kind no variable.
        """
        if set(kinds) != set(self.variables):
            raise DomainError(
                f"the domain is of {', '.join(kinds)}, the instances of "
                f"{', '.join(self.variables)}. Say of each variable what it may be."
            )
        odd = [name for name, kind in kinds.items() if not isinstance(kind, Sort)]
        if odd:
            raise DomainError(
                f"{odd[0]}={kinds[odd[0]]!r} is not a kind of a variable. "
                "Give reals, integers or objects."
            )
        conditions = (given,) if callable(given) else tuple(given)
        return replace(self, domain=Domain(kinds, conditions))

    def then(self, more: Cases) -> Cases:
        """Return these cases and then others."""
        return replace(self, more=more if self.more is None else self.more.then(more))

    def instances(self, effort: Effort) -> Iterator[Instance]:
        """Yield the instances in order."""
        axes = {**self.axes, **(self.deeper if effort is Effort.DEEP else {})}
        for values in _product(list(axes.items()), {}):
            if all(called(condition, values) for condition in self.conditions):
                names = self.order.split() or [k for k in values if not k.startswith("_")]
                yield Instance.of(**{name: values[name] for name in names})
        if self.more is not None:
            yield from self.more.instances(effort)

    @property
    def is_drawn(self) -> bool:
        """True if there are instances beyond these to draw."""
        return self.strategy is not None or (self.domain is not None and self.domain.is_drawn)

    def drawn_instances(self) -> Any:
        """Return the strategy for instances beyond these, of their own or of their domain."""
        from hypothesis import strategies as st

        if self.strategy is None:
            assert self.domain is not None
            return self.domain.strategy()
        made = self.strategy()
        if isinstance(made, Mapping):
            # In the order of the mapping, which hypothesis changes.
            made = st.fixed_dictionaries(made).map(partial(_ordered, tuple(made)))
        found = made.map(lambda at: at if isinstance(at, Instance) else Instance.of(**at))
        for condition in self.conditions:
            found = found.filter(partial(_admits, condition))
        return found

    def far_instances(self, most: int, few: int, reals: int = FARTHEST) -> Any:
        """Return the strategy for instances over the whole domain (:meth:`Domain.far`).

        A domain that has at most ``few`` instances, of integers and values that are listed, returns
        them all in a list.
        """
        assert self.domain is not None
        with suppress(DomainError):  # what cannot be counted is drawn
            found = list(islice(self.domain.members(), few + 1))
            if len(found) <= few:
                return found
        return self.domain.far(most, reals)


def cases(**axes: Axis) -> Cases:
    """Return the product of axes, the first one outermost."""
    return Cases(axes)


def listed(*instances: Mapping[str, Any]) -> Cases:
    """Return these instances, in order.

    Example:
        >>> [str(at) for at in listed({"n": 2, "k": 3}).instances(Effort.DEFAULT)]
        ['n=2, k=3']
    """
    found: Cases | None = None
    for values in reversed(instances):
        found = Cases({name: (value,) for name, value in values.items()}, more=found)
    return found if found is not None else Cases({"none": ()})


def _ordered(names: tuple[str, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _admits(condition: Callable[..., bool], at: Instance) -> bool:
    """Return whether an instance meets a condition, if it has its variables."""
    values = at.mapping()
    return not needed(condition) <= set(values) or called(condition, values)


def _product(axes: list[tuple[str, Axis]], values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not axes:
        yield dict(values)
        return
    (name, axis), *rest = axes
    names = name.replace("__", " ").split()
    for one in called(axis, values) if callable(axis) else axis:
        found = {name: one} if len(names) == 1 else dict(zip(names, one, strict=True))
        yield from _product(rest, {**values, **found})
