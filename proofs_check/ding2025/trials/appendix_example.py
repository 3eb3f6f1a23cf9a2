"""Appendix A, Example 3 (Tables 4, 5 and 6), and Appendix A.1: shifts of one law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import nonnegative
from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Statement,
    above,
    at_least,
    at_most,
    below,
    cases,
    equal,
    for_all,
    function,
    lemma,
    listed,
    proof,
    term,
    words,
)
from proofs_check.ding2025.law import Law, drawn_law, law, laws_on, point
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.printed import TABLE_4, TABLE_5, TABLE_6, Row, law_of_row
from proofs_check.ding2025.trials.lemma_1 import LEMMA_1, Points

__all__ = ["TRIALS"]

ROWS = range(1, 6)


def _law_of_cumulative(row: Row) -> Law:
    return law_of_row(tuple(b - a for a, b in pairwise((Fraction(0), *row))))


PRIORS = LinePair.of(*map(law_of_row, TABLE_4), points=ROWS)
"""Reading (a): the priors of Table 4."""

PRINTED = LinePair.of(*map(_law_of_cumulative, TABLE_5), points=ROWS)
"""Reading (b): the laws whose cumulative distributions are the printed Table 5."""


# --- Example 3 ------------------------------------------------------------------------------


def cumulative_row(side: str, printed: Row, X: int) -> Relation:
    """The printed row is the cumulative distribution of a row of Table 4."""
    return equal(PRIORS.cumulative(side, X), printed[X - 1])


def table_5(
    side: str, printed: Row, wrong: Row | None = None, falls: Falls | None = None
) -> Statement:
    """Return the statement that a row of Table 5 is right."""
    return for_all(
        cases(X=ROWS).all_of("the five entries of the row"),
        partial(cumulative_row, side, printed),
        wrong=None if wrong is None else partial(cumulative_row, side, wrong),
        falls=falls,
    )


def shift_is(pair: LinePair, x: int, claimed: int) -> Relation:
    """Δ*(x) is the claimed number."""
    return equal(pair.shift(Fraction(x), Shifts.INTEGERS), claimed)


def one_shift(pair: LinePair, x: int, claimed: int, wrong: int) -> Statement:
    """Return the statement that Δ*(x) is a number."""
    variant = for_all(cases(x=[x], claimed=[wrong]), partial(shift_is, pair))
    found = cases(x=[x], claimed=[claimed]).all_of(f"the one number Delta*({x})")
    return for_all(found, partial(shift_is, pair), wrong=variant)


def same_shift(pair: LinePair, x: Sequence[int]) -> list[Relation]:
    """Δ* is the same number at these points."""
    first, *others = (pair.shift(Fraction(z), Shifts.INTEGERS) for z in x)
    return [equal(first, other) for other in others]


def shifts_agree(pair: LinePair, points: tuple[int, ...]) -> Statement:
    """Return the statement that Δ* agrees at points; the variant adds the point 1."""
    return for_all(
        cases(x=[points]).all_of(f"the numbers Delta*(x) for x in {points}"),
        partial(same_shift, pair),
        wrong=for_all(cases(x=[(1, *points)]), partial(same_shift, pair)),
        falls=Falls.STEP,
    )


def supremum(pair: LinePair, claimed: int) -> list[Relation]:
    """The largest Δ*(x), and the largest distance of the plan of Table 4."""
    found = pair.largest_shift(Shifts.INTEGERS, [Fraction(x) for x in ROWS])
    plan = LinePair.of(*map(law_of_row, TABLE_4), name="table_4", points=ROWS)
    return [equal(found, claimed), equal(plan.farthest(), claimed)]


def supremum_is_2(pair: LinePair) -> Statement:
    """Return the statement that the supremum is 2."""
    return for_all(
        cases(claimed=[2]).all_of("the two numbers"),
        partial(supremum, pair),
        wrong=for_all(cases(claimed=[1]), partial(supremum, pair)),
    )


def table_6(pair: LinePair, X: int, X_prime: int) -> Relation:
    """The printed entry is the mass of the plan (6)."""
    return equal(pair.plan(X, X_prime), TABLE_6[X - 1][X_prime - 1])


FIVE = listed(*({"x": x, "claimed": d} for x, d in zip(ROWS, (2, 1, 2, 1, 0), strict=True)))


# --- A.1: F(x | s_a) = G(x − a), G the cumulative distribution of f(D_{-i}) -----------------
#
# The common factor Π ζ_j > 0 changes no sign and is left out. The absent user adds 0.


def others() -> Iterator[Law]:
    """Yield laws of f(D_{-i}); the first is that of a user who is alone."""
    for denominator in (1, 2):
        yield from laws_on((0, 1, 2), denominator)


def display(G: Law, a: int, b: int, Delta: int, x: Fraction, *, lower: bool, strict: bool) -> Said:
    """F(x|s_a) − F(x ∓ Δ|s_b) = G(x − a) − G(x ∓ Δ − b), and its sign."""
    pair = LinePair.of(point(a), point(b), name="own").beside(G)
    alone = LinePair.of(G, G, name="G")
    y = x - Delta if lower else x + Delta
    found = pair.cumulative("p", x) - pair.cumulative("q", y)
    signs = (above, at_least) if lower else (below, at_most)
    return Said(
        [
            equal(found, alone.cumulative("p", x - a) - alone.cumulative("p", y - b)),
            signs[0 if strict else 1](found, 0),
        ],
        lambda: [above(Delta, a - b if lower else b - a), above(Delta, 0)] if strict else [],
    )


def first_shift(a: int, b: int, *, lower: bool, strict: bool, slip: int = 0) -> int:
    """Return the least Δ: above the bound and 0 as printed, else from the bound on."""
    bound = a - b if lower else b - a
    return max(bound + 1, 1) if strict else bound - slip


def displays(*, lower: bool, strict: bool, slip: int = 0) -> Cases:
    """Return the cases of a display; ``slip`` widens the range of Δ, for a false variant."""
    first = partial(first_shift, lower=lower, strict=strict, slip=slip)
    return cases(
        G=lambda: others(),
        a=range(3),
        b=lambda a: [b for b in range(3) if b != a],
        Delta=lambda a, b: range(first(a, b), first(a, b) + 3),
        x=lambda G, a, b: sorted({z + s for z in G.points for s in (a, b)}),
    )


def printed_display(*, lower: bool) -> Statement:
    """Return the display with > and <."""
    says = partial(display, lower=lower, strict=True)
    return for_all(displays(lower=lower, strict=True), says, falls=Falls.STEP)


def mended(*, lower: bool) -> Statement:
    """Return the display with >= for > and <= for <."""

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        g, a, b = draw(drawn_law(range(5))), draw(st.integers(0, 4)), draw(st.integers(0, 4))
        shift = first_shift(a, b, lower=lower, strict=False) + draw(st.integers(0, 5))
        return {"G": g, "a": a, "b": b, "Delta": shift, "x": Fraction(draw(st.integers(0, 9)))}

    says = partial(display, lower=lower, strict=False)
    bound = "x-a >= x-Delta-b" if lower else "x+Delta-b >= x-a"
    return for_all(
        displays(lower=lower, strict=False).drawn(drawn),
        says,
        wrong=for_all(displays(lower=lower, strict=False, slip=1), says),
        proof=proof(
            "all laws of f(D_-i), a, b, x, and Delta >= the bound",
            nonnegative(
                f"F(x|s_a) = G(x-a), and {bound} where Delta is the bound and a rest r >= 0: "
                "G does not fall",
                "a b x r",
                lambda a, b, x, r: (
                    (x - a) - (x - (a - b + r) - b) if lower else (x + (b - a + r) - b) - (x - a)
                ),
            ),
        ),
    )


def shift_of(G: Law, by: int) -> Law:
    """Return the law of the others' sum and a constant."""
    return law({x + by: m for x, m in G.masses})


def shifted(X: Points, G: Law, a: int, b: int, factor: Fraction = Fraction(1)) -> list[Relation]:
    """The plan's largest distance and sup of Δ* are |a − b|; b = 0 for an absent user."""
    pair = LinePair.of(shift_of(G, a), shift_of(G, b), points=X)
    distance = factor * function("abs", term(a) - b)
    return [
        equal(pair.farthest(), distance),
        equal(pair.largest_shift(Shifts.INTEGERS, X), distance),
    ]


def alphabet(G: Law, a: int, b: int, *, consecutive: bool) -> Points:
    """Return the alphabet of X: the support, or all integers between its ends."""
    support = sorted({x + s for x in G.points for s in (a, b)})
    every = range(int(support[0]), int(support[-1]) + 1)
    return Points(map(Fraction, every)) if consecutive else Points(support)


def shifts(*, consecutive: bool) -> Cases:
    """Return laws of the others and two values."""
    return cases(
        _G=lambda: others(),
        _a=range(3),
        _b=range(3),
        X=lambda _G, _a, _b: [alphabet(_G, _a, _b, consecutive=consecutive)],
        G=lambda _G: [_G],
        a=lambda _a: [_a],
        b=lambda _b: [_b],
    )


def drawn_shifts() -> Any:
    """Return a strategy for laws of the others on integers and two values."""
    return st.tuples(drawn_law(range(5)), st.integers(0, 5), st.integers(0, 5)).map(
        lambda v: {"X": alphabet(*v, consecutive=True), "G": v[0], "a": v[1], "b": v[2]}
    )


TRIALS = {
    "ding2025/table-5/s_i": {"": table_5("p", TABLE_5[0], falls=Falls.MISPRINT)},
    "ding2025/table-5/s_j": {"": table_5("q", TABLE_5[1], falls=Falls.MISPRINT)},
    "ding2025/example-3/delta-1": {
        "a": one_shift(PRIORS, 1, 2, wrong=1),
        "b": one_shift(PRINTED, 1, 2, wrong=1),
    },
    "ding2025/example-3/delta-2-3-4": {
        "a": shifts_agree(PRIORS, (2, 3, 4)),
        "b": shifts_agree(PRINTED, (2, 3, 4)),
    },
    "ding2025/example-3/delta-5": {
        "a": one_shift(PRIORS, 5, 0, wrong=1),
        "b": one_shift(PRINTED, 5, 0, wrong=1),
    },
    "ding2025/example-3/sup": {"a": supremum_is_2(PRIORS), "b": supremum_is_2(PRINTED)},
    "ding2025/table-6": {
        "": for_all(
            cases(X=ROWS, X_prime=ROWS).all_of("the 25 entries"),
            partial(table_6, PRIORS),
            wrong=partial(table_6, PRINTED),
        )
    },
    "ding2025/section-A.1/lower-shift": {"": printed_display(lower=True)},
    "ding2025/section-A.1/upper-shift": {"": printed_display(lower=False)},
    "ding2025/section-A.1/sup": {
        "a": for_all(
            shifts(consecutive=True).drawn(drawn_shifts),
            shifted,
            wrong=partial(shifted, factor=Fraction(1, 2)),
            proof=proof(
                "all finite laws of f(D_-i) on integers, all integers a, b (b = 0: absent)",
                words(
                    "F(x|s_a) = F(x-a+b|s_b), so equal quantiles lie b - a apart and the plan is "
                    "that shift"
                ),
                lemma("ding2025/lemma-1", LEMMA_1, "sup of Delta* is its distance"),
            ),
        ),
        "b": for_all(shifts(consecutive=False), shifted, falls=Falls.STEP),
    },
    "ding2025/repair/table-5-s_i": {
        "": table_5(
            "p",
            tuple(Fraction(v) for v in ("0.2", "0.425", "0.925", "1", "1")),
            wrong=TABLE_5[0],
        )
    },
    "ding2025/repair/table-5-s_j": {
        "": table_5(
            "q",
            tuple(Fraction(v) for v in ("0", "0.075", "0.575", "0.8", "1")),
            wrong=TABLE_5[1],
        )
    },
    "ding2025/repair/example-3": {
        "": for_all(
            FIVE.all_of("the five numbers Delta*(x)"),
            partial(shift_is, PRIORS),
            wrong=partial(shift_is, PRINTED),
        )
    },
    "ding2025/repair/section-A.1-lower-shift": {"": mended(lower=True)},
    "ding2025/repair/section-A.1-upper-shift": {"": mended(lower=False)},
}
