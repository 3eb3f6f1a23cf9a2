"""Group privacy: the formula, that it holds on chains, and that it is attained."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import GroupChain, chain_delta_upper_bound, group_privacy
from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.strategies import probability_vectors

laws = probability_vectors(size=3).map(lambda masses: FinitePmf(dict(enumerate(masses))))
gammas = st.fractions(1, 4, max_denominator=10)


@given(gammas, st.fractions(0, 1), st.integers(0, 8))
def test_formula_is_the_sum_and_the_recursion(gamma, delta, size):
    epsilon, bound = group_privacy(Epsilon.log(gamma), delta=delta, size=size)
    assert epsilon.exp == gamma**size
    assert bound == sum((delta * gamma**i for i in range(size)), Fraction(0))
    assert chain_delta_upper_bound([(gamma, delta)] * size) == (epsilon.exp, bound)


def test_formula_at_transcendental_epsilon():
    epsilon, bound = group_privacy(Epsilon.rational("1/2"), delta="1/100", size=3)
    assert epsilon == Epsilon.rational("3/2")
    assert bound == (1 + Exact.exp("1/2") + Exact.exp(1)) / 100


@given(st.lists(laws, min_size=1, max_size=5), gammas)
@settings(max_examples=150)
def test_the_bound_holds_and_the_chain_is_exact(chain_laws, gamma):
    chain = GroupChain(tuple(chain_laws))
    whole = gamma**chain.size
    exact = chain.delta(exp_epsilon=whole)
    first, last = chain_laws[0], chain_laws[-1]
    assert exact == sum(
        max(Fraction(0), first[y].as_fraction() - whole * last[y].as_fraction()) for y in range(3)
    )
    assert exact <= chain.delta_upper_bound(exp_epsilon=gamma)
    worst = max(chain.link_deltas(exp_epsilon=gamma), default=Exact(0))
    assert exact <= group_privacy(Epsilon.log(gamma), delta=worst, size=chain.size)[1]
    assert chain.reversed().reversed() == chain


@given(st.lists(st.tuples(laws, gammas), min_size=2, max_size=4))
def test_the_bound_holds_for_unequal_links(steps):
    chain = GroupChain(tuple(law for law, _ in steps))
    links = [
        (gamma, GroupChain((p, q)).delta(exp_epsilon=gamma))
        for (p, _), (q, gamma) in pairwise(steps)
    ]
    whole, bound = chain_delta_upper_bound(links)
    assert chain.delta(exp_epsilon=whole) <= bound


@given(gammas, st.integers(1, 5))
def test_the_formula_is_attained(gamma, size):
    # Masses of "yes" with x_{i−1} = γ·x_i + δ and x_k = 0: every link has exactly δ.
    delta = Fraction(1, 2) / sum(gamma**i for i in range(size))
    masses = [Fraction(0)]
    for _ in range(size):
        masses.append(gamma * masses[-1] + delta)
    chain = GroupChain(tuple(FinitePmf({"yes": x, "no": 1 - x}) for x in reversed(masses)))
    assert chain.link_deltas(exp_epsilon=gamma) == [delta] * size
    epsilon, bound = group_privacy(Epsilon.log(gamma), delta=delta, size=size)
    assert chain.delta(exp_epsilon=epsilon.exp) == bound == Exact("1/2")


def test_one_law_is_a_chain_of_no_links():
    chain = GroupChain((FinitePmf.point(0),))
    assert chain.size == 0
    assert chain.delta_upper_bound(exp_epsilon=2) == chain.delta(exp_epsilon=1) == 0


@pytest.mark.parametrize(
    ("epsilon", "delta", "size", "named"),
    [
        (Epsilon.infinity(), 0, 1, "epsilon"),
        (Epsilon.log("1/2"), 0, 1, "epsilon"),
        (Epsilon.log(2), -1, 1, "delta"),
        (Epsilon.log(2), 0.1, 1, "delta"),
        (Epsilon.log(2), 0, -1, "size"),
        (Epsilon.log(2), 0, True, "size"),
    ],
)
def test_arguments_are_checked(epsilon, delta, size, named):
    with pytest.raises(DomainError, match=named):
        group_privacy(epsilon, delta=delta, size=size)


def test_empty_chain_and_negative_links_are_refused():
    with pytest.raises(DomainError, match="laws is empty"):
        GroupChain(())
    with pytest.raises(DomainError, match="delta"):
        chain_delta_upper_bound([(2, -1)])
    with pytest.raises(DomainError, match="exp_epsilon"):
        chain_delta_upper_bound([(-2, 0)])
