r"""The losses of Gaussian noise: N(μ²/2, μ²), on samples, and with a shift that is random.

The transform of the first is e^(s(s + 1)μ²/2); those of the others are in ``mixed_gaussians``. With
shifts c_i above 0 and weights p_i, L(x) = ln Σ p_i e^(c_i(2x − c_i)/(2σ²)) rises with the output x.
The x of L(x) = t is found by Newton's method. What an approximation is off by is at most
|L(x) − t|σ²/min c, as σ²L' is a mean of the c_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flint import acb, arb

from exactdp.mechanisms.losses.mixed_gaussians import MixedGaussians, Shifts, SomeOutputs, Terms
from exactdp.numbers import Exact, Number, working_bits
from exactdp.sums.laws.clouds import UNIT, Transform, points
from exactdp.sums.laws.density import Ends, EvenLoss, LossDensity, Subsampled, ball_of

__all__ = ["GaussianLoss", "GaussianMixtureLoss", "ReplacedGaussianLoss"]

_STEPS = 60
"""Steps of Newton's method at most. With fewer the answer is a wider ball, no wrong one."""


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
        mu, root = ball_of(self.mu, working_bits()), arb(2).sqrt()
        z, shift = t / (mu * root), mu / (2 * root)
        return (z - shift).erfc() / 2, (z + shift).erfc() / 2

    def ends(self) -> Ends:
        """Return (None, None): the loss is unbounded."""
        return None, None

    @property
    def transform(self) -> Transform:
        """This density, which knows its transform."""
        return self

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return the loss on a Poisson sample, with a transform of its own."""
        return _OnSample(self, rate)

    @property
    def shifts(self) -> Shifts:
        """The shifts of the loss: one, by 0."""
        return ((Exact(1), Exact(1)),)

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
        """The transform of this mixture."""
        return MixedGaussians(self.mu, self.shifts)

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return the loss where the shift is 0 with probability 1 − q."""
        return _OnSample(self, rate)

    def _tails(self, x: arb, side: int) -> tuple[arb, arb]:
        bits = working_bits()
        scale = side * ball_of(self.mu, bits) / arb(2).sqrt()
        shifts = [(ball_of(c, bits), ball_of(p, bits)) for c, p in self.shifts]
        p = sum((p * ((x - c) * scale).erfc() for c, p in shifts), arb(0))
        return p / 2, (x * scale).erfc() / 2

    def _output(self, t: arb) -> arb:
        """Return the x of L(x) = t."""
        inverse = ball_of(self.mu, working_bits()) ** 2
        terms = Terms.of(self.shifts, inverse)
        # L is at least each of its terms, so the root is at most each of these, and Newton's
        # method falls to it, as L is convex.
        x = min(((t - first) / slope).mid() for _, slope, first in terms.moved)
        best = None
        for _ in range(_STEPS):
            loss, mean, _ = terms.means(x)
            off = (loss - t).abs_upper()
            if best is not None and not off < best[0] / 2:
                break
            best = off, x
            x = (x - (loss - t) / (mean * inverse)).mid()
        assert best is not None
        least = min(slope for _, slope, _ in terms.moved)
        return best[1] + UNIT * best[0] / least


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
    def transform(self) -> MixedGaussians:
        """The transform of these mixtures."""
        q = self.rate
        out = Exact(0), 1 - q
        return MixedGaussians(self.mu, (out, (Exact(1), q)), (out, (Exact(-1), q)))


@dataclass(frozen=True, slots=True)
class _OnSample(Subsampled):
    """The loss on a Poisson sample, with a transform of its own: the shift is 0 if not seen."""

    density: GaussianLoss | GaussianMixtureLoss

    @property
    def transform(self) -> MixedGaussians:
        seen = ((s, self.rate * w) for s, w in self.density.shifts)
        return MixedGaussians(self.density.mu, ((Exact(0), 1 - self.rate), *seen))

    @property
    def positive_transform(self) -> Transform | None:
        is_one = len(self.density.shifts) == 1  # then losses are positive beyond 1/2
        return SomeOutputs(self.transform, arb(0.5)) if is_one else None
