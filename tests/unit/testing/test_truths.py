"""Questions to profiles: decided as far as needed, cheaply first, and never for ever."""

import math
import time
from decimal import Decimal
from fractions import Fraction
from functools import partial

import hypothesis
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from exactdp.accounting import compose, compose_certified, poisson_subsampled
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.chernoff import chernoff_bound, chernoff_epsilon
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import (
    bounded_laplace_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, enclosure, precision
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.side import Side
from exactdp.testing import (
    Deployment,
    Mechanism,
    RoundingFaultError,
    WrongClaimError,
    assert_contains_truth,
    assert_epsilon_never_below_truth,
    assert_lawful_composition,
    assert_lawful_delta,
    assert_lawful_epsilon,
    assert_never_above_truth,
    assert_never_below_truth,
    assert_private,
    deployments,
    question,
    recording,
)
from tests.routes.laws import hockey_stick
from tests.routes.noise import gaussian_delta

steady = settings(derandomize=True, deadline=None, database=None)
find = partial(hypothesis.find, settings=settings(steady, max_examples=100))
ONE = gaussian_mechanism(sigma=1)
ORDINARY = Deployment((Mechanism("gaussian", 1.0),), 4.7, 1e-5)
MANY = compose([(laplace_mechanism(scale=10), 100), (ONE, 1)])


@pytest.mark.parametrize(("sigma", "epsilon"), [(1.0, 4.7), (0.3, 37.9), (7.77, 4.1), (1.1, 0.0)])
def test_the_truth_of_a_double_is_that_of_mpmath(sigma, epsilon):
    case = Deployment((Mechanism("gaussian", sigma),), epsilon, 1e-5)
    found = case.truth.answer(Fraction(1, 10**12))
    expected = gaussian_delta(sigma, epsilon, digits=400)
    assert abs(mpmath.mpf(float(found.lower)) / expected - 1) < 1e-11
    true = float(expected)
    assert_contains_truth(true * (1 - 1e-12), true * (1 + 1e-12), case.truth)
    for wrong in (true * (1 - 1e-12), 0.0, true / 2):
        with pytest.raises(WrongClaimError):
            assert_never_below_truth(wrong, case.truth)


@pytest.mark.parametrize("epsilon", [0.1, 1.1, 7.3])
def test_thirty_answers_at_a_double_are_a_sum_over_thirty(epsilon):
    case = Deployment((Mechanism("randomized_response", 1.1, times=30),), epsilon, 1e-5)
    with mpmath.workdps(60):
        x, gamma = mpmath.exp(mpmath.mpf(1.1)), mpmath.exp(mpmath.mpf(epsilon))
        delta = mpmath.fsum(
            mpmath.binomial(30, j) * max(0, x**j - gamma * x ** (30 - j)) / (1 + x) ** 30
            for j in range(31)
        )
        expected = Fraction(int(delta * 2**150), 2**150)
    found = case.truth.answer(Fraction(1, 10**30))
    assert abs(found.lower - expected) < Fraction(1, 10**28) > abs(found.upper - expected)
    answer = Epsilon.from_float_exactly(1.1)
    keep, turn = randomized_response(2, answer).rows
    grid = compose([(Pair.from_masses(keep, turn), 29), (case.mechanism.profile, 1)])
    assert (
        abs(grid.delta(Epsilon.from_float_exactly(epsilon), relative_width="1e-6").lower - expected)
        < expected / 10**5
    )


def test_doubles_need_no_common_denominator():
    a, b = Exact.exp(Fraction(1.1)), Exact.exp(Fraction(0.3))
    assert a * b == Exact.exp(Fraction(1.1) + Fraction(0.3)) and (a / b) * b == a
    assert a**1_000_000 == Exact.exp(10**6 * Fraction(1.1))
    noise = discrete_laplace_mechanism(rate=Epsilon.from_float_exactly(0.3), sensitivity=2)
    at = Epsilon.from_float_exactly(0.1)
    number = noise.delta(at)
    assert isinstance(number, Real)
    assert (
        noise.pair()
        .delta(at, relative_width="1e-20")
        .contains(enclosure(number, relative_bits=200).lower)
    )
    many = compose([(noise, 30)])
    found = many.delta(at, relative_width="1e-15")
    with mpmath.workdps(40):
        a, gamma = mpmath.exp(-mpmath.mpf(0.3)), mpmath.exp(mpmath.mpf(0.1))
        p = [1 / (1 + a), (1 - a) / (1 + a) * a, a**2 / (1 + a)]
        laws = [{0: mpmath.mpf(1)}, {0: mpmath.mpf(1)}]
        for _ in range(30):
            for side, masses in enumerate((p, p[::-1])):
                new = {}
                for total, mass in laws[side].items():
                    for k, one in enumerate(masses):
                        new[total + k] = new.get(total + k, 0) + mass * one
                laws[side] = new
        expected = hockey_stick(*laws, gamma)
    assert abs(mpmath.mpf(float(found.lower)) / expected - 1) < 1e-14
    assert compose([(noise, 2), (laplace_mechanism(scale=Fraction(0.3)), 3), (ONE, 1)]).delta(
        at, relative_width="1e-3"
    )


def test_a_lattice_may_start_anywhere():
    x = Exact.exp(Fraction(1.1))
    third, offset = Exact("1/3"), (1 + x) / 2
    assert floor_of_logarithm(Exact(9), Exact(3), offset=third) == 3
    assert floor_of_logarithm(offset * x**2, x, offset=offset) == 2
    assert floor_of_logarithm(offset * x**2 * Exact("999999/1000000"), x, offset=offset) == 1
    with mpmath.workdps(40):
        start = (1 + mpmath.exp(mpmath.mpf(1.1))) / 2
        expected = mpmath.floor((mpmath.mpf(0.6) - mpmath.log(start)) / mpmath.mpf(1.1))
    assert floor_of_logarithm(Exact.exp(Fraction(0.6)), x, offset=offset) == int(expected) == -1
    seen = Pair.from_masses([x / (1 + x), 1 / (1 + x)], [1 / (1 + x), x / (1 + x)])
    many = compose([(seen.subsampled("1/10"), 30)])
    assert isinstance(many, FiniteProfile)
    at = Epsilon.from_float_exactly(0.7)
    grid = compose_certified([(seen.subsampled("1/10"), 30)]).delta(at, relative_width="1e-6")
    exact = many.delta(at, relative_width="1e-20")
    assert grid.lower <= exact.upper and exact.lower <= grid.upper


@pytest.mark.parametrize(
    "profile", [ONE, MANY, poisson_subsampled(ONE, sampling_probability="1/10")], ids=repr
)
@pytest.mark.parametrize("delta", ["1/2", "1e-5", "1e-12"])
def test_chernoff_is_above_and_near(profile, delta):
    at = Epsilon.rational(chernoff_epsilon(profile, Exact(delta))[0])
    bound = chernoff_bound(profile, at)
    true = profile.delta(at, relative_width="1e-3") if profile is MANY else None
    if true is None:
        true = enclosure(profile.delta(at))
    assert true.upper <= bound <= max(100 * true.lower, Fraction(1, 5))


def test_a_far_tail_is_settled_by_a_bound():
    many = compose([(poisson_subsampled(ONE, sampling_probability="1/100"), 30)]).both_directions()
    start = time.process_time()
    assert_never_below_truth(1e-15, many, epsilon=30.0)
    assert_never_below_truth(1e-15, MANY, epsilon=60.0)
    with pytest.raises(WrongClaimError):
        assert_never_above_truth(1e-15, many, epsilon=30.0, max_seconds=3)
    assert time.process_time() - start < 3


def test_a_far_tail_of_a_profile_that_knows_only_its_delta():
    kept = bounded_laplace_mechanism(upper=10, scale="1/200", results="redrawn")
    assert chernoff_bound(kept, Epsilon.rational(150)) is None
    assert_never_below_truth(0.9999999999999999, kept, epsilon=150.0)
    with pytest.raises(WrongClaimError):
        assert_never_below_truth(1e-9, kept, epsilon=150.0)


def test_a_claim_of_zero_is_refuted_by_the_largest_loss():
    with pytest.raises(WrongClaimError, match=r"claimed delta 0\.0 is below the truth"):
        assert_never_below_truth(0.0, MANY, epsilon=3.0)
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    assert_never_below_truth(0.0, coin, epsilon=1.2)
    assert_never_above_truth(0.0, MANY, epsilon=3.0)


def test_claims_of_epsilon_are_decided_by_delta():
    laplace = laplace_mechanism(scale=1)  # for δ = 1/8 the smallest ε is 1 + 2 ln(7/8)
    true = 1 + 2 * float(mpmath.log(mpmath.mpf(7) / 8))
    for claimed in (true * (1 + 1e-14), 1.0, 5.0, float("inf")):
        assert_epsilon_never_below_truth(claimed, laplace, delta=0.125)
    assert_contains_truth(true * (1 - 1e-14), true * (1 + 1e-14), laplace, delta="1/8")
    with pytest.raises(WrongClaimError, match=r"claimed epsilon 0\.7 is below the truth") as caught:
        assert_epsilon_never_below_truth(0.7, laplace, delta=0.125)
    assert "truth    0.732937" in str(caught.value) and "ratio    0.95506" in str(caught.value)
    with pytest.raises(WrongClaimError):
        assert_never_above_truth(0.74, laplace, delta=0.125)
    with pytest.raises(WrongClaimError):
        assert_epsilon_never_below_truth(-0.5, laplace, delta=0.9)
    assert_epsilon_never_below_truth(0.0, laplace, delta=0.9)
    assert_never_above_truth(0.0, laplace, delta=0.9)
    failure = Pair.from_masses(["1/2", "1/2"], [1, 0])
    with pytest.raises(WrongClaimError, match="infinite"):
        assert_epsilon_never_below_truth(100.0, failure, delta="1/4")


def test_noise_that_was_returned():
    case = Deployment((Mechanism("gaussian", 1.0),), epsilon=1.0, delta=1e-5)
    assert_private(case.profile_with(3.7307), epsilon=case.epsilon, delta=case.delta)
    with pytest.raises(WrongClaimError, match=r"claimed delta 1e-05 is below"):
        assert_private(case.profile_with(3.7303), epsilon=case.epsilon, delta=case.delta)
    with pytest.raises(DomainError, match="parameter=nan"):
        case.profile_with(float("nan"))


def test_moments_and_enclosures_are_truths():
    assert_contains_truth(0.5, 0.5, gaussian_mechanism(sigma=2), order=4)  # a/(2σ²)
    with pytest.raises(AssertionError, match="claimed renyi"):
        assert_never_below_truth(0.49, gaussian_mechanism(sigma=2), order=4)
    third = Enclosure(Fraction(1, 4), Fraction(1, 2))
    assert_never_below_truth(0.5, third)
    with pytest.raises(AssertionError):
        assert_never_below_truth(0.2, third)
    with pytest.raises(UndecidedError):
        assert_never_below_truth(0.3, third)


class Endless(PrivacyProfile):
    def delta(self, epsilon, *, relative_width=None):
        while True:
            with precision(64):  # work that is counted
                pass

    def max_divergence(self):
        return Epsilon.infinity()

    def reversed(self):
        return self


def test_what_is_not_decided_says_so_in_time():
    start = time.process_time()
    with pytest.raises(UndecidedError, match=r"within the budget: 0\.3 s of work"):
        assert_never_below_truth(0.1, Endless(), epsilon=5.0, max_seconds=0.3)
    assert time.process_time() - start < 1
    tie = question(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]), epsilon=Epsilon.log(2))
    assert_contains_truth(0.25, 0.25, tie)


def test_rounding_is_set_aside_and_a_factor_is_not():
    below = float(gaussian_delta(1.0, 4.7, digits=400)) * (1 - 2e-16)
    case = Deployment((Mechanism("gaussian", 1.0),), 4.7, 1e-5)
    with pytest.raises(RoundingFaultError):
        assert_never_below_truth(below, case.truth)
    assert_never_below_truth(below, case.truth, tolerance="1e-9")
    with pytest.raises(WrongClaimError, match="more than the tolerance of 1e-9"):
        assert_never_below_truth(below * (1 - 1e-8), case.truth, tolerance="1e-9")


@pytest.mark.parametrize(
    "asked", [{}, {"epsilon": 1.0, "delta": 0.1}, {"order": 1}, {"epsilon": float("inf")}]
)
def test_a_question_is_one_and_in_range(asked):
    with pytest.raises((DomainError, OverflowError)):
        question(ONE, **asked)


def test_the_search_climbs_and_the_worst_is_named():
    @settings(steady, max_examples=40, phases=[p for p in hypothesis.Phase if p.name != "explain"])
    @given(deployments("gaussian"))
    def check(case):
        true = float(case.truth.answer(Fraction(1, 10**9)).upper)
        assert_never_below_truth(true * 0.5**case.epsilon, case.truth, at=case, tolerance="1e-3")

    with recording(), pytest.raises(WrongClaimError) as caught:
        check()
    assert "worst    " in str(caught.value) and "= claimed / truth in this test at" in str(
        caught.value
    )


def test_deployments_shrink_to_the_most_ordinary_one():
    assert find(deployments("gaussian"), lambda case: True) == ORDINARY
    far = find(deployments("laplace", max_times=10), lambda case: case.mechanism.times > 9)
    assert far.mechanism == Mechanism("laplace", 10**0.5, times=10) and far.delta == 1e-5


@settings(steady, max_examples=12, phases=[hypothesis.Phase.generate])
@given(deployments(max_mechanisms=2, max_times=100))
def test_what_is_drawn_has_a_certified_truth(case):
    found = case.truth.answer(Fraction(1, 10))
    assert 0 <= found.lower <= found.upper <= 1
    assert type(case.epsilon) is float and case.epsilon >= 0


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_a_sampled_record_may_be_added_or_removed(epsilon):
    case = Deployment((Mechanism("laplace", 1.0, sampling_probability=0.5),), epsilon, 1e-5)
    with mpmath.workdps(30):  # (P, Q) = (half noise of either, noise of one), by quadrature

        def excess(sign):
            def density(x):
                p, q = mpmath.exp(-abs(x - 1)) / 2, mpmath.exp(-abs(x)) / 2
                mixed = (p + q) / 2
                above, below = (mixed, q) if sign > 0 else (q, mixed)
                return max(0, above - mpmath.exp(epsilon) * below)

            return mpmath.quad(density, [-40, -5, 0, 0.25, 0.5, 0.75, 1, 5, 40], maxdegree=9)

        expected = float(max(excess(1), excess(-1)))
    assert_contains_truth(expected * 0.999, expected * 1.001, case.truth)
    assert len(case.profile.profiles) == 2


def test_a_tolerance_widens_whatever_the_sign():
    assert_never_below_truth(Fraction(-1), Fraction(-999, 1000), tolerance="1e-2")
    assert_never_above_truth(1.0, Fraction(999, 1000), tolerance="1e-2")
    with pytest.raises(AssertionError, match="more than the tolerance"):
        assert_never_above_truth(1.0, Fraction(9, 10), tolerance="1e-2")
    with pytest.raises(DomainError, match="negative"):
        assert_never_above_truth(1.0, Fraction(9, 10), tolerance="-1")


def test_laws_without_a_truth():
    assert_lawful_delta(lambda e: float(gaussian_delta(1, e, digits=400)), [0.0, 1.0, 2.0])
    for wrong in (lambda e: e / 9, lambda e: -0.1, lambda e: 1.5, lambda e: float("nan")):
        with pytest.raises(AssertionError):
            assert_lawful_delta(wrong, [0.0, 1.0])
    with pytest.raises(AssertionError, match="epsilon rises"):
        assert_lawful_epsilon(lambda d: d, [0.1, 0.2])
    assert_lawful_epsilon(lambda d: 1 + 1e-12 * d, [0.1, 0.2], tolerance="1e-9")
    assert_lawful_composition(sum, [1.0, 1e-9, 3.0])
    with pytest.raises(AssertionError, match="without the last"):
        assert_lawful_composition(lambda parts: 1 / len(parts), "aa")


@pytest.mark.parametrize(
    "claimed", [Decimal("0.2"), np.float32(0.2), np.float64(0.2), np.int64(1), np.longdouble(0.2)]
)
def test_numbers_of_other_libraries_are_what_they_hold(claimed):
    for epsilon in (1, 1.0, "1", Decimal(1), np.float32(1), np.int64(1), Epsilon.rational(1)):
        assert_never_below_truth(claimed, ONE, epsilon=epsilon)  # 0.1269...
    with pytest.raises(AssertionError, match="below the truth"):
        assert_never_below_truth(claimed, Fraction(101, 100))
    assert_never_below_truth(2, Decimal("1.5"))
    assert_never_below_truth(2, np.int64(1))


@pytest.mark.parametrize("epsilon", [math.inf, math.nan])
def test_a_question_is_asked_at_a_finite_number(epsilon):
    with pytest.raises(DomainError, match="not finite"):
        assert_never_below_truth(0.2, ONE, epsilon=epsilon)


def test_a_claimed_epsilon_is_compared_with_an_epsilon():
    """Where delta is forgotten, or another question is passed, nothing passes by mistake."""
    assert_epsilon_never_below_truth(Epsilon.rational(5), ONE, delta="e^-10")
    with pytest.raises(AssertionError, match="epsilon 4 is below"):
        assert_epsilon_never_below_truth(Epsilon.rational(4), ONE, delta="e^-11")
    with pytest.raises(DomainError, match="does not ask for an epsilon"):
        assert_epsilon_never_below_truth(9.0, ONE, epsilon=1.0)
    with pytest.raises(DomainError, match="does not ask for an epsilon"):
        assert_epsilon_never_below_truth(9.0, ORDINARY.truth)


@pytest.mark.parametrize("claimed", [1e3, 1e9, 1e300])
@pytest.mark.parametrize("rate", [1, "1/100"])
def test_a_claim_far_too_large_is_settled_at_once(claimed, rate):
    """Where δ is e^(-10^17) and below, of which no enclosure can be written down."""
    start = time.process_time()
    profile = (
        compose([(poisson_subsampled(ONE, sampling_probability=rate), 100)]) if rate != 1 else ONE
    )
    assert_epsilon_never_below_truth(claimed, profile, delta=1e-5)
    assert_never_below_truth(1e-300, profile, epsilon=claimed)
    assert time.process_time() - start < 2


def test_a_bound_is_moved_outward_from_its_side():
    assert Side.UPPER.room(Fraction(1, 10)) > 1 > Side.LOWER.room(Fraction(1, 10))
    assert (Side.UPPER.wrong, Side.LOWER.wrong) == ("below", "above")
