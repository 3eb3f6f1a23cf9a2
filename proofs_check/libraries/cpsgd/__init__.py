"""Theorem 1 of cpSGD: binomial noise for vectors of integers.

Coordinates change by 1, all that do alike. As N s² stays and s gets small, the printed ε becomes
that of the rule Δ_2/σ √(2 ln(1.25/δ)) for Gaussian noise, which is proved for ε ≤ 1.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from exactdp.claims import Falls, Said, Trials, at_least, at_most, cases, for_all, formula
from exactdp.claims.terms import function
from exactdp.numbers.real_functions import evaluate_float
from exactdp.testing.later import st
from proofs_check.libraries.binomial import (
    alike,
    coins_delta,
    cpsgd_epsilon,
    cpsgd_least_variance,
    smallest_coins,
)

__all__ = ["TRIALS"]


def private(
    p: Fraction,
    s: Fraction,
    delta: Fraction,
    d: int,
    moved: int,
    coins: int,
    direction: int,
    part: int = 1,
) -> Said:
    """Compare δ at the printed ε with its δ, of the smallest N that is at least ``coins``."""
    at = {"delta": delta, "s": s, "d": Fraction(d)}
    norms = alike(1, moved)
    least = evaluate_float(cpsgd_least_variance, linf=norms["linf"], **at)
    n = max(coins, smallest_coins(least / float(p * (1 - p))))
    printed = {**at, **norms, "n": Fraction(n), "p": p}
    epsilon = formula(cpsgd_epsilon, **printed)
    near = evaluate_float(cpsgd_epsilon, **printed) / part
    truth = coins_delta(
        n * moved, direction * int(moved / s), function("exp", epsilon / part), p=p, near=near
    )
    rule = formula(cpsgd_least_variance, linf=norms["linf"], **at)
    return at_most(truth, delta).given([at_least(n * p * (1 - p), rule)])


# An ordinary δ, noise in shares of 1/1000 of a count: ε is 37.5.
ORDINARY = cases(
    d__moved=((1, 1),),
    p=(Fraction(1, 2),),
    s__coins=((Fraction(1, 1000), 118_906),),
    delta=(Fraction(1, 10**6),),
    direction=(1,),
)
OVER = cases(
    d__moved=((1, 1), (4, 4)),
    p=(Fraction(1, 2), Fraction(7, 8)),
    s__coins=((Fraction(1), 0), (Fraction(1, 100), 1600), (Fraction(1, 40), 0)),
    delta=tuple(map(Fraction, ("1/1000", "1/2", "9/10"))),
    direction=(1, -1),
)

DRAWN = st.builds(
    lambda shape, **at: dict(zip(("d", "moved"), shape, strict=True)) | at,
    st.sampled_from([(1, 1), (4, 4)]),
    p=st.sampled_from([Fraction(1, 2), Fraction(7, 8)]),
    s=st.sampled_from([Fraction(1, n) for n in (100, 40, 1000, 1)]),
    coins=st.sampled_from([0, 1600, 10**4, 10**5]),
    delta=st.sampled_from([Fraction(1, n) for n in (10**6, 1000, 2)]),
    direction=st.sampled_from([1, -1]),
)

TRIALS: Trials = {
    "libraries/cpsgd/theorem-1": replace(
        for_all(
            ORDINARY.then(OVER).drawn(lambda: DRAWN),
            private,
            wrong=partial(private, part=8),
            falls=Falls.RESULT,
            unit="δ",
        ),
        draws=20,
    )
}
