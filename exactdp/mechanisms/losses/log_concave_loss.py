r"""The loss of log-concave noise around one of several answers, against that around others.

With an even density f, of weights w of shifts s >= 0 and weights v of shifts r <= 0, in units of
the sensitivity Δ, L = ln Σ w_s f(y − sΔ) − ln Σ v_r f(y − rΔ) rises with the output y: so
P[L > t] = Σ w_s T(y(t) − sΔ), where T(x) = ∫_x^∞ f and L(y(t)) = t. That y is found by the secant,
and certified on both sides of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from exactdp.divergences.profile import Mixture
from exactdp.errors import UndecidedError
from exactdp.mechanisms.losses.even_density import EvenDensity
from exactdp.numbers import Exact, Number, exp, log, precision, working_bits
from exactdp.numbers.balls import GUARD_BITS
from exactdp.numbers.effort import spend
from exactdp.sums.laws.density import Ends, LossDensity, ball_of

__all__ = ["MixedLoss"]

_DOUBLINGS = 60
"""Times that a step is doubled to an output with a larger loss, or a less one."""

_STEPS, _WIDENINGS = 4_000, 200
"""Steps to the output of a loss, and how often what certifies it is made wider, beside the bits."""

_AT_END = 256
"""Bits with which the tails of what may be an end are told, as 0 or 1 is as possible."""


@dataclass(frozen=True, slots=True)
class MixedLoss(LossDensity):
    """The loss of a pair of mixtures; see the header.

    Attributes:
        density: f.
        steepest: sup |(ln f)'|, or None if it is infinite.
        size: Δ.
        first: The shifts of P and their weights.
        second: The shifts of Q and their weights.
    """

    density: EvenDensity
    steepest: Number | None
    size: Number
    first: Mixture
    second: Mixture

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the tails of the mixtures above the output of loss t."""
        return self._tails(t, 1)

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return those below it."""
        return self._tails(t, -1)

    def ends(self) -> Ends:
        """Return the losses far out on both sides."""
        return self._far(-1), self._far(1)

    def holds(self, t: arb) -> bool:
        """Return whether a loss is certainly between the ends."""
        ends = zip(self.ends(), (-1, 1), strict=True)
        return all(
            end is None or sign * (t - ball_of(end, working_bits())) < 0 for end, sign in ends
        )

    def _tails(self, t: arb, side: int) -> tuple[arb, arb]:
        for end, sign in zip(self.ends(), (-1, 1), strict=True):
            if end is None:
                continue
            beyond, whole = sign * (t - ball_of(end, working_bits())), arb(sign != side)
            if beyond >= 0:
                return whole, whole
            if not beyond < 0:  # the end itself, as far as balls tell
                with precision(min(working_bits(), _AT_END)):
                    first = arb(t.lower() if sign > 0 else t.upper())
                    p, q = self._tails(first - sign * arb(2) ** (-working_bits() // 2), side)
                return p.union(whole), q.union(whole)
        return self._masses(self._place(t), side)

    def _size(self) -> arb:
        return ball_of(self.size, working_bits())

    def _far(self, side: int) -> Number | None:
        """Return the loss far out; None if it is infinite."""
        first, second = self.first, self.second
        steep = self.steepest
        if steep is None:
            # The shift that is farthest on this side has all of the mass there.
            (s, w), (r, v) = (max(x, key=lambda one: side * one[0]) for x in (first, second))
            return log(w / v) if s == r else None
        rise = side * steep * self.size
        if len(first) == len(second) == 1:
            return rise * (first[0][0] - second[0][0])
        p, q = (
            sum((weight * exp(shift * rise) for shift, weight in x), Exact(0) + 0)
            for x in (first, second)
        )
        return log(p) - log(q)

    def _loss(self, y: arb) -> arb:
        size = self._size()
        spend(4 * (len(self.first) + len(self.second)))
        p, q = (
            sum(
                (w.ball(working_bits()) * self.density.log(y - s * size).exp() for s, w in x),
                arb(0),
            )
            for x in (self.first, self.second)
        )
        return p.log() - q.log()

    def divergence(self, t: arb, gamma: arb) -> arb:
        """Return H_γ = P[L > t] − γ Q[L > t], γ = e^t.

        Above any z it is less than that by ∫ |P − γQ| between z and y(t), where |L − t| is at most
        |L(z) − t|: by γ|e^(L(z) − t) − 1| at most, times Q above z if L(z) < t. So a loss that
        stays about t on a long way needs no y(t).
        """
        if not self.holds(t):
            p, q = self.above(t)
            return p - gamma * q
        bits = working_bits()
        with precision(bits + GUARD_BITS):
            y = self._about(t, bits)
        found = self._near(y, t, gamma, is_less=False)
        if found.rel_accuracy_bits() > bits // 2:
            return found
        for k in range(_WIDENINGS + bits):
            with precision(bits + GUARD_BITS):
                z = y - self._unit(y, bits) * arb(8) ** k
                is_less = self._loss(z) < t
            if is_less:
                return self._near(z, t, gamma, is_less=True)
        return found

    def _near(self, z: arb, t: arb, gamma: arb, *, is_less: bool) -> arb:
        """Return the part of H_γ near an output, as above."""
        with precision(working_bits() + GUARD_BITS):
            off = gamma * abs((self._loss(z) - t).expm1())
        p, q = self._masses(z, 1)
        return p - gamma * q + off * (q if is_less else arb(1)) * arb(0, 1)

    def _masses(self, y: arb, side: int) -> tuple[arb, arb]:
        """Return the masses of P and Q above an output, or below it."""
        size, bits = self._size(), working_bits()
        p, q = (
            sum((w.ball(bits) * self.density.tail(side * (y - s * size)) for s, w in x), arb(0))
            for x in (self.first, self.second)
        )
        return p, q

    def _unit(self, y: arb, bits: int) -> arb:
        """Return how near an output is told, about."""
        return (abs(y) + self._size()) * arb(2) ** -bits

    def _place(self, t: arb) -> arb:
        """Return the output of a loss, certified on both sides.

        Raises:
            UndecidedError: If it is not found.
        """
        bits = working_bits()
        with precision(bits + GUARD_BITS):
            y = self._about(t, bits)
            apart = self._unit(y, bits)
            for _ in range(_WIDENINGS + bits):
                first, last = arb((y - apart).lower()), arb((y + apart).upper())
                if self._loss(first) < t and self._loss(last) > t:
                    return first.union(last)
                apart *= 8
        raise UndecidedError(
            f"the output of a loss of {t.str(6)} nats is not found. Ask for a wider enclosure."
        )

    def _about(self, t: arb, bits: int) -> arb:
        """Return about the output of a loss.

        Raises:
            UndecidedError: If losses seem to end before it.
        """
        low = high = self._size() / 2
        step, middle = self.density.cell, arb(t.mid())
        for _ in range(_DOUBLINGS):
            is_low, is_high = self._loss(low) < middle, self._loss(high) > middle
            if is_low and is_high:
                return self._secant(middle, low, high, bits)
            low, high = low if is_low else low - step, high if is_high else high + step
            step *= 2
        raise UndecidedError(
            f"no output has a loss of {t.str(6)} nats, as if losses ended below it. Pass the "
            "supremum of the slopes of log_density as steepest."
        )

    def _secant(self, t: arb, low: arb, high: arb, bits: int) -> arb:
        """Return about the output of a loss between two: by Illinois, and in turn by halves."""
        a, b = low, high
        f, g = (arb((self._loss(x) - t).mid()) for x in (a, b))
        last, before, tiny = 0, a, arb(2) ** -(bits + 4)
        for i in range(_STEPS):
            x = arb(((a * g - b * f) / (g - f)).mid())
            if abs(x - before) <= tiny * (abs(x) + self._size()):
                return x
            if i % 4 == 3 or not a < x < b:
                x = arb(((a + b) / 2).mid())
            before = x
            value = arb((self._loss(x) - t).mid())
            if value == 0:
                return x
            if value < 0:
                a, f = x, value
                g, last = (g / 2 if last < 0 else g), -1
            else:
                b, g = x, value
                f, last = (f / 2 if last > 0 else f), 1
        return arb(((a + b) / 2).mid())
