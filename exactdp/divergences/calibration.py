"""Calibration: the value of one parameter at which a family of profiles meets (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeVar

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.questions import beside
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    Rounding,
    certainly_below,
    certainly_not_below,
)
from exactdp.numbers.arguments import open_probability, privacy_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.bracketing import bracketed
from exactdp.numbers.crossing import Slope, crossing, largest_whole, smallest_whole
from exactdp.numbers.effort import first_answer
from exactdp.numbers.seen import Bracket, Seen, seen_of
from exactdp.numbers.whole import last_whole

__all__ = ["crossing_parameter", "largest_count", "smallest_count"]

MAX_COUNT = 10**18
"""The largest number of copies that is tried."""

_NEAR = Fraction(1, 100)
"""The relative width of a bracket that is sought by ε where that is quick; then δ is quicker."""

_NEAR_END = Fraction(1, 10**3)
"""The relative width of an end of bounds, at most: it counts as it is."""

_NARROWEST = Fraction(1, 10**10)
"""The narrowest relative width of a bracket by ε: its arguments are proposed in doubles."""

X = TypeVar("X", int, Fraction)


def crossing_parameter(
    profile_of: Callable[[Fraction], PrivacyProfile],
    *,
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    slope: Slope,
    first: Fraction = Fraction(1),
    at_most: Fraction | None = None,
    power: int = 1,
    end: Rounding | None = None,
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
        power: About the power of the parameter, or of 1 over it, that ε(δ) is.
        end: Where δ is known between bounds only, the one that is to cross: of the upper
            bound (UP) only the end that meets (ε, δ) is certain, of the lower one the other.
        relative_width: The width is at most this times the lower end.

    Raises:
        DomainError: If an argument is outside its range.
        UndecidedError: If no bracket of this width is found.
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)

    def value_at(parameter: Fraction, width: Fraction) -> Enclosure:
        return _value(profile_of(parameter), at, target, width, end)

    def by_epsilon(width: Fraction, start: Fraction) -> Bracket:
        return bracketed(
            partial(_seen, profile_of, at, target),
            beside_at=partial(_seen_by_delta, profile_of, at, target),
            slope=slope,
            first=start,
            at_most=at_most,
            power=power,
            relative_width=width,
        )

    first = first if at_most is None else min(first, at_most / 2)
    search = partial(crossing, value_at, target, slope=slope, relative_width=relative_width)
    if end is not None or not _is_quick(profile_of(first), at):
        return search(first=first, at_most=at_most)
    width = checked_width(relative_width)
    near = by_epsilon(max(width, _NEAR), first)
    if near.low == near.high:
        return Enclosure(near.low, near.high)
    between = partial(search, first=near.guess, between=(near.low, near.high))

    def by_narrow_epsilon() -> Enclosure:
        found = by_epsilon(width, near.guess)
        return Enclosure(found.low, found.high)

    return between() if width < _NARROWEST else first_answer(between, by_narrow_epsilon)


def largest_count(
    profile_of: Callable[[int], PrivacyProfile],
    *,
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    first: int = 1,
    at_most: int = MAX_COUNT,
    end: Rounding | None = None,
) -> int:
    """Return the largest n >= 1 at which a family of profiles still meets (ε, δ), exactly.

    Args:
        profile_of: The profile of n; its δ(ε) must grow in n, as in a composition.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        first: A first guess, at least 1.
        at_most: The largest n that is tried; itself if it meets the target.
        end: Where δ is known between bounds only, the one that counts.

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
        return _value(profile_of(count), at, target, width, end)

    if at_most < 2 or end is not None or not _is_quick(profile_of(2), at):
        return largest_whole(value_at, target, at_most=at_most)
    one = profile_of(1)
    if not one.has_quick_epsilon and beside(one, at, target, _NEAR).is_above(target):
        return largest_whole(value_at, target, at_most=1)  # not even one
    near = bracketed(
        lambda count, width: _seen(profile_of, at, target, int(count), width),
        beside_at=lambda count, width: _seen_by_delta(profile_of, at, target, int(count), width),
        slope=Slope.GROWING,
        first=Fraction(first),
        at_most=Fraction(at_most),
        is_whole=True,
        relative_width=_NEAR,
    )
    if near.high == 1:
        return largest_whole(value_at, target, at_most=1)  # not even one
    return last_whole(lambda count, width: value_at(int(count), width), target, near)


def smallest_count(
    profile_of: Callable[[int], PrivacyProfile],
    *,
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    at_most: int = MAX_COUNT,
    end: Rounding | None = None,
) -> int:
    """Return the smallest n >= 1 at which a family of profiles meets (ε, δ), exactly.

    Args:
        profile_of: The profile of n; its δ(ε) must fall in n, as in a number of coins.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        at_most: The largest n that is tried.
        end: Where δ is known between bounds only, the one that counts.

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
        return _value(profile_of(count), at, target, width, end)

    return smallest_whole(value_at, target, at_most=at_most)


def _value(
    profile: PrivacyProfile, at: Epsilon, target: Exact, width: Fraction, end: Rounding | None
) -> Enclosure:
    """Return an enclosure of δ(ε), or one end of it as a point."""
    if end is None:
        return beside(profile, at, target, width)
    found = beside(profile, at, target, min(width, _NEAR_END))
    bound = found.upper if end is Rounding.UP else found.lower
    return Enclosure(bound, bound)


def _is_quick(profile: PrivacyProfile, at: Epsilon) -> bool:
    """Return whether a bracket is sought by ε(δ): at ε = 0 it says little."""
    return profile.has_quick_epsilon and at > Epsilon.log(1)


def _seen(
    profile_of: Callable[[X], PrivacyProfile], at: Epsilon, target: Exact, x: X, width: Fraction
) -> Seen:
    """Return whether ε(δ) > ε, that is δ(ε) > δ, for a target (ε, δ), and about how far it is."""
    profile = profile_of(x)
    if not profile.has_quick_epsilon:
        return Seen(beside(profile, at, target, width).is_above(target))
    found = profile.epsilon(target, relative_width=width)
    if isinstance(found, Epsilon):
        return Seen(found > at)
    # The smallest ε with δ(ε) <= δ is in it, whatever else is known of its ends.
    low, high = Exact(found.lower), Exact(found.upper)
    is_above = None
    if certainly_not_below(at.nats, high):
        is_above = False
    elif certainly_below(at.nats, low):
        is_above = True
    return seen_of(found, at.nats, is_above=is_above)


def _seen_by_delta(
    profile_of: Callable[[X], PrivacyProfile], at: Epsilon, target: Exact, x: X, width: Fraction
) -> Seen:
    """Return an enclosure of δ(ε), which is one value and no search, where it is near δ."""
    found = beside(profile_of(x), at, target, width)
    return seen_of(found, target, is_above=found.is_above(target))
