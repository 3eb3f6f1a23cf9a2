"""Calibration: the value of one parameter at which a family of profiles meets (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.questions import beside
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, RationalLike, Rounding
from exactdp.numbers.arguments import open_probability, privacy_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import Scale, Slope, crossing

__all__ = ["crossing_parameter", "extreme_count"]

_NEAR_END = Fraction(1, 10**3)
"""The relative width of an end of bounds, at most: it counts as it is."""

_BITS = 256
"""Relative bits of an ε that is compared with another one."""


def crossing_parameter(
    profile_of: Callable[[Fraction], PrivacyProfile],
    *,
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    slope: Slope,
    first: Fraction = Fraction(1),
    at_most: Fraction | None = None,
    end: Rounding | None = None,
    is_whole: bool = False,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the parameter at which δ(ε) of a family crosses a target.

    Where δ falls in the parameter (the scale of a noise), the upper end certainly meets
    (ε, δ) and the lower end certainly does not; where it grows (a local ε0), the other way
    round. The calibration leaves open whatever the profile's ``note`` leaves open.

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
        is_whole: Whether the parameter is a whole number: the lower end may be 0 then.
        relative_width: The width is at most this times the lower end; 1 of whole numbers.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If no bracket of this width is found.
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)
    member = lru_cache(maxsize=2)(profile_of)

    def delta_at(x: Fraction, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), or one end of it as a point."""
        if end is None:
            return beside(member(x), at, target, width)
        found = beside(member(x), at, target, min(width, _NEAR_END))
        bound = found.upper if end is Rounding.UP else found.lower
        return Enclosure(bound, bound)

    def epsilon_at(x: Fraction, width: Fraction) -> Enclosure:
        """Return an enclosure of ε(δ)/ε: above 1 where δ(ε) > δ."""
        found = member(x).epsilon(target, relative_width=width)
        if isinstance(found, Epsilon):
            if found.is_infinite:
                return Enclosure(Fraction(2), Fraction(1 << 64))  # above 1, and no number
            found = enclosed(found.nats, width)
        # The smallest ε with δ(ε) <= δ is in it, whatever else is known of its ends.
        wanted = enclosed(at.nats, Fraction(1, 1 << _BITS))
        return Enclosure(found.lower / wanted.upper, found.upper / wanted.lower)

    first = first if at_most is None or is_whole else min(first, at_most / 2)
    # At ε = 0 another ε says little.
    is_quick = end is None and at > Epsilon.log(1) and member(Fraction(first)).has_quick_epsilon
    return crossing(
        delta_at,
        target,
        slope=slope,
        first=first,
        at_most=at_most,
        scale=Scale(epsilon_at if is_quick else None, is_whole),
        # The last steps are a third of a width long: with a third of it every bracket is as narrow.
        relative_width=checked_width(relative_width) / 3,
    )


def extreme_count(
    profile_of: Callable[[int], PrivacyProfile],
    *,
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    slope: Slope,
    first: int = 1,
    at_most: int = 10**18,
    end: Rounding | None = None,
) -> int:
    """Return the largest n >= 1 that meets (ε, δ) where δ grows, the smallest where it falls.

    Args:
        profile_of: The profile of n, as of a composition of n or of n coins.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        slope: Whether its δ(ε) grows or falls in n.
        first: A first guess, at least 1.
        at_most: The largest n that is tried.
        end: Where δ is known between bounds only, the one that counts.

    Raises:
        DomainError: If no n meets the target: not even 1, or not even ``at_most``.
        UndecidedError: If δ of the n sought cannot be told from the target.

    Example:
        Gaussian noise of σ = 10, n times, is one of σ = 10/√n:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import float_above, float_below
        >>> one, target = gaussian_mechanism(sigma=10), {"epsilon": 1, "delta": "1e-5"}
        >>> most = extreme_count(one.composed, slope=Slope.GROWING, **target)
        >>> at = [one.composed(n).delta(Epsilon.rational(1)) for n in (most, most + 1)]
        >>> most, float_above(at[0]) <= 1e-5 < float_below(at[1])
        (7, True)
        >>> extreme_count(lambda n: gaussian_mechanism(sigma=n), slope=Slope.FALLING, **target)
        4
    """
    found = crossing_parameter(
        lambda n: profile_of(int(n)),
        epsilon=epsilon,
        delta=delta,
        slope=slope,
        first=Fraction(first),
        at_most=Fraction(at_most),
        end=end,
        is_whole=True,
    )
    if slope is Slope.GROWING:
        if found.lower == 0:
            raise DomainError(f"not even 1 meets delta={delta}. Ask for a larger delta.")
        return int(found.lower)
    if found.lower == found.upper:
        raise DomainError(
            f"delta={delta} is not met at {at_most}: nothing up to there meets it. Ask for more "
            "than that."
        )
    return int(found.upper)
