"""The loss of Laplace noise between −ε0 and ε0.

Without its two atoms it has under P the density e^((ℓ − ε0)/2)/4, under Q e^(−(ε0 + ℓ)/2)/4.

Of a mixture of shifts, Σ_j w_j f(y − j) against f, in units of Δ, the ratio P/Q at y between m and
m + 1 is A + B e^(2yε0), with A = Σ over j <= m of w_j e^(jε0) and B = Σ over j > m of w_j e^(−jε0);
below 0 and beyond the largest shift it is constant. Under Q an interval from x to y within has
e^(−xε0)(1 − e^(−(y − x)ε0))/2, under P A times that and Be^(xε0)(e^((y − x)ε0) − 1)/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import acb, arb

from exactdp.numbers import Exact, Number, exp, log, working_bits
from exactdp.sums.laws.density import Ends, EvenLoss, LossDensity, ball_of

__all__ = ["LaplaceLoss", "MixedLaplaceLoss"]


@dataclass(frozen=True, slots=True)
class LaplaceLoss(EvenLoss):
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


@dataclass(frozen=True, slots=True)
class MixedLaplaceLoss(LossDensity):
    """The part without atoms of the loss of several shifts of Laplace noise against none.

    Attributes:
        top: ε0 = Δ/b, positive.
        shifts: The shifts, in units of Δ, at least 0 and ascending, with weights that sum to 1;
            the last one is positive.
    """

    top: Number
    shifts: tuple[tuple[int, Exact], ...]

    def ratio(self, sign: int) -> Number:
        """Return P/Q beyond the largest shift (1), or below 0 (−1).

        Example:
            >>> half = Exact("1/2")
            >>> loss = MixedLaplaceLoss(Exact(1), ((0, half), (1, half)))
            >>> loss.ratio(1) == (1 + Exact.exp(1)) / 2
            True
        """
        found: Number = Exact(0)
        for j, weight in self.shifts:
            power = sign * j * self.top
            if isinstance(power, Exact) and power.is_rational:
                found = found + weight * Exact.exp(power.as_fraction())
            else:
                found = found + weight * exp(power)
        return found

    def ends(self) -> Ends:
        """Return the losses of the two atoms."""
        return log(self.ratio(-1)), log(self.ratio(1))

    def total(self) -> tuple[arb, arb]:
        """Return the masses between 0 and the largest shift."""
        return self._masses(lambda low, high, rest: (arb(0), arb(1)))

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the masses of y beyond that of the loss t."""

        def part(low: arb, high: arb, rest: arb) -> tuple[arb, arb]:
            top = ball_of(self.top, working_bits())
            if t < low or t > high:
                return arb(0), arb(int(bool(t < low)))
            gap = -((t - high).expm1() * high.exp() / (high.exp() - rest)).log1p() / (2 * top)
            length = _within(gap)
            return 1 - length, length

        return self._masses(part)

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the masses of y below that of the loss t."""

        def part(low: arb, high: arb, rest: arb) -> tuple[arb, arb]:
            top = ball_of(self.top, working_bits())
            if t < low or t > high:
                return arb(0), arb(int(bool(t > high)))
            gap = ((t - low).expm1() * low.exp() / (low.exp() - rest)).log1p() / (2 * top)
            return arb(0), _within(gap)

        return self._masses(part)

    def _masses(self, part: Callable[[arb, arb, arb], tuple[arb, arb]]) -> tuple[arb, arb]:
        """Return the masses of a part of each interval between two integers, of P and of Q.

        Args:
            part: Returns its start, from 0 to 1, and length from the losses at the ends and A.
        """
        bits = working_bits()
        e0 = ball_of(self.top, bits)
        weights = [(j, w.ball(bits)) for j, w in self.shifts]
        p, q = arb(0), arb(0)
        for m in range(self.shifts[-1][0]):
            before = sum((w * (j * e0).exp() for j, w in weights if j <= m), arb(0))
            after = sum((w * (-j * e0).exp() for j, w in weights if j > m), arb(0))
            low, high = ((before + after * (2 * y * e0).exp()).log() for y in (m, m + 1))
            first, share = part(low, high, before)
            length, start = share * e0, (m + first) * e0
            mass = -(-start).exp() * (-length).expm1() / 2
            p += before * mass + after * start.exp() * length.expm1() / 2
            q += mass
        return p, q


def _within(length: arb) -> arb:
    """Return a length that is certainly between 0 and 1."""
    return length.max(arb(0)).min(arb(1))
