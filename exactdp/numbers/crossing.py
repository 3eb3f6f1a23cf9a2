"""The one inversion engine: where a certified monotone function crosses a target.

δ falls in ε, falls in the scale of a noise, grows in ε0. An inverse is a bracket: two
points at which certified enclosures of the function lie on different sides of the target.
Points are proposed by the secant method on ln f; a proposal closer to an end of the
bracket than a third of the width wanted is moved inside by that much, so that the last two
steps close the bracket. Where an enclosure holds the target, and is as narrow as the width wanted
takes, f is asked on both sides of that point instead of more narrowly at it. Nothing but the
certified comparisons enters the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from math import exp, log

from flint import arb

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints, precision
from exactdp.numbers.exact import Exact
from exactdp.numbers.rounding import Enclosure
from exactdp.numbers.text import RationalLike, fmpq_of

__all__ = [
    "Slope",
    "crossing",
    "largest_whole",
    "log_ratio",
    "smallest_from_zero",
    "smallest_whole",
    "untold",
    "value_and_side",
]

_STEPS = 400
"""Points at which a function is asked, at most, before a search is given up."""

_COARSEST = Fraction(1, 16)
"""The relative width of the first enclosure at a point: far from the crossing it decides."""

_FINER = Fraction(1, 64)
"""How much narrower an enclosure is asked for at a point that cannot be told from the target."""

_BESIDE = Fraction(11, 25)
"""How far beside a point that is not told from the target others are asked, in widths wanted.

Two such points close the bracket: 2b <= w(x − b) for b = 11wx/25 and widths w up to 1/4."""

_TOLD = Fraction(2, 5)
"""The part of a width wanted in which f should change by more than its enclosure is wide.

It is less than ``_BESIDE``, as slopes are estimates: then the points beside are told."""

_SLOPE_BITS = 64
"""Bits of a slope, from which a width is proposed."""

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
    _, above = value_and_side(value_at, Fraction(0), target, _COARSEST, width * _FINER**2)
    if above is None:
        raise UndecidedError(untold("0", target))
    if not above:
        return Enclosure(Fraction(0), Fraction(0))
    return crossing(value_at, target, slope=Slope.FALLING, first=first, relative_width=width)


def crossing(
    value_at: ValueAt,
    target: Exact,
    *,
    slope: Slope,
    first: Fraction,
    at_most: Fraction | None = None,
    between: tuple[Fraction, Fraction] | None = None,
    relative_width: RationalLike,
) -> Enclosure:
    """Return an enclosure of the point above 0 at which a monotone f crosses a target.

    Args:
        value_at: Enclosures of f. One that is wider than asked is used as far as it goes.
        target: The value to cross, positive.
        slope: Whether f falls from above the target, or grows from at most the target.
        first: A first guess, positive.
        at_most: Where f ends, if it does; the point itself if f does not cross before.
        between: Two points with the crossing between them, if they are known.
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
    x = first = Fraction(first)
    asked = _COARSEST
    if between is not None:
        low, high = between
        if high - low <= limit * low:
            return Enclosure(low, high)
        x = first if low < first < high else (low + high) / 2
        asked = min(_COARSEST, max((high - low) / high, limit) / 16)
    elif at_most is not None:
        value, above = value_and_side(value_at, at_most, target, asked, limit * _FINER**2)
        if above is None:
            raise UndecidedError(untold(f"the largest point {at_most}", target))
        if above != (slope is Slope.GROWING):
            return Enclosure(at_most, at_most)
        x, high = min(first, at_most / 2), at_most
    points: list[tuple[Fraction, arb]] = []
    widths: list[Fraction] = []
    told, beside = _TOLD, low
    for _ in range(_STEPS):
        enough, finest = _change(points[-2:], limit * x * told), limit * _FINER**2
        if told < _TOLD and enough:  # f is so flat that its enclosures hide a change over the width
            finest = min(finest, max(enough, finest * _FINER**2))
        value, above = value_and_side(value_at, x, target, asked, finest, enough)
        if above is None:  # the target, as far as can be seen: look beside it
            there, told = limit * x * _BESIDE, told / 4
            x, beside = (_shortened(y, bits + 8) for y in (x + there, x - there))
            if high is not None and x >= high:
                x = beside
            continue
        if above == (slope is Slope.FALLING):
            low = max(low, x)
        else:
            high = x if high is None else min(high, x)
        if high is not None and high - low <= limit * low:
            return Enclosure(low, high)
        if value.lower > 0:
            points.append((x, log_ratio(value, target, bits + 32)))
        if high is not None and low < beside < high:
            x = beside
            continue
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


def largest_whole(
    value_at: Callable[[int, Fraction], Enclosure], target: Exact, *, at_most: int
) -> int:
    """Return the largest whole number of at least 1 at which a growing f is at most a target.

    Args:
        value_at: Enclosures of f. One that is wider than asked is used as far as it goes.
        target: The value to cross, positive.
        at_most: The largest number that is tried; itself if f is at most the target there.

    Raises:
        DomainError: If f(1) is above the target.
        UndecidedError: If a value cannot be told from the target.

    Example:
        >>> def squares(x, width):
        ...     return Enclosure(Fraction(x * x), Fraction(x * x))
        >>> largest_whole(squares, Exact(50), at_most=100)
        7
    """

    def value(x: Fraction, width: Fraction) -> Enclosure:
        return value_at(int(x), width)

    low, high = 0, at_most + 1
    x = 1
    points: list[tuple[float, float]] = []
    for step in range(_STEPS):
        found, above = value_and_side(value, Fraction(x), target, _COARSEST, _FINER**8)
        if above is None:
            raise UndecidedError(untold(x, target))
        low, high = (low, x) if above else (x, high)
        if high == 1:
            raise DomainError(
                f"the value at 1 is above the target {_short_text(target)}: not even 1 meets it. "
                "Ask for a larger target."
            )
        if high - low == 1:
            return low
        if found.lower > 0:
            points.append((log(x), float(log_ratio(found, target, 64))))
        middle = min(64 * low, (low + high) // 2) if high > 4 * low else (low + high) // 2
        guess = _power_law(points[-2:]) if step % 4 != 3 else None
        near = guess if guess is not None and guess < 4096 * max(low, 1) else middle
        x = min(max(near, low + 1), high - 1)
    raise UndecidedError(
        f"the crossing of {_short_text(target)} was not found in {_STEPS} steps. "
        "Ask for a wider enclosure."
    )


def smallest_whole(
    value_at: Callable[[int, Fraction], Enclosure], target: Exact, *, at_most: int
) -> int:
    """Return the smallest whole number of at least 1 at which a falling f is at most a target.

    Args:
        value_at: Enclosures of f. One that is wider than asked is used as far as it goes.
        target: The value to cross, positive.
        at_most: The largest number that is tried.

    Raises:
        DomainError: If f(at_most) is above the target.
        UndecidedError: If a value cannot be told from the target.

    Example:
        >>> def inverse(x, width):
        ...     return Enclosure(Fraction(1, x), Fraction(1, x))
        >>> smallest_whole(inverse, Exact("1/50"), at_most=100)
        50
    """

    def is_above(x: int) -> bool:
        _, above = value_and_side(
            lambda at, width: value_at(int(at), width), Fraction(x), target, _COARSEST, _FINER**8
        )
        if above is None:
            raise UndecidedError(untold(x, target))
        return above

    low, high = 0, 1
    while is_above(high):
        if high == at_most:
            raise DomainError(
                f"the value at {at_most} is above the target {_short_text(target)}: nothing up to "
                "there meets it. Ask for a larger target."
            )
        low, high = high, min(2 * high, at_most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_above(middle) else (low, middle)
    return high


def _power_law(points: list[tuple[float, float]]) -> int | None:
    """Return where c·x^a through two points, in logarithms, is 1: f is nearly one locally."""
    if len(points) < 2 or points[0][1] == points[1][1]:
        return None
    (x0, y0), (x1, y1) = points
    root = x1 - y1 * (x1 - x0) / (y1 - y0)
    return int(exp(root)) if 0 <= root < 60 else None


def value_and_side(
    value_at: ValueAt,
    x: Fraction,
    target: Exact,
    asked: Fraction,
    finest: Fraction,
    enough: Fraction = Fraction(0),
) -> tuple[Enclosure, bool | None]:
    """Return an enclosure of f(x), and whether f(x) is above the target; None if open.

    It stays open once ``finest`` was asked, or a relative width of ``enough``.
    """
    finest = max(finest, enough)
    while True:
        value = value_at(x, asked)
        is_above = value.is_above(target)
        if is_above is not None or asked <= finest or value.upper == value.lower:
            return value, is_above
        reached = value.width / value.upper
        asked = max(finest, min(asked, reached) * _FINER)


def log_ratio(value: Enclosure, target: Exact, bits: int) -> arb:
    """Return about ln(f/target), for an enclosure of f."""
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


def _change(points: list[tuple[Fraction, arb]], distance: Fraction) -> Fraction:
    """Return about by how much ln f changes over a distance; 0 if that is not known."""
    if len(points) < 2 or points[0][0] == points[1][0]:  # a point may be asked again, narrowly
        return Fraction(0)
    (x0, y0), (x1, y1) = points
    with precision(_SLOPE_BITS):
        return abs(endpoints(((y1 - y0) * arb(fmpq_of(distance / (x1 - x0)))).mid())[0])


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a point between the ends: towards 0 in few steps, if the lower end is 0."""
    return high / 16 if low == 0 else (low + high) / 2


def _shortened(value: Fraction, bits: int) -> Fraction:
    """Return a dyadic rational near a positive one, of about ``bits`` bits."""
    places = bits + value.denominator.bit_length() - value.numerator.bit_length()
    scaled = value * Fraction(2) ** places
    return Fraction(max(1, round(scaled))) / Fraction(2) ** places


def untold(where: object, target: Exact) -> str:
    """Return that a value cannot be told from the target."""
    return (
        f"the value at {where} cannot be told from the target {_short_text(target)}. "
        "Ask for another."
    )


def _short_text(value: Exact) -> str:
    return value.text(most=40)
