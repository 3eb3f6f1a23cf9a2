"""Laplace and Gaussian noise: closed forms against mpmath's integrals."""

import itertools
from fractions import Fraction

import mpmath
import pytest

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Epsilon, Exact, Real, decimal, exp, log, normal_cdf
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024.intervals import LINE, difference, intersection
from proofs_check.liu2024.noise import (
    Failure,
    Shape,
    copy_weight,
    failure_region,
    gaussian_noise,
    laplace_noise,
    leftover_density,
    less_dense,
    negative_leftover,
    other_probabilities,
    victim_probability,
)


def middle(number):
    low, high = endpoints(number.ball(128))
    return mpmath.mpf((low + high).numerator) / (low + high).denominator / 2


def density(noise, z):
    c = mpmath.mpf(noise.center.numerator) / noise.center.denominator
    s = mpmath.mpf(noise.scale.numerator) / noise.scale.denominator
    if noise.shape is Shape.GAUSSIAN:
        return mpmath.npdf(z, c, s)
    return mpmath.exp(-abs(z - c) / s) / (2 * s)


def crossings(f, low=-30, high=31, steps=1220):
    """Return the sign changes of f, bisected."""
    points = [mpmath.mpf(low) + mpmath.mpf(high - low) * i / steps for i in range(steps + 1)]
    signs = [f(z) > 0 for z in points]
    found = []
    for a, b, sa, sb in zip(points, points[1:], signs, signs[1:], strict=False):
        if sa != sb:
            for _ in range(60):
                m = (a + b) / 2
                a, b = (a, m) if (f(m) > 0) != sa else (m, b)
            found.append((a + b) / 2)
    return found


def by_quadrature(other, near, far):
    """Return Pr[other in {other < near and far < near}]."""

    def f(z):
        top = density(near, z)
        return min(top - density(other, z), top - density(far, z))

    cuts = [mpmath.mpf(-30), *crossings(f), mpmath.mpf(31)]
    total = mpmath.mpf(0)
    for a, b in itertools.pairwise(cuts):
        inner = sorted({a, b, *(c for c in (0, mpmath.mpf(1) / 3, 0.5, 1) if a < c < b)})
        if f((a + b) / 2) > 0:
            total += mpmath.quad(lambda z: density(other, z), inner)
    return total


@pytest.mark.parametrize("noise", [laplace_noise, gaussian_noise])
@pytest.mark.parametrize(
    ("scale", "own", "center"),
    [("1/2", "2", 0), ("1/2", "3/4", "1/3"), ("1", "1", 0), ("1", "1", "1/3"), ("1", "3/5", "1/2"),
     ("3/4", "7/10", 1)],
)  # fmt: skip
def test_probabilities_against_quadrature(noise, scale, own, center):
    zero, one, other = noise(0, scale), noise(1, scale), noise(center, own)
    found = other_probabilities(zero, one, other)
    for value, near, far in ((found[0], zero, one), (found[1], one, zero)):
        assert abs(middle(value) - by_quadrature(other, near, far)) < mpmath.mpf(10) ** -9


def test_the_victims_probability():
    for epsilon in (Fraction(1, 2), Fraction(2), Fraction(3)):
        zero, one = laplace_noise(0, 1 / epsilon), laplace_noise(1, 1 / epsilon)
        assert victim_probability(zero, one) == 1 / (2 * Exact.exp(epsilon / 2))
        # Above the weight 1/(e^ε + 1) of randomized response.
        assert 1 / (2 * Exact.exp(epsilon / 2)) > 1 / (Exact.exp(epsilon) + 1)
    value = victim_probability(gaussian_noise(0, 2), gaussian_noise(1, 2))
    assert decimal(value, digits=25) == decimal(normal_cdf(Exact("-1/4")), digits=25)


def test_local_privacy_is_checked():
    assert laplace_noise(0, "1/2").delta(Epsilon.rational(2), other=Fraction(1)) == 0
    one = laplace_noise(0, "1/2").delta(Epsilon.rational(1), other=Fraction(1))
    assert one == 1 - Exact.exp("-1/2")
    assert gaussian_noise(0, 3).delta(Epsilon.rational(0), other=Fraction(1)).ball(64) > 0


def test_less_dense_regions():
    # Equal Gaussians split in the middle; a wider one is below the narrower at its center.
    ((low, high),) = less_dense(gaussian_noise(0, 1), gaussian_noise(1, 1))
    assert high is None
    assert decimal(low, digits=10) == "0.5000000000"
    ((low, high),) = less_dense(laplace_noise(0, 2), laplace_noise(0, 1))
    assert decimal(high, digits=12) == decimal(2 * log(Exact(2)), digits=12)
    assert decimal(-low, digits=12) == decimal(2 * log(Exact(2)), digits=12)
    assert less_dense(laplace_noise(0, 1), laplace_noise(0, 1)) == ()
    with pytest.raises(DomainError, match="family"):
        less_dense(laplace_noise(0, 1), gaussian_noise(0, 1))


def test_failure_sets():
    wide, narrow = laplace_noise(0, 1), laplace_noise(0, "1/4")
    delta = Fraction(1, 10)
    assert failure_region(narrow, delta=delta, failure=Failure.MASSES) == ()
    assert failure_region(wide, delta=delta, failure=Failure.DENSITY) == ()
    ((_low, high),) = failure_region(narrow, delta=delta, failure=Failure.DENSITY)
    edge = log(Exact(2) / Exact("19/20")) / 4
    assert decimal(high, digits=12) == decimal(edge, digits=12)
    tails = failure_region(wide, delta=delta, failure=Failure.TAILS)
    assert abs(middle(wide.mass(tails)) - mpmath.mpf(1) / 10) < mpmath.mpf(10) ** -14
    zero, one = laplace_noise(0, 1), laplace_noise(1, 1)
    less = victim_probability(zero, one, delta=delta, failure=Failure.TAILS)
    expected = exp(Exact("-1/2")) / 2 - Exact(delta) / 2
    assert decimal(less, digits=12) == decimal(expected, digits=12)
    with pytest.raises(DomainError, match="quantile"):
        failure_region(gaussian_noise(0, 1), delta=delta, failure=Failure.TAILS)


@pytest.mark.parametrize("center", ["0", "1/3", "1/2", "1"])
@pytest.mark.parametrize("own", ["1/2", "3/4", "2"])
def test_laplace_copy_weights_are_the_largest(center, own):
    zero, one, other = laplace_noise(0, "1/2"), laplace_noise(1, "1/2"), laplace_noise(center, own)
    r = copy_weight(zero, one, other)
    grid = [Fraction(k, 7) for k in range(-30, 40)]
    assert negative_leftover(zero, one, other, p=r, points=grid) is None
    assert negative_leftover(zero, one, other, p=r * Exact("1000001/1000000")) is not None


def test_gaussian_copy_weights_are_valid():
    zero, one = gaussian_noise(0, 1), gaussian_noise(1, 1)
    grid = [Fraction(k, 7) for k in range(-90, 100)]
    for center, own in (("0", "3/2"), ("1/3", "11/10"), ("1/2", "3")):
        other = gaussian_noise(center, own)
        r = copy_weight(zero, one, other)
        assert isinstance(r, Real)
        assert r.ball(64) > 0
        assert negative_leftover(zero, one, other, p=r, points=grid) is None
    assert copy_weight(zero, one, gaussian_noise(0, 1)) == 0
    assert copy_weight(zero, one, gaussian_noise(0, "9/10")) == 0
    assert copy_weight(zero, one, laplace_like := gaussian_noise("1/2", "9/10")) == 0
    assert negative_leftover(zero, one, laplace_like, p=Exact("1/1000")) is not None


def test_leftover_density_by_hand():
    zero, one = laplace_noise(0, 1), laplace_noise(1, 1)
    value = leftover_density(zero, one, zero, Exact(0), p=Exact("1/2"))
    expected = Exact("1/4") - 1 / (4 * Exact.exp(1))
    assert decimal(value, digits=20) == decimal(expected, digits=20)


def test_interval_algebra():
    a, b, c = Exact(0), Exact(1), Exact(2)
    assert intersection([(a, b)], [(b, c)]) == ()
    assert difference([(a, c)], [(Exact("1/2"), b)]) == ((a, Exact("1/2")), (b, c))
    assert difference(LINE, LINE) == ()
    with pytest.raises(UndecidedError, match="told apart"):
        intersection([(a, log(Exact(2)))], [(log(Exact(4)) / 2, c)])
