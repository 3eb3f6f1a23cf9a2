"""Laws of unequal trials, against Python's own fractions and the exact engine."""

from fractions import Fraction
from random import Random

import mpmath
import pytest

from exactdp.distributions import binomial, count_enclosures, count_window
from exactdp.distributions.count_windows import count_balls
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Exact, exp, log, sqrt
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_TRIALS


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
def test_enclosures_hold_every_mass_and_are_narrow(probabilities):
    found = count_enclosures(probabilities)
    truth = by_fractions(probabilities)
    assert len(found) == len(truth)
    for enclosure, mass in zip(found, truth, strict=True):
        assert enclosure.lower <= mass <= enclosure.upper
        assert enclosure.width <= enclosure.lower / 10**12


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
    found = count_enclosures(probabilities)
    with mpmath.workdps(50):
        ps = [1 / (1 + mpmath.exp(mpmath.mpf(i) / 500)) for i in range(1000)]
        none = mpmath.fprod(1 - p for p in ps)
        odds = mpmath.fsum(p / (1 - p) for p in ps)
        for j, value in ((0, none), (1, none * odds), (1000, mpmath.fprod(ps))):
            middle = (found[j].lower + found[j].upper) / 2
            ratio = mpmath.mpf(middle.numerator) / middle.denominator / value
            assert abs(ratio - 1) < mpmath.mpf(10) ** -12  # mpmath's own error is about 1e-46
    window = count_window([(p, 1) for p in probabilities], bits=128)
    for j, enclosure in enumerate(found):
        assert enclosure.lower <= window.mass(j).upper
        assert window.mass(j).lower <= enclosure.upper


def test_computable_probabilities():
    p = exp(Exact(-1)) * sqrt(2)
    window = count_window([(p, 2)], bits=100)
    square = (p * p).ball(200)
    low, high = endpoints(square)
    assert window.mass(2).lower <= high
    assert window.mass(2).upper >= low
    assert count_enclosures([p, p])[2].lower <= high


def test_balls_reach_the_accuracy_asked_for():
    assert all(b.rel_accuracy_bits() >= 300 for b in count_balls(["1/3", "1/7"], accuracy=300))


def test_refusals():
    with pytest.raises(DomainError, match="not a probability"):
        count_window([("3/2", 1)], bits=64)
    with pytest.raises(DomainError, match="not a probability"):
        count_window([(2 * log(2), 1)], bits=64)
    with pytest.raises(DomainError, match="not a probability"):
        count_enclosures([log(3)])
    with pytest.raises(DomainError, match="float"):
        count_enclosures([0.5])
    with pytest.raises(DomainError, match="at least 0"):
        count_window([("1/2", -1)], bits=64)
    with pytest.raises(DomainError, match="above 0 and below 1"):
        count_enclosures(["1/2"], relative_width=0)
    with pytest.raises(UndecidedError, match="exactly"):
        count_window([(log(2) / log(2), 1)], bits=64)
    with pytest.raises(TooLargeError, match="count_window"):
        count_enclosures(["1/2"] * (MAX_TRIALS + 1))
    with pytest.raises(TooLargeError, match="limit"):
        count_window([("1/2", 1)], bits=1 << 20)
