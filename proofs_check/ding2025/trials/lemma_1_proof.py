"""Appendix A: the proof of Lemma 1, its three bullets and its three cases."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import Cases, cases
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
from exactdp.claims.kinds import reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, when
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.law import Law, law
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.steps import greatest, least
from proofs_check.ding2025.trials.lemma_1 import CONSECUTIVE, Points, over
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

# With a = F_i(x), a2 = F_i(x + dx), b = F_j(x'), b2 = F_j(x' + dx') the mass of the plan in
# (x, x + dx] × (x', x' + dx'] is d² of (27). Any 0 <= a <= a2 <= 1 and 0 <= b <= b2 <= 1 are values
# of cumulative distributions.
Side = Callable[[Any, Any, Any, Any], Any]
"""Of a, a2, b, b2: numbers, or terms."""

_IF = "(if {} then {{2}} else {{3}})"

IN_CASE = {
    sign: quantity(_IF.format(case), name="in_case")(partial(when, sign))
    for sign, case in {
        "=": "Req_EM_T {0} {1}",
        "<": "Rlt_dec {0} {1}",
        ">": "Rlt_dec {1} {0}",
        "<=": "Rle_dec {0} {1}",
        ">=": "Rle_dec {1} {0}",
    }.items()
}
"""By sign, of two values and two numbers: the first of these in the case, the second elsewhere."""


@dataclass(frozen=True, slots=True)
class Display:
    """The statement of a bullet in a case: left = right, and perhaps right >= 0.

    ``case`` has relations between the four values by their places: (0, "<", 2) is a < b.
    """

    case: tuple[tuple[int, str, int], ...]
    left: Side
    right: Side
    is_nonnegative: bool = False

    def said(self, *values: Any) -> list[Relation]:
        """Return the relations, each of them wherever the case applies."""

        def in_case(then: Any, otherwise: Any) -> Any:
            for s, sign, t in self.case:
                then = IN_CASE[sign](values[s], values[t], then, otherwise)
            return then

        left, right = self.left(*values), self.right(*values)
        signs = [at_least(in_case(right, 0), 0)] if self.is_nonnegative else []
        return [equal(in_case(left, right), right), *signs]


def difference(a: Any, a2: Any, b: Any, b2: Any) -> Any:
    """Return d² of (27)."""
    return least(a2, b2) - least(a2, b) - least(a, b2) + least(a, b)


EQUAL, ABOVE, BELOW = (0, "=", 2), (0, ">", 2), (0, "<", 2)


def row(case: tuple[int, str, int]) -> Display:
    """min{F_i(x), F_j(x' + dx')} = min{F_i(x), F_j(x')}."""
    return Display((case,), lambda a, a2, b, b2: least(a, b2), lambda a, a2, b, b2: least(a, b))


def without_row(a: Any, a2: Any, b: Any, b2: Any) -> Any:
    """Return d² if the two minima of :func:`row` are equal."""
    return least(a2, b2) - least(a2, b)


def _value(place: int, *values: Fraction) -> Term:
    """Return one of the values, as that of a cumulative distribution of a law on 0, 1, 2."""
    laws = [law({0: a, 1: a2 - a, 2: 1 - a2}) for a, a2 in (values[:2], values[2:])]
    pair = LinePair.of(*laws, points=(0, 1, 2))
    return pair.cumulative("pq"[place // 2], place % 2)


VALUES = [quantity(f"{{{place}}}", name="F")(partial(_value, place)) for place in range(4)]
"""F_i(x), F_i(x + dx), F_j(x'), F_j(x' + dx'), of these four numbers."""


def values_of_laws(
    displays: list[Display],
    F_i_x: Fraction,
    F_i_x_dx: Fraction,
    F_j_x: Fraction,
    F_j_x_dx: Fraction,
) -> list[Relation]:
    """The displays that apply hold for cumulative distributions with these values."""
    terms = [one(F_i_x, F_i_x_dx, F_j_x, F_j_x_dx) for one in VALUES]
    return [said for one in displays for said in one.said(*terms)]


def bullet(
    displays: list[Display],
    name: str = "",
    *,
    wrong: list[Display] | None = None,
    falls: Falls | None = None,
) -> Statement:
    """Return the statement that displays hold for all cumulative distributions, a theorem."""
    over = cases(
        _d=(1, 2, 4),
        _grid=lambda _d: [[Fraction(k, _d) for k in range(_d + 1)]],
        F_i_x=lambda _grid: _grid,
        F_i_x_dx=lambda _grid, F_i_x: [v for v in _grid if v >= F_i_x],
        F_j_x=lambda _grid: _grid,
        F_j_x_dx=lambda _grid, F_j_x: [v for v in _grid if v >= F_j_x],
    ).deep(_d=(1, 2, 4, 5, 6))
    over = over.within(
        F_i_x=reals(0, 1),
        F_i_x_dx=reals(lambda F_i_x: F_i_x, 1),
        F_j_x=reals(0, 1),
        F_j_x_dx=reals(lambda F_j_x: F_j_x, 1),
    )
    if wrong is None:
        return for_all(over, partial(values_of_laws, displays), falls=falls)
    return for_all(
        over,
        partial(values_of_laws, displays),
        wrong=partial(values_of_laws, wrong),
        proof=theorem(f"ding2025_{name}"),
    )


BULLET_1 = [row(EQUAL), Display((EQUAL,), difference, without_row, is_nonnegative=True)]

TRIALS["ding2025/lemma-1/proof/bullet-1"] = bullet(BULLET_1, "bullet_1", wrong=[row(ABOVE)])


def column(case: tuple[int, str, int]) -> Display:
    """min{F_i(x + dx), F_j(x')} = min{F_i(x), F_j(x')}."""
    return Display((case,), lambda a, a2, b, b2: least(a2, b), lambda a, a2, b, b2: least(a, b))


def zero(a: Any, a2: Any, b: Any, b2: Any) -> Any:
    """Return 0, the mass where there is none."""
    return 0 * a


BULLET_2 = [
    column(ABOVE),
    Display((ABOVE,), difference, lambda a, a2, b, b2: least(a2, b2) - least(a, b2)),
    Display((ABOVE, (0, ">=", 3)), difference, zero),
    Display(
        (ABOVE, (0, "<", 3)),
        difference,
        lambda a, a2, b, b2: least(a2, b2) - a,
        is_nonnegative=True,
    ),
]

TRIALS["ding2025/lemma-1/proof/bullet-2"] = bullet(BULLET_2, "bullet_2", wrong=[row(ABOVE)])

TRIALS["ding2025/lemma-1/proof/bullet-3"] = {
    "a": bullet([column(BELOW)], falls=Falls.STEP),
    "b": bullet([row(BELOW)], "bullet_3", wrong=[column(BELOW)]),
}


def bullet_3(last: Side) -> list[Display]:
    """Return the last display of the third bullet."""
    return [
        Display((BELOW,), difference, without_row),
        Display((BELOW, (1, "<=", 2)), difference, zero),
        Display((BELOW, (1, ">", 2)), difference, last, is_nonnegative=True),
    ]


# Printed as min{F_i(x + dx), F_j(x' + dx')} − F_i(x'), here at x = x'.
BULLET_3_PRINTED = bullet_3(lambda a, a2, b, b2: least(a2, b2) - a)

TRIALS["ding2025/lemma-1/proof/bullet-3/difference"] = bullet(
    BULLET_3_PRINTED, falls=Falls.MISPRINT
)

BULLET_3_MENDED = bullet_3(lambda a, a2, b, b2: least(a2, b2) - b)

TRIALS["ding2025/repair/lemma-1-bullet-3"] = bullet(
    BULLET_3_MENDED, "repair_bullet_3", wrong=BULLET_3_PRINTED
)

# The statements about cumulative distributions in the three cases are true; what they are said
# to imply for the mass to the left of the diagonal is not.
SHIFTS = range(1, 8)
"""Enough Δ for alphabets of up to five points: beyond, F is 0 or 1."""


def rows(case: Callable[[Fraction, Fraction], bool]) -> Cases:
    """Return laws with each x of the alphabet to which a case applies, by F_i(x) and F_j(x)."""
    return over(CONSECUTIVE, x=lambda X: X).where(lambda P, Q, x: case(P.up_to(x), Q.up_to(x)))


def case_1(X: Points, P: Law, Q: Law, x: Fraction) -> Said:
    """F_i(x) <= F_j(x+Δ), F_i(x) >= F_j(x−Δ); no mass off the diagonal."""
    pair = LinePair.of(P, Q, points=X)
    here = pair.cumulative("p", x)
    said = [at_most(here, pair.cumulative("q", x + d)) for d in SHIFTS]
    said += [at_least(here, pair.cumulative("q", x - d)) for d in SHIFTS]
    said += [equal(pair.plan(x, z), 0) for z in X if z != x]
    return Said(said, lambda: [equal(here, pair.cumulative("q", x))])


TRIALS["ding2025/lemma-1/proof/case-1"] = for_all(
    rows(lambda f, g: f == g), case_1, falls=Falls.STEP
)


def overlap(a: Any, a2: Any, b: Any, b2: Any) -> Any:
    """By how much the intervals (a, a2] and (b, b2] overlap, if they do."""
    return least(a2, b2) - greatest(a, b)


# d² = max{0, min{a2, b2} − max{a, b}}.
SUPPORT = [
    Display(((0, "<=", 3), (2, "<=", 1)), difference, overlap, is_nonnegative=True),
    Display(((0, ">", 3),), difference, zero),
    Display(((2, ">", 1),), difference, zero),
]

TRIALS["ding2025/repair/lemma-1-support"] = bullet(
    SUPPORT, "repair_support", wrong=[Display((), difference, overlap)]
)


def one_way(side: int, X: Points, P: Law, Q: Law, x: Fraction) -> Said:
    """Case (2) for side 1, case (3), mirrored, for side −1.

    (2): F_i(x) <= F_j(x+Δ) for Δ > Δ*(x), F_i(x) > F_j(x−Δ); no mass beyond Δ* or on the left.
    """
    pair = LinePair.of(P, Q, points=X)
    here, step = pair.cumulative("p", x), pair.shift(x, Shifts.INTEGERS)
    reached, strictly, end = (at_most, above, 1) if side == 1 else (at_least, below, 0)

    def there(d: int) -> Term:
        return pair.cumulative("q", x + side * d)

    said = [reached(here, when(">", d, step, there(d), end)) for d in SHIFTS]
    said += [strictly(here, there(-d)) for d in SHIFTS]
    moves = [(side * (z - x), pair.plan(x, z)) for z in X]
    said += [equal(moved, 0) for d, moved in moves if d < 0]
    said += [equal(when(">", d, step, moved, 0), 0) for d, moved in moves if d > 0]
    return Said(said, lambda: [strictly(here, there(0))])


TRIALS["ding2025/lemma-1/proof/case-2"] = for_all(
    rows(lambda f, g: f > g), partial(one_way, 1), falls=Falls.STEP
)

TRIALS["ding2025/lemma-1/proof/case-3"] = for_all(
    rows(lambda f, g: f < g), partial(one_way, -1), falls=Falls.STEP
)


def pointwise(X: Points, P: Law, Q: Law, x: Fraction) -> Relation:
    """The largest |x − x'| in the row of x is Δ*(x)."""
    pair = LinePair.of(P, Q, points=X)
    moved = [when(">", pair.plan(x, z), 0, abs(x - z), 0) for z in X]
    return equal(function("max", *moved), pair.shift(x, Shifts.INTEGERS))


TRIALS["ding2025/lemma-1/proof/pointwise-sup"] = for_all(
    rows(lambda f, g: True).where(lambda P, x: P[x] > 0), pointwise, falls=Falls.STEP
)
