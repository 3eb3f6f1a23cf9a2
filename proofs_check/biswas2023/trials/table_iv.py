"""Table IV and the experiments at eps = eps0: the printed formula, and the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.certificates import Certificate, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact, Number, is_below
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts
from proofs_check.biswas2023.evaluation import (
    agrees,
    count_delta,
    largest_printed_loss_is_epsilon0,
    printed_delta,
    printed_delta_estimates,
    shown,
)
from proofs_check.biswas2023.proof_steps import absorption_holds, vanishes
from proofs_check.biswas2023.protocol import count_certificate
from proofs_check.biswas2023.tables import (
    TABLE_IV,
    TABLE_IV_EPSILONS,
    Cell,
    Row,
)
from proofs_check.biswas2023.trials.formula_terms import delta_hat_sums

__all__ = ["TRIALS"]


def _impossible(row: Row) -> Outcome:
    return Outcome(
        Truth.FALSE,
        f"n_x0 = {row.n_x0} of the other users hold x_0, but only n - 1 = {row.n - 1} exist",
        lambda: Certificate(conclusion=[relation(">", row.n_x0, row.n - 1)]),
    )


# --- Table IV ---------------------------------------------------------------------------


def _row_instances(row: Row) -> Callable[[Effort], Iterator[Instance]]:
    def instances(effort: Effort) -> Iterator[Instance]:
        for epsilon, cell in zip(TABLE_IV_EPSILONS, row.cells, strict=True):
            yield Instance.of(epsilon=epsilon, cell=cell.text)

    return instances


def _row_is_formula(row: Row, *, n_x0: int | None = None) -> Statement:
    """Reading (a): each cell is the value of (6). ``n_x0`` replaces the printed one."""
    held = row.n_x0 if n_x0 is None else n_x0
    c = Counts(row.k, row.n, held)

    def holds(at: Instance) -> Outcome:
        if held > row.n - 1:
            return _impossible(row)
        v: Mapping[str, Any] = at.mapping()
        value = printed_delta(row.epsilon0, c, v["epsilon"])
        if agrees(Cell(v["cell"]), value):
            return Outcome(Truth.TRUE, f"(6) is {shown(value)}")
        other = _reproducing_n_x0(row)
        mend = f"; the row is (6) at n_x0 = {other}" if other is not None else ""
        return Outcome(
            Truth.FALSE, f"printed {v['cell']}, (6) is {shown(value)}{mend}", _cell_certificate(at)
        )

    def _cell_certificate(at: Instance) -> Callable[[], Certificate]:
        v: Mapping[str, Any] = at.mapping()

        def certificate() -> Certificate:
            cell = Cell(v["cell"])
            formula = delta_hat_sums(ref("x"), c, ref("e"))
            value = printed_delta(row.epsilon0, c, v["epsilon"])
            low = agrees_below(cell, value)
            bound = cell.value - cell.unit if low else cell.value + cell.unit
            return Certificate(
                define=[
                    ("x", term(Exact.exp(row.epsilon0))),
                    ("e", term(Exact.exp(v["epsilon"]))),
                ],
                conclusion=[relation("<" if low else ">", formula, bound)],
                precision_bits=256,
            )

        return certificate

    return Statement(
        instances=_row_instances(row),
        holds=holds,
        complete="all cells of the row, to one unit of the last printed digit",
        false_variant=_row_is_formula(row, n_x0=held - 1) if n_x0 is None else None,
    )


def agrees_below(cell: Cell, value: Number) -> bool:
    """Return whether a value that misses a cell lies below it."""
    return is_below(value, Exact(cell.value)) is Truth.TRUE


@lru_cache(maxsize=16)
def _reproducing_n_x0(row: Row) -> int | None:
    """Return another n_x0 at which (6) gives every cell of the row, if there is one."""
    x = math.exp(row.epsilon0)
    thresholds = [math.exp(e) for e in TABLE_IV_EPSILONS]
    for n_x0 in range(row.n):
        c = Counts(row.k, row.n, n_x0)
        logs = printed_delta_estimates(x, c, thresholds)
        close = all(
            cell.value == 0 or abs(log - math.log10(cell.value)) < 0.05
            for cell, log in zip(row.cells, logs, strict=True)
        )
        if close and all(
            agrees(cell, printed_delta(row.epsilon0, c, e))
            for cell, e in zip(row.cells, TABLE_IV_EPSILONS, strict=True)
        ):
            return n_x0
    return None


def _row_is_tight(row: Row) -> Statement:
    """Reading (b): each cell is the tight delta of M, to the digits given."""
    c = Counts(row.k, row.n, row.n_x0)

    def holds(at: Instance) -> Outcome:
        if row.n_x0 > row.n - 1:
            return _impossible(row)
        v: Mapping[str, Any] = at.mapping()
        cell, epsilon = Cell(v["cell"]), v["epsilon"]
        if epsilon >= row.epsilon0:
            # The histogram is post-processing of eps0-LDP reports: its delta is 0.
            return Outcome(Truth.of(cell.value == 0), "delta is 0 for eps >= eps0")
        lower = count_delta(row.epsilon0, c, epsilon)
        bound = cell.value + cell.unit
        if lower > bound:
            return Outcome(
                Truth.FALSE,
                f"printed {cell.text}, but the count of x_0 alone has delta {shown(lower)}",
                lambda: count_certificate(row.epsilon0, c, epsilon, bound),
            )
        return Outcome(Truth.UNKNOWN, f"the count of x_0 has delta {shown(lower)}")

    return Statement(instances=_row_instances(row), holds=holds)


# --- zero cells, and the experiments at eps = eps0 --------------------------------------


def losses_end_at_epsilon0() -> Proved | None:
    """Return the proof that the printed v_s are at most eps0, with equality at s = n."""
    import sympy

    x, y, t = sympy.symbols("x y t")
    # e^(v_s) = kappa2 + (x - kappa2) t, t the mean of ((s-r)/(n-n_x0))^2 under weights
    # C(a,r) C(b+1,s-r) kappa1^r (absorption), so 0 <= t <= 1; and x - e^(v_s) is:
    if not (absorption_holds() and vanishes(x - (y + (x - y) * t) - (x - y) * (1 - t))):
        return None
    return Proved(
        "all n, n_x0, k, eps0 > 0",
        "e^v_s = kappa2 + (e^eps0 - kappa2) t, t a mean of squares of fractions, so v_s <= eps0 "
        "with equality at s = n: (6) is 0 exactly if eps >= eps0",
    )


def _zero_cells(*, shift: Fraction = Fraction(0)) -> Statement:
    """The zero cells of Table IV are those where no s has v_s > eps (+ shift)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for name, row in TABLE_IV.items():
            for epsilon, cell in zip(TABLE_IV_EPSILONS, row.cells, strict=True):
                yield Instance.of(row=name.rpartition("/")[2], epsilon=epsilon, cell=cell.text)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        row = next(r for name, r in TABLE_IV.items() if name.endswith("/" + v["row"]))
        # The row n = 50 has no admissible n_x0 as printed; every admissible one agrees.
        c = Counts(row.k, row.n, min(row.n_x0, row.n - 1))
        if not largest_printed_loss_is_epsilon0(row.epsilon0, c):
            return Outcome(Truth.FALSE, f"v_n is not eps0 at {c}")
        zero = v["epsilon"] + shift >= row.epsilon0
        return Outcome(Truth.of((Cell(v["cell"]).value == 0) == zero), f"zero: {zero}")

    def proof() -> Proved | None:
        proof = losses_end_at_epsilon0()
        return proof and Proved("all 63 cells of Table IV, by a proof for all parameters", proof.by)

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=_zero_cells(shift=Fraction(1, 2)) if not shift else None,
    )


def _delta_at_epsilon0(consequence: str) -> Statement:
    """Section V-C2 at eps = eps0 = 4, k = 15: a positive delta, depending on n_x0."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (1000, 100_000):
            yield Instance.of(epsilon0=4, epsilon=4, k=15, n=n)

    def holds(at: Instance) -> Outcome:
        proof = losses_end_at_epsilon0()
        small = [Counts(15, n, held) for n in (3, 6) for held in range(n)]
        if proof is None or not all(
            largest_printed_loss_is_epsilon0(Fraction(4), c) for c in small
        ):
            return Outcome(Truth.UNKNOWN, "the printed losses were not bounded by eps0")
        return Outcome(
            Truth.FALSE,
            f"v_s <= eps0 = eps for every s and n_x0, so (6) is exactly 0: {consequence}",
            _square_mean_certificate,
        )

    return Statement(instances=instances, holds=holds)


def _square_mean_certificate() -> Certificate:
    """Evidence at n = 6: for every n_x0 and s, e^(v_s) = kappa2 + (x - kappa2) t with t <= 1.

    t is printed as a quotient of positive sums; t <= 1 is checked as sum1 <= sum2 with
    kappa1 bracketed through x = e^4, and (6) is then 0 at eps = eps0.
    """
    from math import comb

    k, n = 15, 6
    x, kappa1 = ref("x"), ref("kappa1")
    relations = []
    for held in range(n):
        m = n - held
        for s in range(n + 1):
            terms = [
                (comb(held, r) * comb(m, s - r), s - r, r)
                for r in range(s + 1)
                if 0 <= s - r <= m and r <= held
            ]
            # sum2 - sum1 has nonnegative coefficients: positive or exactly zero.
            gap = sum(
                (Fraction(w * (m * m - j * j), m * m) * kappa1**r for w, j, r in terms if j < m),
                term(0),
            )
            relations.append(relation(">=", gap, 0))
    return Certificate(
        define=[("x", term(Exact.exp(4))), ("kappa1", x * (x + (k - 2)) / (k - 1))],
        conclusion=relations,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    **{
        name: {"a": _row_is_formula(row), "b": _row_is_tight(row)} for name, row in TABLE_IV.items()
    },
    "biswas2023/section-V-C1/zero-delta": {"": _zero_cells()},
    "biswas2023/section-V-C2/delta-for-each-x0": {
        "": _delta_at_epsilon0("no Gaussian mechanism has the same (eps, delta) = (4, 0)")
    },
    "biswas2023/section-V-C2/delta-depends-on-n_x0": {
        "": _delta_at_epsilon0("the same for every n_x0")
    },
}
