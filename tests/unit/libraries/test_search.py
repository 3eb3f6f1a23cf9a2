"""Deployments beyond the lists are searched, and a failure there is shrunk to an ordinary one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import find

from exactdp.claims import Term, named, term, value
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon
from proofs_check.libraries.allocation import allocated, allocation, at_most_allocated
from proofs_check.libraries.laws import advantage, counted
from proofs_check.libraries.opendp import divergence_of_two_scores
from proofs_check.libraries.search import calibrated, deployed, doubles, is_quick, small, whole


def test_deployments_are_ordinary_first_and_reach_far() -> None:
    over = deployed("gaussian", "randomized_response", asks="epsilon")
    drawn = over.drawn_instances()
    first = find(drawn, lambda at: True)
    assert str(first) == "mechanism=gaussian, parameter=1.0, delta=1e-05"
    assert find(drawn, lambda at: at.mapping().get("times", 1) >= 10**6)["times"] == 10**6
    assert find(drawn, lambda at: at["delta"] < 1e-200)["delta"] < 1e-200
    few = deployed("gaussian", asks="delta", rates=(1.0,), most=10).drawn_instances()
    assert find(few, lambda at: at["epsilon"] > 100)["epsilon"] > 100
    on_grid = find(few, lambda at: at["epsilon"] not in (0.0, 1e-3, 1.0))
    assert on_grid["epsilon"] > 0
    for strategy in (calibrated("gaussian").drawn_instances(),):
        assert (
            str(find(strategy, lambda at: True)) == "mechanism=gaussian, epsilon=1.0, delta=1e-05"
        )


def test_numbers_reach_the_ends_of_their_range() -> None:
    assert find(doubles(0.5, 8.0), lambda x: x == math.nextafter(8.0, 0)) < 8
    assert find(small(300), lambda d: d <= 1e-300) == 1e-300
    assert find(whole(30, 2), lambda n: n >= 30) == 30


def number(made: Term) -> float:
    return float(value(made).ball(128).mid())


def test_upper_bounds_of_allocation_by_quadrature() -> None:
    """Of two steps E max(0, 1 − e^ε (W_1 + W_2)/2) by the midpoint rule; of one, Gaussian δ."""
    for sigma in (1.0, 2.0):
        truth = gaussian_mechanism(sigma=Fraction(sigma)).delta(
            Epsilon.rational("1/2"), relative_width="1e-12"
        )
        exactly = float(getattr(truth, "lower", None) or number_of(truth))
        for direction in ("ADD", "REMOVE"):
            made = number(at_most_allocated(sigma, 1, Fraction(1, 2), direction))
            assert abs(made / exactly - 1) < 1e-10
    h = 0.04
    points = [(i + 0.5) * h for i in range(-200, 200)]
    weights = [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * h for x in points]
    ratios = [math.exp(x - 0.5) for x in points]
    mean = math.fsum(
        p * q * max(0.0, 1 - math.e * (u + v) / 2)
        for p, u in zip(weights, ratios, strict=True)
        for q, v in zip(weights, ratios, strict=True)
    )
    assert mean < number(at_most_allocated(1.0, 2, Fraction(1), "ADD")) < 1.5 * mean


def number_of(exact: object) -> float:
    return float(exact.ball(100).mid())  # type: ignore[attr-defined]


def test_two_scores_and_advantages_by_their_definitions() -> None:
    p = 1 / (1 + math.exp(-1 / 3.0))  # scores (0, 1), then (1, 0), of scale 3
    mean = p * math.log(p / (1 - p)) + (1 - p) * math.log((1 - p) / p)
    assert abs(number(divergence_of_two_scores(6.0, monotonic=False, change=2)) / mean - 1) < 1e-12
    q = 1 / (1 + math.exp(-1 / 6.0))
    mean = q * math.log(q / (1 - q)) + (1 - q) * math.log((1 - q) / q)
    assert abs(number(divergence_of_two_scores(6.0, monotonic=True, change=2)) / mean - 1) < 1e-12
    assert abs(number(advantage(Fraction(2), 9)) / math.erf(0.75 / math.sqrt(2)) - 1) < 1e-12


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        (("gaussian", 100.0, 10_000), True),
        (("gaussian", 1.0, 10_000, 0.01), False),
        (("gaussian", 0.5, 10_000, 0.99), False),
        (("gaussian", 0.5, 10, 0.01), True),
        (("randomized_response", 0.1, 1000), True),
        (("randomized_response", 10.0, 1000), False),
        (("laplace", 10.0, 1000), True),
        (("laplace", 0.1, 1000), False),
    ],
)
def test_a_call_is_quick_where_its_budget_is_short(at: tuple[Any, ...], answer: bool) -> None:
    assert is_quick(*at) is answer


@pytest.mark.parametrize("direction", ["REMOVE", "ADD"])
@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 10), (2.0, 3), (1.0, 1)])
def test_what_is_at_most_allocated_is_below_the_truth(
    direction: str, sigma: float, steps: int
) -> None:
    made = allocated(sigma, steps, Fraction(1), direction=direction)
    assert made is not None
    truth = allocation(sigma, steps, direction=direction).delta(
        Epsilon.rational(1), relative_width="1e-2"
    )
    assert truth.lower / 100 < number(made) <= truth.upper


def test_some_chosen_steps_are_at_least_what_a_finite_pair_says() -> None:
    one, two, all_known = (allocation(1.0, 3, k) for k in (1, 2, 3))
    at = Epsilon.rational(1)
    deltas = [law.delta(at, relative_width="1e-2") for law in (one, two)]
    assert deltas[0].upper < deltas[1].lower
    assert deltas[1].upper < all_known.delta(at, relative_width="1e-9").lower


def test_a_sum_of_a_thousand_reals_is_not_as_deep() -> None:
    half = named("parameter", term(Fraction(1, 2)))
    assert 3e-15 < number(counted(Fraction(23), half, Fraction(1, 100), 1000)) < 4e-15
