"""The search for the threshold at which a sum crosses a target, along few lines."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

from exactdp.numbers import Enclosure
from exactdp.sums.lattices.levels import Laws

__all__ = ["Search", "rounded_near"]

_STEPS = 4
"""Thresholds that are tried on one line, at most, before new laws are made."""

_NEAR = 0.7
"""Nats of D: a line serves thresholds whose D is within this of the target.

It is also how far apart, in logarithms, the ends of an enclosure of D may lie to be followed."""

_FAR = -30.0
"""Nats of D below the target beyond which a slope says little, and the threshold is halved."""

_SEEN = Fraction(1, 16)
"""The least quotient of the ends of an enclosure of D at which D counts as known."""

_DEEP = Fraction(1, 10**9)
"""The part of a target below which a value of D is not worth knowing where a larger one is near."""


@dataclass(slots=True)
class Search:
    """The search for the c at which D crosses a target.

    Attributes:
        least, most: The ends of an enclosure of the target.
        width: The relative width that is wanted.
        low: The largest c at which D is known to be above the target; None before one is.
        high: The least c at which D is known to be at most the target; None before one is.
        slope: About −d ln D/dc.
        is_seen: Whether D is known at ``high``, not only bounded, and is not next to nothing.
    """

    least: Fraction
    most: Fraction
    width: Fraction
    low: Fraction | None = None
    high: Fraction | None = None
    slope: float = 0.0
    is_seen: bool = False

    @property
    def log_target(self) -> float:
        """The logarithm of the target."""
        return log(self.least.numerator) - log(self.least.denominator)

    @property
    def is_closed(self) -> bool:
        """True if ``low`` and ``high`` are as near as the width asks."""
        if self.high == 0:
            return True
        return None not in (self.low, self.high) and (
            self.high - self.low <= self.width * self.low  # type: ignore[operator]
        )

    @property
    def found(self) -> Enclosure:
        """The enclosure, once it is closed."""
        assert self.high is not None
        return Enclosure(self.low if self.low is not None and self.high else Fraction(0), self.high)

    def needed(self, x: Fraction) -> float:
        """Return about the relative width of D that closes the search."""
        return self.slope * float(x) * float(self.width) / 4 if x > 0 else 1.0

    def middle(self, x: Fraction) -> Fraction:
        """Return the middle of the ends, or x where one is not known."""
        if self.low is None or self.high is None:
            return x
        return (self.low + self.high) / 2

    def along(self, composed: Laws, x: Fraction) -> tuple[Fraction, bool]:
        """Follow D on one line from x on, and return where to go on, and whether that is near."""
        self.slope = composed.tilt
        previous: tuple[Fraction, float] | None = None
        for _ in range(_STEPS):
            value = self._at(composed, x)
            if self.is_closed or value.upper == 0:
                return x, True
            above = _log(value.upper) - self.log_target
            if value.lower <= 0 and above < -_NEAR:
                # Far beyond the crossing; where hardly anything is left, lines say little.
                there = x / 2 if above < _FAR else x + _short_signed(above / self.slope)
                return self._between(there), False
            if value.lower <= 0:
                # The law below is too coarse here. That above crosses beyond: go there first.
                there = self._between(x + _short_signed(above / self.slope))
                return (x, True) if above <= _NEAR or there == x else (there, False)
            below = _log(value.lower) - self.log_target
            middle = (above + below) / 2
            if below < 0 < above and above - below > _NEAR:
                return self._between(x + _short_signed(middle / self.slope)), True
            if previous is not None and x != previous[0] and middle != previous[1]:
                slope = (previous[1] - middle) / float(x - previous[0])
                self.slope = slope if slope > 0 else self.slope
            previous = x, middle
            if abs(middle) > _NEAR:
                # The line serves thresholds near its own.
                return self._between(x + _short_signed(middle / self.slope)), False
            # Just beyond where either end is expected to cross; the line still serves there.
            more = max(float(self.width * x) * self.slope / 16, abs(middle) / 64)
            more = min(more, _NEAR / 2)
            ends = [
                x + _short_signed((side + sign * more) / self.slope)
                for side, sign in ((above, 1), (below, -1))
            ]
            for end in ends:
                if end > 0:
                    self._at(composed, end)
            if self.is_closed or above - below > _NEAR:
                break
            x = self._between(x + _short_signed(middle / self.slope))
            if abs(middle) < more:
                break
        return x, True

    def _at(self, composed: Laws, x: Fraction) -> Enclosure:
        """Return the enclosure of D(x), and keep x as an end if it is nearer than the last one."""
        value = composed.at(x)
        if value.upper <= self.least and (self.high is None or x < self.high):
            self.high = x
            self.is_seen = value.lower > max(value.upper * _SEEN, self.least * _DEEP)
        if value.lower > self.most and (self.low is None or x > self.low):
            self.low = x
        return value

    def _between(self, x: Fraction) -> Fraction:
        """Return x, or another point where it cannot be the crossing."""
        low = self.low if self.low is not None else Fraction(0)
        if x <= low or (self.high is not None and x >= self.high):
            if self.low is None and x <= 0:
                return Fraction(0)
            if self.high is None:
                return 2 * low
            if self.low is None:  # D is about e times as large there, where a line serves
                return max(self.high - _short_signed(1 / self.slope), self.high / 2)
            return (low + self.high) / 2
        return x


def _log(value: Fraction) -> float:
    """Return the logarithm of a rational, also of one that is too large or small for a double."""
    return log(value.numerator) - log(value.denominator)


def rounded_near(value: float) -> Fraction:
    """Return a number near a double that is short to print."""
    return Fraction(float(f"{value:.12g}"))


def _short_signed(value: float) -> Fraction:
    """Return a number of either sign near a double that is short to print."""
    return Fraction(float(f"{value:.9g}"))
