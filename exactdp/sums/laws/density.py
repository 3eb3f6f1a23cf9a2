"""The part without atoms of a loss law: one description, and the operations on any of them.

A :class:`LossDensity` knows its tails under P and Q. By these alone it is composed, on lattices.
What also knows its density along a path, or its transform by a better way of its own, is summed
along lines too, and has Rényi divergences. What is reversed, scaled, subsampled, shifted or
mirrored is one again; a mechanism that knows a faster form of such a one overrides the operation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from flint import acb, arb

from exactdp.numbers import Exact, Number, certainly_below, exp, log, working_bits
from exactdp.numbers.effort import remembered
from exactdp.numbers.reals import larger_number
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.laws.clouds import Transform
from exactdp.sums.laws.moved import Joined, Moved
from exactdp.sums.laws.paths import Path, PathQuadrature, before_sampling

__all__ = ["EvenLoss", "LossDensity", "Subsampled", "ball_of"]

Ends = tuple[Number | None, Number | None]


class LossDensity(ABC):
    """The part without atoms of the law of a loss ln(P/Q); balls are at the working precision.

    A subclass says :meth:`above`, :meth:`below` and :meth:`ends`; :meth:`total`, if it is not all
    of P and Q; and :meth:`log_density`, if both ends are finite and it is known.

    Attributes:
        falls_like_normal: Whether its transform falls like e^(−dω²), so that few make a sum smooth.
    """

    __slots__ = ()

    falls_like_normal: ClassVar[bool] = False

    def total(self) -> tuple[arb, arb]:
        """Return the masses of P and Q in this part."""
        return arb(1), arb(1)

    @abstractmethod
    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L > t], Q[L > t]), accurate relative to themselves."""

    @abstractmethod
    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L < t], Q[L < t]), accurate relative to themselves."""

    @abstractmethod
    def ends(self) -> Ends:
        """Return the least and the largest loss of this part, None for an infinite end."""

    def divergence(self, t: arb, gamma: arb) -> arb:
        """Return the part's P[L > t] − γQ[L > t], γ = e^t."""
        p, q = self.above(t)
        return p - gamma * q

    def log_density(self, loss: acb) -> acb | None:
        """Return ln of P's density at a loss, also in boxes of complex ones; None if unknown.

        It is analytic around the interval between the ends, and in a box where it is not analytic
        not finite: acb.sqrt, acb.log and powers are so with analytic=True, abs is not. Q's density
        is e^(−loss) times P's.
        """
        return None

    def path(self) -> Path | None:
        """Return this part along its losses; None if its density is not known or has no ends."""
        low, high = self.ends()
        if low is None or high is None:
            return None
        first, last = ball_of(low, working_bits()), ball_of(high, working_bits())
        if self.log_density(acb((first + last) / 2)) is None:
            return None

        def at(x: acb) -> tuple[acb, acb, acb]:
            found = self.log_density(x)
            assert found is not None
            return x, found, acb(0)

        return Path(first, last, at)

    @property
    def transform(self) -> Transform | None:
        """The transform of this part under P; None if it is not known."""
        return None if self.path() is None else PathQuadrature(lambda: _known(self.path()))

    @property
    def positive_transform(self) -> Transform | None:
        """The transform of the positive losses alone; None if it is not known."""
        if self.path() is None:
            return None
        return PathQuadrature(lambda: _known(self.path()).above(arb(0)))

    def reversed(self) -> LossDensity:
        """Return that of ln(Q/P) = −L under Q."""
        return _Moved(self, is_turned=True)

    def scaled(self, factor: Number) -> LossDensity:
        """Return P and Q times a positive number."""
        return _Moved(self, factor)

    def subsampled(self, rate: Exact) -> LossDensity:
        """Return that of (1 − q)·Q + q·P against Q, q = ``rate`` strictly between 0 and 1."""
        return Subsampled(self, rate)

    def shifted(self, ratio: Number) -> LossDensity:
        """Return that of P against r·Q, r = ``ratio`` positive: the losses less ln r."""
        return _Moved(self, ratio=ratio)

    def positive(self) -> LossDensity:
        """Return the positive losses alone; if there is none both ends are 0."""
        return _Positive(self)

    def mirrored(self) -> LossDensity:
        """Return this, all of whose losses are positive, beside its mirror image under Q."""
        return _Mirrored(self)


@remembered(maxsize=64)
def ball_of(number: Number, bits: int) -> arb:
    """Return a ball for a number, which is kept: a Real is worked out anew at every call."""
    return number.ball(bits)


def _known(path: Path | None) -> Path:
    assert path is not None
    return path


def _negative(end: Number | None) -> Number | None:
    return None if end is None else -end


def _positive(end: Number) -> Number:
    """Return an end, or 0 if that is larger."""
    is_negative = certainly_below(end, Exact(0), max_bits=PLAN_BITS)
    return Exact(0) if is_negative else larger_number(Exact(0), end)


@dataclass(frozen=True, slots=True)
class _Moved(LossDensity):
    """A part of P times f and of Q times fr, after they changed places if it is turned.

    The losses are L − ln r, or −L − ln r.
    """

    density: LossDensity
    factor: Number | None = None
    ratio: Number | None = None
    is_turned: bool = False

    def total(self) -> tuple[arb, arb]:
        return self._times(self.density.total())

    def above(self, t: arb) -> tuple[arb, arb]:
        there = t + self._shift()
        return self._times(
            self.density.below(-there) if self.is_turned else self.density.above(there)
        )

    def below(self, t: arb) -> tuple[arb, arb]:
        there = t + self._shift()
        return self._times(
            self.density.above(-there) if self.is_turned else self.density.below(there)
        )

    def ends(self) -> Ends:
        low, high = self.density.ends()
        if self.is_turned:
            low, high = _negative(high), _negative(low)
        if self.ratio is None:
            return low, high
        shift = log(self.ratio)
        return None if low is None else low - shift, None if high is None else high - shift

    def path(self) -> Path | None:
        path = self.density.path()
        if path is None:
            return None
        return path.moved(self._factor(), self._shift(), is_turned=self.is_turned)

    @property
    def transform(self) -> Transform | None:
        found = self.density.transform
        one = Exact(1)
        return found and Moved(found, self.factor or one, self.ratio or one, self.is_turned)

    def reversed(self) -> LossDensity:
        found = self.density if self.is_turned else self.density.reversed()
        if self.ratio is not None:
            found = found.scaled(self.ratio).shifted(1 / self.ratio)
        return found if self.factor is None else found.scaled(self.factor)

    def _factor(self) -> arb:
        return arb(1) if self.factor is None else ball_of(self.factor, working_bits())

    def _shift(self) -> arb:
        return arb(0) if self.ratio is None else ball_of(self.ratio, working_bits()).log()

    def _times(self, masses: tuple[arb, arb]) -> tuple[arb, arb]:
        p, q = masses[::-1] if self.is_turned else masses
        if self.factor is None and self.ratio is None:
            return p, q
        factor = self._factor()
        return factor * p, factor * self._shift().exp() * q


@dataclass(frozen=True, slots=True)
class Subsampled(LossDensity):
    """The loss L' = ln(1 − q + q e^L) of P' = (1 − q)·Q + q·P against Q.

    L' > t exactly if L > ln((e^t − (1 − q))/q), which is minus infinity for
    e^t <= 1 − q.

    Attributes:
        density: The density of L.
        rate: q, strictly between 0 and 1.
    """

    density: LossDensity
    rate: Exact

    def total(self) -> tuple[arb, arb]:
        """Return the masses of P' and Q' in this part."""
        return self._mixed(self.density.total())

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P'[L' > t], Q[L' > t])."""
        moved = self._moved(t)
        return self.total() if moved is None else self._mixed(self.density.above(moved))

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P'[L' < t], Q[L' < t])."""
        moved = self._moved(t)
        return (arb(0), arb(0)) if moved is None else self._mixed(self.density.below(moved))

    def ends(self) -> Ends:
        """Return the images of the ends of L; that of minus infinity is ln(1 − q)."""
        low, high = self.density.ends()
        least = log(1 - self.rate) if low is None else self._image(low)
        return least, None if high is None else self._image(high)

    def path(self) -> Path | None:
        """Return that of L, on the sample."""
        path = self.density.path()
        return None if path is None else path.subsampled(ball_of(self.rate, working_bits()))

    def _image(self, loss: Number) -> Number:
        return log(1 - self.rate + self.rate * exp(loss))

    def _moved(self, t: arb) -> arb | None:
        """Return the L of L' = t, or None below all of them."""
        return before_sampling(t, ball_of(self.rate, working_bits()))

    def _mixed(self, masses: tuple[arb, arb]) -> tuple[arb, arb]:
        rate = ball_of(self.rate, working_bits())
        p, q = masses
        return (1 - rate) * q + rate * p, q


@dataclass(frozen=True, slots=True)
class _Positive(LossDensity):
    """The positive losses of a part."""

    density: LossDensity

    def total(self) -> tuple[arb, arb]:
        return self.density.above(arb(0))

    def above(self, t: arb) -> tuple[arb, arb]:
        return self.density.above(t.nonnegative_part())

    def below(self, t: arb) -> tuple[arb, arb]:
        (p, q), (p_above, q_above) = self.total(), self.above(t)
        return p - p_above, q - q_above

    def ends(self) -> Ends:
        low, high = self.density.ends()
        return (
            Exact(0) if low is None else _positive(low),
            None if high is None else _positive(high),
        )

    @property
    def transform(self) -> Transform | None:
        return self.density.positive_transform


class EvenLoss(LossDensity):
    """The part of a loss that is distributed under P as its negative is under Q."""

    __slots__ = ()

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the mirror image: P and Q change places with t and −t."""
        p, q = self.above(-t)
        return q, p

    def reversed(self) -> Self:
        """Return the same."""
        return self


@dataclass(frozen=True, slots=True)
class _Mirrored(EvenLoss):
    """Positive losses, and their negatives with P and Q in each other's place."""

    half: LossDensity

    def total(self) -> tuple[arb, arb]:
        p, q = self.half.total()
        return p + q, p + q

    def above(self, t: arb) -> tuple[arb, arb]:
        if t >= 0:
            return self.half.above(t)
        if t < 0:
            (whole, _), (q, p) = self.total(), self.half.above(-t)
            return whole - p, whole - q
        first, second = (self.above(arb(end)) for end in (t.lower(), t.upper()))
        return first[0].union(second[0]), first[1].union(second[1])

    def ends(self) -> Ends:
        top = self.half.ends()[1]
        return _negative(top), top

    @property
    def transform(self) -> Transform | None:
        return Joined.of([self.half.transform, self.half.reversed().transform])
