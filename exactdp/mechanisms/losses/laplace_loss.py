r"""The loss of Laplace noise between −ε0 and ε0, and of it on a Poisson sample.

Without its two atoms it has under P the density e^((ℓ − ε0)/2)/4, under Q e^(−(ε0 + ℓ)/2)/4. On
a sample the loss is ln(1 − q + q e^ℓ). Its transform comes from panels of Gauss's rule; for
|Im ℓ| <= θ, the shorter half axis, :func:`~exactdp.sums.laws.clouds.log_mixed` bounds the modulus
of 1 − q + q e^ℓ. Only ℓ >= ``low`` if that is given.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from exactdp.numbers import Exact, Number, working_bits
from exactdp.sums.laws.clouds import (
    Cloud,
    Quadrature,
    Transform,
    log_mixed,
    panels,
    points,
    variation,
)
from exactdp.sums.laws.density import Ends, EvenLoss, LossDensity, Subsampled, ball_of

__all__ = ["LaplaceLoss", "SubsampledLaplace"]


@dataclass(frozen=True, slots=True)
class LaplaceLoss(EvenLoss, Transform):
    """The part without atoms of the Laplace mechanism's loss, between −ε0 and ε0.

    With x the noise, 0 < x < Δ, the loss is (Δ − 2x)/b. Outside that range of x are
    the two atoms.

    Attributes:
        top: ε0 = Δ/b, positive.
    """

    top: Number

    def total(self) -> tuple[arb, arb]:
        """Return (1 − e^(−ε0))/2 twice."""
        half = -(-self.top.ball(working_bits())).expm1() / 2
        return half, half

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (1 − e^(−u))/2 and e^(−ε0)(e^u − 1)/2 with u = (ε0 − t)/2."""
        top = ball_of(self.top, working_bits())
        if t > top:
            return arb(0), arb(0)
        if t < -top:
            return self.total()
        u = (top - t) / 2
        return -(-u).expm1() / 2, (-top).exp() * u.expm1() / 2

    def ends(self) -> Ends:
        """Return (−ε0, ε0)."""
        return -self.top, self.top

    def log_density(self, loss: acb) -> acb:
        """Return (ℓ − ε0)/2 − ln 4."""
        return (loss - ball_of(self.top, working_bits())) / 2 - arb(4).log()

    @property
    def transform(self) -> Transform:
        """This density, which knows its transform."""
        return self

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return the loss on a Poisson sample, with the transform of the header."""
        return _OnSample(self, rate)

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return e^(−ε0/2)·sinh((s + 1/2)ε0)/(2s + 1) at the points."""
        top = self.top.ball(working_bits())
        factor = (-top / 2).exp() / 2
        centered = [s + acb(0.5) for s in points(start, step, count)]
        # sin(ix)/(ix) is sinh(x)/x, and 1 at 0, where the division is not defined.
        return [factor * top * (s * top * acb(0, 1) / arb.pi()).sinc_pi() for s in centered]

    def variation(self, tilt: arb) -> arb:
        """Return twice the larger end of the tilted density, which is monotone."""
        top = self.top.ball(working_bits())
        return (abs(tilt + arb(0.5)) * top - top / 2).exp() / 2


@dataclass(frozen=True, slots=True)
class _OnSample(Subsampled):
    """The loss of Laplace noise on a Poisson sample, with transforms of its own."""

    density: LaplaceLoss

    @property
    def transform(self) -> SubsampledLaplace:
        return SubsampledLaplace(self.density.top, self.rate)

    @property
    def positive_transform(self) -> SubsampledLaplace:
        return SubsampledLaplace(self.density.top, self.rate, low=Exact(0))


@dataclass(frozen=True, slots=True)
class SubsampledLaplace(Quadrature):
    """The privacy loss of Laplace noise on a Poisson sample; see the header."""

    top: Number
    rate: Exact
    low: Number | None = None

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels."""
        q, t = self.rate.ball(working_bits()), tilt + 1
        ends = self._ends()
        top = ends[1]

        def point(x: arb) -> tuple[arb, arb]:
            loss = (1 - q + q * x.exp()).log()
            return loss, (t * loss - (x + top) / 2).exp() / 4

        def log_bound(low: arb, high: arb, theta: arb) -> arb:
            return log_mixed(q, t, low, high, theta) - (low + top) / 2 - arb(4).log()

        return panels(
            point,
            log_bound,
            ends,
            slope=arb(1),
            phase=lambda _low, _high: arb(1),
            omega=omega,
            bits=accuracy_bits,
        )

    def variation(self, tilt: arb) -> arb:
        """Return the tilted density at both ends, and its variation between them.

        Against the loss the tilted density is e^(tL − (ε0 + ℓ)/2)/(4r), t = 1 + λ, where
        r = L' rises with ℓ; the derivative of its logarithm is (t + 1)r − 3/2.
        """
        q, t = self.rate.ball(working_bits()), tilt + 1
        ends = self._ends()

        def density(x: arb) -> tuple[arb, arb]:
            rest = 1 - q + q * x.exp()
            exponent = (t + 1) * rest.log() - (3 * x + ends[1]) / 2
            return exponent.exp() / (4 * q), (t + 1) * (1 - (1 - q) / rest) - arb(1.5)

        return variation(density, *ends, unit=arb(0.5))

    def _ends(self) -> tuple[arb, arb]:
        """Return the ends of ℓ."""
        bits = working_bits()
        top = self.top.ball(bits)
        return -top if self.low is None else self.low.ball(bits), top
