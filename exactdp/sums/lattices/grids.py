r"""Few losses on one grid: each spread to the points beside it, and what that adds at most.

A loss X between the points x_j and x_j + h goes to one of them, at U, with E[e^(−U) | X] = e^(−X):
a cell with masses a under P and b under Q sends u = (a − b e^(x_j))/(1 − e^(−h)) upwards. As f is
convex in e^(−x), the mean D_U(c) of the sum of all U is at least that of all X. With n losses that
are moved, both sums are within nh of each other; where the sum S of the X is further than nh from
c, f is linear in e^(−x) and both means are equal; else their difference is at most

    E max(0, e^c(e^(−S) − e^(−S_U))) <= ½ e^(nh) ((1 + (e^h − 1)²/4)^n − 1)^(1/2),

as e^(X − U) has mean 1 and lies in an interval of length e^h − 1. So

    D_U(c) − ½ e^(nh)(...)^(1/2) Pr[|S_U − c| <= 2nh] <= D(c) <= D_U(c) + outside,

where ``outside`` is the mass of P below the grid, all copies counted: f <= 1. Both errors are of
second order in h. Above the grid there is one cell up to plus infinity, which sends b e^x to its
lower end x, a − b e^x to infinity, where f = 1; its end is so high that S > c whatever the others
are, or else what is above counts as ``outside``. Rounding is in the balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, prod, sqrt

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Number,
    count_text,
    fmpq_of,
    precision,
    short,
    working_bits,
)
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.sums.doubles import width_in_doubles
from exactdp.sums.lattices.atoms import LatticeRow, PolynomialLaw
from exactdp.sums.laws.density import LossDensity
from exactdp.sums.laws.losses import LossLaw
from exactdp.sums.lines.saddle import Line

__all__ = ["GridSum"]

_MORE_BITS = 48
"""Working bits beyond those that the least masses take: the balls hold the rounding."""

_ATTEMPTS = 5
"""Grids of ever smaller steps, at most, before the width counts as not reached."""

_MAX_BITS = 1 << 16
"""Bits of the least masses, at most: a δ of e^−45,000. Just below the largest sum doubles may see
no loss that reaches the threshold, and propose more bits than an integer of C holds."""

_MAX_CELLS = 1 << 18
"""Cells of one loss, at most: it limits the time, as each asks the tails in balls."""


@dataclass(frozen=True, slots=True, eq=False)
class GridSum:
    """A sum of few independent losses, with and without densities.

    Attributes:
        parts: The laws, with their numbers of copies.
        log_moment: ln E e^(λS) in doubles as a function of λ, by which λ is chosen.
    """

    parts: Sequence[tuple[LossLaw, int]]
    log_moment: Callable[[float], float]

    @property
    def copies(self) -> int:
        """n of the header."""
        return sum(times for _, times in self.parts)

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, of a relative width.

        Raises:
            TooLargeError: If the grid would be too fine.
            UndecidedError: If the width is not reached.
        """
        c = float(nats.ball(64).mid())
        n, width = self.copies, width_in_doubles(relative_width)
        line = Line.through_saddle(
            lambda tilt: self.log_moment(tilt) - tilt * c, 1, log_width=log(width)
        )
        log_mean = line.log_value + self.log_moment(line.tilt) - line.tilt * c
        far = int((log(64 * n) - log(width) - log_mean) / log(2)) + 4
        if far > _MAX_BITS:
            raise TooLargeError(
                f"masses down to 2^-{count_text(far)} would matter. Ask at a smaller epsilon."
            )
        step = 0.6 * sqrt(width) / (n**0.75 * line.tilt)
        for _ in range(_ATTEMPTS):
            found = self._mean(nats, Fraction(step), line.tilt, far)
            if found.lower > 0 and found.width <= relative_width * found.lower:
                return found
            # The width falls like the square of the step.
            reached = float(found.width / found.lower) if found.lower > 0 else inf
            step *= max(0.2, min(0.7, 0.9 * sqrt(width / reached)))
        raise UndecidedError(
            f"relative_width={short(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def _mean(self, nats: Number, step: Fraction, tilt: float, far: int) -> Enclosure:
        """Return the enclosure of D(c) that a grid of some step gives, however wide."""
        bits, n = far + _MORE_BITS - 2 * int(log(step) / log(2)), self.copies
        with precision(bits):
            h, c = arb(fmpq_of(step)), nats.ball(bits)
            spread = [
                (_Spread.of(law, h, far, safe), times)
                for (law, times), safe in zip(self.parts, self._safe(c + n * h), strict=True)
            ]
            law = PolynomialLaw.of(
                [LatticeRow(arb(0), one.masses, times) for one, times in spread],
                h,
                tilt,
                bits=far + 32,
            )
            value, lost = law.mean_above(c)
            kept = prod(one.total**times for one, times in spread)
            value += kept - prod((one.total - one.infinite) ** times for one, times in spread)
            outside = sum((times * one.outside for one, times in spread), arb(0))
            slack = sum((times * one.slack for one, times in spread), arb(0))
            moved = ((1 + h.expm1() ** 2 / 4) ** n - 1).sqrt() * (n * h).exp() / 2
            low = value - moved * law.mass_near(c, 2 * n * h) - slack - outside
            high = value + lost + outside + slack
            if not (low.is_finite() and high.is_finite()):
                return Enclosure(Fraction(0), Fraction(1))
            return Enclosure(max(endpoints(low)[0], Fraction(0)), endpoints(high)[1])

    def _safe(self, c: arb) -> list[arb | None]:
        """Return the losses of each part above which all sums are above c, where there are."""
        tops = [law.reversed().highest() for law, _ in self.parts]
        lows = [-top.ball(working_bits()) for top in tops if top is not None]
        if len(lows) < len(tops):
            return [None] * len(tops)
        least = sum((low * k for low, (_, k) in zip(lows, self.parts, strict=True)), arb(0))
        return [c - least + low for low in lows]


@dataclass(slots=True)
class _Spread:
    """A loss that is spread.

    Attributes:
        masses: The masses of U on the grid, by index.
        total: The mass of P at finite losses.
        infinite: The part of ``total`` that went to infinity.
        outside: The part of ``total`` that has no place on the grid.
        slack: What the mean may be off by, in either direction, because an atom may lie beside
            its cell: f rises by at most 1 a step.
    """

    masses: dict[int, arb]
    total: arb
    infinite: arb
    outside: arb
    slack: arb

    @classmethod
    def of(cls, law: LossLaw, h: arb, far: int, safe: arb | None) -> _Spread:
        """Return a law on the grid of step h.

        Args:
            law: The law of the loss.
            h: The step of the grid.
            far: About 2^−far of P may have no place.
            safe: A loss above which all sums are above the threshold; None if none is known.
        """
        bits = working_bits()
        found = cls({}, 1 - law.infinity_mass.ball(bits), arb(0), arb(0), arb(0))
        for loss, mass in law.points(bits):
            found._add(int(floor_of((loss / h).mid())), mass, mass * (-loss).exp(), h)
            found.slack += 4 * mass * (loss.rad() + h * (loss / h).rad())
        if law.density is not None:
            found._spread(law.density, h, far, safe)
        return found

    def _add(self, cell: int, p: arb, q: arb, h: arb) -> None:
        """Share what P and Q have in a cell among its two ends."""
        share = (p - q * (cell * h).exp()) / (1 - (-h).exp())
        for index, mass in ((cell, p - share), (cell + 1, share)):
            self.masses[index] = self.masses.get(index, arb(0)) + mass

    def _spread(self, density: LossDensity, h: arb, far: int, safe: arb | None) -> None:
        """Spread a density to the points of the grid, cell by cell."""
        first, last = (int(floor_of((end / h).mid())) for end in _window(density, far))
        cut = last if safe is None else max(first, int(floor_of((safe / h).upper())) + 2)
        is_safe, last = cut < last, min(cut, last)
        if last - first >= _MAX_CELLS:
            raise TooLargeError(
                f"a loss has {last - first:,} cells on a grid that is fine enough; the limit is "
                f"{_MAX_CELLS:,}. Ask for a wider enclosure."
            )
        self.outside += density.below(first * h)[0]
        above = density.above(first * h)
        for cell in range(first, last + 1):
            then = density.above((cell + 1) * h)
            self._add(cell, above[0] - then[0], above[1] - then[1], h)
            above = then
        if is_safe:
            stays = above[1] * ((last + 1) * h).exp()
            self.masses[last + 1] += stays
            self.infinite += above[0] - stays
        else:
            self.outside += above[0]


def _window(density: LossDensity, far: int) -> tuple[arb, arb]:
    """Return two losses beyond each of which P has less than 2^−far."""
    small, found = arb(2) ** -far, []
    for end, sign in zip(density.ends(), (-1, 1), strict=True):
        if end is not None:
            found.append(end.ball(working_bits()))
            continue
        reach = 1.0
        while not (density.above if sign > 0 else density.below)(arb(sign * reach))[0] < small:
            reach *= 1.1
        found.append(arb(sign * reach))
    return found[0], found[1]
