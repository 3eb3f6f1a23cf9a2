r"""The loss of Gaussian noise, N(μ²/2, μ²), and of it on a Poisson sample, ln(1 − q + q e^z).

The transform of the first is e^(s(s + 1)μ²/2). On a sample, with σ = 1/μ, φ the density of
N(0, σ²), z(x) = (2x − 1)/(2σ²) and L(x) = ln(1 − q + q e^z), it is G(1 + s),
G(t) = ∫ φ e^(tL) dx. The trapezoid rule with step h is off by at most 2B/(e^(2πd/h) − 1) if B
bounds the integral of the modulus along Im x = ±d (Trefethen & Weideman, The Exponentially
Convergent Trapezoidal Rule, 2014, Theorem 5.1). There, with d = σ²θ, θ < π, u = 1 − q and
v = q e^z:
|φ| grows by e^(σ²θ²/2), |u + v e^(iθ)| is between cos(θ/2)(u + v) and u + v, and its
argument between 0 and θ, so

    B <= e^(σ²θ²/2 + |Im t|θ) cos(θ/2)^min(0, Re t) G(Re t).

Beyond the nodes: for t < 0, e^(tL) <= (1 − q)^t. For t >= 0 it is at most 1 where z <= 0,
and at most (q + (1 − q)e^(−z(X)))^t e^(tz) for x >= X; φ e^(tz) = e^(t(t − 1)/(2σ²)) φ(x − t).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import ClassVar

from flint import acb, arb

from exactdp.numbers import Exact, Number, precision, working_bits
from exactdp.numbers.effort import remembered, spend
from exactdp.sums.laws.clouds import (
    Cloud,
    Quadrature,
    Transform,
    log_mixed,
    panels,
    points,
    variation,
)
from exactdp.sums.laws.density import Ends, EvenLoss, LossDensity, Subsampled
from exactdp.sums.laws.trapezoids import likely_nodes, trapezoid

__all__ = ["GaussianLoss", "PositiveGaussian", "SomeOutputs", "SubsampledGaussian", "beyond"]
__all__ += ["normal_tail"]

_BULK_BITS = 64
"""Bits of σ and q where outputs are cut off as a bulk: any cut is right."""

_LITTLE = 0.25
"""The bound of |Im L|/θ below which the loss is said to hardly change; see :class:`SomeOutputs`.

It only chooses the parts that are tried as a bulk."""


@dataclass(frozen=True, slots=True)
class GaussianLoss(EvenLoss, Transform):
    """The loss N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q.

    Attributes:
        mu: μ = Δ/σ, positive.
    """

    mu: Number

    falls_like_normal: ClassVar[bool] = True

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return Pr[N > (t ∓ μ²/2)/μ] for P and Q, N standard normal."""
        z, shift = self._standard(t)
        return (z - shift).erfc() / 2, (z + shift).erfc() / 2

    def ends(self) -> Ends:
        """Return (None, None): the loss is unbounded."""
        return None, None

    def _standard(self, t: arb) -> tuple[arb, arb]:
        scale, shift = _gaussian_constants(self.mu, working_bits())
        return t * scale, shift

    @property
    def transform(self) -> Transform:
        """This density, which knows its transform."""
        return self

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return the loss on a Poisson sample, with the transform of the header."""
        return _OnSample(self, rate)

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return e^(s(s + 1)μ²/2) at the points."""
        half = self.mu.ball(working_bits()) ** 2 / 2
        return [(s * (s + 1) * half).exp() for s in points(start, step, count)]

    def decay(self) -> arb:
        """Return μ²/2."""
        return self.mu.ball(working_bits()) ** 2 / 2

    def variation(self, tilt: arb) -> arb:
        """Return twice the largest value of the tilted normal density."""
        mu = self.mu.ball(working_bits())
        return (tilt * (tilt + 1) * mu**2 / 2).exp() * 2 / (mu * (2 * arb.pi()).sqrt())


@remembered(maxsize=64)
def _gaussian_constants(mu: Number, bits: int) -> tuple[arb, arb]:
    """Return 1/(μ√2) and μ/√8: a Real is worked out anew at every call."""
    with precision(bits):
        ball, root = mu.ball(bits), arb(2).sqrt()
        return 1 / (ball * root), ball / (2 * root)


@dataclass(frozen=True, slots=True)
class _OnSample(Subsampled):
    """The loss of Gaussian noise on a Poisson sample, with transforms of its own."""

    density: GaussianLoss

    @property
    def transform(self) -> SubsampledGaussian:
        return SubsampledGaussian(self.density.mu, self.rate)

    @property
    def positive_transform(self) -> PositiveGaussian:
        return PositiveGaussian(self.transform)


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Quadrature):
    """The privacy loss of Gaussian noise on a Poisson sample; see the header."""

    mu: Number
    rate: Exact

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        h, angle, (first, last) = self._nodes(sigma, t, omega, accuracy_bits)
        normal, inverse = h / (sigma * (2 * arb.pi()).sqrt()), 1 / (2 * sigma**2)
        losses, masses = [], []
        spend(12 * (last - first))
        for j in range(first, last + 1):
            x = j * h
            loss = (1 - q + q * ((2 * x - 1) * inverse).exp()).log()
            losses.append(loss)
            masses.append(normal * (t * loss - x**2 * inverse).exp())
        cut = _cut(t, sigma, q, (-first * h, last * h))
        power = arb(0) if t >= 0 else (-t).upper()
        return trapezoid(losses, masses, cut=cut, sigma=sigma, step=h, theta=angle, power=power)

    def _nodes(
        self, sigma: arb, t: arb, omega: arb, accuracy_bits: int
    ) -> tuple[arb, arb, tuple[int, int]]:
        """Return the widest step with a small error, its θ, and the first and last node."""
        s, low, high = float(sigma.mid()), float(t.lower()), float(t.upper())
        need = (accuracy_bits + 8) * log(2) - max(0.0, -low) * float((1 - self.rate).ball(53).log())
        return likely_nodes(s, need, float(omega), max(0.0, -low), low=0.0, high=high)

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

    def bulks(self) -> Sequence[Transform]:
        """Return the outputs within 3σ/2 of 0, if the loss hardly changes there.

        And those for which it rises at half of its slope or more, if a hit is likely among them.
        """
        sigma, q = arb((1 / self.mu.ball(_BULK_BITS)).mid()), self.rate.ball(_BULK_BITS)
        high = 3 * sigma / 2
        found = []
        if self.turn(-high, high) < _LITTLE:
            found.append(SomeOutputs(self, -high, high))
        if q < 1 and (low := (sigma**2 * ((1 - q) / q).log() + arb(1) / 2).mid()) < 1:
            found.append(SomeOutputs(self, low, (1 + 2 * high).mid()))
        return found

    def weight(self, t: arb) -> Callable[[arb], tuple[arb, arb]]:
        """Return the weight of x for the loss L and tL."""
        bits = working_bits()
        q, inverse = self.rate.ball(bits), self.mu.ball(bits) ** 2 / 2

        def at(x: arb) -> tuple[arb, arb]:
            loss = (1 - q + q * ((2 * x - 1) * inverse).exp()).log()
            return loss, t * loss

        return at

    def log_bound(self, t: arb, ends: tuple[arb, arb], theta: arb) -> arb:
        """Return a bound of Re tL(x) for Re x between the ends and |Im x| <= σ²θ, θ < π."""
        low, high = (self._z(x) for x in ends)
        return log_mixed(self.rate.ball(working_bits()), t, low, high, theta)

    def turn(self, _low: arb, high: arb) -> arb:
        """Return a bound of |Im L|/θ for Re x between ends, θ <= π/2: see :class:`SomeOutputs`."""
        q = self.rate.ball(working_bits())
        return min(arb(1), arb((q * self._z(high).exp() / (1 - q)).upper()))

    def _z(self, x: arb) -> arb:
        return (2 * x - 1) * self.mu.ball(working_bits()) ** 2 / 2


@dataclass(frozen=True, slots=True)
class SomeOutputs(Quadrature):
    """The outputs of a subsampled Gaussian between two points only.

    Where q e^z is small the loss hardly changes with x, and neither does its phase with Im x:
    the argument of u + v e^(iθ) is at most (v/u) sin θ for θ <= π/2.
    """

    whole: SubsampledGaussian
    low: arb
    high: arb

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels."""
        bits = working_bits()
        sigma, t = 1 / self.whole.mu.ball(bits), tilt + 1
        normal, inverse = 1 / (sigma * (2 * arb.pi()).sqrt()), 1 / (2 * sigma**2)
        weight = self.whole.weight(t)

        def point(x: arb) -> tuple[arb, arb]:
            loss, exponent = weight(x)
            return loss, normal * (exponent - x**2 * inverse).exp()

        def log_bound(low: arb, high: arb, theta: arb) -> arb:
            # Re x² is least at the end that is nearer to 0, and 0 if both lie around it.
            nearest = max(arb(0), arb(low.lower()), arb((-high).lower()))
            fall = (sigma * theta) ** 2 / 2 - nearest**2 * inverse
            return self.whole.log_bound(t, (low, high), theta) + fall + normal.log()

        return panels(
            point,
            log_bound,
            (self.low, self.high),
            slope=2 * inverse,
            phase=self.whole.turn,
            omega=omega,
            bits=accuracy_bits,
        )

    def variation(self, tilt: arb) -> arb:
        """Return that of the tilted density, with its jumps at both ends."""
        return self.whole.variation_between(tilt, self.low, self.high)


@dataclass(frozen=True, slots=True)
class PositiveGaussian(Quadrature):
    """The positive losses of a subsampled Gaussian: x > 1/2.

    Attributes:
        whole: With all losses.
        high: The largest x that is looked at; None for all.
    """

    whole: SubsampledGaussian
    high: arb | None = None

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels."""
        bits = working_bits()
        sigma, q, t = 1 / self.whole.mu.ball(bits), self.whole.rate.ball(bits), tilt + 1
        raised = max(arb(0), arb(t.upper()))
        s = float(sigma.mid())
        end = self.high
        if end is None:
            end = arb(float(raised) + s * sqrt(2 * accuracy_bits * log(2)) + s + 0.5)
        cut = arb(0) if self.high is not None else beyond(raised, sigma, q, end)
        found = SomeOutputs(self.whole, arb(0.5), end).cloud(
            tilt, omega, accuracy_bits=accuracy_bits
        )
        return replace(found, error=lambda omega: cut + found.error(omega))

    def variation(self, tilt: arb) -> arb:
        """Return that of the tilted density, which falls from x = 1 + λ on, or from 1/2."""
        low = arb(0.5)
        return self.whole.variation_between(tilt, low, max(low, arb((tilt + 1).upper())))

    def bulks(self) -> Sequence[Transform]:
        """Return the x up to which the loss hardly changes; at most 1/2 + 3σ."""
        sigma = arb((1 / self.whole.mu.ball(_BULK_BITS)).mid())
        high = arb(0.5) + 3 * sigma
        return () if self.high is not None else [PositiveGaussian(self.whole, high)]


def _cut(t: arb, sigma: arb, q: arb, ends: tuple[arb, arb]) -> arb:
    """Return a bound of the trapezoid sum beyond the nodes: at most the integral there."""
    first = normal_tail(ends[0], sigma)
    if t >= 0:
        return first + beyond(t, sigma, q, ends[1])
    most = ((1 - q).log() * t.lower()).exp()
    below = (first + normal_tail(ends[1], sigma)) * most
    if t < 0:
        return below
    return below + first + beyond(arb(t.upper()), sigma, q, ends[1])  # of both signs


def beyond(t: arb, sigma: arb, q: arb, end: arb) -> arb:
    """Return a bound of the integral of φ e^(tL) above an end of at least 1/2, t >= 0."""
    share = q + (1 - q) * ((1 - 2 * end) / (2 * sigma**2)).exp()
    log_factor = t * (t - 1) / (2 * sigma**2) + t * share.log()
    return log_factor.exp() * normal_tail(end - t, sigma)


def normal_tail(x: arb, sigma: arb) -> arb:
    """Return the mass of N(0, σ²) above x."""
    return (x / (sigma * arb(2).sqrt())).erfc() / 2
