"""Couplings: against all vertices of their polytopes, in plain Fractions.

A linear function is extreme at a vertex of the solutions x >= 0 of linear equations; at a
vertex the columns of the positive variables are independent. All sets of columns are tried.
"""

from fractions import Fraction
from itertools import combinations

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact
from exactdp.pufferfish import (
    LaplaceMixturePair,
    LaplaceScale,
    TransportPlan,
    line_law,
    quantile_plan,
    relaxed_ratio,
    smallest_relaxed_ratio,
    w1_optimal_plans,
    wasserstein_1,
    wasserstein_infinity,
)
from exactdp.pufferfish.linear_programs import minimum

points = st.one_of(st.integers(0, 4).map(Fraction), st.fractions(0, 3, max_denominator=2))
bases = st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(7)])


@st.composite
def laws(draw, most=3, points=points):
    support = draw(st.lists(points, min_size=1, max_size=most, unique=True))
    weights = draw(st.lists(st.integers(1, 4), min_size=len(support), max_size=len(support)))
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


whole_laws = laws(4, st.integers(0, 5))


def solve(equations, size):
    """Return the one solution of linear equations (rows with the right side last), or None."""
    rows, rank = [list(row) for row in equations], 0
    for j in range(size):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][j] != 0), None)
        if pivot is None:
            return None
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [a / rows[rank][j] for a in rows[rank]]
        for r in range(len(rows)):
            if r != rank and rows[r][j] != 0:
                rows[r] = [a - rows[r][j] * b for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return None if any(row[-1] != 0 for row in rows[rank:]) else [row[-1] for row in rows[:size]]


def vertices(rows, right, counts):
    """Yield the vertices of x >= 0 with rows·x = right, from sets of so many columns."""
    size = len(rows[0])
    for count in counts:
        for chosen in combinations(range(size), count):
            system = [
                [Fraction(row[j]) for j in chosen] + [Fraction(b)]
                for row, b in zip(rows, right, strict=True)
            ]
            values = solve(system, count)
            if values is not None and min(values, default=Fraction(0)) >= 0:
                yield [
                    dict(zip(chosen, values, strict=True)).get(j, Fraction(0)) for j in range(size)
                ]


def marginals(p, q, cells):
    rows = [[Fraction(c[0] == x) for c in cells] for x in p]
    rows += [[Fraction(c[1] == z) for c in cells] for z in q]
    return rows, [*p.values(), *q.values()]


def plans(p, q):
    """Return all vertices of the polytope of couplings."""
    cells = [(x, z) for x in p for z in q]
    found = vertices(*marginals(p, q, cells), [len(p) + len(q) - 1])
    return [
        dict(vertex)
        for vertex in {frozenset((c, m) for c, m in zip(cells, v, strict=True) if m) for v in found}
    ]


# --- linear programs ----------------------------------------------------------------

SIZE = 4
numbers = st.integers(-3, 3)


@given(
    st.lists(st.lists(numbers, min_size=SIZE, max_size=SIZE), min_size=1, max_size=3),
    st.lists(numbers, min_size=3, max_size=3),
    # Nonnegative costs: bounded below.
    st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE),
)
@settings(max_examples=300)
def test_a_linear_program_against_all_vertices(rows, right, costs):
    right = right[: len(rows)]
    values = [
        sum(c * x for c, x in zip(costs, solution, strict=True))
        for solution in vertices(rows, right, range(SIZE + 1))
    ]
    exact = [[fmpq(a) for a in row] for row in rows]
    answer = minimum([fmpq(c) for c in costs], exact, [fmpq(b) for b in right])
    if not values:
        assert answer is None
        return
    value, solution = answer
    # FLINT compares with its own kind only.
    assert value == fmpq(min(values).numerator, min(values).denominator)
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


# --- optimal transport ----------------------------------------------------------------


def cost(plan):
    return sum(abs(x - z) * mass for (x, z), mass in plan.items())


def reach(plan):
    return max(abs(x - z) for x, z in plan)


@given(laws(), laws())
@settings(max_examples=100)
def test_against_all_vertices(p, q):
    all_plans = plans(p, q)
    first, second = FinitePmf(p), FinitePmf(q)
    least = min(map(cost, all_plans))
    assert wasserstein_1(first, second) == least
    # The support of a coupling holds that of a vertex, so the least reach is at a vertex.
    assert wasserstein_infinity(first, second) == min(map(reach, all_plans))

    optimal = [plan for plan in all_plans if cost(plan) == least]
    answer = w1_optimal_plans(first, second)
    expected = {}
    for plan in optimal:
        for cell, mass in plan.items():
            expected[cell] = max(mass, expected.get(cell, 0))
    assert answer.largest_masses() == expected
    assert answer.is_unique is (len(optimal) == 1)
    assert answer.largest_distance == max(map(reach, optimal))
    # The quantile plan is optimal for both distances.
    assert wasserstein_infinity(first, second) == min(map(reach, optimal))
    for plan in all_plans:
        assert (set(plan) <= set(expected)) is (plan in optimal)


@given(laws(5), laws(5))
@settings(max_examples=100)
def test_the_plans_themselves(p, q):
    first, second = FinitePmf(p), FinitePmf(q)
    answer = w1_optimal_plans(first, second)
    quantile, farthest = quantile_plan(first, second), answer.farthest_plan()
    for plan in (quantile, farthest):
        assert (plan.first, plan.second) == (first, second)
        assert plan.cost == wasserstein_1(first, second)
        assert all(answer.largest_mass(*cell) >= mass for cell, mass in plan.masses.items())
    assert farthest.largest_distance == answer.largest_distance
    assert quantile.largest_distance == wasserstein_infinity(first, second)
    for x in p:
        for z in q:
            joint = sum((m for (a, b), m in quantile.masses.items() if a <= x and b <= z), Exact(0))
            below = sum(m for a, m in p.items() if a <= x), sum(m for b, m in q.items() if b <= z)
            assert joint == min(below)


def test_the_plan_of_table_6():
    # Ding et al. 2025, Tables 4 and 6.
    p = line_law({1: "0.2", 2: "0.225", 3: "0.5", 4: "0.075", 5: 0})
    q = line_law({1: 0, 2: "0.075", 3: "0.5", 4: "0.225", 5: "0.2"})
    printed = {
        (1, 2): "0.075",
        (1, 3): "0.125",
        (2, 3): "0.225",
        (3, 3): "0.15",
        (3, 4): "0.225",
        (3, 5): "0.125",
        (4, 5): "0.075",
    }
    assert quantile_plan(p, q).masses == TransportPlan(printed).masses
    # Another plan of the same cost moves mass from 1 to 5.
    assert w1_optimal_plans(p, q).largest_distance == 4


def test_irrational_masses():
    p = Exact.exp(-1)
    first, second = FinitePmf({0: p, 1: 1 - p}), FinitePmf({0: 1 - p, 1: p})
    assert wasserstein_1(first, second) == 1 - 2 * p
    assert quantile_plan(first, second).masses[1, 0] == 1 - 2 * p


def test_long_laws():
    p = FinitePmf.uniform(range(0, 1000, 2))
    q = FinitePmf.uniform(range(1, 1001, 2))
    answer = w1_optimal_plans(p, q)
    # F_p = F_q between the pairs (0, 1), (2, 3), ...: nothing crosses those gaps.
    assert (answer.farthest_pair, answer.largest_distance) == ((0, 1), 1)
    assert wasserstein_infinity(p, q) == 1
    assert answer.largest_mass(Fraction(0), Fraction(3)) == 0
    with pytest.raises(TooLargeError, match="largest_mass of single pairs"):
        answer.largest_masses()


# --- the relaxed condition --------------------------------------------------------------


def by_log(b):
    return LaplaceScale(1, Epsilon.log(b))


def relaxed_in_fractions(masses, b):
    sums, totals = {}, {}
    for (x, z), m in masses.items():
        sums[z] = sums.get(z, 0) + b ** int(abs(x - z)) * m.as_fraction()
        totals[z] = totals.get(z, 0) + m.as_fraction()
    return max(sums[z] / totals[z] for z in sums)


@given(whole_laws, whole_laws, bases)
@settings(max_examples=60)
def test_the_relaxed_ratio_of_plans_and_the_true_ratio(p, q, b):
    first, second = FinitePmf(p), FinitePmf(q)
    true = LaplaceMixturePair(first, second, by_log(b)).largest_ratio().ratio
    least, best = smallest_relaxed_ratio(first, second, by_log(b))
    assert (best.first, best.second) == (first, second)
    others = quantile_plan(first, second), w1_optimal_plans(first, second).farthest_plan()
    for plan in (best, *others):
        assert true <= least <= relaxed_ratio(plan, by_log(b))
        assert relaxed_ratio(plan, by_log(b)) == relaxed_in_fractions(plan.masses, b)
    assert relaxed_ratio(best, by_log(b)) == least


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ({0: "1/2", 1: "1/2"}, {1: "1/3", 2: "2/3"}),
        ({0: "1/5", 3: "4/5"}, {1: "3/5", 2: "2/5"}),
        ({0: "1/2", 1: "1/4", 4: "1/4"}, {0: "1/5", 2: "4/5"}),
        ({0: "3/5", 3: "2/5"}, {0: "1/5", 1: "1/5", 2: "3/5"}),
    ],
)
def test_the_smallest_relaxed_ratio_against_all_vertices(p, q):
    first, second = FinitePmf(p), FinitePmf(q)
    p, q = ({x: Fraction(m) for x, m in law.items()} for law in (p, q))
    cells = [(x, z) for x in p for z in q]
    for b in (Fraction(2), Fraction(9)):
        # One equation of the marginals follows from the others; slacks and the ratio follow.
        rows, right = marginals(p, q, cells)
        rows = [row + [Fraction(0)] * (len(q) + 1) for row in rows[:-1]]
        for z, mass in q.items():
            row = [b ** abs(c[0] - c[1]) if c[1] == z else Fraction(0) for c in cells]
            rows.append([*row, *(Fraction(k == z) for k in q), -mass])
        right = [*right[:-1], *(Fraction(0) for _ in q)]
        least = min(v[-1] for v in vertices(rows, right, [len(rows)]))
        assert smallest_relaxed_ratio(first, second, by_log(b))[0] == least


def test_a_rational_scale():
    plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
    assert relaxed_ratio(plan, LaplaceScale.rational(2)) == (1 + Exact.exp("1/2")) / 2


def test_refusals():
    with pytest.raises(DomainError, match="sum to 1/2"):
        TransportPlan({(0, 1): "1/2"})
    with pytest.raises(DomainError, match="is a float"):
        TransportPlan({(0, 0.5): 1})
    p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf.point(1)
    with pytest.raises(DomainError, match="must be rational"):
        smallest_relaxed_ratio(p, q, LaplaceScale.rational(1))
    with pytest.raises(DomainError, match="outside the exact field"):
        relaxed_ratio(quantile_plan(p, q), LaplaceScale(2, Epsilon.log(3)))
    many = FinitePmf.uniform(range(21))
    with pytest.raises(TooLargeError, match="limit is 150"):
        smallest_relaxed_ratio(many, many, by_log(2))
