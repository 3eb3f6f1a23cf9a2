"""Appendix A: the law of the count of x_0, its privacy losses, and the sum over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Cases,
    Falls,
    Open,
    Proof,
    Said,
    Statement,
    Term,
    cases,
    equal,
    exact_value,
    for_all,
    hockey_stick,
    lemma,
    positive_part,
    proof,
    total,
)
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Bracket, Counts
from proofs_check.biswas2023.proof_steps import (
    ABSORPTION,
    HOCKEY_STICK,
    for_all_datasets,
    of_x0,
    of_x1,
)
from proofs_check.biswas2023.protocol import (
    COUNTS,
    Others,
    count_masses,
    count_pair,
    exp_epsilon0_term,
    histogram_pair,
    histograms,
    private,
)

__all__ = ["RESULT_1", "TRIALS", "by_losses"]

Formula = Callable[[Any, Counts, Any], Any]


@st.composite
def _drawn(draw: Any) -> dict[str, Any]:
    """Datasets with s and e^eps0; shrinks to n = 1, k = 2, e^eps0 = 2."""
    n, k = draw(st.integers(1, 9)), draw(st.integers(2, 7))
    n_x0, s = draw(st.integers(0, n - 1)), draw(st.integers(0, n))
    x = 1 + Fraction(draw(st.integers(1, 40)), draw(st.integers(1, 10)))
    return {"n": n, "k": k, "n_x0": n_x0, "s": s, "exp_epsilon0": x}


AXES: dict[str, Any] = {
    "n": range(1, 6),
    "k": range(2, 5),
    "n_x0": lambda n: range(n),
    "s": lambda n: range(n + 1),
    "exp_epsilon0": [Fraction(2)],
}
MASSES = cases(**AXES).deep(n=range(1, 9)).drawn(_drawn)


# --- (11) to (13): the masses ---------------------------------------------------------------


def mass_is(
    formula: Formula, side: int, n: int, k: int, n_x0: int, s: int, exp_epsilon0: Fraction
) -> Said:
    """P(M_x0(x_0) = s) (side 0) or P(M_x0(x_1) = s) (side 1) is the formula."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    return equal(count_masses(x, c)[side][s], formula(x, c, s)).given(lambda: private(x, k))


def of_bracket(bracket: Bracket, side: int) -> Statement:
    """A bracket is the mass; with its last shift off by one it is not."""
    *kept, (coefficient, i, j) = bracket.parts
    shifted = Bracket((*kept, (coefficient, i, j + 1)))
    return for_all(
        MASSES,
        partial(mass_is, bracket.mass, side),
        wrong=partial(mass_is, shifted.mass, side),
        proof=for_all_datasets(*(of_x1 if side else of_x0)(bracket)),
    )


def line_3(n: int, k: int, n_x0: int, s: int, exp_epsilon0: Fraction, r: int) -> Said:
    """The third line leaves r free: it is read as holding for every r in 0..s."""
    return mass_is(partial(bounds.line_3, r=r), 0, n, k, n_x0, s, exp_epsilon0)


EQUATION_12 = for_all_datasets(ABSORPTION, *of_x0(bounds.line_2))
"""tau_r splits (12) into kappa2 S(1, 0) and, by absorption, (x - kappa2) S(0, 1)."""

MASS_TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/equation-11": {"": of_bracket(bounds.equation_11, 0)},
    "biswas2023/appendix-A/after-11/line-1": {
        "": for_all(MASSES, partial(mass_is, bounds.line_1.mass, 0), falls=Falls.MISPRINT)
    },
    "biswas2023/appendix-A/after-11/line-2": {"": of_bracket(bounds.line_2, 0)},
    "biswas2023/appendix-A/after-11/line-3": {
        "": for_all(cases(**AXES, r=lambda s: range(s + 1)), line_3, falls=Falls.MISPRINT)
    },
    "biswas2023/equation-12": {
        "": for_all(
            MASSES,
            partial(mass_is, bounds.equation_12, 0),
            wrong=partial(
                mass_is, lambda x, c, s: bounds.equation_12(x, c, s) * Fraction(1001, 1000), 0
            ),
            proof=EQUATION_12,
        )
    },
    "biswas2023/equation-13/first-display": {
        "": for_all(
            MASSES, partial(mass_is, bounds.equation_13_first_display, 1), falls=Falls.MISPRINT
        )
    },
    "biswas2023/equation-13/second-display": {"": of_bracket(bounds.equation_13_second_display, 1)},
    "biswas2023/equation-13": {"": of_bracket(bounds.equation_13, 1)},
}


# --- Result 1, (14): delta as a sum over losses ------------------------------------------------


def by_losses(
    first: Sequence[Term], second: Sequence[Term], exp_epsilon: Fraction, *, one_index: bool = True
) -> list[Term]:
    """Return the right side of (2), for each value of its free symbol.

    Masses of outputs with one loss u are added up: omega(u). With u and v two symbols the
    sum over v has the summand of u as often as there are finite losses; where the condition
    alone is on u (the display after (15)), see ``free_losses``.
    """
    infinite, groups = _omega(first, second)
    inner = [
        (1 - exp_epsilon * second[ys[0]] / first[ys[0]]) * total([first[y] for y in ys])
        for u, ys in groups.items()
        if u > exp_epsilon
    ]
    return [total([first[y] for y in infinite]) + total(inner) * (1 if one_index else len(groups))]


def free_losses(first: Sequence[Term], second: Sequence[Term], exp_epsilon: Fraction) -> list[Term]:
    """Return sum_{u > eps} (1 - e^(eps-v)) omega(v), in which only v's own terms depend on v."""
    _, groups = _omega(first, second)
    above = sum(1 for u in groups if u > exp_epsilon)
    return [
        above * (1 - exp_epsilon * second[ys[0]] / first[ys[0]]) * total([first[y] for y in ys])
        for ys in groups.values()
    ]


def _omega(first: Sequence[Term], second: Sequence[Term]) -> tuple[list[int], dict[Any, list[int]]]:
    """Return the outputs of infinite loss, and those of each finite e^u (Definition III.9)."""
    infinite: list[int] = []
    groups: dict[Any, list[int]] = {}
    for y, (p, q) in enumerate(zip(first, second, strict=True)):
        a, b = exact_value(p), exact_value(q)
        if b == 0:
            infinite.append(y)
        elif a != 0:
            groups.setdefault(a / b, []).append(y)
    return infinite, groups


RESULT_1 = proof("all pairs of laws on countably many outputs, all eps", HOCKEY_STICK)


def equation_14(
    n: int,
    k: int,
    n_x0: int,
    others: Others,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    *,
    of_the_histogram: bool,
) -> Said:
    """Delta of the histogram, or of the count, is the sum over losses of the count."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    pair = histogram_pair(x, k, others) if of_the_histogram else count_pair(x, c)
    (claimed,) = by_losses(*count_masses(x, c), exp_epsilon)
    return equal(hockey_stick(pair, exp_epsilon), claimed).given(lambda: private(x, k))


# --- (15): the losses ---------------------------------------------------------------------------


def loss_is(formula: Formula, n: int, k: int, n_x0: int, s: int, exp_epsilon0: Fraction) -> Said:
    """The formula is P(M_x0(x_0) = s) / P(M_x0(x_1) = s)."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    first, second = count_masses(x, c)
    return equal(first[s] / second[s], formula(x, c, s)).given(lambda: private(x, k))


def of_loss(formula: Formula, proved: Proof) -> Statement:
    """A form is the loss; the last form is not."""
    return for_all(
        MASSES,
        partial(loss_is, formula),
        wrong=partial(loss_is, bounds.exp_privacy_loss_printed),
        proof=proved,
    )


# --- the display after (15) ---------------------------------------------------------------------


def first_step(
    right_side: Callable[[Sequence[Term], Sequence[Term], Fraction], list[Term]],
    n: int,
    k: int,
    n_x0: int,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
) -> Said:
    """The sum over s is the sum over losses (for each value of a free symbol)."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    first, second = count_masses(x, c)
    by_outputs = total(
        [positive_part(1 - exp_epsilon * q / p) * p for p, q in zip(first, second, strict=True)]
    )
    claimed = right_side(first, second, exp_epsilon)
    return Said([equal(by_outputs, value) for value in claimed], lambda: private(x, k))


def last_step(
    n: int,
    k: int,
    n_x0: int,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    factor: Fraction = Fraction(1),
) -> Said:
    """The masses in the sum over s may be written by (12)."""
    x, c = exp_epsilon0_term(exp_epsilon0), Counts(k, n, n_x0)
    masses = enumerate(zip(*count_masses(x, c), strict=True))
    parts = [(positive_part(1 - exp_epsilon * q / p), p, s) for s, (p, q) in masses]
    return equal(
        total([part * p for part, p, _ in parts]),
        total([part * bounds.equation_12(x, c, s) * factor for part, _, s in parts]),
    ).given(lambda: private(x, k))


WITH_LOSSES: Cases = histograms(3)

TRIALS: dict[str, dict[str, Statement | Open]] = {
    **MASS_TRIALS,
    "biswas2023/equation-14": {
        "a": for_all(WITH_LOSSES, partial(equation_14, of_the_histogram=True), falls=Falls.RESULT),
        "b": for_all(
            WITH_LOSSES,
            partial(equation_14, of_the_histogram=False),
            wrong=partial(equation_14, of_the_histogram=True),
            proof=proof(
                "all k >= 2, n, n_x0, eps0 > 0, eps > 0",
                lemma("biswas2023/equation-2", RESULT_1, "for the count of x_0"),
            ),
        ),
    },
    "biswas2023/equation-15/form-1": {
        "": of_loss(
            bounds.exp_privacy_loss_form_1,
            for_all_datasets(*of_x0(bounds.equation_11), *of_x1(bounds.equation_13_second_display)),
        )
    },
    "biswas2023/equation-15/form-2": {
        "": of_loss(
            bounds.exp_privacy_loss_form_2,
            for_all_datasets(*of_x0(bounds.line_2), *of_x1(bounds.equation_13)),
        )
    },
    "biswas2023/equation-15/form-3": {
        "": for_all(MASSES, partial(loss_is, bounds.exp_privacy_loss_printed), falls=Falls.MISPRINT)
    },
    "biswas2023/appendix-A/final-display/first-step": {
        "a": for_all(COUNTS, partial(first_step, free_losses), falls=Falls.MISPRINT),
        "b": for_all(
            COUNTS,
            partial(first_step, by_losses),
            wrong=partial(first_step, free_losses),
            proof=proof(
                "all n, n_x0, k, eps0 > 0, eps > 0",
                HOCKEY_STICK,
                lemma("biswas2023/equation-2", RESULT_1, "the sum over losses is the same delta"),
            ),
        ),
    },
    "biswas2023/appendix-A/final-display/last-step": {
        "": for_all(
            COUNTS,
            last_step,
            wrong=partial(last_step, factor=Fraction(99, 100)),
            proof=proof(
                "all n, n_x0, k, eps0 > 0, eps > 0",
                lemma("biswas2023/equation-12", EQUATION_12, "(12) is P(M_x0(x_0) = s)"),
            ),
        )
    },
}
