"""Linear programs: against all basic solutions, in plain Fractions."""

from fractions import Fraction
from itertools import combinations

from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.numbers import Exact
from exactdp.pufferfish.linear_programs import minimum

SIZE = 4
numbers = st.integers(-3, 3)


def basic_solutions(rows, right):
    """Return the nonnegative solutions on sets of linearly independent columns."""
    for count in range(SIZE + 1):
        for chosen in combinations(range(SIZE), count):
            system = [
                [Fraction(row[j]) for j in chosen] + [Fraction(b)]
                for row, b in zip(rows, right, strict=True)
            ]
            values = solve(system, count)
            if values is not None and min(values, default=Fraction(0)) >= 0:
                x = [Fraction(0)] * SIZE
                for j, value in zip(chosen, values, strict=True):
                    x[j] = value
                yield x


def solve(rows, size):
    for j in range(size):
        pivot = next((r for r in range(j, len(rows)) if rows[r][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [a / rows[j][j] for a in rows[j]]
        for r in range(len(rows)):
            if r != j and rows[r][j] != 0:
                rows[r] = [a - rows[r][j] * c for a, c in zip(rows[r], rows[j], strict=True)]
    return None if any(row[-1] != 0 for row in rows[size:]) else [row[-1] for row in rows[:size]]


@given(
    st.lists(st.lists(numbers, min_size=SIZE, max_size=SIZE), min_size=1, max_size=3),
    st.lists(numbers, min_size=3, max_size=3),
    # Nonnegative costs: bounded below.
    st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE),
)
@settings(max_examples=300)
def test_against_all_basic_solutions(rows, right, costs):
    right = right[: len(rows)]
    values = [
        sum(c * x for c, x in zip(costs, solution, strict=True))
        for solution in basic_solutions(rows, right)
    ]
    exact = [[fmpq(a) for a in row] for row in rows]
    answer = minimum([fmpq(c) for c in costs], exact, [fmpq(b) for b in right])
    if not values:
        assert answer is None
        return
    value, solution = answer
    least = min(values)
    # FLINT compares with its own kind only.
    assert value == fmpq(least.numerator, least.denominator)
    assert all(x >= 0 for x in solution)
    assert sum(c * x for c, x in zip(costs, solution, strict=True)) == value
    for row, b in zip(rows, right, strict=True):
        assert sum(a * x for a, x in zip(row, solution, strict=True)) == b


def test_an_equation_that_only_zero_satisfies():
    # −x − y = 0 pins both; no pivot of the first phase touches it.
    zero, one = fmpq(0), fmpq(1)
    answer = minimum([-one, zero, zero], [[-one, -one, zero], [zero, zero, one]], [zero, one])
    assert answer == (0, [0, 0, 1])


def test_numbers_in_powers_of_e():
    e = Exact.exp(1)
    assert minimum([e, Exact(3)], [[Exact(1), Exact(1)]], [Exact(2)]) == (2 * e, [2, 0])
