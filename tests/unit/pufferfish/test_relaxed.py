"""The relaxed condition: against all vertices of the lifted program, and the true ratio."""

from fractions import Fraction
from itertools import combinations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.pufferfish import (
    Couplings,
    LaplaceMixturePair,
    LaplaceScale,
    TransportPlan,
    largest_relaxed_ratio,
    quantile_plan,
    relaxed_ratio,
    smallest_relaxed_ratio,
    smallest_relaxed_scale,
    w1_optimal_plans,
)

bases = st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(7)])


@st.composite
def laws(draw, most=4):
    support = draw(st.lists(st.integers(0, 5), min_size=1, max_size=most, unique=True))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(support), max_size=len(support)))
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


def by_log(b):
    return LaplaceScale(1, Epsilon.log(b))


def relaxed_in_fractions(masses, b):
    targets = {z for _, z in masses}
    return max(
        sum(b ** abs(x - z) * m for (x, z), m in masses.items() if z == target)
        / sum(m for (_, z), m in masses.items() if z == target)
        for target in targets
    )


def plain(plan):
    return {(int(x), int(z)): m.as_fraction() for (x, z), m in plan.masses.items()}


@given(laws(), laws(), bases)
@settings(max_examples=60)
def test_the_ratio_of_plans_and_the_true_ratio(p, q, b):
    first, second = FinitePmf(p), FinitePmf(q)
    true = LaplaceMixturePair(first, second, by_log(b)).largest_ratio().ratio
    least, best = smallest_relaxed_ratio(first, second, by_log(b))
    within, _ = smallest_relaxed_ratio(first, second, by_log(b), couplings=Couplings.W1_OPTIMAL)
    most, worst = largest_relaxed_ratio(first, second, by_log(b))
    optimal = w1_optimal_plans(first, second)
    for plan, value in ((best, least), (worst, most)):
        assert (plan.first, plan.second) == (first, second)
        assert relaxed_ratio(plan, by_log(b)) == value == relaxed_in_fractions(plain(plan), b)
    assert optimal.contains(worst)
    for plan in (quantile_plan(first, second), optimal.farthest_plan()):
        assert true <= least <= within <= relaxed_ratio(plan, by_log(b)) <= most


def determined(equations, size):
    """Return the one solution of a square system in Fractions, or None."""
    rows = [list(row) for row in equations]
    for j in range(size):
        pivot = next((r for r in range(j, size) if rows[r][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [a / rows[j][j] for a in rows[j]]
        for r in range(size):
            if r != j and rows[r][j] != 0:
                rows[r] = [a - rows[r][j] * c for a, c in zip(rows[r], rows[j], strict=True)]
    return [row[-1] for row in rows]


def least_by_vertices(p, q, b, allowed):
    """Return the minimum over couplings in allowed cells, vertex by vertex."""
    cells = [(x, z) for x in p for z in q if (x, z) in allowed]
    names = [*cells, *(("slack", z) for z in q), "ratio"]
    equations = [[Fraction(n[0] == x and n in cells) for n in names] + [m] for x, m in p.items()]
    # One equation of the marginals follows from the others.
    equations += [
        [Fraction(n[1] == z and n in cells) for n in names] + [m] for z, m in list(q.items())[1:]
    ]
    for z, mass in q.items():
        row = [b ** abs(c[0] - c[1]) if c[1] == z else Fraction(0) for c in cells]
        equations.append([*row, *(Fraction(k == z) for k in q), -mass, Fraction(0)])
    best = None
    for chosen in combinations(range(len(names)), len(equations)):
        system = [[row[c] for c in chosen] + [row[-1]] for row in equations]
        solution = determined(system, len(chosen))
        if solution is None or min(solution) < 0:
            continue
        value = dict(zip(chosen, solution, strict=True)).get(len(names) - 1, Fraction(0))
        best = value if best is None else min(best, value)
    return best


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ({0: Fraction(1, 2), 1: Fraction(1, 2)}, {1: Fraction(1, 3), 2: Fraction(2, 3)}),
        ({0: Fraction(1, 5), 3: Fraction(4, 5)}, {1: Fraction(3, 5), 2: Fraction(2, 5)}),
        (
            {0: Fraction(1, 2), 1: Fraction(1, 4), 4: Fraction(1, 4)},
            {0: Fraction(1, 5), 2: Fraction(4, 5)},
        ),
        (
            {0: Fraction(3, 5), 3: Fraction(2, 5)},
            {0: Fraction(1, 5), 1: Fraction(1, 5), 2: Fraction(3, 5)},
        ),
    ],
)
def test_the_linear_program_against_all_vertices(p, q):
    first, second = FinitePmf(p), FinitePmf(q)
    everything = {(x, z) for x in p for z in q}
    optimal = set(w1_optimal_plans(first, second).largest_masses())
    for b in (Fraction(2), Fraction(9)):
        for couplings, allowed in ((Couplings.ALL, everything), (Couplings.W1_OPTIMAL, optimal)):
            answer = smallest_relaxed_ratio(first, second, by_log(b), couplings=couplings)
            assert answer[0] == least_by_vertices(p, q, b, allowed)


@given(laws(), laws(), st.sampled_from(["1/2", "1", "3"]))
@settings(max_examples=25)
def test_the_smallest_scale_of_a_plan_by_mpmath(p, q, epsilon):
    first, second = FinitePmf(p), FinitePmf(q)
    plan = quantile_plan(first, second)
    theta = smallest_relaxed_scale(first, second, plan, epsilon=Epsilon.rational(epsilon))
    if p == q:
        assert theta.upper == 0
        return
    masses = plain(plan)
    with mpmath.workdps(40):
        gamma = mpmath.exp(mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)

        def excess(t):
            growth = mpmath.exp(mpmath.mpf(t.denominator) / t.numerator)
            return max(
                sum(
                    (growth ** abs(x - z) - gamma) * m.numerator / m.denominator
                    for (x, z), m in masses.items()
                    if z == target
                )
                for target in q
            )

        # The tiny slack covers mpmath's rounding: the condition is met, and not much earlier.
        assert excess(theta.upper) <= mpmath.mpf(10) ** -30
        assert excess(theta.lower) >= -(mpmath.mpf(10) ** -30)
        assert theta.width * 2**55 < theta.upper


def test_the_best_coupling_is_no_worse_than_the_plan():
    p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/2", 2: "1/2"})
    one = Epsilon.rational(1)
    best = smallest_relaxed_scale(p, q, Couplings.ALL, epsilon=one, relative_bits=40)
    farthest = w1_optimal_plans(p, q).farthest_plan()
    # One step each needs e^{1/θ} <= e; two steps need e^{2/θ} <= e.
    assert best.contains(1)
    assert smallest_relaxed_scale(p, q, farthest, epsilon=one, relative_bits=40).contains(2)


def test_a_rational_scale_and_one_outside_the_field():
    plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
    assert relaxed_ratio(plan, LaplaceScale.rational(2)) == (1 + Exact.exp("1/2")) / 2
    outside = relaxed_ratio(plan, LaplaceScale(2, Epsilon.log(3)))
    with mpmath.workdps(40):
        assert decimal(outside, digits=25) == mpmath.nstr((1 + mpmath.sqrt(3)) / 2, 25)


def test_refusals():
    p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf.point(1)
    with pytest.raises(DomainError, match="does not couple"):
        smallest_relaxed_scale(p, q, TransportPlan({(0, 1): 1}), epsilon=Epsilon.log(2))
    with pytest.raises(DomainError, match="must be rational"):
        smallest_relaxed_ratio(p, q, LaplaceScale.rational(1))
    many = FinitePmf.uniform(range(21))
    with pytest.raises(TooLargeError, match="limit is 150"):
        smallest_relaxed_ratio(many, many, by_log(2))
