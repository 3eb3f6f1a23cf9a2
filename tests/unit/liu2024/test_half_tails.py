"""Sums of binomial tails beyond a growing threshold, against sums in fractions."""

from fractions import Fraction
from math import ceil, comb

import pytest

from exactdp.distributions import count_window, poisson_binomial
from exactdp.errors import DomainError
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024.half_tails import half_tails


def tail(c, t):
    return sum((Fraction(comb(c, k), 2**c) for k in range(max(t, 0), c + 1)), Fraction(0))


@pytest.mark.parametrize(
    "probabilities",
    [[], [Fraction(1)] * 9, [Fraction(1, 3)] * 8, [Fraction(i, 13) for i in range(1, 13)]],
)
@pytest.mark.parametrize("mu", ["1/100", "1/5", "1/3", "1/2", "51/100", "2/3", "9/10", "1"])
def test_against_fractions(probabilities, mu):
    share = Fraction(mu)
    found = half_tails(count_window([(p, 1) for p in probabilities], bits=128), mu=share)
    law = poisson_binomial(probabilities).masses
    for ball, letter in zip(found, (1, 0), strict=True):
        truth = sum(mass * tail(c, ceil(share * (c + 1)) - letter) for c, mass in law.items())
        # The window may leave out 2^-100 of it.
        lower, upper = endpoints(ball)
        assert lower <= truth <= upper + Fraction(1, 2**100)
        assert upper - lower < Fraction(1, 2**90)


def test_a_window_that_starts_late():
    window = count_window([(1, 300), ("1/2", 40)], bits=128)
    assert window.first == 300
    tails = half_tails(window, mu=Fraction(11, 20))
    truth = sum(
        Fraction(comb(40, j), 2**40) * tail(300 + j, ceil(Fraction(11, 20) * (301 + j)))
        for j in range(41)
    )
    lower, upper = endpoints(tails[1])
    assert lower <= truth <= upper + Fraction(1, 2**100) <= lower + Fraction(1, 2**90)


@pytest.mark.parametrize("mu", [Fraction(0), Fraction(-1), Fraction(3, 2)])
def test_refusals(mu):
    with pytest.raises(DomainError, match="mu="):
        half_tails(count_window([], bits=64), mu=mu)
