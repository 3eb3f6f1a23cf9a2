"""Section 2.1: transport plans, the ∞-Wasserstein distance, and what it takes to find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import TransportPlan, quantile_plan, w1_optimal_plans
from exactdp.truth import Truth
from proofs_check.ding2025.couplings import (
    cost_of_plan_6,
    farthest,
    is_coupling,
    laws_of,
    least_cost,
    least_distance,
    merge,
    plan_6,
    plan_text,
)
from proofs_check.ding2025.instances import pair_strategy, pairs
from proofs_check.ding2025.laws import Law, Shown
from proofs_check.ding2025.proof_steps import least_is_superadditive, one_way_masses_are_least
from proofs_check.ding2025.terms import LinePair

__all__ = ["TRIALS", "distance_is_w_infinity"]

Distance = Callable[[Law, Law], Fraction]


def _about_pairs(
    holds: Callable[[Instance], Outcome],
    *,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """Return a statement about all pairs of laws; only what may be true is searched further."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in pairs(effort):
            yield Instance.of(P=Shown(p), Q=Shown(q))

    def strategy() -> Any:
        return pair_strategy().map(lambda two: Instance.of(P=Shown(two[0]), Q=Shown(two[1])))

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if proof is None else strategy,
        proof=proof,
        false_variant=false_variant,
    )


# --- the plan (6) as a minimizer ----------------------------------------------------------


def _plan_is_cheapest(cost: Callable[[Fraction], Fraction | int], *, is_claim: bool) -> Statement:
    """(6) is a coupling of least expected cost (the false variant: of the mass that moves)."""

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        plan = plan_6(p, q)
        masses: dict[tuple[Any, Any], Fraction] = {**plan}
        coupling = TransportPlan(masses)
        fine = min(plan.values()) > 0 and (coupling.first, coupling.second) == (p, q)
        value = sum(m * Fraction(cost(abs(x - z))) for (x, z), m in plan.items())
        least = least_cost(p, q, cost)
        return Outcome(Truth.of(fine and value == least), f"cost {value}, least {least}")

    def proof() -> Proved | None:
        if not (least_is_superadditive() and one_way_masses_are_least()):
            return None
        return Proved(
            "all pairs of laws on the line with finite mean",
            "(6) is nonnegative, as min is superadditive in all orders of its arguments, and has "
            "the right marginals, as min{F, 1} = F. Over each point z it moves F_i - min to the "
            "right and F_j - min to the left, together |F_i - F_j|; every coupling moves F_i - F_j "
            "net, so at least as much; integrate over z",
        )

    return _about_pairs(
        holds,
        proof=proof if is_claim else None,
        false_variant=_plan_is_cheapest(lambda d: int(d > 0), is_claim=False) if is_claim else None,
    )


def _other_optimal_plan(p: Law, q: Law) -> tuple[LinePair, TransportPlan, list[Any]]:
    """Return another W_1-optimal plan, with relations that say that it costs as much as (6)."""
    pair, plan = LinePair.of(p, q), w1_optimal_plans(p, q).farthest_plan()
    assert plan.cost == quantile_plan(p, q).cost
    return pair, plan, [*is_coupling(pair, plan), relation("=", plan.cost, cost_of_plan_6(pair))]


def _plan_is_unique() -> Statement:
    """No coupling but (6) attains W_1."""

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        plans, own = w1_optimal_plans(p, q), quantile_plan(p, q)
        if plans.is_unique:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            pair, plan, hypotheses = _other_optimal_plan(p, q)
            cell, mass = next((c, m) for c, m in plan.masses.items() if own.masses.get(c) != m)
            return Certificate(
                define=pair.define,
                hypotheses=hypotheses,
                conclusion=[relation("!=", mass, pair.plan(*cell))],
            )

        other = plans.farthest_plan()
        return Outcome(
            Truth.FALSE,
            f"{plan_text(own)} and {plan_text(other)} both cost {own.cost}",
            certificate,
        )

    return _about_pairs(holds)


# --- distances ----------------------------------------------------------------------------


def distance_is_w_infinity(distance: Distance, *, is_claim: bool) -> Statement:
    """Return the statement that a distance is the least of any coupling, found by search.

    Args:
        distance: The largest |x − x'| of some plan.
        is_claim: Whether it is that of (6), which is proved; else that of another plan.
    """

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        found, least = distance(p, q), least_distance(p, q)

        def certificate() -> Certificate:
            pair, plan, hypotheses = _other_optimal_plan(p, q)
            x, z = w1_optimal_plans(p, q).farthest_pair
            # (6) moves nothing farther than ``least``, so W_∞ is no larger.
            near = [
                relation("=", pair.plan(a, b), 0)
                for a, b in product(pair.points, repeat=2)
                if abs(a - b) > least
            ]
            used = relation(">", term(plan.masses[x, z]), 0)
            return Certificate(
                define=pair.define,
                hypotheses=[*hypotheses, *near],
                conclusion=[used, relation(">", abs(x - z), least)],
            )

        return Outcome(
            Truth.of(found == least),
            f"a W_1-optimal plan has largest distance {found}, W_infinity is {least}",
            certificate,
        )

    def proof() -> Proved | None:
        if not one_way_masses_are_least():
            return None
        return Proved(
            "all pairs of laws on the line",
            "if some coupling moves no mass farther than d, then F_i(z) <= F_j(z + d) and "
            "F_j(z) <= F_i(z + d) for all z; (6) gives {x <= z, x' > z + d} the mass "
            "F_i(z) - min{F_i(z), F_j(z + d)} = 0, and the other side likewise: it moves no mass "
            "farther than d either",
        )

    variant = distance_is_w_infinity(_farthest_optimal, is_claim=False) if is_claim else None
    return _about_pairs(holds, proof=proof if is_claim else None, false_variant=variant)


def _farthest_optimal(p: Law, q: Law) -> Fraction:
    return w1_optimal_plans(p, q).largest_distance


# --- computation --------------------------------------------------------------------------


def _plan_is_easier() -> Statement:
    """Whoever has the plan (6) still lacks operations on probabilities to have W_∞."""

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        if p == q:
            return Outcome(Truth.TRUE)  # nothing is to be computed
        cells = list(merge(p, q))
        largest = farthest(p, q)

        def certificate() -> Certificate:
            pair = LinePair.of(p, q)
            x, z = next((x, z) for x, z in cells if abs(x - z) == largest)
            # W_∞ is at most the largest distance of (6), and no smaller one serves.
            first, second = ("p", "q") if x < z else ("q", "p")
            low, high = min(x, z), max(x, z)
            upper = [
                relation("<=", pair.cumulative(a, y), pair.cumulative(b, y + largest))
                for a, b in (("p", "q"), ("q", "p"))
                for y in pair.points
            ]
            lower = relation(">", pair.cumulative(first, low), pair.before(second, high))
            used = [relation(">", pair.plan(*cell), 0) for cell in cells]
            return Certificate(
                define=pair.define,
                hypotheses=[*used, relation("=", high - low, largest)],
                conclusion=[*upper, lower],
            )

        return Outcome(
            Truth.of(largest != least_distance(p, q)),
            f"W_infinity = {largest} is the largest distance among the pairs that (6) uses: who "
            "has (6) has it without another operation on probabilities, and one merge of both "
            f"cumulative distributions, here {len(cells)} comparisons, meets these pairs",
            certificate,
        )

    return _about_pairs(holds)


def _merge_finds_distance(*, all_steps: bool = True) -> Statement:
    """The repair: the largest distance that the merge meets is W_∞ (false: all but the first)."""

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        cells = list(merge(p, q))
        size = sum(1 for law in (p, q) for m in law.masses.values() if m)
        steps = [abs(x - z) for x, z in (cells if all_steps else cells[1:])]
        largest = max(steps, default=Fraction(0))
        fine = largest == least_distance(p, q) and len(cells) < size
        return Outcome(
            Truth.of(fine and cells == list(plan_6(p, q))), f"{len(cells)} steps, {largest}"
        )

    def proof() -> Proved | None:
        if not one_way_masses_are_least():
            return None
        return Proved(
            "all pairs of finite laws on the line, of n and m points",
            "where the merge stops, F_i(x-) and F_j(x'-) are below both F_i(x) and F_j(x'), and "
            "(6) has there the mass between the larger and the smaller of these; the intervals of "
            "all stops cover (0, 1], so no mass is missed; each stop leaves a point behind, so "
            "there are at most n + m - 1; W_infinity is the largest distance of (6)",
        )

    return _about_pairs(
        holds,
        proof=proof if all_steps else None,
        false_variant=_merge_finds_distance(all_steps=False) if all_steps else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/section-2.1/kantorovich-plan": {
        "a": _plan_is_cheapest(lambda d: d, is_claim=True),
        "b": _plan_is_unique(),
    },
    "ding2025/section-2.1/w-infinity": {
        "a": distance_is_w_infinity(farthest, is_claim=True),
        "b": distance_is_w_infinity(_farthest_optimal, is_claim=False),
    },
    "ding2025/section-2.1/computation": {"": _plan_is_easier()},
    "ding2025/repair/computation": {"": _merge_finds_distance()},
}
