"""Replaced records against densities in mpmath, exact pairs, sums over all batches and grids."""

import itertools
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mp

from exactdp.accounting import (
    CertifiedPLD,
    compose,
    compose_certified,
    dp_sgd,
    dp_sgd_noise_multiplier,
    sampled,
)
from exactdp.divergences import Pair, calibrated
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.sums.table import Mean
from tests.routes.noise import tail
from tests.routes.reals import mpf_of
from tests.routes.samples import fixed_size, replaced

RATE = Exact("1/5")
GAUSSIAN = gaussian_mechanism(sigma="3/2", sensitivity=2)
LAPLACE = laplace_mechanism(scale=3, sensitivity=2)
KINDS = [(kind, noise) for kind in (replaced, fixed_size)
         for noise in (GAUSSIAN, LAPLACE)]  # fmt: skip
EACH = pytest.mark.parametrize(("kind", "noise"), KINDS)
EPSILONS = ["0", "1/20", "-1/20", "1/2", "-1/2", "-2"]


def above(noise, x):
    return tail(*(("gaussian", Fraction(3, 2)) if noise is GAUSSIAN else ("laplace", 3)), x)


def density(noise, x):
    return mp.npdf(x, 0, mp.mpf("1.5")) if noise is GAUSSIAN else mp.exp(-abs(x) / 3) / 6


def excess(noise, p, q, gamma):
    """Return H_γ of two mixtures (weight, shift) whose ratio rises, by the best half-line."""

    def at(rule, x):
        first, second = (mp.fsum(w * rule(noise, x - s) for w, s in m) for m in (p, q))
        return first - gamma * second

    low, high = mp.mpf(-60), mp.mpf(60)
    if at(density, low) >= 0:
        return 1 - gamma
    if at(density, high) <= 0:
        return mp.mpf(0)
    for _ in range(110):
        middle = (low + high) / 2
        low, high = (middle, high) if at(density, middle) < 0 else (low, middle)
    return at(above, low)


def by_definition(kind, noise, epsilon):
    """Return the larger δ of the neighbors that the header names."""
    q, gamma = mp.mpf(1) / 5, mp.exp(epsilon)
    if kind is replaced:
        return excess(noise, [(1 - q, 0), (q, 2)], [(1 - q, 0), (q, -2)], gamma)
    removing = excess(noise, [(1 - q, 0), (q, 4)], [(1, 0)], gamma)
    adding = excess(noise, [(1, 4)], [(1 - q, 4), (q, 0)], gamma)
    return max(removing, adding)


def assert_contains(found, truth, *, slack="1e-25"):
    lower, upper = (mpf_of(x) for x in (found.lower, found.upper))
    assert lower <= truth + mp.mpf(slack) and truth - mp.mpf(slack) <= upper


@pytest.mark.parametrize("epsilon", EPSILONS)
@EACH
def test_one_step_is_that_of_the_worst_neighbors(kind, noise, epsilon):
    one = kind(noise, RATE)
    with mpmath.workdps(35):
        truth = by_definition(kind, noise, mpf_of(epsilon))  # fmt: skip
        found = one.delta(Epsilon.rational(epsilon))
        if found == 0:
            assert truth == 0
        else:
            assert_contains(enclosure(found, relative_bits=90), truth)


@EACH
def test_the_law_of_the_loss_has_the_closed_form(kind, noise):
    one = kind(noise, RATE)
    grid = compose_certified([(one, 1)])
    for epsilon in ("1/20", "-1/20", "1/4"):
        found = grid.losses.delta(Epsilon.rational(epsilon), relative_width=Fraction(1, 500))
        truth = enclosure(one.delta(Epsilon.rational(epsilon)), relative_bits=60)
        assert found.lower <= truth.upper and truth.lower <= found.upper
    assert grid.reversed() is grid


def cells(kind, noise):
    """Return the P and Q masses of cells of outputs: those of positive loss, and a mirror."""
    step = 0.02
    x = np.arange(0 if kind is replaced else 2, 40, step) + step / 2

    def law(shift):
        if noise is GAUSSIAN:
            return np.exp(-(((x - shift) / 1.5) ** 2) / 2) * step / (1.5 * np.sqrt(2 * np.pi))
        return np.exp(-abs(x - shift) / 3) * step / 6

    far = 2 if kind is replaced else 4
    p = 0.8 * law(0) + 0.2 * law(far)
    q = 0.8 * law(0) + 0.2 * law(-2) if kind is replaced else law(0)
    rest = 1 - p.sum() - q.sum()
    return np.concatenate([p, q, [rest]]), np.concatenate([q, p, [rest]])


@EACH
def test_two_steps_are_a_sum_over_pairs_of_outputs(kind, noise):
    p, q = cells(kind, noise)
    for epsilon in ("1/4", "-1/4"):
        gamma = np.exp(float(Fraction(epsilon)))
        truth = sum(np.maximum(a * p - gamma * b * q, 0).sum() for a, b in zip(p, q, strict=True))
        found = compose([(kind(noise, RATE), 2)]).delta(
            Epsilon.rational(epsilon), relative_width="1/500"
        )
        assert found.lower * 0.9995 <= truth <= found.upper * 1.0005


@pytest.mark.parametrize("noise", [gaussian_mechanism(sigma=3), laplace_mechanism(scale=3)])
@pytest.mark.parametrize("kind", [replaced, fixed_size])
def test_many_steps_in_balls_are_those_in_doubles(kind, noise):
    steps = compose_certified([(kind(noise, Exact("1/10")), 100)])
    narrow = steps.delta(Epsilon.rational(1), relative_width="1e-3")
    wide = Mean.of_losses(steps.losses.routes, Exact(1)).in_doubles(Fraction(1, 1000))
    assert wide.lower <= narrow.upper and narrow.lower <= wide.upper


def test_both_branches_are_the_profile_of_one_pair():
    """In rationals: the masses of the header, for finite pairs with a mirror image."""
    draw = random.Random(3)
    for _ in range(30):
        weights = [draw.randint(0, 6) for _ in range(5)]
        weights[0] += 1
        p = [Exact(Fraction(w, sum(weights))) for w in weights]
        pairs = list(zip(p, p[::-1], strict=True))
        q = Exact(Fraction(draw.randint(1, 4), 5))
        above = [((1 - q) * b + q * a, b) for a, b in pairs if a > b]
        rest = 1 - sum((a + b for a, b in above), Exact(0))
        joined = [*above, *((b, a) for a, b in above), (rest, rest)]
        whole = Pair.from_masses(*zip(*joined, strict=True))
        removing = Pair.from_masses(p, p[::-1]).subsampled(q)
        for gamma in ("1/9", "1/2", "9/10", "1", "10/9", "2", "7"):
            at = Epsilon(Exact(gamma))
            assert whole.delta(at) == max(removing.delta(at), removing.reversed().delta(at))


@pytest.mark.parametrize("noise", [GAUSSIAN, LAPLACE])
def test_no_data_exceed_batches_of_fixed_size_and_some_reach_them(noise):
    """Batches of 2 of 3 records between −2 and 2: mixtures over all batches, in doubles."""
    outputs = np.arange(-50, 50, 0.05) + 0.025

    def law(records):
        masses = []
        for batch in itertools.combinations(records, 2):
            x = outputs - sum(batch)
            one = np.exp(-((x / 1.5) ** 2) / 2) if noise is GAUSSIAN else np.exp(-abs(x) / 3)
            masses.append(one / one.sum())
        return sum(masses) / len(masses)

    one = fixed_size(noise, Exact("2/3"))
    for epsilon in ("0", "1/4", "-1/4"):
        bound = float(enclosure(one.delta(Epsilon.rational(epsilon)), relative_bits=50).upper)
        gamma, best = np.exp(float(Fraction(epsilon))), 0
        for x, y in itertools.permutations((-2, -1, 0, 2), 2):
            for others in itertools.product((-2, 0, 1, 2), repeat=2):
                found = np.maximum(law((x, *others)) - gamma * law((y, *others)), 0).sum()
                best = max(best, found)
        assert bound * 0.999 <= best <= bound * 1.001


def test_no_vectors_exceed_a_poisson_sample():
    """Records in the unit disc, densities on a grid of the plane: x = −x' on its rim is worst."""
    q, sigma, step = 0.3, 0.8, 0.1
    axis = np.arange(-6, 6, step)
    plane = np.meshgrid(axis, axis)

    def law(angle, radius):
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        shifted = np.exp(-((plane[0] - x) ** 2 + (plane[1] - y) ** 2) / (2 * sigma**2))
        centered = np.exp(-(plane[0] ** 2 + plane[1] ** 2) / (2 * sigma**2))
        return ((1 - q) * centered + q * shifted) * step**2 / (2 * np.pi * sigma**2)

    one = replaced(gaussian_mechanism(sigma="4/5"), Exact("3/10"))
    for epsilon in ("0", "1/2", "-1/2"):
        bound = float(enclosure(one.delta(Epsilon.rational(epsilon)), relative_bits=50).upper)
        gamma = np.exp(float(Fraction(epsilon)))
        for angle, first, second in itertools.product((0, 1, 2, np.pi), (1, 0.5), (1, 0.5, 0)):
            found = np.maximum(law(0, first) - gamma * law(angle, second), 0).sum()
            assert found <= bound * (1 + 3e-3)
            if angle == np.pi and first == second == 1:
                assert found >= bound * (1 - 3e-3)


def test_the_largest_loss_of_laplace_noise():
    for kind in (replaced, fixed_size):
        one = kind(LAPLACE, RATE)
        top = one.max_divergence()
        assert one.delta(top) == 0
        assert one.delta(top + Epsilon.rational("-1/1000"), relative_width="1e-6").lower > 0
        assert compose([(one, 3)]).delta(3 * top + Epsilon.rational("1/100")).upper == 0
        assert kind(GAUSSIAN, RATE).max_divergence().is_infinite


@pytest.mark.parametrize("order", ["1/2", "2", "5"])
@EACH
def test_renyi_divergences_are_integrals(kind, noise, order):
    with mpmath.workdps(20):
        q, a = mp.mpf(1) / 5, mpf_of(order)

        def pair(x):
            p = (1 - q) * density(noise, x) + q * density(noise, x - (2 if half else 4))
            return p, ((1 - q) * density(noise, x) + q * density(noise, x + 2)
                       if half else density(noise, x))  # fmt: skip

        def both(x):
            p, r = pair(x)
            return p**a * r ** (1 - a) + r**a * p ** (1 - a)

        half = kind is replaced
        moment = mp.quad(both, [0 if half else 2, 2, 4, 8, 16, 32, 90, 250])
        if not half:
            moment += (1 - q) * (1 - 2 * above(noise, 2))
        truth = mp.log(moment) / (a - 1)
        assert_contains(kind(noise, RATE).renyi(order, relative_width="1e-9"), truth, slack="1e-10")


SETTINGS = {"neighbors": "substitution", "batches": "fixed_size"}


def test_calibration_is_on_the_safe_side():
    at, target, kind = Epsilon.rational(2), Fraction(1, 10**5), {"neighbors": "substitution"}
    budget = {"epsilon": at, "delta": target}
    sigma = dp_sgd_noise_multiplier(at, target, sampling_probability="1/100", steps=1, **kind)
    sides = [
        replaced(gaussian_mechanism(sigma=s), Exact("1/100")) for s in (sigma.lower, sigma.upper)
    ]
    below, above = (one.delta(at, relative_width="1e-9") for one in sides)
    assert above.upper <= target < below.lower
    for batches in ("poisson", "fixed_size"):  # of all records, which are twice as far apart
        steps = calibrated(
            dp_sgd, **budget, noise_multiplier=40, sampling_probability=1, batches=batches, **kind
        )
        assert steps == calibrated(dp_sgd, **budget, noise_multiplier=20, sampling_probability=1)
    rate = calibrated(dp_sgd, **budget, noise_multiplier=2, steps=1, batches="fixed_size", **kind)
    one = fixed_size(gaussian_mechanism(sigma=2), Exact(rate.lower))
    assert one.delta(at, relative_width="1e-9").upper <= target
    assert fixed_size(gaussian_mechanism(sigma=2), Exact(rate.upper)).delta(
        at, relative_width="1e-9"
    ).lower > target  # fmt: skip


def test_all_records_or_none():
    for batches in ("poisson", "fixed_size"):
        kinds = {"neighbors": "substitution", "batches": batches}
        assert dp_sgd(noise_multiplier=1, sampling_probability=0, steps=10**9, **kinds).epsilon(
            "1e-9"
        ) == Epsilon.rational(0)
        whole = sampled(gaussian_mechanism(sigma=1), sampling_probability=1, **kinds)
        assert whole == gaussian_mechanism(sigma=1, sensitivity=2)


def test_familiar_names_and_what_is_open():
    one = CertifiedPLD.from_gaussian_mechanism(2, sampling_prob="1/100", **SETTINGS)
    steps = one.compose(one).self_compose(100)
    assert steps.parts[0][1] == 200 and len(steps.profiles) == 1
    assert "upper bound" in steps.note
    assert (
        dp_sgd(noise_multiplier=2, sampling_probability="1/100", steps=200, **SETTINGS).note
        == steps.note
    )
    exact = CertifiedPLD.from_laplace_mechanism(9, sampling_prob="1/9", neighbors="substitution")
    assert exact.note is None and exact.self_compose(50).note is None


def test_a_fixed_size_lies_above_its_lower_bound():
    one = fixed_size(gaussian_mechanism(sigma=1), Exact("1/100"))
    removing, fixed = (
        compose([(part, 1000)]).epsilon("1e-5", relative_width="1e-3")
        for part in (one.removing, one)
    )
    assert 13.3 < removing.lower < removing.upper < 13.6
    assert 14.7 < fixed.upper < 15  # what dominates; below, neighbors who remove a record
    most = removing.upper * Fraction(101, 100)
    assert removing.lower <= fixed.lower * Fraction(1001, 1000) <= most
    assert fixed.lower_by.endswith("a record unlike all others, and one like them in its place")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"batches": "fixed_size"}, 'Pass neighbors="substitution"'),
        ({"neighbors": "replace"}, 'Pass "add_or_remove" or "substitution"'),
        ({"neighbors": "substitution", "batches": "all"}, 'Pass one of "poisson", "fixed_size", '),
        (
            {"neighbors": "substitution", "sampling_probability": "6/5"},
            "sampling_probability=6/5 is not a probability",
        ),
    ],
)
def test_refusals(settings, words):
    with pytest.raises(DomainError, match=words):
        dp_sgd(**({"noise_multiplier": 1, "sampling_probability": "1/2", "steps": 1} | settings))


def test_only_noise_is_sampled():
    with pytest.raises(DomainError, match="is not Gaussian, Laplace, integer or log-concave noise"):
        sampled(Pair.from_masses([1], [1]), sampling_probability="1/2", neighbors="substitution")
