"""Optimal transport between two finite laws on the line, exactly.

A coupling of p and q moves mass; what crosses a gap between neighboring points z_k < z_{k+1} is,
net, F_p(z_k) − F_q(z_k) from left to right. With R_k and L_k the mass that crosses gap k to the
right and to the left, the cost Σ |x − x'| π(x, x') is Σ_k (z_{k+1} − z_k)(R_k + L_k), and
R_k − L_k is fixed. So

    W_1 = Σ_k (z_{k+1} − z_k) |F_p(z_k) − F_q(z_k)|,

and a coupling attains it exactly if no gap is crossed both ways: all mass that crosses gap k
goes the way of the sign of F_p − F_q there, and none does where that is 0. Hence a pair (x, x')
with x < x' may carry mass in a W_1-optimal plan only if F_p > F_q on all gaps between; then,
p(x) and q(x') being positive, some optimal plan gives it min(p(x), q(x'), the least F_p − F_q
between) and none gives it more: read an optimal plan as a flow along the line and split
that much off it first. Mirrored for x > x'; for x = x' the most is min(p(x), q(x)).

The quantile coupling, whose joint distribution function is min(F_p(x), F_q(x')), is one of
the optimal plans and also attains W_∞. The optimal plans form a polytope, and the average of
plans that use each allowed pair uses them all; so the plan is unique exactly if the allowed
pairs, as edges between the points of p and the points of q, have no cycle.

Definitions: :class:`OptimalPlans`, :class:`TransportPlan`, :func:`quantile_plan`,
:func:`w1_optimal_plans`, :func:`wasserstein_1`.

References: F. Santambrogio, Optimal Transport for Applied Mathematicians, 2015, Section 2.2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact, RationalLike, fraction_of, rational
from exactdp.numbers.limits import MAX_PAIRS_OF_POINTS, count_text, refuse_above
from exactdp.pufferfish.line import atoms, quantile_moves

__all__ = [
    "OptimalPlans",
    "TransportPlan",
    "quantile_plan",
    "w1_optimal_plans",
    "wasserstein_1",
]


@dataclass(frozen=True, slots=True)
class TransportPlan:
    """A coupling of two laws on the line: a joint law of (x, x').

    Attributes:
        masses: The positive masses π(x, x'), with sum 1.

    Raises:
        DomainError: If the masses are no law, or a point is no rational.

    Example:
        >>> plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
        >>> plan.cost, plan.largest_distance, plan.first[0], plan.second[1]
        (Exact('1/2'), Fraction(1, 1), Exact('1/2'), Exact('1'))
    """

    masses: Mapping[tuple[Fraction, Fraction], Exact]

    def __init__(
        self, masses: Mapping[tuple[RationalLike, RationalLike], Exact | RationalLike]
    ) -> None:
        law = FinitePmf(
            {
                (fraction_of(rational(x, name="x")), fraction_of(rational(z, name="x'"))): mass
                for (x, z), mass in masses.items()
            }
        )
        positive = {pair: mass for pair, mass in law.masses.items() if mass}
        object.__setattr__(self, "masses", MappingProxyType(positive))

    @property
    def first(self) -> FinitePmf[Fraction]:
        """The law of x."""
        return FinitePmf(self.masses).push_forward(lambda pair: pair[0])

    @property
    def second(self) -> FinitePmf[Fraction]:
        """The law of x'."""
        return FinitePmf(self.masses).push_forward(lambda pair: pair[1])

    @property
    def cost(self) -> Exact:
        """The expected distance Σ |x − x'| π(x, x')."""
        return sum((mass * abs(x - z) for (x, z), mass in self.masses.items()), start=Exact(0))

    @property
    def largest_distance(self) -> Fraction:
        """The largest |x − x'| on the support."""
        return max(abs(x - z) for x, z in self.masses)


def quantile_plan(p: FinitePmf[Any], q: FinitePmf[Any]) -> TransportPlan:
    """Return the monotone coupling, which moves quantiles to quantiles.

    Formula:
        π((−∞, x] × (−∞, x']) = min(F_p(x), F_q(x')).

    Returns:
        The plan of Ding et al. 2025, (6). It attains W_1 and W_∞. O(n + m) operations.

    Source:
        Ding et al. 2025, (6); Santambrogio 2015, Theorem 2.9.

    Example:
        >>> p, q = FinitePmf({1: "1/2", 2: "1/2"}), FinitePmf({2: "3/4", 5: "1/4"})
        >>> for pair, mass in quantile_plan(p, q).masses.items():
        ...     print(*pair, mass)
        1 2 1/2
        2 2 1/4
        2 5 1/4
    """
    return TransportPlan({(x, z): mass for x, z, mass in quantile_moves(p, q)})


def wasserstein_1(p: FinitePmf[Any], q: FinitePmf[Any]) -> Exact:
    """Return the 1-Wasserstein distance, the least expected distance of a coupling.

    Formula:
        W_1 = ∫ |F_p(t) − F_q(t)| dt.

    Source:
        Ding et al. 2025, Section 2.1; Santambrogio 2015, Proposition 2.17.

    Example:
        >>> wasserstein_1(FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf.point(3))
        Exact('5/2')
    """
    points, flows = _flows(p, q)
    gaps = [b - a for a, b in pairwise(points)]
    return sum((abs(f) * gap for f, gap in zip(flows, gaps, strict=True)), start=Exact(0))


@dataclass(frozen=True, slots=True)
class OptimalPlans:
    """All W_1-optimal plans of a pair of laws.

    Attributes:
        p: The first law.
        q: The second law.
        points: The joint support, ascending.
        flows: F_p − F_q on each gap between neighboring points.
    """

    p: FinitePmf[Fraction]
    q: FinitePmf[Fraction]
    points: Sequence[Fraction]
    flows: Sequence[Exact]

    def largest_mass(self, x: Fraction, z: Fraction) -> Exact:
        """Return the largest π(x, z) of a W_1-optimal plan; 0 if none uses the pair.

        Example:
            >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/4", 2: "3/4"})
            >>> w1_optimal_plans(p, q).largest_mass(Fraction(0), Fraction(1))
            Exact('1/4')
        """
        least = min(self.p[x], self.q[z])
        if x != z and least:
            i, j = bisect_left(self.points, x), bisect_left(self.points, z)
            crossed = self.flows[i:j] if i < j else [-flow for flow in self.flows[j:i]]
            least = min(least, *crossed)
        return max(least, Exact(0))

    def largest_masses(self) -> dict[tuple[Fraction, Fraction], Exact]:
        """Return :meth:`largest_mass` of every pair that some W_1-optimal plan uses.

        A coupling is W_1-optimal exactly if it uses no other pair.

        Raises:
            TooLargeError: If the laws have more than 200 points each, or so.
        """
        size = len(self.p) * len(self.q)
        refuse_above(
            MAX_PAIRS_OF_POINTS,
            size,
            f"there are {count_text(size)} pairs (x, x') to list",
            advice="Ask for largest_mass of single pairs, or largest_distance.",
        )
        pairs = ((x, z) for x in self.p.masses for z in self.q.masses)
        return {cell: mass for cell in pairs if (mass := self.largest_mass(*cell))}

    @property
    def farthest_pair(self) -> tuple[Fraction, Fraction]:
        """A pair (x, x') at the largest distance that some W_1-optimal plan uses.

        The ends of the longest run of gaps on which F_p − F_q has one sign: there the flow
        starts, so p has mass, and there it ends, so q has. O(n) operations.
        """
        best, k = (self.points[0],) * 2, 0
        while k < len(self.flows):
            sign, start = self.flows[k].sign(), k
            while k < len(self.flows) and self.flows[k].sign() == sign:
                k += 1
            ends = self.points[start], self.points[k]
            if sign and ends[1] - ends[0] > abs(best[1] - best[0]):
                best = ends if sign > 0 else ends[::-1]
        return best

    @property
    def largest_distance(self) -> Fraction:
        """The largest |x − x'| that some W_1-optimal plan uses."""
        x, z = self.farthest_pair
        return abs(x - z)

    @property
    def is_unique(self) -> bool:
        """Whether there is only one W_1-optimal plan.

        Raises:
            TooLargeError: If the laws have more than 200 points each, or so.
        """
        parents: dict[tuple[str, Fraction], tuple[str, Fraction]] = {}

        def root(node: tuple[str, Fraction]) -> tuple[str, Fraction]:
            while parents.setdefault(node, node) != node:
                node = parents[node]
            return node

        for x, z in self.largest_masses():
            a, b = root(("p", x)), root(("q", z))
            if a == b:
                return False
            parents[a] = b
        return True

    def farthest_plan(self) -> TransportPlan:
        """Return a W_1-optimal plan that uses a pair at the largest distance.

        It gives that pair the largest possible mass, and moves the rest by quantiles.
        """
        x, z = self.farthest_pair
        mass = self.largest_mass(x, z)
        if mass == 0 or mass == 1:
            return quantile_plan(self.p, self.q)
        rest_p = {a: m - (mass if a == x else 0) for a, m in self.p.masses.items()}
        rest_q = {b: m - (mass if b == z else 0) for b, m in self.q.masses.items()}
        rest = quantile_plan(FinitePmf.normalized(rest_p), FinitePmf.normalized(rest_q))
        masses: dict[tuple[Any, Any], Exact] = {
            cell: m * (1 - mass) for cell, m in rest.masses.items()
        }
        masses[x, z] = masses.get((x, z), Exact(0)) + mass
        return TransportPlan(masses)


def w1_optimal_plans(p: FinitePmf[Any], q: FinitePmf[Any]) -> OptimalPlans:
    """Return the set of all W_1-optimal plans of two laws (module header).

    Source:
        Ding et al. 2025, Section 2.1, where π* is "the minimizer" of W_1.

    Example:
        From {0, 1} to {1, 2}, half each: both go one step, or one goes two steps.

        >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/2", 2: "1/2"})
        >>> plans = w1_optimal_plans(p, q)
        >>> plans.is_unique, plans.largest_distance
        (False, Fraction(2, 1))
    """
    points, flows = _flows(p, q)
    return OptimalPlans(FinitePmf(atoms(p)), FinitePmf(atoms(q)), points, flows)


def _flows(p: FinitePmf[Any], q: FinitePmf[Any]) -> tuple[list[Fraction], list[Exact]]:
    """Return the joint support and F_p − F_q on each gap between its points."""
    first, second = atoms(p), atoms(q)
    points = sorted({*first, *second})
    zero = Exact(0)
    differences = [first.get(x, zero) - second.get(x, zero) for x in points]
    return points, list(accumulate(differences))[:-1]
