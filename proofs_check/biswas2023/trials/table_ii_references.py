"""Table II, the columns of [10], [11] and [12]: which of their bounds gives the cells."""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Outcome, Statement
from exactdp.claims.domains import Domain
from exactdp.claims.forms import (
    Never,
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    decided,
    for_all,
    some,
)
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.terms import Term, function, named, positive_part, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Beside, Falls
from proofs_check.biswas2023.evaluation import agrees, shown
from proofs_check.biswas2023.tables import (
    TABLE_II,
    TABLE_II_EPSILON0,
    TABLE_II_EPSILONS,
    Cell,
    cells_of,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def theorem_7_third_bound(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """Solve eps = 12 eps0 sqrt(log(1/delta)/n) for delta ([11], Theorem 7)."""
    return function("exp", -n * (epsilon / (12 * epsilon0)) ** 2)


def theorem_7_second_bound(n: int, epsilon0: Fraction, epsilon: Fraction) -> Term:
    """Solve eps = c sqrt(8 log(1/delta)/n) + 6 c^2/n, c = e^(2 eps0)(e^eps0 - 1), for delta."""
    c = second_constant(epsilon0)
    rest = positive_part(epsilon - 6 * c * c / n)
    return function("exp", -(rest * rest * n / (8 * c * c)))


def second_constant(epsilon0: Fraction) -> Term:
    """Return c = e^(2 eps0)(e^eps0 - 1)."""
    x = function("exp", epsilon0)
    return x * x * (x - 1)


def is_third_bound(
    n: int, epsilon: Fraction, cell: str, epsilon0: Fraction = TABLE_II_EPSILON0
) -> Said:
    """The cell is the third bound of Theorem 7, to one unit of its last digit."""
    bound, printed = theorem_7_third_bound(n, epsilon0, epsilon), Cell(cell)
    near = above(bound, printed.value - printed.unit), below(bound, printed.value + printed.unit)
    return Said(near, printed=cell)


def is_theorem_7(n: int, epsilon: Fraction, cell: str) -> Outcome:
    """The cell is the value of Theorem 7 under its hypotheses.

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
    printed = Cell(cell)
    is_above = above(second, printed.value).holds()
    return decided(
        agrees(printed, value(second)),
        f"the third bound needs n >= 1000 and delta < 1/100 (n={n}, delta={shown(value(third))}); "
        f"the second, which applies, gives {shown(value(second))}, printed {cell}",
        claimed=Never(
            [
                at_least(third, Fraction(1, 100)) if n >= 1000 else below(n, 1000),
                at_least(second, printed.value + printed.unit)
                if is_above
                else at_most(second, printed.value - printed.unit),
            ]
        ),
        beside=[Beside(cell, shown(value(second)))],
    )


for _n in (100, 1000):
    TRIALS[f"biswas2023/table-II/n={_n}/ref-11"] = {
        "a": for_all(
            cells_of(TABLE_II_EPSILONS, TABLE_II[_n]["ref-11"]),
            partial(is_third_bound, _n),
            wrong=partial(is_third_bound, _n, epsilon0=Fraction("0.6")),
        ),
        "b": for_all(
            cells_of(TABLE_II_EPSILONS, TABLE_II[_n]["ref-11"]),
            partial(is_theorem_7, _n),
            falls=Falls.RESULT,
        ),
    }

SQUARED_CONSTANTS = {
    (100, "ref-10"): "2.611",
    (100, "ref-12"): "0.63228",
    (1000, "ref-10"): "2.7182",
}
"""c² of ε = c √(log(1/δ)/n), which is the form of both references' O(.), for a whole column."""


def is_column(n: int, column: str, squared: Fraction) -> Said:
    """The cells are e^(−n ε²/c²), to one unit of their last digits."""
    found = [
        (function("exp", -n * e * e / squared), cell)
        for e, cell in zip(TABLE_II_EPSILONS, TABLE_II[n][column], strict=True)
    ]
    return Said(
        [
            relation
            for bound, cell in found
            for relation in (
                above(bound, cell.value - cell.unit),
                below(bound, cell.value + cell.unit),
            )
        ]
    )


def is_power(first: str, second: str) -> Relation:
    """For every c, the cell at ten times the first ε is the hundredth power of the first."""
    return at_least(
        term(Cell(first).value + Cell(first).unit) ** 100, Cell(second).value - Cell(second).unit
    )


def by_column(n: int, column: str) -> Statement:
    """Return that for some c the column has this form."""
    if (n, column) not in SQUARED_CONSTANTS:
        first, second, *_ = (cell.text for cell in TABLE_II[n][column])
        return for_all(cases(first=[first], second=[second]), is_power, falls=Falls.MISPRINT)
    squared = Fraction(SQUARED_CONSTANTS[n, column])
    return some(
        cases(squared=[squared]),
        partial(is_column, n, column),
        wrong=lambda squared: is_column(n, column, squared * Fraction(11, 10)),
    )


OWN_CONSTANTS = Open(
    "the numerical forms, the closed form of [12], and the forms of both O(.) with constant 1 give "
    "none of the cells; a result for k values, or for another c, may",
    ("which result of the reference is meant", "k, where the result depends on it"),
)

for _n, _column in product((100, 1000), ("ref-10", "ref-12")):
    TRIALS[f"biswas2023/table-II/n={_n}/{_column}"] = {
        "a": by_column(_n, _column),
        "b": OWN_CONSTANTS,
    }


def closed_form_of_clones(
    n: int, exp_epsilon0: Fraction, delta: Fraction, constant: int = 16
) -> Relation:
    """ln(1 + (x−1)/(x+1) (8 √(x ln(4/δ)/n) + 8x/n)) <= 16 (1 − 1/x) √(x ln(1/δ)/n), x = e^ε0."""
    x, d = term(exp_epsilon0), term(delta)
    spread = 8 * function("sqrt", x * function("log", 4 / d) / n) + 8 * x / n
    claimed = constant * (1 - 1 / x) * function("sqrt", x * function("log", 1 / d) / n)
    return at_most(function("log", 1 + (x - 1) / (x + 1) * spread), claimed)


def is_small(n: Any, exp_epsilon0: Any, delta: Any) -> Relation:
    """Return the hypothesis of [12], ε_0 <= ln(n/(16 ln(2/δ)))."""
    return at_most(16 * exp_epsilon0 * function("log", 2 / term(delta)), n)


def constant_one(n: int, exp_epsilon0: Fraction, delta: Fraction) -> Relation:
    """Randomized response, all others alike: D at the bound with constant 1 is at most δ."""
    x = exp_epsilon0
    bound = (1 - 1 / x) * function("sqrt", x * function("log", 1 / delta) / n)
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    view = shuffle_pair(rows, inputs=(0, 1), others=[(0, n - 1)])
    return at_most(hockey_stick(view, named("e", function("exp", bound))), delta)


SOME_CONSTANT = for_all(
    cases(
        n=(1000, 10**6),
        exp_epsilon0=[Fraction(x) for x in ("101/100", "2", "12")],
        delta=[Fraction(1, 2), Fraction(1, 10**9)],
    )
    .where(lambda n, exp_epsilon0, delta: is_small(n, exp_epsilon0, delta).holds())
    .within(
        is_small,
        n=integers(1),
        exp_epsilon0=reals(above=1),
        delta=reals(above=0, most=Fraction(1, 2)),
    )
    .drawn(
        Domain(
            {
                "n": integers(2000),
                "exp_epsilon0": reals(above=1, most=2),
                "delta": reals(Fraction(1, 10**6), Fraction(1, 2)),
            },
            (is_small,),
        ).strategy
    ),
    closed_form_of_clones,
    wrong=partial(closed_form_of_clones, constant=2),
    proof=theorem("biswas2023_feldman_bound"),
)
"""What the closed form of [12] gives, which is a theorem there (feldman2021/theorem-3.1)."""

TRIALS["biswas2023/section-IV-A/feldman-bound"] = {
    "a": SOME_CONSTANT,
    "b": for_all(
        cases(n=(100,), exp_epsilon0=[Fraction(55)], delta=[Fraction(1, 1000)]),
        constant_one,
        falls=Falls.RESULT,
    ),
}
