"""Doubles with a bound on their error: the number that is meant is never beyond it."""

import math
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Exact, certainly_below
from exactdp.numbers.real_functions import evaluate
from exactdp.numbers.tracked import LIBM_ULPS, Tracked, TrackedFunctions, safe_double
from exactdp.side import Side

NUMBERS = st.floats(-700, 700, allow_nan=False)


def within(formula, **doubles):
    """Whether both safe doubles are on their sides of the formula's value; skips no value."""
    at = {name: Exact(Fraction(x)) for name, x in doubles.items()}
    try:
        ends = [safe_double(formula, at, side) for side in (Side.LOWER, Side.UPPER)]
        true = evaluate(formula, **at)
    except ExactDPError:
        assume(False)
    low, high = (Exact(Fraction(end)) for end in ends)
    return not certainly_below(true, low) and not certainly_below(high, true)


FORMULAS = {
    "sum": lambda f, *, x, y: x + y - 3 * x,
    "product": lambda f, *, x, y: x * y * (x - y),
    "quotient": lambda f, *, x, y: (x + 1) / (y - x),
    "power": lambda f, *, x, y: (1 + x / 1000) ** 40 - y,
    "root": lambda f, *, x, y: f.sqrt(f.exp(x / 10) - y),
    "log of a sum": lambda f, *, x, y: f.log(1 + f.exp(x) * (f.exp(y / 100) - 1)),
    "log1p": lambda f, *, x, y: f.log1p(f.exp(x) * f.expm1(y)),
    "tail": lambda f, *, x, y: f.normal_cdf(x) - f.exp(-y) * f.normal_cdf(x - y),
    "larger": lambda f, *, x, y: f.maximum(x * x, y) - f.minimum(x, y * y),
}
FORMULAS["log1pmx"] = lambda f, *, x, y: f.log1pmx(x / 20) * y - f.log1pmx(f.expm1(y / 1000))
FORMULAS["cancels"] = lambda f, *, x, y: (f.exp(x / 10**12) - 1) * y


@pytest.mark.parametrize("name", FORMULAS)
def test_the_value_is_between_the_safe_doubles(name):
    @given(NUMBERS, NUMBERS)
    def check(x, y):
        assert within(FORMULAS[name], x=x, y=y)

    check()


def test_what_is_not_rounded_has_no_error():
    @given(st.floats(allow_nan=False, allow_infinity=False), st.floats(1e-300, 1e300))
    def check(x, y):
        for found, exact in (
            (lambda: Tracked(x, 0.0) + Tracked(y, 0.0), Fraction(x) + Fraction(y)),
            (lambda: Tracked(x, 0.0) * Tracked(0.25, 0.0), Fraction(x) / 4),
        ):
            try:
                sum_or_part = found()
            except DomainError:
                continue
            assert sum_or_part.error > 0 or Fraction(sum_or_part.value) == exact

    check()
    assert (Tracked(1.5, 0.0) - Tracked(1.25, 0.0)).error == 0
    assert (Tracked(0.1, 0.0) * Tracked(0.5, 0.0)).error == 0
    assert (Tracked(0.1, 0.0) + Tracked(0.2, 0.0)).error > 0
    assert (Tracked(5e-324, 0.0) * Tracked(0.5, 0.0)).error > 0


def test_a_number_beyond_all_doubles_is_refused():
    with pytest.raises(DomainError):
        TrackedFunctions().constant(Exact(10**400))


def test_the_larger_of_two_that_are_apart_is_one_of_them():
    f, near, far = TrackedFunctions(), Tracked(1e-16, 1e-32), Tracked(-700.0, 1e-13)
    assert f.maximum(near, far).error == f.maximum(far, near).error == 1e-32
    assert f.maximum(near, Tracked(0.0, 1e-13)).error == 1e-13


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "sqrt", "erf", "erfc"])
def test_the_c_library_is_as_good_as_is_taken(name):
    """Half of what is taken for granted, at 400 arguments of each function."""
    function = getattr(math, name)
    for i in range(1, 401):
        x = i * 1.7 if name in ("log", "log1p", "sqrt") else (i - 200) * 0.03
        true = evaluate(lambda f, *, x: getattr(f, name)(x), x=Fraction(x))
        found = function(x)
        room = Fraction(math.ulp(found)) * LIBM_ULPS / 2
        for side in (-room, room):
            end = Exact(Fraction(found) + side)
            inside = certainly_below(end, true) if side < 0 else certainly_below(true, end)
            assert inside or Fraction(found) == true


def test_an_error_that_is_left_out_is_seen():
    """The safe double of a sum that forgets half an ulp is below the truth somewhere."""

    class Careless(Tracked):
        __slots__ = ()

        def _add(self, other):
            return Careless(self.value + other.value, 0.0)

        def __neg__(self):
            return Careless(-self.value, 0.0)

    wrong = [
        Fraction((Careless(a, 0.0) + Careless(b, 0.0)).value) < Fraction(a) + Fraction(b)
        for a in (0.1, 0.2, 0.3)
        for b in (0.4, 0.7, 1.1)
    ]
    assert any(wrong)


@pytest.mark.parametrize("formula", [lambda f, *, x: 1 / (x - x), lambda f, *, x: f.exp(x * 400)])
def test_what_has_no_end_says_so(formula):
    with pytest.raises(DomainError):
        safe_double(formula, {"x": Exact("21/10")}, Side.UPPER)


def test_counts_stay_exact():
    f = TrackedFunctions()
    n = f.constant(10**6)
    assert ((n - 1).value, (n - 1).error) == (10**6 - 1, 0)
    assert ((1 - 1 / n) ** (n - 1)).error < 1e-9
    assert partial(safe_double, lambda f, *, n: n - 1)({"n": Exact(7)}, Side.UPPER) == 6.0
