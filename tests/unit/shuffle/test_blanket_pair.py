"""The blanket pair at scale, against the exact view of the blanket and pairs of counts."""

from fractions import Fraction
from itertools import permutations

import pytest

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import CountPair, blanket_decomposition, blanket_pair

UNEVEN = Randomizer.from_matrix(
    [["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"], ["1/5", "2/5", "2/5"]]
)
LEAKY = Randomizer.from_matrix([["1/2", "1/4", "1/4", 0], ["1/4", "1/2", 0, "1/4"]])
CASES = [
    (randomized_response(2, Epsilon.log(3)), 20, "3/2"),
    (randomized_response(3, Epsilon.log(4)), 60, "6/5"),
    (randomized_response(4, Epsilon.log(4)), 40, "2"),
    (randomized_response(3, Epsilon.rational(1)), 15, "1"),
    (UNEVEN, 25, "5/4"),
    (LEAKY, 12, "3/2"),
]


@pytest.mark.parametrize(("randomizer", "n", "odds"), CASES, ids=range(len(CASES)))
def test_against_the_exact_view(randomizer, n, odds):
    view = blanket_decomposition(randomizer).blanket_view(n=n)
    truth = view.delta(Epsilon.log(odds))
    found = blanket_pair(n, randomizer, inputs=(0, 1)).delta(Epsilon.log(odds))
    assert found.lower <= truth <= found.upper <= found.lower * Fraction(1001, 1000)


def test_without_inputs_it_is_the_worst_pair():
    each = [
        blanket_pair(9, UNEVEN, inputs=inputs).delta(Epsilon.log("5/4"))
        for inputs in permutations(range(3), 2)
    ]
    found = blanket_pair(9, UNEVEN).delta(Epsilon.log("5/4"))
    assert max(e.lower for e in each) <= found.upper and found.lower <= max(e.upper for e in each)
    assert min(e.upper for e in each) < found.lower


def test_a_million_users_between_two_pairs_of_counts():
    """Merging the other blanket messages is post-processing; telling the victim's letter is not."""
    n, odds = 10**6, "1.003"
    a, b, r = Exact("4/7"), Exact("1/7"), Exact("1/7")
    blanket = blanket_pair(n, randomized_response(4, Epsilon.log(4)), inputs=(0, 1))
    found = blanket.delta(Epsilon.log(odds))
    counts = CountPair(n, a, b, r), CountPair(n, a / (a + b), b / (a + b), r)
    below, above = (c.delta(Epsilon.log(odds), relative_width="1e-9") for c in counts)
    assert below.lower <= found.upper and found.lower <= Fraction(5, 7) * above.upper
    assert found.upper <= found.lower * Fraction(1001, 1000)


def test_epsilon_inverts_delta():
    pair = blanket_pair(30, randomized_response(3, Epsilon.log(4)))
    found = pair.epsilon("1/100")
    view = blanket_decomposition(randomized_response(3, Epsilon.log(4))).blanket_view(n=30)
    at = [view.delta(Epsilon.rational(e)) for e in (found.lower, found.upper)]
    assert at[0] > Fraction(1, 100) >= at[1]
    assert pair.epsilon("99/100").upper == 0


def test_refusals():
    coin = randomized_response(2, Epsilon.log(3))
    with pytest.raises(DomainError, match="row numbers"):
        blanket_pair(5, coin, inputs=(0, 2))
    with pytest.raises(DomainError, match="n=0"):
        blanket_pair(0, coin)
    with pytest.raises(DomainError, match="blanket is empty"):
        blanket_pair(5, Randomizer.from_matrix([[1, 0], [0, 1]]))


@pytest.mark.parametrize(("randomizer", "n", "odds"), CASES, ids=range(len(CASES)))
def test_a_blanket_is_the_profile_of_its_view(randomizer, n, odds):
    pair = blanket_pair(4, randomizer, inputs=(0, 1))
    view = blanket_decomposition(randomizer).blanket_view(n=4)
    assert pair.max_divergence() == view.max_divergence()
    assert pair.infinity_mass() == view.infinity_mass()
    turned = pair.reversed()
    assert turned.max_divergence() == view.reversed().max_divergence()
    for epsilon in (Epsilon.log("4/5"), Epsilon.log(odds)):
        assert pair.delta(epsilon).contains(view.delta(epsilon))
        assert turned.delta(epsilon).contains(view.reversed().delta(epsilon))
    worst = blanket_pair(4, randomizer)
    assert worst.reversed() is worst
    assert worst.max_divergence() >= pair.max_divergence()


def test_where_no_epsilon_is_enough():
    pair = blanket_pair(5, LEAKY, inputs=(0, 1))
    assert pair.infinity_mass() == Exact("1/4")
    assert pair.epsilon("0.249").is_infinite and pair.max_divergence().is_infinite
    limit = pair.epsilon("1/4")  # the largest finite loss: that of the first message
    assert Exact.exp(limit.lower) <= 2 <= Exact.exp(limit.upper) < Exact("2.01")
    assert 0 < pair.epsilon("0.26").upper < limit.lower
