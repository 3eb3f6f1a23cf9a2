"""Samples of compositions beside all data: a sample has fewer of the records that a pair needs."""

from fractions import Fraction
from math import comb

import pytest

from exactdp.accounting import compose, group_profile, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.mechanisms import thresholded, truncated_discrete_laplace_mechanism
from exactdp.numbers import Epsilon

F = Fraction
HALF, MOST = F(1, 2), 20
THRESHOLD = 5  # nobody alone is shown, so that only pairs with others tell anything
NOISE = {-2: F(1, 10), -1: F(1, 5), 0: F(2, 5), 1: F(1, 5), 2: F(1, 10)}
COIN = {0: (F(3, 4), F(1, 4)), 1: (F(1, 4), F(3, 4))}
COUNT = thresholded(
    truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=2), threshold=THRESHOLD
)


def shown(count):
    """Return the law of what is shown of a group."""
    law = {}
    for noise, mass in NOISE.items():
        told = count + noise if count and count + noise > THRESHOLD else None
        law[told] = law.get(told, F(0)) + mass
    return law


def counted(count, *, is_there):
    """Return what both releases show: two counts."""
    one = shown(count)
    return {(a, b): p * q for a, p in one.items() for b, q in one.items()}


def with_a_coin(count, *, is_there):
    """Return what a count and a coin show, whose law depends on the record alone."""
    side = 0 if is_there else 1
    return {(a, b): p * both[side] for a, p in shown(count).items() for b, both in COIN.items()}


def sampled(release, others, gamma, size):
    """Return δ of a sample: so many records of a group, each with the others seen half the time."""
    p, q = {}, {}
    for n in range(others + 1):
        chance = comb(others, n) * HALF**others
        for told, mass in release(n, is_there=False).items():
            q[told] = q.get(told, F(0)) + chance * mass
        for seen in range(size + 1):
            more = chance * comb(size, seen) * HALF**size
            for told, mass in release(n + seen, is_there=seen > 0).items():
                p[told] = p.get(told, F(0)) + more * mass
    return sum(max(p.get(x, F(0)) - gamma * q.get(x, F(0)), F(0)) for x in {*p, *q})


@pytest.mark.parametrize("gamma", [F(1), F(5, 4), F(3, 2)])
@pytest.mark.parametrize(
    ("whole", "release"),
    [
        (compose([(COUNT, 2)]), counted),
        (compose([(COUNT, 1), (Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]), 1)]), with_a_coin),
    ],
    ids=["twice", "with a coin"],
)
def test_a_pair_that_needs_others_is_none_of_a_sample(whole, release, gamma):
    truth = max(sampled(release, others, gamma, 1) for others in range(MOST))
    found = (
        poisson_subsampled(whole, sampling_probability="1/2").toward(0).delta(Epsilon.log(gamma))
    )
    assert found.lower <= truth <= found.upper


def test_groups_of_a_composition_keep_whom_their_pairs_need():
    for whole in (group_profile(COUNT, 2), group_profile(compose([(COUNT, 2)]), 2)):
        cases = whole.toward(0).cases()
        assert [case.alone for case in cases] == ["among" not in case.words for case in cases]
