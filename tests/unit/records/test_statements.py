"""Records and preprints by other routes: doubles, brute force, another theorem."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from exactdp.auditing import TradeOffRun
from exactdp.claims import Effort, value
from exactdp.numbers import Exact
from proofs_check.records import (
    analytic_gaussian,
    bis_accountant,
    census_configs,
    decompositions,
    one_run,
    ppm_draft,
    random_batches,
    shvets2026,
    trainings,
)


def cdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian(epsilon, sigma):
    left, right = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    return cdf(left) - math.exp(epsilon) * cdf(right)


def number(found):
    exact = value(found)
    return float(exact if isinstance(exact, Exact) else exact.ball(128).mid())


@pytest.mark.parametrize("row", range(3))
def test_two_bins_with_discrete_noise_by_all_pairs_of_sums(row):
    epsilon, sigma = (float(ppm_draft.AGGREGATOR[row][i]) for i in (0, 1))
    most = int(9 * sigma)
    law = np.exp(-(np.arange(-most, most + 1) ** 2) / (2 * sigma**2))
    law /= law.sum()
    moved, still = np.append(0, law), np.append(law, 0)
    p, q = np.outer(moved, still), np.outer(still, moved)
    delta = np.maximum(0, p - math.exp(epsilon) * q).sum()
    claimed = ppm_draft.discrete(*(Fraction(ppm_draft.AGGREGATOR[row][i]) for i in (0, 1)))
    assert number(claimed.left) == pytest.approx(delta, rel=1e-5)
    assert (delta > 1e-9) == (row == 0) == (gaussian(epsilon, sigma / math.sqrt(2)) > 1e-9)


def test_the_clients_first_row_by_two_binomials():
    p, n, epsilon = 1 / (math.exp(5) + 1), ppm_draft.CLIENTS, 0.317
    counts = np.arange(1, 1200)
    logs = [math.lgamma(n) - math.lgamma(i + 1) - math.lgamma(n - i) for i in counts]
    others = np.exp(logs + counts * math.log(p) + (n - 1 - counts) * math.log1p(-p))
    with_it = (1 - p) * others[:-1] + p * others[1:]
    without = p * others[:-1] + (1 - p) * others[1:]
    told = np.outer(with_it, without) - math.exp(epsilon) * np.outer(without, with_it)
    found = ppm_draft.bits(Fraction(5), 0).delta(epsilon, relative_width="1/10")
    assert float(found.lower) <= np.maximum(0, told).sum() <= float(found.upper) < 1e-9


def test_a_debiased_sum_of_bits_that_are_flipped():
    bits, p = [1, 0, 0, 1, 1], Fraction(1, 4)
    laws = []
    for flips in product((0, 1), repeat=len(bits)):
        mass = math.prod((p if x else 1 - p for x in flips), start=Fraction(1))
        total = sum(b ^ x for b, x in zip(bits, flips, strict=True))
        laws.append((mass, (total * Fraction(4) - len(bits)) / 2))
    mean = sum(mass * x for mass, x in laws)
    assert mean == sum(bits)
    assert sum(mass * (x - mean) ** 2 for mass, x in laws) == len(bits) * Fraction(3, 4)


@pytest.mark.parametrize("cases", [analytic_gaussian.SMALL, analytic_gaussian.LARGE])
def test_what_the_program_returned_for_the_analytic_gaussian_mechanism(cases):
    for at in cases.instances(Effort.DEFAULT):
        true = gaussian(float(at["epsilon"]), float(at["answer"]))
        claimed = analytic_gaussian.calibrated(at["epsilon"], at["delta"], at["answer"])
        assert (true <= float(at["delta"])) == bool(claimed.holds())
        assert abs(true - float(at["delta"])) <= 1e-12


def test_the_shares_of_the_configurations_as_their_lines_print_them():
    levels = "104/4099, 1440/4099, 447/4099, 687/4099, 1256/4099, 165/4099"
    assert tuple(map(Fraction, levels.split(", "))) == census_configs.LEVELS
    us = "52/4097 26/4097 26/4097 26/4097 26/4097 130/4097 130/4097 26/4097 26/241 189/241"
    assert census_configs.QUERIES[0] == tuple(map(Fraction, us.split()))
    state = Fraction(10 * 999 - 999 + 3996, 10000)
    assert census_configs.DHC_STRATEGY[1] == state
    assert float(sum(census_configs.DHC_STRATEGY)) == pytest.approx(4.9622)


def renyi_epsilon(noise, rate, steps, delta):
    """The bound of Canonne, Kamath and Steinke by integer orders: another theorem."""
    found = []
    for order in range(2, 60):
        logs = [
            math.log(math.comb(order, k))
            + (order - k) * math.log1p(-rate)
            + k * math.log(rate)
            + k * (k - 1) / (2 * noise**2)
            for k in range(order + 1)
        ]
        largest = max(logs)
        moment = largest + math.log(math.fsum(math.exp(x - largest) for x in logs))
        rest = math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)
        found.append(steps * moment / (order - 1) + rest)
    return min(found)


def test_printed_epsilons_of_independent_batches_by_renyi_divergences():
    """Of removing a record; to a thousandth, as orders are integers here."""
    for cases, rate, each in (
        (trainings.TUTORIAL, 256 / 60000, 234),
        (trainings.OPACUS, 0.004, 250),
        (trainings.MOMENTS, 256 / 60000, 60000 / 256),
    ):
        for at in cases.instances(Effort.DEFAULT):
            steps = math.ceil(each * at["epochs"])
            bound = renyi_epsilon(float(at["noise"]), rate, steps, 1e-5)
            assert bound < float(at["epsilon"]) * 1.001


def test_one_shuffled_epoch_by_the_densities_of_its_sums():
    """The largest of 234 sums, without the normal distribution function's power: by a grid."""
    noise, factor, c = 1.12, math.e, 5.0
    grid = np.linspace(c, c + 12, 40001)

    def above(moved):
        others = np.array([cdf(x / noise) for x in grid]) ** 232
        one, other = (
            np.exp(-((grid - m) ** 2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi))
            for m in (moved, 0)
        )
        low, high = (np.array([cdf((x - m) / noise) for x in grid]) for m in (0, moved))
        return np.trapezoid(others * (one * low + 233 * other * high), grid)

    claimed = trainings.shuffled(Fraction("1.12"), 1, Fraction(1))
    assert number(claimed.left) == pytest.approx(above(2) - factor * above(1), rel=1e-4)


def test_a_moment_of_a_sampled_step_by_a_grid():
    noise, rate, order = 1.3, 256 / 60000, 3
    x = np.linspace(-20, 25, 200001)
    density = np.exp(-(x**2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi))
    ratio = 1 - rate + rate * np.exp((2 * x - 1) / (2 * noise**2))
    moment = np.trapezoid(density * ratio**order, x)
    claimed = trainings.moment(Fraction("1.3"), order, Fraction(227, 1000))
    expected = trainings.STEPS * math.log(moment) / (order - 1)
    assert number(claimed.left) == pytest.approx(expected, rel=1e-6)


def test_one_of_two_steps_beside_both_of_independent_ones_by_a_grid():
    noise, epsilon = 0.3, 1.0
    x = np.linspace(-2.5, 3.5, 601)
    plain, moved = (np.exp(-((x - m) ** 2) / (2 * noise**2)) for m in (0, 1))
    plain, moved = plain / plain.sum(), moved / moved.sum()
    without = np.outer(plain, plain)
    one = (np.outer(moved, plain) + np.outer(plain, moved)) / 2
    each = np.outer((plain + moved) / 2, (plain + moved) / 2)
    chosen, poisson = (np.maximum(0, p - math.exp(epsilon) * without).sum() for p in (one, each))
    claimed = random_batches.no_more(Fraction(3, 10), 2, Fraction(1))
    assert poisson <= 0.75 < number(claimed.left) <= chosen * 1.01


def test_the_limits_of_two_outputs_by_doubles():
    for n, off, low, high in ((10, 0.01, 0.010, 0.020), (30, 0.07, 0.065, 0.075)):
        p, q = (
            np.array(
                list(map(float, shvets2026.histogram(n, ones, Fraction(1, 4), Fraction(3, 4))))
            )
            for ones in (n // 2, n // 2 + 1)
        )
        constant = 4 / 3
        if off == 0.01:
            mean = (p + q) / 2
            true = (p * np.log(p / mean) + q * np.log(q / mean)).sum() / 2
            assert low < 1 - true * 8 * n / constant < high
            continue
        mu = math.sqrt(constant / n)
        true = np.maximum(0, p - math.exp(mu) * q).sum()
        limit = mu * (math.exp(-1 / 2) / math.sqrt(2 * math.pi) - cdf(-1))
        assert low < true / limit - 1 < high


def test_a_histogram_and_bounds_of_few_users_by_all_messages():
    p, q = Fraction(1, 5), Fraction(2, 3)
    found = [Fraction(0)] * 4
    for sent in product((0, 1), repeat=3):
        found[sum(sent)] += math.prod(
            (x if one else 1 - x for one, x in zip(sent, (p, p, q), strict=True)), start=Fraction(1)
        )
    assert shvets2026.histogram(3, 1, p, q) == found
    x, factor = Fraction(3), Fraction(3, 2)
    a, b, each = x / (x + 1), 1 / (x + 1), 1 / (2 * x)
    rows = [[a, b, 0], [b, a, 0], [each, each, 1 - 2 * each]]
    laws = [{}, {}]
    for sent in product(range(3), repeat=3):
        key = tuple(sorted(sent))
        others = rows[2][sent[1]] * rows[2][sent[2]]
        for law, row in zip(laws, rows, strict=False):
            law[key] = law.get(key, 0) + row[sent[0]] * others
    delta = sum(max(0, laws[0][key] - factor * laws[1][key]) for key in laws[0])
    assert value(decompositions.clones(3, x, factor, each)) == delta


def test_elementary_symmetric_polynomials_by_all_sets():
    assert bis_accountant.symmetric((Fraction(2), Fraction(3), Fraction(5)), 2) == 31


def test_the_bounds_of_three_values_by_all_messages():
    n, k, x, t = 3, 4, Fraction(3), Fraction(1)
    each, factor = 1 / (x + k - 1), math.exp(1 / math.sqrt(n))
    true, rest = x * each, (k - 2) * each
    deltas = []
    for third in ([each, each, rest, 1 - k * each], [each, each, rest + 1 - k * each, 0]):
        rows, laws = [[true, each, rest, 0], [each, true, rest, 0], third], [{}, {}]
        for sent in product(range(4), repeat=n):
            key, others = tuple(sorted(sent)), math.prod(third[one] for one in sent[1:])
            for law, row in zip(laws, rows, strict=False):
                law[key] = law.get(key, 0) + row[sent[0]] * others
        deltas.append(sum(max(0, laws[0][key] - factor * laws[1][key]) for key in laws[0]))
    claimed = decompositions.band(n, k, x, t)
    assert number(claimed.left) == pytest.approx(float(deltas[0] - deltas[1]), rel=1e-9)
    assert number(claimed.right) == pytest.approx(1 / (4 * n**1.5))


def test_blocks_that_are_sent_now_and_then_by_sums_of_losses():
    """Return the losses of removing a vector, on a grid of 1e-4, added by one transform."""
    noise, rate, blocks, epsilon = 4.22 * 1.01 / 4, 1 / 64, 256, 1.0
    x, step, size = np.linspace(-12, 14, 260001), 1e-4, 1 << 18
    density = np.exp(-(x**2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi)) * (x[1] - x[0])
    ratio = 1 - rate + rate * np.exp((2 * x - 1) / (2 * noise**2))
    places = np.round(np.log(ratio) / step).astype(int) % size
    law = np.bincount(places, weights=density * ratio, minlength=size)
    summed = np.fft.irfft(np.fft.rfft(law) ** blocks, size)
    losses = step * ((np.arange(size) + size // 2) % size - size // 2)
    delta = (summed * np.maximum(0, 1 - np.exp(epsilon - losses))).sum()
    allowed = gaussian(epsilon, 4.22)
    assert 100 * allowed < delta
    at = {"sigma": Fraction("4.22"), "epsilon": Fraction(1), "root": 16, "more": Fraction(1, 100)}
    assert random_batches.sent(**at, is_above=True).truth.is_certain
    assert random_batches.sent(**{**at, "root": 128}).truth.is_certain


def test_a_recursion_falls_short_of_what_a_theorem_refutes():
    counts, delta = (8, 8, 7), Fraction(1, 10**5)
    epsilon = one_run.refuted(*counts, delta)
    odds = math.exp(epsilon)
    masses = [math.comb(8, k) * odds**k / (odds + 1) ** 8 for k in range(9)]
    worst = max(sum(masses[7 - i : 7]) / i for i in range(1, 8))
    assert 0.0499 < sum(masses[7:]) + 2 * 8 * 1e-5 * worst <= 0.05
    short = one_run.by_recursion(*counts, delta)
    assert number(short.left) < number(short.right) == 1
    assert TradeOffRun(*counts).refuted(delta=delta).upper < epsilon
