"""Sums of finite variables: transforms in doubles and lattices in balls against exact sums."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from flint import acb, arb

from exactdp.accounting import compose, compose_certified
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.mechanisms import discrete_gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact, enclosure, precision
from exactdp.sums import LossSum, doubles, mean_positive_sum
from exactdp.sums.doubles import Near
from exactdp.sums.lines import smoothed
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.saddle import log_kappa, log_kappa_ball
from exactdp.sums.lines.smoothed import SmoothedSum
from exactdp.sums.routes import Routes
from exactdp.sums.table import Mean

COIN = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])


def ball(value):
    value = Fraction(value)
    with precision(max(256, value.denominator.bit_length())):
        return arb(value.numerator) / value.denominator


def variable(law, times):
    with precision(256):
        return FiniteVariable([ball(v) for v, _ in law], [ball(m) for _, m in law], times)


def random_law(draw, size):
    weights = [draw.randint(1, 9) for _ in range(size)]
    return [
        (Fraction(draw.randint(-30, 30), draw.randint(1, 7)), Fraction(w, sum(weights)))
        for w in weights
    ]


def brute(laws, f):
    total = 0
    for letters in product(*(law for law, times in laws for _ in range(times))):
        mass = 1
        for _, m in letters:
            mass *= m
        total += f(sum(v for v, _ in letters)) * mass
    return total


def positive_binomial(n, p, up, down):
    """E max(0, S), S the sum of n steps up (mass p) or down."""
    steps = ((k * up + (n - k) * down, k) for k in range(n + 1))
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) * s for s, k in steps if s > 0)


@pytest.mark.parametrize("seed", range(40))
def test_smoothed_sums_of_few_against_all_outcomes(seed):
    draw = random.Random(seed)
    laws = [(random_law(draw, draw.randint(2, 3)), draw.randint(1, 3)) for _ in range(2)]
    c = Fraction(draw.randint(-10, 10), 3)
    width = draw.choice([Fraction(1, 100), Fraction(1, 10**4)])
    parts = [variable(*one) for one in laws]
    truth = brute(laws, lambda s: max(0, s - c))
    if truth > 0:
        found = SmoothedSum(parts, 0).mean_above(ball(c), width)
        assert found.contains(truth) and found.width <= width * found.lower
    with precision(200):
        curved = brute(
            [([(v, ball(m)) for v, m in law], times) for law, times in laws],
            lambda s: -(ball(c - s).expm1()) if s > c else arb(0),
        )
        if truth > 0:
            found = SmoothedSum(parts, 1).mean_above(ball(c), width)
            assert ball(found.lower) <= curved <= ball(found.upper)


@pytest.mark.parametrize(
    ("n", "down", "width"),
    [
        (200, "-7/10", "1e-7"),
        (1000, "-7/10", "1e-6"),
        (3000, "-3/5", "1e-3"),
        (3000, "-9/5", "1e-6"),
    ],
)
def test_many_steps_against_the_binomial_sum(n, down, width):
    p, down, width = Fraction(1, 3), Fraction(down), Fraction(width)
    found = SmoothedSum([variable([(Fraction(1), p), (down, 1 - p)], n)], 0).mean_above(
        arb(0), width
    )
    assert found.contains(positive_binomial(n, p, Fraction(1), down))
    assert found.width <= width * found.lower


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_recurrences_of_many_copies_against_their_own_sum(n):
    """Windows are skipped here; randomized response has a sum of its own."""
    step = Epsilon.rational(Fraction(4, int(n**0.5)))
    coin = Pair.from_masses(
        [step.exp / (1 + step.exp), 1 / (1 + step.exp)],
        [1 / (1 + step.exp), step.exp / (1 + step.exp)],
    )
    truth = compose([(coin, n)]).delta(Epsilon.rational(9), relative_width="1e-9")
    law = loss_law(coin)
    losses = Routes(((law, n),))
    found = Mean.of_losses(losses, Exact(9)).in_doubles(Fraction(1, 10**6))
    assert found.lower <= truth.upper and truth.lower <= found.upper
    part = losses.factors(192)[0]
    with precision(192):
        assert sum(1 for _ in part.recurrences(arb(1), 80.0)) == 1


def test_three_values_with_no_common_step():
    """Histogram by histogram and by the transform, at either side of the size that decides."""
    values = [Exact.exp("1/2"), Exact("-1/3"), Exact(-1)]
    masses = [Exact("1/5"), Exact("1/2"), Exact("3/10")]
    one = mean_positive_sum(values, masses, 400, relative_width=Fraction(1, 10**12))
    other = mean_positive_sum(values, masses, 400, relative_width=Fraction(1, 10**6))
    assert other.lower < one.lower < one.upper < other.upper


def test_lattices_reach_any_width():
    times, epsilon = 300, Epsilon.rational(4)
    truth = enclosure(compose([(COIN, times)]).delta(epsilon), relative_bits=300)
    law = LossSum(((loss_law(COIN), times),))
    found = law.delta(epsilon, relative_width=Fraction(1, 10**40))
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.width <= found.lower / 10**40


@pytest.mark.parametrize(("epsilon", "times"), [("11/10", 30), ("301/10", 3)])
def test_infinite_lattices_against_doubles(epsilon, times):
    one = discrete_gaussian_mechanism(sigma_squared=5, sensitivity=2)
    losses = LossSum(((loss_law(one), times),))
    found = losses.delta(Epsilon.rational(epsilon), relative_width=Fraction(1, 10**20))
    other = Mean.of_losses(losses.routes, Exact(epsilon)).in_doubles(Fraction(1, 10**3))
    assert other.lower <= found.lower <= found.upper <= other.upper


def test_far_out_more_of_an_infinite_lattice_is_kept():
    """Two losses 2/5·(1 − k), k of mass e^(−k²/10)/Θ, term by term."""
    losses = LossSum(((loss_law(discrete_gaussian_mechanism(sigma_squared=5, sensitivity=2)), 2),))
    found = losses.delta(Epsilon.rational(100), relative_width=Fraction(1, 10**20))
    with precision(6000):
        masses = {k: (-arb(k * k) / 10).exp() for k in range(-300, 301)}
        theta = sum(masses.values())
        truth = arb(0)
        for both in range(-270, -248):
            mass = sum(masses[k] * masses[both - k] for k in range(-299, 30))
            truth += mass * -(arb(500 - 2 * (2 - both)) / 5).expm1()
        truth /= theta**2
        assert ball(found.lower) < truth * (1 + arb(10) ** -19)
        assert truth * (1 - arb(10) ** -19) < ball(found.upper)
    assert found.upper < Fraction(1, 10**1300)


def test_a_lattice_that_leaves_much_out_beside_a_density():
    """Both mechanisms are symmetric, so both directions are one; reversed, less is listed."""
    parts = [
        (discrete_gaussian_mechanism(sigma_squared=1, sensitivity=13), 1),
        (laplace_mechanism(scale=2), 1),
    ]
    forward = compose_certified(parts)
    for epsilon in ("1", "129/2"):
        ends = [
            side.delta(Epsilon.rational(epsilon), relative_width="1e-2")
            for side in (forward, forward.reversed())
        ]
        assert ends[0].lower <= ends[1].upper and ends[1].lower <= ends[0].upper


@pytest.mark.parametrize("theta", [1e-9, 0.5, 30.0, 1.234e13, 1.234e14, 1.234e15, 1e20])
def test_kappa_does_not_cancel(theta):
    with mpmath.workdps(60):
        t = mpmath.mpf(theta)
        truth = t * mpmath.log(t) - (1 + t) * mpmath.log(1 + t)
        assert abs(log_kappa(theta, 1) - truth) < 1e-9 * (1 + abs(truth))
        digits = mpmath.nstr(truth, 50)  # what cancels in it leaves 37 of them
    with precision(192):
        found = log_kappa_ball(arb(theta), 1)
        assert found.rel_accuracy_bits() > 150 and found.overlaps(arb(digits) * arb(1, 1e-35))


# --- each error is accounted for -------------------------------------------------

LAW = [(Fraction(1), Fraction(1, 3)), (Fraction(-7, 10), Fraction(2, 3))]


def bounds(n, *, smooth=0.05, period=1.0, points=None):
    """Return the bounds of one line, its period, smoothing and windows as they are given."""
    with precision(192):
        total = SmoothedSum([variable(LAW, n)], 0)
        line = smoothed.Line.through_saddle(
            lambda tilt: float(total.log_moment(arb(tilt)).mid()), 0, log_width=-14.0
        )
        line = replace(line, period=line.period * period)
        found = smoothed.Points(total, arb(0), line, smooth, Fraction(1, 10**6))
        if points is not None:
            found.windows = smoothed._Windows(points, points, 1, -np.inf)
        return found._bounds()[:2]


@pytest.mark.parametrize("n", [3, 30, 300])
def test_bad_choices_widen_the_enclosure_and_hold_the_truth(n):
    truth = positive_binomial(n, Fraction(1, 3), Fraction(1), Fraction(-7, 10))
    for smooth in (0.3, 0.05, 0.01):
        for period in (1.0, 0.7, 0.4):
            for points in (None, 4, 16, 64):
                low, high = bounds(n, smooth=smooth, period=period, points=points)
                assert low <= truth <= high


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("images", {"smooth": 1e-3, "period": 0.4}),
        ("beyond", {"smooth": 1e-3, "points": 8}),
        ("blur", {"smooth": 0.4}),
    ],
)
def test_without_one_error_the_truth_is_lost(name, kept, monkeypatch):
    truth = positive_binomial(30, Fraction(1, 3), Fraction(1), Fraction(-7, 10))
    assert bounds(30, **kept)[0] <= truth <= bounds(30, **kept)[1]
    if name == "images":
        monkeypatch.setattr(smoothed.Line, "images", lambda self, log_moment: [])
    elif name == "beyond":
        monkeypatch.setattr(smoothed.Points, "_level", lambda self, omega: arb(0))
    else:
        sums = smoothed.Points._sums
        monkeypatch.setattr(smoothed.Points, "_sums", lambda self: (*sums(self)[:2], 0.0, 0.0))
    low, high = bounds(30, **kept)
    assert not low <= truth <= high


@pytest.mark.parametrize("times", [1, 2, 1000, 10**6, 10**12])
def test_powers_in_doubles_err_by_no_more_than_they_say(times, monkeypatch):
    draw = random.Random(times)
    angles = [draw.uniform(-1, 1) / times**0.5 for _ in range(200)]
    masses = [0.25, 0.5, 0.25]

    def found():
        lack = sum(
            m * np.array([complex(acb(0, x * k).expm1().mid()) for x in angles])
            for k, m in zip((-1, 0, 1), masses, strict=True)
        )
        return Near(lack, doubles.STEP * np.abs(lack) * 4).power(times)

    with precision(256):
        truths = [((1 + arb(x).cos()) / 2) ** times for x in angles]
        good = found()
        off = [
            float(abs(acb(1) + acb(value) - truth).upper())
            for value, truth in zip(good.lack.tolist(), truths, strict=True)
        ]
    assert all(a <= e for a, e in zip(off, good.error.tolist(), strict=True))
    assert max(good.error) < 1e-12 * times**0.5
    if times > 1000:
        monkeypatch.setattr(doubles, "STEP", 2.0**-75)
        assert any(a > e for a, e in zip(off, found().error.tolist(), strict=True))
