"""Composition of what is known by its δ alone, and of the worst of several pairs."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from exactdp.accounting import (
    CertifiedComposition,
    LossProfile,
    compose,
    compose_exactly,
    poisson_subsampled,
)
from exactdp.accounting.composition.curve_composition import pairs_around_part
from exactdp.divergences import Largest, Pair, PrivacyLossDistribution
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
    thresholded,
)
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle import (
    NoiseAllocation,
    Users,
    Victim,
    clone_pair,
    random_allocation,
    shuffle_view,
    shuffle_worst_case,
)

nats, ln = Epsilon.rational, Epsilon.log
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
FAILING = Pair.from_masses(["1/2", "3/8", "1/8", 0], ["1/8", "3/4", 0, "1/8"])
OTHER = Pair.from_masses(["3/5", "3/10", "1/10"], ["1/5", "2/5", "2/5"])
SURVEY = randomized_response(2, ln(3))


def curve(part, times):
    return CertifiedComposition(((Largest((part,)), times),))


@pytest.mark.parametrize("at", [nats(0), nats("1/2"), ln(2), nats("-1/4")])
@pytest.mark.parametrize(
    ("part", "times"),
    [
        (COIN, 3),
        (FAILING, 2),
        (OTHER, 3),
        (laplace_mechanism(scale=3), 5),
        (gaussian_mechanism(sigma=4), 9),
    ],
)
def test_by_delta_alone_is_what_the_law_gives(part, times, at):
    truth, found = compose([(part, times)]), curve(part, times)
    for one, other in ((truth, found), (truth.reversed(), found.reversed())):
        exact = one.delta(at, relative_width="1e-9")
        ends = other.delta(at, relative_width="2e-2")
        assert ends.lower <= exact.upper and exact.lower <= ends.upper
        assert ends.width <= ends.lower / 50


@pytest.mark.parametrize("part", [laplace_mechanism(scale=3), gaussian_mechanism(sigma=4)])
def test_epsilon_and_divergences_by_delta_alone(part):
    truth, found = compose([(part, 5)]), curve(part, 5)
    exact, ends = truth.epsilon("1e-4"), found.epsilon("1e-4", relative_width="1e-2")
    assert ends.lower <= exact.lower <= exact.upper <= ends.upper
    assert ends.width <= ends.lower / 100
    two = truth.renyi(2, relative_width="1e-9")
    divergence = found.renyi(2, relative_width="1e-6")
    assert divergence.lower <= two.upper and two.lower <= divergence.upper


def test_a_failure_is_known_and_an_epsilon_of_less_is_infinite():
    found = curve(FAILING, 2)
    assert found.infinity_mass() == 1 - Exact("7/8") ** 2
    assert found.epsilon("1/10") == Epsilon.infinity()
    assert found.delta(nats(5), relative_width="1e-3").lower >= Fraction(15, 64)


def test_a_width_that_is_not_reached_says_how_near_it_is(monkeypatch):
    monkeypatch.setattr(CertifiedComposition, "sizes", (50, 100))  # soon given up
    with pytest.raises(UndecidedError, match=r"delta|δ is in \[0.0.*Ask for a wider enclosure"):
        curve(gaussian_mechanism(sigma=4), 2).delta(nats("1/2"), relative_width="1e-9")


def adaptive(pairs, gamma, left):
    """The largest δ of an analyst who chooses the next pair after each output, by definition."""
    if left == 0:
        return max(Fraction(0), 1 - gamma)
    return max(
        sum(
            (p * adaptive(pairs, gamma * q / p, left - 1) for p, q in masses if p),
            Fraction(0),
        )
        for masses in ([(p.as_fraction(), q.as_fraction()) for p, q in x.masses()] for x in pairs)
    )


@pytest.mark.parametrize("gamma", [1, Fraction(3, 2), 3])
def test_of_several_pairs_all_choices_are_between_the_ends(gamma):
    pairs = [COIN, OTHER, OTHER.reversed()]
    found = compose([(Largest(tuple(pairs)), 3)])
    assert found.reached == "bound"
    at = ln(gamma)
    ends = found.delta(at, relative_width="1e-3")
    fixed = max(
        compose([(pairs[i], choice.count(i)) for i in range(3)]).delta(at)
        for choice in product(range(3), repeat=3)
    )
    same = max(compose([(pair, 3)]).delta(at) for pair in pairs)
    assert same <= fixed <= adaptive(pairs, Fraction(gamma), 3) <= ends.upper
    assert same * Fraction(999, 1000) <= ends.lower <= fixed  # who varies may have more
    assert "profile" in ends.lower_by
    assert ends.upper_by == "pairs that dominate all of each part"


def test_the_dominating_pair_of_the_exponential_mechanism_has_its_delta():
    worst = exponential_mechanism(scale=1)
    law = LossProfile(worst.loss_law())
    for epsilon in ("-3/2", "-1/2", 0, "1/3", 1, "19/10"):
        found = law.delta(nats(epsilon), relative_width="1e-12")
        truth = worst.delta(nats(epsilon), relative_width="1e-15")
        assert found.lower <= truth.upper and truth.lower <= found.upper


def test_samples_of_the_worst_of_several_are_composed():
    sampled = poisson_subsampled(exponential_mechanism(scale=2), sampling_probability="1/4")
    ends = compose([(sampled, 4)]).delta(nats("1/4"), relative_width="1e-3")
    pair = poisson_subsampled(
        exponential_mechanism(scale=2).pair("1/2"), sampling_probability="1/4"
    )
    assert ends.lower >= compose([(pair, 4)]).delta(nats("1/4")) * Fraction(99, 100)
    assert "sampled" in ends.lower_by
    adding = compose([(sampled.reversed(), 4)]).delta(nats("1/4"), relative_width="1e-3")
    pairs = [
        poisson_subsampled(
            exponential_mechanism(scale=2).pair(Fraction(k, 32)), sampling_probability="1/4"
        )
        for k in range(16, 29)
    ]
    best = max(compose([(x.reversed(), 4)]).delta(nats("1/4")) for x in pairs)
    assert best * Fraction(99, 100) <= adding.lower <= best <= adding.upper


def test_groups_alone_or_not_are_between_the_ends():
    noise = laplace_mechanism(scale=2)
    shown = thresholded(noise, threshold=12)
    ends = compose([(shown, 3)]).delta(nats(1), relative_width="1e-2")
    share = Exact.exp("-11/2") / 2  # that noise is above 12 − 1
    alone = Pair.from_masses([1 - share, share], [1, 0])
    choices = [
        compose([(noise, 3 - k), (alone, k)]).delta(nats(1), relative_width="1e-6")
        for k in range(4)
    ]
    ends_of_all = [enclosed(one, "1e-6") for one in choices]
    assert ends.lower <= max(one.upper for one in ends_of_all) <= ends.upper
    same = max(ends_of_all[0].lower, ends_of_all[3].lower)
    assert ends.lower >= same * Fraction(98, 100)


def test_an_epsilon_is_found_where_delta_is_told_from_its_target():
    shown = thresholded(laplace_mechanism(scale=4), threshold=60)
    ends = compose([(shown, 4)]).epsilon("1e-5", relative_width="1e-2")
    # Beside four known Laplace losses of 1/4 the groups that are shown alone add little.
    assert Fraction(98, 100) < ends.lower < ends.upper < Fraction(101, 100)
    noise = compose([(laplace_mechanism(scale=4), 4)]).epsilon("1e-5", relative_width="1e-4")
    assert ends.lower <= noise.upper and noise.lower <= ends.upper


def test_a_view_by_enclosures_composes_as_the_exact_one():
    view = shuffle_view(Victim(SURVEY, (0, 1)), [Users(SURVEY, 1, 12)])
    exact = compose([(view, 4)]).delta(nats("1/2"), relative_width="1e-6")
    found = compose([(view.at_scale(), 4)]).delta(nats("1/2"), relative_width="2e-2")
    assert found.lower <= exact.lower <= exact.upper <= found.upper


def test_a_survey_a_week_is_between_a_fixed_victim_and_the_dominating_pair():
    weekly = shuffle_worst_case(12, SURVEY)
    ends = compose([(weekly, 4)]).delta(nats("1/2"), relative_width="2e-2")
    one = weekly.delta(nats("1/2"))
    assert 0 < one.lower < ends.lower <= ends.upper < 1
    assert ends.lower_by.startswith("each time the same: all others on input")


def test_counts_of_clones_compose_as_their_exact_pair():
    clones = clone_pair(30, ln(3))
    exact = compose([(clones.pair(), 3)]).delta(nats(1), relative_width="1e-6")
    found = compose([(clones, 3)]).delta(nats(1), relative_width="2e-2")
    assert found.lower <= exact.lower <= exact.upper <= found.upper


def test_integer_noise_and_what_has_no_law_are_composed_together():
    parts = [(discrete_gaussian_mechanism(sigma=3), 2), (gaussian_mechanism(sigma=4), 2)]
    ends = compose([*parts, (Largest((COIN,)), 1)]).delta(nats(1), relative_width="2e-2")
    exact = compose([*parts, (COIN, 1)]).delta(nats(1), relative_width="1e-5")
    assert ends.lower <= exact.lower <= exact.upper <= ends.upper


def test_pairs_around_the_worst_of_compositions_between_curves_are_on_both_sides():
    sides = FAILING, FAILING.reversed()
    worst = Largest(tuple(curve(one, 2) for one in sides))
    low, high = pairs_around_part(worst, 60, Fraction(1, 10**5))
    for epsilon in (0, "1/4", 1, 2):
        truth = max(compose_exactly([(one, 2)]).delta(nats(epsilon)) for one in sides)
        assert low.delta(nats(epsilon)) <= truth <= high.delta(nats(epsilon))
        assert high.delta(nats(epsilon)) < truth * Fraction(11, 10)


@pytest.mark.parametrize("adds", [False, True])
def test_pairs_near_an_allocation_are_on_both_sides_of_it(adds):
    allocation = NoiseAllocation(gaussian_mechanism(sigma=1), 5, adds)
    low, high = allocation.pairs_near(60, Fraction(1, 10**5))
    for epsilon in (0, "1/4", 1):
        truth = allocation.delta(nats(epsilon), relative_width="1e-2")
        below, above = (pair.delta(nats(epsilon)) for pair in (low, high))
        assert below <= truth.upper and truth.lower <= above
        assert above < truth.upper * Fraction(11, 10) + Fraction(1, 10**4)


def test_epochs_of_an_allocation_lie_between_those_of_a_few_coins():
    # Noise of two levels in place of the noise: post-processing of it, with the same choice.
    noise = gaussian_mechanism(sigma=1)
    up = mpmath.ncdf(0.5)
    p, q = Fraction(str(mpmath.nstr(up, 15))), Fraction(str(mpmath.nstr(1 - up, 15)))
    signs = Pair.from_masses([p, 1 - p], [q, 1 - q])
    below = compose([(random_allocation(signs, steps=4), 3)]).delta(nats("1/2"))
    found = compose([(random_allocation(noise, steps=4), 3)])
    ends = found.delta(nats("1/2"), relative_width="1e-1")
    assert isinstance(ends, Enclosure) and below < ends.lower
    known = compose([(noise, 3)]).delta(nats("1/2"), relative_width="1e-6")
    assert ends.upper < known.lower


def convolved_losses(steps, epochs, target, *, cell=1.0e-3, points=1 << 17):
    """ε in doubles: losses of outputs on a grid, rounded to cells, added up by transforms.

    Of ``steps`` = 2 outputs the record is in the first or the second of noise N(0, 1).
    """
    x = np.linspace(-9, 10, 900)
    h = x[1] - x[0]
    without = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * h
    ratio = np.exp(x - 1 / 2)
    q, mean = np.multiply.outer(without, without), np.add.outer(ratio, ratio) / steps
    losses = np.log(mean).ravel()
    places = np.rint(losses / cell).astype(int) % points
    law = np.bincount(places, weights=(q * mean).ravel(), minlength=points)
    total = np.fft.irfft(np.fft.rfft(law) ** epochs, points)
    loss = cell * (np.arange(points) - points * (np.arange(points) > points // 2))

    def delta(epsilon):
        above = loss > epsilon
        return float(np.sum(total[above] * -np.expm1(epsilon - loss[above])))

    low, high = 0.0, 40.0
    for _ in range(50):
        low, high = (low, m) if delta(m := (low + high) / 2) <= target else (m, high)
    return high


def test_epochs_of_an_allocation_have_the_epsilon_that_transforms_in_doubles_have():
    epoch = random_allocation(gaussian_mechanism(sigma=1), steps=2)
    found = compose([(epoch, 5)]).epsilon("1e-4", relative_width="1e-3")
    assert found.width <= found.lower / 1000
    alike = convolved_losses(2, 5, 1e-4)
    assert found.lower * (1 - 1e-5) < alike < found.upper * (1 + 1e-5)


def test_long_exact_laws_give_way_to_enclosures_of_them():
    pair = poisson_subsampled(
        exponential_mechanism(scale=2).pair(Fraction(17, 32)), sampling_probability="1/100"
    )
    short, long = compose([(pair, 5)]), compose([(pair, 40)])
    assert isinstance(short, PrivacyLossDistribution)
    assert isinstance(long, CertifiedComposition)
    found = long.delta(nats("1/32"), relative_width="1e-9")
    assert found.contains(compose_exactly([(pair, 40)]).delta(nats("1/32")))


def test_far_out_polygons_reach_farther_and_are_placed_anew():
    noise = gaussian_mechanism(sigma=2)
    found = curve(noise, 20).delta(nats(20), relative_width="1e-2")
    exact = noise.composed(20).delta(nats(20), relative_width="1e-9")
    assert found.lower <= exact.lower <= exact.upper <= found.upper < Fraction(1, 10**9)
