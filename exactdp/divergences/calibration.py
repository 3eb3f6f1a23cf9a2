"""Calibration: the value of one parameter at which a family of profiles meets (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from exactdp.divergences.profile import Largest, PrivacyProfile
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike, Rounding
from exactdp.numbers.arguments import open_probability, privacy_epsilon
from exactdp.numbers.crossing import Slope, crossing, largest_whole, smallest_whole

__all__ = ["calibrated", "largest_count", "smallest_count"]

MAX_COUNT = 10**18
"""The largest number of copies that is tried."""


def calibrated(
    profile_of: Callable[[Fraction], PrivacyProfile],
    *,
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    slope: Slope,
    first: Fraction = Fraction(1),
    at_most: Fraction | None = None,
    end: Rounding | None = None,
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
        at_most: The largest parameter there is; the point itself if it meets a target that
            smaller ones meet too.
        end: Where δ is known between bounds only, the one that is to cross: of the upper
            bound (UP) only the end that meets (ε, δ) is certain, of the lower one the other.
        relative_width: The width is at most this times the lower end.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If no bracket of this width is found.
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)

    def value_at(parameter: Fraction, width: Fraction) -> Enclosure:
        found = _delta(profile_of(parameter), at, target, width)
        if end is None:
            return found
        bound = found.upper if end is Rounding.UP else found.lower
        return Enclosure(bound, bound)

    return crossing(
        value_at,
        target,
        slope=slope,
        first=first,
        at_most=at_most,
        relative_width=relative_width,
    )


def largest_count(
    profile_of: Callable[[int], PrivacyProfile],
    *,
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    at_most: int = MAX_COUNT,
) -> int:
    """Return the largest n >= 1 at which a family of profiles still meets (ε, δ), exactly.

    Args:
        profile_of: The profile of n; its δ(ε) must grow in n, as in a composition.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        at_most: The largest n that is tried; itself if it meets the target.

    Raises:
        DomainError: If not even n = 1 meets the target.
        UndecidedError: If δ of the n sought cannot be told from the target.

    Example:
        Gaussian noise of σ = 10, n times, is one of σ = 10/√n:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import float_above, float_below
        >>> one = gaussian_mechanism(sigma=10)
        >>> most = largest_count(one.composed, epsilon=Epsilon.rational(1), delta="1e-5")
        >>> at = [one.composed(n).delta(Epsilon.rational(1)) for n in (most, most + 1)]
        >>> most, float_above(at[0]) <= 1e-5 < float_below(at[1])
        (7, True)
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)

    def value_at(count: int, width: Fraction) -> Enclosure:
        return _delta(profile_of(count), at, target, width)

    return largest_whole(value_at, target, at_most=at_most)


def smallest_count(
    profile_of: Callable[[int], PrivacyProfile],
    *,
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    at_most: int = MAX_COUNT,
) -> int:
    """Return the smallest n >= 1 at which a family of profiles meets (ε, δ), exactly.

    Args:
        profile_of: The profile of n; its δ(ε) must fall in n, as in a number of coins.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        at_most: The largest n that is tried.

    Raises:
        DomainError: If n = at_most does not meet the target.
        UndecidedError: If δ of an n cannot be told from the target.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> smallest_count(
        ...     lambda n: gaussian_mechanism(sigma=n), epsilon=Epsilon.rational(1), delta="1e-5"
        ... )
        4
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)

    def value_at(count: int, width: Fraction) -> Enclosure:
        return _delta(profile_of(count), at, target, width)

    return smallest_whole(value_at, target, at_most=at_most)


def _delta(profile: PrivacyProfile, at: Epsilon, target: Exact, width: Fraction) -> Enclosure:
    """Return δ; of the largest of several a value above the target, once one is above it."""
    found = []
    for side in profile.profiles if isinstance(profile, Largest) else (profile,):
        found.append(side.delta_beside(at, target, width))
        if bool(target < found[-1].lower):
            break
    return Enclosure(max(one.lower for one in found), max(one.upper for one in found))
