"""A bracket of a crossing in few looks, for a function that is nearly a power of its argument.

ε at a δ is nearly a power of the scale of a noise, of a sampling rate, of a number of steps, over
many orders of magnitude, where δ at an ε is e^(−1000) or next to 1. So arguments are proposed by
the secant method on ln f over ln x, in doubles; nothing but certified comparisons enters the
bracket. Near the crossing another function may be quicker that is above its target where f is
above its own, as δ is. Where nothing can be seen, as at an extreme argument, the search goes on
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, frexp, inf, log, log1p

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.crossing import Slope
from exactdp.numbers.seen import (
    Bracket,
    LogPoint,
    Seen,
    log_of,
    next_to_crossing,
    steepness,
    width_of,
)
from exactdp.numbers.text import short

__all__ = ["bracketed"]

_STEPS = 60
"""Arguments that are looked at, at most, before a search is given up."""

_FAILURES, _FAILURES_NEAR = 3, 1
"""Arguments without an answer that are passed by, at most: far from the crossing, and near it."""

_NEAR, _FAR = 1 / 4, 4.0
"""Two sizes of |ln(f/target)|: below the first the other function is asked first, and up to the
second it is believed."""

_REACH = log(4)
"""The stride of ln x towards a side of which nothing is known; later ones are multiples of it."""

_FARTHEST = 600.0
"""The largest size of ln x: e^709 is the largest double."""

_POWERS = 1 / 32, 32.0
"""The least and the largest power of x that f is taken to be, locally; others are not believed."""

_POWERS_BESIDE = 1 / 4, 4096.0
"""The least and the largest power of x that the other function is taken to be, locally."""

_STEEP = 16.0
"""About the power that the other function is, before that is seen."""


def bracketed(
    seen_at: Callable[[Fraction, Fraction], Seen],
    *,
    beside_at: Callable[[Fraction, Fraction], Seen] | None = None,
    slope: Slope,
    first: Fraction,
    at_most: Fraction | None = None,
    is_whole: bool = False,
    power: int = 1,
    relative_width: Fraction,
) -> Bracket:
    """Return a bracket of the argument above 0 at which a monotone f crosses a target.

    Args:
        seen_at: What is seen at an argument, of f to about a relative width.
        beside_at: What is seen of another function with the same crossing, quicker near it.
        slope: Whether f falls from above the target, or grows from at most the target.
        first: A first guess, positive, below ``at_most`` or a whole number.
        at_most: The largest argument there is.
        is_whole: Whether arguments are whole numbers, and f is at most the target at 0.
        power: About the power of its argument, or of 1 over it, that f is far out.
        relative_width: The width is at most this times the lower end, or 1 of whole numbers, and
            2 where f at the one between cannot be told from the target.

    Raises:
        TooLargeError, UndecidedError: If nothing is seen at several arguments, or the steps do
            not suffice.

    Example:
        >>> def cubes(x, width):
        ...     return Seen(x**3 > 10, log(x**3 / 10))
        >>> sought = {"slope": Slope.GROWING, "relative_width": Fraction(1, 100)}
        >>> found = bracketed(cubes, first=Fraction(10**6), **sought)
        >>> found.low**3 <= 10 < found.high**3, found.high <= Fraction(101, 100) * found.low
        (True, True)
        >>> found = bracketed(cubes, first=Fraction(10**6), is_whole=True, **sought)
        >>> int(found.low), int(found.high)
        (2, 3)
    """
    width = float(relative_width)
    return _Search(seen_at, beside_at, slope, first, at_most, is_whole, power, width).found()


@dataclass(slots=True)
class _Search:
    seen_at: Callable[[Fraction, Fraction], Seen]
    beside_at: Callable[[Fraction, Fraction], Seen] | None
    slope: Slope
    first: Fraction
    at_most: Fraction | None
    is_whole: bool
    power: int
    width: float
    low: Fraction | None = None
    high: Fraction | None = None
    points: list[LogPoint] = field(default_factory=list)
    beside: list[LogPoint] = field(default_factory=list)
    """The points that were seen of the other function."""
    gaps: list[float] = field(default_factory=list)
    untold: list[float] = field(default_factory=list)
    """The logarithms of arguments at which f is the target, as far as can be seen."""
    unseen: list[float] = field(default_factory=list)
    """The logarithms of arguments that had no answer."""
    expected: int = 0
    """Which end the next argument is likely to be: 1 the upper one, -1 the lower one, 0 either."""
    misses: int = 0
    """How often the end was another one than expected."""
    refusals: int = 0
    """How often the other function had no answer."""

    def found(self) -> Bracket:
        """Return the bracket."""
        if self.is_whole:
            self.low = Fraction(0)
        elif self.at_most is not None:
            self._look(self.at_most)
            if self.low == self.at_most:
                return Bracket(self.at_most, self.at_most, self.at_most)
        x = self._argument(log_of(self.first))
        for _ in range(_STEPS):
            self._look(x)
            if self._is_closed():
                assert self.low is not None and self.high is not None
                guess = self._argument(self._root())
                return Bracket(self.low, self.high, guess, self._steepness())
            x = self._argument(self._next())
        raise UndecidedError(
            f"no bracket was found in {_STEPS} steps. Ask for a less extreme target."
        )

    # --- looking ------------------------------------------------------------------

    def _look(self, x: Fraction) -> None:
        """Look at an argument until the side of the crossing, and about how far it is, are seen."""
        ways = [self._coarsely, self._beside, self._finely]
        if self._is_near():
            ways = [self._beside, self._coarsely, self._finely]
        is_above: bool | None = None
        is_sized, failure = False, None
        for way in ways:
            if failure is not None and way == self._finely:
                break  # what is too large, or undecided, is so more closely too
            try:
                seen = way(x)
            except (TooLargeError, UndecidedError) as error:
                failure = failure if way == self._beside else error
                continue
            is_above = seen.is_above if is_above is None else is_above
            is_sized = is_sized or seen.log_ratio is not None
            # A side alone is enough of f: there is no size where f is 0.
            if (is_sized or way == self._coarsely) and is_above is not None:
                break
            if way == self._beside and seen.log_ratio is not None:
                break  # as near to the crossing as can be seen
        if is_above is not None:
            self._keep(x, self._sign if is_above else -self._sign)
        elif is_sized:
            self.untold.append(log_of(x))
        else:
            self.unseen.append(log_of(x))
            is_near = bool(self.points or self.beside) and self._is_near()
            if len(self.unseen) > (_FAILURES_NEAR if is_near else _FAILURES):
                raise failure or UndecidedError(
                    f"the value at {short(x)} cannot be told from the target. Ask for another."
                )

    def _keep(self, x: Fraction, side: int) -> None:
        """Keep an end of the bracket: the upper one, 1, or the lower one, -1."""
        if side == -self.expected:
            self.misses += 1
        if side < 0:
            self.low = x if self.low is None else max(self.low, x)
            if self.is_whole and x == self.at_most:
                self.high = x + 1
        else:
            self.high = x if self.high is None else min(self.high, x)

    def _is_near(self) -> bool:
        """Return whether the other function is asked first: at the guess, and near the crossing."""
        if self.beside or not self.points:
            return True
        return abs(next_to_crossing(self.points)[1]) <= _NEAR

    def _coarsely(self, x: Fraction) -> Seen:
        """Look at f, to a width that suits how well the crossing is known."""
        distance = min((abs(h) for _, h, _ in self.points), default=1.0)
        return self._closely(x, max(2 * self._finest(x), distance / 16))

    def _finely(self, x: Fraction) -> Seen:
        """Look at f so closely that the crossing is told from where it is to be told."""
        return self._closely(x, self._finest(x))

    def _closely(self, x: Fraction, width: float) -> Seen:
        """Return f at x to a relative width, and keep it."""
        seen = self.seen_at(x, width_of(width))
        self._add(x, seen, self.points)
        return seen

    def _add(self, x: Fraction, seen: Seen, points: list[LogPoint]) -> None:
        if seen.log_ratio is not None:
            u = log_of(x)
            points[:] = [one for one in points if one[0] != u]  # seen less closely
            points.append((u, self._sign * seen.log_ratio, seen.error))

    def _beside(self, x: Fraction) -> Seen:
        """Look at the other function: no more if it said nothing twice near the crossing."""
        if self.beside_at is None:
            return Seen(None)
        width = self._steepness() * self._margin(log_of(x)) / 4
        is_near, seen = bool(self.points or self.beside) and self._is_near(), Seen(None)
        try:
            seen = self.beside_at(x, width_of(width))
        finally:
            self.refusals += is_near and seen.is_above is None
            if self.refusals > 1:
                self.beside_at = None
                self.beside.clear()
        if self.beside_at is None or seen.log_ratio is None or abs(seen.log_ratio) > _FAR:
            return Seen(seen.is_above)
        self._add(x, seen, self.beside)
        return seen

    @property
    def _sign(self) -> int:
        """1 if f is above the target beyond the crossing, -1 if it is at most the target there."""
        return 1 if self.slope is Slope.GROWING else -1

    def _finest(self, x: Fraction) -> float:
        """Return the relative width of f at which x is told from the crossing, a margin away."""
        return self._power() * self._margin(log_of(x)) / 6

    def _margin(self, u: float, *, share: float = 0.5) -> float:
        """Return how far from the crossing, near e^u, an argument is to be.

        Where arguments are whole numbers, it is at least a share of the distance to the next one.
        """
        margin = log1p(self.width / 3)
        return max(margin, log1p(share * exp(-max(u, 0.0)))) if self.is_whole else margin

    # --- where to look next -------------------------------------------------------

    def _is_closed(self) -> bool:
        """Return whether the bracket is as narrow as asked."""
        if self.low is None or self.high is None:
            return False
        gap = self.high - self.low
        if self.is_whole and (gap == 1 or (gap == 2 and log_of(self.low + 1) in self.untold)):
            return True
        return bool(gap <= Fraction(self.width) * self.low)

    def _next(self) -> float:
        """Return the logarithm of the next argument."""
        low, high = self._ends()
        u = self._root()
        margin, self.expected = self._margin(u), 0
        if self._is_precise(margin):
            u = max(min(u, high), low) if low == -inf or high == inf else u
            if low <= u <= high:
                self.expected = 1 if high - u > u - low else -1
                u += self.expected * margin * 2**self.misses
            else:
                u = (low + high) / 2
        elif high == inf and low > -inf:
            u = min(u, low + self._reach())
        elif low == -inf and high < inf:
            u = max(u, high - self._reach())
        elif high < inf:
            self.gaps.append(high - low)
            if len(self.gaps) > 4 and 2 * self.gaps[-1] > self.gaps[-5]:
                self.gaps.clear()
                u = (low + high) / 2
        if high - low > 2 * margin:
            u = max(min(u, high - margin), low + margin)
        else:
            u = (low + high) / 2
        return self._beside_unseen(self._beside_untold(u))

    def _is_precise(self, margin: float) -> bool:
        """Return whether the crossing is known to about a margin: an end is sought beside it."""
        if self.beside:
            return len(self.beside) > 1
        if not self.points:
            return False
        (_, h, error), size = next_to_crossing(self.points), self._power() * margin
        return h * h <= size and error <= size

    def _reach(self) -> float:
        """Return the largest distance of the next argument from the known bracket."""
        return _REACH * max(1, len(self.points + self.unseen))

    def _beside_untold(self, u: float) -> float:
        """Return u, or a place beside it that may be told from the crossing."""
        low, high = self._ends()
        for place in self.untold:
            margin = self._margin(place, share=1.0)
            if low < place < high and abs(u - place) < margin:
                return place + margin if high - place > place - low else place - margin
        return u

    def _beside_unseen(self, u: float) -> float:
        """Return u, or a place between the bracket and where there was no answer."""
        low, high = self._ends()
        walls = [place for place in self.unseen if low < place < high]
        if not walls or self.beside:
            return u
        first, last, turn = min(walls), max(walls), len(walls) % 2
        if low == -inf and high == inf:
            return log_of(self.first) + (len(walls) if turn else -len(walls)) * _REACH
        if high == inf:  # up to the first of them, or beyond them all
            between = turn and first - low > _REACH / 4
            return min(u, (low + first) / 2) if between else max(u, last + _REACH)
        if low == -inf:
            between = turn and high - last > _REACH / 4
            return max(u, (last + high) / 2) if between else min(u, first - _REACH)
        if (u <= first and u - low < first - u) or (u >= last and high - u < u - last):
            return u
        return (low + first) / 2 if turn else (last + high) / 2

    def _root(self) -> float:
        """Return about the logarithm of the crossing."""
        if self.beside:
            u, g, _ = next_to_crossing(self.beside)
            return u - g / self._steepness()
        if self.points:
            u, h, _ = next_to_crossing(self.points)
            return u - h / self._power()
        low, high = self._ends()
        if low > -inf and high < inf:
            return (low + high) / 2
        return low + _REACH if low > -inf else high - _REACH if high < inf else log_of(self.first)

    def _steepness(self) -> float:
        """Return about the power of x that the other function is, without its sign."""
        found = steepness(self.beside, self.width / 8, _POWERS_BESIDE)
        return found or _STEEP

    def _power(self) -> float:
        """Return about the power of x that f is, without its sign."""
        return steepness(self.points, self.width, _POWERS) or self.power

    def _ends(self) -> tuple[float, float]:
        """Return the logarithms of the ends."""
        low = log_of(self.low) if self.low else -inf
        return low, inf if self.high is None else log_of(self.high)

    def _argument(self, u: float) -> Fraction:
        """Return an argument near e^u, of few bits, and between the ends."""
        if self.is_whole:
            x = Fraction(round(exp(min(u, _FARTHEST))))
            if self.at_most is not None:
                x = min(x, self.at_most)
            if self.high is not None:
                x = min(x, self.high - 1)
            return max(x, (self.low or Fraction(0)) + 1)
        mantissa, exponent = frexp(exp(max(min(u, _FARTHEST), -_FARTHEST)))
        bits = 8 - frexp(self.width)[1]
        return Fraction(round(mantissa * 2**bits), 2**bits) * Fraction(2) ** exponent
