"""Times of Laplace noise on random data, with the limits that they promise.

Run: pytest --import-mode=importlib tests/benchmarks/test_pufferfish.py
"""

import time
from fractions import Fraction
from random import Random

import pytest

from exactdp.distributions import FinitePmf
from exactdp.numbers import Epsilon, Exact
from exactdp.pufferfish import (
    LaplaceMixturePair,
    LaplaceScale,
    MultiUserSystem,
    Secret,
    User,
    line_law,
    smallest_scale,
    smallest_scale_over_systems,
    wasserstein_infinity,
)

pytestmark = pytest.mark.benchmark(timer=time.process_time)

POINTS = 1000


def weighted_law(generator):
    """A law on 0, ..., 999 whose masses have no pattern."""
    return FinitePmf.normalized({x: generator.randrange(1, 10**6) for x in range(POINTS)})


@pytest.fixture(scope="module")
def laws():
    generator = Random(1)
    return weighted_law(generator), weighted_law(generator)


@pytest.mark.parametrize("exp_inverse", ["2", "101/100"])
def test_ratio_of_a_thousand_points(timed, laws, exp_inverse):
    """Every round builds its pair anew: nothing is kept from one to the next."""
    scale = LaplaceScale(Fraction(1), Epsilon.log(exp_inverse))
    found = timed(lambda: LaplaceMixturePair(*laws, scale).largest_ratio(), seconds=1, rounds=3)
    assert isinstance(found.ratio, Exact) and found.ratio.is_rational
    assert len(found.points) == 1 and found.ratio > 1


# --- Ding et al. 2025, Tables 2 and 3, at X = 1, ..., 5 ----------------------------

TABLE_2 = ("0.01 0.04 0.1 0.2 0.65", "0.7 0.2 0.05 0.04 0.01", "0.2 0.2 0.2 0.2 0.2")
P_4, Q_4 = "0.4 0.1 0 0.1 0.4", "0 0.05 0.9 0.05 0"


def law(row):
    return line_law(dict(enumerate(row.split(), start=1)))


PAIRS = {
    "a,b": (Secret.value(5), Secret.value(3)),
    "a,absent": (Secret.value(5), Secret.absent()),
    "P,absent": (Secret.follows(law(P_4)), Secret.absent()),
    "P,Q": (Secret.follows(law(P_4)), Secret.follows(law(Q_4))),
}


def check(found, first, second, epsilon):
    """Twelve digits, and not above what the triangle inequality charges."""
    assert found.width * 10**12 <= found.lower
    assert 0 < found.lower <= wasserstein_infinity(first.own, second.own) / epsilon


@pytest.mark.parametrize("name", PAIRS)
def test_smallest_scale_beside_table_2(timed, name):
    def smallest():
        system = MultiUserSystem([*(User(law(row)) for row in TABLE_2), User(law(P_4))])
        pair = system.pair(3, *PAIRS[name])
        return smallest_scale([pair], epsilon=Epsilon.rational("1/2"), relative_width="1e-12")

    check(timed(smallest, seconds=1, rounds=3), *PAIRS[name], Fraction(1, 2))


@pytest.mark.parametrize("name", PAIRS)
def test_smallest_scale_over_all_systems(timed, name):
    half = Epsilon.rational("1/2")
    found = timed(
        lambda: smallest_scale_over_systems(*PAIRS[name], epsilon=half, relative_width="1e-12"),
        seconds=1,
        rounds=3,
    )
    check(found, *PAIRS[name], Fraction(1, 2))
