"""Theorem 1 of cpSGD: binomial noise for vectors of integers.

Of the coordinates that change all change alike. Their sum, which whoever sees them can form, has
as many coins more, and its δ is at most theirs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt

from exactdp.claims import Falls, Said, Trials, at_least, at_most, cases, for_all, formula
from exactdp.claims.terms import function
from exactdp.numbers.real_functions import evaluate_float
from proofs_check.libraries.binomial import (
    coins_delta,
    cpsgd_epsilon,
    cpsgd_least_variance,
    smallest_coins,
)

__all__ = ["TRIALS"]


def l2(shift: int, moved: int) -> Fraction:
    """Return the length of the change; of a square number of coordinates, it is rational."""
    assert isqrt(moved) ** 2 == moved
    return Fraction(shift * isqrt(moved))


def private(
    p: Fraction, delta: Fraction, shift: int, d: int, moved: int, direction: int, part: int = 1
) -> Said:
    """Compare δ at the printed ε with its δ, at the smallest N."""
    at = {"delta": delta, "s": Fraction(1), "d": Fraction(d), "linf": Fraction(shift)}
    least = evaluate_float(cpsgd_least_variance, **at)
    n = smallest_coins(least / float(p * (1 - p)))
    at |= {"n": Fraction(n), "p": p, "l1": Fraction(shift * moved), "l2": l2(shift, moved)}
    epsilon = formula(cpsgd_epsilon, **at)
    near = evaluate_float(cpsgd_epsilon, **at) / part
    truth = coins_delta(
        n * moved, direction * shift * moved, function("exp", epsilon / part), p=p, near=near
    )
    variance = n * p * (1 - p)
    rule = formula(cpsgd_least_variance, delta=delta, s=1, d=d, linf=shift)
    return at_most(truth, delta).given([at_least(variance, rule)])


TRIALS: Trials = {
    "libraries/cpsgd/theorem-1": for_all(
        cases(
            p=(Fraction(1, 2), Fraction(7, 8)),
            delta=tuple(map(Fraction, ("1/1000", "1/10", "1/2", "99/100"))),
            shift=(1, 40),
            d__moved=((1, 1), (16, 16)),
            direction=(1, -1),
        ),
        private,
        wrong=partial(private, part=8),
        falls=Falls.RESULT,
    )
}
