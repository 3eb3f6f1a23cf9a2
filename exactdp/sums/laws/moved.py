"""Transforms of a measure that is moved, and of several measures together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from flint import acb, arb

from exactdp.numbers import Number, working_bits
from exactdp.sums.laws.clouds import Cloud, Transform, points

__all__ = ["Joined", "Moved"]


@dataclass(frozen=True, slots=True)
class Moved(Transform):
    """The transform of a measure times f, with losses less ln r: f·r^(−s)·M(s).

    If it is turned, P and Q have changed places: M(−1 − s) = E_Q e^(−sL) in place of M(s).

    Attributes:
        inner: M, of L under P.
        factor: f, positive.
        ratio: r, positive.
        is_turned: Whether it is that of −L under Q.
    """

    inner: Transform
    factor: Number
    ratio: Number
    is_turned: bool

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud | None:
        """Return the points moved, their masses times f·r^(−λ)."""
        found = self.inner.cloud(self._there(tilt), omega, accuracy_bits=accuracy_bits)
        (shift, factor), sign = self._moved(tilt), -1 if self.is_turned else 1
        return found and Cloud(
            [sign * loss - shift for loss in found.losses],
            [factor * mass for mass in found.masses],
            lambda omega: factor * found.error(omega),
        )

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the values; turned, they are conjugates of those at −1 − λ + iω."""
        there, (shift, factor) = acb(self._there(start.real), start.imag), self._moved(arb(0))
        found = self.inner.along(there, step, count=count)
        values = [one.conjugate() for one in found] if self.is_turned else found
        pairs = zip(points(start, step, count), values, strict=True)
        return [factor * (-s * shift).exp() * value for s, value in pairs]

    def variation(self, tilt: arb) -> arb:
        """Return that of the measure, times f·r^(−λ): turned, that of the mirror image."""
        return self._moved(tilt)[1] * self.inner.variation(self._there(tilt))

    def decay(self) -> arb:
        """Return the same."""
        return self.inner.decay()

    def bulks(self) -> Sequence[Transform]:
        """Return those of the measure, moved."""
        return [replace(self, inner=one) for one in self.inner.bulks()]

    def _there(self, tilt: arb) -> arb:
        return -1 - tilt if self.is_turned else tilt

    def _moved(self, tilt: arb) -> tuple[arb, arb]:
        """Return ln r, and f·r^(−λ)."""
        shift = self.ratio.ball(working_bits()).log()
        return shift, self.factor.ball(working_bits()) * (-tilt * shift).exp()


@dataclass(frozen=True, slots=True)
class Joined(Transform):
    """The sum of several transforms.

    Attributes:
        parts: At least one.
    """

    parts: Sequence[Transform]

    @staticmethod
    def of(parts: Sequence[Transform | None]) -> Joined | None:
        """Return the sum; None if not all are known."""
        known = [one for one in parts if one is not None]
        return Joined(known) if len(known) == len(parts) else None

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud | None:
        """Return the points of all parts; None if there is a formula for one."""
        clouds = [part.cloud(tilt, omega, accuracy_bits=accuracy_bits) for part in self.parts]
        return None if None in clouds else reduce(Cloud.beside, filter(None, clouds))

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the sums of the values."""
        found = [part.along(start, step, count=count) for part in self.parts]
        return [sum(values, acb(0)) for values in zip(*found, strict=True)]

    def variation(self, tilt: arb) -> arb:
        """Return the bound of all parts together."""
        return sum((part.variation(tilt) for part in self.parts), arb(0))

    def bulks(self) -> Sequence[Transform]:
        """Return the bulks of all parts together, as far as all have some."""
        return [Joined(one) for one in zip(*(part.bulks() for part in self.parts), strict=False)]
