"""The budgets that the production configurations of two releases of the 2020 census spend."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.accounting import compose
from exactdp.claims import (
    Cases,
    Falls,
    Outcome,
    Relation,
    Statement,
    Trials,
    decided,
    equal,
    for_all,
    listed,
    rows,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import DiscreteGaussianMechanism
from exactdp.numbers import Epsilon
from exactdp.truth import Truth
from proofs_check.records.census_2020 import DELTA, PERSONS

__all__ = ["TRIALS"]


def shares(denominator: int, *numerators: int) -> tuple[Fraction, ...]:
    """Return so many parts."""
    return tuple(Fraction(n, denominator) for n in numerators)


SCALE = Fraction(339, 542)
LEVELS = shares(4099, 104, 1440, 447, 687, 1256, 165)
QUERIES = (
    shares(4097, 52, 26, 26, 26, 26, 130, 130, 26, 17 * 26, 17 * 189),
    shares(4097, 3773, 6, 6, 6, 6, 6, 12, 12, 6, 17 * 2, 230),
    shares(4097, 3126, 10, 10, 10, 10, 10, 28, 28, 10, 101, 754),
    shares(4102, 1567, 8, 5, 5, 5, 5, 1933, 20, 5, 67, 482),
    shares(4099, 1705, 3, 3, 3, 3, 3, 1055, 9, 3, 24, 1288),
    shares(4097, 5, 9, 5, 5, 5, 5, 21, 21, 5, 71, 3945),
)
"""Redistricting: US, State, County, Tract, Block_Group, Block; 4097 = 17 · 241, 4102 = 2 · 2051."""

SMALL = Fraction(1, 300)

DHC_SCALE = Fraction(254, 485)
DHC_LEVELS = shares(1000, 20, 274, 85, 131, 131, 238, 118, 3)
DHC_STRATEGY = tuple(
    Fraction(each, 10**4) * parts
    for each, parts in (
        *((73, 13), (999, 13), (310, 16), (478, 13)),
        *((478, 13), (868, 16), (430, 10), (11, 10)),
    )
)
"""From US to Block: ten queries of a ρ each, of which one or two count four times."""


def one(**values: Any) -> Cases:
    """Return one instance, which is all that there is."""
    return listed(values).all_of(**rows(values))


def in_all(parts: tuple[Fraction, ...], whole: Fraction, factor: int = 1) -> Relation:
    """Compare a sum of shares with the whole."""
    return equal(sum(parts, Fraction(0)), factor * whole)


def square(scale: Fraction, rho: Fraction, factor: int = 1) -> Relation:
    """Compare 1/scale² with ρ."""
    return equal(1 / scale**2, factor * rho)


@lru_cache(maxsize=1)
def noise() -> PrivacyProfile:
    """Return a profile above that of all queries of the redistricting data, for a changed record.

    Small shares are rounded up to the next power of 1/2, with less noise: so there are few kinds.
    """
    each = Counter(
        level * query
        if level * query > SMALL
        else Fraction(2) ** math.ceil(math.log2(level * query))
        for level, queries in zip(LEVELS, QUERIES, strict=True)
        for query in queries
    )
    steps = [(DiscreteGaussianMechanism(SCALE**2 / share, 1), 2 * n) for share, n in each.items()]
    return compose(steps)


def private(epsilon: Fraction, part: Fraction = Fraction(1)) -> Outcome:
    """Say that the noise has δ at most 1e-10 at ε."""
    at = Epsilon.rational(epsilon * part)
    found = enclosed(noise().delta(at, relative_width="99/100"), "99/100")
    is_more = Truth.FALSE if found.lower > DELTA else Truth.UNKNOWN
    return decided(Truth.TRUE if found.upper <= DELTA else is_more, "of all queries")


def share(level: int, share: Fraction, factor: int = 1) -> Relation:
    """Compare a level's share with the strategy's spending on it."""
    return equal(DHC_STRATEGY[level] / sum(DHC_STRATEGY), factor * share)


def of_levels(found: tuple[Fraction, ...]) -> Cases:
    """Return the levels with their shares."""
    each = [{"level": i, "share": x} for i, x in enumerate(found)]
    return listed(*each).all_of(**rows(*each))


def of(over: Cases, says: Any, wrong: Any, falls: Falls = Falls.RESULT) -> Statement:
    """Return a reading."""
    return for_all(over, says, wrong=wrong, falls=falls)


WITHIN = [{"parts": queries, "whole": Fraction(1)} for queries in QUERIES]
TWICE = partial(in_all, factor=2)

TRIALS: Trials = {
    "records/census-configs/redistricting-shares": {
        "a": of(one(parts=LEVELS, whole=Fraction(1)), in_all, TWICE),
        "b": of(listed(*WITHIN).all_of(**rows(*WITHIN)), in_all, TWICE),
        "c": of(one(scale=SCALE, rho=PERSONS["rho"]), square, partial(square, factor=2)),
    },
    "records/census-configs/redistricting-noise": of(
        one(epsilon=Fraction(67, 4)), private, partial(private, part=Fraction(3, 4))
    ),
    "records/census-configs/dhc-persons": {
        "a": of(
            one(scale=DHC_SCALE, rho=sum(DHC_STRATEGY)),
            square,
            partial(square, factor=2),
            Falls.REMARK,
        ),
        **{
            key: of(of_levels(found), share, partial(share, factor=2), Falls.REMARK)
            for key, found in (("b", DHC_LEVELS), ("c", DHC_LEVELS[::-1]))
        },
    },
}
