"""Sums in balls: each operation beside the value of the same term without them."""

from fractions import Fraction

import pytest

from exactdp.claims import (
    Term,
    finite_pair,
    function,
    hockey_stick,
    named,
    positive_part,
    sum_over,
    term,
    value,
    when,
)
from exactdp.claims.in_balls import InBalls
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Exact

X = named("x", function("exp", Fraction(1, 3)))
COIN = finite_pair(["3/4", "1/4"], ["1/4", "3/4"])

BODIES = {
    "powers": lambda i: X**i - X ** (0 - i),
    "quotients": lambda i: (i + 1) / (X + i) * -abs(X - i),
    "largest": lambda i: function("max", X, i) * function("min", i, X, 2),
    "parts": lambda i: positive_part(2 - X * i),
    "binomials": lambda i: function("binomial", 5, i) * X * function("binomial", 2, i),
    "cases": lambda i: when("<", X, i, X, when("!=", i, 1, when(">=", i, 2, 7, i), X)),
    "functions": lambda i: function("log", X + i) * function("cos", i) + function("sqrt", X * i),
    "normal": lambda i: function("normal_cdf", -X * i) * Term("pi"),
    "sums": lambda i: sum_over("j", i, 2 * i, lambda j: (i - j) * X**j),
    "laws": lambda i: X * hockey_stick(COIN, term(Fraction(1, 2)) + i),
    "zeros": lambda i: function("log", X) * (i - i),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_operation_in_a_sum_is_that_outside_of_it(body):
    asked = sum_over("i", 0, 5, body)
    found, expected = InBalls().number(asked).ball(128), value(asked).ball(128)
    assert found.overlaps(expected)
    assert found.is_exact() or found.rel_accuracy_bits() > 90


def test_a_sum_of_ratios_stays_one():
    assert InBalls().number(sum_over("i", 1, 3, lambda i: 1 / i)) == Exact("11/6")


def test_what_balls_do_not_tell_is_refused():
    tie = when("<", function("log", X), Fraction(1, 3), 0, X)
    with pytest.raises(UndecidedError, match="cannot be decided"):
        InBalls().number(sum_over("i", 0, 1, lambda _: tie))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (lambda i: X / (i - 1), "division by zero"),
        (lambda i: function("binomial", X, i), "not a whole number"),
        (lambda i: X**i * Term("variable", "j"), "outside of its sum"),
    ],
)
def test_what_has_no_value_is_refused(body, reason):
    with pytest.raises(DomainError, match=reason):
        InBalls().number(sum_over("i", 0, 1, body))
