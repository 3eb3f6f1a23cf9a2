"""Tails of privacy losses that have a density, under both laws, as balls.

Definitions: :class:`LossTails`, the protocol, and :class:`GaussianTails`,
:class:`LaplaceTails`, :class:`ScaledTails`, :class:`ReversedTails`, :class:`SubsampledTails`;
:class:`ReplacedGaussianTails`, :class:`ShiftedTails` and :class:`MirroredTails` for records
that are replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from flint import arb

from exactdp.numbers import Exact, Number, exp, log, precision, working_bits

__all__ = [
    "GaussianTails",
    "LaplaceTails",
    "LossTails",
    "MirroredTails",
    "ReplacedGaussianTails",
    "ReversedTails",
    "ScaledTails",
    "ShiftedTails",
    "SubsampledTails",
]


class LossTails(Protocol):
    """The part of a loss law without atoms, by its tails, as balls at the current precision."""

    def total(self) -> tuple[arb, arb]:
        """Return (P, Q) of this part."""
        ...

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L > t], Q[L > t]), accurate relative to themselves."""
        ...

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L < t], Q[L < t]), accurate relative to themselves."""
        ...

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the least and the largest loss of this part, None for an infinite end."""
        ...


@dataclass(frozen=True, slots=True)
class GaussianTails:
    """The loss N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q.

    Attributes:
        mu: μ = Δ/σ, positive.
    """

    mu: Number

    def total(self) -> tuple[arb, arb]:
        """Return (1, 1)."""
        return arb(1), arb(1)

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return Pr[N > (t ∓ μ²/2)/μ] for P and Q, N standard normal."""
        z, shift = self._standard(t)
        return (z - shift).erfc() / 2, (z + shift).erfc() / 2

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return Pr[N < (t ∓ μ²/2)/μ] for P and Q."""
        z, shift = self._standard(t)
        return (shift - z).erfc() / 2, (-shift - z).erfc() / 2

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return (None, None): the loss is unbounded."""
        return None, None

    def _standard(self, t: arb) -> tuple[arb, arb]:
        scale, shift = _gaussian_constants(self.mu, working_bits())
        return t * scale, shift


@lru_cache(maxsize=64)
def _gaussian_constants(mu: Number, bits: int) -> tuple[arb, arb]:
    """Return 1/(μ√2) and μ/√8: a Real is worked out anew at every call."""
    with precision(bits):
        ball, root = mu.ball(bits), arb(2).sqrt()
        return 1 / (ball * root), ball / (2 * root)


@lru_cache(maxsize=64)
def _laplace_constants(top: Number, bits: int) -> tuple[arb, arb]:
    """Return ε0 and e^(−ε0)."""
    with precision(bits):
        ball = top.ball(bits)
        return ball, (-ball).exp()


@lru_cache(maxsize=64)
def _ball(number: Number, bits: int) -> arb:
    return number.ball(bits)


@dataclass(frozen=True, slots=True)
class LaplaceTails:
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
        top, least = _laplace_constants(self.top, working_bits())
        if t > top:
            return arb(0), arb(0)
        if t < -top:
            return self.total()
        u = (top - t) / 2
        return -(-u).expm1() / 2, least * u.expm1() / 2

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the mirror image: P and Q change places with t and −t."""
        p, q = self.above(-t)
        return q, p

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return (−ε0, ε0)."""
        return -self.top, self.top


@dataclass(frozen=True, slots=True)
class ScaledTails:
    """Tails of a symmetric loss, times a number.

    Attributes:
        tails: What is multiplied.
        factor: Positive.
    """

    tails: LossTails
    factor: Number

    def total(self) -> tuple[arb, arb]:
        """Return (P, Q)."""
        return self._times(self.tails.total())

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L > t], Q[L > t])."""
        return self._times(self.tails.above(t))

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L < t], Q[L < t])."""
        return self._times(self.tails.below(t))

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return those of the tails."""
        return self.tails.ends()

    def _times(self, masses: tuple[arb, arb]) -> tuple[arb, arb]:
        factor = self.factor.ball(working_bits())
        return factor * masses[0], factor * masses[1]


@dataclass(frozen=True, slots=True)
class ReversedTails:
    """The loss ln(Q/P) = −L: P and Q change places, and the line is mirrored.

    Attributes:
        tails: Of L.
    """

    tails: LossTails

    def total(self) -> tuple[arb, arb]:
        """Return (Q, P) of the part."""
        p, q = self.tails.total()
        return q, p

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (Q[L < −t], P[L < −t])."""
        p, q = self.tails.below(-t)
        return q, p

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (Q[L > −t], P[L > −t])."""
        p, q = self.tails.above(-t)
        return q, p

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the mirrored ends."""
        low, high = self.tails.ends()
        return None if high is None else -high, None if low is None else -low


@dataclass(frozen=True, slots=True)
class SubsampledTails:
    """The loss L' = ln(1 − q + q e^L) of P' = (1 − q)·Q + q·P against Q.

    L' > t exactly if L > ln((e^t − (1 − q))/q), which is minus infinity for
    e^t <= 1 − q.

    Attributes:
        tails: Of L.
        rate: q, strictly between 0 and 1.
    """

    tails: LossTails
    rate: Exact

    def total(self) -> tuple[arb, arb]:
        """Return (P', Q) of the part."""
        return self._mixed(self.tails.total())

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P'[L' > t], Q[L' > t])."""
        moved = self._moved(t)
        return self.total() if moved is None else self._mixed(self.tails.above(moved))

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P'[L' < t], Q[L' < t])."""
        moved = self._moved(t)
        return (arb(0), arb(0)) if moved is None else self._mixed(self.tails.below(moved))

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the images of the ends of L; that of minus infinity is ln(1 − q)."""
        low, high = self.tails.ends()
        least = log(1 - self.rate) if low is None else self._image(low)
        return least, None if high is None else self._image(high)

    def _image(self, loss: Number) -> Number:
        return log(1 - self.rate + self.rate * exp(loss))

    def _moved(self, t: arb) -> arb | None:
        """Return the L of L' = t, or None below all of them."""
        rate = _ball(self.rate, working_bits())
        # e^t − 1 + q, without cancellation of the 1.
        rest = t.expm1() + rate
        if rest <= 0:
            return None
        return (rest / rate).log()

    def _mixed(self, masses: tuple[arb, arb]) -> tuple[arb, arb]:
        rate = _ball(self.rate, working_bits())
        p, q = masses
        return (1 - rate) * q + rate * p, q


@dataclass(frozen=True, slots=True)
class ReplacedGaussianTails:
    """The loss of (1 − q)N(0, 1) + q N(μ, 1) against (1 − q)N(0, 1) + q N(−μ, 1).

    It rises with the output y and is odd in it; L > t exactly if
    y > (t/2 + asinh((1 − q) sinh(t/2) e^(μ²/2)/q))/μ.

    Attributes:
        mu: μ, positive.
        rate: q, strictly between 0 and 1.
    """

    mu: Number
    rate: Exact

    def total(self) -> tuple[arb, arb]:
        """Return (1, 1)."""
        return arb(1), arb(1)

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the mixtures' tails above the output of loss t."""
        mu, rate = _ball(self.mu, working_bits()), _ball(self.rate, working_bits())
        half = t / 2
        y = (half + ((1 - rate) * half.sinh() * (mu**2 / 2).exp() / rate).asinh()) / mu
        none, plus, minus = ((z / arb(2).sqrt()).erfc() / 2 for z in (y, y - mu, y + mu))
        return (1 - rate) * none + rate * plus, (1 - rate) * none + rate * minus

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the mirror image: P and Q change places with t and −t."""
        p, q = self.above(-t)
        return q, p

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return (None, None): the loss is unbounded."""
        return None, None


@dataclass(frozen=True, slots=True)
class ShiftedTails:
    """The loss L − ln r of P against r·Q.

    Attributes:
        tails: Of L.
        ratio: r, positive.
    """

    tails: LossTails
    ratio: Number

    def total(self) -> tuple[arb, arb]:
        """Return (P, r·Q) of the part."""
        return self._weighted(self.tails.total())

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L > t + ln r], r·Q[L > t + ln r])."""
        return self._weighted(self.tails.above(t + _ball(self.ratio, working_bits()).log()))

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L < t + ln r], r·Q[L < t + ln r])."""
        return self._weighted(self.tails.below(t + _ball(self.ratio, working_bits()).log()))

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the ends, less ln r."""
        low, high = self.tails.ends()
        shift = log(self.ratio)
        return None if low is None else low - shift, None if high is None else high - shift

    def _weighted(self, masses: tuple[arb, arb]) -> tuple[arb, arb]:
        p, q = masses
        return p, _ball(self.ratio, working_bits()) * q


@dataclass(frozen=True, slots=True)
class MirroredTails:
    """The positive losses of a law, and their negatives with P and Q in each other's place.

    Attributes:
        tails: Of the law.
    """

    tails: LossTails

    def total(self) -> tuple[arb, arb]:
        """Return P + Q of the positive losses, twice."""
        p, q = self.tails.above(arb(0))
        return p + q, p + q

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the tails of the law for t >= 0; below, what lies below t is missing."""
        if t >= 0:
            return self.tails.above(t)
        if t < 0:
            (whole, _), (q, p) = self.total(), self.tails.above(-t)
            return whole - p, whole - q
        first, second = (self.above(arb(end)) for end in (t.lower(), t.upper()))
        return first[0].union(second[0]), first[1].union(second[1])

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the mirror image: P and Q change places with t and −t."""
        p, q = self.above(-t)
        return q, p

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the upper end of the law, and its negative."""
        top = self.tails.ends()[1]
        return None if top is None else -top, top
