"""Finite pairs around a profile: below and above it at every ratio, however roughly it is known."""

from fractions import Fraction
from itertools import pairwise
from math import exp, log
from random import Random

import pytest

from exactdp.accounting import compose
from exactdp.divergences import Pair
from exactdp.divergences.dots import pairs_between, pairs_through
from exactdp.divergences.ratios import ratios_between
from exactdp.divergences.values import enclosed
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.mechanisms.thresholds import lone_user
from exactdp.numbers import Enclosure, Epsilon, Exact

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
FAILING = Pair.from_masses(["1/2", "3/8", "1/8", 0], ["1/8", "3/4", 0, "1/8"])
SMALL = Pair.from_masses(["999/1000", "1/1000"], [1, 0])
UNIT = 2**60


def drawn_pair(random):
    count = random.randrange(2, 6)
    rows = [[random.randrange(0, 20) for _ in range(count)] for _ in range(2)]
    p, q = ([Fraction(x + (sum(row) == 0), sum(row) or count) for x in row] for row in rows)
    return Pair.from_masses(p, q)


@pytest.mark.parametrize("seed", range(40))
def test_the_pairs_are_below_and_above_at_every_ratio(seed):
    random = Random(seed)
    pair = drawn_pair(random)
    ratios = ratios_between(
        random.uniform(0.1, 2), random.uniform(0.1, 2), size=random.randrange(3, 30)
    )
    spread = Fraction(random.choice([0, 1, 50]), 10**4)
    truth = [pair.delta(Epsilon.log(x)).as_fraction() for x in ratios]
    values = [
        Enclosure(x * (1 - spread * random.randrange(4)), x * (1 + spread * random.randrange(4)))
        for x in truth
    ]
    infinite = [one.infinity_mass().as_fraction() for one in (pair, pair.reversed())]
    low, high = pairs_through(ratios, values, tuple(infinite), unit=UNIT)
    places = [*ratios, *(Fraction(random.randrange(1, 500), 100) for _ in range(40))]
    for place in places:
        at = Epsilon.log(place)
        assert low.delta(at) <= pair.delta(at) <= high.delta(at)
        assert low.reversed().delta(at) <= pair.reversed().delta(at) <= high.reversed().delta(at)


@pytest.mark.parametrize("pair", [COIN, FAILING, SMALL])
def test_what_is_infinite_stays_infinite_below(pair):
    low, high = pairs_between(
        pair, ratios_between(Fraction(3, 2), Fraction(3, 2), size=60), unit=UNIT, width=None
    )
    sides = (pair, low, high), (pair.reversed(), low.reversed(), high.reversed())
    for truth, below, above in sides:
        infinite = truth.infinity_mass()
        assert infinite * Fraction(999, 1000) <= below.infinity_mass()
        assert below.infinity_mass() <= infinite <= above.infinity_mass()


def test_a_corner_between_two_points_is_no_mass_below_0():
    shown = lone_user(Exact(Fraction(196, 10**9)))
    ratios = ratios_between(Fraction(1, 16), Fraction(1, 16), size=100)
    values = [enclosed(shown.delta(Epsilon.log(x)), "1e-12") for x in ratios]
    # What Q alone has is not told.
    low, high = pairs_through(ratios, values, (values[-1].lower, Fraction(0)), unit=2**44)
    for place in (Fraction(9, 10), 1 - Fraction(1, 10**4), 1, Fraction(5, 4), 3):
        truth = enclosed(shown.delta(Epsilon.log(place)), "1e-12")
        below, above = (enclosed(x.delta(Epsilon.log(place)), "1e-12") for x in (low, high))
        assert below.lower <= truth.upper and truth.lower <= above.upper
    assert low.infinity_mass() > Fraction(19, 10**8)


@pytest.mark.parametrize("noise", [gaussian_mechanism(sigma=2), laplace_mechanism(scale=1)])
def test_twice_the_points_bring_the_ends_four_times_as_near(noise):
    def gap(size):
        ratios = ratios_between(Fraction(3), Fraction(3), size=size)
        low, high = pairs_between(noise, ratios, unit=UNIT, width=None)
        at = Epsilon.rational("3/10")
        ends = [compose([(pair, 2)]).delta(at, relative_width="1e-9") for pair in (low, high)]
        return ends[1].upper - ends[0].lower

    assert 3 < gap(50) / gap(100) < 6


@pytest.mark.parametrize(("down", "up"), [("1/2", "1/2"), ("1/16", "1/5"), (None, "1/3")])
def test_ratios_are_beside_corners_and_on_one_lattice(down, up):
    corners = tuple(None if x is None else Fraction(x) for x in (down, up))
    ratios = ratios_between(Fraction(1, 2), Fraction(1, 2), size=80, corners=corners)
    quotients = {b / a for a, b in pairwise(ratios)}
    assert len(quotients) == 1
    step = log(quotients.pop())
    assert len(ratios) < 170 and ratios[0] < exp(-1 / 2) and exp(1 / 2) < ratios[-1]
    for corner, sign in zip(corners, (-1, 1), strict=True):
        if corner is not None:
            inside = max(sign * log(x) for x in ratios if sign * log(x) <= corner)
            assert 0 <= corner - inside < step / 8
