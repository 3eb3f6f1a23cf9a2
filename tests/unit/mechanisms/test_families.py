"""Each family: values by hand, how families meet, and what they refuse."""

from fractions import Fraction

import pytest

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon, Exact

LN3 = Epsilon.log(3)
FAMILIES = {
    "randomized_response": lambda k, e: randomized_response(k, e),
    "symmetric_unary_encoding": lambda k, e: symmetric_unary_encoding(k, e),
    "optimized_unary_encoding": lambda k, e: optimized_unary_encoding(k, e),
    "subset_selection": lambda k, e: subset_selection(k, 1, e),
    "hadamard_response": lambda k, e: hadamard_response(k, e),
    "local_hashing": lambda k, e: local_hashing(k, 2, e),
}
EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def matrix(text):
    return Randomizer.from_matrix([line.split() for line in text.strip().splitlines()])


def test_randomized_response_by_hand():
    assert randomized_response(3, LN3) == matrix("3/5 1/5 1/5\n1/5 3/5 1/5\n1/5 1/5 3/5")
    assert randomized_response(3, LN3).labels == (0, 1, 2)


def test_randomized_response_with_transcendental_probabilities():
    e = Exact.exp("1/2")
    assert randomized_response(2, Epsilon.rational("1/2")).row(1) == (1 / (e + 1), e / (e + 1))


def test_symmetric_unary_encoding_by_hand():
    # Each bit is kept with probability 2/3.
    encoding = symmetric_unary_encoding(2, Epsilon.log(4))
    assert encoding.labels == ("00", "01", "10", "11")
    assert encoding == matrix("2/9 1/9 4/9 2/9\n2/9 4/9 1/9 2/9")


def test_optimized_unary_encoding_by_hand():
    # One bit fair, the other 1 with probability 1/4.
    encoding = optimized_unary_encoding(2, LN3)
    assert encoding.labels == ("00", "01", "10", "11")
    assert encoding == matrix("3/8 1/8 3/8 1/8\n3/8 3/8 1/8 1/8")


def test_subset_selection_by_hand():
    selection = subset_selection(4, 2, Epsilon.log(2))
    assert selection.labels == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    assert selection.row(1) == tuple(Exact(Fraction(w, 9)) for w in (2, 1, 1, 2, 2, 1))


def test_hadamard_response_by_hand():
    # Rows 1, 2, 3 of the matrix of order 4: + - + -, + + - -, + - - +.
    expected = "3/8 1/8 3/8 1/8\n3/8 3/8 1/8 1/8\n3/8 1/8 1/8 3/8"
    assert hadamard_response(3, LN3) == matrix(expected)
    assert hadamard_response(4, LN3).messages == 8


def test_local_hashing_by_hand():
    hashing = local_hashing(2, 2, LN3)
    assert hashing.labels == tuple((i, v) for i in range(4) for v in range(2))
    # The functions are 00, 01, 10, 11 as tables.
    near, far = Fraction(3, 16), Fraction(1, 16)
    assert hashing.row(0) == (near, far, near, far, far, near, far, near)
    assert hashing.row(1) == (near, far, far, near, near, far, far, near)


def test_subsets_of_one_are_randomized_response():
    for epsilon in (LN3, Epsilon.rational("1/2")):
        assert subset_selection(5, 1, epsilon) == randomized_response(5, epsilon)


def test_hashing_by_the_identity_is_randomized_response():
    hashing = local_hashing(4, 4, LN3, hash_family=[(0, 1, 2, 3)])
    assert hashing == randomized_response(4, LN3)


def test_one_bit_of_an_encoding_is_binary_randomized_response():
    # Sum out the second bit: post-processing, and bit 0 is kept with odds e^(1/4).
    encoding = symmetric_unary_encoding(2, Epsilon.rational("1/2"))
    first_bit = encoding.post_process([[1, 0], [1, 0], [0, 1], [0, 1]])
    s = Exact.exp("1/4")
    assert first_bit.row(0) == (1 / (s + 1), s / (s + 1))
    assert first_bit.ldp_epsilon() == Epsilon.rational("1/4")


def test_names_rebuild_the_mechanism():
    assert randomized_response(3, LN3).name == "randomized_response(3, Epsilon.log('3'))"
    assert (
        symmetric_unary_encoding(2, Epsilon.rational(1)).name
        == "symmetric_unary_encoding(2, Epsilon.rational('1'))"
    )
    assert optimized_unary_encoding(2, LN3).name == "optimized_unary_encoding(2, Epsilon.log('3'))"
    assert subset_selection(3, 2, LN3).name == "subset_selection(3, 2, Epsilon.log('3'))"
    assert hadamard_response(3, LN3).name == "hadamard_response(3, Epsilon.log('3'))"
    assert (
        local_hashing(2, 2, LN3).name == "local_hashing(2, 2, Epsilon.log('3')) with all functions"
    )
    one = local_hashing(2, 2, LN3, hash_family=[(0, 1)])
    assert one.name == "local_hashing(2, 2, Epsilon.log('3')) with 1 function"
    two = local_hashing(2, 2, LN3, hash_family=[(0, 1), (1, 0)])
    assert two.name == "local_hashing(2, 2, Epsilon.log('3')) with 2 functions"


@EVERY_FAMILY
@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        (
            0.5,
            'epsilon=0.5 is of type float, not an Epsilon. Pass Epsilon.rational("0.5"), '
            "or Epsilon.from_float_exactly(0.5) if you mean that double.",
        ),
        (
            "1/2",
            "epsilon='1/2' is of type str, not an Epsilon. "
            'Pass Epsilon.rational("1/2") (in nats) or Epsilon.log(3) (e^epsilon = 3).',
        ),
        (
            1,
            "epsilon=1 is of type int, not an Epsilon. "
            'Pass Epsilon.rational("1/2") (in nats) or Epsilon.log(3) (e^epsilon = 3).',
        ),
        (
            Epsilon.infinity(),
            "epsilon is infinite. Pass a finite Epsilon.",
        ),
        (
            Epsilon.rational("-1/2"),
            "epsilon=Epsilon.rational('-1/2') is negative. Pass an Epsilon of at least 0.",
        ),
    ],
    ids=["float", "str", "int", "infinite", "negative"],
)
def test_no_privacy_parameter(family, epsilon, message):
    with pytest.raises(DomainError) as caught:
        family(2, epsilon)
    assert str(caught.value) == message


@EVERY_FAMILY
@pytest.mark.parametrize(
    ("k", "message"),
    [
        (1, "k=1 must be at least 2."),
        (-3, "k=-3 must be at least 2."),
        (3.0, "k=3.0 is of type float. Pass an int."),
        (True, "k=True is of type bool. Pass an int."),
    ],
)
def test_no_alphabet(family, k, message):
    with pytest.raises(DomainError) as caught:
        family(k, LN3)
    assert str(caught.value) == message


@EVERY_FAMILY
@pytest.mark.parametrize("k", [10**9, 10**5000], ids=["billion", "beyond printing"])
def test_absurd_alphabets_are_refused_at_once(family, k):
    with pytest.raises(TooLargeError, match=r"^the matrix has .* the limit is 1,000,000\. Lower k"):
        family(k, LN3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: randomized_response(1001, LN3),
            "the matrix has 1,001 rows and at least 1,001 columns, so at least 1,002,001 entries; "
            "the limit is 1,000,000. Lower k.",
        ),
        (
            lambda: symmetric_unary_encoding(16, LN3),
            "the matrix has 16 rows and at least 65,536 columns, so at least 1,048,576 entries; "
            "the limit is 1,000,000. Lower k to at most 15, or merge messages by hand.",
        ),
        (
            lambda: optimized_unary_encoding(100, LN3),
            "the matrix has 100 rows and at least about 2^100 columns, so at least about 2^106 "
            "entries; the limit is 1,000,000. Lower k to at most 15, or merge messages by hand.",
        ),
        (
            lambda: subset_selection(30, 15, LN3),
            "the matrix has 30 rows and at least 155,117,520 columns, so at least 4,653,525,600 "
            "entries; the limit is 1,000,000. Lower k, or take size nearer to 1 or to k.",
        ),
        (
            lambda: hadamard_response(977, LN3),
            "the matrix has 977 rows and at least 1,024 columns, so at least 1,000,448 entries; "
            "the limit is 1,000,000. Lower k to at most 976.",
        ),
        (
            lambda: local_hashing(10, 4, LN3),
            "the matrix has 10 rows and at least 4,194,304 columns, so at least 41,943,040 "
            "entries; the limit is 1,000,000. Pass a small hash_family, or lower k or buckets.",
        ),
        (
            lambda: local_hashing(2, 10**6, LN3),
            "the matrix has 2 rows and at least 1,000,000 columns, so at least 2,000,000 entries; "
            "the limit is 1,000,000. Lower k or buckets.",
        ),
        (
            lambda: local_hashing(2, 2, LN3, hash_family=[(0, 1)] * 300_000),
            "the matrix has 2 rows and at least 600,000 columns, so at least 1,200,000 entries; "
            "the limit is 1,000,000. Pass a smaller hash_family.",
        ),
    ],
)
def test_too_large(call, message):
    with pytest.raises(TooLargeError) as caught:
        call()
    assert str(caught.value) == message


def test_the_largest_sizes_that_the_messages_promise():
    assert randomized_response(1000, LN3).messages == 1000
    assert optimized_unary_encoding(15, LN3).messages == 2**15
    assert hadamard_response(976, LN3).messages == 1024


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: symmetric_unary_encoding(3, LN3),
            "epsilon=Epsilon.log('3'): e^(epsilon/2) is outside the exact field. "
            "Pass a rational number of nats, or Epsilon.log(a**2) with a rational.",
        ),
        (lambda: subset_selection(3, 0, LN3), "size=0 must be at least 1."),
        (
            lambda: subset_selection(3, 3, LN3),
            "size=3 must be below k=3. A set of all inputs says nothing about one.",
        ),
        (lambda: subset_selection(3, 1.0, LN3), "size=1.0 is of type float. Pass an int."),
        (lambda: local_hashing(3, 1, LN3), "buckets=1 must be at least 2."),
        (
            lambda: local_hashing(3, 2, LN3, hash_family=[]),
            "hash_family is empty. Give at least one function, as its table.",
        ),
        (
            lambda: local_hashing(3, 2, LN3, hash_family=[(0, 1, 0), (0, 1)]),
            "hash_family[1] has 2 values for k=3 inputs. Give the table (h(0), ..., h(k - 1)).",
        ),
        (
            lambda: local_hashing(2, 2, LN3, hash_family=[(0, 2)]),
            "hash_family[0][1]=2 is no bucket. Give an int from 0 to 1.",
        ),
        (
            lambda: local_hashing(2, 2, LN3, hash_family=[lambda x: x]),
            "hash_family[0] is of type function. Give the table (h(0), ..., h(k - 1)).",
        ),
    ],
)
def test_misuse(call, message):
    with pytest.raises(DomainError) as caught:
        call()
    assert str(caught.value) == message


def test_an_epsilon_can_be_halved_exactly_when_the_root_is_in_the_field():
    e = Exact.exp(1)
    assert Epsilon.rational("1/3").divided(2) == Epsilon.rational("1/6")
    assert Epsilon.log("27/8").divided(3) == Epsilon.log("3/2")
    assert Epsilon((e - 1) ** 2 * e / 4).divided(2) == Epsilon((e - 1) * Exact.exp("1/2") / 2)
    assert Epsilon((3 - e) ** 2).divided(2) == Epsilon(3 - e)
    assert Epsilon((3 - e) ** 3 / (e + 1) ** 6).divided(3) == Epsilon((3 - e) / (e + 1) ** 2)
    assert Epsilon.infinity().divided(2).is_infinite
    assert LN3.divided(1) == LN3


@pytest.mark.parametrize(
    "exp_epsilon", [Exact(2), Exact("4/3"), Exact.exp(1) - 1, 2 * Exact.exp(1)]
)
def test_an_epsilon_whose_half_leaves_the_field(exp_epsilon):
    with pytest.raises(DomainError, match=r"e\^\(epsilon/2\) is outside the exact field"):
        Epsilon(exp_epsilon).divided(2)


@pytest.mark.parametrize("n", [0, -2, 2.0, True])
def test_an_epsilon_is_divided_by_a_positive_int(n):
    with pytest.raises(DomainError) as caught:
        LN3.divided(n)
    assert str(caught.value) == f"n={n!r} must be an int of at least 1."
