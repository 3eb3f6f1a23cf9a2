"""A second route to proofs_check.lemmas.extremal: the worst adaptive randomizers by permanents.

A randomizer on inputs 0..K−1 is ε0-private, x = e^ε0, if every column c has
max c <= x·min c. Such a column is a nonnegative combination of vectors in {1, x}^K, so
every such randomizer is the post-processing of one whose columns are θ_v·v for these
v, θ >= 0, Σ_v θ_v·v = 1; later randomizers may use the finer output as well. So with V(h)
the value of a history h of columns, divergences being convex,

    V(h) = max over θ of Σ_v θ_v·V(h·v),    V = max(0, P(h) − γ·Q(h)) at the end,

and the maximum over the polytope of the θ is at one of its vertices, which are listed
exactly. P(h) is in proportion to the permanent Σ_π Π_i h_i[data_π(i)].

Definitions: :func:`worst_divergence`.

Reference: P. Kairouz, S. Oh and P. Viswanath, Extremal mechanisms for local differential
privacy, JMLR 2016, Section 2 (columns).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial

from flint import fmpq, fmpq_mat

from exactdp.numbers import Exact

__all__ = ["worst_divergence"]

Column = tuple[fmpq, ...]
Vertex = tuple[tuple[int, fmpq], ...]


def _columns(inputs: int, x: Fraction) -> list[Column]:
    """Return {1, x}^inputs without the constant x, a multiple of the constant 1."""
    high = fmpq(x.numerator, x.denominator)
    return list(product((fmpq(1), high), repeat=inputs))[:-1] if x > 1 else [(fmpq(1),) * inputs]


@lru_cache(maxsize=32)
def _vertices(inputs: int, x: Fraction) -> tuple[Vertex, ...]:
    columns = _columns(inputs, x)
    found: dict[str, Vertex] = {}
    ones = fmpq_mat(inputs, 1, [fmpq(1)] * inputs)
    for basis in combinations(range(len(columns)), min(inputs, len(columns))):
        if len(basis) < inputs:
            return (((0, fmpq(1)),),)
        matrix = fmpq_mat(inputs, inputs, [columns[v][i] for i in range(inputs) for v in basis])
        if matrix.det() != 0:
            theta = matrix.solve(ones).entries()
            if all(t >= 0 for t in theta):
                vertex = tuple((v, t) for v, t in zip(basis, theta, strict=True) if t != 0)
                found[str(vertex)] = vertex
    return tuple(found.values())


def worst_divergence(
    *, inputs: int, users: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Exact:
    """Return the largest D_{e^ε}(A_s(X_0) || A_s(X_1)).

    Over all neighboring datasets on so many inputs (up to their names) and all adaptive
    ε0-private randomizers with any finite output alphabets.

    Example:
        One user is randomized response: (3 − 2)/(3 + 1).

        >>> worst_divergence(inputs=2, users=1, exp_epsilon0=Fraction(3), exp_epsilon=Fraction(2))
        Exact('1/4')
    """
    columns, vertices = _columns(inputs, exp_epsilon0), _vertices(inputs, exp_epsilon0)
    gamma = fmpq(exp_epsilon.numerator, exp_epsilon.denominator)

    @cache
    def permanent(data: tuple[int, ...], history: tuple[int, ...]) -> fmpq:
        # Expanded along the last step; data are sorted, so equal inputs are drawn once.
        if not data:
            return fmpq(1)
        column, rest = columns[history[-1]], history[:-1]
        total = fmpq(0)
        for i, a in enumerate(data):
            if i == 0 or data[i - 1] != a:
                total += data.count(a) * column[a] * permanent(data[:i] + data[i + 1 :], rest)
        return total

    def value(pair: Sequence[tuple[int, ...]], history: tuple[int, ...]) -> fmpq:
        if len(history) == users:
            gap = permanent(pair[0], history) - gamma * permanent(pair[1], history)
            return max(gap, fmpq(0))
        children = [value(pair, (*history, v)) for v in range(len(columns))]
        return max(sum((t * children[v] for v, t in vertex), fmpq(0)) for vertex in vertices)

    best = fmpq(0)
    for others in combinations_with_replacement(range(inputs), users - 1):
        pair = [tuple(sorted((victim, *others))) for victim in (0, 1)]
        best = max(best, value(pair, ()))
    return Exact(best / factorial(users))
