"""Groups of curves with knots where they matter, against chains written out and sums in doubles."""

from fractions import Fraction

import numpy as np
import pytest

from exactdp.accounting import compose, group_profile, sampled
from exactdp.accounting.groups.group_curve import GroupCurve
from exactdp.accounting.groups.powers_of_tests import group_beside
from exactdp.divergences import Pair
from exactdp.divergences.proposals.knots import Placing
from exactdp.mechanisms import (
    Randomizer,
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    thresholded,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import shuffle_worst_case
from tests.routes.kinds import OnlyDelta
from tests.unit.accounting.test_group_curve import COIN, LEAKY, UNEVEN
from tests.unit.accounting.test_groups import delta_of, ends_of_chain

ln = Epsilon.log

KNOTS = [
    Placing((-3.0, 0.0, 3.0), (0.0, 0.5, 1.0), 1.0),
    Placing((-9.0, 0.1, 0.2, 6.0), (0.0, 0.05, 0.9, 1.0), 4.0),  # few, nearly all in one place
    Placing((-2.0, 0.5, 0.9, 2.0), (0.0, 0.1, 0.9, 1.0), 2.0),
]


@pytest.mark.parametrize("laws", [COIN, UNEVEN, LEAKY, LEAKY[::-1]])
@pytest.mark.parametrize("knots", KNOTS)
def test_wherever_the_knots_are_the_pairs_are_below_and_above_the_chain(laws, knots):
    curve = GroupCurve(OnlyDelta(Pair.from_masses(*laws)), 3)
    low, high = curve.pairs_near(60, Fraction(1, 2**20), knots)
    p, q = ends_of_chain(laws, 3)
    for i in range(-12, 40):
        gamma = Fraction(11, 10) ** i
        truth = Exact(delta_of(p, q, gamma))
        assert low.delta(ln(gamma)) <= truth <= high.delta(ln(gamma))


@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_groups_by_squares_are_those_link_by_link(size):
    p, q = ends_of_chain(UNEVEN, size)
    one = Pair.from_masses(*UNEVEN)
    found = group_profile(one, size)
    low, high = (group_beside(one, size, 40, is_above=is_above) for is_above in (False, True))
    for i in range(-6, 9):
        gamma = Fraction(5, 4) ** i
        truth = Exact(delta_of(p, q, gamma))
        assert found.delta(ln(gamma)) == truth
        assert low.delta(ln(gamma)) <= truth <= high.delta(ln(gamma))


@pytest.mark.parametrize("of", [laplace_mechanism, gaussian_mechanism])
@pytest.mark.parametrize(("size", "times"), [(3, 1), (3, 4), (8, 1)])
def test_groups_of_noise_known_by_its_delta_are_more_sensitive_noise(of, size, times):
    name = "scale" if of is laplace_mechanism else "sigma"
    one, more = of(**{name: 6}), of(**{name: 6}, sensitivity=size)
    found = group_profile(compose([(OnlyDelta(one), times)]), size)
    ends = found.epsilon("1e-3", relative_width="2e-3")
    truth = compose([(more, times)]).epsilon("1e-3", relative_width="1e-9")
    assert ends.lower <= truth.lower <= truth.upper <= ends.upper
    at = Epsilon.rational(truth.lower)
    ends = found.delta(at, relative_width="1e-2")
    truth = compose([(more, times)]).delta(at, relative_width="1e-9")
    assert ends.lower <= truth.lower <= truth.upper <= ends.upper


def epsilon_in_doubles(part, size, times, delta):
    """The ε of so many groups: F by the δ on a grid, F∘F∘F, and its losses by a convolution."""
    logs = np.linspace(-13, 13, 1041)
    deltas = np.array(
        [float(part.delta(Epsilon.rational(str(x)), relative_width="1e-9").upper) for x in logs]
    )
    levels = np.concatenate([[0.0], np.geomspace(1e-19, 1, 3000)])
    power = levels.copy()
    for _ in range(size):
        power = np.minimum(1, np.min(deltas[:, None] + np.exp(logs)[:, None] * power, axis=0))
    p, q = np.diff(power), np.diff(levels)
    kept = (p > 0) & (q > 0)
    step, count = 1 / 400, 1 << 17
    places = np.rint(np.log(p[kept] / q[kept]) / step).astype(int)
    law = np.zeros(count)
    np.add.at(law, places % count, p[kept])
    law = np.maximum(np.fft.irfft(np.fft.rfft(law) ** times, count), 0)
    losses = np.where(np.arange(count) < count // 2, np.arange(count), np.arange(count) - count)
    losses = losses * step
    infinite = 1 - (1 - power[0]) ** times

    def excess(nats):
        above = losses > nats
        return infinite + np.sum(law[above] * -np.expm1(nats - losses[above])) - delta

    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


@pytest.mark.parametrize(
    "part",
    [
        lambda: thresholded(discrete_gaussian_mechanism(sigma=4), threshold=40),
        lambda: sampled(
            gaussian_mechanism(sigma=2),
            sampling_probability="1/10",
            neighbors="substitution",
            batches="fixed_size",
        ),
    ],
)
def test_groups_of_five_are_those_of_sums_in_doubles(part):
    found = group_profile(compose([(part(), 5)]), 3)
    ends = found.epsilon("1e-5", relative_width="1e-3")
    # By the curve of one record alone; below, pairs that neighbors have.
    there = epsilon_in_doubles(part(), 3, 5, 1e-5)
    assert float(ends.upper) * 0.998 <= there <= float(ends.upper) * 1.002
    assert float(ends.lower) <= there * 1.002


def test_groups_at_a_corner_of_the_worst_of_views_are_told():
    """Points that are placed for ε tell nothing there: they are spread out again."""
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
    worst = group_profile(shuffle_worst_case(3, coin), 2)
    found = worst.delta(ln(2), relative_width="1e-2")
    # The polygons converge to 85/192, the δ of the chain of curves.
    assert Fraction(85, 192) <= found.upper <= Fraction(85, 192) * Fraction(101, 100)
