"""Random allocation: finite pairs against all choices and outputs, noise against integrals."""

from fractions import Fraction
from itertools import combinations, product
from math import prod

import mpmath
import numpy as np
import pytest

from exactdp.accounting import compose
from exactdp.divergences import Pair
from exactdp.divergences.worst import Named, Sandwich
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    skellam_mechanism,
    smallest_sigma,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    HiddenVictim,
    NoiseAllocation,
    allocated_scale,
    allocation,
    random_allocation,
)
from exactdp.shuffle.at_scale.hiding import Hidden
from tests.routes.noise import gaussian_delta
from tests.routes.reals import mpf_of

nats, ln = Epsilon.rational, Epsilon.log
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
HOLE = Pair.from_masses(["1/2", "1/4", "1/4", 0], ["1/4", "1/2", 0, "1/4"])
IN_E = Pair.from_masses([Exact.exp(-1), 1 - Exact.exp(-1)], [1 - Exact.exp(-1), Exact.exp(-1)])


def tuples(pair, t, k):
    """The laws of all t outputs in order, from the definition."""
    masses = pair.masses()
    choices = list(combinations(range(t), k))
    p, q = [], []
    for outputs in product(range(len(masses)), repeat=t):
        terms = (prod(masses[y][i not in s] for i, y in enumerate(outputs)) for s in choices)
        p.append(sum(terms, Exact(0)) / len(choices))
        q.append(prod(masses[y][1] for y in outputs))
    return Pair.from_masses(p, q)


@pytest.mark.parametrize("epsilon", [ln(1), ln("3/2"), nats("1/2")])
@pytest.mark.parametrize("is_added", [False, True])
def test_discrete_laplace_noise_is_allocated_as_its_two_losses(epsilon, is_added):
    two = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"])
    noise = discrete_laplace_mechanism(rate=ln(2))
    found, known = (random_allocation(one, steps=3) for one in (noise, two))
    if is_added:
        found, known = found.reversed(), known.reversed()
    ends = found.delta(epsilon, relative_width="1e-2")
    assert ends.contains(known.delta(epsilon))
    assert ends.width <= ends.lower / 100


@pytest.mark.parametrize("epsilon", [ln(1), ln("3/2"), ln(4), ln("1/2"), nats("1/3")])
@pytest.mark.parametrize(("t", "k"), [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 4)])
@pytest.mark.parametrize("pair", [COIN, HOLE, IN_E])
def test_finite_pairs_are_all_tuples_of_outputs(pair, t, k, epsilon):
    found, truth = random_allocation(pair, steps=t, chosen=k), tuples(pair, t, k)
    assert found.delta(epsilon) == truth.delta(epsilon)
    assert found.reversed().delta(epsilon) == truth.reversed().delta(epsilon)
    assert found.max_divergence() == truth.max_divergence()


def test_all_steps_chosen_is_composition_and_many_steps_are_enclosed():
    all_of_9 = random_allocation(COIN, steps=9, chosen=9)
    assert all_of_9.losses() == COIN.losses().self_compose(9)
    many = random_allocation(HOLE, steps=10**6)
    hidden = HiddenVictim(10**6, Hidden.of([(p, q, q) for p, q in HOLE.masses()]))
    assert many.delta(nats("1/100")).lower > Fraction(1, 4)
    assert many.delta(nats("1/100")) == hidden.delta(nats("1/100"))


def two_steps(noise, gamma, *, adds):
    """E max(0, W + W' − 2γ)/2 over W, the mean over W' being δ of one step; or reversed."""
    scale = mpf_of(noise.sigma.as_fraction())
    value = lambda x: mpmath.exp((x - 1 / (2 * scale)) / scale)  # noqa: E731

    def inner(x):
        rest = 2 * gamma - value(x)
        if adds:
            rest = 2 / gamma - value(x)
            if rest <= 0:
                return mpmath.mpf(0)
        elif rest <= 0:
            return 1 - rest
        over = gaussian_delta(scale, mpmath.log(rest))
        return gamma * (over + rest - 1) if adds else over

    kink = scale * mpmath.log(2 / gamma if adds else 2 * gamma) + 1 / (2 * scale)
    ends = sorted([-12, -6, -2, 0, kink, 2, 6, 12])
    return mpmath.quad(lambda x: mpmath.npdf(x) * inner(x), ends) / 2


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize(("sigma", "epsilon"), [("1", "1/2"), ("2", "1/4"), ("3/4", "2")])
def test_two_gaussian_steps_against_an_integral(sigma, epsilon, adds):
    noise = gaussian_mechanism(sigma=sigma)
    found = random_allocation(noise, steps=2)
    found = (found.reversed() if adds else found).delta(nats(epsilon))
    with mpmath.workdps(20):
        truth = two_steps(noise, mpmath.exp(mpf_of(epsilon)), adds=adds)
    assert found.lower <= Fraction(str(truth)) <= found.upper <= found.lower * Fraction("1.01")


@pytest.mark.parametrize("noise", [gaussian_mechanism(sigma=1), laplace_mechanism(scale=1)])
def test_one_step_is_the_noise_itself(noise):
    one = NoiseAllocation(noise, 1)
    for epsilon in ("1/2", "-1/2"):
        for found in (one.delta(nats(epsilon)), one.reversed().delta(nats(epsilon))):
            truth = noise.delta(nats(epsilon), relative_width="1e-40")
            assert found.lower <= truth.lower and truth.upper <= found.upper
            assert found.upper <= found.lower * Fraction("1.011")
    assert one.max_divergence() == noise.max_divergence()
    assert random_allocation(noise, steps=1) == noise


@pytest.mark.parametrize("both", [False, True])
def test_the_smallest_sigma_of_two_steps_against_an_integral(both):
    """δ of the integral is above the target at the lower end and below it at the upper one."""
    asked = {"steps": 2, "both_directions": both, "relative_width": "1/50"}
    found = allocated_scale(lambda s: gaussian_mechanism(sigma=s), nats("1/2"), "1/50", **asked)
    assert found.lower < found.upper <= found.lower * Fraction("1.02")
    with mpmath.workdps(20):
        for sigma, is_met in ((found.lower, False), (found.upper, True)):
            noise, gamma = gaussian_mechanism(sigma=sigma), mpmath.exp(mpmath.mpf(1) / 2)
            sides = (two_steps(noise, gamma, adds=adds) for adds in (False, True)[: 1 + both])
            assert (max(sides) <= mpmath.mpf(1) / 50) == is_met


@pytest.mark.parametrize(("t", "k"), [(1, 1), (2, 1), (4, 2), (5, 5)])
@pytest.mark.parametrize("pair", [COIN, HOLE])
def test_no_scale_below_the_start_of_the_search_would_do(pair, t, k):
    """δ of k of t steps at ε is at least that of one step at ε + ln t."""
    found = random_allocation(pair, steps=t, chosen=k)
    for epsilon in (ln(1), ln("3/2"), ln(2)):
        assert found.delta(epsilon) >= pair.delta(epsilon + ln(t))


def test_the_smallest_scale_of_finite_steps_meets_the_target_and_less_does_not():
    law = lambda scale: discrete_laplace_mechanism(scale=scale).pair()  # noqa: E731
    found = allocated_scale(law, nats(1), "1/1000", steps=3, relative_width="1e-6")
    for scale, is_met in ((found.lower, False), (found.upper, True)):
        both = tuples(law(scale), 3, 1).both_directions()
        delta = both.delta(nats(1), relative_width="1e-9")
        assert (delta.upper <= Fraction(1, 1000), Fraction(1, 1000) < delta.lower) == (
            is_met,
            not is_met,
        )


@pytest.mark.parametrize("both", [False, True])
def test_the_smallest_scale_in_closed_form(both):
    """Q = (1 − 3r/4, 3r/4), r = s/(1 + s), against P = (1/4, 3/4): adding needs a larger s."""

    def law(scale):
        second = Fraction(3, 4) * scale / (1 + scale)
        return Pair.from_masses(["1/4", "3/4"], [1 - second, second])

    found = allocated_scale(
        law, nats(1), "1/100", steps=1, both_directions=both, relative_width="1e-6"
    )
    r = (0.99 - mpmath.e / 4) / 0.75 if both else 0.74 / (0.75 * mpmath.e)
    assert found.lower < Fraction(str(r / (1 - r))) < found.upper


def test_the_smallest_sigma_between_bounds_fails_below_and_holds_above(monkeypatch):
    def bounds(noise, *, steps, chosen):
        less = gaussian_mechanism(sigma=noise.sigma * Exact("10/9"))
        return Sandwich((Named("less", less),), (Named("more", noise),))

    monkeypatch.setattr(allocation, "random_allocation", bounds)
    found = allocated_scale(
        lambda s: gaussian_mechanism(sigma=s),
        nats(1),
        "1/100",
        steps=2,
        chosen=2,
        relative_width="1e-3",
    )
    truth = smallest_sigma(nats(1), "1/100").lower
    assert truth * Fraction("0.899") < found.lower < truth * Fraction("0.9")
    assert truth < found.upper < truth * Fraction("1.001")
    assert found.lower_by == "a lower bound on delta"


def test_many_gaussian_steps_amplify():
    """Against doubles: the law of the sum on a fine grid, cut far out."""
    found = random_allocation(gaussian_mechanism(sigma=2), steps=30).delta(nats("1/5"))
    h, n = 2e-3, 1 << 17
    x = (np.log((np.arange(n) + 0.5) * h) + 1 / 8) * 2
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * 2 / ((np.arange(n) + 0.5) * h)
    law = np.fft.ifft(np.fft.fft(density * h) ** 30).real
    total = (np.arange(n) + 15) * h
    truth = float(np.sum(law * np.maximum(0, total - 30 * np.exp(0.2)))) / 30
    assert float(found.lower) * 0.999 < truth < float(found.upper) * 1.001


def epochs_of_two_steps(sigma, gamma, *, adds):
    """δ of two epochs of two Gaussian steps, by trapezes over the histogram's likelihood ratio.

    An epoch has the ratio R = (W + W')/2 of two steps; two have R·R', whose law is a sum of logs.
    """
    x = np.linspace(-9, 9, 721)
    mass = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    w = np.exp((x - 1 / (2 * sigma)) / sigma)
    losses = np.log((w[:, None] + w[None, :]) / 2).reshape(-1)
    masses = (mass[:, None] * mass[None, :]).reshape(-1)
    h, low = 2e-3, losses.min()
    place = (losses - low) / h
    cell = np.floor(place).astype(int)
    law = np.bincount(cell, masses * (cell + 1 - place), cell.max() + 2)
    law += np.bincount(cell + 1, masses * (place - cell), cell.max() + 2)
    both = np.fft.irfft(np.fft.rfft(law, 2 * len(law)) ** 2, 2 * len(law))
    ratio = np.exp(2 * low + h * np.arange(2 * len(law)))
    over = 1 - gamma * ratio if adds else ratio - gamma
    return float(np.sum(both * np.maximum(0, over)))


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize(("sigma", "epsilon"), [("1", 1), ("2", "1/2")])
def test_two_epochs_of_two_gaussian_steps_against_a_grid_of_all_outputs(sigma, epsilon, adds):
    noise = gaussian_mechanism(sigma=sigma)
    profile = compose([(random_allocation(noise, steps=2), 2)])
    profile = profile.reversed() if adds else profile
    found = profile.delta(nats(epsilon), relative_width="1e-2")
    gamma = float(np.exp(float(Fraction(epsilon))))
    truth = epochs_of_two_steps(float(Fraction(sigma)), gamma, adds=adds)
    assert float(found.lower) * (1 - 1e-4) < truth < float(found.upper) * (1 + 1e-4)


@pytest.mark.parametrize(
    ("noise", "steps", "epochs"),
    [
        (gaussian_mechanism(sigma=1), 100, 10),
        (gaussian_mechanism(sigma=2), 100, 300),
        (laplace_mechanism(scale=1), 20, 10),
    ],
)
def test_many_epochs_are_told_to_a_hundredth(noise, steps, epochs):
    one = random_allocation(noise, steps=steps)
    found = compose([(one, epochs)]).epsilon("1e-6", relative_width="1e-2")
    assert 0 < found.lower < found.upper <= found.lower * Fraction("1.01")


@pytest.mark.parametrize("gamma", ["1", "12", "60"])
def test_steps_on_a_lattice_are_below_and_above_the_noise_at_every_ratio(gamma):
    noise, rest = gaussian_mechanism(sigma="1/2"), Fraction(1, 2**44)
    allocation = NoiseAllocation(noise, 100)
    below, above = (one.pair for one in allocation.around(Exact(gamma), 6, rest))
    step, top = allocation._grid(Exact(gamma), 6)
    ratios = [step * k / 3 for k in range(1, 40)] + [Fraction(1, 9), below.origin + step]
    ratios += [top * k / 20 for k in range(1, 20)]
    for ratio in (x for x in ratios if x < top):
        truth = noise.delta(ln(ratio), relative_width="1e-20")
        low, high = (
            one.infinity_mass
            + sum(m * max(0, one.origin + i * one.step - ratio) for i, m in one.masses)
            for one in (below, above)
        )
        assert low <= truth.upper
        assert truth.lower <= high
    assert below.infinity_mass > 0
    assert all(sum(mass for _, mass in one.masses) == 1 for one in (below, above))


@pytest.mark.parametrize(
    ("sigma", "steps", "gammas"),
    [("1/2", 100, ("1", "5/4", "3", "12", "60")), ("1", 100, ("1", "3")), ("4", 50, ("1", "5/4"))],
)
def test_coarse_lattices_far_out_contain_what_fine_ones_say(sigma, steps, gammas):
    """The lattice of a γ is as coarse as it may be; a finer one is between its ends."""
    allocation = random_allocation(gaussian_mechanism(sigma=sigma), steps=steps)
    rest, width = Fraction(1, 2**44), Fraction(1, 10**6)
    for one, gamma in product((allocation, allocation.reversed()), map(Exact, gammas[:2])):
        _assert_nested(one, gamma, rest, width)
    for gamma in map(Exact, gammas[2:]):
        _assert_nested(allocation, gamma, rest, width)


def _assert_nested(allocation, gamma, rest, width):
    (low, high), (lower, higher) = (
        [side.delta_above(gamma, width) for side in allocation.around(gamma, cells, rest)]
        for cells in (6, 24)
    )
    assert low.lower <= lower.upper
    assert lower.lower <= higher.upper
    assert higher.lower <= high.upper + rest
    assert higher.upper - lower.lower < high.upper - low.lower


def test_what_is_too_large_has_a_bound_by_one_known_step():
    one = random_allocation(gaussian_mechanism(sigma="1/10"), steps=100)
    with pytest.raises(TooLargeError, match="Take more noise"):
        one.epsilon("1e-6", relative_width="1e-3")
    found = one.epsilon("1e-6")
    known = gaussian_mechanism(sigma="1/10").epsilon("1e-6", relative_width="1e-6")
    assert (found.lower, found.upper_by) == (0, "looser: one step, known which")
    assert known.lower < found.upper < known.lower * Fraction("1.02")


def test_two_of_three_gaussian_steps_lie_between_named_bounds():
    profile = random_allocation(gaussian_mechanism(sigma=1), steps=3, chosen=2)
    x = np.linspace(-8, 9, 171)
    mass = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    w, gamma = np.exp(x - 1 / 2), np.exp(0.5)
    a, b, c = w[:, None, None], w[None, :, None], w[None, None, :]
    ratio = (a * b + b * c + c * a) / 3
    for one, over in ((profile, ratio - gamma), (profile.reversed(), 1 - gamma * ratio)):
        found, over = one.delta(nats("1/2")), np.maximum(0, over)
        truth = float(np.einsum("i,j,k,ijk", mass, mass, mass, over, optimize=True))
        assert float(found.lower) * 0.999 < truth < float(found.upper) * 1.001
        assert found.upper < found.lower * Fraction("1.1")
        assert "below the noise" in found.lower_by and "above the noise" in found.upper_by


def test_laplace_steps_have_a_largest_loss():
    found = random_allocation(laplace_mechanism(scale=2), steps=3)
    assert found.delta(nats("1/2")).upper == 0
    assert found.delta(nats("1/4")).lower > 0


def test_what_has_no_allocation_is_refused():
    with pytest.raises(DomainError, match="chosen=3 is more than steps=2"):
        random_allocation(COIN, steps=2, chosen=3)
    with pytest.raises(DomainError, match="neither a finite pair"):
        random_allocation(random_allocation(gaussian_mechanism(sigma=1), steps=4), steps=4)
    with pytest.raises(TooLargeError):
        random_allocation(HOLE, steps=10**4, chosen=2)


def test_the_divergence_of_a_known_step_bounds_that_of_an_allocation():
    """D_2 of two steps is ln((e^(1/σ²) + 1)/2), as E W² = e^(1/σ²)."""
    one = random_allocation(gaussian_mechanism(sigma=2), steps=2)
    bound = one.renyi_bound(Fraction(2), width=Fraction(1, 1000))
    truth = mpmath.log((mpmath.exp(mpmath.mpf(1) / 4) + 1) / 2)
    assert truth < mpf_of(bound) < mpmath.mpf("0.26")
    # The other direction, by its δ: losses of Laplace noise are bounded.
    added = random_allocation(laplace_mechanism(scale=2), steps=2).reversed()
    found = added.renyi(2, relative_width="1e-2")
    assert found.upper <= added.renyi_bound(Fraction(2), width=Fraction(1, 1000))


def test_so_little_noise_that_ratios_are_too_many_has_a_bound_with_a_name():
    noise = gaussian_mechanism(sigma="1/10")
    one = random_allocation(noise, steps=100)
    assert one.delta(Epsilon.rational(2)).upper_by == "looser: one step, known which"
    assert one.epsilon("1e-6").upper_by == "looser: one step, known which"
    both = compose([(one, 2)]).epsilon("1e-6")
    assert both.upper_by.startswith("looser: the Rényi bound of order ")
    known = compose([(noise, 2)]).epsilon("1e-6", relative_width="1e-3")
    assert known.upper <= both.upper < known.upper * Fraction("1.2")
    with pytest.raises(TooLargeError, match="Take more noise"):
        one.delta(Epsilon.rational(2), relative_width="1e-2")


@pytest.mark.parametrize("ratio", ["1", "6/5", "4/5"])
def test_one_of_two_steps_with_skellam_noise_is_a_sum_over_their_integers(ratio):
    with mpmath.workdps(30):
        gamma = mpmath.mpf(Fraction(ratio).numerator) / Fraction(ratio).denominator
        places = range(-40, 41)
        f = {k: mpmath.exp(-4) * mpmath.besseli(abs(k), 4) for k in range(-41, 42)}
        ratios = {k: f[k] / f[k - 1] for k in places}
        terms = (
            f[a - 1] * f[b - 1] * max(0, (ratios[a] + ratios[b]) / 2 - gamma)
            for a in places
            for b in places
        )
        truth = Fraction(mpmath.nstr(mpmath.fsum(terms), 25))
    one = random_allocation(skellam_mechanism(variance=4), steps=2)
    found = one.delta(Epsilon.log(ratio), relative_width="1e-3")
    assert found.lower <= truth * (1 + Fraction(1, 10**15))
    assert truth <= found.upper * (1 + Fraction(1, 10**15))
