"""Times of certified composition on grids, with the limits that it promises.

Run: pytest --import-mode=importlib tests/benchmarks/test_composition_at_scale.py
"""

import time
from fractions import Fraction

import pytest

from exactdp.accounting import compose_on_grid, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.mechanisms import discrete_laplace_mechanism, gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon

pytestmark = pytest.mark.benchmark(timer=time.process_time)

COIN = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])
GAUSSIAN = gaussian_mechanism(sigma=30)
LAPLACE = laplace_mechanism(scale=20)
DISCRETE = discrete_laplace_mechanism(rate=Epsilon.rational("1/20"))
SAMPLED = poisson_subsampled(gaussian_mechanism(sigma=1), rate="1/100")


def enclosure_of(parts, epsilon, width):
    """Compose anew: nothing is kept from one round to the next."""
    found = compose_on_grid(parts).delta(Epsilon.rational(epsilon), relative_width=width)
    assert 0 < found.upper - found.lower <= Fraction(width) * found.lower
    return found


@pytest.mark.parametrize(
    ("part", "epsilon"),
    [(GAUSSIAN, "7"), (LAPLACE, "11"), (DISCRETE, "11")],
    ids=["gaussian", "laplace", "discrete-laplace"],
)
@pytest.mark.parametrize(("width", "seconds"), [("1e-3", 2), ("1e-6", 30)])
def test_thousand_copies_at_delta_of_about_1e_10(timed, part, epsilon, width, seconds):
    rounds = 1 + (width == "1e-3")
    found = timed(
        lambda: enclosure_of([(part, 1000)], epsilon, width), seconds=seconds, rounds=rounds
    )
    assert Fraction("1e-11") < found.lower < Fraction("1e-10")


MANY_KINDS = [(GAUSSIAN, 500), (LAPLACE, 300), (COIN, 200), (SAMPLED, 100)]


@pytest.mark.parametrize(
    ("parts", "epsilon", "seconds"),
    [
        ([(GAUSSIAN, 1000)], "16", 5),
        ([(GAUSSIAN, 1000)], "39", 5),
        (MANY_KINDS, "14", 5),
        ([(gaussian_mechanism(sigma=100), 10_000)], "7", 10),
    ],
    ids=["1e-50", "1e-292", "many kinds", "ten thousand"],
)
def test_far_out_and_many(timed, parts, epsilon, seconds):
    timed(lambda: enclosure_of(parts, epsilon, "1e-3"), seconds=seconds, rounds=1)


def test_smallest_epsilon(timed):
    losses = [(GAUSSIAN, 1000)]
    found = timed(
        lambda: compose_on_grid(losses).epsilon("1e-10", relative_width="1e-4"), seconds=5, rounds=1
    )
    assert found.upper - found.lower <= found.lower / 10**4
