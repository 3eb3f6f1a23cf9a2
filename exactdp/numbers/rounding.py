"""Rounding of numbers that leave the library: decimals, doubles, enclosures."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.errors import BeyondRangeError, UndecidedError
from exactdp.numbers.balls import MAX_BITS, endpoints, precision, precisions
from exactdp.numbers.digits import Rounding, decimal_of, double_of, short_repr
from exactdp.numbers.enclosures import Enclosure, End, rational_text
from exactdp.numbers.epsilon import Epsilon
from exactdp.numbers.exact import Exact
from exactdp.numbers.limits import (
    MAX_BITS_OF_A_NUMBER,
    MAX_DIGITS_OF_A_NUMBER,
    count_text,
    refuse_above,
)
from exactdp.numbers.reals import Number, Real
from exactdp.numbers.text import RationalLike
from exactdp.numbers.validated import validated

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

_REACHED_BITS = 4096
"""The precision at which a number is enclosed that may be 0: then only that ends the search."""


Outgoing = Number | Epsilon | Enclosure | RationalLike
"""The types that leave the library: an answer of any kind, or an end of one."""


@validated
def enclosure(x: Outgoing, *, relative_bits: int = 64) -> Enclosure:
    """Return an enclosure of relative width at most 2^-relative_bits.

    A rational number is returned as a point, an enclosure as it is, an epsilon in nats. The
    relative width of an enclosure of zero is not defined: a computable real for which zero cannot
    be excluded within the budget raises.

    Raises:
        UndecidedError: If a computable real cannot be told from zero.

    Example:
        >>> enclosure(Exact("1/3"))
        Enclosure([0.33333333333333333, 0.33333333333333334])
        >>> enclosure(0.1).lower == enclosure("0.1").lower
        False
        >>> e = enclosure(Exact.exp(1), relative_bits=100)
        >>> e.contains(Exact.exp(1)), e.width < Fraction(3, 2**100)
        (True, True)
    """
    if isinstance(x, Enclosure):
        return x
    x = _number(x, Rounding.NEAREST)
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
        f"{short_repr(x)} cannot be told from zero at {MAX_BITS} bits. Ask for an absolute width."
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
        low, high = (Real(partial(arb, point), f"an end of {short_repr(x)}") for point in points)
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
                f"{short_repr(x)} has no finite ball at {_REACHED_BITS} bits. Take another number."
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
        rounding = x.rounding if isinstance(x, End) else Rounding.NEAREST
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
    return double_of(_number(x, rounding), rounding)


def _number(x: Outgoing, rounding: Rounding) -> Number:
    """Return a number; of an enclosure, the end from which one rounds down or up."""
    match x:
        case Enclosure():
            return Exact(x.lower if rounding is Rounding.DOWN else x.upper)
        case Epsilon():
            return x.nats
        case Exact() | Real():
            return x
    return Exact(x, name="x")
