"""Randomizer: what is a stochastic matrix, and its exact LDP parameter."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ParseError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact

HALF = Exact("1/2")
matrix = Randomizer.from_matrix


@st.composite
def matrices(draw):
    """Stochastic matrices of at most 4 inputs and 4 messages; shrinks to one certain message."""
    messages = draw(st.integers(1, 4))
    weights = st.lists(st.integers(0, 6), min_size=messages, max_size=messages).filter(any)
    return [
        [Fraction(w, sum(row)) for w in row]
        for row in draw(st.lists(weights, min_size=1, max_size=4))
    ]


def test_what_a_matrix_is_made_of():
    rows = matrix([["0.5", Fraction(1, 4), HALF / 2], [1, 0, 0]])
    assert rows.rows == ((HALF, HALF / 2, HALF / 2), (Exact(1), Exact(0), Exact(0)))
    assert (rows.inputs, rows.messages) == (2, 3)
    assert rows.row(1) == (Exact(1), Exact(0), Exact(0))
    assert rows.law(0) == FinitePmf({0: "1/2", 1: "1/4", 2: "1/4"})
    assert next(rows.columns()) == (HALF, Exact(1))
    assert rows.labels is None


def test_it_is_a_value():
    a = matrix([["1/2", "1/2"]], name="a", labels="xy")
    b = matrix([["0.5", "0.5"]])
    assert a == b
    assert hash(a) == hash(b)
    assert a != matrix([["1/2", "1/2"]] * 2)
    assert a.labels == ("x", "y")
    assert repr(a) == "<Randomizer a: 1 input, 2 messages>"
    with pytest.raises(FrozenInstanceError):
        a.name = "c"


def test_ldp_epsilon_compares_transcendental_numbers_exactly():
    # Column 1 has ratio 2 exactly, column 0 has e^(7/10) = 2.01375...
    e = Exact.exp("7/10")
    pair = matrix([[e / 8, "1/4", Exact("3/4") - e / 8], ["1/8", "1/8", "3/4"]])
    assert pair.ldp_epsilon() == Epsilon.rational("7/10")


@settings(max_examples=100)
@given(matrices())
def test_ldp_epsilon_against_all_pairs_of_inputs(matrix):
    found = Randomizer.from_matrix(matrix).ldp_epsilon()
    ratios = [Fraction(1)]
    for first in matrix:
        for second in matrix:
            for a, b in zip(first, second, strict=True):
                if a and not b:
                    assert found.is_infinite
                    return
                if a:
                    ratios.append(a / b)
    assert found == Epsilon.log(max(ratios))


@settings(max_examples=100)
@given(st.data())
def test_post_processing_is_the_matrix_product_and_never_loses_privacy(data):
    matrix = data.draw(matrices())
    before = Randomizer.from_matrix(matrix)
    width = data.draw(st.integers(1, 3))
    weights = st.lists(st.integers(0, 3), min_size=width, max_size=width).filter(any)
    channel = [
        [Fraction(w, sum(row)) for w in row]
        for row in data.draw(st.lists(weights, min_size=before.messages, max_size=before.messages))
    ]
    after = before.post_process(channel)
    assert after.rows == tuple(
        tuple(sum(row[y] * channel[y][z] for y in range(len(row))) for z in range(width))
        for row in matrix
    )
    assert after.ldp_epsilon() <= before.ldp_epsilon()


def test_post_process_takes_the_rows_of_a_randomizer():
    swap = matrix([[0, 1], [1, 0]])
    coin = matrix([["1/3", "2/3"]])
    after = coin.post_process(swap.rows, name="swapped")
    assert after.row(0) == (Exact("2/3"), Exact("1/3"))
    assert after.name == "swapped"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "R has 0 rows and no entry. Give at least one input and one message."),
        ([[], []], "R has 2 rows and no entry. Give at least one input and one message."),
        ([["1/2", "1/2"], [1]], "R row 1 has 1 entry, row 0 has 2. Give every row one entry a"),
        ([[1, 0], ["3/2", "-1/2"]], "R[1][1]=-1/2 is negative. A mass is at least 0."),
        ([["1/2", "1/3"]], "R row 0: masses sum to 5/6, not 1 (2 messages). Write masses as"),
        ([[1], ["0.99"]], "R row 1: masses sum to 99/100, not 1 (1 messages). Write"),
        ([[float("nan"), float("nan")]], "R[0][0]=nan is not finite"),
        (["10", "01"], "R row 0 is the string '10'. Give a list of entries for each row."),
    ],
)
def test_no_stochastic_matrix(rows, message):
    with pytest.raises(DomainError) as caught:
        Randomizer.from_matrix(rows, name="R")
    assert str(caught.value).startswith(message)


def test_repeated_entries_all_count():
    # The same object in every place: the check may look at it once but must count it twice.
    with pytest.raises(DomainError, match=r"^randomizer row 0: masses sum to 3/2, not 1"):
        Randomizer(((HALF, HALF, HALF),))


def test_an_entry_that_is_no_number():
    with pytest.raises(ParseError, match=r"^randomizer\[0\]\[1\]='half' is not a number\."):
        matrix([["1/2", "half"]])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Randomizer([[HALF, HALF]]), "randomizer rows are not a tuple of tuples. Use"),
        (lambda: Randomizer(((1, Exact(0)),)), "randomizer[0][0]=1 is not an Exact. Use"),
        (lambda: matrix([[1]], labels="ab"), "randomizer has 2 labels for 1 message. Give one"),
        (lambda: matrix([[1]]).row(1), "x=1 is not an input of randomizer. Inputs are the row"),
        (lambda: matrix([[1]]).law(-1), "x=-1 is not an input of randomizer. Inputs are the row"),
        (
            lambda: matrix([[HALF, HALF]]).post_process([[1]]),
            "matrix has 1 row and randomizer has 2",
        ),
        (
            lambda: matrix([[1]]).post_process([["1/2"]]),
            "matrix row 0: masses sum to 1/2, not 1 (1 mess",
        ),
    ],
)
def test_misuse(build, message):
    with pytest.raises(DomainError) as caught:
        build()
    assert str(caught.value).startswith(message)


def test_rows_of_doubles_may_be_divided_by_their_sums():
    rows = [[0.3, 0.7], [0.1, 0.9]]
    with pytest.raises(DomainError, match=r"row 0: masses sum to 1 - 5.55e-17, not 1"):
        Randomizer.from_matrix(rows)
    found = Randomizer.from_matrix(rows, normalize=True)
    assert [sum(row) for row in found.rows] == [1, 1]
    assert found.row(0)[0] == Fraction(0.3) / (Fraction(0.3) + Fraction(0.7))
    with pytest.raises(DomainError, match="masses sum to 0, not 1"):
        Randomizer.from_matrix([[0, 0]], normalize=True)
