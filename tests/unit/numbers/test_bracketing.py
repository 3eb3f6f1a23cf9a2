"""Brackets of crossings of functions that are nearly powers, and the last whole number below."""

import random
from fractions import Fraction
from math import exp, isqrt, log

import pytest

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Exact
from exactdp.numbers.bracketing import bracketed
from exactdp.numbers.crossing import Slope
from exactdp.numbers.seen import Bracket, Seen, log_of
from exactdp.numbers.whole import last_whole

WIDTH = Fraction(1, 100)


class Curve:
    """f(x)/target = (x/root)^power, bent; what it is asked is kept."""

    def __init__(self, root, power, bend=0.0, *, falls=False, unseen=(), error=0.0):
        self.root, self.power, self.bend = root, power, bend
        self.sign, self.unseen, self.error, self.asked = -1 if falls else 1, unseen, error, []

    def log_ratio(self, x):
        u = log_of(x) - log(self.root)
        return self.sign * self.power * (u + self.bend * u * abs(u))

    def __call__(self, x, width=Fraction(1, 10**6)):
        self.asked.append((x, width))
        if any(low <= x <= high for low, high in self.unseen):
            raise TooLargeError("too large here.")
        found = self.log_ratio(x)
        if abs(found) <= max(float(width), self.error):
            return Seen(None, found)
        return Seen(found > 0, found)


def check(found, curve, at_most_looks):
    low, high = curve.log_ratio(found.low), curve.log_ratio(found.high)
    assert (high < 0 < low) if curve.sign < 0 else (low < 0 < high)
    assert found.high - found.low <= WIDTH * found.low
    assert len(curve.asked) <= at_most_looks


@pytest.mark.parametrize("falls", [True, False])
def test_crossings_of_bent_powers_are_bracketed_in_few_looks(falls):
    rng = random.Random(3)
    looks = 0
    for _ in range(200):
        root, power = 10 ** rng.uniform(-6, 6), rng.choice([0.2, 0.5, 1, 2, 8])
        curve = Curve(root, power, rng.choice([0, 0.01, 0.1]), falls=falls)
        first = Fraction(root) * Fraction(exp(rng.uniform(-7, 7)))
        found = bracketed(
            curve,
            slope=Slope.FALLING if falls else Slope.GROWING,
            first=first,
            relative_width=WIDTH,
        )
        check(found, curve, 30)
        looks += len(curve.asked)
    assert looks < 200 * 9


def test_the_other_function_is_asked_near_the_crossing_alone_and_not_where_it_refuses():
    near = {"slope": Slope.GROWING, "first": Fraction(1, 10), "relative_width": WIDTH}
    # 30 times as steep, and seen roughly.
    f, beside = Curve(3.0, 1.0), Curve(3.0, 30.0, error=0.01)
    check(bracketed(f, beside_at=beside, **near), f, 4)
    assert all(abs(f.log_ratio(x)) < 1 for x, _ in beside.asked[1:])
    assert sum(abs(f.log_ratio(x)) < 0.25 for x, _ in f.asked) <= 1
    f, refusing = Curve(3.0, 1.0), Curve(3.0, 30.0, unseen=[(0, 10**9)])
    check(bracketed(f, beside_at=refusing, **near), f, 12)
    assert len(refusing.asked) == 3  # at the guess, and twice near the crossing


def test_where_nothing_is_seen_the_search_goes_on_elsewhere():
    for root, first, unseen in (
        (5.0, 100, [(20, 10**9)]),
        (5.0, "1/10", [(0, 1)]),
        (5.0, 9, [(7, 12)]),
        (5.0, "1/8", [(Fraction(1, 100), Fraction(1, 2))]),
    ):
        for falls in (True, False):
            curve = Curve(root, 2.0, 0.3, falls=falls, unseen=unseen)
            found = bracketed(
                curve,
                slope=Slope.FALLING if falls else Slope.GROWING,
                first=Fraction(first),
                relative_width=WIDTH,
            )
            check(found, curve, 20)


def test_where_f_is_nowhere_seen_its_error_is_raised():
    curve = Curve(5.0, 1.0, unseen=[(0, 10**40)])
    with pytest.raises(TooLargeError, match="too large here"):
        bracketed(curve, slope=Slope.GROWING, first=Fraction(1), relative_width=WIDTH)
    assert len(curve.asked) <= 4


def test_an_end_of_f_is_the_crossing_if_it_meets_the_target():
    curve = Curve(5.0, 1.0)
    sought = {"slope": Slope.GROWING, "first": Fraction(2), "relative_width": WIDTH}
    found = bracketed(curve, at_most=Fraction(4), **sought)
    assert (found.low, found.high, len(curve.asked)) == (4, 4, 1)
    check(bracketed(curve, at_most=Fraction(6), **sought), curve, 12)
    assert all(x <= 6 for x, _ in curve.asked)


def test_sides_alone_are_enough():
    """As where ε is 0 beyond a rate, and infinite below another."""

    def seen_at(x, width):
        return Seen(x < 7)

    found = bracketed(seen_at, slope=Slope.FALLING, first=Fraction(1), relative_width=WIDTH)
    assert found.low < 7 <= found.high <= found.low * (1 + WIDTH)


def test_whole_numbers_to_the_last():
    for root in (0.3, 1.5, 2.5, 17.5, 99.5, 12345.6):
        for first in (1, 40, 10**9):
            curve = Curve(root, 0.6)
            found = bracketed(
                curve,
                slope=Slope.GROWING,
                first=Fraction(first),
                at_most=Fraction(10**12),
                is_whole=True,
                relative_width=WIDTH,
            )
            assert found.low <= root < found.high
            assert found.high - found.low <= max(1, WIDTH * found.low)
            assert found.low.denominator == found.high.denominator == 1
    curve = Curve(10.0**20, 1.0)
    found = bracketed(
        curve,
        slope=Slope.GROWING,
        first=Fraction(1),
        at_most=Fraction(10**6),
        is_whole=True,
        relative_width=WIDTH,
    )
    assert (found.low, found.high) == (10**6, 10**6 + 1)


def test_a_whole_number_that_is_not_told_stays_between_the_ends():
    found = bracketed(
        Curve(6.0, 1.0, error=1e-9),
        slope=Slope.GROWING,
        first=Fraction(3),
        is_whole=True,
        relative_width=WIDTH,
    )
    assert (found.low, found.high) == (5, 7)


def test_a_large_whole_number_that_is_not_told_is_between_near_ends():
    curve, beside = Curve(1e9, 1.0), Curve(1e9, 20.0, error=0.02)
    found = bracketed(
        curve,
        beside_at=beside,
        slope=Slope.GROWING,
        first=Fraction(10**9),
        is_whole=True,
        relative_width=WIDTH,
    )
    assert found.low < 10**9 < found.high <= found.low * (1 + WIDTH)
    assert len(beside.asked) <= 4 and not curve.asked


# --- the last whole number --------------------------------------------------------


def squares(counted, *, rough=1):
    def value_at(x, width):
        counted.append(x)
        wide = width * rough
        return Enclosure(x * x * (1 - wide / 3), x * x * (1 + wide / 3))

    return value_at


@pytest.mark.parametrize("size", [1, 10, 10**3, 10**7, 10**15])
def test_the_last_whole_number_below(size):
    rng = random.Random(size)
    for _ in range(20):
        target, counted = rng.randrange(size**2, 100 * size**2) + Fraction(1, 2), []
        found = isqrt(int(target))
        low, high = found - rng.randrange(found + 1), found + 1 + rng.randrange(9 * size)
        near = Bracket(Fraction(low), Fraction(high), Fraction(rng.randrange(low, high)), 3.0)
        assert last_whole(squares(counted), Exact(target), near) == found
        assert len(counted) < 60


def test_few_values_find_the_last_of_a_million():
    near, counted = Bracket(Fraction(990_000), Fraction(1_010_000), Fraction(10**6), 16.0), []
    target = Exact(Fraction(1_003_456_789, 1000) ** 2)
    assert last_whole(squares(counted), target, near) == 1_003_456
    assert len(counted) <= 5


def test_what_is_never_told_is_undecided():
    near = Bracket(Fraction(1), Fraction(100), Fraction(30))
    with pytest.raises(UndecidedError, match="the value at 50 cannot be told"):
        last_whole(
            lambda x, width: Enclosure(x * (1 - width), x * (1 + width)) if x != 50 else EXACT,
            Exact(50),
            near,
        )


EXACT = Enclosure(Fraction(49), Fraction(51))
