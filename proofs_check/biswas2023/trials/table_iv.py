"""Table IV and the experiments at eps = eps0: the printed formula, and the truth."""

import math
from fractions import Fraction
from functools import lru_cache, partial
from math import comb

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Outcome, Statement
from exactdp.claims.forms import (
    Never,
    Relation,
    Trials,
    at_least,
    at_most,
    decided,
    for_all,
)
from exactdp.claims.kinds import rows
from exactdp.claims.proofs import proof
from exactdp.claims.terms import named, term, total
from exactdp.claims.verdicts import Beside, Falls
from exactdp.numbers import Exact, certainly_below
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts, choose, delta_hat, kappa1, kappa2
from proofs_check.biswas2023.cells import cell_holds, loss_above, no_loss_above
from proofs_check.biswas2023.evaluation import agrees, printed_delta, printed_delta_estimates, shown
from proofs_check.biswas2023.protocol import exp_epsilon0_term
from proofs_check.biswas2023.tables import TABLE_IV, TABLE_IV_EPSILONS, Cell, Row, cells_of
from proofs_check.biswas2023.trials.table_ii import at_least_the_count

TRIALS: Trials = {}


def impossible(n: int, held: int) -> Outcome:
    """More of the others hold x_0 than there are others."""
    return decided(
        Truth.FALSE,
        f"n_x0 = {held} of the other users hold x_0, but only n - 1 = {n - 1} exist",
        claimed=[at_most(held, n - 1)],
    )


def is_printed_delta(row: Row, epsilon: Fraction, cell: str, fewer: int = 0) -> Outcome:
    """Reading (a): the cell is (6), to one unit of its last digit, at n_x0 (or fewer)."""
    c, printed = Counts(row.k, row.n, row.n_x0 - fewer), Cell(cell)
    if c.n_x0 >= c.n:
        return impossible(c.n, c.n_x0)
    value = printed_delta(row.epsilon0, c, epsilon)
    beside = [Beside(cell, shown(value))]
    if agrees(printed, value):
        return decided(
            Truth.TRUE,
            f"(6) is {shown(value)}",
            shown=partial(cell_holds, row.epsilon0, c, epsilon, printed)
            if printed.value
            else no_loss_above(row.epsilon0, [c], epsilon),
            beside=beside,
        )
    other = reproducing_n_x0(row)
    mend = f"; the row is (6) at n_x0 = {other}" if other is not None else ""

    def within_a_unit() -> list[Relation]:
        x, e = exp_epsilon0_term(Exact.exp(row.epsilon0)), named("e", term(Exact.exp(epsilon)))
        if certainly_below(value, Exact(printed.value)):
            return [at_least(delta_hat(x, c, e), printed.value - printed.unit)]
        return [at_most(delta_hat(x, c, e), printed.value + printed.unit)]

    return decided(
        Truth.FALSE,
        f"printed {cell}, (6) is {shown(value)}{mend}",
        claimed=within_a_unit,
        precision_bits=256,
        beside=beside,
    )


@lru_cache(maxsize=16)
def reproducing_n_x0(row: Row) -> int | None:
    """Return another n_x0 at which (6) gives every cell of the row, if there is one."""
    thresholds = [math.exp(e) for e in TABLE_IV_EPSILONS]
    for n_x0 in range(row.n):
        c = Counts(row.k, row.n, n_x0)
        logs = printed_delta_estimates(math.exp(row.epsilon0), c, thresholds)
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


def is_tight(row: Row, epsilon: Fraction, cell: str) -> Outcome:
    """Reading (b): the cell is the tight delta of M, to the digits given."""
    if row.n_x0 >= row.n:
        return impossible(row.n, row.n_x0)
    if epsilon >= row.epsilon0:
        # The histogram is post-processing of eps0-LDP reports: its delta is 0.
        zero = Cell(cell).value == 0
        return decided(zero, "delta is 0 for eps >= eps0", beside=[Beside(cell, "0")])
    return at_least_the_count(row.epsilon0, Counts(row.k, row.n, row.n_x0), epsilon, Cell(cell))


FALLS = dict.fromkeys(("a/eps0=3", "b/n=150", "c/k=15"), Falls.MISPRINT)
"""The row n = 150 is (6) at n_x0 = 120, in all its cells; of the two others one cell is off by a
digit (8.79E-11 for 8.77E-11, 1.66E-18 for 1.60E-18). No other row is mended by another n_x0."""

for _name, _row in TABLE_IV.items():
    TRIALS[_name] = {
        "a": for_all(
            cells_of(TABLE_IV_EPSILONS, _row.cells),
            partial(is_printed_delta, _row),
            wrong=partial(is_printed_delta, _row, fewer=1),
            falls=FALLS.get(_name.removeprefix("biswas2023/table-IV/"), Falls.RESULT),
        ),
        "b": for_all(
            cells_of(TABLE_IV_EPSILONS, _row.cells), partial(is_tight, _row), falls=Falls.RESULT
        ),
    }


def zero_cells(row: str, epsilon: Fraction, cell: str, shift: Fraction = Fraction(0)) -> Outcome:
    """The cell is 0 exactly if no s has v_s > eps (+ shift).

    The row n = 50 has no admissible n_x0 as printed; every admissible one agrees.
    """
    at = TABLE_IV[f"biswas2023/table-IV/{row}"]
    epsilon0, epsilon, is_zero = at.epsilon0, epsilon + shift, Cell(cell).value == 0
    admissible = [at.n_x0] if at.n_x0 < at.n else range(at.n)
    data = [Counts(at.k, at.n, held) for held in admissible]
    zero = {printed_delta(epsilon0, c, epsilon) == 0 for c in data}
    return decided(
        zero == {is_zero},
        f"zero: {sorted(zero)}",
        shown=no_loss_above(epsilon0, data, epsilon)
        if is_zero
        else lambda: [loss_above(epsilon0, c, epsilon) for c in data],
    )


ALL_CELLS = [
    {"row": name.removeprefix("biswas2023/table-IV/"), "epsilon": epsilon, "cell": cell.text}
    for name, row in TABLE_IV.items()
    for epsilon, cell in zip(TABLE_IV_EPSILONS, row.cells, strict=True)
]

TRIALS["biswas2023/section-V-C1/zero-delta"] = for_all(
    listed(*ALL_CELLS).all_of(**rows(*ALL_CELLS)),
    zero_cells,
    wrong=partial(zero_cells, shift=Fraction(1, 2)),
)


LOSSES_END_AT_EPSILON0 = proof(
    identity(
        "absorption: (s-r) C(b+1, s-r) = (b+1) C(b, s-1-r); with j = s-r, f = b!, g = (j-1)!, "
        "h = (b+1-j)! it is j ((b+1) f/(j g h)) = (b+1) f/(g h)",
        "b j f g h",
        lambda b, j, f, g, h: (j * ((b + 1) * f / (j * g * h)), (b + 1) * (f / (g * h))),
    ),
    nonnegative(
        "with m = n - n_x0 and j = s - r <= m, e^(v_s) = kappa2 + (x - kappa2) sum1/sum2, where "
        "sum1 has the terms of sum2 times (j/m)^2 <= 1; kappa2 <= x; so v_s <= eps0",
        "j d t h",
        lambda j, d, t, h: 1 - (j / (j + d)) ** 2,
        lambda j, d, t, h: 1 + t - kappa2(1 + t, 2 + h),
    ),
)
"""The printed v_s are at most eps0, so that (6) is 0 for eps >= eps0."""


def delta_at_epsilon0(consequence: str, falls: Falls) -> Statement:
    """Section V-C2 at eps = eps0 = 4, k = 15: a positive delta, depending on n_x0."""

    def says(epsilon0: int, epsilon: int, k: int) -> Outcome:
        ended = LOSSES_END_AT_EPSILON0.verdict("") is not None
        return decided(
            Truth.FALSE if ended and epsilon >= epsilon0 else Truth.UNKNOWN,
            f"v_s <= eps0 = eps for every s and n_x0, so (6) is exactly 0: {consequence}",
            claimed=Never(partial(squares_are_fractions, epsilon0, k)),
        )

    experiment = cases(epsilon0=[4], epsilon=[4], k=[15], n=[1000, 100_000])
    return for_all(experiment, says, falls=falls)


def squares_are_fractions(epsilon0: int, k: int, n: int = 6) -> list[Relation]:
    """Evidence at n = 6: for every n_x0 and s, e^(v_s) = kappa2 + (x - kappa2) t with t <= 1.

    t is a mean of ((s - r)/(n - n_x0))^2: its sum has at most the weights' sum, term by term.
    """
    first = kappa1(exp_epsilon0_term(Exact.exp(epsilon0)), k)
    return [
        at_least(
            total(
                [
                    Fraction(comb(held, r) * choose(m, s - r) * (m**2 - (s - r) ** 2), m**2)
                    * first**r
                    for r in range(min(s, held) + 1)
                ]
            ),
            0,
        )
        for held in range(n)
        for m in [n - held]
        for s in range(n + 1)
    ]


TRIALS["biswas2023/section-V-C2/delta-for-each-x0"] = delta_at_epsilon0(
    "no Gaussian mechanism has the same (eps, delta) = (4, 0)", Falls.RESULT
)

TRIALS["biswas2023/section-V-C2/delta-depends-on-n_x0"] = delta_at_epsilon0(
    "the same for every n_x0", Falls.REMARK
)
