"""Couplings: against all vertices of their polytopes, in plain Fractions.

A linear function is extreme at a vertex of the solutions x >= 0 of linear equations; at a
vertex the columns of the positive variables are independent. All sets of columns are tried.
"""

from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.claims import exact_value
from exactdp.distributions import FinitePmf
from exactdp.numbers import Epsilon
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, wasserstein_infinity
from exactdp.testing import fractions
from proofs_check.ding2025.couplings import (
    farthest_optimal,
    least_cost,
    least_relaxed,
    minimum,
    w_infinity,
)
from proofs_check.ding2025.law import law
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.trials.section_2 import masses_of, relaxed
from proofs_check.ding2025.trials.section_2_computation import merge

points = st.one_of(st.integers(0, 4).map(Fraction), fractions(0, 3, max_denominator=2))
bases = st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(7)])
fraction = st.integers(-3, 3).map(Fraction)


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
            system = [[row[j] for j in chosen] + [b] for row, b in zip(rows, right, strict=True)]
            values = solve(system, count)
            if values is not None and min(values, default=0) >= 0:
                found = dict(zip(chosen, values, strict=True))
                yield [found.get(j, Fraction(0)) for j in range(size)]


def marginals(p, q, cells):
    rows = [[Fraction(c[0] == x) for c in cells] for x in p]
    rows += [[Fraction(c[1] == z) for c in cells] for z in q]
    return rows, [*p.values(), *q.values()]


def plans(p, q):
    """Return all vertices of the polytope of couplings."""
    cells = [(x, z) for x in p for z in q]
    found = vertices(*marginals(p, q, cells), [len(p) + len(q) - 1])
    every = {frozenset((c, m) for c, m in zip(cells, v, strict=True) if m) for v in found}
    return [dict(vertex) for vertex in every]


def times(row, x):
    return sum(a * b for a, b in zip(row, x, strict=True))


@given(
    st.lists(st.lists(fraction, min_size=4, max_size=4), min_size=1, max_size=3),
    st.lists(fraction, min_size=3, max_size=3),
    # Nonnegative costs: bounded below.
    st.lists(st.integers(0, 3).map(Fraction), min_size=4, max_size=4),
)
@settings(max_examples=300)
def test_a_linear_program_against_all_vertices(rows, right, costs):
    right = right[: len(rows)]
    values = [times(costs, solution) for solution in vertices(rows, right, range(5))]
    answer = minimum(costs, rows, right)
    if not values:
        assert answer is None
        return
    value, solution = answer
    assert value == min(values) == times(costs, solution) and min(solution) >= 0
    assert [times(row, solution) for row in rows] == right


def test_an_equation_that_only_zero_satisfies():
    # −x − y = 0 pins both; its artificial variable stays in the basis, at 0.
    zero, one = Fraction(0), Fraction(1)
    answer = minimum([-one, zero, zero], [[-one, -one, zero], [zero, zero, one]], [zero, one])
    assert answer == (0, [0, 0, 1])


def cost(plan):
    return sum(abs(x - z) * mass for (x, z), mass in plan.items())


def reach(plan):
    return max(abs(x - z) for x, z in plan)


def is_coupling(plan, p, q):
    sides = ({}, {})
    for cell, mass in plan.items():
        for side, x in zip(sides, cell, strict=True):
            side[x] = side.get(x, 0) + mass
    return sides == (p, q)


@given(laws(), laws())
@settings(max_examples=100)
def test_against_all_vertices(p, q):
    all_plans, first, second = plans(p, q), law(p), law(q)
    least = min(map(cost, all_plans))
    assert least_cost(first, second, abs) == least
    # The support of a coupling holds that of a vertex, so the least reach is at a vertex.
    reached = min(map(reach, all_plans))
    assert w_infinity(first, second) == reached
    assert wasserstein_infinity(FinitePmf(p), FinitePmf(q)) == reached

    farthest = farthest_optimal(first, second)
    assert is_coupling(farthest, p, q) and cost(farthest) == least
    assert reach(farthest) == max(reach(plan) for plan in all_plans if cost(plan) == least)
    # The plan (6) is optimal for both distances.
    pair = LinePair.of(first, second)
    quantile = {(x, z): exact_value(pair.plan(x, z)).as_fraction() for x in p for z in q}
    quantile = {cell: mass for cell, mass in quantile.items() if mass}
    assert is_coupling(quantile, p, q) and cost(quantile) == least
    assert reach(quantile) == exact_value(pair.farthest()) == reached
    assert sorted(quantile) == list(merge(first, second))


@given(whole_laws, whole_laws, bases)
@settings(max_examples=60)
def test_the_relaxed_condition_and_the_true_ratio(p, q, b):
    first, second = law(p), law(q)
    pair, best = LinePair.of(first, second), least_relaxed(first, second, b)
    assert is_coupling(best, p, q)
    least = exact_value(relaxed(pair, masses_of(best), b))
    engine = LaplaceMixturePair(FinitePmf(p), FinitePmf(q), LaplaceScale(1, Epsilon.log(b)))
    true = [one.largest_ratio().ratio for one in (engine, engine.reversed())]
    assert exact_value(pair.worst_ratio(b)) == max(true) <= least
    assert exact_value(pair.one_sided_ratio(b)) == true[0]
    assert least <= exact_value(relaxed(pair, pair.plan, b))
    assert least <= exact_value(relaxed(pair, masses_of(farthest_optimal(first, second)), b))


@given(laws(2, st.integers(0, 4)), laws(2, st.integers(0, 4)), bases)
@settings(max_examples=30)
def test_the_least_relaxed_coupling_against_all_vertices(p, q, b):
    cells = [(x, z) for x in p for z in q]
    # One equation of the marginals follows from the others; slacks and the ratio follow.
    rows, right = marginals(p, q, cells)
    rows = [row + [Fraction(0)] * (len(q) + 1) for row in rows[:-1]]
    for z, mass in q.items():
        row = [b ** int(abs(c[0] - c[1])) if c[1] == z else Fraction(0) for c in cells]
        rows.append([*row, *(Fraction(k == z) for k in q), -mass])
    right = [*right[:-1], *(Fraction(0) for _ in q)]
    least = min(v[-1] for v in vertices(rows, right, [len(rows)]))
    pair, best = LinePair.of(law(p), law(q)), least_relaxed(law(p), law(q), b)
    assert exact_value(relaxed(pair, masses_of(best), b)) == least


def test_another_plan_of_table_6_moves_mass_from_1_to_5():
    # Ding et al. 2025, Tables 4 and 6: the plan (6) moves mass by 2.
    p = law({1: "0.2", 2: "0.225", 3: "0.5", 4: "0.075"})
    q = law({2: "0.075", 3: "0.5", 4: "0.225", 5: "0.2"})
    assert exact_value(LinePair.of(p, q).farthest()) == 2
    assert reach(farthest_optimal(p, q)) == 4
