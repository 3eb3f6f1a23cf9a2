r"""Samples of mechanisms of which Rényi divergences alone are known.

A record that is in a sample with probability q adds (P, Q) at that rate. Removing it has the sum
of moments (``convex_bounds``). Adding it has E_Q f(P/Q) of f(r) = (1 − q + qr)^(1 − a), where
f(1) = 1, the slope there has mean 0, and f'' <= a(a − 1)q²(1 − q)^(−a − 1) at all r >= 0, so that

    e^((a − 1)D'_a) <= 1 + a(a − 1)q²(1 − q)^(−a − 1)/2 · (e^(D_2) − 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.chernoff import Curve
from exactdp.divergences.convex_bounds import bound_on_sample, mean_bound
from exactdp.divergences.values import BOUND_BITS
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["Budget", "OnSample"]


@dataclass(frozen=True, slots=True)
class Budget:
    """A (ξ, ρ)-zCDP guarantee: D_a <= ξ + ρ·a at all orders, and no more is known.

    Attributes:
        xi: ξ, at least 0.
        rho: ρ, above 0.
    """

    xi: Fraction
    rho: Fraction

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction:
        """Return ξ + ρ·a."""
        return self.xi + self.rho * order

    def max_divergence(self) -> Epsilon:
        """Return infinity: losses are unbounded."""
        return Epsilon.infinity()


@dataclass(frozen=True)
class OnSample:
    """A mechanism on a Poisson sample, of whose divergences bounds are known.

    Attributes:
        whole: The mechanism's.
        rate: q, above 0 and at most 1.

    Example:
        Half of the records of what is 1-zCDP, at a = 2: removing has ln(1 + (e² − 1)/4) = 0.9544,
        adding at most ln(1 + (e² − 1)/2), by convexity.

        >>> one = OnSample(Budget(Fraction(0), Fraction(1)), Exact("1/2"))
        >>> found = one.renyi_bound(Fraction(2), width=Fraction(1, 10**6))
        >>> round(float(found), 4)  # ln((1 + e²)/2)
        1.4338
    """

    whole: Curve
    rate: Exact

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the larger of the bounds of removing and of adding a record."""
        top = self.whole.renyi_bound(order, width=width)
        second = self.whole.renyi_bound(Fraction(2), width=width)
        if top is None or second is None:
            return None
        convex = mean_bound([(self.rate, top)], order)
        removed = bound_on_sample(self.whole, self.rate, order, width=width)
        if self.rate == 1 or removed is None:
            return convex
        with precision(BOUND_BITS):
            a, q = arb(fmpq_of(order)), self.rate.ball(BOUND_BITS)
            rise = a * (a - 1) / 2 * q * q * (1 - q) ** (-a - 1) * arb(fmpq_of(second)).expm1()
            added = endpoints(rise.log1p() / (a - 1))[1] if rise.is_finite() else convex
        return min(convex, max(removed, added))

    def max_divergence(self) -> Epsilon | Number:
        """Return that of the mechanism, which is not below its sample's."""
        return self.whole.max_divergence()
