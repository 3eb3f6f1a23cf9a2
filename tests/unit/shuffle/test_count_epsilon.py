"""The inverse of δ of count pairs: against exact curves of small pairs, and certified at scale."""

import math
from fractions import Fraction

import pytest

from exactdp.divergences import calibrated, total_variation
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import (
    CountPair,
    clone_pair,
    stronger_clone_pair,
    variation_ratio_pair,
)

PAIRS = [
    clone_pair(1, Epsilon.log(3)),
    clone_pair(6, Epsilon.log(3)),
    stronger_clone_pair(9, Epsilon.log("7/5")),
    stronger_clone_pair(4, Epsilon.log(40)),
    variation_ratio_pair(7, p=5, beta="1/3", q=3),
    variation_ratio_pair(7, p="infinity", beta="1/3", q=2),
    variation_ratio_pair(7, p="infinity", beta=1, q=4),
    CountPair(8, Exact("1/4"), Exact("1/50"), Exact("0.499")),
    CountPair(8, Exact("1/4"), Exact("1/50"), Exact("0.5")),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("width", ["1e-3", "1e-9", "1e-25"])
def test_the_exact_inverse_lies_between(pair, width):
    exact_profile = pair.pair().losses()
    for delta in ("9/10", "1/3", "1/20", "1e-3", "1e-6"):
        exact = exact_profile.epsilon(delta)
        if exact.is_infinite:
            assert pair.epsilon(delta, relative_width=width).is_infinite
            continue
        found = pair.epsilon(delta, relative_width=width)
        assert Exact.exp(found.lower) <= exact.exp <= Exact.exp(found.upper)
        assert found.width <= Fraction(width) * found.lower
        assert (found.upper == 0) == (exact.exp == 1)


def test_a_tie_at_zero_is_decided_exactly():
    pair = stronger_clone_pair(5, Epsilon.log(3))
    assert pair.epsilon(total_variation(pair.pair())).upper == 0


@pytest.mark.parametrize(("n", "delta"), [(1000, "1e-12"), (10**6, "1e-10"), (10**6, "1e-300")])
def test_brackets_are_certified_at_scale(n, delta):
    pair = clone_pair(n, Epsilon.rational(1))
    found = pair.epsilon(delta)
    assert found.width <= Fraction(found.lower, 10**9)
    # A second route: balls of many bits at points just outside the bracket.
    below = pair.delta(Epsilon.rational(found.lower), relative_width="1e-20")
    above = pair.delta(Epsilon.rational(found.upper), relative_width="1e-20")
    assert above.upper <= Fraction(delta) < below.lower


@pytest.mark.parametrize("family", [clone_pair, stronger_clone_pair])
@pytest.mark.parametrize(("epsilon", "delta"), [("0", "1/10"), ("1/2", "1/100"), ("2", "1e-6")])
def test_the_largest_epsilon0_of_few_users(family, epsilon, delta):
    target = Epsilon.rational(epsilon)
    found = calibrated(family, n=5, epsilon=target, delta=delta, relative_width="1e-2")
    assert found.width <= found.lower / 100
    # Rational e^ε0 just outside the bracket: exact laws decide.
    below = Fraction(math.exp(found.lower) * (1 - 1e-4)).limit_denominator(10**6)
    above = Fraction(math.exp(found.upper) * (1 + 1e-4)).limit_denominator(10**6)
    assert Exact(below) < Exact.exp(found.lower) < Exact.exp(found.upper) < Exact(above)
    for odds, is_safe in ((below, True), (above, False)):
        pair = family(5, Epsilon.log(odds)).pair()
        value = pair.delta(Epsilon(Exact(target.exp)))
        assert (value <= Exact(delta)) == is_safe


def test_the_largest_epsilon0_at_scale():
    epsilon = Epsilon.rational("1/10")
    found = calibrated(stronger_clone_pair, n=10**5, epsilon=epsilon, delta="1e-10")
    assert found.width <= found.lower / 10**9
    for epsilon0, is_safe in ((found.lower, True), (found.upper, False)):
        pair = stronger_clone_pair(10**5, Epsilon.rational(epsilon0))
        value = pair.delta(epsilon, relative_width="1e-20")
        assert (value.upper <= Fraction(1, 10**10)) == is_safe
        assert (value.lower > Fraction(1, 10**10)) != is_safe


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        ("0", "delta=0"),
        ("1", "delta=1"),
        ("-1/2", "delta=-1/2"),
        ("2", "delta=2"),
        (1.5, "delta="),
    ],
)
def test_what_is_refused(delta, words):
    pair = clone_pair(5, Epsilon.log(3))
    with pytest.raises(DomainError, match=words):
        pair.epsilon(delta)
    with pytest.raises(DomainError, match=words):
        calibrated(clone_pair, n=5, epsilon=Epsilon.log(2), delta=delta)


def test_other_refusals():
    with pytest.raises(DomainError, match="relative_width"):
        clone_pair(5, Epsilon.log(3)).epsilon(delta="1/100", relative_width=0)
    with pytest.raises(DomainError, match="epsilon="):
        calibrated(clone_pair, n=5, epsilon=-1, delta="1/10")
    with pytest.raises(DomainError, match="n=0"):
        calibrated(clone_pair, n=0, epsilon=Epsilon.log(2), delta="1/10")


def test_no_information_needs_no_epsilon():
    assert clone_pair(10, Epsilon.log(1)).epsilon(delta="1e-300").upper == 0


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_pair_of_counts_is_the_profile_of_its_laws(pair):
    laws = pair.pair()
    assert pair.max_divergence() == laws.max_divergence()
    limit = pair.infinity_mass()
    assert decimal(limit, digits=15) == decimal(laws.infinity_mass(), digits=15)
    for side in (pair.reversed(), pair.both_directions()):
        for epsilon in (Epsilon.log("1/2"), Epsilon.log("6/5")):
            exact = laws.reversed().delta(epsilon)
            assert side.delta(epsilon, relative_width="1e-9").contains(exact)


def test_what_is_no_bound_says_so():
    three = Epsilon.log(3)
    assert clone_pair(9, three).note is None
    assert "not proved" in stronger_clone_pair(9, three).note
    assert variation_ratio_pair(9, p=3, beta="1/2", q=3).note is None
    for refuted in (
        variation_ratio_pair(9, p=3, beta="1/4", q=3),
        variation_ratio_pair(9, p="infinity", beta="1/2", q=3),
    ):
        assert "Not an upper bound" in refuted.note
        assert "Not an upper bound" in refuted.both_directions().note
    # The note is about what it bounds, not about the laws.
    assert stronger_clone_pair(9, three) == variation_ratio_pair(9, p=3, beta="1/2", q=3)
