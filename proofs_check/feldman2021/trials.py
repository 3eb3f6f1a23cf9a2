"""The decompositions that make clones, the reduction to counts of them, and Theorem 3.1."""

from fractions import Fraction
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.shuffle import clone_pair
from proofs_check.feldman2021 import bounds
from proofs_check.lemmas.clones import (
    CLONES,
    TWO_LETTERS,
    clones_apart,
    closed_form,
    sequences,
)
from proofs_check.lemmas.drawn import ADAPTIVE
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
    ).within(
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

TRIALS["feldman2021/theorem-3.1"] = closed_form(
    bounds, clone_pair, users=(12, 24, 60, 150, 1000, 10**6)
)
