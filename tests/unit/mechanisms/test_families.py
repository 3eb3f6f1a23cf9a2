"""Each family: how families meet, and what they refuse (their matrices: test_stated_epsilon)."""

import math

import pytest

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
    unary_encoding,
)
from exactdp.numbers import Epsilon, Exact

LN3 = Epsilon.log(3)
FAMILIES = {
    "randomized_response": randomized_response,
    "symmetric_unary_encoding": symmetric_unary_encoding,
    "optimized_unary_encoding": optimized_unary_encoding,
    "subset_selection": lambda k, e: subset_selection(k, e, size=1),
    "hadamard_response": hadamard_response,
    "local_hashing": lambda k, e: local_hashing(k, e, buckets=2),
}


def hashing(k, hash_family):
    return local_hashing(k, LN3, buckets=2, hash_family=hash_family)


EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def test_subsets_of_one_are_randomized_response():
    for epsilon in (LN3, Epsilon.rational("1/2")):
        assert subset_selection(5, epsilon, size=1) == randomized_response(5, epsilon)


def test_hashing_by_the_identity_is_randomized_response():
    hashing = local_hashing(4, LN3, buckets=4, hash_family=[(0, 1, 2, 3)])
    assert hashing == randomized_response(4, LN3)


def test_one_bit_of_an_encoding_is_binary_randomized_response():
    # Sum out the second bit: post-processing, and bit 0 is kept with odds e^(1/4).
    encoding = symmetric_unary_encoding(2, Epsilon.rational("1/2"))
    first_bit = encoding.post_process([[1, 0], [1, 0], [0, 1], [0, 1]])
    s = Exact.exp("1/4")
    assert first_bit.row(0) == (1 / (s + 1), s / (s + 1))
    assert first_bit.ldp_epsilon() == Epsilon.rational("1/4")


@EVERY_FAMILY
def test_names_rebuild_the_mechanism(family):
    built = family(3, Epsilon.log(4))
    assert eval(built.name.removesuffix(" with all functions")) == built


def test_the_name_says_how_many_functions_hash():
    one = local_hashing(2, LN3, buckets=2, hash_family=[(0, 1)])
    assert one.name == "local_hashing(2, Epsilon.log('3'), buckets=2) with 1 function"
    two = local_hashing(2, LN3, buckets=2, hash_family=[(0, 1), (1, 0)])
    assert two.name == "local_hashing(2, Epsilon.log('3'), buckets=2) with 2 functions"


@EVERY_FAMILY
@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        (math.nan, "epsilon=nan is not finite. Pass a number."),
        ([1], "epsilon=[1] is of type list. Pass an int,"),
        (None, "epsilon=None is of type NoneType. Pass an int,"),
        (Epsilon.infinity(), "epsilon is infinite. Pass a finite Epsilon."),
        (Epsilon.rational("-1/2"), "epsilon=Epsilon.rational('-1/2') is negative. Pass an"),
    ],
    ids=["nan", "list", "none", "infinite", "negative"],
)
def test_no_privacy_parameter(family, epsilon, message):
    with pytest.raises(DomainError) as caught:
        family(2, epsilon)
    assert str(caught.value).startswith(message)


@EVERY_FAMILY
@pytest.mark.parametrize(
    ("k", "message"),
    [
        (1, "k=1 must be at least 2. Pass an int from 2 on."),
        (-3, "k=-3 must be at least 2. Pass an int from 2 on."),
        (3.5, "k=3.5 is not a whole number. Pass an int."),
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
    million, count = r"k=1,000,000,000; the limit is 1,000,000\. Lower k\.", r"k=about .* Pass a"
    with pytest.raises(TooLargeError, match=f"^({million}|{count})"):
        family(k, LN3)


@pytest.mark.parametrize(
    ("call", "rows", "entries", "advice"),
    [
        (lambda: randomized_response(1001, LN3), "1,001 rows", "1,002,001", "Lower k."),
        (
            lambda: symmetric_unary_encoding(16, Epsilon.log(9)),
            "16 rows",
            "1,048,576",
            "Lower k to at most 15",
        ),
        (lambda: optimized_unary_encoding(100, LN3), "100 rows", "about 2^106", "at most 15"),
        (
            lambda: subset_selection(30, LN3, size=15),
            "30 rows",
            "4,653,525,600",
            "take size nearer",
        ),
        (lambda: hadamard_response(977, LN3), "977 rows", "1,000,448", "Lower k to at most 976."),
        (
            lambda: local_hashing(10, LN3, buckets=4),
            "10 rows",
            "41,943,040",
            "Pass a small hash_family",
        ),
        (
            lambda: local_hashing(2, LN3, buckets=10**6),
            "2 rows",
            "about 2^60",
            "or lower k or buckets.",
        ),
        (
            lambda: local_hashing(2, LN3, buckets=2, hash_family=[(0, 1)] * 300_000),
            "2 rows",
            "1,200,000",
            "Pass a smaller hash_family.",
        ),
    ],
)
def test_a_matrix_that_is_too_large(call, rows, entries, advice):
    with pytest.raises(TooLargeError) as caught:
        assert call().rows
    said = str(caught.value)
    assert said.startswith(f"the matrix has {rows} and at least ")
    assert f"so at least {entries} entries; the limit is 1,000,000. " in said
    assert advice in said


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
        (
            lambda: subset_selection(3, LN3, size=0),
            "size=0 must be at least 1. Pass an int from 1 on.",
        ),
        (
            lambda: subset_selection(3, LN3, size=3),
            "size=3 must be below k=3. A set of all inputs says",
        ),
        (
            lambda: subset_selection(3, LN3, size=1.5),
            "size=1.5 is not a whole number.",
        ),
        (
            lambda: local_hashing(3, LN3, buckets=1),
            "buckets=1 must be at least 2. Pass an int from 2 on.",
        ),
        (lambda: unary_encoding(3, p=2, q="1/2"), "p=2 "),
        (lambda: unary_encoding(3, p="1/2", q=0), "q=0 must be "),
        (lambda: unary_encoding(1, p="1/2", q="1/3"), "k=1 must be at least 2."),
        (lambda: hashing(3, []), "hash_family is empty. Give at least one function, as its table."),
        (
            lambda: hashing(3, [(0, 1, 0), (0, 1)]),
            "hash_family[1] has 2 values for k=3 inputs. Give",
        ),
        (
            lambda: hashing(2, [(0, 2)]),
            "hash_family[0][1]=2 is not a bucket. Give an int from 0 to 1.",
        ),
        (lambda: hashing(2, [lambda x: x]), "hash_family[0] is of type function. Give the table"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(DomainError) as caught:
        call()
    assert str(caught.value).startswith(message)
