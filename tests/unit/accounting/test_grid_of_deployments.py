"""A sample of the grid of DP-SGD and its kin against a second route, which shares no code.

The reference is tests/routes/dp_sgd.py's: tilted clouds and numpy's FFT, or closed forms in
mpmath; its own tests are at the end.
"""

import math

import mpmath
import numpy as np
import pytest

from tests.routes import dp_sgd
from tests.routes.deployments import name_of, profile
from tests.routes.dp_sgd_reference import read
from tests.routes.noise_steps import SMALL, Step, one_step_delta, one_step_epsilon

REFERENCE = {name_of(row["parts"], row["neighbors"], row["delta"]): row for row in read()}

# Answered in well under a second; any other name of the reference may join them.
SAMPLE = (
    "gaussian 0.3 at 1e-6 x 1, 1e-3",
    "gaussian 0.3 at 1 x 1000000, 1e-3",
    "gaussian 1000 at 1e-6 x 1, 1e-12",
    "gaussian 1000 at 1 x 1, 1e-3",
    "gaussian 1000 at 1 x 1000000, 1e-12",
    "gaussian 30 at 0.1 x 100000, 1e-5",
    "gaussian 1000 at 1 x 10, 1e-5",
    "gaussian 0.5 at 0.01 x 10000, 1e-8",
    "gaussian 4 at 1e-5 x 1, 1e-3",
    "gaussian 2 at 0.1 x 100, 1e-5",
    "gaussian 30 at 1e-4 x 1000000, 1e-5",
    "gaussian 30 at 0.1 x 100000, 1e-8",
    "gaussian 30 at 0.5 x 1000000, 1e-12",
    "gaussian 8 at 1e-3 x 10000, 1e-3",
    "gaussian 8 at 0.1 x 10000, 1e-5",
    "gaussian 4 at 1e-6 x 1, 1e-8",
    "gaussian 0.3 at 0.5 x 1, 1e-3",
    "gaussian 8 at 1 x 1000000, 1e-8",
    "gaussian 4 at 0.1 x 1, 1e-5",
    "gaussian 1000 at 1 x 100, 1e-12",
    "gaussian 1 at 1 x 10, 1e-3",
    "gaussian 100 at 0.5 x 10000, 1e-8",
    "gaussian 0.3 at 1 x 10, 1e-8",
    "gaussian 1 at 0.1 x 10000, 1e-5",
    "gaussian 4 at 1 x 1000000, 1e-3",
    "gaussian 2 at 0.01 x 10000, 1e-8",
    "gaussian 30 at 1 x 10000, 1e-8",
    "gaussian 8 at 1 x 100, 1e-5",
    "gaussian 1 at 0.01 x 100000, 1e-3",
    "gaussian 1000 at 1 x 1000, 1e-8",
    "gaussian 100 at 1 x 10, 1e-8",
    "gaussian 30 at 1 x 1, 1e-12",
    "gaussian 0.3 at 1e-3 x 1, 1e-8",
    "gaussian 0.7 at 0.1 x 1, 1e-12",
    "gaussian 30 at 0.01 x 1, substitution, 1e-12",
    "gaussian 4 at 1 x 1, substitution, 1e-12",
    "gaussian 30 at 0.1 x 100, substitution, 1e-8",
    "gaussian 0.5 at 0.01 x 1, substitution, 1e-3",
    "gaussian 30 at 1e-5 x 1, substitution, 1e-8",
    "gaussian 1000 at 0.5 x 1, substitution, 1e-5",
    "gaussian 100 at 1e-3 x 1000000, substitution, 1e-12",
    "gaussian 4 at 0.1 x 10, substitution, 1e-3",
    "laplace 100 at 1 x 10000, 1e-8",
    "laplace 100 at 1e-4 x 5, 1e-5",
    "laplace 30 at 0.5 x 10000, 1e-8",
    "laplace 2 at 0.01 x 100000, 1e-12",
    "gaussian 2 at 1e-5 x 2, 1e-8",
    "gaussian 30 at 1e-5 x 10, 1e-12",
    "gaussian 2 at 1e-4 x 5, 1e-5",
    "gaussian 100 at 1e-3 x 5, 1e-12",
    "gaussian 1 at 0.01 x 2 + gaussian 8 at 1 x 3, 1e-3",
    "gaussian 1 at 1e-4 x 8 + gaussian 2 at 0.1 x 2, substitution, 1e-8",
    "gaussian 0.3 at 0.01 x 100000 + gaussian 2 at 1e-3 x 100, substitution, 1e-12",
    "gaussian 8 at 1 x 3 + gaussian 1 at 0.01 x 8, 1e-3",
    "gaussian 1000 at 0.01 x 10 + laplace 100 at 1e-6 x 1000, 1e-5",
    "gaussian 0.7 at 1e-4 x 8 + laplace 4 at 1e-3 x 10000, 1e-5",
    "gaussian 1 at 0.5 x 8 + laplace 0.3 at 0.1 x 100, 1e-5",
    "gaussian 2 at 1e-5 x 10 + laplace 2 at 1e-6 x 100000, 1e-8",
    "gaussian 0.3 at 1e-6 x 100 + laplace 1000 at 1e-5 x 1000000, 1e-3",
    "gaussian 1000 at 0.01 x 8 + laplace 4 at 0.01 x 1, 1e-12",
    "gaussian 0.5 at 1e-3 x 1 + laplace 4 at 1e-5 x 100000, 1e-12",
    "gaussian 2 at 1e-4 x 10 + laplace 30 at 0.1 x 1, 1e-12",
    "gaussian 0.7 at 0.5 x 10 + laplace 30 at 1e-4 x 1000000, 1e-8",
    "gaussian 0.3 at 1e-6 x 100 + laplace 0.7 at 1 x 3, 1e-8",
    "gaussian 30 at 1 x 100000 + laplace 4 at 1e-5 x 5, 1e-5",
    "gaussian 0.7 at 1e-4 x 2 + laplace 8 at 1 x 8, 1e-12",
    "gaussian 30 at 1e-4 x 10 + gaussian 0.3 at 1e-4 x 1, 1e-12",
    "gaussian 8 at 1e-6 x 2 + laplace 0.3 at 1 x 3, 1e-5",
    "laplace 0.3 at 1e-5 x 2, 1e-8",
    "laplace 4 at 0.5 x 100, 1e-5",
    "laplace 30 at 0.01 x 1000, 1e-8",
    "laplace 0.5 at 1e-4 x 8, 1e-5",
    "laplace 30 at 0.01 x 10000, substitution, 1e-5",
    "laplace 1 at 1 x 10000, substitution, 1e-12",
    "laplace 8 at 1e-4 x 5, substitution, 1e-5",
)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_deployment_costs_what_the_second_route_says(name):
    row = REFERENCE[name]
    found = profile(row["parts"], row["neighbors"]).epsilon(row["delta"], relative_width="1e-2")
    off = row["accuracy"] * row["epsilon"]
    assert found.lower <= row["epsilon"] + off
    assert found.upper >= row["epsilon"] - off
    assert found.upper - found.lower <= 0.01 * found.upper
    assert (found.upper == 0) == (row["epsilon"] == 0)


def test_the_reference_is_of_all_kinds_and_says_how_it_was_found():
    rows = list(REFERENCE.values())
    assert len(rows) == len(read())
    for row in rows:
        assert row["epsilon"] == max(row["directions"].values())
        assert 0 <= row["accuracy"] < 1e-3
        assert row["method"]
    kinds = {(tuple(part[0] for part in row["parts"]), row["neighbors"]) for row in rows}
    noises = [("gaussian",), ("laplace",), ("gaussian", "gaussian"), ("gaussian", "laplace")]
    assert kinds == {(n, k) for n in noises for k in ("add_or_remove", "substitution")}


# --- the second route against a third --------------------------------------------------


@pytest.mark.parametrize(("sigma", "times"), [(0.5, 2), (30.0, 1000), (1000.0, 10**6)])
def test_without_sampling_the_steps_are_one_gaussian(sigma, times):
    one = one_step_epsilon(Step("gaussian", sigma / math.sqrt(times), 1.0, "remove"), 1e-8)
    steps = [(Step("gaussian", sigma, 1.0, "remove"), times)]
    found = dp_sgd.inverted_epsilon(steps, 1e-8)
    assert abs(found.value - one) <= 1e-7 * one


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize(
    ("noise", "scale", "rate", "target"),
    [("gaussian", 1.0, 0.1, 1e-5), ("laplace", 1.0, 0.5, 1e-3)],
)
def test_one_step_has_a_closed_form(noise, scale, rate, target, direction):
    step = Step(noise, scale, rate, direction)
    one = one_step_epsilon(step, target)
    assert abs(dp_sgd.inverted_epsilon([(step, 1)], target).value - one) <= 1e-7 * one


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize("rate", [1e-4, 0.5, 1.0])
def test_a_cloud_of_laplace_noise_serves_a_million_steps(rate, direction):
    """E 1 = 1 and E e^(−L) = 1, so nearly that 10^6 of them are 1 to 1e-5."""
    step = Step("laplace", 0.5, rate, direction)
    for tilt in (0.0, -1.0):
        assert abs(step.cloud(tilt, SMALL, 0.0)[2]) <= 1e-11


@pytest.mark.parametrize(
    ("scale", "rate", "times", "direction", "target"),
    [(1000.0, 0.5, 2, "remove", 1e-12), (1.0, 1e-6, 5, "add", 1e-12), (0.7, 1e-5, 2, "add", 1e-8)],
)
def test_the_largest_losses_alone_cost_as_much(scale, rate, times, direction, target):
    step = Step("laplace", scale, rate, direction)
    beyond = math.exp(-1 / scale) / 2  # of noise around 0, beyond 1
    atom = (1 - rate) * beyond + rate / 2 if direction == "remove" else 1 / 2
    least = times * step.ends()[1] + math.log1p(-target / atom**times)
    found = dp_sgd.epsilon([(step, times)], target).value
    assert least * (1 - 1e-7) <= found <= times * step.ends()[1]


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
def test_two_steps_are_one_averaged_over_the_other(direction):
    step, epsilon = Step("gaussian", 1.0, 0.1, direction), 0.15
    x, width = np.linspace(-8, 9, 600, retstep=True)
    up, loss = step.losses(x)
    masses = width * np.exp(step.log_density(x) + up)
    averaged = sum(
        mass * float(one_step_delta(step, mpmath.mpf(epsilon - one)))
        for mass, one in zip(masses, loss, strict=True)
    )
    found = dp_sgd.delta([(step, 2)], epsilon)
    assert abs(found.value - averaged) <= 1e-7 * averaged
