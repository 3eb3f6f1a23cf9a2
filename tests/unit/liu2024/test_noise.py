"""Laplace and Gaussian noise: closed forms against mpmath's integrals."""

import itertools
from fractions import Fraction

import mpmath
import pytest

from exactdp.claims import value
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import Epsilon, Exact, log, normal_cdf
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024.noise import (
    Shape,
    gaussian_noise,
    intersection,
    laplace_noise,
    least_probability,
    less_dense,
    noise,
    other_probabilities,
    victim_probability,
)
from proofs_check.liu2024.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    is_classical,
    laplace_other_terms,
    probability_below,
)
from tests.routes.reals import mpf_of


def middle(number):
    low, high = endpoints(number.ball(128))
    return mpf_of(low + high) / 2


def agree(x, y):
    return abs(middle(x) - middle(y)) < mpmath.mpf(10) ** -30


def density(noise, z):
    c = mpf_of(noise.center)
    s = mpf_of(noise.scale)
    if noise.shape is Shape.GAUSSIAN:
        return mpmath.npdf(z, c, s)
    return mpmath.exp(-abs(z - c) / s) / (2 * s)


def crossings(f, low=-30, high=31, steps=244):
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


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize(
    ("scale", "own", "center"),
    [("1/2", "2", 0), ("1/2", "3/4", "1/3"), ("1", "1", 0), ("1", "1", "1/3"), ("1", "3/5", "1/2"),
     ("3/4", "7/10", 1)],
)  # fmt: skip
def test_probabilities_against_quadrature(shape, scale, own, center):
    zero, one = noise(shape, 0, scale), noise(shape, 1, scale)
    other = noise(shape, center, own)
    found = other_probabilities(zero, one, other)
    for mass, ends in zip(found, ((zero, one), (one, zero)), strict=True):
        assert abs(middle(mass) - by_quadrature(other, *ends)) < mpmath.mpf(10) ** -9


def test_the_victims_probability():
    for epsilon in (Fraction(1, 2), Fraction(2), Fraction(3)):
        zero, one = laplace_noise(0, 1 / epsilon), laplace_noise(1, 1 / epsilon)
        assert victim_probability(zero, one) == 1 / (2 * Exact.exp(epsilon / 2))
        # Above the weight 1/(e^ε + 1) of randomized response.
        assert 1 / (2 * Exact.exp(epsilon / 2)) > 1 / (Exact.exp(epsilon) + 1)
    found = victim_probability(gaussian_noise(0, 2), gaussian_noise(1, 2))
    assert agree(found, normal_cdf(Exact("-1/4")))


def test_less_dense_regions():
    # Equal Gaussians split in the middle; a wider one is below the narrower at its center.
    assert less_dense(gaussian_noise(0, 1), gaussian_noise(1, 1)) == ((Exact("1/2"), None),)
    (low, _), (_, high) = less_dense(laplace_noise(0, 2), laplace_noise(0, 1))
    assert agree(high, 2 * log(Exact(2))) and agree(-low, high)
    assert less_dense(laplace_noise(0, 1), laplace_noise(0, 1)) == ()
    with pytest.raises(DomainError, match="family"):
        less_dense(laplace_noise(0, 1), gaussian_noise(0, 1))


@pytest.mark.parametrize(("first", "other"), [("2", "1"), ("3", "1/10"), ("1", "3/4")])
def test_terms_against_regions(first, other):
    e, f = Fraction(first), Fraction(other)
    for shape, ends in (
        (Shape.LAPLACE, laplace_other_terms(e, f)),
        (Shape.GAUSSIAN, gaussian_other_terms(e / 3, e / f)),
    ):
        c = 1 if shape is Shape.LAPLACE else 3
        zero, one = noise(shape, 0, c / e), noise(shape, 1, c / e)
        found = other_probabilities(zero, one, noise(shape, 0, c / f))
        assert all(agree(x, value(y)) for x, y in zip(found, ends, strict=True))
        assert agree(least_probability(shape, c / e, c / f), min(found, key=middle))


def test_local_privacy_is_checked():
    engine = GaussianMechanism(Exact(3), Exact(1)).delta(Epsilon.rational("1/2"))
    assert agree(value(gaussian_delta(Fraction(1, 3), Fraction(1, 2))), engine)
    assert is_classical(Fraction(7), Fraction(1, 10**10)).holds()
    assert not is_classical(Fraction(6), Fraction(1, 10**10)).holds()


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize("cut", ["-1", "1/2", "3"])
def test_probabilities_below_a_threshold(shape, cut):
    found = value(probability_below(shape, Fraction(cut), center=1, scale=Fraction(3, 4)))
    assert agree(noise(shape, 1, "3/4").below(Exact(cut)), found)


def test_interval_algebra():
    a, b, c = Exact(0), Exact(1), Exact(2)
    assert intersection([(a, b)], [(b, c)]) == ()
    assert intersection([(None, b)], [(a, c)]) == ((a, b),)
    with pytest.raises(UndecidedError, match="told apart"):
        intersection([(a, log(Exact(2)))], [(log(Exact(4)) / 2, c)])
