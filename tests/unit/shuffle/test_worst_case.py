"""The worst case, against exhaustive search that knows no symmetry."""

from fractions import Fraction
from itertools import islice, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    randomized_response,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    Neighbors,
    Users,
    Victim,
    is_input_symmetric,
    neighboring_views,
    worst_case,
)
from exactdp.shuffle.views import worst_case as worst_case_search
from exactdp.testing import fractions, stochastic_matrices
from tests.routes.laws import added, hockey_stick, one_message

law = settings(max_examples=40)

RR3 = randomized_response(3, Epsilon.log(2))
SKEWED = Randomizer.from_matrix([["1/2", "1/3", "1/6"], ["1/3"] * 3, ["1/4", "1/4", "1/2"]])
GAMMA = Fraction(5, 4)
AT = Epsilon.log(GAMMA)


def all_values(matrices, gamma, *, inputs=None, fixed_counts=None):
    """The divergences of all datasets, all users who may differ and all new inputs."""
    alphabet = range(len(matrices[0]))
    for data in product(alphabet, repeat=len(matrices)):
        before = added([one_message(m[x]) for m, x in zip(matrices, data, strict=True)])
        for user, new in product(range(len(data)), alphabet):
            others = [x for i, x in enumerate(data) if i != user]
            if new == data[user] or (inputs and (data[user], new) != inputs):
                continue
            if any(others.count(x) != c for x, c in (fixed_counts or {}).items()):
                continue
            changed = [*data[:user], new, *data[user + 1 :]]
            after = added([one_message(m[x]) for m, x in zip(matrices, changed, strict=True)])
            yield hockey_stick(before, after, gamma)


def matrix(randomizer):
    return [[mass.as_fraction() for mass in row] for row in randomizer.rows]


# --- the maximum ------------------------------------------------------------------


@law
@given(
    stochastic_matrices(rows=2, columns=2, max_weight=3),
    stochastic_matrices(rows=2, columns=2, max_weight=3),
    st.integers(0, 2),
    st.integers(0, 2),
    fractions(Fraction(1, 4), 3, max_denominator=4),
)
def test_any_two_randomizers(first, second, a, b, gamma):
    if a + b == 0:
        return
    groups = [(Randomizer.from_matrix(first), a), (Randomizer.from_matrix(second), b)]
    found = worst_case(groups, Epsilon.log(gamma))
    assert found.value.as_fraction() == max(all_values([first] * a + [second] * b, gamma))
    assert found.neighbors.view().delta(Epsilon.log(gamma)) == found.value


@law
@given(stochastic_matrices(rows=3, columns=3, max_weight=3), st.integers(1, 3))
def test_any_randomizer_with_three_inputs(rows, n):
    found = worst_case([(Randomizer.from_matrix(rows), n)], AT)
    assert found.value.as_fraction() == max(all_values([rows] * n, GAMMA))


@pytest.mark.parametrize(
    ("randomizer", "n"),
    [
        (RR3, 4),
        (randomized_response(4, Epsilon.log(3)), 3),
        (symmetric_unary_encoding(2, Epsilon.log(4)), 3),
    ],
)
def test_symmetric_mechanisms_need_fewer_views(randomizer, n):
    assert is_input_symmetric([randomizer])
    rows = matrix(randomizer)
    found = worst_case([(randomizer, n)], AT)
    values = list(all_values([rows] * n, GAMMA))
    assert found.value.as_fraction() == max(values)
    assert found.views < len(values)


def test_two_groups_with_one_symmetry():
    strong, weak = RR3, randomized_response(3, Epsilon.log(5))
    found = worst_case([(strong, 2), (weak, 1)], AT)
    rows = [matrix(strong)] * 2 + [matrix(weak)]
    assert found.value.as_fraction() == max(all_values(rows, GAMMA))


@pytest.mark.parametrize("inputs", [None, (0, 1), (2, 0), (1, 2)])
@pytest.mark.parametrize(
    "fixed_counts", [{0: 1}, {0: 3}, {2: 2}, {2: 3}, {0: 1, 1: 1}, {1: 0}, {0: 1, 1: 1, 2: 1}]
)
def test_prescribed_counts_break_the_symmetry(inputs, fixed_counts):
    rows = matrix(RR3)
    options = {"inputs": inputs, "fixed_counts": fixed_counts}
    found = worst_case([(RR3, 4)], AT, **options)
    assert found.value.as_fraction() == max(all_values([rows] * 4, GAMMA, **options))


def test_prescribed_counts_over_two_groups():
    options = {"fixed_counts": {1: 1}}
    found = worst_case([(RR3, 2), (SKEWED, 2)], AT, **options)
    rows = [matrix(RR3)] * 2 + [matrix(SKEWED)] * 2
    assert found.value.as_fraction() == max(all_values(rows, GAMMA, **options))


# --- symmetry ---------------------------------------------------------------------


@law
@given(stochastic_matrices(rows=3, columns=3, max_weight=2))
def test_symmetry_is_found_by_trying_all_permutations(rows):
    def columns(order):
        return sorted(zip(*(rows[x] for x in order), strict=True))

    is_symmetric = all(columns(order) == columns(range(3)) for order in permutations(range(3)))
    assert is_input_symmetric([Randomizer.from_matrix(rows)]) is is_symmetric


def test_symmetry_is_joint():
    flipped = Randomizer.from_matrix([["1/3", "2/3"], ["2/3", "1/3"]])
    straight = Randomizer.from_matrix([["2/3", "1/3"], ["1/3", "2/3"]])
    assert is_input_symmetric([flipped, straight])
    # Each is symmetric alone, but their relabelings of the messages differ.
    cyclic = Randomizer.from_matrix([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]])
    shifted = Randomizer.from_matrix([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]])
    assert is_input_symmetric([cyclic])
    assert is_input_symmetric([shifted])
    assert not is_input_symmetric([cyclic, shifted])
    assert not is_input_symmetric([RR3, cyclic])
    assert not is_input_symmetric([straight, cyclic])
    assert not is_input_symmetric([hadamard_response(4, Epsilon.log(3))])


# --- what is searched -------------------------------------------------------------


def test_neighbors_read_like_a_sentence():
    texts = [str(neighbors) for neighbors in neighboring_views([(RR3, 2)])]
    assert texts == [f"0 -> 1, others: 1 x {x}" for x in range(3)]
    assert str(Neighbors(Victim(RR3), ())) == "0 -> 1, others: nobody else"
    assert str(Neighbors(Victim(RR3, (2, 0)), (Users(RR3, 1, 5),))) == "2 -> 0, others: 5 x 1"


def test_inputs_that_nobody_distinguishes_are_only_counted():
    rr = randomized_response(5, Epsilon.log(2))
    # Of 3 other users a hold 0 and b hold 1; the rest is a partition into 3 parts.
    assert len(list(neighboring_views([(rr, 4)]))) == 4 * 1 + 3 * 1 + 2 * 2 + 1 * 3


def test_datasets_are_made_one_at_a_time():
    million = neighboring_views([(RR3, 10**9)])
    assert str(next(iter(million))) == "0 -> 1, others: 999999999 x 0"
    prescribed = neighboring_views([(RR3, 10**9)], fixed_counts={1: 7, 2: 8}, inputs=(0, 1))
    assert [str(n) for n in prescribed] == ["0 -> 1, others: 999999984 x 0, 7 x 1, 8 x 2"]


def test_too_many_datasets_are_refused(monkeypatch):
    monkeypatch.setattr(worst_case_search, "MAX_VIEWS", 2_000)
    datasets = neighboring_views([(SKEWED, 1000)])
    assert sum(1 for _ in islice(datasets, 2_000)) == 2_000
    with pytest.raises(TooLargeError, match=r"n=1,000 users over 3 inputs .* the limit is 2,000"):
        next(datasets)


def test_large_alphabets_are_searched():
    rr = randomized_response(150, Epsilon.log(2))
    assert len(list(neighboring_views([(rr, 3)]))) == 7


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        ([(RR3, 0)], {}, r"^n=0 users: a protocol needs at least the victim"),
        ([(RR3, 2), (RR3, -1)], {}, r"^count=-1 must be at least 0"),
        (
            [(RR3, 1), (randomized_response(2, Epsilon.log(2)), 1)],
            {},
            "different input alphabets",
        ),
        ([(Randomizer.from_matrix([["1/2", "1/2"]]), 2)], {}, "one input, so no two datasets"),
        ([(RR3, 2)], {"fixed_counts": {0: 5}}, r"^no dataset has fixed_counts=\{0: 5\}"),
        ([(RR3, 2)], {"fixed_counts": {3: 0}}, r"names an input outside the alphabet 0\.\.2"),
        ([(RR3, 2)], {"inputs": (0, 3)}, r"^victim input=3 is outside"),
    ],
)
def test_what_is_no_search_is_refused(groups, options, message):
    with pytest.raises(DomainError, match=message):
        worst_case(groups, AT, **options)
