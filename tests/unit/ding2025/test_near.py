"""The laws of X around an integer by their formula, and as the engine adds them up."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.claims import value
from proofs_check.ding2025.bernoulli_user import INTEGER, LESS, near, parts, places
from proofs_check.ding2025.law import sum_of


@pytest.mark.parametrize("others", INTEGER, ids=str)
def test_near_an_integer_the_laws_and_the_plan_are_those_of_the_sum(others):
    p, q, law = Fraction(1, 3), Fraction(3, 4), sum_of(others)
    whole = parts(p, q, others)
    for at in whole.places:
        found = near(p, q, law.up_to(at - 3), *(law[at + k] for k in range(-2, 2)))
        for side, x in product("pq", range(-2, 2)):
            assert value(found.f(side, x)) == value(whole.f(side, at + x))
        for x, z in product(range(-1, 2), repeat=2):
            assert value(found.plan(x, z)) == value(whole.plan(at + x, at + z))


def test_a_gap_of_no_mass_is_none_and_one_with_mass_is_below_what_follows():
    at = (Fraction(1, 2), Fraction(1, 2), Fraction(1, 8), *[Fraction(1, 8)] * 4)
    apart, close = near(*at, Fraction(1, 4)), near(*at)
    assert value(near(*at, 0).f("p", 0)) == value(close.f("p", 0))
    assert value(apart.f("p", -1)) == value(close.f("p", -1))
    assert value(apart.f("p", 0) - close.f("p", 0)) == Fraction(1, 4)


def test_the_instances_are_in_their_domain():
    from exactdp.claims.claim import Effort

    over = places(LESS, with_gap=True, positive=(-1,))
    found = list(over.instances(Effort.DEFAULT))
    assert over.domain is not None
    assert len(found) > 100
    assert all(over.domain.admits(at.mapping()) and at["g_2"] > 0 for at in found)
