"""First guesses in doubles: near where it matters, and numbers wherever they are asked for."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.accounting import dp_sgd_noise_multiplier
from exactdp.accounting.training.proposals import likely_rate, likely_sigma, likely_steps
from exactdp.numbers import Epsilon, Exact

AT, TARGET = Epsilon.rational(2), Exact("1e-5")
KINDS = (
    {"neighbors": "add_or_remove", "batches": "poisson"},
    {"neighbors": "substitution", "batches": "poisson"},
    {"neighbors": "substitution", "batches": "fixed_size"},
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_is_near_where_there_are_many_steps(kind):
    for rate, steps in (("1/2", 1000), ("1/100", 10**5)):
        found = dp_sgd_noise_multiplier(
            AT, TARGET, sampling_probability=rate, steps=steps, relative_width="1e-1", **kind
        )
        guess = likely_sigma(AT, TARGET, sampling_probability=Exact(rate), steps=steps, **kind)
        assert found.lower / 2 < guess < 2 * found.upper


@pytest.mark.parametrize("kind", KINDS)
def test_guesses_agree_with_each_other(kind):
    for rate, steps in (("1/2", 4), ("1/100", 1000), ("1e-4", 10**6)):
        sigma = Exact(
            likely_sigma(AT, TARGET, sampling_probability=Exact(rate), steps=steps, **kind)
        )
        again = likely_steps(
            AT, TARGET, noise_multiplier=sigma, sampling_probability=Exact(rate), **kind
        )
        assert abs(again - steps) <= 0.1 * steps + 1
        found = likely_rate(AT, TARGET, noise_multiplier=sigma, steps=steps, **kind) / Fraction(
            rate
        )
        assert 0.9 < found < 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_extremes_have_guesses_too(kind):
    extremes = ("1e-500", "1e-160", "1e-9", "1", "1e9", "1e160", "1e500")
    for epsilon, delta in product(("0", "1e-400", "800", "1e400"), ("1e-400", "1e-12", "0.999")):
        at, target = Epsilon.rational(epsilon), Exact(delta)
        for size, steps in product(extremes, (0, 1, 10**18)):
            rate = min(Exact(size), Exact(1))
            assert likely_sigma(at, target, sampling_probability=rate, steps=steps, **kind) > 0
            assert likely_rate(at, target, noise_multiplier=Exact(size), steps=steps, **kind) > 0
            assert (
                1
                <= likely_steps(
                    at, target, noise_multiplier=Exact(size), sampling_probability=rate, **kind
                )
                <= 10**15
            )
