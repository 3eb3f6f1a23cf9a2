"""Appendix A, Example 3 (Tables 4, 5 and 6), and Appendix A.1: shifts of one law."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from exactdp.claims.cases import Cases, cases, listed
from exactdp.claims.claim import Statement
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    equal,
    for_all,
)
from exactdp.claims.kinds import Sort, among, objects, reals, rows
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.law import Law, drawn_law, fractions, laws_on, point
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.printed import TABLE_4, TABLE_5, TABLE_6, law_of_row
from proofs_check.ding2025.quantities import cumulative, cumulative_of_value
from proofs_check.ding2025.systems import LAW, everywhere
from proofs_check.ding2025.trials.lemma_1 import INTEGERS, Points, largest_shift
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

ROWS = range(1, 6)

PRIORS = LinePair.of(*map(law_of_row, TABLE_4), points=ROWS)
"""Reading (a): the priors of Table 4."""


def cumulative_row(side: str, printed: list[Fraction], X: int) -> Said:
    """The printed row is the cumulative distribution of a row of Table 4."""
    entry = printed[X - 1]
    cell = str(Decimal(entry.numerator) / entry.denominator)
    return Said((equal(PRIORS.cumulative(side, X), entry),), printed=cell)


ENTRIES = cases(X=ROWS).all_of(X=among(*ROWS))

TRIALS["ding2025/table-5/s_i"] = for_all(
    ENTRIES, partial(cumulative_row, "p", TABLE_5[0]), falls=Falls.MISPRINT
)

TRIALS["ding2025/repair/table-5-s_i"] = for_all(
    ENTRIES,
    partial(cumulative_row, "p", fractions("0.2 0.425 0.925 1 1")),
    wrong=partial(cumulative_row, "p", TABLE_5[0]),
)

TRIALS["ding2025/table-5/s_j"] = for_all(
    ENTRIES, partial(cumulative_row, "q", TABLE_5[1]), falls=Falls.MISPRINT
)

TRIALS["ding2025/repair/table-5-s_j"] = for_all(
    ENTRIES,
    partial(cumulative_row, "q", fractions("0 0.075 0.575 0.8 1")),
    wrong=partial(cumulative_row, "q", TABLE_5[1]),
)


def _law_of_cumulative(row: list[Fraction]) -> Law:
    return law_of_row([b - a for a, b in pairwise((Fraction(0), *row))])


PRINTED = LinePair.of(*map(_law_of_cumulative, TABLE_5), points=ROWS)
"""Reading (b): the laws whose cumulative distributions are the printed Table 5."""


def shift_is(pair: LinePair, x: int, claimed: int) -> Relation:
    """Δ*(x) is the claimed number."""
    return equal(pair.shift(Fraction(x), Shifts.INTEGERS), claimed)


def readings(
    says: Callable[..., Any],
    right: dict[str, Any],
    wrong: dict[str, Any],
    falls: Falls | None = None,
) -> dict[str, Statement]:
    """Return the statements of Example 3 on the priors of Table 4, and on those of Table 5."""
    return {
        key: for_all(
            listed(right).all_of(**rows(right)),
            partial(says, pair),
            wrong=for_all(listed(wrong), partial(says, pair)),
            falls=falls,
        )
        for key, pair in (("a", PRIORS), ("b", PRINTED))
    }


TRIALS["ding2025/example-3/delta-1"] = readings(
    shift_is, {"x": 1, "claimed": 2}, {"x": 1, "claimed": 1}
)


def same_shift(pair: LinePair, x: Sequence[int]) -> list[Relation]:
    """Δ* is the same number at these points."""
    first, *others = (pair.shift(Fraction(z), Shifts.INTEGERS) for z in x)
    return [equal(first, other) for other in others]


TRIALS["ding2025/example-3/delta-2-3-4"] = readings(
    same_shift,
    {"x": (2, 3, 4)},
    {"x": (1, 2, 3, 4)},
    falls=Falls.REMARK,
)

FIVE = [{"x": x, "claimed": d} for x, d in zip(ROWS, (2, 1, 2, 1, 0), strict=True)]

TRIALS["ding2025/repair/example-3"] = for_all(
    listed(*FIVE).all_of(**rows(*FIVE)),
    partial(shift_is, PRIORS),
    wrong=partial(shift_is, PRINTED),
)

TRIALS["ding2025/example-3/delta-5"] = readings(
    shift_is, {"x": 5, "claimed": 0}, {"x": 5, "claimed": 1}
)


def supremum(pair: LinePair, claimed: int) -> list[Relation]:
    """Compare the largest Δ*(x), and the largest distance of the plan, of Table 4."""
    found = INTEGERS(pair, pair.points)
    plan = LinePair.of(*map(law_of_row, TABLE_4), name="table_4", points=ROWS)
    return [equal(found, claimed), equal(plan.farthest(), claimed)]


TRIALS["ding2025/example-3/sup"] = readings(supremum, {"claimed": 2}, {"claimed": 1})


def table_6(pair: LinePair, X: int, X_prime: int) -> Relation:
    """The printed entry is the mass of the plan (6)."""
    return equal(pair.plan(X, X_prime), TABLE_6[X - 1][X_prime - 1])


TRIALS["ding2025/table-6"] = for_all(
    cases(X=ROWS, X_prime=ROWS).all_of(X=among(*ROWS), X_prime=among(*ROWS)),
    partial(table_6, PRIORS),
    wrong=partial(table_6, PRINTED),
)


# A.1: F(x | s_a) = G(x − a), G the cumulative distribution of f(D_{-i}). The common factor
# Π ζ_j > 0 changes no sign and is left out. The absent user adds 0.
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
    sign = (above if strict else at_least) if lower else (below if strict else at_most)
    return Said(
        [equal(found, alone.cumulative("p", x - a) - alone.cumulative("p", y - b)), sign(found, 0)],
        lambda: [above(Delta, a - b if lower else b - a), above(Delta, 0)] if strict else [],
    )


def shift_display(*, lower: bool, strict: bool) -> Statement:
    """Return the display with > and < as printed, or with >= and <=."""

    def first(a: int, b: int) -> int:
        """Return the least Δ: above the bound and 0 as printed, else from the bound on."""
        bound = a - b if lower else b - a
        return max(bound + 1, 1) if strict else bound

    def over(slip: int = 0) -> Cases:
        return cases(
            G=others,
            a=range(3),
            b=lambda a: [b for b in range(3) if b != a],
            Delta=lambda a, b: range(first(a, b) - slip, first(a, b) - slip + 3),
            x=lambda G, a, b: sorted({z + s for z in G.points for s in (a, b)}),
            **{} if strict else {"w": [Fraction(2, 3)]},
        )

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        g, a, b = draw(drawn_law(range(5))), draw(st.integers(0, 4)), draw(st.integers(0, 4))
        shift = first(a, b) + draw(st.integers(0, 5))
        x, w = Fraction(draw(st.integers(0, 9))), Fraction(draw(st.integers(0, 2)), 2)
        return {"G": g, "a": a, "b": b, "Delta": shift, "x": x, "w": w}

    if strict:
        return for_all(over(), partial(display, lower=lower, strict=True), falls=Falls.MISPRINT)
    least = (lambda a, b: a - b) if lower else (lambda a, b: b - a)
    kinds: dict[str, Sort] = {
        "G": LAW,
        **dict.fromkeys("ab", reals()),
        "Delta": reals(least),
        "x": reals(),
    }
    return for_all(
        over().within(**kinds, w=reals(0, 1)).drawn(drawn),
        partial(mended_display, lower=lower),
        wrong=for_all(over(slip=1), partial(mended_display, lower=lower)),
        proof=theorem("ding2025_lower_shift" if lower else "ding2025_upper_shift"),
    )


def mended_display(
    G: Law, a: Fraction, b: Fraction, Delta: Fraction, x: Fraction, w: Fraction, *, lower: bool
) -> list[Relation]:
    """w F(x|s_a) − w F(x ∓ Δ|s_b) = (G(x − a) − G(x ∓ Δ − b)) w, and its sign."""
    y, sign = (x - Delta, at_least) if lower else (x + Delta, at_most)
    found = w * cumulative_of_value(G, a, x) - w * cumulative_of_value(G, b, y)
    return [equal(found, (cumulative(G, x - a) - cumulative(G, y - b)) * w), sign(found, 0)]


TRIALS["ding2025/section-A.1/lower-shift"] = shift_display(lower=True, strict=True)

TRIALS["ding2025/repair/section-A.1-lower-shift"] = shift_display(lower=True, strict=False)

TRIALS["ding2025/section-A.1/upper-shift"] = shift_display(lower=False, strict=True)

TRIALS["ding2025/repair/section-A.1-upper-shift"] = shift_display(lower=False, strict=False)


def shifted(X: Points, G: Law, a: int, b: int) -> list[Relation]:
    """The plan's largest distance and sup of Δ* are |a − b|; b = 0 for an absent user."""
    pair = LinePair.of(G + point(a), G + point(b), points=X)
    distance = function("abs", term(a) - b)
    return [equal(pair.farthest(), distance), equal(INTEGERS(pair, X), distance)]


def support(G: Law, a: int, b: int) -> list[Points]:
    """Return the alphabet of X, as the support."""
    return [Points(sorted({x + s for x in G.points for s in (a, b)}))]


def consecutive(G: Law, a: int, b: int) -> list[Points]:
    """Return the alphabet of X, as all integers between its ends."""
    (points,) = support(G, a, b)
    return [Points(map(Fraction, range(int(points[0]), int(points[-1]) + 1)))]


def shifts(alphabet: Callable[..., list[Points]]) -> Cases:
    """Return laws of the others and two values."""
    over = cases(G=others, a=range(3), b=range(3), X=alphabet).printed("X G a b")
    both = "on X (plus (certain a) G) /\\ on X (plus (certain {0}) G)"
    return everywhere(
        over,
        X=objects(
            "the alphabet of X, all integers between its ends",
            coq=("list R", "consecutive {0}", ""),
        ),
        a=reals(),
        b=objects("another value; all answers are in X", coq=("R", both, "")),
    )


def drawn_shifts() -> Any:
    """Return a strategy for laws of the others on integers and two values."""
    return st.tuples(drawn_law(range(5)), st.integers(0, 5), st.integers(0, 5)).map(
        lambda v: {"X": consecutive(*v)[0], "G": v[0], "a": v[1], "b": v[2]}
    )


@quantity("farthest (plus (certain {1}) {0}) (plus (certain {2}) {0})", name="farthest")
def farthest_of_values(G: Law, a: int, b: int) -> Term:
    """Return the largest |x − x'| on the support of the plan (6)."""
    return LinePair.of(G + point(a), G + point(b)).farthest()


@quantity("largest_shift {0} (plus (certain {2}) {1}) (plus (certain {3}) {1})", name="sup_Delta")
def shift_of_values(X: Points, G: Law, a: int, b: int) -> Term:
    """Return sup over X of Δ*(x), over the positive integers."""
    found: Term = largest_shift(X, G + point(a), G + point(b))
    return found


def of_values(X: Points, G: Law, a: int, b: int, share: Fraction = Fraction(1)) -> list[Relation]:
    """The plan's largest distance and sup of Δ* are |a − b|; b = 0 for an absent user."""
    distance = function("abs", term(a) - b)
    claimed = distance if share == 1 else share * distance
    return [
        equal(farthest_of_values(G, a, b), claimed),
        equal(shift_of_values(X, G, a, b), claimed),
    ]


TRIALS["ding2025/section-A.1/sup"] = {
    "a": for_all(
        shifts(consecutive).drawn(drawn_shifts),
        of_values,
        wrong=partial(of_values, share=Fraction(1, 2)),
        proof=theorem("ding2025_shift_of_values"),
    ),
    "b": for_all(shifts(support), shifted, falls=Falls.STEP),
}
