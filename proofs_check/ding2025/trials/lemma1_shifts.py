"""Appendix A.1: the laws given two values of user i are shifts of each other.

F(x | s_a) = G(x − a) with G the cumulative distribution of f(D_{-i}), times the common factor
Π ζ_j > 0, which changes no sign and is left out. The absent user adds 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import quantile_plan, sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Shifts, largest_shift
from proofs_check.ding2025.laws import Law, Shown, law_strategy, laws_on, point, shifted
from proofs_check.ding2025.terms import LinePair, shift_relations
from proofs_check.ding2025.trials.lemma1 import cumulative, lemma_1_proof
from proofs_check.ding2025.trials.lemma1_instances import Points

__all__ = ["TRIALS"]


def _others() -> Iterator[Law]:
    """Yield laws of f(D_{-i}); the first is that of a user who is alone."""
    for denominator in (1, 2):
        yield from laws_on((0, 1, 2), denominator)


def _values() -> Iterator[tuple[int, int]]:
    for a, b in product(range(3), repeat=2):
        if a != b:
            yield a, b


# --- the second display ---------------------------------------------------------------------


def _display(
    *, lower: bool, strict: bool, proof: Callable[[], Proved | None] | None = None, slip: int = 0
) -> Statement:
    """F(x|s_a) − F(x − Δ|s_b) and its sign for Δ > a − b, or with x + Δ for Δ > b − a.

    ``strict``: as printed, Δ > 0 as in (25); else the sign may be 0, and Δ is any shift from
    the bound on. ``slip`` widens that range, for a false variant.
    """
    sign = -1 if lower else 1

    def first_shift(a: int, b: int) -> int:
        bound = a - b if lower else b - a
        return max(bound + 1, 1) if strict else bound - slip

    def instances(effort: Effort) -> Iterator[Instance]:
        for g, (a, b) in product(_others(), _values()):
            first = first_shift(a, b)
            alphabet = sorted({z + s for z in g.masses for s in (a, b)})
            for shift, x in product(range(first, first + 3), alphabet):
                yield Instance.of(G=Shown(g), a=a, b=b, Delta=shift, x=x)

    def search() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def draws(draw: Any) -> Instance:
            g = draw(law_strategy(range(5)))
            a, b = draw(st.integers(0, 4)), draw(st.integers(0, 4))
            shift, x = first_shift(a, b) + draw(st.integers(0, 5)), draw(st.integers(0, 9))
            return Instance.of(G=Shown(g), a=a, b=b, Delta=shift, x=Fraction(x))

        return draws()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        g, a, b, d, x = v["G"].law, v["a"], v["b"], v["Delta"], v["x"]
        left = cumulative(sum_of_independent([g, point(a)]))(x)
        right = cumulative(sum_of_independent([g, point(b)]))(x + sign * d)
        cdf = cumulative(g)
        identity = left - right == cdf(x - a) - cdf(x + sign * d - b)
        signed = (right - left) * sign
        in_order = signed > 0 if strict else signed >= 0

        def certificate() -> Certificate:
            pair = LinePair.of(point(a), point(b), name="own").with_other(g, name="X")
            difference = pair.cumulative("p", x) - pair.cumulative("q", x + sign * d)
            return Certificate(
                define=pair.define,
                hypotheses=[relation(">", d, a - b if lower else b - a), relation(">", d, 0)],
                conclusion=[relation("<=" if lower else ">=", difference, 0)],
            )

        return Outcome(
            Truth.of(identity and in_order), f"the difference is {left - right}", certificate
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if strict else search,
        proof=proof,
        false_variant=_display(lower=lower, strict=False, slip=1) if proof is not None else None,
    )


def _monotone(*, lower: bool) -> Callable[[], Proved | None]:
    def proof() -> Proved | None:
        import sympy

        a, b, x, excess = sympy.symbols("a b x excess", positive=True)
        shift = (a - b if lower else b - a) + excess
        here, there = x - a, (x - shift if lower else x + shift) - b
        # The arguments of G differ by the excess of Δ over its bound, so G is in order.
        if sympy.expand((here - there) * (1 if lower else -1) - excess) != 0:
            return None
        return Proved(
            "all laws of f(D_-i), a, b, x, and Delta >= the bound",
            "F(x|s_a) = G(x-a), and x-a - (x-Delta-b) = Delta-(a-b) >= 0 (x+Delta-b - (x-a) = "
            "Delta-(b-a) >= 0): G does not fall",
        )

    return proof


# --- the supremum ----------------------------------------------------------------------------


def _supremum(*, consecutive: bool, factor: Fraction = Fraction(1)) -> Statement:
    """The plan's largest distance and sup of Δ* are |a − b|; b = 0 for an absent user."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for g, (a, b) in product(_others(), product(range(3), repeat=2)):
            yield _instance(g, a, b)

    def _instance(g: Law, a: int, b: int) -> Instance:
        support = {x + s for x, m in g.masses.items() if m for s in (a, b)}
        low, high = int(min(support)), int(max(support))
        alphabet = map(Fraction, range(low, high + 1)) if consecutive else sorted(support)
        return Instance.of(X=Points(alphabet), G=Shown(g), a=a, b=b)

    def search() -> Any:
        from hypothesis import strategies as st

        values = st.integers(0, 5)
        return st.builds(_instance, law_strategy(range(5)), values, values)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = shifted(v["G"].law, v["a"]), shifted(v["G"].law, v["b"])
        moved = quantile_plan(p, q).largest_distance
        steps = largest_shift(cumulative(p), cumulative(q), v["X"], shifts=Shifts.INTEGERS)
        claimed = factor * abs(v["a"] - v["b"])

        def certificate() -> Certificate:
            pair = LinePair.of(p, q, points=v["X"])
            hypotheses: list[Any] = []
            conclusion = []
            for x in v["X"]:
                step, relations = shift_relations(pair, p, q, x, shifts=Shifts.INTEGERS)
                hypotheses += relations
                conclusion.append(relation("<", step, function("abs", term(v["a"]) - v["b"])))
            return Certificate(define=pair.define, hypotheses=hypotheses, conclusion=conclusion)

        return Outcome(
            Truth.of(moved == steps == claimed),
            f"the plan moves mass by {moved}, sup of Delta* is {steps}, |a - b| = {claimed}",
            certificate if not consecutive else None,
        )

    def proof() -> Proved | None:
        lemma = lemma_1_proof()
        if lemma is None:
            return None
        for g, (a, b) in product(_others(), _values()):
            plan = quantile_plan(shifted(g, a), shifted(g, b))
            if any(z - x != b - a for x, z in plan.masses):
                return None
        return Proved(
            "all finite laws of f(D_-i) on integers, all integers a, b (b = 0: absent)",
            "F(x|s_a) = F(x-a+b|s_b), so equal quantiles lie b - a apart and the plan is that "
            "shift; sup of Delta* is its distance by Lemma 1, proved for consecutive integers",
        )

    if not consecutive:
        return Statement(instances=instances, holds=holds)
    if factor != 1:
        return Statement(instances=instances, holds=holds)
    return Statement(
        instances=instances,
        holds=holds,
        strategy=search,
        proof=proof,
        false_variant=_supremum(consecutive=True, factor=Fraction(1, 2)),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/section-A.1/lower-shift": {"": _display(lower=True, strict=True)},
    "ding2025/section-A.1/upper-shift": {"": _display(lower=False, strict=True)},
    "ding2025/section-A.1/sup": {
        "a": _supremum(consecutive=True),
        "b": _supremum(consecutive=False),
    },
    "ding2025/repair/section-A.1-lower-shift": {
        "": _display(lower=True, strict=False, proof=_monotone(lower=True))
    },
    "ding2025/repair/section-A.1-upper-shift": {
        "": _display(lower=False, strict=False, proof=_monotone(lower=False))
    },
}
