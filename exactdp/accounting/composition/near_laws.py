"""Composition of laws of which others nearby are known, whose masses are short rationals.

Integer noise, whole or on a sample, has losses on no lattice, and masses that are long or no
rationals at all. The sum of the losses of laws nearby is certified (``certified``), and so what it
says of the laws themselves (``divergences.nearby``). Where no sum is short enough, or not even the
masses can be listed, Rényi divergences bound δ and ε, if no width is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from exactdp.accounting.composition.certified_composition import compose_certified
from exactdp.accounting.composition.parts import (
    added_numbers,
    near_part,
    total_infinity,
    total_loss,
)
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.nearby import NearLaws, nearby_together
from exactdp.divergences.nearby_profile import NearbyProfile

__all__ = ["compose_near"]

_Parts = Sequence[tuple[PrivacyProfile, int]]


def compose_near(parts: _Parts) -> NearbyProfile:
    """Return the composition of parts, some of which have short masses nearby.

    Example:
        Two Skellam noises, less than two Gaussian ones of their variance, which have 3.89:

        >>> from exactdp.mechanisms import skellam_mechanism
        >>> both = compose_near([(skellam_mechanism(variance=3), 2)])
        >>> found = both.epsilon("1e-6", relative_width="1e-3")
        >>> bool(3 < found.lower < found.upper < Fraction(301, 100))
        True
    """
    return NearbyProfile(
        partial(_near, parts),
        total_loss((part.largest_finite_loss(), times) for part, times in parts),
        total_infinity(parts),
        partial(_reversed, parts),
        partial(added_numbers, parts),
        tuple(parts),
        MomentBounds((tuple(parts),)),
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


def _reversed(parts: _Parts) -> NearbyProfile:
    return compose_near([(part.reversed(), times) for part, times in parts])
