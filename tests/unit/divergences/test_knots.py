"""The places of knots; polygons through any of them are on both sides of a curve."""

from fractions import Fraction
from itertools import pairwise
from math import exp, log

import pytest

from exactdp.divergences import Largest, Pair
from exactdp.divergences.dots import pairs_around, pairs_between
from exactdp.divergences.proposals.knots import Placing, placed_ratios
from exactdp.divergences.ratios import ratios_between
from exactdp.divergences.values import enclosed
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact

UNIT = 2**60
NOISE = gaussian_mechanism(sigma=1)
FEW = Pair.from_masses(["1/8", "3/8", "1/2"], ["1/2", "3/8", "1/8"])


def coarse(mechanism):
    ratios = ratios_between(Fraction(4), Fraction(5), size=40)
    return pairs_between(mechanism, ratios, unit=UNIT, width=None)[1]


def gap_of(knots, tilt):
    """The gap between two pairs, as e^(tilt ε) weighs it, on a grid of ε; and their ratios."""
    ratios = placed_ratios(knots, Fraction(4), Fraction(5), size=160)
    low, high = pairs_between(NOISE, ratios, unit=UNIT, width=None)
    total = 0.0
    for x in (Fraction(k, 16) for k in range(-32, 73)):
        below, above = (enclosed(one.delta(Epsilon.rational(x)), "1e-20") for one in (low, high))
        total += float(above.lower - below.lower) * exp(tilt * float(x))
    return total, len(ratios)


@pytest.mark.parametrize("tilt", [0.5, 2.0, 3.0])  # its losses lie within the ends
def test_fewer_knots_leave_about_as_little_of_a_tilted_sum(tilt):
    knots = Placing.of(coarse(NOISE), tilt)
    gap, count = gap_of(knots, tilt)
    even, most = gap_of(None, tilt)
    assert knots.spared > 1
    assert count < most
    assert gap < 2 * even


def test_knots_reach_from_end_to_end_and_mirrored_ones_back():
    knots = Placing.of(coarse(NOISE), 2.0)
    found = knots.ratios(Fraction(4), Fraction(5), size=300)
    assert all(x < y for x, y in pairwise(found))
    assert log(found[0]) == pytest.approx(-4)
    assert log(found[-1]) == pytest.approx(5)
    back = knots.reversed().ratios(Fraction(5), Fraction(4), size=300)
    assert [-log(x) for x in back[::-1]] == pytest.approx([log(x) for x in found])
    assert placed_ratios(None, Fraction(1), Fraction(1), size=9) == ratios_between(
        Fraction(1), Fraction(1), size=9
    )


def test_a_pair_of_two_losses_says_nothing_of_places():
    assert Placing.of(Pair.from_masses(["1/4", "3/4"], ["3/4", "1/4"]), 1.0) is None
    assert Placing.of(FEW, 1.0).spared >= 1


@pytest.mark.parametrize("tilt", [0.0, 1.0, 20.0])
@pytest.mark.parametrize("mechanism", [NOISE, laplace_mechanism(scale=1)])
def test_pairs_with_ratios_at_knots_are_on_both_sides(mechanism, tilt):
    knots = Placing.of(coarse(mechanism), tilt)
    ratios = knots.ratios(Fraction(4), Fraction(5), size=120)
    low, high = pairs_between(Largest((mechanism,)), ratios, unit=UNIT, width=Fraction(1, 10**12))
    for k in range(-12, 20):
        at = Epsilon.rational(Fraction(k, 4))
        true = mechanism.delta(at, relative_width="1e-15")
        assert low.delta(at) <= Exact(true.upper)
        assert Exact(true.lower) <= high.delta(at)


def test_the_pair_below_may_leave_out_ratios_that_the_one_above_has():
    indices, steps = range(1, 60), 8
    low, high = pairs_around(NOISE, indices, steps=steps, bits=60)
    less, same = pairs_around(NOISE, indices, steps=steps, bits=60, omitted=range(3, 6))
    assert same == high
    assert {i for i, _ in less.masses} <= {0, *(i for i in indices if not 3 <= i < 6)}
    for ratio in ("1/2", 1, 2, "7/2", 5):
        at = Epsilon.log(ratio)
        assert less.pair().delta(at) <= low.pair().delta(at) <= high.pair().delta(at)
        assert less.pair().delta(at) <= Exact(NOISE.delta(at, relative_width="1e-15").upper)
