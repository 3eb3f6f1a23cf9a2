"""Noise that is known by its density alone, beside noise whose formulas are known.

A kind of noise that the library does not know is composed, sampled, replaced, grouped and
allocated here: what it needs is its density.
"""

from fractions import Fraction

import mpmath
import pytest
from flint import acb, arb

from exactdp.accounting import LossProfile, compose, group_profile, sampled
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    gaussian_mechanism,
    laplace_mechanism,
    log_concave_mechanism,
    thresholded,
)
from exactdp.mechanisms.mixed_noise import mixed
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.shuffle import random_allocation
from tests.routes.laws import log_logistic
from tests.routes.reals import fraction_of

F = Fraction


def normal(x):
    return -x * x / 2


def between(x):
    """-x^(3/2): tails between those of Laplace and of normal noise."""
    return -x * x.sqrt()


NORMAL = log_concave_mechanism(normal, sensitivity="3/2")
GAUSSIAN = gaussian_mechanism(sigma=1, sensitivity="3/2")
LOGISTIC = log_concave_mechanism(log_logistic, steepest=1)
BETWEEN = log_concave_mechanism(between)

REPLACED = {"sampling_probability": "1/10", "neighbors": "substitution"}
MADE = {
    "alone": lambda noise: noise,
    "grouped": lambda noise: group_profile(noise, 3),
    "sampled": lambda noise: sampled(noise, sampling_probability="1/10"),
    "sampled, reversed": lambda noise: sampled(noise, sampling_probability="1/10").reversed(),
    "replaced": lambda noise: sampled(noise, **REPLACED),
    "replaced in each": lambda noise: sampled(
        noise, sampling_probability=1, neighbors="substitution"
    ),
    "batches": lambda noise: sampled(noise, **REPLACED, batches="fixed_size"),
    "in a few steps": lambda noise: compose([(noise, 3)]),
    "replaced in a few steps": lambda noise: compose([(sampled(noise, **REPLACED), 3)]),
    "allocated": lambda noise: random_allocation(noise, steps=5),
    "thresholded": lambda noise: thresholded(noise, threshold=6),
}
COARSE = {"allocated": "1e-2", "in a few steps": "1e-3", "replaced in a few steps": "1e-3"}


@pytest.mark.parametrize("made", MADE)
def test_a_normal_density_is_gaussian_noise(made):
    width = COARSE.get(made, "1e-9")
    ours, known = (MADE[made](noise) for noise in (NORMAL, GAUSSIAN))
    for at in (Epsilon.rational(0), Epsilon.rational(1), Epsilon.rational(-1)):
        one, other = (enclosed(x.delta(at, relative_width=width), F(width)) for x in (ours, known))
        assert one.lower <= other.upper and other.lower <= one.upper
    one, other = (x.epsilon("1e-3", relative_width=width) for x in (ours, known))
    assert one.lower <= other.upper and other.lower <= one.upper
    assert one.width <= F(width) * one.lower


@pytest.mark.parametrize("size", ["1e-9", "1e-4", "1/10", "40"])
@pytest.mark.parametrize("rate", ["1e-9", "1/1000", "999/1000"])
def test_far_apart_and_near_each_other_it_is_gaussian_noise(size, rate):
    """At 0, where answers 40 deviations apart have a loss of about 0 on a long way, and above."""
    noises = (
        log_concave_mechanism(normal, sensitivity=size),
        gaussian_mechanism(sigma=1, sensitivity=size),
    )
    pairs = [
        sampled(noise, sampling_probability=rate, neighbors="substitution") for noise in noises
    ]
    for nats in (F(0), F(rate) * F(size) / 2):
        epsilon = Epsilon.rational(nats)
        one, other = (x.delta(epsilon, relative_width="1e-9") for x in pairs)
        assert one.lower <= other.upper and other.lower <= one.upper


@pytest.mark.parametrize("nats", ["0", "1/3", "-1/2", "9/10"])
def test_logistic_noise_by_its_formula(nats):
    """The output of a loss by bisection in mpmath, and the tails 1/(1 + e^x) there."""
    with mpmath.workdps(60):
        t = mpmath.mpf(F(nats).numerator) / F(nats).denominator
        log_f = lambda x: -abs(x) - 2 * mpmath.log1p(mpmath.exp(-abs(x)))  # noqa: E731
        low, high = mpmath.mpf(-200), mpmath.mpf(200)
        for _ in range(300):
            y = (low + high) / 2
            low, high = (y, high) if log_f(y - 1) - log_f(y) < t else (low, y)
        tail = lambda x: 1 / (1 + mpmath.exp(x))  # noqa: E731
        truth = fraction_of(tail(low - 1) - mpmath.exp(t) * tail(low))
    found = LOGISTIC.delta(Epsilon.rational(nats), relative_width="1e-20")
    slack = abs(truth) / 10**30
    assert found.lower - slack <= truth <= found.upper + slack


def test_a_record_that_is_replaced_is_an_integral():
    """The positive part of P - γQ by quadrature, of the mixtures' densities."""
    rate, gamma = mpmath.mpf(1) / 10, mpmath.mpf(21) / 20
    with mpmath.workdps(25):
        whole = 2 * mpmath.quad(lambda x: mpmath.exp(-(x**1.5)), [0, 1, 5, 40])
        f = lambda x: mpmath.exp(-(abs(x) ** mpmath.mpf("1.5"))) / whole  # noqa: E731
        gap = lambda y: (  # noqa: E731
            (1 - rate) * f(y) * (1 - gamma) + rate * (f(y - 1) - gamma * f(y + 1))
        )
        start = mpmath.findroot(gap, (0, 2), solver="anderson")
        truth = mpmath.quad(gap, [start, 1, 2, 5, 40])
    pair = sampled(BETWEEN, **REPLACED)
    found = pair.delta(Epsilon.log("21/20"), relative_width="1e-12")
    assert abs(float(found.lower) / float(truth) - 1) < 1e-9
    assert isinstance(pair, LossProfile) and pair.reversed() is pair


def test_ends_of_losses():
    assert LOGISTIC.max_divergence() == Exact(1)
    assert LOGISTIC.delta(Epsilon.rational(2)) == Exact(0)
    assert LOGISTIC.delta(Epsilon.rational(-2)) == 1 - Exact.exp(-2)
    assert NORMAL.max_divergence() == Epsilon.infinity()
    assert LOGISTIC.infinity_mass() == Exact(0)
    one = sampled(LOGISTIC, **REPLACED).max_divergence()
    with mpmath.workdps(30):
        e = mpmath.e
        truth = mpmath.log((F(9, 10) + e / 10) / (F(9, 10) + 1 / e / 10))
    ball = one.ball(100)
    assert abs(float(ball.mid()) - float(truth)) < 1e-12


def test_slopes_that_come_near_their_bound_slowly_are_known_noise():
    """ln f = -x + ln(1 + x) - e.g. of two exponential variables: its slope is 1 - 1/(1 + x)."""
    noise = log_concave_mechanism(lambda x: -x + (1 + x).log(), steepest=1)
    with mpmath.workdps(30):
        f = lambda x: mpmath.exp(-abs(x)) * (1 + abs(x)) / 4  # noqa: E731
        # Of two mirror images the halves: the total variation is between -1/2 and 1/2.
        truth = 2 * mpmath.quad(f, [0, mpmath.mpf(1) / 2])
    found = noise.delta(Epsilon.rational(0), relative_width="1e-9")
    assert abs(float(found.lower) / float(truth) - 1) < 1e-8


def test_tails_and_quantiles_agree():
    for noise in (LOGISTIC, BETWEEN):
        for level in ("1/1000", "1/3", "2/3"):
            x = noise.exceeded(Exact(level))
            ball = noise.above(x).ball(200)
            assert abs(ball - Exact(level).ball(200)) < arb(2) ** -150
    with mpmath.workdps(40):
        truth = fraction_of(1 / (1 + mpmath.exp(mpmath.mpf(50))))
    found = enclosed(LOGISTIC.above(Exact(50)), F(1, 10**20))
    assert found.lower <= truth * (1 + F(1, 10**30)) and truth * (1 - F(1, 10**30)) <= found.upper


@pytest.mark.parametrize("middle", ["0", "1/1000", "-1/1000", "3"])
def test_the_tail_of_a_ball_holds_that_of_each_of_its_points(middle):
    at, radius = Exact(middle).ball(100), arb(2) ** -5
    found = LOGISTIC.density.tail(at + radius * arb(0, 1))
    for x in (at - radius, at, at + radius):
        assert found.contains(arb((1 / (1 + x.exp())).mid()))


def test_renyi_divergences_of_bounded_losses():
    with mpmath.workdps(30):
        f = lambda x: mpmath.exp(-abs(x)) / (1 + mpmath.exp(-abs(x))) ** 2  # noqa: E731
        truth = mpmath.log(mpmath.quad(lambda y: f(y - 1) ** 2 / f(y), [-60, -5, 0, 1, 6, 60]))
    found = LOGISTIC.renyi(2, relative_width="1e-3")
    assert float(found.lower) <= truth <= float(found.upper)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: log_concave_mechanism(lambda x: -x, steepest=1), "losses have atoms"),
        (lambda: log_concave_mechanism(log_logistic, steepest=2), "it is 1.00000 there"),
        (lambda: log_concave_mechanism(log_logistic, steepest="1/2"), "is reached"),
        (lambda: log_concave_mechanism(log_logistic, steepest="1.0001"), "it is 1.00000 there"),
        (lambda: log_concave_mechanism(log_logistic), "goes to -1.00000 far out"),
        (lambda: log_concave_mechanism(lambda x: -3 * x), "goes to -3.00000 far out"),
        (lambda: log_concave_mechanism(lambda x: x), "does not fall"),
        (lambda: log_concave_mechanism(lambda x: acb("nan")), "does not fall"),
        (
            lambda: log_concave_mechanism(lambda x: -2 * (1 + x * x).log()),
            "not concave",
        ),
        (lambda: log_concave_mechanism(normal, sensitivity=0), "sensitivity=0 is not positive"),
        (lambda: log_concave_mechanism(normal, steepest=-1), "steepest=-1 is not positive"),
        (
            lambda: mixed(LOGISTIC, ((-1, Exact(1)),), ((0, Exact(1)),)),
            "a shift of first is negative",
        ),
        (lambda: mixed(LOGISTIC, ((1, Exact("1/2")),), ((0, Exact(1)),)), "first=.* not weights"),
        (
            lambda: mixed(LOGISTIC, ((1, Exact(1)),), ((0, Exact(1)), (-1, Exact(0)))),
            "second=.* are not weights",
        ),
        (
            lambda: mixed(LOGISTIC, ((1, Exact(1)),), ((0, Exact("1/2")), (0, Exact("1/2")))),
            "second=.* are not weights",
        ),
        (lambda: mixed(LOGISTIC, ((0, Exact(1)),), ((0, Exact(1)),)), "the same laws"),
        (lambda: LOGISTIC.renyi(3) and BETWEEN.renyi(2), "needs a bound of the losses"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(Exception, match=message) as caught:
        call()
    assert isinstance(caught.value, DomainError) or "needs a bound" in message


def test_noise_of_bounded_losses_that_is_known_otherwise_is_refused_here_only():
    """Laplace noise has atoms; its own mechanism is sampled and replaced as before."""
    assert sampled(laplace_mechanism(scale=1), **REPLACED).max_divergence()


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("radius", ["1e-3", "1e-30", "1e-60"])
def test_tails_at_a_wide_ball_about_an_end_hold_those_in_it(sign, radius):
    """A step from its middle left out what is farther from the end."""
    noise = log_concave_mechanism(log_logistic, steepest=1)
    loss = mixed(noise, ((1, Exact(1)),), ((0, Exact(1)),)).law.density
    with precision(256):
        ball = arb(sign, radius)
        inner = ball.lower() if sign > 0 else ball.upper()
        for ask in (loss.above, loss.below):
            for wide, narrow in zip(ask(ball), ask(arb(inner)), strict=True):
                assert wide.contains(arb(narrow.mid()))
