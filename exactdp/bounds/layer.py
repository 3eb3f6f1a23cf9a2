"""The layer: a bound over its whole domain, formula, double and truth apart.

Three questions, each asked where it can be told: is the formula on its side of the truth? is the
double on its side of the formula? is the double on its side of the truth? What fails is shrunk to
the first deployment that fails so, and kept with its kind.

Definitions: :class:`Fault`, :class:`Fall`, :class:`Tried`, :func:`fall_at`, :func:`tried`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.deployments import drawn_alike, simplest
from exactdp.bounds.targets import BoundedNumber
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Exact
from exactdp.side import Side
from exactdp.testing.deciding import HAIR, within_budget
from exactdp.truth import Truth

__all__ = ["Fall", "Fault", "Tried", "fall_at", "tried"]


_FORMULAS, _PROGRAMS = 150, 50
"""How often a formula, or an algorithm, is asked in doubles; more find rarer faults."""

_TARGET_SECONDS = 5.0
"""The longest search of what a bound bounds at one deployment; without it none is compared."""


class Fault(Enum):
    """Faults of a formula in doubles, the worst first."""

    NONSENSE = "nan or negative"
    OVERFLOW = "overflow"
    CANCELLATION = "cancellation"
    ROUNDING = "rounding"


@dataclass(frozen=True)
class Fall:
    """A failure of a formula in doubles.

    Attributes:
        fault: How.
        at: The arguments.
        double: What doubles give; None where they stop with an error.
        formula: The formula's value.
        ulps: How many doubles it is off, on the wrong side.
        below_truth: Whether the double is certainly on the wrong side of the truth; None where
            that is not told.
    """

    fault: Fault
    at: Mapping[str, Any]
    double: float | None
    formula: Enclosure
    ulps: int | None
    below_truth: bool | None = None


@dataclass(frozen=True)
class Tried:
    """The results of trying a bound.

    Attributes:
        bound: The bound.
        instances: How many deployments were asked in doubles.
        falls: The first deployment of each fault that was found.
        asked: How many times the formula was compared with the truth.
        told: How many times it was told that it is on its side.
        below: The deployment where the formula is certainly on the wrong side, if there is one.
        unsafe: A deployment where a safe double is on the wrong side of the formula; there is none
            unless the arithmetic of safe doubles is broken.
        ratios: The smallest and the largest certain ratio of formula and truth.
    """

    bound: PublishedBound
    instances: int
    falls: Mapping[Fault, Fall]
    asked: int = 0
    told: int = 0
    below: Mapping[str, Any] | None = None
    unsafe: Mapping[str, Any] | None = None
    ratios: tuple[Fraction, Fraction] | None = None

    @property
    def in_doubles(self) -> str:
        """The worst fault, in words; ``holds`` if none was found."""
        for fault in Fault:
            if fault in self.falls:
                fall = self.falls[fault]
                plural = "" if fall.ulps == 1 else "s"
                size = f" of {fall.ulps} ulp{plural}" if fault is Fault.ROUNDING else ""
                return f"{fault.value}{size}"
        return "holds"


def fall_at(bound: PublishedBound, at: Mapping[str, Any]) -> Fall | None:
    """Return how a formula in doubles fails at arguments; None where it does not, or has no value.

    A double on the wrong side of the formula by less than 10^-12 of it is ``rounding``, by more
    ``cancellation``.
    """
    formula = _value(bound, at)
    return None if formula is None else _fall_from(bound, at, formula)


def _value(bound: PublishedBound, at: Mapping[str, Any]) -> Enclosure | None:
    try:
        return bound.enclosed(bound.formula_at(at))
    except ExactDPError:
        return None


def _fall_from(bound: PublishedBound, at: Mapping[str, Any], formula: Enclosure) -> Fall | None:
    try:
        double = bound.double_at(at)
    except DomainError as error:
        is_no_number = "nan" in str(error) or "math domain" in str(error)
        fault = Fault.NONSENSE if is_no_number else Fault.OVERFLOW
        return Fall(fault, at, None, formula, None)
    except ExactDPError:  # an algorithm that says that it is not asked so
        return None
    if math.isinf(double):
        return Fall(Fault.OVERFLOW, at, double, formula, None)
    value = Fraction(double)
    if value < 0 <= formula.lower:
        return Fall(Fault.NONSENSE, at, double, formula, None)
    is_upper = bound.side is Side.UPPER
    gap = formula.lower - value if is_upper else value - formula.upper
    if gap <= 0:
        return None
    ulps = math.ceil(gap / Fraction(math.ulp(double or 5e-324)))
    nearest = formula.lower if is_upper else formula.upper
    if abs(nearest) < Fraction(2.3e-308):
        return Fall(Fault.OVERFLOW, at, double, formula, ulps)  # it is beyond the smallest double
    fault = Fault.ROUNDING if gap <= HAIR * abs(nearest) else Fault.CANCELLATION
    return Fall(fault, at, double, formula, ulps)


def tried(
    bound: PublishedBound,
    *,
    first: Sequence[Mapping[str, Any]] = (),
    examples: int | None = None,
    truths: int = 4,
) -> Tried:
    """Return the results of trying a bound over its domain.

    Args:
        bound: The bound.
        first: Deployments that are asked in doubles before others: where it fell earlier, say.
        examples: How many deployments are asked in doubles; by default 150 of a formula, 50 of an
            algorithm.
        truths: How many are compared with the truth, a second for each number; no two with the same
            value of the formula (0, say, at each end of the domain).
    """
    count = examples or (_FORMULAS if bound.program is None else _PROGRAMS)
    seen: dict[Enclosure, Mapping[str, Any]] = {}
    found: dict[Fault, Fall] = {}
    unsafe: list[Mapping[str, Any]] = []

    deployments = [*first, *drawn_alike(bound, count)]
    for at in deployments:
        formula = _value(bound, at)
        if formula is None:
            continue
        seen.setdefault(formula, at)
        fall = _fall_from(bound, at, formula)
        if fall is not None:
            found.setdefault(fall.fault, fall)
        if not _is_safe(bound, at, formula):
            unsafe.append(at)
    for fault in list(found):

        def fails(at: Mapping[str, Any], fault: Fault = fault) -> bool:
            fall = fall_at(bound, at)
            return fall is not None and fall.fault is fault

        found[fault] = _fall(bound, simplest(bound, found[fault].at, fails))
    asked, told, below, ratios = 0, 0, None, []
    for at in _spread([*seen.values()], truths):
        stands, ratio = _formula(bound, at)
        asked += 1
        told += stands.is_certain
        if not stands.is_possible and below is None:
            below = at
        if ratio is not None:
            ratios.append(ratio)
    span = (min(r.lower for r in ratios), max(r.upper for r in ratios)) if ratios else None
    order = {fault: found[fault] for fault in Fault if fault in found}
    return Tried(bound, len(deployments), order, asked, told, below, next(iter(unsafe), None), span)


def _is_safe(bound: PublishedBound, at: Mapping[str, Any], formula: Enclosure) -> bool:
    """Return whether the safe doubles, by balls and by doubles alone, are on their side."""
    try:
        doubles = [bound.safe_at(at), bound.stable_at(at)]
    except ExactDPError:
        return True
    finite = [Fraction(x) for x in doubles if x is not None and math.isfinite(x)]
    if bound.side is Side.UPPER:
        return all(x >= formula.lower for x in finite)
    return all(x <= formula.upper for x in finite)


def _fall(bound: PublishedBound, at: Mapping[str, Any]) -> Fall:
    fall = fall_at(bound, at)
    assert fall is not None
    if fall.double is None or math.isinf(fall.double):
        return fall
    try:
        stands = _target(bound, at).standing(Exact(Fraction(fall.double)), bound.side, seconds=1)
    except ExactDPError:  # nothing is asked of the truth there
        return fall
    return replace(fall, below_truth=None if stands.is_open else not stands.is_possible)


def _formula(bound: PublishedBound, at: Mapping[str, Any]) -> tuple[Truth, Enclosure | None]:
    """Return where the formula stands, and how many times the truth it is."""
    try:
        formula = bound.formula_at(at)
        value = bound.enclosed(formula)
        target = _target(bound, at)
        stands = bound.stands(target, formula, at, seconds=1)
        truth = target.enclosed(seconds=1)
    except ExactDPError:
        return Truth.UNKNOWN, None
    if truth is None or truth.lower <= 0 or value.lower <= 0:
        return stands, None
    return stands, Enclosure(value.lower / truth.upper, value.upper / truth.lower)


def _target(bound: PublishedBound, at: Mapping[str, Any]) -> BoundedNumber:
    """Return the bounded number, where it is found soon: some ends are searches of their own."""
    with within_budget(_TARGET_SECONDS):
        return bound.target_at(at)


def _spread(seen: list[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    step = max(1, len(seen) // max(1, count))
    return seen[::step][:count]
