"""Laplace noise with ends: against integrals of the densities, by quadrature."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from exactdp.accounting import compose
from exactdp.divergences import calibrated
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    bounded_laplace_mechanism,
    smallest_threshold,
    thresholded,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact, decimal
from tests.routes.reals import mpf_of

nats = Epsilon.rational
mpf = mpmath.mpf


NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def truncated(x, b, radius):
    """The density at x, without its norm."""
    return np.where(abs(x) <= radius, np.exp(-abs(x) / b), 0)


def integral(f, cuts):
    """∫ f between cuts, by Gauss and Legendre: to about 1e-13 where f is smooth between them."""
    found = 0.0
    for low, high in pairwise(sorted(cuts)):
        half = (high - low) / 2
        found += half * float(np.dot(WEIGHTS, f(low + half * (NODES + 1))))
    return found


def delta_of(p, q, gamma, ends, kinks):
    """∫ of the positive part of p − γq, whose sign changes at most once and falls."""
    low, high = ends
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if p(middle) > gamma * q(middle) else (low, middle)
    cuts = [ends[0], low, *(k for k in kinks if k < low)]
    return integral(lambda x: p(x) - gamma * q(x), cuts)


@pytest.mark.parametrize("epsilon", ["0", "1/3", "1", "7/5", "2", "-1/2"])
@pytest.mark.parametrize(
    ("b", "radius", "size"), [("1", "4", "1"), ("3/2", "2", "3"), ("1", "1", "1"), ("2", "1", "5")]
)
def test_truncated_noise_is_its_integral(b, radius, size, epsilon):
    noise = truncated_laplace_mechanism(scale=b, radius=radius, sensitivity=size)
    found = noise.delta(nats(epsilon))
    b, radius, size, at = (float(Fraction(x)) for x in (b, radius, size, epsilon))
    norm = integral(lambda x: truncated(x, b, radius), [-radius, 0, radius])
    p, q = (lambda x, s=s: truncated(x - s, b, radius) / norm for s in (0, size))
    cuts = [-radius, size - radius, 0, size, radius, size + radius, (size - b * at) / 2]
    truth = integral(lambda x: np.maximum(0, p(x) - np.exp(at) * q(x)), cuts)
    assert abs(float(decimal(found, digits=20)) - truth) < 1e-12
    within = noise.delta(nats(epsilon), relative_width="1e-15")
    assert within.contains(found) if isinstance(found, Exact) else within.width < Fraction(1, 10**9)


def test_the_radius_of_geng_and_others():
    """Their A for (ε, δ) with b = Δ/ε, and neither less nor more."""
    epsilon, delta, size = Fraction(1, 2), Fraction(1, 10**6), 3
    of = {"epsilon": nats(epsilon), "delta": delta, "sensitivity": size}
    found = calibrated(truncated_laplace_mechanism, **of, scale=size / epsilon)
    with mpmath.workdps(30):
        truth = 6 * mpmath.log(1 + (mpmath.exp(mpf("0.5")) - 1) / (2 * mpf_of(delta)))
        assert mpf_of(found.lower) <= truth <= mpf_of(found.upper) <= truth * (1 + mpf(10) ** -9)
    with pytest.raises(DomainError, match="too little noise without an end"):
        calibrated(truncated_laplace_mechanism, **of, scale=5)


def test_an_end_of_the_largest_finite_loss():
    noise = truncated_laplace_mechanism(scale=1, radius=1)
    assert noise.epsilon("1/2").lower == noise.epsilon("1/2").upper == 1
    assert noise.epsilon("1/4").is_infinite and noise.epsilon("3/4").upper < 1
    assert noise.max_divergence().is_infinite and noise.reversed() is noise


def test_composed_with_itself():
    """Two copies are a double sum over cells of the noise, small ones."""
    noise = truncated_laplace_mechanism(scale="2/3", radius="5/3")
    found = compose([(noise, 2)]).delta(nats("1/2"), relative_width="1e-6")
    cells, shift = 1500, 450
    x = (np.arange(cells) + 0.5) * (10 / 3 / cells) - 5 / 3
    masses = np.exp(-abs(x) * 1.5)
    masses /= masses.sum()
    p, losses = masses[shift:], np.log(masses[shift:] / masses[:-shift])
    excess = np.maximum(0, 1 - np.exp(0.5 - losses[:, None] - losses[None, :]))
    truth = 1 - p.sum() ** 2 + p @ excess @ p
    assert abs(float(found.lower) - truth) < 1e-5 and found.width < Fraction(1, 10**6)
    with pytest.raises(DomainError, match="not above the sensitivity"):
        compose([(truncated_laplace_mechanism(scale=1, radius=1), 2)])


def test_thresholds_of_truncated_noise():
    noise = truncated_laplace_mechanism(scale=1, radius=5)
    at, delta = nats(1), Exact("1/50")
    t = smallest_threshold(noise, at, delta)
    assert abs(noise.above(t - 1).ball(60) - delta.ball(60)) < 1e-12
    assert noise.above(Exact(5)) == 0 and noise.above(Exact(-5)) == 1
    assert noise.above(Exact(-2)) == 1 - noise.above(Exact(2))
    shown = thresholded(noise, threshold=6)
    assert shown.delta(at, relative_width="1e-9") == noise.delta(at, relative_width="1e-9")


def folded(x, y, upper):
    points = (z for k in range(-12, 13) for z in (2 * k * upper + y, 2 * k * upper - y))
    return sum(np.exp(-abs(z - x)) for z in points)


def redrawn(x, y, upper):
    return np.exp(-abs(y - x))


def delta_at(density, upper, size, gamma, x):
    """δ of the inputs x and x + s."""
    laws = []
    for at in (x, x + size):
        norm = integral(lambda y, at=at: density(at, y, upper), [0, at, upper])
        laws.append(lambda y, at=at, norm=norm: density(at, y, upper) / norm)
    return delta_of(*laws, gamma, (0.0, upper), [x, x + size])


@pytest.mark.parametrize("epsilon", ["0", "2/5", "3/4"])
@pytest.mark.parametrize(("upper", "size"), [("3", "1"), ("3/2", "5/4")])
@pytest.mark.parametrize(("results", "density"), [("folded", folded), ("redrawn", redrawn)])
def test_the_worst_inputs(results, density, upper, size, epsilon):
    noise = bounded_laplace_mechanism(upper=upper, scale=1, sensitivity=size, results=results)
    found = noise.delta(nats(epsilon), relative_width="1e-12")
    upper, size, at = (float(Fraction(x)) for x in (upper, size, epsilon))

    def of(x):
        return delta_at(density, upper, size, np.exp(at), x)

    assert max(of(x) for x in np.linspace(0, upper - size, 9)) <= float(found.upper) + 1e-12
    low, high = 0.0, upper - size
    for _ in range(25):  # of a function with one peak
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if of(a) < of(b) else (low, b)
    assert abs(of((low + high) / 2) - float(found.lower)) < 1e-9


def test_more_precision_narrows_and_mirrors():
    for results in ("folded", "redrawn"):
        noise = bounded_laplace_mechanism(upper=5, scale=2, results=results)
        wide, fine = (noise.delta(nats("1/5"), relative_width=w) for w in ("1e-6", "1e-40"))
        assert wide.lower <= fine.lower <= fine.upper <= wide.upper
        # H at −ε is 1 − e^(−ε) + e^(−ε) H at ε of the other order, which is as bad.
        turned = noise.delta(nats("-1/5"), relative_width="1e-15")
        shrunk = Exact.exp("-1/5")
        truth = 1 - shrunk + shrunk * noise.delta(nats("1/5"))
        assert (
            mpf_of(turned.lower)
            <= mpf(decimal(truth, digits=30))
            <= mpf_of(turned.upper) + mpf("1e-20")
        )
        top = noise.max_divergence()
        assert noise.delta(top) == 0 and noise.delta(nats("1/5")).ball(60) > 0
        assert noise.reversed() is noise
        with pytest.raises(DomainError, match="only its delta is known"):
            noise.renyi(2)
        with pytest.raises(DomainError, match="only its delta is known"):
            noise.trade_off("1/2")


@pytest.mark.parametrize(("upper", "scale"), [("1", "1000000"), ("1e20", "1"), ("3", "1e-20")])
def test_a_range_much_shorter_or_longer_than_the_noise(upper, scale):
    """Drawn again in [0, U] with b → ∞: δ(0) is sU/(4b²)·... below that of unbounded noise."""
    sides = [
        bounded_laplace_mechanism(upper=upper, scale=scale, results=way).delta(
            nats(0), relative_width="1e-6"
        )
        for way in ("folded", "redrawn", "clamped")
    ]
    assert sides[0].lower <= sides[1].upper and sides[1].lower <= sides[2].upper


@pytest.mark.parametrize("results", ["clamped", "folded", "redrawn"])
def test_smallest_scale(results):
    at, delta = nats(1), "1/1000"
    of = {"upper": 4, "sensitivity": "3/2", "results": results}
    target = {"epsilon": at, "delta": delta}
    found = calibrated(bounded_laplace_mechanism, **target, relative_width="1e-6", **of)
    ends = [bounded_laplace_mechanism(scale=b, **of) for b in (found.lower, found.upper)]
    below, above = (noise.delta(at, relative_width="1e-9") for noise in ends)
    assert above.upper <= Fraction(delta) < below.lower


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: truncated_laplace_mechanism(scale=0, radius=1), "scale=0 is not positive"),
        (
            lambda: truncated_laplace_mechanism(scale=1, radius=float("nan")),
            "radius=nan is not finite",
        ),
        (
            lambda: bounded_laplace_mechanism(upper=0, scale=1, results="folded"),
            "upper=0 is not positive",
        ),
        (lambda: bounded_laplace_mechanism(upper=1, scale=1, results="cut"), "results='cut'"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(DomainError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
