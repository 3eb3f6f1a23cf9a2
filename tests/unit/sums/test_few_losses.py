"""Sums of few losses with many values, outcome by outcome, by definition."""

from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import pytest
from flint import arb, fmpq

from exactdp.accounting import compose
from exactdp.mechanisms import skellam_mechanism
from exactdp.numbers import Epsilon, precision
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.lines.factors import FiniteVariable
from tests.routes.reals import mpf_of

# Pairs (P, Q) of sixths and tenths; ties with the thresholds on purpose.
PAIRS = [
    [(Fraction(1, 10), Fraction(3, 10)), (Fraction(4, 10), Fraction(3, 10)), (Fraction(1, 2),) * 2],
    [(Fraction(i, 15), Fraction(6 - i, 15)) for i in range(1, 6)],
]


def variable(pair, times):
    values = [(arb(fmpq(p.numerator, p.denominator)) / _q(q)).log() for p, q in pair]
    return FiniteVariable(values, [_q(p) for p, _ in pair], times)


def _q(x):
    return arb(fmpq(x.numerator, x.denominator))


@pytest.mark.parametrize("times", [(0, 1), (1, 1), (0, 3), (2, 1), (1, 3)])
@pytest.mark.parametrize("growth", [Fraction(1), Fraction(4, 3), Fraction(5, 2), Fraction(1, 3)])
def test_all_outcomes_one_by_one(times, growth):
    used = [(pair, n) for pair, n in zip(PAIRS, times, strict=True) if n]
    points = product(*(pair for pair, n in used for _ in range(n)))
    exact = sum(
        max(Fraction(0), prod(p for p, _ in point) - growth * prod(q for _, q in point))
        for point in points
    )
    with precision(192):
        variables, c = [variable(pair, n) for pair, n in used], _q(growth).log()
    found = CountedSum(lambda _: variables, lambda _: c, 1, Fraction(1, 10**9)).mean()
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
