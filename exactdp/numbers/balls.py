"""Balls at a chosen precision: the only place that touches ``flint.ctx``.

FLINT's precision is global to the process. Everything that needs balls enters
:func:`precision`, one ``with`` block, and leaves the old precision behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from math import inf, nextafter

import flint
from flint import arb, fmpq, fmpz

from exactdp.errors import BeyondRangeError, UndecidedError
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import MAX_BITS_OF_A_NUMBER, MAX_EXPONENT, count_text

__all__ = [
    "GUARD_BITS",
    "MAX_BITS",
    "TOLD_BITS",
    "ball_of_interval",
    "ceiling_of",
    "double_above",
    "endpoints",
    "floor_of",
    "integer_in",
    "is_less",
    "nonnegative_ball",
    "normal_cdf_of",
    "precision",
    "precisions",
    "refuse_extreme_exponent",
    "working_bits",
]

MAX_BITS = 1 << 20
"""The precision in bits at which a refinement that need not end gives up."""


TOLD_BITS = 1 << 14
"""The precision in bits up to which two numbers are told apart, on the way to an answer."""

GUARD_BITS = 64
"""Bits beyond those of an answer: with fewer a ball is wider, and is asked for again at more."""


class _Precision:
    """A block with FLINT's working precision; an object, as a generator takes twice the time."""

    __slots__ = ("_bits", "_old")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        spend(4 + self._bits // 32)
        self._old = flint.ctx.prec
        flint.ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        flint.ctx.prec = self._old


def precision(bits: int) -> AbstractContextManager[None]:
    """Run a block with FLINT's working precision at ``bits``, then restore it.

    Raises:
        TooLargeError: If the work is more than :func:`within_work` gave.
    """
    return _Precision(bits)


def precisions(*, max_bits: int | None = None) -> Iterator[int]:
    """Yield 64, 128, 256, ... up to ``max_bits`` (without end if it is None)."""
    bits = 64
    while max_bits is None or bits <= max_bits:
        yield bits
        bits *= 2


def working_bits() -> int:
    """Return FLINT's working precision, for rules that run inside :func:`precision`."""
    return int(flint.ctx.prec)


def is_less(
    left: Callable[[int], arb], right: Callable[[int], arb], *, max_bits: int | None = None
) -> bool | None:
    """Return whether one number is below another, given their balls at any precision.

    None if their balls still overlap at ``max_bits``.
    """
    for bits in precisions(max_bits=max_bits):
        a, b = left(bits), right(bits)
        with precision(bits):
            if a < b:
                return True
            if a >= b:
                return False
    return None


def nonnegative_ball(upper: arb) -> arb:
    """Return a ball that contains [0, upper] and nothing below 0 (upper >= 0, at most wider)."""
    # A radius is rounded up to 30 bits, so the middle is made equal to it afterwards.
    centered = arb(0, upper.upper() / 2)
    return centered + centered.rad()


_FAR = 1 << 16
"""How far below 0 Mills' series takes over: erfc of a ball has no relative accuracy there.

Its least term is below 2^(-10^9) from there on, so that it ends at every precision."""


def normal_cdf_of(x: arb) -> arb:
    """Return a ball around P(N(0, 1) <= x), relatively narrow in the lower tail.

    Formula:
        φ(x)/|x| (1 − 1/x² + 1·3/x⁴ − 1·3·5/x⁶ + ...), far out: what is left of the series lies
        between 0 and the first term left out.

    Source:
        NIST Digital Library of Mathematical Functions, 7.12.1 and its error bound.

    Example:
        >>> normal_cdf_of(arb(0)).contains(arb("0.5"))
        True
        >>> with precision(128):
        ...     print(normal_cdf_of(-arb(10) ** 6 * arb(1, 2**-100)).rel_accuracy_bits() > 50)
        True
    """
    spend(40 + working_bits() // 4)
    if not x < -_FAR:
        return (-x / arb(2).sqrt()).erfc() / 2
    square, least = x * x, arb(2) ** -working_bits()
    total, term, odd = arb(0), arb(1), 1
    while not abs(term) < least:
        total += term
        term *= -odd / square
        odd += 2
    return (-square / 2).exp() / (2 * arb.pi()).sqrt() / -x * total.union(total + term)


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
        return arb(lower)
    if lower == 0:
        return nonnegative_ball(arb(upper))
    if upper == 0:
        return -nonnegative_ball(-arb(lower))
    return arb(lower).union(arb(upper))


def endpoints(ball: arb) -> tuple[Fraction, Fraction]:
    """Return a finite ball's endpoints, which are dyadic rationals, exactly.

    Raises:
        BeyondRangeError: If middle or radius is so extreme that it would be a long fraction.
    """
    # Not ball.lower(): that rounds to whatever the working precision is now.
    if not ball.is_finite():
        raise BeyondRangeError("a number is not bounded. Ask for a less extreme one.")
    (m, e), (r, f) = (tuple(map(int, part.man_exp())) for part in (ball.mid(), ball.rad()))
    _refuse_exponent(abs(e) if m else 0, MAX_BITS_OF_A_NUMBER, "Ask for its significant digits.")
    least = (e + m.bit_length() if m else 0) - MAX_BITS
    if r and f + r.bit_length() < least:  # 1 ± 1e-(10^99) would be a long fraction
        r, f = 1, least
    _refuse_exponent(f if r else 0, MAX_BITS_OF_A_NUMBER, "Ask for a less extreme number.")
    middle, radius = _dyadic(m, e), _dyadic(r, f)
    return middle - radius, middle + radius


def _dyadic(m: int, e: int) -> Fraction:
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def floor_of(ball: arb) -> fmpz:
    """Return the largest integer that is at most every number in a ball.

    Raises:
        UndecidedError: If the ball is not finite: then there is none.

    Example:
        >>> floor_of(arb("2.5")), floor_of(arb(3, "0.001")), ceiling_of(arb(3, "0.001"))
        (2, 2, 4)
    """
    found = integer_in(ball.lower().floor())  # an end is a number, not a ball
    if found is None:
        raise UndecidedError(f"{ball} has no finite lower end. Raise the precision.")
    return found


def ceiling_of(ball: arb) -> fmpz:
    """Return the least integer that is at least every number in a ball.

    Raises:
        UndecidedError: If the ball is not finite: then there is none.
    """
    return -floor_of(-ball)


def double_above(ball: arb) -> float:
    """Return a double that is at least every number in a ball: infinity where none is.

    It is the least one above the upper end at the working precision, for bounds of errors.

    Example:
        >>> double_above(arb("0.5")), double_above(arb(1, 2**-60)) == 1 + 2**-52
        (0.5, True)
    """
    end = ball.upper()
    nearest = float(end)  # to nearest, so perhaps below
    return nearest if end <= arb(nearest) else nextafter(nearest, inf)


def integer_in(ball: arb) -> fmpz | None:
    """Return the integer that a ball holds, if it holds exactly one.

    Raises:
        BeyondRangeError: If all that it holds is longer than an integer of sensible length.
    """
    if not ball.is_finite():
        return None
    # Not its middle: a ball that is wide, as too few bits were spent, may hold small numbers.
    _, exponent = ball.abs_lower().man_exp()
    _refuse_exponent(int(exponent), MAX_BITS_OF_A_NUMBER, "Ask for its significant digits.")
    return ball.unique_fmpz()


def refuse_extreme_exponent(ball: arb) -> None:
    """Raise if not even the exponent of a number is of sensible length.

    Raises:
        BeyondRangeError: If it is beyond 2^(±2^62).
    """
    _, exponent = ball.mid().man_exp()
    _refuse_exponent(abs(int(exponent)), MAX_EXPONENT, "Ask for a less extreme one.")


def _refuse_exponent(exponent: int, limit: int, advice: str) -> None:
    """Refuse a binary exponent above a limit (BeyondRangeError)."""
    if exponent > limit:
        raise BeyondRangeError(
            f"a number has a binary exponent of {count_text(exponent)} in size; the limit here is "
            f"{count_text(limit)}. {advice}"
        )
