r"""A loss between two others on a lattice: the chords and the tangents of its privacy curve.

For a measure of losses L under P, δ(γ) = E max(0, 1 − γe^(−L)) is convex and falls in γ, with the
slope −E[e^(−L); L > ln γ]. Two of these, δ <= δ' for all γ > 0, stay in order when other losses
are added, as the mean over S = L + S' is E δ(e^(c − S')): so each of many losses may be replaced by
one whose curve lies above, or below.

*Above.* The polygon through the points of δ at knots γ_j = e^(x_j): its losses are the x_j. A cell
from x_j to x_j + h that holds a of P and b of Q sends u = (a − b e^(x_j))/(1 − e^(−h)) upwards and
a − u down. What lies below the first knot is moved there; of (a, b) above the last b e^(x_K) is
moved there, and the rest becomes infinite.

*Below.* In a cell δ lies above its tangents at both ends. With l = a − γ_j b and m = γ_(j+1) b − a,
these meet lm/(l + m) below the chord, at the share l/(l + m) of the cell: a line that is e_j and
e_(j+1) below δ at the ends is below both if e_j/l + e_(j+1)/m >= 1. So a polygon that is lowered
enough at the knots is below δ. At the ends it runs from (0, P[L > x_0]), where the tangent at the
first knot starts, to 0 at the last one that allows it, before which e is at least l: there it is
below the tangent at the last knot. So is its lower convex hull below δ, and the hull's slopes are
masses. Decisions about the hull are those of balls; where they leave a slope open, a negative
mass of about 2^−bits may stay, which is counted: ``negative``.

Knots are chosen by halving the cells that matter most; nothing rests on the choice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import inf

import numpy as np
from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.inversion.doubles import Doubles, about_log_mean
from exactdp.inversion.losses import LossLaw
from exactdp.numbers import working_bits

__all__ = ["DEPTH", "Knots", "Polygons"]

DEPTH = 44
_FARTHEST = 40
_MAX_CELLS = 1 << 16
_NOTHING = -1e9
_NARROW = 0.7


Weigh = Callable[[Doubles, Doubles], tuple[Doubles, float]]


@dataclass(frozen=True, slots=True)
class Polygons:
    """Two laws on a lattice, P-masses by index, between which a loss lies.

    Attributes:
        above: Of the law that has the larger δ.
        below: Of the law that has the smaller one.
        infinite: What is infinite in the one above.
        negative: What masses of the one below may be below 0, in all.
    """

    above: dict[int, arb]
    below: dict[int, arb]
    infinite: arb
    negative: arb


@dataclass(slots=True)
class _Cell:
    """Losses between two knots.

    Attributes:
        place, width: Of the cell, in steps.
        mass: a.
        up: u.
        low, high: a − γ_j b and γ_(j+1) b − a.
        gap: A number that is at least G.
        x: The first knot, as a double.
        share: u/a, as a double.
        log_mass, log_gap: ln a and ln G, as doubles.
    """

    place: int
    width: int
    mass: arb
    up: arb
    low: arb
    high: arb
    gap: arb
    x: float
    share: float
    log_mass: float
    log_gap: float


@dataclass(slots=True, eq=False)
class Knots:
    """A loss law, cut into cells; all balls are at the working precision.

    Attributes:
        law: Of the loss.
        start: The loss of place 0.
        unit: 2^44 steps.
        side: 1 if the first cell lies above place 0, −1 if below; 0 for one on each side.
    """

    law: LossLaw
    start: arb
    unit: arb
    side: int
    cells: list[_Cell] = field(init=False, default_factory=list)
    _tails: dict[int, tuple[arb, arb]] = field(init=False, default_factory=dict)
    _atoms: tuple[list[float], list[arb], list[arb], list[arb]] = field(init=False)
    _total: arb = field(init=False)
    _planned: tuple[Doubles, ...] | None = field(init=False, default=None)
    _growths: dict[int, arb] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        points = sorted(self.law.points(working_bits()), key=lambda one: one[0].mid())
        if not all(x < y for (x, _), (y, _) in pairwise(points)):
            raise UndecidedError("two atoms cannot be told from each other. Join them.")
        p = list(accumulate((m for _, m in reversed(points)), initial=arb(0)))
        q = list(accumulate((m * (-x).exp() for x, m in reversed(points)), initial=arb(0)))
        losses = [x for x, _ in points]
        self._atoms = [float(x.mid()) for x in losses], losses, p[::-1], q[::-1]
        smooth = self.law.density.total()[0] if self.law.density is not None else arb(0)
        self._total = p[-1] + smooth

    def loss(self, place: int) -> arb:
        """Return the loss at a place."""
        found: arb = self.start + self.unit * place / 2**DEPTH
        return found

    def above(self, place: int) -> tuple[arb, arb]:
        """Return what P and Q have above a place, at finite losses.

        Raises:
            UndecidedError: If an atom cannot be told from the place.
        """
        if place not in self._tails:
            x = self.loss(place)
            p, q = arb(0), arb(0)
            if self.law.density is not None:
                p, q = self.law.density.above(x)
            about, losses, p_atoms, q_atoms = self._atoms
            i = bisect_right(about, float(x.mid()))
            while i > 0 and losses[i - 1] > x:
                i -= 1
            while i < len(losses) and losses[i] < x:
                i += 1
            if not all(loss < x for loss in losses[max(0, i - 1) : i]) or not all(
                loss > x for loss in losses[i : i + 1]
            ):
                raise UndecidedError("an atom cannot be told from a knot. Ask for another width.")
            self._tails[place] = p + p_atoms[i], q + q_atoms[i]
        return self._tails[place]

    def below(self, place: int) -> arb:
        """Return what P has below a place."""
        if self.law.density is None or self._atoms[0]:
            return self._total - self.above(place)[0]
        return self.law.density.below(self.loss(place))[0]

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last knot."""
        return self.cells[0].place, self.cells[-1].place + self.cells[-1].width

    @property
    def beyond(self) -> tuple[arb, arb]:
        """What P and Q have beyond the last knot, but for an atom that lies just beside it."""
        last, top = self.ends[1], self.law.highest()
        if top is not None:
            distance = top.ball(working_bits()) - self.loss(last)
            if distance < self.unit / 2 ** (2 * DEPTH):
                return arb(0), arb(0)
        return self.above(last)

    def begin_anew(self) -> None:
        """Start with one cell, or two."""
        whole = 1 << DEPTH
        places = {1: [0, whole], -1: [-whole, 0], 0: [-whole, 0, whole]}[self.side]
        self.cells = [self._cell(low, high - low) for low, high in pairwise(places)]
        self._planned = None

    def extend(self, *, right: bool) -> None:
        """Add a cell at an end, as wide as all others together.

        Raises:
            TooLargeError: If it is too far out.
        """
        first, last = self.ends
        if last - first > 1 << (DEPTH + _FARTHEST):
            raise TooLargeError("the losses are spread too widely for a lattice. Take others.")
        if right:
            self.cells.append(self._cell(last, last - first))
        else:
            self.cells.insert(0, self._cell(2 * first - last, last - first))
        self._planned = None

    def refine(self, weigh: Weigh, most: float, least: int) -> float:
        """Halve the cells that matter, and return what all matter together before that.

        Args:
            weigh: The weight of e at losses from x to x + h, for cells; below the first, for it.
            most: Nothing is done if all matter less.
            least: No cell is made narrower than so many steps.

        Raises:
            TooLargeError: If there are too many cells.
        """
        x, width, gap, _ = self._arrays()
        gap = gap.copy()
        gap[-1] = _log(self.cells[-1].low)
        inside, under = weigh(x, width)
        share = np.exp(np.minimum(gap + inside, 300))
        share[0] += np.exp(min(gap[0] + under, 300))
        total = float(share.sum())
        if total <= most:
            return total
        order = np.argsort(share)
        chosen = np.empty(len(share), dtype=bool)
        # Those that matter least, half of what may be lost in all, stay.
        chosen[order] = np.cumsum(share[order]) > most / 2
        chosen &= share > share.max() / 256
        widths = np.array([float(cell.width) for cell in self.cells])  # 2^63 is too few
        chosen &= widths > least
        # A narrower lattice has more points for all that is added: last of all.
        narrow = widths == widths.min()
        if share[narrow].sum() <= _NARROW * most and (chosen & ~narrow).any():
            chosen &= ~narrow
        if len(self.cells) + chosen.sum() > _MAX_CELLS:
            raise TooLargeError(f"a loss has more than {_MAX_CELLS:,} cells.")
        found: list[_Cell] = []
        for cell, halve in zip(self.cells, chosen.tolist(), strict=True):
            if halve:
                half = cell.width // 2
                found += [self._cell(cell.place, half), self._cell(cell.place + half, half)]
            else:
                found.append(cell)
        if len(found) > len(self.cells):
            self.cells, self._planned = found, None
        return total

    def log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), for plans."""
        points = self._arrays()[-1]
        return about_log_mean(tilt * points[0], points[1])

    def _arrays(self) -> tuple[Doubles, ...]:
        """Return x, h and ln G of the cells, and (loss, ln mass) of the polygon above."""
        if self._planned is None:
            unit = float(self.unit.mid())
            x = np.array([cell.x for cell in self.cells])
            width = np.array([float(cell.width) for cell in self.cells]) * (unit / 2.0**DEPTH)
            mass = np.array([cell.log_mass for cell in self.cells])
            gap = np.array([cell.log_gap for cell in self.cells])
            share = np.array([cell.share for cell in self.cells])
            with np.errstate(divide="ignore"):
                logs = np.concatenate([mass + np.log1p(-share), mass + np.log(share)])
            ends = np.array([x[0], x[-1] + width[-1]])
            above = self.above(self.ends[1])[1] * self.loss(self.ends[1]).exp()
            outside = np.array([_log(self.below(self.ends[0])), _log(above)])
            points = np.array(
                [
                    np.concatenate([x, x + width, ends]),
                    np.append(np.maximum(logs, _NOTHING), outside),
                ]
            )
            self._planned = x, width, gap, points
        return self._planned

    def _cell(self, place: int, width: int) -> _Cell:
        (p, q), (p_next, q_next) = self.above(place), self.above(place + width)
        a, b, x = p - p_next, q - q_next, self.loss(place)
        gamma, growth = x.exp(), self._growth(width)
        low, high = a - gamma * b, gamma * (1 + growth) * b - a
        up = low * (1 + growth) / growth
        gap = arb((low * high / (gamma * b * growth)).upper())
        # G is low·high/(low + high), and low at most a.
        if not gap <= a:
            gap = arb(a.nonnegative_part().upper())
        share = float((up / a).mid()) if a > 0 else 0.5
        return _Cell(
            place=place,
            width=width,
            mass=a,
            up=up,
            low=low.nonnegative_part(),
            high=high.nonnegative_part(),
            gap=gap,
            x=float(x.mid()),
            share=min(max(share, 0.0), 1.0),
            log_mass=_log(a),
            log_gap=_log(gap),
        )

    def _slacks(self) -> tuple[list[arb], list[arb]]:
        """Return a − γ_j b and γ_(j+1) b − a of the cells."""
        return [cell.low for cell in self.cells], [cell.high for cell in self.cells]

    def _shares(self, deltas: Sequence[arb]) -> list[arb]:
        """Return what part of each cell's need is met at its first knot, for δ at the knots.

        A knot is lowered for one cell no more than for the other, where that can be: else mass is
        taken from farther, and beyond the least loss there is none.
        """
        low = np.array([_log(cell.low) for cell in self.cells])
        high = np.array([_log(cell.high) for cell in self.cells])
        before, after = np.roll(high, 1) - low, np.roll(low, -1) - high
        before[0], after[-1] = _NOTHING, -_NOTHING
        before, after = (np.exp(np.clip(odds, -200, 200)) for odds in (before, after))
        shares = before / np.maximum(1, before + after)
        if self.above(self.ends[1])[0] > 0 and not self.beyond[0] > 0:
            # The polygon stays above 0 up to the last knot: the atom there is not lost.
            logs = np.array([_log(delta) for delta in deltas[1:]])
            shares[:-1] = np.maximum(shares, 1 - np.exp(np.minimum(logs - high, 0)) / 2)[:-1]
        return [arb(share) for share in shares.tolist()]

    def _growth(self, width: int) -> arb:
        """Return e^h − 1."""
        if width not in self._growths:
            self._growths[width] = (self.unit * width / 2**DEPTH).expm1()
        return self._growths[width]

    def polygons(self) -> Polygons:
        """Return the two laws of the header, by place."""
        above: dict[int, arb] = {}
        first, last = self.ends
        for cell in self.cells:
            for place, mass in (
                (cell.place, cell.mass - cell.up),
                (cell.place + cell.width, cell.up),
            ):
                above[place] = above.get(place, arb(0)) + mass
        above[first] += self.below(first)
        p, q = self.above(last)
        stays = q * self.loss(last).exp()
        above[last] += stays
        below, negative = self._hull()
        return Polygons(above, below, p - stays, negative)

    def _hull(self) -> tuple[dict[int, arb], arb]:
        """Return the masses of the polygon below, and what is negative in them."""
        places = [cell.place for cell in self.cells] + [self.ends[1]]
        gammas = [self.loss(place).exp() for place in places]
        # Without what lies beyond the last knot: it would weigh much there once it is tilted.
        beyond = self.beyond
        tails = [(p - beyond[0], q - beyond[1]) for p, q in map(self.above, places)]
        deltas = [p - gamma * q for (p, q), gamma in zip(tails, gammas, strict=True)]
        lows, highs = ([arb(end.upper()) for end in ends] for ends in self._slacks())
        shares = self._shares(deltas)
        left = [share * low for share, low in zip(shares, lows, strict=True)]
        right = [(1 - share) * high for share, high in zip(shares, highs, strict=True)]
        lowered = [left[0]] + [a.max(b) for a, b in zip(right, left[1:], strict=False)]
        last = next((j for j in range(1, len(lows)) if not deltas[j] >= lowered[j]), len(lows))
        while last > 1:
            lowered[last - 1] = right[last - 2].max(lows[last - 1])
            if deltas[last - 1] >= lowered[last - 1]:
                break
            last -= 1
        if last == 1:
            lowered[0] = lows[0]
        values = [d - e for d, e in zip(deltas[:last], lowered, strict=False)]
        # From the point at γ = 0 on.
        xs, vs = [arb(0), *gammas[: last + 1]], [tails[0][0], *values, arb(0)]
        kept: list[int] = []
        slopes: list[arb] = []
        for j in range(len(xs)):
            while kept:
                slope = (vs[kept[-1]] - vs[j]) / (xs[j] - xs[kept[-1]])
                if slopes and slope > slopes[-1]:  # not convex: the point before is above the hull
                    kept.pop()
                    slopes.pop()
                    continue
                slopes.append(slope)
                break
            kept.append(j)
        slopes.append(arb(0))
        masses: dict[int, arb] = {}
        negative = arb(0)
        for i, j in enumerate(kept):
            if j == 0:
                continue
            mass = xs[j] * (slopes[i - 1] - slopes[i])
            if not mass >= 0:  # it is negative, or its ball leaves that open
                negative += (-mass).nonnegative_part()
                mass = mass.nonnegative_part()
            masses[places[j - 1]] = mass
        return masses, arb(negative.upper())


def _log(value: arb) -> float:
    """Return about the logarithm of a number, for plans."""
    if not value > 0:
        return _NOTHING
    found = float(value.log().mid())
    return found if found > -inf else _NOTHING
