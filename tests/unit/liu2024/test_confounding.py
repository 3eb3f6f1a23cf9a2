"""The paper's sets and decompositions for finite rows, by hand."""

from fractions import Fraction

import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from proofs_check.liu2024.confounding import (
    as_copies,
    equation_1,
    equation_3,
    equation_3_over_letters,
    failure_set,
    inline_decomposition,
    other_confounding,
    other_regions,
    rejection_region,
    victim_confounding,
)


def row(*masses):
    return [Exact(m) for m in masses]


COIN = row("3/4", "1/4"), row("1/4", "3/4")


def test_sets_and_probabilities_of_the_victim():
    zero, one = row("1/2", "1/3", "1/6"), row("1/6", "1/3", "1/2")
    assert rejection_region(zero, one) == {2}
    found = victim_confounding(zero, one)
    # The tie is in the complement of S: the two probabilities differ.
    assert (found.from_zero, found.from_one) == (Fraction(1, 6), Fraction(1, 2))
    assert found.least == Fraction(1, 6)


def test_failure_sets():
    zero, one = row("19/20", "1/20"), row("1/20", "19/20")
    assert failure_set(zero, delta=Exact("1/5")) == {0}
    assert failure_set(zero, delta=Exact("1/10")) == set()  # 19/20 is not above 1 − 1/20
    found = victim_confounding(zero, one, delta=Exact("1/5"))
    # T^0 = {0} removes all of the complement of S, T^1 = {1} nothing of it.
    assert (found.from_zero, found.from_one, found.from_one_own) == (
        Fraction(1, 20),
        0,
        Fraction(1, 20),
    )
    with pytest.raises(DomainError, match="delta"):
        victim_confounding(zero, one, delta=Exact(1))


def test_regions_of_another_user():
    regions = other_regions(*COIN, row("1/2", "1/2"))
    assert (regions.union, regions.zero, regions.one) == ({0, 1}, {0}, {1})
    assert regions.is_covered
    assert other_confounding(*COIN, row("1/10", "9/10")) == (Fraction(1, 10), 0)
    tie = other_regions(row("1/2", "1/2"), row("1/2", "1/2"), row("1/4", "3/4"))
    assert other_confounding(*COIN, COIN[0]) == (0, Fraction(1, 4))  # a tie with R(x_1^0)
    assert (tie.union, tie.zero | tie.one, tie.is_covered) == ({0}, set(), False)


def test_equation_1_needs_the_local_epsilon():
    assert all(m.check() is None for m in equation_1(*COIN, epsilon=Epsilon.log(3)))
    assert any(m.check() is not None for m in equation_1(*COIN, epsilon=Epsilon.log(2)))


def test_the_display_before_1_repeats_a_letter():
    good, bad = inline_decomposition(*COIN, p=Exact("1/4"), letters=[row(1, 0), row(0, 1)])
    assert good.check() is None
    assert bad.check() is not None


def test_equation_2_and_4():
    assert as_copies(*COIN, COIN[0], p=Exact("1/4")).check() is None
    assert as_copies(*COIN, COIN[0], p=Exact("1/4") + Exact("1e-30")).check() is not None


def test_equation_3():
    assert all(m.check() is not None for m in equation_3(*COIN, p=Exact("1/4")))
    assert all(m.check() is None for m in equation_3(*COIN, p=Exact(0)))
    assert all(m.check() is None for m in equation_3_over_letters(*COIN, p=Exact("1/4")))
    assert any(m.check() for m in equation_3_over_letters(*COIN, p=Exact("3/10")))
    with pytest.raises(DomainError, match="1/2"):
        equation_3_over_letters(*COIN, p=Exact("1/2"))
