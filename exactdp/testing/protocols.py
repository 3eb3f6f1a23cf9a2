"""Hypothesis strategies for what enters a protocol: datasets, parameters, randomizers.

Everything generated is exact. Each strategy states its range and what it shrinks to.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from exactdp.errors import DomainError
from exactdp.testing.strategies import at_least

__all__ = [
    "datasets",
    "neighboring_datasets",
]


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
    at_least(1, inputs=inputs)
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
    at_least(2, inputs=inputs)
    _check_users(min_users, max_users, least=1)
    first = draw(datasets(inputs=inputs, min_users=min_users, max_users=max_users))
    user = draw(st.integers(0, len(first) - 1))
    other = draw(st.integers(0, inputs - 2))
    other += other >= first[user]
    return first, (*first[:user], other, *first[user + 1 :])


def _check_users(min_users: int, max_users: int, *, least: int) -> None:
    if not least <= min_users <= max_users:
        raise DomainError(
            f"min_users={min_users}, max_users={max_users} must satisfy "
            f"{least} <= min_users <= max_users."
        )
