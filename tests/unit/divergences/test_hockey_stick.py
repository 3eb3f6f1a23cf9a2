"""Hockey-stick divergences with answers that can be checked by hand."""

from fractions import Fraction

import pytest
from flint import fmpz

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    hockey_stick_both_directions,
    hockey_stick_divergence,
    hockey_stick_event,
    total_variation,
)
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Rounding, decimal

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


@pytest.mark.parametrize(
    ("exp_epsilon", "delta"),
    [
        (0, "1"),  # an empty second term
        ("1/4", "3/4"),  # 1 - 1/4: below every ratio the whole of P counts
        ("1/3", "2/3"),  # the ratio of the second outcome: it contributes zero
        (1, "1/2"),
        (2, "1/4"),
        (3, "0"),  # the ratio of the first outcome: it contributes zero
        (100, "0"),
    ],
)
def test_randomized_response(exp_epsilon, delta):
    assert hockey_stick_divergence(COIN, exp_epsilon=exp_epsilon) == Exact(delta)


def test_transcendental_epsilon_gives_an_exact_expression():
    gamma = Epsilon.rational("1/2").exp
    assert hockey_stick_divergence(COIN, exp_epsilon=gamma) == (3 - gamma) / 4


def test_mass_where_q_has_none_counts_at_every_epsilon():
    pair = Pair.from_masses(["1/10", "9/10"], [0, 1])
    assert hockey_stick_divergence(pair, exp_epsilon=10**100) == Exact("1/10")


def test_the_two_directions_differ():
    pair = Pair.from_masses(["1/10", "9/10"], [0, 1])
    assert hockey_stick_divergence(pair.reversed(), exp_epsilon="10/9") == 0
    assert hockey_stick_both_directions(pair, exp_epsilon="10/9") == Exact("1/10")
    assert hockey_stick_both_directions(pair.reversed(), exp_epsilon="10/9") == Exact("1/10")


def test_disjoint_and_equal_laws():
    disjoint = Pair.from_masses([1, 0, 0], [0, 1, 0])
    assert total_variation(disjoint) == 1
    assert hockey_stick_divergence(disjoint, exp_epsilon=Exact.exp(50)) == 1
    same = Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"])
    assert total_variation(same) == 0


def test_event_leaves_out_the_threshold_and_keeps_labels():
    p = FinitePmf({"a": "1/2", "b": "1/4", "c": "1/4"})
    q = FinitePmf({"a": "1/4", "b": "1/4", "d": "1/2"})
    pair = Pair.from_pmfs(p, q)
    assert hockey_stick_event(pair, exp_epsilon=1) == ["a", "c"]
    assert hockey_stick_event(pair, exp_epsilon=2) == ["c"]
    assert hockey_stick_event(pair, exp_epsilon="1/2") == ["a", "b", "c"]
    assert hockey_stick_event(pair, exp_epsilon=0) == ["a", "b", "c"]


def test_event_of_a_pair_without_outcomes_is_of_indices():
    pair = Pair([fmpz(1), fmpz(3)], [fmpz(3), fmpz(1)], fmpz(4), fmpz(4))
    assert hockey_stick_event(pair, exp_epsilon=2) == [1]


def test_ratios_of_powers_of_e_are_decided_exactly():
    # Truth-telling with odds e^(1/2): nothing is left at exactly that epsilon.
    odds = Exact.exp("1/2")
    pair = Pair.from_masses(
        [odds / (1 + odds), 1 / (1 + odds)], [1 / (1 + odds), odds / (1 + odds)]
    )
    assert hockey_stick_divergence(pair, exp_epsilon=odds) == 0
    assert hockey_stick_event(pair, exp_epsilon=odds) == []
    assert total_variation(pair) == (odds - 1) / (odds + 1)
    below = Epsilon.rational("0.499").exp
    assert hockey_stick_divergence(pair, exp_epsilon=below) == (odds - below) / (1 + odds)


def test_one_law_rational_and_the_other_not():
    e = Exact.exp(1)
    pair = Pair.from_masses(["1/2", "1/2", 0], [1 / e, 0, 1 - 1 / e])
    assert hockey_stick_divergence(pair, exp_epsilon=1) == Exact("1") - 1 / e
    assert hockey_stick_divergence(pair, exp_epsilon=e / 2) == Exact("1/2")
    assert hockey_stick_divergence(pair.reversed(), exp_epsilon=1) == Exact("1") - 1 / e


@pytest.mark.parametrize("offset", [1, 0, -1])
def test_integer_weights_closer_to_a_transcendental_threshold_than_the_bracket(offset):
    # w = floor(e * 10^300) + offset: the ratio differs from e by about 10^-300.
    e = Exact.exp(1)
    scale = fmpz(10) ** 300
    digits = decimal(e, digits=301, rounding=Rounding.DOWN)
    w = fmpz(digits.replace(".", "")) + offset
    pair = Pair([w, w], [scale, 2 * w - scale], 2 * w, 2 * w)
    event = hockey_stick_event(pair, exp_epsilon=e)
    assert event == ([0] if offset == 1 else [])
    expected = (w - e * scale) / (2 * w) if offset == 1 else 0
    assert hockey_stick_divergence(pair, exp_epsilon=e) == expected


def test_unreduced_weights_and_different_totals():
    pair = Pair([fmpz(30), fmpz(10)], [fmpz(1), fmpz(3)], fmpz(40), fmpz(4))
    assert hockey_stick_divergence(pair, exp_epsilon=2) == Exact("1/4")
    assert hockey_stick_divergence(pair.reversed(), exp_epsilon=2) == Exact("1/4")


@pytest.mark.parametrize("function", [hockey_stick_divergence, hockey_stick_event])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "exp_epsilon=-1 is negative"),
        (Fraction(-1, 2), "exp_epsilon=-1/2 is negative"),
        (0.5, "exp_epsilon=0.5 is a float"),
        (Epsilon.log(2), "is an Epsilon, not e^epsilon"),
        (1 - Exact.exp(1), "is negative"),
    ],
)
def test_bad_exp_epsilon(function, value, message):
    with pytest.raises(DomainError) as caught:
        function(COIN, exp_epsilon=value)
    assert message in str(caught.value)
