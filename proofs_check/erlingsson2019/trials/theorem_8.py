"""Section 4: Theorem 8 and its proof: the steps of A_swap, over all randomizers for small n.

Every local randomizer is post-processing of one with extremal columns, so a maximum over
these is one over all. x = e^{ε_0}; n users; T is the swapped position given the outputs.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from exactdp.claims.cases import cases, listed
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import Sort, integers, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, term
from exactdp.claims.verdicts import Falls
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.swaps import largest_step_ratio
from proofs_check.erlingsson2019.trials.section_4 import (
    AMPLIFIED,
    SMALL_CASES,
    TWO_USERS,
    delta_at,
    general,
    sequence_of,
)
from proofs_check.lemmas.adaptive import SWAPPED
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

swapped_delta = quantity(
    "(swapped_apart same {1:nat} {0} (exp (general_bound {1:nat} {2} {3})))", name="swapped"
)(partial(delta_at, bounds.general_bound, SWAPPED))

SWAPPING = sequence_of(
    SWAPPED,
    (
        "swapping X A",
        "private_after same (ln exp_epsilon0) (randomizer {0})",
        f"{SAME} {{X : Type}}",
    ),
)

TRIALS["erlingsson2019/theorem-8"] = for_all(
    SMALL_CASES.then(TWO_USERS).within(**{**AMPLIFIED, "randomizers": SWAPPING}),
    partial(general, swapped_delta),
    wrong=partial(general, partial(delta_at, bounds.general_bound, SWAPPED, divide=50)),
    proof=theorem("erlingsson2019_theorem_8"),
)

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2)]

FEW: dict[str, Sort] = {"n": integers(2, draws=1), "exp_epsilon0": reals(above=1)}
STEPS = (
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS, step=lambda n: range(1, n + 1))
    .deep(n=(2, 3, 4, 5))
    .within(**FEW, step=integers(1, lambda n: n))
)


def step_claim(
    claimed: Callable[[int, Fraction], Fraction], n: int, step: int, exp_epsilon0: Fraction
) -> Relation:
    """Bound the largest ratio of the laws of B^(i) on datasets that differ at index 1."""
    ratio = largest_step_ratio(inputs=3, users=n, step=step, exp_epsilon0=exp_epsilon0)
    return at_most(ratio, function("exp", claimed(n, exp_epsilon0)))


def last_step_ratio(n: int, exp_epsilon0: Fraction) -> Relation:
    """Compare the ratio at step n, for 3-ary randomized response, with e^{2x(x−1)/n}.

    D = (2, 1, ..., 1, 0) and D' = (0, 1, ..., 1, 0), after the outputs (0, 1, ..., 1), at the
    output 2; Pr[s | I = j] in units of the smallest, for I = 1, I = n and the n − 2 others.
    """
    x = term(exp_epsilon0)
    one, last, middle = x ** (n - 2), x ** (n - 1), (n - 2) * x ** (n - 3)
    ratio = (one + last * x + middle) / (one + last + middle)
    return at_most(ratio, function("exp", 2 * x * (x - 1) / n))


def b_i(n: int, step: int, exp_epsilon0: Fraction) -> Relation:
    """B^(i) is 2x(x−1)/n-DP at index 1: all randomizers for few users, then one."""
    if n == step and n > 10:
        return last_step_ratio(n, exp_epsilon0)
    return step_claim(lambda n, x: 2 * x * (x - 1) / n, n, step, exp_epsilon0)


TRIALS["erlingsson2019/theorem-8/proof/B-i"] = for_all(
    STEPS.then(listed({"n": 37, "step": 37, "exp_epsilon0": Fraction(10, 3)})),
    b_i,
    falls=Falls.MISPRINT,
)
