"""The truth of a case against two other routes: the exact engine, and a sum over all messages."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product

import hypothesis
import mpmath
import pytest
from hypothesis import given, settings
from hypothesis.errors import InvalidArgument

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, Real, enclosure, is_below
from exactdp.shuffle import worst_case
from exactdp.testing import (
    Deployment,
    Mechanism,
    ShuffledRandomizedResponse,
    assert_never_above_truth,
    assert_never_below_truth,
    deployments,
    shuffled_randomized_response_deltas,
)
from exactdp.testing.cases import _epsilon_in_the_tail
from exactdp.truth import Truth
from tests.routes.laws import added, hockey_stick, one_message
from tests.routes.reals import mpf_of

quick = settings(max_examples=40)
steady = settings(derandomize=True, deadline=None, database=None, max_examples=2000)
find = partial(hypothesis.find, settings=steady)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(("epsilon0", "epsilon"), [(1.0, 0.0), (1.5, 0.25), (0.5, 0.375)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_truth_is_that_of_the_exact_engine(k, epsilon0, epsilon, n):
    case = ShuffledRandomizedResponse(epsilon0, n, epsilon, k)
    rr = randomized_response(k, Epsilon.from_float_exactly(epsilon0))
    exact = worst_case([(rr, n)], Epsilon(Exact(Exact.exp(Fraction(epsilon))))).value
    narrow = enclosure(case.truth, relative_bits=200)
    assert narrow.contains(exact)
    assert narrow.width < Fraction(1, 2**190)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("epsilon0", "epsilon"), [(0.49, 0.1), (3.3, 1e-3), (0.1, 0.09999)])
def test_the_truth_for_awkward_doubles_is_the_sum_over_all_messages(k, n, epsilon0, epsilon):
    with mpmath.workprec(200):
        expected = _delta_by_hand(k, n, mpmath.exp(epsilon0), mpmath.exp(epsilon))
        expected = Fraction(int(mpmath.floor(expected * 2**150)), 2**150)
    narrow = enclosure(ShuffledRandomizedResponse(epsilon0, n, epsilon, k).truth)
    assert narrow.lower - Fraction(1, 2**100) <= expected <= narrow.upper + Fraction(1, 2**100)


def _delta_by_hand(k, n, x, gamma):
    rows = [one_message([(x if v == y else 1) / (x + k - 1) for y in range(k)]) for v in range(k)]

    def histogram_law(*inputs):
        return added(rows[v] for v in inputs)

    return max(
        hockey_stick(histogram_law(a, *others), histogram_law(b, *others), gamma)
        for a, b in product(range(k), repeat=2)
        for others in combinations_with_replacement(range(k), n - 1)
    )


def test_the_truth_is_for_the_double_and_not_for_its_decimal():
    double = ShuffledRandomizedResponse(0.1, 1, 0.0).truth
    x = Exact.exp("1/10")
    decimal = (x - 1) / (x + 1)
    assert Fraction(0.1) > Fraction(1, 10)
    assert is_below(decimal, double) is Truth.TRUE


@quick
@given(shuffled_randomized_response_deltas())
def test_the_range_of_the_cases(case):
    assert 1 <= case.n <= 8 and case.k == 2
    assert 2**-10 <= case.epsilon0 <= 4
    assert case.epsilon == 0 or 2**-10 <= case.epsilon <= 4
    if case.epsilon >= case.epsilon0:
        assert case.truth == Exact(0)
    else:
        assert isinstance(case.truth, Real)
        assert is_below(Exact(0), case.truth) is Truth.TRUE


@quick
@given(shuffled_randomized_response_deltas(k=3, max_users=4))
def test_one_user_is_no_better_than_many(case):
    alone = ShuffledRandomizedResponse(case.epsilon0, 1, case.epsilon, 3)
    if case.n > 1 and case.epsilon < case.epsilon0:
        assert is_below(case.truth, alone.truth) is Truth.TRUE


def is_tiny(truth):
    return is_below(truth, Exact("1e-12")) is Truth.TRUE


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-12])
@pytest.mark.parametrize(("k", "n", "epsilon0"), [(2, 1, 0.7), (2, 6, 2.3), (3, 3, 1.1)])
def test_an_epsilon_in_the_tail_has_about_its_delta(k, n, epsilon0, delta):
    found = _epsilon_in_the_tail(epsilon0, n, k, delta)
    at_zero = ShuffledRandomizedResponse(epsilon0, n, 0.0, k).truth
    if is_below(at_zero, Exact(Fraction(delta))) is Truth.TRUE:
        assert found < 0.01 * epsilon0
        return
    truth = enclosure(ShuffledRandomizedResponse(epsilon0, n, found, k).truth)
    assert delta / 1.2 < truth.lower and truth.upper < 1.2 * delta


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.1])
@pytest.mark.parametrize(("k", "times"), [(2, 1), (5, 1), (5, 4), (3, 6)])
def test_copies_of_randomized_response_with_many_answers(k, times, epsilon):
    """The truth of a deployment against the sum over how often each loss occurs."""
    one = Mechanism("randomized_response", 1.1, times=times, k=k)
    found = Deployment((one,), epsilon, 1e-5).truth.answer(Fraction(1, 10**12))
    with mpmath.workdps(40):
        x, gamma, delta = mpmath.exp(mpmath.mpf(1.1)), mpmath.exp(mpmath.mpf(epsilon)), 0
        for true, lie in product(range(times + 1), repeat=2):
            if true + lie <= times:
                rest = times - true - lie
                ways = math.comb(times, true) * math.comb(times - true, lie)
                common = ways * (k - 2) ** rest / (x + k - 1) ** times
                delta += max(0, common * (x**true - gamma * x**lie))
        lower, upper = (mpf_of(x) for x in (found.lower, found.upper))
        assert lower <= delta * (1 + 1e-30) and delta * (1 - 1e-30) <= upper


def test_deployments_have_as_many_answers_as_asked():
    @quick
    @given(deployments("randomized_response", "laplace", k=4, max_mechanisms=2))
    def on_trial(case):
        for one in case.mechanisms:
            assert one.k == (4 if one.kind == "randomized_response" else 2)

    on_trial()
    for wrong in ({"kind": "laplace", "k": 3}, {"kind": "randomized_response", "k": 1}):
        with pytest.raises(DomainError, match=r"^k="):
            Mechanism(parameter=1.0, **wrong)


@pytest.mark.parametrize(
    ("wrong", "says", "mended"),
    [
        ({"kind": "cauchy"}, "Pass one of gaussian, ", {"kind": "gaussian"}),
        ({"parameter": -1.0}, "Pass one", {"parameter": 1.0}),
        (
            {"kind": "discrete_laplace", "sampling_probability": 0.5},
            r"Pass 1\.0",
            {"sampling_probability": 1.0},
        ),
        (
            {"kind": "discrete_laplace", "sampling_probability": 0.5},
            "sample one of gaussian",
            {"kind": "gaussian"},
        ),
        ({"kind": "laplace", "k": 3}, "Pass 2", {"k": 2}),
        ({"kind": "laplace", "k": 3}, "randomized_response", {"kind": "randomized_response"}),
    ],
)
def test_what_a_refused_mechanism_is_told_to_be_is_taken(wrong, says, mended):
    given = {"kind": "gaussian", "parameter": 1.0, **wrong}
    with pytest.raises(DomainError, match=says):
        Mechanism(**given)
    assert Mechanism(**{**given, **mended}).profile is not None


def test_the_strategy_reaches_every_kind_of_epsilon():
    strategy = shuffled_randomized_response_deltas()
    simplest = find(strategy, lambda case: True)
    assert (simplest.epsilon0, simplest.n, simplest.epsilon) == (1.0, 1, 0.0)
    assert find(strategy, lambda c: 0 < c.epsilon < c.epsilon0)
    assert find(strategy, lambda c: c.epsilon > c.epsilon0)
    assert find(strategy, lambda c: c.epsilon < c.epsilon0 and is_tiny(c.truth))
    assert find(strategy, lambda c: c.epsilon0.as_integer_ratio()[1] > 2**40)


@quick
@given(shuffled_randomized_response_deltas())
def test_the_float_bound_of_a_user_in_five_lines(case):
    assert_never_below_truth(_local_bound(case.epsilon0, case.epsilon), case.truth, at=case)


@quick
@given(shuffled_randomized_response_deltas())
def test_zero_is_a_lower_bound(case):
    assert_never_above_truth(0.0, case.truth, at=case)


def _local_bound(epsilon0, epsilon):
    return -math.expm1(min(0.0, epsilon - epsilon0)) * (1 + 2**-48)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((1, 2, 0.5), "epsilon0"),
        ((math.inf, 2, 0.5), "epsilon0"),
        ((math.nan, 2, 0.5), "epsilon0"),
        ((1.0, 2, -0.5), "epsilon"),
        ((1.0, 2, Fraction(1, 2)), "epsilon"),
        ((1.0, 0, 0.5), "n"),
        ((1.0, 2.0, 0.5), "n"),
        ((1.0, True, 0.5), "n"),
        ((1.0, 2, 0.5, 1), "k"),
    ],
)
def test_bad_cases_are_refused(arguments, name):
    with pytest.raises(DomainError, match=f"^{name}="):
        ShuffledRandomizedResponse(*arguments)


def test_large_cases_are_refused():
    with pytest.raises(TooLargeError, match="n=2000, k=2"):
        ShuffledRandomizedResponse(1.0, 2000, 0.5)
    with pytest.raises(TooLargeError):
        find(shuffled_randomized_response_deltas(k=4, max_users=30), lambda case: True)


@pytest.mark.parametrize("largest", [0.0, math.inf, math.nan])
def test_a_bad_range_is_refused(largest):
    with pytest.raises((DomainError, InvalidArgument), match="max_epsilon0"):
        find(shuffled_randomized_response_deltas(max_epsilon0=largest), lambda case: True)
