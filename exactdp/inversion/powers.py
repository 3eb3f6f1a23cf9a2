"""Sums of many losses, each between two laws on one lattice: certified means, for any widths.

This serves whatever has losses, with and without densities, a few copies or a million: cells
are fine where it matters for the threshold (``polygons``), the law of the sum is a power of a
transform (``fourier``, ``tilted``). What is chosen here, in doubles, is the line and the cells;
nothing rests on the choice but the width. First a coarse law; it tells what matters for a finer.

References: S. Meiser and E. Mohammadi, Tight on Budget?, CCS 2018 (privacy buckets from above
and below); A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy Guarantees
Using FFT, 2020; V. Doroshenko et al., Connect the Dots: Tighter Discrete Approximations of Privacy
Loss Distributions, 2022 (the chords).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, isfinite, log

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.inversion.crossings import Search, short
from exactdp.inversion.doubles import width_in_doubles
from exactdp.inversion.fourier import MAX_POINTS
from exactdp.inversion.lines import Line, log_kappa, minimum
from exactdp.inversion.losses import LossLaw
from exactdp.inversion.placing import placed
from exactdp.inversion.polygons import DEPTH, Knots
from exactdp.inversion.tilted import BITS, Guide, TiltedLaws
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers import short as shown
from exactdp.numbers.balls import endpoints

__all__ = ["PowerSum"]

_PASSES = 80
_ATTEMPTS = 8
_TRIES = 24
_KEPT = 2
_ROUGH = 1e-4
_COARSE = 0.25
_SHARE = 1.0
"""Of the width, for the cells."""


@dataclass(frozen=True, eq=False)
class PowerSum:
    """A sum of independent losses.

    Attributes:
        parts: The laws, each with finite losses, and their numbers of copies.

    Example:
        >>> from exactdp.inversion.tails import GaussianTails
        >>> from exactdp.numbers import Exact
        >>> one = LossLaw(density=GaussianTails(Exact("1/10")))
        >>> found = PowerSum([(one, 100)]).mean_excess(Exact(1), relative_width=Fraction(1, 100))
        >>> found.contains(Exact("0.12693673750664")), found.width < Fraction(13, 10**4)
        (True, True)
    """

    parts: Sequence[tuple[LossLaw, int]]
    _knots: list[Knots] = field(init=False, default_factory=list)
    _grain: list[float | None] = field(init=False, default_factory=lambda: [None])
    _kept: list[TiltedLaws] = field(init=False, default_factory=list)

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, of a relative width.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If the width is not reached.
        """
        for laws in self._kept:
            found = laws.at(nats)
            if _is_narrow(found, relative_width):
                return found
        width, c = width_in_doubles(relative_width), float(nats.ball(64).mid())
        guide: Guide | None = None
        asked = max(width, _COARSE)
        for attempt in range(_ATTEMPTS):
            laws = self._laws(c, asked, guide)
            self._kept.insert(0, laws)
            del self._kept[_KEPT:]
            found = laws.at(nats)
            if _is_narrow(found, relative_width):
                return found
            guide = laws.guide(c)
            reached = float(found.width / found.lower) if found.lower > 0 else 1.0
            asked = width if attempt == 0 else asked * max(0.1, min(0.7, 0.8 * width / reached))
        raise UndecidedError(
            f"relative_width={shown(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def crossing(self, target: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest c >= 0 with D(c) at most a target above 0.

        D is above the target at its lower end, and at most the target at its upper one; the
        point 0 if D(0) is at most the target.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If the width is not reached.
        """
        with precision(BITS):
            search = Search(*endpoints(target.ball(BITS)), relative_width)
            # Total variations add, at most.
            if sum((n * law.total_variation() for law, n in self.parts), arb(0)) < arb(
                fmpq_of(search.least)
            ):
                return Enclosure(Fraction(0), Fraction(0))
            search.high = self._top()
        if search.least <= 0:
            raise UndecidedError("the target cannot be told from 0. Ask for a larger one.")
        x, guide, asked = self.guess(search.log_target), None, _COARSE
        if search.high is not None and x >= search.high * Fraction(7, 8):
            x = search.high * Fraction(7, 8)
            # The largest loss may be near enough.
            near = search.high * (1 - min(relative_width, Fraction(1, 8)) * Fraction(9, 10))
            with suppress(TooLargeError, UndecidedError):
                x, _ = search.along(self._laws(float(near), asked, None), near)
                if search.is_closed:
                    return search.found
        for _ in range(_TRIES):
            laws = self._laws(float(x), asked, guide)
            x, is_near = search.along(laws, x)
            if search.is_closed:
                return search.found
            guide = laws.guide(float(x))
            if is_near:
                asked = min(asked / 4, search.needed(x))
        raise UndecidedError(
            f"relative_width={shown(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def guess(self, log_target: float) -> Fraction:
        """Return about the c at which D(c) is a target, rather too large a one."""
        with precision(BITS):
            self._begin(0.0, None)
            start, found = 1 / float(self._knots[0].unit.mid()), 0.0

            def bound(tilt: float) -> float:
                return (self._log_moment(tilt) + log_kappa(tilt, 1) - log_target) / tilt

            for _ in range(_PASSES):
                start, found = minimum(bound, start)
                if self._refined(Guide.flat(), start, 1.0, 1) <= 1:
                    break
        return short(found if isfinite(found) and found > 0 else 1 / start)

    def _top(self) -> Fraction | None:
        """Return a bound of the sum; None if it is unbounded."""
        total = arb(0)
        for law, n in self.parts:
            top = law.highest()
            if top is None:
                return None
            total += n * top.ball(BITS)
        return max(Fraction(0), endpoints(total)[1])

    def _laws(self, c: float, width: float, guide: Guide | None) -> TiltedLaws:
        """Return the sum on a line that serves a threshold, to about a relative width."""
        with precision(BITS):
            self._begin(c, guide)
            line = self._line(c, width, guide)
            return TiltedLaws.of([(knots, n) for knots, (_, n) in self._pairs()], line)

    def _begin(self, c: float, guide: Guide | None) -> None:
        """Cut each loss into few cells that hold most of it."""
        grain = None if guide is None else guide.step
        if not self._knots or _is_far(self._grain[0], grain):
            self._knots[:] = placed([law for law, _ in self.parts], grain)
            self._grain[:] = [grain]
        for knots in self._knots:
            knots.begin_anew()
        while True:  # until the sum can reach the threshold
            tops = [float(k.loss(k.ends[1]).mid()) * n for k, (_, n) in self._pairs()]
            rest = [float(k.beyond[0].upper()) * n for k, (_, n) in self._pairs()]
            if max(rest) <= 1e-3 and (sum(tops) > c + abs(c) / 8 or max(rest) == 0):
                break
            self._knots[rest.index(max(rest))].extend(right=True)
        for knots in self._knots:
            while knots.below(knots.ends[0]) > _ROUGH:
                knots.extend(right=False)

    def _line(self, c: float, width: float, guide: Guide | None) -> Line:
        """Return a line through the saddle point, with cells that are fine enough for it."""
        start, log_width = 1 / float(self._knots[0].unit.mid()), log(min(width, _COARSE))
        most, lower = _SHARE * width, 0.0
        for _ in range(_PASSES):
            line = Line.through_saddle(
                lambda tilt: self._log_moment(tilt) - tilt * c,
                1,
                log_width=log_width + lower,
                start=start,
            )
            start, log_value = line.tilt, line.log_value
            if guide is not None:
                log_value = min(log_value, guide.log_value)
                lower = log_value - line.log_value
            log_mean = log_value + self._log_moment(line.tilt) - line.tilt * c
            if self._extended(line.tilt, log_mean, log_width):
                continue
            unit = float(self._knots[0].unit.mid())
            least = ceil(1.25 * line.period / MAX_POINTS / unit * 2.0**DEPTH)
            cells = self._cells
            known = guide or Guide.flat()
            total = self._refined(known, line.tilt, most, least)
            if total <= most:
                return line
            if self._cells == cells:
                reached = 2 * total / _SHARE
                advice = (
                    f"Ask for {reached:.0e} or wider."
                    if width < reached < 0.5
                    else "Ask for sums of more alike losses."
                )
                raise TooLargeError(f"a lattice that is fine enough has too many points. {advice}")
        raise UndecidedError("the losses are too unlike each other for one lattice.")

    @property
    def _cells(self) -> int:
        return sum(len(knots.cells) for knots in self._knots)

    def _refined(self, guide: Guide, tilt: float, most: float, least: int) -> float:
        """Halve the cells that matter, and return what all mattered before."""
        total = 0.0
        for knots, (_, n) in self._pairs():
            weigh = guide.weigh(n, knots.log_moment(tilt), tilt)
            total += knots.refine(weigh, most / len(self._knots), least)
        return total

    def _extended(self, tilt: float, log_mean: float, log_width: float) -> bool:
        """Return whether cells had to be added at an end, as what lies beyond matters."""
        found, kinds = False, len(self._knots)
        for knots, (_, n) in self._pairs():
            first, _ = knots.ends
            beyond, under = knots.beyond[0], knots.below(first)
            if beyond > 0:
                share = _log(beyond) + log(n) - log_mean
                if share > log_width - log(32 * kinds):
                    knots.extend(right=True)
                    found = True
            if under > 0:
                share = _log(under) + log(n) + tilt * float(knots.loss(first).mid())
                share -= knots.log_moment(tilt)
                if share > log_width - log(256 * kinds):
                    knots.extend(right=False)
                    found = True
        return found

    def _pairs(self) -> list[tuple[Knots, tuple[LossLaw, int]]]:
        return list(zip(self._knots, self.parts, strict=True))

    def _log_moment(self, tilt: float) -> float:
        return sum(n * knots.log_moment(tilt) for knots, (_, n) in self._pairs())


def _is_far(one: float | None, other: float | None) -> bool:
    """Return whether knots that were placed for one step should be placed anew for another."""
    if one is None or other is None:
        return one is not other
    return not 1 / 8 < one / other < 8


def _log(value: arb) -> float:
    return float(value.log().mid())


def _is_narrow(found: Enclosure, width: Fraction) -> bool:
    return found.lower > 0 and found.upper - found.lower <= width * found.lower
