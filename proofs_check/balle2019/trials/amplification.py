"""Claims about the privacy amplification random variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, function, term, total
from exactdp.numbers import Exact
from exactdp.testing.later import st
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import (
    BLANKET,
    WITHIN,
    Blanket,
    Rows,
    blanket_of,
    gamma_of,
    gammas,
    largest_ratio,
    small_rows,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


@quantity("(variable {0} {1} {2} {3} {4})", name="L")
def variable(
    rows: Rows, blanket: Blanket, inputs: tuple[int, int], exp_epsilon: Fraction, message: int
) -> Term:
    """L at a message that the blanket sends."""
    true, other = (Exact(rows[x][message]) for x in inputs)
    return (term(true) - term(exp_epsilon) * term(other)) / term(blanket[1][message])


@quantity("(moment {0} {1} {2} {3} {4:nat})", name="moment")
def moment(
    rows: Rows, blanket: Blanket, inputs: tuple[int, int], exp_epsilon: Fraction, power: int
) -> Term:
    """E[L^power] at a draw of the blanket."""
    values = [variable(rows, blanket, inputs, exp_epsilon, y) for y in range(len(blanket[1]))]
    return total([term(w) * value**power for value, w in zip(values, blanket[1], strict=True)])


def properties(
    exp_epsilon0: Any,
    rows: Any,
    blanket: Any,
    inputs: Any,
    exp_epsilon: Any,
    y: Any,
    z: Any,
    share: int = 1,
) -> list[Relation]:
    """E[L] = 1 − e^ε, and the three bounds (divided by ``share``), the range between messages."""
    at = {"exp_epsilon": exp_epsilon, "exp_epsilon0": exp_epsilon0, "gamma": gamma_of(blanket)}
    first, second = (variable(rows, blanket, inputs, exp_epsilon, m) for m in (y, z))
    mean, square = (moment(rows, blanket, inputs, exp_epsilon, power) for power in (1, 2))
    most, width, squares = (
        formula(bound, **at) if share == 1 else formula(bound, **at) / share
        for bound in (bounds.generic_maximum, bounds.generic_range, bounds.generic_second_moment)
    )
    return [
        equal(mean, 1 - term(exp_epsilon)),
        at_most(first, most),
        at_most(first - second, width),
        at_most(square, squares),
    ]


MESSAGE = objects(
    "a message that the blanket sends",
    lambda blanket: st.integers(0, len(blanket[1]) - 1),
    coq=("nat", "is_sent blanket {0}", ""),
)

TRIALS["balle2019/amplification-variable"] = for_all(
    cases(
        _size=[(2, 2, 5), (2, 3, 4), (3, 3, 4)],
        rows=lambda _size: small_rows(*_size),
        exp_epsilon0=lambda rows: [largest_ratio(rows)],
        blanket=lambda rows: [blanket_of(rows)],
        inputs=lambda rows: permutations(range(len(rows)), 2),
        exp_epsilon=gammas,
        **{"y z": lambda blanket: permutations(range(len(blanket[1])), 2)},
    )
    .printed("exp_epsilon0 rows blanket inputs exp_epsilon y z")
    .within(
        exp_epsilon0=reals(1),
        rows=WITHIN,
        blanket=BLANKET,
        inputs=objects(
            "the victim's two inputs",
            lambda rows: st.sampled_from(list(permutations(range(len(rows)), 2))),
            coq=("X * X", "", "{X : Type}"),
        ),
        exp_epsilon=reals(1),
        y=MESSAGE,
        z=MESSAGE,
    ),
    properties,
    wrong=partial(properties, share=2),
    proof=theorem("balle2019_amplification_variable"),
)


def of_k_rr(k: Any, exp_epsilon0: Any, exp_epsilon: Any, shift: int = 0) -> list[Relation]:
    """L at x, at x' and at the k − 2 others, with ω uniform: three numbers (of k + shift)."""
    x, e = term(exp_epsilon0), term(exp_epsilon)
    high, low, rest = (k * mass / (x + k - 1) for mass in (x - e, 1 - e * x, 1 - e))
    most, least = (function(end, high, low, rest) for end in ("max", "min"))
    square = (high**2 + low**2 + (k - 2) * rest**2) / k
    at = {"k": term(k) + shift, "exp_epsilon": e, "gamma": k / (x + k - 1)}
    claimed = (bounds.k_rr_maximum, bounds.k_rr_range, bounds.k_rr_second_moment)
    return [
        equal(value, bound(None, **at))
        for value, bound in zip((most, most - least, square), claimed, strict=True)
    ]


TRIALS["balle2019/amplification-variable/k-rr"] = for_all(
    cases(
        k=(2, 3, 4, 7),
        exp_epsilon0=(Fraction(3, 2), Fraction(4)),
        exp_epsilon=[Exact.exp(x) for x in ("1/10", "1/2", "1")],
    ).within(k=integers(2), exp_epsilon0=reals(1), exp_epsilon=reals(1)),
    of_k_rr,
    wrong=partial(of_k_rr, shift=1),
    proof=in_numbers(),
)
