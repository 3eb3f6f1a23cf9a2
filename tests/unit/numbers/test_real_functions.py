"""One formula in doubles, balls, exact numbers and series, and where doubles land."""

import math
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import BeyondRangeError, DomainError
from exactdp.numbers import (
    Exact,
    decimal,
    float_above,
    float_below,
    fmpq_of,
    is_below,
    log,
    precision,
    sqrt,
)
from exactdp.numbers.balls import ball_of_interval, endpoints, integer_in, nonnegative_ball
from exactdp.numbers.number_systems import Ball, BallFunctions, ExactFunctions, ExactValue
from exactdp.numbers.real_functions import (
    FloatFunctions,
    evaluate,
    evaluate_exact,
    evaluate_float,
    lower_float,
    nearest_float,
    upper_float,
)
from exactdp.numbers.taylor import SeriesFunctions
from exactdp.testing import fractions
from exactdp.truth import Truth
from tests.routes.reals import mpf_of

SMALL = st.fractions(min_value=-4, max_value=4, max_denominator=64)


def everything(f, *, x):
    """A formula that uses every function and every operator; x > 0."""
    y = f.exp(-x) + f.expm1(x / 3) * 2 - f.log(x) / 5 + f.log1p(x) ** 2
    z = f.sqrt(x) ** 3 - f.erf(x) + f.erfc(x) / f.pi + f.normal_cdf(-x) * f.constant("1/7")
    return f.maximum(y, z) + f.minimum(2 * y, 1 - z) + 1 / (1 + x**-2)


def everything_in_mpmath(x):
    m = mpmath
    y = m.exp(-x) + m.expm1(x / 3) * 2 - m.log(x) / 5 + m.log1p(x) ** 2
    z = m.sqrt(x) ** 3 - m.erf(x) + m.erfc(x) / m.pi + m.ncdf(-x) / 7
    return max(y, z) + min(2 * y, 1 - z) + 1 / (1 + x**-2)


# --- one formula, each system ------------------------------------------------------


@settings(max_examples=60)
@given(st.fractions(min_value=Fraction(1, 50), max_value=6, max_denominator=50))
def test_the_mathematics_agrees_with_another_engine(x):
    lower, upper = endpoints(evaluate(everything, x=x).ball(200))
    with mpmath.workprec(160):
        other = everything_in_mpmath(mpf_of(x))
        numerator, exponent = other.man_exp
    value = Fraction(int(numerator)) * Fraction(2) ** int(exponent)
    assert upper - lower < Fraction(1, 2**150)
    assert lower - Fraction(1, 2**140) < value < upper + Fraction(1, 2**140)


def test_doubles_are_the_operations_of_python():
    x = 1.25
    y = math.exp(-x) + math.expm1(x / 3) * 2 - math.log(x) / 5 + math.log1p(x) ** 2
    z = math.sqrt(x) ** 3 - math.erf(x) + math.erfc(x) / math.pi
    z = z + math.erfc(x / math.sqrt(2)) / 2 * (1 / 7)
    expected = max(y, z) + min(2 * y, 1 - z) + 1 / (1 + x**-2)
    assert evaluate_float(everything, x="5/4") == expected


def test_arguments_go_to_the_nearest_double_first():
    assert evaluate_float(lambda f, *, x: x, x="0.1") == 0.1
    assert evaluate_float(lambda f, *, x: x, x=Fraction(2**53 + 1)) == float(2**53)
    assert evaluate_float(lambda f, *, x: x, x=log(2)) == math.log(2)
    assert evaluate_float(lambda f, *, x: x, x=Exact.exp(1)) == math.e
    assert nearest_float(-sqrt(2)) == -math.sqrt(2)
    assert FloatFunctions().constant("1/3") == 1 / 3
    with pytest.raises(DomainError, match=r"x=nan is not finite"):
        evaluate(lambda f, *, x: x, x=float("nan"))


def test_integers_of_python_are_bound_by_the_caller():
    def power_sum(f, *, n, x):
        return sum((x**j for j in range(n)), f.constant(0))

    bound = partial(power_sum, n=3)
    assert evaluate_exact(bound, x="1/2") == Exact("7/4")
    assert evaluate_float(bound, x="1/2") == 1.75
    assert decimal(evaluate(bound, x="1/2"), digits=3) == "1.75"


def test_an_integer_argument_may_be_an_exponent():
    def power(f, *, n, x):
        return x**n

    assert evaluate_exact(power, n=5, x="1/2") == Exact("1/32")
    assert evaluate_float(power, n=5, x="1/2") == 1 / 32
    assert is_below(evaluate(power, n=10**9, x=2), Exact(2) ** 100) is Truth.FALSE
    assert evaluate_exact(power, n=10**9, x="1/3") is None  # too long for the field
    with pytest.raises(DomainError, match="not certainly an integer"):
        evaluate(power, n="1/2", x=2)


def test_constant_formulas_and_exact_arguments():
    assert evaluate(lambda f, *, x: 3, x=1).ball(64) == 3
    assert evaluate_exact(lambda f, *, x: Fraction(1, 3), x=1) == Exact("1/3")
    assert evaluate_exact(lambda f, *, x: f.log(x), x=Exact.exp("1/3")) == Exact("1/3")
    assert evaluate_exact(lambda f, *, x: f.log(x), x=log(2)) is None
    assert decimal(evaluate(lambda f, *, x: f.exp(x), x=log(2)), digits=5) == "2.0000"
    assert repr(evaluate(everything, x="1/2")) == "Real(2.4425229421038402: everything(x=1/2))"


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (lambda f, x: f.exp(x), Exact.exp(2)),
        (lambda f, x: f.expm1(x), Exact.exp(2) - 1),
        (lambda f, x: f.log(x - 1), Exact(0)),
        (lambda f, x: f.log1p(x - 2), Exact(0)),
        (lambda f, x: f.sqrt(x / 8), Exact("1/2")),
        (lambda f, x: f.erf(x - 2), Exact(0)),
        (lambda f, x: f.erfc(x - 2), Exact(1)),
        (lambda f, x: f.normal_cdf(x - 2), Exact("1/2")),
        (lambda f, x: f.maximum(f.exp(x), x), Exact.exp(2)),
        (lambda f, x: f.minimum(f.exp(x), x), Exact(2)),
        (lambda f, x: Fraction(1, 3) - x**-2, Exact("1/12")),
        (lambda f, x: f.sqrt(x), None),
        (lambda f, x: f.log(x), None),
        (lambda f, x: f.erf(x), None),
        (lambda f, x: x * f.pi, None),
        (lambda f, x: f.exp(f.exp(x)), None),
    ],
)
def test_the_exact_field_knows_its_values(formula, value):
    assert evaluate_exact(lambda f, *, x: formula(f, x), x=2) == value


# --- values that do not exist --------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        (lambda f, *, x: f.log(x), "log of 0|math domain error"),
        (lambda f, *, x: f.log(x - 1), "log of -1|math domain error"),
        (lambda f, *, x: f.log1p(x - 1), "log1p of -1|log of 0|math domain error"),
        (lambda f, *, x: f.sqrt(x - 2), "sqrt of -2|math domain error"),
        (lambda f, *, x: 1 / x, "zero"),
        (lambda f, *, x: x**-1, "zero|negative power"),
    ],
)
def test_a_missing_value_names_the_argument(formula, reason):
    for value in (evaluate, evaluate_float, upper_float):
        with pytest.raises(DomainError, match=f"no value at x=0: .*({reason})"):
            value(formula, x=0)
    with pytest.raises(DomainError, match="no value at x=0"):
        evaluate_exact(formula, x=0)


def test_doubles_that_overflow_or_leave_the_reals_are_refused():
    with pytest.raises(DomainError, match=r"x=1000: math range error"):
        evaluate_float(lambda f, *, x: f.exp(x), x=1000)
    with pytest.raises(DomainError, match=r"doubles give"):
        evaluate_float(lambda f, *, x: x**0.5, x=-1)
    with pytest.raises(DomainError, match=r"doubles give nan"):
        evaluate_float(lambda f, *, x: x * x - x * x, x=10**200)
    with pytest.raises(DomainError, match="largest double"):
        evaluate_float(lambda f, *, x: x, x=10**400)


def test_floats_and_bools_do_not_mix_into_formulas():
    with pytest.raises(TypeError):
        evaluate(lambda f, *, x: x * 0.5, x=1)
    with pytest.raises(TypeError):
        evaluate(lambda f, *, x: x + True, x=1)


# --- balls contain, whatever their width ------------------------------------------------


@settings(max_examples=200)
@given(SMALL, SMALL, st.fractions(min_value=0, max_value=1), SMALL, st.integers(0, 5))
def test_wide_balls_contain_every_value(a, b, share, c, n):
    a, b = min(a, b), max(a, b)
    x = a + (b - a) * share

    def formula(f, x, y):
        parts = [x**n, x * y, y - x, f.erf(x), f.erfc(x), f.normal_cdf(x), f.exp(x)]
        parts += [f.maximum(x, y), f.minimum(x, y), f.sqrt(x**2), x * x, x**3 * f.exp(y)]
        return parts

    with precision(64):
        wide = Ball(ball_of_interval(fmpq_of(a), fmpq_of(b)))
        other = Ball(arb(fmpq_of(c)))
        outer = [v.value for v in formula(BallFunctions(), wide, other)]
        squares = [v.value for v in formula(BallFunctions(), wide, wide)]
    with precision(256):
        point, point_c = Ball(arb(fmpq_of(x))), Ball(arb(fmpq_of(c)))
        inner = [v.value for v in formula(BallFunctions(), point, point_c)]
        inner_squares = [v.value for v in formula(BallFunctions(), point, point)]
    for big, small in zip(outer + squares, inner + inner_squares, strict=True):
        (p, q), (r, s) = endpoints(big), endpoints(small)
        assert p <= s
        assert r <= q


def test_balls_of_intervals_keep_the_side_of_zero():
    with precision(53):
        for size in (fmpq(1, 3), fmpq(7), fmpq(10) ** 30, fmpq(1, 10**30)):
            right, left = ball_of_interval(fmpq(0), size), ball_of_interval(-size, fmpq(0))
            assert right >= 0
            assert left <= 0
            assert endpoints(right)[1] >= Fraction(int(size.p), int(size.q))
            assert endpoints(right)[1] < Fraction(int(size.p), int(size.q)) * Fraction(1001, 1000)
        assert nonnegative_ball(arb(0)) == 0
        f = BallFunctions()
        square = Ball(ball_of_interval(fmpq(-1), fmpq(2))) ** 2
        assert square.value >= 0
        assert square.value < 5
        assert f.sqrt(square).value >= 0
        assert (Ball(ball_of_interval(fmpq(0), fmpq(1))) * f.exp(square)).value >= 0
        assert (Ball(arb(0, 1)) ** 3).value.is_finite()


# --- doubles on the safe side ----------------------------------------------------------


@settings(max_examples=60)
@given(st.fractions(min_value=Fraction(1, 50), max_value=6, max_denominator=1000))
def test_safe_doubles_enclose_and_are_neighbors(x):
    lower, upper = lower_float(everything, x=x), upper_float(everything, x=x)
    value = evaluate(everything, x=x)
    assert is_below(value, Exact(Fraction(lower))) is Truth.FALSE
    assert is_below(Exact(Fraction(upper)), value) is Truth.FALSE
    assert upper == math.nextafter(lower, math.inf)


def test_a_value_that_few_bits_show_as_boundless_is_rounded():
    """At 64 bits the square of a root misses by 2^-62: e^(2^92 times that) may be anything."""

    def formula(f, *, x):
        return f.exp(2**92 * (f.sqrt(x) ** 2 - x)) + x / 3

    value = evaluate(formula, x=Fraction(2))
    assert value.ball(64).contains(0) and value.ball(64).rad().man_exp()[1] > 10**8
    ends = lower_float(formula, x=Fraction(2)), upper_float(formula, x=Fraction(2))
    assert ends == (float_below(value), float_above(value))
    assert ends[0] < Fraction(5, 3) < ends[1] == math.nextafter(ends[0], 2)


def test_a_wide_ball_has_no_integer_and_a_long_one_is_refused():
    long = arb(2) ** 2**30
    assert integer_in(arb(0).union(long)) is None
    with pytest.raises(BeyondRangeError, match="significant digits"):
        integer_in(long)


def test_safe_doubles_of_values_on_a_double():
    half = (lambda f, *, x: x / 2, 1)
    assert upper_float(half[0], x=1) == lower_float(half[0], x=1) == 0.5

    def one(f, *, x):  # exactly 1, which balls cannot see
        return f.sqrt(x) * f.sqrt(x) / 2

    assert lower_float(one, x=2) in (1.0, math.nextafter(1.0, 0))
    assert upper_float(one, x=2) in (1.0, math.nextafter(1.0, 2))

    def beside_one(f, *, x):
        return 1 + f.sqrt(x) / 2**100

    assert lower_float(beside_one, x=2) == 1.0
    assert upper_float(beside_one, x=2) == math.nextafter(1.0, 2)

    def tiny(f, *, x):
        return f.exp(-x) * f.sqrt(x)

    assert upper_float(tiny, x=10**4) == 5e-324
    assert lower_float(tiny, x=10**4) == 0.0


# --- Taylor series ---------------------------------------------------------------------


@settings(max_examples=40)
@given(fractions(Fraction(1, 4), 3, max_denominator=20))
def test_series_are_the_derivatives_of_another_engine(x):
    def smooth(f, x):
        parts = [f.exp(x), f.expm1(-x), f.log(x), f.log1p(x), f.sqrt(x), f.erf(x), f.erfc(x)]
        parts += [f.normal_cdf(x), x**5, x**-3, x**0, f.exp(x) / x, f.log(x) * f.sqrt(1 + x)]
        return [*parts, f.maximum(x, x - 1), f.minimum(x, x**2 + 1), -f.pi * x - 2]

    m = mpmath
    others = [m.exp, lambda t: m.expm1(-t), m.log, m.log1p, m.sqrt, m.erf, m.erfc, m.ncdf]
    others += [lambda t: t**5, lambda t: t**-3, lambda t: m.mpf(1), lambda t: m.exp(t) / t]
    others += [lambda t: m.log(t) * m.sqrt(1 + t), lambda t: t, lambda t: t]
    others += [lambda t: -m.pi * t - 2]
    with precision(200):
        f = SeriesFunctions(BallFunctions(), order=4)
        series = smooth(f, f.variable(Ball(arb(fmpq_of(x)))))
    with mpmath.workdps(50):
        at = mpf_of(x)
        for ours, other in zip(series, others, strict=True):
            expected = m.taylor(other, at, 4)
            for a, b in zip(ours.value, expected, strict=True):
                lower, upper = (mpf_of(e) for e in endpoints(a.value))
                assert lower - m.mpf("1e-8") < b < upper + m.mpf("1e-8")


def test_exact_series_by_hand():
    base = ExactFunctions()
    f = SeriesFunctions(base, order=3)
    x = f.variable(ExactValue(Exact(0)), slope=2)
    assert [c.value for c in f.exp(x).value] == [1, 2, 2, Exact("4/3")]
    assert [c.value for c in f.log1p(x).value] == [0, 2, -2, Exact("8/3")]
    assert [c.value for c in f.sqrt(1 + x).value] == [1, 1, Exact("-1/2"), Exact("1/2")]
    assert [c.value for c in (1 / (1 - x)).value] == [1, 2, 4, 8]
    assert [c.value for c in (x**2).value] == [0, 0, 4, 0]
    assert [c.value for c in ((1 + x) ** (x**0)).value] == [1, 2, 0, 0]
    with pytest.raises(DomainError, match="is not certainly an integer"):
        (1 + x) ** x
    assert [c.value for c in (x ** (x * 0 + 2)).value] == [0, 0, 4, 0]


def test_a_maximum_at_a_tie_has_the_union_of_slopes():
    with precision(64):
        f = SeriesFunctions(BallFunctions(), order=2)
        x = f.variable(Ball(arb(0)))
        value, slope, second = (c.value for c in f.maximum(x, -x).value)
        assert value == 0
        assert slope.contains(-1)
        assert slope.contains(1)
        assert not second.is_finite()
        # Within an interval on which x >= -x, ties included, the maximum is x.
        inside = SeriesFunctions(BallFunctions(), order=2, within=True)
        x = inside.variable(Ball(ball_of_interval(fmpq(0), fmpq(1))))
        assert inside.maximum(x, -x).value[1].value == 1
        assert inside.minimum(x, -x).value[1].value == -1


def test_the_order_is_checked():
    with pytest.raises(DomainError, match="order=-1"):
        SeriesFunctions(BallFunctions(), order=-1)
