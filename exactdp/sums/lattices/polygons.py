r"""A loss between two others on a lattice: the chords and the tangents of its privacy curve.

For a measure of losses L under P, δ(γ) = E max(0, 1 − γe^(−L)) is convex and falls in γ, with the
slope −E[e^(−L); L > ln γ]. Two of these, δ <= δ' for all γ > 0, stay in order when other losses
are added, as the mean over S = L + S' is E δ(e^(c − S')): so each of many losses may be replaced by
one whose curve lies above, or below.

*Above.* The polygon through the points of δ at knots γ_j = e^(x_j): its losses are the x_j. A cell
from x_j to x_j + h that holds a of P and b of Q sends u = (a − b e^(x_j))/(1 − e^(−h)) upwards and
a − u down. What lies below the first knot is moved there; of (a, b) above the last b e^(x_K) is
moved there, and the rest becomes infinite; but what lies just beside it is in a cell of its own.

*Below.* In a cell δ lies above its tangents at both ends. With l = a − γ_j b and m = γ_(j+1) b − a,
these meet lm/(l + m) below the chord, at the share l/(l + m) of the cell: a line that is e_j and
e_(j+1) below δ at the ends is below both if e_j/l + e_(j+1)/m >= 1. It is below the tangent at any
y in the cell, as in the middle or just beyond an atom, if e_j >= a' − γ_j b' and e_(j+1) >=
γ_(j+1) b'' − a'', with a', b' of what lies below y and a'', b'' above. So a polygon that is lowered
enough at the knots is below δ. At the ends it runs from (0, P[L > x_0]), where the tangent at the
first knot starts, to 0 at the last one that allows it, where e is δ. So is its lower convex hull
below δ, and the hull's slopes are masses. Decisions about the hull are those of balls; where they
leave a slope open, a negative mass of about 2^−bits may stay, which is counted: ``negative``.

Knots are chosen by halving the cells that matter most; nothing rests on the choice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import NOTHING, Doubles, about_log, about_log_mean
from exactdp.sums.lattices.chords import Chord
from exactdp.sums.lattices.hulls import lower_hull, lowered
from exactdp.sums.lattices.lowering import MIDDLE, Lowering, Needs
from exactdp.sums.laws.portions import Portion

__all__ = ["ASIDE", "DEPTH", "MAX_CELLS", "Knots", "Polygons"]

DEPTH = 44
"""A unit is 2^DEPTH steps: cells can be halved as often before they are too narrow."""
ASIDE = 160
"""A knot that could be an atom is 2^−ASIDE units below it, so that balls tell them apart."""
MAX_CELLS = 1 << 16
"""Cells of one loss, at most: it limits the time."""
_FARTHEST = 40
"""Octaves that the cells may be wider than a unit; also nats, tilted, that one cell may span."""
_NARROW = 0.7
"""The part of what may be lost up to which the narrowest cells stay, if wider ones can go."""
_ROUGHLY = 4
"""Multiples of what may be lost: if the chords lose more, the lowering of knots does not matter."""
_FAR = 8.0
"""Multiples of what may be lost: a cell that loses more is cut into quarters at once."""

Weigh = Callable[[Doubles, Doubles], tuple[Doubles, float]]
"""A function of the cells' knots and widths: logarithms of what e matters in each and below."""


@dataclass(frozen=True, slots=True)
class Polygons:
    """Two laws on a lattice, P-masses by index, between which a loss lies.

    Attributes:
        above: The masses of the law that has the larger δ.
        below: The masses of the law that has the smaller δ.
        infinite: The mass that is infinite in the law above.
        negative: A bound of the mass that is negative in the law below.
    """

    above: dict[int, arb]
    below: dict[int, arb]
    infinite: arb
    negative: arb


@dataclass(slots=True, eq=False)
class Knots:
    """A loss law, cut into cells; all balls are at the working precision.

    Attributes:
        law: The law of the loss, or a part of it.
        start: The loss of place 0.
        unit: The loss that 2^DEPTH steps are, in nats.
        side: 1 if the first cell lies above place 0, −1 if below; 0 for one on each side.
    """

    law: Portion
    start: arb
    unit: arb
    side: int
    cells: list[Chord] = field(init=False, default_factory=list)
    _tails: dict[int, tuple[arb, arb]] = field(init=False, default_factory=dict)
    _planned: tuple[Doubles, Doubles, Needs, Doubles] | None = field(init=False, default=None)
    _growths: dict[int, arb] = field(init=False, default_factory=dict)
    _weigh: Weigh | None = field(init=False, default=None)
    _lack: float = field(init=False)

    def __post_init__(self) -> None:
        self._lack = float((1 - self.law.mass).mid())

    def loss(self, place: int) -> arb:
        """Return the loss at a place."""
        found: arb = self.start + self.unit * place / 2**DEPTH
        return found

    def above(self, place: int) -> tuple[arb, arb]:
        """Return the masses of P and Q above a place, at finite losses.

        Raises:
            UndecidedError: If an atom cannot be told from the place.
        """
        if place not in self._tails:
            self._tails[place] = self.law.above(self.loss(place))
        return self._tails[place]

    def below(self, place: int) -> arb:
        """Return the mass of P below a place."""
        return self.law.below(self.loss(place))

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last knot."""
        return self.cells[0].place, self.cells[-1].place + self.cells[-1].width

    @property
    def beyond(self) -> tuple[arb, arb]:
        """The masses of P and Q beyond the last knot, without an atom that lies just beside it."""
        return (arb(0), arb(0)) if self._is_ended else self.above(self.ends[1])

    @property
    def _is_ended(self) -> bool:
        """True if all that is beyond the last knot lies just beside it."""
        top = self.law.highest()
        beside = self.unit / 2 ** (2 * DEPTH)
        return top is not None and bool(top - self.loss(self.ends[1]) < beside)

    @property
    def beside_start(self) -> tuple[int, int]:
        """The places of the knots before and after place 0; 0 where there is none."""
        i = bisect_left(self.cells, 0, key=lambda cell: cell.place)
        after = self.cells[i].width if i < len(self.cells) else 0
        return self.cells[i - 1].place if i else 0, after

    def center(self) -> tuple[arb, float, float]:
        """Return the loss of all beside place 0 if they were one, their mass, and δ after them."""
        before, after = self.beside_start
        (p, q), (p_after, q_after) = self.above(before), self.above(after)
        p, q = p - p_after, q - q_after
        if not (p > 0 and q > 0):
            return self.start, 0.0, 0.0
        rest = p_after - self.loss(after).exp() * q_after
        center = (p / q).log().mid() - self.unit / 2**ASIDE
        return center, float(p.mid()), float(rest.mid())

    def move(self, start: arb) -> None:
        """Move place 0, and all cells."""
        self.start, self._planned = start, None
        self._tails.clear()
        self.cells = [self.chord(cell.place, cell.width) for cell in self.cells]

    def begin_anew(self) -> None:
        """Start with one cell, or two."""
        whole = 1 << DEPTH
        places = {1: [0, whole], -1: [-whole, 0], 0: [-whole, 0, whole]}[self.side]
        self.cells = [self.chord(low, high - low) for low, high in pairwise(places)]
        self._planned = None

    def extend(self, *, right: bool) -> None:
        """Add a cell at an end, as wide as all together.

        Raises:
            TooLargeError: If it is too far out.
        """
        first, last = self.ends
        if last - first > 1 << (DEPTH + _FARTHEST):
            raise TooLargeError(
                "the losses are spread too widely for a lattice. Ask without a relative_width."
            )
        if right:
            self.cells.append(self.chord(last, last - first))
        else:
            self.cells.insert(0, self.chord(2 * first - last, last - first))
        self._planned = None

    def refine(self, weigh: Weigh, most: float, least: int) -> float:
        """Halve the cells that matter, and return the error of all cells before that.

        Args:
            weigh: The logarithms of what an e matters in the cells, and below the first.
            most: Nothing is done if all cells together matter less.
            least: The number of steps below which no cell is made narrower.

        Raises:
            TooLargeError: If there are too many cells.
        """
        spend(len(self.cells))
        self._weigh = weigh
        x, width, needs, _ = self._arrays()
        inside, under = weigh(x, width)
        # The chord is above δ by that at most; in the mean less.
        gap = needs.low + needs.high - np.logaddexp(needs.low, needs.high) - log(2)
        share = np.exp(np.minimum(gap + inside, 300))
        if share.sum() <= _ROUGHLY * most:
            share = np.maximum(share, Lowering.best(needs, inside, under).blame)
        total = float(share.sum())
        if total <= most:
            return total
        order = np.argsort(share)
        chosen = np.empty(len(share), dtype=bool)
        # Cells that matter least stay, up to half of all that may be lost.
        chosen[order] = np.cumsum(share[order]) > most / 2
        chosen &= share > share.max() / 256
        widths = np.array([float(cell.width) for cell in self.cells])  # 2^63 is too few
        chosen &= widths > least
        # A narrower lattice has more points for all that is added: last of all.
        narrow = widths == widths.min()
        if share[narrow].sum() <= _NARROW * most and (chosen & ~narrow).any():
            chosen &= ~narrow
        if len(self.cells) + chosen.sum() > MAX_CELLS:
            raise TooLargeError(
                f"a loss has more than {MAX_CELLS:,} cells. Ask for a wider enclosure."
            )
        found: list[Chord] = []
        # Where a quarter will not be enough, it is taken at once.
        parts = np.where(chosen, np.where((share > _FAR * most) & (widths > 2 * least), 4, 2), 1)
        for cell, count in zip(self.cells, parts.tolist(), strict=True):
            part = cell.width // count
            if count == 1:
                found.append(cell)
            else:
                found += [self.chord(cell.place + i * part, part) for i in range(count)]
        if len(found) > len(self.cells):
            self.cells, self._planned = found, None
        return total

    def log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), for plans."""
        points = self._arrays()[-1]
        return about_log_mean(tilt * points[0], points[1], lack=self._lack)

    def _arrays(self) -> tuple[Doubles, Doubles, Needs, Doubles]:
        """Return x, h and the needs of the cells, and (loss, ln mass) of the polygon above."""
        if self._planned is None:
            unit = float(self.unit.mid())
            rows = [(c.x, float(c.width), c.log_mass, c.share, *c.logs) for c in self.cells]
            x, width, mass, share, *logs_of_needs = np.array(rows).T
            width = width * (unit / 2.0**DEPTH)
            with np.errstate(divide="ignore"):
                logs = np.concatenate([mass + np.log1p(-share), mass + np.log(share)])
            ends = np.array([x[0], x[-1] + width[-1]])
            above = self.above(self.ends[1])[1] * self.loss(self.ends[1]).exp()
            outside = np.array([about_log(self.below(self.ends[0])), about_log(above)])
            losses = np.concatenate([x, x + width, ends])
            points = np.array([losses, np.append(np.maximum(logs, NOTHING), outside)])
            self._planned = x, width, Needs(*logs_of_needs), points
        return self._planned

    def chord(self, place: int, width: int) -> Chord:
        """Return the present chord of the cell from a place on."""
        spend(100)
        ends = self.above(place), self.above(place + width)
        middle = self.above(self._touched(place, width))
        x, growth = self.loss(place), self._growth(width)
        return Chord.of(place, width, x, growth, ends, middle)

    def _touched(self, place: int, width: int) -> int:
        """Return where the tangent in a cell touches: in the middle, or beyond an atom."""
        if self.law.has_atoms:
            first, after, last = (self.above(y)[0] for y in (place, place + 1, place + width))
            if first - after > (first - last) / 2**8:
                return place + 1
        return place + width // 2

    def _growth(self, width: int) -> arb:
        """Return e^h − 1."""
        if width not in self._growths:
            self._growths[width] = (self.unit * width / 2**DEPTH).expm1()
        return self._growths[width]

    def polygons(self, tilt: arb) -> Polygons:
        """Return the two laws of the header, by place, that are tightest about a tilt."""
        above: dict[int, arb] = {}
        first, last = self.ends
        for cell in self.cells:
            ends = (cell.place, cell.mass - cell.up), (cell.place + cell.width, cell.up)
            for place, mass in ends:
                above[place] = above.get(place, arb(0)) + mass
        above[first] += self.below(first)
        p, q = self.above(last)
        stays, infinite = q * self.loss(last).exp(), arb(0)
        width = min(cell.width for cell in self.cells)
        if self._is_ended and tilt * self.unit * width / 2**DEPTH < _FARTHEST:
            # One cell more holds it, that weighs little: nothing becomes infinite.
            growth = self._growth(width)
            above[last + width] = (p - stays) * (1 + growth) / growth
            above[last] += p - above[last + width]
        else:
            above[last] += stays
            infinite = p - stays
        below, negative = self._hull()
        return Polygons(above, below, infinite, negative)

    def _hull(self) -> tuple[dict[int, arb], arb]:
        """Return the masses of the polygon below, and the negative ones among them."""
        places = [cell.place for cell in self.cells] + [self.ends[1]]
        gammas = [self.loss(place).exp() for place in places]
        # Without what lies beyond the last knot: it would weigh much there once it is tilted.
        beyond = self.beyond
        tails = [(p - beyond[0], q - beyond[1]) for p, q in map(self.above, places)]
        deltas = [p - gamma * q for (p, q), gamma in zip(tails, gammas, strict=True)]
        lows = [arb(cell.low.upper()) for cell in self.cells]
        highs = [arb(cell.high.upper()) for cell in self.cells]
        needs = [
            cell.middle if share == MIDDLE else (share * low, (1 - arb(share)) * high)
            for share, cell, low, high in zip(
                self._lowering.shares.tolist(), self.cells, lows, highs, strict=True
            )
        ]
        down = lowered(deltas, lows, highs, needs)
        masses, negative = lower_hull(gammas, tails[0][0], deltas, down)
        return {places[j]: mass for j, mass in masses.items()}, negative

    @property
    def _lowering(self) -> Lowering:
        x, width, needs, _ = self._arrays()
        inside, under = (0 * x, 0.0) if self._weigh is None else self._weigh(x, width)
        return Lowering.best(needs, inside, under)
