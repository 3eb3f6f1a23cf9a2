"""Times of compositions of what is known by its δ alone, or is the worst of several pairs.

Run: pytest --import-mode=importlib tests/benchmarks/test_releases.py
"""

import time

import pytest

from exactdp.accounting import compose, group_profile, poisson_subsampled
from exactdp.mechanisms import (
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
    thresholded,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import clone_pair, random_allocation, shuffle_worst_case

pytestmark = pytest.mark.benchmark(timer=time.process_time)

GROUPS = thresholded(laplace_mechanism(scale=4), threshold=60)
SURVEY = randomized_response(2, Epsilon.log(3))
CLONES = clone_pair(1000, Epsilon.log(3))


@pytest.mark.parametrize(
    ("part", "times", "width", "seconds"),
    [
        (lambda: exponential_mechanism(scale=10), 20, "1e-3", 2),
        (lambda: GROUPS, 4, "1e-2", 4),
        (lambda: random_allocation(gaussian_mechanism(sigma=1), steps=1000), 1, "1e-3", 3),
        (lambda: random_allocation(gaussian_mechanism(sigma=1), steps=100), 10, "1e-3", 8),
        (lambda: random_allocation(gaussian_mechanism(sigma=2), steps=100), 1000, "1e-3", 8),
        (lambda: clone_pair(10_000, Epsilon.rational(1)), 52, "1e-2", 10),
        (lambda: shuffle_worst_case(10_000, SURVEY), 52, "1e-2", 120),
        (lambda: poisson_subsampled(CLONES, sampling_probability="1/10"), 52, "1e-2", 20),
        (lambda: group_profile(CLONES, 3), 1, "1e-2", 20),
    ],
    ids=[
        *("choices", "groups", "allocation", "epochs", "1000 epochs", "clones", "surveys"),
        *("sampled clones", "a group of clones"),
    ],
)
def test_epsilon(timed, part, times, width, seconds):
    """Compose anew: nothing is kept from one round to the next."""
    found = timed(
        lambda: compose([(part(), times)]).epsilon("1e-5", relative_width=width),
        seconds=seconds,
        rounds=1,
    )
    assert 0 < found.lower <= found.upper
