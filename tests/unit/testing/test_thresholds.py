"""Thresholded counts: against tails and sums from the definition, and with functions on trial."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import Phase, find, given, settings

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, decimal, float_above, float_below
from exactdp.testing import (
    Mechanism,
    ThresholdCase,
    assert_never_below_truth,
    assert_private,
    thresholded_counts,
)
from tests.routes.noise import tail

steady = settings(derandomize=True, deadline=None, database=None, max_examples=60)
CASES = [("laplace", 1.5, 4.7), ("laplace", 0.7, 0.4), ("gaussian", 0.8, 3.3), ("gaussian", 2, 6.1)]


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.7])
@pytest.mark.parametrize(("kind", "scale", "threshold"), CASES)
def test_delta_is_the_largest_over_all_sizes_of_a_group(kind, scale, threshold, epsilon):
    """Counts n and n - 1, what is not above the threshold shown as nothing, in cells."""
    found = ThresholdCase(Mechanism(kind, float(scale)), threshold, epsilon, 1e-5).profile
    delta = float(decimal(found.delta(Epsilon.from_float_exactly(epsilon)), digits=17))
    gamma, largest = math.exp(epsilon), 0.0
    for n in (1, 2, 30):
        ends = [threshold + i / 10 for i in range(450)]
        laws = []
        for count in (n, n - 1):
            tails = [float(tail(kind, scale, end - count)) for end in ends] + [0.0]
            law = [1 - tails[0], *(a - b for a, b in pairwise(tails))]
            laws.append(law if count else [1.0] + [0.0] * (len(law) - 1))
        for p, q in (laws, laws[::-1]):
            largest = max(largest, sum(max(0.0, a - gamma * b) for a, b in zip(p, q, strict=True)))
    assert largest <= delta * (1 + 1e-9)
    assert delta <= largest * 1.05 + 1e-12


@pytest.mark.parametrize("delta", [0.5, 0.1, 1e-5, 1e-300])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_the_smallest_threshold_has_its_delta(kind, delta):
    case = ThresholdCase(Mechanism(kind, 1.3), 1.0, 50.0, delta)
    with mpmath.workdps(400):
        threshold = mpmath.mpf(decimal(case.true_threshold, digits=350))
        assert abs(tail(kind, 1.3, threshold - 1) / mpmath.mpf(delta) - 1) < 1e-40
    assert_private(case.profile_with(float_above(case.true_threshold)), epsilon=50.0, delta=delta)
    below = float_below(case.true_threshold)
    if Fraction(below) < 1 or delta < 0.5:
        with pytest.raises(AssertionError):
            assert_private(case.profile_with(below - 1e-9), epsilon=50.0, delta=delta)


def laplace_threshold(case):
    return (1 - case.mechanism.parameter * math.log(2 * case.delta)) * (1 + 1e-12)


@steady
@given(thresholded_counts("laplace"))
def test_a_right_threshold_passes(case):
    claimed = laplace_threshold(case)
    assert_never_below_truth(claimed, case.true_threshold, at=case)
    assert_private(case.profile_with(claimed), epsilon=case.epsilon, delta=case.delta, at=case)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda case: laplace_threshold(case) - 1,  # the lone user's count is 1, not 0
        lambda case: 1 - case.mechanism.parameter * math.log(4 * case.delta),
        lambda case: 1 + case.mechanism.parameter * min(30.0, -math.log(2 * case.delta)),
    ],
)
def test_a_wrong_threshold_is_caught(wrong):
    @settings(steady, phases=[Phase.generate])
    @given(thresholded_counts("laplace"))
    def on_trial(case):
        assert_private(
            case.profile_with(wrong(case)), epsilon=case.epsilon, delta=case.delta, at=case
        )

    with pytest.raises(AssertionError, match=r"from exactdp\.testing import Mechanism"):
        on_trial()


def test_the_range_of_the_cases_and_what_they_shrink_to():
    few = settings(steady, max_examples=10)
    simplest = find(thresholded_counts("laplace"), lambda case: True, settings=few)
    assert (simplest.mechanism, simplest.delta) == (Mechanism("laplace", 1.0), 1e-5)


def test_what_no_single_count_is_is_refused():
    for one in (Mechanism("laplace", 1.0, times=2), Mechanism("randomized_response", 1.0)):
        with pytest.raises(DomainError, match="mechanism="):
            ThresholdCase(one, 3.0, 1.0, 1e-5)


def test_a_threshold_may_be_below_the_count():
    case = ThresholdCase(Mechanism("laplace", 1.0), 3.0, 1.0, 0.75)
    assert decimal(case.true_threshold, digits=6) == "0.306853"  # 1 - ln 2
