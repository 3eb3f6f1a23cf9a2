"""Additive noise: closed forms against sums and integrals in mpmath; calibration."""

import math
from fractions import Fraction

import mpmath
import pytest

from exactdp.divergences import Pair, calibrated
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    smallest_sigma,
)
from exactdp.numbers import Epsilon, Exact, enclosure, sqrt
from tests.routes.noise import gaussian_delta
from tests.routes.reals import mpf_of

nats = Epsilon.rational


def assert_is(number, truth):
    """The truth has 50 digits, of which 30 are relied on."""
    ends = enclosure(number, relative_bits=90)
    slack = abs(truth) * mpmath.mpf(10) ** -30
    assert mpf_of(ends.lower) <= truth + slack
    assert truth - slack <= mpf_of(ends.upper)


@pytest.mark.parametrize(("sigma", "size", "epsilon"), [("1", "1", "1"), ("3/2", "2", "1/10"),
                                                        ("10", "1", "1/5")])  # fmt: skip
def test_gaussian_against_its_integral(sigma, size, epsilon):
    with mpmath.workdps(60):
        s, d, e = mpf_of(sigma), mpf_of(size), mpf_of(epsilon)
        # P − e^ε Q is positive for x below the threshold (shift d on Q).
        top = d / 2 - e * s * s / d
        density = lambda x, c: mpmath.npdf(x, c, s)  # noqa: E731
        truth = mpmath.quad(
            lambda x: density(x, 0) - mpmath.exp(e) * density(x, d),
            [top - 30 * s, top - 10 * s, top - 3 * s, top - s, top],
        )
        assert_is(gaussian_mechanism(sigma=sigma, sensitivity=size).delta(nats(epsilon)), truth)


def test_gaussian_far_out():
    # δ about 1e-292: relative accuracy, against the same formula in 400 digits.
    with mpmath.workdps(400):
        truth = gaussian_delta(30 / mpmath.sqrt(1000), 39)
        assert_is(gaussian_mechanism(sigma=30).composed(1000).delta(nats(39)), truth)


@pytest.mark.parametrize("epsilon", ["0", "1/7", "1/2", "2/3", "1"])
def test_laplace_against_its_integral(epsilon):
    with mpmath.workdps(50):
        b, d, e = mpf_of("3/2"), mpmath.mpf(1), mpf_of(epsilon)
        p = lambda x: mpmath.exp(-abs(x) / b) / (2 * b)  # noqa: E731
        truth = mpmath.mpf(0)
        if e < d / b:
            top = (d - e * b) / 2
            truth = mpmath.quad(lambda x: p(x) - mpmath.exp(e) * p(x - d), [-mpmath.inf, 0, top])
        value = laplace_mechanism(scale="3/2").delta(nats(epsilon))
        if truth == 0:
            assert value == 0
        else:
            assert_is(value, truth)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [Epsilon.log(1), Epsilon.log("6/5"), Epsilon.rational("1/3")])
def test_discrete_laplace_against_the_pair(size, epsilon):
    mechanism = discrete_laplace_mechanism(rate=Epsilon.log("6/5"), sensitivity=size)
    a = Exact("5/6")
    # What is below −4 and above size + 3 is one outcome each.
    inner = range(-4, size + 4)
    p = [a**5, *(mechanism.mass(k) * (1 + a) for k in inner), a ** (size + 4)]
    q = [a ** (size + 5), *(mechanism.mass(k - size) * (1 + a) for k in inner), a**4]
    p, q = ([x / (1 + a) for x in law] for law in (p, q))
    assert sum(p, Exact(0)) == 1
    truth = Pair.from_masses(p, q).delta(epsilon)
    assert mechanism.delta(epsilon) == truth


@pytest.mark.parametrize(
    ("variance", "size", "epsilon"),
    [("4", 1, "1"), ("100", 3, "2"), ("1/3", 2, "5"), ("4", 2, "1/2"), ("4", 1, "20")],
)
def test_discrete_gaussian_against_its_sum(variance, size, epsilon):
    with mpmath.workdps(50):
        s, e = mpf_of(variance), mpf_of(epsilon)
        mass = lambda k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * s))  # noqa: E731
        total = mpmath.fsum(mass(k) for k in range(-400, 401))
        truth = mpmath.fsum(
            max(0, mass(k) - mpmath.exp(e) * mass(k - size)) for k in range(-400, 401)
        )
        mechanism = discrete_gaussian_mechanism(sigma_squared=variance, sensitivity=size)
        assert_is(mechanism.delta(nats(epsilon)), truth / total)


def laplace_of_scale(scale):
    # At a scale of 40 bits too: exactly, e^ε and e^(1/b) have no common power of low degree.
    return discrete_laplace_mechanism(rate=nats(1 / scale), sensitivity=2)


@pytest.mark.parametrize(
    ("kind", "mechanism"),
    [
        (gaussian_mechanism, lambda sigma: gaussian_mechanism(sigma=sigma, sensitivity=2)),
        (laplace_mechanism, lambda b: laplace_mechanism(scale=b, sensitivity=2)),
        (discrete_laplace_mechanism, laplace_of_scale),
    ],
)
@pytest.mark.parametrize("width", ["1e-4", "1e-12"])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-5"), ("0", "1/10"), ("3", "1e-60")])
def test_calibration_brackets_the_target(kind, mechanism, width, epsilon, delta):
    target = {"epsilon": nats(epsilon), "delta": delta}
    found = calibrated(kind, **target, sensitivity=2, relative_width=width)
    if kind is gaussian_mechanism:
        assert found == smallest_sigma(*target.values(), sensitivity=2, relative_width=width)
    assert found.upper - found.lower <= Fraction(width) * found.lower
    below, above = (
        mechanism(scale).delta(nats(epsilon), relative_width="1e-15")
        for scale in (found.lower, found.upper)
    )
    assert above.upper <= Fraction(delta) < below.lower


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("rate", [Epsilon.log("6/5"), Epsilon.rational("1/3")])
def test_discrete_laplace_is_the_profile_of_its_pair(size, rate):
    """Every piece of the curve, its kinks and its reverse, exactly; enclosures around them."""
    mechanism = discrete_laplace_mechanism(rate=rate, sensitivity=size)
    pair, step = mechanism.pair(), rate.exp
    for power in range(-size - 1, size + 2):
        for gamma in (step**power, step**power * Exact("21/20")):
            at = Epsilon(gamma)
            truth = pair.delta(at)
            assert mechanism.delta(at) == truth
            assert mechanism.delta(at, relative_width="1e-9").contains(truth)
            if gamma > 1 and truth > 0:
                assert mechanism.epsilon(truth).exp == gamma
    assert mechanism.epsilon(0) == mechanism.max_divergence() == Epsilon(step**size)
    assert mechanism.epsilon(mechanism.delta(nats(0))) == mechanism.epsilon(1) == nats(0)
    assert mechanism.epsilon("1e-3", relative_width="1e-9").width < Fraction(1, 10**9)


@pytest.mark.parametrize(
    "mechanism",
    [
        gaussian_mechanism(sigma=1),
        laplace_mechanism(scale=2, sensitivity=sqrt(2)),
        laplace_mechanism(scale=2),
        discrete_gaussian_mechanism(sigma_squared=2, sensitivity=2),
        discrete_laplace_mechanism(rate=Epsilon.log(2), sensitivity=3),
    ],
)
def test_a_mechanism_is_a_profile(mechanism):
    """δ(−ε) = 1 − e^(−ε)(1 − δ(ε)) where both directions agree; ε(δ) inverts δ(ε)."""
    assert mechanism.reversed() is mechanism
    for epsilon in ("1/3", "2"):
        there, here = mechanism.delta(nats("-" + epsilon)), mechanism.delta(nats(epsilon))
        mirrored = 1 - (1 - here) * Exact.exp("-" + epsilon)
        ends, truth = (enclosure(x, relative_bits=80) for x in (there, mirrored))
        assert ends.lower <= truth.upper and truth.lower <= ends.upper
    target = Fraction(1, 20)
    found = mechanism.epsilon(target, relative_width="1e-6")
    for end, is_enough in ((found.lower, False), (found.upper, True)):
        ends = mechanism.delta(nats(end), relative_width="1e-30")
        assert (ends.upper <= target) if is_enough else (ends.lower >= target)
    top = mechanism.max_divergence()
    if not isinstance(top, Epsilon):
        assert enclosure(top).contains(enclosure(sqrt(2) / 2).lower)
    elif not top.is_infinite:
        assert mechanism.delta(top) == 0 and mechanism.delta(top + Epsilon.rational("-1/9")) > 0


def test_parameters_may_be_computable():
    one, other = gaussian_mechanism(sigma=sqrt(2)), gaussian_mechanism(sigma=1).delta(nats(1))
    assert enclosure(one.delta(nats(1))).upper < enclosure(other).lower


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_mechanism(sigma=0), "sigma"),
        (lambda: gaussian_mechanism(sigma=math.nan), "sigma=nan is not finite"),
        (lambda: laplace_mechanism(scale=-1), "scale"),
        (lambda: discrete_laplace_mechanism(rate=Epsilon.log("1/2")), "negative"),
        (lambda: discrete_laplace_mechanism(rate=Epsilon.log(2), sensitivity=0), "sensitivity"),
        (lambda: discrete_gaussian_mechanism(sigma_squared=0), "sigma_squared"),
        (lambda: gaussian_mechanism(sigma=1).delta([1]), "of type list"),
        (lambda: smallest_sigma(nats(1), 0), "delta"),
        (lambda: smallest_sigma(nats(1), "1/2", relative_width=2), "relative_width"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_discrete_noise_has_the_parameters_of_continuous_noise_or_its_own():
    assert discrete_laplace_mechanism(scale="5/2") == discrete_laplace_mechanism(
        rate=Epsilon.rational("2/5")
    )
    assert discrete_gaussian_mechanism(sigma=3) == discrete_gaussian_mechanism(sigma_squared=9)
    for wrong in ({}, {"scale": 1, "rate": Epsilon.log(2)}, {"scale": 0}, {"scale": -1}):
        with pytest.raises(DomainError):
            discrete_laplace_mechanism(**wrong)
    for wrong in ({}, {"sigma": 1, "sigma_squared": 1}, {"sigma": -1}, {"sigma_squared": 0}):
        with pytest.raises(DomainError):
            discrete_gaussian_mechanism(**wrong)
