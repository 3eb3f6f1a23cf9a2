"""The privacy loss of the 2020 census' redistricting data: ρ, ε and δ of its certificates."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.accounting import compose
from exactdp.claims import (
    Cases,
    Falls,
    Outcome,
    Said,
    Statement,
    Trials,
    above,
    at_most,
    decided,
    for_all,
    listed,
    rows,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.questions import Question
from exactdp.mechanisms import DiscreteGaussianMechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.side import Side
from exactdp.testing.deciding import compared
from exactdp.truth import Truth
from proofs_check.records.concentrated import at_most_implied, implied_at_least

__all__ = ["TRIALS"]

DELTA = Fraction(1, 10**10)
PERSONS: dict[str, Any] = {"rho": Fraction(293764, 114921), "epsilon": Fraction(17849145, 1041158)}
UNITS: dict[str, Any] = {"rho": Fraction(11417641, 152349649), "epsilon": Fraction(1455307, 588081)}
CERTIFICATES = listed(PERSONS, UNITS).all_of(**rows(PERSONS, UNITS))
ROUNDED = (
    {"rho": Fraction("2.56"), "epsilon": Fraction("17.14")},
    {"rho": Fraction("0.07"), "epsilon": Fraction("2.47")},
)
QUOTED = listed(*ROUNDED).all_of(**rows(*ROUNDED))
HALF = Fraction(1, 200)


def promised(rho: Fraction, epsilon: Fraction, more: Fraction = Fraction(0)) -> Said:
    """Say that every ρ-zCDP mechanism is (ε, δ)-DP: by a bound, or by one that is not."""
    worst = implied_at_least(rho, epsilon - more)
    if worst is not None and above(worst, DELTA).holds():
        return Said([at_most(worst, DELTA)])
    return Said([at_most(at_most_implied(rho, epsilon - more), DELTA)])


def rounded(rho: Fraction, epsilon: Fraction, off: Fraction = Fraction(0)) -> Said:
    """Say that ε is the smallest one, to half a unit of the second decimal."""
    near = Fraction(round(100 * (epsilon + off)), 100)
    below = implied_at_least(rho, near - HALF)
    assert below is not None
    return Said([above(below, DELTA), at_most(at_most_implied(rho, near + HALF), DELTA)])


@lru_cache(maxsize=64)
def noise(rho: Fraction, queries: int) -> PrivacyProfile:
    """Return the profile of so many counts, each with the discrete Gaussian noise of its part.

    A record is in each of them: σ² = queries/(2ρ).
    """
    return compose([(DiscreteGaussianMechanism(queries / (2 * rho), 1), queries)])


def by_noise(
    rho: Fraction, epsilon: Fraction, queries: int, part: Fraction = Fraction(1)
) -> Outcome:
    """Say that δ of the noise is at most 1e-10 at ε."""
    asked = Question(noise(rho, queries), Epsilon.rational(epsilon * part))
    wrong, _, _ = compared(Side.UPPER, Exact(DELTA), asked, 1024, 20.0)
    return decided(Truth.of(not wrong), f"of {queries} counts")


SPLIT = listed(*({**PERSONS, "queries": n} for n in (2, 8, 32, 1))).then(
    listed(*({**UNITS, "queries": n} for n in (2, 8, 32, 1)))
)


def of(over: Cases, says: Any, wrong: Any) -> Statement:
    """Return a reading whose failure is one of rounding."""
    return for_all(over, says, wrong=wrong, falls=Falls.ROUNDING, unit="δ")


TRIALS: Trials = {
    "records/census-2020": {
        "a": of(CERTIFICATES, rounded, partial(rounded, off=Fraction(1, 10))),
        "b": of(CERTIFICATES, promised, partial(promised, more=Fraction(1))),
        "c": of(QUOTED, promised, partial(promised, more=Fraction(1))),
        "d": of(SPLIT, by_noise, partial(by_noise, part=Fraction(3, 4))),
    }
}
