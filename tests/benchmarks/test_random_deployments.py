"""Random deployments of DP-SGD beside dp-accounting, in one process.

σ is log-uniform from 0.4 to 60, the rate from 1e-5 to 1/2, the number of steps to 50,000, δ from
1e-12 to 1e-5. A ratio is of processor times, ours over the larger of theirs and 0.05 s, the
first question of each left out. Theirs is an upper bound by their usual grid of 1e-4, which at ε
below 1e-2 is several times ours.
``python -m pytest tests/benchmarks/test_random_deployments.py -n 0 -s``; EXACTDP_SEED draws others.
"""

import os
import random
from math import exp, log
from statistics import median
from time import process_time

import pytest

from exactdp import dp_sgd

COUNT = 80
LEAST = 0.05


def drawn(rng):
    return (
        f"{exp(rng.uniform(log(0.4), log(60))):.4f}",
        f"{exp(rng.uniform(log(1e-5), log(0.5))):.3e}",
        int(exp(rng.uniform(0, log(50_000)))),
        f"{10 ** rng.uniform(-12, -5):.2e}",
    )


@pytest.mark.parametrize(("width", "middle", "most"), [("1e-2", 1.2, 3), ("1e-4", 3, 8)])
def test_beside_dp_accounting(width, middle, most):
    events = pytest.importorskip("dp_accounting")
    accountants = pytest.importorskip("dp_accounting.pld")

    def ours(sigma, rate, steps, delta):
        return dp_sgd(noise_multiplier=sigma, sampling_probability=rate, steps=steps).epsilon(
            delta, relative_width=width
        )

    def theirs(sigma, rate, steps, delta):
        accountant = accountants.PLDAccountant()
        step = events.PoissonSampledDpEvent(float(rate), events.GaussianDpEvent(float(sigma)))
        return accountant.compose(step, steps).get_epsilon(float(delta))

    def asked(ask, question):
        start = process_time()
        found = ask(*question)
        return process_time() - start, found

    rng = random.Random(os.environ.get("EXACTDP_SEED", "1"))
    for ask in (ours, theirs):
        ask("1", "0.1", 10, "1e-5")
    questions = [drawn(rng) for _ in range(COUNT)]
    found = [(asked(ours, one), asked(theirs, one)) for one in questions]
    ratios = sorted(a / max(b, LEAST) for (a, _), (b, _) in found)
    usual, many = median(ratios), ratios[COUNT * 9 // 10]
    longest = max(seconds for (seconds, _), _ in found)
    larger = max(b / float(a.upper) for (_, a), (_, b) in found if a.upper > 0)
    print(f"\nwidth {width}: median {usual:.2f}, nine of ten {many:.2f} times theirs")
    print(f"at most {longest:.2f} s; their epsilon is at most {larger:.1f} times ours")
    assert usual <= middle
    assert many <= most
