"""Times of certified composition at scale, with the limits that it promises.

Run: pytest --import-mode=importlib tests/benchmarks/test_composition_at_scale.py
"""

import time
from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp.accounting import compose, compose_certified, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    binomial_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    skellam_mechanism,
)
from exactdp.numbers import Epsilon

pytestmark = pytest.mark.benchmark(timer=time.process_time)

COIN = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])


def sgd(*, sigma, rate):
    return poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)


GAUSSIAN = gaussian_mechanism(sigma=30)
MANY_KINDS = [
    (GAUSSIAN, 500),
    (laplace_mechanism(scale=20), 300),
    (COIN, 200),
    (sgd(sigma=1, rate="1/100"), 100),
]


@pytest.mark.parametrize("width", ["1e-3", "1e-6"])
@pytest.mark.parametrize(
    ("parts", "delta", "seconds"),
    [
        ([(sgd(sigma=1, rate="0.1"), 4)], "1e-5", 2),
        ([(sgd(sigma=1, rate="0.01"), 4)], "1e-5", 5),
        ([(sgd(sigma=1, rate="0.01"), 10)], "1e-5", 4),
        ([(sgd(sigma=1, rate="0.01"), 30)], "1e-5", 2),
        ([(sgd(sigma=1, rate="0.01"), 1000)], "1e-5", 1),
        ([(sgd(sigma="0.8", rate="0.001"), 10_000)], "1e-5", 2),
        ([(sgd(sigma=1, rate="0.001"), 10**6)], "1e-12", 5),
        ([(gaussian_mechanism(sigma=1), 1000)], "1e-5", 1),
        ([(laplace_mechanism(scale=1), 1000)], "1e-5", 1),
        ([(laplace_mechanism(scale=10), 1000)], "1e-5", 1),
    ],
    ids=[
        "sgd-4",
        "sgd-4-rarely",
        "sgd-10",
        "sgd-30",
        "sgd-1e3",
        "sgd-1e4",
        "sgd-1e6",
        "gaussian",
        "laplace-1",
        "laplace-10",
    ],
)
def test_smallest_epsilon(timed, parts, delta, seconds, width):
    """Compose anew: nothing is kept from one round to the next."""
    found = timed(
        lambda: compose_certified(parts).epsilon(delta, relative_width=width),
        seconds=seconds,
        rounds=1,
    )
    assert 0 < found.width <= Fraction(width) * found.lower


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta"),
    [
        ("1", "1/100", 5, "1e-5"),
        ("1/2", "1/100", 8, "1e-5"),
        ("1/2", "1/100", 3, "1e-8"),
        ("1/2", "1/10", 2, "1e-8"),
    ],
)
def test_few_steps_narrowly_in_both_directions(timed, sigma, rate, steps, delta):
    """The slowest of the few-step questions of docs/speed.md, as they were or are."""
    parts = [(sgd(sigma=sigma, rate=rate), steps)]
    found = timed(
        lambda: compose(parts).both_directions().epsilon(delta, relative_width="1e-6"),
        seconds=2,
        rounds=1,
    )
    assert 0 < found.width <= found.lower / 10**6


@pytest.mark.parametrize(
    ("parts", "epsilon", "width", "seconds"),
    [
        ([(GAUSSIAN, 1000)], "39", "1e-3", 1),
        (MANY_KINDS, "14", "1e-3", 5),
        ([(discrete_laplace_mechanism(rate=Epsilon.rational("1/20")), 1000)], "11", "1e-6", 2),
    ],
    ids=["1e-292", "many kinds", "discrete laplace"],
)
def test_delta(timed, parts, epsilon, width, seconds):
    found = timed(
        lambda: compose_certified(parts).delta(Epsilon.rational(epsilon), relative_width=width),
        seconds=seconds,
        rounds=1,
    )
    assert 0 < found.width <= Fraction(width) * found.lower


def test_five_orders_of_a_thousand_sampled_gaussians(timed):
    def divergences():
        steps = compose_certified([(sgd(sigma=1, rate="1/100"), 1000)])
        return [steps.renyi(order, relative_width="1e-12") for order in (2, 4, 8, 16, 32)]

    found = timed(divergences, seconds=0.2)
    assert all(0 < one.lower < after.lower for one, after in pairwise(found))


def test_the_trade_off_of_a_thousand_sampled_gaussians(timed):
    def type_two_error():
        return compose_certified([(sgd(sigma=1, rate="1/100"), 1000)]).trade_off(
            "1/20", relative_width="1e-6"
        )

    assert 0 < timed(type_two_error, seconds=2).lower < 1


@pytest.mark.parametrize(
    "noise",
    [
        discrete_gaussian_mechanism(sigma=2),
        discrete_laplace_mechanism(scale=2),
        skellam_mechanism(variance=8),
        binomial_mechanism(trials=200),
    ],
    ids=["gaussian", "laplace", "skellam", "binomial"],
)
def test_a_thousand_steps_of_integer_noise_on_samples(timed, noise):
    found = timed(
        lambda: compose([(poisson_subsampled(noise, sampling_probability="0.01"), 1000)]).epsilon(
            "1e-6", relative_width="1e-3"
        ),
        seconds=5,
        rounds=1,
    )
    assert found.upper <= found.lower * Fraction("1.001")


INTEGERS = {
    "gaussian-10": [(discrete_gaussian_mechanism(sigma=10), 100)],
    "gaussian-100": [(discrete_gaussian_mechanism(sigma=100), 1000)],
    "gaussian-1000": [(discrete_gaussian_mechanism(sigma=1000), 1000)],
    "gaussian-1e6": [(discrete_gaussian_mechanism(sigma=10**6), 10**6)],
    "gaussians": [
        (discrete_gaussian_mechanism(sigma=4), 10),
        (discrete_gaussian_mechanism(sigma=7), 10),
        (discrete_gaussian_mechanism(sigma=9, sensitivity=3), 10),
    ],
    "skellam-1e2": [(skellam_mechanism(variance=100), 100)],
    "skellam-1e4": [(skellam_mechanism(variance=10**4), 10**6)],
    "skellam-1e6": [(skellam_mechanism(variance=10**6), 1000)],
    "binomial": [(binomial_mechanism(trials=1000), 100)],
    "sampled": [
        (
            poisson_subsampled(
                discrete_gaussian_mechanism(sigma=100), sampling_probability="0.001"
            ),
            10**6,
        )
    ],
    "kinds": [
        (gaussian_mechanism(sigma=5), 3),
        (laplace_mechanism(scale=10), 4),
        (COIN, 10),
        (discrete_gaussian_mechanism(sigma=4), 2),
        (skellam_mechanism(variance=100), 2),
    ],
}


@pytest.mark.parametrize("parts", INTEGERS.values(), ids=INTEGERS)
def test_integer_noise(timed, parts):
    found = timed(
        lambda: compose(parts).epsilon("1e-6", relative_width="1e-3"), seconds=2, rounds=1
    )
    assert 0 < found.width <= found.lower / 1000
