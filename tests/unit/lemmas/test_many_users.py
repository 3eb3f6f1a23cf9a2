"""Claims about many users, decided between two ends: against exact views of few."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import pytest

from exactdp.claims import exact_value, hockey_stick, shuffle_pair
from exactdp.truth import Truth
from proofs_check.feldman2023.trials.reduction import rows_of_k_rr
from proofs_check.feldman2023.trials.sequences import has_two_letters, without_two_letters
from proofs_check.lemmas.clones import counted
from proofs_check.lemmas.many_users import all_data

COIN = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def exact_worst(rows, n, gamma):
    """The largest delta over all data and pairs, by the exact law of each view."""
    views = (
        shuffle_pair(rows, inputs=pair, others=counted(others))
        for pair in permutations(range(len(rows)), 2)
        for others in combinations_with_replacement(range(len(rows)), n - 1)
    )
    return max(exact_value(hockey_stick(view, gamma)).as_fraction() for view in views)


@pytest.mark.parametrize("n", [2, 7])
@pytest.mark.parametrize("rows", [COIN, rows_of_k_rr(3, Fraction(4))])
def test_ends_enclose_the_exact_worst_case(rows, n):
    gamma = Fraction(3, 2)
    exact = exact_worst(rows, n, gamma)
    assert all_data(n, [rows], gamma, exact * Fraction(99, 100) / 2).truth is Truth.FALSE
    assert all_data(n, [rows], gamma, exact * 2).truth is Truth.TRUE
    assert all_data(n, [rows], gamma, exact).truth is not Truth.FALSE
    assert all_data(n, [rows], gamma, exact * Fraction(98, 100)).truth is not Truth.TRUE


def test_the_worst_of_several_randomizers_decides():
    gamma, weak = Fraction(3, 2), rows_of_k_rr(2, Fraction(11, 10))
    claimed = exact_worst(COIN, 5, gamma) / 2
    assert all_data(5, [weak], gamma, claimed).truth is Truth.TRUE
    assert all_data(5, [weak, COIN], gamma, claimed).truth is Truth.FALSE
    of_coin = all_data(5, [COIN], gamma, 4 * claimed)
    assert all_data(5, [weak, COIN], gamma, 4 * claimed) == of_coin
    assert all_data(5, [COIN, weak], gamma, 4 * claimed) == of_coin


@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(4), Fraction(12)])
def test_rows_without_two_letters_are_private_laws(x):
    rows = without_two_letters(x)
    assert all(sum(row) == 1 and min(row) > 0 for row in rows)
    assert max(a / b for p in rows for q in rows for a, b in zip(p, q, strict=True)) == x
    assert not has_two_letters(rows, x)
    assert has_two_letters(rows_of_k_rr(3, x), x)
