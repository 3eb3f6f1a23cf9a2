r"""Sums of discrete Gaussian losses: the law on their lattice by theta functions, along one line.

Let X be an integer with Pr[X = k] ∝ e^(−k²/(2v)), and its loss o + hX. Poisson's summation formula
Σ_k e^(−k²/(2v) + zk) = √(2πv) Σ_m e^(v(z + 2πim)²/2) for complex z = x + iθ gives, with

    B(θ) = Σ_m e^(−v(θ + 2πm)²/2 + ixv(θ + 2πm)),

    E e^(zX) = e^(vx²/2) B(θ)/C,  C = Σ_m e^(−2π²m²v),  |B(θ)| <= W(θ) = Σ_m e^(−v(θ + 2πm)²/2).

So a transform takes a few terms however wide the noise is. Let losses lie on one lattice, with
n_i copies of x_i = λh_i, θ_i = ωh_i, h_i whole multiples of h. With φ(ω) = Π (B_i(θ_i)/B_i(0))^n_i,
z_k = e^(2πik/N), N odd, Λ = Nh, and the least sum x_0 > 0 beyond the threshold c, the j-th on the
lattice, geometric sums give as in ``tilted``

    Σ_l E[G(S − c + lΛ); S − c + lΛ > 0]
      = (1/N) Σ_(|k| < N/2) φ(ω_k) z_k^(−j) (a^η/(1 − az_k^(−1)) − b^η/(1 − bz_k^(−1))),

G(y) = e^(−λy)(1 − e^(−y)), a = e^(−λh), b = e^(−(λ + 1)h), η = x_0/h, ω_k = 2πk/Λ. It is
D(c)e^(λc)/M(λ) and the images, as in ``saddle``. The last factor is largest at k = 0, as it has
coefficients that are not negative.

Only points that matter are visited. W falls from 0 to π (it is a product of increasing functions of
cos θ by Jacobi's triple product), and on [0, π] it is at most
e^(−vθ²/2)(1 + 2 Σ_(m >= 1) e^(−2πvm(πm − θ))), as (θ − 2πm)² = θ² + 4πm(πm − θ). So of an interval
of k the least distance of θ_i from the multiples of 2π bounds all of its points.

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy,
NeurIPS 2020 (the loss, and sums of such noise); for the product E. T. Whittaker and G. N. Watson, A
Course of Modern Analysis, 1927, 21.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, cos, exp, expm1, inf, log, pi

from flint import acb, arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, precision, working_bits
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import effort_of_today, refuse_above
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lines.saddle import A_PLAN, NARROWEST, Image, Line, LineSum

__all__ = ["ThetaSum"]

_DEAR = 1 << 10
"""How many times as long a point takes as one in doubles."""

_OF_A_POINT = 40
"""Operations of a point: each takes some tens of microseconds."""

_FEW = 8
"""Points that are visited without asking whether all of them matter."""

_PARTS = 1 << 10
"""How many intervals may be left out, about: each may have such a part of what may be left out."""

_DEEPEST = 4000.0
"""Nats that the value on a line may lie below the transform there: what cancels takes bits.

The saddle point is found to a hundredth of λ, which is many deviations of the sum far out."""

_DOUBLE_TERMS = 12
"""Terms of a theta function in doubles, for plans: nothing rests on them."""


@dataclass(frozen=True, slots=True)
class _Theta:
    """Copies of one loss o + hX.

    Attributes:
        origin: o.
        steps: The h of this loss, in steps of the common lattice.
        variance: v.
        times: The number of copies.
    """

    origin: Number
    steps: int
    variance: Fraction
    times: int

    def log_moment(self, tilt: arb, step: arb) -> arb:
        """Return n ln E e^(λL)."""
        x, v = tilt * self.steps * step, self._variance
        whole = self.terms(x, Fraction(0)).real
        ones = self.terms(arb(0), Fraction(0)).real
        found = tilt * self.origin.ball(working_bits()) + v * x**2 / 2 + (whole / ones).log()
        return self.times * found

    def about_log_moment(self, tilt: float, step: float, origin: float) -> float:
        """Return about the same in doubles, for plans."""
        x, v = tilt * self.steps * step, float(self.variance)
        sizes = [exp(-2 * pi**2 * m**2 * v) for m in range(1, _DOUBLE_TERMS)]
        whole = sum(size * cos(2 * pi * m * x * v) for m, size in enumerate(sizes, 1))
        found = tilt * origin + v * x * x / 2
        return self.times * (found + log(max(1 + 2 * whole, 1e-300)) - log(1 + 2 * sum(sizes)))

    def terms(self, x: arb, turn: Fraction) -> acb:
        """Return B(θ), θ = 2π·turn with the turn at most 1/2 from 0."""
        v, two_pi, bits = self._variance, 2 * arb.pi(), working_bits()
        found, j = acb(0), 0
        while True:
            for m in {j, -j}:
                place = two_pi * (_ball(turn) + m)
                found += acb(-v * place**2 / 2, x * v * place).exp()
            # Beyond, a term is at most e^(−v(2πm − π)²/2) on each side, and the ratio of two
            # such e^(−4π²v) or less.
            edge = (-v * (two_pi * (j + 1) - arb.pi()) ** 2 / 2).exp()
            rest = arb((2 * edge / -(-v * two_pi**2).expm1()).upper())
            j += 1
            if rest < arb(2) ** -bits:
                return found + acb(arb(0, rest), arb(0, rest))

    def bound(self, first: Fraction, last: Fraction) -> arb:
        """Return a bound of ln W(θ) for all θ/(2π) in an interval, times the copies."""
        low, high = first - first.__floor__(), last - first.__floor__()
        near = Fraction(0) if high >= 1 or low == 0 else min(low, 1 - high)
        v, place = self._variance, 2 * arb.pi() * _ball(near)
        ratio = (-2 * arb.pi() * v * (arb.pi() - place)).exp()
        # At m >= 2 the terms fall faster than at 1, by e^(−4π²v) at least.
        more = 2 * ratio / -(-4 * arb.pi() ** 2 * v).expm1()
        return self.times * (-v * place**2 / 2 + more.log1p())

    @property
    def _variance(self) -> arb:
        return _ball(self.variance)


@dataclass(frozen=True, eq=False)
class ThetaSum(LineSum):
    """A sum of discrete Gaussian losses on one lattice.

    Attributes:
        parts: The losses, with their copies.
        unit: The common step h.

    Example:
        One loss of σ = Δ = 1. D(0) is the total variation of the noise and of it moved by 1, which
        is Pr[X = 0]:

        >>> from exactdp.mechanisms import discrete_gaussian_mechanism
        >>> from exactdp.numbers import Exact
        >>> lattice = discrete_gaussian_mechanism(sigma=1).loss_law().lattice
        >>> one = ThetaSum.of(LatticeSum.of([(lattice, 1)]))
        >>> found = one.mean_excess(Exact(0), relative_width=Fraction(1, 10**9))
        >>> round(float(found.upper), 8)  # 1/(1 + 2e^(−1/2) + 2e^(−2) + 2e^(−9/2) + ...)
        0.39894228
    """

    parts: Sequence[_Theta]
    unit: Number

    @classmethod
    def of(cls, total: LatticeSum) -> ThetaSum | None:
        """Return the sum of lattices; None if not all are of discrete Gaussian losses."""
        parts = []
        for lattice, steps, times in total.parts:
            if lattice.variance is None:
                return None
            parts.append(_Theta(lattice.origin, steps, lattice.variance, times))
        return None if total.unit is None else cls(parts, total.unit)

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(part.times for part in self.parts)

    least = 2 * A_PLAN
    """Operations that a line takes at least."""

    def work(self, nats: Number, width: Fraction) -> float:
        """Return about how many operations a line takes: in theory it is of log(1/width) points."""
        if width < NARROWEST:
            return inf
        digits = log(max(width.denominator, 1e6)) - log(width.numerator)
        return self.least + _OF_A_POINT * len(self.parts) * digits

    def about_log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), in doubles, for plans."""
        step, origins = self._about
        pairs = zip(self.parts, origins, strict=True)
        return sum(part.about_log_moment(tilt, step, origin) for part, origin in pairs)

    @cached_property
    def _about(self) -> tuple[float, list[float]]:
        """The step, and the origins of the losses, in doubles."""
        origins = (part.origin for part in self.parts)
        step, *rest = (float(x.ball(PLAN_BITS).mid()) for x in (self.unit, *origins))
        return step, rest

    def line_at(self, nats: Number, width: float) -> _Line:
        """Return the values on a line on which D(c) has about a relative width."""
        c, h = float(nats.ball(PLAN_BITS).mid()), self._about[0]
        spread = sum(part.times * part.steps**2 * float(part.variance) for part in self.parts)
        line = Line.through_saddle(
            lambda tilt: self.about_log_moment(tilt) - tilt * c,
            1,
            log_width=log(width),
            start=max(1.0, c) / (h * h * spread),
        )
        count = 2 * ceil(line.period / h / 2) + 1
        # Near k = 0 the last factor is about 1/(λh) − 1/((λ + 1)h), which cancels.
        lost = abs(log(line.tilt * h)) + 2 * abs(log(line.tilt)) + abs(log(h))
        if line.log_value < -_DEEPEST:
            raise TooLargeError(
                "the threshold lies so far out that a line is not found near enough to its saddle "
                "point. Ask at a smaller epsilon."
            )
        lost += abs(line.log_value)
        bits = int(PLAN_BITS - 1.5 * log(width) + 1.5 * lost) + self.copies.bit_length()
        with precision(bits):
            tilt, step = arb(line.tilt), self.unit.ball(bits)
            # 1/(1 − a) − 1/(1 − b), as a difference of two near numbers would be lost.
            size = -exp(-line.tilt * h) * expm1(-h)
            size /= expm1(-line.tilt * h) * expm1(-(line.tilt + 1) * h)
            log_small = log(width / 16) + line.log_value + log(count / size) - log(_PARTS)
            start = [part.terms(tilt * part.steps * step, Fraction(0)).real for part in self.parts]
            if not all(one > 0 for one in start):
                raise UndecidedError("the transform is not told from 0. Ask for another width.")
            points, rest = self._points(count, log_small, start)
            values = [self._value(k, count, tilt, step, start) for k in points]
            log_moment = sum((part.log_moment(tilt, step) for part in self.parts), arb(0))
            images = line.images(
                lambda theta: sum((part.log_moment(theta, step) for part in self.parts), arb(0))
            )
            origin = sum((part.times * part.origin.ball(bits) for part in self.parts), arb(0))
        rows = list(zip(points, values, strict=True))
        return _Line(tilt, step, origin, count, rows, rest, log_moment, images, bits)

    def _points(self, count: int, log_small: float, start: Sequence[arb]) -> tuple[list[int], arb]:
        """Return the k >= 0 that matter, and a bound of Σ|φ(ω_k)| over the others above 0."""
        scale = -sum(
            (part.times * one.log() for part, one in zip(self.parts, start, strict=True)), arb(0)
        )
        found, rest, waiting = [0], arb(0), [(1, (count - 1) // 2)]
        most = effort_of_today().points // _DEAR
        while waiting:
            first, last = waiting.pop()
            if first > last:
                continue
            if last - first < _FEW:
                found.extend(range(first, last + 1))
                advice = "Ask at a smaller epsilon, or for a wider enclosure."
                refuse_above(most, len(found), f"a line takes {len(found):,} points", advice=advice)
                continue
            spend(_OF_A_POINT // 4 * len(self.parts))
            bound = scale + arb(last - first + 1).log()
            for part in self.parts:
                ends = (Fraction(k * part.steps, count) for k in (first, last))
                bound += part.bound(*ends)
            if bound < log_small:
                rest += bound.exp()
                continue
            middle = (first + last) // 2
            waiting += [(first, middle), (middle + 1, last)]
        return sorted(found), arb(rest.upper())

    def _value(self, k: int, count: int, tilt: arb, step: arb, start: Sequence[arb]) -> acb:
        """Return φ(ω_k)."""
        found = acb(1)
        spend(_OF_A_POINT * len(self.parts))
        for part, one in zip(self.parts, start, strict=True):
            turn = Fraction(k * part.steps, count)
            whole = part.terms(tilt * part.steps * step, turn - round(turn))
            found *= (whole / one) ** part.times
        return found


@dataclass(frozen=True, slots=True)
class _Line:
    """The values on one line, for all thresholds near that for which it was chosen.

    Attributes:
        tilt: λ.
        step: h.
        origin: The sum of index 0.
        count: N.
        values: The k >= 0 that are visited, and φ(ω_k).
        rest: A bound of Σ|φ(ω_k)| over the other k > 0.
        log_moment: ln M(λ).
        images: The bounds of the images.
        bits: The working precision of the balls.
    """

    tilt: arb
    step: arb
    origin: arb
    count: int
    values: Sequence[tuple[int, acb]]
    rest: arb
    log_moment: arb
    images: Sequence[Image]
    bits: int

    def at(self, nats: Number) -> Enclosure:
        """Return the enclosure of D(c) that this line gives."""
        with precision(self.bits):
            c = nats.ball(self.bits)
            position = (c - self.origin) / self.step
            low, high = (int(floor_of(end)) + 1 for end in (position.lower(), position.upper()))
            if high - low > 1:
                return Enclosure(Fraction(0), Fraction(1))
            # A sum that may be the threshold counts or not: either way about the same.
            total, rest = self._from(low, c)
            if high != low:
                other, more = self._from(high, c)
                total, rest = total.union(other), rest.max(more)
            unit = (self.log_moment - self.tilt * c).exp() / self.count
            low_end, high_end = (total - rest) * unit, (total + rest) * unit
            period = self.step * self.count
            for image in self.images:
                low_end -= image.total(c, line=self.tilt, period=period)
            if not (low_end.is_finite() and high_end.is_finite()):
                return Enclosure(Fraction(0), Fraction(1))
            lower, upper = max(endpoints(low_end)[0], Fraction(0)), endpoints(high_end)[1]
            return Enclosure(lower, max(lower, upper))

    def _from(self, index: int, c: arb) -> tuple[arb, arb]:
        """Return N times the sum for the first index beyond c, and a bound on its omitted terms."""
        x = self.origin + index * self.step - c
        rates = self.tilt, self.tilt + 1
        tops = [(-rate * x).exp() for rate in rates]
        shrinks = [(-rate * self.step).exp() for rate in rates]
        total, angle = arb(0), 2 * arb.pi() / self.count
        for k, value in self.values:
            turn = acb(0, -angle * k).exp()
            parts = [top / (1 - shrink * turn) for top, shrink in zip(tops, shrinks, strict=True)]
            place = acb(0, -angle * (k * index % self.count)).exp()
            one = (value * place * (parts[0] - parts[1])).real
            total += one if k == 0 else 2 * one
        most = [top / -(-rate * self.step).expm1() for top, rate in zip(tops, rates, strict=True)]
        return total, 2 * self.rest * abs(most[0] - most[1]).upper()


def _ball(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator
