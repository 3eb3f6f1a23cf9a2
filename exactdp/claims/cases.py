"""What a statement quantifies over: instances in order, simplest first, and beyond.

Definitions: :class:`Cases`, :func:`cases`, :func:`listed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from inspect import signature
from typing import Any

from exactdp.claims.claim import Effort
from exactdp.claims.verdicts import Instance

__all__ = ["Cases", "cases", "listed"]

Axis = Iterable[Any] | Callable[..., Iterable[Any]]
"""The values of one variable; or a function of variables before it, by their names."""


@dataclass(frozen=True)
class Cases:
    """The instances of a statement.

    Attributes:
        axes: The variables and their values, outermost loop first. A variable whose name
            begins with an underscore serves the others and is not part of the instance.
        conditions: What an instance must meet, as functions of variables by name.
        deeper: Other values of some axes, for the long search.
        strategy: Makes a hypothesis strategy for instances beyond these.
        complete: The whole domain of the sentence, if these are all of it: then computing
            all of them proves it.
        domain: A part of the sentence's domain that these exhaust, in words.
        more: Instances after these.

    Example:
        >>> over = cases(n=(1, 2), _ones=lambda n: range(n), others=lambda n, _ones: [(_ones, n)])
        >>> [str(at) for at in over.instances(Effort.DEFAULT)]
        ['n=1, others=(0, 1)', 'n=2, others=(0, 2)', 'n=2, others=(1, 2)']
    """

    axes: Mapping[str, Axis]
    conditions: tuple[Callable[..., bool], ...] = ()
    deeper: Mapping[str, Axis] = field(default_factory=dict)
    strategy: Callable[[], Any] | None = None
    complete: str | None = None
    domain: str | None = None
    more: Cases | None = None

    def where(self, condition: Callable[..., bool]) -> Cases:
        """Return the cases that meet a condition on variables, by their names."""
        return replace(self, conditions=(*self.conditions, condition))

    def deep(self, **axes: Axis) -> Cases:
        """Return the cases with other values of some axes in the long search."""
        return replace(self, deeper={**self.deeper, **axes})

    def drawn(self, strategy: Callable[[], Any]) -> Cases:
        """Return the cases with a strategy (of instances, or mappings) for a search beyond."""
        return replace(self, strategy=strategy)

    def all_of(self, complete: str) -> Cases:
        """Return the cases, which are the whole domain of the sentence."""
        return replace(self, complete=complete)

    def exhausting(self, domain: str) -> Cases:
        """Return the cases, which exhaust a part of the domain of the sentence."""
        return replace(self, domain=domain)

    def then(self, more: Cases) -> Cases:
        """Return these cases and then others."""
        return replace(self, more=more if self.more is None else self.more.then(more))

    def instances(self, effort: Effort) -> Iterator[Instance]:
        """Yield the instances in order."""
        axes = {**self.axes, **(self.deeper if effort is Effort.DEEP else {})}
        for values in _product(list(axes.items()), {}):
            if all(called(condition, values) for condition in self.conditions):
                yield Instance.of(**{k: v for k, v in values.items() if not k.startswith("_")})
        if self.more is not None:
            yield from self.more.instances(effort)


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


def called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Return a function's value at the variables that it names (all for ``**``)."""
    names = _names(function)
    if names is None:
        return function(**values)
    return function(**{name: values[name] for name in names if name in values})


@lru_cache(maxsize=4096)
def _names(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None if it takes all."""
    parameters = signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return tuple(p.name for p in parameters)


def _product(axes: list[tuple[str, Axis]], values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not axes:
        yield dict(values)
        return
    (name, axis), *rest = axes
    for one in called(axis, values) if callable(axis) else axis:
        yield from _product(rest, {**values, name: one})
