"""The crossing of a target by a monotone function, from enclosures about as wide as asked."""

import random
from fractions import Fraction
from math import exp, inf, log

import pytest

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Exact
from exactdp.numbers.crossing import Scale, Slope, crossing


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


# --- scales: ln(1/f) is nearly a power, and another function tells where f has no answer ------


class Delta:
    """f = 10^(−6·(root/x)^power), bent, and (x/root)^(power/2); what is asked is kept."""

    def __init__(self, root, power=2.0, bend=0.0, *, falls=False, far=inf, unseen=(), error=0.0):
        self.root, self.power, self.bend = root, power, bend
        self.sign, self.far, self.unseen, self.error = -1 if falls else 1, far, unseen, error
        self.asked, self.others = [], []

    def exponent(self, x):
        u = log(x.numerator) - log(x.denominator) - log(self.root)
        return self.sign * self.power * (u + self.bend * u * abs(u))

    def __call__(self, x, width):
        self.asked.append(x)
        height = log(1e6) * (1 - exp(min(-self.exponent(x), 50.0)))
        if abs(height) > self.far:
            raise TooLargeError("too large here.")
        return around(max(height - log(1e6), -600.0), max(width, Fraction(self.error)))

    def other(self, x, width):
        self.others.append(x)
        if any(low <= x <= high for low, high in self.unseen):
            raise TooLargeError("no other here.")
        return around(self.exponent(x) / 2, width)

    def found(self, first, *, at_most=None, is_whole=False):
        return crossing(
            self,
            Exact("1e-6"),
            slope=Slope.FALLING if self.sign < 0 else Slope.GROWING,
            first=Fraction(first),
            at_most=at_most,
            scale=Scale(None if self.far == inf else self.other, is_whole),
            relative_width="1e-2",
        )

    def check(self, found, at_most_looks):
        ends = sorted((self.exponent(found.lower), self.exponent(found.upper)))
        assert ends[0] < 0 < ends[1] and found.is_narrow(Fraction(1, 100))
        assert len(self.asked + self.others) <= at_most_looks


def around(logarithm, width):
    value = Fraction(exp(logarithm))
    return Enclosure(value * (1 - width / 3), value * (1 + width / 3))


@pytest.mark.parametrize("falls", [True, False])
@pytest.mark.parametrize("far", [6, inf])
def test_crossings_of_bent_powers_are_found_in_few_looks(falls, far):
    rng = random.Random(3)
    looks = 0
    for _ in range(100):
        root, power = 10 ** rng.uniform(-6, 6), rng.choice([0.5, 1, 2, 4])
        one = Delta(root, power, rng.choice([0, 0.01, 0.1]), falls=falls, far=far)
        one.check(one.found(Fraction(root) * Fraction(exp(rng.uniform(-7, 7)))), 40)
        looks += len(one.asked + one.others)
    assert looks < 100 * 13


def test_the_other_function_is_asked_only_where_f_has_no_answer():
    one = Delta(3.0, far=6)
    one.check(one.found("1/10"), 12)
    assert 0 < len(one.others) < len(one.asked)
    assert all(abs(one.exponent(x)) > 0.3 for x in one.others)


def test_an_f_that_gets_no_narrower_leaves_the_rest_to_the_other_function():
    for first in range(1, 20):
        one = Delta(3.0, far=6, error=0.5)
        one.check(one.found(Fraction(first, 4)), 40)


def test_where_nothing_is_seen_the_search_goes_on_elsewhere():
    for root, first, unseen in (
        (5.0, 100, [(20, 10**9)]),
        (5.0, "1/10", [(0, 1)]),
        (5.0, 9, [(8, 12)]),
        (5.0, "1/8", [(Fraction(1, 100), Fraction(1, 2))]),
    ):
        for falls in (True, False):
            one = Delta(root, 2.0, 0.3, falls=falls, far=3, unseen=unseen)
            one.check(one.found(first), 40)


def test_where_f_is_nowhere_seen_its_error_is_raised():
    one = Delta(5.0, far=0, unseen=[(0, 10**40)])
    with pytest.raises(TooLargeError, match="no other here"):
        one.found(1)
    assert len(one.asked) <= 4
    with pytest.raises(TooLargeError, match="too large here"):
        crossing(
            Delta(5.0, far=0),
            Exact("1e-6"),
            slope=Slope.GROWING,
            first=Fraction(1),
            scale=Scale(),
            relative_width="1e-2",
        )


def test_an_end_of_f_is_the_crossing_if_it_meets_the_target():
    one = Delta(5.0)
    found = one.found(2, at_most=Fraction(4))
    assert (found.lower, found.upper, len(one.asked)) == (4, 4, 1)
    one.check(one.found(2, at_most=Fraction(6)), 12)
    assert all(x <= 6 for x in one.asked)


def test_sides_alone_are_enough():
    """As where δ is 0 beyond a scale, and near 1 below another."""

    def value_at(x, width):
        return Enclosure(Fraction(0), Fraction(0)) if x > 7 else Enclosure(Fraction(1), Fraction(1))

    found = crossing(
        value_at,
        Exact("1e-6"),
        slope=Slope.FALLING,
        first=Fraction(1, 1000),
        scale=Scale(),
        relative_width="1e-2",
    )
    assert found.lower <= 7 < found.upper <= found.lower * Fraction(101, 100)


@pytest.mark.parametrize("root", [0.3, 1.5, 2.5, 17.5, 99.5, 12345.6, 1e9 + 0.5])
@pytest.mark.parametrize("far", [3, inf])
def test_whole_numbers_to_the_last(root, far):
    for first in (1, 40, 10**9):
        for falls in (True, False):
            one = Delta(root, 0.6, falls=falls, far=far)
            found = one.found(first, at_most=Fraction(10**12), is_whole=True)
            assert found.lower == int(root) and found.upper == int(root) + 1
            assert len(one.asked + one.others) < 60
            assert all(x.denominator == 1 and x > 0 for x in one.asked)


def test_the_largest_whole_number_there_is():
    found = Delta(10.0**20, far=3).found(1, at_most=Fraction(10**6), is_whole=True)
    assert (found.lower, found.upper) == (10**6, 10**6)


def test_a_whole_number_that_is_not_told_is_undecided():
    with pytest.raises(UndecidedError, match="the value at 6 cannot be told"):
        Delta(6.0, error=1e-9).found(3, is_whole=True)
