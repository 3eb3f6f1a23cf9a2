"""The losses of a sum, cut into cells that are halved where they matter; nothing rests on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import expm1, inf, log

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.numbers.later import np
from exactdp.sums.doubles import SMALLEST, about_log
from exactdp.sums.lattices.fourier import TooFineError
from exactdp.sums.lattices.guides import Guide, Piece
from exactdp.sums.lattices.polygons import DEPTH, Knots
from exactdp.sums.lines.saddle import minimum

__all__ = ["PASSES", "Cells"]

PASSES = 80
"""Rounds of halving cells for one plan, at most; a plan that is not fine then is refused."""

_ROUGH = 1e-4
"""The mass of one loss that may at first lie below all cells; fewer cells show what matters."""

_SEEN = 1e-3
"""The mass of all copies of a loss that may at first lie above all cells."""

_SMALL = 32
"""The part of a width, over this, that may be lost to what lies beyond all cells."""

_PUSHED = 1 / 8
"""The part of the δ of larger losses that a knot may take from them before it is moved."""

_NEARLY = 1.0
"""What all cells may matter, over D(c), where only a guess of D(c) is wanted."""


@dataclass(slots=True, eq=False)
class Cells:
    """All losses of a sum, with their cells; balls are at the working precision.

    Attributes:
        pieces: The losses, each with its cells and its copies.
    """

    pieces: Sequence[Piece]
    _centers: dict[int, tuple[int, int]] = field(init=False, default_factory=dict)

    @property
    def knots(self) -> list[Knots]:
        """The knots of all pieces."""
        return [knots for piece in self.pieces for knots in piece.knots]

    @property
    def unit(self) -> float:
        """The unit of all knots."""
        return float(self.knots[0].unit.mid())

    @property
    def count(self) -> int:
        """The number of cells."""
        return sum(len(knots.cells) for knots in self.knots)

    @property
    def step(self) -> float:
        """The width of the narrowest cell, in nats."""
        widths = [cell.width for knots in self.knots for cell in knots.cells]
        return min(widths) * self.unit / 2.0**DEPTH

    def begin(self, c: float) -> None:
        """Cut each loss into few cells that hold most of it, so that sums reach a threshold."""
        self._centers.clear()
        for knots in self.knots:
            knots.begin_anew()
        while True:
            ends = [(p.knots[-1], p.times) for p in self.pieces]
            tops = [self._top(piece) for piece in self.pieces]
            rest = [_part(k.beyond[0], k.above(k.ends[0])[0]) * n for k, n in ends]
            if max(rest) <= _SEEN and (sum(tops) > c + abs(c) / 8 or max(rest) == 0):
                break
            ends[rest.index(max(rest))][0].extend(right=True)
        for knots in self.knots:
            while knots.below(knots.ends[0]) > _ROUGH:
                knots.extend(right=False)

    def log_moment(self, tilt: float) -> float:
        """Return about ln E[e^(λS); S has a hit], for plans."""
        found, share = 0.0, 0.0
        for piece in self.pieces:
            whole, rest = piece.log_moments(tilt)
            found, share = found + piece.times * whole, share + piece.times * rest
        return found + log(max(-expm1(share), SMALLEST))

    def least(self, bound: Callable[[float], float]) -> tuple[float, float]:
        """Return about the λ at which a bound is least, and the bound there.

        Cells are halved until they serve that tilt.
        """
        start, found = 1 / self.unit, 0.0
        for _ in range(PASSES):
            with np.errstate(over="ignore", invalid="ignore"):  # far from the least
                start, found = minimum(bound, start)
            if self.refine(Guide.flat(len(self.pieces)), start, _NEARLY, 1) <= _NEARLY:
                break
        return start, found

    def refine(self, guide: Guide, tilt: float, most: float, least: int) -> float:
        """Halve the cells that matter, and return the error of all cells before, over D(c).

        Args:
            guide: What a coarser law says of the sum.
            tilt: λ.
            most: Nothing is done if all cells together matter less.
            least: The number of steps below which no cell is made narrower.

        Raises:
            TooFineError: If there are too many cells.
        """
        total = 0.0
        for i, piece in enumerate(self.pieces):
            log_moment, _ = piece.log_moments(tilt)
            for knots in piece.knots:
                weigh = guide.weigh(i, piece.times, log_moment, tilt, is_hit=knots is piece.hits)
                try:
                    total += knots.refine(weigh, most / len(self.knots), least)
                except TooLargeError:
                    raise TooFineError.at(inf) from None
        return total

    def extend(self, tilt: float, log_mean: float, log_width: float) -> bool:
        """Return whether cells had to be added at an end, as the losses beyond it matter."""
        found, kinds = False, len(self.pieces)
        for piece in self.pieces:
            for knots in piece.knots:
                beyond = knots.beyond[0]
                if beyond > 0:
                    share = about_log(beyond) + log(piece.times) - log_mean
                    if share > log_width - log(_SMALL * kinds):
                        knots.extend(right=True)
                        found = True
            first = piece.knots[0]
            under = first.below(first.ends[0])
            if under > 0:
                share = about_log(under) + log(piece.times)
                share += tilt * float(first.loss(first.ends[0]).mid()) - piece.log_moments(tilt)[0]
                if share > log_width - log(256 * kinds):
                    first.extend(right=False)
                    found = True
        return found

    @staticmethod
    def _top(piece: Piece) -> float:
        """Return how far all copies of a loss reach."""
        knots = piece.knots[-1]
        return float(knots.loss(knots.ends[1]).mid()) * piece.times

    def leave(self, beyond: float) -> None:
        """Add cells at the upper ends, until no more than a number is infinite in the sum."""
        for piece in self.pieces:
            for knots in piece.knots:
                while knots.beyond[0] * piece.times > beyond:
                    knots.extend(right=True)

    def center(self, tilt: float, most: float, log_least: float) -> bool:
        """Move knots to the means of the masses near them, and return whether any moved.

        In the law below, masses near a knot stay at it only if it is their mean. If it is not, the
        sum of many copies is moved as often, or mass is taken from larger losses.

        Args:
            tilt: λ.
            most: Nothing is done if all that is moved matters less.
            log_least: The logarithm of what larger losses, in all, are not seen below.
        """
        found, kinds = False, len(self.pieces)
        for piece in self.pieces:
            first = piece.knots[0]
            if first.side != 0 or self._centers.get(id(piece)) == first.beside_start:
                continue
            center, mass, rest = first.center()
            off = abs(float((center - first.start).mid())) * mass
            is_seen = rest > 0 and log(rest * piece.times) > log_least
            if off * piece.times * tilt > most / 3 / kinds or (is_seen and off > rest * _PUSHED):
                self._centers[id(piece)] = first.beside_start
                for knots in piece.knots:
                    knots.move(center)
                found = True
        return found


def _part(beyond: arb, whole: arb) -> float:
    """Return a number that is at least about beyond/whole; 0 if nothing is seen of the whole."""
    return float((beyond / whole).upper()) if whole > 0 else 0.0
