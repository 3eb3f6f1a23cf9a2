r"""δ from the transform of the loss: the trapezoid rule on a vertical line, with all its errors.

Let S be a sum of independent finite losses, M(s) = E e^(sS) = Π M_i(s)^(n_i), and
D(c) = E max(0, 1 − e^(c − S)), which is δ(c) without the mass at infinity. Then
∫ e^(sc) D(c) dc = M(s)/(s(s + 1)) for Re s > 0. For any λ > 0 and Λ > 0, Poisson's
summation formula for e^(λc) D(c) reads, with s_m = λ + 2πim/Λ,

    Σ_k e^(λ(c + kΛ)) D(c + kΛ) = (1/Λ) Σ_m M(s_m)/(s_m(s_m + 1)) e^(−2πimc/Λ).

Everything on the left is nonnegative, and the term k = 0 is wanted. The errors, each one a
ball or a bound in one direction:

* the terms k != 0: :class:`~exactdp.sums.lines.saddle.Line`;
* the terms |m| > K: |M| is bounded by :class:`~exactdp.sums.lines.envelopes.Envelope`;
* rounding: balls.

The number of terms grows neither with the number of losses nor, but for its logarithm,
with 1/width.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022; W. Alghamdi et al., The Saddle-Point Method in Differential
Privacy, 2023 (the same line, expanded instead of summed); J. Abate and W. Whitt, The
Fourier-Series Method for Inverting Transforms of Probability Distributions, 1992.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, log, pi, sqrt

from flint import acb, arb

from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Number, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import effort_of_today
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.envelopes import Envelope, points_up_to
from exactdp.sums.lines.saddle import A_PLAN, NARROWEST, Image, Line, LineSum

__all__ = ["Inversion"]

_FEWEST, _FINER, _DEAR = 32, 1.2, 640
"""The least number of points, the ratio of the next one, and how dear a point is, in doubles.

A smaller ratio would save a tenth of the points, and ask the envelopes more often. Values that are
balls, which take longer, are no more than half as many."""

_LATEST = 1e7
"""Points after which |M| must have fallen, as it is bounded most simply, for a line to be tried."""

_OCTAVES = 12
"""Octaves of frequencies beyond the last point that are bounded one by one.

Beyond them a geometric series holds; more octaves make the bound of the rest a bit sharper."""

_SHARES = 1.0, 0.8, 0.65, 0.5, 0.35
"""Multiples of the saddle point that are tried for λ; the one of the shortest period is taken.

Each costs a search for a period, in doubles."""

_QUICK = -38.0
"""The logarithm of the width, for each copy, from which on values come from doubles.

Sampled at small rates, doubles err by as little. A wrong choice costs width, not truth: these
values are balls around doubles, with a bound of the errors."""


@dataclass(frozen=True, eq=False)
class Inversion(LineSum):
    """The sum of independent losses, each with a number of copies, by its transform.

    Attributes:
        parts: The transforms and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossTransform, int], ...]
    _bounds: dict[float, list[tuple[Envelope, int]]] = field(init=False, default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[tuple[LossTransform | None, int]]) -> Inversion | None:
        """Return the sum; None if a transform is missing, or none has a density."""
        kept = [(one, times) for one, times in parts if one is not None]
        is_dense = any(one.density is not None for one, _ in kept)
        return cls(tuple(kept)) if is_dense and len(kept) == len(parts) else None

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    @property
    def least(self) -> float:
        """The operations that a line takes at least: those of the quadrature of its transforms."""
        return A_PLAN + sum(part.work for part, _ in self.parts)

    def work(self, nats: Number, width: Fraction) -> float:
        """Return about how many operations a line takes; infinity if |M| falls too late for one.

        They are those of quadrature, and of the points at which |M| is bounded, up to where atoms
        and the variation of the densities alone say that it has fallen (``envelopes``).
        """
        if width < NARROWEST:
            return inf
        log_width = log(width.numerator) - log(width.denominator)
        line = self._line(nats, log_width)
        small, tilt = log_width - log(16) + line.log_value, arb(line.tilt)
        dense = [
            (times, part.falls(tilt), float(part.decay().mid()))
            for part, times in self.parts
            if part.density is not None
        ]

        def level(omega: float) -> float:
            """Return about the logarithm of |M| over M(λ), at ω and beyond."""
            return sum(
                n * (log(min(1.0, *(a + v / omega for a, v in falls))) - decay * omega**2)
                for n, falls, decay in dense
            )

        omega = step = 2 * pi / line.period
        while level(omega) > small:
            omega *= 2
            if omega > _LATEST * step:
                return inf
        slow = (n for n, _, decay in dense if not decay)
        firsts = (min(0.25, sqrt(max(-small, 1.0) / n) / 2) * sqrt(n) / line.spread for n in slow)
        return self.least + 4 * sum(points_up_to(omega / first) for first in firsts)

    def _log_moment(self, tilt: arb) -> arb:
        """Return ln M(λ) of the sum."""
        return sum((times * part.real(tilt).log() for part, times in self.parts), arb(0))

    def _line(self, nats: Number, log_width: float) -> Line:
        """Return where D(c) has about a relative width."""
        c = float(nats.ball(PLAN_BITS).mid())

        def exponent(tilt: float) -> float:
            return sum(times * part.log_moment(tilt) for part, times in self.parts) - tilt * c

        return Line.through_saddle(exponent, 1, log_width=log_width, shares=_SHARES)

    def line_at(self, nats: Number, width: float) -> _Contour:
        """Return a line on which D(c) has about a relative width."""
        log_width = log(width)
        line = self._line(nats, log_width)
        bits = int(PLAN_BITS - 1.5 * log_width + self.copies.bit_length())
        with precision(bits + 16):
            tilt, period = arb(line.tilt), arb(line.period)
            step = 2 * arb.pi() / period
            values, rest = self._values(
                tilt,
                step,
                log_width - log(16) + line.log_value,
                quick=log_width + line.log_value > log(self.copies) + _QUICK,
            )
            images = line.images(self._log_moment)
        return _Contour(tilt, period, values, rest, images, bits)

    def _values(
        self, line: arb, step: arb, log_small: float, *, quick: bool
    ) -> tuple[list[acb], arb]:
        """Return M(s_m)/(s_m(s_m + 1)), m = 0, 1, ..., K, and a bound on the omitted tail.

        That is (2/Λ) Σ |M(s_m)/(s_m(s_m + 1))| over m > K. In an octave from ω on |M| is at
        most its bound at ω, |s(s + 1)| is at least ω_m², and Σ 1/m² over m >= j is at most
        1/(j − 1).
        """
        most = effort_of_today().points // (_DEAR if quick else 2 * _DEAR)
        rungs = int(log(max(1, most / _FEWEST)) / log(_FINER)) + 1
        counts = [int(_FEWEST * _FINER**k) for k in range(rungs)]
        envelopes = self._envelopes(line, log_small, float(step) * counts[-1])
        size = self._log_moment(line).exp()
        enough = arb(log_small).exp()
        few = bisect_left(
            counts, 1, key=lambda k: int(bool(self._rest(envelopes, step, k) < enough))
        )
        if few == len(counts):
            raise TooLargeError(
                f"the transform is still large after {counts[-1]:,} points. Ask for a wider "
                "enclosure, take more noise, or more copies."
            )
        count = counts[few]
        products = [acb(1)] * count
        for part, times in self.parts:
            rule = part.quickly if quick else part.along
            along = rule(acb(line, 0), step, count=count)
            products = [a * b**times for a, b in zip(products, along, strict=True)]
        points = (acb(line, m * step) for m in range(count))
        values = [product / (s * (s + 1)) for product, s in zip(products, points, strict=True)]
        return values, self._rest(envelopes, step, count) * size

    def _envelopes(
        self, line: arb, log_small: float, farthest: float
    ) -> list[tuple[Envelope, int]]:
        """Return bounds of |φ| on one line; they are kept, so they are a bit sharper than needed.

        Args:
            line: λ.
            log_small: The logarithm of what may be left out beyond the last point.
            farthest: The largest frequency of a line, as :meth:`Envelope.of` takes it.
        """
        place, nats = float(line), max(1.0, 16 - log_small)
        if place not in self._bounds:
            self._bounds[place] = [
                (Envelope.of(part, line, copies=times, nats=nats, farthest=farthest), times)
                for part, times in self.parts
                if part.density is not None
            ]
        return self._bounds[place]

    @staticmethod
    def _rest(envelopes: Sequence[tuple[Envelope, int]], step: arb, first: int) -> arb:
        """Return a bound on the sum of the points from the ``first`` on, over M(λ)."""
        total = arb(0)
        for octave in range(_OCTAVES + 1):
            omega = step * first * 2**octave
            bound = arb(1)
            for envelope, times in envelopes:
                bound *= envelope.at(omega) ** times
            # All octaves beyond the last add at most twice what it would.
            total += bound / (omega - step) * (1 if octave < _OCTAVES else 2)
        return total / arb.pi()


@dataclass(frozen=True, slots=True)
class _Contour:
    """The values on one line, for all thresholds near that for which it was chosen.

    Attributes:
        line: λ.
        period: Λ.
        values: M(s_m)/(s_m(s_m + 1)), m = 0, 1, ..., K.
        rest: A bound of what the terms beyond K add.
        images: The bounds for the terms k < 0 and k > 0.
        bits: The working precision of the balls.
    """

    line: arb
    period: arb
    values: Sequence[acb]
    rest: arb
    images: Sequence[Image]
    bits: int

    def at(self, nats: Number) -> Enclosure:
        """Return the enclosure of D(c) that this line gives."""
        c = nats.ball(self.bits)
        with precision(self.bits):
            angle, total = -2 * arb.pi() * c / self.period, self.values[0].real
            for m, value in enumerate(self.values[1:], 1):
                # Not a power of one turn: a rectangle that is turned and turned grows like e^angle.
                total += 2 * (value * acb(0, m * angle).exp()).real
            back = (-self.line * c).exp()
            middle = total / self.period * back
            low, high = middle - self.rest * back, middle + self.rest * back
            for image in self.images:
                low -= image.total(c, line=self.line, period=self.period)
            if not (low.is_finite() and high.is_finite()):
                return Enclosure(Fraction(0), Fraction(1))
            lower, upper = max(endpoints(low)[0], Fraction(0)), endpoints(high)[1]
            return Enclosure(lower, max(lower, upper))
