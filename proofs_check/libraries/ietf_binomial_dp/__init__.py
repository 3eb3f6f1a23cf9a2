"""The draft's number of coins: what its quadratic says, and what its formula (7) says.

The printed c_1 is 2 sensitivity_2 √(2 ln(1.25/δ)); (7) has it divided by s.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import (
    Falls,
    Said,
    Trials,
    at_least,
    at_most,
    cases,
    for_all,
    formula,
    function,
)
from exactdp.numbers.real_functions import evaluate_float
from proofs_check.libraries.binomial import coins_delta, cpsgd_least_variance, smallest_coins

__all__ = ["TRIALS"]


def c_1(f: Any, *, delta: Any, s: Any) -> Any:
    """Return c_1 as printed, for sensitivity 1."""
    return 2 * f.sqrt(2 * f.log(f.constant(5) / (4 * delta)))


def c_1_of_formula(f: Any, *, delta: Any, s: Any) -> Any:
    """Return c_1 as (7) has it."""
    return c_1(f, delta=delta, s=s) / s


def attained(f: Any, *, n: Any, delta: Any, s: Any, d: Any, first: Any = c_1) -> Any:
    """Return the ε that N attains: c_1/√N + c_2/N, c_2 as printed, for sensitivity 1."""
    log = f.log(10 / delta)
    c_2 = (
        (f.sqrt(f.constant(2)) * 7 / 4 * f.sqrt(log) + f.constant(1) / 3) / (1 - delta / 10)
        + 2 * f.log(f.constant(5) / (4 * delta)) / 3
        + f.constant(2) / 3 * f.log(20 * d / delta) * log
    ) * (4 / s)
    return first(f, delta=delta, s=s) / f.sqrt(n) + c_2 / n


def enough(
    epsilon: Fraction, delta: Fraction, s: Fraction, d: int, first: Any = c_1, part: int = 1
) -> Said:
    """Compare δ of the draft's N (over ``part``) with its δ."""
    at = {"delta": delta, "s": s, "d": Fraction(d)}
    bound = partial(attained, first=first)
    least = 4 * evaluate_float(cpsgd_least_variance, linf=Fraction(1), **at)
    # The quadratic's root: b x + a x² = ε with x = 1/√N.
    b = evaluate_float(first, delta=delta, s=s)
    a = evaluate_float(bound, n=Fraction(1), **at) - b
    root = (b + math.sqrt(b * b + 4 * a * float(epsilon))) / (2 * float(epsilon))
    n = max(smallest_coins(least), smallest_coins(root * root)) // part
    half = Fraction(1, 2)
    truth = coins_delta(n, int(1 / s), function("exp", epsilon), p=half, near=float(epsilon))
    rules = [
        at_least(n, 4 * formula(cpsgd_least_variance, linf=1, **at)),
        at_most(formula(bound, n=n, **at), epsilon),
    ]
    return at_most(truth, delta).given(rules)


OVER = cases(
    s=(Fraction(1), Fraction(1, 10), Fraction(1, 100)),
    epsilon=(Fraction(10), Fraction(3)),
    delta=(Fraction(1, 2**24),),
    d=(1, 32),
)

TRIALS: Trials = {
    "libraries/ietf-binomial-dp/draft-formula": {
        "a": for_all(OVER, enough, falls=Falls.MISPRINT),
        "b": for_all(
            OVER.where(lambda s: s >= Fraction(1, 10)),
            partial(enough, first=c_1_of_formula),
            wrong=partial(enough, first=c_1_of_formula, part=100),
            falls=Falls.RESULT,
        ),
    }
}
