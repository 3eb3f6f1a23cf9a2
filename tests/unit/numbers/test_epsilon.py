"""Epsilon: a privacy parameter whose exponential is exact."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, ParseError
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal, log
from exactdp.testing import epsilons

law = settings(max_examples=100)

INFINITY = Epsilon.infinity()


@law
@given(epsilons(), epsilons(), st.integers(-4, 4))
def test_arithmetic_is_that_of_the_exponentials(a, b, times):
    assert (a + b).exp == a.exp * b.exp
    assert (a - b).exp == a.exp / b.exp
    assert (-a).exp * a.exp == 1
    assert (times * a).exp == (a * times).exp == a.exp**times
    assert (a < b) is (a.exp < b.exp)
    assert (a == b) is (a.exp == b.exp)
    assert a + b - b == a
    assert hash(a + b) == hash(b + a)


@law
@given(epsilons(), st.integers(1, 6))
def test_division_undoes_multiplication(epsilon, n):
    assert (n * epsilon).divided(n) == epsilon


def test_both_kinds():
    assert Epsilon.log(3).exp == 3
    assert Epsilon.rational("1/2").exp == Exact.exp("1/2")
    assert Epsilon.rational("0.1") != Epsilon.from_float_exactly(0.1)
    assert Epsilon.from_float_exactly(0.1).exp == Exact.exp(Fraction(0.1))
    assert Epsilon.log(1) == Epsilon.rational(0)
    assert Epsilon.log(2) < Epsilon.rational("0.7") < Epsilon.log(3)
    assert Epsilon.rational("3/7").nats == Exact("3/7")
    assert decimal(Epsilon.log(2).nats, digits=10) == "0.6931471806"


def test_infinity():
    one = Epsilon.rational(1)
    assert INFINITY.is_infinite
    assert not one.is_infinite
    assert one < INFINITY
    assert not INFINITY < INFINITY
    assert Epsilon.infinity() == INFINITY
    assert hash(INFINITY) == hash(Epsilon.infinity())
    assert one + INFINITY == INFINITY + one == 3 * INFINITY == INFINITY - one == INFINITY
    assert max(one, INFINITY) is INFINITY
    assert INFINITY.divided(3) is INFINITY
    for question in (lambda: INFINITY.exp, lambda: INFINITY.nats, lambda: -INFINITY):
        with pytest.raises(DomainError, match="infinite"):
            question()


def test_refusals():
    with pytest.raises(DomainError, match="epsilon=nan is not finite"):
        Epsilon.rational(math.nan)
    with pytest.raises(DomainError, match="exp_epsilon=inf is not finite"):
        Epsilon.log(math.inf)
    with pytest.raises(ParseError):
        Epsilon.log("ln 3")
    for value in (0, -1):
        with pytest.raises(DomainError, match=rf"exp_epsilon={value} must be positive"):
            Epsilon.log(value)
    with pytest.raises(DomainError, match="must be positive"):
        Epsilon(Exact(2) - Exact.exp(1))
    for wrong in (1, 0.5, "1/2"):
        with pytest.raises(TypeError):
            Epsilon.log(3) + wrong
    with pytest.raises(TypeError):
        Epsilon.log(3) < "1/2"  # noqa: B015
    assert Epsilon.log(3) != 1 and Epsilon.log(3) != "1/2"
    with pytest.raises(TypeError):
        Epsilon.log(3) * Fraction(1, 2)


@pytest.mark.parametrize("n", [0, -1, True, 2.0, Fraction(2)])
def test_division_needs_a_positive_int(n):
    with pytest.raises(DomainError, match="must be an int of at least 1"):
        Epsilon.log(4).divided(n)


def test_division_stays_in_the_field_or_is_refused():
    assert Epsilon.rational(1).divided(3) == Epsilon.rational("1/3")
    assert Epsilon.log("8/27").divided(3) == Epsilon.log("2/3")
    square = Epsilon((Exact.exp(1) + 1) ** 2 * Exact.exp("1/2") / 9)
    assert 2 * square.divided(2) == square
    e = Exact.exp(1)
    assert Epsilon((3 - e) ** 2).divided(2) == Epsilon(3 - e)
    assert Epsilon((3 - e) ** 3 / (e + 1) ** 6).divided(3) == Epsilon((3 - e) / (e + 1) ** 2)
    for epsilon in (Epsilon.log(3), Epsilon.log("4/3"), Epsilon(e + 1), Epsilon(2 * e)):
        with pytest.raises(DomainError, match="outside the exact field"):
            epsilon.divided(2)


def test_digits_of_an_epsilon_are_those_of_its_nats():
    three = Epsilon.log(3)
    assert (f"{three:.4f}", f"{three:.2e}", round(three, 3)) == (
        "1.0986",
        "1.10e+00",
        Exact("1.099"),
    )
    assert f"{Epsilon.rational('1/8'):.2f}" == "0.12"  # ties to even
    assert f"{Epsilon.infinity():.3f}" == "infinity"


def test_a_number_is_one_of_nats():
    half = Epsilon.rational("1/2")
    for other in (0.5, np.float64(0.5), np.float32(0.5), Fraction(1, 2), Exact("1/2")):
        assert half == other and other == half and hash(half) == hash(other)
        assert half <= other < Epsilon.log(2) and other >= half
    assert Epsilon.log(2) != 0.6931471805599453 and Epsilon.log(2) > Fraction(0.6931471805599453)
    assert Epsilon.log(2) < log(3) < 2 and Epsilon.log(2) <= Enclosure(Fraction(1), Fraction(2))
    assert float(Epsilon.log(2)) == math.log(2) and float(Epsilon.infinity()) == math.inf
    assert half < math.inf == Epsilon.infinity() > 10**9 and not half < -math.inf
    assert Epsilon.infinity() >= half and not Epsilon.infinity() < 5
    assert len({half, 0.5, Epsilon.infinity(), math.inf}) == 2


def test_doubles_are_kept():
    assert Epsilon.from_float_exactly(np.float32(0.3)) == Epsilon.rational(Fraction(5033165, 2**24))
    for wrong in (float("inf"), float("nan"), "0.5"):
        with pytest.raises(DomainError, match="not a finite float"):
            Epsilon.from_float_exactly(wrong)
    with pytest.raises(ParseError, match="epsilon='e\\^2' is not rational"):
        Epsilon.rational("e^2")
