"""What the variables of a universal statement may be: its domain, as data.

From a domain come the instances beyond the listed ones (the ends first, then anything in it), the
sentence that is printed, and the ranges of the kernel's rule ``claim``.

Definitions: :class:`Domain`, :class:`Numbers`, :class:`Objects`, :func:`reals`, :func:`integers`,
:func:`objects`, :func:`end_terms`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from typing import Any, TypeAlias

from exactdp.claims.calls import called, names_of, of_variables
from exactdp.claims.printing import SIGNS, shown, variable
from exactdp.claims.terms import Term, term
from exactdp.claims.values import truth_of
from exactdp.claims.verdicts import Instance
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = [
    "Domain",
    "Numbers",
    "Objects",
    "Sort",
    "end_terms",
    "integers",
    "objects",
    "range_ends",
    "reals",
]

End = Fraction | int | str | Exact | Callable[..., Any] | None
"""A number; a function of earlier variables, by their names, that is one; or no end."""

_CLOSE = Fraction(1, 1000)
"""So near to an end a real is tried."""

_FAR = (Fraction(1), Fraction(9), Fraction(1000))
"""How far from its end a real is tried, before others are drawn; more finds what fails far out."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Real numbers, or integers, between two ends.

    Attributes:
        least: The least one, if there is one.
        most: The largest one, if there is one.
        is_open: Whether ``least`` and ``most`` are left out.
        whole: Whether they are integers.
        draws: The search tries integers up to so many above the least: where an instance is a
            law of n users, more of them take too long.
    """

    least: End
    most: End
    is_open: tuple[bool, bool] = (False, False)
    whole: bool = False
    draws: int = 4

    def __post_init__(self) -> None:
        ends = [_number(end) for end in (self.least, self.most) if not callable(end)]
        known = [end for end in ends if end is not None]
        if len(known) == 2 and known[0] > known[1]:
            raise DomainError(
                f"the range from {self.least} to {self.most} is empty. Exchange them."
            )
        if type(self.draws) is not int or self.draws < 0:
            raise DomainError(f"draws={self.draws!r} is no number of integers. Give 0, 1, 2, ....")

    def text(self, name: str) -> str:
        """Return the range, such as ``1 ≤ x < 2``."""
        left, right = (None if end is None else shown(end) for end in end_terms(self))
        signs = [" < " if is_open else " ≤ " for is_open in self.is_open]
        if left is not None and right is None:
            text = f"{variable(name)}{signs[0].replace('<', '>').replace('≤', '≥')}{left}"
        else:
            head = "" if left is None else left + signs[0]
            text = head + variable(name) + ("" if right is None else signs[1] + right)
        if self.whole:
            return f"integer {text}"
        return text if (left, right) != (None, None) else f"real {text}"

    def admits(self, value: Any, earlier: Mapping[str, Any]) -> bool:
        """Return whether a number is certainly in the range."""
        if type(value) not in (int, Fraction, Exact):
            return False
        if self.whole and Exact(value) != round(Exact(value)):
            return False
        signs = (">" if self.is_open[0] else ">=", "<" if self.is_open[1] else "<=")
        return all(
            end is None or truth_of(sign, Exact(value), Exact(_at(end, earlier))).is_certain
            for sign, end in zip(signs, (self.least, self.most), strict=True)
        )

    def strategy(self, earlier: Mapping[str, Any]) -> Any:
        """Return the ends, numbers near and far from them, and then any."""
        if callable(self.least) or callable(self.most):
            return self._between(earlier)
        return _constant(self)

    def _between(self, earlier: Mapping[str, Any]) -> Any:
        from hypothesis import strategies as st

        low, high = (None if end is None else _at(end, earlier) for end in (self.least, self.most))
        if self.whole:
            first = 0 if low is None else int(low) + self.is_open[0]
            last = first + self.draws
            return st.integers(
                first, last if high is None else min(last, int(high) - self.is_open[1])
            )
        if low is not None and high is not None:
            ends = [Fraction(i) for i in (0, 1) if not self.is_open[i]]
            near = st.sampled_from([Fraction(1, 2), *ends, _CLOSE, 1 - _CLOSE])
            inner = st.fractions(0, 1, max_denominator=6).filter(lambda s: 0 < s < 1)
            return st.one_of(near, inner).map(lambda s: low + (high - low) * s)
        lower = self.is_open[0 if low is not None else 1]
        steps = st.one_of(
            st.sampled_from([*([] if lower else [Fraction(0)]), *_FAR, _CLOSE]),
            st.fractions(0, 12, max_denominator=6).filter(lambda s: s > 0 or not lower),
        )
        if high is not None:
            return steps.map(lambda s: high - s)
        if low is not None:
            return steps.map(lambda s: low + s)
        return st.one_of(steps, steps.map(lambda s: -s))


@lru_cache(maxsize=256)
def _constant(kind: Numbers) -> Any:
    """Return the strategy of numbers between constant ends: it is asked at each draw."""
    return kind._between({})


@dataclass(frozen=True, slots=True)
class Objects:
    """Laws, rows, data sets, ...: what is no number.

    Attributes:
        what: What each is, in words.
        drawn: Makes a hypothesis strategy, from earlier variables that it names.
        condition: What each must meet, beside earlier variables; None where every object of
            its class is meant, as its constructor made it.
        coq: Its type in Coq, what is assumed of ``{0}``, and what its type needs before it.
        written: What an instance's value is there, from variables that it names: a closed term,
            where :func:`~exactdp.claims.coq_values.coq_value` does not write it by its type.
    """

    what: str
    drawn: Callable[..., Any] | None = None
    condition: Callable[..., bool] | None = None
    coq: tuple[str, str, str] | None = None
    written: Callable[..., str] | None = None

    def text(self, name: str) -> str:
        """Return the variable with what it is."""
        return f"{variable(name)}: {self.what}"

    def admits(self, value: Any, earlier: Mapping[str, Any]) -> bool:
        """Return whether the condition is met."""
        return self.condition is None or bool(called(self.condition, earlier))

    def strategy(self, earlier: Mapping[str, Any]) -> Any:
        """Return the strategy; there is one."""
        assert self.drawn is not None
        return called(self.drawn, earlier)


Sort: TypeAlias = Numbers | Objects
"""What one variable may be."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The variables of a statement, in order, with what each may be.

    Attributes:
        kinds: Name -> what it may be; an end of one may be a function of those before it.
        given: More conditions: relations, as functions of variables by name.

    Example:
        >>> from exactdp.claims import at_most
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

    def __str__(self) -> str:
        ranges = ", ".join(kind.text(name) for name, kind in self.kinds.items())
        met = " and ".join(text for one in self.given for text in self._texts(one))
        return f"all {ranges}" + (f" with {met}" if met else "")

    def variables(self) -> dict[str, Term]:
        """Return a variable of the term language for each name."""
        return {name: Term("variable", name) for name in self.kinds}

    def hypotheses(self) -> list[Any]:
        """Return the relations of ``given`` between variables.

        Raises:
            DomainError: If one computes with the numbers of an instance.
        """
        variables = self.variables()
        return [r for one in self.given for r in _listed(of_variables(one, variables))]

    def relations(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the relations of ``given`` at values of the variables."""
        return [r for one in self.given for r in _listed(called(one, values))]

    def _texts(self, condition: Callable[..., Any]) -> list[str]:
        """Return the relations of a condition; what it is on, if it computes with numbers."""
        try:
            found = _listed(of_variables(condition, self.variables()))
        except DomainError:
            on = ", ".join(map(variable, names_of(condition) or self.kinds))
            return [f"a condition on {on} that is computed at each instance"]
        return [f"{shown(r.left)} {SIGNS[r.sign]} {shown(r.right)}" for r in found]

    def admits(self, values: Mapping[str, Any]) -> bool:
        """Return whether an instance is certainly in the domain."""
        return all(kind.admits(values[x], values) for x, kind in self.kinds.items()) and all(
            r.holds() for r in self.relations(values)
        )

    @property
    def is_drawn(self) -> bool:
        """Whether every variable can be drawn."""
        return all(isinstance(x, Numbers) or x.drawn is not None for x in self.kinds.values())

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


def reals(least: End = None, most: End = None, *, above: End = None, below: End = None) -> Numbers:
    """Return the real numbers from ``least`` (or above ``above``) to ``most`` (or below ``below``).

    An end is a number, or a function of earlier variables by their names.

    Raises:
        DomainError: If there are two ends on one side, or one is neither a number nor a function.

    Example:
        >>> reals(0, below=1).text("q"), reals(1).text("exp_epsilon"), reals().text("x")
        ('0 ≤ q < 1', 'e^ε ≥ 1', 'real x')
    """
    if (least is not None and above is not None) or (most is not None and below is not None):
        raise DomainError("a range has one end on each side. Give least or above, most or below.")
    ends = least if above is None else above, most if below is None else below
    return Numbers(*ends, is_open=(above is not None, below is not None))


def integers(least: End = None, most: End = None, *, draws: int = 4) -> Numbers:
    """Return the integers from ``least`` to ``most``; the search tries ``draws`` above the least.

    Example:
        >>> integers(2).text("n"), integers(0, lambda n: n - 1).text("n_x0")
        ('integer n ≥ 2', 'integer 0 ≤ n_x0 ≤ n − 1')
    """
    return Numbers(least, most, whole=True, draws=draws)


def objects(
    what: str,
    drawn: Callable[..., Any] | None = None,
    *,
    condition: Callable[..., bool] | None = None,
    coq: tuple[str, str, str] | None = None,
    written: Callable[..., str] | None = None,
) -> Objects:
    """Return what is no number: in words, with a strategy, what each must meet, its form in Coq.

    Example:
        >>> objects("a law on finitely many outcomes").text("P")
        'P: a law on finitely many outcomes'
    """
    return Objects(what, drawn, condition, coq, written)


def end_terms(kind: Numbers) -> tuple[Term | None, Term | None]:
    """Return the least and the largest number as terms of earlier variables; None for no end."""
    least, most = (None if e is None else term(_at(e, None)) for e in (kind.least, kind.most))
    return least, most


def range_ends(kind: Numbers, earlier: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the least and the largest number at values of earlier variables; None for no end."""
    least, most = (None if e is None else _at(e, earlier) for e in (kind.least, kind.most))
    return least, most


def _number(end: Any) -> Exact | None:
    if end is None or isinstance(end, int | Fraction | str | Exact):
        return None if end is None else Exact(end)
    raise DomainError(
        f"the end {end!r} of a range is no number. Give one, or a function of earlier variables."
    )


def _at(end: Any, earlier: Mapping[str, Any] | None) -> Any:
    """Return an end at values of earlier variables; between variables for None."""
    if not callable(end):
        return end if isinstance(end, Exact) else Fraction(end)
    names = signature(end).parameters
    if earlier is None:
        return of_variables(end, {x: Term("variable", x) for x in names})
    return end(**{x: Fraction(v) if type(v := earlier[x]) is int else v for x in names})


def _listed(found: Any) -> Sequence[Any]:
    return found if isinstance(found, list | tuple) else [found]
