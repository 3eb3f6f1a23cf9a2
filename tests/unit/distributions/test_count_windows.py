"""Laws of unequal trials, against Python's own fractions and the exact engine."""

from fractions import Fraction
from random import Random

import mpmath
import pytest

from exactdp.distributions import binomial, count_window
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Exact, exp, log, sqrt
from exactdp.numbers.balls import endpoints
from tests.routes.reals import mpf_of


def by_fractions(probabilities):
    law = [Fraction(1)]
    for p in probabilities:
        law = [
            (law[j] * (1 - p) if j < len(law) else 0) + (law[j - 1] * p if j else 0)
            for j in range(len(law) + 1)
        ]
    return law


CASES = [
    [],
    [Fraction(1, 3)] * 5,
    [Fraction(0), Fraction(1), Fraction(1, 2)],
    [Fraction(Random(i).randrange(0, 101), 100) for i in range(24)],
    [Fraction(1, 10**9), Fraction(1, 2), 1 - Fraction(1, 10**9)],
]


@pytest.mark.parametrize("probabilities", CASES)
def test_window_is_below_and_knows_what_is_missing(probabilities):
    window = count_window([(p, 1) for p in probabilities], bits=96)
    truth = by_fractions(probabilities)
    for j, mass in enumerate(truth):
        assert window.mass(j).lower <= mass <= window.mass(j).upper
    lost = sum(mass - window.mass(j).lower for j, mass in enumerate(truth))
    assert lost == window.missing
    assert window.missing < Fraction(1, 2**80)


def test_equal_trials_are_powers():
    window = count_window([("1/3", 300), ("1/7", 1)], bits=128)
    law = binomial(300, "1/3")
    for j in range(302):
        mass = law[j] * Fraction(6, 7) + (law[j - 1] / 7 if j else 0)
        assert window.mass(j).contains(mass)
    assert len(window.weights) < 210  # the rest is below 2^-128


def test_a_thousand_transcendental_probabilities():
    probabilities = [1 / (1 + Exact.exp(Fraction(i, 500))) for i in range(1000)]
    window = count_window([(p, 1) for p in probabilities], bits=4096)
    with mpmath.workdps(50):
        ps = [1 / (1 + mpmath.exp(mpmath.mpf(i) / 500)) for i in range(1000)]
        none = mpmath.fprod(1 - p for p in ps)
        odds = mpmath.fsum(p / (1 - p) for p in ps)
        for j, value in ((0, none), (1, none * odds), (1000, mpmath.fprod(ps))):
            found = window.mass(j).lower
            ratio = mpf_of(found) / value
            assert abs(ratio - 1) < mpmath.mpf(10) ** -12  # mpmath's own error is about 1e-46


def test_computable_probabilities():
    p = exp(Exact(-1)) * sqrt(2)
    window = count_window([(p, 2)], bits=100)
    square = (p * p).ball(200)
    low, high = endpoints(square)
    assert window.mass(2).lower <= high
    assert window.mass(2).upper >= low


def test_refusals():
    with pytest.raises(DomainError, match="not a probability"):
        count_window([("3/2", 1)], bits=64)
    with pytest.raises(DomainError, match="not a probability"):
        count_window([(2 * log(2), 1)], bits=64)
    with pytest.raises(DomainError, match="not a probability"):
        count_window([(1.5, 1)], bits=64)
    with pytest.raises(DomainError, match="at least 0"):
        count_window([("1/2", -1)], bits=64)
    with pytest.raises(UndecidedError, match="exactly"):
        count_window([(log(2) / log(2), 1)], bits=64)
    with pytest.raises(TooLargeError, match="limit"):
        count_window([("1/2", 1)], bits=1 << 20)
