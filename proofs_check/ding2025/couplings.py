"""Couplings of two laws, as the points of a small linear program, solved exactly.

The simplex method with Bland's rule, which cannot cycle (R. Bland, New Finite Pivoting Rules
for the Simplex Method, 1977), in FLINT's rationals.

Definitions: :func:`farthest_optimal`, :func:`least_cost`, :func:`least_relaxed`,
:func:`minimum`, :func:`shortest`, :func:`w_infinity`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from flint import fmpq

from proofs_check.ding2025.law import Law, whole

Cell = tuple[Fraction, Fraction]
"""(x, x')."""

Coupling = Mapping[Cell, Fraction]
"""The positive masses."""

Row = list[Fraction]


def minimum(costs: Row, rows: Sequence[Row], right: Row) -> tuple[Fraction, Row] | None:
    """Return the minimum of costs·x over x >= 0 with rows·x = right, and an optimal vertex.

    None if no x is feasible. The minimum must exist.

    Example:
        >>> value, vertex = minimum([Fraction(1), Fraction(2)], [[Fraction(1)] * 2], [Fraction(2)])
        >>> str(value), list(map(str, vertex))
        ('2', ['2', '0'])
    """
    prices, n = _exact(costs), len(costs)
    # Row i has an artificial variable n + i, without a column: it only leaves the basis.
    table = [
        _exact([-a for a in (*row, b)] if b < 0 else (*row, b))
        for row, b in zip(rows, right, strict=True)
    ]
    basis = list(range(n, n + len(table)))

    def reduced(j: int) -> list[fmpq]:
        """Return the reduced cost of the artificial variables' sum, then that of the program."""
        found = [fmpq(0), prices[j]]
        for b, row in zip(basis, table, strict=True):
            if b >= n:
                found[0] -= row[j]
            elif prices[b]:
                found[1] -= prices[b] * row[j]
        return found

    nothing = [fmpq(0), fmpq(0)]
    while (entering := next((j for j in range(n) if reduced(j) < nothing), None)) is not None:
        _, _, leaving = min(
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0
        )
        _pivot(table, leaving, entering)
        basis[leaving] = entering
    if any(row[-1] != 0 for b, row in zip(basis, table, strict=True) if b >= n):
        return None
    values = {b: row[-1] for b, row in zip(basis, table, strict=True)}
    vertex = [Fraction(str(values.get(j, 0))) for j in range(n)]
    return sum((c * x for c, x in zip(costs, vertex, strict=True)), start=Fraction(0)), vertex


def _exact(row: Iterable[Fraction]) -> list[fmpq]:
    return [fmpq(a.numerator, a.denominator) for a in row]


def _pivot(table: list[list[fmpq]], i: int, j: int) -> None:
    head = table[i][j]
    table[i] = [a / head if a else a for a in table[i]]
    for k, row in enumerate(table):
        factor = row[j]
        if k != i and factor:
            table[k] = [a - factor * b if b else a for a, b in zip(row, table[i], strict=True)]


def _marginals(p: Law, q: Law, cells: Sequence[Cell]) -> tuple[list[Row], Row]:
    rows = [
        [Fraction(cell[side] == x) for cell in cells]
        for side, law in ((0, p), (1, q))
        for x in law.points
    ]
    return rows, [m for law in (p, q) for _, m in law.masses]


def _cells(p: Law, q: Law) -> list[Cell]:
    return list(product(p.points, q.points))


def least_cost(p: Law, q: Law, cost: Callable[[Fraction], int | None]) -> Fraction | None:
    """Return the least expected cost of x − x' of any coupling.

    Where the cost is None there may be no mass; None if there is no such coupling.
    """
    costs = {(x, z): cost(x - z) for x, z in _cells(p, q)}
    priced = {cell: Fraction(c) for cell, c in costs.items() if c is not None}
    if not priced:
        return None
    answer = minimum(list(priced.values()), *_marginals(p, q, list(priced)))
    return None if answer is None else answer[0]


@cache
def shortest(p: Law, q: Law) -> Coupling:
    """Return a coupling that moves no mass farther than any coupling must.

    Example:
        >>> from proofs_check.ding2025.law import bernoulli, point
        >>> [(str(x), str(z)) for x, z in shortest(bernoulli("1/2"), point(1))]
        [('0', '1'), ('1', '1')]
    """
    for d in sorted({abs(x - z) for x, z in _cells(p, q)}):
        near = [(x, z) for x, z in _cells(p, q) if abs(x - z) <= d]
        answer = minimum([Fraction(0)] * len(near), *_marginals(p, q, near))
        if answer is not None:
            return {cell: m for cell, m in zip(near, answer[1], strict=True) if m}
    raise AssertionError("unreachable: the product of both laws is a coupling")


def w_infinity(p: Law, q: Law) -> Fraction:
    """Return W_∞, the least d such that some coupling moves no mass farther than d."""
    return max(abs(x - z) for x, z in shortest(p, q))


def couples(pi: Coupling, p: Law, q: Law) -> bool:
    """Return whether masses couple two laws."""
    sides = ({}, {})  # type: tuple[dict[Fraction, Fraction], dict[Fraction, Fraction]]
    for cell, m in pi.items():
        for side, x in zip(sides, cell, strict=True):
            side[x] = side.get(x, Fraction(0)) + m
    return min(pi.values()) > 0 and sides == (dict(p.masses), dict(q.masses))


@cache
def farthest_optimal(p: Law, q: Law) -> Coupling:
    """Return a coupling of least expected |x − x'| that moves some mass as far as any does."""
    cells = _cells(p, q)
    distances = [abs(x - z) for x, z in cells]
    rows, right = _marginals(p, q, cells)
    cheapest = minimum(distances, rows, right)
    assert cheapest is not None  # the product of both laws is a coupling
    rows, right = [*rows, distances], [*right, cheapest[0]]
    for far in sorted(range(len(cells)), key=lambda i: -distances[i]):
        answer = minimum([Fraction(-(i == far)) for i in range(len(cells))], rows, right)
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
    cells, count = _cells(p, q), len(q.points)
    rows, right = _marginals(p, q, cells)
    rows = [row + [Fraction(0)] * (count + 1) for row in rows]
    for z, m in q.masses:
        powers = [growth ** whole(abs(x - w)) if w == z else Fraction(0) for x, w in cells]
        rows.append([*powers, *(Fraction(w == z) for w in q.points), -m])
    costs = [Fraction(0)] * (len(cells) + count) + [Fraction(1)]
    answer = minimum(costs, rows, right + [Fraction(0)] * count)
    assert answer is not None  # the product of both laws is a coupling
    # strict=False: slack variables and e^ε follow the cells.
    return {cell: m for cell, m in zip(cells, answer[1], strict=False) if m}
