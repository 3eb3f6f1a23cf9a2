"""The worst of several pairs, for mechanisms that no single pair dominates.

A mechanism is the worst of the pairs of its neighbors. Its δ is the largest of theirs, ε by ε,
where all are known, and else lies between bounds: below, pairs that neighbors have; above, what
dominates all of them. Each end is the best of several profiles, named in words, which are tried in
the order given.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

from exactdp.divergences.cases import BOUNDS, Cases
from exactdp.divergences.convex_bounds import mean_bound
from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import (
    Named,
    PrivacyProfile,
    enclosed,
)
from exactdp.divergences.several import (
    added_divergences,
    agreed,
    answers_between,
    best_between,
    delta_between,
    epsilon_between,
    largest_delta,
    largest_divergence,
    largest_epsilon,
)
from exactdp.divergences.values import Bounds, largest, smallest
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import answers, first_answer
from exactdp.numbers.validated import validated

__all__ = ["BOUNDS", "NOTHING", "AddOrRemove", "Bounds", "Largest", "Named", "Sandwich", "Worst"]
__all__ += ["add_or_remove"]

NOTHING = Named("nothing", Pair.from_masses([1], [1]))
"""The lower end where no pair is known that neighbors have."""


def _of_all(fact: str) -> Any:
    """Return a fact that the largest of profiles has if all of them have it."""
    return property(lambda self: not self.above and all(getattr(x, fact) for x in self.profiles))


@validated
@dataclass(frozen=True, slots=True, repr=False)
class Worst(Cases, PrivacyProfile):
    """The worst of pairs of neighbors: the largest of several profiles, or between bounds, ε by ε.

    Between bounds ``relative_width`` is that of each end. The two ends may lie further apart.
    :class:`Cases` has its attributes.

    Example:
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> Largest((pair.reversed(), pair)).delta(Epsilon.log(2))  # 0 and 1/2
        Exact('1/2')
        >>> both = pair.both_directions()
        >>> both.delta(Epsilon.log(2)), both.reversed() is both
        (Exact('1/2'), True)
        >>> one = Worst((Named("a coin", pair),), (Named("all", Pair.from_masses([0, 1], [1, 0])),))
        >>> one.delta(Epsilon.log(2))
        Bounds([0.500, 1.00], lower end of a coin, upper end of all)
    """

    is_exact = _of_all("is_exact")
    has_closed_form = _of_all("has_closed_form")
    has_exact_epsilon = _of_all("has_exact_epsilon")
    has_quick_epsilon = _of_all("has_quick_epsilon")

    @property
    def has_loss_law(self) -> bool:
        """True if one pair has all of δ, and the law of its loss is known."""
        return self.pair is not None and self.pair.has_loss_law

    def loss_law(self) -> Any:
        """Return the law of the loss of that pair."""
        return cast("Any", self.pair).loss_law()

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε), or bounds: wider ones if the usual width is not reached."""
        at = any_epsilon(epsilon)
        if not self.above:
            return largest_delta(self.profiles, at, relative_width)
        within = partial(delta_between, self.below, self.above, at)
        if relative_width is not None:
            return within(checked_width(relative_width))
        found = best_between(self.below, self.above, within, lambda one: one.delta(at))
        assert isinstance(found, Enclosure)
        return found

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return δ(ε), ε >= 0, to a width, or told that it is below a target."""
        for x, found in answers(
            lambda x: x.profile.delta_beside(epsilon, target, width), self.above
        ):
            if found.upper < target:
                return Bounds(Fraction(0), found.upper, "nothing", x.words)
        return PrivacyProfile.delta_beside(self, epsilon, target, width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return the largest ε(δ), which is the smallest ε at which every profile is at most δ."""
        if not self.above:
            return largest_epsilon(self.profiles, delta, None)
        within = partial(self._epsilon_within, delta)
        return best_between(self.below, self.above, within, lambda one: one.epsilon(delta))

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        if not self.above:
            return largest_epsilon(self.profiles, delta, width)
        return epsilon_between(self.below, self.above, delta, width)

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest maximal divergence; of bounds, where the two ends have the same.

        Raises:
            UndecidedError: If they have not.
        """
        if self.tops is not None:
            return self.tops.max_divergence()
        ends = ([one.profile.max_divergence() for one in x] for x in (self.below, self.above))
        return agreed("the largest ratio", *ends)

    def infinity_mass(self) -> Number:
        """Return the largest limit of δ(ε); of bounds, where the two ends have the same.

        Raises:
            UndecidedError: If they have not, as far as can be seen.
        """
        if self.tops is not None:
            return self.tops.infinity_mass()
        ends = ([one.profile.infinity_mass() for one in x] for x in (self.below, self.above))
        found = agreed("the mass that P has where Q has none", *ends)
        assert not isinstance(found, Epsilon)
        return found

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest of all."""
        if self.above:
            return PrivacyProfile.largest_finite_loss(self)
        return largest([profile.largest_finite_loss() for profile in self.profiles])

    @property
    def has_renyi(self) -> bool:
        """True if D_a is known beside δ; the largest of several asks δ too."""
        if self.tried is not None and self._whole and not self.parts:
            return self._whole[0].has_renyi
        return not self.above or added_divergences(self.parts, Fraction(5, 2), None) is not None

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the largest of all bounds."""
        if self._whole and not self.parts:
            return self._whole[0].renyi_bound(order, width=width)
        if not self.has_all_pairs:  # another may have more
            return PrivacyProfile.renyi_bound(self, order, width=width)
        bounds = [one.renyi_bound(order, width=width) for one in self.profiles]
        known = [bound for bound in bounds if bound is not None]
        return max(known) if len(known) == len(bounds) else None

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return the least of those of the profiles above."""
        if self.convex is not None:
            return self.convex(order)
        if self._whole and not self.parts:
            return self._whole[0].convex_bound(order)
        if not self.above:
            return PrivacyProfile.convex_bound(self, order)
        found = [one.profile.convex_bound(order) for one in self.above]
        return min((bound for bound in found if bound is not None), default=None)

    def _has_infinite_renyi(self, order: Fraction) -> bool:
        return not self.above and PrivacyProfile._has_infinite_renyi(self, order)  # ends say it

    def _known_divergence(
        self, order: Fraction, width: Fraction | None
    ) -> Number | Enclosure | None:
        if self._all:
            return largest_divergence(self._all, order, width)
        return added_divergences(self.parts, order, width)

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        if self.pair is not None:
            return self._renyi_from_delta(order, Fraction(1, 10**9))
        return self._known_divergence(order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        """Return an enclosure; of bounds too D_a is larger where δ is, ε by ε."""
        found = self._known_divergence(order, width)
        if found is not None:
            return enclosed(found, width)
        if not self.above:
            return self._renyi_from_delta(order, width)
        return answers_between(
            self.below, self.above, width, lambda one: one.renyi(order, relative_width=width)
        )

    def _renyi_from_delta(self, order: Fraction, width: Fraction) -> Enclosure:
        """Return bounds: those of a pair that has all of δ, and of the cases."""
        whole = self.pair or (self.profiles[0] if len(self.profiles) == 1 else None)
        if whole is not None:
            found = whole.renyi(order, relative_width=width)
            assert not isinstance(found, Epsilon)
            return self._beside_cases(order, width, enclosed(found, width))
        usual = partial(PrivacyProfile._renyi_from_delta, self, order, width)
        return first_answer(usual, partial(self._summed, order, width)) if order > 1 else usual()

    def _summed(self, order: Fraction, width: Fraction) -> Bounds:
        """Return bounds of profiles that are there in both orders, whose losses may be unbounded.

        E_Q (P/Q)^a − 1 is an integral of δ of both orders, and δ is at most the sum of theirs.
        """
        found = [one.renyi(order, relative_width=width) for one in self.profiles]
        known = [enclosed(x, width).upper for x in found if not isinstance(x, Epsilon)]
        high = mean_bound([(Exact(1), x) for x in known], order)
        return self._beside_cases(order, width, Enclosure(Fraction(0), high))

    def _error_at(self, level: Exact) -> Number | Enclosure | None:
        return None if self.above else PrivacyProfile._error_at(self, level)  # ends say it

    def _trade_off_at(self, level: Exact) -> Number | Enclosure | None:
        """Return the least type II error: the smallest of the trade-off functions."""
        known = self._all or self._whole
        return smallest([one.trade_off(level) for one in known]) if known else None

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure; of bounds too it is less where δ is larger, ε by ε."""

        def ask(one: PrivacyProfile) -> Number | Enclosure:
            return one.trade_off(level, relative_width=width)

        if self.above:
            found = answers_between(self.above, self.below, width, ask)
            assert isinstance(found, Bounds)
            return found
        if self.pair is not None and self.every is None:
            return PrivacyProfile._trade_off_within(self, level, width)
        known = self._all or self._whole
        high = enclosed(smallest([*map(ask, known or self.profiles)]), width)
        if known:
            return high
        low = PrivacyProfile._trade_off_within(self, level, width).lower
        return Bounds(min(low, high.upper), high.upper, "a pair with all of this delta", "a case")


Sandwich = Worst
"""The class, as it is called where it lies between bounds."""

Largest = Worst.of
"""Returns the largest of profiles, ε by ε, each of which neighbors may have."""

AddOrRemove = partial(Worst.of, is_directed=True)
"""Returns the larger of two directions: P has the record in the first profile, Q in the second."""

PrivacyProfile._largest = Largest


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
