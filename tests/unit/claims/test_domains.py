"""The domain of a claim's variables: membership, the printed sentence, and the draws."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.claims import at_most, cases
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import Numbers, integers, objects, reals
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Exact

SHARES = Domain(
    {"p": reals(above=1), "beta": reals(0, lambda p: (p - 1) / (p + 1)), "n": integers(2)}
)


def test_the_sentence_is_made_of_the_ranges():
    assert str(SHARES) == "all p > 1, 0 ≤ β ≤ (p − 1)/(p + 1), integer n ≥ 2"
    assert str(Domain({"x": reals(most=3), "y": reals(below=0)})) == "all x ≤ 3, y < 0"
    laws = Domain({"P": objects("a finite law")}, (lambda: at_most(1, 2),))
    assert str(laws) == "all P: a finite law with 1 ≤ 2"


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (reals(1, 2), (1, Fraction(3, 2), 2, Exact("2")), (Fraction(1, 2), 3, "1", True, 1.5)),
        (reals(above=1, below=2), (Fraction(3, 2),), (1, 2)),
        (integers(1), (1, Exact(7)), (0, Fraction(3, 2), Exact("3/2"))),
        (reals(), (-5, 0), ("x", None)),
        (reals(1, Exact.exp(1)), (2, Exact.exp("1/2")), (3,)),
    ],
)
def test_membership(kind, inside, outside):
    assert all(kind.admits(x, {}) for x in inside)
    assert not any(kind.admits(x, {}) for x in outside)


def test_an_end_may_depend_on_earlier_variables_and_conditions_on_all():
    assert SHARES.admits({"p": 3, "beta": Fraction(1, 2), "n": 2})
    assert not SHARES.admits({"p": 3, "beta": Fraction(2, 3), "n": 2})
    below = Domain(SHARES.kinds, (lambda beta, n: at_most(beta * n, 1),))
    assert not below.admits({"p": 9, "beta": Fraction(2, 3), "n": 2})
    assert below.admits({"p": 9, "beta": Fraction(2, 3), "n": 1 + 1}) is False


@given(SHARES.strategy())
def test_what_is_drawn_is_in_the_domain(at):
    assert SHARES.admits(at.mapping())


@pytest.mark.parametrize(
    ("kind", "met"),
    [
        (reals(1), lambda x: x == 1),
        (reals(1), lambda x: x > 900),
        (reals(above=1), lambda x: 1 < x < Fraction(11, 10)),
        (reals(0, 1), lambda x: x == 1),
        (reals(0, below=1), lambda x: Fraction(9, 10) < x < 1),
        (reals(most=0), lambda x: x < -900),
        (reals(), lambda x: x < -1),
        (integers(2, draws=9), lambda x: x == 11),
        (integers(0, 3), lambda x: x == 3),
    ],
)
def test_ends_and_what_is_far_from_them_are_drawn(kind, met):
    from hypothesis import find

    assert met(find(kind.strategy({}), met))


def test_a_domain_is_of_all_variables_of_the_instances():
    with pytest.raises(DomainError, match="Say of each variable"):
        cases(n=(1,), k=(2,)).within(n=integers(1))
    with pytest.raises(DomainError, match="one end on each side"):
        reals(1, above=1)
    over = cases(n=(1,), k=(2,)).within(n=integers(1), k=integers(2))
    assert over.is_drawn
    assert not cases(P=(1,)).within(P=objects("a law")).is_drawn
    assert cases(P=(1,)).within(P=objects("a law", lambda: st.just(2))).is_drawn


def test_kinds_are_data():
    assert reals(1) == Numbers(1, None)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: reals(2, 1), "is empty"),
        (lambda: reals("a"), "a"),
        (lambda: reals(1.5), "is not a number"),
        (lambda: integers(1, draws=-1), "draws=-1"),
        (lambda: cases(n=(1,)).within(n=3), "is not a kind of a variable"),
    ],
)
def test_what_is_no_range_is_refused_at_once(made, says):
    with pytest.raises(ExactDPError, match=says):
        made()
