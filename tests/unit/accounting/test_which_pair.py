"""The pair of laws behind a number: the worst of several, by fractions over all neighbors."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import pytest

from exactdp.accounting import (
    compose,
    dp_sgd,
    from_trade_off,
    group_profile,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences import Largest, Pair, calibrated
from exactdp.divergences.questions import question
from exactdp.divergences.worst import Bounds
from exactdp.mechanisms import (
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    thresholded,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.testing import assert_never_below_truth
from tests.routes.samples import fixed_size

ln, nats = Epsilon.log, Epsilon.rational
COIN = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
LOPSIDED = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 10), Fraction(9, 10)]
NOISE = discrete_laplace_mechanism(rate=ln(2))
FAR = 24


def shown(users, threshold):
    """The law of what is shown of a count: 2^-|k|/3 around it, above the threshold, or nothing."""
    law = defaultdict(Fraction)
    for k in range(-FAR, FAR + 1):
        end = Fraction(2, 3) if abs(k) == FAR else Fraction(1, 3)  # the ends have their tails
        value = users + k
        seen = value if users and value > threshold else None
        law[seen] += end / 2 ** abs(k)
    return law


def hockey_stick(p, q, gamma):
    keys = {*p, *q}
    return sum(max(Fraction(0), p.get(k, 0) - gamma * q.get(k, 0)) for k in keys)


def both(*laws):
    """The law of several outputs."""
    law = defaultdict(Fraction)
    for outcome in product(*(one.items() for one in laws)):
        mass = Fraction(1)
        for _, x in outcome:
            mass *= x
        law[tuple(key for key, _ in outcome)] += mass
    return law


@cache
def neighbors(threshold, sizes=(0, 1, 2, 6)):
    """What is shown of n + 1 users and of n, the user removed; then added."""
    pairs = [(shown(n + 1, threshold), shown(n, threshold)) for n in sizes]
    return pairs, [(q, p) for p, q in pairs]


def as_law(masses):
    return dict(enumerate(masses))


@pytest.mark.parametrize("gamma", ["1", "6/5", "2", "4"])
@pytest.mark.parametrize("threshold", [-1, 0, 1, 3])
@pytest.mark.parametrize("other", [COIN, LOPSIDED])
def test_a_thresholded_count_beside_a_pair_is_the_worst_of_all_neighbors(other, threshold, gamma):
    at, p, q = Fraction(gamma), *map(as_law, other)
    truth = max(
        hockey_stick(both(a, p), both(b, q), at)
        for direction in neighbors(threshold)
        for a, b in direction
    )
    whole = compose([(thresholded(NOISE, threshold=threshold), 1), (Pair.from_masses(*other), 1)])
    found = whole.delta(ln(gamma), relative_width="1e-6")
    slack = Fraction(1, 10**6)  # as few users are tried, and noise ends
    assert found.lower - slack <= truth <= found.upper + slack
    assert found.width <= 2 * slack * found.upper


def test_a_count_beside_a_coin_by_hand():
    """7/12, and 23/36 of two copies: by the lone user's pair (1/3, 2/3) against (0, 1)."""
    count, coin = thresholded(NOISE, threshold=1), Pair.from_masses(*COIN)
    found = compose([(count, 1), (coin, 1)]).delta(ln(1), relative_width="1e-9")
    assert found.lower <= Fraction(7, 12) <= found.upper
    twice = compose([(count, 2), (coin, 1)]).delta(ln(1))
    assert isinstance(twice, Bounds)
    assert twice.lower <= Fraction(23, 36) <= twice.upper
    assert twice.lower_by == "each time the same: a user alone in a group"


def test_true_bounds_hold_and_false_ones_fall():
    count = thresholded(laplace_mechanism(scale=1), threshold=2)
    asked = question(compose([(count, 1), (gaussian_mechanism(sigma=1), 1)]), epsilon=1)
    assert_never_below_truth(0.27, asked)
    with pytest.raises(AssertionError, match=r"truth +0\.260257"):
        assert_never_below_truth(0.26, asked)


@pytest.mark.parametrize("gamma", ["1", "3/2", "4"])
@pytest.mark.parametrize("threshold", [0, 1, 3])
def test_two_counts_lie_between_their_ends(threshold, gamma):
    """An analyst's two counts, of any two sizes each, and a coin: one direction for both."""
    at, (p, q) = Fraction(gamma), map(as_law, COIN)
    truth = max(
        hockey_stick(both(a, c, p), both(b, d, q), at)
        for direction in neighbors(threshold, (0, 5))
        for a, b in direction
        for c, d in direction
    )
    whole = compose([(thresholded(NOISE, threshold=threshold), 2), (Pair.from_masses(*COIN), 1)])
    assert whole.is_directed and whole.reached == "bound"
    found = whole.delta(ln(gamma), relative_width="1e-3")
    assert isinstance(found, Bounds)
    assert found.lower <= truth * Fraction(10001, 10000) and truth <= found.upper
    assert found.upper <= Fraction(3, 2) * truth and truth <= Fraction(3, 2) * found.lower


def test_reversed_samples_of_a_lone_user():
    once = poisson_subsampled(thresholded(NOISE, threshold=0), sampling_probability="1/2")
    assert once.reversed().delta(ln("3/2")).upper == 0
    assert once.reversed().delta(ln("6/5"), relative_width="1e-9").contains(Exact("1/5"))
    assert once.delta(ln("3/2"), relative_width="1e-9").contains(Exact("1/3"))


@pytest.mark.parametrize("gamma", ["1", "6/5", "3/2", "3"])
@pytest.mark.parametrize("is_added", [False, True])
@pytest.mark.parametrize("threshold", [1, 3])
def test_samples_of_counts_contain_all_neighbors(threshold, gamma, is_added):
    """Others are in the sample at random, too: a group of n is one of any smaller size."""
    rate, at = Fraction(1, 3), Fraction(gamma)
    truth = Fraction(0)
    for n in range(7):
        laws = []
        for size in (n + 1, n):
            law = defaultdict(Fraction)
            for chosen in product((0, 1), repeat=size):
                weight = Fraction(1)
                for x in chosen:
                    weight *= rate if x else 1 - rate
                for key, mass in shown(sum(chosen), threshold).items():
                    law[key] += weight * mass
            laws.append(law)
        truth = max(truth, hockey_stick(*(laws[::-1] if is_added else laws), at))
    once = poisson_subsampled(thresholded(NOISE, threshold=threshold), sampling_probability=rate)
    once = once.reversed() if is_added else once
    found = once.delta(ln(gamma), relative_width="1e-6")
    assert found.lower <= truth <= found.upper


def adaptive(pairs, gamma, left):
    """The largest δ of so many steps, each pair chosen after what came before."""
    if left == 0:
        return max(Fraction(0), 1 - gamma)
    return max(
        sum((a * adaptive(pairs, gamma * b / a, left - 1) for a, b in pair if a), Fraction(0))
        for pair in pairs
    )


@pytest.mark.parametrize("gamma", ["1", "11/10", "2"])
def test_bounded_integer_noise_composes_to_bounds_of_the_best_analyst(gamma):
    once = bounded_discrete_laplace_mechanism(upper=2, rate=ln(2))
    pairs = [
        [(a.as_fraction(), b.as_fraction()) for a, b in one.masses()]
        for pair in once.profiles
        for one in (pair, pair.reversed())
    ]
    found = compose([(once, 2)]).delta(ln(gamma), relative_width="1e-6")
    assert isinstance(found, Bounds)
    best = adaptive(pairs, Fraction(gamma), 2)
    assert found.lower <= best <= found.upper
    assert best <= Fraction(11, 10) * found.lower and found.upper <= Fraction(11, 10) * best


@pytest.mark.parametrize(
    ("results", "same", "best"), [("redrawn", "0.3975", "0.41016"), ("folded", "0.2985", "0.30386")]
)
def test_bounded_noise_composes_to_bounds(results, same, best):
    """Equal inputs have less than the best analyst, who has less than the worst of each epsilon."""
    once = bounded_laplace_mechanism(upper=2, scale=1, results=results)
    assert once.reached == "each epsilon"
    found = compose([(once, 2)]).delta(ln("11/10"), relative_width="1e-2")
    assert isinstance(found, Bounds) and "inputs" in found.lower_by
    assert Fraction(same) * Fraction(99, 100) <= found.lower <= Fraction(best) <= found.upper


@pytest.mark.parametrize("results", ["redrawn", "folded"])
def test_the_worst_inputs_have_the_largest_of_all(results):
    """The named pairs lie below, and one of them is near; a range of one change has one pair."""
    once = bounded_laplace_mechanism(upper=3, scale=1, results=results)
    for epsilon in ("0", "1/4", "1/2", "9/10"):
        most = once.delta(nats(epsilon), relative_width="1e-12").upper
        cases = [one.profile.delta(nats(epsilon), relative_width="1e-12") for one in once.cases()]
        assert all(one.lower <= most for one in cases)
        assert max(one.upper for one in cases) >= most * Fraction(9, 10)
    short = bounded_laplace_mechanism(upper=1, scale=1, results=results)
    assert short.reached == "pair"
    twice = compose([(short, 2)]).delta(nats("1/2"), relative_width="1e-2")
    assert not isinstance(twice, Bounds)


def test_a_full_batch_agrees_with_a_large_one():
    lopsided = Pair.from_masses([1, 0], ["1/2", "1/2"])
    at = [
        sampled(lopsided, sampling_probability=rate, neighbors="substitution", batches="fixed_size")
        for rate in ("999999/1000000", 1)
    ]
    assert all(one.epsilon("1/10").is_infinite for one in at)
    assert all(one.delta(ln(3), relative_width="1e-3").upper >= Fraction(49, 100) for one in at)


def test_steps_on_fixed_batches_are_bounds_whose_lower_end_removes_a_record():
    one = fixed_size(gaussian_mechanism(sigma=1), Exact("1/10"))
    assert one.reached == "each epsilon"
    steps = compose([(one, 20)])
    found = steps.delta(nats(1), relative_width="1e-3")
    least = compose([(one.removing, 20)]).delta(nats(1), relative_width="1e-3")
    assert isinstance(found, Bounds) and found.lower <= least.upper
    assert least.lower <= found.lower * Fraction(1002, 1000)
    order = steps.renyi(2, relative_width="1e-6")
    removing = compose([(one.removing, 20)]).renyi(2, relative_width="1e-6")
    assert isinstance(order, Bounds)
    assert order.lower <= removing.upper and removing.lower <= order.upper


def test_a_scale_for_fixed_batches_is_bounds_too():
    target = {"epsilon": nats(1), "delta": "1e-3"}
    settings = {
        "sampling_probability": "1/10",
        "steps": 5,
        "neighbors": "substitution",
        "batches": "fixed_size",
    }
    found = calibrated(dp_sgd, **target, **settings, relative_width="1e-1")
    assert isinstance(found, Bounds)
    private = dp_sgd(noise_multiplier=found.upper, **settings).delta(nats(1), relative_width="1e-3")
    assert private.lower <= Fraction(1, 1000) * Fraction(1001, 1000)
    broken = dp_sgd(noise_multiplier=found.lower, **settings).delta(nats(1), relative_width="1e-3")
    assert broken.lower >= Fraction(1, 1000) * Fraction(999, 1000)


def test_a_trade_off_function_is_answered_in_both_orders():
    found = from_trade_off([(0, 1), ("0.0366", "0.325"), (1, 0)])
    ratio = (1 - Fraction("0.325") - Fraction("1e-5")) / Fraction("0.0366")
    assert found.epsilon("1e-5") == Epsilon.log(ratio)
    for alpha in ("0.0366", "0.325"):
        other = {"0.0366": "0.325", "0.325": "0.0366"}[alpha]
        assert found.trade_off(alpha) <= Exact(other)


def test_renyi_divergences_are_those_of_the_pairs():
    worst = exponential_mechanism(scale=1)
    once = worst.renyi(2, relative_width="1e-9")
    beside = compose([(worst, 3), (exponential_mechanism(scale=2), 1)])
    other = exponential_mechanism(scale=2).renyi(2, relative_width="1e-9")
    found = beside.renyi(2, relative_width="1e-9")
    assert found.lower <= 3 * once.upper + other.upper
    assert 3 * once.lower + other.lower <= found.upper
    assert found.width <= found.lower / 10**8


def test_a_group_of_users_may_share_a_group_of_records():
    count = thresholded(NOISE, threshold=1)
    found = group_profile(count, 2).delta(ln(1), relative_width="1e-3")
    for after, before in ((2, 0), (5, 3)):
        truth = hockey_stick(shown(after, 1), shown(before, 1), Fraction(1))
        assert truth <= found.upper


SELECTION = partition_selection(ln(2), "1/10")


@pytest.mark.parametrize("gamma", ["1", "2", "3"])
def test_two_selections_lie_between_their_ends(gamma):
    kept = [SELECTION.kept(n).as_fraction() for n in range(SELECTION.last + 2)]
    ways = [[((b, a), (1 - b, 1 - a)) for a, b in pairwise(kept)]]
    ways.append([tuple((q, p) for p, q in pair) for pair in ways[0]])
    found = compose([(SELECTION, 2)]).delta(ln(gamma), relative_width="1e-6")
    best = max(adaptive(pairs, Fraction(gamma), 2) for pairs in ways)
    same = max(
        sum(max(Fraction(0), a * c - Fraction(gamma) * b * d) for a, b in x for c, d in x)
        for pairs in ways
        for x in pairs
    )
    assert found.lower <= best <= found.upper and same <= found.upper
    assert best <= Fraction(3, 2) * found.lower


def test_what_is_one_pair_keeps_enclosures_of_any_width():
    for part in (laplace_mechanism(scale=1), gaussian_mechanism(sigma=1), Pair.from_masses(*COIN)):
        assert part.reached == "pair"
        assert not isinstance(compose([(part, 3)]).delta(nats(1), relative_width="1e-9"), Bounds)
    assert Largest((Pair.from_masses(*COIN),)).reached == "pair"
