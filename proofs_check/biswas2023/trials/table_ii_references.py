"""Table II, the columns of [10], [11] and [12]: which of their bounds gives the cells."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Said, Trials, above, at_least, below, decided, for_all, some
from exactdp.claims.terms import Term, function, positive_part, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Beside, Falls
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Epsilon
from exactdp.shuffle import clone_pair, stronger_clone_pair
from proofs_check.biswas2023.evaluation import agrees, shown
from proofs_check.biswas2023.tables import (
    TABLE_II,
    TABLE_II_EPSILON0,
    TABLE_II_EPSILONS,
    Cell,
    cells_of,
)

TRIALS: Trials = {}


def theorem_7_third_bound(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """eps = 12 eps0 sqrt(log(1/delta)/n), solved for delta ([11], Theorem 7)."""
    return function("exp", -n * (epsilon / (12 * epsilon0)) ** 2)


def theorem_7_second_bound(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """eps = c sqrt(8 log(1/delta)/n) + 6 c^2/n, c = e^(2 eps0)(e^eps0 - 1), solved for delta."""
    x = function("exp", epsilon0)
    c = x * x * (x - 1)
    rest = positive_part(epsilon - 6 * c * c / n)
    return function("exp", -(rest * rest * n / (8 * c * c)))


def is_third_bound(
    n: int, epsilon: Fraction, cell: str, epsilon0: Fraction = TABLE_II_EPSILON0
) -> Said:
    """The cell is the third bound of Theorem 7, to one unit of its last digit."""
    bound, printed = theorem_7_third_bound(n, epsilon0, epsilon), Cell(cell)
    near = above(bound, printed.value - printed.unit), below(bound, printed.value + printed.unit)
    return Said(near, printed=cell)


def is_theorem_7(n: int, epsilon: Fraction, cell: str) -> Outcome:
    """The cell is what Theorem 7 gives under its hypotheses.

    The third bound asks for n >= 1000 and delta < 1/100; the second, for
    eps0 <= ln(n/4)/3, applies here, and the general one is weaker.
    """
    third, second = (
        form(n, TABLE_II_EPSILON0, epsilon)
        for form in (theorem_7_third_bound, theorem_7_second_bound)
    )
    if n >= 1000 and below(third, Fraction(1, 100)).holds():
        return decided(
            agrees(Cell(cell), value(third)),
            f"the third bound is {shown(value(third))}",
            beside=[Beside(cell, shown(value(third)))],
        )
    return decided(
        agrees(Cell(cell), value(second)),
        f"the third bound needs n >= 1000 and delta < 1/100 (n={n}, delta={shown(value(third))}); "
        f"the second, which applies, gives {shown(value(second))}, printed {cell}",
        failure=[at_least(third, Fraction(1, 100)) if n >= 1000 else below(n, 1000)],
        beside=[Beside(cell, shown(value(second)))],
    )


for _n in (100, 1000):
    TRIALS[f"biswas2023/table-II/n={_n}/ref-11"] = {
        "a": for_all(
            cells_of(TABLE_II_EPSILONS, TABLE_II[_n]["ref-11"]).all_of(
                "all cells of the column, to one unit of the last printed digit"
            ),
            partial(is_third_bound, _n),
            wrong=partial(is_third_bound, _n, epsilon0=Fraction("0.6")),
        ),
        "b": for_all(
            cells_of(TABLE_II_EPSILONS, TABLE_II[_n]["ref-11"]),
            partial(is_theorem_7, _n),
            falls=Falls.RESULT,
        ),
    }

Bound = Callable[[int, Fraction, Fraction], Term]
"""delta(n, eps0, eps)."""


def asymptotic_clones(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """eps = (1 - e^-eps0) sqrt(e^eps0 log(1/delta)/n): the O(.) quoted from [12], constant 1."""
    x = function("exp", epsilon0)
    return function("exp", -(n * epsilon**2 / ((1 - 1 / x) ** 2 * x)))


def closed_form_clones(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """e^eps = 1 + (x-1)/(x+1) (8 sqrt(x log(4/delta)/n) + 8x/n), x = e^eps0: [12], closed form."""
    x = function("exp", epsilon0)
    rest = positive_part((function("exp", epsilon) - 1) * (x + 1) / (x - 1) - 8 * x / n)
    return function("min", 1, 4 * function("exp", -(rest * rest * n / (64 * x))))


def asymptotic_blanket(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """eps = min(1, eps0) e^eps0 sqrt(log(1/delta)/n): the O(.) of [10], constant 1."""
    scale = (min(Fraction(1), epsilon0) * function("exp", epsilon0)) ** 2
    return function("exp", -(n * epsilon**2 / scale))


def unsquared_clones(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """asymptotic_clones with (1 - e^-eps0) not squared: no published bound."""
    return function("exp", -(n * epsilon**2 / (function("exp", epsilon0) - 1)))


def halved_blanket(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """exp(-n eps^2 / (2 eps0 e^(2 eps0))): no published bound."""
    return function("exp", -(n * epsilon**2 / (2 * epsilon0) / function("exp", 2 * epsilon0)))


def numerical(pair: Callable[[int, Epsilon], PrivacyProfile]) -> Bound:
    """delta of the pair of counts that a reference reduces all users to.

    For two values the blanket of [10] is the pair of stronger clones; for more it is less.
    """

    def bound(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
        of_pair = pair(n, Epsilon.rational(epsilon0))
        found = of_pair.delta(Epsilon.rational(epsilon), relative_width="1e-12")
        return term(enclosed(found, "1e-12").upper)

    return bound


PUBLISHED: dict[str, dict[str, Bound]] = {
    "ref-10": {
        "asymptotic form": asymptotic_blanket,
        "numerical form": numerical(stronger_clone_pair),
    },
    "ref-12": {
        "asymptotic form": asymptotic_clones,
        "closed form": closed_form_clones,
        "numerical form": numerical(clone_pair),
    },
}
REVERSE_ENGINEERED: dict[str, tuple[str, Bound]] = {
    "ref-10": ("exp(-n eps^2 / (2 eps0 e^(2 eps0)))", halved_blanket),
    "ref-12": ("exp(-n eps^2 / (e^eps0 - 1))", unsquared_clones),
}


def is_column_of(n: int, column: str, bound: str) -> Outcome:
    """The published bound gives all cells of the column."""

    def fits(form: Bound, epsilon0: Fraction = TABLE_II_EPSILON0) -> int:
        cells = zip(TABLE_II[n][column], TABLE_II_EPSILONS, strict=True)
        return sum(agrees(cell, value(form(n, epsilon0, e))) for cell, e in cells)

    found = fits(PUBLISHED[column][bound])
    bounds = {e: PUBLISHED[column][bound](n, TABLE_II_EPSILON0, e) for e in TABLE_II_EPSILONS}
    first = value(bounds[TABLE_II_EPSILONS[0]])
    name, form = REVERSE_ENGINEERED[column]
    notes = [
        f"{name} at eps0 = {epsilon0} gives {fits(form, epsilon0)} of 5 cells"
        for epsilon0 in (TABLE_II_EPSILON0, Fraction(1, 2))
    ]
    return decided(
        found == 5,
        f"which result of the reference is meant is not stated, and its text is not at hand; "
        f"the {bound} gives {found} of 5 cells ({shown(first)} for the first), "
        f"while the unpublished {'; '.join(notes)}",
        beside=[
            Beside(cell.text, shown(value(bounds[e])), at=f"bound={bound.split()[0]}, epsilon={e}")
            for e, cell in zip(TABLE_II_EPSILONS, TABLE_II[n][column], strict=True)
        ],
    )


for _n, _column in product((100, 1000), ("ref-10", "ref-12")):
    TRIALS[f"biswas2023/table-II/n={_n}/{_column}"] = some(
        cases(bound=PUBLISHED[_column]), partial(is_column_of, _n, _column)
    )
