"""Where a formula in doubles lands beside its own mathematics, and beside the truth.

A bound can fall below the truth in two ways: its formula does, or only its rounding. A
double that equals the truth on paper may still round below it.

Definitions: :func:`ulps_between`, :class:`Side`, :class:`RoundingFault`,
:func:`rounding_fault`, :class:`Fault`, :func:`fault_of_bound`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers.balls import endpoints, precisions
from exactdp.numbers.compare import is_below
from exactdp.numbers.exact import Exact
from exactdp.numbers.real_functions import (
    ROUNDING_BITS,
    Argument,
    Bound,
    evaluate_float,
    value_of,
)
from exactdp.numbers.reals import Number
from exactdp.numbers.rounding import Enclosure
from exactdp.truth import Truth

__all__ = [
    "Fault",
    "RoundingFault",
    "Side",
    "fault_of_bound",
    "rounding_fault",
    "ulps_between",
]

_ULP_BITS = 20
"""A distance is known to 2^-20 ulp."""


def ulps_between(computed: float, exact: Number) -> Enclosure:
    """Return an enclosure of (computed - exact) / ulp, narrower than 2^-19.

    The ulp is the distance of neighboring doubles around the exact value. Negative:
    the double is too small. A point if the exact value is in the exact field and rational.

    Raises:
        DomainError: If the double is not finite.
        UndecidedError: If the exact value has no ball within the budget.

    Example:
        >>> ulps_between(0.1, Exact("0.1"))
        Enclosure(lower=Fraction(2, 5), upper=Fraction(2, 5))
    """
    if not math.isfinite(computed):
        raise DomainError(f"computed={computed!r} is not finite. Its distance has no unit.")
    if isinstance(exact, Exact) and exact.is_rational:
        value = exact.as_fraction()
        ulps = (Fraction(computed) - value) / _ulp(value)
        return Enclosure(ulps, ulps)
    for bits in precisions(max_bits=ROUNDING_BITS):
        ball = exact.ball(bits)
        if not ball.is_finite():
            continue
        lower, upper = endpoints(ball)
        unit = _ulp((lower + upper) / 2)
        if (upper - lower) * 2**_ULP_BITS <= unit:
            return Enclosure(
                (Fraction(computed) - upper) / unit, (Fraction(computed) - lower) / unit
            )
    raise UndecidedError(f"{exact!r} has no narrow ball at {ROUNDING_BITS} bits.")


class Side(Enum):
    """Where a double lies, seen from the mathematical value."""

    BELOW = "below"
    EQUAL = "equal"
    ABOVE = "above"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RoundingFault:
    """How a formula in doubles differs from its own mathematics.

    Attributes:
        computed: The double.
        exact: The mathematical value.
        side: Where the double lies.
        ulps: (computed - exact) / ulp.
    """

    computed: float
    exact: Number
    side: Side
    ulps: Enclosure


def rounding_fault(bound: Bound, /, **arguments: Argument) -> RoundingFault:
    """Return on which side of its mathematics a formula in doubles lands, and how far.

    The rounding of the arguments counts. To leave it out, pass doubles: Fraction(0.1).

    Example:
        >>> def thrice(f, *, x):
        ...     return 3 * x
        >>> fault = rounding_fault(thrice, x="0.1")
        >>> fault.side, fault.ulps.lower
        (<Side.ABOVE: 'above'>, Fraction(4, 5))
    """
    computed = evaluate_float(bound, **arguments)
    exact = value_of(bound, arguments)
    ulps = ulps_between(computed, exact)
    if isinstance(exact, Exact):
        difference = (Exact(Fraction(computed)) - exact).sign()
        side = (Side.BELOW, Side.EQUAL, Side.ABOVE)[difference + 1]
    elif ulps.upper < 0:
        side = Side.BELOW
    elif ulps.lower > 0:
        side = Side.ABOVE
    else:
        side = Side.EQUAL if ulps.lower == ulps.upper == 0 else Side.UNKNOWN
    return RoundingFault(computed, exact, side, ulps)


class Fault(Enum):
    """How an upper bound falls below the truth."""

    NONE = "none"
    ROUNDING = "rounding"
    FORMULA = "formula"
    UNKNOWN = "unknown"


def fault_of_bound(bound: Bound, truth: Number, /, **arguments: Argument) -> Fault:
    """Return whether an upper bound fails: its formula, only its rounding, or neither.

    FORMULA if the mathematics is below the truth; ROUNDING if it is not, but the double
    is; UNKNOWN if formula and truth may be equal as far as balls see.

    Example:
        >>> def third(f, *, x):
        ...     return x / 3
        >>> fault_of_bound(third, Exact("1/3"), x=1)  # equal, but the double is below
        <Fault.ROUNDING: 'rounding'>
        >>> fault_of_bound(third, Exact("0.34"), x=1)
        <Fault.FORMULA: 'formula'>
    """
    too_small = is_below(value_of(bound, arguments), truth, max_bits=ROUNDING_BITS)
    if too_small is not Truth.FALSE:
        return Fault.FORMULA if too_small is Truth.TRUE else Fault.UNKNOWN
    computed = evaluate_float(bound, **arguments)
    if math.isinf(computed):
        return Fault.NONE if computed > 0 else Fault.ROUNDING
    match is_below(Exact(Fraction(computed)), truth, max_bits=ROUNDING_BITS):
        case Truth.TRUE:
            return Fault.ROUNDING
        case Truth.FALSE:
            return Fault.NONE
        case Truth.UNKNOWN:
            return Fault.UNKNOWN


def _ulp(value: Fraction) -> Fraction:
    """Return the distance of neighboring doubles around a number."""
    size = abs(value)
    if size == 0:
        return Fraction(math.ulp(0.0))
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    return Fraction(2) ** max(exponent - 52, -1074)
