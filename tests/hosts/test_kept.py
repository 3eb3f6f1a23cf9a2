"""The numbers that hosts' tests expect and that are others here, each by a way of its own."""

import math
from fractions import Fraction

import mpmath
import pytest

from exactdp import compose, dp_sgd, gaussian_mechanism, laplace_mechanism
from exactdp.accounting import smallest_zcdp
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.accounting.selection.best_curve import BestOfRuns
from exactdp.accounting.selection.runs import Runs
from exactdp.accounting.selection.tuning import tuning_bound
from exactdp.divergences import Pair
from exactdp.mechanisms.bounded_range import BoundedRange
from tests.hosts.kept import KEPT, OPACUS, WHEEL, Why

NARROW = {"relative_width": "1e-6"}


def test_randomized_response_without_noise_tells_two_of_three_inputs_from_the_uniform_law():
    """Expected: δ = 1. The uniform law has 2/3 where the input's has nothing, at any ε."""
    rows = [Fraction(1), Fraction(0), Fraction(0)], [Fraction(1, 3)] * 3
    events = [[i for i in range(3) if mask >> i & 1] for mask in range(8)]
    truth = max(
        sum(p[i] for i in event) - 3 * sum(q[i] for i in event)  # e < 3
        for p, q in (rows, rows[::-1])
        for event in events
    )
    assert truth == Fraction(2, 3) < 1


def test_a_sampled_gaussian_has_less_at_a_fractional_order_than_its_series_says():
    """Expected: 6.70579741e-4 at the order 3/2, where 50 times the integral is 6.5007e-4."""
    expected, sigma, q, a = 6.70579741e-04, mpmath.mpf(5) / 2, mpmath.mpf(0.01), mpmath.mpf(3) / 2

    def moment(x):
        ratio = 1 - q + q * mpmath.exp((2 * x - 1) / (2 * sigma**2))
        return mpmath.npdf(x, 0, sigma) * (ratio**a - 1)  # without the 1 that it adds

    with mpmath.workdps(30):
        total = mpmath.quad(moment, [-60, -10, 0, 10, 60])
        truth = 50 * mpmath.log1p(total) / (a - 1)
    one = poisson_subsampled(gaussian_mechanism(sigma="5/2"), sampling_probability=Fraction(0.01))
    ours = 50 * one.renyi_bound(Fraction(3, 2), width=Fraction(1, 10**9))
    ours = mpmath.mpf(ours.numerator) / ours.denominator
    assert truth * (1 - 1e-12) <= ours <= truth * (1 + 1e-8)
    assert ours < 0.98 * expected


def test_a_hundred_laplace_noises_have_less_than_the_sum_of_their_losses():
    """Expected: ε = 100 at δ = 1e-10."""
    found = compose([(laplace_mechanism(scale=1), 100)]).epsilon("1e-10", **NARROW)
    assert 81 < found.lower < found.upper < 82


@pytest.mark.parametrize(
    ("sigma", "mean"), [("1000", 10**9), ("1", 10**9), ("1", 1000), ("1/1000", 1000), ("1/1000", 1)]
)
def test_doubles_of_the_bound_of_poisson_runs_are_above_it(sigma, mean):
    """Expected: the least at some order of a formula in doubles, which is above the formula."""
    size = Fraction(sigma)
    noise = gaussian_mechanism(sigma=sigma)
    one = MomentBounds.both_ways(((noise, 1),))
    best = BestOfRuns(
        one, Runs.poisson(mean=mean), lambda at, _: noise.delta(at, relative_width="1e-12").upper
    )
    orders = [63, 128, 256, 512] if size > 1 else [1.1, 1.4, 2.0, 3.1, 5.0, 9.0, 20, 40, 63, 1024]
    above = 0
    with mpmath.workdps(60):
        s = mpmath.mpf(size.numerator) / size.denominator
        for order in orders:
            a = mpmath.mpf(order)
            nats = mpmath.log(a / (a - 1))
            delta = mpmath.ncdf(1 / (2 * s) - nats * s) - mpmath.exp(nats) * mpmath.ncdf(
                -1 / (2 * s) - nats * s
            )
            truth = a / (2 * s * s) + mean * delta + mpmath.log(mean) / (a - 1)
            ours = best.renyi_bound(Fraction(order), width=Fraction(1, 10**12))
            ours = mpmath.mpf(ours.numerator) / ours.denominator
            assert truth * (1 - mpmath.mpf(10) ** -30) <= ours <= truth * (1 + mpmath.mpf(10) ** -9)
            above += in_doubles(float(size), mean, order) > ours
    assert above > 0


def in_doubles(sigma, mean, order):
    """The formula, computed as the text of the theorem says."""
    eps = math.log1p(1 / (order - 1))
    x, y = ((eps * sigma + sign * 0.5 / sigma) / math.sqrt(2) for sign in (-1, 1))
    delta = math.erfc(x) / 2 - math.exp(eps) * math.erfc(y) / 2
    return order * 0.5 / sigma**2 + mean * delta + math.log(mean) / (order - 1)


def test_poisson_runs_of_a_pure_mechanism_have_at_most_its_loss_and_a_distance():
    """Expected: the theorem at one order, near 1; its limit at large orders is far below."""
    noise = laplace_mechanism(scale="1/10")
    one = MomentBounds.both_ways(((noise, 1),))
    best = BestOfRuns(
        one, Runs.poisson(mean=10), lambda at, _: noise.delta(at, relative_width="1e-9").upper
    )
    expected = 10 + math.log(10) * math.expm1(10)  # its other term is negative, and small
    assert best.max_divergence().ball(64) < 20 < expected / 1000


@pytest.mark.parametrize(("shape", "mean"), [(2, 100), (5, 1000)])
def test_negative_binomial_runs_have_less_than_the_sum_of_pure_losses(shape, mean):
    """Expected: ε = 2 + η at δ = 1e-10; a later theorem has less."""
    runs = Runs.negative_binomial(shape=shape, mean=mean)
    assert tuning_bound(laplace_mechanism(scale=1), runs).epsilon("1e-10").upper < 2 + shape


def test_a_pure_promise_has_less_than_its_epsilon_where_delta_is_positive():
    """Expected: between 1 and 1.01 at δ = 1e-5; the worst pair has ln(e − δ(1 + e))."""
    with mpmath.workdps(30):
        truth = mpmath.log(mpmath.e - mpmath.mpf("1e-5") * (1 + mpmath.e))
    assert 0.99998 < truth < 1


def test_the_range_of_losses_bounds_a_divergence_of_a_large_order():
    """Expected: 1, the range, at the order 1000 to 7 digits."""
    assert BoundedRange(Fraction(1)).renyi(1000, relative_width="1e-6").upper < Fraction("0.993")


def test_a_sampled_budget_is_not_that_of_sampled_gaussian_noise():
    """Expected: D_a of Gaussian noise with the same ρ. A pair with this ρ has more at q = 1/2."""
    pair = Pair.from_masses(["1/2", "1/2"], ["13/20", "7/20"])
    rho = smallest_zcdp(pair).upper
    order, half = mpmath.mpf(6) / 5, mpmath.mpf(1) / 2
    sigma = mpmath.sqrt(half / (mpmath.mpf(rho.numerator) / rho.denominator))

    def moment(x):
        ratio = half + half * mpmath.exp((2 * x - 1) / (2 * sigma**2))
        return mpmath.npdf(x, 0, sigma) * ratio**order

    with mpmath.workdps(30):
        noise = mpmath.log(mpmath.quad(moment, [-60, -5, 0, 5, 60])) / (order - 1)
        laws = [mpmath.mpf(23) / 40, mpmath.mpf(17) / 40], [mpmath.mpf(13) / 20, mpmath.mpf(7) / 20]
        truth = max(
            mpmath.log(mpmath.fsum(x**order * y ** (1 - order) for x, y in zip(p, q, strict=True)))
            / (order - 1)
            for p, q in (laws, laws[::-1])
        )
    assert noise * 1.002 < truth


OPACUS_HISTORY = {"noise_multiplier": "3/2", "sampling_probability": "1/25"}


@pytest.mark.parametrize(
    ("steps", "expected", "why"),
    [
        (2250, "7.32911117143", Why.LOOSER),
        (2249, "6.6", Why.WRONG),
        (2249, "6.7773957", Why.LOOSER),
    ],
)
def test_epsilons_of_opacus_are_looser_or_below_the_truth(steps, expected, why):
    """By Rényi divergences, by a central limit, and by a discretization with its errors."""
    found = dp_sgd(**OPACUS_HISTORY, steps=steps).epsilon("1e-5", relative_width="1e-4")
    if why is Why.LOOSER:
        assert found.upper < Fraction(expected)
    else:
        assert found.lower > Fraction(expected)
    assert why in KEPT[OPACUS].values()


@pytest.mark.parametrize(
    ("steps", "expected", "is_enough"),
    [
        (2250, "1.416", True),
        (2000, "1.3562", True),
        (2250, "1.34765625", True),
        (2000, "1.2915", True),
        (2250, "1.3232421875", False),
    ],
)
def test_noise_of_opacus_is_more_than_needed_or_too_little(steps, expected, is_enough):
    """For ε = 8 at δ = 1e-5; the last, by a central limit, has more than 8."""
    used = {**OPACUS_HISTORY, "noise_multiplier": expected}
    found = dp_sgd(**used, steps=steps).epsilon("1e-5", relative_width="1e-4")
    assert found.upper < 8 if is_enough else found.lower > 8


def test_each_kept_number_has_a_test_here():
    numbers = [name for name, why in KEPT[WHEEL].items() if why in (Why.LOOSER, Why.WRONG)]
    assert len(numbers) == 13
