"""The exact ordered field: field laws, order, and canonical forms."""

import math
import pickle
import sys
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, ParseError, TooLargeError
from exactdp.numbers import (
    Epsilon,
    Exact,
    decimal,
    enclosure,
    is_ratio_above,
    log,
    normal_cdf,
    pi,
    sqrt,
)
from tests.routes.reals import mpf_of

law = settings(max_examples=150)

E = Exact.exp(1)


class Element:
    """A number of the field, with how to compute it in mpmath from its ingredients."""

    def __init__(self, top, bottom):
        self.terms = top, bottom
        self.exact = self._sum(top, lambda r: Exact.exp(r), Exact) / self._sum(
            bottom, lambda r: Exact.exp(r), Exact
        )

    @staticmethod
    def _sum(terms, exp, constant):
        total = constant(0)
        for coefficient, exponent in terms:
            total = total + constant(coefficient) * exp(exponent)
        return total

    def approximate(self):
        """The value at mpmath's working precision."""

        def exp(r):
            return mpmath.exp(mpf_of(r))

        top, bottom = (self._sum(part, exp, mpmath.mpf) for part in self.terms)
        return top / bottom

    def __repr__(self):
        return repr(self.exact)


exponents = st.sampled_from(
    [Fraction(s) for s in ("0", "1", "2", "1/2", "3/2", "1/3", "-1", "2/3", "1/5")]
)
coefficients = st.integers(-4, 4)


@st.composite
def elements(draw):
    """Quotients of short sums of c e^r, with several rates in one number."""
    terms = st.lists(st.tuples(coefficients, exponents), min_size=1, max_size=3)
    top = draw(terms)
    bottom = draw(st.just([(1, Fraction(0))]) | terms)
    nonzero = Element(bottom, [(1, Fraction(0))]).exact != 0
    assume(nonzero)
    return Element(top, bottom)


# --- field laws -------------------------------------------------------------------


@law
@given(elements(), elements(), elements())
def test_field_laws(x, y, z):
    a, b, c = x.exact, y.exact, z.exact
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + 0 == a == a * 1
    assert a - a == 0 == a + (-a)
    assert a - b == -(b - a)
    if b:
        assert (a / b) * b == a
        assert b / b == 1
        assert a / b == a * b**-1
    assert a**3 == a * a * a
    assert a**0 == 1


@law
@given(elements(), elements())
def test_equal_numbers_have_one_form_and_one_hash(x, y):
    a, b = x.exact, y.exact
    first, second = (a + b) * (a - b), a * a - b * b
    assert first == second
    assert hash(first) == hash(second)
    assert first.expression() == second.expression()
    assert (first.rate, str(first.numerator)) == (second.rate, str(second.numerator))


def test_equality_by_identity():
    assert (E * E - 1) / (E - 1) == E + 1
    assert Exact.exp("1/2") ** 2 == E
    assert Exact.exp("1/2") * Exact.exp("1/3") == Exact.exp("5/6")
    assert Exact.exp(2) / E / E == 1
    assert ((E - E) + Exact("1/3")).is_rational
    assert Exact.exp("0.9999999999") != E


def test_hash_of_a_rational_is_python_s():
    assert {Exact("1/2"): "half"}[Fraction(1, 2)] == "half"
    modulus = sys.hash_info.modulus
    for x in (Fraction(7), Fraction(-7, 3), Fraction(-1, 2), Fraction(3, 2 * modulus)):
        assert hash(Exact(x)) == hash(x)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16, np.array], ids=repr)
@pytest.mark.parametrize("value", [0.5, 0.1, -3.0, 1e-30, 0.0])
def test_a_float_is_the_number_that_it_is(kind, value):
    """As Python's fractions take it: a half equals 1/2, a tenth does not equal 1/10."""
    double = kind(value)
    held = Fraction(float(double))
    assert Exact(double) == held
    assert hash(Exact(double)) == hash(held)
    if kind is np.array:  # it would compare, and add, entry by entry
        return
    assert Exact(held) == double
    assert double == Exact(held)  # a bool of numpy's, before its second version
    assert (Exact("1/10") == double) is (held == Fraction(1, 10)) is False
    assert (Exact("1/10") < double) is (Fraction(1, 10) < held)
    assert double + Exact("1/3") == held + Fraction(1, 3)
    assert eval(repr(Exact(double)), {"Exact": Exact}) == held


@pytest.mark.parametrize("exponent", ["1e6", "1e300", "-1e300"])
def test_huge_powers_are_compared_by_their_differences(exponent):
    """Balls of e^x/(e^x + 1) and 1 part at x bits: a million took 21 s."""
    x = Exact.exp(exponent)
    near = max(x, 1 / x) / (max(x, 1 / x) + 1)
    assert 0 < 1 - near < near < 1 < 1 / near
    assert near > (max(x, 1 / x) - 1) / max(x, 1 / x)


class Other(float):
    """A real number that is not a ratio, as mpmath's and sympy's are."""

    as_integer_ratio = property()


def test_numbers_of_mpmath_are_taken_where_they_are_ratios():
    value = mpmath.mpf("0.5")
    if hasattr(value, "as_integer_ratio"):  # from mpmath 1.4 on
        assert Exact(value) == value == Fraction(1, 2)
    else:
        with pytest.raises(DomainError, match="is of type mpf"):
            Exact(value)


@pytest.mark.parametrize("value", [Other(0.5)])
def test_reals_of_others_that_are_no_ratios_are_refused(value):
    for ask in (lambda: Exact(value), lambda: Exact(1) == value, lambda: Exact(1) < value):
        with pytest.raises(DomainError, match="is of type"):
            ask()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_what_is_not_finite_is_no_number(value):
    for ask in (lambda: Exact(value), lambda: Exact(1) + value):
        with pytest.raises(DomainError, match="is not finite"):
            ask()
    assert Exact(1) != value and Fraction(1) != value


def test_numbers_of_other_libraries_are_taken_where_they_are_exact():
    assert Exact(np.int64(3)) == np.int32(3) == Exact(3)
    assert np.int64(2) * Exact("1/4") + np.uint8(1) == Decimal("1.5")
    assert Exact(Decimal("0.1")) == Fraction(1, 10)
    assert E ** np.int64(2) == Exact.exp(2)
    for wrong in (np.bool_(1), Decimal("nan"), Decimal("inf"), True):
        with pytest.raises((DomainError, ParseError)):
            Exact(wrong)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("e^2", Exact.exp(2)),
        ("(e^(1/2) - 1)/3", (Exact.exp("1/2") - 1) / 3),
        ("-3*e^-2 + 1/7", Exact("1/7") - 3 * Exact.exp(-2)),
        ("e^1/2", E / 2),
        ("e^0.5*(1 + e)^3", Exact.exp("1/2") * (1 + E) ** 3),
        ("1e-5*e", E / 10**5),
        (" - e ", -E),
    ],
)
def test_powers_of_e_are_read(text, value):
    assert Exact(text) == value
    assert Exact(value.expression()) == value


@pytest.mark.parametrize(
    "text", ["2e", "e^e", "E^2", "", "(", "1+", "2^0.5", "7 7", "1/(e - e)", "(" * 99, "9^99999"]
)
def test_what_is_no_number_in_powers_of_e_is_refused(text):
    with pytest.raises(ParseError):
        Exact(text)


@pytest.mark.parametrize(
    "value",
    [Exact("1/3"), Exact("e^2/7"), Exact(0), Exact(10**5000), Epsilon.log(3), Epsilon.infinity()],
    ids=range(6),
)
def test_values_pickle(value):
    assert pickle.loads(pickle.dumps(value)) == value


def test_computable_reals_pickle():
    value = normal_cdf(-sqrt(log(3) + E * pi)) / 7
    assert decimal(pickle.loads(pickle.dumps(value)), digits=30) == decimal(value, digits=30)


def test_other_types_take_part_in_arithmetic():
    for one in (1, Fraction(1)):
        assert one + E == E + one
        assert one - E == -(E - one)
        assert one / E * E == 1
        assert one < E
    assert +E is E
    assert abs(-E) == E == abs(E)
    for wrong in ("1/2", None, True):
        with pytest.raises(TypeError):
            E + wrong
        with pytest.raises(TypeError):
            wrong * E
    with pytest.raises(TypeError):
        E**0.5


def test_division_by_zero():
    for zero in (0, E - E):
        with pytest.raises(ZeroDivisionError):
            E / zero
    with pytest.raises(ZeroDivisionError):
        Exact(0) ** -1


# --- order ------------------------------------------------------------------------


@law
@given(elements(), elements())
def test_order_is_that_of_a_second_engine(x, y):
    with mpmath.workdps(80):
        difference = x.approximate() - y.approximate()
        # Numbers this simple are equal or much further apart than 10^-60.
        is_apart = abs(difference) > mpmath.mpf(10) ** -60
        assert (x.exact != y.exact) is bool(is_apart)
        if is_apart:
            assert (x.exact < y.exact) is (y.exact > x.exact) is bool(difference < 0)
            assert (x.exact - y.exact).sign() == (-1 if difference < 0 else 1)
    assert (x.exact <= y.exact) is not (x.exact > y.exact)


def test_rates_with_a_tiny_common_divisor_are_compared():
    a, b = Exact.exp("1/2"), Exact.exp("0.5000000001")
    assert a < b
    assert b > a
    assert a != b
    assert a <= b
    assert max(a, b) is b
    # e^1/2 and e^0.5000000001 meet in e^(10^-10): a sum would have degree 5 * 10^9.
    with pytest.raises(TooLargeError, match=r"degree 5,[01,]{11}; the limit is 2,000,000"):
        a + b


def test_numbers_that_agree_to_300_digits():
    with mpmath.workdps(400):
        text = mpmath.nstr(mpmath.e, 302)
    near = Exact(text[:301])  # truncated, so below e
    far = near + Exact("1e-299")
    assert near < E < far
    assert (E - near).sign() == 1
    assert (E - far).sign() == -1
    assert E - near < Exact("1e-299")
    assert near != E


def test_the_sign_of_a_long_cancellation():
    # The Taylor series of e, 200 terms: above every partial sum by less than 2/201!.
    total, term = Exact(0), Exact(1)
    for i in range(1, 202):
        total, term = total + term, term / i
    assert 0 < E - total < 2 * term


def test_ratios_are_compared_without_products():
    assert is_ratio_above(E, Exact(2), Exact("1.35")) is True
    assert is_ratio_above(E, Exact(2), Exact("1.36")) is False
    assert is_ratio_above(E, Exact.exp("1/2"), Exact.exp("1/2")) is False
    assert is_ratio_above(E, Exact(0), E) is True
    assert is_ratio_above(Exact(0), Exact(0), E) is False


# --- what it says -----------------------------------------------------------------


def test_parts():
    x = (Exact.exp("1/2") - 1) / 3
    assert (x.rate, x.is_rational) == (Fraction(1, 2), False)
    assert (str(x.numerator), str(x.denominator)) == ("x + (-1)", "3")
    assert x.expression() == "(e^(1/2) - 1)/3"
    assert str(x) == "0.21624042356670938 (exactly (e^(1/2) - 1)/3)"
    assert repr(x) == f"<Exact: {x}>"
    assert Exact("4/6").as_fraction() == Fraction(2, 3)
    assert Exact.exp("-3/2").monomial_exponent() == Fraction(-3, 2)
    assert Exact(1).monomial_exponent() == 0
    assert (2 * E).monomial_exponent() is None
    assert Exact(0).monomial_exponent() is None
    assert repr(Exact(10**1500)) == (
        f"<Exact: 1.0000000000000000e+1500 (exactly 1{'0' * 29}... (1501 characters))>"
    )
    with pytest.raises(DomainError, match=r"^e is transcendental"):
        E.as_fraction()


@law
@given(elements(), st.sampled_from([2, 64, 300]))
def test_a_ball_contains_the_number_and_is_narrow(x, bits):
    assume(x.exact != 0)
    ball = x.exact.ball(bits)
    assert ball.rel_accuracy_bits() >= bits or x.exact.is_rational
    wide = enclosure(x.exact, relative_bits=bits)
    assert wide.contains(x.exact)
    assert decimal(x.exact, digits=5) != "0"
