"""The loss of Laplace noise between −ε0 and ε0.

Without its two atoms it has under P the density e^((ℓ − ε0)/2)/4, under Q e^(−(ε0 + ℓ)/2)/4.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from exactdp.numbers import Number, working_bits
from exactdp.sums.laws.density import Ends, EvenLoss, ball_of

__all__ = ["LaplaceLoss"]


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
