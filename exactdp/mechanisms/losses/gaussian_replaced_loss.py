r"""The loss of Gaussian noise on a Poisson sample in which a record is replaced.

In the letters of ``gaussian``, with z± = (±2x − 1)/(2σ²), u = 1 − q,
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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log, sqrt

from flint import arb

from exactdp.mechanisms.losses.gaussian_loss import SubsampledGaussian, beyond
from exactdp.numbers import Exact, Number, working_bits
from exactdp.numbers.effort import spend
from exactdp.sums.laws.clouds import UNIT, Cloud, log_mixed, variation
from exactdp.sums.laws.density import Ends, EvenLoss, ball_of
from exactdp.sums.laws.trapezoids import refuse_nodes, trapezoid, widest_step

__all__ = ["ReplacedGaussian", "ReplacedGaussianLoss"]


@dataclass(frozen=True, slots=True)
class ReplacedGaussianLoss(EvenLoss):
    """The loss of (1 − q)N(0, 1) + q N(μ, 1) against (1 − q)N(0, 1) + q N(−μ, 1).

    It rises with the output y and is odd in it; L > t exactly if
    y > (t/2 + asinh((1 − q) sinh(t/2) e^(μ²/2)/q))/μ.

    Attributes:
        mu: μ, positive.
        rate: q, strictly between 0 and 1.
    """

    mu: Number
    rate: Exact

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the mixtures' tails above the output of loss t."""
        mu, rate = ball_of(self.mu, working_bits()), ball_of(self.rate, working_bits())
        half = t / 2
        y = (half + ((1 - rate) * half.sinh() * (mu**2 / 2).exp() / rate).asinh()) / mu
        none, plus, minus = ((z / arb(2).sqrt()).erfc() / 2 for z in (y, y - mu, y + mu))
        return (1 - rate) * none + rate * plus, (1 - rate) * none + rate * minus

    def ends(self) -> Ends:
        """Return (None, None): the loss is unbounded."""
        return None, None

    @property
    def transform(self) -> ReplacedGaussian:
        """The transform of the header."""
        return ReplacedGaussian(self.mu, self.rate)


@dataclass(frozen=True, slots=True)
class ReplacedGaussian(SubsampledGaussian):
    """The privacy loss of a replaced record under Gaussian noise; see the header."""

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        bits = working_bits()
        sigma, q, t = 1 / self.mu.ball(bits), self.rate.ball(bits), tilt + 1
        power = max(arb(0), arb((-t).upper())) + max(arb(0), arb((t - 1).upper()))
        tau = max(arb(1), arb(t.upper()), arb((1 - t).upper()))
        h, angle, last = self._steps(sigma, q, tau, power, omega, accuracy_bits)
        normal, weight = h / (sigma * (2 * arb.pi()).sqrt()), self.weight(t)
        losses, masses = [], []
        spend(24 * last)
        for j in range(-last, last + 1):
            loss, exponent = weight(j * h)
            losses.append(loss)
            masses.append(normal * (exponent - (j * h / sigma) ** 2 / 2).exp())
        cut = 2 * (1 - q) ** (1 - tau) * beyond(tau, sigma, q, last * h)
        rule = partial(trapezoid, sigma=sigma, step=h, theta=angle, power=power)
        return rule(losses, masses, cut=cut, turns=2)

    def _steps(
        self, sigma: arb, q: arb, tau: arb, power: arb, omega: arb, accuracy_bits: int
    ) -> tuple[arb, arb, int]:
        """Return the widest step with a small error, its θ, and the last node."""
        s, top = float(sigma.mid()), float(tau)
        need = (accuracy_bits + 8) * log(2) - (top - 1) * float((1 - q).log())
        width, theta = widest_step(s, need, 2 * float(omega), float(power))
        last = int((top + s * sqrt(2 * need) + s) / width) + 1
        refuse_nodes(2 * last)
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
            share = share if abs(share) <= 1 else UNIT
            return value, (-x + t * a - (1 - t) * c - share * (1 - a - c)) / sigma**2

        return variation(density, low, high, unit=sigma)

    def weight(self, t: arb) -> Callable[[arb], tuple[arb, arb]]:
        """Return the weight of x for the loss and ln A^t B^(1 − t)."""
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
