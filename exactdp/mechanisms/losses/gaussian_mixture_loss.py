r"""The loss of Gaussian noise on a query whose shift is random: Σ p_i N(c_i, σ²) against N(0, σ²).

With all c_i between 0 and 1 (the largest is the unit) and φ the density of N(0, σ²),
L(x) = ln Σ p_i e^(c_i(2x − c_i)/(2σ²)) rises in x, and the transform is G(1 + s),
G(t) = ∫ φ e^(tL) dx. It is that of ``gaussian`` with several exponents: on the lines Im x = ±σ²θ,
θ < π, the terms of the sum have arguments c_i θ between 0 and θ, so that its modulus is between
cos(θ/2) times that on the real line and that, and the trapezoid rule has the same bound

    B <= e^(σ²θ²/2 + |Im t|θ) cos(θ/2)^min(0, Re t) G(Re t).

Beyond the nodes, for t >= 0: L <= 0 where x <= 0, and L <= x/σ² where x >= 0, and
φ e^(tx/σ²) = e^(t²/(2σ²)) φ(x − t). For t < 0, by convexity of exp, L >= (2mx − v)/(2σ²), m and v
the means of c and c², and φ e^(t(2mx − v)/(2σ²)) = e^((t²m² − tv)/(2σ²)) φ(x − tm).

The x of L(x) = s is found by Newton's method where no c_i is 0. What an approximation is off by is
at most |L(x) − s|σ²/min c, as σ²L' is a mean of the c_i.

Against L the tilted density is b = φ e^(tL)/L', t = 1 + λ, and σ²(ln b)' = −x + t·M − V/M, M and V
the mean and the variance of c under weights p_i e^(c_i(2x − c_i)/(2σ²)); V <= M, as c <= 1. So b
is monotone outside of [min(0, t) − 1, max(0, t)].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from flint import arb

from exactdp.mechanisms.losses.gaussian_loss import normal_tail
from exactdp.numbers import Exact, Number, working_bits
from exactdp.numbers.effort import spend
from exactdp.sums.laws.clouds import UNIT, Cloud, Quadrature, variation
from exactdp.sums.laws.density import Ends, LossDensity, Subsampled, ball_of
from exactdp.sums.laws.trapezoids import likely_nodes, trapezoid

__all__ = ["GaussianMixtureLoss", "MixedGaussians"]

_STEPS = 60
"""Steps of Newton's method at most. With fewer the answer is a wider ball, no wrong one."""

Shifts = tuple[tuple[Exact, Exact], ...]
"""(c, p), of which c is at most 1 and all p sum to 1."""


@dataclass(frozen=True, slots=True)
class GaussianMixtureLoss(LossDensity):
    """The loss of Σ p_i N(c_i, σ²) against N(0, σ²), all c_i above 0 and the largest 1.

    Attributes:
        mu: 1/σ, positive.
        shifts: The (c_i, p_i).
    """

    mu: Number
    shifts: Shifts

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the tails above the output of loss t."""
        return self._tails(self._output(t), 1)

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the tails below the output of loss t."""
        return self._tails(self._output(t), -1)

    def ends(self) -> Ends:
        """Return (None, None): the loss is unbounded."""
        return None, None

    @property
    def transform(self) -> MixedGaussians:
        """The transform of the header."""
        return MixedGaussians(self.mu, self.shifts)

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return the loss where the shift is 0 with probability 1 − q."""
        return _SometimesNone(self, rate)

    def _tails(self, x: arb, side: int) -> tuple[arb, arb]:
        scale = side * ball_of(self.mu, working_bits()) / arb(2).sqrt()
        p = sum((p * ((x - c) * scale).erfc() for c, p in _balls(self.shifts)), arb(0))
        return p / 2, (x * scale).erfc() / 2

    def _output(self, t: arb) -> arb:
        """Return the x of L(x) = t; see the header."""
        mu2 = ball_of(self.mu, working_bits()) ** 2
        balls = _balls(self.shifts)
        # L is at least each of its terms, so the root is at most each of these, and Newton's
        # method falls to it, as L is convex.
        x = min(((t - p.log()) / (c * mu2) + c / 2).mid() for c, p in balls)
        best = None
        for _ in range(_STEPS):
            loss, mean, _ = _loss(balls, mu2, x)
            off = (loss - t).abs_upper()
            if best is not None and not off < best[0] / 2:
                break
            best = off, x
            x = (x - (loss - t) / (mean * mu2)).mid()
        assert best is not None
        least = min(c for c, _ in self.shifts).ball(working_bits())
        return best[1] + UNIT * best[0] / (least * mu2)


@dataclass(frozen=True, slots=True)
class _SometimesNone(Subsampled):
    """The loss where the shift is 0 with some probability, with a transform of its own."""

    density: GaussianMixtureLoss

    @property
    def transform(self) -> MixedGaussians:
        rest = tuple((c, self.rate * p) for c, p in self.density.shifts)
        return MixedGaussians(self.density.mu, ((Exact(0), 1 - self.rate), *rest))


@dataclass(frozen=True, slots=True)
class MixedGaussians(Quadrature):
    """See the header; shifts may be 0 here."""

    mu: Number
    shifts: Shifts

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        mu2, balls = ball_of(self.mu, working_bits()) ** 2, _balls(self.shifts)
        sigma, t = 1 / ball_of(self.mu, working_bits()), tilt + 1
        h, angle, (first, last) = self._nodes(sigma, t, omega, accuracy_bits)
        normal = h / (sigma * (2 * arb.pi()).sqrt())
        losses, masses = [], []
        spend(12 * (last - first))
        for j in range(first, last + 1):
            x = j * h
            loss, _, _ = _loss(balls, mu2, x)
            losses.append(loss)
            masses.append(normal * (t * loss - x**2 * mu2 / 2).exp())
        cut = self._cut(t, sigma, (first * h, last * h))
        power = arb(0) if t >= 0 else (-t).upper()
        return trapezoid(losses, masses, cut=cut, sigma=sigma, step=h, theta=angle, power=power)

    def variation(self, tilt: arb) -> arb:
        """Return the variation of the tilted density, which is 0 at both ends."""
        mu2, balls = ball_of(self.mu, working_bits()) ** 2, _balls(self.shifts)
        sigma, t = 1 / ball_of(self.mu, working_bits()), tilt + 1
        norm = sigma / (2 * arb.pi()).sqrt()

        def density(x: arb) -> tuple[arb, arb]:
            loss, mean, variance = _loss(balls, mu2, x)
            share = variance / mean
            share = share if 0 <= share <= 1 else (1 + UNIT) / 2  # V <= M of the header
            value = norm * (t * loss - x**2 * mu2 / 2).exp() / mean
            return value, (-x + t * mean - share) * mu2

        low, high = arb(0).min(t) - 1, arb(0).max(t)
        return variation(density, low.lower(), high.upper(), unit=sigma)

    def _nodes(
        self, sigma: arb, t: arb, omega: arb, accuracy_bits: int
    ) -> tuple[arb, arb, tuple[int, int]]:
        """Return the widest step with a small error, its θ, and the first and last node."""
        s, low, high = float(sigma.mid()), float(t.lower()), float(t.upper())
        need = (accuracy_bits + 8) * log(2) + max(0.0, high, -low) / (2 * s**2)
        return likely_nodes(s, need, float(omega), max(0.0, -low), low=low, high=high)

    def _cut(self, t: arb, sigma: arb, ends: tuple[arb, arb]) -> arb:
        """Return a bound of the trapezoid sum beyond the nodes: at most the integral there."""
        found = arb(0)
        if not t < 0:
            raised = arb(0).max(t)
            below = normal_tail(-ends[0], sigma)
            found += below + (raised**2 / (2 * sigma**2)).exp() * normal_tail(
                ends[1] - raised, sigma
            )
        if not t >= 0:
            balls = _balls(self.shifts)
            mean = sum((p * c for c, p in balls), arb(0))
            square = sum((p * c**2 for c, p in balls), arb(0))
            factor = (((t * mean) ** 2 - t * square) / (2 * sigma**2)).exp()
            first, last = (normal_tail(x, sigma) for x in (t * mean - ends[0], ends[1] - t * mean))
            found += factor * (first + last)
        return found


def _loss(balls: list[tuple[arb, arb]], mu2: arb, x: arb) -> tuple[arb, arb, arb]:
    """Return L(x), and the mean and the variance of c under the weights of its terms."""
    logs = [c * (2 * x - c) * mu2 / 2 for c, _ in balls]
    top = max(one.mid() for one in logs)
    terms = [p * (one - top).exp() for one, (_, p) in zip(logs, balls, strict=True)]
    total = sum(terms, arb(0))
    mean, square = (
        sum((term * c**k for term, (c, _) in zip(terms, balls, strict=True)), arb(0)) / total
        for k in (1, 2)
    )
    return total.log() + top, mean, square - mean**2


def _balls(shifts: Shifts) -> list[tuple[arb, arb]]:
    return [(ball_of(c, working_bits()), ball_of(p, working_bits())) for c, p in shifts]
