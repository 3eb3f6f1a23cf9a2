"""The simulation against the exact law of what it simulates, with bounds on chance.

The seeds are fixed, so a run that passes passes always; the limits are many standard
deviations wide all the same.
"""

from fractions import Fraction

import numpy as np
import pytest

from exactdp.errors import DomainError
from proofs_check.wang2024.competitors import blanket_error
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.simulation import (
    simulated_counts,
    simulated_error,
    simulated_estimate,
    uniform_sets,
)


def test_uniform_sets():
    sets = uniform_sets(20_000, d=5, s=2, generator=np.random.default_rng(1))
    assert all(len(set(row)) == 2 for row in sets.tolist())
    counts = np.bincount(sets.ravel(), minlength=5)
    # Each item is held with probability 2/5: standard deviation 69 of 8,000.
    assert np.all(abs(counts - 8000) < 7 * 70)


def test_counts_have_the_exact_mean_and_variance():
    parameters = Parameters(Fraction(3, 2), (Fraction(1, 4), Fraction(1)))
    data, levels = np.array([[0, 1], [0, 2], [1, 2]]), np.array([0, 1, 1])
    generator = np.random.default_rng(2)
    runs = np.array(
        [
            simulated_counts(data, levels, d=3, parameters=parameters, generator=generator)
            for _ in range(20_000)
        ]
    )
    for j in range(3):
        # Coins: each user's item, with its λ, and six slots of probability 3/4 on three items.
        coins = [
            parameters.rates[k] for x, k in zip(data.tolist(), levels, strict=True) if j in x
        ] + [Fraction(1, 4)] * 6
        mean, variance = float(sum(coins)), float(sum(p * (1 - p) for p in coins))
        assert abs(runs[:, j].mean() - mean) < 6 * (variance / 20_000) ** 0.5
        # The variance of a sample variance of bounded counts: far below 5 percent here.
        assert abs(runs[:, j].var() / variance - 1) < 0.06


def test_the_scale_of_the_experiments():
    n, d, s = 50_000, 128, 4
    parameters = Parameters(1, (Fraction(1, 4), Fraction(1, 2), Fraction(1)))
    segments = [n // 4, n // 2, n // 4]
    result = simulated_error(segments=segments, d=d, s=s, parameters=parameters, runs=3, seed=3)
    exact = float(
        blanket_error(counts=segments, rates=parameters.rates, m=1, w=[Fraction(s, d)] * d)
    )
    # A sum of 128 squares: its standard deviation is near √(2/128) = 1/8 of its mean.
    assert np.all(abs(result.population / exact - 1) < 0.6)
    assert np.all(result.empirical < result.population * 1.2)


def test_the_estimate_without_noise_is_the_frequency():
    counts = np.array([3, 1, 0])
    estimate = simulated_estimate(counts, n=4, parameters=Parameters(0, (1,)), level_counts=[4])
    assert estimate.tolist() == [0.75, 0.25, 0.0]


def test_refusals():
    parameters, generator = Parameters(1, (1,)), np.random.default_rng(1)
    with pytest.raises(DomainError, match="between 1 and d=3"):
        uniform_sets(2, d=3, s=4, generator=generator)
    with pytest.raises(DomainError, match="2 users and 1 levels"):
        simulated_counts(
            np.array([[0], [1]]), np.array([0]), d=2, parameters=parameters, generator=generator
        )
    with pytest.raises(DomainError, match="divides by it"):
        simulated_estimate(np.array([1]), n=1, parameters=Parameters(1, (0,)), level_counts=[1])
    with pytest.raises(DomainError, match="at least one run"):
        simulated_error(segments=[1], d=2, s=1, parameters=parameters, runs=0, seed=1)
