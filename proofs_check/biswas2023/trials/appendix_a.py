"""Appendix A: the law of the count of x_0, its privacy losses, and the sum over them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Said, Trials, equal, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, positive_part, total
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Bracket, Counts
from proofs_check.biswas2023.protocol import (
    OTHERS,
    SIZES,
    Others,
    Setting,
    count_masses,
    datasets,
    histograms,
    of_setting,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Formula = Callable[[Any, Counts, Any], Any]
Says = Callable[..., Said]


AXES: dict[str, Any] = {
    "n": range(1, 6),
    "k": range(2, 5),
    "n_x0": lambda n: range(n),
    "others": datasets,
    "s": lambda n: range(n + 1),
    "exp_epsilon0": [Fraction(2)],
}
OF_MASS = {
    **SIZES,
    "others": OTHERS,
    "s": integers(0, lambda n: n),
    "exp_epsilon0": reals(above=1),
}
MASSES = cases(**AXES).deep(n=range(1, 9)).within(**OF_MASS)


def mass_is(formula: Formula, side: int) -> Says:
    """P(M_x0(x_0) = s) (side 0) or P(M_x0(x_1) = s) (side 1) is the formula."""
    return of_setting(lambda at: equal(at.mass(side), formula(at.x, at.c, at.s)))


def of_bracket(bracket: Bracket, side: int, proved: str) -> Statement:
    """A bracket is the mass; with its last shift off by one it is not."""
    *kept, (coefficient, i, j) = bracket.parts
    shifted = Bracket((*kept, (coefficient, i, j + 1)))
    return for_all(
        MASSES,
        mass_is(bracket.mass, side),
        wrong=mass_is(shifted.mass, side),
        proof=theorem(proved),
    )


TRIALS["biswas2023/equation-11"] = of_bracket(bounds.equation_11, 0, "biswas2023_equation_11")

TRIALS["biswas2023/appendix-A/after-11/line-1"] = for_all(
    MASSES, mass_is(bounds.line_1.mass, 0), falls=Falls.MISPRINT
)

TRIALS["biswas2023/appendix-A/after-11/line-2"] = of_bracket(bounds.line_2, 0, "biswas2023_line_2")

LINE_3 = of_setting(lambda at: equal(at.mass(0), bounds.line_3(at.x, at.c, at.s, r=at.r)))
"""The third line leaves r free: it is read as holding for every r in 0..s."""

TRIALS["biswas2023/appendix-A/after-11/line-3"] = for_all(
    cases(**AXES, r=lambda s: range(s + 1)), LINE_3, falls=Falls.MISPRINT
)

TRIALS["biswas2023/equation-12"] = for_all(
    MASSES,
    mass_is(bounds.equation_12, 0),
    wrong=mass_is(lambda x, c, s: bounds.equation_12(x, c, s) * Fraction(1001, 1000), 0),
    proof=theorem("biswas2023_equation_12"),
)

TRIALS["biswas2023/equation-13/first-display"] = for_all(
    MASSES, mass_is(bounds.equation_13_first_display, 1), falls=Falls.MISPRINT
)

TRIALS["biswas2023/equation-13/second-display"] = of_bracket(
    bounds.equation_13_second_display, 1, "biswas2023_second_display"
)

TRIALS["biswas2023/equation-13"] = of_bracket(bounds.equation_13, 1, "biswas2023_equation_13")


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


@quantity(
    "(by_finite_losses Nat.eq_dec (count_of {0:nat} {1} 0 {2}) (count_of {0:nat} {1} 1 {2}) "
    "(ln {3}))"
)
def by_losses_of_count(k: int, x: Term, others: Others, exp_epsilon: Fraction) -> Term:
    """Return the sum over losses of the count, all of which are finite."""
    return by_losses(*count_masses(x, k, others), exp_epsilon)


def over_losses(at: Setting) -> Term:
    """Return the sum over losses of the count."""
    found: Term = by_losses_of_count(at.k, at.x, at.others, at.exp_epsilon)
    return found


def equation_14(delta: Callable[[Setting], Term]) -> Says:
    """Delta is the sum over losses of the count."""
    return of_setting(lambda at: equal(delta(at), over_losses(at)))


TRIALS["biswas2023/equation-14"] = {
    "a": for_all(histograms(3), equation_14(Setting.of_histogram), falls=Falls.RESULT),
    "b": for_all(
        histograms(3),
        equation_14(Setting.of_count),
        wrong=equation_14(Setting.of_histogram),
        proof=theorem("biswas2023_equation_14"),
    ),
}


def loss_is(formula: Formula) -> Says:
    """The formula is P(M_x0(x_0) = s) / P(M_x0(x_1) = s)."""
    return of_setting(lambda at: equal(at.mass(0) / at.mass(1), formula(at.x, at.c, at.s)))


LAST_FORM = loss_is(bounds.exp_privacy_loss_printed)


def of_loss(formula: Formula, proved: str) -> Statement:
    """A form is the loss; the last form is not."""
    return for_all(MASSES, loss_is(formula), wrong=LAST_FORM, proof=theorem(proved))


TRIALS["biswas2023/equation-15/form-1"] = of_loss(
    bounds.exp_privacy_loss_form_1, "biswas2023_form_1"
)

TRIALS["biswas2023/equation-15/form-2"] = of_loss(
    bounds.exp_privacy_loss_form_2, "biswas2023_form_2"
)

TRIALS["biswas2023/equation-15/form-3"] = for_all(MASSES, LAST_FORM, falls=Falls.STEP)


def _excesses(masses: tuple[list[Term], list[Term]], exp_epsilon: Fraction) -> list[Term]:
    """Return max(0, 1 - e^(eps - v_s)) for each s."""
    return [positive_part(1 - exp_epsilon * q / p) for p, q in zip(*masses, strict=True)]


@quantity("(by_outputs {0:nat} {1} {2} (ln {3}) (count_at {0:nat} {1} 0 {2}))")
def by_outputs(k: int, x: Term, others: Others, exp_epsilon: Fraction) -> Term:
    """Return the sum over s of max(0, 1 - e^(eps - v_s)) P(M_x0(x_0) = s)."""
    masses = count_masses(x, k, others)
    return total([e * p for e, p in zip(_excesses(masses, exp_epsilon), masses[0], strict=True)])


@quantity("(by_outputs {0:nat} {1} {2} (ln {3}) (paper_mass {0:nat} {1} {4:nat} {5:nat}))")
def written_by_12(
    k: int,
    x: Term,
    others: Others,
    exp_epsilon: Fraction,
    a: int,
    b: int,
    factor: Fraction = Fraction(1),
) -> Term:
    """Return the same sum, with (12) for the mass."""
    parts, c = _excesses(count_masses(x, k, others), exp_epsilon), Counts(k, a + b + 1, a)
    return total([e * bounds.equation_12(x, c, s) * factor for s, e in enumerate(parts)])


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
        over_s = by_outputs(at.k, at.x, at.others, at.exp_epsilon)
        return [equal(over_s, value) for value in right_side(at)]

    return of_setting(says)


FREE = first_step(lambda at: free_losses(*at.masses(), at.exp_epsilon))

TRIALS["biswas2023/appendix-A/final-display/first-step"] = {
    "a": for_all(histograms(2), FREE, falls=Falls.MISPRINT),
    "b": for_all(
        histograms(2),
        first_step(lambda at: [over_losses(at)]),
        wrong=FREE,
        proof=theorem("biswas2023_first_step"),
    ),
}


def last_step(factor: Fraction = Fraction(1)) -> Says:
    """The masses in the sum over s may be written by (12)."""
    more = [] if factor == 1 else [factor]

    def says(at: Setting) -> Relation:
        the_same = at.k, at.x, at.others, at.exp_epsilon
        return equal(by_outputs(*the_same), written_by_12(*the_same, at.c.n_x0, at.c.b, *more))

    return of_setting(says)


TRIALS["biswas2023/appendix-A/final-display/last-step"] = for_all(
    histograms(2),
    last_step(),
    wrong=last_step(factor=Fraction(99, 100)),
    proof=theorem("biswas2023_last_step"),
)
