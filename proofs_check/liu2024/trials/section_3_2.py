"""Section 3.2: p from hypothesis tests, equations (3) and (4), Figure 3(b)."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import objects, reals
from exactdp.claims.laws import ldp_ratio
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, total, when
from exactdp.claims.verdicts import Falls
from exactdp.numbers import decimal, is_below
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.quantities import LAW, SAME, Law
from proofs_check.lemmas.theorems import theorem
from proofs_check.liu2024.noise import Shape, least_probability
from proofs_check.liu2024.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    is_classical,
    laplace_other_terms,
)
from proofs_check.liu2024.randomizers import (
    Matrix,
    Rows,
    binary,
    few_rows,
    p_1,
    p_1_of_one,
    p_i,
    private_rows,
)
from proofs_check.liu2024.trials.section_3_1 import different

TRIALS: Trials = {}

PAIRS = (
    cases(rows=lambda: different(2, 6))
    .deep(rows=lambda: different(2, 12))
    .within(rows=private_rows(2))
)


@quantity("mean {1} {0}", name="E")
def rejects(law: Law, test: Law) -> Fraction:
    """Return the probability that a test rejects, with its chance at each message."""
    return sum((m * c for m, c in zip(law, test, strict=True)), Fraction(0))


@quantity("prob (more_likely same {1} {2}) {0}", name="Pr_S")
def in_region(law: Law, P: Law, Q: Law) -> Fraction:
    """Return the probability of S, where Q has more mass than P."""
    return sum((m for m, u, v in zip(law, P, Q, strict=True) if u < v), Fraction(0))


def most_powerful(P: Any, Q: Any, test: Any) -> Relation:
    """The power is at most that of S."""
    return at_most(rejects(Q, test), in_region(Q, P, Q))


def level(P: Any, Q: Any, test: Any) -> Relation:
    """The level is at most that of S."""
    return at_most(rejects(P, test), in_region(P, P, Q))


TESTS = cases(
    _rows=lambda: different(2, 6),
    P=lambda _rows: _rows[:1],
    Q=lambda _rows: _rows[1:],
    test=lambda P: product((Fraction(0), Fraction(1)), repeat=len(P)),
)


def lower_bound(rows: Matrix) -> Relation:
    """Pr[R(x_1^0) ∈ S] is at most the p of (1)."""
    r = Rows(rows)
    return at_most(p_1(r), 1 / (r.ratio + 1))


TRIALS["liu2024/section-3.2.1/neyman-pearson"] = {
    "a": for_all(
        TESTS.where(lambda P, Q, test: level(P, Q, test).holds()).within(
            level,
            P=LAW,
            Q=LAW,
            test=objects(
                "a test: how likely it rejects at each message",
                lambda: st.tuples(*[fractions(0, 1, max_denominator=3)] * 3),
                condition=lambda test: all(0 <= chance <= 1 for chance in test),
                coq=("A -> R", "(forall y, 0 <= {0} y <= 1)", SAME),
            ),
        ),
        most_powerful,
        wrong=for_all(TESTS, most_powerful),
        proof=theorem("liu2024_most_powerful"),
    ),
    "b": for_all(PAIRS, lower_bound, falls=Falls.STEP),
}


def fails_on_t(rows: Matrix, delta: Fraction) -> Said:
    """A (ln 2, 0)-private randomizer, whose privacy does not fail, has no message in T_δ."""
    r = Rows(rows)
    return Said([at_most(m, 1 - delta / 2) for (m,) in r.columns(0)], [at_most(r.ratio, 2)])


DELTAS = [Fraction(1, 4), Fraction(1, 10)]

LIKELY = listed(*({"rows": tuple((1 - m, m) for m in (d / 4, d / 5)), "delta": d} for d in DELTAS))


def is_private(rows: Matrix) -> bool:
    """Return whether e^ε = 2 will do."""
    return all(max(column) <= 2 * min(column) for column in zip(*rows, strict=True))


TRIALS["liu2024/section-3.2.1/T_delta"] = for_all(
    cases(rows=lambda: different(2, 6), delta=DELTAS).where(is_private).then(LIKELY),
    fails_on_t,
    falls=Falls.STEP,
)


def both_errors(rows: Matrix) -> list[Relation]:
    """Pr[R(x_1^0) ∈ S] = Pr[R(x_1^1) ∈ S̄], and both are at most p; δ_1 = 0."""
    r = Rows(rows)
    return [equal(p_1(r), p_1_of_one(r)), at_most(p_1(r), 1 / (r.ratio + 1))]


TRIALS["liu2024/section-3.2.1/p_1"] = for_all(PAIRS, both_errors, falls=Falls.STEP)

CLEAR = (
    cases(rows=lambda: different(2, 9))
    .where(lambda rows: equal(p_1(Rows(rows)), p_1_of_one(Rows(rows))).holds())
    .within(rows=private_rows(2))
)
"""Rows for which the two probabilities agree, so that p_1 is clear (and below 1/2)."""


def over_rows(rows: Matrix) -> Said:
    """Return (3) as printed, with R on both sides."""
    r = Rows(rows)
    p = named("p_1", p_1(r))
    lines = [
        equal((1 - p) * own + p * far, own) for x in (0, 1) for own, far in r.columns(x, 1 - x)
    ]
    return Said(lines, [below(p, Fraction(1, 2))])


def over_letters(rows: Matrix) -> Said:
    """(3) with letters: (1 − 2p) Q(x_1^0) = (1 − p) R(x_1^0) − p R(x_1^1) solves it alone."""
    r = Rows(rows)
    p = named("p_1", p_1(r))
    return Said(r.letters(1 - p, p), [below(p, Fraction(1, 2))])


TRIALS["liu2024/equation-3"] = {
    "a": for_all(CLEAR, over_rows, falls=Falls.MISPRINT),
    "b": for_all(CLEAR, over_letters, falls=Falls.STEP),
}


def covered(rows: Matrix) -> list[Relation]:
    """Each message of U is in U_0 or U_1, and no other."""
    found = []
    for u, v, w in Rows(rows).columns(0, 1, 2):
        parts = [when("<", w, a, when("<", b, a, 1, 0), 0) for a, b in ((u, v), (v, u))]
        found.append(equal(when("<", w, function("max", u, v), 1, 0), total(parts)))
    return found


TRIALS["liu2024/section-3.2.2/U-partition"] = for_all(
    cases(rows=lambda: different(3, 7)).within(rows=private_rows(3)), covered, falls=Falls.REMARK
)

FIXED = Fraction(3)
GRID = [Fraction(i, 20) for i in (1, 2, 4, 8, 12, 14, 26, 30, 36, 44, 52, 58)]


def laplace_p(epsilon_i: Any) -> Term:
    """Return p_i = min(p_i^0, p_i^1) for Laplace noise on [0, 1], ε_i < ε_1 = 3, the largest."""
    return function("min", *laplace_other_terms(FIXED, epsilon_i))


def highest_near(epsilon_i: Any, center: Fraction = Fraction(1)) -> Relation:
    """p_i is smaller than at the center."""
    return below(laplace_p(epsilon_i), laplace_p(center))


def is_far(epsilon_i: Any) -> Relation:
    """It is farther than a quarter from 1."""
    return above(function("abs", epsilon_i - 1), Fraction(1, 4))


CALIBRATIONS = {"1e-10": Fraction(6819, 1000), "1e-5": Fraction(4845, 1000)}
"""c with σ = c/ε of the classical calibration, σ² >= 2 ln(1.25/δ)/ε², by δ."""


def gaussian_near_one(delta: str, c: Fraction) -> Said:
    """p_i at ε_i = 2.7 is at most a bound on p_i over [3/4, 5/4].

    There p_i <= p_i^0 <= Φ(ε_i/(2c)) − Φ(−√(2 log r/(r² − 1))), r = 3/ε_i. Both terms grow
    with ε_i: the bound at 5/4 is one for all.
    """
    there, top = Fraction(27, 10), Fraction(5, 4)
    r = FIXED / top
    most = function("normal_cdf", top / (2 * c)) - function(
        "normal_cdf", -function("sqrt", 2 * function("log", r) / (r**2 - 1))
    )
    found = function("min", *gaussian_other_terms(FIXED / c, FIXED / there))
    private = [at_most(gaussian_delta(x / c, x), delta) for x in (Fraction(1), top, there, FIXED)]
    return at_most(found, most).given([is_classical(c, Fraction(delta)), *private])


TRIALS["liu2024/figure-3/b"] = {
    "a": for_all(
        cases(epsilon_1=[FIXED]),
        lambda epsilon_1: at_most(function("abs", epsilon_1 - 1), Fraction(1, 2)),
        falls=Falls.MISPRINT,
    ),
    "b": for_all(
        cases(epsilon_i=GRID).within(is_far, epsilon_i=reals(above=0, below=FIXED)),
        highest_near,
        wrong=partial(highest_near, center=Fraction(2)),
        proof=theorem("liu2024_highest_near_1"),
    ),
    "c": for_all(
        listed(*({"delta": delta, "c": c} for delta, c in CALIBRATIONS.items())),
        gaussian_near_one,
        falls=Falls.STEP,
    ),
}


def between() -> Iterator[Matrix]:
    """Yield rows of user i for x_1^0, between, and x_1^1; all masses below the victim's 3/4.

    So no set is empty, and no mass is tied.
    """
    for own in few_rows(3, [2], 10):
        if max(map(max, own)) < Fraction(3, 4):
            yield (binary(3), binary(3, 1), *own)


def least_at_ends(rows: Matrix) -> Said:
    """p_i is smallest at an end: user i and the victim have privacy parameters of their own."""
    r = Rows(rows)
    ends, middle = [named(f"p_{x}", p_i(r, x)) for x in (2, 4)], named("p_3", p_i(r, 3))
    return at_least(middle, function("min", *ends)).given(
        [below(ldp_ratio(rows[2:]), ldp_ratio(rows[:2]))]
    )


def worst_at_ends(
    shape: Shape, scale_1: Fraction, ratio: Fraction, x_i: Fraction, end: Fraction = Fraction(0)
) -> Outcome:
    """p_i at x_i is not below p_i at x_1^0 (by symmetry the same at x_1^1)."""
    if x_i in (end, 1 - end):
        return decided(holds=True, found="an end")
    worst, here = (least_probability(shape, scale_1, scale_1 * ratio, x) for x in (end, x_i))
    found = f"p_i = {decimal(here, digits=6)}, claimed least {decimal(worst, digits=6)}"
    return decided(~is_below(here, worst, max_bits=512), found)


def any_input() -> st.SearchStrategy[dict[str, Any]]:
    """Draw noises with ε_i < ε_1 and an input."""
    return st.fixed_dictionaries(
        {
            "shape": st.sampled_from(Shape),
            "scale_1": st.fractions("1/16", 40, max_denominator=50),
            "ratio": st.fractions("1001/1000", 21, max_denominator=1000),
            "x_i": st.fractions(0, 1, max_denominator=64),
        }
    )


NOISES = (
    cases(
        shape=list(Shape),
        scale_1=[Fraction(1, 8), Fraction(1, 2), Fraction(1), Fraction(4), Fraction(12)],
        ratio=[Fraction(i, 100) for i in (101, 110, 150, 200, 400, 2000)],
        x_i=[Fraction(i, 8) for i in range(1, 5)],
    )
    .within(
        shape=objects("Laplace or Gaussian noise"),
        scale_1=reals(above=0),
        ratio=reals(above=1),
        x_i=reals(0, 1),
    )
    .drawn(any_input)
)

TRIALS["liu2024/section-3.2.2/endpoints"] = {
    "a": for_all(NOISES, worst_at_ends, wrong=partial(worst_at_ends, end=Fraction(1, 2))),
    "b": for_all(cases(rows=between), least_at_ends, falls=Falls.REMARK),
}


def copies(rows: Matrix) -> list[Relation]:
    """(4): (1 − 2 p_i) LO(x_i) = R(x_i) − p_i (R(x_1^0) + R(x_1^1))."""
    r = Rows(rows)
    return r.leftovers(named("p_i", p_i(r)))


TRIALS["liu2024/equation-4"] = for_all(
    cases(rows=lambda: different(3, 7))
    .where(lambda rows: below(p_i(Rows(rows)), Fraction(1, 2)).holds())
    .within(rows=private_rows(3)),
    copies,
    falls=Falls.STEP,
)
