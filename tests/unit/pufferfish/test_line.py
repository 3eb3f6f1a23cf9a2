"""Sums of independent laws: against a sum over all tuples, in plain Fractions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ParseError, TooLargeError
from exactdp.numbers import Exact
from exactdp.pufferfish import line_law, sum_of_independent
from exactdp.pufferfish.line import atoms, lattice_step
from exactdp.testing import fractions
from tests.routes.laws import added, laws_on

points = st.one_of(st.integers(-4, 4).map(Fraction), fractions(-3, 3, max_denominator=6))


@given(st.lists(laws_on(points), min_size=1, max_size=4))
@settings(max_examples=80)
def test_the_sum_over_all_tuples(parts):
    assert sum_of_independent(FinitePmf(part) for part in parts) == FinitePmf(added(parts))


def test_a_sum_of_nothing_is_zero():
    assert sum_of_independent([]) == FinitePmf({0: 1})


def test_irrational_masses_and_wide_gaps():
    p = 1 / (1 + Exact.exp(1))
    coin = FinitePmf({0: p, 1: 1 - p})
    assert sum_of_independent([coin, coin])[1] == 2 * p * (1 - p)
    far = FinitePmf({0: "1/2", 10**12: "1/2"})
    assert sum_of_independent([far, far, FinitePmf.point(1)])[10**12 + 1] == Fraction(1, 2)


def test_lattice_step():
    assert lattice_step([Fraction(1, 3), Fraction(5, 6), Fraction(2)]) == Fraction(1, 6)
    assert lattice_step([Fraction(1, 3)] * 2) == 0
    assert lattice_step([Fraction(5), Fraction(-1), Fraction(9)]) == 2


def test_refusals():
    with pytest.raises(DomainError, match="is not finite"):
        line_law({Fraction(1): float("nan"), Fraction(2): float("nan")})
    with pytest.raises(ParseError, match="outcome='yes'"):
        atoms(FinitePmf({"yes": 1}))
    scattered = FinitePmf.uniform([Fraction(k, 1) + Fraction(1, 10**7 + k) for k in range(1001)])
    with pytest.raises(TooLargeError, match="Take fewer laws"):
        sum_of_independent([scattered, scattered])
