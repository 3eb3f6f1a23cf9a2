"""Means of positive parts over laws on grids: E[f(X + Z)] for a GridLaw X and few values of Z.

f is max(0, 1 − e^(c − x)) for rate 1 and max(0, x − c) for rate 0. The sums over all
points above each index are kept, so one mean costs one look-up for each value of Z.
Z may itself be a sum on another grid: two lattices without a common step are never
forced onto one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb

from exactdp.errors import DomainError
from exactdp.grids.laws import Frame, GridLaw, Side
from exactdp.numbers import fmpq_of, precision
from exactdp.numbers.balls import floor_of

__all__ = ["Points", "TailSums"]

_EXTRA_BITS = 96
"""Sums are worked out with so many bits more than the weights have."""


@dataclass(frozen=True, slots=True)
class Points:
    """A measure on finitely many points, with a bound of what is not on them.

    Attributes:
        values: The (x, mass) as balls, not tilted.
        tilted: A ball for ∫ e^(λx) dμ of the points.
        lost: Bounds ∫ e^(λx) dμ of what is not on the points.
    """

    values: Sequence[tuple[arb, arb]]
    tilted: arb
    lost: arb

    @classmethod
    def at_zero(cls) -> Points:
        """Return mass 1 at 0: nothing is added."""
        return cls([(arb(0), arb(1))], arb(1), arb(0))

    @classmethod
    def of_values(cls, values: Sequence[tuple[arb, arb]], frame: Frame) -> Points:
        """Return given points, without loss."""
        with precision(frame.bits + _EXTRA_BITS):
            tilt = arb(fmpq_of(frame.tilt))
            tilted = sum((mass * (tilt * x).exp() for x, mass in values), arb(0))
        return cls(values, tilted, arb(0))

    @classmethod
    def of_law(cls, law: GridLaw) -> Points:
        """Return the points of a law on a grid."""
        work = law.frame.bits + _EXTRA_BITS
        h, origin = law.frame.step(law.multiple, precision_bits=work), law.origin.ball(work)
        with precision(work):
            tilt = arb(fmpq_of(law.frame.tilt))
            unit = arb(2) ** -law.frame.bits * arb(fmpq_of(law.log_norm)).exp()
            x, down = origin + law.first * h, (-tilt * h).exp()
            factor = unit * (-tilt * x).exp()
            values = []
            for weight in law.weights.coeffs():
                if weight != 0:
                    values.append((x, weight * factor))
                x, factor = x + h, factor * down
            return cls(values, law.total * unit, law.lost * unit)

    def times(self, other: Points) -> Points:
        """Return the measure of the sum of two independent variables, point by point."""
        values = [(x + z, a * b) for x, a in self.values for z, b in other.values]
        everything = (self.tilted + self.lost) * (other.tilted + other.lost)
        return Points(values, self.tilted * other.tilted, everything - self.tilted * other.tilted)


class TailSums:
    """The sums over the points of a law from each index on.

    Args:
        law: With tilt positive, or of rate 1.

    Example:
        X is 0 or 1 with mass 1/2 each; E max(0, X − 1/4) = 3/8:

        >>> from fractions import Fraction
        >>> from flint import fmpz, fmpz_poly
        >>> from exactdp.numbers import Exact
        >>> frame = Frame(Exact(1), Fraction(1), 0, 30)
        >>> half, tilted = fmpz(2**29), fmpz(int(2**29 * 2.718281828459045))
        >>> law = GridLaw(
        ...     frame, Side.LOWER, Fraction(1), Exact(0), Fraction(0), 0,
        ...     fmpz_poly([half, tilted]), fmpz(0),
        ... )
        >>> mean = TailSums(law).mean(Points.at_zero(), above=Exact("1/4").ball(64))
        >>> bool(abs(mean - arb("0.375")) < arb("1e-8"))
        True
    """

    def __init__(self, law: GridLaw) -> None:
        frame = law.frame
        if frame.rate == 0 and frame.tilt == 0:
            raise DomainError("tilt=0: max(0, x) is not bounded. Use a positive tilt for rate 0.")
        self.law = law
        self._work = frame.bits + _EXTRA_BITS
        self._step = frame.step(law.multiple, precision_bits=self._work)
        origin = law.origin.ball(self._work)
        weights = law.weights.coeffs()
        with precision(self._work):
            tilt, h = arb(fmpq_of(frame.tilt)), self._step
            self._start = origin + law.first * h
            last = self._start + (len(weights) - 1) * h
            up, factor = (tilt * h).exp(), (-tilt * (last - self._start)).exp()
            grow, second = h.exp(), (-(last - self._start)).exp()
            if frame.rate == 0:
                grow, second = arb(1), last - self._start
            mass, moment = arb(0), arb(0)
            masses, moments = [mass], [moment]
            for weight in reversed(weights):
                term = weight * factor
                mass += term
                moment += term * second
                masses.append(mass)
                moments.append(moment)
                factor *= up
                second = second * grow if frame.rate else second - h
            self._masses, self._moments = masses[::-1], moments[::-1]
            norm = arb(fmpq_of(law.log_norm)) - tilt * self._start
            self._unit = norm.exp() * arb(2) ** -frame.bits

    def mean(self, points: Points, *, above: arb) -> arb:
        """Return a ball for E[f(X + Z)], Z on the points, c = ``above``.

        For an UPPER law the upper end is an upper bound (all that is lost is added),
        for a LOWER law the lower end is a lower bound.
        """
        with precision(self._work):
            total = sum((mass * self._tail(above - x) for x, mass in points.values), arb(0))
            if self.law.side is Side.LOWER:
                return total
            return total + self._lost(points, above)

    def _lost(self, points: Points, c: arb) -> arb:
        """Return κ e^(−λc) times all tilted mass that is in the law or the points but not in both.

        κ = sup over t >= 0 of e^(−λt)(1 − e^(−t)) = (λ/(1 + λ))^λ / (1 + λ) for rate 1,
        of t e^(−λt), which is 1/(eλ), for rate 0.
        """
        tilt = arb(fmpq_of(self.law.frame.tilt))
        if self.law.frame.rate == 0:
            kappa = 1 / (tilt * arb(1).exp())
        else:
            kappa = 1 / (1 + tilt)
            if self.law.frame.tilt > 0:
                kappa *= (tilt * (tilt / (1 + tilt)).log()).exp()
        unit = arb(fmpq_of(self.law.log_norm)).exp() * arb(2) ** -self.law.frame.bits
        kept, lost = self.law.total * unit, self.law.lost * unit
        missing = lost * (points.tilted + points.lost) + kept * points.lost
        return kappa * (-tilt * c).exp() * missing

    def _tail(self, c: arb) -> arb:
        """Return a ball for E[f(X)] with threshold c, without what is lost."""
        position = (c - self._start) / self._step
        low, high = self._index(position.lower()), self._index(position.upper())
        value = self._from(low, c)
        # A point that may be the threshold counts or not: either way the same number.
        for index in range(low + 1, high + 1):
            value = value.union(self._from(index, c))
        return value

    def _index(self, position: arb) -> int:
        """Return the first index above a position, within the range."""
        if position < 0:
            return 0
        if position >= len(self._masses) - 1:
            return len(self._masses) - 1
        return int(floor_of(position)) + 1

    def _from(self, index: int, c: arb) -> arb:
        mass, moment = self._masses[index], self._moments[index]
        if self.law.frame.rate:
            return self._unit * (mass - (c - self._start).exp() * moment)
        return self._unit * (moment - (c - self._start) * mass)
