"""Optimal transport: against all vertices of the polytope of couplings, in Fractions.

A linear function of couplings is extreme at a vertex; a vertex has at most m + n − 1 cells,
found here by trying all choices of cells and solving for their masses.
"""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact
from exactdp.pufferfish import (
    TransportPlan,
    line_law,
    quantile_plan,
    w1_optimal_plans,
    wasserstein_1,
    wasserstein_infinity,
)

points = st.one_of(st.integers(0, 4).map(Fraction), st.fractions(0, 3, max_denominator=2))


@st.composite
def laws(draw, most=3):
    support = draw(st.lists(points, min_size=1, max_size=most, unique=True))
    weights = draw(st.lists(st.integers(1, 4), min_size=len(support), max_size=len(support)))
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


def solve(equations, size):
    """Return the one solution of linear equations (rows with the right side last), or None."""
    rows = [list(row) for row in equations]
    rank = 0
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
    if any(row[-1] != 0 for row in rows[rank:]):
        return None
    return [row[-1] for row in rows[:size]]


def vertices(p, q):
    cells = [(x, z) for x in p for z in q]
    found = set()
    for chosen in combinations(cells, len(p) + len(q) - 1):
        equations = [[Fraction(c[0] == x) for c in chosen] + [m] for x, m in p.items()]
        equations += [[Fraction(c[1] == z) for c in chosen] + [m] for z, m in q.items()]
        masses = solve(equations, len(chosen))
        if masses is not None and min(masses) >= 0:
            found.add(frozenset((c, m) for c, m in zip(chosen, masses, strict=True) if m))
    return [dict(vertex) for vertex in found]


def cost(plan):
    return sum(abs(x - z) * mass for (x, z), mass in plan.items())


def reach(plan):
    return max(abs(x - z) for x, z in plan)


@given(laws(), laws())
@settings(max_examples=100)
def test_against_all_vertices(p, q):
    all_plans = vertices(p, q)
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
    assert answer.smallest_largest_distance == min(map(reach, optimal))
    for plan in all_plans:
        assert answer.contains(TransportPlan(plan)) is (plan in optimal)


@given(laws(5), laws(5))
@settings(max_examples=100)
def test_the_plans_themselves(p, q):
    first, second = FinitePmf(p), FinitePmf(q)
    answer = w1_optimal_plans(first, second)
    quantile, farthest = quantile_plan(first, second), answer.farthest_plan()
    for plan in (quantile, farthest):
        assert (plan.first, plan.second) == (first, second)
        assert plan.cost == wasserstein_1(first, second)
        assert answer.contains(plan)
    assert farthest.largest_distance == answer.largest_distance
    assert quantile.largest_distance == wasserstein_infinity(first, second)
    for x in p:
        for z in q:
            joint = sum((m for (a, b), m in quantile.masses.items() if a <= x and b <= z), Exact(0))
            below = sum(m for a, m in p.items() if a <= x), sum(m for b, m in q.items() if b <= z)
            assert joint == min(below)
    back = quantile.transposed()
    assert (back.first, back.second) == (second, first)
    assert back.masses == quantile_plan(second, first).masses


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
    plans = w1_optimal_plans(p, q)
    # F_p = F_q between the pairs (0, 1), (2, 3), ...: nothing crosses those gaps.
    assert (plans.farthest_pair, plans.largest_distance) == ((0, 1), 1)
    assert plans.contains(quantile_plan(p, q))
    assert plans.largest_mass(Fraction(0), Fraction(3)) == 0
    with pytest.raises(TooLargeError, match="largest_mass of single pairs"):
        plans.largest_masses()


def test_refusals():
    with pytest.raises(DomainError, match="sum to 1/2"):
        TransportPlan({(0, 1): "1/2"})
    with pytest.raises(DomainError, match="is a float"):
        TransportPlan({(0, 0.5): 1})
