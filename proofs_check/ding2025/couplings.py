"""Couplings of two laws, as the points of a linear program.

Definitions: :func:`farthest_optimal`, :func:`least_cost`, :func:`least_relaxed`,
:func:`w_infinity`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from flint import fmpq

from proofs_check.ding2025.law import Law
from proofs_check.ding2025.linear_programs import minimum

__all__ = ["Coupling", "farthest_optimal", "least_cost", "least_relaxed", "w_infinity"]

Cell = tuple[Fraction, Fraction]
"""(x, x')."""

Coupling = Mapping[Cell, Fraction]
"""The positive masses."""

Row = list[Fraction]


def _marginals(p: Law, q: Law, cells: Sequence[Cell]) -> tuple[list[Row], Row]:
    rows = [
        [Fraction(cell[side] == x) for cell in cells]
        for side, law in ((0, p), (1, q))
        for x in law.points
    ]
    return rows, [m for law in (p, q) for _, m in law.masses]


def _least(costs: Row, rows: list[Row], right: Row) -> tuple[Fraction, Row] | None:
    """Return the minimum of a linear program and where it is; FLINT computes."""

    def exact(row: Row) -> list[fmpq]:
        return [fmpq(a.numerator, a.denominator) for a in row]

    answer = minimum(exact(costs), [exact(row) for row in rows], exact(right))
    if answer is None:
        return None
    least, *found = (Fraction(int(a.p), int(a.q)) for a in (answer[0], *answer[1]))
    return least, found


def least_cost(p: Law, q: Law, cost: Callable[[Fraction], int | None]) -> Fraction | None:
    """Return the least expected cost of x − x' of any coupling.

    Where the cost is None there may be no mass; None if there is no such coupling.
    """
    costs = {(x, z): cost(x - z) for x, z in product(p.points, q.points)}
    priced = {cell: Fraction(c) for cell, c in costs.items() if c is not None}
    if not priced:
        return None
    answer = _least(list(priced.values()), *_marginals(p, q, list(priced)))
    return None if answer is None else answer[0]


@cache
def w_infinity(p: Law, q: Law) -> Fraction:
    """Return W_∞, the least d such that some coupling moves no mass farther than d.

    Example:
        >>> from proofs_check.ding2025.law import bernoulli, point
        >>> w_infinity(bernoulli("1/2"), point(1))
        Fraction(1, 1)
    """

    def is_enough(d: Fraction) -> bool:
        return least_cost(p, q, lambda move: 0 if abs(move) <= d else None) is not None

    return next(filter(is_enough, sorted({abs(x - z) for x, z in product(p.points, q.points)})))


@cache
def farthest_optimal(p: Law, q: Law) -> Coupling:
    """Return a coupling of least expected |x − x'| that moves some mass as far as any does."""
    cells = list(product(p.points, q.points))
    distances = [abs(x - z) for x, z in cells]
    rows, right = _marginals(p, q, cells)
    cheapest = _least(distances, rows, right)
    assert cheapest is not None  # the product of both laws is a coupling
    rows, right = [*rows, distances], [*right, cheapest[0]]
    for far in sorted(range(len(cells)), key=lambda i: -distances[i]):
        answer = _least([Fraction(-(i == far)) for i in range(len(cells))], rows, right)
        assert answer is not None  # the cheapest one
        if answer[0] < 0:
            return {cell: m for cell, m in zip(cells, answer[1], strict=True) if m}
    raise AssertionError("unreachable: every coupling has some mass")


@cache
def least_relaxed(p: Law, q: Law, growth: Fraction) -> Coupling:
    """Return a coupling that satisfies (20) with the least e^ε, growth = e^{1/θ}.

    Its rows say that Σ_x e^{|x − x'|/θ} π(x, x') plus a slack is e^ε Q(x') at each x'.

    Example:
        From {0, 1} to {1, 2}, half each, one step each is best.

        >>> from proofs_check.ding2025.law import law
        >>> p, q = law({0: "1/2", 1: "1/2"}), law({1: "1/2", 2: "1/2"})
        >>> [(str(x), str(z)) for x, z in least_relaxed(p, q, Fraction(3))]
        [('0', '1'), ('1', '2')]
    """
    cells, count = list(product(p.points, q.points)), len(q.points)
    rows, right = _marginals(p, q, cells)
    rows = [row + [Fraction(0)] * (count + 1) for row in rows]
    for z, m in q.masses:
        powers = [growth ** int(abs(x - w)) if w == z else Fraction(0) for x, w in cells]
        rows.append([*powers, *(Fraction(w == z) for w in q.points), -m])
    answer = _least(
        [Fraction(0)] * (len(cells) + count) + [Fraction(1)], rows, right + [Fraction(0)] * count
    )
    assert answer is not None  # the product of both laws is a coupling
    # strict=False: slack variables and e^ε follow the cells.
    return {cell: m for cell, m in zip(cells, answer[1], strict=False) if m}
