"""Points where a claim about numbers can fail along one variable: roots, and between two.

With all other variables at an instance, sides of rational operations, maxima, cases and divergences
of finite laws are rational functions of one variable between finitely many points: the roots of
their differences, and of whatever a case depends on. A relation that fails somewhere fails at one
of these points, or on a whole interval between two; so a point of each decides it, however far out
or narrow that is. Where a side is no such function, numbers beyond the grid of a walk are tried.
From the instance that is nearest to failing each variable is moved again, so the extreme points of
a difference are tried as well.

Nothing is trusted here: an instance is only proposed.

Definitions: :func:`failure_at_roots`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from math import floor
from typing import Any

from flint import fmpq_poly

from exactdp.audit.claimed import Function, OnRanges
from exactdp.claims import Effort, Instance, Statement
from exactdp.claims.built import at_values
from exactdp.claims.general import said_of
from exactdp.claims.kinds import Numbers, end_terms
from exactdp.claims.spread import FARTHEST
from exactdp.claims.terms import Term
from exactdp.errors import DomainError
from exactdp.numbers import Exact, fmpq_of, fraction_of, precision

__all__ = ["failure_at_roots"]

_STARTS = 3
"""The listed instances from which variables are moved."""

_BITS = 256
"""To so many bits roots are told apart."""

_DEGREE = 64
"""Roots of polynomials up to this degree are found."""

_PIECES = 4
"""So many times points of new pieces are looked at."""

_FAR = tuple(Fraction(FARTHEST) ** k for k in (2, 4, 8, 26, 84))
"""How far out numbers are tried where a side is not a function with roots."""


def failure_at_roots(
    statement: Statement,
    score: Callable[[Instance], tuple[float, ...] | None],
    is_over: Callable[[], bool],
) -> Instance | None:
    """Return an instance at which a claim about numbers fails, or None where none is found.

    Args:
        statement: It says relations of symbols, and its variables are numbers.
        score: How near to failing an instance is, and first whether it fails; None for what says
            nothing.
        is_over: Whether no more are to be scored.
    """
    domain = statement.domain
    assert domain is not None
    seen = set[str]()
    for start in islice(statement.instances(Effort.DEFAULT), _STARTS):
        best, most = start, score(start)
        for _ in range(2 * len(domain.kinds)):
            before = best
            for name in domain.kinds:
                for x in _points(statement, name, before.mapping()):
                    at = Instance.of(**{**best.mapping(), name: x})
                    if str(at) in seen or not domain.admits(at.mapping()):
                        continue
                    seen.add(str(at))
                    found = score(at)
                    if is_over():
                        return at if found is not None and found[0] > 0 else None
                    if found is not None and (most is None or found > most):
                        best, most = at, found
            if best is before:
                break
    return None


def _points(statement: Statement, name: str, values: Mapping[str, Any]) -> list[Any]:
    """Return the points of one variable at which a claim is tried, all others at an instance."""
    said, domain = said_of(statement), statement.domain
    assert said is not None and domain is not None
    kind = domain.kinds[name]
    if not isinstance(kind, Numbers):
        return []
    numbers = {x: one for x, one in domain.kinds.items() if isinstance(one, Numbers)}
    ends = [
        (Term("variable", x), e)
        for x, one in numbers.items()
        for e in end_terms(one)
        if e is not None
    ]
    sides = [*ends, *((r.left, r.right) for r in (*domain.hypotheses(), *said.relations))]
    others = {x: value for x, value in values.items() if x != name}
    try:
        closed = [left - right for left, right in at_values(tuple(sides), others)]
        roots = _Line(name).roots(closed, values[name])
    except (DomainError, ZeroDivisionError, OverflowError):  # a side is not a rational function
        first = values[name] if type(values[name]) in (int, Fraction) else Fraction(0)
        found = [first + x for y in _FAR for x in (y, -y)]
        return found if kind.whole else found + [first + 1 / x for y in _FAR for x in (y, -y)]
    if kind.whole:
        return [floor(r) + near for r in roots for near in (0, 1, -1, 2)]
    return sorted((*roots, *_between(roots)), key=_size)


def _size(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def _between(roots: Sequence[Fraction]) -> list[Fraction]:
    """Return a simple number between two roots and the next, and one beyond each end."""
    if not roots:
        return []
    inner = [_simplest(x, y) for x, y in pairwise(roots)]
    return [*inner, Fraction(floor(roots[-1]) + 1), Fraction(floor(-roots[0]) + 1) * -1]


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of the least denominator between two numbers.

    Example:
        >>> _simplest(Fraction(3, 10), Fraction(4, 10)), _simplest(Fraction(-5, 2), Fraction(3))
        (Fraction(1, 3), Fraction(0, 1))
    """
    if low < 0 < high:
        return Fraction(0)
    if high <= 0:
        return -_simplest(-high, -low)
    whole = floor(low)
    if whole + 1 < high:
        return Fraction(whole + 1)
    low, high = low - whole, high - whole  # 0 <= low < high <= 1
    return whole + (
        1 / Fraction(floor(1 / high) + 1) if low == 0 else 1 / _simplest(1 / high, 1 / low)
    )


class _Line(OnRanges):
    """The terms of a claim as functions of one variable, near a point."""

    def __init__(self, name: str) -> None:
        super().__init__([[name, None, None]])
        self.known[name] = Function(self.context.gen(0), self.one.top)
        self.point = Fraction(0)
        self.met: list[Function] = []

    def roots(self, differences: Sequence[Term], first: Any) -> list[Fraction]:
        """Return where a difference may change its sign, or turn, in order.

        Raises:
            DomainError: If one is not a rational function between finitely many points.
        """
        known, tried = dict[str, list[Fraction]](), set[Fraction]()
        todo = [fraction_of(fmpq_of(Exact(first).as_fraction()))]
        for _ in range(_PIECES):
            for self.point in todo:
                self.met = []
                try:
                    self.met += [self.of(one, ()) for one in differences]
                except DomainError:
                    if not tried:
                        raise
                tried.add(self.point)  # beyond the range of the variable, perhaps
                for part in (part for function in self.met for part in _parts(function)):
                    if (key := str(part)) not in known:
                        known[key] = _real_roots(part)
            roots = sorted({r for found in known.values() for r in found})
            todo = [x for x in _between(roots) if x not in tried]
        return roots

    def _is_at_least_0(self, x: Function, met: Any) -> bool:
        self.met.append(x)
        return self._sign(x) >= 0

    def _is_over_0(self, x: Function, met: Any) -> bool:
        self.met.append(x)
        return self._sign(x) > 0

    def _is_mass(self, x: Function) -> bool:
        return self._is_at_least_0(x, ())

    def _sign(self, x: Function) -> int:
        top, bottom = (_polynomial(part)(fmpq_of(self.point)) for part in (x.top, x.bottom))
        if bottom == 0:
            raise DomainError("the function has a pole there")
        return (top * bottom > 0) - (top * bottom < 0)


def _polynomial(part: Any) -> fmpq_poly:
    found = {power[0]: c for power, c in part.to_dict().items()}
    return fmpq_poly([found.get(i, 0) for i in range(max(found, default=0) + 1)])


def _parts(function: Function) -> Iterable[fmpq_poly]:
    """Return the polynomials at whose roots a function is 0, has a pole, or turns."""
    top, bottom = _polynomial(function.top), _polynomial(function.bottom)
    parts = (top, bottom, top.derivative() * bottom - top * bottom.derivative())
    return [part for part in parts if 0 < part.degree() <= _DEGREE]


def _real_roots(polynomial: fmpq_poly) -> list[Fraction]:
    """Return the rational roots, and all other real ones to many bits."""
    found: list[Fraction] = []
    for factor, _ in polynomial.factor()[1]:
        if factor.degree() == 1:
            found.append(fraction_of(-factor[0] / factor[1]))
            continue
        with precision(_BITS):
            roots: Sequence[Any] = factor.complex_roots()
            found += [fraction_of(x.real.mid().fmpq()) for x, _ in roots if x.imag == 0]
    return found
