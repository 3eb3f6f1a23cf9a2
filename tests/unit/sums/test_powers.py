"""Sums of losses between two laws, against exact, closed and other forms; and their crossings."""

import re
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from exactdp.accounting import compose_exactly, sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.mechanisms.losses.gaussian_loss import GaussianLoss
from exactdp.numbers import Epsilon, Exact, fmpq_of, precision
from exactdp.sums import AtomLattice, Inversion, LatticeSum, LossLaw, LossSum
from exactdp.sums.counting.laplaces import copies_of_laplace
from exactdp.sums.lattices import tilted
from exactdp.sums.lattices.plans import Plan
from exactdp.sums.lattices.power_sums import PowerSum
from tests.routes import dp_sgd
from tests.routes.noise import gaussian_delta
from tests.routes.noise_steps import Step
from tests.routes.reals import fraction_of, mpf_of

WIDTH = Fraction(1, 1000)
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
DIE = Pair.from_masses(["1/2", "1/3", "1/6"], ["1/5", "1/3", "7/15"])
HOLE = Pair.from_masses(["1/2", "1/3", "1/6", 0], ["1/5", "1/3", 0, "7/15"])


def gaussian(mu, c):
    """D(c) of a Gaussian loss, with 60 digits."""
    return fraction_of(gaussian_delta(1 / Fraction(mu), c, digits=60))


def check(found, truth, width=WIDTH):
    assert found.lower <= truth <= found.upper
    assert 0 < found.upper - found.lower <= width * found.lower


@pytest.mark.parametrize(
    ("pair", "n", "ratios"),
    [
        (COIN, 1, ["1/4", "1", "29/10"]),
        (COIN, 7, ["1/100", "1", "2", "2100"]),
        (DIE, 6, ["1/30"]),
        (HOLE, 5, ["1/30", "1", "7/2", "20"]),
        (COIN, 200, ["1", "1e60", "1e90"]),
    ],
)
def test_finite_pairs_by_their_exact_law(pair, n, ratios):
    exact, one = compose_exactly([(pair, n)]), PowerSum([(loss_law(pair), n)])
    # Few atoms off a lattice are far from both laws; other routes serve them.
    width = Fraction(1, 50) if pair is DIE else WIDTH
    for ratio in ratios:
        truth = exact.delta(Epsilon.log(ratio)) - exact.infinity_mass()
        found = one.mean_excess(Epsilon.log(ratio).nats, relative_width=width)
        check(found, Fraction(truth.expression()), width)


def test_two_kinds_of_pairs_by_their_exact_law():
    exact = compose_exactly([(COIN, 3), (DIE, 2)])
    both = PowerSum([(loss_law(COIN), 3), (loss_law(DIE), 2)])
    for ratio in ("1/9", "1", "5", "100"):
        truth = exact.delta(Epsilon.log(ratio))
        found = both.mean_excess(Epsilon.log(ratio).nats, relative_width=WIDTH)
        check(found, Fraction(truth.expression()))


@pytest.mark.parametrize(
    ("mu", "n", "c"),
    [
        ("1", 1, "-3"),
        ("1", 1, "0"),
        ("1", 3, "10"),
        ("1/10", 100, "-1/2"),
        ("1/10", 100, "5"),
        ("1/10", 100, "12"),  # 5e-32
        ("1/100", 10**4, "8"),
        ("1/1000", 10**6, "1"),
    ],
)
def test_gaussian_copies_are_one_gaussian(mu, n, c):
    root = round(n**0.5)
    whole = Fraction(mu) * root if root**2 == n else None
    one = PowerSum([(LossLaw(density=GaussianLoss(Exact(mu))), n)])
    found = one.mean_excess(Exact(c), relative_width=WIDTH)
    if whole is not None:
        check(found, gaussian(whole, c))
    else:
        parts = [(LossLaw(density=GaussianLoss(Exact(mu) * k)), 1) for k in (1, 2)]
        wider = PowerSum(parts).mean_excess(Exact(c), relative_width=WIDTH)  # μ² = 1 + 4
        assert wider.lower > found.upper


@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("share", ["-1/2", "0", "1/3", "2/3"])
def test_laplace_copies_have_a_closed_form(n, share):
    top = Fraction(3, 4)
    c = Exact(top * n * Fraction(share))
    truth = copies_of_laplace(Exact(top), n, c, relative_width=Fraction(1, 10**12))
    one = PowerSum([(loss_law(laplace_mechanism(scale="4/3")), n)])
    found = one.mean_excess(c, relative_width=WIDTH)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.upper - found.lower <= WIDTH * found.lower


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize(("noise", "rate", "n"), [("gaussian", "0.1", 2), ("laplace", "0.3", 3)])
def test_few_sampled_steps_by_a_second_route(noise, rate, n, direction):
    mechanism = _gaussian("1.5") if noise == "gaussian" else _laplace("1.5")
    neighbors = "substitution" if direction == "replace" else "add_or_remove"
    law = loss_law(sampled(mechanism, sampling_probability=rate, neighbors=neighbors))
    law = law.reversed() if direction == "add" else law
    step = Step(noise, 1.5, float(rate), direction)
    for c in ("0.05", "0.2"):
        truth = dp_sgd.delta([(step, n)], float(c))
        found = PowerSum([(law, n)]).mean_excess(Exact(c), relative_width=WIDTH)
        off = Fraction(truth.value * max(truth.accuracy, 1e-7))
        assert found.lower <= Fraction(truth.value) + off
        assert found.upper >= Fraction(truth.value) - off
        assert found.upper - found.lower <= WIDTH * found.lower


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(
    ("scale", "rate", "n", "target"),
    [
        ("2", "1e-6", 10**6, "1e-5"),  # an atom of nearly a half at the least loss
        ("0.5", "1", 10**6, "1e-3"),  # ε is above a million
        ("0.7", "1e-5", 2, "1e-8"),  # just below the largest loss
    ],
)
def test_atoms_of_laplace_noise_cost_no_cells(scale, rate, n, target, direction, lattices):
    law = loss_law(
        sampled(_laplace(scale), sampling_probability=rate) if rate != "1" else _laplace(scale)
    )
    one = PowerSum([(law.reversed() if direction == "add" else law, n)])
    found = one.crossing(Exact(target), relative_width=Fraction(1, 100))
    steps = [(Step("laplace", float(scale), float(rate), direction), n)]
    truth = dp_sgd.epsilon(steps, float(target))
    off = Fraction(truth.value * truth.accuracy)
    assert found.lower <= Fraction(truth.value) + off
    assert found.upper >= Fraction(truth.value) - off
    assert found.upper - found.lower <= Fraction(1, 100) * found.lower
    there = one.mean_excess(Exact(found.lower), relative_width=Fraction(1, 100))
    truth = dp_sgd.delta(steps, float(found.lower))
    off = Fraction(truth.value * max(truth.accuracy, 1e-6))
    assert there.lower <= Fraction(truth.value) + off
    assert there.upper >= Fraction(truth.value) - off
    assert there.upper - there.lower <= Fraction(1, 100) * there.lower
    assert 0 < lattices.cells < 1000


def test_steps_of_laplace_noise_are_first_put_on_a_lattice(monkeypatch):
    """Their transform falls so slowly that a contour takes seconds."""

    def mean_excess(self, nats, *, relative_width):
        raise AssertionError

    monkeypatch.setattr(Inversion, "mean_excess", mean_excess)
    law = loss_law(sampled(_laplace("0.3"), sampling_probability="1e-3"))
    found = LossSum(((law, 1000),)).delta(Epsilon.rational("1.02"), relative_width=Fraction(1, 100))
    truth = dp_sgd.delta([(Step("laplace", 0.3, 1e-3, "remove"), 1000)], 1.02)
    assert found.lower * (1 - truth.accuracy) <= truth.value <= found.upper * (1 + truth.accuracy)


@pytest.mark.parametrize(
    ("noise", "rate", "width"), [("gaussian", "0.5", "1e-3"), ("laplace", "0.1", "1e-5")]
)
def test_a_refusal_names_a_width_that_is_reached(noise, rate, width, monkeypatch):
    monkeypatch.setattr(tilted, "MAX_POINTS", 15 << 12)  # soon refused
    law = loss_law(
        sampled((_gaussian if noise == "gaussian" else _laplace)("1"), sampling_probability=rate)
    )
    n = 10**4
    one = PowerSum([(law, n)])
    c = Exact(one.crossing(Exact("1e-5"), relative_width=Fraction(1, 100)).upper)
    with pytest.raises(TooLargeError, match="or wider") as refused:
        one.mean_excess(c, relative_width=Fraction(width))
    named = re.search(r"Ask for (\S+) or wider", str(refused.value))
    wider = Fraction(named.group(1))
    assert Fraction(width) < wider < Fraction(1, 10)
    found = PowerSum([(law, n)]).mean_excess(c, relative_width=wider)
    assert found.upper - found.lower <= wider * found.lower


def test_a_refused_crossing_names_a_width_that_is_reached(monkeypatch):
    monkeypatch.setattr(tilted, "MAX_POINTS", 15 << 11)
    law = loss_law(sampled(_gaussian("1"), sampling_probability="0.5"))
    with pytest.raises(TooLargeError, match="or wider") as refused:
        PowerSum([(law, 10**3)]).crossing(Exact("1e-5"), relative_width=Fraction(1, 10**5))
    wider = Fraction(re.search(r"Ask for (\S+) or wider", str(refused.value)).group(1))
    found = PowerSum([(law, 10**3)]).crossing(Exact("1e-5"), relative_width=wider)
    assert found.upper - found.lower <= wider * found.lower


def test_so_does_a_refusal_by_one_of_several_levels(monkeypatch):
    """A level is asked for a part of the width: the width that is named is of the whole."""
    monkeypatch.setattr(tilted, "MAX_POINTS", 15 << 15)
    law, n, asked = (
        loss_law(sampled(_gaussian("0.5"), sampling_probability="1e-5")),
        10**4,
        Fraction(1, 10**4),
    )
    with pytest.raises(TooLargeError, match="or wider") as refused:
        PowerSum([(law, n)]).crossing(Exact("1e-5"), relative_width=asked)
    wider = Fraction(re.search(r"Ask for (\S+) or wider", str(refused.value)).group(1))
    assert wider > asked
    found = PowerSum([(law, n)]).crossing(Exact("1e-5"), relative_width=wider)
    assert found.upper - found.lower <= wider * found.lower


def _gaussian(scale):
    return gaussian_mechanism(sigma=scale)


def _laplace(scale):
    return laplace_mechanism(scale=scale)


def test_crossings_are_between_what_is_above_and_what_is_at_most_the_target():
    one = PowerSum([(LossLaw(density=GaussianLoss(Exact("1/10"))), 100)])
    for target in ("1e-2", "1e-8", "1e-60"):
        found = one.crossing(Exact(target), relative_width=WIDTH)
        assert gaussian(1, found.lower) > Fraction(target) >= gaussian(1, found.upper)
        assert found.upper - found.lower <= WIDTH * found.lower


def test_below_a_first_upper_end_the_crossing_is_looked_for_nearby(lattices):
    """Far from the line of the laws their bounds say nothing, and cells would be countless."""
    one = PowerSum([(loss_law(sampled(_laplace(2), sampling_probability="1/2")), 3)])
    found = one.crossing(Exact("1e-3"), relative_width=Fraction(1, 100))
    assert found.upper - found.lower <= Fraction(1, 100) * found.lower
    assert 0 < lattices.cells < 100


def test_a_question_that_was_asked_has_the_same_answer():
    """Laws of other questions asked between would give another one, inside the same width."""
    one = PowerSum([(loss_law(sampled(_laplace(2), sampling_probability="1/2")), 30)])
    asked = [(one.mean_excess, Exact(1)), (one.mean_excess, Exact("1.01"))]
    asked += [(one.crossing, Exact("1e-3")), (one.crossing, Exact("1e-5"))]
    first, second = ([ask(x, relative_width=WIDTH) for ask, x in asked] for _ in range(2))
    assert first == second
    for (ask, x), wide in zip(asked, first, strict=True):  # but not to a narrower width
        narrow = ask(x, relative_width=WIDTH / 1000)
        assert narrow.width <= narrow.lower * WIDTH / 1000
        assert wide.lower <= narrow.upper and narrow.lower <= wide.upper


def test_cells_that_are_there_are_left_for_wider_ones_where_their_lattice_is_fine(lattices):
    """Rare large losses beside many little ones: narrow cells of the guess took 783,000 points."""
    rare = loss_law(sampled(gaussian_mechanism(sigma="0.3"), sampling_probability="1e-4"))
    parts = [(rare, 10**4), (loss_law(sampled(_laplace(30), sampling_probability="1/2")), 100)]
    one = PowerSum(parts)
    found = one.crossing(Exact("1e-3"), relative_width=Fraction(1, 100))
    assert max(lattices.points) < 10**5
    ends = [
        PowerSum(parts).mean_excess(Exact(x), relative_width=WIDTH)
        for x in (found.lower, found.upper)
    ]
    assert ends[0].lower > Fraction(1, 1000) >= ends[1].upper


def test_the_distance_of_two_atoms_may_be_three_quarters_of_a_unit():
    """Where 4.2 million points would be needed and there may be 3.9."""
    law = loss_law(sampled(_laplace(2), sampling_probability="1/2"))
    for c in ("1/2", "1"):
        plans = [Plan([(law, 30)]) for _ in range(2)]
        plans[1]._stretch = Fraction(4, 3)
        first, second = (plan.renew(float(Fraction(c)), 1e-4) for plan in plans)
        assert second.plan.points != first.plan.points
        one, other = (laws.at(Fraction(c)) for laws in (first, second))
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)
        assert all(x.width <= x.lower / 1000 for x in (one, other))


@pytest.mark.parametrize(
    ("steps", "c", "width"),
    [
        # All near 0 but one hit: their mean is a knot, whatever cells beside it are halved.
        ([(Step("gaussian", 0.3, 1e-4, "remove"), 100)], "18.0928", Fraction(1, 100)),
        # Cells of small losses end where these do, not where those of a large one do.
        (
            [
                (Step("gaussian", 30, 1e-5, "remove"), 100),
                (Step("laplace", 0.3, 0.01, "remove"), 1),
            ],
            "0.23925",
            Fraction(1, 4),
        ),
    ],
)
def test_few_points_serve_where_few_losses_matter(steps, c, width, lattices):
    noise = {"gaussian": _gaussian, "laplace": _laplace}
    laws = [
        (loss_law(sampled(noise[s.noise](repr(s.scale)), sampling_probability=repr(s.rate))), n)
        for s, n in steps
    ]
    one, truth = PowerSum(laws), dp_sgd.delta(steps, float(c))
    found = one.mean_excess(Exact(c), relative_width=width)
    off = Fraction(truth.value * max(truth.accuracy, 1e-7))
    assert found.lower <= Fraction(truth.value) + off
    assert found.upper >= Fraction(truth.value) - off
    assert found.width <= width * found.lower
    (points,) = lattices.points
    assert points < 10_000


def test_crossings_of_coins_by_their_exact_law():
    exact, one = compose_exactly([(COIN, 30)]), PowerSum([(loss_law(COIN), 30)])
    for target in ("1/4", "1e-3", "1e-7"):
        found = one.crossing(Exact(target), relative_width=WIDTH)
        ends = [exact.delta(Epsilon.rational(x)) for x in (found.lower, found.upper)]
        assert ends[0] > Exact(target) >= ends[1]
        assert found.upper - found.lower <= WIDTH * found.lower


def test_where_no_threshold_is_needed_the_crossing_is_0():
    for law in (LossLaw(density=GaussianLoss(Exact("1/100"))), loss_law(HOLE)):
        found = PowerSum([(law, 2)]).crossing(Exact("4/5"), relative_width=WIDTH)
        assert (found.lower, found.upper) == (0, 0)


def test_sizes_that_differ_by_a_hundred_million_share_a_lattice():
    """Whose cells are up to more than 2^63 steps wide."""
    tiny = loss_law(laplace_mechanism(scale="1e8"))
    both = PowerSum([(LossLaw(density=GaussianLoss(Exact(3))), 1), (tiny, 1)])
    alone = PowerSum([(LossLaw(density=GaussianLoss(Exact(3))), 1)])
    assert abs(both.guess(-5.0) - alone.guess(-5.0)) < Fraction(1, 2)


@pytest.mark.parametrize(
    ("mu", "n", "c"), [("1e-9", 10**12, "1e-4"), ("1e-12", 10**18, "1e-4"), ("1e-160", 1, "0")]
)
def test_what_doubles_cannot_do_is_refused_at_once(mu, n, c):
    one = PowerSum([(LossLaw(density=GaussianLoss(Exact(mu))), n)])
    with pytest.raises((TooLargeError, UndecidedError), match=r"Ask (for|at)"):
        one.mean_excess(Exact(c), relative_width=Fraction(1, 10))


def test_slopes_that_are_too_steep_on_both_sides_do_not_lead_the_search_to_and_fro():
    """Three steps of rate 1e-5: from either side the next point lay beyond the crossing."""
    parts = [(loss_law(sampled(gaussian_mechanism(sigma=2), sampling_probability="1e-5")), 3)]
    found = PowerSum(parts).crossing(Exact("1e-8"), relative_width=Fraction(1, 100))
    assert found.upper - found.lower <= found.lower / 100
    ends = [
        PowerSum(parts).mean_excess(Exact(x), relative_width=WIDTH)
        for x in (found.lower, found.upper)
    ]
    assert ends[0].lower > Fraction(1, 10**8) >= ends[1].upper


def test_two_scales_of_one_kind_are_divided_though_the_other_kind_is_of_one(lattices):
    """A single large loss, and 6.5 deviations of 10^5 little ones; 10^5 cells were too few."""
    kinds = [(8, "1e-4", 2), (1, "1e-4", 10**5)]
    parts = [
        (loss_law(sampled(gaussian_mechanism(sigma=s), sampling_probability=rate)), n)
        for s, rate, n in kinds
    ]
    one = PowerSum(parts)
    found = one.crossing(Exact("1e-12"), relative_width=Fraction(1, 100))
    assert len(lattices.levels) > 1
    assert 0 < lattices.cells < 2000
    steps = [(Step("gaussian", s, float(rate), "remove"), n) for s, rate, n in kinds]
    truth = dp_sgd.epsilon(steps, 1e-12)
    off = Fraction(truth.value * truth.accuracy)
    assert found.lower - off <= Fraction(truth.value) <= found.upper + off
    assert found.upper - found.lower <= found.lower / 100


def test_a_plan_does_not_end_with_cells_that_halving_made_worse(lattices):
    """At once the law below had lost nearly all: a division and 9,349 cells followed."""
    kinds = [(30, "1/2", 8), ("1/2", "1e-5", 100)]
    parts = [
        (loss_law(sampled(gaussian_mechanism(sigma=s), sampling_probability=rate)), n)
        for s, rate, n in kinds
    ]
    one = PowerSum(parts)
    at = Exact(one.crossing(Exact("1e-5"), relative_width=Fraction(1, 100)).upper)
    found = one.mean_excess(at, relative_width=Fraction(1, 100))
    assert found.width <= found.lower / 100
    assert 0 < lattices.cells < 500


@pytest.mark.parametrize("left", [Fraction(1, 100), Fraction(1, 10**5)])
@pytest.mark.parametrize("copies", [1, 3])
def test_what_was_left_out_of_a_lattice_may_lie_anywhere(left, copies):
    """Losses of 0 and 1, and some that are left out: none, all far above, or all far below."""

    def law(*far):
        kept = [(0, (1 - left) / 2), (1, (1 - left) / 2)]
        rest = [(k, left / len(far)) for k in far]
        return dict((*kept, *rest))

    def excess(masses, c):
        sums = {0: Fraction(1)}
        for _ in range(copies):
            found = {}
            for x, p in sums.items():
                for y, q in masses.items():
                    found[x + y] = found.get(x + y, 0) + p * q
            sums = found
        with mpmath.workdps(30):
            ends = (mpf_of(p) * -mpmath.expm1(mpf_of(c) - x) for x, p in sums.items() if x > c)
            return mpmath.fsum(ends)

    def masses(bits):
        with precision(bits):
            return [(k, arb(fmpq_of(m))) for k, m in law(-100).items() if k > -100], arb(
                fmpq_of(left)
            )

    one = AtomLattice(Exact(0), Exact(1), Exact.exp(1), masses, is_truncated=True)
    total = PowerSum([(LossLaw(lattice=one), copies)])
    assert copies * left <= total.left <= copies * left * (1 + Fraction(1, 10**9))
    c = Fraction(1, 2)
    width = Fraction(8 * copies) * left
    found = total.mean_excess(Exact(c), relative_width=width)
    least, most = excess(law(-100), c), excess(law(100), c)
    assert mpf_of(found.lower) <= least < most <= mpf_of(found.upper)
    target = Fraction(2, 5)
    crossed = total.crossing(Exact(target), relative_width=Fraction(1, 4))
    assert excess(law(100), crossed.upper) <= mpf_of(target)
    assert crossed.upper == 0 or excess(law(-100), crossed.lower) > mpf_of(target)


def test_discrete_gaussian_losses_between_laws_on_a_lattice():
    """Beside their law itself, from which nothing is left out but what balls hold."""
    noise = discrete_gaussian_mechanism(sigma=7, sensitivity=3)
    lattice = noise.loss_law().lattice
    for c in ("0", "1", "9/2"):
        exact = LatticeSum.of([(lattice, 12)]).mean_excess(
            Exact(c), relative_width=Fraction(1, 10**9)
        )
        found = PowerSum([(noise.loss_law(), 12)]).mean_excess(
            Exact(c), relative_width=Fraction(1, 10**4)
        )
        assert found.lower <= exact.lower <= exact.upper <= found.upper
