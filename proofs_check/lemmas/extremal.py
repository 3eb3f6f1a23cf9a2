"""The worst adaptive randomizers for few users, by dynamic programming over the data left.

A randomizer on the inputs 0, ..., K − 1 is ε0-private, x = e^ε0, if every column c has
max c <= x·min c. Such columns are the nonnegative combinations of {1, x}^K, so each such
randomizer post-processes one whose columns are θ_v·v, θ >= 0, Σ_v θ_v·v = 1, and later
steps may use its finer output. Divergences being convex in θ, the worst next step is at a
vertex of this polytope. With n users at most n + 1 inputs are in play: K = n + 1 is
the general case.

Definitions: :func:`extremal_rows`, :func:`worst_divergence`, :func:`worst_moment`, for data
in uniform order, or in another :class:`~proofs_check.lemmas.adaptive.Order`.

Reference: P. Kairouz, S. Oh and P. Viswanath, Extremal mechanisms for local differential
privacy, JMLR 2016, Section 2 (columns).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product

from flint import fmpq, fmpq_mat

from exactdp.errors import DomainError
from exactdp.numbers import Exact
from proofs_check.lemmas.adaptive import SHUFFLED, Left, Order

__all__ = ["extremal_rows", "worst_divergence", "worst_moment"]

Weights = Mapping[Left, fmpq]


def _columns(inputs: int, ratio: Fraction) -> list[tuple[fmpq, ...]]:
    """Return {1, x}^inputs without the constant x, a multiple of the constant 1; x = ratio."""
    if ratio < 1:
        raise DomainError(f"exp_epsilon0={ratio} must be at least 1.")
    x = fmpq(ratio.numerator, ratio.denominator)
    return list(product((fmpq(1), x), repeat=inputs))[:-1] if x > 1 else [(fmpq(1),) * inputs]


@lru_cache(maxsize=32)
def _vertices(inputs: int, ratio: Fraction) -> tuple[tuple[tuple[int, fmpq], ...], ...]:
    """Return the vertices of the polytope of the θ: their nonzero entries."""
    if ratio == 1:  # all rows are equal
        return (((0, fmpq(1)),),)
    columns = _columns(inputs, ratio)
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
    columns = _columns(inputs, exp_epsilon0)
    return [
        tuple(tuple(Exact(t * columns[v][i]) for v, t in vertex) for i in range(inputs))
        for vertex in _vertices(inputs, exp_epsilon0)
    ]


@lru_cache(maxsize=1024)  # a claim, its readings and its false variant ask for the same ones
def worst_divergence(
    *,
    inputs: int,
    users: int,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    algorithm: Order = SHUFFLED,
) -> Exact:
    """Return the largest D_{e^ε}(A(X_0) || A(X_1)) over neighbors and adaptive randomizers.

    Raises:
        DomainError: If e^ε0 < 1.

    Example:
        One user is randomized response: (3 − 2)/(3 + 1).

        >>> worst_divergence(inputs=2, users=1, exp_epsilon0=Fraction(3), exp_epsilon=Fraction(2))
        Exact('1/4')
    """
    gamma = fmpq(exp_epsilon.numerator, exp_epsilon.denominator)

    def gap(p: fmpq, q: fmpq) -> fmpq:
        return max(p - gamma * q, fmpq(0))

    return _worst(algorithm, gap, inputs, users, exp_epsilon0)


@lru_cache(maxsize=1024)
def worst_moment(
    *, inputs: int, users: int, exp_epsilon0: Fraction, order: int, algorithm: Order = SHUFFLED
) -> Exact:
    """Return the largest Σ P^a Q^(1−a), a = order, over neighbors and adaptive randomizers.

    Example:
        >>> worst_moment(inputs=2, users=1, exp_epsilon0=Fraction(3), order=2)
        Exact('7/3')
    """
    return _worst(algorithm, lambda p, q: p**order / q ** (order - 1), inputs, users, exp_epsilon0)


def _worst(
    algorithm: Order,
    leaf: Callable[[fmpq, fmpq], fmpq],
    inputs: int,
    users: int,
    exp_epsilon0: Fraction,
) -> Exact:
    """Return the largest sum of a convex and homogeneous function of both masses."""
    columns = _columns(inputs, exp_epsilon0)
    table = fmpq_mat(inputs, len(columns), [c[i] for i in range(inputs) for c in columns])
    vertices = [dict(vertex) for vertex in _vertices(inputs, exp_epsilon0)]
    shares = [vertex.get(v, fmpq(0)) for vertex in vertices for v in range(len(columns))]
    mixtures = fmpq_mat(len(vertices), len(columns), shares)
    draws = lru_cache(maxsize=None)(lambda left: tuple(algorithm.draw(left)))

    def sent(weights: Weights, column: tuple[fmpq, ...]) -> Weights:
        """Return the weights after one more user has sent this column."""
        after: dict[Left, fmpq] = {}
        for left, weight in weights.items():
            for i, count, rest in draws(left):
                more = weight * (count * column[i])
                after[rest] = after[rest] + more if rest in after else more
        return after

    def by_input(weights: Weights) -> list[fmpq]:
        """Return the weights of the last user's inputs: the mass of a column is linear in them."""
        totals = [fmpq(0)] * inputs
        for left, weight in weights.items():
            for i, count, _ in draws(left):
                totals[i] += weight * count
        return totals

    def value(p: Weights, q: Weights, steps: int) -> fmpq:
        if steps == 1:
            last = fmpq_mat(2, inputs, [*by_input(p), *by_input(q)]) * table
            masses = last.entries()
            below = list(map(leaf, masses[: len(columns)], masses[len(columns) :]))
        else:
            below = [value(sent(p, c), sent(q, c), steps - 1) for c in columns]
        return max((mixtures * fmpq_mat(len(columns), 1, below)).entries())

    best = fmpq(0)
    seen = set()
    for others in product(range(inputs), repeat=users - 1):
        p, q = (
            {left: fmpq(weight) for left, weight in algorithm.start((x, *others), inputs).items()}
            for x in (0, 1)
        )
        if (key := (str(p), str(q))) not in seen:
            seen.add(key)
            best = max(best, value(p, q, users))
    whole: Weights = p
    for _ in range(users):
        whole = sent(whole, (fmpq(1),) * inputs)
    return Exact(best / sum(whole.values(), fmpq(0)))
