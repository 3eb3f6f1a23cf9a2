"""Laplace transforms of loss densities: ∫ e^(sℓ) dμ(ℓ) as balls, for complex s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import acb, arb

from exactdp.numbers import Exact, Number, working_bits
from exactdp.sums.laws.clouds import Cloud, Density, Quadrature, points
from exactdp.sums.laws.replaced import Mirrored, PositiveGaussian, ReplacedGaussian
from exactdp.sums.laws.subsampled import SubsampledGaussian, SubsampledLaplace
from exactdp.sums.laws.tails import (
    GaussianTails,
    LaplaceTails,
    LossTails,
    MirroredTails,
    ReplacedGaussianTails,
    ReversedTails,
    ScaledTails,
    ShiftedTails,
    SubsampledTails,
)

__all__ = ["density_of"]


def density_of(tails: LossTails) -> Density | None:
    """Return the transform of a density that is given by its tails; None for unknown ones."""
    match tails:
        case GaussianTails(mu):
            return _Gaussian(mu)
        case LaplaceTails(top):
            return _Laplace(top)
        case ScaledTails(LaplaceTails(top), factor):
            return _Scaled(_Laplace(top), factor)
        case SubsampledTails(GaussianTails(mu), rate):
            return SubsampledGaussian(mu, rate)
        case SubsampledTails(LaplaceTails(top), rate):
            return SubsampledLaplace(top, rate)
        case ReplacedGaussianTails(mu, rate):
            return ReplacedGaussian(mu, rate)
        case MirroredTails(SubsampledTails(GaussianTails(mu), rate)):
            return Mirrored(PositiveGaussian(SubsampledGaussian(mu, rate)))
        case MirroredTails(SubsampledTails(LaplaceTails(top), rate)):
            return Mirrored(SubsampledLaplace(top, rate, low=Exact(0)))
        case MirroredTails(ShiftedTails(SubsampledTails(LaplaceTails(top), rate), ratio)):
            # A replaced Laplace: the losses that are shifted are all positive.
            return Mirrored(SubsampledLaplace(top, rate, ratio=ratio))
        case ReversedTails(inner):
            found = density_of(inner)
            # The others are symmetric.
            return _Reversed(found) if isinstance(found, Quadrature) else found
    return None


@dataclass(frozen=True, slots=True)
class _Gaussian(Density):
    """The loss N(μ²/2, μ²): its transform is e^(s(s + 1)μ²/2)."""

    mu: Number

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        half = self.mu.ball(working_bits()) ** 2 / 2
        return [(s * (s + 1) * half).exp() for s in points(start, step, count)]

    def decay(self) -> arb:
        return self.mu.ball(working_bits()) ** 2 / 2

    def variation(self, tilt: arb) -> arb:
        mu = self.mu.ball(working_bits())
        return (tilt * (tilt + 1) * mu**2 / 2).exp() * 2 / (mu * (2 * arb.pi()).sqrt())


@dataclass(frozen=True, slots=True)
class _Laplace(Density):
    """The loss between −ε0 and ε0, with density e^((ℓ − ε0)/2)/4: monotone when tilted."""

    top: Number

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        top = self.top.ball(working_bits())
        factor = (-top / 2).exp() / 2
        centered = [s + acb(0.5) for s in points(start, step, count)]
        # sin(ix)/(ix) is sinh(x)/x, and 1 at 0, where the division is not defined.
        return [factor * top * (s * top * acb(0, 1) / arb.pi()).sinc_pi() for s in centered]

    def variation(self, tilt: arb) -> arb:
        top = self.top.ball(working_bits())
        return (abs(tilt + arb(0.5)) * top - top / 2).exp() / 2


@dataclass(frozen=True, slots=True)
class _Scaled(Density):
    """A density times a number."""

    density: Density
    factor: Number

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        factor = self.factor.ball(working_bits())
        return [factor * value for value in self.density.along(start, step, count=count)]

    def variation(self, tilt: arb) -> arb:
        return self.factor.ball(working_bits()) * self.density.variation(tilt)


@dataclass(frozen=True, slots=True)
class _Reversed(Quadrature):
    """−L under Q: E_Q e^(−sL) = E_P e^(−(1 + s)L)."""

    density: Quadrature

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        return self.density.cloud(-1 - tilt, omega, accuracy_bits=accuracy_bits).reversed()

    def bulks(self) -> Sequence[Density]:
        return [_Reversed(one) for one in self.density.bulks() if isinstance(one, Quadrature)]

    def variation(self, tilt: arb) -> arb:
        return self.density.variation(-1 - tilt)
