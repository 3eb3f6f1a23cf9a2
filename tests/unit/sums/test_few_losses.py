"""Sums of few losses with many values: beside all outcomes one by one, and the transform."""

from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import pytest

from exactdp.accounting import compose
from exactdp.accounting.certified import loss_law
from exactdp.divergences import Pair
from exactdp.mechanisms import skellam_mechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.sums import LossSum
from exactdp.sums.table import Mean, mean_excess
from tests.routes.reals import mpf_of

# Pairs (P, Q) of fifteenths and tenths; ties with the thresholds on purpose.
PAIRS = [
    [(Fraction(1, 10), Fraction(2, 10)), (Fraction(4, 10), Fraction(3, 10)), (Fraction(1, 2),) * 2],
    [(Fraction(i, 15), Fraction(6 - i, 15)) for i in range(1, 6)],
]
NARROW = Fraction(1, 10**9)


def losses_of(parts):
    laws = [(loss_law(Pair.from_masses(*zip(*pair, strict=True))), n) for pair, n in parts]
    return LossSum(tuple(laws)).routes


@pytest.mark.parametrize("times", [(0, 1), (1, 1), (0, 3), (2, 1), (1, 3)])
@pytest.mark.parametrize("growth", [Fraction(1), Fraction(4, 3), Fraction(5, 2), Fraction(1, 3)])
def test_all_outcomes_one_by_one(times, growth):
    used = [(pair, n) for pair, n in zip(PAIRS, times, strict=True) if n]
    points = product(*(pair for pair, n in used for _ in range(n)))
    exact = sum(
        max(Fraction(0), prod(p for p, _ in point) - growth * prod(q for _, q in point))
        for point in points
    )
    found = mean_excess(losses_of(used), Epsilon.log(growth).nats, NARROW)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= exact / 10**9


@pytest.mark.parametrize("epsilon", ["1/10", "1", "3"])
def test_two_skellam_noises_by_all_pairs(epsilon):
    with mpmath.workdps(40):
        masses = [mpmath.besseli(k, 9) * mpmath.exp(-9) for k in range(62)]
        both = [(masses[abs(k)], masses[abs(k - 1)]) for k in range(-60, 61)]
        growth = mpmath.exp(mpf_of(epsilon))
        gaps = (p * r - growth * q * s for (p, q), (r, s) in product(both, both))
        true = mpmath.fsum(gap for gap in gaps if gap > 0)
        found = compose([(skellam_mechanism(variance=9), 2)]).delta(
            Epsilon.rational(epsilon), relative_width="1e-8"
        )
        ends = [mpf_of(x) for x in (found.lower, found.upper)]
        assert ends[0] <= true <= ends[1]
        assert ends[1] - ends[0] <= true * mpmath.mpf("1.01e-8")


def test_the_transform_says_the_same():
    pair = [(Fraction(p, 171), Fraction(19 - p, 171)) for p in range(1, 19)]
    losses = losses_of([(pair, 3)])
    found = mean_excess(losses, Exact(2), NARROW)
    other = Mean.of_losses(losses, Exact(2)).in_doubles(Fraction(1, 10**6))
    assert other.lower <= found.lower <= found.upper <= other.upper
