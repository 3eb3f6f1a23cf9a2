"""Couplings: all of them as the points of a linear program, and their masses as terms.

Definitions: :func:`cost_of_plan_6`, :func:`farthest`, :func:`is_coupling`, :func:`laws_of`,
:func:`least_cost`, :func:`least_distance`, :func:`merge`, :func:`plan_6`, :func:`plan_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from exactdp.certificates import Term, relation, term
from exactdp.certificates.certificate import Relation
from exactdp.claims import Instance
from exactdp.numbers import Exact
from exactdp.pufferfish import TransportPlan
from exactdp.pufferfish.linear_programs import minimum
from proofs_check.ding2025.cumulative import Cumulative
from proofs_check.ding2025.laws import Law
from proofs_check.ding2025.terms import LinePair

__all__ = [
    "Cell",
    "cost_of_plan_6",
    "farthest",
    "is_coupling",
    "laws_of",
    "least_cost",
    "least_distance",
    "merge",
    "plan_6",
    "plan_text",
]

Cell = tuple[Fraction, Fraction]
"""(x, x')."""


def _masses(law: Law) -> dict[Fraction, Fraction]:
    return {x: m.as_fraction() for x, m in sorted(law.masses.items()) if m}


def laws_of(at: Instance) -> tuple[Law, Law]:
    """Return the laws P and Q of an instance."""
    v: Mapping[str, Any] = at.mapping()
    return v["P"].law, v["Q"].law


def plan_text(plan: TransportPlan) -> str:
    """Return a plan in short: masses by pair.

    Example:
        >>> plan_text(TransportPlan({(0, 1): "1/2", (0, 0): "1/2"}))
        '{(0, 0): 1/2, (0, 1): 1/2}'
    """
    return "{" + ", ".join(f"({x}, {z}): {m}" for (x, z), m in sorted(plan.masses.items())) + "}"


def plan_6(p: Law, q: Law) -> dict[Cell, Fraction]:
    """Return the masses of (6), the mixed differences of min{F_p, F_q}; zeros are left out.

    Example:
        >>> from exactdp.distributions import FinitePmf
        >>> half = Fraction(1, 2)
        >>> first = FinitePmf({Fraction(0): half, Fraction(1): half})
        >>> [str(m) for m in plan_6(first, FinitePmf.point(Fraction(2))).values()]
        ['1/2', '1/2']
    """
    first, second = Cumulative.of(p), Cumulative.of(q)
    masses = {}
    for x in first.points:
        for z in second.points:
            up, down = second(z), second.before(z)
            here, left = first(x), first.before(x)
            mass = min(here, up) - min(left, up) - min(here, down) + min(left, down)
            if mass:
                masses[x, z] = mass
    return masses


def farthest(p: Law, q: Law) -> Fraction:
    """Return the largest |x − x'| on the support of (6)."""
    return max(abs(x - z) for x, z in plan_6(p, q))


def merge(p: Law, q: Law) -> Iterator[Cell]:
    """Yield the pairs at which one merge of the two cumulative distributions stops.

    At each pair one comparison, of F_p(x) with F_q(x'), says which of them moves on.

    Example:
        >>> from exactdp.distributions import FinitePmf
        >>> [(str(x), str(z)) for x, z in merge(FinitePmf.point(0), FinitePmf.point(2))]
        [('0', '2')]
    """
    first, second = Cumulative.of(p), Cumulative.of(q)
    i = j = 0
    while i < len(first.points) and j < len(second.points):
        yield first.points[i], second.points[j]
        difference = first.values[i] - second.values[j]
        i, j = i + (difference <= 0), j + (difference >= 0)


def least_cost(p: Law, q: Law, cost: Callable[[Fraction], Fraction | int]) -> Fraction:
    """Return the least expected cost(|x − x'|) of any coupling, by linear programming."""
    cells = [(x, z) for x in _masses(p) for z in _masses(q)]
    answer = _program(p, q, cells, [Fraction(cost(abs(x - z))) for x, z in cells])
    assert answer is not None  # the product of both laws is a coupling
    return answer


def least_distance(p: Law, q: Law) -> Fraction:
    """Return W_∞, the least d such that some coupling moves no mass farther than d.

    Example:
        >>> from exactdp.distributions import FinitePmf
        >>> least_distance(FinitePmf.point(Fraction(0)), FinitePmf.point(Fraction(2)))
        Fraction(2, 1)
    """
    cells = [(x, z) for x in _masses(p) for z in _masses(q)]
    for d in sorted({abs(x - z) for x, z in cells}):
        near = [(x, z) for x, z in cells if abs(x - z) <= d]
        if _program(p, q, near, [Fraction(0)] * len(near)) is not None:
            return d
    raise AssertionError("unreachable: at the largest distance all couplings are near")


def _program(p: Law, q: Law, cells: Sequence[Cell], costs: Sequence[Fraction]) -> Fraction | None:
    rows: list[list[Fraction]] = []
    right: list[Fraction] = []
    for side, law in enumerate((p, q)):
        for x, mass in _masses(law).items():
            rows.append([Fraction(cell[side] == x) for cell in cells])
            right.append(mass)
    answer = minimum(costs, rows, right)
    return None if answer is None else Fraction(answer[0])


def is_coupling(pair: LinePair, plan: TransportPlan) -> list[Relation]:
    """Return relations that say that a plan's masses couple the two laws of a pair."""
    relations = []
    for side, name in ((0, "p"), (1, "q")):
        for x in pair.points:
            parts = [mass for cell, mass in plan.masses.items() if cell[side] == x]
            relations.append(relation("=", sum(parts, start=Exact(0)), pair.mass(name, x)))
    return relations


def cost_of_plan_6(pair: LinePair) -> Term:
    """Return the expected |x − x'| of the plan (6)."""
    total = term(0)
    for x in pair.points:
        for z in pair.points:
            if x != z:
                total = total + abs(x - z) * pair.plan(x, z)
    return total
