"""Sections IV-B and IV-C: what may be fixed, Result 1, and Theorem IV.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.algebra import identity
from exactdp.claims import (
    Falls,
    Open,
    Relation,
    Said,
    Statement,
    Term,
    cases,
    checked,
    equal,
    finite_pair,
    for_all,
    hockey_stick,
    mass,
    proof,
    words,
)
from exactdp.numbers import Exact
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat
from proofs_check.biswas2023.proof_steps import (
    ABSORPTION,
    HOCKEY_STICK,
    for_all_datasets,
    of_x0,
    of_x1,
)
from proofs_check.biswas2023.protocol import (
    COUNTS,
    SIMPLE,
    Others,
    count_pair,
    exp_epsilon0_term,
    histogram_pair,
    histograms,
    private,
    rows,
    tight_delta,
)
from proofs_check.biswas2023.trials.appendix_a import RESULT_1, by_losses

__all__ = ["ALL_DATASETS", "SWAP", "TRIALS"]

# --- IV-B: x_1 is arbitrary -------------------------------------------------------------------


def x1_is_arbitrary(
    n: int,
    k: int,
    n_x0: int,
    others: Others,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    *,
    of_the_histogram: bool,
) -> Said:
    """For fixed others, delta for (x_0, x_1) is the same for every x_1 other than x_0."""
    x = exp_epsilon0_term(exp_epsilon0)

    def delta(second: int) -> Term:
        pair = (
            histogram_pair(x, k, others, inputs=(0, second))
            if of_the_histogram
            else count_pair(x, Counts(k, n, n_x0), inputs=(0, second))
        )
        return hockey_stick(pair, exp_epsilon)

    return Said([equal(delta(1), delta(y)) for y in range(2, k)], lambda: private(x, k))


# --- Result 1 -----------------------------------------------------------------------------------


def result_1(
    p: Sequence[Fraction],
    q: Sequence[Fraction],
    exp_epsilon: Fraction,
    *,
    one_index: bool = True,
) -> list[Relation]:
    """(2), with u and v one index, or with v a second index that the summand ignores."""
    pair = finite_pair(p, q)
    first, second = ([mass(pair, side, y) for y in range(len(p))] for side in "pq")
    claimed = by_losses(first, second, exp_epsilon, one_index=one_index)
    return [equal(hockey_stick(pair, exp_epsilon), value) for value in claimed]


def laws(length: int) -> list[tuple[Fraction, ...]]:
    """Return laws with weights from 0 to 2, not all 0."""
    return [
        tuple(Fraction(w, sum(weights)) for w in weights)
        for weights in product(range(3), repeat=length)
        if sum(weights)
    ]


PAIRS = cases(
    _length=(1, 2, 3),
    p=lambda _length: laws(_length),
    q=lambda _length: laws(_length),
    exp_epsilon=[Fraction(3, 2), Fraction(2)],
).deep(_length=range(1, 6))

# --- IV-C: only x_0 over x_1 --------------------------------------------------------------------


def both_directions(
    n: int, k: int, others: Others, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """For fixed others, delta for (x_0, x_1) is delta for (x_1, x_0)."""
    x = exp_epsilon0_term(exp_epsilon0)
    there, back = (
        hockey_stick(histogram_pair(x, k, others, inputs=i), exp_epsilon) for i in ((0, 1), (1, 0))
    )
    return equal(there, back).given(lambda: private(x, k))


def both_directions_at_worst(
    n: int, k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Relation:
    """Over all datasets the two agree; both are searched in full."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, 0)
    there, back = (
        tight_delta(x, c, exp_epsilon, inputs=i, held=range(n)) for i in ((0, 1), (1, 0))
    )
    return equal(there, back)


def _swap_keeps_the_matrix() -> bool:
    # Elements of Q(e) stand for rational functions of x: e is transcendental.
    for k in range(2, 7):
        matrix, swap = rows(Exact.exp(1), k), [1, 0, *range(2, k)]
        if any(matrix[i][j] != matrix[swap[i]][swap[j]] for i, j in product(range(k), repeat=2)):
            return False
    return True


SWAP = proof(
    "all n, k, eps0, eps",
    checked(
        "for k = 2..6: swapping two inputs and messages keeps the matrix", _swap_keeps_the_matrix
    ),
    words(
        "the matrix depends only on whether input and message agree, so renaming inputs and "
        "messages alike maps datasets one to one and keeps every divergence"
    ),
)

ALL_DATASETS = cases(
    n=range(1, 4),
    k=range(2, 5),
    exp_epsilon0=[v for v in SIMPLE if v >= Fraction(3, 2)],
    exp_epsilon=SIMPLE,
).deep(n=range(1, 6))

# --- Theorem IV.1 -------------------------------------------------------------------------------

Losses = Callable[[Any, Counts, Any], Any]


def of_the_histogram(
    n: int, k: int, n_x0: int, others: Others, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """Delta of the histogram, for fixed others, is (6)."""
    x = exp_epsilon0_term(exp_epsilon0)
    truth = hockey_stick(histogram_pair(x, k, others), exp_epsilon)
    return equal(truth, delta_hat(x, Counts(k, n, n_x0), exp_epsilon)).given(lambda: private(x, k))


def of_the_count(
    exp_loss: Losses, n: int, k: int, n_x0: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """Delta of the count of x_0 is (6) with these v_s."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    truth = hockey_stick(count_pair(x, c), exp_epsilon)
    return equal(truth, delta_hat(x, c, exp_epsilon, exp_loss)).given(lambda: private(x, k))


def of_all_datasets(
    n: int, k: int, n_x0: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """The largest delta of the histogram, over all others, is (6)."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    truth = tight_delta(x, c, exp_epsilon, held=range(n))
    return equal(truth, delta_hat(x, c, exp_epsilon)).given(lambda: private(x, k))


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/section-IV-B/x1-arbitrary": {
        "a": for_all(
            histograms(3),
            partial(x1_is_arbitrary, of_the_histogram=False),
            wrong=partial(x1_is_arbitrary, of_the_histogram=True),
            proof=proof(
                "all n, k, datasets, eps0, eps",
                identity(
                    "seen as x_0 or not, all inputs but x_0 have the row (c, (x+k-2) c) = (c, 1-c)",
                    "x k",
                    lambda x, k: ((x + k - 2) / (x + k - 1), 1 - 1 / (x + k - 1)),
                ),
            ),
        ),
        "b": for_all(
            histograms(3), partial(x1_is_arbitrary, of_the_histogram=True), falls=Falls.STEP
        ),
    },
    "biswas2023/equation-2": {
        "a": for_all(PAIRS, partial(result_1, one_index=False), falls=Falls.MISPRINT),
        "b": for_all(PAIRS, result_1, wrong=partial(result_1, one_index=False), proof=RESULT_1),
    },
    "biswas2023/section-IV-C/wlog-x0": {
        "a": for_all(histograms(2), both_directions, falls=Falls.STEP),
        "b": for_all(
            ALL_DATASETS,
            both_directions_at_worst,
            wrong=for_all(histograms(2), both_directions),
            proof=SWAP,
        ),
    },
    "biswas2023/theorem-IV.1": {
        "a": for_all(histograms(2), of_the_histogram, falls=Falls.RESULT),
        "b": for_all(
            COUNTS, partial(of_the_count, bounds.exp_privacy_loss_printed), falls=Falls.MISPRINT
        ),
        "c": for_all(COUNTS, of_all_datasets, falls=Falls.RESULT),
    },
    "biswas2023/section-I-A/contribution-1": {
        "": for_all(histograms(2), of_the_histogram, falls=Falls.RESULT)
    },
    "biswas2023/repair/theorem-IV.1-count": {
        "": for_all(
            COUNTS,
            partial(of_the_count, bounds.exp_privacy_loss_form_2),
            wrong=partial(of_the_count, bounds.exp_privacy_loss_printed),
            proof=for_all_datasets(
                *of_x0(bounds.line_2), *of_x1(bounds.equation_13), ABSORPTION, HOCKEY_STICK
            ),
        )
    },
}
