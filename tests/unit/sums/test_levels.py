"""Sums divided by the size of their largest loss: the parts add up to the whole, certainly."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb

from exactdp.accounting import sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.errors import UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Exact, fmpq_of, precision
from exactdp.sums import LossLaw
from exactdp.sums.lattices.levels import Levels, _parts
from exactdp.sums.lattices.plans import Plan
from exactdp.sums.lattices.polygons import Knots
from exactdp.sums.lattices.power_sums import PowerSum
from exactdp.sums.lattices.tilted import BITS
from exactdp.sums.laws.portions import Portion
from tests.unit.sums.test_polygons import of_masses

SELDOM = loss_law(sampled(gaussian_mechanism(sigma="1/2"), sampling_probability="1e-4"))
LAPLACE = loss_law(sampled(laplace_mechanism(scale=2), sampling_probability="1/100"))


def curve(law, x, gamma, low, high):
    """δ over losses between two others, from both tails."""
    ends = [low if x < low else x, high]
    (p, q), (p_high, q_high) = (law.density.above(end) for end in ends)
    return p - p_high - gamma * (q - q_high)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("low", "high"), [("1/16", "1/2"), ("1e-3", "1/16"), ("0.03", None), (None, "1/128")]
)
def test_a_part_of_a_law_lies_between_its_polygons(low, high, seed):
    random = np.random.default_rng(seed)
    with precision(BITS):
        ends = [None if x is None else arb(x) for x in (low, high)]
        knots = Knots(Portion(SELDOM, *ends), arb(-(2.0**-12)), arb(2) ** -4, 0)
        knots.begin_anew()
        for _ in range(4):
            knots.extend(right=True)
        for _ in range(int(random.integers(0, 7))):
            knots.refine(lambda x, width: (random.uniform(-2, 3, len(x)), -10.0), 1e-6, 1)
        if seed == 3:
            knots.move(knots.center()[0])
        both = knots.polygons(arb(1))
        bottom, top = (
            arb(far) if end is None else end for end, far in zip(ends, (-60, 60), strict=True)
        )
        xs = [knots.loss(int(cell.place + cell.width * random.random())) for cell in knots.cells]
        for x in [*xs, bottom - 1, bottom + 1e-9, top + 1e-9, top + 3]:
            gamma = x.exp()
            truth = curve(SELDOM, x, gamma, bottom, top) if x < top else arb(0)
            above = of_masses(knots, both.above, gamma) + both.infinite
            below = of_masses(knots, both.below, gamma)
            assert not above < truth
            assert not below - both.negative > truth
        p = SELDOM.density.above(bottom)[0] - SELDOM.density.above(top)[0]
        assert (sum(both.above.values(), arb(0)) + both.infinite - p).contains(0)


def divided(parts, c, sizes, cut=None):
    """The sum, divided at powers of 2, each level to a width at a threshold."""
    plans = [Plan(parts, low, high, cut) for high, low in pairwise([None, *sizes, None])]
    return Levels(plans)


@pytest.mark.parametrize("sizes", [[-2], [-6], [0, -5]])
@pytest.mark.parametrize(("n", "c"), [(1, 0.01), (3, 0.3), (100, 0.05)])
def test_levels_add_up_to_the_sum(n, c, sizes):
    parts = [(SELDOM, n)]
    width = Fraction(1, 100)
    whole = PowerSum(parts).mean_excess(Exact(Fraction(c)), relative_width=width)
    found = divided(parts, c, sizes).laws(Fraction(c), c, 1e-2).at(Fraction(c))
    assert found.lower <= whole.upper
    assert whole.lower <= found.upper
    assert found.width <= found.lower / 20


@pytest.mark.parametrize("sizes", [[-4], [-1, -7]])
def test_levels_of_two_kinds_add_up(sizes):
    parts, c = [(SELDOM, 20), (LAPLACE, 5)], 0.05
    whole = PowerSum(parts).mean_excess(Exact(Fraction(c)), relative_width=Fraction(1, 100))
    found = divided(parts, c, sizes).laws(Fraction(c), c, 1e-2).at(Fraction(c))
    assert found.lower <= whole.upper
    assert whole.lower <= found.upper
    assert found.width <= found.lower / 10


def test_each_level_is_the_mean_over_sums_with_their_largest_loss_there():
    """Three losses, of which k are above the size: E over all 2^3, by inclusion of atoms."""
    parts, c, size = [(SELDOM, 3)], 0.02, -4
    levels = divided(parts, c, [size])
    levels.laws(Fraction(c), c, 1e-4)
    large, small = (plan.laws.at(Fraction(c)) for plan in levels.plans)
    with precision(BITS):
        step = 1.5e-4  # the size is an edge
        edges = np.arange(-0.02, 1.2, step)
        tails = np.array([float(SELDOM.density.above(arb(x))[0].mid()) for x in edges])
    masses, middle = -np.diff(tails), edges[:-1] + step / 2
    cut = 2.0**size
    rest, hits = (np.where(side, masses, 0.0) for side in (middle <= cut, middle > cut))

    def power(one):
        return np.convolve(np.convolve(one, one), one)

    def mean(sums):
        losses = 3 * middle[0] + step * np.arange(len(sums))
        return float((sums * np.maximum(0, -np.expm1(c - losses))).sum())

    truth = mean(power(rest + hits) - power(rest)), mean(power(rest))
    for found, value in zip((large, small), truth, strict=True):
        assert abs(float(found.lower) / value - 1) < 0.01
        assert found.width <= found.lower / 50


def test_nothing_is_above_the_largest_sum_of_a_level():
    parts = [(SELDOM, 3)]
    levels = divided(parts, 0.5, [-4])
    with precision(BITS):
        small = levels.plans[1]
        assert small.is_below(arb("0.1876"))  # 3/16, and little more
        assert not small.is_below(arb("0.1874"))
        assert not levels.plans[0].is_below(arb(1000))


def finite(*atoms):
    """The law of some (e^loss, mass)."""
    return LossLaw.of_atoms([(Exact(ratio), Exact(mass)) for ratio, mass in atoms])


def mean_of(parts, c, low=None, cut=None):
    """D(c) of few losses, tuple by tuple; only of those with a loss above a size."""
    kinds = [i for i, (_, n) in enumerate(parts) for _ in range(n)]
    losses = [law.points(BITS) for law, n in parts for _ in range(n)]
    total = arb(0)
    for chosen in product(*losses):
        loss, mass = sum((x for x, _ in chosen), arb(0)), arb(1)
        for _, m in chosen:
            mass *= m
        sized = [x for i, (x, _) in zip(kinds, chosen, strict=True) if cut is None or i in cut]
        if low is None or any(x > low for x in sized):
            total += mass * (1 - (c - loss).exp()).max(arb(0))
    return total


@pytest.mark.parametrize("cut", [None, {0}, {1}])
@pytest.mark.parametrize("c", ["0", "1/20", "1/5", "1/3"])
def test_sizes_may_be_of_some_kinds_of_losses_only(c, cut):
    """Each level against all tuples: a kind that is not cut has no hits, whatever its losses."""
    parts = [(finite(("6/5", "1/4"), (3, "1/2")), 2), (finite(("9/8", "2/5"), ("9/4", "1/3")), 2)]
    chosen = None if cut is None else frozenset(cut)
    levels, at = divided(parts, float(Fraction(c)), [-1], chosen), Fraction(c)
    levels.laws(at, float(at), 0.1)
    with precision(BITS):
        threshold, size = arb(fmpq_of(at)), arb("1/2")
        hits = mean_of(parts, threshold, size, chosen)
        truths = hits, mean_of(parts, threshold) - hits
        for plan, truth in zip(levels.plans, truths, strict=True):
            if plan.is_below(threshold):
                assert truth.contains(0)
                continue
            found = (plan.rest if plan.laws is None else plan.laws).at(at)
            assert not arb(fmpq_of(found.lower)) > truth
            assert not arb(fmpq_of(found.upper)) < truth
            assert found.width <= found.lower


def test_a_level_above_all_losses_is_nothing():
    parts = [(finite((3, "1/2")), 2), (finite(("9/4", "1/3")), 1)]
    with precision(BITS):
        assert Plan(parts, 1, None).is_below(arb(0))
        assert not Plan(parts, 0, None).is_below(arb(0))
        assert Plan(parts, 0, None, frozenset({1})).is_below(arb(0))  # ln(9/4) < 1 < ln 3
    levels = Levels([Plan(parts, 1, None), Plan(parts, None, 1)])
    whole = levels.laws(Fraction(1), 1.0, 1e-3).at(Fraction(1))
    with precision(BITS):
        truth = mean_of(parts, arb(1))
        assert arb(fmpq_of(whole.lower)) <= truth
        assert truth <= arb(fmpq_of(whole.upper))
    assert whole.width <= whole.lower / 100


@pytest.mark.parametrize("c", ["1/10", "1", "2"])
def test_what_is_nothing_beside_others_is_bounded_and_not_computed(c):
    parts = [(finite(("9/10", "1/4"), (3, "1/2")), 2), (finite(("9/4", "1/1000")), 2)]
    plan, at = Plan(parts), Fraction(c)
    with precision(BITS):
        truth = mean_of(parts, arb(fmpq_of(at)))
        for aside in (0, Fraction(1, 3), 1):
            found = plan.remainder(float(at) + float(aside), 1e-3).at(at)
            assert (found.lower, bool(arb(fmpq_of(found.upper)) > truth)) == (0, True)
    assert not plan.is_nothing(at, float(at), beside=0.0)
    assert not plan.is_nothing(at, float(at), beside=float(truth.mid()) / 2)
    assert plan.is_nothing(at, float(at), beside=4.0)
    assert plan.laws is None


def test_bulk_that_cannot_reach_a_threshold_takes_no_lattice(lattices):
    """Beside rare large losses; a lattice of 10^7 points was refused before."""
    parts = [
        (loss_law(sampled(gaussian_mechanism(sigma="0.3"), sampling_probability="1e-4")), 2),
        (loss_law(sampled(gaussian_mechanism(sigma=8), sampling_probability="1e-5")), 10**4),
    ]
    one = PowerSum(parts)
    found = one.mean_excess(Exact("1.33"), relative_width=Fraction(1, 100))
    assert found.width <= found.lower / 100
    plan, laws = lattices.levels[-1]
    assert laws is None
    assert plan.rest.at(Fraction("1.33")).upper < found.lower / 10**9


def test_losses_that_are_all_hits_keep_their_images():
    parts, c = [(finite((2, "1/2")), 3)], Fraction(23, 32)
    plan = Plan(parts, -1, None)
    for width in (0.25, 1e-2, 1e-5):
        plan.renew(float(c), width)
        found = plan.laws.at(c)
        with precision(BITS):
            truth = mean_of(parts, arb(23) / 32, arb(2) ** -1)
            assert not arb(fmpq_of(found.lower)) > truth
            assert not arb(fmpq_of(found.upper)) < truth


def test_a_sum_that_divides_itself_contains_the_truth():
    far = finite(
        ("999/1000", "49950000000000/99900049051949"),
        ("1000/999", "2171739087000/4343480393563"),
        (20, "999000/99900049051949"),
    )
    parts = [(finite(("921/625", "1/10")), 1), (far, 1)]
    c = Fraction(6984603686413503, 4503599627370496)
    found = PowerSum(parts).mean_excess(Exact(c), relative_width=Fraction(1, 10))
    with precision(BITS):
        truth = mean_of(parts, arb(fmpq_of(c)))
        assert arb(fmpq_of(found.lower)) <= truth
        assert truth <= arb(fmpq_of(found.upper))


def test_an_atom_at_a_size_is_refused_in_one_line():
    law = loss_law(laplace_mechanism(scale=1))
    levels = Levels([Plan([(law, 3)], 0, None), Plan([(law, 3)], None, 0)])
    with pytest.raises(UndecidedError):
        levels.laws(Fraction(2, 5), 0.4, 0.01)


def test_what_is_below_a_loss_of_a_part_is_of_that_part():
    with precision(BITS):
        both = Portion(SELDOM, arb("0.01"), arb("0.1"))
        for x in (0.005, 0.02, 0.2):
            assert (both.below(arb(x)) + both.above(arb(x))[0] - both.mass).contains(0)


def test_a_width_is_shared_so_that_the_largest_level_is_not_asked_twice():
    """A part of a percent is nothing for a small level, and 26 s for the large one."""
    rare = loss_law(sampled(gaussian_mechanism(sigma="1/2"), sampling_probability="1/1000"))
    levels, c = Levels([Plan([(rare, 10)], 0, None), Plan([(rare, 10)], None, 0)]), Fraction(1, 2)
    values = [plan.renew(float(c), 0.25).at(c) for plan in levels.plans]
    parts = _parts(values)
    assert parts[values.index(max(values, key=lambda one: one.upper))] == max(parts)
    assert sum(parts) < 1 and _parts(values[:1]) == [1.0]
    found = levels.laws(c, float(c), 1e-3).at(c)
    assert found.width <= found.lower / 1000
    truth = PowerSum([(rare, 10)]).mean_excess(Exact(c), relative_width=Fraction(1, 1000))
    assert found.lower <= truth.upper and truth.lower <= found.upper


def test_the_slope_of_several_levels_is_that_of_their_sum():
    """Of two levels of one size one falls fast: a search that followed the other went too far."""
    often, rarely = (
        loss_law(sampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate))
        for sigma, rate in (("0.7", "1e-5"), ("0.3", "1e-6"))
    )
    levels, c = Levels([Plan([(often, 10**6), (rarely, 100)])]), Fraction("0.0945")
    laws = levels.laws(c, float(c), 0.1)
    assert len(laws.levels) > 1
    step = Fraction(1, 1000)
    before, after = (laws.at(c + one) for one in (-step, step))
    slope = np.log(float(before.upper / after.upper)) / float(2 * step)
    # λ of a saddle point is −d ln D/dc but for a factor; here the larger level is flat.
    assert slope / 1.6 < laws.tilt < slope * 1.6
    largest = max((one.at(c).upper, float(one.tilt.mid())) for _, one in laws.levels if one)
    assert largest[1] < slope / 20
