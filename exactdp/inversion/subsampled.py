r"""Laplace transforms of Poisson-subsampled noise: the loss ln(1 − q + q e^z).

Subsampled Gaussian, σ = 1/μ. With φ the density of N(0, σ²), z(x) = (2x − 1)/(2σ²) and
L(x) = ln(1 − q + q e^z), the transform is G(1 + s), G(t) = ∫ φ e^(tL) dx. The trapezoid
rule with step h is off by at most 2B/(e^(2πd/h) − 1) if B bounds the integral of the
modulus along Im x = ±d (Trefethen & Weideman, The Exponentially Convergent Trapezoidal
Rule, 2014, Theorem 5.1). There, with d = σ²θ, θ < π, u = 1 − q and v = q e^z:
|φ| grows by e^(σ²θ²/2), |u + v e^(iθ)| is between cos(θ/2)(u + v) and u + v, and its
argument between 0 and θ, so

    B <= e^(σ²θ²/2 + |Im t|θ) cos(θ/2)^min(0, Re t) G(Re t).

Beyond the nodes: for t < 0, e^(tL) <= (1 − q)^t. For t >= 0 it is at most 1 where z <= 0,
and at most (q + (1 − q)e^(−z(X)))^t e^(tz) for x >= X; φ e^(tz) = e^(t(t − 1)/(2σ²)) φ(x − t).

Subsampled Laplace. The loss is ln(1 − q + q e^ℓ), ℓ from −ε0 to ε0 with the density
e^(−(ε0 + ℓ)/2)/4 under Q. Panels of Gauss's rule; 1 − q + q e^ℓ is as above, with the
shorter half axis as θ.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, log, pi, sqrt

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.inversion.clouds import MAX_NODES, Cloud, Density, Quadrature, panels, variation
from exactdp.numbers import Exact, Number, working_bits

__all__ = ["SubsampledGaussian", "SubsampledLaplace"]

_ANGLES = [3.0 * 0.8**k for k in range(80)]
_BULK_BITS = 64
_UNIT = arb(0, 1)


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Quadrature):
    """See the header."""

    mu: Number
    rate: Exact

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        h, angle, (first, last) = self._nodes(sigma, t, omega, accuracy_bits)
        normal, inverse = h / (sigma * (2 * arb.pi()).sqrt()), 1 / (2 * sigma**2)
        losses, masses = [], []
        for j in range(first, last + 1):
            x = j * h
            loss = (1 - q + q * ((2 * x - 1) * inverse).exp()).log()
            losses.append(loss)
            masses.append(normal * (t * loss - x**2 * inverse).exp())
        cut = _cut(t, sigma, q, (-first * h, last * h))
        growth = (sigma**2 * angle**2 / 2).exp()
        if not t >= 0:
            growth /= (angle / 2).cos() ** (-t).upper()
        off = 2 * growth / ((2 * arb.pi() * sigma**2 * angle / h).exp() - 1)
        total = (sum(masses, arb(0)) + _UNIT * cut) / (1 + _UNIT * off)
        return Cloud(losses, masses, lambda omega: cut + off * (omega * angle).exp() * total)

    def _nodes(
        self, sigma: arb, t: arb, omega: arb, accuracy_bits: int
    ) -> tuple[arb, arb, tuple[int, int]]:
        """Return the widest step with a small error, its θ, and the first and last node."""
        s, low, high = float(sigma.mid()), float(t.lower()), float(t.upper())
        need = (accuracy_bits + 8) * log(2) - max(0.0, -low) * float((1 - self.rate).ball(53).log())
        width, theta = max((_step(angle, s, need, float(omega), low), angle) for angle in _ANGLES)
        reach = s * sqrt(2 * need) + s
        first, last = -int(reach / width) - 1, int((max(0.0, high) + reach) / width) + 1
        if last - first > MAX_NODES:
            raise TooLargeError(
                f"a transform would take {last - first:,} nodes; the limit is {MAX_NODES:,}. "
                "Take a smaller order or more noise."
            )
        return arb(width), arb(theta), (first, last)

    def variation(self, tilt: arb) -> arb:
        """Return the variation of the tilted density, which is 0 at both ends.

        Against L it is b = φ e^(tL)/L', t = 1 + λ, and (ln b)' = ((t + 1)r − 1 − x)/σ² with
        r = σ²L' between 0 and 1: b is monotone outside of [−1, t].
        """
        between = arb(-1).union(tilt + 1)
        return self.variation_between(tilt, between.lower(), between.upper())

    def variation_between(self, tilt: arb, low: arb, high: arb) -> arb:
        """Return b of :meth:`variation` at both ends, and its variation between them."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        norm = sigma / (2 * arb.pi()).sqrt()

        def density(x: arb) -> tuple[arb, arb]:
            e_z = ((2 * x - 1) / (2 * sigma**2)).exp()
            rest = 1 - q + q * e_z
            value = norm * ((t + 1) * rest.log() - x**2 / (2 * sigma**2)).exp() / (q * e_z)
            return value, ((t + 1) * (1 - (1 - q) / rest) - 1 - x) / sigma**2

        return variation(density, low, high, unit=sigma)

    def bulk(self) -> Density | None:
        """Return the outputs within 3σ/2 of 0, if the loss hardly changes there."""
        sigma = arb((1 / self.mu.ball(_BULK_BITS)).mid())
        high = 3 * sigma / 2
        end = ((8 * high - 1) / (2 * sigma**2)).exp() * self.rate.ball(_BULK_BITS)
        return _Bulk(self, -high, high) if end < arb(0.5) else None


@dataclass(frozen=True, slots=True)
class _Bulk(Quadrature):
    """A subsampled Gaussian's outputs between two points only, where e^z <= 1/(2q) or so.

    There the loss hardly changes with x, and neither does its phase with Im x:
    the argument of u + v e^(iθ) is at most (v/u) sin θ for θ <= π/2.
    """

    whole: SubsampledGaussian
    low: arb
    high: arb

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        bits = working_bits()
        sigma, q, t = 1 / self.whole.mu.ball(bits), self.whole.rate.ball(bits), tilt + 1
        normal, inverse = 1 / (sigma * (2 * arb.pi()).sqrt()), 1 / (2 * sigma**2)

        def z(x: arb) -> arb:
            return (2 * x - 1) * inverse

        def point(x: arb) -> tuple[arb, arb]:
            loss = (1 - q + q * z(x).exp()).log()
            return loss, normal * (t * loss - x**2 * inverse).exp()

        def log_bound(low: arb, high: arb, theta: arb) -> arb:
            return (
                _log_mixed(q, t, z(low), z(high), theta) + (sigma * theta) ** 2 / 2 + normal.log()
            )

        phase = q * z(2 * self.high - self.low).exp() / (1 - q)
        ends = self.low, self.high
        return panels(
            point, log_bound, ends, slope=2 * inverse, phase=phase, omega=omega, bits=accuracy_bits
        )

    def variation(self, tilt: arb) -> arb:
        return self.whole.variation_between(tilt, self.low, self.high)


@dataclass(frozen=True, slots=True)
class SubsampledLaplace(Quadrature):
    """See the header."""

    top: Number
    rate: Exact

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels."""
        top, q, t = self.top.ball(working_bits()), self.rate.ball(working_bits()), tilt + 1

        def point(x: arb) -> tuple[arb, arb]:
            loss = (1 - q + q * x.exp()).log()
            return loss, (t * loss - (x + top) / 2).exp() / 4

        def log_bound(low: arb, high: arb, theta: arb) -> arb:
            return _log_mixed(q, t, low, high, theta) - (low + top) / 2 - arb(4).log()

        return panels(
            point,
            log_bound,
            (-top, top),
            slope=arb(1),
            phase=arb(1),
            omega=omega,
            bits=accuracy_bits,
        )

    def variation(self, tilt: arb) -> arb:
        """Return the tilted density at both ends, and its variation between them.

        Against the loss the tilted density is e^(tL − (ε0 + ℓ)/2)/(4r), t = 1 + λ, where
        r = L' rises with ℓ; the derivative of its logarithm is (t + 1)r − 3/2.
        """
        bits = working_bits()
        top, q, t = self.top.ball(bits), self.rate.ball(bits), tilt + 1

        def density(x: arb) -> tuple[arb, arb]:
            rest = 1 - q + q * x.exp()
            value = ((t + 1) * rest.log() - (3 * x + top) / 2).exp() / (4 * q)
            return value, (t + 1) * (1 - (1 - q) / rest) - arb(1.5)

        return variation(density, -top, top, unit=arb(0.5))


def _log_mixed(q: arb, t: arb, low: arb, high: arb, theta: arb) -> arb:
    """Return a bound of ln|(1 − q + q e^z)^t| for Re z between the ends and |Im z| <= θ < π."""
    if t >= 0:
        return t * (1 - q + q * high.exp()).log()
    return t.lower() * ((1 - q + q * low.exp()).log() + (theta / 2).cos().log())


def _step(theta: float, sigma: float, need: float, omega: float, t: float) -> float:
    """Return the step of the trapezoid rule at which the bound of the header is e^−need."""
    growth = sigma**2 * theta**2 / 2 + omega * theta + max(0.0, -t) * -log(cos(theta / 2))
    return 2 * pi * sigma**2 * theta / (need + growth)


def _cut(t: arb, sigma: arb, q: arb, ends: tuple[arb, arb]) -> arb:
    """Return a bound of the trapezoid sum beyond the nodes: at most the integral there."""

    def beyond(distance: arb) -> arb:
        return (distance / (sigma * arb(2).sqrt())).erfc() / 2

    if not t >= 0:
        return (beyond(ends[0]) + beyond(ends[1])) * ((1 - q).log() * t.lower()).exp()
    share = q + (1 - q) * ((1 - 2 * ends[1]) / (2 * sigma**2)).exp()
    above = (t * (t - 1) / (2 * sigma**2) + t * share.log()).exp() * beyond(ends[1] - t)
    return beyond(ends[0]) + above
