"""Inequalities on boxes: truths with and without zeros, falsehoods, and open questions."""

from fractions import Fraction
from functools import cache

import flint
import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.audit.boxes import FailsAt, HoldsOnBox, OpenOnBox, decide_on_box
from exactdp.audit.enclosures import Enclosures
from exactdp.audit.zeros import holds_near_zero
from exactdp.errors import DomainError
from exactdp.numbers import precision
from exactdp.numbers.real_functions import evaluate
from tests.routes.reals import mpf_of

pytestmark = pytest.mark.usefixtures("precision_is_left_alone")


def tangent(f, *, x):
    return f.exp(x) - 1 - x


def line(slope):
    def above_expm1(f, *, x):
        return f.constant(slope) * x - (f.exp(x) - 1)

    return above_expm1


TRUE = {
    "a line below exp, touching inside": (tangent, {"x": (-2, 2)}),
    "touching off the middle": (tangent, {"x": (-1, 3)}),
    "touching at the lower end": (tangent, {"x": (0, 1)}),
    "touching at the upper end": (tangent, {"x": (-1, 0)}),
    "e^x - 1 <= 3x/2": (line("3/2"), {"x": (0, "1/2")}),
    "a zero with thirds": (lambda f, *, x: f.exp(x / 3) - 1 - x / 3, {"x": (-1, 2)}),
    "a zero at 1/3, an end": (
        lambda f, *, x: f.exp(x - f.constant("1/3")) - x - f.constant("2/3"),
        {"x": ("1/3", 2)},
    ),
    "a zero of order three": (lambda f, *, t: t - t**2 / 2 + t**3 / 3 - f.log1p(t), {"t": (0, 1)}),
    "tanh(x/2) <= x/2": (lambda f, *, x: x / 2 - (f.exp(x) - 1) / (f.exp(x) + 1), {"x": (0, 5)}),
    "log x <= x - 1": (lambda f, *, x: x - 1 - f.log(x), {"x": ("1/10", 5)}),
    "a root": (lambda f, *, x: (1 + x) / 2 - f.sqrt(x), {"x": ("1/10", 5)}),
    "a normal tail": (lambda f, *, x: f.exp(-(x**2) / 2) / 2 - f.normal_cdf(-x), {"x": (0, 5)}),
    "a kink and zeros at both ends": (lambda f, *, x: f.maximum(x, -x) - x**2, {"x": (-1, 1)}),
    "two zeros in one formula": (lambda f, *, x: (x * (x - 1)) ** 2 * f.exp(x), {"x": (-2, 3)}),
    "a corner": (lambda f, *, x, y: f.exp(x + y) - 1 - x - y, {"x": (0, 1), "y": (0, 1)}),
    "a zero inside a square": (
        lambda f, *, x, y: f.exp(x) + f.exp(y) - 2 - x - y - x * y / 2,
        {"x": (-1, 1), "y": (-1, 2)},
    ),
    "zero on two faces": (lambda f, *, x, y: f.exp(x * y) - 1, {"x": (0, 1), "y": (0, 1)}),
    "zero along a face": (lambda f, *, x, y: x * f.exp(y) - x, {"x": (0, 1), "y": (0, 1)}),
    "zero along a diagonal, as a square": (
        lambda f, *, x, y: (x - y) ** 2,
        {"x": (0, 1), "y": (0, 1)},
    ),
    "arithmetic and geometric mean": (
        lambda f, *, x, y: (x**3 + y**3 + 1) / 3 - x * y,
        {"x": (0, 3), "y": (0, 3)},
    ),
    "subsampling by convexity": (
        lambda f, *, q, e: q * (f.exp(e) - 1) - f.expm1(q * e),
        {"q": ("1/5", "4/5"), "e": (0, 1)},
    ),
    "three variables": (
        lambda f, *, x, y, z: f.exp(x) + f.exp(y) + f.exp(z) - 3 - x - y - z - x * y / 4,
        {"x": ("-1/2", "1/2"), "y": ("-1/2", "1/2"), "z": ("-1/2", "1/2")},
    ),
    "a point": (tangent, {"x": (0, 0)}),
    "a constant": (lambda f, *, x: 1, {"x": (0, 1)}),
}

FALSE = {
    "a line above exp": (lambda f, *, x: 1 + 2 * x - f.exp(x), {"x": (0, 2)}),
    "e^x - 1 <= 6x/5": (line("6/5"), {"x": (0, "1/2")}),
    "e^x - 1 <= 129/100 x, by little": (line("129/100"), {"x": (0, "1/2")}),
    "only near 1/3": (
        lambda f, *, x: (x - f.constant("1/3")) ** 2 - f.constant("1e-12"),
        {"x": (0, 1)},
    ),
    "only at an edge": (
        lambda f, *, x, y: f.exp(x) + y - f.constant("271828/100000"),
        {"x": (0, 1), "y": ("-1/1000000", 1)},
    ),
    "a mixed term too large": (
        lambda f, *, x, y: f.exp(x) + f.exp(y) - 2 - x - y - 2 * x * y,
        {"x": (0, 1), "y": (0, 1)},
    ),
    "negative beside a zero": (lambda f, *, x: x**3 * f.exp(x), {"x": (-1, 1)}),
    "a kink": (lambda f, *, x: f.maximum(x, -x) - f.constant("1/1000"), {"x": (-3, 2)}),
    "a minimum": (
        lambda f, *, x: f.minimum(x, 1 - x) + f.constant("1/1000"),
        {"x": (0, "1001/999")},
    ),
    "a saddle at a corner": (
        lambda f, *, x, y: x**2 + y**2 - 3 * x * y,
        {"x": (0, 1), "y": (0, 1)},
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_inequalities_are_proved(name):
    inequality, box = TRUE[name]
    answer = decide_on_box(inequality, box, max_boxes=1000)
    assert isinstance(answer, HoldsOnBox), answer
    assert answer.boxes <= 1000


@pytest.mark.parametrize("name", FALSE)
def test_false_inequalities_have_a_certified_point(name):
    inequality, box = FALSE[name]
    answer = decide_on_box(inequality, box)
    assert isinstance(answer, FailsAt), answer
    point = dict(answer.point)
    for key, (a, b) in box.items():
        assert Fraction(a) <= point[key] <= Fraction(b)
    assert answer.value < 0
    assert evaluate(inequality, **point).ball(512) < 0


@pytest.mark.parametrize("name", TRUE)
def test_a_shaved_truth_is_refuted_where_it_touches(name):
    # Every truth above but these two has a zero in its box.
    if name in {"a normal tail", "a constant"}:
        inequality, box = TRUE[name]
        assert isinstance(decide_on_box(inequality, box), HoldsOnBox)
        return
    inequality, box = TRUE[name]

    def shaved(f, **arguments):
        return inequality(f, **arguments) - f.constant("1/1000000")

    assert isinstance(decide_on_box(shaved, box), FailsAt)


def test_what_stays_open_says_where():
    irrational = decide_on_box(lambda f, *, x: x**4 - 4 * x**2 + 4, {"x": (0, 2)})
    assert isinstance(irrational, OpenOnBox)
    assert irrational.reason.startswith("the formula may be 0 at x in [")
    crossing = decide_on_box(
        lambda f, *, x, y: f.maximum(x, y) - (x + y) / 2,
        {"x": (-1, 1), "y": (-1, 1)},
        max_boxes=100,
    )
    assert isinstance(crossing, OpenOnBox)
    assert crossing.boxes == 100
    assert crossing.reason.startswith("max_boxes=100 did not settle x in [")
    steep = decide_on_box(lambda f, *, x: f.sqrt(x) - x, {"x": (0, "1/2")})
    assert isinstance(steep, OpenOnBox)
    assert "x in [0, 1/" in steep.reason
    # The caller's cure: x = t^2.
    assert isinstance(decide_on_box(lambda f, *, t: t - t**2, {"t": (0, "1/2")}), HoldsOnBox)
    # At a point two computable reals may be equal.
    point = decide_on_box(lambda f, *, x: f.sqrt(x) * f.sqrt(x) - 2, {"x": (2, 2)})
    assert point == OpenOnBox("the formula may be 0 at x=2", 1)


def test_an_open_part_does_not_hide_a_failure():
    def formula(f, *, x):  # an unseen zero at 2, and below 0 only near 17/5
        zero = f.sqrt(x) * f.sqrt(x) - x
        return zero + (x - 2) ** 2 * ((x - f.constant("17/5")) ** 2 - f.constant("1/1000000"))

    answer = decide_on_box(formula, {"x": (2, 4)})
    assert isinstance(answer, FailsAt)
    assert abs(dict(answer.point)["x"] - Fraction(17, 5)) < Fraction(1, 1000)


def test_undefined_is_not_open():
    with pytest.raises(DomainError, match="no value at x=0: division by zero"):
        decide_on_box(lambda f, *, x: (f.exp(x) - 1) / x - 1, {"x": (0, 1)})
    with pytest.raises(DomainError, match=r"no value at x=-1: log of -1"):
        decide_on_box(lambda f, *, x: f.log(x), {"x": (-1, 1)})
    with pytest.raises(DomainError, match=r"x in \[2, 1\] is empty"):
        decide_on_box(tangent, {"x": (2, 1)})
    with pytest.raises(DomainError, match="max_boxes=0"):
        decide_on_box(tangent, {"x": (0, 1)}, max_boxes=0)
    with pytest.raises(DomainError, match="is not finite"):
        decide_on_box(tangent, {"x": (0, float("nan"))})


@pytest.mark.parametrize(
    "formula",
    [
        lambda f, *, x, y: x**2 + y**2 - x / 2,  # a slope into the box is negative
        lambda f, *, x, y: x**2 + y**2 - 3 * x * y,  # no slopes, an indefinite form
        lambda f, *, x, y: x**2 + y**2 - f.constant("1/10"),  # not 0 at the corner
        lambda f, *, x, y: x * (y - f.constant("1/2")),  # c_1 is 0 at the middle only
        lambda f, *, x, y: x * (y - f.constant("1/2")) ** 3 + x**2,
        lambda f, *, x, y: x * (y + 1) - 5 * x**2,  # c_1 > 0, but the box is too long
        lambda f, *, x, y: x**2 * (y + 1) - 5 * x**3,
        lambda f, *, x, y: f.exp(x * y) - 1 - x * y - x**2 / 100,
        lambda f, *, x, y: f.maximum(y, 3 * x) - 2 * x - y,  # a tie along the edge y = 3x
        lambda f, *, x, y: f.minimum(y, 3 * x) - 2 * x,
    ],
)
def test_zeros_prove_nothing_false(formula):
    # Asked directly: in a trial a corner or the middle would often be refuted before.
    unit = (Fraction(0), Fraction(1))
    with precision(64):
        assert not holds_near_zero(Enclosures(formula), {"x": unit, "y": unit})
    mirrored = Enclosures(lambda f, *, x, y: formula(f, x=1 - x, y=1 - y))
    with precision(64):
        assert not holds_near_zero(mirrored, {"x": unit, "y": unit})
    answer = decide_on_box(formula, {"x": (0, 1), "y": (0, 1)})
    assert isinstance(answer, FailsAt)


def test_taylor_at_a_tie_does_not_believe_one_branch():
    # Along x from the face x = 0 the slope of max(y, 3x) is 0 for y > 0, but 3 at y = 0.
    enclosures = Enclosures(lambda f, *, x, y: f.maximum(y, 3 * x))
    face = {"x": (Fraction(0), Fraction(0)), "y": (Fraction(0), Fraction(1))}
    with precision(64):
        slope = enclosures.coefficients_on(face, {"x": Fraction(1)}, order=1)[1]
        assert slope.contains(0)
        assert slope.contains(3)


MONOMIALS = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (1, 2), (4, 0), (2, 1)]


@settings(max_examples=150)
@given(st.lists(st.integers(-2, 3), min_size=9, max_size=9))
def test_zeros_prove_only_what_a_grid_confirms(c):
    def formula(f, *, x, y):
        # No more arithmetic than the formula needs: powers once, and no terms 0 * x.
        power = cache(lambda x, i: x**i)
        terms = [
            a * (power(x, i) * power(y, j) if i and j else power(x, i) if i else power(y, j))
            for a, (i, j) in zip(c, MONOMIALS, strict=True)
            if a
        ]
        return sum(terms[1:], terms[0]) if terms else 0

    unit = (Fraction(0), Fraction(1))
    with precision(64):
        proved = holds_near_zero(Enclosures(formula), {"x": unit, "y": unit})
    if proved:
        steps = [flint.fmpq(i, 16) for i in range(17)]
        assert all(formula(None, x=x, y=y) >= 0 for x in steps for y in steps)


COEFFICIENTS = st.lists(st.integers(-5, 5), min_size=6, max_size=6)


@settings(max_examples=80)
@given(COEFFICIENTS, st.integers(-3, 3))
def test_no_proof_where_another_engine_sees_a_negative_value(c, shift):
    """Any proof is checked on a grid; any counterexample in another arithmetic."""

    def formula(f, x, y):
        total = c[0] * x + c[1] * y + c[2] * x * y + c[3] * x**2 + c[4] * (f.exp(x) - 1)
        return total + c[5] * (f.exp(y) - 1 - y) + f.maximum(x * 0, shift * x - y)

    class Mpmath:
        exp = staticmethod(mpmath.exp)
        maximum = staticmethod(max)

    answer = decide_on_box(
        lambda f, *, x, y: formula(f, x, y), {"x": (-1, 1), "y": (0, 1)}, max_boxes=150
    )
    match answer:
        case HoldsOnBox():
            grid = [
                (mpmath.mpf(i) / 8, mpmath.mpf(j) / 16) for i in range(-8, 9) for j in range(17)
            ]
            assert all(formula(Mpmath, x, y) > mpmath.mpf("-1e-12") for x, y in grid)
        case FailsAt(point=((_, x), (_, y))):
            at = (mpf_of(v) for v in (x, y))
            assert formula(Mpmath, *at) < mpmath.mpf("1e-12")
