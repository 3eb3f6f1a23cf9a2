"""E max(0, X_1 + ... + X_n − c) for many thresholds c: few laws of the sum answer all of them.

``windows`` has laws in doubles, which are tried first. ``atoms`` has the law of a sum as a
polynomial of balls, tilted for one threshold, and the bound of what its light ends would add. Any
tilt gives a bound, and that of a threshold is near those of its neighbors: on a ladder of tilts,
most thresholds find their law made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import floor, log, log2

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact, fmpq_of, precision, short
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import answers
from exactdp.numbers.limits import effort_of_today
from exactdp.sums.doubles import BALL_BITS, PLAN_BITS
from exactdp.sums.lattices.atoms import LatticeRow, PolynomialLaw
from exactdp.sums.lattices.windows import WindowedSum
from exactdp.sums.lines.saddle import minimum

__all__ = ["RepeatedSum"]

_RUNGS = 2
"""Tilts an octave: with more of them more laws are made, and each drops less."""

_DOUBLES = Fraction(1, 10**8)
"""The relative width from which on laws in doubles are tried first: they take milliseconds."""

_KEPT_BITS = 24
"""Bits below the width at which the light ends of a law are dropped, at first."""


@dataclass(slots=True, eq=False)
class RepeatedSum:
    """The sum of n independent copies of a variable on multiples of a step.

    Attributes:
        step: h, positive.
        masses: The mass of each index; they add up to 1.
        times: n, at least 1.
    """

    step: Fraction
    masses: Mapping[int, Fraction]
    times: int
    _laws: dict[tuple[int, int], PolynomialLaw] = field(init=False, default_factory=dict)
    _rows: dict[int, list[tuple[int, arb]]] = field(init=False, default_factory=dict)
    _windowed: WindowedSum | None = field(init=False, default=None)

    def mean_above(
        self, c: Exact, *, relative_width: Fraction, enough: Fraction | None = None
    ) -> Enclosure:
        """Return an enclosure of E max(0, X_1 + ... + X_n − c).

        Args:
            c: The threshold.
            relative_width: The relative width of the enclosure.
            enough: A wider one that will do where doubles do not reach that.

        Raises:
            TooLargeError: If the law of the sum has too many cells.
            UndecidedError: If the width is not reached.

        Example:
            Two coins 0 or 1, above 1/2: (1/2)/2 + (3/2)/4.

            >>> coins = RepeatedSum(Fraction(1), {0: Fraction(1, 2), 1: Fraction(1, 2)}, 2)
            >>> found = coins.mean_above(Exact("1/2"), relative_width=Fraction(1, 100))
            >>> found.contains(Exact("5/8"))
            True
        """
        origin, top = (end * self.step * self.times for end in (min(self.masses), max(self.masses)))
        if bool(c >= top):
            return Enclosure(Fraction(0), Fraction(0))
        if bool(c <= origin):  # all of it counts
            mean = self.times * self.step * sum(i * mass for i, mass in self.masses.items())
            ends = endpoints((mean - c).ball(BALL_BITS))
            return Enclosure(max(ends[0], Fraction(0)), ends[1])
        if relative_width >= _DOUBLES:
            for _, found in answers(partial(self._in_doubles, c), [relative_width]):
                most = enough or relative_width
                if found.lower > 0 and found.is_narrow(most):
                    return found
        place = floor(_RUNGS * log2(self._tilt(c)))
        tilt = 2 ** (place / _RUNGS)
        # A width of 1e-9 and more leaves the balls a few bits to lose.
        small = 64 + _bits(relative_width) + 2 * self.times.bit_length()
        for attempt in range(effort_of_today().tries):
            bits = small * (attempt + 1)
            with precision(bits):
                at = c.ball(bits)
                law = self._law(place, attempt, tilt, bits, _bits(relative_width))
                value, lost = law.mean_above(at, 0)
                ends = endpoints(value)[0], endpoints(value + lost)[1]
            if ends[0] > 0 and ends[1] - ends[0] <= relative_width * ends[0]:
                return Enclosure(*ends)
        raise UndecidedError(
            f"relative_width={short(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def _in_doubles(self, c: Exact, width: Fraction) -> Enclosure:
        """Return the mean above a threshold as narrow as doubles have it; it falls with c."""
        if self._windowed is None:
            self._windowed = WindowedSum(self.step, self.masses, self.times)
        ends = (c.as_fraction(),) * 2 if c.is_rational else endpoints(c.ball(BALL_BITS))
        total = self._windowed
        low, high = (total.mean_above(end, relative_width=width / 2) for end in reversed(ends))
        return Enclosure(low.lower, high.upper)

    def _law(self, place: int, attempt: int, tilt: float, bits: int, wanted: int) -> PolynomialLaw:
        """Return the law at a tilt, from the ladder; its ends below some bits are dropped."""
        if (place, attempt) not in self._laws:
            row = LatticeRow(arb(0), dict(self._balls(bits)), self.times)
            dropped = (_KEPT_BITS + wanted) * (attempt + 1)
            step = arb(fmpq_of(self.step))
            self._laws[place, attempt] = PolynomialLaw.of([row], step, tilt, bits=dropped)
        return self._laws[place, attempt]

    def _tilt(self, c: Exact) -> float:
        """Return about the best tilt for a threshold."""
        with precision(PLAN_BITS):
            at, step = c.ball(PLAN_BITS), arb(fmpq_of(self.step))
            row = LatticeRow(arb(0), dict(self._balls(PLAN_BITS)), self.times)

            def height(tilt: float) -> float:
                total = self.times * sum(row.tilted(step, arb(tilt)).values(), arb(0)).log()
                return float((total - tilt * at).mid()) - 2 * log(tilt)

            return minimum(height)[0]

    def _balls(self, bits: int) -> list[tuple[int, arb]]:
        if bits not in self._rows:
            self._rows[bits] = [(i, Exact(mass).ball(bits)) for i, mass in self.masses.items()]
        return self._rows[bits]


def _bits(width: Fraction) -> int:
    return max(0, width.denominator.bit_length() - width.numerator.bit_length())
