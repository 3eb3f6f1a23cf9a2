"""The canonical form of a pair."""

from flint import fmpz

from exactdp.divergences import Pair
from exactdp.divergences.likelihood import finite_ratios, product_pair, sufficient_pair
from exactdp.numbers import Exact


def test_merges_sorts_and_drops():
    pair = Pair.from_masses(
        ["1/4", 0, "1/4", 0, "1/4", "1/4", 0], ["1/8", 0, 0, "1/4", "1/8", "1/4", "1/4"]
    )
    canonical = sufficient_pair(pair)
    # Ratios 0, 1, 2 and infinity.
    assert canonical.masses() == [
        (Exact(0), Exact("1/2")),
        (Exact("1/4"), Exact("1/4")),
        (Exact("1/2"), Exact("1/4")),
        (Exact("1/4"), Exact(0)),
    ]
    assert finite_ratios(canonical) == [0, 1, 2]


def test_is_the_same_for_scaled_reordered_and_split_weights():
    coin = sufficient_pair(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
    scaled = Pair([fmpz(6), fmpz(2)], [fmpz(1), fmpz(3)], fmpz(8), fmpz(4))
    split = Pair([fmpz(2), fmpz(3), fmpz(3)], [fmpz(6), fmpz(1), fmpz(1)], fmpz(8), fmpz(8))
    assert sufficient_pair(scaled) == coin
    assert sufficient_pair(split) == coin
    assert sufficient_pair(Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"])) != coin


def test_rational_numbers_of_the_exact_field_become_integers():
    plain = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    exact = Pair([Exact(3), Exact(1)], [Exact(1), Exact(3)], Exact(4), Exact(4))
    assert sufficient_pair(exact) == sufficient_pair(plain)


def test_equal_transcendental_ratios_merge():
    e = Exact.exp(1)
    split = Pair(
        [e / (2 * e + 2)] * 2 + [1 / (1 + e)],
        [1 / (2 * e + 2)] * 2 + [e / (1 + e)],
        Exact(1),
        Exact(1),
    )
    assert finite_ratios(sufficient_pair(split)) == [1 / e, e]


def test_ratios_beyond_the_first_comparison_are_sorted_exactly():
    # Three ratios that agree in far more than the 64 bits compared first.
    big = fmpz(10) ** 60
    weights = [big + 2, big, big + 1]
    total = sum(weights, fmpz(0))
    pair = Pair(weights, [big, big, big + 3], total, 3 * big + 3)
    assert list(sufficient_pair(pair).p) == [big + 1, big, big + 2]


def test_product_of_a_rational_and_a_transcendental_pair():
    e = Exact.exp(1)
    one = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    two = Pair.from_masses([e / (1 + e), 1 / (1 + e)], [1 / (1 + e), e / (1 + e)])
    product = product_pair(one, two)
    assert product == product_pair(two, one)
    assert finite_ratios(product) == [1 / (3 * e), e / 3, 3 / e, 3 * e]


def test_mass_at_infinity_of_a_product():
    # P has 1/10 outside Q, so the product misses 1 - (9/10)^2 = 19/100.
    pair = Pair.from_masses(["1/10", "9/10"], [0, 1])
    assert product_pair(pair, pair).masses()[-1] == (Exact("19/100"), Exact(0))
