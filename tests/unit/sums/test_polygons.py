"""Polygons above and below privacy curves: certainly so, for all kinds of losses and any cells."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from exactdp.accounting import sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.mechanisms.losses.gaussian_loss import GaussianLoss
from exactdp.numbers import Exact, precision
from exactdp.sums import LossLaw
from exactdp.sums.lattices.lowering import Needs, _blame, _pushed
from exactdp.sums.lattices.placing import placed
from exactdp.sums.lattices.plans import Plan
from exactdp.sums.lattices.polygons import DEPTH, Knots
from exactdp.sums.lattices.tilted import BITS
from exactdp.sums.laws.portions import Portion


def of_pair(p, q):
    return loss_law(Pair.from_masses(p, q))


GAUSSIAN, LAPLACE = gaussian_mechanism(sigma=1), laplace_mechanism(scale="3/2")
REPLACED = {"neighbors": "substitution"}
FIXED = {"neighbors": "substitution", "batches": "fixed_size"}
LAWS = {
    "gaussian": loss_law(GAUSSIAN),
    "laplace": loss_law(LAPLACE),
    "sampled gaussian": loss_law(sampled(GAUSSIAN, sampling_probability="1/10")),
    "added gaussian": loss_law(sampled(GAUSSIAN, sampling_probability="1/10")).reversed(),
    "seldom gaussian": loss_law(
        sampled(gaussian_mechanism(sigma="1/2"), sampling_probability="1e-6")
    ),
    "sampled laplace": loss_law(sampled(LAPLACE, sampling_probability="1/3")),
    "added laplace": loss_law(sampled(LAPLACE, sampling_probability="1/3")).reversed(),
    "replaced gaussian": loss_law(sampled(GAUSSIAN, sampling_probability="1/10", **REPLACED)),
    "replaced laplace": loss_law(sampled(LAPLACE, sampling_probability="1/10", **REPLACED)),
    "fixed gaussian": loss_law(sampled(GAUSSIAN, sampling_probability="1/10", **FIXED)),
    "fixed laplace": loss_law(sampled(LAPLACE, sampling_probability="1/10", **FIXED)),
    "coin": of_pair(["3/4", "1/4"], ["1/4", "3/4"]),
    "no lattice": of_pair(["1/2", "1/3", "1/6"], ["1/5", "1/3", "7/15"]),
    "infinite": of_pair(["1/2", "1/3", "1/6", 0], ["1/5", "1/3", 0, "7/15"]),
    "one atom": of_pair(["1/2", "1/2", 0], ["1/5", 0, "4/5"]),
    "far atoms": LossLaw.of_atoms(
        [(Exact("1e-40"), Exact("1e-30")), (Exact("1e40"), Exact("1/3"))]
    ),
    "near atoms": LossLaw.of_atoms([(Exact(2), Exact("1/9")), (2 + Exact("1e-20"), Exact("1/7"))]),
    "hidden half": replace(loss_law(GAUSSIAN), infinity_mass=Exact("1/2")),
}


def curve(law, x, gamma):
    """δ over finite losses, from the definition: atoms one by one, and both tails."""
    found = sum((m * (1 - gamma * (-y).exp()).max(arb(0)) for y, m in law.points(BITS)), arb(0))
    if law.density is not None:
        p, q = law.density.above(x)
        found += p - gamma * q
    return found


def of_masses(knots, masses, gamma):
    terms = ((m, 1 - gamma * (-knots.loss(place)).exp()) for place, m in masses.items())
    return sum((m * rise.max(arb(0)) for m, rise in terms), arb(0))


def refined(law, seed):
    """Cells that were halved, and added or taken away at the ends, by chance."""
    random = np.random.default_rng(seed)
    (knots,) = placed([(law, 1)], None)[0].knots
    knots.begin_anew()

    def weigh(x, width):
        return random.uniform(-2, 3, len(x)), -10.0

    for _ in range(int(random.integers(1, 9))):
        knots.refine(weigh, 1e-6, 1 << (DEPTH - 30))
        if random.random() < 0.4:
            knots.extend(right=bool(random.random() < 0.5))
    return knots, random


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LAWS)
def test_the_curve_lies_between_the_polygons(name, seed):
    law = LAWS[name]
    with precision(BITS):
        knots, random = refined(law, seed)
        both = knots.polygons(arb(10) ** (20 if seed else -20))
        low, high = (float(knots.loss(end).mid()) for end in knots.ends)
        chosen = [knots.cells[i] for i in random.integers(0, len(knots.cells), 12)]
        xs = [knots.loss(cell.place) for cell in chosen]  # knots, then points between
        xs += [
            knots.loss(cell.place) + knots.unit * (cell.width * float(share)) / 2**DEPTH
            for cell, share in zip(chosen, random.random(12), strict=True)
        ]
        xs += [arb(x) for x in (low - 1, low - 1e-9, high + 1e-9, high + 1, high + 20)]
        xs += [loss + arb(2) ** -180 for loss, _ in law.points(BITS)[:5]]
        for x in xs:
            gamma = x.exp()
            truth = curve(law, x, gamma)
            above = of_masses(knots, both.above, gamma) + both.infinite
            below = of_masses(knots, both.below, gamma)
            assert not above < truth
            assert not below - both.negative > truth
            assert not above < below


@pytest.mark.parametrize("name", LAWS)
def test_masses_are_those_of_the_law(name):
    law = LAWS[name]
    with precision(BITS):
        knots, _ = refined(law, 7)
        both = knots.polygons(arb(1))
        finite = sum((m for _, m in law.points(BITS)), arb(0))
        if law.density is not None:
            finite += law.density.total()[0]
        # Of cells of 1e-20 the balls lose some twenty digits.
        total = sum(both.above.values(), arb(0)) + both.infinite
        assert (total - finite).contains(0) and total.rad() < 1e-40
        assert not sum(both.below.values(), arb(0)) > finite + both.negative
        assert all(not mass < 0 for mass in [*both.above.values(), *both.below.values()])
        # What a ball leaves open is counted: no mass below is lower than what is named.
        assert all(mass.lower() >= -both.negative for mass in both.below.values())
        assert both.negative < 1e-40
        assert not both.infinite < 0


@pytest.mark.parametrize("name", ["laplace", "sampled laplace", "added laplace"])
def test_means_between_alike_cells_differ_by_an_eighth_of_a_square(name):
    """h²/12 above and h²/24 below where L is smooth; some cells near atoms cost more."""
    law = LAWS[name]
    with precision(BITS):
        (knots,) = placed([(law, 1)], None)[0].knots
        knots.begin_anew()
        for _ in range(6):
            # All cells matter alike.
            knots.refine(lambda x, width: (-np.log(width**2), -300.0), 1e-9, 1)
        assert {cell.width for cell in knots.cells} == {knots.cells[0].width}
        knots._weigh = None
        h = knots.unit * knots.cells[0].width / 2**DEPTH
        both = knots.polygons(arb(1))
        means = [
            sum((mass * knots.loss(place) for place, mass in masses.items()), arb(0))
            for masses in (both.above, both.below)
        ]
        ratio = float(((means[0] - means[1]) / h**2).mid())
        smooth = float(law.density.total()[0].mid())
        print(name, ratio, smooth / 8)
        assert smooth / 9 < ratio < smooth / 7


def test_slopes_that_balls_leave_open_are_counted():
    with precision(BITS):
        found = [
            refined(law, seed)[0].polygons(arb(1)).negative
            for law in LAWS.values()
            for seed in (1,)
        ]
        assert all(one < 1e-40 for one in found)
        assert any(0 < one < 1e-60 for one in found)


def test_finer_cells_come_nearer():
    law = LAWS["sampled gaussian"]
    with precision(BITS):
        (knots,) = placed([(law, 1)], None)[0].knots
        knots.begin_anew()
        gaps = []
        for _ in range(7):
            knots.refine(lambda x, width: (np.zeros(len(x)), 0.0), 1e-9, 1)
            both, gamma = knots.polygons(arb(1)), arb("1.1")
            gap = of_masses(knots, both.above, gamma) - of_masses(knots, both.below, gamma)
            gaps.append(float((gap + both.infinite).mid()))
        assert gaps == sorted(gaps, reverse=True)
        assert 0 < gaps[-1] < gaps[0] / 50


def test_moved_cells_have_the_masses_of_where_they_are():
    law, moved = LossLaw(density=GaussianLoss(Exact(1))), arb(2) ** -30
    with precision(BITS):
        knots, there = (
            Knots(Portion(law), start, arb(1), 0) for start in (arb("1/2"), arb("1/2") + moved)
        )
        knots.begin_anew()
        for _ in range(6):
            knots.refine(lambda x, width: (np.zeros(len(x)), 0.0), 1e-6, 1)
        before = knots.cells
        knots.move(there.start)
        there.cells = [there.chord(cell.place, cell.width) for cell in before]
        found, own = knots.polygons(arb(1)), there.polygons(arb(1))
        assert found.above.keys() == own.above.keys()
        assert all((found.above[k] - own.above[k]).contains(0) for k in own.above)
        # A shift of 2^−30 shows: the masses of before it are others.
        assert not any((cell.mass - there.above(cell.place)[0]).contains(0) for cell in before)


def test_atoms_that_doubles_do_not_tell_keep_their_order_when_reversed():
    law = LAWS["near atoms"].reversed()
    with precision(BITS):
        knots = Knots(Portion(law), arb(fmpq(2) + fmpq(1, 2 * 10**20)).log() * -1, arb(1), 0)
        p, _ = knots.above(0)  # between the two
        wanted = arb(fmpq(1, 9)) / 2  # Q = P e^(−L), of the loss −ln 2
        assert (p - wanted).contains(0)


def test_what_cannot_be_told_or_reached_is_refused():
    with precision(BITS):
        at_atom = Knots(Portion(LAWS["coin"]), arb(3).log(), arb(1), 1)
        with pytest.raises(UndecidedError, match="told from a knot"):
            at_atom.above(0)
        half = LossLaw.of_atoms([(Exact(2), Exact(Fraction(1, 3)))])
        twice = replace(half, lattice=None, loose=((Exact(2), Exact("1/3")),) * 2)
        with pytest.raises(UndecidedError, match="from each other"):
            Portion(twice)
        knots = Knots(Portion(LossLaw(density=GaussianLoss(Exact(1)))), arb(0), arb(1), 0)
        knots.begin_anew()
        with pytest.raises(TooLargeError, match="too widely"):
            for _ in range(60):
                knots.extend(right=True)


def test_small_losses_beside_large_ones_get_wide_cells_about_their_mean():
    """Two losses of 1e-6 move a sum of losses of about 1 by nothing: their ends need no knots."""
    small = loss_law(sampled(laplace_mechanism(scale=4), sampling_probability="1e-5"))
    large = loss_law(sampled(gaussian_mechanism(sigma="0.7"), sampling_probability="1/2"))
    with precision(BITS):
        alone, beside, many = (
            placed([(small, n), *others], None)[0].hits
            for n, others in [(2, []), (2, [(large, 8)]), (10**14, [(large, 8)])]
        )
        assert (alone.side, beside.side, many.side) == (-1, 0, -1)
        # Nor where a loss is narrow beside all sums, though its own are wider than one large loss.
        spread = placed([(small, 10**12), (large, 10**12)], None)[0].hits
        assert spread.side == 0
        assert alone.unit < arb("1e-5") < 1 < beside.unit
        assert many.unit.overlaps(alone.unit)
        beside.begin_anew()
        center, mass, _ = beside.center()
        assert abs(center - beside.start) < arb("1e-9")
        assert mass == 1


def test_what_is_lowered_at_a_knot_takes_what_is_behind_it():
    """A line from there to a later knot lies below all between: by e less the l of the cells."""
    down, low = (np.log(one) for one in ([1e-9, 1e-3, 1e-6, 1e-4, 1e-9], [1.0, 2e-4, 3e-4, 7e-4]))
    downs, causes = np.array([down, down - 20]), np.array([np.arange(5)] * 2)
    _pushed(downs, causes, np.append(low, -1e9))
    assert np.allclose(np.exp(downs[0]), [1e-9, 1e-3, 8e-4, 5e-4, 1e-9], rtol=1e-9)
    assert causes.tolist() == [[0, 1, 1, 1, 4], [0, 1, 2, 3, 4]]
    assert (downs[1] == down - 20).all()


def test_what_lies_beyond_an_end_is_blamed_on_the_cell_that_ends_the_polygon():
    """The first of four needs more than δ at its second knot: to halve others does not help."""
    low, high, delta = ([1e-3, 1e-9, 1e-9, 1e-9], [1e-2, 1e-9, 1e-9, 1e-9], [1, 2e-3, 1e-3, 1e-4])
    needs = Needs(*(np.log(one) for one in (low, high, low, high, delta)))
    shares = np.full((1, 4), 0.5)
    (found,) = _blame(shares, needs, np.zeros(4), 0.0)
    assert found[0] > 0.99 * found.sum() > 2e-3


def test_a_knot_that_is_lowered_much_does_not_take_an_atom_behind_it():
    """The hull falls from it to the end, below all between: the first cell's need is moved."""
    noise = sampled(laplace_mechanism(scale=4), sampling_probability="1/100")
    others = sampled(gaussian_mechanism(sigma=1000), sampling_probability="1/100")
    parts = [(loss_law(one).reversed(), n) for one, n in ((others, 8), (noise, 1))]
    plan = Plan(parts)
    for width in (0.25, 0.02):
        found = plan.renew(0.0023505, width).at(Fraction("0.0023505"))
    assert found.width <= found.lower / 30


def test_what_lies_just_beside_the_last_knot_is_infinite_or_in_a_cell_of_its_own():
    """Where a step weighs much the cell would weigh more than all; else it is nothing."""
    with precision(BITS):
        (knots,) = placed([(loss_law(LAPLACE), 1)], None)[0].knots
        knots.begin_anew()
        far, near = (knots.polygons(tilt) for tilt in (arb(10**9), arb(1)))
        last = knots.ends[1]
        assert 0 < far.infinite < arb(2) ** -150
        assert max(far.above) == last < max(near.above)
        assert near.infinite == 0
        assert 0 < near.above[max(near.above)] < arb(2) ** -150
