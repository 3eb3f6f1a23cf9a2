"""The smallest ε of a profile for a δ: where δ(ε) crosses it, or the limit of δ(ε) itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from exactdp.divergences.values import LIMIT_BITS, delta_or_less, enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, decided_order
from exactdp.numbers.crossing import smallest_from_zero

__all__ = ["smallest_epsilon", "smallest_from"]


class _Profile(Protocol):
    @property
    def has_closed_form(self) -> bool: ...

    def infinity_mass(self) -> Number: ...

    def largest_finite_loss(self) -> Epsilon | Number: ...

    def search_start(self, delta: Exact) -> Fraction: ...

    def first_guess(self, delta: Exact) -> Fraction: ...

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure: ...

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure: ...


def smallest_epsilon(profile: _Profile, target: Exact, width: Fraction) -> Epsilon | Enclosure:
    """Return the smallest ε >= 0 (nats) with δ(ε) <= a target, 0 < target < 1.

    Returns:
        An enclosure: δ certainly holds at its upper end and fails at its lower one, or a point.
        Epsilon.infinity() if no finite ε has it; for a target that is exactly the mass at infinity
        the largest finite loss.

    Raises:
        UndecidedError: If the target cannot be told from the mass at infinity.

    Example:
        >>> from exactdp.divergences import Pair
        >>> leaky = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> smallest_epsilon(leaky, Exact("1/4"), Fraction(1, 10))  # below the mass at infinity
        Epsilon.infinity()
    """
    advice = (
        f"delta={target.text(most=40)} cannot be told from the mass that P has where Q has "
        "none. Ask for another delta."
    )
    order = decided_order(profile.infinity_mass(), target, max_bits=LIMIT_BITS, advice=advice)
    if order > 0:
        return Epsilon.infinity()
    if order == 0:
        top = profile.largest_finite_loss()
        if isinstance(top, Epsilon):
            if top.is_infinite:
                return top
            top = max(top, Epsilon.log(1)).nats
        ends = enclosed(top, width)
        return Enclosure(max(ends.lower, Fraction(0)), max(ends.upper, Fraction(0)))
    if profile.has_closed_form:
        at_zero = profile.delta(Epsilon.rational(0))
        if isinstance(at_zero, Exact) and at_zero <= target:  # which enclosures cannot tell
            return Enclosure(Fraction(0), Fraction(0))
    start = profile.search_start(target)
    found = profile._smallest_from(start, target, width)
    # δ at the start was not above the target after all: it says nothing.
    if 0 < start == found.upper:
        return profile._smallest_from(Fraction(0), target, width)
    return found


def smallest_from(profile: _Profile, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
    """Return an enclosure of the smallest ε >= start (nats); the point start if δ holds there.

    Raises:
        UndecidedError: If δ cannot be told from the target.
    """
    beyond = smallest_from_zero(
        lambda x, asked: delta_or_less(profile, Epsilon.rational(start + x), asked),
        target,
        first=profile.first_guess(target),
        relative_width=width,
    )
    return Enclosure(start + beyond.lower, start + beyond.upper)
