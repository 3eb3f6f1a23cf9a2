"""The two directions of neighbors that differ in one record: with the record first, and second.

Of two data sets one has the record. Whatever runs on both has P with the record, or Q: in a
composition all parts have the same direction, so that it has two, and no more. Of a ``Largest`` in
general nothing says which profile of one part goes with which of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exactdp.divergences.losses import FiniteProfile
from exactdp.divergences.profile import Largest, PrivacyProfile
from exactdp.numbers.validated import validated

__all__ = ["AddOrRemove", "add_or_remove", "alike"]

Parts = Sequence[tuple[PrivacyProfile, int]]

_MOST = 8
"""Profiles of a ``Largest``, at most, each of which is composed with the rest."""


@validated
@dataclass(frozen=True, slots=True)
class AddOrRemove(Largest):
    """The larger of two directions: P has the record in the first profile, Q in the second.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])  # 0 and 1/2 at every ε
        >>> both = AddOrRemove((pair, pair.reversed()))
        >>> both.reversed() is both
        True
    """

    def reversed(self) -> AddOrRemove:
        """Return itself: neighbors in the other order are neighbors."""
        return self


@validated
def add_or_remove(removed: PrivacyProfile) -> PrivacyProfile:
    """Return the larger of both directions of neighbors that differ in one record.

    δ is that of :meth:`PrivacyProfile.both_directions`; beside it, ``compose`` knows that all
    such parts have the same direction.

    Args:
        removed: The profile of (P, Q), P with the record and Q without.

    Example:
        >>> from exactdp.accounting import compose, poisson_subsampled
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> noise = laplace_mechanism(scale=1)
        >>> once = [poisson_subsampled(noise, rate=q) for q in ("1/2", "1/3")]
        >>> whole = compose([(add_or_remove(one), 1) for one in once])
        >>> [type(one).__name__ for one in whole.profiles]
        ['CertifiedComposition', 'CertifiedComposition']
        >>> add_or_remove(noise) is noise  # the same in both directions
        True
    """
    added = removed.reversed()
    return removed if added is removed else AddOrRemove((removed, added))


def alike(
    parts: Parts, compose: Callable[[Parts], PrivacyProfile], worst_cases: Sequence[PrivacyProfile]
) -> PrivacyProfile | None:
    """Return the composition of parts of which each pair of neighbors has one pair.

    These are parts of neighbors that differ in one record, beside parts that are the same in both
    directions; or a single ``Largest`` beside parts that are no worst of several pairs: of one
    mechanism the pair is what it is, and others have theirs.

    Args:
        parts: The profiles and their numbers of copies.
        compose: Composes parts that are pairs.
        worst_cases: The parts that are the worst of several pairs.

    Returns:
        The largest of the compositions; None if the parts are others.
    """
    if all(isinstance(part, AddOrRemove) for part in worst_cases):
        rest = [part for part, _ in parts if not isinstance(part, AddOrRemove)]
        if all(map(_is_symmetric, rest)):
            first, second = ([_way(part, i, times) for part, times in parts] for i in (0, 1))
            return AddOrRemove((compose(first), compose(second)))
    copies = [times for part, times in parts if any(part is one for one in worst_cases)]
    if copies != [1] or not 0 < len(_listed(worst_cases[0])) <= _MOST:
        return None
    ways = range(len(_listed(worst_cases[0])))
    return Largest(tuple(compose([_way(part, i, k) for part, k in parts]) for i in ways))


def _is_symmetric(part: PrivacyProfile) -> bool:
    """Return whether both directions of a pair are seen to have the same law of the loss."""
    other = part.reversed()
    if isinstance(part, FiniteProfile) and isinstance(other, FiniteProfile):
        return part.losses().atoms == other.losses().atoms
    return other is part or other == part


def _listed(part: PrivacyProfile) -> tuple[PrivacyProfile, ...]:
    """Return the pairs that a part is the worst of; none where it is a bound on it, or one pair."""
    return part.profiles if isinstance(part, Largest) and part.has_all_pairs else ()


def _way(part: PrivacyProfile, i: int, times: int) -> tuple[PrivacyProfile, int]:
    return (_listed(part) or (part,) * (i + 1))[i], times
