"""The expected distances of the two models, message by message, and at an instance by hand."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from exactdp.claims.terms import term
from exactdp.claims.values import exact_value, value
from exactdp.numbers import enclosure
from proofs_check.biswas2023.protocol import counted, message_law, rows
from proofs_check.biswas2023.trials.abstract import inverted_distance, noisy_distance
from proofs_check.biswas2023.trials.section_5a import inverted


def by_messages(k, x, data):
    """The mean of half the sum of |estimate − share|, over all messages."""
    found = term(0)
    for messages, weight in message_law(rows(term(x), k), data):
        shares = inverted([messages.count(v) for v in range(k)], Fraction(x), k)
        off = sum(abs(s - Fraction(data.count(v), len(data))) for v, s in enumerate(shares))
        found = found + weight * (off / 2)
    return exact_value(found)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_inverted_shares_message_by_message(n, k):
    for data in combinations_with_replacement(range(k), n):
        assert exact_value(inverted_distance(k, 3, counted(data))) == by_messages(k, 3, data)


def test_one_user_by_hand():
    """k = 2, x = 3: the share 1 is estimated as 3/2 with probability 3/4, else as −1/2."""
    assert exact_value(inverted_distance(2, 3, ((0, 1),))) == Fraction(3, 4)
    found = enclosure(value(noisy_distance(2, Fraction(1), ((0, 1),))))
    assert Fraction("0.79788456080") < found.lower <= found.upper < Fraction("0.79788456081")
