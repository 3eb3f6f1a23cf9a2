"""A few steps of sampled Gaussian noise at narrow widths: by contours, and by all other ways.

The reference counts in doubles: the outputs of two steps on a fine grid of both, by its definition.
"""

from fractions import Fraction
from math import erfc, inf, log, sqrt

import numpy as np
import pytest

from exactdp.accounting import compose, poisson_subsampled
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact

STEP, WIDE = 1 / 128, Fraction(1, 1000)


def by_outputs(sigma, rate, epsilon):
    """The trapezoid rule on outputs of one step, and what the other adds in closed form."""
    x = np.arange(-9 * sigma, 9 * sigma + 1, STEP)
    normal = np.exp(-(x**2) / (2 * sigma**2)) * STEP / (sigma * np.sqrt(2 * np.pi))
    ratio = 1 - rate + rate * np.exp((2 * x - 1) / (2 * sigma**2))
    gamma = np.exp(epsilon)
    step = poisson_subsampled(
        gaussian_mechanism(sigma=Fraction(sigma)), sampling_probability=Fraction(rate)
    )
    # δ of two steps: E_Q [r(x) δ_1(γ/r(x))] over the first output, with r its ratio.
    total = 0.0
    for mass, r in zip(normal * ratio, ratio, strict=True):
        if mass > 1e-18:
            total += mass * _one(step, gamma / r)
    return total


def _one(step, gamma):
    q, s = float(step.sampling_probability.as_fraction()), float(step.mechanism.sigma.as_fraction())
    if gamma <= 1 - q:
        return 1 - gamma
    moved = (gamma - 1 + q) / q
    e, mu = log(moved), 1 / s
    return q * (
        erfc((e / mu - mu / 2) / sqrt(2)) / 2 - moved * erfc((e / mu + mu / 2) / sqrt(2)) / 2
    )


@pytest.mark.parametrize(("sigma", "rate", "epsilon"), [(1, 0.5, 2.0), (1, 0.125, 0.75)])
def test_two_steps_are_those_of_all_outputs(sigma, rate, epsilon):
    step = poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=Fraction(rate))
    found = compose([(step, 2)]).delta(Epsilon.rational(Fraction(epsilon)), relative_width="1e-7")
    truth = by_outputs(sigma, rate, epsilon)
    assert abs(float(found.lower) / truth - 1) < 1e-6
    assert found.upper - found.lower <= found.lower / 10**7


@pytest.mark.parametrize("steps", [2, 4, 8])
@pytest.mark.parametrize("rate", ["1/2", "1/10"])
def test_narrow_ones_lie_in_wide_ones(steps, rate):
    """Contours give the first, lattices the second."""
    step = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability=rate)
    narrow, wide = (
        compose([(step, steps)]).epsilon("1e-5", relative_width=width) for width in ("1e-6", WIDE)
    )
    assert narrow.upper <= narrow.lower * (1 + Fraction(1, 10**6))
    assert wide.lower <= narrow.upper and narrow.lower <= wide.upper


def test_which_few_losses_have_contours():
    """Losses that end have transforms that fall slowly, and so have atoms."""
    gaussian, laplace = gaussian_mechanism(sigma=1), laplace_mechanism(scale=1)
    one, other = (
        poisson_subsampled(noise, sampling_probability="1/10") for noise in (gaussian, laplace)
    )

    def work(part, times):
        line = compose([(part, times)]).losses.routes.line
        return line.work(Exact("1/2"), Fraction(1, 10**6))

    assert work(one, 10) < work(one, 4) < inf == work(other, 4)
