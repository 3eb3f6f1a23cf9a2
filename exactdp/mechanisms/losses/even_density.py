"""An even density that is known by its logarithm: its tails, with proven errors.

Integrals are FLINT's, over cells of a length h; from x_j = jh on, ln f falls by at least its last
difference d = ln f(x_j − h) − ln f(x_j) in each h, as it is concave, so ∫_{x_j}^∞ f <= h f(x_j)/d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice

from flint import acb, arb

from exactdp.errors import DomainError
from exactdp.numbers import precision, working_bits
from exactdp.numbers.balls import floor_of
from exactdp.numbers.effort import remembered, spend

__all__ = ["EvenDensity", "LogDensity"]

_DOUBLINGS = 240
"""Doublings, and halvings, of a cell after which a density is not seen to fall."""

_SPARE = 64
"""Pieces more than twice the bits, at most."""

_STEEP = 8
"""The fall of ln f in a cell from which on pieces are shorter, and in each of these."""

_FALLS = (0.5, 3.0)
"""The least and the largest fall of ln f in the first cell."""

LogDensity = Callable[[acb], acb]


@dataclass(frozen=True, slots=True)
class EvenDensity:
    """A log-concave density f with f(−x) = f(x); balls are at the working precision.

    Attributes:
        log_density: ln f at x >= 0, but for a constant; analytic where Re x > 0.
    """

    log_density: LogDensity

    @property
    def cell(self) -> arb:
        """The length h of cells, a power of two in which ln f falls by about 1 from 0.

        Raises:
            DomainError: If it does not fall.
        """
        return _cell(self.log_density)

    def log(self, x: arb) -> arb:
        """Return ln f(x), but for the constant."""
        return self.log_density(acb(abs(x))).real

    def tail(self, x: arb) -> arb:
        """Return ∫_x^∞ f over ∫ f, accurate relative to itself."""
        if x < 0:
            return 1 - self.tail(-x)
        if not x >= 0:
            return (1 - self.tail(arb(-x.lower()))).union(self.tail(arb(x.upper())))
        return self._mass_above(x) / (2 * _from_cell(self.log_density, 0, working_bits()))

    def quantile(self, level: arb) -> arb:
        """Return the x whose tail is a level between 0 and 1, by bisection."""
        low, high = -self.cell, self.cell
        while not self.tail(low) > level:
            low *= 2
        while not self.tail(high) < level:
            high *= 2
        for _ in range(2 * working_bits()):
            middle = arb(((low + high) / 2).mid())
            value = self.tail(middle)
            if value > level:
                low = middle
            elif value < level:
                high = middle
            else:
                break
        return low.union(high)

    def _mass_above(self, x: arb) -> arb:
        """Return ∫ f from x >= 0 on: from the middle of the ball, with a bound for its radius."""
        middle, cell = arb(x.mid()), self.cell
        fall = self.log(middle) - self.log(middle + cell)
        if fall > _STEEP:  # far out the cells from 0 are too long
            found = _from(self.log_density, middle, cell * _STEEP / floor_of(fall))
        else:
            j = int(floor_of(middle / cell)) + 1
            found = _mass_between(self.log_density, middle, j * cell)
            found += _from_cell(self.log_density, j, working_bits())
        return found + x.rad() * self.log(arb(x.lower())).exp() * arb(0, 1)


@remembered(maxsize=64)
def _cell(log_density: LogDensity) -> arb:
    with precision(64):
        top = log_density(acb(0)).real
        for size in range(_DOUBLINGS):
            for length in (arb(2) ** size, arb(2) ** -size):
                fall = top - log_density(acb(length)).real
                if fall > _FALLS[0] and fall < _FALLS[1]:
                    return length
    raise DomainError(
        "log_density does not fall from 0 on as that of noise does. Pass ln f for x >= 0, finite "
        "at 0."
    )


@remembered(maxsize=1 << 14)
def _mass_of_cell(log_density: LogDensity, j: int, bits: int) -> arb:
    length = _cell(log_density)
    with precision(bits):
        return _mass_between(log_density, j * length, (j + 1) * length)


def _mass_between(log_density: LogDensity, low: arb, high: arb) -> arb:
    """Return ∫ f between two places, accurate relative to itself."""
    spend(100)
    top = log_density(acb(low))

    def inner(x: acb, is_analytic: bool) -> acb:  # noqa: FBT001 - as FLINT calls it
        if is_analytic and not x.real > 0:
            return acb("nan")
        return (log_density(x) - top).exp()

    tiny = arb(2) ** (-2 * working_bits())
    return top.real.exp() * acb.integral(inner, acb(low), acb(high), abs_tol=tiny).real


@remembered(maxsize=1 << 14)
def _from_cell(log_density: LogDensity, j: int, bits: int) -> arb:
    """Return ∫ f from jh on."""
    length = _cell(log_density)
    with precision(bits):
        cells = (_mass_of_cell(log_density, i, bits) for i in count(j))
        return _summed(log_density, cells, j * length, length)


def _from(log_density: LogDensity, low: arb, length: arb) -> arb:
    """Return ∫ f from a place on, by pieces of a length."""
    ends = (low + i * length for i in count())
    pieces = (_mass_between(log_density, x, x + length) for x in ends)
    return _summed(log_density, pieces, low, length)


def _summed(log_density: LogDensity, pieces: Iterator[arb], low: arb, length: arb) -> arb:
    """Return the sum of pieces of f of a length, until the rest is little.

    Each is a part of the last; where ever more seem to be needed, the precision does not tell the
    places apart, and no number is returned.
    """
    total, bits = arb(0), working_bits()
    for i, piece in enumerate(islice(pieces, 2 * bits + _SPARE), start=1):
        total += piece
        last, end = (log_density(acb(low + k * length)).real for k in (i - 1, i))
        if last - end > 0:
            rest = end.exp() * length / (last - end)
            if rest < total * arb(2) ** -bits:
                return total + rest * arb(1, 1) / 2
    return arb("nan")
