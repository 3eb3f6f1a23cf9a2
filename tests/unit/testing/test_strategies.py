"""Strategies: every value is in the stated range, the range is reached, and it shrinks as said."""

from functools import partial

import hypothesis
import pytest
from hypothesis import given, settings

from exactdp.errors import DomainError
from exactdp.testing import datasets, neighboring_datasets

quick = settings(max_examples=60)
steady = settings(derandomize=True, deadline=None, database=None, max_examples=2000)
find = partial(hypothesis.find, settings=steady)


@quick
@given(datasets(inputs=3, min_users=0, max_users=4))
def test_datasets_are_in_range(data):
    assert isinstance(data, tuple) and len(data) <= 4 and set(data) <= {0, 1, 2}


def test_datasets_reach_their_ends_and_shrink_to_zeros():
    assert find(datasets(inputs=3), lambda data: True) == (0,)
    assert find(datasets(inputs=3), lambda data: len(data) == 6 and max(data) == 2)
    assert find(datasets(inputs=1, min_users=2), lambda data: True) == (0, 0)


@quick
@given(neighboring_datasets(inputs=3, max_users=4))
def test_neighbors_differ_in_exactly_one_input(pair):
    first, second = pair
    assert len(first) == len(second) and set(first + second) <= {0, 1, 2}
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1


def test_neighbors_reach_every_ordered_pair_of_inputs():
    for a in range(3):
        for b in range(3):
            if a != b:
                found = find(
                    neighboring_datasets(inputs=3, max_users=2),
                    lambda pair, a=a, b=b: (pair[0][-1], pair[1][-1]) == (a, b),
                )
                assert found == ((a,), (b,))


@pytest.mark.parametrize(
    "strategy",
    [
        lambda: datasets(inputs=0),
        lambda: datasets(inputs=2, min_users=3, max_users=2),
        lambda: datasets(inputs=2, min_users=-1),
        lambda: neighboring_datasets(inputs=1),
        lambda: neighboring_datasets(inputs=2, min_users=0),
    ],
)
def test_bad_arguments_are_refused(strategy):
    with pytest.raises(DomainError):
        find(strategy(), lambda value: True)
