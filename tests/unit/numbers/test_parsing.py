"""Numbers as people write them, and the exact rationals that they denote."""

import math
from fractions import Fraction

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import DomainError, ParseError
from exactdp.numbers import Epsilon, Exact, fmpq_of, fraction_of, rational
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.reals import number_of_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("4/7", "4/7"), ("0.49", "49/100"), ("+.5", "1/2"), ("-.5", "-1/2"), (".5", "1/2")],
        *[("5.", "5"), ("+5.e2", "500"), ("-5.e-2", "-1/20"), ("+1/2", "1/2"), ("-1/2", "-1/2")],
        *[("1e5/3", "100000/3"), ("-1.5e-1/3", "-1/20"), ("1.5/2", "3/4"), ("1E+2", "100")],
        *[("-0", "0"), ("+0.0e9", "0"), ("00012/0004", "3"), ("-0.05", "-1/20"), ("  7 \n", "7")],
        ("1e-400", Fraction(1, 10**400)),
    ],
)
def test_accepted(text, value):
    assert fraction_of(rational(text)) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", ".", "+", "-", "+.", "-.e1", "e5", "1e", "1e5.0", "1/-2", "1/+2", "1/2/3"],
        *["1/", "/2", "1/2.0", "1/2e3", "1 /2", "1 2", "--1", "+-1", "1_000", "1,5", "0x10"],
        *["nan", "inf", "1e1234567"],
        # Arabic-Indic and fullwidth digits, which int() reads; 1/2, a superscript, a minus sign.
        *["\u0663", "\uff11", "\u00bd", "\u00b2", "\u22121"],
    ],
)
def test_refused(text):
    with pytest.raises(ParseError, match=r"^p=.* is not a number\. Write it as '4/7'"):
        rational(text, name="p")


def test_denominator_zero_and_length():
    with pytest.raises(ParseError, match=r"^value='1/0' has denominator zero\. Pass a number\.$"):
        rational("1/0")
    with pytest.raises(ParseError, match="longer than 100000 characters"):
        rational("1" * 100_001)
    # More digits than int() reads from a string.
    assert rational("9" * 50_000) == fmpq(10) ** 50_000 - 1


@given(
    sign=st.sampled_from(["", "+", "-"]),
    whole=st.text("0123456789", max_size=4),
    decimals=st.none() | st.text("0123456789", max_size=4),
    exponent=st.none() | st.integers(-30, 30),
    denominator=st.none() | st.integers(1, 999),
)
def test_every_form_is_read_like_python_reads_its_parts(
    sign, whole, decimals, exponent, denominator
):
    text = sign + whole + ("" if decimals is None else "." + decimals)
    text += "" if exponent is None else f"e{exponent}"
    full = text + ("" if denominator is None else f"/{denominator}")
    if not (whole or decimals):
        with pytest.raises(ParseError):
            rational(full)
    else:
        assert fraction_of(rational(full)) == Fraction(text) / (denominator or 1)


@given(st.text(max_size=8) | st.text("+-./eE_0١½ 17", max_size=8))
def test_any_text_is_a_number_or_a_parse_error(text):
    try:
        value = rational(text)
    except ParseError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(value, fmpq)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_no_text_of_a_number(value):
    """No advice is given that is refused itself."""
    with pytest.raises(DomainError, match=f"^sigma={value} is not finite") as refused:
        rational(value, name="sigma")
    assert str(value) not in str(refused.value).partition("Pass")[2]
    assert str(value) not in Epsilon.way_out(value)


def test_values_of_other_types():
    for value in (3, Fraction(3), fmpz(3), fmpq(3), "3"):
        assert rational(value) == 3
    assert fraction_of(rational(0.1)) == Fraction(0.1) != Fraction("0.1")
    with pytest.raises(DomainError, match=r"^n=True is a bool, not a number\. Pass an int, a f"):
        rational(True, name="n")
    with pytest.raises(DomainError, match="is of type NoneType"):
        rational(None)
    with pytest.raises(DomainError, match="is not finite"):
        Exact(float("nan"))


@given(st.fractions())
def test_both_forms_of_a_fraction_are_inverse(value):
    assert fraction_of(fmpq_of(value)) == value


@pytest.mark.parametrize(
    ("text", "square"),
    [("sqrt(10)", 10), ("-sqrt(1/2)*3", "9/2"), ("( 1 + 1 )/sqrt( 2 )", 2), ("sqrt(sqrt(16))", 4)],
)
def test_square_roots(text, square):
    found = number_of_text(text, name="sigma")
    assert (found < 0) == text.startswith("-")
    assert Exact(square) - Exact("1e-30") < found * found < Exact(square) + Exact("1e-30")


def test_logarithms_and_exact_roots():
    assert float(number_of_text("log(3)/2", name="x")) == math.log(3) / 2
    assert number_of_text("sqrt(9/4) + ln(e)", name="x") - Fraction(5, 2) == 0
    assert number_of_text("sqrt(9/4)", name="x") == Exact("3/2")
    assert any_epsilon(" log( 3/2 )") == Epsilon.log("3/2") and any_epsilon("0.1") != any_epsilon(
        0.1
    )


@pytest.mark.parametrize("text", ["sqrt10", "sqrt()", "sqrt(2", "root(2)", "sqrt(2))", "log 3", ""])
def test_what_is_no_number_with_roots(text):
    with pytest.raises(ParseError, match=r"is not a number\. Write it as '4/7'"):
        number_of_text(text, name="sigma")


def test_where_a_number_must_be_exact_a_root_says_so():
    with pytest.raises(ParseError, match="Here it must be a fraction, or have powers of e alone"):
        Exact("sqrt(2)")
