"""The two directions of neighbors that differ in one record: with the record first, and second.

Of two data sets one has the record. Whatever runs on both has P with the record, or Q: in a
composition all parts have the same direction, so that it has two, and no more. Of a ``Largest`` in
general nothing says which profile of one part goes with which of another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from exactdp.divergences.derived import Reached
from exactdp.divergences.profile import Largest, PrivacyProfile
from exactdp.numbers.validated import validated

__all__ = ["AddOrRemove", "add_or_remove"]

_LEAST_FIRST: tuple[Reached, ...] = "bound", "each epsilon", "pair"


@validated
@dataclass(frozen=True, slots=True)
class AddOrRemove(Largest):
    """The larger of two directions: P has the record in the first profile, Q in the second.

    Attributes:
        profiles: The profile of each direction; one only where both are the same.
        has_sides: Whether a sample is in the direction of removing, as of a mechanism.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])  # 0 and 1/2 at every ε
        >>> both = AddOrRemove((pair, pair.reversed()))
        >>> both.reversed() is both
        True
    """

    is_directed: ClassVar[bool] = True

    has_sides: bool = field(default=False, kw_only=True, repr=False)

    def toward(self, side: int) -> PrivacyProfile:
        """Return the profile of one direction."""
        return self.profiles[min(side, len(self.profiles) - 1)]

    @property
    def reached(self) -> Reached:
        """The least that is known of a direction: they are kept apart."""
        kinds = {profile.reached for profile in self.profiles}
        return next(kind for kind in _LEAST_FIRST if kind in kinds)

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
        >>> once = [poisson_subsampled(noise, sampling_probability=q) for q in ("1/2", "1/3")]
        >>> whole = compose([(add_or_remove(one), 1) for one in once])
        >>> [type(one).__name__ for one in whole.profiles]
        ['CertifiedComposition', 'CertifiedComposition']
        >>> add_or_remove(noise) is noise  # the same in both directions
        True
    """
    added = removed.reversed()
    return removed if added is removed else AddOrRemove((removed, added))
