"""Hundreds of laws that differ little: one of each kind is planned, all of them are summed."""

from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp.accounting import sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.mechanisms.losses.gaussian_loss import GaussianLoss
from exactdp.numbers import Exact
from exactdp.sums import LossLaw
from exactdp.sums.lattices.kinds import kinds_of
from exactdp.sums.lattices.levels import Levels
from exactdp.sums.lattices.plans import Plan
from exactdp.sums.lattices.power_sums import PowerSum
from tests.routes import dp_sgd
from tests.routes.noise import gaussian_delta
from tests.routes.noise_steps import Step
from tests.routes.reals import fraction_of

WIDTH = Fraction(1, 1000)


def normal(mu):
    return LossLaw(density=GaussianLoss(Exact(mu)))


def on_sample(sigma, rate, direction):
    one = sampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)
    return loss_law(one if direction == "remove" else one.reversed())


def test_gaussian_losses_of_different_sizes_are_one():
    """The squares of the shifts add up: forty of 1/20 to 59/400, once or twice each."""
    shifts = [(Fraction(20 + i, 400), 1 + i % 2) for i in range(40)]
    parts = [(normal(mu), times) for mu, times in shifts]
    assert len(kinds_of(parts)) < 20
    square = sum(mu**2 * times for mu, times in shifts)
    for c in ("3", "6"):
        found = PowerSum(parts).mean_excess(Exact(c), relative_width=WIDTH)
        truth = fraction_of(gaussian_delta(1 / square**0.5, c, digits=60))
        assert found.lower * (1 - Fraction(1, 10**9)) <= truth <= found.upper
        assert truth <= found.upper * (1 + Fraction(1, 10**9))
        assert found.is_narrow(WIDTH)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_sampled_steps_of_different_noise_and_rates(direction):
    steps = [(0.8 + i / 40, (2 + i % 3) / 100) for i in range(24)]
    parts = [
        (on_sample(Fraction(s).limit_denominator(40), Fraction(str(q)), direction), 3)
        for s, q in steps
    ]
    found = PowerSum(parts).mean_excess(Exact("3/4"), relative_width=Fraction(1, 100))
    truth = dp_sgd.delta([(Step("gaussian", s, q, direction), 3) for s, q in steps], 0.75)
    slack = Fraction(max(truth.accuracy, 1e-9))
    assert found.lower * (1 - slack) <= Fraction(truth.value) <= found.upper * (1 + slack)
    assert found.is_narrow(Fraction(1, 100))


def test_levels_of_laws_with_ends_of_their_own_add_up():
    """Of rates from 1/20 to 1/3 the largest losses lie on both sides of each size."""
    rates = [Fraction(1, 20) + Fraction(i, 50) for i in range(15)]
    parts = [(on_sample(1, rate, "add"), 1) for rate in rates]
    sizes = [None, -2, -4, None]
    levels = Levels([Plan(parts, low, high) for high, low in pairwise(sizes)])
    at = Fraction(1, 4)
    found = levels.laws(at, 0.25, 0.1).at(at)
    truth = dp_sgd.delta([(Step("gaussian", 1.0, float(q), "add"), 1) for q in rates], 0.25)
    slack = Fraction(max(truth.accuracy, 1e-9))
    assert found.lower * (1 - slack) <= Fraction(truth.value) <= found.upper * (1 + slack)
    assert found.is_narrow(Fraction(1, 4))


def test_few_laws_and_laws_that_end_are_kinds_of_their_own():
    few = [(normal(1 + i), 2) for i in range(12)]
    assert [kind.members for kind in kinds_of(few)] == [[one] for one in few]
    coin = loss_law(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
    ended = [(loss_law(laplace_mechanism(scale=1 + i)), 1) for i in range(20)]
    assert len(kinds_of([*ended, (coin, 1), *few])) == 33
    many = [*ended, *((normal(Fraction(100 + i, 100)), 1 + i) for i in range(20))]
    kinds = kinds_of(many)
    assert len(kinds) < 33 and sum(kind.planned[1] for kind in kinds) == 20 + 210
    assert {id(law) for kind in kinds for law, _ in kind.members} == {id(law) for law, _ in many}
    for kind in kinds:
        sizes = [law.density.mu for law, _ in kind.members if law.copies is None]
        assert all(sizes[0] >= size for size in sizes)  # what is planned reaches farthest
