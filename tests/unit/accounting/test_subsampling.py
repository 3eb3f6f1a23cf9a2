"""Subsampling: the identities against the explicit mixture and plain Fractions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import Subsampling
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.strategies import exact_pairs, rational_pairs

rates = st.fractions(0, 1, max_denominator=20)
gammas = st.fractions(0, 5, max_denominator=20)


@given(rational_pairs(), rates, gammas)
@settings(max_examples=100)
def test_identities_agree_with_the_mixture_in_fractions(pair, rate, gamma):
    laws = [(p.as_fraction(), q.as_fraction()) for p, q in pair.masses()]
    mixture = [((1 - rate) * q + rate * p, q) for p, q in laws]
    forward = sum(max(Fraction(0), m - gamma * q) for m, q in mixture)
    backward = sum(max(Fraction(0), q - gamma * m) for m, q in mixture)
    sampled = Subsampling.from_pair(pair, rate=rate)
    assert sampled.mixture_delta(exp_epsilon=gamma) == forward
    assert sampled.base_delta(exp_epsilon=gamma) == backward
    assert sampled.delta(exp_epsilon=gamma) == max(forward, backward)
    assert hockey_stick_divergence(sampled.mixture_against_base, exp_epsilon=gamma) == forward
    assert hockey_stick_divergence(sampled.base_against_mixture, exp_epsilon=gamma) == backward


@given(exact_pairs(), rates, gammas)
@settings(max_examples=25)
def test_identities_in_the_exact_field(pair, rate, gamma):
    sampled = Subsampling.from_pair(pair, rate=rate)
    for point in (Exact(gamma), Exact.exp("1/2"), 1 + Exact(rate) * (Exact.exp(1) - 1)):
        assert sampled.mixture_delta(exp_epsilon=point) == hockey_stick_divergence(
            sampled.mixture_against_base, exp_epsilon=point
        )
        assert sampled.base_delta(exp_epsilon=point) == hockey_stick_divergence(
            sampled.base_against_mixture, exp_epsilon=point
        )


@given(rational_pairs(), rates, st.fractions(1, 5, max_denominator=20))
def test_amplification(pair, rate, exp_epsilon):
    sampled = Subsampling.from_pair(pair, rate=rate)
    weaker = sampled.amplified(Epsilon.log(exp_epsilon)).exp
    assert weaker == 1 + rate * (exp_epsilon - 1)
    assert sampled.mixture_delta(exp_epsilon=weaker) == rate * hockey_stick_divergence(
        pair, exp_epsilon=exp_epsilon
    )


def test_extreme_rates():
    pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    never, always = (Subsampling.from_pair(pair, rate=rate) for rate in (0, 1))
    assert never.delta(exp_epsilon=1) == 0
    assert never.mixture_delta(exp_epsilon="1/2") == Exact("1/2")
    assert never.base_delta(exp_epsilon="1/2") == Exact("1/2")
    assert always.mixture_delta(exp_epsilon=2) == hockey_stick_divergence(pair, exp_epsilon=2)
    assert always.mixture_against_base.masses() == pair.masses()


def test_a_record_that_is_revealed_outright():
    # μ1 and μ0 are disjoint: whoever sees "in" knows. δ is the rate, whatever γ >= 1 is.
    sampled = Subsampling.from_pmfs(FinitePmf.point("in"), FinitePmf.point("out"), rate="1/10")
    assert sampled.mixture_delta(exp_epsilon=100) == Exact("1/10")
    # The other direction is 1 − γ·9/10.
    assert sampled.base_delta(exp_epsilon=1) == Exact("1/10")
    assert sampled.base_delta(exp_epsilon="10/9") == 0
    assert sampled.mixture_against_base.outcomes == ["in", "out"]


@pytest.mark.parametrize("rate", ["-1/2", 2, 0.5])
def test_rate_is_checked(rate):
    with pytest.raises(DomainError, match="rate"):
        Subsampling.from_pair(Pair.from_masses([1], [1]), rate=rate)


def test_exp_epsilon_is_checked():
    sampled = Subsampling.from_pair(Pair.from_masses([1], [1]), rate="1/2")
    for gamma in (-1, 0.5, Epsilon.log(2)):
        for divergence in (sampled.mixture_delta, sampled.base_delta, sampled.delta):
            with pytest.raises(DomainError, match="exp_epsilon"):
                divergence(exp_epsilon=gamma)
