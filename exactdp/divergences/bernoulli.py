"""Rényi divergences of two laws on two outcomes, in balls.

Let P = (p, 1 − p) and Q = (q, 1 − q), p > q, with the losses u = ln(p/q) > 0 and −v, v =
ln((1 − q)/(1 − p)) > 0. For a = 1 + λ, λ > 0,

    e^(λD_a(P ‖ Q)) − 1 = p(e^(λu) − 1) + (1 − p)(e^(−λv) − 1),

and D_1(P ‖ Q) = pu − (1 − p)v; of (Q, P) it is the same with 1 − q, v, q and u in the place of p,
u, 1 − p and v. In these numbers little cancels, however small p or p − q is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.numbers import fmpq_of

__all__ = ["Certain", "RenyiRow", "divergence_excess"]


@dataclass(frozen=True, slots=True)
class RenyiRow:
    """One bound: D_(1 + power) is at most a number, of (P, Q) or backward, of (Q, P).

    A power of 0 is the Kullback-Leibler divergence.
    """

    power: Fraction
    bound: Fraction
    is_backward: bool


@dataclass(frozen=True, slots=True)
class Certain:
    """Two laws on two outcomes in balls: p, 1 − p and u, from which v and q follow."""

    p: arb
    rest: arb
    u: arb

    def side(self, *, is_backward: bool) -> tuple[arb, arb, arb, arb]:
        """Return p, u, 1 − p and v of (P, Q), or what takes their place backward."""
        gap = -self.p * (-self.u).expm1()  # p − q
        v = (gap / self.rest).log1p()
        if is_backward:
            return self.rest + gap, v, self.p * (-self.u).exp(), self.u
        return self.p, self.u, self.rest, v


def divergence_excess(point: Certain, row: RenyiRow) -> arb:
    """Return a ball of the sign of D_(1 + power) − bound, at the working precision.

    Example:
        >>> from exactdp.numbers import precision
        >>> row = RenyiRow(Fraction(1), Fraction(4, 5), is_backward=False)  # ln(7/3) = 0.847
        >>> with precision(64):
        ...     divergence_excess(Certain(arb(3) / 4, arb(1) / 4, arb(3).log()), row) > 0
        True
    """
    up_mass, up, down_mass, down = point.side(is_backward=row.is_backward)
    bound = arb(fmpq_of(row.bound))
    if row.power == 0:
        return up_mass * up - down_mass * down - bound
    power = arb(fmpq_of(row.power))
    moment = up_mass * (power * up).expm1() + down_mass * (-power * down).expm1()
    return moment - (power * bound).expm1()
