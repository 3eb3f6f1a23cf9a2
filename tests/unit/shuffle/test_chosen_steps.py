"""Several chosen steps of noise: all choices and outputs, integrals on grids, draws, and blocks."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import mpmath
import numpy as np
import pytest

from exactdp.accounting import compose
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import NoiseAllocation, random_allocation
from exactdp.shuffle.allocation_scores import score_laws
from exactdp.shuffle.chosen_steps import ChosenSteps
from tests.unit.shuffle.test_allocation import tuples

nats, ln = Epsilon.rational, Epsilon.log
TWO = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"])
"""What an integer and its neighbor tell of a discrete Laplace noise with the rate ln 2."""
NOISE = discrete_laplace_mechanism(rate=ln(2))


def ratio(columns, k):
    """e_k/C(t, k) of arrays, by adding one factor at a time."""
    found = [1.0] + [0.0] * k
    for w in columns:
        for j in range(k, 0, -1):
            found[j] = found[j] + found[j - 1] * w
    return found[k] / comb(len(columns), k)


@pytest.mark.parametrize("gamma", ["1", "3/2", "4", "1/2"])
@pytest.mark.parametrize(("t", "k"), [(3, 2), (4, 2), (5, 3), (5, 4)])
def test_integer_noise_is_all_choices_and_outputs(t, k, gamma):
    found, truth = random_allocation(NOISE, steps=t, chosen=k), tuples(TWO, t, k)
    for one, known in ((found, truth), (found.reversed(), truth.reversed())):
        ends, exact = one.delta(ln(gamma)), known.delta(ln(gamma)).as_fraction()
        assert (
            ends.lower <= exact <= ends.upper <= ends.lower * Fraction("1.01") + Fraction(1, 10**9)
        )


@pytest.mark.parametrize("rate", ["1/100", "1/3", "9/10"])
def test_scores_of_any_rate_lie_on_both_sides(rate):
    """A bad rate makes bounds wide, not wrong."""
    asked = {"steps": 4, "chosen": 2, "rate": Fraction(rate), "cells": 8, "bits": 40}
    low, high = score_laws(NOISE, **asked)
    truth = tuples(TWO, 4, 2)
    for gamma in ("1", "5/4", "2"):
        for adds, known in ((False, truth), (True, truth.reversed())):
            exact = known.delta(ln(gamma)).as_fraction()
            at = Fraction(gamma)
            assert low.lower(at, adds=adds).lower <= exact <= high.upper(at, adds=adds)[0]


@pytest.mark.parametrize("gamma", ["1", "2", "5"])
def test_two_of_three_steps_of_discrete_gaussian_noise(gamma):
    with mpmath.workdps(25):
        places = range(-9, 11)
        f = {k: mpmath.exp(-mpmath.mpf(k * k) / 2) for k in range(-11, 12)}
        total = mpmath.fsum(f.values())
        f = {k: x / total for k, x in f.items()}
        at = mpmath.mpf(Fraction(gamma).numerator) / Fraction(gamma).denominator
        sides = [mpmath.mpf(0), mpmath.mpf(0)]
        for outputs in product(places, repeat=3):
            q = prod(f[y] for y in outputs)
            p = sum(prod(f[y - (i in s)] for i, y in enumerate(outputs))
                    for s in combinations(range(3), 2)) / 3  # fmt: skip
            sides[0] += max(0, p - at * q)
            sides[1] += max(0, q - at * p)
        truths = [Fraction(mpmath.nstr(x, 20)) for x in sides]
    one = random_allocation(discrete_gaussian_mechanism(sigma=1), steps=3, chosen=2)
    for profile, truth in zip((one, one.reversed()), truths, strict=True):
        found = profile.delta(ln(gamma))
        assert found.lower <= truth * Fraction("1.0000001")
        assert truth <= found.upper * Fraction("1.0000001")
        assert found.upper <= found.lower * Fraction("1.1")


def test_two_of_three_steps_of_laplace_noise():
    """W is 1/e or e with mass, and e^(2x − 1) between, x from 0 to 1."""
    n = 150
    x = (np.arange(n) + 0.5) / n
    w = np.concatenate([[np.exp(-1)], np.exp(2 * x - 1), [np.exp(1)]])
    mass = np.concatenate([[1 / 2], np.exp(-x) / 2 / n, [np.exp(-1) / 2]])
    mass /= mass.sum()
    a, b, c = w[:, None, None], w[None, :, None], w[None, None, :]
    each = (a * b + b * c + c * a) / 3
    one = random_allocation(laplace_mechanism(scale=1), steps=3, chosen=2)
    for profile, over in ((one, each - np.exp(0.5)), (one.reversed(), 1 - each * np.exp(0.5))):
        truth = float(np.einsum("i,j,k,ijk", mass, mass, mass, np.maximum(0, over), optimize=True))
        found = profile.delta(nats("1/2"))
        assert float(found.lower) * 0.999 < truth < float(found.upper) * 1.001
        assert found.upper < found.lower * Fraction("1.01")


@pytest.mark.parametrize(
    ("noise", "draw", "epsilon"),
    [
        (gaussian_mechanism(sigma=1), "normal", "2"),
        (gaussian_mechanism(sigma=1), "normal", "1"),
        (laplace_mechanism(scale=1), "laplace", "1"),
    ],
)
def test_two_of_ten_steps_are_told_to_a_tenth(noise, draw, epsilon):
    """Beside draws under P: δ is the mean of max(0, 1 − γ/L)."""
    rng = np.random.default_rng(7)
    x = getattr(rng, draw)(size=(10, 100_000))
    x[:2] += 1
    loss = x - 0.5 if draw == "normal" else abs(x) - abs(x - 1)
    over = np.maximum(0, 1 - np.exp(float(Fraction(epsilon))) / ratio(list(np.exp(loss)), 2))
    mean, error = over.mean(), over.std() / len(over) ** 0.5
    found = random_allocation(noise, steps=10, chosen=2).delta(nats(epsilon))
    assert float(found.lower) < mean + 4 * error
    assert mean - 4 * error < float(found.upper)
    assert found.upper < found.lower * Fraction("1.1")
    assert found.lower_by == "a sum of scores of all outputs"
    assert found.upper_by == "second moments beside a sum of scores"


def rare(sigma, t, k, epsilon, draws):
    """δ under P with some of the chosen outputs drawn from farther out, and its standard error."""
    rng, shifts = np.random.default_rng(3), (0, 5, 3, 2)
    count = rng.integers(0, 4, size=draws)
    z = rng.standard_normal((t, draws))
    for i in range(3):
        z[i] += np.where(count > i, np.array(shifts)[count], 0)
    chosen = z[:k].copy()
    z[:k] += 1 / sigma
    weight = sum(
        np.exp(sum((s * chosen[i] - s * s / 2 for i in c), np.zeros(draws))) / comb(k, m) / 4
        for m, s in enumerate(shifts)
        for c in combinations(range(k), m)
    )
    found = ratio(list(np.exp(z / sigma - 1 / (2 * sigma**2))), k)
    over = np.maximum(0, 1 - np.exp(epsilon) / found) / weight
    return over.mean(), over.std() / draws**0.5


def test_five_of_391_steps_lie_within_a_factor_of_their_truth_and_below_blocks():
    noise, at = gaussian_mechanism(sigma="6/10"), nats(8)
    found = random_allocation(noise, steps=391, chosen=5).delta(at)
    assert found.upper < found.lower * Fraction("1.3")
    blocks = compose([(random_allocation(noise, steps=t), n) for t, n in ((78, 4), (79, 1))])
    assert found.upper <= blocks.delta(at, relative_width="1/8").lower
    mean, error = rare(0.6, 391, 5, 8, 20_000)
    assert float(found.lower) < mean + 4 * error
    assert mean - 4 * error < float(found.upper)


def test_blocks_are_taken_where_they_are_nearer():
    one = random_allocation(gaussian_mechanism(sigma=1), steps=10, chosen=2).reversed()
    found, blocks = (
        one.delta(nats(2)),
        compose([(NoiseAllocation(gaussian_mechanism(sigma=1), 5), 2)]),
    )
    assert found.upper_by == "one chosen step in each of as many blocks"
    assert found.upper <= blocks.reversed().delta(nats(2)).upper


def test_one_step_and_all_steps_are_what_they_were():
    noise = laplace_mechanism(scale=1)
    assert random_allocation(noise, steps=7) == NoiseAllocation(noise, 7)
    every, both = random_allocation(noise, steps=2, chosen=2), compose([(noise, 2)])
    for epsilon in ("1/2", "-1/2"):
        asked = {"relative_width": "1e-6"}
        assert every.delta(nats(epsilon), **asked) == both.delta(nats(epsilon), **asked)
    assert random_allocation(gaussian_mechanism(sigma=2), steps=4, chosen=4) == gaussian_mechanism(
        sigma=1
    )


def test_so_little_noise_that_scores_are_too_many_has_a_bound_with_a_name():
    noise = gaussian_mechanism(sigma="1/40")
    found = random_allocation(noise, steps=100, chosen=3).delta(nats(5))
    assert (found.lower, found.lower_by) == (0, "nothing")
    known = noise.composed(3).delta(nats(5), relative_width="1e-6")
    assert found.upper <= known.upper * Fraction("1.01")


def test_other_questions_lie_between_ends_too():
    one, truth = ChosenSteps(NOISE, 3, 2), tuples(TWO, 3, 2)
    for order in ("2", "1/2"):
        exact = truth.renyi(order, relative_width="1e-9")
        found = one.renyi(order)
        assert found.lower <= exact.upper <= found.upper * Fraction("1.000001")
    found, exact = one.trade_off("1/10"), truth.trade_off("1/10").as_fraction()
    assert found.lower <= exact <= found.upper <= found.lower * Fraction("1.01")
    found, exact = one.epsilon("1/10"), truth.epsilon("1/10", relative_width="1e-9")
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper <= found.lower * Fraction("1.01")
    assert one.max_divergence() == truth.max_divergence()
    twice = truth.losses().self_compose(2).delta(ln(3)).as_fraction()
    found = compose([(one, 2)]).delta(ln(3), relative_width="1e-1")
    assert found.lower <= twice <= found.upper
