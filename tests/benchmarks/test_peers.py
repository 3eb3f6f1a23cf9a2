"""Questions of ours to other accountants, in one run: ratios of times, and their answers.

Peers are not dependencies of ours: `pip install dp-accounting prv-accountant` to have them
measured, and `random-allocation` with `pandas`, in an environment of its own if they do not agree;
what is missing is skipped. Every answer is computed once, cold, from a new object.
"""

from fractions import Fraction
from time import process_time

import pytest

from exactdp.accounting import (
    compose,
    compose_certified,
    composed_randomized_response,
    poisson_subsampled,
)
from exactdp.divergences import add_or_remove
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import random_allocation
from exactdp.sums.laws import clouds

STEP = 1e-4
"""The usual grid of dp-accounting."""


def timed(function):
    """Return a value and its processor time, with no nodes of an earlier quadrature kept."""
    clouds._gauss.cache_clear()
    start = process_time()
    value = function()
    return value, process_time() - start


def report(name, ours, theirs):
    print(f"{name}: ours {ours:.3f} s, theirs {theirs:.3f} s, ratio {theirs / ours:.2g}")


@pytest.fixture
def google():
    """The grids of dp-accounting."""
    return pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


@pytest.fixture
def prv():
    """The accountant of prv-accountant."""
    return pytest.importorskip("prv_accountant")


@pytest.fixture
def allocation():
    """The bounds of random-allocation."""
    pytest.importorskip("random_allocation")
    return pytest.importorskip("random_allocation.random_allocation_scheme")


def test_randomized_response_1000_times_100_epsilons(google):
    epsilons = [Fraction(i, 10) for i in range(1, 101)]

    def ours():
        composed = composed_randomized_response(Epsilon.rational("1/10"), 1000)
        return [composed.delta(Epsilon.rational(e), relative_width="1e-12") for e in epsilons]

    def theirs():
        # Binary randomized response with e^epsilon0 : 1 odds flips a uniform coin this often.
        noise = 2 / (float(Exact.exp(Fraction(1, 10)).ball(64).mid()) + 1)
        loss = google.from_randomized_response(noise, 2, value_discretization_interval=STEP)
        composed = loss.self_compose(1000)
        return [composed.get_delta_for_epsilon(float(e)) for e in epsilons]

    certified, our_time = timed(ours)
    values, their_time = timed(theirs)
    report("randomized response x 1000, 100 epsilons", our_time, their_time)
    assert our_time < their_time
    # Theirs is an upper bound, so it is never certainly below ours.
    below = sum(Fraction(v) < c.lower for v, c in zip(values, certified, strict=True))
    print(f"theirs is below the truth at {below} of {len(values)} epsilons")


# sigma, rate, steps, delta, and the error in epsilon that prv-accountant is asked for
SGD = {
    "DP-SGD q=0.01 sigma=1 x 30": ("1", "0.01", 30, "1e-5", 1e-2),
    "DP-SGD q=0.01 sigma=1 x 1e3": ("1", "0.01", 10**3, "1e-5", 1e-2),
    "DP-SGD q=0.001 sigma=0.8 x 1e4": ("0.8", "0.001", 10**4, "1e-5", 1e-2),
    "DP-SGD q=0.001 sigma=1 x 1e6": ("1", "0.001", 10**6, "1e-12", 5e-2),
}
OTHERS = {
    "Gaussian sigma=30 x 1000": (gaussian_mechanism(sigma=30), "gaussian", 30),
    "Laplace scale=1 x 1000": (laplace_mechanism(scale=1), "laplace", 1),
    "Laplace scale=10 x 1000": (laplace_mechanism(scale=10), "laplace", 10),
}


def smallest_epsilon(part, times, delta, width):
    """Return our answer and its time, from a new composition each time."""
    return timed(lambda: compose_certified([(part, times)]).epsilon(delta, relative_width=width))


def sgd(name):
    sigma, rate, times, delta, _ = SGD[name]
    return (
        poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate),
        times,
        delta,
    )


@pytest.mark.parametrize(("width", "most"), [("1e-3", 1), ("1e-6", 2)])
@pytest.mark.parametrize("name", list(SGD)[:3])
def test_sgd_beside_dp_accounting(google, name, width, most):
    part, times, delta = sgd(name)
    certified, our_time = smallest_epsilon(part, times, delta, width)
    sigma, rate = float(SGD[name][0]), float(SGD[name][1])

    def theirs():
        loss = google.from_gaussian_mechanism(
            sigma, sampling_prob=rate, value_discretization_interval=STEP
        )
        return loss.self_compose(times).get_epsilon_for_delta(float(delta))

    value, their_time = timed(theirs)
    report(f"{name}, width {width}, dp-accounting", our_time, their_time)
    print(f"ours [{float(certified.lower)!r}, {float(certified.upper)!r}], theirs {value!r}")
    # Theirs is for both directions; here the one we are asked for is the larger.
    assert float(certified.lower) * 0.999 < value < float(certified.upper) * 1.01
    assert our_time < most * their_time


@pytest.mark.parametrize("name", SGD)
def test_sgd_beside_prv_accountant(prv, name):
    part, times, delta = sgd(name)
    certified, our_time = smallest_epsilon(part, times, delta, "1e-3")
    sigma, rate = float(SGD[name][0]), float(SGD[name][1])

    def theirs():
        from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism

        noise = PoissonSubsampledGaussianMechanism(
            noise_multiplier=sigma, sampling_probability=rate
        )
        accountant = prv.PRVAccountant(
            prvs=[noise],
            max_self_compositions=[times],
            eps_error=SGD[name][-1],
            delta_error=float(delta) / 1000,
        )
        return accountant.compute_epsilon(delta=float(delta), num_self_compositions=[times])

    (low, _, high), their_time = timed(theirs)
    report(f"{name}, width 1e-3 and +-{SGD[name][-1]}, prv-accountant", our_time, their_time)
    print(f"ours [{float(certified.lower)!r}, {float(certified.upper)!r}], theirs [{low}, {high}]")
    assert low < certified.upper
    assert certified.lower < high
    assert our_time < their_time


@pytest.mark.parametrize("name", OTHERS)
def test_noise_beside_dp_accounting(google, name):
    mechanism, kind, parameter = OTHERS[name]
    certified, our_time = smallest_epsilon(mechanism, 1000, "1e-5", "1e-6")

    def theirs():
        make = getattr(google, f"from_{kind}_mechanism")
        loss = make(parameter, value_discretization_interval=STEP)
        return loss.self_compose(1000).get_epsilon_for_delta(1e-5)

    value, their_time = timed(theirs)
    report(f"{name}, width 1e-6, dp-accounting", our_time, their_time)
    print(f"ours [{float(certified.lower)!r}, {float(certified.upper)!r}], theirs {value!r}")
    assert float(certified.lower) * 0.999 < value < float(certified.upper) * 1.01


# sigma, steps, epochs, and how many times its time ours may take
ALLOCATIONS = {
    "random allocation sigma=1, 100 steps": (1, 100, 1, 1),
    "random allocation sigma=1, 100 steps x 10": (1, 100, 10, 2),
    "random allocation sigma=2, 100 steps x 10": (2, 100, 10, 2),
}


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_random_allocation_beside_its_library(allocation, name):
    sigma, steps, epochs, most = ALLOCATIONS[name]

    def ours():
        noise = gaussian_mechanism(sigma=sigma)
        composed = compose([(random_allocation(noise, steps=steps), epochs)])
        return add_or_remove(composed).epsilon("1e-6", relative_width="1e-3")

    def theirs():
        from random_allocation import PrivacyParams, SchemeConfig

        asked = PrivacyParams(float(sigma), steps, num_epochs=epochs, delta=1e-6)
        orders = list(range(2, 61))  # those of its own examples
        # The least of its upper bounds.
        return allocation.allocation_epsilon_combined(
            asked, SchemeConfig(allocation_direct_alpha_orders=orders)
        )

    certified, our_time = timed(ours)
    value, their_time = timed(theirs)
    report(f"{name}, width 1e-3, random-allocation's combined bound", our_time, their_time)
    looser = value / float(certified.upper)
    print(f"ours [{float(certified.lower)!r}, {float(certified.upper)!r}], theirs {value!r}")
    print(f"theirs is {looser:.3f} times ours")
    assert float(certified.lower) * 0.999 < value
    assert our_time < most * their_time
