"""Composition of laws of which others nearby are known, whose masses are short rationals.

Integer noise, whole or on a sample, has losses on no lattice, and masses that are long or no
rationals at all. The sum of the losses of laws nearby is certified (``certified``), and so what it
says of the laws themselves (``divergences.nearby``). Where no sum is short enough, or not even the
masses can be listed, Rényi divergences bound δ and ε, if no width is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from operator import add

from exactdp.accounting.composition.certified_composition import compose_certified
from exactdp.accounting.composition.fallbacks import looser_delta, looser_epsilon, reached_or_bounds
from exactdp.accounting.composition.parts import near_part, total_infinity, total_loss
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.nearby import NearbyProfile, NearLaws, nearby_together
from exactdp.divergences.profile import Parts
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width

__all__ = ["ComposedNearby", "compose_near"]


_Parts = Sequence[tuple[PrivacyProfile, int]]


@dataclass(frozen=True, repr=False, eq=False)
class ComposedNearby(NearbyProfile):
    """The composition of parts some of which have short masses nearby.

    Attributes:
        parts: The profiles, with their numbers of copies.

    Where no width is asked, what is not reached is bounded: ``upper_by`` says by what.
    """

    parts: tuple[tuple[PrivacyProfile, int], ...] = ()

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return an enclosure of δ(ε); without a width to 1e-6, 1e-3, 1e-2 or a named bound."""
        if relative_width is not None:
            return super().delta(epsilon, relative_width=checked_width(relative_width))
        at = any_epsilon(epsilon)
        looser = partial(looser_delta, MomentBounds((self.parts,)), at)
        return reached_or_bounds(partial(self._delta_enclosed, at), self.usual_width, looser)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is asked."""
        ask = partial(self._epsilon_within, delta)
        looser = partial(looser_epsilon, MomentBounds((self.parts,)), delta)
        return reached_or_bounds(ask, self.usual_width, looser)


def compose_near(parts: _Parts) -> ComposedNearby:
    """Return the composition of parts, some of which have short masses nearby.

    Example:
        Two Skellam noises, less than two Gaussian ones of their variance, which have 3.89:

        >>> from exactdp.mechanisms import skellam_mechanism
        >>> both = compose_near([(skellam_mechanism(variance=3), 2)])
        >>> found = both.epsilon("1e-6", relative_width="1e-3")
        >>> bool(3 < found.lower < found.upper < Fraction(301, 100))
        True
    """
    return ComposedNearby(
        partial(_near, parts),
        total_loss((part.largest_finite_loss(), times) for part, times in parts),
        total_infinity(parts),
        partial(_reversed, parts),
        partial(_renyi_at, parts),
        tuple(parts),
    )


def _near(parts: _Parts, bits: int) -> NearLaws[PrivacyProfile]:
    taken: list[tuple[NearLaws[PrivacyProfile], int]] = []
    for part, times in parts:
        is_itself = not part.has_laws_near
        more = bits + times.bit_length()
        near = NearLaws(part, Fraction(0)) if is_itself else near_part(part, more)
        taken.append((near, times))
    # Losses nearly without a lattice: enclosures are faster than exact sums.
    return nearby_together(taken, compose_certified)


def _reversed(parts: _Parts) -> PrivacyProfile:
    return compose_near([(part.reversed(), times) for part, times in parts])


def _renyi_at(parts: _Parts, order: Fraction) -> Number | None:
    found: list[Number] = []
    for part, times in parts:
        one = part._renyi_at(order)
        if one is None or isinstance(one, Enclosure):
            return None
        found.append(times * one)
    return reduce(add, found)  # of independent parts
