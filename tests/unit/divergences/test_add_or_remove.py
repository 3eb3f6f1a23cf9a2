"""Neighbors that differ in one record: all parts of a composition have the same direction."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from exactdp.accounting import compose, dp_sgd, guarantee, poisson_subsampled
from exactdp.accounting.composition.alternatives import between_alternatives
from exactdp.divergences import Largest, Pair, add_or_remove
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact

ONE = ["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]
OTHER = ["3/5", "2/5"], ["1/10", "9/10"]
COIN = ["3/4", "1/4"], ["1/4", "3/4"]


def brute(sides, gamma):
    """The hockey-stick of a product of pairs, from its outcomes."""
    laws = [[(Fraction(p), Fraction(q)) for p, q in zip(*side, strict=True)] for side in sides]
    outcomes = product(*laws)
    return sum(
        max(Fraction(0), prod(p for p, _ in one) - gamma * prod(q for _, q in one))
        for one in outcomes
    )


def turned(side):
    return side[::-1]


@pytest.mark.parametrize("gamma", ["1", "3/2", "3", "10"])
def test_two_directions_and_no_more(gamma):
    asked = Epsilon.log(gamma)
    first, second, coin = (Pair.from_masses(*side) for side in (ONE, OTHER, COIN))
    whole = compose([(add_or_remove(first), 2), (add_or_remove(second), 1), (coin, 2)])
    assert whole.is_directed
    sides = [ONE, ONE, OTHER, COIN, COIN]
    forward, back = (brute(made, Fraction(gamma)) for made in (sides, map(turned, sides)))
    assert whole.delta(asked) == Exact(max(forward, back))
    # Were each part in its own direction, δ would be larger at some ε.
    mixed = brute([ONE, ONE, turned(OTHER), COIN, COIN], Fraction(gamma))
    assert mixed != max(forward, back)


def test_directions_that_are_not_said_to_agree_stay_between():
    """Of the larger of two pairs in general, a part may have one and another part the other."""
    first, second = (Pair.from_masses(*side).both_directions() for side in (ONE, OTHER))
    for parts, sides, gamma in (
        ([(first, 1), (second, 1)], [ONE, OTHER], "6/5"),
        ([(first, 2)], [ONE, ONE], "2"),  # of an adaptive analyst's two copies, too
    ):
        made = [sides, list(map(turned, sides)), [sides[0], turned(sides[1])]]
        forward, back, mixed = (brute(one, Fraction(gamma)) for one in made)
        assert mixed > max(forward, back)
        assert compose(parts).delta(Epsilon.log(gamma)).upper >= mixed


def test_a_single_worst_of_several_pairs_has_one_of_them():
    pairs = [Pair.from_masses(*side) for side in (ONE, turned(OTHER), OTHER)]
    lone = Pair.from_masses(*ONE)  # another one, of which only this direction is meant
    found = compose([(Largest(tuple(pairs)), 1), (lone, 1)])
    for gamma in ("1", "2", "5"):
        sides = [ONE, turned(OTHER), OTHER]
        best = max(brute([side, ONE], Fraction(gamma)) for side in sides)
        assert found.delta(Epsilon.log(gamma)) == Exact(best)
    twice = compose([(Largest(tuple(pairs)), 2), (lone, 1)])
    assert twice.delta(Epsilon.log(2)).upper_by  # a bound: each time another pair


def test_phases_of_training_lie_where_alternatives_do():
    """What dominates all pairs is above, and one direction below: both by other routes."""
    phases = [
        (dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=20), 1),
        (dp_sgd(noise_multiplier=2, sampling_probability="1/50", steps=20), 1),
        (guarantee("0.1", "1e-7"), 2),
    ]
    whole = compose(phases)
    assert whole.is_directed
    found = whole.epsilon("1e-6", relative_width="1e-3")
    wide = between_alternatives(phases, compose).epsilon("1e-6", relative_width="1e-3")
    assert wide.lower <= found.upper and found.lower <= wide.upper
    assert found.upper - found.lower <= found.lower / 1000


def test_a_delta_just_above_the_mass_at_infinity_is_answered():
    steps = dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=100)
    whole = compose([(guarantee("0.1", "1e-7"), 10), (steps, 1)])
    found = whole.epsilon("1e-6", relative_width="1e-3")
    assert 1 - (1 - Fraction(1, 10**7)) ** 10 < Fraction(1, 10**6)
    assert Fraction(3) < found.lower < found.upper < Fraction(4)
    at_most = whole.delta(Epsilon.rational(found.upper), relative_width="1e-9")
    below = whole.delta(Epsilon.rational(found.lower), relative_width="1e-9")
    assert at_most.lower <= Fraction(1, 10**6) < below.upper


def test_what_is_the_same_in_both_directions_stays_what_it_is():
    for noise in (laplace_mechanism(scale=1), gaussian_mechanism(sigma=2)):
        assert add_or_remove(noise) is noise
    once = poisson_subsampled(laplace_mechanism(scale=1), sampling_probability="1/3")
    both, asked = add_or_remove(once), Epsilon.log("5/4")
    assert both.reversed() is both
    at_once = both.delta(asked, relative_width="1e-9")
    assert at_once == once.both_directions().delta(asked, relative_width="1e-9")


@pytest.mark.parametrize("gamma", ["1", "9/8", "3/2"])
def test_a_sample_of_both_directions_is_the_sample_in_both_directions(gamma):
    """P gets the record with probability q, beside Q that has none; and the other way round."""
    q, asked = Fraction(1, 3), Epsilon.log(gamma)
    more, less = ([Fraction(x) for x in law] for law in ONE)
    seen = [(1 - q) * b + q * a for a, b in zip(more, less, strict=True)]
    best = max(brute([(seen, less)], Fraction(gamma)), brute([(less, seen)], Fraction(gamma)))
    once = poisson_subsampled(add_or_remove(Pair.from_masses(*ONE)), sampling_probability="1/3")
    assert once.delta(asked) == Exact(best)
    twice = compose([(once, 2)])
    laws = (seen, less), (less, seen)
    assert twice.delta(asked) == Exact(max(brute([x, x], Fraction(gamma)) for x in laws))
