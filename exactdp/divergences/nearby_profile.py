"""δ and ε of laws near which others are known, by those of the others (``divergences.nearby``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TypeVar

from exactdp.divergences.chernoff import Bounded
from exactdp.divergences.fallbacks import looser_delta, looser_epsilon, reached_or_bounds
from exactdp.divergences.nearby import NearLaws
from exactdp.divergences.profile import Parts, PrivacyProfile
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Rounding,
    certainly_below,
    decimal,
    enclosure,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.crossing import smallest_from_zero

__all__ = ["NearbyProfile"]

_TARGET_BITS = 128
"""Bits of a target, from which others beside it are made."""

_SPARED = Fraction(1, 16)
"""The part of a width of ε that the s of the header may be of a δ."""

_ASKED = Fraction(9, 20)
"""The part of a width of ε to which the ε of laws nearby is asked for, twice."""

_BITS = (40, 80, 160, 320)
"""Bits of the laws that are tried, one after another: they limit how small a δ can be told."""

A = TypeVar("A")


@dataclass(frozen=True, repr=False, eq=False)
class NearbyProfile(PrivacyProfile):
    """The profile of two laws, near which others are known.

    Attributes:
        laws: The function from a number of bits to laws nearby, about 2^-bits off.
        top: The largest finite loss of the laws themselves; Epsilon.infinity() if there is none.
        infinite: The mass of P where Q has none.
        other: The other direction.
        renyi_at: The Rényi divergence of an order, where it is known; None if none is.
        parts: What it is composed of, if it is.
        bounds: Rényi divergences that bound it where no width is asked, and the usual one is not
            reached: ``upper_by`` says so.
    """

    laws: Callable[[int], NearLaws[PrivacyProfile]]
    top: Epsilon | Number
    infinite: Number
    other: Callable[[], PrivacyProfile]
    renyi_at: Callable[[Fraction], Number | None] | None = None
    parts: Parts = ()
    bounds: Bounded | None = None

    usual_width = Fraction(1, 10**6)
    has_laws_near = True

    def __repr__(self) -> str:
        return f"<NearbyProfile: losses up to {self.top}, and a mass of {self.infinite} beyond>"

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return an enclosure of δ(ε); without a width to 1e-6, 1e-3, 1e-2 or a named bound."""
        at = any_epsilon(epsilon)
        if relative_width is not None:
            return self._delta_to(at, checked_width(relative_width))
        return self._usual(partial(self._delta_to, at), partial(looser_delta, epsilon=at))

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is asked."""
        return self._usual(
            partial(self._epsilon_within, delta), partial(looser_epsilon, delta=delta)
        )

    def _usual(
        self, ask: Callable[[Fraction], A], looser: Callable[[Bounded], tuple[Fraction, str] | None]
    ) -> A | Bounds:
        if self.bounds is None:
            return ask(self.usual_width)
        return reached_or_bounds(ask, self.usual_width, partial(looser, self.bounds))

    def _delta_to(self, at: Epsilon, width: Fraction) -> Enclosure:
        top = self.top
        is_above_all = (
            top <= at if isinstance(top, Epsilon) else certainly_below(top, at.nats, max_bits=256)
        )
        if is_above_all:
            return enclosed(self.infinite, width)
        found = self._within(at, width, Fraction(0))
        if not found.is_narrow(width):
            raise UndecidedError(
                f"delta is {decimal(Exact(found.upper), digits=3, rounding=Rounding.UP)} at most, "
                "and not known more closely. Ask for a larger delta or relative_width."
            )
        return found

    def _within(self, epsilon: Epsilon, width: Fraction, floor: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε): narrow enough, below a floor, or the best that was tried."""
        gamma = enclosure(epsilon.exp).upper
        for bits in _BITS:
            near, asked = self.near(bits), width * Fraction(9, 10)
            found = near.around(
                enclosed(near.laws.delta(epsilon, relative_width=asked), asked), gamma
            )
            if found.is_narrow(width) or found.upper <= floor:
                break
        return found

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 at which δ is at most a target."""
        found = self._between_laws(target, width)
        if found is not None:
            return found
        floor = enclosed(target, "1/8").lower / 4
        return smallest_from_zero(
            lambda x, asked: self._within(Epsilon.rational(x), asked, floor),
            target,
            first=self.near(_BITS[0]).laws.first_guess(target),
            relative_width=width,
        )

    def _between_laws(self, target: Exact, width: Fraction) -> Enclosure | None:
        """Return the same from the ε of laws nearby; None where that is not near enough."""
        more = (target * width * _SPARED).ball(_TARGET_BITS)
        spare = Exact(endpoints(more)[0])
        goal = enclosure(target, relative_bits=_TARGET_BITS)
        ends = goal.upper - spare.as_fraction(), goal.lower + spare.as_fraction()
        if ends[1] >= 1:
            return None

        def is_near(near: NearLaws[PrivacyProfile], gamma: Fraction) -> bool:
            high, low = (near.around(Enclosure(end, end), gamma) for end in ends)
            return high.upper <= goal.lower and goal.upper <= low.lower

        for bits in _BITS:
            near = self.near(bits)
            if not is_near(near, Fraction(1)):
                continue
            with suppress(UndecidedError):
                upper = _nats(near.laws._epsilon_within(target - spare, width * _ASKED), width)
                if upper is None:
                    continue  # what rounding has left at infinity is above the target
                gamma = enclosure(Epsilon.rational(upper.upper).exp).upper
                if not is_near(near, gamma):
                    continue
                lower = _nats(near.laws._epsilon_within(target + spare, width * _ASKED), width)
                if lower is not None and upper.upper - lower.lower <= width * lower.lower:
                    return Enclosure(lower.lower, upper.upper)
            return None
        return None

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        return self.top if self.infinite == Exact(0) else Epsilon.infinity()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss."""
        return self.top

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none."""
        return self.infinite

    def reversed(self) -> PrivacyProfile:
        """Return the other direction."""
        return self.other()

    def _renyi_at(self, order: Fraction) -> Number | None:
        return None if self.renyi_at is None else self.renyi_at(order)

    def near(self, bits: int) -> NearLaws[PrivacyProfile]:
        """Return laws near P and Q, about 2^-bits off; they are kept."""
        if bits not in self._found:
            self._found[bits] = self.laws(bits)
        return self._found[bits]

    @cached_property
    def _found(self) -> dict[int, NearLaws[PrivacyProfile]]:
        return {}


def _nats(found: Epsilon | Enclosure, width: Fraction) -> Enclosure | None:
    """Return an ε as an enclosure in nats; None if it is infinite."""
    if isinstance(found, Enclosure):
        return found
    return None if found.is_infinite else enclosed(found.nats, width / 64)
