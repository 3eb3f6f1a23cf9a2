"""The cases of a worst case, and the pairs that dominate all of them.

Of neighbors that differ in one record, one has the record. Whatever runs on both has P with the
record, or Q: in a composition all parts have the same direction, so that it has two, and no more.
In one direction nothing says which pair of one part goes with which of another.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (pairs that dominate).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self, cast

from exactdp.divergences.facts import Reached
from exactdp.divergences.profile import (
    Named,
    Parts,
    PrivacyProfile,
    Sample,
    notes_of,
    reversed_parts,
)
from exactdp.divergences.several import COARSER
from exactdp.errors import DomainError
from exactdp.numbers.text import short

__all__ = ["BOUNDS", "Cases"]

BOUNDS = "lower and upper are certified bounds on the truth; see lower_by, upper_by and gap."
"""What bounds say of their ends."""

_LONGEST = 200
"""Characters of profiles up to which they are printed one by one."""
_FIXED = (
    "Which of its pairs a part has is fixed beforehand; who chooses it after seeing the other "
    "parts may reach more."
)
"""What a composition with one part that has several pairs leaves open."""


@dataclass(frozen=True, slots=True, repr=False)
class Cases:
    """Profiles whose largest a worst case is, or between which it lies.

    Attributes:
        below: Profiles that are at most this one, by name, at least one: pairs that neighbors
            have, or the worst of such pairs.
        above: Profiles that are at least this one. If there are none, it is the largest of those
            below.
        about: The mechanism whose worst case it is; the profile has its attributes, too.
        parts: What it is composed of, if it is.
        tried: Pairs that neighbors have, where those below are none of theirs.
        pair: One pair of laws with all of δ, if it is known beside those below.
        every: Returns all pairs, where those below are only the ones with the largest δ.
        apart: Returns pairs of data that differ in so many records.
        near: Returns finite pairs below and above, as :meth:`pairs_near` does.
        convex: Returns a bound as :meth:`convex_bound` does.
        tops: What has its largest loss and its mass at infinity, where bounds do not tell them.
        left_open: What the numbers leave open; None for the notes of what it is made of.
        width: The usual relative width; None for 1e-9, or 1e-3 between bounds.
        is_directed: Whether a record is removed in the first profile, and added in the last one.
        has_sides: Whether a sample is in the direction of removing, as of a mechanism.
        is_either_order: Whether these are a pair and its reverse, as neighbors are in both orders.
        is_symmetric: Whether it is in both directions at once.
        is_fixed: Whether one part has several pairs, of which one is chosen beforehand.
        is_taken_apart: Whether its parts are composed anew with what is beside it.
    """

    below: tuple[Named, ...]
    above: tuple[Named, ...] = ()
    _: KW_ONLY
    about: Any = None
    parts: Parts = ()
    tried: tuple[Named, ...] | None = field(default=None, compare=False)
    pair: PrivacyProfile | None = field(default=None, compare=False)
    every: Callable[[], Cases] | None = field(default=None, compare=False)
    apart: Callable[[int], tuple[Named, ...]] | None = field(default=None, compare=False)
    near: Callable[..., tuple[Any, Any]] | None = field(default=None, compare=False)
    convex: Callable[[Fraction], Fraction | None] | None = field(default=None, compare=False)
    tops: PrivacyProfile | None = None
    left_open: str | None = None
    width: Fraction | None = None
    is_directed: bool = False
    has_sides: bool = False
    is_either_order: bool = False
    is_symmetric: bool = False
    is_fixed: bool = False
    is_taken_apart: bool = False

    def __post_init__(self) -> None:
        if not self.below:
            raise DomainError("below is empty, and has no largest. Give at least one profile.")

    @classmethod
    def of(cls, profiles: tuple[PrivacyProfile, ...], **facts: Any) -> Self:
        """Return the largest of profiles, ε by ε."""
        return cls(tuple(Named("", one) for one in profiles), **facts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "about" or self.about is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.about, name)

    def __repr__(self) -> str:
        if self.about is not None:
            return repr(self.about)
        if self.above:
            below, above = (
                ", ".join(dict.fromkeys(one.words or repr(one.profile) for one in side))
                for side in (self.below, self.above)
            )
            return f"<Sandwich: lower bounds by {short(below)}; upper bounds by {short(above)}>"
        name = "AddOrRemove" if self.is_directed else "Largest"
        text = f"{name}(profiles={self.profiles!r})"
        return text if len(text) <= _LONGEST else f"<{name} of {len(self.profiles)} profiles>"

    @property
    def profiles(self) -> tuple[PrivacyProfile, ...]:
        """The profiles whose largest it is; none between bounds."""
        return () if self.above else tuple(one.profile for one in self.below)

    @property
    def is_between(self) -> bool:
        """True if some profiles are above it."""
        return bool(self.above)

    def worst_of(self) -> tuple[PrivacyProfile, ...]:
        """Return the profiles; none where one law has all of δ."""
        return () if self.pair is not None else self.profiles

    @property
    def _all(self) -> tuple[PrivacyProfile, ...]:
        """All pairs that neighbors have, or the worst of some; none where more are not known."""
        if self.every is not None:
            return self.every().profiles
        is_known = self.tried is None and self.pair is None
        return self.profiles if is_known else ()

    @property
    def _whole(self) -> tuple[PrivacyProfile, ...]:
        """The one profile that has all of δ, if there is no other."""
        return self.profiles if len(self.profiles) == 1 and self.pair is None else ()

    @property
    def has_all_pairs(self) -> bool:
        """True if these are all pairs that neighbors have; else others may compose to more."""
        return self.every is None and bool(self._all)

    @property
    def reached(self) -> Reached:
        """The kind of the pair that has all of δ: "bound" if none is known to."""
        kinds = {profile.reached for profile in self.profiles} or {"bound"}
        if self.tried is not None:
            kinds.add("each epsilon")
        if len(self.profiles) > 1 and not self.is_directed:
            kinds.add("each epsilon")
        return next(kind for kind in ("bound", "each epsilon", "pair") if kind in kinds)

    def toward(self, side: int) -> PrivacyProfile:
        """Return the profile of one direction; bounds where nobody said which it is."""
        if self.is_either_order:
            one = replace(self.below[side], words="in this direction one order of both")
            both = Named("either order", cast("PrivacyProfile", self))
            return cast("PrivacyProfile", type(self)((one,), (both,)))
        chosen = self.profiles[min(side, len(self.below) - 1)] if self.is_directed else self
        return cast("PrivacyProfile", chosen)

    def cases(self) -> tuple[Named, ...]:
        """Return those of all profiles below."""
        if self.tried is not None:
            return self.tried
        count, outer = len(self.below), self.below
        if not self.above:
            alone = all(case.alone for part, _ in self.parts for case in part.cases())
            told = [f"profile {i} of {count}" if count > 1 else "" for i in range(count)]
            outer = tuple(
                Named(one.words or words, one.profile, alone and one.alone)
                for one, words in zip(self.below, told, strict=True)
            )
        return tuple(case.among(one) for one in outer for case in one.profile.cases())

    def cases_apart(self, size: int) -> tuple[Named, ...]:
        """Return pairs of data that differ in so many records; none where no other is known."""
        return () if self.apart is None else self.apart(size)

    def dominating(self) -> tuple[Named, ...]:
        """Return pairs that dominate all: of those above, or the largest of each one's."""
        if self.pair is not None:
            return (Named("", self.pair),)
        if self.above:
            return tuple(x.among(one) for one in self.above for x in one.profile.dominating())
        above = [profile.dominating()[-1] for profile in self.profiles]
        if len(above) == 1:
            return tuple(above)
        if all(x.profile is y for x, y in zip(above, self.profiles, strict=True)):
            return (Named("", cast("PrivacyProfile", self)),)
        words = dict.fromkeys(x.words for x in above if x.words)
        return (Named("; ".join(words), PrivacyProfile._largest(tuple(x.profile for x in above))),)

    def lifted(self, change: Callable[[Named], Named]) -> Self:
        """Return the worst of the profiles reversed, sampled or grouped."""

        def all_of(named: tuple[Named, ...]) -> tuple[Named, ...]:
            return tuple(map(change, named))

        return replace(
            self,
            below=all_of(self.below),
            above=all_of(self.above),
            tried=None if self.tried is None else all_of(self.tried),
            pair=None if self.pair is None else self.pair.lifted(change),
            every=self.every and partial(_every_lifted, self.every, change),
            apart=self.apart and partial(_apart_lifted, self.apart, change),
            about=None,
            parts=(),
            near=None,
            convex=None,
            tops=None,
            is_taken_apart=False,
        )

    def reversed(self) -> Self:
        """Return the worst of the reversed profiles; itself, if it is in both directions."""
        if self.is_symmetric or self.is_directed or self.is_either_order:
            return self
        found = self.lifted(_turned)
        ends = zip((*found.below, *found.above), (*self.below, *self.above), strict=True)
        if all(x.profile is y.profile for x, y in ends):
            return self
        return replace(
            found,
            about=getattr(self.about, "turned", self.about),
            parts=reversed_parts(self.parts),
            near=self.near,
            is_taken_apart=self.is_taken_apart,
        )

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def made_of(self, parts: Parts) -> Self:
        """Return the same with these parts."""
        return replace(self, parts=tuple(parts))

    def as_sample(self) -> Sample | None:
        """Return the noise on a sample that has all of δ, if one is known."""
        return None if self.pair is None else self.pair.as_sample()

    def pairs_near(self, size: int, rest: Fraction, knots: Any = None) -> tuple[Any, Any] | None:
        """Return finite pairs below and above, if they are known."""
        if self.near is not None:
            return self.near(self.profiles, size, rest, knots)
        return self.profiles[0].pairs_near(size, rest, knots) if len(self.profiles) == 1 else None

    @property
    def note(self) -> str | None:
        """The facts that the numbers leave open, each once."""
        made = self.parts if self.above else [(profile, 1) for profile in self.profiles]
        said = notes_of(made) if self.left_open is None else [self.left_open]
        first = [BOUNDS] if self.above else [_FIXED] if self.is_fixed else []
        return " ".join(dict.fromkeys([*first, *said])) or None

    @property
    def usual_width(self) -> Fraction:
        """The relative width of an enclosure where none is asked for."""
        if self.tried is not None and self._whole:
            return self.profiles[0].usual_width
        return self.width or (COARSER[0] if self.above else Fraction(1, 10**9))


def _turned(one: Named) -> Named:
    return replace(one, profile=one.profile.reversed())


def _every_lifted(every: Callable[[], Cases], change: Callable[[Named], Named]) -> Cases:
    return every().lifted(change)


def _apart_lifted(
    apart: Callable[[int], tuple[Named, ...]], change: Callable[[Named], Named], size: int
) -> tuple[Named, ...]:
    return tuple(map(change, apart(size)))
