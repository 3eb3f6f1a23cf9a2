"""Numbers that leave the library: decimals, doubles, enclosures."""

import decimal as python_decimal
import math
import pickle
import sys
from copy import copy, deepcopy
from fractions import Fraction
from operator import ge, le

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Rounding,
    count_text,
    decimal,
    enclosure,
    exact_text,
    float_above,
    float_below,
    log,
    normal_cdf,
    pi,
    rational_text,
    sqrt,
)
from exactdp.numbers.rounding import float_rounded
from tests.routes.reals import fraction_of, mpf_of

law = settings(max_examples=150)

MODES = {
    Rounding.NEAREST: python_decimal.ROUND_HALF_EVEN,
    Rounding.DOWN: python_decimal.ROUND_FLOOR,
    Rounding.UP: python_decimal.ROUND_CEILING,
}
modes = st.sampled_from(Rounding)


def rounded_by_python(value, digits, mode):
    """A Fraction rounded by Python's decimal module, as a Fraction."""
    context = python_decimal.Context(
        prec=digits, rounding=MODES[mode], Emin=-999_999, Emax=999_999, traps=[]
    )
    quotient = context.divide(
        python_decimal.Decimal(value.numerator), python_decimal.Decimal(value.denominator)
    )
    return Fraction(quotient)


def significant_digits(text):
    """The digits that a decimal shows, from its first that is not zero."""
    return len(text.lstrip("-").partition("e")[0].replace(".", "").lstrip("0"))


# --- decimals ---------------------------------------------------------------------


@law
@given(
    value=st.fractions() | st.fractions(max_denominator=64),
    shift=st.integers(-400, 400),
    digits=st.integers(1, 40),
    mode=modes,
)
@example(value=Fraction(5, 2), shift=0, digits=1, mode=Rounding.NEAREST)  # a tie, to 2
@example(value=Fraction(7, 2), shift=0, digits=1, mode=Rounding.NEAREST)  # a tie, to 4
@example(value=Fraction(-25, 2), shift=-1, digits=1, mode=Rounding.NEAREST)
@example(value=Fraction(999, 1000), shift=3, digits=2, mode=Rounding.NEAREST)  # a carry
@example(value=Fraction(999, 1000), shift=3, digits=2, mode=Rounding.UP)
def test_rationals_are_rounded_like_python_rounds(value, shift, digits, mode):
    value *= Fraction(10) ** shift
    text = decimal(Exact(value), digits=digits, rounding=mode)
    assert Fraction(text) == rounded_by_python(value, digits, mode)
    if value:
        assert significant_digits(text) == digits
    else:
        assert text == "0"


@law
@given(
    top=st.integers(-9, 9).filter(bool),
    exponent=st.fractions(-800, 800, max_denominator=7),
    shift=st.integers(-9, 9),
    digits=st.integers(1, 60),
    mode=modes,
)
def test_transcendental_numbers_are_rounded_like_mpmath_says(top, exponent, shift, digits, mode):
    assume(exponent != 0)
    number = top * Exact.exp(exponent) + shift
    with mpmath.workdps(digits + 400):
        power = mpmath.exp(mpf_of(exponent))
        value = fraction_of(top * power + shift)
        # Cancellation costs at most 350 of the 400 spare digits: e^800 < 10^348.
        error = Fraction(1, 10 ** (digits + 45)) * abs(value)
    lower = rounded_by_python(value - error, digits, mode)
    assume(lower == rounded_by_python(value + error, digits, mode))
    text = decimal(number, digits=digits, rounding=mode)
    assert Fraction(text) == lower
    assert significant_digits(text) == digits


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        ("1e-292", 3, "1.00e-292"),
        ("1e-5000", 3, "1.00e-5000"),
        ("-1e-5000", 1, "-1e-5000"),
        ("1e5000", 2, "1.0e+5000"),
        ("0.00001", 2, "0.000010"),
        ("0.000001", 2, "1.0e-6"),
        ("99.96", 3, "100"),
        ("999.96", 3, "1.00e+3"),
        ("123456", 6, "123456"),
        ("123456", 5, "1.2346e+5"),
        ("-0.5", 1, "-0.5"),
        ("0", 30, "0"),
    ],
)
def test_where_the_point_is(value, digits, text):
    assert decimal(Exact(value), digits=digits) == text


def test_directions_are_those_of_the_line():
    third = Exact("1/3")
    assert decimal(third, digits=2, rounding=Rounding.DOWN) == "0.33"
    assert decimal(third, digits=2, rounding=Rounding.UP) == "0.34"
    assert decimal(-third, digits=2, rounding=Rounding.DOWN) == "-0.34"
    assert decimal(-third, digits=2, rounding=Rounding.UP) == "-0.33"
    assert decimal(-third, digits=2) == "-0.33"


def test_powers_of_ten_are_not_missed():
    for exponent in (-5000, -300, -7, -1, 0, 1, 7, 300, 5000):
        power = Exact(f"1e{exponent}")
        assert Fraction(decimal(power, digits=1)) == power.as_fraction()
        below = power * (1 - Exact("1e-30"))
        assert Fraction(decimal(below, digits=1)) == power.as_fraction()
        assert Fraction(decimal(below, digits=1, rounding=Rounding.DOWN)) == (
            9 * power.as_fraction() / 10
        )


def test_computable_reals_are_rounded_or_undecided():
    with mpmath.workdps(60):
        assert decimal(pi, digits=50) == mpmath.nstr(+mpmath.pi, 50)
        assert decimal(log(2), digits=50) == mpmath.nstr(mpmath.log(2), 50)
        tail = mpmath.nstr(mpmath.ncdf(-40), 20)
    assert decimal(normal_cdf(-40), digits=20) == tail
    with pytest.raises(UndecidedError, match=r"cannot be told from zero at \d+ bits"):
        decimal(sqrt(2) * sqrt(2) - 2)
    assert decimal(sqrt(4) - 2) == "0"  # the ball is a point
    with pytest.raises(DomainError, match="digits=0 must be at least 1"):
        decimal(pi, digits=0)


# --- doubles ----------------------------------------------------------------------


def neighbors_above(x):
    """The next double above one, as a Fraction or infinity."""
    after = math.nextafter(x, math.inf)
    return after if math.isinf(after) else Fraction(after)


@law
@given(
    value=st.fractions(),
    scale=st.integers(-1100, 1100),
)
@example(value=Fraction(1), scale=-1074)  # the least subnormal
@example(value=Fraction(1), scale=-1075)  # half of it
@example(value=Fraction(2**52 - 1), scale=-1074)  # the largest subnormal
@example(value=Fraction(2**53 - 1), scale=971)  # the largest double
@example(value=Fraction(2**54 - 1), scale=970)  # beyond it
@example(value=Fraction(-(2**53) + 1), scale=971)
@example(value=Fraction(1, 10), scale=0)
@example(value=Fraction(1), scale=1024)
def test_doubles_are_the_nearest_below_and_above(value, scale):
    value *= Fraction(2) ** scale
    below, above = float_below(Exact(value)), float_above(Exact(value))
    if math.isinf(below):
        assert below < 0
        assert value < -Fraction(sys.float_info.max)
    else:
        assert Fraction(below) <= value < neighbors_above(below)
    assert above == -float_below(-Exact(value))
    assert below <= above
    if not math.isinf(below) and not math.isinf(above):
        is_double = Fraction(below) == value
        assert above == (below if is_double else math.nextafter(below, math.inf))


@law
@given(top=st.integers(-9, 9).filter(bool), exponent=st.fractions(-760, 720, max_denominator=9))
def test_doubles_around_transcendental_numbers(top, exponent):
    assume(exponent != 0)
    number = top * Exact.exp(exponent)
    below, above = float_below(number), float_above(number)
    assert above == math.nextafter(below, math.inf)
    for bound, side in ((below, -1), (above, 1)):
        if not math.isinf(bound):
            assert (Exact(Fraction(bound)) - number).sign() == side


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [
        ("0", 0.0, 0.0),
        ("1e-5000", 0.0, 5e-324),
        ("-1e-5000", -5e-324, 0.0),
        ("1e-292", math.nextafter(1e-292, 0), 1e-292),
        ("1e5000", sys.float_info.max, math.inf),
        ("-1e5000", -math.inf, -sys.float_info.max),
        ("1/2", 0.5, 0.5),
        ("-1/2", -0.5, -0.5),
    ],
)
def test_doubles_at_the_ends_of_the_range(value, below, above):
    assert (float_below(Exact(value)), float_above(Exact(value))) == (below, above)


def test_zero_is_never_negative():
    for zero in (float_above(Exact("-1e-5000")), float_below(Exact(0)), float_above(Exact(0))):
        assert math.copysign(1, zero) == 1


# --- enclosures -------------------------------------------------------------------


@law
@given(exponent=st.fractions(-50, 50, max_denominator=9), bits=st.integers(1, 2000))
def test_enclosures_contain_the_number_and_are_narrow(exponent, bits):
    number = Exact.exp(exponent) - Exact("1/3")
    assume(number != 0)
    found = enclosure(number, relative_bits=bits)
    assert found.contains(number)
    assert found.lower <= found.upper
    assert found.width * 2**bits <= min(abs(found.lower), abs(found.upper))


def test_enclosures_of_rationals_are_points_and_of_zero_undecided():
    assert enclosure(Exact("-1/3")) == Enclosure(Fraction(-1, 3), Fraction(-1, 3))
    assert enclosure(Exact(0)).width == 0
    with pytest.raises(UndecidedError, match="cannot be told from zero"):
        enclosure(sqrt(2) * sqrt(2) - 2)
    with pytest.raises(DomainError, match="lower=2 exceeds upper=1"):
        Enclosure(Fraction(2), Fraction(1))
    unit = Enclosure(Fraction(0), Fraction(1))
    assert unit.contains(0)
    assert unit.contains(Fraction(1))
    assert unit.contains(Exact.exp(-1))
    assert not unit.contains(Exact.exp(1))
    assert not unit.contains(-1)


def test_enclosures_of_reals_contain_what_mpmath_says():
    with mpmath.workdps(120):
        truth = fraction_of(mpmath.sqrt(2))
    found = enclosure(sqrt(2), relative_bits=300)
    assert found.lower**2 <= 2 <= found.upper**2
    assert found.lower - Fraction(1, 10**115) <= truth <= found.upper + Fraction(1, 10**115)


# --- texts ------------------------------------------------------------------------


def test_texts_of_any_length():
    assert exact_text(Exact("1/12")) == "1/12"
    assert exact_text(Exact.exp(1)) is None
    assert exact_text(pi) is None
    long = Fraction(10**5000 + 1, 3)
    assert rational_text(long) == f"1{'0' * 4999}1/3"
    assert count_text(999_999_999_999_999) == "999,999,999,999,999"
    assert count_text(10**15) == "about 2^49"
    assert count_text(1 << 100_000) == "about 2^100000"


@pytest.mark.parametrize(
    "value", ["1/3", "-1/3", "1/10", "3/10", "-1e-400", "1e400", "-1e400", "0"]
)
def test_an_end_is_its_fraction_and_leaves_rounded_to_its_own_side(value):
    value = Fraction(value)
    found = Enclosure(value, value)
    for end, side, is_safe in ((found.lower, Rounding.DOWN, le), (found.upper, Rounding.UP, ge)):
        assert end == value
        assert hash(end) == hash(value) and repr(end) == repr(value) and str(end) == str(value)
        assert type(end + 0) is type(-end) is type(1 * end) is Fraction
        for copied in (pickle.loads(pickle.dumps(end)), copy(end), deepcopy(end)):
            assert copied == end and copied.rounding is side
        assert is_safe(float(end), value) and float(end) == float_rounded(Exact(value), side)
        assert is_safe(round(end), value) and abs(round(end) - value) < 1
        assert is_safe(round(end, 3), value) and abs(round(end, 3) - value) < Fraction("0.001")
        assert is_safe(round(round(end, 3), 1), value)
        assert is_safe(Fraction(f"{end:.3e}"), value) and f"{end}" == str(value)
        assert is_safe(Fraction(decimal(end, digits=4)), value)
        assert decimal(end, digits=4, rounding=Rounding.NEAREST) == decimal(value, digits=4)


def test_an_end_compares_with_doubles_as_its_fraction_does():
    half = Enclosure(Fraction(1, 2), Fraction(1, 2)).upper
    assert half == 0.5 < math.nextafter(0.5, 1) and half < 0.6 and not half < 0.5


def test_ends_of_any_length_print():
    found = Enclosure(Fraction(-1, 10**5000), Fraction(10**5000))
    assert repr(found) == "Enclosure([-1.00e-5000, 1.00e+5000])"
    assert str(found.upper) == f"1{'0' * 5000}"


def test_an_enclosure_is_compared_where_its_ends_tell():
    found = Enclosure(Fraction(1, 4), Fraction(1, 2))
    assert found < 0.6 and found <= Fraction(1, 2) and not found < Exact("1/4") and found > 0.2
    assert 0 < found < Enclosure(Fraction(2, 3), Fraction(1)) and found < sqrt(2) and found != 1
    assert found == Enclosure(Fraction(1, 4), Fraction(1, 2)) and found < math.inf
    assert Enclosure(Fraction(1, 3), Fraction(1, 3)) == Fraction(1, 3)
    for open_question in (
        lambda: found < 0.3,
        lambda: found == Fraction(1, 4),
        lambda: found <= 0.4,
        lambda: found < found,
        lambda: sqrt(2) / 4 > found,
    ):
        with pytest.raises(UndecidedError, match="is not decided"):
            open_question()
    for wide in (
        python_decimal.Decimal("0.6"),
        np.float64(0.6),
        np.float32(0.6),
        1,
        Fraction(3, 5),
    ):
        assert found < wide and wide > found and not found >= wide and wide != found
    assert found != "1/4" and found is not None


def test_an_enclosure_is_a_double_where_both_ends_are():
    tenth = Enclosure(Fraction("0.1") - Fraction(1, 10**30), Fraction("0.1"))
    assert (
        float(tenth) == 0.1 and str(Enclosure(Fraction(1, 2), Fraction(1, 2))) == "[0.500, 0.500]"
    )
    with pytest.raises(UndecidedError, match=r"float_below\(x\) or float_above\(x\)"):
        float(Enclosure(Fraction(1, 10), Fraction(2, 10)))


def test_an_enclosure_rounds_outward_whatever_it_is_asked_for():
    found = Enclosure(Fraction("0.4799012"), Fraction("0.4799013"))
    assert str(found) == "[0.479901200, 0.479901300]"
    assert f"{found:.4f}" == "[0.4799, 0.4800]"
    assert f"{found:.2e}" == "[4.79e-01, 4.80e-01]"
    assert round(found, 3) == Enclosure(Fraction("0.479"), Fraction("0.480"))
    assert float_below(found) <= found.lower <= found.upper <= float_above(found)
    assert decimal(found, digits=5) == "0.47990"
    assert decimal(found, digits=4, rounding=Rounding.UP) == "0.4800"
    with pytest.raises(UndecidedError, match="Ask for fewer digits"):
        decimal(found, digits=9)
    around = Enclosure(Fraction(-1, 3), Fraction(1, 7))
    assert f"{around:.2f}" == "[-0.34, 0.15]" and str(around) == "[-0.334, 0.143]"
    assert round(around) == Enclosure(Fraction(-1), Fraction(1))


@given(
    st.fractions(-1000, 1000), st.fractions(0, 1), st.integers(0, 12), st.sampled_from(["e", "f"])
)
def test_printed_ends_enclose(lower, width, places, form):
    found = Enclosure(lower, lower + width)
    below, above = f"{found:.{places}{form}}".strip("[]").split(", ")
    assert Fraction(below) <= found.lower and found.upper <= Fraction(above)
    assert round(found, places).lower <= found.lower <= found.upper <= round(found, places).upper
    if form == "f":
        assert Fraction(above) - found.upper < Fraction(1, 10**places)


@given(st.fractions(-1000, 1000), st.integers(0, 12))
def test_an_exact_number_is_formatted_as_python_formats_decimals(value, places):
    rounded = round(value, places)
    assert round(Exact(value), places) == rounded
    context = python_decimal.Context(prec=40)
    text = f"{context.divide(rounded.numerator, rounded.denominator):.{places}f}"
    assert f"{Exact(value):.{places}f}".removeprefix("-") == text.removeprefix("-")


def test_numbers_that_are_not_rational_are_formatted_too():
    assert f"{Exact.exp(1):.3f} {-Exact.exp(1):>8.2f} {log(2):.20f}" == (
        "2.718    -2.72 0.69314718055994530942"
    )
    assert round(Exact.exp(1), 3) == Exact("2.718") and f"{Exact('2/3')}" == "2/3"
    with pytest.raises(ValueError, match="is not known"):
        format(Exact(1), "d")


def test_ends_and_epsilons_leave_the_library_as_numbers_do():
    assert float_below(Fraction(1, 10)) < Fraction(1, 10) < float_above(Fraction(1, 10))
    assert decimal(Fraction(2, 3), digits=3) == "0.667" and decimal(7, digits=1) == "7"
    assert decimal(Epsilon.log(3), digits=4) == "1.099"
    assert float_below(Epsilon.log(3)) < float_above(Epsilon.log(3))
    assert float_above(Epsilon.infinity()) == math.inf
    assert decimal(Epsilon.infinity()) == "infinity"


def test_an_enclosure_is_as_narrow_as_a_part_of_its_lower_end():
    found = Enclosure(Fraction(3, 10), Fraction(33, 100))
    assert found.is_narrow(Fraction(1, 10))
    assert not found.is_narrow(Fraction(1, 11))
    assert Enclosure(Fraction(0), Fraction(0)).is_narrow(Fraction(1, 10))
    assert not Enclosure(Fraction(0), Fraction(1, 10**9)).is_narrow(Fraction(1, 10))
