"""Composed randomized response: exact sums, enclosures, and the published formula."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import composed_randomized_response
from exactdp.accounting.randomized_response import _positive_terms
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.numbers.balls import endpoints

odds = st.builds(lambda low, more: Fraction(low + more, low), st.integers(1, 9), st.integers(0, 9))
gammas = st.one_of(
    st.fractions(0, 30), st.sampled_from([Fraction(3, 2) ** n for n in range(-4, 9)])
)


def by_fractions(b, k, gamma, delta0=Fraction(0)):
    """Return δ in plain Fractions, outcome by outcome."""
    finite = sum(max(Fraction(0), comb(k, j) * (b**j - gamma * b ** (k - j))) for j in range(k + 1))
    kept = (1 - delta0) ** k
    return 1 - kept + kept * finite / (1 + b) ** k


@given(
    odds, st.integers(0, 12), gammas, st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(1)])
)
@settings(max_examples=120)
def test_three_exact_routes_and_the_enclosure_agree(b, k, gamma, delta0):
    composed = composed_randomized_response(Epsilon.log(b), k, delta0=delta0)
    expected = by_fractions(b, k, gamma, delta0)
    assert composed.delta(exp_epsilon=gamma) == expected
    assert composed.losses().delta(exp_epsilon=gamma) == expected
    for bits in (20, 90):
        enclosure = composed.delta_enclosure(exp_epsilon=gamma, relative_bits=bits)
        assert enclosure.contains(expected)
        assert enclosure.width * 2**bits <= expected


@given(st.sampled_from(["0", "1/2", "3/10", "2"]), st.integers(0, 12), gammas)
@settings(max_examples=60)
def test_transcendental_odds(epsilon0, k, gamma):
    composed = composed_randomized_response(Epsilon.rational(epsilon0), k)
    exact = composed.delta(exp_epsilon=gamma)
    assert composed.delta_enclosure(exp_epsilon=gamma).contains(exact)
    b = Exact.exp(epsilon0)
    terms = [comb(k, j) * (b**j - Exact(gamma) * b ** (k - j)) for j in range(k + 1)]
    assert exact == sum((t for t in terms if t > 0), Exact(0)) / (1 + b) ** k


@pytest.mark.parametrize("epsilon0", [Epsilon.log(3), Epsilon.rational("1/2")])
def test_thresholds_at_the_losses_themselves(epsilon0):
    # At γ = b^(2j − k) the loss j itself contributes nothing.
    k = 7
    composed = composed_randomized_response(epsilon0, k)
    for j in range(k + 1):
        gamma = epsilon0.exp ** (2 * j - k)
        exact = composed.delta(exp_epsilon=gamma)
        assert composed.delta_enclosure(exp_epsilon=gamma).contains(exact)
        assert (exact == 0) == (j == k)


def test_the_pair_is_randomized_response():
    rows = randomized_response(2, Epsilon.log(3)).rows
    pair = composed_randomized_response(Epsilon.log(3), 1).pair
    for gamma in ("1/2", 1, 2):
        assert hockey_stick_divergence(pair, exp_epsilon=gamma) == hockey_stick_divergence(
            Pair.from_masses(*rows), exp_epsilon=gamma
        )


@given(odds.filter(lambda b: b > 1), st.integers(1, 15), st.fractions(0, 1, max_denominator=9))
@settings(max_examples=100)
def test_the_composition_theorem(b, k, delta0):
    # Theorem 3.3 of Kairouz, Oh and Viswanath: at ε = (k − 2i)·ε0, i = 0, ..., k // 2,
    # δ_i = Σ_{l < i} C(k, l)(b^(k − l) − b^(k − 2i + l)) / (1 + b)^k.
    composed = composed_randomized_response(Epsilon.log(b), k, delta0=delta0)
    for i in range(k // 2 + 1):
        delta_i = (
            sum(comb(k, j) * (b ** (k - j) - b ** (k - 2 * i + j)) for j in range(i)) / (1 + b) ** k
        )
        expected = 1 - (1 - delta0) ** k * (1 - delta_i)
        assert composed.delta(exp_epsilon=b ** (k - 2 * i)) == expected


@pytest.mark.parametrize(
    ("b", "k", "gamma"),
    [
        (Fraction(1001, 1000), 20_000, Fraction(2)),  # around the mode
        (Fraction(1001, 1000), 20_000, Fraction(1001, 1000) ** 700),  # a far tail
        (Fraction(3), 3_000, Fraction(3) ** 1_400),  # below the mode, then above it
        (Fraction(3), 3_000, Fraction(3) ** 1_600),
        (Fraction(3), 3_000, Fraction(3) ** 2_998),  # two losses are left
        (Fraction(3), 3_000, Fraction(1)),  # 1 − δ is tiny
    ],
)
def test_many_copies_enclosure_contains_the_exact_value(b, k, gamma):
    composed = composed_randomized_response(Epsilon.log(b), k)
    exact = composed.delta(exp_epsilon=gamma)
    enclosure = composed.delta_enclosure(exp_epsilon=gamma, relative_bits=40)
    assert 0 < exact < 1
    assert enclosure.contains(exact)
    assert enclosure.width * 10**12 <= exact.as_fraction()


@pytest.mark.parametrize("delta0", [Fraction(0), Fraction(1, 10**9)])
def test_a_hundred_thousand_copies_term_by_term_in_mpmath(delta0):
    # Every term of the sum, without a window; e^ε0 is not rational.
    k = 100_000
    composed = composed_randomized_response(Epsilon.rational("1/1000"), k, delta0=delta0)
    enclosure = composed.delta_enclosure(exp_epsilon=2, relative_bits=40)
    with mpmath.workdps(40):
        b = mpmath.exp(mpmath.mpf(1) / 1000)
        m = int(mpmath.floor((k + mpmath.log(2) / mpmath.log(b)) / 2)) + 1
        log_choose = mpmath.loggamma(k + 1) - mpmath.loggamma(m + 1) - mpmath.loggamma(k - m + 1)
        p = mpmath.exp(log_choose + m * mpmath.log(b) - k * mpmath.log1p(b))
        q = mpmath.exp(log_choose + (k - m) * mpmath.log(b) - k * mpmath.log1p(b))
        finite = mpmath.mpf(0)
        for j in range(m, k + 1):
            finite += p - 2 * q
            p *= b * (k - j) / (j + 1)
            q *= (k - j) / (b * (j + 1))
        kept = mpmath.exp(k * mpmath.log1p(-mpmath.mpf(delta0.numerator) / delta0.denominator))
        expected = 1 - kept + kept * finite
        slack = mpmath.mpf(10) ** -25
        lower, upper = (
            mpmath.mpf(x.numerator) / x.denominator for x in (enclosure.lower, enclosure.upper)
        )
        # mpmath's value is itself good to about 25 digits only.
        assert lower <= expected + slack
        assert expected - slack <= upper
        assert upper - lower <= expected / 10**12


@given(odds.filter(lambda b: b > 1), st.integers(5, 60), st.data())
def test_what_the_window_cuts_off_is_in_the_ball(b, k, data):
    # A coarse cut at a high precision: the tail bounds are all of the radius.
    first = data.draw(st.integers(0, k))
    gamma = b ** (2 * first - k) * Fraction(9, 10)
    terms = [comb(k, j) * (b**j - gamma * b ** (k - j)) for j in range(first, k + 1)]
    with precision(200):
        balls = Exact(b).ball(200), Exact(gamma).ball(200)
        lower, upper = endpoints(_positive_terms(k, first, *balls, cut_bits=4))
    assert lower <= sum(terms) / (1 + b) ** k <= upper


def test_exact_zero_is_a_point():
    composed = composed_randomized_response(Epsilon.rational("1/2"), 10)
    enclosure = composed.delta_enclosure(exp_epsilon=Exact.exp(5))
    assert (enclosure.lower, enclosure.upper) == (0, 0)
    assert composed.delta_enclosure(exp_epsilon=Exact.exp("4.99")).lower > 0


def test_zero_epsilon_reveals_nothing():
    composed = composed_randomized_response(Epsilon.log(1), 50)
    assert composed.delta(exp_epsilon=1) == 0
    assert composed.delta(exp_epsilon="1/4") == Exact("3/4")
    assert composed.delta_enclosure(exp_epsilon="1/4").contains(Exact("3/4"))
    failing = composed_randomized_response(Epsilon.log(1), 10**9, delta0="1e-12")
    enclosure = failing.delta_enclosure(exp_epsilon=3)
    with mpmath.workdps(80):
        expected = -mpmath.expm1(10**9 * mpmath.log1p(-(mpmath.mpf(10) ** -12)))
    assert enclosure.contains(Fraction(mpmath.nstr(expected, 70)))


def test_tiny_delta_keeps_relative_width():
    # δ = (b/(1 + b))^k (1 − γ/b^k) at γ between b^(k − 2) and b^k.
    k = 200_000
    composed = composed_randomized_response(Epsilon.log(2), k)
    enclosure = composed.delta_enclosure(exp_epsilon=Fraction(2) ** (k - 1), relative_bits=60)
    assert enclosure.contains(Fraction(2, 3) ** k / 2)
    assert 0 < enclosure.width * 2**60 <= enclosure.upper


@pytest.mark.parametrize("epsilon0", [Epsilon.infinity(), Epsilon.log("1/2")])
def test_epsilon0_is_checked(epsilon0):
    with pytest.raises(DomainError, match="epsilon0"):
        composed_randomized_response(epsilon0, 3)


@pytest.mark.parametrize("times", [-1, True, 1.0])
def test_times_is_checked(times):
    with pytest.raises(DomainError, match="times"):
        composed_randomized_response(Epsilon.log(2), times)


def test_delta0_is_checked():
    for delta0 in ("-1/2", 2, 0.5):
        with pytest.raises(DomainError, match="delta0"):
            composed_randomized_response(Epsilon.log(2), 2, delta0=delta0)


def test_refuses_what_is_too_large():
    with pytest.raises(TooLargeError, match="times"):
        composed_randomized_response(Epsilon.log(2), 10**10 + 1)
    many = composed_randomized_response(Epsilon.log(2), 10**8)
    with pytest.raises(TooLargeError, match="delta_enclosure"):
        many.delta(exp_epsilon=2)
    transcendental = composed_randomized_response(Epsilon.rational("1/2"), 10**5)
    with pytest.raises(TooLargeError, match="enclosure"):
        transcendental.delta(exp_epsilon=2)
