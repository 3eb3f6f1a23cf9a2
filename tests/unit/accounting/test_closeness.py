"""Closeness: against the definition, event by event, in plain Fractions."""

from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import is_close, smallest_delta, smallest_epsilon, worst_events
from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.strategies import probability_vectors

SIZE = 4
laws = probability_vectors(size=SIZE)
gammas = st.one_of(st.fractions("1/4", 5, max_denominator=12), st.just(Fraction(1)))
EVENTS = list(chain.from_iterable(combinations(range(SIZE), n) for n in range(SIZE + 1)))


def pmf(masses):
    return FinitePmf({y: mass for y, mass in enumerate(masses) if mass})


def mass(law, event):
    return sum((law[y] for y in event), Fraction(0))


def holds_for_every_event(mu, nu, gamma, delta):
    return all(
        (mass(nu, a) - delta) / gamma <= mass(mu, a) <= gamma * mass(nu, a) + delta for a in EVENTS
    )


@given(laws, laws, gammas, st.fractions(-1, 2, max_denominator=30))
@settings(max_examples=80)
def test_decides_the_definition(mu, nu, gamma, delta):
    answer = is_close(pmf(mu), pmf(nu), exp_epsilon=gamma, delta=delta)
    assert answer is holds_for_every_event(mu, nu, gamma, delta)
    assert answer is is_close(pmf(nu), pmf(mu), exp_epsilon=gamma, delta=delta)


@given(laws, laws, gammas)
@settings(max_examples=80)
def test_the_smallest_delta_is_enough_and_nothing_less_is(mu, nu, gamma):
    least = smallest_delta(pmf(mu), pmf(nu), exp_epsilon=gamma).as_fraction()
    assert holds_for_every_event(mu, nu, gamma, least)
    assert not holds_for_every_event(mu, nu, gamma, least - Fraction(1, 10**30))
    assert is_close(pmf(mu), pmf(nu), exp_epsilon=gamma, delta=least)
    assert not is_close(pmf(mu), pmf(nu), exp_epsilon=gamma, delta=least - Fraction(1, 10**30))


@given(laws, laws, gammas)
@settings(max_examples=80)
def test_the_worst_events_are_worst(mu, nu, gamma):
    worst = worst_events(pmf(mu), pmf(nu), exp_epsilon=gamma)
    right = [mass(mu, a) - gamma * mass(nu, a) for a in EVENTS]
    left = [mass(nu, a) - gamma * mass(mu, a) for a in EVENTS]
    assert (
        worst.right_excess
        == max(right)
        == mass(mu, worst.right_event) - gamma * mass(nu, worst.right_event)
    )
    assert (
        worst.left_excess
        == max(left)
        == mass(nu, worst.left_event) - gamma * mass(mu, worst.left_event)
    )


@given(laws, laws, st.fractions(0, 1, max_denominator=12))
@settings(max_examples=80)
def test_the_smallest_epsilon(mu, nu, delta):
    p, q = pmf(mu), pmf(nu)
    epsilon = smallest_epsilon(p, q, delta=delta)
    if epsilon.is_infinite:
        assert not is_close(p, q, exp_epsilon=10**40, delta=delta)
        return
    assert is_close(p, q, exp_epsilon=epsilon.exp, delta=delta)
    if epsilon.exp > 1:
        assert not is_close(p, q, exp_epsilon=epsilon.exp - Fraction(1, 10**30), delta=delta)


def test_transcendental_epsilon_is_decided_at_equality():
    truth = Exact.exp("1/2") / (1 + Exact.exp("1/2"))
    mu = FinitePmf({"yes": truth, "no": 1 - truth})
    nu = FinitePmf({"yes": 1 - truth, "no": truth})
    assert is_close(mu, nu, exp_epsilon=Exact.exp("1/2"), delta=0)
    assert not is_close(mu, nu, exp_epsilon=Exact.exp("0.49999999"), delta=0)
    least = smallest_delta(mu, nu, exp_epsilon=1)
    assert least == 2 * truth - 1
    assert is_close(mu, nu, exp_epsilon=1, delta=least)
    assert smallest_epsilon(mu, nu, delta=0) == Epsilon.rational("1/2")


def test_directions_differ():
    # The mass at 2 is 1/3 against 0: only ν(A) <= γ·μ(A) + δ is at stake.
    mu, nu = FinitePmf({0: 1}), FinitePmf({0: "2/3", 2: "1/3"})
    worst = worst_events(mu, nu, exp_epsilon=2)
    assert (worst.right_event, worst.right_excess) == ((), 0)
    assert (worst.left_event, worst.left_excess) == ((2,), Exact("1/3"))


@pytest.mark.parametrize("gamma", [0, -1, 0.5, Epsilon.log(2)])
def test_exp_epsilon_is_checked(gamma):
    mu = FinitePmf.point(0)
    with pytest.raises(DomainError, match="exp_epsilon"):
        is_close(mu, mu, exp_epsilon=gamma, delta=0)


def test_delta_is_checked():
    mu = FinitePmf.point(0)
    with pytest.raises(DomainError, match="delta"):
        is_close(mu, mu, exp_epsilon=2, delta=0.1)
    with pytest.raises(DomainError, match="delta"):
        smallest_epsilon(mu, mu, delta=2)
