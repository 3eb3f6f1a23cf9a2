"""Shuffled reports with noise: both ends from the definition, and the victim's worst inputs."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism, tree_aggregation
from exactdp.numbers import Epsilon, Exact, sqrt
from exactdp.shuffle import random_allocation, shuffle_worst_case
from exactdp.shuffle.noise_reports import NoiseBlanket, bounds_below

LAPLACE, GAUSS = laplace_mechanism(scale=1), gaussian_mechanism(sigma=1)
POINTS = (np.arange(24_000) + 0.5) / 24_000 * 24 - 11.5
STEP = 24 / 24_000


def nats(text):
    return Epsilon.rational(text)


def densities(noise):
    """Return the density of a report of x at the points, and at those of every 16th place."""
    if noise is LAPLACE:
        return lambda x, at=POINTS: np.exp(-np.abs(at - x)) / 2
    return lambda x, at=POINTS: np.exp(-((at - x) ** 2) / 2) / np.sqrt(2 * np.pi)


def mean_positive(values, masses, thresholds):
    """Return E max(0, X − c) for many c."""
    order = np.argsort(values)
    values, masses = values[order], masses[order]
    mass = np.append(np.cumsum(masses[::-1])[::-1], 0)
    mean = np.append(np.cumsum((masses * values)[::-1])[::-1], 0)
    place = np.searchsorted(values, thresholds)
    return mean[place] - thresholds * mass[place]


def blanket_of_two(noise, gamma, x, y):
    """Return E max(0, Z_1 + Z_2)/2 from its definition, for a victim with x or y."""
    g = densities(noise)
    least = np.minimum(g(0), g(1))
    values = np.append((g(x) - gamma * g(y)) / least, 0)
    masses = np.append(least, (1 - STEP * least.sum()) / STEP) * STEP
    return float((masses * mean_positive(values, masses, -values)).sum() / 2)


def view_of_two(noise, gamma, x, y, z):
    """Return δ of the two reports of a victim with x or y, and another with z."""
    at = POINTS[8::16]
    width, g = 16 * STEP, densities(noise)
    p, q, r = g(x, at), g(y, at), g(z, at)
    with_p, with_q = (np.outer(one, r) + np.outer(r, one) for one in (p, q))
    return float(np.maximum(0, with_p - gamma * with_q).sum() * width**2 / 2)


def mean_of_three(values, masses):
    """Return E max(0, X_1 + X_2 + X_3)/3."""
    pairs = np.add.outer(values, values)
    found = mean_positive(values, masses, -pairs.ravel()).reshape(pairs.shape)
    return float(masses @ found @ masses / 3)


@pytest.mark.parametrize("noise", [LAPLACE, GAUSS])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "4/5"])
def test_one_report_alone_is_the_noise(noise, epsilon):
    truth = noise.delta(nats(epsilon), relative_width="1e-12")
    found = shuffle_worst_case(1, noise).delta(nats(epsilon))
    assert found.lower <= truth.lower and truth.upper <= found.upper
    assert found.width * 500 <= found.lower
    blanket = NoiseBlanket(noise, 1).delta(nats(epsilon), relative_width="1e-3").upper
    assert truth.lower <= blanket <= truth.upper * Fraction("1.01")


@pytest.mark.parametrize("noise", [LAPLACE, GAUSS])
@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "4/5"])
def test_both_ends_for_two_reports_from_the_definition(noise, epsilon):
    found = shuffle_worst_case(2, noise).delta(nats(epsilon), relative_width="1e-3")
    gamma = np.exp(float(Fraction(epsilon)))
    views = [view_of_two(noise, gamma, 0, 1, z) for z in (0, 1)]
    assert max(views) == pytest.approx(float(found.lower), rel=2e-3)
    blanket = blanket_of_two(noise, gamma, 0, 1)
    assert float(found.upper) * (1 + 1e-4) >= blanket
    assert blanket == pytest.approx(float(found.upper), rel=5e-3)
    for x, y, z in [(0, 1, 0.5), (0.2, 0.9, 0), (0.5, 1, 1), (0.6, 0.1, 0.3)]:
        assert view_of_two(noise, gamma, x, y, z) <= float(found.upper)


@pytest.mark.parametrize(("noise", "epsilon"), [(LAPLACE, "1/2"), (GAUSS, "1")])
def test_both_ends_for_three_reports_from_the_definition(noise, epsilon):
    found = shuffle_worst_case(3, noise).delta(nats(epsilon), relative_width="1e-3")
    at, gamma = POINTS[8::16], np.exp(float(Fraction(epsilon)))
    p, q = (densities(noise)(x, at) for x in (0, 1))
    least = np.minimum(p, q)
    on_first, on_second = (mean_of_three((p - gamma * q) / m, m * 16 * STEP) for m in (p, q))
    assert max(on_first, on_second) == pytest.approx(float(found.lower), rel=5e-3)
    values = np.append((p - gamma * q) / least, 0)
    masses = np.append(least * 16 * STEP, 1 - 16 * STEP * least.sum())
    assert mean_of_three(values, masses) == pytest.approx(float(found.upper), rel=1e-2)


@pytest.mark.parametrize("noise", [LAPLACE, GAUSS])
def test_no_inputs_are_worse_than_both_ends(noise):
    """∫ max(0, g_x − γ g_y − c m) is largest for 0 and 1, for every c: what the bound rests on."""
    g = densities(noise)
    least = np.minimum(g(0), g(1))
    for gamma in (1, 1.3, 2.2, 5):
        for c in (-6, -2, -0.7, -0.2, 0, 0.3, 1, 2.5):
            most = np.maximum(0, g(0) - gamma * g(1) - c * least).sum() * STEP
            for x in np.linspace(0, 1, 6):
                for y in np.linspace(0, 1, 6):
                    one = np.maximum(0, g(x) - gamma * g(y) - c * least).sum() * STEP
                    assert one <= most + 1e-6


def test_epsilon_and_delta_agree_in_the_tails():
    for noise, n, delta in [(LAPLACE, 300, "1e-20"), (GAUSS, 8, "1e-4")]:
        worst = shuffle_worst_case(n, noise)
        found = worst.epsilon(delta, relative_width="1e-2")
        assert 0 < found.lower < found.upper < 1.5 * found.lower
        low, high = (
            worst.delta(nats(end), relative_width="1e-2") for end in (found.lower, found.upper)
        )
        assert low.upper >= Fraction(delta) >= high.lower
        assert high.upper <= Fraction(delta) * Fraction("1.05")


def test_more_users_hide_more_and_one_report_is_a_bound():
    found = [shuffle_worst_case(n, LAPLACE).delta(nats("1/4")) for n in (1, 4, 16)]
    assert all(after.upper < before.lower for before, after in pairwise(found))


def test_the_finite_pair_below_many_users_is_below_and_near():
    n = 1_001
    (view,) = bounds_below(n, LAPLACE)
    assert "finite pair" in view.words
    exact = random_allocation(LAPLACE, steps=n).both_directions()
    low = view.profile.delta(nats("1/10"), relative_width="1e-3")
    high = exact.delta(nats("1/10"), relative_width="1e-2")
    assert low.lower <= high.upper
    assert low.lower >= Fraction("0.93") * high.lower


def test_the_blanket_is_the_same_on_a_lattice_and_by_its_transform():
    lattice, transform = (NoiseBlanket(LAPLACE, n) for n in (3_000, 3_001))
    for epsilon in ("0", "1/20"):
        one, other = (x.delta(nats(epsilon), relative_width="1e-3") for x in (lattice, transform))
        assert float(one.upper) == pytest.approx(float(other.upper), rel=1e-2)


def test_the_sensitivity_is_the_length_of_the_interval():
    wide = laplace_mechanism(scale=3, sensitivity=3)
    ask = {"epsilon": nats("1/4"), "relative_width": "1e-2"}
    assert shuffle_worst_case(5, wide).delta(**ask) == shuffle_worst_case(5, LAPLACE).delta(**ask)


def test_the_largest_loss_is_that_of_one_report():
    assert shuffle_worst_case(9, LAPLACE).max_divergence() == Epsilon.rational(1)
    assert shuffle_worst_case(9, GAUSS).max_divergence().is_infinite
    assert shuffle_worst_case(9, GAUSS).infinity_mass() == Exact(0)
    assert shuffle_worst_case(9, LAPLACE).delta(Epsilon.rational(1)).upper == 0


def test_clones_of_laplace_noise_are_published_and_those_of_gaussian_noise_are_not():
    published = shuffle_worst_case(100, LAPLACE).published("1e-4", relative_width="1e-2")
    blanket, clones, _ = (one.epsilon for one in published)
    assert blanket.upper < clones.lower
    with pytest.raises(DomainError, match="local epsilon is infinite"):
        shuffle_worst_case(100, GAUSS).published("1e-4")


@pytest.mark.parametrize("n", [3, 10**5])
@pytest.mark.parametrize(
    "noise",
    [
        gaussian_mechanism(sigma="1/1000"),
        laplace_mechanism(scale="1/100"),
        laplace_mechanism(scale=10**9),
        gaussian_mechanism(sigma=10**15),
    ],
)
def test_extreme_noise_has_both_ends_too(noise, n):
    found = shuffle_worst_case(n, noise).epsilon("1e-6", relative_width="1e-1")
    alone = noise.epsilon("1e-6", relative_width="1e-1")
    assert 0 <= found.lower <= found.upper <= alone.upper


def test_noise_with_a_real_scale_is_asked_and_a_stream_of_many_users_is_refused():
    found = shuffle_worst_case(2, laplace_mechanism(scale=sqrt(Exact(2))))
    assert found.delta(nats("1/4"), relative_width="1e-1").lower > 0
    with pytest.raises(DomainError, match="steps of many users"):
        shuffle_worst_case(2, tree_aggregation(steps=4, sigma=1))
