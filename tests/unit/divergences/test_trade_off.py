"""Trade-off functions with vertices that can be checked by hand."""

import pytest

from exactdp.divergences import Pair, trade_off_function
from exactdp.errors import DomainError
from exactdp.numbers import Exact

PAIR = Pair.from_masses(["1/2", "1/3", "1/6", 0], ["1/4", "1/3", 0, "5/12"])
TRADE_OFF = trade_off_function(PAIR)


def test_vertices_start_below_one_where_only_q_has_mass():
    assert TRADE_OFF.vertices == (
        (Exact(0), Exact("7/12")),
        (Exact("1/3"), Exact("1/4")),  # the ratio 1 first
        (Exact("5/6"), Exact(0)),  # then the ratio 2
        (Exact(1), Exact(0)),  # then what Q does not have
    )


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [(0, "7/12"), ("1/6", "5/12"), ("1/3", "1/4"), ("7/12", "1/8"), ("11/12", "0"), (1, "0")],
)
def test_values(alpha, beta):
    assert TRADE_OFF.type_two_error(alpha=alpha) == Exact(beta)


def test_transcendental_level():
    level = Exact.exp(-2)  # 0.135..., below 1/3, where the slope is -1
    assert TRADE_OFF.type_two_error(alpha=level) == Exact("7/12") - level


def test_disjoint_laws_are_told_apart_for_free():
    free = trade_off_function(Pair.from_masses([1, 0], [0, 1]))
    assert free.vertices == ((Exact(0), Exact(0)), (Exact(1), Exact(0)))
    assert free.type_two_error(alpha=0) == 0


def test_transcendental_laws():
    e = Exact.exp(1)
    coin = Pair.from_masses([e / (1 + e), 1 / (1 + e)], [1 / (1 + e), e / (1 + e)])
    corner = 1 / (1 + e)
    assert trade_off_function(coin).vertices[1] == (corner, corner)


def test_equality_is_that_of_functions():
    split = Pair.from_masses(["1/2", "1/3", "1/12", "1/12", 0], ["1/4", "1/3", 0, 0, "5/12"])
    assert trade_off_function(split) == TRADE_OFF
    assert trade_off_function(PAIR.reversed()) != TRADE_OFF


@pytest.mark.parametrize("alpha", [-1, "11/10", 1.5])
def test_bad_alpha(alpha):
    with pytest.raises(DomainError, match="alpha="):
        TRADE_OFF.type_two_error(alpha=alpha)
