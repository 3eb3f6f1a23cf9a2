"""Pairs of laws: δ, events, ε and the max divergence, with answers that are checked by hand."""

import math

import pytest
from flint import fmpz

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    hockey_stick_divergence,
    total_variation,
)
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Rounding, decimal

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
LOPSIDED = Pair.from_masses(["1/10", "9/10"], [0, 1])
E = Exact.exp(1)
ODDS = Exact.exp("1/2")
E_COIN = Pair.from_masses([ODDS / (1 + ODDS), 1 / (1 + ODDS)], [1 / (1 + ODDS), ODDS / (1 + ODDS)])
MIXED = Pair.from_masses(["1/2", "1/2", 0], [1 / E, 0, 1 - 1 / E])
UNREDUCED = Pair([fmpz(30), fmpz(10)], [fmpz(1), fmpz(3)], fmpz(40), fmpz(4))


@pytest.mark.parametrize(
    ("pair", "epsilon", "delta"),
    [
        (COIN, Epsilon.log("1/4"), "3/4"),  # 1 - 1/4: below every ratio the whole of P counts
        (COIN, Epsilon.log("1/3"), "2/3"),  # the ratio of the second outcome: it adds zero
        (COIN, Epsilon.log(1), "1/2"),
        (COIN, Epsilon.log(2), "1/4"),
        (COIN, Epsilon.log(3), 0),  # the ratio of the first outcome: it adds zero
        (COIN, Epsilon.log(100), 0),
        (COIN, Epsilon.rational("1/2"), (3 - ODDS) / 4),
        (UNREDUCED, Epsilon.log(2), "1/4"),
        (UNREDUCED.reversed(), Epsilon.log(2), "1/4"),
        (LOPSIDED, Epsilon.log(10**100), "1/10"),  # mass where Q has none counts at every ε
        (LOPSIDED, Epsilon.log("10/9"), "1/10"),
        (LOPSIDED.reversed(), Epsilon.log("10/9"), 0),
        (Pair.from_masses([1, 0, 0], [0, 1, 0]), Epsilon.rational(50), 1),
        (Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"]), Epsilon.log(1), 0),
        # Truth-telling with odds e^(1/2): nothing is left at exactly that epsilon.
        (E_COIN, Epsilon.rational("1/2"), 0),
        (E_COIN, Epsilon.log(1), (ODDS - 1) / (ODDS + 1)),
        (E_COIN, Epsilon.rational("0.499"), (ODDS - Exact.exp("0.499")) / (1 + ODDS)),
        # One law rational and the other not.
        (MIXED, Epsilon.log(1), 1 - 1 / E),
        (MIXED, Epsilon(E / 2), "1/2"),
        (MIXED.reversed(), Epsilon.log(1), 1 - 1 / E),
    ],
)
def test_delta(pair, epsilon, delta):
    assert pair.delta(epsilon) == hockey_stick_divergence(pair, epsilon) == Exact(delta)
    assert pair.losses().delta(epsilon) == Exact(delta)
    assert total_variation(pair) == pair.delta(Epsilon.log(1))


def test_an_enclosure_where_a_width_is_asked():
    found = COIN.delta(Epsilon.log(2), relative_width="1e-3")
    assert (found.lower, found.upper) == (Exact("1/4"), Exact("1/4"))
    found = COIN.delta(Epsilon.rational("1/2"), relative_width="1e-3")
    assert found.contains((3 - ODDS) / 4)
    assert 0 < found.width * 1000 <= found.lower
    found = COIN.epsilon("1/4", relative_width="1e-3")
    assert isinstance(found, Enclosure)
    assert Epsilon.rational(found.lower) < Epsilon.log(2) < Epsilon.rational(found.upper)
    assert LOPSIDED.epsilon("1/20", relative_width="1e-3").is_infinite


def test_both_directions():
    for pair in (LOPSIDED, LOPSIDED.reversed()):
        assert pair.both_directions().delta(Epsilon.log("10/9")) == Exact("1/10")
        assert pair.both_directions().max_divergence().is_infinite
        assert pair.both_directions().infinity_mass() == Exact("1/10")


def test_event_leaves_out_the_threshold_and_keeps_labels():
    p = FinitePmf({"a": "1/2", "b": "1/4", "c": "1/4"})
    q = FinitePmf({"a": "1/4", "b": "1/4", "d": "1/2"})
    pair = Pair.from_pmfs(p, q)
    assert pair.event(Epsilon.log(1)) == ["a", "c"]
    assert pair.event(Epsilon.log(2)) == ["c"]
    assert pair.event(Epsilon.log("1/2")) == ["a", "b", "c"]
    assert E_COIN.event(Epsilon.rational("1/2")) == []


def test_event_of_a_pair_without_outcomes_is_of_indices():
    pair = Pair([fmpz(1), fmpz(3)], [fmpz(3), fmpz(1)], fmpz(4), fmpz(4))
    assert pair.event(Epsilon.log(2)) == [1]


@pytest.mark.parametrize("offset", [1, 0, -1])
def test_integer_weights_closer_to_a_transcendental_threshold_than_the_bracket(offset):
    # w = floor(e * 10^300) + offset: the ratio differs from e by about 10^-300.
    scale = fmpz(10) ** 300
    digits = decimal(E, digits=301, rounding=Rounding.DOWN)
    w = fmpz(digits.replace(".", "")) + offset
    pair = Pair([w, w], [scale, 2 * w - scale], 2 * w, 2 * w)
    assert pair.event(Epsilon.rational(1)) == ([0] if offset == 1 else [])
    expected = (w - E * scale) / (2 * w) if offset == 1 else 0
    assert pair.delta(Epsilon.rational(1)) == expected


@pytest.mark.parametrize(
    ("pair", "forward", "backward"),
    [
        (
            Pair.from_masses(["3/4", "1/4", 0], ["1/2", "1/2", 0]),
            Epsilon.log("3/2"),
            Epsilon.log(2),
        ),
        (LOPSIDED, Epsilon.infinity(), Epsilon.log("10/9")),
        (Pair.from_masses(["1/3", "2/3", 0], ["1/3", "2/3", 0]), Epsilon.log(1), Epsilon.log(1)),
        (E_COIN, Epsilon.rational("1/2"), Epsilon.rational("1/2")),
        (
            Pair.from_masses(["1/2", "1/2"], [1 / E, 1 - 1 / E]),
            Epsilon(E / 2),
            Epsilon(2 * (1 - 1 / E)),
        ),
        (UNREDUCED, Epsilon.log(3), Epsilon.log(3)),
    ],
)
def test_max_divergence(pair, forward, backward):
    assert pair.max_divergence() == pair.losses().max_divergence() == forward
    assert pair.reversed().max_divergence() == pair.losses().reversed().max_divergence() == backward
    assert pair.both_directions().max_divergence() == max(forward, backward)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "not finite"),
        (Epsilon.infinity(), "infinite"),
    ],
)
def test_bad_epsilon(value, message):
    for question in (COIN.delta, COIN.event, COIN.losses().delta, COIN.both_directions().delta):
        with pytest.raises(DomainError, match=message):
            question(value)


def test_no_event_is_told_at_an_epsilon_that_is_not_exact():
    with pytest.raises(DomainError, match="not a rational number of nats"):
        COIN.event(Exact.exp(2))


# --- subsampling ------------------------------------------------------------------


def test_a_subsampled_pair_is_the_mixture_against_the_base():
    # The identities of Balle, Barthe and Gaboardi at rate q, outcome by outcome:
    # H_γ(μ ‖ μ0) = q·H_γ'(μ1 ‖ μ0), γ' = 1 + (γ − 1)/q; and with c = 1 − γ(1 − q) > 0
    # H_γ(μ0 ‖ μ) = c·H_(γq/c)(μ0 ‖ μ1).
    pair = Pair.from_pmfs(
        FinitePmf({"a": "1/2", "b": "1/3", "c": "1/6"}), FinitePmf({"a": "1/4", "b": "3/4"})
    )
    q = Exact("1/3")
    mixture = pair.subsampled("1/3")
    assert mixture.outcomes == pair.outcomes
    for gamma in (Exact("4/5"), Exact(1), Exact("5/4"), Exact("4/3"), Exact.exp("1/5")):
        removed = q * pair.delta(Epsilon(1 + (gamma - 1) / q))
        assert mixture.delta(Epsilon(gamma)) == removed
        c = 1 - gamma * (1 - q)
        added = c * pair.reversed().delta(Epsilon(gamma * q / c))
        assert mixture.reversed().delta(Epsilon(gamma)) == added
    assert mixture.delta(Epsilon.log("1/2")) == Exact("1/2")  # 1 - γ below 1 - q
    assert mixture.reversed().delta(Epsilon.log("3/2")) == 0  # c = 0
    assert pair.subsampled(0).delta(Epsilon.log(1)) == 0
    assert pair.subsampled(1).masses() == pair.masses()
    with pytest.raises(DomainError, match="rate="):
        pair.subsampled("4/3")
