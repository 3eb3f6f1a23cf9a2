"""The one inversion engine: where a certified monotone function crosses a target.

δ falls in ε, falls in the scale of a noise, grows in ε0. An inverse is a bracket: two
points at which certified enclosures of the function lie on different sides of the target.
Points are proposed by the secant method on ln f; a proposal closer to an end of the
bracket than a third of the width wanted is moved inside by that much, so that the last two
steps close the bracket. Nothing but the certified comparisons enters the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints, precision
from exactdp.numbers.exact import Exact
from exactdp.numbers.parsing import RationalLike, fmpq_of
from exactdp.numbers.rounding import Enclosure

__all__ = ["Slope", "crossing", "smallest_from_zero"]

_STEPS = 400
_COARSEST = Fraction(1, 16)
_FINER = Fraction(1, 64)

ValueAt = Callable[[Fraction, Fraction], Enclosure]
"""An enclosure of the function at a point, of about the relative width that is asked for."""


class Slope(Enum):
    """Whether a function falls or grows."""

    FALLING = "falling"
    GROWING = "growing"


def smallest_from_zero(
    value_at: ValueAt, target: Exact, *, first: Fraction, relative_width: RationalLike
) -> Enclosure:
    """Return an enclosure of the smallest x >= 0 at which a falling f is at most a target.

    Returns:
        The point 0 if f(0) is at most the target; else as :func:`crossing`.

    Raises:
        UndecidedError: If f(0) cannot be told from the target, or the steps do not suffice.

    Example:
        >>> def falls(x, width):
        ...     return Enclosure(1 / (1 + x), 1 / (1 + x))
        >>> smallest_from_zero(falls, Exact(1), first=Fraction(1), relative_width="1e-3").upper
        Fraction(0, 1)
    """
    width = checked_width(relative_width)
    _, above = _compared(value_at, Fraction(0), target, _COARSEST, width * _FINER**2)
    if above is None:
        raise UndecidedError(
            f"the value at 0 cannot be told from the target {_short_text(target)}. Ask for another."
        )
    if not above:
        return Enclosure(Fraction(0), Fraction(0))
    return crossing(value_at, target, slope=Slope.FALLING, first=first, relative_width=width)


def crossing(
    value_at: ValueAt,
    target: Exact,
    *,
    slope: Slope,
    first: Fraction,
    relative_width: RationalLike,
) -> Enclosure:
    """Return an enclosure of the point above 0 at which a monotone f crosses a target.

    Args:
        value_at: Enclosures of f. One that is wider than asked is used as far as it goes.
        target: The value to cross, positive.
        slope: Whether f falls from above the target, or grows from at most the target.
        first: A first guess, positive.
        relative_width: The width is at most this times the lower end.

    Returns:
        Two points above 0: f is certainly above the target at one end (the lower, if f
        falls) and certainly at most the target at the other.

    Raises:
        UndecidedError: If the steps do not suffice.

    Example:
        >>> def squares(x, width):
        ...     return Enclosure(x * x, x * x)
        >>> sought = {"slope": Slope.GROWING, "first": Fraction(1), "relative_width": "1e-3"}
        >>> root = crossing(squares, Exact(2), **sought)
        >>> root.lower**2 <= 2 < root.upper**2
        True
    """
    width = checked_width(relative_width)
    bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
    limit = min(width, Fraction(1, 4))
    low: Fraction = Fraction(0)
    high: Fraction | None = None
    x, asked = first, _COARSEST
    points: list[tuple[Fraction, arb]] = []
    widths: list[Fraction] = []
    for _ in range(_STEPS):
        value, above = _compared(value_at, x, target, asked, limit * _FINER**2)
        if above is None:
            x += x * limit / 7  # the target, as far as can be seen: look beside it
            continue
        if above == (slope is Slope.FALLING):
            low = max(low, x)
        else:
            high = x if high is None else min(high, x)
        if high is not None and high - low <= limit * low:
            return Enclosure(low, high)
        if value.lower > 0:
            points.append((x, _log_ratio(value, target, bits + 32)))
        guess = _secant(points[-2:], bits + 16)
        if high is None:
            # Steps grow, so that an end at 1e300 is reached as well.
            far = 4 * low if len(points) < 8 else low**2 + 4 * low
            x = guess if guess is not None and low < guess < far else 2 * low
            x = max(x, low + limit * low / 3)
            continue
        widths.append(high - low)
        is_slow = len(widths) > 4 and 4 * widths[-1] > widths[-5]
        if guess is None or is_slow or not low < guess < high:
            guess = _middle(low, high)
            widths = widths[-1:]
        asked = min(_COARSEST, max((high - low) / high, limit) / 16)
        step = limit * low / 3
        x = _shortened(min(max(guess, low + step), high - step), bits + 8)
    raise UndecidedError(
        f"the crossing of {_short_text(target)} was not narrowed enough in {_STEPS} steps. Ask for "
        "a larger relative width."
    )


def _compared(
    value_at: ValueAt, x: Fraction, target: Exact, asked: Fraction, finest: Fraction
) -> tuple[Enclosure, bool | None]:
    """Return an enclosure of f(x), and whether f(x) is above the target; None if open."""
    while True:
        value = value_at(x, asked)
        if bool(target < value.lower):
            return value, True
        if bool(value.upper <= target):
            return value, False
        if asked <= finest or value.upper == value.lower:
            return value, None
        reached = value.width / value.upper
        asked = max(finest, min(asked, reached) * _FINER)


def _log_ratio(value: Enclosure, target: Exact, bits: int) -> arb:
    with precision(bits):
        middle = arb(fmpq_of((value.lower + value.upper) / 2))
        return (middle / target.ball(bits)).log().mid()


def _secant(points: list[tuple[Fraction, arb]], bits: int) -> Fraction | None:
    """Return where the line through two points crosses zero."""
    if len(points) < 2:
        return None
    (x0, y0), (x1, y1) = points
    with precision(bits + 16):
        root = arb(fmpq_of(x1)) - y1 * arb(fmpq_of(x1 - x0)) / (y1 - y0)
        if not (root.is_finite() and root > 0):
            return None
        return _shortened(endpoints(root.mid())[0], bits)


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a point between the ends: towards 0 in few steps, if the lower end is 0."""
    return high / 16 if low == 0 else (low + high) / 2


def _shortened(value: Fraction, bits: int) -> Fraction:
    """Return a dyadic rational near a positive one, of about ``bits`` bits."""
    places = bits + value.denominator.bit_length() - value.numerator.bit_length()
    scaled = value * Fraction(2) ** places
    return Fraction(max(1, round(scaled))) / Fraction(2) ** places


def _short_text(value: Exact) -> str:
    text = value.expression()
    return text if len(text) <= 40 else f"{text[:30]}..."
