"""Poisson subsampling of a mechanism: a mixture against its base, in closed form.

Each record is seen with probability q, independently. With the record the law of the
output is (1 − q)·Q0 + q·P0, without it Q0, (P0, Q0) the mechanism's own pair; so both
directions follow from the mechanism's δ, as for ``Subsampling``.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling,
2018; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (the dominating pairs compose).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from exactdp.accounting.parts import HasLossLaw
from exactdp.divergences import NumberProfile
from exactdp.divergences.chernoff import renyi_bound, renyi_within
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms.noise import AdditiveNoise, refuse_extreme
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    exp,
    fmpq_of,
    log,
    precision,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.balls import endpoints
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw, renyi_of_sum

__all__ = ["PoissonSubsampled"]

_BITS = 192
"""Bits of the balls for a Rényi bound, whose upper end is taken.

Fewer would make it a bit larger, no less a bound."""


@validated
@dataclass(frozen=True, slots=True)
class PoissonSubsampled(PrivacyProfile):
    """A mechanism that sees each record with probability ``rate``, independently.

    Formula:
        For removing the record, δ'(ε) = q·δ(ln((γ − 1 + q)/q)), γ = e^ε, and 1 − γ if
        γ <= 1 − q. For adding it, δ'(ε) = c·δ(ln(γq/c)), c = 1 − γ(1 − q), and 0 if c <= 0.

    Attributes:
        mechanism: P is the law with the record, Q that without it.
        rate: q, strictly between 0 and 1.
        adds_record: False for P with the record and Q without, True for the reverse.

    Source:
        Balle, Barthe & Gaboardi 2018, advanced joint convexity.
    """

    mechanism: NumberProfile[Number]
    rate: Exact
    adds_record: bool = False

    @property
    def has_closed_form(self) -> bool:
        """Always."""
        return True

    @property
    def note(self) -> str | None:
        """What the numbers of the mechanism leave open."""
        return self.mechanism.note

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) in the direction of the profile.

        Example:
            Laplace noise with ε0 = 2 ln 2 seen half the time: half of δ at ln 2, which is
            1 − e^(−ln(2)/2).

            >>> from exactdp.mechanisms import laplace_mechanism
            >>> from exactdp.numbers import decimal
            >>> noise = laplace_mechanism(scale=1, sensitivity=2 * log(Exact(2)))
            >>> seen = PoissonSubsampled(noise, Exact("1/2"))
            >>> decimal(seen.delta(Epsilon.log("3/2")), digits=6)
            '0.146447'
        """
        value = self._delta(any_epsilon(epsilon))
        return value if relative_width is None else enclosed(value, relative_width)

    def max_divergence(self) -> Epsilon | Number:
        """Return ln(1 − q + q e^ε0), or −ln(1 − q + q e^(−ε0)) for adding a record."""
        return self._image(self._base().max_divergence())

    def infinity_mass(self) -> Number:
        """Return q times the mass that only P has; 0 for adding a record."""
        return Exact(0) if self.adds_record else self.rate * self.mechanism.infinity_mass()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the image of that of the mechanism; what P lacks has −ln(1 − q) for adding."""
        if self.adds_record:
            return self.max_divergence()
        return self._image(self.mechanism.largest_finite_loss())

    def _base(self) -> PrivacyProfile:
        """Return the direction of the mechanism that is like this one."""
        return self.mechanism.reversed() if self.adds_record else self.mechanism

    def _image(self, top: Epsilon | Number) -> Epsilon | Number:
        """Return ln(1 − q + q e^ℓ) of a largest loss ℓ, or −ln(1 − q + q e^(−ℓ))."""
        if isinstance(top, Epsilon):
            if top.is_infinite:
                return Epsilon(1 / (1 - self.rate)) if self.adds_record else top
            ratio = 1 / top.exp if self.adds_record else top.exp
            found = Epsilon(1 - self.rate + self.rate * ratio)
            return -found if self.adds_record else found
        sign = -1 if self.adds_record else 1
        return sign * log(1 - self.rate + self.rate * exp(sign * top))

    def reversed(self) -> PoissonSubsampled:
        """Return the other direction: adding for removing."""
        return replace(self, adds_record=not self.adds_record)

    def loss_law(self) -> LossLaw:
        """Return the law of the loss: ln(1 − q + q e^ℓ) for removing, which rises with ℓ.

        Raises:
            DomainError: If that of the mechanism is not known.
        """
        if not isinstance(self.mechanism, HasLossLaw):
            raise DomainError(
                f"{self.mechanism!r} has no law of its loss, so it is not composed. Ask for delta, "
                "epsilon or max_divergence of one step."
            )
        if isinstance(self.mechanism, AdditiveNoise):
            refuse_extreme(self.mechanism)
        found = self.mechanism.loss_law().subsampled(self.rate)
        return found.reversed() if self.adds_record else found

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a; where it is too large to compute, that of a convex mixture.

        Formula:
            e^((a − 1)D_a(P ‖ Q)) is jointly convex in P and Q. Here the pair is a mixture of
            (Q0, Q0) and (P0, Q0), or of (Q0, Q0) and (Q0, P0), with weights 1 − q and q; so
            D_a <= ln(1 + q(e^((a − 1)D) − 1))/(a − 1), D that of the mechanism.
        """
        try:
            return renyi_within(self, order, width=width)
        except (TooLargeError, UndecidedError):
            base = self._base()
            if self.adds_record and base.infinity_mass() != Exact(0):
                raise  # what P0 lacks has the finite loss −ln(1 − q) here, which D leaves out
            whole = renyi_bound(base, order, width=width)
        if whole is None:
            return None
        with precision(_BITS):
            power, rate = arb(fmpq_of(order - 1)), self.rate.ball(_BITS)
            moment = rate * (power * arb(fmpq_of(whole))).expm1()
            return endpoints(moment.log1p() / power)[1]

    def _renyi_at(self, order: Fraction) -> Number | None:
        if not isinstance(self.mechanism, HasLossLaw):
            return None
        return renyi_of_sum(self._parts, order=order)

    def _parts(self) -> list[tuple[LossLaw, int]]:
        return [(self.loss_law(), 1)]

    def _delta(self, epsilon: Epsilon) -> Number:
        gamma, q = epsilon.exp, self.rate
        if self.adds_record:
            left = 1 - gamma * (1 - q)
            if left.sign() <= 0:
                return Exact(0)
            found = self._base().delta(Epsilon(gamma * q / left))
            assert not isinstance(found, Enclosure)
            return left * found
        kept = gamma - (1 - q)
        if kept.sign() <= 0:
            return 1 - gamma
        return q * self.mechanism.delta(Epsilon(kept / q))
