"""Sections IV-B and IV-C: the choice of inputs, Result 1, and Theorem IV.1."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat
from proofs_check.biswas2023.protocol import (
    ABOVE_0,
    COUNTS,
    SIMPLE,
    Setting,
    exp_epsilon0_term,
    histograms,
    of_histograms,
    of_setting,
    tight_delta,
)
from proofs_check.biswas2023.trials.appendix_a import by_losses
from proofs_check.lemmas.quantities import SAME, divergence
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def is_delta_hat(delta: Callable[[Setting], Term]) -> Callable[..., Said]:
    """Delta is (6) with the printed v_s."""
    return of_setting(lambda at: equal(delta(at), delta_hat(at.x, at.c, at.exp_epsilon)))


OF_THE_HISTOGRAM = for_all(histograms(2), is_delta_hat(Setting.of_histogram), falls=Falls.RESULT)

TRIALS["biswas2023/section-I-A/contribution-1"] = OF_THE_HISTOGRAM

OF_THE_PRINTED_COUNT = is_delta_hat(Setting.of_count)


def mended(at: Setting) -> list[Relation]:
    """Delta of the count is (6) with the second form of (15); that of the histogram is no less."""
    found = bounds.mended_delta_hat(at.k, at.x, at.n_x0, at.c.b, at.exp_epsilon)
    return [equal(at.of_count(), found), at_most(found, at.of_histogram())]


TRIALS["biswas2023/repair/theorem-IV.1-count"] = for_all(
    histograms(2),
    of_setting(mended),
    wrong=OF_THE_PRINTED_COUNT,
    proof=theorem("biswas2023_mended_theorem"),
)


def x1_is_arbitrary(delta: Callable[..., Term]) -> Callable[..., Said]:
    """For fixed others, delta for (x_0, x_1) is the same for every x_1 other than x_0."""
    return of_setting(lambda at: equal(delta(at), delta(at, inputs=(0, at.x_1))))


_AXES = histograms(3).axes
X_1 = Cases({**_AXES, "x_1": lambda k: range(2, k)}).within(
    **of_histograms(3, x_1=integers(2, lambda k: k - 1), **ABOVE_0)
)

TRIALS["biswas2023/section-IV-B/x1-arbitrary"] = {
    "a": for_all(
        X_1,
        x1_is_arbitrary(Setting.of_count),
        wrong=x1_is_arbitrary(Setting.of_histogram),
        proof=theorem("biswas2023_x1_is_arbitrary"),
    ),
    "b": for_all(X_1, x1_is_arbitrary(Setting.of_histogram), falls=Falls.STEP),
}


def result_1(
    p: Sequence[Fraction], q: Sequence[Fraction], exp_epsilon: Fraction, *, one_index: bool = True
) -> Relation:
    """Return (2), with u and v one index, or with v a second index that the summand ignores."""
    claimed = sum_over_losses if one_index else sum_over_two_symbols
    return equal(divergence(p, q, exp_epsilon), claimed(p, q, exp_epsilon))


@quantity("(by_losses same {0} {1} (ln {2}))")
def sum_over_losses(p: Sequence[Fraction], q: Sequence[Fraction], exp_epsilon: Fraction) -> Term:
    """Return the right side of (2): omega(infinity), and the sum over finite losses above eps."""
    return by_losses(*_masses(p, q), exp_epsilon)


def sum_over_two_symbols(
    p: Sequence[Fraction], q: Sequence[Fraction], exp_epsilon: Fraction
) -> Term:
    """Return the right side of (2) with v a second index that the summand ignores."""
    return by_losses(*_masses(p, q), exp_epsilon, one_index=False)


def _masses(p: Sequence[Fraction], q: Sequence[Fraction]) -> tuple[list[Term], list[Term]]:
    pair = finite_pair(p, q)
    first, second = ([mass(pair, side, y) for y in range(len(p))] for side in "pq")
    return first, second


def laws(_length: int) -> list[tuple[Fraction, ...]]:
    """Return laws with weights from 0 to 2, not all 0."""
    return [
        tuple(Fraction(w, sum(weights)) for w in weights)
        for weights in product(range(3), repeat=_length)
        if sum(weights)
    ]


IN_COQ = ("law A", "is_law {0}", SAME)
LAW = objects("a law on finitely many outputs", lambda: st.sampled_from(laws(3)), coq=IN_COQ)
SECOND = objects(
    "a law on as many",
    lambda p: st.sampled_from(laws(len(p))),
    condition=lambda p, q: len(p) == len(q),
    coq=IN_COQ,
)
PAIRS = (
    cases(_length=(1, 2, 3), p=laws, q=laws, exp_epsilon=[Fraction(3, 2), Fraction(2)])
    .deep(_length=range(1, 6))
    .within(p=LAW, q=SECOND, exp_epsilon=reals(above=1))
)

TRIALS["biswas2023/equation-2"] = {
    "a": for_all(PAIRS, partial(result_1, one_index=False), falls=Falls.MISPRINT),
    "b": for_all(
        PAIRS,
        result_1,
        wrong=partial(result_1, one_index=False),
        proof=theorem("biswas2023_equation_2"),
    ),
}

BOTH_DIRECTIONS = of_setting(
    lambda at: equal(at.of_histogram(inputs=(0, 1)), at.of_histogram(inputs=(1, 0)))
)
"""For fixed others, delta for (x_0, x_1) is delta for (x_1, x_0)."""


def both_directions_at_worst(
    n: int, k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Relation:
    """Over all datasets the two agree; both are searched in full."""
    x = exp_epsilon0_term(exp_epsilon0)
    return equal(*(over_all_data(n, k, x, *i, exp_epsilon) for i in ((0, 1), (1, 0))))


@quantity("(tight_over_all {0:nat} {1:nat} {2} {3:nat} {4:nat} {5})", name="tight")
def over_all_data(n: int, k: int, x: Term, u: int, v: int, exp_epsilon: Fraction) -> Term:
    """Return the largest delta of the histogram for a victim who holds u or v, over all data."""
    return tight_delta(x, Counts(k, n, 0), exp_epsilon, inputs=(u, v), held=range(n))


ALL_DATASETS = (
    cases(
        n=range(1, 4),
        k=range(2, 5),
        exp_epsilon0=[v for v in SIMPLE if v >= Fraction(3, 2)],
        exp_epsilon=SIMPLE,
    )
    .deep(n=range(1, 6))
    .within(n=integers(1, draws=2), k=integers(2, draws=1), **ABOVE_0)
)

TRIALS["biswas2023/section-IV-C/wlog-x0"] = {
    "a": for_all(histograms(2), BOTH_DIRECTIONS, falls=Falls.REMARK),
    "b": for_all(
        ALL_DATASETS,
        both_directions_at_worst,
        wrong=for_all(histograms(2), BOTH_DIRECTIONS),
        proof=theorem("biswas2023_wlog_x0"),
    ),
}

TRIALS["biswas2023/theorem-IV.1"] = {
    "a": OF_THE_HISTOGRAM,
    "b": for_all(histograms(2), OF_THE_PRINTED_COUNT, falls=Falls.RESULT),
    "c": for_all(
        COUNTS,
        is_delta_hat(lambda at: tight_delta(at.x, at.c, at.exp_epsilon, held=range(at.n))),
        falls=Falls.RESULT,
    ),
}
