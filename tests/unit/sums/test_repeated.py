"""The mean of a sum above many thresholds, against all outcomes, in fractions."""

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import pytest

from exactdp.numbers import Exact
from exactdp.sums import RepeatedSum

STEP = Fraction(1, 3)
LAWS = [
    {0: Fraction(1, 2), 1: Fraction(1, 2)},
    {0: Fraction(1, 5), 2: Fraction(1, 2), 7: Fraction(3, 10)},
    {3: Fraction(2, 3), 4: Fraction(1, 6), 40: Fraction(1, 6)},
    {1: 1 - Fraction(1, 10**9), 90: Fraction(1, 10**9)},
]


def means(law, times, c):
    """E max(0, S − c) and E max(0, c − S), outcome by outcome."""
    found = [Fraction(0), Fraction(0)]
    for outcome in product(law, repeat=times):
        mass = prod(law[i] for i in outcome)
        value = sum(outcome) * STEP - c
        found[0] += mass * max(0, value)
        found[1] += mass * max(0, -value)
    return found


def thresholds(law, times, seed):
    random = Random(seed)
    top = max(law) * STEP * times
    at_values = [sum(random.choices(list(law), k=times)) * STEP for _ in range(4)]
    return [*at_values, *(top * random.randrange(1, 100) / 100 for _ in range(6))]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("times", [1, 2, 4])
def test_means_above_are_those_of_all_outcomes(law, times):
    found = RepeatedSum(STEP, law, times)
    for c in thresholds(law, times, times):
        truth = means(law, times, c)[0]
        value = found.mean_above(Exact(c), relative_width=Fraction(1, 10**6))
        assert value.contains(Exact(truth)) and value.width <= truth / 10**5


def test_values_below_0_and_thresholds_beyond_all():
    turned = RepeatedSum(STEP, {-1: Fraction(1, 2), 0: Fraction(1, 2)}, 3)
    wide = Fraction(1, 100)
    # −3, −2, −1, 0 thirds above −1/2: 0, −1/3 (3/8 of the time).
    truth = Exact(Fraction(1, 8) * Fraction(1, 2) + Fraction(3, 8) * Fraction(1, 6))
    assert turned.mean_above(Exact("-1/2"), relative_width=wide).contains(truth)
    assert turned.mean_above(Exact(1), relative_width=wide).upper == 0
    assert turned.mean_above(Exact(-5), relative_width=wide).contains(Exact("9/2"))
