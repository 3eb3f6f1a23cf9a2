"""How a number leaves the library: decimals, doubles, enclosures.

All of it rests on one operation, floor(x * scale) for a rational scale, which is
exact integer arithmetic for a rational x, and for any other number a refinement
of balls until the floor is certain. For a transcendental element of the exact
field that refinement ends (it never equals the rational boundary); for a
computable real it may not, and then says so.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from flint import arb, fmpq, fmpz

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers.balls import MAX_BITS, endpoints, precision, precisions
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.exact import Exact
from exactdp.numbers.parsing import fmpq_of
from exactdp.numbers.reals import Number

__all__ = [
    "Enclosure",
    "Rounding",
    "decimal",
    "enclosure",
    "exact_text",
    "float_above",
    "float_below",
    "float_rounded",
    "rational_text",
]


class Rounding(Enum):
    """The direction of a decimal: to nearest (ties to even), down or up."""

    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"

    @property
    def mirrored(self) -> Rounding:
        """The direction of −x that gives the same number."""
        return {Rounding.UP: Rounding.DOWN, Rounding.DOWN: Rounding.UP}.get(self, self)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Two rationals with lower <= true value <= upper."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise DomainError(f"lower={self.lower} exceeds upper={self.upper}. Swap the ends.")

    @property
    def width(self) -> Fraction:
        """The width upper - lower."""
        return self.upper - self.lower

    def contains(self, value: Exact | Fraction | int) -> bool:
        """Return whether a number of the exact field lies inside (decided exactly)."""
        return bool(self.lower <= value) and bool(value <= self.upper)


def enclosure(x: Number, *, relative_bits: int = 64) -> Enclosure:
    """Return an enclosure of relative width at most 2^-relative_bits.

    A rational number is returned as a point. The relative width of an enclosure
    of zero is not defined: a computable real for which zero cannot be excluded
    within the budget raises.

    Raises:
        UndecidedError: If a computable real cannot be told from zero.

    Example:
        >>> enclosure(Exact("1/3"))
        Enclosure(lower=Fraction(1, 3), upper=Fraction(1, 3))
        >>> e = enclosure(Exact.exp(1), relative_bits=100)
        >>> e.contains(Exact.exp(1)), e.width < Fraction(3, 2**100)
        (True, True)
    """
    if isinstance(x, Exact) and x.is_rational:
        value = x.as_fraction()
        return Enclosure(value, value)
    for bits in precisions(max_bits=MAX_BITS):
        ball = x.ball(max(bits, relative_bits + 8))
        if not ball.is_finite() or ball.rel_accuracy_bits() < relative_bits:
            continue
        lower, upper = endpoints(ball)
        if (upper - lower) * 2**relative_bits <= min(abs(lower), abs(upper)):
            return Enclosure(lower, upper)
    raise UndecidedError(
        f"{_short(x)} cannot be told from zero at {MAX_BITS} bits. Ask for an absolute width."
    )


def exact_text(x: Number) -> str | None:
    """Return a rational number as text, of any length; None if it is not rational."""
    return x.expression() if isinstance(x, Exact) and x.is_rational else None


def decimal(x: Number, *, digits: int = 17, rounding: Rounding = Rounding.NEAREST) -> str:
    """Return a decimal with ``digits`` significant digits, correctly rounded.

    Any number of digits, any exponent. Exponents below -5 or from ``digits`` on
    are written in scientific notation.

    Raises:
        DomainError: If digits < 1.
        UndecidedError: If a computable real sits on a rounding boundary as far
            as the budget sees.

    Example:
        >>> decimal(Exact("1/12"), digits=4)
        '0.08333'
        >>> decimal(Exact("1e-5000") * 2 / 3, digits=3)
        '6.67e-5001'
        >>> decimal(Exact.exp(1), digits=30)
        '2.71828182845904523536028747135'
    """
    if digits < 1:
        raise DomainError(f"digits={digits} must be at least 1. Ask for 1 or more.")
    sign = _sign(x)
    if sign == 0:
        return "0"
    if sign < 0:
        return "-" + decimal(-x, digits=digits, rounding=rounding.mirrored)
    exponent = _floor_of_log(x, 10)
    text = str(_rounded(x, fmpq(10) ** (digits - 1 - exponent), rounding))
    if len(text) > digits:  # 9.99 rounded up to 10.0
        exponent += 1
        text = text[:-1]
    return _place_point(text, exponent, digits)


def float_below(x: Number) -> float:
    """Return the largest double that is at most x (minus infinity below the range).

    Example:
        >>> float_below(Exact("1/10")) < float_above(Exact("1/10")) == 0.1
        True
        >>> float_below(Exact("1e-5000")), float_above(Exact("1e-5000"))
        (0.0, 5e-324)
    """
    return float_rounded(x, Rounding.DOWN)


def float_above(x: Number) -> float:
    """Return the smallest double that is at least x (infinity above the range)."""
    return float_rounded(x, Rounding.UP)


def float_rounded(x: Number, rounding: Rounding) -> float:
    """Return x rounded to a double: to nearest, down or up."""
    sign = _sign(x)
    if sign == 0:
        return 0.0
    if sign < 0:
        return 0.0 - float_rounded(-x, rounding.mirrored)  # not a negation: zero stays positive
    # 53 bits, but no finer than the subnormal grid 2^-1074.
    shift = min(52 - _floor_of_log(x, 2), 1074)
    n = int(_rounded(x, fmpq(2) ** shift, rounding))
    if n.bit_length() - shift > sys.float_info.max_exp:
        return sys.float_info.max if rounding is Rounding.DOWN else math.inf
    return math.ldexp(n, -shift)


def _rounded(x: Number, scale: fmpq, rounding: Rounding) -> fmpz:
    """Return x * scale rounded to an integer."""
    if isinstance(x, Exact) and x.is_rational:
        value = x.as_fmpq() * scale
        floor = value.floor()
        rest = value - floor
        match rounding:
            case Rounding.DOWN:
                return floor
            case Rounding.UP:
                return floor + (1 if rest != 0 else 0)
            case Rounding.NEAREST:
                half = fmpq(1, 2)
                up = rest > half or (rest == half and floor % 2 == 1)
                return floor + (1 if up else 0)
    offset = fmpq(1, 2) if rounding is Rounding.NEAREST else fmpq(0)
    # A transcendental number is never on a boundary, so this refinement ends;
    # a computable real may sit on one, so its refinement has a budget.
    limit = None if isinstance(x, Exact) else MAX_BITS
    for bits in precisions(max_bits=limit):
        ball = x.ball(bits)
        with precision(bits):
            integer = (ball * arb(scale) + arb(offset)).floor().unique_fmpz()
        if integer is not None:
            return integer + (1 if rounding is Rounding.UP else 0)
    raise UndecidedError(
        f"{_short(x)} cannot be rounded: it is within 2^-{MAX_BITS} of a boundary. "
        "Ask for another number of digits, or for an enclosure."
    )


def _sign(x: Number) -> int:
    if isinstance(x, Exact):
        return x.sign()
    for bits in precisions(max_bits=MAX_BITS):
        ball = x.ball(bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if ball == 0:  # certainly: a ball of radius 0
            return 0
    raise UndecidedError(
        f"{_short(x)} cannot be told from zero at {MAX_BITS} bits. Ask for an enclosure."
    )


def _floor_of_log(x: Number, base: int) -> int:
    """Return the floor of the logarithm of positive x."""
    if isinstance(x, Exact):
        return floor_of_logarithm(x, Exact(base))
    for bits in precisions(max_bits=MAX_BITS):
        ball = x.ball(bits)
        with precision(bits):
            floor = (ball.log() / arb(base).log()).floor().unique_fmpz() if ball > 0 else None
        if floor is not None:
            return int(floor)
    raise UndecidedError(f"{_short(x)} cannot be told from a power of {base}.")


def _place_point(digits_text: str, exponent: int, digits: int) -> str:
    if -5 <= exponent < digits:
        if exponent < 0:
            return "0." + "0" * (-exponent - 1) + digits_text
        whole, rest = digits_text[: exponent + 1], digits_text[exponent + 1 :]
        return f"{whole}.{rest}" if rest else whole
    mantissa = digits_text[0] + ("." + digits_text[1:] if len(digits_text) > 1 else "")
    return f"{mantissa}e{exponent:+d}"


def _short(x: Number) -> str:
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."


def rational_text(value: Fraction) -> str:
    """Return a Fraction as text, of any length (Python's own str stops at 4,300 digits)."""
    return str(fmpq_of(value))
