"""Poisson subsampling of a mechanism: a mixture against its base, in closed form.

Each record is seen with probability q, independently: δ is that of :class:`SampledCurve`. Where
the law of the mechanism's loss is known, so is that of the sample's.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling,
2018; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (the dominating pairs compose).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from exactdp.accounting.composition.parts import loss_law
from exactdp.accounting.sampling.sampled_curve import SampledCurve
from exactdp.divergences import NumberProfile
from exactdp.divergences.profile import Named, PrivacyProfile, enclosed
from exactdp.numbers import Enclosure, Exact, Number
from exactdp.numbers.effort import first_answer
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["PoissonSubsampled"]


@validated
@dataclass(frozen=True, slots=True)
class PoissonSubsampled(SampledCurve):
    """A mechanism with a law of its loss that sees each record with probability ``rate``.

    Formula:
        That of :class:`SampledCurve`, whose attributes it has; its δ is a number.

    Source:
        Balle, Barthe & Gaboardi 2018, advanced joint convexity.

    Example:
        Laplace noise with ε0 = 2 ln 2 seen half the time: half of δ at ln 2, which is
        1 − e^(−ln(2)/2).

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import Epsilon, decimal, log
        >>> noise = laplace_mechanism(scale=1, sensitivity=2 * log(Exact(2)))
        >>> seen = PoissonSubsampled(noise, Exact("1/2"))
        >>> decimal(seen.delta(Epsilon.log("3/2")), digits=6)
        '0.146447'
    """

    mechanism: NumberProfile[Number]
    rate: Exact
    adds_record: bool = False
    below: tuple[Named, ...] = ()

    @property
    def has_loss_law(self) -> bool:
        """Whether that of the mechanism is known."""
        return self.mechanism.has_loss_law

    def loss_law(self) -> LossLaw:
        """Return the law of the loss: ln(1 − q + q e^ℓ) for removing, which rises with ℓ.

        Raises:
            DomainError: If that of the mechanism is not known.
        """
        found = loss_law(self.mechanism).subsampled(self.rate)
        return found.reversed() if self.adds_record else found

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a; where it is too large to compute, that of a convex mixture."""
        ways = [PrivacyProfile.renyi_bound, SampledCurve.renyi_bound]
        if self.adds_record and self._base().infinity_mass() != Exact(0):
            del ways[1]  # what P0 lacks has the finite loss −ln(1 − q) here, which D leaves out
        return first_answer(*(partial(way, self, order, width=width) for way in ways))

    def _renyi_at(self, order: Fraction) -> Number | None:
        return self._renyi_of_law(order) if self.reached == "pair" else None

    def _renyi_from_delta(self, order: Fraction, width: Fraction) -> Enclosure:
        whole = None if self.reached == "pair" else self._renyi_of_law(order)
        if whole is None:
            return SampledCurve._renyi_from_delta(self, order, width)
        return self._beside_cases(order, width, enclosed(whole, width))

    def _renyi_of_law(self, order: Fraction) -> Number | None:
        if not self.has_loss_law:
            return None
        return renyi_of_law(self.loss_law, order=order)
