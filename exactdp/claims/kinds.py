"""Kinds of variables of a universal statement: numbers, objects, or values that are listed.

Definitions: :class:`Numbers`, :class:`Objects`, :class:`Listed`, :data:`Sort`, :func:`reals`,
:func:`integers`, :func:`objects`, :func:`among`, :func:`rows`, :func:`end_terms`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from typing import Any, ClassVar, TypeAlias

from exactdp.claims.built import Form, plain_at
from exactdp.claims.calls import called
from exactdp.claims.printing import shown, variable
from exactdp.claims.spread import Choose, spread
from exactdp.claims.terms import Term, term
from exactdp.claims.values import truth_of
from exactdp.claims.verdicts import Instance
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = [
    "Listed",
    "Numbers",
    "Objects",
    "Sort",
    "among",
    "end_terms",
    "integers",
    "objects",
    "range_ends",
    "reals",
    "rows",
]

End = Fraction | int | str | Exact | Term | Callable[..., Any] | None
"""A number; a function of earlier variables, by their names, that is one; or no end.

A function is asked once, for symbols; the end is the term that it returns."""

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
        draws: The search tries integers up to so many above the least, and no more: where an
            instance is a law of n users, more of them may take too long. By default the whole range
            is searched, as far as the budget of a claim reaches.
    """

    least: End
    most: End
    is_open: tuple[bool, bool] = (False, False)
    whole: bool = False
    draws: int | None = None

    def __post_init__(self) -> None:
        for name in ("least", "most"):
            if callable(end := getattr(self, name)):
                object.__setattr__(self, name, _built(end))
        ends = [_number(end) for end in (self.least, self.most) if not isinstance(end, Term)]
        known = [end for end in ends if end is not None]
        if len(known) == 2 and known[0] > known[1]:
            raise DomainError(
                f"the range from {self.least} to {self.most} is empty. Exchange them."
            )
        if self.draws is not None and (type(self.draws) is not int or self.draws < 0):
            raise DomainError(f"draws={self.draws!r} is not an int of at least 0. Give 0 or more.")

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

    def members(self, earlier: Mapping[str, Any]) -> range:
        """Return the integers between the ends."""
        low, high = self._ends(earlier)
        return range(int(low), int(high) + 1)

    def _ends(self, earlier: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return the ends at values of earlier variables; of integers the least and the largest."""
        low, high = (None if end is None else _at(end, earlier) for end in (self.least, self.most))
        if self.whole and low is not None:
            low = _ceiling(Exact(low), is_open=self.is_open[0])
        if self.whole and high is not None:
            high = -_ceiling(-Exact(high), is_open=self.is_open[1])
        return low, high

    def far(self, earlier: Mapping[str, Any], most: int, choose: Choose) -> Any:
        """Return a number of the whole range, up to ``most`` from an end, by choices.

        An open end itself, which it may return, is not of the domain.
        """
        most = most if self.draws is None or not self.whole else min(most, self.draws)
        return spread(*self._ends(earlier), whole=self.whole, most=most, choose=choose)

    def strategy(self, earlier: Mapping[str, Any]) -> Any:
        """Return the ends, numbers near and far from them, and then any."""
        if isinstance(self.least, Term) or isinstance(self.most, Term):
            return self._between(earlier)
        return _constant(self)

    def _between(self, earlier: Mapping[str, Any]) -> Any:
        from hypothesis import strategies as st

        low, high = (None if end is None else _at(end, earlier) for end in (self.least, self.most))
        if self.whole:
            first = 0 if low is None else int(low) + self.is_open[0]
            last = first + (_NEAR if self.draws is None else self.draws)
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
    """Variables that are not numbers: laws, rows, data sets and others.

    Attributes:
        what: What each is, in words.
        drawn: Makes a hypothesis strategy, from earlier variables that it names.
        condition: What each must meet, beside earlier variables; None where every object of
            its class is meant, as its constructor made it.
        coq: Its type in Coq, what is assumed of ``{0}``, and what its type needs before it.
        written: What an instance's value is there, from variables that it names: a closed term,
            where :func:`~exactdp.coq.values.coq_value` does not write it by its type.
    """

    what: str
    drawn: Callable[..., Any] | None = None
    condition: Callable[..., bool] | None = None
    coq: tuple[str, str, str] | None = None
    written: Callable[..., str] | None = None

    def text(self, name: str) -> str:
        """Return the variable with its kind."""
        return f"{variable(name)}: {self.what}"

    def admits(self, value: Any, earlier: Mapping[str, Any]) -> bool:
        """Return whether the condition is met."""
        return self.condition is None or bool(called(self.condition, earlier))

    def strategy(self, earlier: Mapping[str, Any]) -> Any:
        """Return the strategy; there is one."""
        assert self.drawn is not None
        return called(self.drawn, earlier)


@dataclass(frozen=True, slots=True)
class Listed:
    """One of the values that are listed: a column of a table.

    Attributes:
        rows: The rows of the table, each with this column's value, as texts of all values before.
        place: Which column it is, from 0.
        width: How many columns there are.
    """

    rows: tuple[tuple[Any, ...], ...]
    place: int = 0
    width: int = 1

    what: ClassVar[str] = "a value of a table"
    coq: ClassVar[tuple[str, str, str] | None] = None
    written: ClassVar[Callable[..., str] | None] = None

    def text(self, name: str) -> str:
        """Return the variable; the last column with the kind of the rows."""
        if self.place < self.width - 1:
            return variable(name)
        shown = [str(Instance.of(row=r if len(r) > 1 else r[0]))[4:] for r in self.rows]
        few = ", ".join(shown)
        told = few if len(few) <= _MOST_LISTED else f"{len(shown)} that are listed"
        return f"{variable(name)} among {told}"

    def members(self, earlier: Mapping[str, Any]) -> list[Any]:
        """Return the values beside those of the columns before, each once."""
        before = list(earlier.values())[len(earlier) - self.place :]
        known = [row for row in self.rows if list(row[: self.place]) == before]
        return list({str(Instance.of(x=r[self.place])): r[self.place] for r in known}.values())

    def strategy(self, earlier: Mapping[str, Any]) -> Any:
        """Return the strategy of the values beside those of the columns before."""
        from hypothesis import strategies as st

        return st.sampled_from(self.members(earlier))

    def admits(self, value: Any, earlier: Mapping[str, Any]) -> bool:
        """Return whether it is listed."""
        return any(row[self.place] == value for row in self.rows)


_MOST_LISTED = 80
"""The characters of rows that are printed; of more their number is."""

Sort: TypeAlias = Numbers | Objects | Listed
"""What one variable may be."""


def among(*values: Any) -> Listed:
    """Return one of these values.

    Example:
        >>> among(2, 3, 5).text("n")
        'n among 2, 3, 5'
    """
    return Listed(tuple((value,) for value in values))


def rows(*instances: Mapping[str, Any]) -> dict[str, Listed]:
    """Return the variables of a table whose rows are these, each with the same variables.

    Example:
        >>> from exactdp.claims.domains import Domain
        >>> print(Domain(rows({"n": 2, "k": 3}, {"n": 4, "k": 1})))
        all n, k among (2, 3), (4, 1)
    """
    names = tuple(instances[0])
    listed = tuple(tuple(one[name] for name in names) for one in instances)
    return {name: Listed(listed, i, len(names)) for i, name in enumerate(names)}


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


def integers(least: End = None, most: End = None, *, draws: int | None = None) -> Numbers:
    """Return the integers from ``least`` to ``most``; the search ends ``draws`` above the least.

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
    """Return the kind of other objects: in words, with a strategy, a condition, its form in Coq.

    Example:
        >>> objects("a law on finitely many outcomes").text("P")
        'P: a law on finitely many outcomes'
    """
    return Objects(what, drawn, condition, coq, written)


def end_terms(kind: Numbers) -> tuple[Term | None, Term | None]:
    """Return the least and the largest number as terms of earlier variables; None for no end."""
    ends: tuple[Any, Any] = (kind.least, kind.most)
    least, most = (None if end is None else term(end) for end in ends)
    return least, most


def range_ends(kind: Numbers, earlier: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the least and the largest number at values of earlier variables; None for no end."""
    least, most = (None if e is None else _at(e, earlier) for e in (kind.least, kind.most))
    return least, most


def _number(end: Any) -> Exact | None:
    if end is None or isinstance(end, int | Fraction | str | Exact):
        return None if end is None else Exact(end)
    raise DomainError(
        f"the end {end!r} of a range is not a number. Give one, or a function of earlier variables."
    )


_NEAR = 4
"""So many integers above the least are drawn first, before the whole range is."""


def _ceiling(x: Exact, *, is_open: bool) -> Fraction:
    """Return the least integer that is at least x, or above it."""
    near = round(x)
    return near.as_fraction() + (near < x or (is_open and near == x))


def _built(end: Callable[..., Any]) -> Term:
    """Return an end as a term of earlier variables."""
    names = tuple(signature(end).parameters)
    form = Form(end, names)
    if (found := form.said()) is None:
        raise DomainError(f"the end of a range is not written down: {form.refusal()}.")
    return term(found)


def _at(end: Any, earlier: Mapping[str, Any]) -> Any:
    """Return an end at values of earlier variables."""
    if isinstance(end, Term):
        found = plain_at(end, earlier)
        return Fraction(found) if type(found) is int else found
    return end if isinstance(end, Exact) else Fraction(end)
