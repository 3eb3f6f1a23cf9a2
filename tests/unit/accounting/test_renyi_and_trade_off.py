"""Rényi divergences and trade-off functions of mechanisms and compositions, by second routes."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import (
    CertifiedPLD,
    compose,
    compose_certified,
    compose_exactly,
    composed_randomized_response,
    poisson_subsampled,
)
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal
from exactdp.shuffle import clone_pair
from tests.routes.reals import mpf_of

SAMPLED = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/100")
STEPS = compose([(SAMPLED, 1000)])
FAILING = Pair.from_masses(["1/10", "9/10", 0], [0, "9/10", "1/10"])


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(32):
        yield


def is_near(found, truth, width="1e-12"):
    """Return whether an enclosure is narrow and contains a number to 22 digits."""
    slack = Fraction(1, 10**22)
    near = Fraction(mpmath.nstr(truth, 30))
    lower, upper = found.lower * (1 - slack), found.upper * (1 + slack)
    return lower <= near <= upper and found.width <= Fraction(width) * found.lower


def binomial_moment(order, q, sigma):
    """Return E_Q (P/Q)^a of the subsampled Gaussian, a an integer, by expanding the power."""
    return mpmath.fsum(
        mpmath.binomial(order, k)
        * (1 - q) ** (order - k)
        * q**k
        * mpmath.exp(mpmath.mpf(k * (k - 1)) / (2 * sigma**2))
        for k in range(order + 1)
    )


@pytest.mark.parametrize("order", [2, 3, 8, 32, 256])
def test_a_thousand_steps_of_the_subsampled_gaussian(order):
    truth = 1000 * mpmath.log(binomial_moment(order, mpf_of("1/100"), 1)) / (order - 1)
    assert is_near(STEPS.renyi(order, relative_width="1e-12"), truth)


@pytest.mark.parametrize("order", ["1/3", "3/2", "5/2", "20"])
@pytest.mark.parametrize("adds", [False, True])
def test_the_subsampled_gaussian_by_quadrature(order, adds):
    a, q, sigma = mpf_of(order), mpf_of("1/5"), mpf_of("3/2")
    noise = poisson_subsampled(gaussian_mechanism(sigma="3/2"), sampling_probability="1/5")

    def integrand(x):
        ratio = 1 - q + q * mpmath.exp((2 * x - 1) / (2 * sigma**2))
        return mpmath.npdf(x, 0, sigma) * ratio ** (1 - a if adds else a)

    moment = mpmath.quad(integrand, [-20, -5, 0, 5, 10, 25, 40, 60])
    truth = mpmath.log(moment) / (a - 1)
    profile = noise.reversed() if adds else noise
    assert is_near(profile.renyi(order, relative_width="1e-12"), truth)


@pytest.mark.parametrize("order", ["1/2", "3/2", "7"])
def test_laplace_noise_and_its_samples_by_quadrature(order):
    a, top, q = mpf_of(order), mpf_of("3/2"), mpf_of("1/10")
    noise = laplace_mechanism(scale=2, sensitivity=3)

    # Under Q the loss is −ε0 and ε0 with masses 1/2 and e^(−ε0)/2, and a density between.
    def moment(of):
        ends = of(mpmath.exp(-top)) / 2 + of(mpmath.exp(top)) * mpmath.exp(-top) / 2
        return ends + mpmath.quad(
            lambda x: of(mpmath.exp(x)) * mpmath.exp(-(x + top) / 2) / 4, [-top, 0, top]
        )

    plain = mpmath.log(moment(lambda r: r**a)) / (a - 1)
    sampled = mpmath.log(moment(lambda r: (1 - q + q * r) ** a)) / (a - 1)
    assert is_near(noise.renyi(order, relative_width="1e-12"), plain)
    seen = poisson_subsampled(noise, sampling_probability="1/10")
    assert is_near(seen.renyi(order, relative_width="1e-12"), sampled)
    mixed = compose([(noise, 2), (seen, 3), (gaussian_mechanism(sigma=2), 4)])
    total = 2 * plain + 3 * sampled + 4 * a / 8
    assert is_near(mixed.renyi(order, relative_width="1e-12"), total)


def test_gaussians_and_integer_noise_have_exact_divergences():
    assert gaussian_mechanism(sigma=3, sensitivity=2).renyi("9/2") == 1  # 9/4 · 4/9
    assert discrete_gaussian_mechanism(sigma_squared=4, sensitivity=2).renyi("5/2") == Exact("5/4")
    # P and Q = (2/3, 1/3), (1/3, 2/3): E_P (P/Q) = 4/3 + 1/6 = 3/2.
    assert (
        repr(discrete_laplace_mechanism(rate=Epsilon.log(2)).renyi(2))
        == "Real(0.40546510810816438: log(3/2))"
    )


@pytest.mark.parametrize("order", ["2/5", "7/3"])
def test_discrete_gaussian_alone_and_composed(order):
    a, s = mpf_of(order), mpf_of("1/3")  # Θ is far from constant
    noise = discrete_gaussian_mechanism(sigma_squared="1/3", sensitivity=1)
    ks = range(-40, 41)
    norm = mpmath.fsum(mpmath.exp(-mpmath.mpf(k**2) / (2 * s)) for k in ks)
    terms = [mpmath.exp(-(a * k**2 + (1 - a) * (k - 1) ** 2) / (2 * s)) / norm for k in ks]
    truth = mpmath.log(mpmath.fsum(terms)) / (a - 1)
    assert is_near(noise.renyi(order, relative_width="1e-12"), truth)
    mixed = compose_certified([(noise, 20), (gaussian_mechanism(sigma=1), 3)])
    for profile in (mixed, mixed.reversed()):
        found = profile.renyi(order, relative_width="1e-12")
        assert is_near(found, 20 * truth + 3 * a / 2)


@pytest.mark.parametrize("order", ["1/2", 2, "7/2"])
def test_randomized_response_adds_up(order):
    many = composed_randomized_response(Epsilon.log(3), 9)
    law = compose_exactly([(many.pair, 9)])
    found, truth = (p.renyi(order, relative_width="1e-20") for p in (many, law))
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert composed_randomized_response(Epsilon.log(3), 0).renyi(order) == 0


def test_exact_orders_lie_in_their_enclosures():
    law = Pair.from_masses(["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"])
    for order in (2, 5, 40):
        wide, narrow = (law.renyi(order, relative_width=w) for w in ("1e-9", "1e-40"))
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        truth = law.renyi(order)
        assert is_near(narrow, mpmath.mpf(decimal(truth, digits=31)), "1e-39")
    # Beyond all exact moments it is ln 2 − ln 2/(a − 1), and hardly more.
    last = law.renyi(10**9, relative_width="1e-12")
    assert is_near(last, mpmath.log(2) * (1 - 1 / mpmath.mpf(10**9 - 1)))


def test_what_is_infinite_and_what_is_not():
    parts = [(laplace_mechanism(scale=2), 3), (FAILING, 1)]
    found = compose(parts)
    assert found.renyi(2) == Epsilon.infinity() == FAILING.renyi("3/2", relative_width="1e-3")
    # 3·(ε0 − 2 ln(1 + ε0/2)), and −2 ln(9/10)
    truth = 3 * (mpf_of("1/2") - 2 * mpmath.log(mpf_of("5/4"))) - 2 * mpmath.log(mpf_of("9/10"))
    assert is_near(found.renyi("1/2", relative_width="1e-12"), truth)
    apart = Pair.from_masses([1, 0], [0, 1])
    assert apart.renyi("1/2") == Epsilon.infinity()
    assert found.trade_off("9/10") == 0


def test_orders_that_are_none():
    for order in (0, 1, -2, float("nan")):
        with pytest.raises(DomainError):
            STEPS.renyi(order)
    with pytest.raises(DomainError):
        STEPS.renyi(2, relative_width=2)


@pytest.mark.parametrize("point", ["-3", "1/4", "5/2"])
def test_the_trade_off_of_a_sample_by_neyman_and_pearson(point):
    # Removing: P is the mixture, and x is rejected below a point.
    c, q = mpf_of(point), mpf_of("1/100")
    level = (1 - q) * mpmath.ncdf(c) + q * mpmath.ncdf(c - 1)
    alpha = Fraction(mpmath.nstr(level, 35))
    truth = mpmath.ncdf(-c)
    assert is_near(SAMPLED.trade_off(alpha, relative_width="1e-7"), truth, "1e-7")
    # The other direction is the inverse function.
    missed = Fraction(mpmath.nstr(truth, 35))
    back = SAMPLED.reversed().trade_off(missed, relative_width="1e-7")
    assert is_near(back, level, "1e-7")


def test_composed_gaussians_have_their_own_trade_off():
    composed = compose_certified([(gaussian_mechanism(sigma=4), 9)])
    truth = gaussian_mechanism(sigma=4).composed(9).trade_off("1/20", relative_width="1e-12")
    found = composed.trade_off("1/20", relative_width="1e-5")
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.width <= found.lower / 10**5


def test_counts_and_randomized_response_by_their_exact_laws():
    counts = clone_pair(30, Epsilon.log(3))
    exact = counts.pair()
    assert counts.trade_off("1/10", relative_width="1e-9").contains(exact.trade_off("1/10"))
    assert counts.renyi(3, relative_width="1e-9").lower > 0
    many = composed_randomized_response(Epsilon.rational("1/10"), 20)
    assert many.trade_off("1/10") == many.losses().trade_off("1/10")


def test_both_directions_take_the_worse():
    pld = CertifiedPLD.from_gaussian_mechanism(1, sampling_prob="1/100").self_compose(1000)
    sides = [pld.profiles[i].renyi(8, relative_width="1e-9") for i in (0, 1)]
    assert pld.renyi(8, relative_width="1e-9").upper == max(side.upper for side in sides)
    errors = [pld.profiles[i].trade_off("1/20", relative_width="1e-3") for i in (0, 1)]
    worst = pld.trade_off("1/20", relative_width="1e-3")
    assert worst == Enclosure(min(e.lower for e in errors), min(e.upper for e in errors))


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("masses", [("1/3 2/3", "3/4 1/4"), ("1/2 1/3 1/6", "1/6 1/2 1/3")])
def test_just_below_the_largest_loss_the_grid_counts_exactly(masses, times):
    """Where doubles tell ε no more from the largest loss; a trade-off asks there."""
    p, q = ([Fraction(x) for x in law.split()] for law in masses)
    one = Pair.from_masses(p, q)
    composed, top = compose_certified([(one, times)]), max(a / b for a, b in zip(p, q, strict=True))
    chance = max(a for a, b in zip(p, q, strict=True) if a == top * b)
    for power in (10, 20, 30, 60):
        gap = Fraction(1, 10**power)
        found = composed.delta(Epsilon.log(top**times * (1 - gap)), relative_width="1e-3")
        # Only all copies at their largest losses exceed that.
        assert found.contains(chance**times * gap)
        assert found.width <= found.lower / 1000
    for alpha in ("1/1000", "1/10", "1/2"):
        found = composed.trade_off(alpha, relative_width="1e-2")
        truth = one.losses().self_compose(times).trade_off(alpha)
        assert found.lower <= truth <= found.upper
