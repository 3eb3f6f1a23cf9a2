"""The domain of a universal statement, as data: the kinds of its variables, in order.

From a domain come the instances beyond the listed ones (the ends first, then anything in it), the
sentence that is printed, and the ranges of the kernel's rule ``claim``.

Definitions: :class:`Domain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from exactdp.claims.built import Form, at_values
from exactdp.claims.calls import called, names_of, needed, of_variables
from exactdp.claims.kinds import (
    Listed,
    Numbers,
    Objects,
    Sort,
)
from exactdp.claims.printing import SIGNS, shown, variable
from exactdp.claims.spread import FARTHEST, Choose, Drawn
from exactdp.claims.terms import Term
from exactdp.claims.verdicts import Instance
from exactdp.errors import DomainError

__all__ = ["Domain"]


@dataclass(frozen=True, slots=True)
class Domain:
    """The variables of a statement, in order, with the kind of each.

    Attributes:
        kinds: Name -> what it may be; an end of one may be a function of those before it.
        given: More conditions: relations, as functions of variables by name.
        conditions: What these return for symbols, which they are asked for once.
        computed: The conditions that compute with numbers instead: on such a domain nothing is
            proved.

    Example:
        >>> from exactdp.claims import at_most, reals
        >>> over = Domain(
        ...     {"p": reals(above=1), "beta": reals(0, lambda p: (p - 1) / (p + 1))},
        ...     (lambda p, beta: at_most(p * beta, 1),),
        ... )
        >>> print(over)
        all p > 1, 0 ≤ β ≤ (p − 1)/(p + 1) with p·β ≤ 1
        >>> over.admits({"p": 3, "beta": 0}), over.admits({"p": 3, "beta": 1})
        (True, False)
    """

    kinds: Mapping[str, Sort]
    given: tuple[Callable[..., Any], ...] = ()
    conditions: tuple[Any, ...] = field(init=False, repr=False, compare=False)
    computed: tuple[Callable[..., Any], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        forms = [(one, Form(one, tuple(self.kinds)).said()) for one in self.given]
        written = [r for _, said in forms if said is not None for r in _listed(said)]
        object.__setattr__(self, "conditions", tuple(written))
        object.__setattr__(self, "computed", tuple(one for one, said in forms if said is None))

    def __str__(self) -> str:
        ranges = ", ".join(kind.text(name) for name, kind in self.kinds.items())
        written = [f"{shown(r.left)} {SIGNS[r.sign]} {shown(r.right)}" for r in self.hypotheses()]
        met = " and ".join([*written, *map(self._computed, self.computed)])
        return f"all {ranges}" + (f" with {met}" if met else "")

    def variables(self) -> dict[str, Term]:
        """Return a variable of the term language for each name."""
        return {name: Term("variable", name) for name in self.kinds}

    def hypotheses(self) -> list[Any]:
        """Return the relations of ``given`` between variables."""
        return [*self.conditions]

    def relations(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the relations of ``given`` at values of the variables."""
        written = [
            replace(r, left=at_values(r.left, values), right=at_values(r.right, values))
            for r in self.conditions
        ]
        return [*written, *(r for one in self.computed for r in _listed(called(one, values)))]

    def _computed(self, condition: Callable[..., Any]) -> str:
        on = ", ".join(map(variable, names_of(condition) or self.kinds))
        return f"a condition on {on} that is computed at each instance"

    def admits(self, values: Mapping[str, Any]) -> bool:
        """Return whether an instance is certainly in the domain."""
        return all(kind.admits(values[x], values) for x, kind in self.kinds.items()) and all(
            r.holds() for r in self.relations(values)
        )

    def refuse_computed(self) -> None:
        """Refuse conditions that compute with numbers.

        Raises:
            DomainError: With the variables of the first one.
        """
        for condition in self.computed:
            of_variables(condition, self.variables())

    def refuse_infinite(self) -> None:
        """Refuse a domain whose instances cannot be counted.

        Raises:
            DomainError: With the first variable that has no end, or is not a number.
        """
        for name, kind in self.kinds.items():
            ends = (kind.least, kind.most) if isinstance(kind, Numbers) and kind.whole else (None,)
            if not isinstance(kind, Listed) and any(end is None for end in ends):
                raise DomainError(
                    f"the values of {name} cannot be counted: {kind.text(name)}. Give integers two "
                    "ends, or list the values: among(...), rows(...)."
                )

    def members(self) -> Iterator[Instance]:
        """Yield the instances of a domain whose variables can be counted.

        Example:
            >>> from exactdp.claims import integers
            >>> over = Domain({"n": integers(1, 2), "k": integers(0, lambda n: n)})
            >>> [str(at) for at in over.members()]
            ['n=1, k=0', 'n=1, k=1', 'n=2, k=0', 'n=2, k=1', 'n=2, k=2']
        """
        self.refuse_infinite()
        todo: list[Iterator[dict[str, Any]]] = [iter([{}])]
        for name, kind in self.kinds.items():
            todo.append(_further(todo[-1], name, kind))
        for values in todo[-1]:
            if self.admits(values):
                yield Instance.of(**values)

    @property
    def is_drawn(self) -> bool:
        """True if every variable can be drawn, and not all are listed."""
        kinds = self.kinds.values()
        if any(isinstance(kind, Objects) and kind.drawn is None for kind in kinds):
            return False
        return not all(isinstance(kind, Listed) for kind in kinds)

    @property
    def _sizes(self) -> frozenset[str]:
        """The variables that objects are drawn of."""
        drawn = [kind.drawn for kind in self.kinds.values() if isinstance(kind, Objects)]
        return frozenset(name for one in drawn if one is not None for name in needed(one))

    @property
    def far_integers(self) -> frozenset[str]:
        """The integers that :meth:`far` tries up to a number."""
        whole = (x for x, kind in self.kinds.items() if isinstance(kind, Numbers) and kind.whole)
        return frozenset(whole) - self._sizes

    def strategy(self) -> Any:
        """Return a hypothesis strategy of instances, if every variable can be drawn."""
        from hypothesis import strategies as st

        @st.composite
        def instances(draw: Any) -> Instance:
            found: dict[str, Any] = {}
            for name, kind in self.kinds.items():
                found[name] = draw(kind.strategy(found))
            return Instance.of(**found)

        return instances().filter(lambda at: self.admits(at.mapping()))

    def far(self, most: int, reals: int = FARTHEST) -> Any:
        """Return a strategy of instances over the whole domain, if every variable can be drawn.

        Integers that objects are drawn of (how many users there are, say) stay near their least.

        Args:
            most: How far from an end, or from 0, integers may be.
            reals: How far reals may be; its inverse is how near they come.
        """
        sizes = self._sizes

        def chosen(choose: Choose, draw: Callable[[Any], Any]) -> Instance | None:
            found: dict[str, Any] = {}
            for name, kind in self.kinds.items():
                if isinstance(kind, Numbers) and name not in sizes:
                    own = kind.far(found, most if kind.whole else reals, choose)
                    if not kind.admits(own, found):  # an open end, where others may have a pole
                        return None
                    found[name] = own
                elif isinstance(kind, Listed):
                    values = kind.members(found)
                    found[name] = values[choose(0, len(values) - 1)]
                else:
                    found[name] = draw(kind.strategy(found))
            return Instance.of(**found)

        found = self._of_choices(chosen).filter(lambda at: at is not None)
        return found.filter(lambda at: self.admits(at.mapping()))

    def _of_choices(self, chosen: Callable[..., Instance | None]) -> Any:
        """Return a strategy of instances by choices; hypothesis draws where there are objects."""
        if not any(isinstance(kind, Objects) for kind in self.kinds.values()):
            return Drawn(lambda choose: chosen(choose, lambda _: None))
        from hypothesis import strategies as st

        @st.composite
        def instances(draw: Any) -> Instance | None:
            return chosen(lambda low, high: draw(st.integers(low, high)), draw)

        return instances()


def _further(before: Iterator[dict[str, Any]], name: str, kind: Sort) -> Iterator[dict[str, Any]]:
    """Yield instances with one more variable."""
    assert not isinstance(kind, Objects)
    for values in before:
        for value in kind.members(values):
            yield {**values, name: value}


def _listed(found: Any) -> Sequence[Any]:
    return found if isinstance(found, list | tuple) else [found]
