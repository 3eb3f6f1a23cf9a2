"""The profile of a pair that is given by the law of its loss: how a new mechanism is described.

δ(ε) = Pr[L = ∞] + Σ over atoms ℓ > ε of mass·(1 − e^(ε − ℓ)) + P[L > ε] − e^ε Q[L > ε] of the part
with a density.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self

from flint import acb, arb

from exactdp.divergences import NumberProfile
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact, Number, Real, precision, working_bits
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw, LossSum
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["LossProfile"]

_BITS = 128
"""Bits with which all masses are added, to see that they sum to 1; more see smaller faults."""

_QUADRATURE_BITS = 64
"""Bits of the integral of a density: with fewer nodes what is not analytic is further off."""


@validated
@dataclass(frozen=True, slots=True)
class LossProfile(NumberProfile[Number]):
    """The profile of an ordered pair with a known law of its loss ln(P/Q) under P.

    Attributes:
        law: Atoms, a :class:`~exactdp.sums.LossDensity`, and masses at infinity; without a lattice
            of which some masses are left out.

    Example:
        The losses ±ln 3 of randomized response: δ(ln 2) = 3/4 − 2·1/4.

        >>> from exactdp.numbers import decimal
        >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
        >>> decimal(LossProfile(coin).delta(Epsilon.log(2)), digits=6)
        '0.250000'
    """

    law: LossLaw

    def __post_init__(self) -> None:
        if self.law.lattice is not None and self.law.lattice.is_truncated:
            raise DomainError(
                "the law leaves out masses, so delta is not a number. Compose the mechanism itself."
            )
        for name, total in zip("PQ", _masses(self.law), strict=True):
            if not total.contains(1):
                raise DomainError(
                    f"the masses of {name} sum to {total.str(9)}, not 1. Give all losses, and what "
                    "has no finite loss as infinity_mass and minus_infinity_mass."
                )
        for name, found, total in _integrals(self.law):
            if not found.overlaps(total):
                raise DomainError(
                    f"the density gives {name} the mass {found.str(20)}, its tails give "
                    f"{total.str(20)}. Let log_density be ln of P's density, analytic where it is "
                    "finite: acb.sqrt, acb.log and acb.pow are with analytic=True, abs is not."
                )

    has_closed_form = True  # by the tails of the loss

    def loss_law(self) -> LossLaw:
        """Return the law."""
        return self.law

    def reversed(self) -> Self:
        """Return the other direction; the profile itself, if the law says it is symmetric."""
        if self.law.is_symmetric:
            return self
        other = copy(self)  # what is checked is true of both
        object.__setattr__(other, "law", self.law.reversed())
        return other

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none."""
        return self.law.infinity_mass

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the upper end of the losses; infinity if there is none."""
        top = LossSum(((self.law, 1),)).highest()
        return Epsilon.infinity() if top is None else top

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        is_finite = self.infinity_mass() == Exact(0)
        return self.largest_finite_loss() if is_finite else Epsilon.infinity()

    def _delta_at(self, gamma: Exact) -> Number:
        epsilon = Epsilon(gamma)
        if LossSum(((self.law, 1),)).is_beyond_all(epsilon):
            return self.law.infinity_mass
        least = self.law.ratio_ends[0] if self.law.ratio_ends else None
        if least is not None and gamma <= least and self.law.minus_infinity_mass == Exact(0):
            return 1 - gamma  # P has no less anywhere; a tail cannot be told from all there
        return Real(partial(self._delta_ball, epsilon), "delta of a loss law")

    def _delta_ball(self, epsilon: Epsilon) -> arb:
        bits = working_bits()
        found, at = self.law.infinity_mass.ball(bits), epsilon.nats.ball(bits)
        for loss, mass in self.law.points(bits):
            found += mass * (-(at - loss).expm1()).nonnegative_part()
        if self.law.density is not None:
            p, q = self.law.density.above(at)
            found += p - epsilon.exp.ball(bits) * q
        return found

    def _renyi_at(self, order: Fraction) -> Number | None:
        return renyi_of_law(self.loss_law, order=order)


def _integrals(law: LossLaw) -> Iterator[tuple[str, arb, arb]]:
    """Yield the masses of P and Q by the transform of the density at 0 and −1, and by its tails.

    A formula that is not that of the tails, or is not analytic in the boxes around the losses,
    shows itself here: by quadrature it is off by more than the bound for those that are.
    """
    with precision(_QUADRATURE_BITS):
        transform = None if law.density is None else law.density.transform
        if law.density is None or transform is None:
            return
        for name, tilt, total in zip("PQ", (0, -1), law.density.total(), strict=True):
            with suppress(TooLargeError):  # it is refused wherever it is asked for, too
                yield name, transform.along(acb(tilt), arb(0), count=1)[0].real, total


def _masses(law: LossLaw) -> tuple[arb, arb]:
    """Return balls of all mass of P, and of Q: Q = e^(−loss)·P at an atom."""
    with precision(_BITS):
        p, q = law.infinity_mass.ball(_BITS), law.minus_infinity_mass.ball(_BITS)
        for loss, mass in law.points(_BITS):
            p, q = p + mass, q + mass * (-loss).exp()
        if law.density is not None:
            first, second = law.density.total()
            p, q = p + first, q + second
        return p, q
