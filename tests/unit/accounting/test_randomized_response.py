"""Composed randomized response: exact sums, enclosures, and the published formula."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import composed_randomized_response
from exactdp.accounting.composition import exact_composition as composition
from exactdp.divergences import Pair
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, Real, decimal, log, precision
from exactdp.numbers.balls import endpoints
from exactdp.sums.counting.tails import upper_tail
from exactdp.testing import fractions
from tests.routes.reals import mpf_of

odds = st.builds(lambda low, more: Fraction(low + more, low), st.integers(1, 9), st.integers(0, 9))
gammas = st.one_of(
    st.fractions(Fraction(1, 50), 30), st.sampled_from([Fraction(3, 2) ** n for n in range(-4, 9)])
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
    epsilon = Epsilon.log(gamma)
    assert composed.delta(epsilon) == expected
    assert composed.losses().delta(epsilon) == expected
    assert (
        composed.losses().infinity_mass()
        == composed.infinity_mass()
        == by_fractions(b, k, max(gamma, b**k), delta0)
    )
    assert composed.losses().max_divergence() == composed.max_divergence()
    for bits in (20, 90):
        enclosure = composed.delta(epsilon, relative_width=Fraction(1, 2**bits))
        assert enclosure.contains(expected)
        assert enclosure.width * 2**bits <= expected


@given(st.sampled_from(["0", "1/2", "3/10", "2"]), st.integers(0, 12), gammas)
@settings(max_examples=60)
def test_transcendental_odds(epsilon0, k, gamma):
    composed = composed_randomized_response(Epsilon.rational(epsilon0), k)
    exact = composed.delta(Epsilon.log(gamma))
    assert composed.delta(Epsilon.log(gamma), relative_width="1e-15").contains(exact)
    b = Exact.exp(epsilon0)
    terms = [comb(k, j) * (b**j - Exact(gamma) * b ** (k - j)) for j in range(k + 1)]
    assert exact == sum((t for t in terms if t > 0), Exact(0)) / (1 + b) ** k


@pytest.mark.parametrize("delta", ["1/3", "99/100", "1e-5", "1/10"])
@pytest.mark.parametrize("delta0", ["0", "1/10", "1/1000"])
@pytest.mark.parametrize("k", [1, 2, 7, 20])
@pytest.mark.parametrize("epsilon0", [Epsilon.log("5/2"), Epsilon.rational("1/20")])
def test_one_line_has_the_epsilon_of_the_whole_law(epsilon0, k, delta0, delta, monkeypatch):
    composed = composed_randomized_response(epsilon0, k, delta0=delta0)
    expected = composed.losses().epsilon(delta)
    monkeypatch.setattr(composition, "MAX_BITS_OF_WEIGHTS", 0)
    assert composed_randomized_response(epsilon0, k, delta0=delta0).epsilon(delta) == expected


def test_an_epsilon_is_exact_where_the_whole_law_would_be_too_long():
    composed = composed_randomized_response(Epsilon.rational("1/20"), 1000)
    with pytest.raises(TooLargeError, match="exact weights that fill"):
        composed.losses()
    found, enclosure = composed.epsilon("1e-10"), composed.epsilon("1e-10", relative_width="1e-20")
    assert Epsilon.rational(enclosure.lower) < found < Epsilon.rational(enclosure.upper)
    assert composed.delta(found, relative_width="1e-60").contains(Exact("1e-10"))


@pytest.mark.parametrize("epsilon0", [Epsilon.log(3), Epsilon.rational("1/2")])
def test_thresholds_at_the_losses_themselves(epsilon0):
    # At γ = b^(2j − k) the loss j itself contributes nothing.
    k = 7
    composed = composed_randomized_response(epsilon0, k)
    for j in range(k + 1):
        epsilon = (2 * j - k) * epsilon0
        exact = composed.delta(epsilon)
        assert composed.delta(epsilon, relative_width="1e-15").contains(exact)
        assert (exact == 0) == (j == k)


def test_the_pair_is_randomized_response():
    rows = randomized_response(2, Epsilon.log(3)).rows
    pair = composed_randomized_response(Epsilon.log(3), 1).pair
    assert pair.losses() == Pair.from_masses(*rows).losses()


@given(odds.filter(lambda b: b > 1), st.integers(1, 15), fractions(0, 1, max_denominator=9))
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
        assert composed.delta(Epsilon.log(b ** (k - 2 * i))) == expected


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
    exact = composed.delta(Epsilon.log(gamma))
    enclosure = composed.delta(Epsilon.log(gamma), relative_width=Fraction(1, 2**40))
    assert 0 < exact < 1
    assert enclosure.contains(exact)
    assert enclosure.width * 10**12 <= exact.as_fraction()


@pytest.mark.parametrize("delta0", [Fraction(0), Fraction(1, 10**9)])
def test_many_copies_term_by_term_in_mpmath(delta0):
    # Every term of the sum, without a window; e^ε0 is not rational.
    k = 30_000
    composed = composed_randomized_response(Epsilon.rational("1/1000"), k, delta0=delta0)
    enclosure = composed.delta(Epsilon.log(2), relative_width=Fraction(1, 2**40))
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
        kept = mpmath.exp(k * mpmath.log1p(-mpf_of(delta0)))
        expected = 1 - kept + kept * finite
        slack = mpmath.mpf(10) ** -25
        lower, upper = (mpf_of(x) for x in (enclosure.lower, enclosure.upper))
        # mpmath's value is itself good to about 25 digits only.
        assert lower <= expected + slack
        assert expected - slack <= upper
        assert upper - lower <= expected / 10**12


@given(st.integers(1, 60), st.integers(-1, 62), odds)
def test_a_binomial_tail_is_in_its_ball(k, first, b):
    p = b / (1 + b)
    truth = sum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(max(first, 0), k + 1))
    with precision(200):
        ball = upper_tail(k, first, Exact(b).ball(200))
        lower, upper = endpoints(ball)
    assert lower <= truth <= upper
    assert upper - lower <= Fraction(1, 2**150)


def test_exact_zero_is_a_point():
    composed = composed_randomized_response(Epsilon.rational("1/2"), 10)
    enclosure = composed.delta(Epsilon.rational(5), relative_width="1e-9")
    assert (enclosure.lower, enclosure.upper) == (0, 0)
    assert composed.delta(Epsilon.rational("4.99"), relative_width="1e-9").lower > 0


def test_zero_epsilon_reveals_nothing():
    composed = composed_randomized_response(Epsilon.log(1), 50)
    assert composed.delta(Epsilon.log(1)) == 0
    assert composed.delta(Epsilon.log("1/4")) == Exact("3/4")
    assert composed.delta(Epsilon.log("1/4"), relative_width="1e-9").contains(Exact("3/4"))
    failing = composed_randomized_response(Epsilon.log(1), 10**9, delta0="1e-12")
    enclosure = failing.delta(Epsilon.log(3), relative_width="1e-19")
    with mpmath.workdps(80):
        expected = -mpmath.expm1(10**9 * mpmath.log1p(-(mpmath.mpf(10) ** -12)))
    assert enclosure.contains(Fraction(mpmath.nstr(expected, 70)))
    failures = failing.infinity_mass()
    assert decimal(failures, digits=30) == mpmath.nstr(expected, 30)
    assert failing.max_divergence().is_infinite


def test_tiny_delta_keeps_relative_width():
    # δ = (b/(1 + b))^k (1 − γ/b^k) at γ between b^(k − 2) and b^k.
    k = 200_000
    composed = composed_randomized_response(Epsilon.log(2), k)
    epsilon = Epsilon.log(Fraction(2) ** (k - 1))
    enclosure = composed.delta(epsilon, relative_width=Fraction(1, 2**60))
    assert enclosure.contains(Fraction(2, 3) ** k / 2)
    assert 0 < enclosure.width * 2**60 <= enclosure.upper


@pytest.mark.parametrize(
    ("error", "name", "given"),
    [
        *((DomainError, "epsilon0", e) for e in (Epsilon.infinity(), Epsilon.log("1/2"), -0.5)),
        *((DomainError, "epsilon0", e) for e in (Exact.exp(2), None)),
        *((DomainError, "times", times) for times in (-1, True, 1.5)),
        *((DomainError, "delta0", delta0) for delta0 in ("-1/2", 2, 1.5)),
        (TooLargeError, "times", 10**10 + 1),
    ],
)
def test_arguments_are_checked(error, name, given):
    with pytest.raises(error, match=name):
        composed_randomized_response(**{"epsilon0": Epsilon.log(2), "times": 2, name: given})


def test_longer_numbers_are_computable_reals():
    for epsilon0 in (Epsilon.log(2), Epsilon.rational("1/2")):
        composed = composed_randomized_response(epsilon0, 10**7)
        # Beyond the mean of the loss, 10^7·ε0·(b − 1)/(b + 1), by a few deviations.
        epsilon = Epsilon.rational(2_320_000 if epsilon0 == Epsilon.log(2) else 1_230_000)
        value = composed.delta(epsilon)
        assert isinstance(value, Real)
        found = composed.delta(epsilon, relative_width="1e-12")
        assert decimal(value, digits=9) == decimal(Exact(found.lower), digits=9)
    assert composed.max_divergence() == Epsilon.rational(5 * 10**6)
    many = composed_randomized_response(Epsilon.log(3), 10**7).max_divergence()
    assert decimal(many, digits=30) == decimal(10**7 * log(Exact(3)), digits=30)


# --- ε ----------------------------------------------------------------------------


@given(odds, st.integers(0, 12), st.fractions(0, 1), st.sampled_from([0, Fraction(1, 7), 1]))
@settings(max_examples=60)
def test_epsilon_is_that_of_all_losses(b, k, delta, delta0):
    composed = composed_randomized_response(Epsilon.log(b), k, delta0=delta0)
    expected = composed.losses().epsilon(delta)
    assert composed.epsilon(delta) == expected
    if 0 < delta < 1 and composed.infinity_mass() != delta:
        found = composed.epsilon(delta, relative_width="1e-4")
        if expected.is_infinite:
            assert found == expected
        else:
            assert Epsilon.rational(found.lower) <= expected <= Epsilon.rational(found.upper)
            assert found.width * 10**4 <= found.lower


@pytest.mark.parametrize("delta0", [0, "1e-9"])
@pytest.mark.parametrize("delta", ["1e-40", "1e-3", "1/2", "999/1000"])
@pytest.mark.parametrize("epsilon0", [Epsilon.log(3), Epsilon.rational("1/100")])
def test_epsilon_of_many_copies(epsilon0, delta, delta0):
    composed = composed_randomized_response(epsilon0, 10**4, delta0=delta0)
    found = composed.epsilon(delta, relative_width="1e-9")
    if delta0 and delta == "1e-40":
        assert found.is_infinite
        return
    assert found.width * 10**9 <= found.lower
    lower, upper = (
        composed.delta(Epsilon.rational(end), relative_width="1e-45")
        for end in (found.lower, found.upper)
    )
    assert upper.upper <= Fraction(delta)
    assert lower.lower > Fraction(delta) or found.upper == 0


def test_epsilon_below_where_the_search_starts():
    # Nearly all of the loss is at 1001·20, and the mean below it: δ(20019) = 1 − 1/e, about.
    composed = composed_randomized_response(Epsilon.rational(20), 1001)
    found = composed.epsilon("99/100", relative_width="1e-9")
    assert 0 < found.lower < found.upper < 20019
    lower, upper = (
        composed.delta(Epsilon.rational(end), relative_width="1e-15")
        for end in (found.lower, found.upper)
    )
    assert upper.upper < Fraction(99, 100) < lower.lower
