r"""The tilted law of a sum modulo a period, by powers of transforms in doubles, with their errors.

Each loss lies between two laws on one lattice (``polygons``). For the sum S of the laws above, or
of those below, with the letters of ``lines``: the N-point transform Φ of the tilted law of S
modulo Λ = Nh is the product of powers of the transforms φ_i of the tilted laws of the parts
(``fourier``). Let the threshold c lie at ηh below the next point, of index r, 0 < η <= 1, and
z_k = e^(2πik/N). As the sum of G(y) = e^(−λy)(1 − e^(−y)) over all points y above c with turns z_k
is geometric,

    V = Σ_j E[G(S − c + jΛ); S − c + jΛ > 0]
      = (1/N) Σ_k Φ_k z_k^r (α + βz_k)/((1 − az_k)(1 − bz_k)),

a = e^(−λh), b = e^(−(λ + 1)h), α = a^η − b^η, β = a b^η − b a^η, none negative. D(c) e^(λc)/M(λ)
is at most V, for the law above, and at least V − images, for the one below. Each loss is a named
number:

* ``images``: of ``lines``, with the moments of the law below;
* ``infinite``: what the law above has at infinity;
* ``negative``: of ``polygons``, twice, as (1 + negative)^n − 1 <= 2n·negative if that is at most
  2; else nothing is said from below;
* ``off``: let the φ_i be known to e_i. Then Φ is known to Π(|φ_i| + e_i)^(n_i)
  (Σ n_i e_i/(|φ_i| + e_i) + 3u Σ n_i), point by point; where a factor is below e^−75, zero is
  taken. Turns are products of at most six numbers known to u, and err by 24u; 1 − az so by 30u at
  most; sums along an axis of r numbers by ru of their moduli.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
_FEWEST = 27
_LEAST = 1e-9
_TINY = 1e-100
_SMALLEST = 1e-15
_ABOVE = 20
_LARGE = 600.0


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
            found = np.maximum(high - low, 0) * exp(-self.log_value)
            found += np.exp(np.minimum(np.log(width) + flat, _LARGE))
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
        plan: Of the transform.
        sides: The law above, and the law below.
        law: N times the masses of the law above, about: nothing rests on them.
        infinite: At most what is infinite in the sum above.
        negative: At most what is negative in the law below.
        images: Of the sum below.
    """

    tilt: arb
    step: arb
    origin: arb
    plan: Fourier
    sides: tuple[_Side, _Side]
    law: Doubles
    infinite: arb
    negative: arb
    images: Sequence[Image]

    @classmethod
    def of(cls, parts: Sequence[tuple[Knots, int]], line: Line) -> TiltedLaws:
        """Return the sum of all parts on a line."""
        grain = gcd(*(cell.width for knots, _ in parts for cell in knots.cells))
        step = parts[0][0].unit * grain / 2**DEPTH
        plan = Fourier.of_at_least(max(_FEWEST, ceil(line.period / float(step.mid()))))
        tilt = arb(line.tilt)
        if plan.points > MAX_POINTS or not (tilt * step).expm1() > _LEAST:
            raise TooLargeError("the lattice has too many points. Ask for a wider enclosure.")
        both = [(knots, knots.polygons(), n) for knots, n in parts]

        def log_moment_below(theta: arb) -> arb:
            found = arb(0)
            for knots, one, n in both:
                terms = (m * (theta * knots.loss(p)).exp() for p, m in one.below.items())
                found += n * sum(terms, arb(0)).log()
            return found

        kernel = _Kernel.of(plan, tilt, step)
        above, phi = _Side.of([(k, one.above, n) for k, one, n in both], tilt, grain, kernel)
        law = plan.backward(phi.reshape(plan.shape))
        del phi
        below, _ = _Side.of([(k, one.below, n) for k, one, n in both], tilt, grain, kernel)
        return cls(
            tilt,
            step,
            sum((n * knots.start for knots, n in parts), arb(0)),
            plan,
            (above, below),
            law,
            sum((n * one.infinite for _, one, n in both), arb(0)),
            sum((n * one.negative for _, one, n in both), arb(0)),
            line.images(log_moment_below),
        )

    def guide(self, c: float) -> Guide:
        """Return what this says for a finer lattice."""
        law, n, h = np.maximum(self.law, 0), len(self.law), float(self.step.mid())
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
        place = (c - self.origin) / self.step
        first = place.mid().floor().unique_fmpz()
        eta = None if first is None else first + 1 - place
        if first is None or eta is None or not (eta > 0 and eta <= 1):
            raise UndecidedError("the threshold cannot be told from a point of the lattice.")
        a = (-self.tilt * self.step).exp()
        a_eta, rest = a**eta, -(-eta * self.step).expm1()
        alpha = a_eta * rest
        beta = a * a_eta * ((-eta * self.step).exp() - (-self.step).exp()).nonnegative_part()
        turns = self.plan.separable(int(first + 1))
        values = [
            side.mean(turns, self.plan, alpha, beta) * (side.log_moment - self.tilt * c).exp()
            for side in self.sides
        ]
        high, lower = values[0] + self.infinite, values[1] - 2 * self.negative
        period = self.plan.points * self.step
        for image in self.images:
            lower -= image.total(c, line=self.tilt, period=period)
        if not (lower.is_finite() and high.is_finite()):
            return Enclosure(Fraction(0), Fraction(1))
        least = endpoints(lower)[0] if self.negative <= 1 else Fraction(0)
        return Enclosure(max(least, Fraction(0)), endpoints(high)[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Kernel:
    """The numbers 1/((1 − az_k)(1 − bz_k)).

    Attributes:
        plan: Of the transform.
        values: In doubles.
        error: Bounds of their relative errors.
    """

    plan: Fourier
    values: Doubles
    error: Doubles

    @classmethod
    def of(cls, plan: Fourier, tilt: arb, step: arb) -> _Kernel:
        """Return them for λ and h."""
        z = plan.separable(1)
        values, error = np.ones(plan.points, dtype=complex), np.full(plan.points, 16 * _UNIT)
        for rate in (tilt, tilt + 1):
            factor = 1 - float((-rate * step).exp().mid()) * z
            values = values * factor
            error += 30 * _UNIT / np.abs(factor)
        return cls(plan, 1 / values, error * 1.01)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the two laws, on its line.

    Attributes:
        weights: Φ_k/((1 − az_k)(1 − bz_k)), in doubles.
        off: A bound of the sum of their errors.
        size: A bound of the sum of their moduli.
        log_moment: ln M(λ).
    """

    weights: Doubles
    off: float
    size: float
    log_moment: arb

    @classmethod
    def of(
        cls,
        parts: Sequence[tuple[Knots, dict[int, arb], int]],
        tilt: arb,
        grain: int,
        kernel: _Kernel,
    ) -> tuple[_Side, Doubles]:
        """Return the side, and Φ, of laws by place with their copies."""
        rows, log_moment = [], arb(0)
        for knots, masses, n in parts:
            tilted = {p: m * (tilt * knots.loss(p)).exp() for p, m in masses.items()}
            total = sum(tilted.values(), arb(0))
            log_moment += n * total.log()
            rows.append(_Row.of(tilted, total, grain, kernel.plan.points, n))
        phi, error = _power(rows, kernel.plan)
        weights = phi * kernel.values
        sizes = np.abs(weights)
        off = float(np.abs(kernel.values) @ error) + float(sizes @ kernel.error)
        return cls(weights, off * _SAFE, float(sizes.sum()) * _SAFE, log_moment), phi

    def mean(self, turns: Doubles, plan: Fourier, alpha: arb, beta: arb) -> arb:
        """Return V, with a ball around it for all that was lost."""
        turned = self.weights * turns
        found = arb(0)
        for factor, values in ((alpha, turned), (beta, turned * plan.separable(1))):
            total = values.real.reshape(plan.shape)
            for _ in plan.shape:
                total = total.sum(axis=-1)
            lost = (64 + sum(plan.shape)) * _UNIT * self.size + self.off
            found += factor * arb(float(total), lost * _SAFE + _TINY)
        return found / plan.points


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
        modulo: dict[int, arb] = {}
        for place, mass in tilted.items():
            index = (place // grain) % points
            modulo[index] = modulo.get(index, arb(0)) + mass
        found, error = np.zeros(points), 0.0
        for index, mass in modulo.items():
            share = mass / total
            value = float(share.mid())
            error += float(share.rad()) * 2 + 8 * _UNIT * value
            if value > _TINY:  # doubles below their normal range are slow
                found[index] = value
            else:
                error += 2 * _TINY
        return cls(found, error * _SAFE, times)


def _excess(tilt: float, y: Doubles) -> Doubles:
    return np.asarray(np.exp(-tilt * y) * -np.expm1(-y))


def _power(rows: Iterable[_Row], plan: Fourier) -> tuple[Doubles, Doubles]:
    """Return Φ, and bounds of its errors."""
    product = np.ones(plan.points, dtype=complex)
    most, share = np.ones(plan.points), np.zeros(plan.points)
    copies, largest = 0, 1.0
    for row in rows:
        there = plan.forward(row.masses).reshape(-1)
        error = (float(row.masses.sum()) * plan.error + row.error) * _SAFE
        size = np.abs(there) * _SAFE + error
        active = ~(size <= exp(-_NOTHING / row.times)) & (most != 0)  # what is no number stays
        product[~active], most[~active], share[~active] = 0, 0, 0
        product[active] *= _to_the(there[active], row.times)
        most[active] *= _to_the(size[active], row.times)
        share[active] += row.times * error / size[active] + 3 * _UNIT * row.times
        copies, largest = copies + row.times, max(largest, float(size.max()))
    # At each other point one factor is below e^−75, the others below what masses add up to.
    errors = most * share * _SAFE + _TINY
    errors[most == 0] = 2 * exp(-_NOTHING) * largest**copies
    return product, errors


def _to_the(values: Doubles, times: int) -> Doubles:
    found = values
    for bit in bin(times)[3:]:
        found = found * found
        if bit == "1":
            found = found * values
    return found
