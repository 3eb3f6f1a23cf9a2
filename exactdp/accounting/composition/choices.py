"""Mechanisms of one bounded range beside pairs, chosen by an analyst who knows all else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.accounting.composition.certified_composition import compose_certified
from exactdp.accounting.composition.curve_composition import ComposedCurves
from exactdp.divergences import Largest
from exactdp.divergences.derived import Reached
from exactdp.divergences.profile import Named, reversed_parts
from exactdp.divergences.sandwich import NOTHING, added_divergences
from exactdp.divergences.values import enclosed
from exactdp.numbers import Enclosure, Exact, Number

__all__ = ["ComposedChoices"]


@dataclass(frozen=True, slots=True)
class ComposedChoices(Largest):
    """Mechanisms of one bounded range beside pairs: an analyst chooses them last, knowing all else.

    At each ε some choice has this δ, and another one elsewhere.

    Attributes:
        profiles: One profile, that of all together as of one pair.
        parts: The mechanisms and the pairs.
    """

    has_all_pairs: ClassVar[bool] = False
    is_taken_apart: ClassVar[bool] = True

    @property
    def reached(self) -> Reached:
        """At each ε by other choices."""
        return "each epsilon"

    @property
    def usual_width(self) -> Fraction:
        """That of all together."""
        return self.profiles[0].usual_width

    @property
    def note(self) -> str | None:
        """The facts about the mechanism that the numbers leave open."""
        return self.profiles[0].note

    def cases(self) -> tuple[Named, ...]:
        """Return the same choice each time."""
        listed = [part.cases() or (NOTHING,) for part, _ in self.parts]
        found = []
        for i in range(max(map(len, listed))):
            chosen = [one[min(i, len(one) - 1)] for one in listed]
            words = "; ".join(dict.fromkeys(x.words for x in chosen if x.words))
            used = [(x.profile, times) for x, (_, times) in zip(chosen, self.parts, strict=True)]
            has_laws = all(x.has_loss_laws for x, _ in used)
            whole = compose_certified(used) if has_laws else ComposedCurves(tuple(used))
            found.append(Named(words, whole, all(x.alone for x in chosen)))
        return tuple(found)

    def reversed(self) -> ComposedChoices:
        """Return the composition of the reversed profiles; itself, if each is its own."""
        other = Largest.reversed(self)
        if other is self:
            return self
        return ComposedChoices(other.profiles, parts=reversed_parts(self.parts))

    def _renyi_at(self, order: Fraction) -> Enclosure | None:
        return added_divergences(self.parts, order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        found = added_divergences(self.parts, order, width)
        return self._renyi_from_delta(order, width) if found is None else found

    def _trade_off_at(self, level: Exact) -> Number | Enclosure | None:
        return self.profiles[0].trade_off(level)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        return enclosed(self.profiles[0].trade_off(level, relative_width=width), width)
