"""A function next to a crossing, seen in doubles: on logarithmic axes it is nearly a line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import frexp, log

from flint import arb

from exactdp.numbers.balls import precision
from exactdp.numbers.reals import Number
from exactdp.numbers.rounding import Enclosure
from exactdp.numbers.text import fmpq_of

__all__ = [
    "Bracket",
    "LogPoint",
    "Seen",
    "log_of",
    "next_to_crossing",
    "seen_of",
    "steepness",
    "width_of",
]

_BITS = 64
"""Bits of the balls by which an enclosure becomes a ratio in doubles, which only proposes."""

LogPoint = tuple[float, float, float]
"""(ln x, ±ln(f(x)/target), about the error of that), the second growing in x."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An enclosure of f at an argument, compared with the target.

    Attributes:
        is_above: Whether f is above the target there; None if that is open.
        log_ratio: About ln(f/target); None if f is 0 or infinite, or it is not known.
        error: About how far that may be off.
    """

    is_above: bool | None
    log_ratio: float | None = None
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two arguments with the crossing between them.

    Attributes:
        low: f is seen on one side of the target there; 0 if it is at no argument below ``high``.
        high: f is seen on the other side there; the same point if f ends before it crosses.
        guess: About where f crosses.
        steepness: About the power of the argument that the other function is there.
    """

    low: Fraction
    high: Fraction
    guess: Fraction
    steepness: float = 1.0


def seen_of(value: Enclosure, target: Number, *, is_above: bool | None) -> Seen:
    """Return an enclosure, once it is compared with the target."""
    if value.lower <= 0:
        return Seen(is_above)
    middle = (value.lower + value.upper) / 2
    with precision(_BITS):
        ratio = float((arb(fmpq_of(middle)) / target.ball(_BITS)).log().mid())
    return Seen(is_above, ratio, float(Fraction(value.width) / (2 * middle)))


def next_to_crossing(points: list[LogPoint]) -> LogPoint:
    """Return the point next to the crossing."""
    return min(points, key=lambda one: abs(one[1]) + one[2])


def steepness(points: list[LogPoint], apart: float, bounds: tuple[float, float]) -> float | None:
    """Return the slope next to the crossing; None if too few points are far enough apart."""
    if not points:
        return None
    u, h, error = next_to_crossing(points)
    others = [one for one in points if abs(one[0] - u) > max(apart, 2 * (error + one[2]))]
    if not others:
        return None
    v, g, _ = next_to_crossing(others)
    return min(max((g - h) / (v - u), bounds[0]), bounds[1])


def width_of(value: float) -> Fraction:
    """Return a relative width that is short to print, at most a positive double and 1/16."""
    return Fraction(1, 1 << max(4, 1 - frexp(value)[1]))


def log_of(x: Fraction) -> float:
    """Return about ln x, of any size."""
    return log(x.numerator) - log(x.denominator)
