"""Times of dominating pairs at scale, with the limits that they promise.

Run: pytest --import-mode=importlib tests/benchmarks/test_pairs_at_scale.py

``test_against_a_sketch`` is independent of the machine: the certified machine-number path may
take a few times what a plain numpy version of the same recurrences takes, which proves nothing
about its error.
"""

import time

import numpy as np
import pytest

from exactdp.accounting import compose
from exactdp.divergences import calibrated
from exactdp.mechanisms import (
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
    subset_selection,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    clone_pair,
    shuffle_worst_case,
    stronger_clone_pair,
)

ONE = Epsilon.rational(1)

EPSILONS = {10**6: "0.0075", 10**9: "0.0002", 10**12: "0.0000065"}
"""Where δ of clones with ε0 = 1 is about 10^-10."""


def enclose(n, width, family=clone_pair):
    gamma = Exact.exp(EPSILONS[n])
    return family(n, ONE).delta(Epsilon(Exact(gamma)), relative_width=width)


@pytest.mark.parametrize("family", [clone_pair, stronger_clone_pair])
@pytest.mark.parametrize(("n", "seconds"), [(10**6, 0.010), (10**9, 0.15)])
def test_nine_digits(timed, family, n, seconds):
    found = timed(lambda: enclose(n, "1e-9", family), seconds=seconds)
    assert 0 < found.width * 10**9 <= found.lower


def test_nine_digits_for_a_million_million_users(timed):
    found = timed(lambda: enclose(10**12, "1e-9"), seconds=8, rounds=1)
    assert 0 < found.width * 10**9 <= found.lower


@pytest.mark.parametrize(("n", "seconds"), [(10**6, 0.3), (10**9, 3)])
def test_fifteen_digits(timed, n, seconds):
    found = timed(lambda: enclose(n, "1e-15"), seconds=seconds, rounds=2)
    assert 0 < found.width * 10**15 <= found.lower


def test_epsilon_for_a_million_users(timed):
    pair = clone_pair(10**6, ONE)
    found = timed(lambda: pair.epsilon(delta="1e-10"), seconds=0.3)
    assert 0 < found.width * 10**9 <= found.lower


def test_largest_epsilon0_for_a_million_users(timed):
    tenth = Epsilon.rational("1/10")
    found = timed(
        lambda: calibrated(stronger_clone_pair, n=10**6, epsilon=tenth, delta="1e-10"),
        seconds=0.6,
    )
    assert 0 < found.width * 10**9 <= found.lower


@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("delta", ["1e-9", "1e-300"])
def test_both_ends_of_the_worst_case_of_a_million_users(timed, k, delta):
    found = timed(
        lambda: shuffle_worst_case(10**6, randomized_response(k, ONE)).epsilon(delta), seconds=1
    )
    assert found.width * 100 <= found.lower


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize(
    ("noise", "n", "seconds"),
    [
        (laplace_mechanism(scale=1), 1_000, 6),
        (laplace_mechanism(scale=1), 10**6, 20),
        (gaussian_mechanism(sigma=2), 1_000, 30),
    ],
    ids=["Laplace", "Laplace at scale", "Gauss"],
)
def test_both_ends_of_shuffled_noise(timed, noise, n, seconds):
    found = timed(
        lambda: shuffle_worst_case(n, noise).epsilon("1e-6", relative_width="1e-2"),
        seconds=seconds,
        rounds=1,
    )
    assert found.upper * 2 <= found.lower * 3


SURVEYS = {
    "4-ary": (randomized_response(4, ONE), 1_000, "1e-3", 6),
    "4-ary at scale": (randomized_response(4, ONE), 10**6, "1e-3", 7),
    "16-ary": (randomized_response(16, ONE), 10**4, "1e-3", 6),
    "2-ary": (randomized_response(2, ONE), 1_000, "1e-3", 10),
    "subsets": (subset_selection(16, ONE, size=4), 10**4, "1e-3", 10),
    "Laplace": (laplace_mechanism(scale=1), 1_000, "1e-1", 4),
    "Gauss": (gaussian_mechanism(sigma=1), 1_000, "1e-1", 9),
}
"""Surveys, users, the width of an end, and seconds.

Before curves were summed at once the first took 118 s, Laplace reports 125 s, Gaussian ones were
refused for their memory after 40 s, and 10^4 users and more did not end in minutes."""


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("name", SURVEYS)
def test_a_survey_a_week_for_a_year(timed, name):
    randomizer, n, width, seconds = SURVEYS[name]

    def year():
        weekly = shuffle_worst_case(n, randomizer)
        return compose([(weekly, 52)]).epsilon("1e-6", relative_width=width)

    found = timed(year, seconds=seconds, rounds=1)
    assert 0 < found.lower < found.upper < found.lower * 3 / 2


def sketch(n, epsilon0, epsilon, start):
    """δ of clones by the same recurrences in plain doubles, given the first terms. No proof."""
    gamma, s = np.exp(epsilon), np.exp(-epsilon0)
    a, b = np.exp(epsilon0) / (np.exp(epsilon0) + 1), 1 / (np.exp(epsilon0) + 1)
    mu = (gamma * a - b) / ((1 + gamma) * (a - b))
    first, last, mass, tail = start
    c = np.arange(first, last + 1, dtype=np.float64)
    t = np.ceil(mu * c)
    rises = np.diff(t) > 0
    above = c - t + 1
    below = np.where(rises, t[:-1] + 1, above[:-1])
    beta = np.cumprod(np.append(1, (c[:-1] + 1) / (2 * below)))
    letters = np.cumprod(np.append(1, (n - c[:-1]) * s / (1 - s) / (c[:-1] + 1)))
    steps = np.where(rises, -beta[:-1], (beta * t / above)[:-1]) / 2
    tails = tail + np.append(0, np.cumsum(steps))
    terms = letters * (beta * t / 2 - (mu - 0.5) * c * tails)
    return 2 * (1 + gamma) * (a - b) / (n * s) * mass * terms.sum()


def test_against_a_sketch():
    from exactdp.numbers import precision
    from exactdp.sums.counting.tails import tail_ratio
    from exactdp.sums.counting.terms import CountTerms

    n = 10**9
    epsilon = EPSILONS[n]
    pair, gamma = clone_pair(n, ONE), Exact.exp(epsilon)
    with precision(128):
        terms = CountTerms(pair.letters(gamma), bits=128)
        window = terms.window(nats=30)
        t = -int((-terms.threshold(window.first)).floor().unique_fmpz())
        mass = terms.log_mass(t, window.first - t).exp()
        tail = tail_ratio(t, window.first - t, bits=60)
    start = (window.first, window.last, np.float64(mass.mid()), np.float64(tail.mid()))

    def best(function):
        times = []
        for _ in range(5):
            begun = time.process_time()
            value = function()
            times.append(time.process_time() - begun)
        return min(times), value

    plain, value = best(lambda: sketch(n, 1.0, float(epsilon), start))
    certified, found = best(lambda: enclose(n, "1e-9"))
    assert abs(value / float(found.lower) - 1) < 1e-4
    print(f"\ncertified {certified:.4f} s, sketch {plain:.4f} s, ratio {certified / plain:.1f}")
    assert certified < 6 * plain
