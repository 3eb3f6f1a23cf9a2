"""Common bases and exact logarithms, against prime factorizations and plain Fractions."""

from fractions import Fraction
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError
from exactdp.numbers import Exact
from exactdp.numbers.commensurable import (
    ExplicitScale,
    GeometricScale,
    common_base,
    floor_of_logarithm,
    geometric_scale,
)
from exactdp.numbers.limits import MAX_STEPS_OF_A_LATTICE

ROOTS = (Exact(2), Exact(3), Exact("3/2"), Exact("10/9"), Exact.exp("1/6"), 2 * Exact.exp(1))
"""No two of them have a common base, and none is a power of another number of the field
but e^(1/6)."""

fractions_above_one = st.builds(
    lambda low, more: Fraction(low + more, low), st.integers(1, 40), st.integers(1, 40)
)


@given(st.sampled_from(ROOTS), st.integers(1, 12), st.integers(1, 12))
def test_powers_of_one_root_meet_in_the_gcd_of_the_exponents(root, n, m):
    assert common_base(root**n, root**m) == root ** gcd(n, m)


@given(st.sampled_from(ROOTS), st.sampled_from(ROOTS), st.integers(1, 6), st.integers(1, 6))
def test_powers_of_different_roots_have_no_common_base(x, y, n, m):
    assert (common_base(x**n, y**m) is None) == (x != y)


def _factorization(value: Fraction) -> dict[int, int]:
    found: dict[int, int] = {}
    for part, sign in ((value.numerator, 1), (value.denominator, -1)):
        p = 2
        while part > 1:
            while part % p == 0:
                found[p] = found.get(p, 0) + sign
                part //= p
            p += 1
    return found


@given(fractions_above_one, fractions_above_one)
@settings(max_examples=300)
def test_common_base_agrees_with_prime_factorization(x, y):
    # x and y are powers of one number exactly if their exponent vectors are parallel.
    a, b = _factorization(x), _factorization(y)
    primes = set(a) | set(b)
    parallel = all(
        a.get(p, 0) * b.get(q, 0) == a.get(q, 0) * b.get(p, 0) for p in primes for q in primes
    )
    base = common_base(Exact(x), Exact(y))
    assert (base is not None) == parallel
    if base is not None:
        n, m = (floor_of_logarithm(Exact(v), base) for v in (x, y))
        assert (base**n, base**m) == (x, y)
        assert gcd(n, m) == 1


def test_base_of_a_proper_rational_function_of_e():
    odds = (1 + Exact.exp("1/2")) / (1 + Exact.exp("1/3"))
    assert common_base(odds**6, odds**10) == odds**2
    assert common_base(odds, odds + 1) is None
    assert common_base(2 * Exact.exp(1), Exact.exp(1)) is None


@pytest.mark.parametrize("x", [Exact(1), Exact("1/2"), Exact(0), Exact(-3)])
def test_common_base_refuses_what_is_not_above_one(x):
    with pytest.raises(DomainError, match="at most 1"):
        common_base(x, Exact(2))


@given(fractions_above_one, st.integers(-30, 30), st.fractions("1/1000", "1000"))
@settings(max_examples=200)
def test_floor_of_logarithm_brackets_by_plain_fractions(base, n, other):
    for value in (base**n, other):
        floor = floor_of_logarithm(Exact(value), Exact(base))
        assert base**floor <= value < base ** (floor + 1)
    assert floor_of_logarithm(Exact(base**n), Exact(base)) == n
    # A hair below an exact power.
    assert floor_of_logarithm(Exact(base**n * (1 - Fraction(1, 10**60))), Exact(base)) == n - 1


def test_floor_of_logarithm_of_powers_of_e():
    assert floor_of_logarithm(Exact.exp(-1), Exact.exp("1/3")) == -3
    assert floor_of_logarithm(Exact.exp("-1/2"), Exact.exp("1/3")) == -2
    assert floor_of_logarithm(Exact(1), 1 + Exact.exp(1)) == 0
    base = 1 + Exact.exp("1/2")
    for n in (-4, 5):
        assert floor_of_logarithm(base**n, base) == n
        assert floor_of_logarithm(base**n * Exact("0.9999999"), base) == n - 1
    # e^1000000 is never written out.
    assert floor_of_logarithm(Exact.exp(10**6), Exact.exp("1/100")) == 10**8


@pytest.mark.parametrize(("value", "base"), [(0, 2), (-1, 2), (3, 1), (3, "1/2")])
def test_floor_of_logarithm_refuses(value, base):
    with pytest.raises(DomainError, match="must be positive"):
        floor_of_logarithm(Exact(value), Exact(base))


def test_geometric_scale_finds_the_coarsest_lattice():
    ratios = [Exact("1/5") * Exact("3/2") ** n for n in (0, 4, 10)]
    scale, indices = geometric_scale(ratios)
    assert scale == GeometricScale(Exact("1/5"), Exact("9/4"), 6)
    assert indices == [0, 2, 5]
    assert [scale[i] for i in indices] == ratios


def test_far_apart_numbers_are_refused_without_long_powers():
    # The quotient of the logarithms is above 10^60.
    near_one = 1 + Exact("1e-60")
    assert common_base(Exact(10), near_one) is None
    assert common_base(Exact.exp(1), (Exact.exp(1) + Exact("1e-60")) / Exact.exp(1)) is None


def test_sparse_lattices_are_not_used():
    narrow = [Exact(1), Exact(2), Exact(2) ** MAX_STEPS_OF_A_LATTICE]
    assert geometric_scale(narrow) is not None
    assert geometric_scale([*narrow[:2], Exact(2) ** (MAX_STEPS_OF_A_LATTICE + 1)]) is None


@given(st.integers(0, 6), fractions_above_one, st.fractions(0, 50))
@settings(max_examples=200)
def test_index_above_counts_the_ratios(size, base, gamma):
    scale = GeometricScale(Exact("1/3"), Exact(base), size)
    ratios = [Fraction(1, 3) * base**i for i in range(size)]
    assert list(scale) == ratios
    for value in (gamma, *ratios):
        expected = sum(1 for ratio in ratios if ratio <= value)
        assert scale.index_above(Exact(value)) == expected
        assert ExplicitScale(tuple(scale)).index_above(Exact(value)) == expected


def test_scale_indices_outside_are_refused():
    scale = GeometricScale(Exact(1), Exact(2), 3)
    for index in (-1, 3):
        with pytest.raises(IndexError):
            scale[index]
