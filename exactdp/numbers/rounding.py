"""How a number leaves the library: decimals, doubles, enclosures (digits: see ``digits``)."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self, overload

from flint import arb, fmpq, fmpz

from exactdp.errors import BeyondRangeError, DomainError, UndecidedError
from exactdp.numbers.balls import MAX_BITS, endpoints, precision, precisions
from exactdp.numbers.digits import (
    Rounding,
    bracketed_decimal,
    decimal_of,
    floor_of_log,
    formatted,
    rounded,
    sign_of,
)
from exactdp.numbers.epsilon import Epsilon
from exactdp.numbers.exact import Exact
from exactdp.numbers.limits import (
    MAX_BITS_OF_A_NUMBER,
    MAX_DIGITS_OF_A_NUMBER,
    count_text,
    refuse_above,
)
from exactdp.numbers.reals import Number, Real
from exactdp.numbers.text import fmpq_of, fraction_of, short
from exactdp.numbers.validated import validated
from exactdp.truth import Truth

__all__ = [
    "Enclosure",
    "Outgoing",
    "Rounding",
    "decimal",
    "enclosure",
    "ends",
    "exact_text",
    "float_above",
    "float_below",
    "float_rounded",
    "rational_text",
    "reached",
]

_MOST_DIGITS_SHOWN = 17
"""Digits of each end that an enclosure prints, at most: as many as tell all doubles apart."""

_REACHED_BITS = 4096
"""The precision at which a number is enclosed that may be 0: then only that ends the search."""


class _End(Fraction):
    """An end of an enclosure: a fraction that leaves the library rounded to its own side.

    It equals the plain fraction, and arithmetic with it gives plain fractions.
    """

    __slots__ = ("rounding",)

    rounding: Rounding

    # Fraction compares with floats and decimals by means of these, of its own class.
    from_float = Fraction.from_float  # type: ignore[assignment]
    from_decimal = Fraction.from_decimal  # type: ignore[assignment]

    def __new__(cls, value: Fraction, rounding: Rounding) -> Self:
        self = super().__new__(cls, value)
        self.rounding = rounding
        return self

    def __str__(self) -> str:
        return rational_text(self)  # of any length

    def __repr__(self) -> str:
        return "Fraction({}, {})".format(*map(fmpz, self.as_integer_ratio()))

    def __format__(self, spec: str) -> str:
        return formatted(Exact(self), spec, rounding=self.rounding) if spec else str(self)

    @overload
    def __round__(self, ndigits: None = None) -> int: ...
    @overload
    def __round__(self, ndigits: int) -> Fraction: ...
    def __round__(self, ndigits: int | None = None) -> Fraction | int:
        scale = fmpq(10) ** (ndigits or 0)
        found = fraction_of(rounded(Exact(self), scale, self.rounding) / scale)
        return int(found) if ndigits is None else _End(found, self.rounding)

    def __float__(self) -> float:
        return float_rounded(Exact(self), self.rounding)

    def __reduce__(self) -> tuple[object, ...]:
        return _End, (Fraction(self), self.rounding)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


@validated
@dataclass(frozen=True, slots=True)
class Enclosure:
    """Two rationals with lower <= true value <= upper.

    ``str``, ``format``, ``round``, ``float`` and ``decimal`` round an end to its own side:
    the lower one down, the upper one up. Everywhere else an end is the fraction that it is.

    Example:
        >>> found = Enclosure(Fraction(1, 3), Fraction(2, 5))
        >>> print(found, f"{found:.2f}", round(found, 1))
        [0.333, 0.400] [0.33, 0.40] [0.300, 0.400]
        >>> float_below(found), float_above(found)
        (0.3333333333333333, 0.4)
        >>> float(Enclosure(Fraction(1, 10), Fraction(1, 10)).lower) < 0.1  # the double is above
        True
        >>> found._repr_html_(), Enclosure(Fraction("1.23451"), Fraction("1.23457"))._repr_html_()
        ('[0.333, 0.400]', '1.2345[10, 70]')
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", _End(self.lower, Rounding.DOWN))
        object.__setattr__(self, "upper", _End(self.upper, Rounding.UP))
        if self.lower > self.upper:
            ends = (
                f"lower={short(Fraction(self.lower))} exceeds upper={short(Fraction(self.upper))}"
            )
            raise DomainError(f"{ends}. Give the lower one first.")

    @property
    def width(self) -> Fraction:
        """The width upper - lower."""
        return self.upper - self.lower

    @property
    def lower_by(self) -> str:
        """The name of the lower end, where that is no end of one number; else empty."""
        return ""

    upper_by = lower_by
    """What the upper end is the value of, as ``lower_by`` says it of the lower one."""

    def _repr_html_(self) -> str:
        """Return the common digits of the ends and the rest of each, as a notebook shows it."""
        lower, upper = str(self)[1:-1].split(", ")
        return bracketed_decimal(lower, upper)

    def __str__(self) -> str:
        digits = 3  # and two more than the ends have in common
        while digits < _MOST_DIGITS_SHOWN and self.width * 10 ** (digits - 2) < abs(self.lower):
            digits += 1
        return format(self, f".{digits}g")

    def __format__(self, spec: str) -> str:
        return f"[{self.lower:{spec}}, {self.upper:{spec}}]" if spec else str(self)

    def __round__(self, places: int = 0) -> Enclosure:
        return Enclosure(round(self.lower, places), round(self.upper, places))

    def contains(self, value: Exact | Fraction | int) -> bool:
        """Return whether a number of the exact field lies inside (decided exactly)."""
        return bool(self.lower <= value) and bool(value <= self.upper)

    def is_at_most(self, other: Enclosure | Exact | Fraction | int) -> Truth:
        """Return whether the value is at most another; open where the enclosures overlap.

        Example:
            >>> third = Enclosure(Fraction(1, 4), Fraction(1, 3))
            >>> third.is_at_most(Fraction(1, 3)), third.is_at_most(Fraction(2, 7))
            (<Truth.TRUE: 'true'>, <Truth.UNKNOWN: 'unknown'>)
        """
        low, high = (other.lower, other.upper) if isinstance(other, Enclosure) else (other, other)
        if bool(self.upper <= low):
            return Truth.TRUE
        return Truth.FALSE if bool(high < self.lower) else Truth.UNKNOWN

    def is_above(self, target: Exact | Fraction | int) -> bool | None:
        """Return whether the value is above a target; None where that is open.

        Example:
            >>> third = Enclosure(Fraction(1, 4), Fraction(1, 3))
            >>> third.is_above(Fraction(1, 5)), third.is_above(Fraction(2, 7))
            (True, None)
        """
        told = self.is_at_most(target)
        return None if told.is_open else not told.is_certain


Outgoing = Number | Epsilon | Enclosure | Fraction | int
"""The types that leave the library: an answer of any kind, or an end of one."""


@validated
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


def ends(x: Number, *, relative_bits: int) -> tuple[Number, Number]:
    """Return the ends of an enclosure, as reals where they are too long as fractions.

    Raises:
        UndecidedError: If a computable real cannot be told from zero.

    Example:
        >>> from exactdp.numbers import exp
        >>> low, high = ends(exp(-Exact("1e15")), relative_bits=64)
        >>> decimal(low, digits=8), decimal(high, digits=8)
        ('1.4871298e-434294481903252', '1.4871298e-434294481903252')
    """
    try:
        found = enclosure(x, relative_bits=relative_bits)
    except BeyondRangeError:
        ball = next(b for b in map(x.ball, precisions()) if b.rel_accuracy_bits() >= relative_bits)
        with precision(relative_bits + 64):
            points = arb(ball.lower()), arb(ball.upper())
        low, high = (Real(partial(arb, point), f"an end of {_short(x)}") for point in points)
        return low, high
    return Exact(found.lower), Exact(found.upper)


def reached(x: Number) -> Enclosure:
    """Return the ends of a number of at least 0 that cannot be rounded, at 4,096 bits.

    Raises:
        BeyondRangeError: If ``x`` is too large to be a fraction of sensible length.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> found = reached(sqrt(2) * sqrt(2) - 2)
        >>> found.lower == 0 < found.upper < Fraction(1, 2**4000)
        True
    """
    ball = x.ball(_REACHED_BITS)
    with precision(_REACHED_BITS):
        low, high = arb(ball.lower()), arb(ball.upper())
        least = arb(2) ** -MAX_BITS_OF_A_NUMBER
        if not ball.is_finite():
            raise UndecidedError(
                f"{_short(x)} has no finite ball at {_REACHED_BITS} bits. Take another number."
            )
        lower = endpoints(low)[0] if low > least else Fraction(0)
        return Enclosure(lower, endpoints(high.max(least))[1])


def exact_text(x: Number) -> str | None:
    """Return a rational number as text, of any length; None if it is not rational."""
    return x.expression() if isinstance(x, Exact) and x.is_rational else None


@validated
def decimal(x: Outgoing, *, digits: int = 17, rounding: Rounding | None = None) -> str:
    """Return a decimal with ``digits`` significant digits, correctly rounded.

    Up to six million digits, any exponent. Exponents below -5 or from ``digits`` on
    are written in scientific notation. An epsilon is in nats, "infinity" if it is infinite.
    Rounding an enclosure down starts at its lower end, rounding it up at its upper one.
    Unless told otherwise an end of an enclosure is rounded to its side, and the rest to nearest.

    Raises:
        DomainError: If digits < 1.
        TooLargeError: If they are too many.
        UndecidedError: If a computable real sits on a rounding boundary as far as the budget
            sees, or the ends of an enclosure round to different decimals.

    Example:
        >>> decimal(Exact("1/12"), digits=4)
        '0.08333'
        >>> decimal(Exact("1e-5000") * 2 / 3, digits=3)
        '6.67e-5001'
        >>> decimal(Exact.exp(1), digits=30)
        '2.71828182845904523536028747135'
    """
    whole_digits = digits if isinstance(digits, int) else 0
    refuse_above(
        MAX_DIGITS_OF_A_NUMBER,
        whole_digits,
        f"digits={count_text(whole_digits)} is too many",
        advice=f"Ask for {MAX_DIGITS_OF_A_NUMBER:,} at most.",
    )
    if isinstance(x, Epsilon) and x.is_infinite:
        return "infinity"
    if rounding is None:
        rounding = x.rounding if isinstance(x, _End) else Rounding.NEAREST
    if isinstance(x, Enclosure) and rounding is Rounding.NEAREST:
        text, other = (decimal(x, digits=digits) for x in map(Fraction, (x.lower, x.upper)))
        if text != other:
            raise UndecidedError(
                f"{x} has no one decimal of digits={digits}: its ends round to {text} and {other}. "
                "Ask for fewer digits, a narrower enclosure, or rounding down or up."
            )
        return text
    return decimal_of(_number(x, rounding), digits=digits, rounding=rounding)


def float_below(x: Outgoing) -> float:
    """Return the largest double that is at most x (minus infinity below the range).

    For an enclosure it is at most the lower end; for an epsilon, at most its nats.

    Example:
        >>> float_below(Exact("1/10")) < float_above(Exact("1/10")) == 0.1
        True
        >>> float_below(Exact("1e-5000")), float_above(Exact("1e-5000"))
        (0.0, 5e-324)
    """
    return float_rounded(x, Rounding.DOWN)


def float_above(x: Outgoing) -> float:
    """Return the smallest double that is at least x (infinity above the range).

    For an enclosure it is at least the upper end; for an epsilon, at least its nats.
    """
    return float_rounded(x, Rounding.UP)


def float_rounded(x: Outgoing, rounding: Rounding) -> float:
    """Return x rounded to a double: to nearest, down or up."""
    if isinstance(x, Epsilon) and x.is_infinite:
        return math.inf
    number = _number(x, rounding)
    sign = sign_of(number)
    if sign == 0:
        return 0.0
    if sign < 0:
        # Not a negation: zero stays positive.
        return 0.0 - float_rounded(-number, rounding.mirrored)
    exponent = floor_of_log(number, 2)
    if exponent >= sys.float_info.max_exp:
        return sys.float_info.max if rounding is Rounding.DOWN else math.inf
    # 53 bits, but no finer than the subnormal grid 2^-1074.
    shift = min(52 - exponent, 1074)
    n = int(rounded(number, fmpq(2) ** shift, rounding))
    if n.bit_length() - shift > sys.float_info.max_exp:
        return sys.float_info.max if rounding is Rounding.DOWN else math.inf
    return math.ldexp(n, -shift)


def _number(x: Outgoing, rounding: Rounding) -> Number:
    """Return a number; of an enclosure, the end from which one rounds down or up."""
    match x:
        case Enclosure():
            return Exact(x.lower if rounding is Rounding.DOWN else x.upper)
        case Epsilon():
            return x.nats
        case Exact() | Real():
            return x
    return Exact(x)


def _short(x: Number) -> str:
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."


@validated
def rational_text(value: Fraction) -> str:
    """Return a Fraction as text, of any length (Python's own str stops at 4,300 digits)."""
    return str(fmpq_of(value))
