"""Calibration of families whose ε(δ) is quick, and whose δ is hard far from the crossing."""

import random
from fractions import Fraction

import pytest

from exactdp.divergences import Largest, PrivacyProfile
from exactdp.divergences.calibration import crossing_parameter, extreme_count
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, certainly_below, decided_below, log
from exactdp.numbers.crossing import Slope

AT, TARGET = Epsilon.rational(2), Exact("1e-7")


RNG = random.Random(5)


def widened(value, width):
    """An enclosure about as wide as it may be, with the value anywhere in it."""
    near, below = enclosed(value, width / 100), Fraction(RNG.randrange(90), 100)
    ends = near.lower * (1 - width * below), near.upper * (1 + width * (Fraction(9, 10) - below))
    return Enclosure(*ends)


class Exponential(PrivacyProfile):
    """δ(ε) = e^(−ε/size)/2; where δ is e^±``far`` times the target, or more, it is too large."""

    def __init__(self, size, *, is_quick=True, far=6, narrowest=0, rough=0, unseen=()):
        self.size, self.is_quick, self.far = Fraction(size), is_quick, far
        self.narrowest, self.rough, self.unseen = Fraction(narrowest), Fraction(rough), unseen

    @property
    def has_quick_epsilon(self):
        return self.is_quick

    def exact_delta(self, epsilon):
        return Exact.exp(-epsilon.nats.as_fraction() / self.size) / 2

    def delta(self, epsilon, *, relative_width=None):
        value, width = self.exact_delta(epsilon), Fraction(relative_width)
        distance = abs(enclosed(log(value / TARGET), "1e-3").upper)
        if distance > self.far or width < self.narrowest:
            raise TooLargeError("δ has too many digits here.")
        return widened(value, max(width, self.rough))

    def epsilon(self, delta, *, relative_width=None):
        if any(low < self.size < high for low, high in self.unseen):
            raise UndecidedError("no ε here.")
        return widened(self.size * log(1 / (2 * Exact(delta))), Fraction(relative_width))

    def max_divergence(self):
        return Epsilon.infinity()

    def reversed(self):
        return self


TRUTH = 2 / log(1 / (2 * TARGET))
"""The size with δ(2) = 1e-7: 0.1297."""


def check(found, width, *, truth=TRUTH):
    assert certainly_below(Exact(found.lower), truth) and certainly_below(truth, Exact(found.upper))
    assert found.width <= Fraction(width) * found.lower


@pytest.mark.parametrize("width", ["1/2", "1e-2", "1e-3", "1e-8"])
@pytest.mark.parametrize("first", ["1e-9", "1/8", "1e9"])
def test_a_bracket_is_found_where_delta_is_too_large_far_from_it(width, first):
    sought = {"epsilon": AT, "delta": TARGET, "first": Fraction(first), "relative_width": width}
    check(crossing_parameter(Exponential, slope=Slope.GROWING, **sought), width)
    check(
        crossing_parameter(lambda x: Exponential(1 / x), slope=Slope.FALLING, **sought),
        width,
        truth=1 / TRUTH,
    )


def test_without_a_quick_epsilon_delta_alone_is_asked():
    def family(x):
        return Exponential(x, is_quick=False, far=12)

    sought = {"epsilon": AT, "delta": TARGET, "slope": Slope.GROWING, "relative_width": "1e-3"}
    with pytest.raises(TooLargeError, match="too many digits"):
        crossing_parameter(family, first=Fraction(10), **sought)
    check(crossing_parameter(family, first=Fraction(1, 8), **sought), "1e-3")
    with pytest.raises(TooLargeError, match="too many digits"):
        # ε = 0 is that of all where δ(0) is at most δ: nothing is seen there.
        crossing_parameter(Exponential, **{**sought, "epsilon": Epsilon.rational(0)})


def test_where_delta_is_not_narrow_enough_epsilon_closes_the_bracket():
    def family(x):
        return Exponential(x, narrowest="1/100")

    sought = {"epsilon": AT, "delta": TARGET, "slope": Slope.GROWING, "relative_width": "1e-6"}
    check(crossing_parameter(family, **sought), "1e-6")
    check(crossing_parameter(family, **{**sought, "relative_width": "1e-12"}), "1e-12")


def test_a_delta_that_is_not_told_from_the_target_decides_nothing():
    sought = {"epsilon": AT, "delta": TARGET, "slope": Slope.GROWING, "relative_width": "1e-2"}
    for first in range(1, 21):
        found = crossing_parameter(
            lambda x: Exponential(x, rough="3/4"), first=Fraction(first, 40), **sought
        )
        check(found, "1e-2")


def test_where_epsilon_is_not_found_the_search_goes_on_elsewhere():
    def family(x):
        return Exponential(x, unseen=[(Fraction(1, 2), 3), (50, 10**9)])

    sought = {"epsilon": AT, "delta": TARGET, "slope": Slope.GROWING, "relative_width": "1e-2"}
    for first in (1, 100):
        check(crossing_parameter(family, first=Fraction(first), **sought), "1e-2")


def test_the_largest_parameter_and_the_larger_of_two():
    sought = {"epsilon": AT, "delta": TARGET, "slope": Slope.GROWING, "relative_width": "1e-2"}
    found = crossing_parameter(Exponential, at_most=Fraction(1, 9), **sought)
    assert (found.lower, found.upper) == (Fraction(1, 9), Fraction(1, 9))
    check(crossing_parameter(Exponential, at_most=Fraction(1), **sought), "1e-2")

    def both(x):
        return Largest((Exponential(x / 2), Exponential(x)))

    check(crossing_parameter(both, **sought), "1e-2")


@pytest.mark.parametrize("first", [1, 10**4, 10**15])
@pytest.mark.parametrize("scale", [1, 7, 5000, 10**7])
def test_the_largest_count_is_the_last_that_meets_the_target(scale, first):
    def family(count):
        return Exponential(Fraction(count, 8 * scale))

    most = extreme_count(family, slope=Slope.GROWING, epsilon=AT, delta=TARGET, first=first)
    sides = [decided_below(TARGET, family(n).exact_delta(AT), advice="") for n in (most, most + 1)]
    assert sides == [False, True]
    assert (
        extreme_count(family, slope=Slope.GROWING, epsilon=AT, delta=TARGET, at_most=scale) == scale
    )


def test_not_even_one():
    with pytest.raises(DomainError, match="not even 1 meets"):
        extreme_count(
            lambda n: Exponential(Fraction(n, 7)), slope=Slope.GROWING, epsilon=AT, delta=TARGET
        )
