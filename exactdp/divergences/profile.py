"""The privacy profile: one ordered pair of laws as the function ε -> δ(ε).

Whatever answers "what is δ at this ε" is a :class:`PrivacyProfile`: a finite pair, the view
of a shuffled protocol, a pair of counts, a noise mechanism, a composition. Whatever follows
from δ alone is written here once: the smallest ε for a δ, the trade-off function, the largest
of several profiles, the names of other accountants. ``display`` shows it.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from exactdp.divergences.derived import FIXED, Reached
from exactdp.divergences.searched import DeltaAndEpsilon
from exactdp.divergences.several import largest_delta, largest_divergence, largest_epsilon
from exactdp.divergences.values import (
    Bounds,
    enclosed,
    largest,
    smallest,
)
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.effort import answers
from exactdp.numbers.validated import validated

__all__ = ["Largest", "Named", "Parts", "PrivacyProfile"]
__all__ += ["enclosed", "notes_of", "reversed_parts"]


class PrivacyProfile(DeltaAndEpsilon):
    """One ordered pair (P, Q) as the function ε -> δ(ε) = H_{e^ε}(P ‖ Q).

    Formula:
        H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S), γ = e^ε, ε in nats.

    A mechanism's δ is the largest over all neighboring pairs, each in both orders.
    """

    __slots__ = ()

    @abstractmethod
    def reversed(self) -> PrivacyProfile:
        """Return the profile of (Q, P), the other direction."""

    @property
    def is_its_reverse(self) -> bool:
        """Whether the other direction is known to have the same δ, but is another object."""
        return False

    def both_directions(self) -> PrivacyProfile:
        """Return the larger of the two directions, ε by ε: the δ of the unordered pair."""
        other = self if self.is_its_reverse else self.reversed()
        return self if other is self else Largest((self, other), is_either_order=True)

    def cases(self) -> tuple[Named, ...]:
        """Return pairs that neighbors have and this profile is the worst of: itself, if it is one.

        There may be more; none where no pair is known that attains anything.
        """
        return (Named("", self),) if self.reached == "pair" else ()

    def cases_apart(self, size: int) -> tuple[Named, ...]:
        """Return pairs of data that differ in so many records; none where no other is known."""
        return ()

    def dominating(self) -> tuple[Named, ...]:
        """Return profiles that are at least this one, each of which is the δ of one pair."""
        return (Named("", self),)

    def _renyi_from_delta(self, order: Fraction, width: Fraction) -> Enclosure:
        found = DeltaAndEpsilon._renyi_from_delta(self, order, width)
        return found if self.reached == "pair" else self._beside_cases(order, width, found)

    def _beside_cases(self, order: Fraction, width: Fraction, above: Enclosure) -> Bounds:
        """Return bounds on D_a: that of a pair with all of δ, and the largest of the cases.

        Of the worst of several pairs it is at least that of each. At most it is that of a pair with
        this δ at every ε, which none of them need be.
        """
        low, words = Fraction(0), "nothing"
        for case, found in answers(
            lambda case: case.profile.renyi(order, relative_width=width), self.cases()
        ):
            if not isinstance(found, Epsilon):
                low, words = max((low, words), (enclosed(found, width).lower, case.words))
        return Bounds(min(low, above.upper), above.upper, words, "a pair with all of this delta")

    # What is known beside δ. A fact costs nothing; where it is not given, nothing more is known.

    def toward(self, side: int) -> PrivacyProfile:
        """Return the profile in the direction of removing a record (0), or of adding it (1)."""
        return self

    def worst_of(self) -> tuple[PrivacyProfile, ...]:
        """Return the profiles whose largest this is, ε by ε; none where it is no such thing."""
        return ()

    def composed_of(self) -> Parts:
        """Return the parts of a composition, with their numbers of copies; none of others."""
        return ()

    def copies(self) -> tuple[PrivacyProfile, int]:
        """Return whose copies this is, and how many: itself once, of most."""
        return self, 1

    def made_of(self, parts: Parts) -> PrivacyProfile:
        """Return the same profile with the parts of which it is composed, if it can keep them."""
        return self

    def moved(self, times: int) -> PrivacyProfile | None:
        """Return the mechanism for inputs so many times as far apart, if that is known."""
        return None

    def seen(self) -> tuple[PrivacyProfile, Exact]:
        """Return whose Poisson sample this is, in the direction of removing, and the rate."""
        return self, Exact(1)

    def pairs_near(self, size: int, rest: Fraction, knots: Any = None) -> tuple[Any, Any] | None:
        """Return finite pairs below and above it, closer than its δ point by point gives.

        They are as good as of so many outputs, apart beyond the ε where δ is ``rest``. None if no
        such pairs are known.
        """
        return None

    def as_sample(self) -> Sample | None:
        """Return the noise on a sample that this is, if it is."""
        return None

    def as_finite(self) -> PrivacyProfile:
        """Return the finite pair that this is, where it is a short one; else itself."""
        return self


@dataclass(frozen=True, slots=True)
class Sample:
    """Noise on a sample of records.

    Attributes:
        kind: How records are sampled, and which of them differ.
        noise: The noise.
        rate: q.
        again: The same of another noise and another rate.
    """

    kind: str
    noise: PrivacyProfile
    rate: Exact
    again: Callable[[PrivacyProfile, Exact], PrivacyProfile | None]


Mixture = tuple[tuple[int, Exact], ...]
"""Shifts of noise, in units of the sensitivity, and their weights, which sum to 1."""

Parts = Sequence[tuple[PrivacyProfile, int]]
"""Profiles with their numbers of copies."""


def reversed_parts(parts: Parts) -> Parts:
    """Return the parts in the other direction."""
    return tuple((part.reversed(), times) for part, times in parts)


def notes_of(parts: Parts) -> list[str]:
    """Return each note of the parts once: the facts that their numbers leave open."""
    return [*dict.fromkeys(part.note for part, _ in parts if part.note)]


@validated
@dataclass(frozen=True, slots=True)
class Named:
    """A profile with a name in words.

    Attributes:
        words: What it is.
        profile: The profile.
        alone: Whether it needs no other record: then its sample is that of such data, too. Where
            others are needed, a sample has fewer of them.
    """

    words: str
    profile: PrivacyProfile
    alone: bool = True

    def among(self, outer: Named) -> Named:
        """Return a case of another one, with the words of both."""
        words = ", ".join(x for x in (outer.words, self.words) if x)
        return Named(words, self.profile, self.alone and outer.alone)


@validated
@dataclass(frozen=True, slots=True)
class Largest(PrivacyProfile):
    """The pointwise largest of several profiles: the worst of both orders, or of many cases.

    Attributes:
        profiles: The profiles, at least one.
        parts: What it is composed of, if it is: one part has several pairs.
        is_fixed: Whether one part has several pairs, of which one is chosen beforehand.
        is_either_order: Whether these are a pair and its reverse, as neighbors are in both orders.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> Largest((pair.reversed(), pair)).delta(Epsilon.log(2))  # 0 and 1/2
        Exact('1/2')
        >>> both = pair.both_directions()
        >>> both.delta(Epsilon.log(2)), both.reversed() is both
        (Exact('1/2'), True)
    """

    has_all_pairs: ClassVar[bool] = True

    profiles: tuple[PrivacyProfile, ...]
    parts: Parts = field(default=(), kw_only=True, repr=False)
    is_fixed: bool = field(default=False, kw_only=True, repr=False)
    is_either_order: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not self.profiles:
            raise DomainError("profiles is empty, and has no largest. Give at least one profile.")

    def worst_of(self) -> tuple[PrivacyProfile, ...]:
        """Return the profiles."""
        return self.profiles

    @property
    def reached(self) -> Reached:
        """That of one profile; of several, no pair has all of δ."""
        kinds = {profile.reached for profile in self.profiles}
        if len(self.profiles) == 1:
            return kinds.pop()
        return "bound" if "bound" in kinds else "each epsilon"

    def cases(self) -> tuple[Named, ...]:
        """Return those of all profiles."""
        count = len(self.profiles)
        alone = all(case.alone for part, _ in self.parts for case in part.cases())
        outer = [
            Named(f"profile {i} of {count}" if count > 1 else "", profile, alone)
            for i, profile in enumerate(self.profiles)
        ]
        return tuple(case.among(one) for one in outer for case in one.profile.cases())

    def dominating(self) -> tuple[Named, ...]:
        """Return the largest of the profiles that dominate each."""
        above = [profile.dominating()[-1] for profile in self.profiles]
        if all(x.profile is y for x, y in zip(above, self.profiles, strict=True)):
            return (Named("", self),)
        words = dict.fromkeys(x.words for x in above if x.words)
        return (Named("; ".join(words), Largest(tuple(x.profile for x in above))),)

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def made_of(self, parts: Parts) -> Largest:
        """Return the same with these parts."""
        return replace(self, parts=tuple(parts), is_fixed=True)

    @property
    def note(self) -> str | None:
        """The notes of all, each once; of a composition those of the parts."""
        notes = notes_of([(profile, 1) for profile in self.profiles])
        return " ".join([FIXED, *notes] if self.is_fixed else notes) or None

    @property
    def is_exact(self) -> bool:
        """True if every profile is exact."""
        return all(profile.is_exact for profile in self.profiles)

    @property
    def has_exact_epsilon(self) -> bool:
        """True if every profile has an exact ε."""
        return all(profile.has_exact_epsilon for profile in self.profiles)

    @property
    def has_quick_epsilon(self) -> bool:
        """True if every profile has an ε that costs little."""
        return all(profile.has_quick_epsilon for profile in self.profiles)

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε)."""
        return largest_delta(self.profiles, any_epsilon(epsilon), relative_width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return the largest ε(δ), which is the smallest ε at which every profile is at most δ."""
        return largest_epsilon(self.profiles, delta, None)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        return largest_epsilon(self.profiles, delta, width)

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest maximal divergence."""
        return largest([p.max_divergence() for p in self.profiles])

    def infinity_mass(self) -> Number:
        """Return the largest limit of δ(ε)."""
        return largest([p.infinity_mass() for p in self.profiles])

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest of all."""
        return largest([p.largest_finite_loss() for p in self.profiles])

    @property
    def has_renyi(self) -> bool:
        """True: what is known of δ alone is asked for it."""
        return True

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the largest of all bounds."""
        if not self.has_all_pairs:  # another may have more
            return PrivacyProfile.renyi_bound(self, order, width=width)
        bounds = [one.renyi_bound(order, width=width) for one in self.profiles]
        known = [bound for bound in bounds if bound is not None]
        return max(known) if len(known) == len(bounds) else None

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        return largest_divergence(self.profiles, order, None) if self.has_all_pairs else None

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        if not self.has_all_pairs:  # another may have more
            return self._renyi_from_delta(order, width)
        return enclosed(largest_divergence(self.profiles, order, width), width)

    def _trade_off_at(self, level: Exact) -> Number | Enclosure | None:
        """Return the least type II error: the smallest of the trade-off functions."""
        if not self.has_all_pairs:
            return None
        return smallest([p.trade_off(level) for p in self.profiles])

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        found = smallest([p.trade_off(level, relative_width=width) for p in self.profiles])
        high = enclosed(found, width)
        if self.has_all_pairs:
            return high
        low = PrivacyProfile._trade_off_within(self, level, width).lower
        return Bounds(min(low, high.upper), high.upper, "a pair with all of this delta", "a case")

    def reversed(self) -> Largest:
        """Return the largest of the profiles reversed; itself, if each is its own."""
        others = tuple(p.reversed() for p in self.profiles)
        if self.is_either_order or [*map(id, others)] == [*map(id, self.profiles)]:
            return self
        return Largest(others, parts=reversed_parts(self.parts), is_fixed=self.is_fixed)
