"""Computable reals, three-valued comparison, and the one place that sets precision."""

import math
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactdp import numbers
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Real,
    Rounding,
    cos,
    decimal,
    enclosure,
    exp,
    is_below,
    log,
    normal_cdf,
    normal_pdf,
    pi,
    precision,
    sqrt,
    working_bits,
)
from exactdp.numbers.balls import normal_cdf_of
from exactdp.numbers.effort import spend
from exactdp.truth import Truth
from tests.routes.reals import fraction_of, mpf_of

E = Exact.exp(1)


# --- three-valued answers ---------------------------------------------------------


@pytest.mark.parametrize("truth", Truth)
def test_a_truth_is_no_bool(truth):
    with pytest.raises(TypeError, match="three-valued"):
        bool(truth)
    with pytest.raises(TypeError, match="three-valued"):
        _ = not truth


def test_comparisons_are_decided_or_unknown():
    assert is_below(log(2), Exact("0.6931472")) is Truth.TRUE
    assert is_below(Exact("0.6931472"), log(2)) is Truth.FALSE
    assert is_below(sqrt(2) * sqrt(2), Exact(2), max_bits=256) is Truth.UNKNOWN
    assert is_below(log(E), Exact(1), max_bits=256) is Truth.UNKNOWN
    # Inside the exact field every question is decided, equality too.
    assert is_below(E * E, Exact.exp(2)) is Truth.FALSE
    assert is_below(E, E + Exact("1e-400")) is Truth.TRUE
    # A difference of 10^-100 needs more bits than the budget, then enough.
    near = sqrt(2) + Exact("1e-100")
    assert is_below(sqrt(2), near, max_bits=256) is Truth.UNKNOWN
    assert is_below(sqrt(2), near, max_bits=1024) is Truth.TRUE


# --- values -----------------------------------------------------------------------


@given(st.fractions(-20, 20, max_denominator=12))
def test_functions_are_those_of_a_second_engine(x):
    with mpmath.workdps(60):
        point = mpf_of(x)
        truths = {
            exp: mpmath.exp(point),
            cos: mpmath.cos(point),
            normal_cdf: mpmath.ncdf(point),
            normal_pdf: mpmath.npdf(point),
        }
        if x > 0:
            truths |= {log: mpmath.log(point), sqrt: mpmath.sqrt(point)}
        if log in truths and x == 1:
            del truths[log]  # zero, of which no digit is first
        for function, truth in truths.items():
            found = enclosure(function(x), relative_bits=150)
            value = fraction_of(truth)
            error = abs(value) / 10**40  # of mpmath, with 60 digits
            assert found.lower - error <= value <= found.upper + error


@pytest.mark.parametrize("x", ["131071/2", "65537", "1000000", "123456789/7"])
def test_far_below_the_mean_the_normal_law_keeps_its_digits(x):
    exact = Exact(x)
    with mpmath.workdps(80):
        point = mpf_of(x)
        truth = mpmath.erfc(point / mpmath.sqrt(2)) / 2
        assert decimal(normal_cdf(-exact), digits=30) == mpmath.nstr(truth, 30, strip_zeros=False)
    for bits in (64, 300, 4096):
        y = (exact.ball(bits)).mid()
        with precision(bits):
            point = -y * arb(2).sqrt()
            found, around = normal_cdf_of(point), normal_cdf_of(point * arb(1, "1e-5"))
            assert found.rel_accuracy_bits() > bits - 60
            assert all(around.contains(normal_cdf_of(point * (1 + s))) for s in (1e-6, 0, -1e-6))
        with precision(2 * bits + 200):  # FLINT's erfc is narrow where its argument is one number
            assert found.contains(y.erfc() / 2)


def test_arithmetic_with_exact_numbers():
    for left, right in [
        (pi + 1, 1 + pi),
        (pi - E, -(E - pi)),
        (pi * Fraction(1, 2), pi / 2),
        (2 / pi, 1 / (pi / 2)),
        (pi**2, pi * pi),
    ]:
        assert decimal(left, digits=60) == decimal(right, digits=60)
    assert repr(log(2) + 1) == "Real(1.6931471805599453: (log(2) + 1))"
    for wrong in ("1/2", None, True):
        with pytest.raises(TypeError):
            pi + wrong
        with pytest.raises(TypeError):
            wrong - pi


# --- precision --------------------------------------------------------------------

CALLS = {
    "arithmetic": lambda: (E + 1) / (Exact.exp("1/2") - 1) ** 3,
    "order": lambda: Exact.exp("1/2") < Exact.exp("0.5000000001"),
    "sign": lambda: (E - Exact("2.71828")).sign(),
    "ball": lambda: E.ball(1000),
    "expression": lambda: E.expression(),
    "decimal": lambda: decimal(E, digits=500),
    "decimal of a rational": lambda: decimal(Exact("1/3"), rounding=Rounding.UP),
    "decimal of a real": lambda: decimal(pi, digits=100),
    "undecided decimal": lambda: decimal(sqrt(2) * sqrt(2) - 2),
    "enclosure": lambda: enclosure(E, relative_bits=777),
    "undecided enclosure": lambda: enclosure(sqrt(2) * sqrt(2) - 2),
    "doubles": lambda: (numbers.float_below(E), numbers.float_above(log(3))),
    "is_below": lambda: is_below(log(2), sqrt(2)),
    "undecided": lambda: is_below(sqrt(2) ** 2, Exact(2), max_bits=512),
    "is_ratio_above": lambda: numbers.is_ratio_above(E, Exact(1), E),
    "epsilon": lambda: (Epsilon.log(2) < Epsilon.rational("0.7"), Epsilon.log(4).divided(2)),
    "functions": lambda: [f(2).ball(200) for f in (log, exp, sqrt, cos, normal_cdf, normal_pdf)],
    "a rule that fails": lambda: Real(lambda: 1 / flint.fmpz(0), "broken").ball(100),
    "a refused float": lambda: Exact(0.5),
    "too large": lambda: Exact.exp("1/2") + Exact.exp("0.5000000001"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("bits", [2, 53, 1234])
def test_no_call_changes_the_precision_of_the_process(call, bits):
    old = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        with suppress(DomainError, TooLargeError, UndecidedError, ZeroDivisionError):
            call()
        assert flint.ctx.prec == bits
    finally:
        flint.ctx.prec = old


def test_answers_do_not_depend_on_the_precision_of_the_process():
    def answers():
        return (
            decimal(E * pi, digits=40),
            enclosure(E, relative_bits=80),
            numbers.float_below(log(3)),
            (E - Exact("2.718281828459045235360287471352")).sign(),
            Exact.exp("1/2") < Exact.exp("0.5000000001"),
        )

    expected = answers()
    for bits in (2, 4000):
        with precision(bits):
            assert answers() == expected


def test_precision_is_a_block():
    before = working_bits()
    with precision(300):
        assert working_bits() == 300
        with precision(70):
            assert working_bits() == 70
        assert working_bits() == 300
    with pytest.raises(RuntimeError, match="inside"), precision(80):
        raise RuntimeError("inside")
    assert working_bits() == before


def test_reals_are_rounded():
    assert round(numbers.sqrt(2), 3) == Fraction(1414, 1000)
    assert round(-numbers.log(2)) == -1


def test_reals_are_compared_where_balls_tell():
    root = numbers.sqrt(2)
    assert 1.414 < root <= Fraction(1415, 1000) and not root > 2 and root < Exact.exp(1)
    assert root != 1.4142135623730951 and numbers.sqrt(4) == 2.0 and root == root
    assert (
        numbers.log(2) != root and root != numbers.sqrt(2) and -math.inf < root < math.inf != root
    )
    for open_question in (
        lambda: root * root == 2,
        lambda: root * root < 2,
        lambda: root * root <= 2,
        lambda: numbers.sqrt(2) < root,
    ):
        with pytest.raises(UndecidedError, match=r"is not decided\. Ask for a narrower"):
            open_question()
    for wide in (Decimal("1.5"), np.float32(1.5), np.int64(2), fmpq(3, 2), Fraction(3, 2), 2):
        assert root < wide and wide > root and not root > wide and root != wide and wide != root
        assert not wide <= root and root <= wide
    with pytest.raises(TypeError):
        root < "2"  # noqa: B015
    with pytest.raises(DomainError, match="nan is not finite"):
        root < math.nan  # noqa: B015
    assert root != "2" and root is not None


def test_a_real_is_the_nearest_double():
    assert float(numbers.sqrt(2)) == math.sqrt(2) and float(-numbers.log(2)) == -math.log(2)
    assert float(Exact(1) / 3) == 1 / 3 and float(Exact("1e400")) == math.inf
    one = numbers.sqrt(2) * numbers.sqrt(2) / 2
    with pytest.raises(UndecidedError, match=r"float_below\(x\) or float_above\(x\)"):
        float(one + Fraction(1, 2**53))  # midway between two doubles


def test_what_cannot_be_told_is_printed_as_what_it_is():
    def fails():
        raise UndecidedError("it is not told. Ask for an enclosure.")

    def takes_long():
        spend(10**9)
        return arb(1)

    assert repr(Real(fails, "a rule")) == "Real(a rule)"
    assert str(Real(takes_long, "a long rule")) == "a long rule"
    assert str(log(2) - log(2)) == "(log(2) - log(2))"
    assert str(Real(lambda: arb(0), "nothing")) == "0"
