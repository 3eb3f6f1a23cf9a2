"""Appendix A: the three cases in the proof of Lemma 1, row by row of the plan.

π* is the plan (6) of laws on consecutive integers, its masses at pairs of points. The
statements about cumulative distributions in the three cases are true; what they are said
to imply for the mass to the left of the diagonal is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.pufferfish import quantile_plan
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Cumulative, Shifts, shift
from proofs_check.ding2025.laws import Law
from proofs_check.ding2025.terms import LinePair, shift_relations
from proofs_check.ding2025.trials.lemma1 import cumulative
from proofs_check.ding2025.trials.lemma1_instances import consecutive

__all__ = ["TRIALS"]

Row = Mapping[Fraction, Fraction]
"""x' -> π*(x, x') for one x, where positive."""


def _rows(case: Callable[[Fraction, Fraction], bool]) -> Callable[[Effort], Iterator[Instance]]:
    """Yield pairs of laws with each x of the alphabet to which the case applies."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in consecutive(effort):
            v: Mapping[str, Any] = at.mapping()
            first, second = cumulative(v["P"].law), cumulative(v["Q"].law)
            for x in v["X"]:
                if case(first(x), second(x)):
                    yield Instance((*at.values, ("x", x)))

    return instances


def _row(p: Law, q: Law, x: Fraction) -> Row:
    masses = quantile_plan(p, q).masses
    return {z: m.as_fraction() for (y, z), m in masses.items() if y == x}


Breach = tuple[str, Fraction, Fraction]
"""A relation between x, x' and Δ*(x) that puts (x, x') where the case wants no mass."""


def _case(
    applies: Callable[[Fraction, Fraction], bool],
    *,
    orders: Callable[[Cumulative, Cumulative, Fraction, Fraction], bool],
    breach: Callable[[Fraction, Fraction, Fraction], Breach | None],
) -> Statement:
    """What a case says of F_i, F_j and of the row x of the plan.

    Args:
        applies: The case, by F_i(x) and F_j(x).
        orders: What it says of F_i and F_j, given x and Δ*(x).
        breach: Whether it wants no mass at (x, x'), given x, x' and Δ*(x).
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, x = v["P"].law, v["Q"].law, v["x"]
        first, second = cumulative(p), cumulative(q)
        step = shift(first, second, x, shifts=Shifts.INTEGERS)
        assert step is not None  # integers always serve
        if not orders(first, second, x, step):
            return Outcome(Truth.FALSE, "F_i and F_j are ordered differently")
        for z, mass in _row(p, q, x).items():
            found = breach(x, z, step)
            if found is not None:
                return Outcome(
                    Truth.FALSE,
                    f"Delta*({x}) = {step}, but pi*({x}, {z}) = {mass}",
                    lambda z=z, found=found: _mass_at(v, z, found),  # type: ignore[misc]
                )
        return Outcome(Truth.TRUE)

    return Statement(instances=_rows(applies), holds=holds)


def _mass_at(v: Mapping[str, Any], z: Fraction, found: Breach) -> Certificate:
    p, q, x = v["P"].law, v["Q"].law, v["x"]
    pair = LinePair.of(p, q, points=v["X"])
    _, relations = shift_relations(pair, p, q, x, shifts=Shifts.INTEGERS)
    return Certificate(
        define=pair.define,
        hypotheses=relations,
        conclusion=[relation(">", pair.plan(x, z), 0), relation(*found)],
    )


SHIFTS = range(1, 8)
"""Enough Δ for alphabets of up to five points: beyond, F is 0 or 1."""


def _breach_1(x: Fraction, z: Fraction, step: Fraction) -> Breach | None:
    return ("!=", z, x) if z != x else None


def _breach_2(x: Fraction, z: Fraction, step: Fraction) -> Breach | None:
    if z < x:
        return ("<", z, x)
    return (">", z - x, step) if z - x > step else None


def _breach_3(x: Fraction, z: Fraction, step: Fraction) -> Breach | None:
    if z > x:
        return (">", z, x)
    return (">", x - z, step) if x - z > step else None


CASE_1 = _case(
    lambda f, g: f == g,
    orders=lambda f, g, x, _: all(g(x - d) <= f(x) <= g(x + d) for d in SHIFTS),
    breach=_breach_1,
)

CASE_2 = _case(
    lambda f, g: f > g,
    orders=lambda f, g, x, step: all(
        (d <= step or f(x) <= g(x + d)) and f(x) > g(x - d) for d in SHIFTS
    ),
    breach=_breach_2,
)

CASE_3 = _case(
    lambda f, g: f < g,
    orders=lambda f, g, x, step: all(
        f(x) < g(x + d) and (d <= step or f(x) >= g(x - d)) for d in SHIFTS
    ),
    breach=_breach_3,
)


def _pointwise() -> Statement:
    """The largest |x − x'| in the row of x is Δ*(x), for each x with mass."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _rows(lambda f, g: True)(effort):
            v: Mapping[str, Any] = at.mapping()
            if v["P"].law.masses.get(v["x"]):
                yield at

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, x = v["P"].law, v["Q"].law, v["x"]
        step = shift(cumulative(p), cumulative(q), x, shifts=Shifts.INTEGERS)
        assert step is not None  # integers always serve
        z = max(_row(p, q, x), key=lambda z: abs(x - z))
        return Outcome(
            Truth.of(abs(x - z) == step),
            f"Delta*({x}) = {step}, the row moves mass by {abs(x - z)}",
            lambda: _mass_at(v, z, (">", abs(x - z), step)),
        )

    return Statement(instances=instances, holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-1/proof/case-1": {"": CASE_1},
    "ding2025/lemma-1/proof/case-2": {"": CASE_2},
    "ding2025/lemma-1/proof/case-3": {"": CASE_3},
    "ding2025/lemma-1/proof/pointwise-sup": {"": _pointwise()},
}
