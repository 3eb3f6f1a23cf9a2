"""The facts of a worst case of several pairs beyond its delta, and its transformations."""

from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp.accounting import (
    compose,
    group_profile,
    poisson_subsampled,
    renyi_curve,
    sampled,
)
from exactdp.divergences import Pair
from exactdp.divergences.values import enclosed
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    BoundedRange,
    binomial_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    partition_selection,
    smallest_threshold,
    thresholded,
)
from exactdp.numbers import Epsilon, Exact

LN2 = Epsilon.log(2)
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


def test_divergences_of_a_batch_are_at_least_those_of_three_answers():
    """Three laws, each (ln 3)-private against another, have more than what looks for one record."""
    three = [Fraction(1, 5)] * 3
    law = [[Fraction(3, 5) if i == x else y for i, y in enumerate(three)] for x in range(3)]
    for rate in (Fraction(1, 100), Fraction(1, 10)):
        p, q = (
            [(1 - rate) * z + rate * one for z, one in zip(law[2], row, strict=True)]
            for row in law[:2]
        )
        batch = sampled(
            COIN, sampling_probability=rate, neighbors="substitution", batches="fixed_size"
        )
        truth = Pair.from_masses(p, q)
        found = batch.renyi(2)
        assert found.lower < enclosed(truth.renyi(2), "1e-9").lower < found.upper
        assert found.lower_by == "a mechanism that looks for one record alone"
        alpha = Fraction(3, 8)
        assert batch.trade_off(alpha).lower <= truth.trade_off(alpha).as_fraction()


def test_divergences_of_a_batch_of_unbounded_losses_have_an_upper_end():
    noise = discrete_gaussian_mechanism(sigma=2)
    batch = sampled(
        noise, sampling_probability="1/10", neighbors="substitution", batches="fixed_size"
    )
    found = batch.renyi(2)
    assert 0 < found.lower < found.upper < 2 * found.lower


def test_divergences_of_a_sample_are_between_two_outcomes_and_all_of_delta():
    """Of the exponential mechanism no pair has all of delta, so its divergence is only above."""
    rate = Fraction(99, 100)
    sample = poisson_subsampled(exponential_mechanism(scale=1), sampling_probability=rate)
    pairs = (BoundedRange(Fraction(2)).pair(Fraction(t, 16)) for t in range(1, 32))
    truth = max(enclosed(one.subsampled(rate).renyi(2), "1e-9").lower for one in pairs)
    found = sample.renyi(2)
    assert truth < found.lower * Fraction(101, 100)
    assert found.lower < truth * Fraction(101, 100) < found.upper


def test_a_sample_of_a_batch_has_no_more_pairs_than_the_batch():
    batch = sampled(
        COIN, sampling_probability="1/2", neighbors="substitution", batches="fixed_size"
    )
    sample = poisson_subsampled(batch, sampling_probability="1/2")
    assert sample.reached == "each epsilon"
    assert isinstance(compose([(sample, 1), (COIN, 1)]).delta(LN2), Bounds)


def test_a_group_of_users_has_what_some_data_have():
    """Three users alone are shown with 0.99691, where each of three steps has more of its own."""
    count = thresholded(discrete_laplace_mechanism(rate=Epsilon.log(3)), threshold=-2)
    found = group_profile(count, 3).delta(LN2, relative_width="1e-6")
    alone = 1 - Fraction(3, 4) / 3**5
    assert alone * Fraction(999, 1000) < found.lower <= alone < found.upper
    assert "3 users" in found.lower_by


@pytest.mark.parametrize("threshold", [0, 1, 2, 5])
def test_counts_with_coins_that_are_not_fair_have_two_orders(threshold):
    law = {0: Fraction(1, 3), 1: Fraction(2, 3)}

    def shown(users):
        found = dict.fromkeys([None, *range(13)], Fraction(0))
        for k, mass in law.items() if users else ():
            found[users + k if users + k > threshold else None] += mass
        return found if users else {**found, None: Fraction(1)}

    counts = [shown(n) for n in range(12)]
    noise = binomial_mechanism(trials=1, success="2/3")
    profile = thresholded(noise, threshold=threshold)
    for gamma in (Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(7)):
        sides = [
            max(
                sum(max(Fraction(0), p[k] - gamma * q[k]) for k in p)
                for p, q in (pair[::way] for pair in pairwise(counts))
            )
            for way in (-1, 1)
        ]
        for side, truth in zip(profile.profiles, sides, strict=True):
            assert enclosed(side.delta(Epsilon.log(gamma)), "1e-9").contains(Exact(truth))
        assert enclosed(profile.delta(Epsilon.log(gamma)), "1e-9").contains(Exact(max(sides)))
    with pytest.raises(DomainError, match="the noise alone"):
        smallest_threshold(noise, LN2, "1/2")


RANGE = exponential_mechanism(scale=1)


def test_choices_that_are_composed_are_composed_once():
    """Composed of themselves they are not a pair: an analyst sees each answer before the next."""
    twice, four = compose([(RANGE, 2)]), compose([(RANGE, 4)])
    assert compose([(twice, 2)]) == four
    assert twice.reached == "each epsilon"
    beside = compose([(RANGE, 1), (COIN, 1)])
    assert beside.reached == "each epsilon"
    at, width = Epsilon.rational(1), Fraction(1, 100)
    whole = compose([(RANGE, 2), (COIN, 2)]).delta(at, relative_width=width)
    assert compose([(beside, 2)]).delta(at, relative_width=width) == whole


def test_samples_of_choices_lie_between_bounds():
    """As a pair, two samples of 9/10 would have more than any analyst reaches without sampling."""
    at, width = Epsilon.rational(1), Fraction(1, 100)
    for parts in ([(RANGE, 2)], [(RANGE, 1), (COIN, 1)]):
        sample = poisson_subsampled(compose(parts), sampling_probability="99/100")
        assert sample.reached == "each epsilon"
        found = compose([(sample, 2)]).delta(at, relative_width=width)
        whole = compose([(part, 2 * times) for part, times in parts])
        truth = whole.delta(at, relative_width=width)
        assert isinstance(found, Bounds)
        assert found.lower < truth.upper
        assert truth.lower * Fraction(98, 100) < found.upper


def test_divergences_of_choices_beside_a_pair_add_up():
    found = compose([(RANGE, 1), (COIN, 1)]).renyi(2, relative_width="1e-9")
    one, other = (enclosed(x.renyi(2), "1e-9") for x in (RANGE, COIN))
    assert found.lower <= one.upper + other.upper
    assert one.lower + other.lower <= found.upper
    assert found.width < Fraction(1, 10**8)


def test_a_curve_of_bounds_has_bounds():
    batch = sampled(
        COIN, sampling_probability="1/10", neighbors="substitution", batches="fixed_size"
    )
    found = renyi_curve(batch, [2])[Fraction(2)]
    assert isinstance(found, Bounds)
    assert found == batch.renyi(2)


def test_a_sample_says_what_its_composition_leaves_open():
    selection = partition_selection(LN2, "1/3").rule.all_sizes(removed=True)
    whole = compose([(selection, 1), (COIN, 1)])
    assert "fixed beforehand" in whole.note
    assert poisson_subsampled(whole, sampling_probability="1/2").note == whole.note


def test_a_sample_of_a_worst_case_that_ends_before_its_largest_loss():
    """One order is lost half of the time, at any epsilon; the other has a loss of ln 2 and less."""
    halves = Pair.from_masses([1, 0], ["1/2", "1/2"])
    batch = sampled(
        halves, sampling_probability="1/2", neighbors="substitution", batches="fixed_size"
    )
    sample = poisson_subsampled(batch, sampling_probability="1/3")
    assert sample.delta(Epsilon.log(1)) == sample.delta(Epsilon.log(100)) == Fraction(1, 12)
    assert sample.epsilon("1/12", relative_width="1e-6").upper == 0
