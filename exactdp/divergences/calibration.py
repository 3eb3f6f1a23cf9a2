"""Calibration: the value of one parameter at which a family of profiles meets (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import open_probability, privacy_epsilon
from exactdp.numbers.crossing import Slope, crossing

__all__ = ["calibrated"]


def calibrated(
    profile_of: Callable[[Fraction], PrivacyProfile],
    *,
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    slope: Slope,
    first: Fraction = Fraction(1),
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the parameter at which δ(ε) of a family crosses a target.

    Where δ falls in the parameter (the scale of a noise), the upper end certainly meets
    (ε, δ) and the lower end certainly does not; where it grows (a local ε0), the other way
    round. What the profile's ``note`` leaves open, the calibration leaves open too.

    Args:
        profile_of: The profile at a value of the parameter, above 0; its δ(ε) must be
            monotone in it, which the caller knows.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        slope: Whether δ falls or grows in the parameter.
        first: A first guess, positive.
        relative_width: The width is at most this times the lower end.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If no bracket of this width is found.
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)

    def value_at(parameter: Fraction, width: Fraction) -> Enclosure:
        return enclosed(profile_of(parameter).delta(at, relative_width=width), width)

    return crossing(value_at, target, slope=slope, first=first, relative_width=relative_width)
