"""The worst adaptive randomizers for few users, by dynamic programming over what is left.

A randomizer on the inputs 0, ..., K − 1 is ε0-private, x = e^ε0, if every column c has
max c <= x·min c. Such columns are the nonnegative combinations of {1, x}^K, so each such
randomizer post-processes one whose columns are θ_v·v, θ >= 0, Σ_v θ_v·v = 1, and later
steps may use its finer output. Divergences being convex in θ, the worst next step is at a
vertex of this polytope. With n users at most n + 1 inputs are in play: K = n + 1 is
the general case.

Definitions: :func:`extremal_rows`, :func:`worst_divergence`.

Reference: P. Kairouz, S. Oh and P. Viswanath, Extremal mechanisms for local differential
privacy, JMLR 2016, Section 2 (columns).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial

from flint import fmpq, fmpq_mat

from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["extremal_rows", "worst_divergence"]

Left = tuple[int, ...]
"""How many users with each input have not been drawn yet."""

Weights = Mapping[Left, fmpq]


def _columns(inputs: int, x: fmpq) -> list[tuple[fmpq, ...]]:
    """Return {1, x}^inputs without the constant x, a multiple of the constant 1."""
    return list(product((fmpq(1), x), repeat=inputs))[:-1] if x > 1 else [(fmpq(1),) * inputs]


@lru_cache(maxsize=32)
def _vertices(inputs: int, ratio: Fraction) -> tuple[tuple[tuple[int, fmpq], ...], ...]:
    """Return the vertices of the polytope of the θ: their nonzero entries."""
    if ratio == 1:  # all rows are equal
        return (((0, fmpq(1)),),)
    columns = _columns(inputs, fmpq(ratio.numerator, ratio.denominator))
    ones = fmpq_mat(inputs, 1, [fmpq(1)] * inputs)
    found: dict[str, tuple[tuple[int, fmpq], ...]] = {}
    for basis in combinations(range(len(columns)), inputs):
        matrix = fmpq_mat(inputs, inputs, [columns[v][i] for i in range(inputs) for v in basis])
        if matrix.det() != 0:
            theta = matrix.solve(ones).entries()
            if all(t >= 0 for t in theta):
                vertex = tuple((v, t) for v, t in zip(basis, theta, strict=True) if t != 0)
                found[str(vertex)] = vertex
    return tuple(found.values())


def extremal_rows(*, inputs: int, exp_epsilon0: Fraction) -> list[tuple[tuple[Exact, ...], ...]]:
    """Return the matrices of the extremal private randomizers.

    Raises:
        DomainError: If e^ε0 < 1.

    Example:
        For two inputs: the constant, and randomized response.

        >>> [len(rows[0]) for rows in extremal_rows(inputs=2, exp_epsilon0=Fraction(3))]
        [1, 2]
    """
    _refuse_below_1(exp_epsilon0)
    columns = _columns(inputs, fmpq(exp_epsilon0.numerator, exp_epsilon0.denominator))
    return [
        tuple(tuple(Exact(t * columns[v][i]) for v, t in vertex) for i in range(inputs))
        for vertex in _vertices(inputs, exp_epsilon0)
    ]


def worst_divergence(
    *, inputs: int, users: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Exact:
    """Return the largest D_{e^ε}(A_s(X_0) || A_s(X_1)) over neighbors and adaptive randomizers.

    Raises:
        DomainError: If e^ε0 < 1.

    Example:
        One user is randomized response: (3 − 2)/(3 + 1).

        >>> worst_divergence(inputs=2, users=1, exp_epsilon0=Fraction(3), exp_epsilon=Fraction(2))
        Exact('1/4')
    """
    _refuse_below_1(exp_epsilon0)
    columns = _columns(inputs, fmpq(exp_epsilon0.numerator, exp_epsilon0.denominator))
    vertices = _vertices(inputs, exp_epsilon0)
    gamma = fmpq(exp_epsilon.numerator, exp_epsilon.denominator)

    def sent(weights: Weights, column: tuple[fmpq, ...]) -> Weights:
        """Return the weights after one more user, in uniform order, has sent this column."""
        after: dict[Left, fmpq] = {}
        for left, weight in weights.items():
            for i, count in enumerate(left):
                if count:
                    key = (*left[:i], count - 1, *left[i + 1 :])
                    after[key] = after.get(key, fmpq(0)) + weight * count * column[i]
        return after

    def value(p: Weights, q: Weights, steps: int) -> fmpq:
        if steps == 0:
            return max(sum(p.values(), fmpq(0)) - gamma * sum(q.values(), fmpq(0)), fmpq(0))
        below = [value(sent(p, c), sent(q, c), steps - 1) for c in columns]
        return max(sum((t * below[v] for v, t in vertex), fmpq(0)) for vertex in vertices)

    best = fmpq(0)
    for others in combinations_with_replacement(range(inputs), users - 1):
        laws = []
        for victim in (0, 1):
            data = (victim, *others)
            laws.append({tuple(data.count(i) for i in range(inputs)): fmpq(1)})
        best = max(best, value(laws[0], laws[1], users))
    return Exact(best / factorial(users))


def _refuse_below_1(exp_epsilon0: Fraction) -> None:
    if exp_epsilon0 < 1:
        raise DomainError(f"exp_epsilon0={exp_epsilon0} must be at least 1.")
