"""The choice of a line and of cells for a sum, in doubles: nothing rests on it but the width.

A plan is of losses up to some size, and of sums that need at least one above another size, the
hits; of all losses, where neither is given. It is a pair of laws on a line through the saddle
point, with cells that are halved where they matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import ceil, inf, log

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.effort import first_answer
from exactdp.numbers.later import np
from exactdp.sums.doubles import about_log
from exactdp.sums.lattices.cells import PASSES, Cells
from exactdp.sums.lattices.fourier import MAX_POINTS, Fourier, TooFineError
from exactdp.sums.lattices.guides import Guide, Piece
from exactdp.sums.lattices.kinds import Kind, all_pieces, kinds_of
from exactdp.sums.lattices.placing import TYPICAL, placed, reach
from exactdp.sums.lattices.polygons import DEPTH
from exactdp.sums.lattices.remainders import Remainder
from exactdp.sums.lattices.tilted import BITS, SMALLEST, TiltedLaws, most_points
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.lines.saddle import Line, log_kappa

__all__ = ["COARSE", "Plan"]

COARSE = 0.25
"""The relative width of a first law, which tells what matters for a finer one."""

_SHARE = 1.5
"""What all cells may matter, in widths: above 1, as what they matter is estimated from above."""

_SPARED = 1 / 64
"""The part of a bound of D that may be infinite in each law."""

_WIDER = 16 / 9
"""How many times too many the points of a lattice may be for a wider unit to be tried."""

_SLOW = 4
"""Passes that halve few cells, at most; at a narrow width each lets all cells matter more."""

_MANY_CELLS = 1 << 12, 1 << 14
"""Cells of a sum, at most: of one that may be divided instead, and of one that may not."""

_SOONER = 4
"""How many times fewer cells a sum may have whose cells were made for another threshold."""

_NARROW = 1e-3
"""The relative width from which on down cells may be many before a sum is refused or divided."""

_HARD = 1 << 16
"""Points of a lattice, at most, for a sum that might be cheaper divided or with new cells."""

_TIGHT = 1 << 19
"""Points of a lattice, at most, while the ends of more laws can become knots instead."""

_ROUGH, _LONG = 0.1, 1 << 20
"""A relative width, and the points for one so wide, at most, while a sum can be divided."""

_DEAR = 1024
"""Points of a lattice that take as long as one cell, about."""

_UNSEEN = log(SMALLEST) + 1
"""The logarithm of the least share of a tilted law that doubles show, and a nat."""

_HOLLOW = 3.0
"""Nats by which a threshold is reached more rarely than by sums of one scale: there are two."""

_FAR = 1 << 20
"""The octave, negated, of the largest loss of a law that has none above 0: below all others."""

_NEAR = 4
"""The distance of two thresholds, in 1/λ, up to which the cells of one serve the other."""

_FEW_CELLS = 64
"""Cells of a guess, at most, for laws to start from them: more would stay too fine."""

_NARROWEST = 3
"""Octaves between the sizes of a plan that may be divided, at least."""


@dataclass(slots=True, eq=False)
class Plan:
    """One sum and its latest laws.

    Attributes:
        parts: The laws, each with finite losses, and their numbers of copies.
        low: The exponent k of the loss 2^k above which a loss is a hit; None if all are hits.
        high: The exponent k of the largest loss 2^k that counts; None if all count.
        cut: The indices of the kinds that ``low`` and ``high`` divide; None for all.
        laws: The latest laws; None before the first.
        rest: A bound of D, where that is enough; else None.
        guide: What the laws before say for the next ones; None if there are none.
        is_last: Whether large lattices are tried, as the sum cannot be divided.
        limit: The most points that a lattice may have.
        is_hollow: Whether sums reach the threshold so rarely that there seem to be two scales.
    """

    parts: Sequence[tuple[LossLaw, int]]
    low: int | None = None
    high: int | None = None
    cut: frozenset[int] | None = None
    laws: TiltedLaws | None = None
    rest: Remainder | None = None
    guide: Guide | None = None
    is_hollow: bool = False
    is_last: bool = False
    limit: int = MAX_POINTS
    _kinds: Sequence[Kind] = field(init=False)
    _cells: Cells = field(init=False, default_factory=lambda: Cells([]))
    _grain: float | None = field(init=False, default=None)
    _stretch: Fraction | None = field(init=False, default=None)
    _is_loose: bool = field(init=False, default=True)
    _c: float | None = field(init=False, default=None)
    _served: tuple[float, float] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._kinds = kinds_of(self.parts)

    def renew(self, c: float, width: float) -> TiltedLaws:
        """Return the sum on a line that serves a threshold, to about a relative width.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If there is no good line.
        """
        with precision(BITS):
            if self.laws is not None:
                self.guide = self.laws.guide(c) if self._is_within(c) else None
            if self._serves(c):
                try:
                    return self._renewed(c, width)
                except (TooLargeError, UndecidedError):
                    if self.is_hollow and not self.is_last and width < _NARROW:
                        raise  # as many other cells take long, and hardly help: it is divided
            self._begin(c)
            try:
                return self._renewed(c, width)
            except TooFineError:
                tight = self._tight()
                if tight is None:
                    raise
            try:
                self._cells, self._is_loose = tight, False
                self._begin(c)
                return self._renewed(c, width)
            except (TooLargeError, UndecidedError):
                self._cells, self._is_loose = Cells([]), True
                raise

    def _tight(self) -> Cells | None:
        """Return cells whose knots are the ends of more laws; None if there are none."""
        if not self._is_loose or self.is_divided:
            return None
        found = Cells(self._placed(self._grain, is_loose=False))
        return None if found.unit == self._cells.unit else found

    def _renewed(self, c: float, width: float) -> TiltedLaws:
        """Return the sum as ``renew`` does, from the cells that are there."""
        line = self._line(c, width)
        most = min(self.limit, most_points(self._cells.pieces))
        points = _points(line.period / self._cells.step, most)
        excess = points / most
        if 1 < excess <= _WIDER and self._stretch is None and self._served is None:
            # Another unit may do: the distance of two ends is a whole number of its sixteenths.
            self._stretch, self._cells = Fraction(16, int(16 / excess)), Cells([])
            self._begin(c)
            return self._renewed(c, width)
        self.is_hollow = self._is_hollow(line)
        is_hard = self._is_rather_divided(line)
        # Cells of its own may be wider, but making them must take less than so many points.
        is_hard |= self._served is not None and points > max(_HARD, _DEAR * self._cells.count)
        is_hard |= width >= _ROUGH and points > _LONG and not self.is_last
        is_hard |= points > _TIGHT and not self.is_last and self._tight() is not None
        if excess > 1 or is_hard:
            raise TooFineError.at(2 * width * max(1, excess) ** 2)
        self.laws = TiltedLaws.of(all_pieces(self._kinds, self._cells.pieces), line)
        self._c, self._served = c, (c, line.tilt)
        self.guide = self.laws.guide(c)
        self.is_hollow = self._is_hollow(line)
        return self.laws

    def _is_rather_divided(self, line: Line) -> bool:
        """Return whether a sum that hardly reaches the threshold needs a long lattice."""
        is_long = line.period > _HARD * self._cells.step
        return is_long and self._is_hollow(line) and not self.is_last

    def _is_hollow(self, line: Line) -> bool:
        """Return whether sums are seen to reach the threshold far more rarely than expected."""
        return self.guide is not None and self.guide.log_value < line.log_value - _HOLLOW

    def is_below(self, c: arb) -> bool:
        """Return whether certainly no sum counts and exceeds a threshold; then D(c) is 0."""
        total, has_hits = arb(0), self.low is None
        with precision(BITS):
            size = arb(2) ** (self.low or 0)
            kinds = enumerate(self._kinds)
            for i, law, n in ((i, *one) for i, kind in kinds for one in kind.members):
                top = law.highest()
                tops = [] if top is None else [top.ball(BITS)]
                if i in self._cut:
                    has_hits = has_hits or not tops or not tops[0] < size
                    tops += [] if self.high is None else [arb(2) ** self.high]
                total += n * min(tops, key=lambda one: float(one.mid())) if tops else arb("inf")
            return not has_hits or bool(total <= c)

    @property
    def is_divided(self) -> bool:
        """True if the plan is of a part of the sum, by the size of its largest loss."""
        return self.low is not None or self.high is not None

    def is_of(self, c: float) -> bool:
        """Return whether the latest laws were made for this threshold."""
        return self.laws is not None and self._c == c

    @property
    def tilt(self) -> arb | None:
        """The λ of the latest laws, or that of the bound; None if there is neither."""
        if self.laws is not None:
            return self.laws.tilt
        return None if self.rest is None else self.rest.image.theta

    def is_blunt(self, value: Enclosure) -> bool:
        """Return whether a finer lattice would not narrow the enclosure of D(c).

        It is infinite above, or negative below, or doubles show nothing of the tilted law there.
        """
        if self.laws is None or value.lower > 0:
            return False
        with precision(BITS):
            hides = 2 * self.laws.infinite + 2 * self.laws.negative
            is_hidden = bool(hides > arb(fmpq_of(value.upper)))
        return is_hidden or (self.guide is not None and self.guide.log_value < _UNSEEN)

    def is_nothing(self, nats: Number | Fraction, c: float, *, beside: float) -> bool:
        """Return whether D(c) is seen to be at most a number; then ``rest`` is a bound."""
        if not beside > 0:
            return False
        if self.rest is None or not self.rest.at(nats).upper <= beside:
            self.rest = first_answer(partial(self.remainder, c, beside), lambda: self.rest)
        return self.rest is not None and bool(self.rest.at(nats).upper <= beside)

    def guess(self, log_target: float) -> float:
        """Return about the c at which D(c) is a target, as a proposal: rather too large a c."""
        with precision(BITS):
            self._begin(0.0)
            tilt, found = self._farthest(log_target)
        self._keep_for(found, tilt)
        return found if 0 < found < inf else 1 / tilt

    def remainder(self, c: float, enough: float) -> Remainder:
        """Return a bound of D that is below a number at as small a threshold as may be.

        Raises:
            TooLargeError: If there are too many cells.
        """
        with precision(BITS):
            self._begin(c)
            self._cells.leave(enough * _SPARED)
            tilt, found = self._farthest(log(enough))
            self._keep_for(found, tilt)
            return Remainder.of(all_pieces(self._kinds, self._cells.pieces), tilt)

    def _farthest(self, log_target: float) -> tuple[float, float]:
        """Return λ, and about the least c, at which Chernoff's bound of D(c) is a target."""
        moment = self._cells.log_moment
        return self._cells.least(lambda t: (moment(t) + log_kappa(t, 1) - log_target) / t)

    def divided(self) -> tuple[Plan, Plan] | None:
        """Return this sum as two, of larger and of smaller sizes; None if it is of one scale.

        Each loss is less than one of the sizes, and the largest decides: the means add up. Laws
        of one scale each are not cut.
        """
        cut, low, high = self._cut, self.low, self.high
        with precision(BITS):
            if low is None or high is None:
                pieces = enumerate(self._cells.pieces)
                sizes = {i: self._sizes(piece) for i, piece in pieces if i in cut}
                if low is None:
                    far = {i for i, (less, more) in sizes.items() if more - less >= _NARROWEST}
                    cut = frozenset(far) or cut
                    low = max((sizes[i][0] for i in cut if i in sizes), default=0)
                if high is None:
                    high = max((sizes[i][1] for i in cut if i in sizes), default=0)
        if high - low < _NARROWEST:
            return None
        size = (low + high) // 2
        return Plan(self.parts, size, self.high, cut), Plan(self.parts, self.low, size, cut)

    def _sizes(self, piece: Piece) -> tuple[int, int]:
        """Return about log2 of how far most sums of a piece's copies lie, and of the top of one."""
        knots = piece.knots[-1]
        low = log(reach(knots.law.law, TYPICAL)) + log(piece.times) / 2
        top = knots.loss(knots.ends[1])
        return ceil(low / log(2)), ceil(about_log(top) / log(2)) if top > 0 else -_FAR

    def _keep_for(self, c: float, tilt: float) -> None:
        """Note that the cells serve a threshold, if they are few."""
        self._served = (c, tilt) if self._cells.count <= _FEW_CELLS else None

    def _is_within(self, c: float) -> bool:
        """Return whether the latest laws, known modulo a period, say something of a threshold."""
        assert self.laws is not None and self._c is not None
        period = self.laws.plan.points * float(self.laws.step.mid())
        return abs(c - self._c) < period / 2

    def _serves(self, c: float) -> bool:
        """Return whether the cells that there are serve a threshold."""
        if self._served is None:
            return False
        there, tilt = self._served
        return abs(c - there) * tilt <= _NEAR

    def _begin(self, c: float) -> None:
        """Cut each loss into few cells that hold most of it."""
        self._served = None
        grain = None if self.guide is None else self.guide.step
        if not self._cells.pieces or _is_far(self._grain, grain):
            pieces = self._placed(grain, is_loose=self._is_loose)
            self._cells, self._grain = Cells(pieces), grain
        self._cells.begin(c)

    def _placed(self, grain: float | None, *, is_loose: bool) -> list[Piece]:
        """Return the losses with their first knots."""
        is_loose, ends = is_loose or self.is_divided, {"low": self.low, "high": self.high}
        parts = [kind.planned for kind in self._kinds]
        cut = {i: self._kinds[i].top for i in self._cut}
        return placed(parts, grain, stretch=self._stretch, is_loose=is_loose, cut=cut, **ends)

    def _line(self, c: float, width: float) -> Line:
        """Return a line through the saddle point, with cells that are fine enough for it."""
        cells = self._cells
        line, log_width = None, log(min(width, COARSE))
        most, lower, slow = _SHARE * width, 0.0, 0
        for step in range(PASSES):
            with np.errstate(over="ignore", invalid="ignore"):  # far from the saddle point
                line = Line.through_saddle(
                    lambda tilt: cells.log_moment(tilt) - tilt * c,
                    1,
                    log_width=log_width + lower,
                    start=1 / cells.unit,
                    near=line,
                )
            log_value = line.log_value
            if self.guide is not None:
                log_value = min(log_value, self.guide.log_value)
                lower = log_value - line.log_value
            log_mean = log_value + cells.log_moment(line.tilt) - line.tilt * c
            if cells.extend(line.tilt, log_mean, log_width) or cells.center(
                line.tilt, most, log_mean + log_width
            ):
                continue
            # At first the cells are wide, and with them the sum: the period will be shorter,
            # by some octaves, fewer at each pass.
            narrowest = 1.25 * line.period / most_points(cells.pieces) / cells.unit
            least, count = ceil(narrowest * 2.0 ** (DEPTH - max(0, 12 - step))), cells.count
            guide = self.guide or Guide.flat(len(cells.pieces))
            total = cells.refine(guide, line.tilt, most, least)
            slow += total < 16 * most and cells.count - count < count / 20
            enough = most * (1 + (slow if width < _NARROW else min(slow, 1)))
            if most < total <= enough:  # halved, they may be worse beside others
                total = cells.refine(guide, line.tilt, inf, least)
            # The sooner a sum is divided that will be, the fewer cells are made in vain.
            if total <= enough or self._is_rather_divided(line):
                return line
            allowed = _MANY_CELLS[self.is_last] // (1 if self._served is None else _SOONER)
            is_many = cells.count > allowed and width > _NARROW
            if cells.count == count or slow > _SLOW or is_many:
                raise TooFineError.at(2 * total / _SHARE)
        raise TooFineError.at(2 * total / _SHARE)

    @property
    def _cut(self) -> frozenset[int]:
        """The indices of the kinds that are divided."""
        return frozenset(range(len(self._kinds))) if self.cut is None else self.cut


def _points(least: float, most: int) -> float:
    """Return the points of a transform of at least so many; ``least`` itself if above ``most``."""
    return Fourier.of_at_least(ceil(least)).points if least < most else least


def _is_far(one: float | None, other: float | None) -> bool:
    """Return whether knots that were placed for one step should be placed anew for another."""
    if one is None or other is None:
        return one is not other
    return not 1 / 8 < one / other < 8
