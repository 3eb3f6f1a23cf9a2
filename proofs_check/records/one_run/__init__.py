"""Audits of one run by two theorems, from the same counts.

The recursion of f-DP starts at R = (v/m)t and H = ((r − v)/m)t, t the level, and takes v steps: a
promise is refuted where R + H ends above r/m.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.auditing import OneRun, TradeOffRun
from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Trials,
    at_least,
    cases,
    decided,
    for_all,
    function,
    integers,
    named,
    reals,
    some,
    term,
)
from exactdp.mechanisms import gaussian_mechanism
from exactdp.truth import Truth

__all__ = ["TRIALS"]

LEVEL = Fraction(1, 20)
DIGITS = 10**4


@lru_cache(maxsize=256)
def refuted(canaries: int, guesses: int, right: int, delta: Fraction) -> Fraction:
    """Return an ε that the theorem refutes, the largest of four decimals."""
    found = OneRun(canaries, guesses, right, delta).refuted(level=LEVEL).lower
    return Fraction(int(found * DIGITS), DIGITS)


def by_recursion(canaries: int, guesses: int, right: int, delta: Fraction) -> Relation:
    """Compare the end of the recursion, at that ε, with r/m."""
    m, r, v = canaries, guesses, right
    e = named("E", function("exp", refuted(m, r, v, delta)))
    R, H = (named(x, term(LEVEL * Fraction(y, m))) for x, y in (("R", v), ("H", r - v)))
    for i in range(v - 1, -1, -1):
        sides = (R - delta) / e, 1 - delta - e * (1 - R)
        least = named(f"H{i}", function("max", H, *sides))
        R, H = named(f"R{i}", R + Fraction(i, r - i) * (least - H)), least
    return at_least(named("end", R + H), Fraction(r, m))


def by_gaussian(
    canaries: int, guesses: int, right: int, delta: Fraction, factor: int = 1
) -> Outcome:
    """Say that the ε at δ of the Gaussian noise that is refuted is no smaller."""
    m, r, v = canaries, guesses, right
    mu = TradeOffRun(m, r, v).refuted_mu(level=LEVEL).lower
    found: Any = gaussian_mechanism(sigma=1 / mu).epsilon(delta).lower if mu else 0
    return decided(Truth.of(found >= factor * refuted(m, r, v, delta)), "by Gaussian DP")


def is_more(canaries: int, guesses: int, right: int, delta: Fraction, factor: int = 1) -> Outcome:
    """Say that f-DP refutes a larger ε."""
    m, r, v = canaries, guesses, right
    found = TradeOffRun(m, r, v).refuted(level=LEVEL, delta=delta).lower
    one = OneRun(m, r, v, delta).refuted(level=LEVEL).upper
    return decided(Truth.of(found > factor * one), "by f-DP")


COUNTS = cases(
    canaries__guesses__right=((1000, 100, 75), (40, 40, 30), (1000, 1000, 950), (100, 40, 40)),
    delta=(Fraction(1, 10**5), Fraction(1, 10**3)),
)

TRIALS: Trials = {
    "records/one-run/tighter": {
        "a": for_all(
            cases(canaries=(8, 9), guesses=(8,), right=(7,), delta=(Fraction(1, 10**5),)),
            by_recursion,
            falls=Falls.REMARK,
        ),
        "b": for_all(
            COUNTS.within(
                canaries=integers(40, 1000),
                guesses=integers(40, lambda canaries: canaries),
                right=integers(lambda guesses: 3 * guesses / 4, lambda guesses: guesses),
                delta=reals(Fraction(1, 10**6), Fraction(1, 10**3)),
            ),
            by_gaussian,
            wrong=partial(by_gaussian, factor=9),
            falls=Falls.RESULT,
        ),
        "c": some(
            cases(canaries=(100,), guesses=(100,), right=(75,), delta=(Fraction(1, 10**3),)),
            is_more,
            wrong=partial(is_more, factor=9),
            falls=Falls.RESULT,
        ),
    },
}
