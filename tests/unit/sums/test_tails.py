"""Tails of binomial laws against their sums in rationals, and around their own mean."""

from fractions import Fraction
from math import comb

import pytest
from flint import arb

from exactdp.numbers import precision
from exactdp.numbers.balls import endpoints
from exactdp.sums.counting.tails import tail_ratio, upper_tail

ODDS = [Fraction(1, 7), Fraction(1), Fraction(9, 4), Fraction(60)]


@pytest.mark.parametrize("odds", [*ODDS, Fraction(2) ** 1010])  # bits² times it is not a double
def test_tails_contain_the_exact_ones(odds):
    p = odds / (1 + odds)
    with precision(160):
        ball = arb(odds.numerator) / odds.denominator
        for n in range(1, 23):
            masses = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            for first in range(-1, n + 2):
                exact = sum(masses[max(0, first) :], Fraction(0))
                found = upper_tail(n, first, ball)
                low, high = endpoints(found)
                assert low <= exact <= high and (found.rel_accuracy_bits() > 90 or exact == 0)
                if 0 <= first <= n:
                    low, high = endpoints(tail_ratio(first, n - first, bits=60, odds=ball))
                    assert low <= exact / masses[first] <= high


@pytest.mark.parametrize("odds", ODDS)
@pytest.mark.parametrize("score", [-6, -1, 0, 1, 6, 40])
def test_a_fraction_and_a_series_of_many_trials(odds, score):
    """Pr[J >= k] from one accuracy of the fraction, and by the recurrence Pr[J >= k] over k."""
    n = 10**6
    mean, spread = float(n * odds / (1 + odds)), float(n * odds) ** 0.5 / float(1 + odds)
    first = min(n - 1, int(mean + score * spread))
    with precision(200):
        ball = arb(odds.numerator) / odds.denominator
        here, next_one = (upper_tail(n, k, ball) for k in (first, first + 1))
        size = arb(n + 1).lgamma() - arb(first + 1).lgamma() - arb(n - first + 1).lgamma()
        mass = (size + first * ball.log() - n * ball.log1p()).exp()
        assert (here - next_one - mass).contains(0)
        assert here.rel_accuracy_bits() > 100
        wide = tail_ratio(first, n - first, bits=20, odds=ball) * mass
        assert wide.overlaps(here)
