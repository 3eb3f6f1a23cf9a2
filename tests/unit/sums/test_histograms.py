"""Means of few copies, against a sum over all sequences in Python's fractions."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import arb, fmpq

from exactdp.numbers import precision
from exactdp.sums.counting.histograms import histograms, means_by_histogram

LISTS = [["1", "-1", "1/3"], ["1/7", "-2", "5/2"], ["-1", "-2", "-3"], ["1e-9", "-1e-9", "0"]]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("masses", [["1/2", "1/3", "1/6"], ["1/2", "1e-30", "1/8"]])
def test_they_contain_the_truth_and_are_narrow(n, masses):
    values, shares = [list(map(Fraction, one)) for one in LISTS], list(map(Fraction, masses))
    with precision(128):
        balls = [[arb(fmpq(x.numerator, x.denominator)) for x in one] for one in values]
        chances = [arb(fmpq(x.numerator, x.denominator)) for x in shares]
        found = means_by_histogram(balls, chances, n)
    shares.append(1 - sum(shares))
    for one, near in zip(values, found, strict=True):
        letters = list(zip([*one, Fraction(0)], shares, strict=True))
        truth = sum(
            max(Fraction(0), sum(x for x, _ in word)) * prod(m for _, m in word)
            for word in product(letters, repeat=n)
        )
        assert near.lower <= truth <= near.upper
        assert near.width <= truth / 10**8 + Fraction(1, 10**14) * max(map(abs, one))


def test_they_are_counted():
    assert histograms(2, 3) == 6
    assert histograms(5, 2) == 6
