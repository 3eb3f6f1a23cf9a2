"""Hypothesis strategies for exact laws, pairs, parameters, randomizers and datasets.

Everything generated is exact. Each strategy states its range of values and what
it shrinks to. Zero masses are included unless it says otherwise: most mistakes
about differential privacy live there. A size, count or largest weight below its least
value (1, unless said otherwise) is a DomainError.

A strategy that another one draws from is built once and kept: hypothesis takes longer to check
a new strategy than to draw from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, count_text, refuse_above, short
from exactdp.numbers.limits import MAX_ENTRIES
from exactdp.testing.later import st

__all__ = [
    "Matrix",
    "datasets",
    "epsilons",
    "exact_pairs",
    "fractions",
    "local_randomizers",
    "neighboring_datasets",
    "probability_vectors",
    "push_forward",
    "rational_pairs",
    "stochastic_matrices",
]

Matrix = tuple[tuple[Fraction, ...], ...]
"""A randomizer: one row for each input, each row a law on the messages."""


@lru_cache(maxsize=1024)
def fractions(
    least: Fraction | int, most: Fraction | int, *, max_denominator: int
) -> st.SearchStrategy[Fraction]:
    """Draw fractions from ``least`` to ``most`` with denominators up to ``max_denominator``.

    Shrinks to the smallest denominator, and then to the smallest absolute value.

    Example:
        >>> from hypothesis import find
        >>> find(fractions(0, 2, max_denominator=6), lambda x: x > Fraction(4, 3))
        Fraction(2, 1)
    """
    many = (ceil(most) - floor(least) + 1) * max_denominator**2 // 2
    refuse_above(
        MAX_ENTRIES,
        many,
        f"about {count_text(many)} fractions from {short(str(least))} to {short(str(most))}",
        advice="Pass a smaller max_denominator, or nearer ends.",
    )
    found = {
        Fraction(a, b)
        for b in range(1, max_denominator + 1)
        for a in range(ceil(least * b), floor(most * b) + 1)
    }
    if not found:
        raise DomainError(
            f"no fraction from {least} to {most} has so small a denominator. Pass a larger one."
        )
    return st.sampled_from(sorted(found, key=lambda x: (x.denominator, abs(x), x < 0)))


def probability_vectors(
    *, size: int, max_weight: int = 12
) -> st.SearchStrategy[tuple[Fraction, ...]]:
    """Draw laws on ``size`` outcomes, proportional to integers from 0 to ``max_weight``.

    Zero masses are included; the sum is exactly 1. Shrinks to all mass on the
    last outcome.

    Example:
        >>> from hypothesis import find
        >>> find(probability_vectors(size=2), lambda law: law[0] > 0)
        (Fraction(1, 1), Fraction(0, 1))
    """
    _at_least(1, size=size, max_weight=max_weight)
    return _laws(size, max_weight)


@lru_cache(maxsize=1024)
def _laws(size: int, max_weight: int) -> st.SearchStrategy[tuple[Fraction, ...]]:
    return _weights(size, max_weight).map(_normalized)


@lru_cache(maxsize=1024)
def _weights(size: int, max_weight: int) -> st.SearchStrategy[tuple[int, ...]]:
    drawn = st.tuples(*[st.integers(0, max_weight)] * size)
    return drawn.map(lambda weights: weights if any(weights) else (*weights[:-1], 1))


def _normalized(weights: Sequence[int]) -> tuple[Fraction, ...]:
    total = sum(weights)
    return tuple(Fraction(weight, total) for weight in weights)


@st.composite
def rational_pairs(
    draw: st.DrawFn, *, min_size: int = 1, max_size: int = 5, max_weight: int = 12
) -> Pair:
    """Draw pairs of rational laws on common outcomes 0, 1, ..., both as in ``probability_vectors``.

    Includes equal laws, disjoint supports, outcomes without mass under both, and
    repeated likelihood ratios. Shrinks to two equal point masses.

    Example:
        >>> from hypothesis import find
        >>> find(rational_pairs(), lambda pair: True).masses()
        [(Exact('1'), Exact('1'))]
    """
    _at_least(1, min_size=min_size, max_weight=max_weight)
    size = draw(st.integers(min_size, max_size))
    p = draw(probability_vectors(size=size, max_weight=max_weight))
    q = draw(probability_vectors(size=size, max_weight=max_weight))
    return Pair.from_masses(p, q)


@st.composite
def exact_pairs(
    draw: st.DrawFn, *, min_size: int = 1, max_size: int = 3, max_weight: int = 3
) -> Pair:
    """Draw pairs whose masses are rational functions of e^(1/2), so that no arithmetic is rational.

    A pair as in ``rational_pairs`` with the mass of outcome i tilted by e^(i/2)
    under P and e^(−i/2) under Q. Shrinks to two equal point masses.

    Example:
        >>> from hypothesis import find
        >>> pair = find(exact_pairs(), lambda pair: not pair.masses()[0][0].is_rational)
        >>> [p.expression() for p, q in pair.masses()]
        ['1/(e^(1/2) + 1)', 'e^(1/2)/(e^(1/2) + 1)']
    """
    pair = draw(rational_pairs(min_size=min_size, max_size=max_size, max_weight=max_weight))
    tilts = [Exact.exp(Fraction(index, 2)) for index in range(len(pair))]
    masses = list(zip(pair.masses(), tilts, strict=True))
    p = FinitePmf.normalized({i: a * tilt for i, ((a, _), tilt) in enumerate(masses)})
    q = FinitePmf.normalized({i: b / tilt for i, ((_, b), tilt) in enumerate(masses)})
    return Pair.from_pmfs(p, q)


@st.composite
def epsilons(draw: st.DrawFn, *, max_parameter: int = 6, max_denominator: int = 4) -> Epsilon:
    """Draw nonnegative finite epsilons of both kinds: ln of a rational, and a rational number.

    ln(a/b) with 1 <= a/b <= max_parameter, or a/b nats with 0 <= a/b <= max_parameter;
    b runs from 1 to max_denominator. Shrinks to ln(1) = 0.

    Example:
        >>> from hypothesis import find
        >>> find(epsilons(), lambda epsilon: epsilon > Epsilon.log(1))
        Epsilon.log('2')
    """
    _at_least(1, max_parameter=max_parameter, max_denominator=max_denominator)
    b = draw(st.integers(1, max_denominator))
    if draw(st.booleans()):
        return Epsilon.rational(Fraction(draw(st.integers(0, max_parameter * b)), b))
    return Epsilon.log(Fraction(draw(st.integers(b, max_parameter * b)), b))


def stochastic_matrices(
    *, rows: int, columns: int, max_weight: int = 12
) -> st.SearchStrategy[Matrix]:
    """Draw randomizers of some inputs and messages, with rows as in ``probability_vectors``.

    Zero entries are included. Shrinks to sending the last message whatever the input.

    Example:
        >>> from hypothesis import find
        >>> find(stochastic_matrices(rows=2, columns=2), lambda m: m[0] != m[1])
        ((Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1)))
    """
    _at_least(1, rows=rows, columns=columns, max_weight=max_weight)
    return _matrices(rows, columns, max_weight)


@lru_cache(maxsize=1024)
def _matrices(rows: int, columns: int, max_weight: int) -> st.SearchStrategy[Matrix]:
    return st.tuples(*[_laws(columns, max_weight)] * rows)


def local_randomizers(
    *, rows: int, columns: int, max_ratio: Fraction, resolution: int = 6
) -> st.SearchStrategy[Matrix]:
    """Draw randomizers that are ε-LDP with e^ε = max_ratio: R(x)(y) <= max_ratio · R(x')(y).

    Each row is a fixed law reweighted message by message with factors from 1 to
    √max_ratio or less, which keeps the ratio after normalization. Entries are zero
    only in whole columns. Shrinks to ignoring the input.

    Args:
        rows: The number of inputs.
        columns: The number of messages.
        max_ratio: e^ε, rational, at least 1 (else DomainError).
        resolution: How many factors there are besides 1.

    Example:
        >>> from hypothesis import find
        >>> m = find(local_randomizers(rows=2, columns=2, max_ratio=Fraction(3)), lambda m: True)
        >>> m[0] == m[1]
        True
    """
    _at_least(1, rows=rows, columns=columns, resolution=resolution)
    if max_ratio < 1:
        raise DomainError(f"max_ratio={max_ratio} must be at least 1. Pass e^epsilon.")
    return _private_matrices(rows, columns, Fraction(max_ratio), resolution)


@lru_cache(maxsize=1024)
def _private_matrices(
    rows: int, columns: int, max_ratio: Fraction, resolution: int
) -> st.SearchStrategy[Matrix]:
    root = _root_below(max_ratio)
    # The factors 1 + (root − 1)·k/resolution, over one denominator.
    factors = [
        root.denominator * (resolution - k) + root.numerator * k for k in range(resolution + 1)
    ]
    row = st.tuples(*[st.integers(0, resolution)] * columns)
    return st.tuples(_weights(columns, 12), *[row] * rows).map(
        lambda drawn: tuple(
            _normalized([w * factors[k] for w, k in zip(drawn[0], ks, strict=True)])
            for ks in drawn[1:]
        )
    )


def datasets(
    *, inputs: int, min_users: int = 1, max_users: int = 6
) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw datasets: the input of each user, a number from 0 to ``inputs`` − 1.

    min_users (at least 0) to max_users users, all inputs possible for each. Shrinks to
    min_users times input 0.

    Example:
        >>> from hypothesis import find
        >>> find(datasets(inputs=3), lambda data: sum(data) >= 3)
        (1, 2)
    """
    _at_least(1, inputs=inputs)
    _check_users(min_users, max_users, least=0)
    return _datasets(inputs, min_users, max_users)


@lru_cache(maxsize=1024)
def _datasets(inputs: int, min_users: int, max_users: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(0, inputs - 1), min_size=min_users, max_size=max_users).map(tuple)


def neighboring_datasets(
    *, inputs: int, min_users: int = 1, max_users: int = 6
) -> st.SearchStrategy[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Draw pairs of datasets of one size that differ in exactly one user's input.

    Sizes and inputs as in ``datasets``; the user is any, the two inputs are any two
    different ones (so inputs >= 2). Shrinks to user 0 with inputs 0 and 1, all others with
    input 0.

    Example:
        >>> from hypothesis import find
        >>> find(neighboring_datasets(inputs=2, min_users=2), lambda pair: True)
        ((0, 0), (1, 0))
    """
    _at_least(2, inputs=inputs)
    _check_users(min_users, max_users, least=1)
    return _neighbors(inputs, min_users, max_users)


@lru_cache(maxsize=1024)
@st.composite
def _neighbors(
    draw: st.DrawFn, inputs: int, min_users: int, max_users: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first = draw(_datasets(inputs, min_users, max_users))
    user = draw(st.integers(0, len(first) - 1))
    other = draw(st.integers(0, inputs - 2))
    other += other >= first[user]
    return first, (*first[:user], other, *first[user + 1 :])


def push_forward(law: Sequence[Fraction], matrix: Matrix) -> tuple[Fraction, ...]:
    """Return the law of the message when the input is drawn from ``law``: law · matrix.

    Example:
        >>> half = Fraction(1, 2)
        >>> push_forward((half, half), ((Fraction(1), Fraction(0)), (half, half)))
        (Fraction(3, 4), Fraction(1, 4))
    """
    if not matrix or len(law) != len(matrix) or len({len(row) for row in matrix}) != 1:
        raise DomainError(
            f"law has {len(law)} inputs, and matrix {len(matrix)} rows. Give a matrix with a row "
            "for each input, all of one length."
        )
    return tuple(
        sum((law[x] * row[y] for x, row in enumerate(matrix)), Fraction(0))
        for y in range(len(matrix[0]))
    )


def _root_below(value: Fraction) -> Fraction:
    """Return a rational at most √value, and at least 1, for value >= 1."""
    # The ratio of two normalized rows is at most the square of the largest factor.
    low, high = Fraction(1), value
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle <= value else (low, middle)
    return low


def _at_least(least: int, **counts: int) -> None:
    for name, count in counts.items():
        if count < least:
            raise DomainError(f"{name}={count} must be at least {least}. Pass a larger one.")
        refuse_above(
            MAX_ENTRIES, count, f"{name}={count_text(count)}", advice="Pass a smaller one."
        )


def _check_users(min_users: int, max_users: int, *, least: int) -> None:
    if not least <= min_users <= max_users:
        raise DomainError(
            f"min_users={min_users}, max_users={max_users} must satisfy "
            f"{least} <= min_users <= max_users. Change one of them."
        )
