"""Transforms of a measure that is moved: reversed, scaled, shifted, beside its mirror image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import acb, arb

from exactdp.numbers import Number, working_bits
from exactdp.sums.laws.clouds import Cloud, Quadrature, Transform

__all__ = ["Mirrored", "Moved", "Times", "Turned"]


@dataclass(frozen=True, slots=True)
class Turned(Transform):
    """The transform of −L under Q: E_Q e^(−sL) = E_P e^(−(1 + s)L).

    Attributes:
        inner: The transform of L under P.
    """

    inner: Transform

    @staticmethod
    def of(inner: Transform) -> Transform:
        """Return it, by clouds where there are any."""
        return _TurnedCloud(inner) if isinstance(inner, Quadrature) else Turned(inner)

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the conjugates of the values at −1 − λ + iω."""
        there = acb(-1 - start.real, start.imag)
        return [value.conjugate() for value in self.inner.along(there, step, count=count)]

    def variation(self, tilt: arb) -> arb:
        """Return that at −1 − λ: the tilted density is the mirror image."""
        return self.inner.variation(-1 - tilt)

    def decay(self) -> arb:
        """Return the same."""
        return self.inner.decay()


@dataclass(frozen=True, slots=True)
class _TurnedCloud(Quadrature):
    """The transform of −L under Q, by clouds."""

    inner: Quadrature

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        return self.inner.cloud(-1 - tilt, omega, accuracy_bits=accuracy_bits).reversed()

    def bulks(self) -> Sequence[Transform]:
        return [Turned.of(one) for one in self.inner.bulks()]

    def variation(self, tilt: arb) -> arb:
        return self.inner.variation(-1 - tilt)


@dataclass(frozen=True, slots=True)
class Times(Transform):
    """A transform times a number."""

    inner: Transform
    factor: Number

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the values times the number."""
        factor = self.factor.ball(working_bits())
        return [factor * value for value in self.inner.along(start, step, count=count)]

    def variation(self, tilt: arb) -> arb:
        """Return the variation times the number."""
        return self.factor.ball(working_bits()) * self.inner.variation(tilt)

    def decay(self) -> arb:
        """Return the same."""
        return self.inner.decay()


@dataclass(frozen=True, slots=True)
class Moved(Quadrature):
    """The transform of a measure times a factor, with losses less ln r.

    Attributes:
        inner: The transform of the measure.
        factor: The factor, positive.
        ratio: r, positive.
    """

    inner: Quadrature
    factor: Number
    ratio: Number

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the points moved, their masses times factor·r^(−λ)."""
        found = self.inner.cloud(tilt, omega, accuracy_bits=accuracy_bits)
        shift, factor = self._moved(tilt)
        return Cloud(
            [loss - shift for loss in found.losses],
            [factor * mass for mass in found.masses],
            lambda omega: factor * found.error(omega),
        )

    def variation(self, tilt: arb) -> arb:
        """Return that of the measure, times factor·r^(−λ)."""
        return self._moved(tilt)[1] * self.inner.variation(tilt)

    def _moved(self, tilt: arb) -> tuple[arb, arb]:
        shift = self.ratio.ball(working_bits()).log()
        return shift, self.factor.ball(working_bits()) * (-tilt * shift).exp()


@dataclass(frozen=True, slots=True)
class Mirrored(Quadrature):
    """The transform of positive losses, and of their mirror image under the other law.

    Attributes:
        half: The transform of the positive losses.
    """

    half: Quadrature

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the points of both parts."""
        first = self.half.cloud(tilt, omega, accuracy_bits=accuracy_bits)
        return first.beside(
            self.half.cloud(-1 - tilt, omega, accuracy_bits=accuracy_bits).reversed()
        )

    def variation(self, tilt: arb) -> arb:
        """Return the bound of both parts together."""
        return self.half.variation(tilt) + self.half.variation(-1 - tilt)

    def bulks(self) -> Sequence[Transform]:
        """Return the bulks of both parts."""
        return [Mirrored(one) for one in self.half.bulks() if isinstance(one, Quadrature)]
