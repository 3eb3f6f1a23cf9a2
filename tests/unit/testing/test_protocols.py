"""Strategies: every value is in the stated range, the range is reached, and it shrinks as said."""

import math
from fractions import Fraction
from functools import partial

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle.adaptive import AdaptiveRandomizers, local_responses_law
from exactdp.testing import (
    adaptive_randomizers,
    datasets,
    epsilons_between,
    extremal_randomizers,
    neighboring_datasets,
)

quick = settings(max_examples=60)
steady = settings(derandomize=True, deadline=None, database=None, max_examples=2000)
find = partial(hypothesis.find, settings=steady)
RATIOS = st.sampled_from([Fraction(3), Fraction(5, 4), Fraction(1001, 1000)])


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
    ("lower", "upper", "max_denominator"),
    [(0, 1, 3), ("1/3", "1/2", 8), (-2, -1, 4), ("1/2", "1/2", 2), ("0.69", "0.7", 1), (5, 20, 2)],
)
def test_epsilons_stay_between(lower, upper, max_denominator):
    @quick
    @given(epsilons_between(lower, upper, max_denominator=max_denominator))
    def check(epsilon):
        assert Epsilon.rational(lower) <= epsilon <= Epsilon.rational(upper)
        if epsilon.exp.is_rational:
            assert epsilon.exp.as_fraction().denominator <= max_denominator
        else:
            assert Fraction(epsilon.nats.as_fraction()).denominator <= max_denominator

    check()


def test_epsilons_reach_both_ends_of_both_kinds():
    strategy = epsilons_between(0, 1, max_denominator=4)
    for wanted in (
        Epsilon.rational("1/4"),
        Epsilon.rational(1),
        Epsilon.log("5/4"),
        Epsilon.log("8/3"),  # ln(8/3) = 0.98..., and 11/4 > e
        Epsilon.log("10/4"),
    ):
        assert find(strategy, lambda epsilon, wanted=wanted: epsilon == wanted) == wanted
    # Only ln 2 = 0.6931... lies in the range.
    assert find(epsilons_between("0.69", "0.7", max_denominator=1), lambda e: True) == Epsilon.log(
        2
    )


@pytest.mark.parametrize(
    ("lower", "upper", "match"),
    [(1, 0, "ordered"), (0, 21, "ordered"), (-21, 0, "ordered"), ("0.301", "0.302", "leave no")],
)
def test_impossible_ranges_are_refused(lower, upper, match):
    with pytest.raises(DomainError, match=match):
        find(epsilons_between(lower, upper, max_denominator=2), lambda epsilon: True)


@quick
@given(st.integers(2, 4), RATIOS, st.data())
def test_extremal_randomizers_attain_the_ratio_exactly(rows, ratio, data):
    matrix = data.draw(extremal_randomizers(rows=rows, max_ratio=ratio))
    randomizer = Randomizer.from_matrix(matrix)  # which checks that rows sum to 1
    assert randomizer.inputs == rows
    assert randomizer.ldp_epsilon() == Epsilon.log(ratio)
    for column in zip(*matrix, strict=True):
        assert set(column) <= {min(column), min(column) * ratio} and min(column) > 0


def test_extremal_randomizers_shrink_to_two_columns():
    found = find(extremal_randomizers(rows=3, max_ratio=Fraction(3)), lambda matrix: True)
    large, small = Fraction(3, 4), Fraction(1, 4)
    assert found == ((large, small), (small, large), (small, large))


def test_extremal_randomizers_reach_cycles_blocks_and_a_common_column():
    strategy = extremal_randomizers(rows=3, max_ratio=Fraction(2))
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    three_ary = {(half, quarter, quarter), (quarter, half, quarter), (quarter, quarter, half)}
    assert find(strategy, lambda matrix: set(matrix) == three_ary and len(matrix[0]) == 3)
    assert find(strategy, lambda matrix: len(matrix[0]) == 7)
    assert find(strategy, lambda matrix: len({row[-1] for row in matrix}) == 1)


@quick
@given(adaptive_randomizers(steps=3, rows=2, columns=2, max_ratio=Fraction(3)))
def test_adaptive_randomizers_keep_the_ratio_after_every_history(randomizers):
    assert isinstance(randomizers, AdaptiveRandomizers)
    assert len(randomizers) == 3 and randomizers.inputs == 2
    assert randomizers.ldp_epsilon() <= Epsilon.log(3)
    for length in range(3):
        for history in randomizers.histories(length):
            assert randomizers.at(history).ldp_epsilon() <= Epsilon.log(3)
    law = local_responses_law(randomizers, (0, 1, 0))
    assert sum(law.masses.values()) == 1


def test_adaptive_randomizers_depend_on_history_and_shrink_to_silence():
    strategy = adaptive_randomizers(steps=2, rows=2, columns=2, max_ratio=Fraction(3), resolution=1)
    simplest = find(strategy, lambda randomizers: True)
    silent = Randomizer.from_matrix([[0, 1], [0, 1]])
    assert all(simplest.at(h) == silent for h in [(), (0,), (1,)])
    found = find(strategy, lambda r: r.at((0,)) != r.at((1,)) and r.ldp_epsilon() > Epsilon.log(1))
    assert found.ldp_epsilon() <= Epsilon.log(3)
    alone = find(
        adaptive_randomizers(steps=1, rows=1, columns=2, max_ratio=Fraction(1)), lambda r: True
    )
    assert len(alone) == 1


@pytest.mark.parametrize(
    "strategy",
    [
        lambda: datasets(inputs=0),
        lambda: datasets(inputs=2, min_users=3, max_users=2),
        lambda: datasets(inputs=2, min_users=-1),
        lambda: neighboring_datasets(inputs=1),
        lambda: neighboring_datasets(inputs=2, min_users=0),
        lambda: extremal_randomizers(rows=1, max_ratio=Fraction(3)),
        lambda: extremal_randomizers(rows=2, max_ratio=Fraction(1)),
        lambda: extremal_randomizers(rows=2, max_ratio=Fraction(3), max_blocks=0),
        lambda: epsilons_between(0, 1, max_denominator=0),
        lambda: adaptive_randomizers(steps=0, rows=2, columns=2, max_ratio=Fraction(3)),
        lambda: adaptive_randomizers(steps=2, rows=2, columns=2, max_ratio=Fraction(1, 2)),
        lambda: adaptive_randomizers(steps=20, rows=2, columns=2, max_ratio=Fraction(3)),
    ],
)
def test_bad_arguments_are_refused(strategy):
    with pytest.raises(DomainError):
        find(strategy(), lambda value: True)


def test_the_ends_of_logarithmic_ranges_do_not_trust_the_double():
    # e^20 = 485165195.4..., so ln 485165195 is in [0, 20] and ln 485165196 is not.
    strategy = epsilons_between(20 - Fraction(1, 10**9), 20, max_denominator=1)
    found = find(strategy, lambda epsilon: epsilon.exp.is_rational)
    assert found == Epsilon.log(485165195)
    assert math.exp(20) - 485165195 < 1
