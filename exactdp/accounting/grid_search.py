"""The smallest ε for a δ: a certified bracket from certified values of δ.

Definitions: :class:`Search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING

from exactdp.accounting.grid_plan import allowed_variance
from exactdp.accounting.grid_sketch import Saddle, log_of, saddle_at, saddle_of_delta
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, precision
from exactdp.truth import Truth

if TYPE_CHECKING:
    from exactdp.accounting.grid_composition import GridComposition

__all__ = ["Search"]

_TURNS = 200


@dataclass(frozen=True, slots=True)
class Search:
    """The search for the smallest ε with δ(ε) <= bound.

    Attributes:
        losses: The composition.
        bound: δ, above the mass at plus infinity.
        width: The relative width of the bracket.
        infinite: The mass at plus infinity.
    """

    losses: GridComposition
    bound: Exact
    width: Fraction
    infinite: Number

    def bracket(self) -> Enclosure:
        """Return a certified bracket.

        Newton's method on ln δ proposes where the root is; δ is compared with the bound a
        little to its left and right. Where that does not help (at the kinks of finite
        laws) the bracket is halved.
        """
        zero = Fraction(0)
        at_zero = self._compared(zero)
        if at_zero is Truth.FALSE:
            return Enclosure(zero, zero)
        if at_zero is Truth.UNKNOWN:
            raise UndecidedError(
                f"delta at epsilon=0 cannot be told from {self.bound}. Ask for another delta."
            )
        low, high = zero, None
        guess = Fraction(max(self._saddle().mean, 1e-9))
        for turn in range(_TURNS):
            if high is not None and high - low <= self.width * low:
                return Enclosure(low, high)
            x = self._proposed(guess, low, high, turn)
            truth = self._compared(x)
            if truth is Truth.UNKNOWN:  # a tie; go a little aside
                x += x * self.width / 3 if high is None else (high - x) / 3
                truth = self._compared(x)
            if truth is Truth.UNKNOWN:
                break
            low, high = (x, high) if truth is Truth.TRUE else (low, x)
            guess = self._improved(x)
        raise UndecidedError(
            f"no bracket of relative width {self.width} was found. Ask for a wider one."
        )

    def _saddle(self) -> Saddle:
        with precision(256):
            target = log_of(self.bound.ball(256) - self.infinite.ball(256))
        return saddle_of_delta(self.losses.parts, target)

    def _proposed(
        self, guess: Fraction, low: Fraction, high: Fraction | None, turn: int
    ) -> Fraction:
        """Return a point inside the bracket: near the guess, or the middle."""
        margin = guess * self.width * Fraction(2, 5)
        if turn % 4 != 3:
            for x in (guess - margin, guess + margin):
                if x > low and (high is None or x < high):
                    return x
        return 2 * max(low, guess) if high is None else (low + high) / 2

    def _compared(self, epsilon: Fraction) -> Truth:
        """Return whether δ(ε) is above the bound, by laws that are as good as it takes."""
        losses = self.losses
        for laws in losses.kept_laws:
            truth = self._decided(losses.evaluated(laws, Exact(epsilon), self.infinite))
            if truth is not Truth.UNKNOWN:
                return truth
        if losses.is_beyond_all(Epsilon.rational(epsilon)):
            return Truth.FALSE
        saddle = saddle_at(losses.parts, float(epsilon))
        goal = 1e-2
        finest = min(
            goal, max(1e-13, float(self.width) * (saddle.tilt + 0.1) * float(epsilon) / 50)
        )
        while True:
            try:
                laws = losses.laws_of(saddle, allowed_variance(saddle, goal), goal, 0)
            except TooLargeError:
                return Truth.UNKNOWN
            truth = self._decided(losses.evaluated(laws, Exact(epsilon), self.infinite))
            if truth is not Truth.UNKNOWN or goal <= finest:
                return truth
            goal = max(goal / 100, finest)

    def _decided(self, found: Enclosure) -> Truth:
        if bool(self.bound < found.lower):
            return Truth.TRUE
        return Truth.FALSE if bool(found.upper <= self.bound) else Truth.UNKNOWN

    def _improved(self, x: Fraction) -> Fraction:
        """Return Newton's next point for ln δ, or x where the slope is of no use."""
        step = x / 1024 + Fraction(1, 10**12)
        here, there = self._log_ratio(x), self._log_ratio(x + step)
        if not (isfinite(here) and isfinite(there)) or there >= here:
            return x
        return max(x + Fraction(here / (here - there)) * step, x / 4)

    def _log_ratio(self, x: Fraction) -> float:
        """Return ln of the finite part of δ over that of the bound, by the last laws."""
        if not self.losses.kept_laws:
            return inf
        found = self.losses.evaluated(self.losses.kept_laws[0], Exact(x), self.infinite)
        middle = Exact((found.lower + found.upper) / 2)
        with precision(256):
            rest = self.infinite.ball(256)
            return log_of(middle.ball(256) - rest) - log_of(self.bound.ball(256) - rest)
