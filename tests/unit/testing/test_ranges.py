"""Ranges of one's own, targets of calibrators, levels of attacks, and what is told of a truth."""

import math
from fractions import Fraction
from functools import partial

import hypothesis
import mpmath
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from exactdp.divergences import Pair
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.testing import (
    Deployment,
    Mechanism,
    assert_epsilon_never_below_truth,
    assert_never_above_truth,
    assert_never_below_truth,
    assert_private,
    deployments,
    recording,
    targets,
    thresholded_counts,
)

steady = settings(derandomize=True, deadline=None, database=None, max_examples=60)
find = partial(hypothesis.find, settings=settings(steady, max_examples=500))
WIDE = {"parameters": ("1e-3", "1e6"), "sampling_probabilities": ("1e-6", "1"), "times": (1, 10**6)}


def drawn(strategy, examples=100):
    found = []

    @settings(steady, max_examples=examples, phases=[Phase.generate])
    @given(strategy)
    def draw(case):
        found.append(case)

    draw()
    return found


def test_the_ends_of_each_range_are_among_a_hundred_draws():
    cases = [case.mechanism for case in drawn(deployments("gaussian", **WIDE))]
    assert {1e-3, 1e6} <= {one.parameter for one in cases}
    assert {1e-6, 1.0} <= {one.sampling_probability for one in cases}
    assert {1, 10**6} <= {one.times for one in cases}
    assert all(
        1e-3 <= one.parameter <= 1e6 and 1e-6 <= one.sampling_probability <= 1 for one in cases
    )


def test_usual_draws_have_the_ends_too():
    cases = drawn(deployments("gaussian"), 300)  # of a hundred some versions draw no 8.0
    assert {0.25, 8.0} <= {case.mechanism.parameter for case in cases}
    assert {0.5, 1e-300} <= {case.delta for case in cases}
    assert 0.0 in {case.epsilon for case in cases}


def test_wide_deployments_shrink_to_the_ordinary_one():
    case = find(deployments("gaussian", **WIDE), lambda case: True)
    assert (case.mechanism, case.delta) == (Mechanism("gaussian", 1.0), 1e-5)


def test_targets_are_independent_and_have_zeros():
    cases = drawn(targets("gaussian"), 200)
    assert {0.0, 1e-4, 1e3} <= {case.epsilon for case in cases}
    assert {0.5, 1e-300, 1e-5} <= {case.delta for case in cases}
    assert any(case.epsilon >= 10 and case.delta == 0.5 for case in cases)
    pure = drawn(targets("laplace", zeros=("delta",)))
    assert 0.0 in {case.delta for case in pure} and 0.0 not in {case.epsilon for case in pure}
    case = find(targets("gaussian"), lambda case: True)
    assert (case.epsilon, case.delta, case.mechanism.parameter) == (1.0, 1e-5, 1.0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"parameters": (0, 1)}, r"parameters=\(0.0, 1.0\) must be above 0"),
        ({"parameters": 3}, "parameters=3 is not a pair"),
        ({"parameters": ("2", "1")}, "the smaller first"),
        ({"sampling_probabilities": ("1e-3", "2")}, "at most 1"),
        ({"times": (0, 3)}, "times=0"),
        ({"times": (5, 3)}, "Swap them"),
        ({"times": 3}, "times=3 is not a pair"),
        ({"parameters": (math.nan, 1.0)}, "must be above 0"),
        ({"parameters": ("1e-3", "1e400")}, "finite"),
    ],
)
def test_a_bad_range_is_told_in_a_line(wrong, says):
    with pytest.raises(DomainError, match=says):
        find(deployments("gaussian", **wrong), lambda case: True)


def test_what_may_be_zero_is_named():
    with pytest.raises(DomainError, match="Name epsilon, delta"):
        find(targets(zeros=("order",)), lambda case: True)


@pytest.mark.parametrize("kind", ["discrete_laplace", "discrete_gaussian"])
def test_thresholds_of_noise_on_integers_are_whole(kind):
    """Pr[1 + noise > T] from the masses, at the smallest threshold and one below."""

    def above(scale, least):
        rate = mpmath.mpf(1) / scale
        weight = {
            "discrete_laplace": lambda i: mpmath.exp(-abs(i) * rate),
            "discrete_gaussian": lambda i: mpmath.exp(-(mpmath.mpf(i) ** 2) * rate**2 / 2),
        }[kind]
        far = range(-int(60 * scale) - 60, int(60 * scale) + 61)
        return sum(weight(i) for i in far if i > least) / sum(map(weight, far))

    @settings(steady, max_examples=15, phases=[Phase.generate])
    @given(thresholded_counts(kind))
    def on_trial(case):
        if case.delta < 1e-12:
            return
        smallest = case.true_threshold.as_fraction()
        assert smallest.denominator == 1
        scale = mpmath.mpf(case.mechanism.parameter)
        assert above(scale, int(smallest) - 1) <= case.delta * (1 + 1e-12)
        assert above(scale, int(smallest) - 2) > case.delta * (1 - 1e-12)

    on_trial()


@pytest.mark.parametrize(("sigma", "alpha"), [(1.0, 0.05), (0.5, 1e-3), (3.0, 0.9)])
def test_the_least_type_two_error_is_that_of_the_normal_law(sigma, alpha):
    case = Deployment((Mechanism("gaussian", sigma),), 0.0, 1e-5, alpha=alpha)
    with mpmath.workdps(30):
        quantile = -mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(alpha) - 1)
        beta = float(mpmath.ncdf(quantile - 1 / mpmath.mpf(sigma)))
    assert_never_above_truth(beta * (1 - 1e-12), case.true_beta, at=case)
    with pytest.raises(AssertionError, match=r"claimed beta .* is above the truth"):
        assert_never_above_truth(beta * (1 + 1e-9), case.true_beta, at=case)
    with pytest.raises(AssertionError, match="claimed beta"):
        assert_never_above_truth(beta * (1 + 1e-9), case.profile, alpha=alpha)


def test_a_level_is_a_probability_and_one_question_is_asked():
    with pytest.raises(DomainError, match="alpha="):
        assert_never_above_truth(0.5, gaussian_mechanism(sigma=1), alpha="2")
    with pytest.raises(DomainError, match="give exactly one"):
        assert_never_above_truth(0.5, gaussian_mechanism(sigma=1), alpha="0.1", order=2)


def test_the_parameter_that_was_returned_stands_in_the_message():
    case = Deployment((Mechanism("gaussian", 1.0),), 1.0, 1e-5)
    with pytest.raises(AssertionError, match=r"of       the parameter 3\.5\n"):
        assert_private(case.profile_with(3.5), epsilon=1.0, delta=1e-5, parameter=3.5, at=case)


def test_an_infinite_truth_and_one_that_is_not_found_are_told_apart():
    leaky = Pair.from_masses(["1/2", "1/2"], [1, 0])
    with pytest.raises(AssertionError, match="truth    infinite"):
        assert_epsilon_never_below_truth(1.0, leaky, delta="1/4")
    far = Deployment((Mechanism("gaussian", 1.3, 0.01, 3000),), 1.0, 1e-9)
    with pytest.raises(UndecidedError) as caught:
        assert_never_below_truth(3e-9, far.truth, max_seconds=0.001)
    assert "truth    not found within the budget" in str(caught.value)


def test_the_slack_of_an_epsilon_is_found_at_the_end():
    noise = laplace_mechanism(scale=1)
    with recording() as recorder:
        assert_epsilon_never_below_truth(0.8, noise, delta=0.125, at="far")
        assert_epsilon_never_below_truth(0.733, noise, delta=0.125, at="near")
    told = recorder.told()
    exact = mpmath.mpf(0.733) / (1 - 2 * mpmath.log(mpmath.mpf(8) / 7))
    assert told.at == "'near'" and not told.words and told.is_allowed
    assert abs(told.ratio / Fraction(str(exact)) - 1) < Fraction(1, 10**12)


def test_what_holds_within_the_tolerance_only_is_recorded_so():
    with recording() as recorder:
        assert_never_below_truth(Fraction(999_999_999, 10**9), 1, tolerance="1e-8")
    assert recorder.told().ratio == 1 - Fraction(1, 10**9) and recorder.told().is_allowed


@given(st.data())
@settings(steady, max_examples=5)
def test_several_kinds_and_copies_of_many_responses(data):
    strategy = deployments("randomized_response", parameters=("1", "50"), times=(10, 1000))
    case = data.draw(strategy)
    assert case.mechanism.parameter >= 1 and case.mechanism.times >= 10
    assert case.truth.answer(Fraction(1, 10)) is not None
