"""δ = 0 asks for pure privacy: the least scale of Laplace noise is Δ/ε, exactly."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from exactdp import calibrated, compose
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact, exp
from exactdp.problems import read_problem, solve


@pytest.mark.parametrize("mechanism", [laplace_mechanism, discrete_laplace_mechanism])
@pytest.mark.parametrize("delta", ["0", 0, Fraction(0), Exact(0)])
def test_the_least_scale_of_pure_privacy_is_sensitivity_over_epsilon(mechanism, delta):
    at = Epsilon.rational("3/7")
    found = calibrated(mechanism, epsilon=at, delta=delta, sensitivity=2)
    assert found.lower == found.upper == Fraction(14, 3)
    # By the definition: no loss is above ε, and one is just below it.
    met = mechanism(scale=Fraction(found.upper), sensitivity=2)
    assert met.max_divergence() == at and met.delta(at) == 0
    less = mechanism(scale=Fraction(found.upper) * Fraction(999, 1000), sensitivity=2)
    assert less.delta(at) > 0


def test_of_a_logarithm_it_is_an_enclosure_around_the_quotient():
    found = calibrated(laplace_mechanism, epsilon=Epsilon.log(3), delta="0", relative_width="1e-20")
    # 1/ln 3 = b says e^(1/b) = 3.
    low, high = (exp(1 / Exact(Fraction(end))).ball(200) for end in (found.upper, found.lower))
    assert low <= 3 <= high
    assert 0 < found.width <= found.lower / 10**20


def test_what_no_scale_meets_is_refused():
    for mechanism in (laplace_mechanism, discrete_laplace_mechanism):
        with pytest.raises(DomainError, match="epsilon=0 with delta=0 has no scale"):
            calibrated(mechanism, epsilon=Epsilon.rational(0), delta="0")
    at = Epsilon.rational(1)
    with pytest.raises(DomainError, match="above 0 and below 1"):
        calibrated(gaussian_mechanism, epsilon=at, delta="0")
    with pytest.raises(DomainError, match="above 0 and below 1"):
        calibrated(laplace_mechanism, epsilon=at, delta="0", within=lambda x: compose([(x, 2)]))


def test_a_problem_file_asks_for_it_without_a_delta():
    problem = {"kind": "laplace", "sensitivity": "3", "ask": {}}
    problem["ask"] = {"scale": [{"epsilon": {"rational": "1/2"}}]}
    [found] = solve(read_problem(json.dumps(problem))).answers
    assert found.exact == "6"
