"""Compositions that are pairs or worst cases like others, and keep what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.accounting.certified import compose_certified
from exactdp.accounting.curves import ComposedCurves, has_a_law
from exactdp.divergences import Largest, PrivacyLossDistribution, PrivacyProfile
from exactdp.divergences.derived import Reached
from exactdp.divergences.profile import Named
from exactdp.divergences.sandwich import BOUNDS, NOTHING, Bounds, Sandwich
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number

__all__ = [
    "FIXED",
    "ComposedChoices",
    "ComposedLargest",
    "ComposedLosses",
    "ComposedSandwich",
    "with_parts",
]

FIXED = (
    "Which of its pairs a part has is fixed beforehand; who chooses it after seeing the other "
    "parts may reach more."
)
"""What a composition with one part that has several pairs leaves open."""

_Parts = tuple[tuple[PrivacyProfile, int], ...]

_NARROW = Fraction(1, 10**9)
"""The relative width of a Rényi divergence where none is asked for."""


@dataclass(frozen=True, slots=True)
class ComposedSandwich(Sandwich):
    """What is composed of parts some of which are the worst of several pairs.

    Attributes:
        parts: The profiles and their numbers of copies.
    """

    parts: _Parts

    @property
    def note(self) -> str:
        """That the ends are bounds, and what the numbers of the parts leave open."""
        notes = [part.note for part, _ in self.parts if part.note]
        return " ".join(dict.fromkeys([BOUNDS, *notes]))

    def _renyi_at(self, order: Fraction) -> Enclosure | None:
        return _added(self.parts, order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        found = _added(self.parts, order, width)
        return Sandwich._renyi_within(self, order, width) if found is None else found

    def reversed(self) -> ComposedSandwich:
        """Return the composition of the reversed profiles."""
        other = Sandwich.reversed(self)
        return ComposedSandwich(other.below, other.above, _reversed(self.parts))


@dataclass(frozen=True, slots=True)
class ComposedLargest(Largest):
    """What is composed of the worst of several pairs, once, and of pairs.

    Attributes:
        parts: The profiles and their numbers of copies.
    """

    parts: _Parts

    @property
    def note(self) -> str:
        """That pairs are fixed beforehand, and what the numbers of the parts leave open."""
        notes = [part.note for part, _ in self.parts if part.note]
        return " ".join(dict.fromkeys([FIXED, *notes]))

    def reversed(self) -> ComposedLargest:
        """Return the composition of the reversed profiles."""
        return ComposedLargest(Largest.reversed(self).profiles, _reversed(self.parts))


@dataclass(frozen=True, slots=True)
class ComposedChoices(ComposedLargest):
    """Mechanisms of one bounded range beside pairs: an analyst chooses them last, knowing all else.

    At each ε some choice has this δ, and another one elsewhere.

    Attributes:
        profiles: One profile, that of all together as of one pair.
    """

    has_all_pairs: ClassVar[bool] = False

    @property
    def reached(self) -> Reached:
        """At each ε by other choices."""
        return "each epsilon"

    @property
    def usual_width(self) -> Fraction:  # type: ignore[override]
        """That of all together."""
        return self.profiles[0].usual_width

    @property
    def note(self) -> str | None:  # type: ignore[override]
        """What the numbers leave open."""
        return self.profiles[0].note

    def cases(self) -> tuple[Named, ...]:
        """Return the same choice each time."""
        listed = [part.cases() or (NOTHING,) for part, _ in self.parts]
        found = []
        for i in range(max(map(len, listed))):
            chosen = [one[min(i, len(one) - 1)] for one in listed]
            words = "; ".join(dict.fromkeys(x.words for x in chosen if x.words))
            used = [(x.profile, times) for x, (_, times) in zip(chosen, self.parts, strict=True)]
            has_laws = all(has_a_law(x) for x, _ in used)
            whole = compose_certified(used) if has_laws else ComposedCurves(tuple(used))
            found.append(Named(words, whole, all(x.alone for x in chosen)))
        return tuple(found)

    def reversed(self) -> ComposedChoices:
        """Return the composition of the reversed profiles; itself, if each is its own."""
        other = Largest.reversed(self)
        return self if other is self else ComposedChoices(other.profiles, _reversed(self.parts))

    def _renyi_at(self, order: Fraction) -> Enclosure | None:
        return _added(self.parts, order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        found = _added(self.parts, order, width)
        return self._renyi_from_delta(order, width) if found is None else found

    def _trade_off_at(self, level: Exact) -> Number | Enclosure | None:
        return self.profiles[0].trade_off(level)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        return enclosed(self.profiles[0].trade_off(level, relative_width=width), width)


@dataclass(frozen=True, repr=False, eq=False)
class ComposedLosses(PrivacyLossDistribution):
    """The exact law of the losses of finite pairs used together.

    Attributes:
        parts: The profiles and their numbers of copies.
    """

    parts: _Parts = ()

    def reversed(self) -> ComposedLosses:
        """Return the composition of the reversed profiles."""
        found = PrivacyLossDistribution.reversed(self)
        fields = found.ratios, found.p, found.q, found.p_total, found.q_total, found.rate
        return ComposedLosses(*fields, _reversed(self.parts))


def with_parts(
    found: PrivacyProfile, parts: Sequence[tuple[PrivacyProfile, int]]
) -> PrivacyProfile:
    """Return what is composed of parts, as what keeps them.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> with_parts(coin.losses().self_compose(2), [(coin, 2)]).parts == ((coin, 2),)
        True
    """
    kept = tuple(parts)
    if type(found) is Sandwich:
        return ComposedSandwich(found.below, found.above, kept)
    if type(found) is Largest:
        return ComposedLargest(found.profiles, kept)
    if type(found) is PrivacyLossDistribution:
        fields = found.ratios, found.p, found.q, found.p_total, found.q_total, found.rate
        return ComposedLosses(*fields, kept)
    return found


def _added(parts: _Parts, order: Fraction, width: Fraction | None) -> Enclosure | None:
    """Return the sum of the divergences of parts, None if one is infinite or not known."""
    lower = upper = Fraction(0)
    is_between = False
    for part, times in parts:
        try:
            one = part.renyi(order, relative_width=width)
        except (DomainError, TooLargeError, UndecidedError):
            return None
        if isinstance(one, Epsilon):
            return None
        ends = enclosed(one, width or _NARROW)
        is_between = is_between or isinstance(ends, Bounds)
        lower, upper = lower + times * ends.lower, upper + times * ends.upper
    if is_between:
        return Bounds(lower, upper, "pairs of each part", "what dominates each part")
    return Enclosure(lower, upper)


def _reversed(parts: _Parts) -> _Parts:
    return tuple((part.reversed(), times) for part, times in parts)
