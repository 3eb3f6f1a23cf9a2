"""Rényi divergences of mechanisms used together, from above: what is known however many there are.

Divergences of independent parts add, as do those of adaptive ones with dominating pairs; of a part
of which none is known it is at most the largest finite loss, as E[e^(λL); L < ∞] <= e^(λ max L).

References: I. Mironov, Rényi Differential Privacy, 2017, Proposition 1; M. Bun and T. Steinke,
Concentrated Differential Privacy, 2016, Definition 8.1 (ξ + ρa at all orders a).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.accounting.convex_bounds import convex_bound
from exactdp.accounting.parts import total_loss
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import RenyiBounds, renyi_bound
from exactdp.divergences.profile import enclosed
from exactdp.divergences.values import largest
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    fmpq_of,
    precision,
    working_bits,
)
from exactdp.numbers.balls import endpoints
from exactdp.numbers.validated import validated

__all__ = ["MomentBounds", "PartBounds"]

_WIDTH = Fraction(1, 10**6)
"""The relative width of a largest loss that stands for a divergence. Any gives a bound."""

_BITS = 128
"""Bits of the ball of a total variation distance."""

_Side = Sequence[tuple[PrivacyProfile, int]]


@validated
@dataclass(frozen=True, slots=True)
class MomentBounds(RenyiBounds):
    """Mechanisms used together, of which upper bounds alone are asked, in both directions.

    Attributes:
        parts: Each profile in the direction of removing, with its number of uses.
        xi: ξ of all (ξ, ρ)-zCDP budgets beside them.
        rho: Their ρ.
        is_convex: Whether mixtures are bounded by their parts, which takes no time.

    Example:
        ρ = 1/2 is what a Gaussian of σ = 1 has; two of them have D_2 = 2.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> both = MomentBounds(((gaussian_mechanism(sigma=1), 1),), Fraction(0), Fraction(1, 2))
        >>> both.renyi_bound(Fraction(2), width=Fraction(1, 100))
        Fraction(2, 1)
    """

    parts: tuple[tuple[PrivacyProfile, int], ...]
    xi: Fraction
    rho: Fraction
    is_convex: bool = False

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss that is known: the sum of those of the parts."""
        if self.rho:
            return Epsilon.infinity()
        found = largest([_total(side) for side in self._sides()])
        if isinstance(found, Epsilon):
            return found + Epsilon.rational(self.xi)
        return found + Exact(self.xi)

    def infinity_mass(self) -> Number:
        """Return the larger 1 − Π(1 − m_i), m_i the masses of infinite losses."""
        return largest([_infinite(side) for side in self._sides()])

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a over the finite losses; None if none is known."""
        sums = [_moments(side, order, None if self.is_convex else width) for side in self._sides()]
        known = [one for one in sums if one is not None]
        if len(known) < len(sums):
            return None
        return max(known) + self.xi + self.rho * order

    def total_variation(self) -> Fraction | None:
        """Return a bound of δ(0), which no δ(ε) exceeds; None if none is known.

        Formula:
            1 − Π(1 − v_i), v_i the total variation distances of the parts: outputs of two data sets
            are the same with probability 1 − v_i, independently.

        Example:
            Two samples of rate 1/10 of what shows all that it sees:

            >>> from exactdp.accounting.sampling import poisson_subsampled
            >>> from exactdp.divergences import Pair
            >>> one = poisson_subsampled(Pair.from_masses([1, 0], [0, 1]), rate="1/10")
            >>> both = MomentBounds(((one, 2),), Fraction(0), Fraction(0))
            >>> round(float(both.total_variation()), 9)
            0.19
        """
        if self.xi or self.rho:
            return None
        with precision(_BITS):
            kept = arb(0)
            for part, times in self.parts:
                found = enclosed(part.delta(Epsilon.log(1), relative_width=_WIDTH), _WIDTH).upper
                kept += times * (-arb(fmpq_of(min(found, Fraction(1))))).log1p()
            return (
                min(Fraction(1), endpoints(-kept.expm1())[1]) if kept.is_finite() else Fraction(1)
            )

    def _sides(self) -> list[_Side]:
        other = tuple((part.reversed(), times) for part, times in self.parts)
        is_symmetric = all(a is b for (a, _), (b, _) in zip(other, self.parts, strict=True))
        return [self.parts] if is_symmetric else [self.parts, other]


@validated
@dataclass(frozen=True, slots=True)
class PartBounds(RenyiBounds):
    """Ordered pairs used together, of which upper bounds alone are asked, in their direction.

    Attributes:
        parts: Each profile with its number of uses.

    Example:
        Two Gaussians of σ = 1 have D_2 = 2.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> both = PartBounds(((gaussian_mechanism(sigma=1), 2),))
        >>> both.renyi_bound(Fraction(2), width=Fraction(1, 100))
        Fraction(2, 1)
    """

    parts: tuple[tuple[PrivacyProfile, int], ...]

    def max_divergence(self) -> Epsilon | Number:
        """Return the sum of the largest losses."""
        return _total(self.parts)

    def infinity_mass(self) -> Number:
        """Return 1 − Π(1 − m_i), m_i the masses of infinite losses."""
        return _infinite(self.parts)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a over the finite losses; None if none is known."""
        return _moments(self.parts, order, width)


def _moments(side: _Side, order: Fraction, width: Fraction | None) -> Fraction | None:
    """Return the sum of bounds of D_a to a width, or by the parts of mixtures."""
    total = Fraction(0)
    for part, times in side:
        found = None
        with suppress(DomainError, TooLargeError, UndecidedError):
            if width is None:
                found = convex_bound(part, order)
            else:
                found = renyi_bound(part, order, width=width)
        if found is None:
            top = part.largest_finite_loss()
            if isinstance(top, Epsilon):
                if top.is_infinite:
                    return None
                top = top.nats
            found = max(Fraction(0), enclosed(top, _WIDTH).upper)
        total += times * found
    return total


def _total(side: _Side) -> Epsilon | Number:
    return total_loss((part.max_divergence(), times) for part, times in side)


def _infinite(side: _Side) -> Number:
    masses = [(part.infinity_mass(), times) for part, times in side]
    if all(mass == Exact(0) for mass, _ in masses):
        return Exact(0)
    return Real(partial(_infinite_ball, masses), "the mass of infinite losses")


def _infinite_ball(masses: Sequence[tuple[Number, int]]) -> arb:
    # (1 − m)^n by logarithms: as an exact number it may be long.
    bits = working_bits()
    kept = [times * (-mass.ball(bits)).log1p() for mass, times in masses]
    return -sum(kept, arb(0)).expm1()
