"""The sensitivity of encoders to patterns of steps: against all patterns, signs and vectors."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import mpmath
import numpy as np
import pytest

from exactdp.errors import DomainError, ParseError, TooLargeError
from exactdp.mechanisms import (
    ToeplitzMatrix,
    banded_toeplitz,
    binary_tree,
    square_root_coefficients,
    squared_sensitivity,
)

SIGNS = np.random.default_rng(5).integers(-3, 4, size=(8, 8, 6)).tolist()
FULL = np.random.default_rng(6).integers(0, 5, size=(4, 7, 6)).tolist()


def patterns(n, k, b):
    for size in range(1, k + 1):
        for pattern in combinations(range(n), size):
            if all(j - i >= b for i, j in pairwise(pattern)):
                yield pattern


def squared_norm(matrix, pattern, signs):
    """The squared norm of C times a vector, from the definition."""
    total = Fraction(0)
    for row in matrix:
        entries = zip(pattern, signs, strict=True)
        total += sum((Fraction(row[i]) * s for i, s in entries), Fraction(0)) ** 2
    return total


def by_signs(matrix, k, b):
    """The squared sensitivity for contributions of one dimension: all patterns, all signs."""
    return max(
        squared_norm(matrix, pattern, signs)
        for pattern in patterns(len(matrix[0]), k, b)
        for signs in product((1, -1), repeat=len(pattern))
    )


def by_sizes(matrix, k, b):
    """The largest sum of |G_ij|, over all patterns."""
    columns = [[Fraction(x) for x in column] for column in zip(*matrix, strict=True)]

    def inner(i, j):
        return abs(sum(x * y for x, y in zip(columns[i], columns[j], strict=True)))

    return max(
        sum(inner(i, j) for i in pattern for j in pattern)
        for pattern in patterns(len(columns), k, b)
    )


@pytest.mark.parametrize(("k", "b"), [(1, 1), (2, 1), (2, 3), (3, 1), (3, 2), (6, 1), (9, 3)])
@pytest.mark.parametrize("matrix", FULL)
def test_without_negative_entries_it_is_exact(matrix, k, b):
    found = squared_sensitivity(matrix, participations=k, separation=b)
    assert found.lower == found.upper == by_signs(matrix, k, b)


@pytest.mark.parametrize(("k", "b"), [(1, 1), (2, 1), (2, 3), (3, 1), (3, 2), (6, 1)])
@pytest.mark.parametrize("matrix", SIGNS)
def test_with_negative_entries_it_is_between_signs_and_sizes(matrix, k, b):
    found = squared_sensitivity(matrix, participations=k, separation=b)
    assert found.lower <= by_signs(matrix, k, b) <= found.upper == by_sizes(matrix, k, b)
    if k <= 2:  # one sign undoes the only inner product
        assert found.lower == found.upper


def test_vectors_may_do_more_than_signs():
    """Columns of which each two have inner product -1: at 120 degrees in a plane, all add up."""
    third = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]
    found = squared_sensitivity(third, participations=3)
    assert (found.lower, found.upper) == (8, 12)  # 3·2 + 2·(1 + 1 - 1), and 3·2 + 6
    in_the_plane = 6 + 6 * Fraction(1, 2)  # -cos(120°) = 1/2
    assert by_signs(third, 3, 1) == found.lower < in_the_plane < found.upper


@pytest.mark.parametrize("matrix", [FULL[0], SIGNS[3], [[1, 2, 3, 4, 5, 6], [0, 1, 1, 2, 3, 5]]])
def test_ends_of_many_patterns_hold(matrix, monkeypatch):
    """Where patterns are too many, ends are as of the routes for many."""
    monkeypatch.setattr("exactdp.mechanisms.participation.MAX_PATTERNS", 0)
    for k, b in ((2, 1), (2, 2), (3, 2), (4, 1), (3, 3)):
        # Another scale is another question, for which nothing is kept.
        scaled = [[Fraction(x, 3 + k + 10 * b) for x in row] for row in matrix]
        found = squared_sensitivity(scaled, participations=k, separation=b)
        most, signs = by_sizes(scaled, k, b), by_signs(scaled, k, b)
        assert found.lower <= signs <= most <= found.upper < 2 * most
        assert found.lower * 2 > most


def test_patterns_that_fall_are_found_although_they_are_many():
    """No two later columns have more in common: exact, with 10^13 patterns or so."""
    n, k, b = 60, 12, 3
    falling = [[Fraction(3 * n - 2 * i + j, 3 * n) * (i >= j) for j in range(n)] for i in range(n)]
    by_columns = list(zip(*falling, strict=True))
    sums = [sum(row) for row in zip(*by_columns[0 : k * b : b], strict=True)]
    found = squared_sensitivity(falling, participations=k, separation=b)
    total = sum(x * x for x in sums)
    assert found.lower == total <= found.upper < total * Fraction(101, 100)


@pytest.mark.parametrize(("n", "k"), [(40, 9), (300, 250)])
def test_sums_that_are_rounded_up_are_near_what_is_known(n, k):
    """One row: the worst pattern has the k largest entries, and all of their products."""
    row = [1 + (37 * i) % 101 for i in range(n)]
    truth = sum(sorted(row)[-k:]) ** 2
    found = squared_sensitivity([[Fraction(x, 7) for x in row]], participations=k)
    assert found.lower == Fraction(truth, 49) <= found.upper
    assert (found.upper == found.lower) == (n == 40)  # whole numbers of any length
    assert found.upper < found.lower * (1 + Fraction(1, 10**9))


COEFFICIENTS = [
    [3, 2, 2, 1],
    ["1/2"],
    square_root_coefficients(6),
    [1, 3, 1],
    [1, -1],
    [0, 2, 1],
    [1, 0, 1],
    [1, 0.3, 0.1],
]


@pytest.mark.parametrize("given", COEFFICIENTS)
@pytest.mark.parametrize(("k", "b"), [(1, 1), (2, 1), (3, 2), (3, 3), (2, 4), (6, 1), (4, 2)])
def test_toeplitz_is_that_of_its_rows_and_of_all_patterns(given, k, b):
    matrix = banded_toeplitz(given, 6)
    found = squared_sensitivity(matrix, participations=k, separation=b)
    assert found == squared_sensitivity(matrix.rows(), participations=k, separation=b)
    assert found.upper == by_sizes(matrix.rows(), k, b)
    assert found.lower <= by_signs(matrix.rows(), k, b)
    if min(Fraction(c) for c in given) >= 0:
        assert found.lower == found.upper


def test_banded_matrices_with_far_steps_are_sums_of_norms():
    """A program over steps: column norms that rise and fall, at most three of them."""
    n = 300
    height = [1 + (7 * i * i + 3 * i) % 11 for i in range(n)]
    banded = [[height[j] * (0 <= i - j < 4) for j in range(n)] for i in range(n)]
    norms = [sum(row[j] ** 2 for row in banded) for j in range(n)]
    best = max(norms[i] + norms[j] for i in range(n) for j in range(i + 4, n))
    found = squared_sensitivity(banded, participations=2, separation=4)
    assert found.lower == found.upper == best


def test_square_root_times_itself_is_prefix_sums():
    f = square_root_coefficients(40)
    assert all(sum(f[i] * f[k - i] for i in range(k + 1)) == 1 for k in range(40))
    assert all(f[k] == f[k - 1] * (1 - Fraction(1, 2 * k)) for k in range(1, 40))


def test_square_root_norms_are_those_of_mpmath():
    n, k, b = 500, 4, 120
    f = [mpmath.binomial(2 * i, i) / mpmath.mpf(4) ** i for i in range(n)]
    rows = [mpmath.fsum(f[t - m * b] for m in range(k) if t >= m * b) for t in range(n)]
    truth = mpmath.fsum(x * x for x in rows)
    matrix = banded_toeplitz(square_root_coefficients(n), n)
    found = squared_sensitivity(matrix, participations=k, separation=b)
    assert found.lower == found.upper
    assert abs(mpmath.mpf(found.upper.numerator) / found.upper.denominator / truth - 1) < 1e-12


def test_equal_first_columns_are_no_toeplitz_matrix():
    assert squared_sensitivity([[1, 0, 0], [1, 2, 0], [1, 2, 1]]).upper == 8
    assert squared_sensitivity([[1, 0, 0], [1, 1, 0], [1, 3, 1]]).upper == 10


def test_doubles_are_meant_exactly():
    assert squared_sensitivity([[0.1]]).upper == Fraction(0.1) ** 2 != Fraction(1, 100)
    assert squared_sensitivity([["0.1"]]).upper == Fraction(1, 100)
    rng = np.random.default_rng(1)
    dense = np.tril(rng.random((30, 30)))
    exact = [[Fraction(x) for x in row] for row in dense.tolist()]
    assert squared_sensitivity(dense) == squared_sensitivity(exact)
    largest = max(sum(row[j] ** 2 for row in exact) for j in range(30))
    assert squared_sensitivity(dense).upper == largest
    assert abs(float(np.linalg.norm(dense, axis=0).max() ** 2 / largest) - 1) < 1e-12
    for kind in (np.float32, np.int64, object):
        whole = np.array([[3, 0], [4, 1]], dtype=kind)
        assert squared_sensitivity(whole).upper == 25


def test_an_array_that_changes_is_asked_again():
    matrix = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert squared_sensitivity(matrix).upper == 2
    matrix[1, 0] = 2
    assert squared_sensitivity(matrix).upper == 5


def test_the_tree_has_its_nodes_in_the_order_of_their_last_steps():
    for n in range(1, 20):
        rows = binary_tree(n)
        last = [max(j for j, x in enumerate(row) if x) for row in rows]
        assert last == sorted(last)
        assert all(j <= r for r, j in enumerate(last))
        assert len(rows) == sum(n >> level for level in range(n.bit_length()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: squared_sensitivity([]), "the matrix is empty"),
        (
            lambda: squared_sensitivity([[1, 2], [3]]),
            r"matrix\[1\] has 1 entry, but matrix\[0\] 2",
        ),
        (lambda: squared_sensitivity([[0, 0]]), "all entries of the matrix are 0"),
        (lambda: squared_sensitivity([[1, float("nan")]]), r"matrix\[0\]\[1\]=nan is not finite"),
        (lambda: squared_sensitivity([[float("inf")]]), r"matrix\[0\]\[0\]=inf is not finite"),
        (lambda: squared_sensitivity([["x"]]), r"matrix\[0\]\[0\]='x' is not a number"),
        (lambda: squared_sensitivity([[True]]), r"matrix\[0\]\[0\]=True is a bool"),
        (lambda: squared_sensitivity([[[1]]]), r"matrix\[0\]\[0\]=\[1\] is of type list"),
        (lambda: squared_sensitivity(np.array([1.0])), r"matrix\[0\]=1.0 is not a row"),
        (lambda: squared_sensitivity(3), "matrix=3 is not a matrix"),
        (
            lambda: squared_sensitivity([[1]], participations=0),
            "participations=0 must be at least 1",
        ),
        (lambda: squared_sensitivity([[1]], separation=0), "separation=0 must be at least 1"),
        (lambda: banded_toeplitz([0, 0], 3), "all coefficients are 0"),
        (lambda: banded_toeplitz([1, 2], 1), "there are 2 coefficients, but steps=1"),
        (lambda: banded_toeplitz("12", 3), "coefficients='12' are not numbers"),
        (lambda: ToeplitzMatrix((Fraction(1),), 0), "steps=0 must be at least 1"),
    ],
)
def test_what_is_no_matrix(call, message):
    with pytest.raises((DomainError, ParseError), match=f"^{message}") as caught:
        call()
    assert str(caught.value).count(". ") >= 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: binary_tree(10**6),
        lambda: squared_sensitivity([[1] * 1001] * 1001),
        lambda: squared_sensitivity([[1] * 3000], participations=2),
        lambda: squared_sensitivity([[1] * 500_000], participations=500_000),
        lambda: square_root_coefficients(10**9),
        lambda: banded_toeplitz([1, 2, 1], 10**6).rows(),
        lambda: squared_sensitivity(banded_toeplitz([2, 1], 10**12), participations=10**12),
    ],
)
def test_what_is_too_large_is_refused(call):
    with pytest.raises(TooLargeError, match=r"the limit is .*\. "):
        call()
