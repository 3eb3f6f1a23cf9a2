"""The noise of event-level reports in browsers: randomized response over k states."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Statement,
    Term,
    Trials,
    at_least,
    at_most,
    cases,
    equal,
    for_all,
    formula,
    function,
    integers,
    listed,
    reals,
    rows,
    term,
)
from exactdp.numbers import Exact

__all__ = ["TRIALS"]

EPSILON = 14
NAVIGATION: dict[str, Any] = {"k": 2925, "p": Fraction(24, 10**4), "unit": Fraction(1, 10**4)}
EVENT: dict[str, Any] = {"k": 3, "p": Fraction(25, 10**7), "unit": Fraction(1, 10**7)}
"""States, and the printed probability of a random one, with its last digit's unit."""

PRINTED = listed(NAVIGATION, EVENT).all_of(**rows(NAVIGATION, EVENT))
RESPONSES = cases(
    k=(2, 3, 10, 2925, 10**6), exp_epsilon=tuple(map(Exact.exp, (14, 1, 3, 8, 20)))
).within(k=integers(2), exp_epsilon=reals(1))
COUNTED = (
    {"windows": 3, "values": 8, "reports": 3, "k": 2925},
    {"windows": 1, "values": 2, "reports": 1, "k": 3},
)


def flipped(f: Any, *, k: Any, epsilon: Any) -> Any:
    """Return p = k/(k + e^ε − 1)."""
    return k / (k + f.exp(epsilon) - 1)


def ratio(k: Any, p: Fraction | Term) -> Term:
    """Return how many times as probable the true state is as any other: 1 + k(1 − p)/p."""
    found: Term = 1 + term(k) * (1 - term(p)) / p
    return found


def rounded(k: int, p: Fraction, unit: Fraction, off: Fraction = Fraction(0)) -> Said:
    """Compare the printed number with the formula, to half a unit of its last digit."""
    exact = formula(flipped, k=k, epsilon=EPSILON)
    return Said([at_least(exact, p + off - unit / 2), at_most(exact, p + off + unit / 2)])


def as_printed(k: int, p: Fraction, part: Fraction = Fraction(1)) -> Said:
    """Compare the ratio at the printed probability with e^14."""
    return Said([at_most(ratio(k, p * part), function("exp", EPSILON))])


def by_formula(k: Any, exp_epsilon: Any, part: Fraction = Fraction(1)) -> Relation:
    """Compare the ratio at the formula's probability, or at a part of it, with e^ε."""
    p = part * term(k) / (k + term(exp_epsilon) - 1)
    return at_most(ratio(k, p), exp_epsilon)


def states(windows: int, values: int, reports: int, more: int = 0) -> int:
    """Return how many outputs there are: each report is in a window with a value, or is none."""
    ways = [1] + [0] * reports  # by how many of the reports are there
    for _ in range(windows * values + more):
        for used in range(1, reports + 1):
            ways[used] += ways[used - 1]
    return sum(ways)


def counted(windows: int, values: int, reports: int, k: int, more: int = 0) -> Said:
    """Compare the printed number with the outputs, and with the printed binomial."""
    bins = windows * values
    known = states(windows, values, reports, more)
    return Said([equal(k, known), equal(k, comb(bins + reports, reports))])


def of(over: Cases, says: Any, wrong: Any, falls: Falls) -> Statement:
    """Return a reading."""
    return for_all(over, says, wrong=wrong, falls=falls)


TRIALS: Trials = {
    "records/wicg-noise": {
        "a": of(
            PRINTED,
            rounded,
            lambda k, p, unit: rounded(k, p, unit, unit),
            Falls.MISPRINT,
        ),
        "b": of(
            PRINTED,
            as_printed,
            lambda k, p: as_printed(k, p, Fraction(9, 10)),
            Falls.ROUNDING,
        ),
        "c": for_all(
            RESPONSES,
            by_formula,
            wrong=lambda k, exp_epsilon: by_formula(k, exp_epsilon, Fraction(9, 10)),
            falls=Falls.RESULT,
            proof=in_numbers(),
        ),
        "d": of(
            listed(*COUNTED).all_of(**rows(*COUNTED)),
            counted,
            lambda windows, values, reports, k: counted(windows, values, reports, k, 1),
            Falls.MISPRINT,
        ),
    }
}
