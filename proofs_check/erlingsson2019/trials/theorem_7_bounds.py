"""Section 4: the second and the third bound of Theorem 7."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.domains import Domain
from exactdp.claims.forms import Relation, Trials, at_most, below, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, term
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Enclosure, Epsilon, log
from exactdp.numbers.real_functions import Bound
from exactdp.shuffle import clone_pair
from exactdp.testing.later import st
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.trials.section_4 import (
    AMPLIFIED,
    DELTAS,
    RANDOMIZERS,
    amplified,
    delta_at,
    general,
)
from proofs_check.lemmas.adaptive import SHUFFLED
from proofs_check.lemmas.sequences import one_speaker
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def binary_rows(x: Fraction) -> list[list[list[Fraction]]]:
    """Return randomized response, and the two randomizers of ratio at most x with a fair row."""
    fair, low = [Fraction(1, 2)] * 2, [1 / (2 * x), 1 - 1 / (2 * x)]
    truth = [x / (x + 1), 1 / (x + 1)]
    return [[truth, truth[::-1]], [fair, low], [low, fair]]


def delta_of_binary(
    bound: Bound, n: int, exp_epsilon0: Fraction, delta: Fraction, divide: int = 1, outside: int = 0
) -> Any:
    """Return the largest δ at the bound for n users of one binary randomizer, all others alike.

    ``outside`` further users send message 0 whatever their input. Above ``MOST`` users, all
    adaptive randomizers and data at once, by the counts of clones (feldman2021/reduction): between
    0 and theirs.
    """
    x = exp_epsilon0
    gamma = amplified(bound, divide, n=n, epsilon0=log(x), delta=delta)
    if gamma >= x:  # nothing is left
        return 0
    if n > MOST:
        clones = clone_pair(n, Epsilon.log(x)).delta(Epsilon.log(gamma), relative_width="1e-6")
        return Enclosure(Fraction(0), enclosed(clones, "1e-6").upper)
    views = [
        shuffle_pair(
            {"R": rows, "outside": [[1, 0], [1, 0]]},
            inputs=inputs,
            others=[("R", other, n - 1), ("outside", 0, outside)],
        )
        for rows in binary_rows(x)
        for inputs in ((0, 1), (1, 0))
        for other in (0, 1)
    ]
    return function("max", *(hockey_stick(view, gamma) for view in views))


MOST = 2000
"""So many users have exact views here."""


BINARY = "binary"
"""Stands for binary randomizers, all alike; above ``MOST`` users for all randomizers there are."""


def amplification(bound: Bound, coq: str, divide: int) -> tuple[Any, Any]:
    """Return that a bound holds, and that a part of it does."""

    def delta_of(randomizers: Any, n: int, x: Fraction, delta: Fraction, divide: int = 1) -> Any:
        if isinstance(randomizers, str):
            return delta_of_binary(bound, n, x, delta, divide)
        return delta_at(bound, SHUFFLED, randomizers, n, x, delta, divide)

    printed = quantity(
        f"(messages_apart same {{0}} (exp ({coq} {{1:nat}} {{2}} {{3}})))", name="shuffled"
    )(delta_of)
    return partial(general, printed), partial(general, partial(delta_of, divide=divide))


SMALL, PART_OF_SMALL = amplification(bounds.small_epsilon0_bound, "small_bound", divide=40)


def is_small(n: Any, exp_epsilon0: Any) -> Relation:
    """Return the hypothesis ε_0 <= ln(n/4)/3."""
    return at_most(4 * term(exp_epsilon0) ** 3, n)


TRIALS["erlingsson2019/theorem-7/small-epsilon0"] = for_all(
    cases(
        n=(10, 40, 200),
        exp_epsilon0=[Fraction(51, 50), Fraction(5, 4), Fraction(2)],
        delta=DELTAS,
        randomizers=(BINARY,),
    )
    .where(lambda n, exp_epsilon0: is_small(n, exp_epsilon0).holds())
    .then(cases(n=(5,), exp_epsilon0=[Fraction(21, 20)], delta=DELTAS, randomizers=(2,)))
    .then(
        cases(
            n=(5,),
            exp_epsilon0=[Fraction(21, 20)],
            delta=[Fraction(99, 100)],
            randomizers=lambda n, exp_epsilon0: [one_speaker(n, exp_epsilon0)],
        )
    )
    .then(
        cases(
            n=(10**6,),
            exp_epsilon0=[Fraction(5, 4), Fraction(2)],
            delta=DELTAS,
            randomizers=(BINARY,),
        )
    )
    .within(is_small, **AMPLIFIED)
    .drawn(
        Domain(
            {**AMPLIFIED, "n": integers(5, draws=1), "exp_epsilon0": reals(above=1, most="15/14")},
            (is_small,),
        ).strategy
    ),
    SMALL,
    wrong=PART_OF_SMALL,
    proof=theorem("erlingsson2019_theorem_7_small"),
)

MANY: dict[str, Any] = {
    "n": (1000, MOST, 10**6, 10**9),
    "exp_epsilon0": [Fraction(8, 5), Fraction(11, 10)],
    "delta": [Fraction(1, 101), Fraction(1, 10**6)],
}

LARGE, PART_OF_LARGE = amplification(bounds.large_n_bound, "large_bound", divide=20)


def is_below_half(exp_epsilon0: Any) -> Relation:
    """Return the hypothesis ε_0 < 1/2."""
    return below(function("log", exp_epsilon0), Fraction(1, 2))


MANY_RANDOMIZERS = replace(RANDOMIZERS, drawn=lambda: st.just(BINARY))

LARGE_BOUND = for_all(
    cases(**MANY, randomizers=(BINARY,)).within(
        is_below_half,
        n=integers(1000, draws=1),
        exp_epsilon0=reals(above=1),
        delta=reals(above=0, below=Fraction(1, 100)),
        randomizers=MANY_RANDOMIZERS,
    ),
    LARGE,
    wrong=PART_OF_LARGE,
    proof=theorem("erlingsson2019_theorem_7_large"),
)

TRIALS["erlingsson2019/theorem-7/n>=1000"] = LARGE_BOUND
