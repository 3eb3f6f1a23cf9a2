"""Polynomials on whole ranges: double roots, roots at the ends, infinity."""

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import fmpq, fmpq_poly, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.audit.polynomials import NegativeAt, NonnegativeOnRange, decide_polynomial
from exactdp.errors import DomainError

X = fmpq_poly([0, 1])


def from_roots(*roots, leading=1):
    p = fmpq_poly([fmpq(Fraction(leading).numerator, Fraction(leading).denominator)])
    for root in roots:
        p *= X - fmpq(Fraction(root).numerator, Fraction(root).denominator)
    return p


def zeros(answer):
    return [(z.lower, z.upper) for z in answer.zeros]


TRUE = [
    (from_roots(1, 1), 0, 2),
    (from_roots(1, 1), 1, 2),
    (from_roots(1, 1), 0, 1),
    (from_roots(1, 2), 2, None),
    (from_roots(1, 2), 0, 1),
    (from_roots(1, 2, leading=-1), 1, 2),
    (from_roots(1, 1, 1), 1, None),
    (from_roots("1/3", "1/3", "1/3", "1/3"), -1, None),
    (from_roots(-1, 3, 3), -1, None),
    (from_roots(0, 0, "1/7", "1/7", leading="1/5"), -3, 3),
    (X**2 - 2, Fraction(3, 2), None),
    ((X**2 - 2) ** 2, 0, None),
    (X**2 + X + 1, -5, 5),
    (fmpq_poly([3]), 0, None),
    (fmpq_poly([0]), 0, None),
    (fmpq_poly([0]), 0, 1),
    (from_roots(1, leading=-1), 1, 1),
]

FALSE = [
    (from_roots(1, 1, leading=-1), 0, 2),
    (from_roots(1, 1) - fmpq(1, 10**40), 0, 2),
    (from_roots(1), 0, None),
    (from_roots(1, 1, 1), 0, 2),
    (from_roots(1000, leading=-1), 0, None),
    (X**2 - 2, 0, 2),
    (X**2 - 2, Fraction(7, 5), None),
    (from_roots("1/3", "1/3", "1/3"), 0, 1),
    (from_roots("1/2", "1/2", leading=-1), 0, 1),
    (from_roots("1/2", "1/2", leading=-1), 0, None),
    (from_roots(0, 1), 0, 1),
    (from_roots(1, 1, leading=-1), 1, None),
    (from_roots("1/2", "1/2", "1/4", "1/4", leading=-1), 0, 1),
    (from_roots(0, 0, "1/2", "1/2", 1, 1, leading=-1), 0, 1),
    (fmpq_poly([-1]), 0, None),
    (from_roots(1), 0, 0),
]


@pytest.mark.parametrize(("p", "lower", "upper"), TRUE)
def test_nonnegative_polynomials(p, lower, upper):
    assert isinstance(decide_polynomial(p, lower=lower, upper=upper), NonnegativeOnRange)


@pytest.mark.parametrize(("p", "lower", "upper"), FALSE)
def test_negative_values_are_found(p, lower, upper):
    answer = decide_polynomial(p, lower=lower, upper=upper)
    assert isinstance(answer, NegativeAt)
    assert answer.point >= lower
    assert upper is None or answer.point <= upper
    x = fmpq(answer.point.numerator, answer.point.denominator)
    assert p(x) == fmpq(answer.value.numerator, answer.value.denominator) < 0


def test_zeros_are_listed_once_in_order():
    answer = decide_polynomial(from_roots(1, 2, 2, "7/2", "7/2", "7/2", "7/2"), lower=1, upper=6)
    assert zeros(answer)[0] == (1, 1)
    assert len(answer.zeros) == 3
    for (low, high), root in zip(zeros(answer)[1:], (2, Fraction(7, 2)), strict=True):
        assert low < root < high or low == root == high
    irrational = decide_polynomial((X**2 - 2) ** 2, lower=0, upper=None)
    ((low, high),) = zeros(irrational)
    assert low**2 < 2 < high**2
    assert not irrational.is_strict
    assert zeros(decide_polynomial(from_roots(0, 1, leading=-1), lower=0, upper=1)) == [
        (0, 0),
        (1, 1),
    ]
    assert decide_polynomial(X**2 - 2, lower="3/2", upper=None).is_strict
    assert decide_polynomial([0], lower=0, upper=1).zeros is None
    assert not decide_polynomial([0], lower=0, upper=1).is_strict


def test_forms_of_a_polynomial():
    for p in (fmpz_poly([1, -2, 1]), fmpq_poly([1, -2, 1]), ["1", Fraction(-2), 1]):
        answer = decide_polynomial(p, lower="1/2", upper=None)
        assert answer.domain == "x in [1/2, infinity)"
        assert answer.by.startswith("exact real-root isolation of a polynomial of degree 2 on ")
    assert decide_polynomial([1], lower=0, upper="1/3").domain == "x in [0, 1/3]"
    with pytest.raises(DomainError, match="upper=0 is below lower=1"):
        decide_polynomial([1], lower=1, upper=0)
    with pytest.raises(DomainError, match="is a float"):
        decide_polynomial([0.5], lower=0, upper=1)


ROOTS = st.lists(st.tuples(st.fractions(-4, 4, max_denominator=6), st.integers(1, 4)), max_size=5)
POSITIVE = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 5)), max_size=2)


@settings(max_examples=300)
@given(
    ROOTS,
    POSITIVE,
    st.sampled_from([1, -1]),
    st.fractions(-5, 5, max_denominator=6),
    st.one_of(st.none(), st.fractions(0, 6, max_denominator=6)),
)
def test_random_polynomials_with_known_roots(roots, positive, sign, lower, length):
    p = fmpq_poly([sign])
    multiplicity = {}
    for root, times in roots:
        p *= from_roots(root) ** times
        multiplicity[root] = multiplicity.get(root, 0) + times
    for center, height in positive:
        p *= (X - center) ** 2 + height
    upper = None if length is None else lower + length
    # Between two neighboring roots, or ends, the sign is that at one point.
    last = max([lower, *multiplicity]) + 2 if upper is None else upper
    marks = sorted({lower, last, *(r for r in multiplicity if lower < r < last)})
    tests = [*marks, *((a + b) / 2 for a, b in pairwise(marks))]
    expected = all(p(fmpq(x.numerator, x.denominator)) >= 0 for x in map(Fraction, tests))
    answer = decide_polynomial(p, lower=lower, upper=upper)
    assert isinstance(answer, NonnegativeOnRange if expected else NegativeAt)
    match answer:
        case NonnegativeOnRange():
            inside = sorted(r for r in multiplicity if lower <= r and (upper is None or r <= upper))
            assert len(answer.zeros) == len(inside)
            for (low, high), root in zip(zeros(answer), inside, strict=True):
                assert low < root < high or low == root == high
        case NegativeAt():
            assert answer.value < 0
            assert lower <= answer.point
            assert upper is None or answer.point <= upper
