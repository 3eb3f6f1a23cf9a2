"""The view of the analyzer: the count of letters against exact views."""

from fractions import Fraction
from random import Random

import pytest

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, shuffle_view
from proofs_check.liu2024.noise import laplace_noise
from proofs_check.liu2024.truth import TwoLetterView, best_threshold, threshold_view


@pytest.mark.parametrize("seed", range(12))
def test_two_letters_against_the_exact_view(seed):
    random = Random(seed)
    shares = [Fraction(random.randint(1, 11), 12) for _ in range(6)]
    victim = Randomizer.from_matrix([[1 - p, p] for p in shares[:2]])
    users = [Users(Randomizer.from_matrix([[1 - p, p]]), 0) for p in shares[2:]]
    mine = TwoLetterView(*map(Exact, shares[:2]), tuple((Exact(p), 1) for p in shares[2:]), 128)
    for inputs, view in (((0, 1), mine), ((1, 0), mine.reversed())):
        truth = shuffle_view(Victim(victim, inputs), users)
        for gamma in (1, Fraction(3, 2), 4):
            found = view.delta(Epsilon.log(gamma))
            assert found.contains(truth.delta(Epsilon.log(gamma)))
            assert found.width < Fraction(1, 2**100)
        largest = truth.max_divergence().exp.ball(128).log()
        assert view.max_divergence().ball(128).overlaps(largest)


def test_a_relative_width_is_reached():
    view = TwoLetterView(Exact("1/4"), Exact("3/4"), ((Exact("1/3"), 40),), 16)
    epsilon = Epsilon.log(Fraction(5, 2))
    found = view.delta(epsilon, relative_width="1e-30")
    assert 0 < found.width <= found.lower / 10**30
    assert view.delta(epsilon).width > found.width


def test_thresholds_of_laplace_noise_by_hand():
    zero, one, none = laplace_noise(0, 1), laplace_noise(1, 1), Epsilon.log(1)
    view = threshold_view(zero, one, [], threshold=Fraction(1, 2))
    # 1 − e^(−1/2)/2 below for the first, e^(−1/2)/2 for the second.
    assert view.delta(none).contains(1 - Exact.exp("-1/2"))
    at, found = best_threshold(
        zero, one, [], thresholds=[Fraction(k, 4) for k in range(-4, 9)], epsilon=none
    )
    assert Fraction(0) <= at <= Fraction(1)  # the whole total variation, anywhere between
    assert found.contains(1 - Exact.exp("-1/2")) or found.upper < 1 - Exact.exp("-1/2")
    with pytest.raises(DomainError, match="threshold"):
        best_threshold(zero, one, [], thresholds=[], epsilon=none)


def test_budgets_that_are_doubles_have_no_common_exponent():
    """Along a line, and by a window: two routes to one sum."""
    near = [Fraction(budget) for budget in (8.9, 1.3)]
    zero, one = (laplace_noise(x, 1 / near[0]) for x in (0, 1))
    other = laplace_noise(0, 1 / near[1])
    view = threshold_view(zero, one, [(other, 20)], threshold=Fraction(1, 2)).reversed()
    found = view.delta(Epsilon.rational(Fraction(0.01)), relative_width="1e-12")
    assert 0 < found.width <= found.lower / 10**12
    absolutely = view.delta(Epsilon.rational(Fraction(0.01)))  # by a window, without a line
    assert found.lower <= absolutely.upper and absolutely.lower <= found.upper
