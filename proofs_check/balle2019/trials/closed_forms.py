"""The closed forms by Hoeffding's and Bennett's inequalities."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, TermFunctions, formula, term
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.later import st
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import (
    BLANKET,
    WITHIN,
    Rows,
    blanket_of,
    gamma_of,
    gammas,
    largest_ratio,
    loss,
    moments,
)
from proofs_check.balle2019.trials.blanket import DATA, views_apart
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Data = Sequence[Sequence[int]]
"""The inputs of all users; and with the first one's changed."""


def variable_of(rows: Rows, data: Data, exp_epsilon: Fraction) -> dict[str, Exact]:
    """Return the moments of L for the victim's two inputs."""
    return moments(loss(rows, (data[0][0], data[1][0]), exp_epsilon))


WIDTH = objects(
    "the length of an interval that holds L",
    lambda rows, data, exp_epsilon: st.just(
        variable_of(rows, data, exp_epsilon)["width"] or Exact(1)
    ),
    condition=lambda rows, data, exp_epsilon, width: (
        width > 0 and variable_of(rows, data, exp_epsilon)["width"] <= width
    ),
    coq=("R", "0 < {0} /\\ holds_variable rows blanket data exp_epsilon {0}", ""),
)

MAXIMUM = objects(
    "a bound of L",
    lambda rows, data, exp_epsilon: st.just(
        max(variable_of(rows, data, exp_epsilon)["maximum"], Exact(Fraction(1, 8)))
    ),
    condition=lambda rows, data, exp_epsilon, maximum: (
        maximum > 0 and variable_of(rows, data, exp_epsilon)["maximum"] <= maximum
    ),
    coq=("R", "0 < {0} /\\ bounds_variable rows blanket data exp_epsilon {0}", ""),
)

SQUARE = objects(
    "a bound of E[L²]",
    lambda rows, data, exp_epsilon: st.just(variable_of(rows, data, exp_epsilon)["second_moment"]),
    condition=lambda rows, data, exp_epsilon, second_moment: (
        variable_of(rows, data, exp_epsilon)["second_moment"] <= second_moment
    ),
    coq=("R", "moment rows blanket (victim data) exp_epsilon 2 <= {0}", ""),
)

_LOPSIDED = [
    tuple(tuple(map(Fraction, row)) for row in rows)
    for rows in ((("1/5", "4/5"), ("2/5", "3/5")), (("4/5", "1/5"), ("3/5", "2/5")))
]

DATA_OF_USERS: dict[str, Sort] = {
    "exp_epsilon0": reals(above=1),
    "rows": WITHIN,
    "n": integers(1, draws=2),
    "blanket": BLANKET,
    "data": DATA,
    "exp_epsilon": reals(above=1, below=lambda exp_epsilon0: exp_epsilon0),
}
"""An ε_0-DP randomizer on data of n users, of which one is changed, and 0 < ε < ε_0."""


def changes(rows: Rows, n: int) -> list[Data]:
    """Return data with the victim's input changed both ways, all others the same."""
    inputs = range(len(rows))
    return [
        ((x, *(z,) * (n - 1)), (y, *(z,) * (n - 1)))
        for x, y in permutations(inputs[:2])
        for z in inputs
    ]


def of_users(**moment: str) -> Cases:
    """Return data of few users with a k-ary randomized response or a lopsided one."""
    responses = [
        tuple(tuple(x.as_fraction() for x in row) for row in response.rows)
        for k in (2, 3)
        for response in (randomized_response(k, Epsilon.log(x)) for x in (Fraction(3, 2), 3, 8))
    ]
    named = {
        name: lambda rows, data, exp_epsilon, of=of: [variable_of(rows, data, exp_epsilon)[of]]
        for name, of in moment.items()
    }
    return cases(
        n=(1, 2, 5),
        rows=[*responses, *_LOPSIDED],
        exp_epsilon0=lambda rows: [largest_ratio(rows)],
        blanket=lambda rows: [blanket_of(rows)],
        data=changes,
        exp_epsilon=lambda rows: gammas(rows)[1:],
        **named,
    ).deep(n=(1, 2, 5, 12, 30))


def hoeffding(
    n: Any,
    rows: Any,
    blanket: Any,
    data: Any,
    exp_epsilon: Any,
    width: Any,
    divide: int = 1,
) -> Relation:
    """Delta of the whole view against the closed form (divided by ``divide``)."""
    at = {"n": n, "exp_epsilon": exp_epsilon, "gamma": gamma_of(blanket), "width": width}
    claimed = formula(bounds.hoeffding, **at)
    return at_most(
        views_apart(rows, data, exp_epsilon), claimed / divide if divide > 1 else claimed
    )


TRIALS["balle2019/hoeffding"] = for_all(
    of_users(width="width")
    .where(lambda width: width > 0)
    .printed("exp_epsilon0 rows n blanket data exp_epsilon width")
    .within(**DATA_OF_USERS, width=WIDTH),
    hoeffding,
    wrong=partial(hoeffding, divide=10),
    proof=theorem("balle2019_hoeffding"),
)


@quantity("(bennett_delta {0:nat} {1} {2} {3} {4})", name="bennett")
def bennett_delta(n: int, gamma: Any, exp_epsilon: Any, maximum: Any, second_moment: Any) -> Term:
    """Return the closed form, whose expectation is a sum over m."""
    at = {"gamma": gamma, "maximum": maximum, "second_moment": second_moment}
    terms = {name: term(x) for name, x in at.items()}
    return term(bounds.bennett(TermFunctions(), n=n, exp_epsilon=term(exp_epsilon), **terms))


def bennett(
    n: Any,
    rows: Any,
    blanket: Any,
    data: Any,
    exp_epsilon: Any,
    maximum: Any,
    second_moment: Any,
    divide: int = 1,
) -> Relation:
    """Delta of the whole view against the closed form (divided by ``divide``)."""
    claimed = bennett_delta(n, gamma_of(blanket), exp_epsilon, maximum, second_moment)
    return at_most(
        views_apart(rows, data, exp_epsilon), claimed / divide if divide > 1 else claimed
    )


TRIALS["balle2019/bennett"] = for_all(
    of_users(maximum="maximum", second_moment="second_moment")
    .where(lambda maximum: maximum > 0)
    .printed("exp_epsilon0 rows n blanket data exp_epsilon maximum second_moment")
    .within(**DATA_OF_USERS, maximum=MAXIMUM, second_moment=SQUARE),
    bennett,
    wrong=partial(bennett, divide=20),
    proof=theorem("balle2019_bennett"),
)
