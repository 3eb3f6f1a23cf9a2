"""The one inversion engine: where a certified monotone function crosses a target.

δ falls in ε, falls in the scale of a noise, grows in ε0 or in a number of steps. An inverse is a
bracket: two points at which certified enclosures of the function lie on different sides of the
target. Points are proposed by the secant method; a proposal closer to an end of the bracket than a
third of the width wanted is moved inside by that much, so that the last two steps close the
bracket. Where an enclosure holds the target, and is as narrow as the width wanted takes, f is asked
on both sides of that point instead of more narrowly at it. Nothing but the certified comparisons
enters the answer.

The secants are those of ln f over x, as δ falls in ε; in the scale of a noise, a rate, or a number
of steps they are those of ln ln(1/f) over ln x. Where δ cannot be computed, as at e^(−1000),
another function may tell that crosses at the same point, as ε at a δ does; where that cannot be
either, the search goes on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import GUARD_BITS, endpoints, precision
from exactdp.numbers.exact import Exact
from exactdp.numbers.rounding import Enclosure
from exactdp.numbers.text import RationalLike, fmpq_of

__all__ = ["Scale", "Slope", "crossing", "smallest_from_zero"]

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

_UNSEEN = 3
"""Points without an answer that are passed by, at most."""

ValueAt = Callable[[Fraction, Fraction], Enclosure]
"""An enclosure of the function at a point, of about the relative width that is asked for."""


class Slope(Enum):
    """The direction of a function: it falls or grows."""

    FALLING = "falling"
    GROWING = "growing"


@dataclass(frozen=True, slots=True)
class Scale:
    """An argument of which ln(1/f) is nearly a power, such as the scale of a noise for f = δ.

    Attributes:
        other: Another function, 1 at the crossing, as ε(δ)/ε for f = δ(ε): it is asked where f
            cannot be told from the target. None if there is none.
        is_whole: Whether arguments are whole numbers.
    """

    other: ValueAt | None = None
    is_whole: bool = False


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
    _, above = _value_and_side(value_at, Fraction(0), target, _COARSEST, width * _FINER**2)
    if above is None:
        raise _untold("0", target)
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
    scale: Scale | None = None,
    relative_width: RationalLike,
) -> Enclosure:
    """Return an enclosure of the point above 0 at which a monotone f crosses a target.

    Args:
        value_at: Enclosures of f. One that is wider than asked is used as far as it goes.
        target: The value to cross, positive; below 1 if there is a scale.
        slope: Whether f falls from above the target, or grows from at most the target.
        first: A first guess, positive.
        at_most: Where f ends, if it does; the point itself if f does not cross before.
        between: Two points with the crossing between them, if they are known.
        scale: What is known of f as a function of a scale.
        relative_width: The width is at most this times the lower end; 1 of whole numbers.

    Returns:
        Two points above 0: f is certainly above the target at one end (the lower, if f
        falls) and certainly at most the target at the other. Of whole numbers the lower end may
        be 0, where f is not asked.

    Raises:
        TooLargeError, UndecidedError: If f has no answer, or the steps do not suffice.

    Example:
        >>> def squares(x, width):
        ...     return Enclosure(x * x, x * x)
        >>> sought = {"slope": Slope.GROWING, "first": Fraction(1), "relative_width": "1e-3"}
        >>> root = crossing(squares, Exact(2), **sought)
        >>> root.lower**2 <= 2 < root.upper**2
        True
    """
    low, high = (Fraction(0), None) if between is None else between
    width = checked_width(relative_width)
    ways = [_Way(value_at, target)]
    if scale is not None and scale.other is not None:
        ways.append(_Way(scale.other, Exact(1)))
    return _Search(ways, slope, at_most, scale, width, low, high).found(Fraction(first))


@dataclass(slots=True)
class _Way:
    """A function with the crossing, and points (x, ln(f/target))."""

    value_at: ValueAt
    target: Exact
    points: list[tuple[Fraction, arb]] = field(default_factory=list)

    def change(self, distance: Fraction) -> Fraction:
        """Return about by how much ln f changes over a distance; 0 if that is not known."""
        if len(self.points) < 2 or self.points[-2][0] == self.points[-1][0]:
            return Fraction(0)
        (x0, y0), (x1, y1) = self.points[-2:]
        return abs(endpoints((y1 - y0).mid() * fmpq_of(distance / (x1 - x0)))[0])


@dataclass(slots=True)
class _Search:
    ways: list[_Way]
    slope: Slope
    at_most: Fraction | None
    scale: Scale | None
    width: Fraction
    low: Fraction
    high: Fraction | None
    widths: list[Fraction] = field(default_factory=list)
    unseen: list[Fraction] = field(default_factory=list)
    told: Fraction = _TOLD

    @property
    def is_whole(self) -> bool:
        return self.scale is not None and self.scale.is_whole

    def found(self, x: Fraction) -> Enclosure:
        """Return the bracket, sought from a point on."""
        if self.high is not None:
            if self.is_closed():
                return Enclosure(self.low, self.high)
            x = x if self.low < x < self.high else (self.low + self.high) / 2
        elif self.at_most is not None and not self.is_whole:
            if self.look(self.at_most) is None:
                raise _untold(f"the largest point {self.at_most}", self.ways[0].target)
            if self.low == self.at_most:
                return Enclosure(self.low, self.low)
            x = min(x, self.at_most / 2)
        beside = self.low
        for _ in range(_STEPS):
            x = self.placed(x)
            is_above = self.look(x)
            if self.is_closed():
                return Enclosure(self.low, self.low if self.high is None else self.high)
            if x in self.unseen:
                x = self.elsewhere()
            elif is_above is None:  # the target, as far as can be seen: look beside it
                if self.is_whole:
                    break
                there, self.told = self.wanted(x) * _BESIDE, self.told / 4
                x, beside = (_shortened(y, self.bits) for y in (x + there, x - there))
                if self.high is not None and x >= self.high:
                    x = beside
            elif self.high is not None and self.low < beside < self.high:
                x = beside
            else:
                x = self.next()
                if any(4 * abs(x - wall) < wall for wall in self.walls()):
                    x = self.elsewhere()
        target = self.ways[0].target
        if self.is_whole:
            raise _untold(x, target)
        raise UndecidedError(
            f"the crossing of {target.text(most=40)} was not narrowed enough in {_STEPS} steps. "
            "Ask for a larger relative width."
        )

    def wanted(self, x: Fraction) -> Fraction:
        """Return the width of a bracket of x."""
        return Fraction(1) if self.is_whole else min(self.width, Fraction(1, 4)) * x

    def is_closed(self) -> bool:
        if self.high is None:
            return self.is_whole and self.low == self.at_most
        return self.high - self.low <= self.wanted(self.low)

    def look(self, x: Fraction) -> bool | None:
        """Return whether f is above the target at x, which then is an end; None if that is open."""
        failure: Exception | None = None
        part, asked = self.wanted(x) / x, _COARSEST
        if self.high is not None and self.low > 0:
            asked = min(asked, max(1 - self.low / self.high, part) / 16)
        for way in self.ways:
            enough, finest = way.change(self.wanted(x) * self.told), part * _FINER**2
            if self.is_whole:
                enough, finest = Fraction(0), _FINER**8
            elif self.told < _TOLD and enough:  # so flat that its enclosures hide a change
                finest = min(finest, max(enough, finest * _FINER**2))
            try:
                value, is_above = _value_and_side(
                    way.value_at, x, way.target, asked, finest, enough
                )
            except (TooLargeError, UndecidedError) as error:
                failure = error
                continue
            if is_above is not None:
                if value.lower > 0 and value.width <= value.lower:
                    way.points.append((x, _log_ratio(value, way.target, self.bits)))
                if is_above == (self.slope is Slope.FALLING):
                    self.low = max(self.low, x)
                else:
                    self.high = x if self.high is None else min(self.high, x)
                return is_above
            failure = None
            if value.width <= 4 * max(finest, enough) * value.upper:
                break  # no other function tells more
        if failure is not None:
            self.unseen.append(x)
            if len(self.ways) == 1 or len(self.unseen) > _UNSEEN:
                raise failure
        return None

    @property
    def bits(self) -> int:
        """The bits of points that are told apart, and some more."""
        width = Fraction(1, 1 << 64) if self.is_whole else self.width
        return width.denominator.bit_length() - width.numerator.bit_length() + 10

    def placed(self, x: Fraction) -> Fraction:
        """Return a short number near x, within the ends; a whole one if arguments are."""
        if not self.is_whole:
            return _shortened(x, self.bits)
        ends = [self.at_most or x, x if self.high is None else self.high - 1]
        return max(Fraction(round(min(x, *ends))), self.low + 1)

    def next(self) -> Fraction:
        """Return where to look next."""
        low, high, guess = self.low, self.high, self.guess()
        count = len(self.unseen) + sum(len(way.points) for way in self.ways)
        reach = 16 ** max(1, count)
        if high is None:
            # Steps grow, so that an end at 1e300 is reached as well.
            far = 4 * low if count < 8 else low**2 + 4 * low
            far = far if self.scale is None else low * reach
            x = guess if guess is not None and low < guess < far else 2 * low
            return max(x, low + self.wanted(low) / 3)
        if low == 0 and self.scale is not None and guess is not None:
            guess = max(guess, high / reach)
        self.widths.append(high - low)
        is_slow = len(self.widths) > 4 and 4 * self.widths[-1] > self.widths[-5]
        if guess is None or is_slow or not low < guess < high:
            self.widths = self.widths[-1:]
            guess = self.middle(low, high)
        step = self.wanted(low) / 3
        return min(max(guess, low + step), high - step)

    def middle(self, low: Fraction, high: Fraction) -> Fraction:
        """Return a point between; of a scale about the geometric mean of far ends."""
        if low == 0:
            return high / 16
        apart = int(high / low).bit_length()
        is_far = apart > 3 and self.scale is not None
        return low * 2 ** (apart // 2) if is_far else (low + high) / 2

    def walls(self) -> list[Fraction]:
        """Return the points within the bracket that had no answer."""
        return [x for x in self.unseen if self.low < x and (self.high is None or x < self.high)]

    def elsewhere(self) -> Fraction:
        """Return a point beyond those that had no answer, on one side and the other in turn."""
        walls = self.walls()
        reach = 4 ** len(walls)
        if len(walls) % 2:
            return max(walls) * reach if self.high is None else self.middle(max(walls), self.high)
        return min(walls) / reach if self.low == 0 else self.middle(self.low, min(walls))

    def guess(self) -> Fraction | None:
        """Return where the line through the last two points crosses zero, on the axes of f."""
        way = next((way for way in self.ways if way.points), None)
        if way is None:
            return None
        with precision(self.bits + GUARD_BITS):
            places = [self.on_axes(way, *point) for point in way.points[-2:]]
            (x, y), steep = places[-1], arb("nan")
            if places[0][1].is_finite() and len(places) > 1:  # not where f is 1
                steep = (y - places[0][1]) / (x - places[0][0])
            elif self.scale is not None:
                power = 1 if way.target == 1 else -2  # about, of ε(δ) and of ln(1/δ)
                steep = arb(power if self.slope is Slope.GROWING else -power)
            root = x - y / steep
            root = root.exp() if self.scale is not None else root
            if not (root.is_finite() and root > 0):
                return None
            return _shortened(endpoints(root.mid())[0], self.bits + 8)

    def on_axes(self, way: _Way, x: Fraction, y: arb) -> tuple[arb, arb]:
        """Return a point on axes on which f is nearly a line, 0 at the crossing."""
        place = arb(fmpq_of(x))
        if self.scale is None:
            return place, y
        if way.target == 1:
            return place.log(), y
        return place.log(), (y / way.target.ball(self.bits).log()).log1p()


def _value_and_side(
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


def _log_ratio(value: Enclosure, target: Exact, bits: int) -> arb:
    """Return about ln(f/target), for an enclosure of f."""
    with precision(bits + GUARD_BITS):
        middle = arb(fmpq_of((value.lower + value.upper) / 2))
        return (middle / target.ball(bits + GUARD_BITS)).log().mid()


def _shortened(value: Fraction, bits: int) -> Fraction:
    """Return a dyadic rational near a positive one, of about ``bits`` bits."""
    places = bits + value.denominator.bit_length() - value.numerator.bit_length()
    scaled = value * Fraction(2) ** places
    return Fraction(max(1, round(scaled))) / Fraction(2) ** places


def _untold(where: object, target: Exact) -> UndecidedError:
    return UndecidedError(
        f"the value at {where} cannot be told from the target {target.text(most=40)}. "
        "Ask for another."
    )
