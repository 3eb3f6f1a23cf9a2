"""The profile of a pair that is given by the law of its loss: how a new mechanism is described.

δ(ε) = Pr[L = ∞] + Σ over atoms ℓ > ε of mass·(1 − e^(ε − ℓ)) + P[L > ε] − e^ε Q[L > ε] of the part
with a density.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Self

from flint import acb, arb

from exactdp.divergences import NumberProfile, PrivacyProfile
from exactdp.divergences.convex_bounds import bound_of_parts
from exactdp.divergences.profile import Sample, notes_of
from exactdp.errors import DomainError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    certainly_below,
    is_log_below,
    precision,
    working_bits,
)
from exactdp.numbers.effort import answers
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["LossProfile", "Rows"]

_BITS = 128
"""Bits with which all masses are added, to see that they sum to 1; more see smaller faults."""

_QUADRATURE_BITS = 64
"""Bits of the integral of a density: with fewer nodes what is not analytic is further off."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Noise around one of several answers, against noise around one of several others.

    Attributes:
        noise: The noise.
        first: The shifts of P, in units of Δ, and their weights.
        second: The shifts of Q and their weights.
    """

    noise: PrivacyProfile
    first: Sequence[tuple[int | Exact, Exact]]
    second: Sequence[tuple[int | Exact, Exact]]


@validated
@dataclass(frozen=True, slots=True)
class LossProfile(NumberProfile[Number]):
    """The profile of an ordered pair with a known law of its loss ln(P/Q) under P.

    Attributes:
        law: Atoms, a :class:`~exactdp.sums.LossDensity`, and masses at infinity; without a lattice
            of which some masses are left out.
        origin: What the law is known from; where it is given, the law itself.
        parts: (weight, profile) of pairs of which this one is a mixture, with weights that lack of
            1 what is the same in P and Q.
        is_reversed: Whether it is (Q, P) of the origin.
        sample: The noise on a sample that it is, if it is.

    Example:
        The losses ±ln 3 of randomized response: δ(ln 2) = 3/4 − 2·1/4.

        >>> from exactdp.numbers import decimal
        >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
        >>> decimal(LossProfile(coin).delta(Epsilon.log(2)), digits=6)
        '0.250000'
    """

    law: LossLaw = field(repr=False, compare=False)
    origin: Hashable = None
    parts: tuple[tuple[Number, PrivacyProfile], ...] = field(default=(), repr=False, compare=False)
    is_reversed: bool = False
    sample: Sample | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.origin is not None:  # the law follows from known ones
            return
        object.__setattr__(self, "origin", self.law)
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

    def as_sample(self) -> Sample | None:
        """Return the noise on a sample that it is, if it is."""
        return self.sample

    def reversed(self) -> Self:
        """Return the other direction; the profile itself, if the law says it is symmetric."""
        if self.law.is_symmetric:
            return self
        parts = tuple((weight, part.reversed()) for weight, part in self.parts)
        turned = not self.is_reversed
        return replace(self, law=self.law.reversed(), parts=parts, is_reversed=turned)

    @property
    def note(self) -> str | None:
        """The notes of the parts."""
        return " ".join(notes_of([(part, 1) for _, part in self.parts])) or None

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return a bound of D_a by those of the parts, over finite losses."""
        if not self.parts:
            return NumberProfile.convex_bound(self, order)
        return bound_of_parts(self.parts, order)

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none."""
        return self.law.infinity_mass

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the upper end of the losses; infinity if there is none."""
        ends = self.law.ratio_ends
        if ends is not None and ends[1] is not None:
            return Epsilon(ends[1])
        top = self.law.highest()
        return Epsilon.infinity() if top is None else top

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        is_finite = self.infinity_mass() == Exact(0)
        return self.largest_finite_loss() if is_finite else Epsilon.infinity()

    def _delta_at(self, gamma: Exact) -> Number:
        top = self.largest_finite_loss()
        is_endless = isinstance(top, Epsilon) and top.is_infinite
        is_below = is_endless or is_log_below(gamma, top).is_possible
        if self.law.has_no_finite_loss or not is_below:
            return self.law.infinity_mass
        if gamma < 1 and self.law.minus_infinity_mass == Exact(0) and self._is_below_all(gamma):
            return 1 - gamma  # P has no less anywhere; a tail cannot be told from all there
        return Real(partial(self._delta_ball, Epsilon(gamma)), "delta of a loss law")

    def _is_below_all(self, gamma: Exact) -> bool:
        """Return whether e^L is certainly at least γ."""
        if self.law.ratio_ends is not None and self.law.ratio_ends[0] is not None:
            return gamma <= self.law.ratio_ends[0]
        least = self.law.reversed().highest()
        return least is not None and certainly_below(Epsilon(gamma).nats, -least)

    def _delta_ball(self, epsilon: Epsilon) -> arb:
        bits = working_bits()
        found, at = self.law.infinity_mass.ball(bits), epsilon.nats.ball(bits)
        for loss, mass in self.law.points(bits):
            found += mass * (-(at - loss).expm1()).nonnegative_part()
        if self.law.density is not None:
            found += self.law.density.divergence(at, epsilon.exp.ball(bits))
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
        ways = zip("PQ", (0, -1), law.density.total(), strict=True)
        for (name, _, total), found in answers(
            lambda way: transform.along(acb(way[1]), arb(0), count=1)[0].real, ways
        ):
            yield name, found, total  # what is refused is so wherever it is asked for


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
