"""The paper's sets and decompositions for finite rows, by hand."""

from fractions import Fraction

import pytest

from exactdp.claims import Relation, Said, value
from exactdp.truth import Truth
from proofs_check.liu2024.randomizers import Rows, binary, p_1, p_1_of_one, p_i, p_i_of, small
from proofs_check.liu2024.trials import section_3_1, section_3_2


def row(*masses):
    return tuple(Fraction(m) for m in masses)


COIN = row("3/4", "1/4"), row("1/4", "3/4")


def holds(said):
    relations = (said,) if isinstance(said, Relation) else said
    found = said if isinstance(said, Said) else Said(tuple(relations))
    return found.outcome().truth is Truth.TRUE


def test_probabilities_of_the_victim():
    r = Rows((row("1/2", "1/3", "1/6"), row("1/6", "1/3", "1/2")))
    # The tie is in the complement of S: the two probabilities differ.
    assert (value(p_1(r)), value(p_1_of_one(r))) == (Fraction(1, 6), Fraction(1, 2))
    assert value(r.ratio) == 3
    assert not holds(section_3_2.both_errors(r.masses))
    assert holds(section_3_2.both_errors(COIN))


@pytest.mark.parametrize(
    ("other", "ends"),
    [
        (row("1/2", "1/2"), ("1/2", "1/2")),
        (row("1/10", "9/10"), ("1/10", "0")),
        (COIN[0], ("0", "1/4")),  # a tie with R(x_1^0) is in no set
    ],
)
def test_probabilities_of_another_user(other, ends):
    r = Rows((*COIN, other))
    assert [value(p_i_of(r, near)) for near in (0, 1)] == [Fraction(end) for end in ends]
    assert value(p_i(r)) == min(map(Fraction, ends))


def test_ties_of_the_victim_are_covered_by_neither_part():
    assert holds(section_3_2.covered((*COIN, row("1/2", "1/2"))))
    tied = (*[row("1/2", "1/2")] * 2, row("1/4", "3/4"))
    assert not holds(section_3_2.covered(tied))
    assert [value(p_i_of(Rows(tied), near)) for near in (0, 1)] == [0, 0]


def test_failure_sets():
    rows = row("19/20", "1/20"), row("9/10", "1/10")
    assert not holds(section_3_2.fails_on_t(rows, Fraction(1, 5)))
    assert holds(section_3_2.fails_on_t(rows, Fraction(1, 10)))  # 19/20 is not above 1 − 1/20


def test_the_display_before_1_repeats_a_letter():
    assert not holds(section_3_1.inline(COIN))
    for u, v in zip(*COIN, strict=True):
        assert holds(section_3_1.solved(u, v))
    assert not holds(section_3_1.solved(Fraction(1, 4), Fraction(3, 4), p=Fraction(1, 2)))


def test_equations_2_and_4():
    # p = 1/4 for COIN: R(x_i) >= (1, 1)/4 is needed.
    assert holds(section_3_1.copies((*COIN, COIN[0])))
    assert holds(section_3_2.copies((*COIN, COIN[0])))  # p_i = 0
    assert not holds(section_3_1.copies((*COIN[:1], row("1/2", "1/2"), COIN[1])))
    assert not holds(section_3_2.copies((row("1/7", "6/7"), row("5/7", "2/7"), row("4/7", "3/7"))))


def test_equation_3():
    assert not holds(section_3_2.over_rows(COIN))
    assert holds(section_3_2.over_letters(COIN))
    rows = row("1/5", "2/5", "2/5"), row("1/5", "1/5", "3/5")
    assert not holds(section_3_2.over_letters(rows))


def test_each_message_and_each_set():
    rows = row("1/6", "1/6", "1/3", "1/3"), row("1/3", "1/3", "1/6", "1/6")
    one = Fraction(1)
    assert value(section_3_1.each_message(rows, one)) == Fraction(1, 6)
    assert value(section_3_1.each_set(rows, one)) == Fraction(1, 3)


def test_small_randomizers_come_in_order():
    first = list(small(2, largest=4))
    assert first[0] == (binary(1), binary(1))
    assert [len(rows[0]) for rows in first] == sorted(len(rows[0]) for rows in first)
