"""What is known of the Rényi divergences of a pair: a table of orders, or ρ·a at every order a > 1.

References: I. Mironov, Rényi Differential Privacy, 2017; M. Bun and T. Steinke, Concentrated
Differential Privacy, 2016; T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler
Divergence, 2014 (λD_(1 + λ) is convex in λ: Corollary 2).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from exactdp.divergences.bernoulli import (
    Certain,
    RenyiRow,
    divergence_excess,
)
from exactdp.numbers import fmpq_of

__all__ = ["Concentrated", "RenyiRows", "RenyiTable"]

_INTERVALS = 4_000
"""Intervals of orders that cover all of them, at most."""

_SHORTEST = Fraction(1, 1 << 40)
"""The length of an interval that is not divided any more."""


class RenyiRows:
    """Bounds of D_a(P ‖ Q) and of D_a(Q ‖ P) at orders a > 1."""

    __slots__ = ()

    @abstractmethod
    def bound(self, order: Fraction) -> Fraction | None:
        """Return what follows for D_a(P ‖ Q), a = order > 1; None if nothing finite does."""

    @abstractmethod
    def hold(self, point: Certain) -> bool:
        """Return whether all rows certainly hold for a pair, at the working precision."""

    @abstractmethod
    def reversed(self) -> RenyiRows:
        """Return the rows of (Q, P)."""


@dataclass(frozen=True, slots=True)
class RenyiTable(RenyiRows):
    """Bounds at finitely many orders.

    Attributes:
        forward: (a − 1, a bound of D_a(P ‖ Q)), ascending, at least one, all above 0.
        backward: (a − 1, a bound of D_a(Q ‖ P)), likewise.
    """

    forward: tuple[tuple[Fraction, Fraction], ...]
    backward: tuple[tuple[Fraction, Fraction], ...]

    def bound(self, order: Fraction) -> Fraction | None:
        """Return the bound by the chords of λD_(1 + λ), which is convex and 0 at λ = 0.

        Example:
            Between 2 and 4, at 3, (1·1 + 3·3)/2 = 5 is 2D_3 at most:

            >>> rows = ((Fraction(1), Fraction(1)), (Fraction(3), Fraction(3)))
            >>> RenyiTable(rows, rows).bound(Fraction(3))
            Fraction(5, 2)
        """
        power = order - 1
        points = [(Fraction(0), Fraction(0)), *((x, x * bound) for x, bound in self.forward)]
        least: Fraction | None = None
        for i, (x, low) in enumerate(points):
            for y, high in points[i + 1 :]:
                if x <= power <= y:
                    at = low + (high - low) * (power - x) / (y - x)
                    least = at if least is None else min(least, at)
        return None if least is None else least / power

    def hold(self, point: Certain) -> bool:
        """Return whether each row certainly holds."""
        return all(
            divergence_excess(point, RenyiRow(*row, is_backward=is_backward)) <= 0
            for is_backward, rows in ((False, self.forward), (True, self.backward))
            for row in rows
        )

    def reversed(self) -> RenyiTable:
        """Return the rows with the directions exchanged."""
        return RenyiTable(self.backward, self.forward)


@dataclass(frozen=True, slots=True)
class Concentrated(RenyiRows):
    """D_a <= ρ·a at every order a > 1, in both directions.

    Attributes:
        rho: ρ, above 0.
    """

    rho: Fraction

    def bound(self, order: Fraction) -> Fraction:
        """Return ρ·a."""
        return self.rho * order

    def hold(self, point: Certain) -> bool:
        """Return whether ρ·a is certainly at least D_a at every order, by chords of λD_(1 + λ)."""
        return all(_is_concentrated(point, self.rho, is_backward=side) for side in (False, True))

    def reversed(self) -> Concentrated:
        """Return itself."""
        return self


class _Cumulants:
    """k(λ) = λD_(1 + λ) of two laws on two outcomes, its derivatives, and ρλ(1 + λ), in balls."""

    def __init__(self, side: tuple[arb, arb, arb, arb], rho: Fraction) -> None:
        self.up_mass, self.up, self.down_mass, self.down = side
        self.rho = arb(fmpq_of(rho))

    def share(self, power: arb) -> arb:
        """Return the mass of the first outcome under the law that is tilted by λ times the loss."""
        odds = self.up_mass / self.down_mass * (power * (self.up + self.down)).exp()
        return 1 - 1 / (1 + odds)

    def is_kept(self, start: Fraction, end: Fraction) -> bool:
        """Return whether k(λ) <= ρλ(1 + λ) on an interval, certainly, by Taylor at its start.

        f(λ) = ρλ(1 + λ) − k(λ) is at least f + f'h + ch², h = λ − start, c = ρ − max k''/2, and k''
        is (u + v)² times t(1 − t), t the share, which grows.
        """
        x, h = arb(fmpq_of(start)), arb(fmpq_of(end - start))
        share, last = self.share(x), self.share(arb(fmpq_of(end)))
        rise = self.rho * (1 + 2 * x) - self.up * share + self.down * (1 - share)
        spread = arb(1) / 4
        if share >= arb(1) / 2:
            spread = share * (1 - share)
        elif last <= arb(1) / 2:
            spread = last * (1 - last)
        bend = self.rho - (self.up + self.down) ** 2 * spread / 2
        fall = bend.min(arb(0))
        if start == 0:
            return bool(rise + fall * h >= 0)
        moment = self.up_mass * (x * self.up).expm1() + self.down_mass * (-x * self.down).expm1()
        level = self.rho * x * (1 + x) - moment.log1p()
        if not level >= 0:
            return False
        if level + rise * h + fall * h * h >= 0:
            return True
        return bool(bend > 0) and bool(level >= rise * rise / (4 * bend))


def _is_concentrated(point: Certain, rho: Fraction, *, is_backward: bool) -> bool:
    """Return whether λD_(1 + λ) <= ρλ(1 + λ) for all λ > 0, certainly.

    Beyond λ = D_∞/ρ − 1 it is, as D_(1 + λ) <= D_∞.
    """
    kept = _Cumulants(point.side(is_backward=is_backward), rho)
    knots = [Fraction(0), Fraction(1, 64)]
    while not arb(fmpq_of(knots[-1] + 1)) * kept.rho >= kept.up:
        knots.append(2 * knots[-1])
    left = list(pairwise(knots))
    for _ in range(_INTERVALS):
        if not left:
            return True
        start, end = left.pop()
        if not kept.is_kept(start, end):
            middle = (start + end) / 2
            left += [(start, middle), (middle, end)]
            if end - start < _SHORTEST:
                return False
    return False
