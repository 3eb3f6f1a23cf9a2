"""One of several pairs is drawn, and it is seen which: the law of the loss, and quick bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from exactdp.accounting.composition.parts import loss_law
from exactdp.accounting.loss_profile import LossProfile
from exactdp.accounting.sampling.convex_bounds import mean_bound
from exactdp.divergences import PrivacyProfile
from exactdp.numbers import Exact, Number
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = ["SeenMixture"]


@validated
@dataclass(frozen=True, slots=True)
class SeenMixture(LossProfile):
    """The profile of pairs of which one is drawn and seen: δ and moments are means of theirs.

    Attributes:
        parts: (weight, profile), of what has a law of its loss.

    Example:
        One time of two Gaussian noise of σ = 1, else of σ = 2: half of 2Φ(1/2) − 1 = 0.382925 and
        half of 2Φ(1/4) − 1 = 0.197413.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> half = Exact("1/2")
        >>> one = SeenMixture.of([(half, gaussian_mechanism(sigma=s)) for s in (1, 2)])
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)
        '0.290169'
    """

    parts: tuple[tuple[Number, PrivacyProfile], ...]

    def __post_init__(self) -> None:
        """Check nothing: laws of known profiles are laws, and so are means of them."""

    @classmethod
    def of(
        cls, parts: Sequence[tuple[Number, PrivacyProfile]], *, lost: Number | None = None
    ) -> SeenMixture:
        """Return the mixture.

        Args:
            parts: (weight, profile); the weights are positive and sum to 1, with what is lost.
            lost: The probability with which all is shown, if it is not 0.

        Raises:
            DomainError: If no law is known of the loss of a part.
        """
        laws = [(weight, loss_law(part)) for weight, part in parts]
        if lost is not None:
            shown = LossLaw(infinity_mass=Exact(1), minus_infinity_mass=Exact(1), is_symmetric=True)
            laws.append((lost, shown))
        return cls(LossLaw.mixed(laws), tuple(parts))

    def reversed(self) -> Self:
        """Return the mixture of the other directions; itself, if each is the same."""
        other = LossProfile.reversed(self)
        if other is not self:
            turned = tuple((weight, part.reversed()) for weight, part in self.parts)
            object.__setattr__(other, "parts", turned)
        return other

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return ln(Σ w_i e^((a − 1)D_i))/(a − 1) of bounds of the parts, over finite losses."""
        bounds = [(weight, part.convex_bound(order)) for weight, part in self.parts]
        known = [(weight, bound) for weight, bound in bounds if bound is not None]
        return mean_bound(known, order) if len(known) == len(bounds) else None
