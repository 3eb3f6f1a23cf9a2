"""δ and ε of laws near which others are known, by those of the others (``divergences.nearby``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from flint import arb

from exactdp.divergences.between_pairs import BetweenPairs, to_width
from exactdp.divergences.chernoff import Bounded
from exactdp.divergences.nearby import NearBy, NearLaws
from exactdp.divergences.profile import Parts, PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    certainly_below,
    enclosure,
    fmpq_of,
    short,
    working_bits,
)

__all__ = ["NearbyProfile", "profile_near"]

_TARGET_BITS = 128
"""Bits of a target, from which others beside it are made."""

_ASKED = Fraction(9, 20)
"""The part of a width of ε to which the ε of laws nearby is asked for, twice."""

_BITS = (40, 80, 160, 320)
"""Bits of the laws that are tried, one after another: they limit how small a δ can be told."""


@dataclass(frozen=True, repr=False, eq=False)
class NearbyProfile(BetweenPairs):
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
    told_by = "laws nearby", "laws nearby"
    _trade_off_within = PrivacyProfile._trade_off_within

    def __repr__(self) -> str:
        return f"<NearbyProfile: losses up to {self.top}, and a mass of {self.infinite} beyond>"

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def _deltas(
        self, epsilon: Epsilon, width: Fraction, target: Exact | None = None
    ) -> Iterator[Enclosure]:
        top, asked = self.top, width * Fraction(9, 10)
        is_above_all = (
            top <= epsilon
            if isinstance(top, Epsilon)
            else certainly_below(top, epsilon.nats, max_bits=256)
        )
        if is_above_all:
            yield enclosed(self.infinite, width)
            return
        gamma = enclosure(epsilon.exp).upper
        for near in map(self.near, _BITS):
            found = near.laws.delta(epsilon, relative_width=asked)
            yield near.around(enclosed(found, asked), gamma)

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        return self.delta(Epsilon(gamma), relative_width=width)

    def _epsilons(self, delta: Exact, width: Fraction) -> Iterator[Enclosure | Epsilon]:
        yield PrivacyProfile._epsilon_within(self, delta, width)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 at which δ is at most a target."""
        found = to_width("epsilon", partial(self._between_laws, target), width)
        assert isinstance(found, Enclosure)
        return found

    def _between_laws(self, target: Exact, width: Fraction) -> Iterator[Enclosure]:
        """Yield enclosures from the ε of laws nearby, of δ beside the target."""
        goal = enclosure(target, relative_bits=_TARGET_BITS)
        for near in map(self.near, _BITS):
            ends = near.beside(goal, Fraction(1))
            if not ends.is_narrow(width / 8):
                continue
            with suppress(UndecidedError):
                upper = near.laws._epsilon_within(Exact(ends.lower), width * _ASKED)
                if isinstance(upper, Epsilon):
                    continue  # what rounding has left at infinity is above the target
                gamma = enclosure(Epsilon.rational(upper.upper).exp).upper
                above = near.beside(goal, gamma).upper
                if above < 1:
                    lower = near.laws._epsilon_within(Exact(above), width * _ASKED)
                    assert isinstance(lower, Enclosure)
                    yield Enclosure(lower.lower, upper.upper)

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


def profile_near(
    near: NearBy, other: Callable[[], PrivacyProfile | None], top: Epsilon | None = None
) -> NearbyProfile:
    """Return the profile of laws that others are near, event by event, within a factor c.

    So are the largest losses, within 2 ln c, and the divergences of order a, within
    (a + |a − 1|)/|a − 1| ln c.

    Args:
        near: Returns laws nearby, on the same outcomes, and c.
        other: Returns the same of the other direction.
        top: The largest finite loss, where it is known exactly.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> found = profile_near(lambda bits: (coin, 1 + Fraction(1, 2**bits)), lambda: None)
        >>> print(f"{found.max_divergence():.6f} {found.delta(0, relative_width='1e-3'):.3f}")
        1.098612 [0.499, 0.501]
    """
    losses = near(_BITS[0])[0].losses()
    infinite = losses.infinity_mass()
    if top is None and losses.loss_count == 0:
        top = losses.largest_finite_loss()
    return NearbyProfile(
        partial(_within_factor, near),
        top or Real(partial(_loss_ball, near), "the largest loss"),
        infinite if infinite in (0, 1) else Real(partial(_mass_ball, near), "mass at infinity"),
        other,  # type: ignore[arg-type]
        partial(_divergence, near),
    )


def _within_factor(near: NearBy, bits: int) -> NearLaws[PrivacyProfile]:
    laws, factor = near(bits)
    return NearLaws(laws, factor - 1)


def _loss_ball(near: NearBy) -> arb:
    laws, factor = near(working_bits())
    return _moved(laws.losses().largest_finite_loss().nats, 2 * (factor - 1))


def _mass_ball(near: NearBy) -> arb:
    laws, factor = near(working_bits())
    mass = laws.losses().infinity_mass()
    return _moved(mass, (factor - 1) * mass.as_fraction())


def _divergence(near: NearBy, order: Fraction) -> Real:
    return Real(partial(_divergence_ball, near, order), f"divergence of order {short(order)}")


def _divergence_ball(near: NearBy, order: Fraction) -> arb:
    laws, factor = near(working_bits())
    share = (order + abs(order - 1)) / abs(order - 1)
    found = laws._renyi_at(order)
    assert not isinstance(found, Enclosure | None)
    return _moved(found, share * (factor - 1))  # ln c <= c − 1


def _moved(value: Number, by: Fraction) -> arb:
    """Return a ball around all numbers that are so near to one."""
    return value.ball(working_bits()) + arb(0, arb(fmpq_of(by)).upper())
