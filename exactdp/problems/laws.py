"""The laws of problem files: each has a profile, or a parameter to be found."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

from msgspec import UNSET, Struct

from exactdp.divergences.description import Sides, description_of
from exactdp.divergences.families import Family, families_of, family_of
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ExactDPError, ParseError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, Rounding
from exactdp.numbers.crossing import Slope
from exactdp.problems.values import HERE, Strict, arguments_of

__all__ = ["Law", "MechanismLaw", "OpenParameter", "SideNames", "Solve", "located"]

Solve = Callable[[Epsilon, Exact, RationalLike], Enclosure]
"""Finds a parameter for ε, δ and a relative width."""


@dataclass(frozen=True, slots=True)
class OpenParameter:
    """A parameter that a law leaves out, to be found for a target (ε, δ).

    Attributes:
        solve: Returns an enclosure of its extreme value that meets ε and δ (0 for a target
            without one), of a relative width.
        solve_both: What ``solve`` is, for both directions at once; None if that is the same.
        safe: The direction in which other values meet the target too; None if the value is
            exact.
        needs_delta: Whether a target has a δ; None if it may have one.
        has_default: Whether the law has a profile without it too.
        note: What the value found does not show of a mechanism; None if nothing is open.
        usual_width: The relative width where none is asked; None for 1e-9.
    """

    solve: Solve
    solve_both: Solve | None = None
    safe: Rounding | None = Rounding.UP
    needs_delta: bool | None = True
    has_default: bool = False
    note: str | None = None
    usual_width: RationalLike | None = None

    @classmethod
    def of(cls, family: Family, *, note: str | None, has_default: bool = False) -> OpenParameter:
        """Return the parameter of a family: forward, and with the larger of both directions."""
        safe = Rounding.UP if family.slope is Slope.FALLING else Rounding.DOWN
        return cls(
            family.meeting,
            family.both_directions().meeting,
            safe=None if family.is_whole else safe,
            needs_delta=None if family.may_be_pure else True,
            has_default=has_default,
            note=note,
        )


class SideNames(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose laws the two sides of a problem are, in words.

    Attributes:
        p: P, the first law of D(P || Q).
        q: Q, the second.
        neighbors: Which relation of datasets the pair stands for.
    """

    p: str
    q: str
    neighbors: str

    @classmethod
    def of(cls, sides: Sides) -> SideNames:
        """Return the sides that a description says."""
        p, q, neighbors = sides
        return cls(p=p, q=q, neighbors=neighbors)


class Law(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """The law of a problem. Every object refuses unknown keys, and is told apart by its kind."""

    @property
    def kind(self) -> str:
        """The kind of problem, as the file says it."""
        return str(self.__struct_config__.tag)

    @abstractmethod
    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile that the file means; None if it leaves out a parameter.

        Raises:
            DomainError: If the law makes no sense; the message begins with the path.
            TooLargeError: If it is too large.
        """

    @abstractmethod
    def sides(self) -> SideNames:
        """Return which of the two laws is P and which Q, and for which neighbors they stand."""

    def kept(self, users: int) -> Number:
        """Return the probability that a group of so many users is shown.

        Raises:
            ParseError: If the law shows no groups.
        """
        raise ParseError("this kind of problem shows no groups of users. Ask it another question.")

    def part(self, path: str) -> PrivacyProfile | None:
        """Return the profile that a composition takes; None if it takes no such law."""
        return self.profile(path)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameters that the law leaves out and that can be asked for, by name."""
        return {}

    def families(self) -> Mapping[str, Family]:
        """Return the parameters left out, by name, for a composition to find."""
        return {}

    def note(self) -> str | None:
        """Return the facts about a mechanism that the profile leaves open; None if none is."""
        profile = self.profile("$")
        return None if profile is None else profile.note

    def is_lower_bound(self) -> bool:
        """Return whether messages were merged with loss on request."""
        return False


class MechanismLaw(Law, frozen=True, kw_only=True):
    """A mechanism of the engine by its arguments: a row of fields, mechanism and sides.

    The fields are named as the arguments are. The one that may be left out is the one in which
    the mechanism is known to be monotone: its :class:`Family` finds it.

    Attributes:
        mechanism: The function of the engine that returns the profile.
        side_names: Whose laws the two sides are.
    """

    mechanism: ClassVar[Callable[..., PrivacyProfile]]
    side_names: ClassVar[SideNames]

    def __post_init__(self) -> None:
        """Refuse none, or two, of parameters that say one thing."""
        names = description_of(self.mechanism).one_of
        given = [name for name in names if getattr(self, name) is not UNSET]
        if len(given) > 1:
            raise ParseError(f"{HERE} has both {' and '.join(given)}. Keep one of them.")
        if names and not given and not set(names) & set(families_of(self.mechanism)):
            raise ParseError(f"{HERE} needs {' or '.join(names)}. Give one of them.")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that are given, by name."""
        takes = signature(self.mechanism).parameters
        return {name: value for name, value in arguments_of(self).items() if name in takes}

    @property
    def left_out(self) -> str | None:
        """The parameter that is left out, to be asked for; None if none is."""
        given, names = self.arguments(), description_of(self.mechanism).one_of
        said = set(names) if set(names) & set(given) else set()
        return next((x for x in families_of(self.mechanism) if x not in {*given, *said}), None)

    def family(self) -> Family | None:
        """Return the mechanisms that differ in the parameter left out; None if none is."""
        return None if self.left_out is None else family_of(self.mechanism, **self.arguments())

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile of the mechanism; None if a parameter is left out."""
        if self.left_out is not None:
            return None
        given = self.arguments()
        with located(path):
            return self.mechanism(**given)

    def sides(self) -> SideNames:
        """Return those of the row."""
        return self.side_names

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter left out, if one is."""
        family = self.family()
        return (
            {} if family is None else {family.parameter: OpenParameter.of(family, note=family.note)}
        )


@contextmanager
def located(path: str) -> Iterator[None]:
    """Put the path before the message of an error that does not name one."""
    try:
        yield
    except ExactDPError as error:
        if str(error).startswith("$"):
            raise
        raise type(error)(f"{path}: {error}") from None
