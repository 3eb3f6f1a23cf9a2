r"""Laplace transforms of the losses of samples in which a record is replaced.

Replaced Gaussian, in the letters of ``subsampled``. With z± = (±2x − 1)/(2σ²), u = 1 − q,
A = u + q e^(z+) and B = u + q e^(z−), L = ln A − ln B is odd, and the transform is
∫ φ A^t B^(1 − t) dx, t = 1 + s. On the lines Im x = ±σ²θ both A and B are between cos(θ/2)
times their value at Re x and that value, with arguments of opposite sign, so

    B' <= e^(σ²θ²/2 + 2|Im t|θ) cos(θ/2)^−(max(0, −Re t) + max(0, Re t − 1)) G(Re t)

bounds the integral of the modulus there. Beyond the nodes, with τ = max(t, 1 − t, 1): for
x >= 0 is A >= B and B >= u, so A^t B^(1 − t) <= A^τ u^(1 − τ), and the mirror image for x <= 0.

Against L the tilted density is b = φ A^t B^(1 − t)/L', where σ²L' = a + c, a = q e^(z+)/A and
c = q e^(z−)/B, both between 0 and 1, and
σ²(ln b)' = −x + t a − (1 − t) c − (a − c)(1 − a − c)/(a + c), the last term between −1 and 1:
b is monotone where |x| > 1 + max(|t|, |1 − t|, |2t − 1|).

Mirrored: −L under Q, as for ``ReversedTails``, beside L; both for positive L only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cos, log, pi, sqrt

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.numbers import working_bits
from exactdp.sums.laws.clouds import MAX_NODES, Cloud, Density, Quadrature, variation
from exactdp.sums.laws.subsampled import (
    SomeOutputs,
    SubsampledGaussian,
    beyond,
    log_mixed,
)

__all__ = ["Mirrored", "PositiveGaussian", "ReplacedGaussian"]

_ANGLES = [3.0 * 0.8**k for k in range(80)]
_UNIT = arb(0, 1)
_REST_BITS = 64


@dataclass(frozen=True, slots=True)
class ReplacedGaussian(SubsampledGaussian):
    """See the header."""

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        power = max(arb(0), arb((-t).upper())) + max(arb(0), arb((t - 1).upper()))
        tau = max(arb(1), arb(t.upper()), arb((1 - t).upper()))
        h, angle, last = self._steps(sigma, q, tau, power, omega, accuracy_bits)
        normal, weight = h / (sigma * (2 * arb.pi()).sqrt()), self.weight(t)
        losses, masses = [], []
        for j in range(-last, last + 1):
            loss, exponent = weight(j * h)
            losses.append(loss)
            masses.append(normal * (exponent - (j * h / sigma) ** 2 / 2).exp())
        cut = 2 * (1 - q) ** (1 - tau) * beyond(tau, sigma, q, last * h)
        growth = (sigma**2 * angle**2 / 2).exp() / (angle / 2).cos() ** power
        off = 2 * growth / ((2 * arb.pi() * sigma**2 * angle / h).exp() - 1)
        total = (sum(masses, arb(0)) + _UNIT * cut) / (1 + _UNIT * off)
        return Cloud(losses, masses, lambda omega: cut + off * (2 * omega * angle).exp() * total)

    def _steps(
        self, sigma: arb, q: arb, tau: arb, power: arb, omega: arb, accuracy_bits: int
    ) -> tuple[arb, arb, int]:
        """Return the widest step with a small error, its θ, and the last node."""
        s, top = float(sigma.mid()), float(tau)
        need = (accuracy_bits + 8) * log(2) - (top - 1) * float((1 - q).log())

        def step(theta: float) -> float:
            growth = s**2 * theta**2 / 2 + 2 * float(omega) * theta
            return 2 * pi * s**2 * theta / (need + growth - float(power) * log(cos(theta / 2)))

        width, theta = max((step(angle), angle) for angle in _ANGLES)
        last = int((top + s * sqrt(2 * need) + s) / width) + 1
        if 2 * last > MAX_NODES:
            raise TooLargeError(
                f"a transform would take {2 * last:,} nodes; the limit is {MAX_NODES:,}. "
                "Take a smaller order or more noise."
            )
        return arb(width), arb(theta), last

    def variation(self, tilt: arb) -> arb:
        """Return the variation of the tilted density, which is 0 at both ends."""
        t = tilt + 1
        reach = 1 + max(arb(x.upper()) for x in (abs(t), abs(1 - t), abs(2 * t - 1)))
        return self.variation_between(tilt, -reach, reach)

    def variation_between(self, tilt: arb, low: arb, high: arb) -> arb:
        """Return b of the header at both ends, and its variation between them."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        norm, weight = sigma / (2 * arb.pi()).sqrt(), self.weight(t)

        def density(x: arb) -> tuple[arb, arb]:
            plus, minus = q * self._z(x).exp(), q * self._z(-x).exp()
            a, c = plus / (1 - q + plus), minus / (1 - q + minus)
            value = norm * (weight(x)[1] - x**2 / (2 * sigma**2)).exp() / (a + c)
            # The slope's last factor is at most 1, which its enclosure need not see.
            share = (a - c) / (a + c)
            share = share if abs(share) <= 1 else _UNIT
            return value, (-x + t * a - (1 - t) * c - share * (1 - a - c)) / sigma**2

        return variation(density, low, high, unit=sigma)

    def weight(self, t: arb) -> Callable[[arb], tuple[arb, arb]]:
        """Return what gives for x the loss and ln A^t B^(1 − t)."""
        bits = working_bits()
        q, inverse = self.rate.ball(bits), self.mu.ball(bits) ** 2 / 2

        def at(x: arb) -> tuple[arb, arb]:
            above, below = ((1 - q + q * ((y - 1) * inverse).exp()).log() for y in (2 * x, -2 * x))
            return above - below, t * above + (1 - t) * below

        return at

    def log_bound(self, t: arb, ends: tuple[arb, arb], theta: arb) -> arb:
        """Return a bound of ln|A^t B^(1 − t)| on real t."""
        q, (low, high) = self.rate.ball(working_bits()), ends
        first = log_mixed(q, t, self._z(low), self._z(high), theta)
        return first + log_mixed(q, 1 - t, self._z(-high), self._z(-low), theta)

    def turn(self, low: arb, high: arb) -> arb:
        """Return a bound of |Im L|/θ for Re x between ends: that of two logarithms."""
        return SubsampledGaussian.turn(self, low, high) + SubsampledGaussian.turn(self, -high, -low)


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

    def bulks(self) -> Sequence[Density]:
        """Return the x up to which the loss hardly changes; at most 1/2 + 3σ."""
        sigma = arb((1 / self.whole.mu.ball(_REST_BITS)).mid())
        high = arb(0.5) + 3 * sigma
        return () if self.high is not None else [PositiveGaussian(self.whole, high)]


@dataclass(frozen=True, slots=True)
class Mirrored(Quadrature):
    """A density of positive losses, and its mirror image under the other law.

    Attributes:
        half: Of the positive losses.
    """

    half: Quadrature

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the points of both parts."""
        first = self.half.cloud(tilt, omega, accuracy_bits=accuracy_bits)
        return first.beside(
            self.half.cloud(-1 - tilt, omega, accuracy_bits=accuracy_bits).reversed()
        )

    def variation(self, tilt: arb) -> arb:
        """Return that of both parts."""
        return self.half.variation(tilt) + self.half.variation(-1 - tilt)

    def bulks(self) -> Sequence[Density]:
        """Return the bulks of both parts."""
        return [Mirrored(one) for one in self.half.bulks() if isinstance(one, Quadrature)]
