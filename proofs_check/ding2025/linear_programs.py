"""Small linear programs over an ordered field, solved exactly: couplings are their points.

The two-phase simplex method with Bland's rule, which cannot cycle. Numbers are any exact
ordered field: FLINT rationals, or ``Exact``. No rounding, no tolerance.

Definitions: :func:`minimum`.

References: R. Bland, New Finite Pivoting Rules for the Simplex Method, 1977.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["minimum"]

Row = list[Any]


def minimum(
    costs: Sequence[Any], rows: Sequence[Sequence[Any]], right: Sequence[Any]
) -> tuple[Any, list[Any]] | None:
    """Return the minimum of costs·x over x >= 0 with rows·x = right, and an optimal vertex.

    Args:
        costs: One number for each variable; at least one variable.
        rows: The equations' coefficients.
        right: The equations' right sides.

    Returns:
        The minimum and a vertex that attains it; None if no x is feasible. The
        minimum must exist (the caller's program is bounded below).

    Example:
        >>> from flint import fmpq
        >>> one, two = fmpq(1), fmpq(2)
        >>> minimum([one, two], [[one, one]], [two])
        (2, [2, 0])
    """
    zero = costs[0] * 0
    one = zero + 1
    n, m = len(costs), len(rows)
    table: list[Row] = []
    for i, (row, value) in enumerate(zip(rows, right, strict=True)):
        sign = -one if value < zero else one
        artificial = [one if k == i else zero for k in range(m)]
        table.append([*(sign * a for a in row), *artificial, sign * value])
    basis = list(range(n, n + m))
    _optimize(table, basis, [zero] * n + [one] * m, n + m)
    if any(table[i][-1] != zero for i, b in enumerate(basis) if b >= n):
        return None
    # Artificial variables that stay in the basis are 0: pivot them out, or drop the row.
    for i in reversed(range(len(table))):
        if basis[i] < n:
            continue
        column = next((j for j in range(n) if table[i][j] != zero), None)
        if column is None:
            del table[i], basis[i]
        else:
            _pivot(table, basis, i, column)
    _optimize(table, basis, [*costs, *([zero] * m)], n)
    solution = [zero] * n
    for i, b in enumerate(basis):
        solution[b] = table[i][-1]
    return sum((c * x for c, x in zip(costs, solution, strict=True)), start=zero), solution


def _optimize(table: list[Row], basis: list[int], costs: Row, columns: int) -> None:
    """Pivot until no reduced cost among the first ``columns`` is negative."""
    zero = costs[0] * 0
    while True:
        active = [(costs[b], row) for b, row in zip(basis, table, strict=True) if costs[b]]
        entering = None
        for j in range(columns):
            if sum((c * row[j] for c, row in active), start=zero) > costs[j]:
                entering = j
                break
        if entering is None:
            return
        leaving = None
        for i, row in enumerate(table):
            if row[entering] > zero:
                key = (row[-1] / row[entering], basis[i])
                if leaving is None or key < leaving[0]:
                    leaving = (key, i)
        if leaving is None:
            raise AssertionError("unreachable: the program is bounded below")
        _pivot(table, basis, leaving[1], entering)


def _pivot(table: list[Row], basis: list[int], i: int, j: int) -> None:
    head = table[i][j]
    table[i] = [a / head if a else a for a in table[i]]
    for k, row in enumerate(table):
        factor = row[j]
        if k != i and factor:
            table[k] = [a - factor * b if b else a for a, b in zip(row, table[i], strict=True)]
    basis[i] = j
