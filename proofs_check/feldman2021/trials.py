"""The decompositions that make clones, the reduction to counts of them, and Theorem 3.1."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, function
from exactdp.testing.later import st
from proofs_check.feldman2021 import bounds
from proofs_check.lemmas.clones import (
    CLONES,
    TWO_LETTERS,
    clones_apart,
    sequences,
)
from proofs_check.lemmas.drawn import ADAPTIVE
from proofs_check.lemmas.outside import written_responses
from proofs_check.lemmas.sequences import two_users
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import backwards

TRIALS: Trials = {}

RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]

TRIALS["feldman2021/clones"] = CLONES

TRIALS["feldman2021/two-letters"] = TWO_LETTERS


def gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to e^ε0."""
    return sorted({1 + (exp_epsilon0 - 1) * Fraction(i, 4) for i in range(5)})


def shuffled_outputs(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """False: outputs shuffled in place of data, each user with messages of their own."""
    x, g = exp_epsilon0, exp_epsilon
    a, b = x / (x + 1), 1 / (x + 1)
    rows = {"own": [[a, b, 0, 0], [b, a, 0, 0]], "foreign": [[0, 0, a, b], [0, 0, b, a]]}
    view = shuffle_pair(rows, victim="own", inputs=(0, 1), others=[("foreign", 0, n - 1)])
    return at_most(hockey_stick(view, g), clones_apart(n, x, 1 / x, g))


TRIALS["feldman2021/reduction"] = for_all(
    cases(
        n__randomizers=[(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        exp_epsilon=gammas,
    )
    .then(
        cases(
            n=(2,),
            exp_epsilon0=[Fraction(3, 2)],
            exp_epsilon=[Fraction(9, 8)],
            randomizers=lambda exp_epsilon0: [two_users(exp_epsilon0)],
        )
    )
    .within(
        n=integers(1, draws=3), exp_epsilon0=reals(1), exp_epsilon=reals(1), randomizers=ADAPTIVE
    ),
    sequences(lambda exp_epsilon0: 1 / exp_epsilon0),
    proof=theorem("feldman2021_reduction"),
    wrong=for_all(
        cases(
            n=(2, 3),
            exp_epsilon0=RATIOS[1:],
            exp_epsilon=lambda exp_epsilon0: gammas(exp_epsilon0)[:-1],
        ),
        shuffled_outputs,
    ),
)


def each_count(c: int, exp_epsilon0: Any, exp_epsilon: Any) -> Relation:
    """Given C = c the counts are those of c + 1 users who always send a letter."""
    first, second = (clones_apart(c + i, exp_epsilon0, 1, exp_epsilon) for i in (1, 2))
    return at_most(second, first)


TRIALS["feldman2021/reduction/each-count"] = for_all(
    cases(c=range(8), exp_epsilon0=RATIOS, exp_epsilon=gammas)
    .deep(c=range(40))
    .within(c=integers(0), exp_epsilon0=reals(1), exp_epsilon=reals(1)),
    each_count,
    wrong=backwards(each_count),
    proof=theorem("feldman2021_each_count"),
)

RESPONSES = replace(
    ADAPTIVE,
    what="adaptive e^ε0-DP randomizers of n users, with neighboring data (a number: binary "
    "randomized response, the victim's 0 becomes 1, and so many of the others have 1)",
    drawn=lambda n: st.integers(0, n - 1),
    written=written_responses,
)


@quantity("(messages_apart same {0} {3})", name="shuffled")
def responses_apart(ones: int, n: int, exp_epsilon0: Fraction, exp_epsilon: Any) -> Term:
    """D of the view of binary randomized responses."""
    x = exp_epsilon0
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    others = [(0, n - 1 - ones), (1, ones)]
    return hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=others), exp_epsilon)


def is_small(n: Any, exp_epsilon0: Any, delta: Any) -> Relation:
    """Return the theorem's hypothesis on ε_0."""
    most = formula(bounds.largest_exp_epsilon0, n=n, delta=delta)
    return at_most(exp_epsilon0, most)


def theorem_3_1(
    n: Any, exp_epsilon0: Any, delta: Any, randomizers: Any, divide: int = 1
) -> Relation:
    """D at the closed form (its e^ε − 1 divided by ``divide``) is at most δ."""
    at = {"n": n, "epsilon0": function("log", exp_epsilon0), "delta": delta}
    amplified = formula(bounds.exp_amplified, **at)
    if divide > 1:
        amplified = 1 + (amplified - 1) / divide
    return at_most(responses_apart(randomizers, n, exp_epsilon0, amplified), delta)


TRIALS["feldman2021/theorem-3.1"] = for_all(
    cases(
        n=(12, 24, 60, 150, 400),
        exp_epsilon0=[Fraction(x) for x in ("101/100", "3/2", "9/4", "4", "12")],
        delta=[Fraction(d) for d in ("1", "1/2", "1/10", "1/100", "1e-6")],
        randomizers=lambda n: (0, n // 2, n - 1),
    )
    .where(lambda n, exp_epsilon0, delta: is_small(n, exp_epsilon0, delta).holds())
    .within(
        is_small,
        n=integers(1, draws=100),
        exp_epsilon0=reals(1),
        delta=reals(above=0, most=1),
        randomizers=RESPONSES,
    ),
    theorem_3_1,
    wrong=partial(theorem_3_1, divide=100),
    proof=theorem("feldman2021_theorem_3_1"),
)
