r"""The tilted law of a sum modulo a period, by powers of transforms in doubles, with their errors.

Each loss lies between two laws on one lattice (``polygons``). For the sum S of the laws above, or
of those below, with the letters of ``lines``: the tilted law of S modulo Λ = Nh is the product
of powers of the N-point transforms of the tilted laws of the parts (``fourier``), transformed
back. With A = e^(−λΛ), C = e^(−Λ), y = (S − c) mod Λ in (0, Λ], G(y) = e^(−λy)(1 − e^(−y)), and E
over the tilted law, D(c) e^(λc)/M(λ) is at least E G(y) − images, for the law below, and at most,
for the one above,

    Σ_k E G(y + kΛ) <= E[G(y) + A(1 − C)e^(−λy)]/((1 − A)(1 − AC)).

Each loss is one named number:

* ``images``: of ``lines``, with the moments of the law below;
* ``infinite``: what the law above has at infinity;
* ``negative``: of ``polygons``, twice, as (1 + negative)^n <= 2, or else the bound says nothing;
* ``errors``: let the N-point transforms φ_i be known to e_i. Then Π φ_i^(n_i) is known to
  Π(|φ_i| + e_i)^(n_i) (Σ n_i e_i/(|φ_i| + e_i) + 3u Σ n_i), point by point, and a mass to the mean
  of these over the points, and to the error of the transform back. Where a factor is below
  e^−75, zero is taken for the product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp, gcd, log, log1p

import numpy as np
from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.inversion.doubles import Doubles
from exactdp.inversion.fourier import MAX_POINTS, Fourier
from exactdp.inversion.lines import Image, Line
from exactdp.inversion.polygons import DEPTH, Knots, Weigh
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["BITS", "Guide", "TiltedLaws"]

BITS = 256
_UNIT = 2.0**-53
_SAFE = 1 + 2.0**-30
_NOTHING = 75.0
_BLOCK = 1 << 11
_TINY = 1e-100
_SMALLEST = 1e-200
_ABOVE = 20


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """What is known of a sum before its cells are chosen; nothing rests on it.

    A curve that is e too low at a cell makes D(c) too low by e·Pr[c − S' in the cell], S' the
    other losses: here with the tilted law of a coarser S, and with one that is flat about c.

    Attributes:
        distances: c − S, ascending.
        tilted: The tilted probability that c − S is at most that.
        log_value: About ln(e^(λc) D(c)/M(λ)).
        step: Of the coarser lattice.
    """

    distances: Doubles
    tilted: Doubles
    log_value: float
    step: float

    @classmethod
    def flat(cls) -> Guide:
        """Return one for a law of which nothing is known."""
        return cls(np.array([0.0, 1.0]), np.zeros(2), 0.0, 1.0)

    def weigh(self, times: int, log_moment: float, tilt: float) -> Weigh:
        """Return the weights of the cells of one of the losses."""
        base, flat = log(times) - log_moment, log(tilt) + log1p(tilt)

        def weigh(x: Doubles, width: Doubles) -> tuple[Doubles, float]:
            low, high = (np.interp(y, self.distances, self.tilted) for y in (x, x + width))
            found = np.maximum(high - low, 0) * exp(-self.log_value) + width * exp(flat)
            under = low[0] * exp(-self.log_value) + 1 + tilt
            return np.log(found) + tilt * (x + width) + base, log(under) + tilt * x[0] + base

        return weigh


@dataclass(frozen=True, slots=True, eq=False)
class TiltedLaws:
    """The tilted laws of the sum modulo Λ, above and below.

    Attributes:
        tilt: λ.
        step: h.
        origin: The sum of index 0.
        laws: N times the masses, first above, then below.
        errors: Bounds of the errors of each of these.
        log_moments: ln M(λ) of both.
        infinite: At most what is infinite in the sum above.
        negative: At most what is negative in the law below.
        images: Of the sum below.
    """

    tilt: arb
    step: arb
    origin: arb
    laws: tuple[Doubles, Doubles]
    errors: tuple[float, float]
    log_moments: tuple[arb, arb]
    infinite: arb
    negative: arb
    images: Sequence[Image]

    @classmethod
    def of(cls, parts: Sequence[tuple[Knots, int]], line: Line) -> TiltedLaws:
        """Return the sum of all parts on a line."""
        widths = [cell.width for knots, _ in parts for cell in knots.cells]
        grain = gcd(*widths)
        unit = parts[0][0].unit
        step = unit * grain / 2**DEPTH
        plan = Fourier.of_at_least(max(27, ceil(line.period / float(step.mid()))))
        if plan.points > 2 * MAX_POINTS:
            raise TooLargeError("the lattice has too many points. Ask for a wider enclosure.")
        tilt = arb(line.tilt)
        line = replace(line, period=float((plan.points * step).mid()))
        origin = sum((n * knots.start for knots, n in parts), arb(0))
        both = [(knots, knots.polygons(), n) for knots, n in parts]
        infinite = sum((n * one.infinite for _, one, n in both), arb(0))
        negative = sum((n * one.negative for _, one, n in both), arb(0))
        laws, errors, moments = [], [], []
        for side in ("above", "below"):
            rows = []
            log_moment = arb(0)
            for knots, one, n in both:
                masses = one.above if side == "above" else one.below
                tilted = {p: m * (tilt * knots.loss(p)).exp() for p, m in masses.items()}
                total = sum(tilted.values(), arb(0))
                log_moment += n * total.log()
                rows.append(_Row.of(tilted, total, grain, plan.points, n))
            law, error = _power(rows, plan)
            laws.append(law)
            errors.append(error)
            moments.append(log_moment)

        def log_moment_below(theta: arb) -> arb:
            found = arb(0)
            for knots, one, n in both:
                terms = (m * (theta * knots.loss(p)).exp() for p, m in one.below.items())
                found += n * sum(terms, arb(0)).log()
            return found

        return cls(
            tilt,
            step,
            origin,
            (laws[0], laws[1]),
            (errors[0], errors[1]),
            (moments[0], moments[1]),
            infinite,
            negative,
            line.images(log_moment_below),
        )

    def guide(self, c: float) -> Guide:
        """Return what this says for a finer lattice."""
        law, n, h = np.maximum(self.laws[0], 0), len(self.laws[0]), float(self.step.mid())
        tilt = float(self.tilt.mid())
        first = int((c - float(self.origin.mid())) / h)
        # Sums modulo Λ are read as those from a little above c downwards: distances c − S upwards.
        above = min(n // 2, int(_ABOVE / (tilt * h)) + 1)
        indices = first + above - np.arange(n)
        masses = law[indices % n] / n
        value = float(masses[:above] @ _excess(tilt, h * np.arange(above, 0, -1)))
        distances = c - float(self.origin.mid()) - h * indices
        return Guide(distances + h / 2, np.cumsum(masses), log(max(value, _SMALLEST)), h)

    def at(self, nats: Number | Fraction) -> Enclosure:
        """Return the enclosure of D(c) that these laws give."""
        with precision(BITS):
            if isinstance(nats, Fraction):
                return self._at(arb(fmpq_of(nats)))
            return self._at(nats.ball(BITS))

    def _at(self, c: arb) -> Enclosure:
        n = len(self.laws[0])
        place = (c - self.origin) / self.step
        first = place.mid().floor().unique_fmpz()
        if first is None or not place.rad() < 2.0**-60:
            raise UndecidedError("the threshold is not known to a step of the lattice.")
        decay, excess = _kernel(self.tilt, self.step, (first + 1 - place) * self.step, n)
        start = int(first + 1) % n
        total = float(excess.sum()) * _SAFE, float(decay.sum()) * _SAFE
        means = []
        for law, error in zip(self.laws, self.errors, strict=True):
            for kernel, size in ((excess, total[0]), (decay, total[1])):
                parts = (law[start:], kernel[: n - start]), (law[:start], kernel[n - start :])
                value = sum(float(a @ b) for a, b in parts)
                moduli = sum(float(np.abs(a) @ b) for a, b in parts)
                # Sums of N products, of kernels known to 16u.
                slack = (size * error + (n + 32) * _UNIT * moduli) * _SAFE + _TINY
                means.append((value, slack))
        (up, up_off), (up_rest, up_rest_off), (low, low_off), _ = means
        period = n * self.step
        a, b = (-self.tilt * period).exp(), (-period).exp()
        units = [(m - self.tilt * c).exp() / n for m in self.log_moments]
        high = arb(up) + arb(up_off) + a * -(-period).expm1() * (arb(up_rest) + arb(up_rest_off))
        high = high / ((1 - a) * (1 - a * b)) * units[0] + self.infinite
        lower = (arb(low) - arb(low_off)) * units[1] - 2 * self.negative
        for image in self.images:
            lower -= image.total(c, line=self.tilt, period=period)
        if not (lower.is_finite() and high.is_finite()):
            return Enclosure(Fraction(0), Fraction(1))
        return Enclosure(max(endpoints(lower)[0], Fraction(0)), endpoints(high)[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A tilted, normalized law modulo Λ.

    Attributes:
        masses: In doubles.
        error: At most what these are off by, in all.
        times: The number of copies.
    """

    masses: Doubles
    error: float
    times: int

    @classmethod
    def of(cls, tilted: dict[int, arb], total: arb, grain: int, points: int, times: int) -> _Row:
        """Return the row of masses by place."""
        found, error = np.zeros(points), 0.0
        for place, mass in tilted.items():
            share = mass / total
            value = float(share.mid())
            error += float(share.rad()) * 2 + 8 * _UNIT * value
            if value > _TINY:  # doubles below their normal range are slow
                found[(place // grain) % points] += value
            else:
                error += 2 * _TINY
        return cls(found, error * _SAFE, times)


def _excess(tilt: float, y: Doubles) -> Doubles:
    return np.asarray(np.exp(-tilt * y) * -np.expm1(-y))


def _power(rows: Iterable[_Row], plan: Fourier) -> tuple[Doubles, float]:
    """Return N times the masses of the sum, and a bound of their errors."""
    product = np.ones(plan.points, dtype=complex)
    most, share = np.ones(plan.points), np.zeros(plan.points)
    copies, largest = 0, 1.0
    for row in rows:
        there = plan.forward(row.masses).reshape(-1)
        error = (float(row.masses.sum()) * plan.error + row.error) * _SAFE
        size = np.abs(there) * _SAFE + error
        active = (size > exp(-_NOTHING / row.times)) & (most > 0)
        product[~active], most[~active], share[~active] = 0, 0, 0
        product[active] *= _to_the(there[active], row.times)
        most[active] *= _to_the(size[active], row.times)
        share[active] += row.times * error / size[active] + 3 * _UNIT * row.times
        copies, largest = copies + row.times, max(largest, float(size.max()))
    off = float(most @ share) * _SAFE
    # Each other point: one factor is below e^−75, the others below what masses add up to.
    others = float((most == 0).sum()) * 2 * exp(-_NOTHING) * largest**copies
    sizes = float(np.abs(product).sum())
    back = plan.backward(product.reshape(plan.shape))
    return back, (off + others + plan.error * sizes + _TINY) * _SAFE


def _to_the(values: Doubles, times: int) -> Doubles:
    found = values
    for bit in bin(times)[3:]:
        found = found * found
        if bit == "1":
            found = found * values
    return found


def _kernel(tilt: arb, step: arb, first: arb, count: int) -> tuple[Doubles, Doubles]:
    """Return e^(−λy) and that times 1 − e^(−y) for y = first + j·step, j below a count."""
    rows = -(-count // _BLOCK)
    coarse = [step * (i * _BLOCK) for i in range(rows)]
    fine = [first + step * j for j in range(min(_BLOCK, count))]
    a, b = ([float((-(-y).expm1()).mid()) for y in ys] for ys in (coarse, fine))
    kept = np.array([float((-y).exp().mid()) for y in coarse])
    gone = np.array(a)[:, None] + kept[:, None] * np.array(b)[None, :]
    far, near = (np.array([float((-tilt * y).exp().mid()) for y in ys]) for ys in (coarse, fine))
    decay = np.outer(far, near)
    return decay.reshape(-1)[:count], (decay * gone).reshape(-1)[:count]
