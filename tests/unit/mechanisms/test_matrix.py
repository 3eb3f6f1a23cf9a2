"""The matrix mechanism and tree aggregation: trees against their matrices, numbers by mpmath."""

from fractions import Fraction
from itertools import combinations, pairwise

import mpmath
import numpy as np
import pytest

from exactdp.accounting import (
    compose,
    cut_poisson_sampled,
    sampled,
    sampled_with_replacement,
    smallest_gdp,
)
from exactdp.divergences import calibrated
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import (
    MatrixMechanism,
    banded_toeplitz,
    binary_tree,
    gaussian_mechanism,
    matrix_mechanism,
    smallest_threshold,
    square_root_coefficients,
    squared_sensitivity,
    squared_tree_sensitivity,
    thresholded,
    tree_aggregation,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, sqrt
from exactdp.shuffle import random_allocation, shuffle_worst_case
from exactdp.testing import assert_never_above_truth, assert_never_below_truth
from tests.routes.noise import gaussian_delta
from tests.routes.reals import fraction_of

TARGET = {"epsilon": Epsilon.rational(1), "delta": "1e-6"}
OPEN = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]
"""A matrix of which only ends are known for three participations: 8 and 12."""


def forest(trees):
    """The matrix of trees one after another."""
    width, rows, start = sum(trees), [], 0
    for n in trees:
        rows += [[0] * start + row + [0] * (width - start - n) for row in binary_tree(n)]
        start += n
    return rows


def by_nodes(trees, k, b):
    """The largest sum of squared counts, over all patterns, node by node."""
    rows = forest(trees)
    n = sum(trees)
    return max(
        sum(sum(row[i] for i in pattern) ** 2 for row in rows)
        for size in range(1, min(k, n) + 1)
        for pattern in combinations(range(n), size)
        if all(j - i >= b for i, j in pairwise(pattern))
    )


@pytest.mark.parametrize("n", range(1, 14))
def test_a_tree_is_its_matrix_for_all_patterns(n):
    for k, b in [(1, 1), (2, 1), (2, 3), (3, 2), (3, 3), (4, 3), (5, 1), (4, 5), (n, 2)]:
        found = squared_tree_sensitivity(n, participations=k, separation=b)
        assert found.lower == found.upper == by_nodes([n], k, b)


@pytest.mark.parametrize("trees", [[1, 1], [3, 3, 3], [4, 2, 5], [7, 6], [2, 2, 2, 2, 2]])
def test_restarted_trees_are_their_matrix_for_all_patterns(trees):
    for k, b in [(1, 1), (2, 1), (2, 3), (3, 2), (3, 3), (4, 2), (5, 1)]:
        found = squared_tree_sensitivity(trees, participations=k, separation=b)
        assert found.lower == found.upper == by_nodes(trees, k, b)


@pytest.mark.parametrize(("n", "k", "b"), [(30, 3, 7), (37, 4, 5), (64, 3, 9), (50, 3, 11)])
def test_a_tree_is_the_matrix_mechanism_of_its_matrix(n, k, b):
    found = squared_tree_sensitivity(n, participations=k, separation=b)
    assert found == squared_sensitivity(binary_tree(n), participations=k, separation=b)


@pytest.mark.parametrize(("n", "k", "b"), [(12, 4, 3), (13, 5, 2), (14, 3, 5), (13, 4, 3)])
def test_ends_of_many_participations_hold(n, k, b, monkeypatch):
    monkeypatch.setattr("exactdp.mechanisms.aggregation_trees.MAX_PARTICIPATIONS_IN_TREES", 0)
    for trees in ([n], [n // 2, n - n // 2]):
        found = squared_tree_sensitivity(trees, participations=k, separation=b)
        assert found.lower <= by_nodes(trees, k, b) <= found.upper


def test_trees_of_many_steps_are_found_at_once():
    once = squared_tree_sensitivity(2**20)
    assert once.lower == once.upper == 21
    every = squared_tree_sensitivity(2**20, participations=2**20)
    assert every.upper == sum(2 ** (20 - level) * 4**level for level in range(21))
    assert squared_tree_sensitivity(10**18).upper == (10**18).bit_length()
    few = squared_tree_sensitivity(2**20, participations=20, separation=777)
    assert few.lower == few.upper
    many = squared_tree_sensitivity(2**20, participations=1000, separation=1000)
    assert many.lower < many.upper < many.lower * Fraction(101, 100)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 1000, 1023, 1024])
def test_heights_are_those_of_dp_accounting(n):
    """Their ε of a tree is that of Gaussian noise over the root of our height, and above ours."""
    events = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    rdp = pytest.importorskip("dp_accounting.rdp", reason="dp-accounting is not installed")

    def epsilon(event):
        relation = events.NeighboringRelation.REPLACE_SPECIAL
        return rdp.RdpAccountant(neighboring_relation=relation).compose(event).get_epsilon(1e-6)

    for steps in (n, [n, n // 2 + 1]):
        theirs = epsilon(events.SingleEpochTreeAggregationDpEvent(3.0, steps))
        height = squared_tree_sensitivity(steps).upper
        assert abs(theirs / epsilon(events.GaussianDpEvent(3 / float(height) ** 0.5)) - 1) < 1e-12
        ours = tree_aggregation(steps=steps, sigma=3).epsilon("1e-6")
        assert theirs * 0.8 < ours.upper < theirs


@pytest.mark.parametrize("sigma", ["3", "1/2", "20"])
def test_numbers_are_those_of_the_norm_by_mpmath(sigma):
    """The largest column is (1, 2, 2), of norm 3: noise of σ/3 on a query of sensitivity 1."""
    noise = matrix_mechanism([[1, 0, 0], [2, 1, 0], [2, 2, 1]], sigma=sigma)
    assert noise.sensitivity == Exact(3)
    truth = fraction_of(gaussian_delta(str(Fraction(sigma) / 3), "1", digits=50))
    found = noise.delta(Epsilon.rational(1), relative_width="1e-20")
    slack = truth / 10**30
    assert found.lower - slack <= truth <= found.upper + slack


def test_the_sensitivity_is_a_root_to_any_digits():
    noise = matrix_mechanism([[1, 0, 0], [1, 1, 0], [1, 1, 1]], sigma=5, sensitivity="1/7")
    with mpmath.workdps(60):
        truth = mpmath.sqrt(3) / 7
        ball = noise.sensitivity.ball(150)
        assert abs(mpmath.mpf(str(ball.mid().str(45, radius=False))) - truth) < mpmath.mpf("1e-40")
    one = gaussian_mechanism(sigma=5, sensitivity=sqrt(3) / 7)
    ours, theirs = (x.epsilon("1e-6", relative_width="1e-12") for x in (noise, one))
    assert ours.lower <= theirs.upper and theirs.lower <= ours.upper


def test_a_user_who_is_replaced_moves_twice_as_far():
    one = tree_aggregation(steps=7, sigma=4, sensitivity=2)
    half = tree_aggregation(steps=7, sigma=2)
    at = Epsilon.rational(1)
    ours, theirs = (x.delta(at, relative_width="1e-12") for x in (one, half))
    assert ours.lower <= theirs.upper and theirs.lower <= ours.upper


def test_bounds_say_so_and_have_a_lower_end():
    noise = matrix_mechanism(OPEN, sigma=9, participations=3)
    assert noise.squared == Enclosure(Fraction(8), Fraction(12))
    assert "upper bound" in noise.note and "in [8.00, 12.0]" in noise.note
    low = gaussian_mechanism(sigma=9, sensitivity=sqrt(8)).epsilon("1e-5")
    high = gaussian_mechanism(sigma=9, sensitivity=sqrt(12)).epsilon("1e-5")
    least, most = noise.at_least.epsilon("1e-5"), noise.epsilon("1e-5")
    assert least.lower <= low.upper and low.lower <= least.upper
    assert most.lower <= low.upper and low.lower <= least.upper
    assert high.lower <= most.upper <= high.upper * Fraction(1001, 1000)


def test_between_the_ends_nothing_is_told():
    noise, at = matrix_mechanism(OPEN, sigma=9, participations=3), Epsilon.rational("1/2")
    ends = noise.delta(at, relative_width="1e-9")
    middle = (ends.lower + ends.upper) / 2
    for claim in (assert_never_below_truth, assert_never_above_truth):
        with pytest.raises(UndecidedError, match="cannot be told apart"):
            claim(middle, noise, epsilon=at)
    assert_never_below_truth(ends.upper * 2, noise, epsilon=at)
    with pytest.raises(AssertionError, match="below the truth"):
        assert_never_below_truth(ends.lower / 2, noise, epsilon=at)
    found = noise.renyi(2)
    assert found.lower <= Fraction(8, 81) < Fraction(12, 81) <= found.upper < Fraction(13, 81)
    assert noise.trade_off("1/4").lower < noise.trade_off("1/4").upper
    for made in (
        compose([(noise, 3)]),
        sampled(noise, sampling_probability="1/2"),
        sampled(noise, sampling_probability="1/2", neighbors="substitution"),
        sampled(noise, sampling_probability="1/2", neighbors="substitution", batches="fixed_size"),
    ):
        assert isinstance(made.delta(at), Bounds)


@pytest.mark.parametrize(
    "door",
    [
        lambda noise: thresholded(noise, threshold=3),
        lambda noise: smallest_threshold(noise, Epsilon.rational(1), "1e-5"),
        lambda noise: random_allocation(noise, steps=3),
        lambda noise: smallest_gdp(noise),
        lambda noise: cut_poisson_sampled(noise, sampling_probability="1/2", records=4, at_most=2),
        lambda noise: sampled_with_replacement(noise, drawn=2, records=4),
        lambda noise: shuffle_worst_case(3, noise),
    ],
)
def test_no_door_takes_one_end_for_the_truth(door):
    with pytest.raises(DomainError, match=r"MatrixBounds|steps of many users"):
        door(matrix_mechanism(OPEN, sigma=9, participations=3))


def test_what_is_not_lower_triangular_says_so():
    assert matrix_mechanism([[1, 0], [1, 1]], sigma=1).note is None
    for square in ([[1, 1], [1, -1]], [[1, 1]], np.array([[0.5, 0.25], [0.0, 1.0]])):
        noise = matrix_mechanism(square, sigma=1)
        assert noise.note.startswith("The matrix is not lower triangular")
        assert not noise.is_adaptive
    assert matrix_mechanism(binary_tree(6), sigma=1).note is None
    assert matrix_mechanism(banded_toeplitz([1, 1], 9), sigma=1).note is None


def test_what_is_made_of_it_keeps_the_note():
    noise = matrix_mechanism(OPEN, sigma=9, participations=3)
    for made in (
        noise.composed(4),
        noise.both_directions(),
        compose([(noise, 3)]),
        compose([(noise, 2), (gaussian_mechanism(sigma=3), 1)]),
        compose([(noise, 2), (matrix_mechanism(OPEN, sigma=7, participations=3), 1)]),
        sampled(noise, sampling_probability="1/2"),
        sampled(noise, sampling_probability="1/2", neighbors="substitution"),
        sampled(noise, sampling_probability=1, neighbors="substitution"),
    ):
        assert "upper bound" in made.note


def test_copies_are_one_gaussian():
    noise = tree_aggregation(steps=100, sigma=10)
    at = Epsilon.rational(1)
    one = gaussian_mechanism(sigma=10, sensitivity=sqrt(5 * 7)).delta(at, relative_width="1e-12")
    for many in (noise.composed(5), compose([(noise, 5)]), compose([(noise, 2), (noise, 3)])):
        found = many.delta(at, relative_width="1e-12")
        assert found.lower <= one.upper and one.lower <= found.upper


@pytest.mark.parametrize(
    ("mechanism", "arguments", "squared"),
    [
        (tree_aggregation, {"steps": 1024}, 11),
        (tree_aggregation, {"steps": [8, 8], "participations": 2, "separation": 8}, 8),
        (matrix_mechanism, {"matrix": [[1, 0], [1, 1]], "participations": 2}, 5),
        (matrix_mechanism, {"matrix": banded_toeplitz([1, "1/2"], 50)}, Fraction(5, 4)),
    ],
)
def test_sigma_is_found(mechanism, arguments, squared):
    found = calibrated(mechanism, **arguments, **TARGET)
    one = calibrated(gaussian_mechanism, sensitivity=sqrt(Exact(squared)), **TARGET)
    assert found.lower <= one.upper and one.lower <= found.upper
    assert found.width <= found.lower / 10**9


def test_a_band_of_the_square_root_is_less_private_without_far_steps():
    """The more coefficients, the more of a step is in the release: f_0² + ... + f_(p-1)²."""
    f = square_root_coefficients(64)
    for bands in (1, 2, 64):
        noise = matrix_mechanism(banded_toeplitz(f[:bands], 64), sigma=1)
        assert noise.squared.upper == sum(x * x for x in f[:bands])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tree_aggregation(steps=0, sigma=1), "steps=0 must be at least 1"),
        (lambda: tree_aggregation(steps=[], sigma=1), "steps is empty"),
        (lambda: tree_aggregation(steps=[4, 0.5], sigma=1), "steps=0.5 is not a whole number"),
        (lambda: tree_aggregation(steps=4, sigma=0), "sigma=0 is not positive"),
        (lambda: tree_aggregation(steps=4, sigma=float("nan")), "sigma=nan is not finite"),
        (lambda: matrix_mechanism([[1]], sigma=1, sensitivity=0), "sensitivity=0 is not positive"),
        (
            lambda: MatrixMechanism(
                Exact(1), Exact(1), Enclosure(Fraction(1), Fraction(2)), is_adaptive=True
            ),
            "squared has two ends",
        ),
        (
            lambda: MatrixMechanism(
                Exact(1), Exact(1), Enclosure(Fraction(0), Fraction(1)), is_adaptive=True
            ),
            "squared has an end that is not positive",
        ),
    ],
)
def test_what_is_no_mechanism(call, message):
    with pytest.raises(DomainError, match=f"^{message}"):
        call()
