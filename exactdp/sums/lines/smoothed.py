r"""Means over sums, by their transform in doubles: E f(S − c), certified, at usual widths.

S adds independent variables, finite or dense (``factors``); f, r and the line λ + iω, its points
ω_m = 2πm/Λ and its images are those of ``saddle``. The transform of a finite variable does not
fall; smoothing makes it fall.

*Smoothing.* Let U have the transform b(s) = β(s + r/2)/β(r/2), β(s) = (sinh(ws)/(ws))²: it
has a density like e^(rv/2)τ(v), τ the triangle on [−2w, 2w], and E U = 0 (r = 0) or
E e^(−U) = 1 (r = 1). So by Jensen's inequality D(c) <= E f(S + U − c). At a distance x of S
from c the difference is, with u the excess of |U| over |x| on the other side,

    e^(−rx/2) ∫ (2/r) sinh(ru/2) τ(|x| + u) du/β(r/2) <= e^(−rx/2) sinh(rw)/(rw) w² τ*τ(x),

as ∫ u τ(|x| + u) du is (w/3)(1 − |x|/2w)³, at most w² τ*τ(x). The mean of e^(−rx/2) τ*τ(x) has
the transform M(s) β(s + r/2)². Both means are sums over one set of points, whose terms fall
like ω^(−4), times what is known of M.

Only points in the windows of a recurrence are visited, where there is one (``factors``); all
sums are in doubles with bounds of their errors (``doubles``).

Each loss is one named number: ``images``, ``skipped`` (outside of windows), ``beyond`` (the last
window), ``rounding``, ``missing`` (what was left out of a variable), and the smoothing's ``blur``.

References: as in ``contours``; for the smoothing W. Feller, An Introduction to Probability
Theory and Its Applications II, 1971, XVI.3 (Esseen).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import exp, inf, log, prod, sqrt

from flint import acb, arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.numbers.limits import effort_of_today
from exactdp.sums.doubles import BALL_BITS, STEP, Doubles, Near, double, width_in_doubles
from exactdp.sums.lattices.fourier import TooFineError
from exactdp.sums.lines.factors import OF_A_TURN, Factor, points_around, turns
from exactdp.sums.lines.saddle import A_PLAN, Line, log_kappa_ball

__all__ = ["Points", "SmoothedSum"]

_SIZES = 1e-90, 1e90
"""Between these λ, the smoothing w and the period Λ must lie: their cubes are doubles then."""

_SQUARES = 1e-290, 1e290
"""Between these squares must lie: beyond them doubles are infinite, or lose more than bounds say.

The bounds of rounding rest on it."""

_BLOCK = 512
"""Points of one run where all points of a line are visited: one row of the arrays."""

_CHUNK = 1 << 16
"""Points that are held at a time: about a megabyte an array."""

_OF_A_POINT = 32
"""Values of all variables, at most, on as many points as an effort allows: each is a product."""

_ARRAYS = 4
"""How many entries a point of a window takes: about twenty arrays of complex doubles are held."""


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedSum:
    """A sum of independent variables.

    Attributes:
        parts: The independent variables, each with its copies.
        rate: r: 0 for E max(0, S − c), 1 for E max(0, 1 − e^(c − S)).

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> from exactdp.sums.lines.factors import FiniteVariable
        >>> coin = FiniteVariable([arb(1), arb(-1)], [arb(0.5), arb(0.5)], 2)
        >>> SmoothedSum([coin], 0).mean_above(arb(0), Fraction(1, 100)).contains(Fraction(1, 2))
        True
    """

    parts: Sequence[Factor]
    rate: int

    def log_moment(self, tilt: arb) -> arb:
        """Return ln E e^(λS)."""
        return sum((part.log_moment(tilt) for part in self.parts), arb(0))

    def log_missing(self, tilt: arb) -> arb:
        """Return a bound on the error of ``log_moment`` from omitted values of the variables."""
        return sum((part.log_missing(tilt) for part in self.parts), arb(0))

    def mean_above(self, c: arb, relative_width: Fraction, *, start: float = 1.0) -> Enclosure:
        """Return an enclosure of D(c), with (upper − lower) <= relative_width·lower.

        Args:
            c: The threshold.
            relative_width: The width of the enclosure, over its lower end.
            start: A λ from which the saddle point is looked for.

        Raises:
            TooLargeError: If the line would take too many points.
            UndecidedError: If the width is not reached.
        """
        return self.points(c, relative_width, start=start).mean()

    def points(self, c: arb, relative_width: Fraction, *, start: float = 1.0) -> Points:
        """Return the points of a line from which ``mean_above`` starts, with its refusals."""
        width = width_in_doubles(relative_width)
        _refuse_extreme(start)
        with precision(BALL_BITS):
            line = Line.through_saddle(
                lambda tilt: (
                    sum(part.about_log_moment(tilt) for part in self.parts) - tilt * float(c.mid())
                ),
                self.rate,
                log_width=log(width),
                start=start,
            )
            # Windows of a recurrence are apart only where a period is long.
            line = replace(line, period=max(line.period, 8 * line.spread))
            # The blur is about (wλ)² of the mean where S is spread, first order elsewhere.
            return Points(self, c, line, sqrt(width / 3) / line.tilt, relative_width)


def _refuse_extreme(*sizes: float, ends: tuple[float, float] = _SIZES) -> None:
    """Refuse sizes that do not all lie between two ends."""
    if not all(ends[0] < size < ends[1] for size in sizes):
        raise UndecidedError("the values are too extreme for doubles. Take others.")


@dataclass(frozen=True, slots=True)
class _Windows:
    """Which points of the line are visited, and a bound of the others.

    Attributes:
        length: The number of points of a window.
        apart: Points from the middle of a window to the next; ``length`` if they touch.
        count: The number of windows; the first has its middle at point 0, or starts there.
        log_small: |Φ| is at most e^log_small between windows; minus infinity if they touch.
    """

    length: int
    apart: float
    count: int
    log_small: float

    @property
    def touch(self) -> bool:
        """True if all points up to the last are visited."""
        return self.log_small == -inf

    def starts(self) -> list[int]:
        """Return the first point of each window."""
        if self.touch:
            return [j * self.length for j in range(self.count)]
        return [round(j * self.apart) - self.length // 2 for j in range(self.count)]

    @property
    def next(self) -> int:
        """The first point that is not visited and might have to be."""
        if self.touch:
            return self.count * self.length
        return int(self.count * self.apart) - self.length // 2 - 1

    @property
    def share(self) -> tuple[int, float]:
        """The points of a window and the distance of windows, as beyond the last they are bounded.

        1 and 1 if windows touch.
        """
        return (1, 1.0) if self.touch else (self.length, self.apart)


class Points:
    """The points of a line, for one width of the smoothing.

    Args:
        total: The sum.
        c: The threshold.
        line: The line.
        smooth: The width w.
        relative_width: The width of the enclosure that is wanted, over its lower end.
    """

    def __init__(
        self, total: SmoothedSum, c: arb, line: Line, smooth: float, relative_width: Fraction
    ) -> None:
        _refuse_extreme(smooth, line.period)
        self.total, self.c, self.line, self.smooth = total, c, line, arb(smooth)
        self.rate, self.relative_width = total.rate, relative_width
        self.width = float(relative_width)
        self.tilt, self.period = arb(line.tilt), arb(line.period)
        self.step = 2 * arb.pi() / self.period
        self.middle = self.tilt + arb(self.rate) / 2

    @property
    def work(self) -> float:
        """About how many operations the points take, of which some have less smoothing."""
        with precision(BALL_BITS):
            length, count = self.windows.length, self.windows.count
            once = sum(part.work(length + count) for part in self.total.parts)
            once += 2 * OF_A_TURN * (length + count)
            return A_PLAN + once + 1.5 * length * count * (16 + self.terms) / 32

    @cached_property
    def terms(self) -> int:
        """The terms of all transforms at one point."""
        with precision(BALL_BITS):
            omega = float(self.windows.next * self.step)
        return sum(part.terms(self.line.tilt, omega) for part in self.total.parts)

    def mean(self) -> Enclosure:
        """Return an enclosure of D(c), from ever more points until it is narrow.

        Raises:
            TooLargeError: If there would be too many points.
            UndecidedError: If the width is not reached.
        """
        lower, upper, points = Fraction(0), Fraction(0), self
        with precision(BALL_BITS):
            for attempt in range(effort_of_today().tries):
                low, high, smoother = points._bounds()
                lower, upper = max(lower, low), min(upper, high) if attempt else high
                if lower > 0 and upper - lower <= self.relative_width * lower:
                    return Enclosure(lower, upper)
                if not smoother:
                    break
                # The blur goes with the square of the smoothing, or with itself.
                missed = float(self.relative_width * lower / (upper - lower)) if lower else 0.0
                smooth = float(points.smooth) * max(1 / 4, min(1 / 2, missed / 2))
                points = Points(self.total, self.c, self.line, smooth, self.relative_width)
        raise UndecidedError(
            f"relative_width={self.width:.3g} was not reached; the mean lies between "
            f"{np.float64(lower):.3g} and {np.float64(upper):.3g}. Ask for a wider enclosure."
        )

    def _bounds(self) -> tuple[Fraction, Fraction, bool]:
        """Return a lower and an upper bound of D(c), and whether less smoothing would help."""
        w, r, step, windows = self.smooth, self.rate, self.step, self.windows
        with np.errstate(over="ignore", invalid="ignore"):
            value, rounding, near, near_rounding = self._sums()
        # Bounds of |sinh(ws)|² and of |sinh(ws)/(ws)|² on the line.
        edge = (w * self.middle).cosh() ** 2
        most = ((w * self.middle).sinh() / (w * self.middle)) ** 2
        count, apart = windows.share
        omega = windows.next * step
        beyond = 2 * count * (1 / omega**4 + 1 / (3 * apart * step * omega**3)) * edge / w**2
        beyond *= self._level(omega)
        skipped = arb(0)
        if not windows.touch:
            skipped = arb(windows.log_small).exp() * arb.pi() / (self.tilt * step) * most
        off = arb(rounding) + beyond + skipped
        near_off = arb(near_rounding) + (beyond + skipped) * edge / w**2
        at_line = (self.total.log_moment(self.tilt) - self.tilt * self.c).exp()
        scale = at_line / self.period
        blur = w**2 * _sinhc(arb(r) * w) * (arb(near) + near_off)
        norm = _sinhc(arb(r) * w / 2) ** 2
        missing = self._missing(at_line)
        high = (arb(value) + off) / norm * scale + missing
        low = ((arb(value) - off) / norm - blur) * scale

        def smoothed_log_moment(theta: arb) -> arb:
            return self.total.log_moment(theta) + 2 * _sinhc(w * (theta + arb(r) / 2)).log()

        for image in self.line.images(smoothed_log_moment):
            low -= image.total(self.c, line=self.tilt, period=self.period)
        helps = bool((arb(rounding) / norm * scale + missing) * 8 < high * self.width)
        return max(Fraction(0), endpoints(low)[0]), endpoints(high)[1], helps

    def _missing(self, at_line: arb) -> arb:
        """Return κ(λ) e^(−λc) times the omitted part of M(λ)."""
        more = self.total.log_missing(self.tilt)
        return log_kappa_ball(self.tilt, self.rate).exp() * at_line * more.expm1()

    @cached_property
    def windows(self) -> _Windows:
        """The windows of the best recurrence, or blocks of all points."""
        w, step = float(self.smooth), float(self.step)
        size = self.line.log_value + log(self.line.period) + log(self.width)
        omega = exp((log(16 / (3 * step)) - 2 * log(w) - size) / 3)
        needed, least = omega, 8 * self.line.tilt
        while omega > least and (
            float(self._level(arb(omega / 1.3))) * (1.3 * needed / omega) ** 3 < 1
        ):
            omega /= 1.3
        last = max(omega, least) / step
        nats = 60 - 2 * log(self.width)
        most, cells = effort_of_today().points, effort_of_today().cells
        best, kept = last, _Windows(_BLOCK, _BLOCK, int(last / _BLOCK) + 1, -inf)
        for part in self.total.parts:
            for found in part.recurrences(self.tilt, nats):
                length, apart = points_around(found, step), found.frequency / step
                count = int(last / apart) + 1
                if count * length < best and 2 * length < apart and length <= cells // _ARRAYS:
                    best, kept = count * length, _Windows(length, apart, count, -nats)
        if best > most:
            # The number grows like the width to the power −2/3.
            reach = 2 * self.width * (best / most) ** 1.5
            advice = f"Ask for {reach:.0e} or wider." if reach < 0.5 else "Take fewer other losses."
            said = f"the transform would take {best:,.0f} points. {advice}"
            raise TooFineError(said, reached=reach)
        return kept

    def _level(self, omega: arb) -> arb:
        """Return a bound of |Φ| at and beyond ω."""
        return prod((part.level(self.tilt, omega) for part in self.total.parts), start=arb(1))

    def _sums(self) -> tuple[float, float, float, float]:
        """Return both sums over the points, in doubles, each with a bound of its error."""
        length, starts = self.windows.length, self.windows.starts()
        if len(starts) * length * self.terms > _OF_A_POINT * effort_of_today().points:
            raise TooLargeError(
                f"the transform would take {len(starts) * length:,} points, too many for densities "
                "or so many values. Ask for a wider enclosure."
            )
        lines = [part.on_line(self.tilt, self.step, length) for part in self.total.parts]
        shift = self.step * (sum((line.shift for line in lines), arb(0)) - self.c)
        column, growth = turns(shift, range(length)), self._growth(range(length), arb(0))
        rows, sums = max(1, _CHUNK // length), np.zeros(4)
        for k in range(0, len(starts), rows):
            chosen = starts[k : k + rows]
            spend(len(chosen) * length * (16 + self.terms) // 32)
            phi = Near.outer(turns(shift, chosen), column)
            for line in lines:
                phi = phi.times(line.runs(chosen))
            values, size = 1 + phi.lack, np.abs(1 + phi.lack) + phi.error
            indices = np.add.outer(np.array(chosen), np.arange(length))
            weight = np.where(indices > 0, 2.0, np.where(indices == 0, 1.0, 0.0))
            first = self._growth(chosen, self.smooth * self.middle)
            kernels = self._kernels(Near.outer(first, growth), indices * float(self.step))
            for i, (kernel, error) in enumerate(kernels):
                size_of = weight * np.abs(kernel)
                sums[2 * i] += (weight * (values * kernel).real).sum()
                sums[2 * i + 1] += (
                    (phi.error + STEP) * size_of
                    + weight * size * error
                    + weight.size * STEP * size * size_of
                ).sum()
        if not np.isfinite(sums).all():
            raise UndecidedError(
                "so many copies leave nothing of what doubles hold. Take fewer copies."
            )
        sums[1::2] *= 1.01
        value, rounding, near, near_rounding = sums.tolist()
        return value, rounding, near, near_rounding

    def _growth(self, points: Sequence[int] | range, real: arb) -> Doubles:
        """Return e^(real + i·w·m·step) − 1 at some points."""
        spend(OF_A_TURN * len(points))
        turn = self.smooth * self.step
        return np.array([double(acb(real, m * turn).expm1()) for m in points])

    def _kernels(self, near: Near, omega: Doubles) -> list[tuple[Doubles, Doubles]]:
        """Return β(s + r/2)/(s(s + r)) and β(s + r/2)², each with bounds of the errors.

        sinh(x) = (E + E/(1 + E))/2, E = e^x − 1 = ``near.lack``. As |1 + E| >= 1, the error of E
        counts at most once in E/(1 + E) too; what is worked out here errs by some u of
        |E| + |E/(1 + E)|, and is taken to err by 16·8u of what these moduli make.
        """
        tilt, r, w = self.line.tilt, self.rate, float(self.smooth)
        lack, inverse = near.lack, 1 + near.lack
        other = lack * (np.conj(inverse) / (inverse.real**2 + inverse.imag**2))
        s = tilt + r / 2 + 1j * omega
        turned = np.conj(s) / (s.real**2 + s.imag**2) / w
        square = ((lack + other) / 2 * turned) ** 2
        first = (np.abs(lack) + np.abs(other)) / 2 * np.abs(turned)
        most, off = first**2, 1.01 * near.error * np.abs(turned)
        # s(s + r) = (λ(λ + r) − ω²) + iω(2λ + r).
        real, imaginary = tilt * (tilt + r) - omega**2, omega * (2 * tilt + r)
        size = real**2 + imaginary**2
        _refuse_extreme(size.min(), size.max(), ends=_SQUARES)
        parts = tilt * (tilt + r) + omega**2 + np.abs(imaginary)
        error = (2 * first + off) * off + 16 * STEP * most
        return [
            (square * (real - 1j * imaginary) / size, error * parts / size),
            (square * square, (2 * most + error) * error),
        ]


def _sinhc(x: arb) -> arb:
    """Return sinh(x)/x, 1 at 0."""
    return x.sinh() / x if x != 0 else arb(1)
