"""The draft's number of coins: by c_1 and c_2 as printed, and by its formula (7).

The printed c_1 is 2 sensitivity_2 √(2 ln(1.25/δ)); (7) has it divided by s. For ever smaller s (7)
is the rule ε = Δ_2/σ √(2 ln(1.25/δ)) of Gaussian noise, which is proved for ε ≤ 1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import (
    Falls,
    Outcome,
    Trials,
    at_least,
    at_most,
    cases,
    decided,
    for_all,
    formula,
    function,
)
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import binomial_mechanism
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.numbers.real_functions import evaluate_float
from exactdp.testing.later import st
from proofs_check.libraries.binomial import alike, coins_delta, cpsgd_least_variance, smallest_coins
from proofs_check.libraries.ietf_binomial_dp import quadratic

__all__ = ["TRIALS"]


def c_1(f: Any, *, delta: Any, s: Any, l2: Any) -> Any:
    """Return c_1 as printed."""
    return 2 * l2 * f.sqrt(2 * f.log(f.constant(5) / (4 * delta)))


def c_1_of_formula(f: Any, *, delta: Any, s: Any, l2: Any) -> Any:
    """Return c_1 as (7) has it."""
    return c_1(f, delta=delta, s=s, l2=l2) / s


def attained(
    f: Any, *, n: Any, delta: Any, s: Any, d: Any, l1: Any, l2: Any, linf: Any, first: Any = c_1
) -> Any:
    """Return the ε that N attains: c_1/√N + c_2/N, c_2 as printed."""
    log = f.log(10 / delta)
    c_2 = (
        (l2 * f.sqrt(f.constant(2)) * 7 / 4 * f.sqrt(log) + l1 / 3) / (1 - delta / 10)
        + 2 * linf * f.log(f.constant(5) / (4 * delta)) / 3
        + linf * (f.constant(2) / 3) * f.log(20 * d / delta) * log
    ) * (4 / s)
    return first(f, delta=delta, s=s, l2=l2) / f.sqrt(n) + c_2 / n


def enough(
    s: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    d: int,
    moved: int,
    step: int,
    first: Any = c_1,
    part: int = 1,
) -> Outcome:
    """Compare δ of the draft's N (over ``part``) with its δ: as a term, where it is too large."""
    norms = alike(step, moved)
    at = {"delta": delta, "s": s, "d": Fraction(d)}
    bound = partial(attained, first=first)
    least = 4 * evaluate_float(cpsgd_least_variance, linf=norms["linf"], **at)
    # The quadratic's root: b x + a x² = ε with x = 1/√N.
    b = evaluate_float(first, delta=delta, s=s, l2=norms["l2"])
    a = evaluate_float(bound, n=Fraction(1), **at, **norms) - b
    root = (b + math.sqrt(b * b + 4 * a * float(epsilon))) / (2 * float(epsilon))
    n = max(smallest_coins(least), smallest_coins(root * root)) // part
    coins, shift = n * moved, int(step * moved / s)
    noise = binomial_mechanism(trials=coins, sensitivity=shift)
    exact = enclosed(noise.delta(Epsilon.rational(epsilon)), "1e-9")
    truth = coins_delta(
        coins, shift, function("exp", epsilon), p=Fraction(1, 2), near=float(epsilon)
    )
    return decided(
        exact.is_at_most(delta),
        f"delta is {decimal(Exact(exact.lower), digits=6)}, claimed {delta}",
        claimed=[at_most(truth, delta)],
        given=[
            at_least(n, 4 * formula(cpsgd_least_variance, linf=norms["linf"], **at)),
            at_most(formula(bound, n=n, **at, **norms), epsilon),
        ],
        slack=delta / exact.upper,
    )


ONE = (1, 1, 1)
OVER = cases(
    s__epsilon__delta__d__moved__step=[
        (*map(Fraction, numbers), *shape)
        for *numbers, shape in (
            # Of the draft's typical range, delta from 2^-29 to 2^-24 and epsilon from 0.01 to 10.
            ("1/100", "5", "1/16777216", ONE),
            ("1/20", "1", "1/16777216", ONE),
            ("1", "10", "1/16777216", ONE),
            ("1", "3", "1/16777216", (32, 1, 1)),
            ("1", "1", "1/1000", ONE),
            ("1/10", "10", "1/16777216", ONE),
            ("1/10", "3", "1/1000", (32, 1, 1)),
            ("1/50", "10", "1/1000", ONE),
            ("1/100", "10", "1/2", ONE),
            ("1/10", "1", "1/10", (4, 4, 1)),
            ("1", "10", "1/1000", (16, 16, 1)),
            ("1/10", "10", "1/10", (4, 4, 2)),
            ("1/10", "10", "1/1000", (1, 1, 5)),
        )
    ]
).drawn(
    # The draft's typical range.
    lambda: st.builds(
        lambda shape, **at: dict(zip(("d", "moved", "step"), shape, strict=True)) | at,
        st.sampled_from([ONE, (4, 4, 1), (16, 16, 1), (1, 1, 5)]),
        s=st.sampled_from([Fraction(1, n) for n in (100, 50, 20, 10, 1)]),
        epsilon=st.sampled_from([Fraction(n) for n in (5, 10, 3, 1)]),
        delta=st.sampled_from([Fraction(1, 2**n) for n in (24, 29, 26, 10, 1)]),
    )
)

SMALL = cases(
    epsilon=tuple(map(Fraction, ("1", "1/2", "1/4"))),
    delta=tuple(map(Fraction, ("9/10", "1/2", "1/10", "1/1000", "1/16777216"))),
    s=tuple(map(Fraction, ("1", "1/10", "1/50"))),
    d__moved__step=(ONE, (32, 1, 1), (4, 4, 1), (16, 16, 1), (1, 1, 5)),
).deep(s=tuple(map(Fraction, ("1/10", "1/100", "1/300"))))

OF_FORMULA = partial(enough, first=c_1_of_formula)

TRIALS: Trials = {
    "libraries/ietf-binomial-dp/draft-formula": {
        "a": replace(for_all(OVER, enough, falls=Falls.RESULT, unit="δ"), draws=20),
        "b": replace(for_all(OVER, OF_FORMULA, falls=Falls.RESULT, unit="δ"), draws=20),
        "c": for_all(
            SMALL,
            OF_FORMULA,
            wrong=partial(OF_FORMULA, part=100),
            falls=Falls.RESULT,
        ),
    },
    **quadratic.TRIALS,
}
