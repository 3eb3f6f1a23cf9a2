"""Where a monotone function crosses a target, from enclosures that are about as wide as asked."""

import random
from fractions import Fraction

import pytest

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact
from exactdp.numbers.crossing import Slope, crossing


class Power:
    """x^a, enclosed to nine tenths of the width that is asked, or to one that it does not go below.

    The value lies anywhere in the enclosure, or without a seed in the middle; each point and width
    that is asked is kept.
    """

    def __init__(self, power, *, seed=0, least=Fraction(0)):
        self.power, self.least = power, least
        self.points, self.asked = [], []
        self._random = None if seed is None else random.Random(seed)

    def __call__(self, x, width):
        self.points.append(x)
        self.asked.append(width)
        value, width = self.value(x), max(width, self.least) * Fraction(9, 10)
        part = Fraction(self._random.randrange(101) if self._random else 50, 100)
        lower = value / (1 + part * width)
        return Enclosure(lower, max(value, lower * (1 + width)))

    def value(self, x):
        return x**self.power

    def found(self, target, width, **known):
        known = {"first": Fraction(1), "relative_width": width, **known}
        slope = Slope.GROWING if self.power > 0 else Slope.FALLING
        return crossing(self, Exact(target), slope=slope, **known)


def holds(found, power, target, width):
    ends = sorted((found.lower**power, found.upper**power))
    return ends[0] <= target <= ends[1] and found.width <= width * found.lower


@pytest.mark.parametrize("power", [-40, -2, -1, 1, 3, 12])
@pytest.mark.parametrize("width", [Fraction(1, 4), Fraction(1, 100), Fraction(1, 10**6)])
def test_the_root_lies_between_the_ends(power, width):
    for seed in range(20):
        target = Fraction(seed + 2, 7)
        assert holds(Power(power, seed=seed).found(target, width), power, target, width)


@pytest.mark.parametrize("power", [-40, -2, 3, 12])
def test_no_value_is_asked_far_more_narrowly_than_the_width_takes(power):
    """Two values that differ by the power times the width are told by enclosures half as wide.

    The power is an estimate of rough values, so a point is sometimes asked once more.
    """
    width = Fraction(1, 10**6)
    for seed in range(20):
        one = Power(power, seed=seed)
        one.found(Fraction(3 * seed + 2, 13), width)  # at no root that is guessed
        assert min(one.asked) >= width / 16


def test_values_that_do_not_get_narrower_are_enough_where_they_tell_the_ends():
    width, least = Fraction(1, 10**6), Fraction(3, 10**7)
    for seed in range(20):
        target = Fraction(seed + 2, 7)
        found = Power(-1, seed=seed, least=least).found(target, width)
        assert holds(found, -1, target, width)


def test_nothing_is_asked_beyond_the_largest_point():
    for seed in range(20):
        one, target = Power(2, seed=seed, least=Fraction(8, 1000)), Fraction(891, 100)
        found = one.found(target, Fraction(1, 100), at_most=Fraction(3))
        assert holds(found, 2, target, Fraction(1, 100))
        assert max(one.points) == 3


class Bent(Power):
    """x near 1, and as steep as its power farther off."""

    near = Fraction(3, 10**6)

    def value(self, x):
        end = min(max(x, 1 - self.near), 1 + self.near)
        return end * (x / end) ** self.power


def test_a_slope_that_is_less_near_the_root():
    for seed in range(20):
        one, width = Bent(400, seed=seed), Fraction(1, 10**6)
        assert holds(one.found(1, width, first=Fraction(7 + seed, 5)), 1, 1, width)
        assert len(one.asked) < 64


@pytest.mark.parametrize("known", [{"at_most": Fraction(3)}, {"between": (1, Fraction(3, 2))}])
def test_an_end_that_is_known(known):
    for seed in range(20):
        found = Power(2, seed=seed).found(2, Fraction(1, 10**4), **known)
        assert holds(found, 2, 2, Fraction(1, 10**4))


def test_the_target_at_a_point_that_is_asked():
    """The first guess is the root: it is never told, and the points beside it are."""
    one = Power(2)
    found = one.found(4, Fraction(1, 100), first=Fraction(2))
    assert found.lower < 2 < found.upper and holds(found, 2, 4, Fraction(1, 100))


def test_values_that_tell_nothing_are_given_up():
    with pytest.raises(UndecidedError, match="Ask for a larger relative width"):
        Power(2, seed=None, least=Fraction(1, 10)).found(2, Fraction(1, 10**6))
