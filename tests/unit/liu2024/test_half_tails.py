"""Sums of binomial tails beyond a growing threshold, against sums in fractions."""

from fractions import Fraction
from math import ceil, comb

import pytest

from exactdp.distributions import count_window
from exactdp.errors import DomainError
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024.half_tails import half_tails


def tail(c, t):
    return sum((Fraction(comb(c, k), 2**c) for k in range(max(t, 0), c + 1)), Fraction(0))


def law_of(probabilities):
    law = [Fraction(1)]
    for p in probabilities:
        law = [
            (law[j] * (1 - p) if j < len(law) else 0) + (law[j - 1] * p if j else 0)
            for j in range(len(law) + 1)
        ]
    return law


def holds(ball, value):
    lower, upper = endpoints(ball)
    return lower <= value <= upper and upper - lower < Fraction(1, 2**90)


@pytest.mark.parametrize(
    "probabilities",
    [[], [Fraction(1)] * 9, [Fraction(1, 3)] * 8, [Fraction(i, 13) for i in range(1, 13)]],
)
@pytest.mark.parametrize("mu", ["1/100", "1/5", "1/3", "1/2", "51/100", "2/3", "9/10", "1"])
def test_against_fractions(probabilities, mu):
    share = Fraction(mu)
    tails = half_tails(count_window([(p, 1) for p in probabilities], bits=128), mu=share)
    law = law_of(probabilities)
    with_letter = without = at = Fraction(0)
    for c, mass in enumerate(law):
        t = ceil(share * (c + 1))
        with_letter += mass * tail(c, t - 1)
        without += mass * tail(c, t)
        at += mass * (tail(c, t) - tail(c, t + 1))
    first, second = tails.event_probabilities()
    assert holds(first, with_letter)
    assert holds(second, without)
    # The window may leave out 2^-110 of this one, which is no event's probability.
    lower, upper = endpoints(tails.at_threshold)
    assert lower <= at <= upper + Fraction(1, 2**110)
    assert at <= upper + Fraction(1, 2**110)
    assert upper - lower < Fraction(1, 2**90)


def test_a_window_that_starts_late():
    window = count_window([(1, 300), ("1/2", 40)], bits=128)
    assert window.first == 300
    tails = half_tails(window, mu=Fraction(11, 20))
    truth = sum(
        Fraction(comb(40, j), 2**40) * tail(300 + j, ceil(Fraction(11, 20) * (301 + j)))
        for j in range(41)
    )
    assert holds(tails.event_probabilities()[1], truth)


@pytest.mark.parametrize("mu", [Fraction(0), Fraction(-1), Fraction(3, 2)])
def test_refusals(mu):
    with pytest.raises(DomainError, match="mu="):
        half_tails(count_window([], bits=64), mu=mu)
