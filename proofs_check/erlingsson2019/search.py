"""The worst adaptive randomizers for small n, exactly: a search over all of them.

A randomizer on inputs 0..K−1 is ε_0-locally private, x = e^{ε_0}, if every column c
has max c <= x·min c. Such a column is a nonnegative combination of the *patterns*,
the vectors in {1, x}^K, so every such randomizer is the post-processing of one
whose columns are θ_v·v for the patterns v, with θ >= 0 and Σ_v θ_v·v = 1. Later
randomizers may use the finer output as well as the coarser one, and post-processing
lowers no divergence: the worst adaptive randomizers have such columns.

The laws P and Q of the outputs on two datasets are then sums over paths of patterns,
and a divergence Σ f(P, Q), f convex and positively homogeneous, is largest by this
recursion on (the weights of) a history h:

    V(h) = max over θ of Σ_v θ_v·V(h·v), V = f at the end.

The maximum of a linear function over the polytope of the θ is at one of its finitely
many vertices, which are listed exactly. So the answers are maxima over all adaptive
ε_0-private randomizers with any finite output alphabets, for the given datasets.

Definitions: :class:`Datasets`, :class:`Worst`, :func:`worst_hockey_stick`,
:func:`worst_renyi_moment`, :func:`largest_swap_probability`,
:func:`largest_swap_step_ratio`.

References: Erlingsson et al. 2019, Section 4; P. Kairouz, S. Oh and P. Viswanath,
Extremal mechanisms for local differential privacy, JMLR 2016, Section 2 (columns).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial
from typing import Any

from flint import fmpq, fmpq_mat

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, RationalLike, fraction_of, rational
from exactdp.shuffle import AdaptiveRandomizers, swapped_data

__all__ = [
    "Datasets",
    "Worst",
    "extremal_weights",
    "largest_swap_probability",
    "largest_swap_step_ratio",
    "patterns",
    "shuffled_inputs",
    "swapped_inputs",
    "worst_hockey_stick",
    "worst_renyi_moment",
]

Pattern = tuple[int, ...]
Weights = dict[Any, int]
Leaf = Callable[[int, int], fmpq]
Draw = Callable[[int, Any], Iterable[tuple[int, int, Any]]]


@dataclass(frozen=True, slots=True)
class Datasets:
    """Two neighboring datasets under one algorithm, as hidden states that draw the inputs.

    Attributes:
        data: The dataset of P.
        neighbor: The dataset of Q.
        first: The weight of each hidden state before the first step, for P.
        second: The same for Q.
        draw: For a step and a state: the inputs that may come, each with a weight
            and the state it leaves.
        total: What all weights sum to at the end.
    """

    data: tuple[int, ...]
    neighbor: tuple[int, ...]
    first: Mapping[Any, int]
    second: Mapping[Any, int]
    draw: Draw
    total: int


@dataclass(frozen=True, slots=True)
class Worst:
    """A maximum over all adaptive randomizers, with one that attains it.

    Attributes:
        value: The maximum.
        datasets: Where it is attained.
        randomizers: What attains it.
    """

    value: Exact
    datasets: Datasets
    randomizers: AdaptiveRandomizers


def patterns(*, inputs: int, exp_epsilon0: RationalLike) -> list[Pattern]:
    """Return the directions of extremal columns, as integers.

    Returns:
        The vectors in {b, a}^inputs, x = a/b in lowest terms, without the constant
        (a, ..., a), which is a multiple of (b, ..., b).

    Raises:
        DomainError: If exp_epsilon0 < 1.

    Example:
        >>> patterns(inputs=2, exp_epsilon0=3)
        [(1, 1), (1, 3), (3, 1)]
    """
    x = fraction_of(rational(exp_epsilon0))
    if x < 1:
        raise DomainError(f"exp_epsilon0={x} must be at least 1. Pass e^epsilon0, epsilon0 >= 0.")
    if x == 1:
        return [(1,) * inputs]
    return list(product((x.denominator, x.numerator), repeat=inputs))[:-1]


@lru_cache(maxsize=64)
def _vertices(inputs: int, x: Fraction) -> tuple[tuple[tuple[int, fmpq], ...], ...]:
    columns = patterns(inputs=inputs, exp_epsilon0=x)
    if x == 1:
        return (((0, fmpq(1)),),)
    found = {}
    ones = fmpq_mat(inputs, 1, [fmpq(1)] * inputs)
    for basis in combinations(range(len(columns)), inputs):
        matrix = fmpq_mat(
            inputs, inputs, [fmpq(columns[v][row]) for row in range(inputs) for v in basis]
        )
        if matrix.det() == 0:
            continue
        theta = matrix.solve(ones).entries()
        if all(t >= 0 for t in theta):
            vertex = tuple((v, t) for v, t in zip(basis, theta, strict=True) if t != 0)
            found[tuple((v, str(t)) for v, t in vertex)] = vertex
    return tuple(found.values())


def extremal_weights(*, inputs: int, exp_epsilon0: RationalLike) -> list[dict[Pattern, Fraction]]:
    """Return the vertices of {θ >= 0 : Σ_v θ_v·v = 1}: the extremal randomizers' weights.

    Example:
        For two inputs: the constant, and randomized response.

        >>> [sorted(w) for w in extremal_weights(inputs=2, exp_epsilon0=3)]
        [[(1, 1)], [(1, 3), (3, 1)]]
    """
    x = fraction_of(rational(exp_epsilon0))
    columns = patterns(inputs=inputs, exp_epsilon0=x)
    return [{columns[v]: fraction_of(t) for v, t in vertex} for vertex in _vertices(inputs, x)]


def shuffled_inputs(*, inputs: int, users: int) -> Iterator[Datasets]:
    """Yield the neighboring datasets of A_sl, up to the order of the data and of the names.

    The element that differs is 0 in data and 1 in neighbor; the others are any.
    """
    for others in combinations_with_replacement(range(inputs), users - 1):
        data, neighbor = (0, *others), (1, *others)
        first, second = ({tuple(d.count(a) for a in range(inputs)): 1} for d in (data, neighbor))
        yield Datasets(
            data, neighbor, first, second, lambda _, left: _one_of_the_rest(left), factorial(users)
        )


def swapped_inputs(*, inputs: int, users: int) -> Iterator[Datasets]:
    """Yield the datasets of A_swap that differ in the first element, 0 in data, 1 in neighbor."""
    for others in product(range(inputs), repeat=users - 1):
        data, neighbor = (0, *others), (1, *others)
        orders = [swapped_data(d, j) for d in (data, neighbor) for j in range(users)]

        def draw(
            i: int, state: int, orders: list[tuple[int, ...]] = orders
        ) -> list[tuple[int, int, int]]:
            return [(orders[state][i], 1, state)]

        first = dict.fromkeys(range(users), 1)
        second = dict.fromkeys(range(users, 2 * users), 1)
        yield Datasets(data, neighbor, first, second, draw, users)


def worst_hockey_stick(
    datasets: Iterable[Datasets],
    *,
    inputs: int,
    exp_epsilon0: RationalLike,
    exp_epsilon: RationalLike,
) -> Worst:
    """Return the largest D_{e^ε}(P || Q) over the datasets and all ε_0-private randomizers.

    Example:
        One step and no hiding: randomized response, (x − γ)/(x + 1) = 1/4.

        >>> alone = shuffled_inputs(inputs=2, users=1)
        >>> worst_hockey_stick(alone, inputs=2, exp_epsilon0=3, exp_epsilon=2).value
        Exact('1/4')
    """
    gamma = rational(exp_epsilon)

    def leaf(p: int, q: int) -> fmpq:
        gap = gamma.q * p - gamma.p * q
        return fmpq(gap) / gamma.q if gap > 0 else fmpq(0)

    return _worst(datasets, inputs, fraction_of(rational(exp_epsilon0)), leaf)


def worst_renyi_moment(
    datasets: Iterable[Datasets], *, inputs: int, exp_epsilon0: RationalLike, order: int
) -> Worst:
    """Return the largest Σ P^a·Q^(1−a), a = order, over the datasets and all randomizers.

    Example:
        >>> alone = shuffled_inputs(inputs=2, users=1)
        >>> worst_renyi_moment(alone, inputs=2, exp_epsilon0=3, order=2).value
        Exact('7/3')
    """

    def leaf(p: int, q: int) -> fmpq:
        return fmpq(p**order, q ** (order - 1))

    return _worst(datasets, inputs, fraction_of(rational(exp_epsilon0)), leaf)


def largest_swap_probability(
    *, inputs: int, users: int, step: int, exp_epsilon0: RationalLike
) -> Exact:
    """Return the largest Pr[T = i | Z_{1:i−1} = s] of A_swap, i = step (from 1).

    Over all datasets on so many inputs, ε_0-private randomizers and histories s: the
    probability is a ratio of linear functions of each column that s passes, hence
    largest at patterns.

    Example:
        x/(x + 1) for n = i = 2:

        >>> largest_swap_probability(inputs=2, users=2, step=2, exp_epsilon0=3)
        Exact('3/4')
    """
    columns = patterns(inputs=inputs, exp_epsilon0=exp_epsilon0)
    best = fmpq(0)
    for data in product(range(inputs), repeat=users):
        for path in product(columns, repeat=step - 1):
            weights = _path_weights(data, path)
            best = max(best, fmpq(weights[step - 1], sum(weights)))
    return Exact(best)


def largest_swap_step_ratio(
    *, inputs: int, users: int, step: int, exp_epsilon0: RationalLike
) -> Exact:
    """Return the largest μ(z)/μ'(z) of B^(i) seen at index 1, i = step (from 1).

    Over all pairs of datasets that differ in the first element, and all histories and
    outputs whose columns are patterns: a lower bound on the supremum over all
    ε_0-private randomizers, attained by one of them.

    Example:
        1 + p·(x − 1) with p = 3/4:

        >>> largest_swap_step_ratio(inputs=3, users=2, step=2, exp_epsilon0=3)
        Exact('5/2')
    """
    columns = patterns(inputs=inputs, exp_epsilon0=exp_epsilon0)
    best = fmpq(0)
    for others in product(range(inputs), repeat=users - 1):
        for path in product(columns, repeat=step - 1):
            masses = [_step_masses((x1, *others), path, columns, step - 1) for x1 in range(inputs)]
            for k in range(len(columns)):
                values = [mass[k] for mass in masses]
                best = max(best, max(values) / min(values))
    return Exact(best)


def _step_masses(
    data: tuple[int, ...], path: Sequence[Pattern], columns: Sequence[Pattern], i: int
) -> list[fmpq]:
    """Return Pr[Z_i = z | s] up to a constant of z, for z with each of the columns."""
    weights = _path_weights(data, path)
    total = sum(weights)
    inputs = [swapped_data(data, j)[i] for j in range(len(data))]
    return [
        fmpq(sum(w * column[x] for w, x in zip(weights, inputs, strict=True)), total)
        for column in columns
    ]


def _path_weights(data: tuple[int, ...], path: Sequence[Pattern]) -> list[int]:
    """Return Pr[Z = s | I = j] up to a constant of s, for each j."""
    weights = []
    for j in range(len(data)):
        weight = 1
        for column, x in zip(path, swapped_data(data, j), strict=False):
            weight *= column[x]
        weights.append(weight)
    return weights


Plan = tuple[int, dict[int, Any]]
"""A vertex, and the plan after each of its columns."""


def _worst(datasets: Iterable[Datasets], inputs: int, x: Fraction, leaf: Leaf) -> Worst:
    columns = patterns(inputs=inputs, exp_epsilon0=x)
    vertices = _vertices(inputs, x)
    best: tuple[fmpq, Datasets, Plan] | None = None
    for pair in datasets:
        steps = len(pair.data)

        def value(
            i: int, p: Weights, q: Weights, pair: Datasets = pair, steps: int = steps
        ) -> tuple[fmpq, Plan]:
            if i == steps:
                return leaf(sum(p.values()), sum(q.values())), (0, {})
            children = [
                value(i + 1, _advance(pair.draw, i, p, v), _advance(pair.draw, i, q, v))
                for v in columns
            ]
            worth = [sum((t * children[v][0] for v, t in vertex), fmpq(0)) for vertex in vertices]
            index = max(range(len(vertices)), key=worth.__getitem__)
            return worth[index], (index, {v: children[v][1] for v, _ in vertices[index]})

        found, plan = value(0, dict(pair.first), dict(pair.second))
        if best is None or found / pair.total > best[0]:
            best = (found / pair.total, pair, plan)
    if best is None:
        raise AssertionError("unreachable: there is at least one pair of datasets")
    table = _table(best[2], (), len(best[1].data), vertices, columns)
    return Worst(Exact(best[0]), best[1], AdaptiveRandomizers.from_table(table))


def _advance(draw: Draw, i: int, weights: Weights, column: Pattern) -> Weights:
    after: Weights = {}
    for state, weight in weights.items():
        for x, factor, left in draw(i, state):
            after[left] = after.get(left, 0) + weight * factor * column[x]
    return after


def _table(
    plan: Plan,
    history: tuple[int, ...],
    steps: int,
    vertices: Sequence[Sequence[tuple[int, fmpq]]],
    columns: Sequence[Pattern],
) -> dict[tuple[int, ...], Randomizer]:
    if len(history) == steps:
        return {}
    vertex = vertices[plan[0]]
    rows = [[t * columns[v][x] for v, t in vertex] for x in range(len(columns[0]))]
    table = {history: Randomizer.from_matrix(rows)}
    for y, (v, _) in enumerate(vertex):
        table |= _table(plan[1][v], (*history, y), steps, vertices, columns)
    return table


def _one_of_the_rest(left: tuple[int, ...]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    for x, count in enumerate(left):
        if count:
            yield x, count, (*left[:x], count - 1, *left[x + 1 :])
