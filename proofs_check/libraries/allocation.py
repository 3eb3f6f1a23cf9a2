"""Random allocation of a Gaussian mechanism: the truth, and terms that δ is at least or at most."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from exactdp.claims import Term, function, named, positive_part, sum_over, term
from exactdp.divergences import PrivacyProfile
from exactdp.mechanisms import gaussian_mechanism
from exactdp.shuffle import Sandwich, random_allocation
from proofs_check.libraries.laws import gaussian

__all__ = ["allocated", "allocation", "at_most_allocated"]


@lru_cache(maxsize=1024)
def allocation(
    sigma: float, steps: int, chosen: int = 1, direction: str = "BOTH"
) -> PrivacyProfile:
    """Return the truth, of one direction or the larger of both.

    If some steps are chosen, not one nor all: what it is at least, with outputs merged to a few.
    """
    step = gaussian_mechanism(sigma=Fraction(sigma))
    if chosen == steps:
        return step.composed(steps)
    found = random_allocation(step, steps=steps, chosen=chosen)
    if isinstance(found, Sandwich):
        found = found.below[0].profile
    match direction:
        case "REMOVE":
            return found
        case "ADD":
            return found.reversed()
    return found.both_directions()


def allocated(
    sigma: float, steps: int, epsilon: Fraction, chosen: int = 1, direction: str = "REMOVE"
) -> Term | None:
    """Return δ if all steps are chosen; a lower bound on δ if one is; None if some are.

    One record is in one of t steps. An output is above c with probability b = Φ(−c/σ) without
    the record, p = Φ((1−c)/σ) with it. Doubles only propose c.

    Removing: that i of t outputs are above c has the probability p B(t−1, i−1) + (1−p) B(t−1, i)
    with the record, B(t, i) without it. Adding: that none is has (1−b)^t without, and
    (1−p) (1−b)^(t−1) with it.
    """
    s, e = term(Fraction(sigma)), named("epsilon", term(epsilon))
    if chosen == steps:
        return gaussian(e, sigma=s / function("sqrt", steps))
    if chosen != 1:
        return None
    value, sign = (_log_of_none, -1) if direction == "ADD" else (_value, 1)
    thresholds = (Fraction(sign * i, 20) for i in range(-40, 161))
    c = max(thresholds, key=lambda c: value(float(c), sigma, steps, float(epsilon)))
    absent = named("b", function("normal_cdf", -(c / s)))
    present = named("p", function("normal_cdf", (1 - c) / s))
    g = named("g", function("exp", e))
    if direction == "ADD":
        none: Term = positive_part((1 - absent) - g * (1 - present)) * (1 - absent) ** (steps - 1)
        return none

    def binomial(n: int, i: Term, others: Term) -> Term:
        return function("binomial", n, i) * absent**i * (1 - absent) ** others

    def part(i: Term) -> Term:
        rest = binomial(steps - 1, i, steps - 1 - i)
        # C(t−1, i−1) b^(i−1) (1−b)^(t−i), without a negative power at i = 0
        one = function("binomial", steps - 1, i - 1) * absent**i * (1 - absent) ** (steps - i)
        with_record = present * one / absent + (1 - present) * rest
        found: Term = positive_part(with_record - g * binomial(steps, i, steps - i))
        return found

    # At i = t nobody of the others is below: (1−b)^(−1) times a binomial coefficient that is 0.
    return sum_over("i", 0, steps, part)


def at_most_allocated(
    sigma: float, steps: int, epsilon: Fraction, direction: str = "REMOVE"
) -> Term:
    """Return an upper bound on δ in one direction, if one of t steps is chosen.

    REMOVE: δ is convex in the law with the record, a mean of t; so at most that of one step.
    ADD: δ = E max(0, 1 − e^ε M), M the mean of t ratios e^(L_i). It is at least the ratio e^L of
    the mean L of the L_i, which is normal of mean m = −1/(2σ²) and variance v = 1/(tσ²): so
    δ <= Φ(−(ε+m)/√v) − e^(ε+m+v/2) Φ(−(ε+m+v)/√v).
    """
    s, e = term(Fraction(sigma)), named("epsilon", term(epsilon))
    if direction == "REMOVE":
        return gaussian(e, sigma=s)
    v = named("v", 1 / (steps * s * s))
    at = named("a", e - 1 / (2 * s * s))
    upper, lower = (function("normal_cdf", -(x / function("sqrt", v))) for x in (at, at + v))
    return upper - function("exp", at + v / 2) * lower


def _log_of_none(c: float, sigma: float, steps: int, epsilon: float) -> float:
    absent, present = (math.erfc((x - c) / sigma / math.sqrt(2)) / 2 for x in (0, 1))
    excess = absent - math.exp(min(700.0, epsilon)) * present
    return math.log(excess) + (steps - 1) * math.log(absent) if excess > 0 else -math.inf


def _value(c: float, sigma: float, steps: int, epsilon: float) -> float:
    b, p = (math.erfc((c - x) / sigma / math.sqrt(2)) / 2 for x in (0, 1))
    found = 0.0
    for i in range(steps + 1):

        def binomial(n: int, j: int) -> float:
            return math.comb(n, j) * b**j * (1 - b) ** (n - j) if 0 <= j <= n else 0.0

        record = p * binomial(steps - 1, i - 1) + (1 - p) * binomial(steps - 1, i)
        found += max(0.0, record - math.exp(min(700.0, epsilon)) * binomial(steps, i))
    return found
