"""Appendix A, Example 3: Tables 5 and 6, and Δ* for the priors of Table 4.

Every statement is about fixed numbers, so computing them decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.pufferfish import quantile_plan
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Shifts, shift
from proofs_check.ding2025.laws import Law
from proofs_check.ding2025.tables import TABLE_4, TABLE_5, TABLE_6, Row, law_of_row
from proofs_check.ding2025.terms import LinePair, shift_relations
from proofs_check.ding2025.trials.lemma1 import cumulative

__all__ = ["TRIALS"]

Pair = tuple[Law, Law]

PRIORS: Pair = (law_of_row(TABLE_4[0]), law_of_row(TABLE_4[1]))
"""Reading (a): the priors of Table 4."""


def _law_of_cumulative(row: Row) -> Law:
    return law_of_row(tuple(b - a for a, b in pairwise((Fraction(0), *row))))


PRINTED: Pair = (_law_of_cumulative(TABLE_5[0]), _law_of_cumulative(TABLE_5[1]))
"""Reading (b): the laws whose cumulative distributions are the printed Table 5."""


# --- Table 5 --------------------------------------------------------------------------------


def _cumulative_row(masses: Row, printed: Row, *, false_variant: Row | None = None) -> Statement:
    """The printed row is the cumulative distribution of a row of Table 4."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for x in range(1, len(masses) + 1):
            yield Instance.of(X=x)

    def holds(at: Instance) -> Outcome:
        x = int(str(at["X"]))
        truth = list(accumulate(masses))[x - 1]
        entry = printed[x - 1]

        def certificate() -> Certificate:
            pair = LinePair.of(law_of_row(masses), law_of_row(masses), points=range(1, 6))
            return Certificate(
                define=pair.define, conclusion=[relation("!=", pair.cumulative("p", x), entry)]
            )

        return Outcome(
            Truth.of(truth == entry),
            f"F({x}) = {_decimal(truth)}, printed {_decimal(entry)}",
            certificate,
        )

    return Statement(
        instances=instances,
        holds=holds,
        complete="the five entries of the row",
        false_variant=None
        if false_variant is None
        else _cumulative_row(masses, false_variant, false_variant=None),
    )


def _decimal(value: Fraction) -> str:
    """Return a terminating decimal of at most three digits."""
    thousandths = value * 1000
    assert thousandths.denominator == 1
    return str(Decimal(int(thousandths)) / 1000)


# --- Δ* ---------------------------------------------------------------------------------------


def _shifts_are(pair: Pair, claimed: Sequence[int | None], says: str) -> Statement:
    """Δ*(x) is the claimed number at each x = 1, ..., 5 that has one."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for x, value in enumerate(claimed, start=1):
            if value is not None:
                yield Instance.of(x=x, claimed=value)

    def holds(at: Instance) -> Outcome:
        x = int(str(at["x"]))
        found = _shift(pair, x)
        return Outcome(Truth.of(found == at["claimed"]), f"Delta*({x}) = {found}")

    return Statement(instances=instances, holds=holds, complete=says)


def _shift(pair: Pair, x: int) -> Fraction:
    value = shift(cumulative(pair[0]), cumulative(pair[1]), x, shifts=Shifts.INTEGERS)
    assert value is not None  # integers always serve
    return value


def _with_variant(statement: Statement, variant: Statement) -> Statement:
    return Statement(
        instances=statement.instances,
        holds=statement.holds,
        complete=statement.complete,
        false_variant=variant,
    )


def _delta(pair: Pair, x: int, value: int, *, wrong: int) -> Statement:
    """Δ*(x) = value, with the variant that it is ``wrong``."""
    says = f"the one number Delta*({x})"
    empty: list[int | None] = [None] * 5
    right, other = list(empty), list(empty)
    right[x - 1], other[x - 1] = value, wrong
    return _with_variant(_shifts_are(pair, right, says), _shifts_are(pair, other, says))


def _all_equal(pair: Pair, points: tuple[int, ...], *, variant: bool = True) -> Statement:
    """Δ* is the same number at these points; the variant adds the point 1."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield Instance.of(x=points)

    def holds(at: Instance) -> Outcome:
        values = [_shift(pair, x) for x in points]

        def certificate() -> Certificate:
            """Δ* is one number at x and another at x'."""
            x, z = next(
                (a, b)
                for a, u in zip(points, values, strict=True)
                for b, w in zip(points, values, strict=True)
                if u < w
            )
            where = LinePair.of(*pair, points=range(1, 6))
            low, first = shift_relations(where, *pair, x, shifts=Shifts.INTEGERS)
            high, second = shift_relations(where, *pair, z, shifts=Shifts.INTEGERS)
            return Certificate(
                define=where.define,
                hypotheses=[*first, *second],
                conclusion=[relation("<", low, high)],
            )

        found = ", ".join(f"Delta*({x}) = {d}" for x, d in zip(points, values, strict=True))
        return Outcome(Truth.of(len(set(values)) == 1), found, certificate)

    return Statement(
        instances=instances,
        holds=holds,
        complete=f"the numbers Delta*(x) for x in {points}",
        false_variant=_all_equal(pair, (1, *points), variant=False) if variant else None,
    )


def _supremum(pair: Pair, *, claimed: int = 2) -> Statement:
    """The largest Δ*(x) is 2, and so is the largest distance of the plan."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield Instance.of(claimed=claimed)

    def holds(at: Instance) -> Outcome:
        steps = max(_shift(pair, x) for x in range(1, 6))
        moved = quantile_plan(*PRIORS).largest_distance
        return Outcome(
            Truth.of(steps == moved == claimed),
            f"sup of Delta* is {steps}, the plan of Table 4 moves mass by {moved}",
        )

    return Statement(
        instances=instances,
        holds=holds,
        complete="the two numbers",
        false_variant=_supremum(pair, claimed=1) if claimed != 1 else None,
    )


# --- Table 6 ----------------------------------------------------------------------------------


def _plan_is(pair: Pair, printed: Sequence[Row], *, false_variant: Pair | None) -> Statement:
    """The printed table is the plan (6); the variant takes it for the plan of another pair."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for x in range(1, 6):
            for z in range(1, 6):
                yield Instance.of(X=x, X_prime=z)

    def holds(at: Instance) -> Outcome:
        x, z = int(str(at["X"])), int(str(at["X_prime"]))
        plan = quantile_plan(*pair)
        mass = plan.masses.get((Fraction(x), Fraction(z)))
        truth = Fraction(0) if mass is None else mass.as_fraction()
        entry = printed[x - 1][z - 1]
        return Outcome(Truth.of(truth == entry), f"{_decimal(truth)}, printed {_decimal(entry)}")

    return Statement(
        instances=instances,
        holds=holds,
        complete="the 25 entries",
        false_variant=None
        if false_variant is None
        else _plan_is(false_variant, printed, false_variant=None),
    )


Readings = Callable[[Pair], Statement]


def _both(build: Readings) -> dict[str, Any]:
    return {"a": build(PRIORS), "b": build(PRINTED)}


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/table-5/s_i": {"": _cumulative_row(TABLE_4[0], TABLE_5[0])},
    "ding2025/table-5/s_j": {"": _cumulative_row(TABLE_4[1], TABLE_5[1])},
    "ding2025/example-3/delta-1": _both(lambda pair: _delta(pair, 1, 2, wrong=1)),
    "ding2025/example-3/delta-2-3-4": _both(lambda pair: _all_equal(pair, (2, 3, 4))),
    "ding2025/example-3/delta-5": _both(lambda pair: _delta(pair, 5, 0, wrong=1)),
    "ding2025/example-3/sup": _both(_supremum),
    "ding2025/table-6": {"": _plan_is(PRIORS, TABLE_6, false_variant=PRINTED)},
    "ding2025/repair/table-5-s_i": {
        "": _cumulative_row(
            TABLE_4[0],
            tuple(Fraction(v) for v in ["0.2", "0.425", "0.925", "1", "1"]),
            false_variant=TABLE_5[0],
        )
    },
    "ding2025/repair/table-5-s_j": {
        "": _cumulative_row(
            TABLE_4[1],
            tuple(Fraction(v) for v in ["0", "0.075", "0.575", "0.8", "1"]),
            false_variant=TABLE_5[1],
        )
    },
    "ding2025/repair/example-3": {
        "": _with_variant(
            _shifts_are(PRIORS, [2, 1, 2, 1, 0], "the five numbers Delta*(x)"),
            _shifts_are(PRINTED, [2, 1, 2, 1, 0], "the five numbers Delta*(x)"),
        )
    },
}
