"""Powers of transforms on one line: without any of the named losses a bound would be wrong."""

from dataclasses import replace
from fractions import Fraction
from math import comb, inf

import pytest
from flint import arb

from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import UndecidedError
from exactdp.mechanisms.losses.gaussian_loss import GaussianLoss
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.sums import LossLaw
from exactdp.sums.lattices.guides import Piece
from exactdp.sums.lattices.placing import placed
from exactdp.sums.lattices.tilted import BITS, TiltedLaws
from exactdp.sums.lines.saddle import Line
from tests.routes.noise import gaussian_delta
from tests.routes.reals import fraction_of

COIN = loss_law(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
GAUSSIAN = LossLaw(density=GaussianLoss(Exact(1)))


def coins(n, ratio):
    """D(ln ratio) of n coins, count by count."""
    total = Fraction(0)
    for k in range(n + 1):
        p, q = (comb(n, k) * Fraction(3**j, 4**n) for j in (k, n - k))
        total += max(Fraction(0), p - ratio * q)
    return total


def gaussian(c):
    """D(c) of one Gaussian loss, μ = 1, with 60 digits."""
    return fraction_of(gaussian_delta(1, c, digits=60))


def laws_of(law, n, *, tilt, period, halvings=0, extended=0, thetas=None):
    with precision(BITS):
        (knots,) = placed([(law, 1)], None)[0].knots
        knots.begin_anew()
        for _ in range(extended):
            knots.extend(right=True)
            knots.extend(right=False)
        for _ in range(halvings):
            knots.refine(lambda x, width: (0 * x, 0.0), 0.0, 1)
        line = Line(1, tilt, 1.0, 0.0, period, thetas or (tilt / 2, tilt * 2))
        return TiltedLaws.of([Piece(None, knots, n)], line)


RATIOS = [
    Fraction(3) ** k * a
    for k in range(-20, 40, 3)
    for a in (1, 1 - Fraction(1, 10**6), Fraction(101, 100))
]


@pytest.mark.parametrize("tilt", [1e-3, 0.2, 1.0, 4.0, 40.0])
@pytest.mark.parametrize("period", [1.0, 20.0, 200.0])
def test_coins_lie_between_whatever_the_line(tilt, period):
    laws = laws_of(COIN, 40, tilt=tilt, period=period, extended=1)
    for ratio in RATIOS:
        found, truth = laws.at(Epsilon.log(ratio).nats), coins(40, ratio)
        assert found.lower <= truth <= found.upper
    if (tilt, period) == (0.2, 200.0):  # and it says something
        near = laws.at(Epsilon.log(3**20).nats)
        assert near.upper - near.lower < near.lower / 10**9


@pytest.mark.parametrize("tilt", [1e-3, 0.2, 1.0, 4.0])
def test_a_gaussian_lies_between(tilt):
    laws = laws_of(GAUSSIAN, 1, tilt=tilt, period=20.0, extended=3, halvings=6)
    for c in (-30, -3, -1, -0.5, 0, 0.25, 1, 3, 5, 8, 12, 40):
        found, truth = laws.at(Fraction(c)), gaussian(c)
        assert found.lower <= truth + Fraction(1, 2**180)
        assert truth <= found.upper


def changed(laws, **values):
    """The same laws with other bounds of what is rounded."""
    return replace(laws, sides=tuple(replace(side, **values) for side in laws.sides))


def is_wrong(laws, ratios):
    """Whether a bound of coins is wrong at some of the thresholds."""
    found = [(laws.at(Epsilon.log(r).nats), coins(40, r)) for r in ratios]
    return any(not f.lower <= truth <= f.upper for f, truth in found)


def test_without_images_a_short_period_says_too_much():
    laws = laws_of(COIN, 40, tilt=0.2, period=20.0, extended=1)
    assert not is_wrong(laws, RATIOS)
    assert is_wrong(replace(laws, images=()), RATIOS)
    # Those of smaller thresholds alone; those of larger ones are far below them here.
    assert is_wrong(replace(laws, images=laws.images[1:]), RATIOS)


def test_without_the_infinite_mass_the_law_above_says_too_little():
    laws = laws_of(GAUSSIAN, 1, tilt=1.0, period=40.0, halvings=3)
    c = Fraction(4)
    assert laws.infinite > 0
    assert laws.at(c).upper >= gaussian(4) > replace(laws, infinite=arb(0)).at(c).upper


def test_without_errors_what_is_rounded_says_too_much():
    far = [Fraction(3) ** k / 2 for k in range(-38, 40)]  # of some the tilted law has 1e-17
    laws = laws_of(COIN, 40, tilt=0.2, period=200.0, extended=1)
    assert all(0 < side.off < 1e-9 * side.size for side in laws.sides)
    assert not is_wrong(laws, far)
    assert is_wrong(changed(laws, off=0.0, size=0.0), far)


def test_what_is_negative_is_taken_twice_and_much_of_it_says_nothing():
    laws = laws_of(COIN, 40, tilt=0.2, period=200.0, extended=1)
    one = laws.at(Fraction(20)).lower
    less = replace(laws, negative=arb(2) ** -20).at(Fraction(20)).lower
    assert abs(one - less - Fraction(2, 2**20)) < Fraction(1, 2**200)
    heavy = replace(
        laws, sides=tuple(replace(one, log_moment=one.log_moment + 9) for one in laws.sides)
    )
    assert replace(heavy, negative=arb(1)).at(Fraction(20)).lower > 0
    assert replace(heavy, negative=arb(2)).at(Fraction(20)).lower == 0


def test_what_is_no_number_bounds_nothing():
    laws = laws_of(COIN, 40, tilt=0.2, period=200.0)
    for broken in (changed(laws, off=inf), replace(laws, infinite=arb("nan"))):
        found = broken.at(Fraction(20))
        assert (found.lower, found.upper) == (0, 1)


def test_a_threshold_at_a_point_of_the_lattice_is_refused_beside_it_is_not():
    with precision(BITS):
        (knots,) = placed([(GAUSSIAN, 1)], None)[0].knots
        knots.begin_anew()
        knots.start = arb(0)
        laws = TiltedLaws.of([Piece(None, knots, 1)], Line(1, 1.0, 1.0, 0.0, 20.0, (0.5, 2.0)))
        third = replace(laws, origin=arb(1) / 3)
    with pytest.raises(UndecidedError, match="point of the lattice"):
        third.at(Fraction(1, 3))
    beside = Fraction(1, 2**150)
    below, above = third.at(Fraction(1, 3) - beside), third.at(Fraction(1, 3) + beside)
    assert above.lower <= below.upper and below.lower <= above.upper
