"""The max divergence."""

from flint import fmpz

from exactdp.divergences import Pair, max_divergence, max_divergence_both_directions
from exactdp.numbers import Epsilon, Exact


def test_rational_laws():
    pair = Pair.from_masses(["3/4", "1/4", 0], ["1/2", "1/2", 0])
    assert max_divergence(pair) == Epsilon.log("3/2")
    assert max_divergence(pair.reversed()) == Epsilon.log(2)
    assert max_divergence_both_directions(pair) == Epsilon.log(2)


def test_mass_where_q_has_none_is_infinite_in_one_direction_only():
    pair = Pair.from_masses(["1/10", "9/10"], [0, 1])
    assert max_divergence(pair).is_infinite
    assert max_divergence(pair.reversed()) == Epsilon.log("10/9")
    assert max_divergence_both_directions(pair).is_infinite
    assert max_divergence_both_directions(pair.reversed()).is_infinite


def test_equal_laws():
    same = Pair.from_masses(["1/3", "2/3", 0], ["1/3", "2/3", 0])
    assert max_divergence(same) == Epsilon.log(1)


def test_transcendental_laws():
    odds = Exact.exp("1/2")
    coin = Pair.from_masses(
        [odds / (1 + odds), 1 / (1 + odds)], [1 / (1 + odds), odds / (1 + odds)]
    )
    assert max_divergence(coin) == Epsilon.rational("1/2")


def test_one_law_rational_and_the_other_not():
    e = Exact.exp(1)
    pair = Pair.from_masses(["1/2", "1/2"], [1 / e, 1 - 1 / e])
    assert max_divergence(pair).exp == e / 2
    assert max_divergence(pair.reversed()).exp == 2 * (1 - 1 / e)


def test_totals_are_taken_into_account():
    pair = Pair([fmpz(30), fmpz(10)], [fmpz(1), fmpz(3)], fmpz(40), fmpz(4))
    assert max_divergence(pair) == Epsilon.log(3)
