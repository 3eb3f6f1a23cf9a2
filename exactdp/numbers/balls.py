"""Balls at a chosen precision: the only place that touches ``flint.ctx``.

FLINT's precision is global to the process. Everything that needs balls enters
:func:`precision`, one ``with`` block, and leaves the old precision behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import flint
from flint import arb, fmpq, fmpz

from exactdp.errors import UndecidedError

__all__ = [
    "FIRST_BITS",
    "MAX_BITS",
    "ball_of_interval",
    "ball_of_rational",
    "ceiling_of",
    "endpoints",
    "floor_of",
    "nonnegative_ball",
    "precision",
    "precisions",
    "working_bits",
]

FIRST_BITS = 64
"""Where a refinement starts."""

MAX_BITS = 1 << 20
"""Where a refinement that need not end gives up."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Run a block with FLINT's working precision at ``bits``, then restore it."""
    old = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = old


def precisions(*, max_bits: int | None = None) -> Iterator[int]:
    """Yield 64, 128, 256, ... up to ``max_bits`` (without end if it is None)."""
    bits = FIRST_BITS
    while max_bits is None or bits <= max_bits:
        yield bits
        bits *= 2


def working_bits() -> int:
    """Return FLINT's working precision, for rules that run inside :func:`precision`."""
    return int(flint.ctx.prec)


def ball_of_rational(value: fmpq) -> arb:
    """Return a ball around a rational at the current precision."""
    return arb(value)


def nonnegative_ball(upper: arb) -> arb:
    """Return a ball that contains [0, upper] and nothing below 0 (upper >= 0, at most wider)."""
    # A radius is rounded up to 30 bits, so the middle is made equal to it afterwards.
    centered = arb(0, upper.upper() / 2)
    return centered + centered.rad()


def ball_of_interval(lower: fmpq, upper: fmpq) -> arb:
    """Return a ball that contains [lower, upper], at the current precision.

    The ball is wider by a relative 2^-29 or so, but it does not cross zero where
    the interval only touches it.

    Example:
        >>> ball = ball_of_interval(fmpq(0), fmpq(1, 3))
        >>> ball >= 0, ball.contains(arb(fmpq(1, 3))), ball < 1
        (True, True, True)
    """
    if lower == upper:
        return ball_of_rational(lower)
    if lower == 0:
        return nonnegative_ball(arb(upper))
    if upper == 0:
        return -nonnegative_ball(-arb(lower))
    return arb(lower).union(arb(upper))


def endpoints(ball: arb) -> tuple[Fraction, Fraction]:
    """Return a finite ball's endpoints, which are dyadic rationals, exactly."""
    # Not ball.lower(): that rounds to whatever the working precision is now.
    middle, radius = _dyadic(ball.mid()), _dyadic(ball.rad())
    return middle - radius, middle + radius


def _dyadic(value: arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def floor_of(ball: arb) -> fmpz:
    """Return the largest integer that is at most every number in a ball.

    Raises:
        UndecidedError: If the ball is not finite: then there is none.

    Example:
        >>> floor_of(arb("2.5")), floor_of(arb(3, "0.001")), ceiling_of(arb(3, "0.001"))
        (2, 2, 4)
    """
    found = ball.lower().floor().unique_fmpz()  # an end is a number, not a ball
    if found is None:
        raise UndecidedError(f"{ball} has no finite lower end. Raise the precision.")
    return found


def ceiling_of(ball: arb) -> fmpz:
    """Return the least integer that is at least every number in a ball.

    Raises:
        UndecidedError: If the ball is not finite: then there is none.
    """
    return -floor_of(-ball)
