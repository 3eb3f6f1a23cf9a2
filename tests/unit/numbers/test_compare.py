"""Comparisons that may stay open, and who says what an open one counts as."""

from fractions import Fraction

import pytest

from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Real,
    certainly_below,
    certainly_not_below,
    decided_below,
    decided_order,
    is_below,
    is_log_below,
    log,
    sqrt,
)
from exactdp.truth import Truth

TWO = sqrt(2) * sqrt(2)  # not to be told from 2
HALF = Real(lambda: Exact("1/2").ball(64), "one half")  # a ball without radius


@pytest.mark.parametrize(
    ("a", "b", "truth"),
    [
        (Exact(1), Exact(2), Truth.TRUE),
        (Exact(2), Exact(2), Truth.FALSE),
        (Exact(3), Exact(2), Truth.FALSE),
        (log(2), Exact("7/10"), Truth.TRUE),
        (Exact("7/10"), log(2), Truth.FALSE),
        (TWO, Exact(2), Truth.UNKNOWN),
    ],
)
def test_each_helper_says_its_side(a, b, truth):
    assert is_below(a, b, max_bits=256) is truth
    assert certainly_below(a, b, max_bits=256) == (truth is Truth.TRUE) == truth.is_certain
    assert certainly_not_below(a, b, max_bits=256) == (truth is Truth.FALSE)
    assert truth.is_possible == (truth is not Truth.FALSE)
    assert truth.is_open == (truth is Truth.UNKNOWN)
    if truth.is_open:
        for decide in (decided_below, decided_order):
            with pytest.raises(UndecidedError, match="Take another"):
                decide(a, b, max_bits=256, advice="Take another.")
    else:
        assert decided_below(a, b, max_bits=256, advice="") == truth.is_certain
        order = decided_order(a, b, max_bits=256, advice="")
        assert order == (-1 if truth.is_certain else int(a is not b and a != b))


def test_equal_numbers_without_doubt_are_neither_below():
    assert decided_order(HALF, Exact("1/2"), advice="") == 0
    assert decided_order(Exact("1/2"), HALF, advice="") == 0
    assert decided_order(Exact("1/2"), Exact("2/4"), advice="") == 0


@pytest.mark.parametrize("bits", [10, 30_000])
def test_epsilons_are_always_decided(bits):
    """ln γ against a rational number of nats, a hair apart: e^ε decides it."""
    e, hair = Exact.exp(1), Exact(Fraction(1, 2**bits))
    one = Epsilon.rational(1)
    assert is_log_below(e - hair, one) is Truth.TRUE
    assert is_log_below(e, one) is Truth.FALSE
    assert is_log_below(e + hair, one) is Truth.FALSE
    by_a_real = Truth.TRUE if bits == 10 else Truth.UNKNOWN
    assert is_log_below(e - hair, Real(lambda: Exact(1).ball(64), "1")) is by_a_real


def test_enclosures_are_at_most_what_they_do_not_overlap():
    third = Enclosure(Fraction(1, 4), Fraction(1, 3))
    for other, truth in (
        (Enclosure(Fraction(1, 3), Fraction(1, 2)), Truth.TRUE),
        (Enclosure(Fraction(1, 5), Fraction(6, 25)), Truth.FALSE),
        (Enclosure(Fraction(1, 5), Fraction(1, 4)), Truth.UNKNOWN),
        (Enclosure(Fraction(2, 7), Fraction(1, 2)), Truth.UNKNOWN),
        (Fraction(1, 3), Truth.TRUE),
        (Exact("1/3"), Truth.TRUE),
        (Exact.exp("-1"), Truth.TRUE),
        (Fraction(1, 4), Truth.UNKNOWN),
        (Fraction(1, 5), Truth.FALSE),
    ):
        assert third.is_at_most(other) is truth


def test_a_truth_is_no_bool():
    with pytest.raises(TypeError, match="is_certain, is_possible or is_open"):
        bool(Truth.TRUE)
