"""Appendix A: the law of the count of x_0, its privacy losses, and the sum over them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Said, Trials, equal, for_all
from exactdp.claims.proofs import Proof, lemma, proof
from exactdp.claims.terms import Term, positive_part, total
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Bracket, Counts
from proofs_check.biswas2023.proof_steps import (
    ABSORPTION,
    HOCKEY_STICK,
    of_x0,
    of_x1,
)
from proofs_check.biswas2023.protocol import COUNTS, SIZES, Setting, histograms, of_setting

TRIALS: Trials = {}

Formula = Callable[[Any, Counts, Any], Any]
Says = Callable[..., Said]


AXES: dict[str, Any] = {
    "n": range(1, 6),
    "k": range(2, 5),
    "n_x0": lambda n: range(n),
    "s": lambda n: range(n + 1),
    "exp_epsilon0": [Fraction(2)],
}
OF_MASS = {**SIZES, "s": integers(0, lambda n: n), "exp_epsilon0": reals(above=1)}
MASSES = cases(**AXES).deep(n=range(1, 9)).within(**OF_MASS)


def mass_is(formula: Formula, side: int) -> Says:
    """P(M_x0(x_0) = s) (side 0) or P(M_x0(x_1) = s) (side 1) is the formula."""
    return of_setting(lambda at: equal(at.masses()[side][at.s], formula(at.x, at.c, at.s)))


def of_bracket(bracket: Bracket, side: int) -> Statement:
    """A bracket is the mass; with its last shift off by one it is not."""
    *kept, (coefficient, i, j) = bracket.parts
    shifted = Bracket((*kept, (coefficient, i, j + 1)))
    return for_all(
        MASSES,
        mass_is(bracket.mass, side),
        wrong=mass_is(shifted.mass, side),
        proof=proof(*(of_x1 if side else of_x0)(bracket)),
    )


TRIALS["biswas2023/equation-11"] = of_bracket(bounds.equation_11, 0)

TRIALS["biswas2023/appendix-A/after-11/line-1"] = for_all(
    MASSES, mass_is(bounds.line_1.mass, 0), falls=Falls.MISPRINT
)

TRIALS["biswas2023/appendix-A/after-11/line-2"] = of_bracket(bounds.line_2, 0)

LINE_3 = of_setting(lambda at: equal(at.masses()[0][at.s], bounds.line_3(at.x, at.c, at.s, r=at.r)))
"""The third line leaves r free: it is read as holding for every r in 0..s."""

TRIALS["biswas2023/appendix-A/after-11/line-3"] = for_all(
    cases(**AXES, r=lambda s: range(s + 1)), LINE_3, falls=Falls.MISPRINT
)

EQUATION_12 = proof(ABSORPTION, *of_x0(bounds.line_2))
"""tau_r splits (12) into kappa2 S(1, 0) and, by absorption, (x - kappa2) S(0, 1)."""

TRIALS["biswas2023/equation-12"] = for_all(
    MASSES,
    mass_is(bounds.equation_12, 0),
    wrong=mass_is(lambda x, c, s: bounds.equation_12(x, c, s) * Fraction(1001, 1000), 0),
    proof=EQUATION_12,
)

TRIALS["biswas2023/equation-13/first-display"] = for_all(
    MASSES, mass_is(bounds.equation_13_first_display, 1), falls=Falls.MISPRINT
)

TRIALS["biswas2023/equation-13/second-display"] = of_bracket(bounds.equation_13_second_display, 1)

TRIALS["biswas2023/equation-13"] = of_bracket(bounds.equation_13, 1)


def by_losses(
    first: Sequence[Term], second: Sequence[Term], exp_epsilon: Fraction, *, one_index: bool = True
) -> Term:
    """Return the right side of (2): sums over the masses omega(u) of outputs with one loss u.

    With u and v two symbols the sum over v has the summand of u as often as there are
    finite losses.
    """
    infinite, groups = _omega(first, second)
    inner = [
        (1 - exp_epsilon * second[ys[0]] / first[ys[0]]) * total([first[y] for y in ys])
        for u, ys in groups.items()
        if u > exp_epsilon
    ]
    return total([first[y] for y in infinite]) + total(inner) * (1 if one_index else len(groups))


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


RESULT_1 = proof(HOCKEY_STICK)


def equation_14(delta: Callable[[Setting], Term]) -> Says:
    """Delta is the sum over losses of the count."""
    return of_setting(lambda at: equal(delta(at), by_losses(*at.masses(), at.exp_epsilon)))


TRIALS["biswas2023/equation-14"] = {
    "a": for_all(histograms(3), equation_14(Setting.of_histogram), falls=Falls.RESULT),
    "b": for_all(
        histograms(3),
        equation_14(Setting.of_count),
        wrong=equation_14(Setting.of_histogram),
        proof=proof(
            lemma("biswas2023/equation-2", RESULT_1, "for the count of x_0"),
        ),
    ),
}


def loss_is(formula: Formula) -> Says:
    """The formula is P(M_x0(x_0) = s) / P(M_x0(x_1) = s)."""

    def says(at: Setting) -> Relation:
        first, second = at.masses()
        return equal(first[at.s] / second[at.s], formula(at.x, at.c, at.s))

    return of_setting(says)


LAST_FORM = loss_is(bounds.exp_privacy_loss_printed)


def of_loss(formula: Formula, proved: Proof) -> Statement:
    """A form is the loss; the last form is not."""
    return for_all(MASSES, loss_is(formula), wrong=LAST_FORM, proof=proved)


TRIALS["biswas2023/equation-15/form-1"] = of_loss(
    bounds.exp_privacy_loss_form_1,
    proof(*of_x0(bounds.equation_11), *of_x1(bounds.equation_13_second_display)),
)

TRIALS["biswas2023/equation-15/form-2"] = of_loss(
    bounds.exp_privacy_loss_form_2,
    proof(*of_x0(bounds.line_2), *of_x1(bounds.equation_13)),
)

TRIALS["biswas2023/equation-15/form-3"] = for_all(MASSES, LAST_FORM, falls=Falls.MISPRINT)


def _excesses(at: Setting) -> list[tuple[Term, Term]]:
    """Return max(0, 1 - e^(eps - v_s)) and P(M_x0(x_0) = s), for each s."""
    masses = zip(*at.masses(), strict=True)
    return [(positive_part(1 - at.exp_epsilon * q / p), p) for p, q in masses]


def free_losses(first: Sequence[Term], second: Sequence[Term], exp_epsilon: Fraction) -> list[Term]:
    """Return sum_{u > eps} (1 - e^(eps-v)) omega(v), for each value of the free symbol v."""
    _, groups = _omega(first, second)
    above = sum(1 for u in groups if u > exp_epsilon)
    return [
        above * (1 - exp_epsilon * second[ys[0]] / first[ys[0]]) * total([first[y] for y in ys])
        for ys in groups.values()
    ]


def first_step(right_side: Callable[[Setting], list[Term]]) -> Says:
    """The sum over s is the sum over losses (for each value of a free symbol)."""

    def says(at: Setting) -> list[Relation]:
        by_outputs = total([part * p for part, p in _excesses(at)])
        return [equal(by_outputs, value) for value in right_side(at)]

    return of_setting(says)


FREE = first_step(lambda at: free_losses(*at.masses(), at.exp_epsilon))

TRIALS["biswas2023/appendix-A/final-display/first-step"] = {
    "a": for_all(COUNTS, FREE, falls=Falls.MISPRINT),
    "b": for_all(
        COUNTS,
        first_step(lambda at: [by_losses(*at.masses(), at.exp_epsilon)]),
        wrong=FREE,
        proof=proof(
            HOCKEY_STICK,
            lemma("biswas2023/equation-2", RESULT_1, "the sum over losses is the same delta"),
        ),
    ),
}


def last_step(factor: Fraction = Fraction(1)) -> Says:
    """The masses in the sum over s may be written by (12)."""

    def says(at: Setting) -> Relation:
        parts = _excesses(at)
        written = [
            part * bounds.equation_12(at.x, at.c, s) * factor for s, (part, _) in enumerate(parts)
        ]
        return equal(total([part * p for part, p in parts]), total(written))

    return of_setting(says)


TRIALS["biswas2023/appendix-A/final-display/last-step"] = for_all(
    COUNTS,
    last_step(),
    wrong=last_step(factor=Fraction(99, 100)),
    proof=proof(
        lemma("biswas2023/equation-12", EQUATION_12, "(12) is P(M_x0(x_0) = s)"),
    ),
)
