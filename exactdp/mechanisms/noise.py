"""What the mechanisms that add noise have in common: one profile, the same both ways.

Sensitivity is Δ = max |f(D) − f(D')| over neighbors. Under add/remove neighbors a count
has Δ = 1; a sum of values in [0, B] has Δ = B under either relation, of values in
[−B, B] it has Δ = B under add/remove and 2B under replace. A mechanism here is told Δ
and knows nothing of the relation: it stands for the pair f = 0 against f = Δ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Self

from exactdp.divergences import NumberProfile, PrivacyProfile
from exactdp.divergences.calibration import calibrated
from exactdp.errors import DomainError, TooLargeError
from exactdp.inversion import LossLaw
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    decimal,
    is_below,
    short,
)
from exactdp.numbers.arguments import NumberLike, positive
from exactdp.numbers.crossing import Slope
from exactdp.truth import Truth

__all__ = ["AdditiveNoise", "refuse_extreme", "smallest_scale"]

_LEAST, _MOST = Exact("1e-140"), Exact("1e30")


class AdditiveNoise(NumberProfile[Number]):
    """Noise that is as likely as its negative, on a query of sensitivity Δ.

    So (P, Q) is the mirror image of (Q, P), and both have the same δ at every ε.
    """

    __slots__ = ()

    sensitivity: Number | int
    """Δ."""

    @property
    def has_closed_form(self) -> bool:
        """Always."""
        return True

    def reversed(self) -> Self:
        """Return the mechanism itself: the other direction is the mirror image."""
        return self

    @property
    @abstractmethod
    def loss_size(self) -> Number:
        """How large the loss is, or its deviation: which numbers it takes to plan with it."""

    @abstractmethod
    def loss_law(self) -> LossLaw:
        """Return the law of the privacy loss ln(P/Q) under P, for compositions."""

    def above(self, x: Number) -> Number:
        """Return Pr[noise > x].

        Raises:
            DomainError: If no formula is known.
        """
        raise DomainError(f"Pr[noise > x] is not known here for {type(self).__name__}.")

    def exceeded(self, level: Exact) -> Number:
        """Return the smallest x with Pr[noise > x] <= level; an integer for noise on integers.

        Args:
            level: Strictly between 0 and 1.

        Raises:
            DomainError: If no formula is known.
        """
        raise DomainError(f"no formula of it is known here for {type(self).__name__}.")


def refuse_extreme(noise: AdditiveNoise) -> None:
    """Raise where losses, and what is exponential in them, cannot be planned in doubles.

    Raises:
        TooLargeError: If losses are below 1e-140, or above 1e30 nats.
    """
    size = noise.loss_size
    if not all(is_below(a, b) is Truth.TRUE for a, b in ((_LEAST, size), (size, _MOST))):
        raise TooLargeError(
            f"losses of about {short(decimal(size, digits=3))} nats are out of the range of "
            "sums, 1e-140 to 1e30. Ask for this mechanism alone, or take a less extreme one."
        )


def smallest_scale(
    mechanism_of: Callable[[Exact, Exact], PrivacyProfile],
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sensitivity: NumberLike,
    relative_width: RationalLike,
) -> Enclosure:
    """Return an enclosure of the smallest scale at which a family of noise is (ε, δ)-private.

    Args:
        mechanism_of: The mechanism of a scale and a sensitivity; its δ falls in the scale.
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.
        sensitivity: Δ, rational.
        relative_width: Of the enclosure.

    Returns:
        upper certainly gives (ε, δ), lower certainly does not.

    Raises:
        DomainError: If an argument is outside its range.
    """
    size = positive(sensitivity, name="sensitivity")
    if not isinstance(size, Exact) or not size.is_rational:
        raise DomainError("sensitivity is not rational. Calibrate for 1 and multiply.")

    def at(scale: Fraction) -> PrivacyProfile:
        return mechanism_of(Exact(scale), size)

    return calibrated(
        at,
        epsilon=epsilon,
        delta=delta,
        slope=Slope.FALLING,
        first=size.as_fraction(),
        relative_width=relative_width,
    )
