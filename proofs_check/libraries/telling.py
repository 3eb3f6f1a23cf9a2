"""Which failure of a promise to keep: the one that tells a reader most.

That is, of the ordinary deployments that fail by more than rounding, the one that fails by most.
Where none does it is the first of the list that fails by more than rounding, else the first that
fails: far out, where numbers are mostly noise, a larger ratio says nothing. One that the kernel can
check comes before all others.

Definitions: :func:`tellingly`, :func:`tells`, :func:`size`, :func:`weighed`,
:func:`told`, :func:`nearness`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.audit.sizes import is_ordinary
from exactdp.claims import Falls, Instance, Outcome
from exactdp.claims.sides import sides_of
from exactdp.divergences.questions import Question
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure
from exactdp.testing.deciding import within_budget
from proofs_check.libraries.ranges import TINY

__all__ = ["ROUNDING", "nearness", "size", "tellingly", "tells", "told", "weighed"]

ROUNDING = Fraction(1, 10**9)
"""A number that is off by less, relatively, is off by rounding."""

_SECONDS = 20.0


def tellingly(
    instances: Iterable[Instance],
    decide: Callable[[Instance], Outcome],
    asked: Callable[[Instance], Mapping[str, Any]],
) -> list[Instance]:
    """Return the instances, the most telling failure first and the others in their order.

    Args:
        instances: The most ordinary ones first.
        decide: Decides the promise at one.
        asked: What :func:`is_ordinary` judges of one.
    """

    def rank(at: Instance) -> tuple[int, float]:
        outcome = decide(at)
        return (0, 0.0) if outcome.truth.is_possible else tells(outcome, lambda: asked(at))

    return sorted(instances, key=rank, reverse=True)  # which keeps the order of equal ones


def tells(outcome: Outcome, asked: Callable[[], Mapping[str, Any]]) -> tuple[int, float]:
    """Return how much a failure tells: its class, 3 the best, and in that how large it is.

    Args:
        outcome: What was found at the instance that fails.
        asked: What :func:`is_ordinary` judges of it.
    """
    if outcome.certificate is None:  # nobody could check it again
        return 1, -1.0
    by = size(outcome)
    if by is None or by <= 1 + ROUNDING or outcome.falls is Falls.ROUNDING:
        return 1, 0.0
    # To a percent: of nearly equal ones the first in the list is the most ordinary.
    logarithm = math.log(by.numerator) - math.log(by.denominator)
    return (3, round(logarithm, 2)) if is_ordinary(asked()) else (2, 0.0)


def size(outcome: Outcome) -> Fraction | None:
    """Return how many times the smaller the larger of truth and claim is, at least.

    None where one of them is not above 0.
    """
    if outcome.over is not None:
        low, high = outcome.over
        return max(low, 1 / high) if low > 0 else None
    shown = None if outcome.certificate is None else outcome.certificate()
    sides = None if shown is None else sides_of(shown)
    return None if sides is None or sides.times is None else Fraction(sides.times)


def weighed(outcome: Outcome, claim: Any) -> Outcome:
    """Return the kind of a failure by its size: rounding where the true δ is below about 1e-15.

    Args:
        outcome: A failure.
        claim: The δ that is claimed, where the outcome says how many times that the truth is.
    """
    if outcome.over is not None:
        truth = float(outcome.over[1] * Fraction(claim))
    else:
        shown = None if outcome.certificate is None else sides_of(outcome.certificate())
        true = None if shown is None else shown.true
        truth = 1.0 if true is None else float(true.decimal)
    by = size(outcome)
    is_rounding = abs(truth) < TINY or (by is not None and by <= 1 + ROUNDING)
    return replace(outcome, falls=Falls.ROUNDING) if is_rounding else outcome


def told(asked: Question, claim: Fraction) -> Enclosure | None:
    """Return δ, with as many digits as tell it from a claim and the engine has in a moment.

    Few first: the engine takes the longest to say that so many are out of its reach.
    """
    known: Enclosure | None = None
    for digits in (2, 6, 12, 20):
        try:
            with within_budget(_SECONDS):
                found = asked.answer(Fraction(1, 10**digits))
        except (UndecidedError, TooLargeError):
            return known
        if found is None:
            return known
        known = found
        if digits >= 6 and abs(known.lower - claim) > 100 * (known.upper - known.lower):
            return known
    return known


def nearness(asked: Question, claim: Fraction) -> float:
    """Return how far δ is from a claim: 0 where it is the same, towards 1 where it is far off."""
    apart = 1.0
    for digits in (2, 6):
        found = asked.answer(Fraction(1, 10**digits))
        if found is None or found.upper <= 0 or claim <= 0:
            return 1.0
        apart = abs(_logarithm(claim) - _logarithm(found.upper))
        if apart > 10 ** (1 - digits):
            break
    return apart / (1 + apart)


def _logarithm(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)
