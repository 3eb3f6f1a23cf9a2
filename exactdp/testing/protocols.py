"""Hypothesis strategies for what enters a protocol: datasets, parameters, randomizers.

Everything generated is exact. Each strategy states its range and what it shrinks to.

Definitions: :func:`datasets`, :func:`neighboring_datasets`, :func:`epsilons_between`,
:func:`extremal_randomizers`, :func:`adaptive_randomizers`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle.adaptive import AdaptiveRandomizers
from exactdp.testing.strategies import Matrix, local_randomizers

__all__ = [
    "adaptive_randomizers",
    "datasets",
    "epsilons_between",
    "extremal_randomizers",
    "neighboring_datasets",
]

_MAX_HISTORIES = 10_000


def datasets(
    *, inputs: int, min_users: int = 1, max_users: int = 6
) -> SearchStrategy[tuple[int, ...]]:
    """Datasets: the input of each user, a number from 0 to ``inputs`` − 1.

    min_users to max_users users, all inputs possible for each. Shrinks to
    min_users times input 0.

    Args:
        inputs: The size of the input alphabet, at least 1.
        min_users: The least number of users, at least 0.
        max_users: The largest number of users, at least min_users.

    Raises:
        DomainError: If inputs < 1, or not 0 <= min_users <= max_users.

    Example:
        >>> from hypothesis import find
        >>> find(datasets(inputs=3), lambda data: sum(data) >= 3)
        (1, 2)
    """
    _at_least(1, inputs=inputs)
    _check_users(min_users, max_users, least=0)
    return st.lists(st.integers(0, inputs - 1), min_size=min_users, max_size=max_users).map(tuple)


@st.composite
def neighboring_datasets(
    draw: DrawFn, *, inputs: int, min_users: int = 1, max_users: int = 6
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Pairs of datasets of one size that differ in exactly one user's input.

    Sizes and inputs as in ``datasets``; the user is any, the two inputs are any two
    different ones. Shrinks to user 0 with inputs 0 and 1, all others with input 0.

    Args:
        draw: Supplied by hypothesis.
        inputs: The size of the input alphabet, at least 2.
        min_users: The least number of users, at least 1.
        max_users: The largest number of users, at least min_users.

    Raises:
        DomainError: If inputs < 2, or not 1 <= min_users <= max_users.

    Example:
        >>> from hypothesis import find
        >>> find(neighboring_datasets(inputs=2, min_users=2), lambda pair: True)
        ((0, 0), (1, 0))
    """
    _at_least(2, inputs=inputs)
    _check_users(min_users, max_users, least=1)
    first = draw(datasets(inputs=inputs, min_users=min_users, max_users=max_users))
    user = draw(st.integers(0, len(first) - 1))
    other = draw(st.integers(0, inputs - 2))
    other += other >= first[user]
    return first, (*first[:user], other, *first[user + 1 :])


@st.composite
def epsilons_between(
    draw: DrawFn,
    lower: Fraction | int | str,
    upper: Fraction | int | str,
    *,
    max_denominator: int = 8,
) -> Epsilon:
    """Epsilons with lower <= ε <= upper, of both kinds: rational nats, and ln of a rational.

    a/b nats, or ln(a/b), with 1 <= b <= max_denominator and the value in the range,
    ends included; both kinds occur if both have a value there. Shrinks to the least
    rational number of nats with denominator 1, or the least b that has one.

    Args:
        draw: Supplied by hypothesis.
        lower: The least ε in nats, rational; it may be negative.
        upper: The largest ε in nats, at most 20.
        max_denominator: The largest b, at least 1.

    Raises:
        DomainError: If lower > upper, upper > 20, lower < −20, max_denominator < 1,
            or no such number lies in the range.

    Example:
        >>> from hypothesis import find
        >>> find(epsilons_between("1/3", "1/2"), lambda epsilon: True)
        Epsilon.rational('1/2')
        >>> find(epsilons_between("1/3", "1/2"), lambda epsilon: epsilon.exp.is_rational)
        Epsilon.log('3/2')
    """
    low, high = Fraction(lower), Fraction(upper)
    _at_least(1, max_denominator=max_denominator)
    if not -20 <= low <= high <= 20:
        raise DomainError(f"lower={lower}, upper={upper} must be ordered and inside [-20, 20].")
    nats = [
        (math.ceil(low * b), math.floor(high * b), b)
        for b in range(1, max_denominator + 1)
        if math.ceil(low * b) <= math.floor(high * b)
    ]
    logs = [
        (first, last, b)
        for b in range(1, max_denominator + 1)
        for first, last in [_log_range(low, high, b)]
        if first <= last
    ]
    kinds = [(Epsilon.rational, nats)] * bool(nats) + [(Epsilon.log, logs)] * bool(logs)
    if not kinds:
        raise DomainError(
            f"lower={lower}, upper={upper} leave no a/b and no ln(a/b) with "
            f"b <= max_denominator={max_denominator}. Raise max_denominator."
        )
    make, ranges = draw(st.sampled_from(kinds))
    first, last, b = draw(st.sampled_from(ranges))
    return make(Fraction(draw(st.integers(first, last)), b))


def _log_range(low: Fraction, high: Fraction, b: int) -> tuple[int, int]:
    """Return the least and the largest a >= 1 with low <= ln(a/b) <= high."""
    least, most = Epsilon.rational(low), Epsilon.rational(high)
    # The doubles only say where to start; the exact field decides.
    first, last = max(1, int(b * math.exp(low)) - 1), int(b * math.exp(high)) + 1
    while Epsilon.log(Fraction(first, b)) < least:
        first += 1
    while last >= 1 and Epsilon.log(Fraction(last, b)) > most:
        last -= 1
    return first, last


@st.composite
def extremal_randomizers(
    draw: DrawFn, *, rows: int, max_ratio: Fraction, max_blocks: int = 2, max_weight: int = 4
) -> Matrix:
    """Randomizers that are ε-LDP for e^ε = max_ratio and for no smaller ε.

    Every column has its entries in {m, m · max_ratio} for some m > 0, and some column
    has both. The columns come in 1 to max_blocks blocks, each with one weight from 1
    to max_weight: a pattern of m and m · max_ratio with its complement, or with its
    cyclic shifts over the inputs, so that every row of a block has the same sum. One
    more column, equal for all inputs, may follow. Shrinks to two columns, of which
    only input 0 prefers the first.

    Args:
        draw: Supplied by hypothesis.
        rows: The number of inputs, at least 2.
        max_ratio: e^ε, rational, above 1.
        max_blocks: The largest number of blocks, at least 1.
        max_weight: The largest weight of a block, at least 1.

    Raises:
        DomainError: If rows < 2, max_ratio <= 1, or a count is below 1.

    Source:
        Kairouz, Oh & Viswanath, Extremal Mechanisms for Local Differential Privacy,
        JMLR 17 (2016): the staircase mechanisms. Differs from the source: only
        patterns that a complement or cyclic shifts balance.

    Example:
        >>> from hypothesis import find
        >>> find(extremal_randomizers(rows=2, max_ratio=Fraction(3)), lambda m: True)
        ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    """
    _at_least(2, rows=rows)
    _at_least(1, max_blocks=max_blocks, max_weight=max_weight)
    if max_ratio <= 1:
        raise DomainError(f"max_ratio={max_ratio} must be above 1. Pass e^epsilon.")
    ratio = Fraction(max_ratio)
    columns: list[list[Fraction]] = []
    for _ in range(draw(st.integers(1, max_blocks))):
        # Bit x says that input x has the larger entry; neither none nor all.
        bits = draw(st.integers(1, 2**rows - 2))
        pattern = [bool(bits >> x & 1) for x in range(rows)]
        weight = draw(st.integers(1, max_weight))
        if draw(st.booleans()):
            patterns = [pattern[shift:] + pattern[:shift] for shift in range(rows)]
        else:
            patterns = [pattern, [not larger for larger in pattern]]
        columns += [[weight * (ratio if larger else Fraction(1)) for larger in p] for p in patterns]
    common = draw(st.integers(0, max_weight))
    if common:
        columns.append([Fraction(common)] * rows)
    total = sum((column[0] for column in columns), Fraction(0))
    return tuple(tuple(column[x] / total for column in columns) for x in range(rows))


@st.composite
def adaptive_randomizers(
    draw: DrawFn, *, steps: int, rows: int, columns: int, max_ratio: Fraction, resolution: int = 3
) -> AdaptiveRandomizers:
    """Adaptive sequences of ε-LDP randomizers, e^ε = max_ratio, as complete tables.

    The randomizer of every history is drawn on its own, as in ``local_randomizers``
    with ``rows`` inputs and ``columns`` messages; outputs without mass are included,
    and so are the histories that hold them. Shrinks to steps that ignore input and
    history and always send the last message.

    Args:
        draw: Supplied by hypothesis.
        steps: The number of steps, at least 1.
        rows: The number of inputs, at least 1.
        columns: The number of messages of each step, at least 1.
        max_ratio: e^ε, rational, at least 1: no step's exact ratio exceeds it after any
            history.
        resolution: How many factors there are besides 1.

    Raises:
        DomainError: If a count is below 1, max_ratio < 1, or the histories are more
            than 10,000.

    Example:
        >>> from hypothesis import find
        >>> found = find(
        ...     adaptive_randomizers(steps=2, rows=2, columns=2, max_ratio=Fraction(3)),
        ...     lambda randomizers: randomizers.at((0,)) != randomizers.at((1,)),
        ... )
        >>> len(found), found.ldp_epsilon() <= Epsilon.log(3)
        (2, True)
    """
    _at_least(1, steps=steps, rows=rows, columns=columns)
    histories: list[tuple[int, ...]] = [()]
    for history in histories:
        if len(history) < steps - 1:
            histories += [(*history, y) for y in range(columns)]
        if len(histories) > _MAX_HISTORIES:
            raise DomainError(
                f"steps={steps}, columns={columns} have more than {_MAX_HISTORIES:,} histories. "
                "Take fewer steps or columns."
            )
    matrices = local_randomizers(
        rows=rows, columns=columns, max_ratio=max_ratio, resolution=resolution
    )
    return AdaptiveRandomizers.from_table(
        {history: Randomizer.from_matrix(draw(matrices)) for history in histories}
    )


def _check_users(min_users: int, max_users: int, *, least: int) -> None:
    if not least <= min_users <= max_users:
        raise DomainError(
            f"min_users={min_users}, max_users={max_users} must satisfy "
            f"{least} <= min_users <= max_users."
        )


def _at_least(least: int, **counts: int) -> None:
    for name, count in counts.items():
        if count < least:
            raise DomainError(f"{name}={count} must be at least {least}.")
