"""Composition: polynomial powers against explicit product laws and plain Fractions."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import ComposedRandomizedResponse, compose, compose_exactly
from exactdp.divergences import Pair, PrivacyLossDistribution
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.numbers.commensurable import ExplicitScale, GeometricScale
from exactdp.testing.strategies import exact_pairs, rational_pairs

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
ONE_SIDED = Pair.from_masses(["1/4", "5/8", "1/8", 0], [0, "5/24", "3/8", "5/12"])
"""The losses are ±ln 3, as those of the coin, but not alike at infinity."""
EPSILONS = [Epsilon.log(g) for g in ("1/5", "1/3", 1, "3/2", 2, 3, 9, 50)]
EPSILONS += [Epsilon.rational("1/2"), Epsilon.rational("-1/3")]


def response(k, nats):
    """Return the pair of two inputs of k-ary randomized response."""
    rows = randomized_response(k, Epsilon.rational(nats)).rows
    return Pair.from_masses(rows[0], rows[1])


def explicit_product(parts):
    """Return the pair of product laws, outcome by outcome, in plain Fractions or exact numbers."""
    lists = [pair.masses() for pair, times in parts for _ in range(times)]
    outcomes = [
        (prod((p for p, _ in y), start=Exact(1)), prod((q for _, q in y), start=Exact(1)))
        for y in product(*lists)
    ]
    return Pair.from_masses([p for p, _ in outcomes], [q for _, q in outcomes])


def assert_composes(parts):
    composed = compose_exactly(parts)
    expected = explicit_product(parts)
    law = expected.losses()
    assert composed == law
    assert composed.infinity_mass() == law.infinity_mass()
    assert composed.minus_infinity_mass() == law.minus_infinity_mass()
    assert composed.max_divergence() == law.max_divergence()
    assert composed.vertices == law.vertices
    assert composed.reversed() == expected.reversed().losses()
    assert compose(parts).infinity_mass() == law.infinity_mass()
    for epsilon in [*EPSILONS, *(Epsilon(ratio) for ratio, _ in law.atoms)]:
        delta = expected.delta(epsilon)
        assert composed.delta(epsilon) == compose(parts).delta(epsilon) == delta
        assert composed.reversed().delta(epsilon) == expected.reversed().delta(epsilon)
    return composed


@given(st.lists(st.tuples(rational_pairs(max_size=3, max_weight=4), st.integers(0, 2)), max_size=3))
@settings(max_examples=80)
def test_rational_parts_compose_to_the_explicit_product(parts):
    assert_composes(parts)


@given(st.lists(st.tuples(exact_pairs(max_size=2), st.integers(0, 2)), max_size=2))
@settings(max_examples=25)
def test_transcendental_parts_compose_to_the_explicit_product(parts):
    assert_composes(parts)


LATTICES = {
    "randomized response": [(COIN, 5)],
    "three losses of a lattice": [
        (Pair.from_masses(["4/7", "2/7", "1/7"], ["1/7", "2/7", "4/7"]), 3)
    ],
    "a lattice with holes": [
        (Pair.from_masses(["1/9", 0, "8/9"], ["8/9", 0, "1/9"]), 2),
        (Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]), 1),
    ],
    "an offset": [(Pair.from_masses(["1/2", "1/2"], ["1/3", "2/3"]), 4)],
    "an atom at infinity": [
        (Pair.from_masses(["1/5", "3/5", "1/5", 0], [0, "1/5", "3/5", "1/5"]), 4)
    ],
    "two commensurable parts": [
        (COIN, 2),
        (Pair.from_masses(["9/10", "1/10"], ["1/10", "9/10"]), 3),
    ],
    "three bases refined twice": [
        (Pair.from_masses(["16/17", "1/17"], ["1/17", "16/17"]), 1),
        (Pair.from_masses(["64/65", "1/65"], ["1/65", "64/65"]), 1),
        (Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]), 2),
    ],
    "one finite loss and infinity": [
        (COIN, 3),
        (Pair.from_masses(["1/2", "1/2", 0], ["1/3", 0, "2/3"]), 2),
    ],
    "only one finite loss": [(Pair.from_masses(["1/2", "1/2"], [1, 0]), 3)],
    "equal laws": [(Pair.from_masses(["1/2", "1/2"], ["1/2", "1/2"]), 3)],
    "disjoint supports": [(COIN, 2), (Pair.from_masses([1, 0], [0, 1]), 1)],
    "transcendental": [(response(2, "1/2"), 4)],
    "rational and transcendental nats": [(response(3, "1/2"), 1), (response(2, "1/3"), 2)],
}


@pytest.mark.parametrize("name", LATTICES)
def test_lattices(name):
    assert isinstance(assert_composes(LATTICES[name]).ratios, GeometricScale)


INCOMMENSURABLE = {
    "two bases": [(COIN, 3), (Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]), 3)],
    "three losses on no lattice": [
        (Pair.from_masses(["1/2", "1/3", "1/6"], ["1/6", "1/6", "2/3"]), 3)
    ],
    "both, and a part on the lattice of the first": [
        (COIN, 2),
        (Pair.from_masses(["1/2", "1/3", "1/6"], ["1/6", "1/6", "2/3"]), 1),
        (Pair.from_masses(["9/10", "1/10"], ["1/10", "9/10"]), 1),
        (Pair.from_masses(["1/2", "1/2", 0], ["1/3", 0, "2/3"]), 1),
    ],
    "ln 3 and 1/2": [(COIN, 2), (response(2, "1/2"), 2)],
}


@pytest.mark.parametrize("name", INCOMMENSURABLE)
def test_parts_without_a_common_lattice(name):
    assert isinstance(assert_composes(INCOMMENSURABLE[name]).ratios, ExplicitScale)


def test_distributions_are_parts_too():
    law = COIN.losses()
    assert compose_exactly([(law, 4)]) == law.self_compose(4)


def test_nothing_composed_has_loss_zero():
    for parts in ([], [(COIN, 0)]):
        nothing = compose(parts)
        assert nothing.atoms == ((Exact(1), Exact(1)),)
        assert nothing.delta(Epsilon.log(1)) == 0
        assert nothing.delta(Epsilon.log("1/4")) == Exact("3/4")


def test_a_thousand_copies_by_the_binomial_sum_in_fractions():
    # P has j truths with probability C(n, j) 3^j / 4^n, and the ratio is 3^(2j - n).
    n = 1000
    losses = compose_exactly([(COIN, n)])
    for gamma in (Fraction(1), Fraction(7, 2), Fraction(3) ** 100, Fraction(3) ** 101 / 2):
        terms = (max(Fraction(0), comb(n, j) * (3**j - gamma * 3 ** (n - j))) for j in range(n + 1))
        assert losses.delta(Epsilon.log(gamma)) == sum(terms) / 4**n


def test_a_hundred_transcendental_copies_by_mpmath():
    with mpmath.workdps(60):
        n, odds = 100, mpmath.exp(mpmath.mpf(1) / 2)
        gamma = mpmath.exp(3)
        terms = (
            mpmath.binomial(n, j) * max(0, odds**j - gamma * odds ** (n - j)) for j in range(n + 1)
        )
        expected = mpmath.nstr(mpmath.fsum(terms) / (1 + odds) ** n, 40)
    for losses in (compose, compose_exactly):
        delta = losses([(response(2, "1/2"), n)]).delta(Epsilon.rational(3))
        assert decimal(delta, digits=40) == expected


@given(rational_pairs(max_size=3, max_weight=4), st.integers(0, 3), st.fractions(0, 1))
@settings(max_examples=100)
def test_epsilon_is_the_inverse_of_the_curve(pair, times, delta):
    losses = compose_exactly([(pair, times)])
    expected = explicit_product([(pair, times)])
    for bound in (delta, 0, 1, losses.infinity_mass()):
        assert losses.epsilon(bound) == expected.epsilon(bound)
        assert compose([(pair, times)]).epsilon(bound) == expected.epsilon(bound)


def test_epsilon_of_transcendental_losses():
    losses = compose_exactly([(response(2, "1/2"), 4)])
    assert losses.epsilon(0) == Epsilon.rational(2)
    assert losses.epsilon(losses.delta(Epsilon.log(2))) == Epsilon.log(2)


@pytest.mark.parametrize("times", [-1, True, "3.5", 2.5])
def test_counts_are_checked(times):
    with pytest.raises(DomainError, match=r"the copies of parts\[1\]="):
        compose_exactly([(COIN, 1), (COIN, times)])
    with pytest.raises(DomainError, match=r"the copies of parts\[1\]="):
        compose([(COIN, 1), (COIN, times)])


def test_refuses_before_it_fills_the_memory():
    with pytest.raises(TooLargeError, match="ask for an enclosure"):
        compose_exactly([(COIN, 10**6)])
    with pytest.raises(TooLargeError):
        compose_exactly([(COIN, 10**30)])
    disjoint = Pair.from_masses(["1/2", "1/2", 0], [0, 0, 1])
    with pytest.raises(TooLargeError):
        compose_exactly(
            [(COIN, 2), (disjoint, 10**30), (Pair.from_masses(["1/2", "1/2"], [1, 0]), 10**30)]
        )
    loose = Pair.from_masses(["1/2", "1/3", "1/6"], ["1/6", "1/6", "2/3"])
    with pytest.raises(TooLargeError):
        compose_exactly([(loose, 10**5)])


def test_one_value_of_a_lattice_needs_no_merging(monkeypatch):
    # The fast path is the one that is taken: no exact multiset is ever merged.
    def refuse(self, *args, **kwargs):
        raise AssertionError("merged")

    monkeypatch.setattr(PrivacyLossDistribution, "compose", refuse)
    monkeypatch.setattr(PrivacyLossDistribution, "self_compose", refuse)
    assert compose_exactly([(COIN, 3)]).delta(Epsilon.log(9)) == Exact("27/64") - 9 * Exact("1/64")


# --- the best route ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "route"),
    [
        ([(COIN, 10**9)], ComposedRandomizedResponse),
        ([(response(2, "1/2"), 7)], ComposedRandomizedResponse),
        ([(Pair.from_masses(["1/2", "1/2"], ["1/2", "1/2"]), 7)], PrivacyLossDistribution),
        ([(Pair.from_masses([1, 0], [0, 1]), 7)], ComposedRandomizedResponse),
        (LATTICES["an atom at infinity"], ComposedRandomizedResponse),
        ([(response(3, "1/2"), 7)], PrivacyLossDistribution),
        ([(ONE_SIDED, 2)], PrivacyLossDistribution),
        ([(COIN, 3), (response(2, "1/2"), 3)], PrivacyLossDistribution),
    ],
)
def test_routes(parts, route):
    assert isinstance(compose(parts), route)


def test_copies_of_copies():
    once = compose([(COIN, 10**4)])
    assert compose([(once, 10**5)]) == compose([(COIN, 10**9)])


def test_what_is_too_large_goes_to_the_grid():
    loose = Pair.from_masses(["1/2", "1/3", "1/6"], ["1/3", "1/3", "1/3"])
    with pytest.raises(TooLargeError):
        compose_exactly([(loose, 10**5)])
    assert not isinstance(compose([(loose, 10**5)]), PrivacyLossDistribution)
