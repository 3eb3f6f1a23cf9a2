"""Appendix A: Lemma 1, on alphabets with and without gaps.

What the plan (6) moves is read off its joint distribution function min{F_p(x), F_q(y)}:

    π*(X <= x, X' > y) = F_p(x) − min{F_p(x), F_q(y)} = max(0, F_p(x) − F_q(y)),

and likewise for X > x, X' <= y. So on consecutive integers mass moves right by d or more
exactly if F_p(x) > F_q(x + d − 1) for some x, which is Δ*(x) >= d in the second case of (25);
and left by d or more exactly if F_q(x − d + 1) > F_p(x), which is Δ*(x) >= d in the third. If
the alphabet has gaps, the third case stops short: it looks for Δ from a point of the alphabet,
while the mass that moves left starts at the next point above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import TransportPlan, quantile_plan
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import (
    Cumulative,
    Shifts,
    largest_shift,
    shift,
    symmetric_shift,
)
from proofs_check.ding2025.laws import Law, consecutive_laws, laws_on
from proofs_check.ding2025.terms import LinePair, shift_relations
from proofs_check.ding2025.trials.lemma1_instances import (
    Points,
    consecutive,
    pair_strategy,
    with_any_gaps,
    with_integer_gaps,
)

__all__ = [
    "TRIALS",
    "Largest",
    "cumulative",
    "lemma_1_proof",
    "printed",
    "symmetric",
    "symmetric_proof",
]

Largest = Callable[[Cumulative, Cumulative, Points], Fraction]
"""(F_p, F_q, alphabet) -> what stands for sup over x of Δ*(x)."""


@lru_cache(maxsize=20_000)
def cumulative(law: Law) -> Cumulative:
    """Return the cumulative distribution function of a law."""
    return Cumulative.of(law)


def printed(shifts: Shifts) -> Largest:
    """Return sup over x of Δ*(x) of (25)."""

    def largest(p: Cumulative, q: Cumulative, alphabet: Points) -> Fraction:
        value = largest_shift(p, q, alphabet, shifts=shifts)
        assert value is not None  # integers and reals always serve
        return value

    return largest


def _without_third_case(p: Cumulative, q: Cumulative, alphabet: Points) -> Fraction:
    cases = [shift(p, q, x, shifts=Shifts.INTEGERS) for x in alphabet if p(x) > q(x)]
    return max((d for d in cases if d is not None), default=Fraction(0))


def symmetric(p: Cumulative, q: Cumulative, alphabet: Points) -> Fraction:
    """Return the largest symmetric shift, which mends Lemma 1."""
    return max(symmetric_shift(p, q, x) for x in alphabet)


def _one_sided(p: Cumulative, q: Cumulative, alphabet: Points) -> Fraction:
    """The symmetric form without its second half."""
    return max(
        (q.first_at_least(p(x)) - x for x in alphabet if p(x) > q(x)),
        default=Fraction(0),
    )


# --- Lemma 1 --------------------------------------------------------------------------------


def _lemma_1(
    largest: Largest,
    *,
    instances: Callable[[Effort], Iterator[Instance]],
    shifts: Shifts | None = None,
    strategy: Callable[[], Any] | None = None,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Largest | None = None,
) -> Statement:
    """The largest distance of the plan is ``largest``; ``shifts`` if that is (25) as printed."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        alphabet, p, q = v["X"], v["P"].law, v["Q"].law
        claimed = largest(cumulative(p), cumulative(q), alphabet)
        plan = quantile_plan(p, q)
        truth = plan.largest_distance
        return Outcome(
            Truth.of(claimed == truth),
            f"sup of Delta* is {claimed}, the plan moves mass by {truth}",
            None if shifts is None else lambda: _shortfall(alphabet, p, q, shifts, plan),
        )

    variant = None
    if false_variant is not None:
        variant = _lemma_1(false_variant, instances=instances)
    return Statement(
        instances=instances, holds=holds, strategy=strategy, proof=proof, false_variant=variant
    )


def _shortfall(
    alphabet: Points, p: Law, q: Law, shifts: Shifts, plan: TransportPlan
) -> Certificate:
    """Evidence that the plan moves mass farther than Δ*(x) for every x in the alphabet."""
    pair = LinePair.of(p, q, points=alphabet)
    x, z = max(plan.masses, key=lambda cell: abs(cell[0] - cell[1]))
    hypotheses: list[Any] = []
    conclusion = [relation(">", pair.plan(x, z), 0)]
    for y in alphabet:
        step, relations = shift_relations(pair, p, q, y, shifts=shifts)
        hypotheses += relations
        conclusion.append(relation(">", function("abs", term(x) - z), step))
    return Certificate(define=pair.define, hypotheses=hypotheses, conclusion=conclusion)


def lemma_1_proof() -> Proved | None:
    """Prove Lemma 1 on consecutive integers; the steps are checked on all small pairs."""
    for n, denominator in ((2, 3), (3, 3), (4, 2)):
        for p, q in consecutive_laws(n, denominator):
            if not _steps_hold(p, q, n):
                return None
    return Proved(
        "all laws on finitely many consecutive integers",
        "pi*(X <= x, X' > y) = max(0, F_i(x) - F_j(y)), so mass moves right by >= d iff "
        "F_i(x) > F_j(x+d-1) for some x, that is Delta*(x) >= d in the second case; mirrored, "
        "mass moves left by >= d iff F_j(x-d+1) > F_i(x), that is Delta*(x) >= d in the third",
    )


def _steps_hold(p: Law, q: Law, n: int) -> bool:
    plan = quantile_plan(p, q)
    first, second = cumulative(p), cumulative(q)
    for x, d in product(range(-1, n + 1), range(1, n + 1)):
        right = _mass(plan, (-n, x), (x + d, 2 * n))
        left = _mass(plan, (x + 1, n), (-n, x - d + 1))
        up, down = first(x) - second(x + d - 1), second(x - d + 1) - first(x)
        if right != max(0, up) or left != max(0, down):
            return False
        step = shift(first, second, x, shifts=Shifts.INTEGERS)
        assert step is not None  # integers always serve
        if (first(x) > second(x) and step >= d) != (up > 0):
            return False
        if (first(x) < second(x) and step >= d) != (down > 0):
            return False
        # Where mass crosses, x lies in the alphabet 0, ..., n - 1.
        if (up > 0 or down > 0) and not 0 <= x < n:
            return False
    return True


def symmetric_proof() -> Proved | None:
    """Prove the repair; the steps are checked on all small pairs with gaps."""
    for alphabet in ((0, 1, 3), (0, 2, 3), (0, 1, 2)):
        for p, q in product(list(laws_on(alphabet, 3)), repeat=2):
            plan = quantile_plan(p, q)
            first, second = cumulative(p), cumulative(q)
            for x, z in product(alphabet, repeat=2):
                crossing = _mass(plan, (0, x), (z, 3))
                if crossing != max(0, first(x) - second.before(z)):
                    return None
            for x in alphabet:
                reach = max((b for a, b in plan.masses if a <= x), default=Fraction(x))
                needed = second.first_at_least(first(x)) - x if first(x) > second(x) else 0
                if max(reach - x, 0) != needed:
                    return None
    return Proved(
        "all laws on finite sets of reals",
        "pi*(X <= x, X' >= z) = max(0, F_i(x) - F_j(z-)), so min{Delta >= 0: F_i(x) <= "
        "F_j(x+Delta)} is how far beyond x the mass of (-inf, x] reaches; the largest over x is "
        "the largest x'-x of the plan, found at x of that pair; exchange i and j for x-x'",
    )


def _mass(plan: TransportPlan, rows: tuple[int, int], columns: tuple[int, int]) -> Fraction:
    """Return the mass of the pairs (x, x') in these two closed intervals."""
    masses = (
        m.as_fraction()
        for (x, z), m in plan.masses.items()
        if rows[0] <= x <= rows[1] and columns[0] <= z <= columns[1]
    )
    return sum(masses, start=Fraction(0))


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-1": {
        "a": _lemma_1(
            printed(Shifts.INTEGERS), instances=with_integer_gaps, shifts=Shifts.INTEGERS
        ),
        "b": _lemma_1(printed(Shifts.REALS), instances=with_any_gaps, shifts=Shifts.REALS),
        "c": _lemma_1(
            printed(Shifts.INTEGERS),
            instances=consecutive,
            shifts=Shifts.INTEGERS,
            strategy=pair_strategy(),
            proof=lemma_1_proof,
            false_variant=_without_third_case,
        ),
    },
    "ding2025/repair/lemma-1": {
        "": _lemma_1(
            symmetric,
            instances=with_any_gaps,
            strategy=pair_strategy(gaps=("1", "1/2", "5/3")),
            proof=symmetric_proof,
            false_variant=_one_sided,
        )
    },
}
