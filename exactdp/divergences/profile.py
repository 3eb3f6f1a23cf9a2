"""The privacy profile: one ordered pair of laws as the function ε -> δ(ε).

Whatever answers "what is δ at this ε" is a :class:`PrivacyProfile`: a finite pair, the view
of a shuffled protocol, a pair of counts, a noise mechanism, a composition. What follows
from δ alone is written here once: the smallest ε for a δ, the largest of several profiles,
the names of other accountants, the display in a notebook.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar, Generic, TypeVar, cast, overload

from exactdp.divergences.display import POINTS, curve, html_table
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    enclosure,
    is_below,
)
from exactdp.numbers.arguments import any_epsilon, open_probability, probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.reals import larger_number
from exactdp.truth import Truth

__all__ = [
    "ExactProfile",
    "Largest",
    "NumberProfile",
    "PrivacyProfile",
    "enclosed",
    "larger_number",
]

A = TypeVar("A")
N = TypeVar("N", bound=Number, covariant=True)


class PrivacyProfile(ABC):
    """One ordered pair (P, Q) as the function ε -> δ(ε) = H_{e^ε}(P ‖ Q).

    Formula:
        H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S), γ = e^ε, ε in nats.

    A mechanism's δ is the largest over all neighboring pairs, each in both orders.
    """

    __slots__ = ()

    usual_width: ClassVar[Fraction] = Fraction(1, 10**9)
    """The relative width of an enclosure where none is asked for."""

    @property
    def has_closed_form(self) -> bool:
        """Whether δ is a number that costs about what an enclosure does, to any width."""
        return self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether every δ is an exact number, and every ε an Epsilon."""
        return False

    @property
    def note(self) -> str | None:
        """What these numbers do not show of a mechanism, in one line; None if nothing is open."""
        return None

    @abstractmethod
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) = H_{e^ε}(P ‖ Q).

        Args:
            epsilon: ε in nats, finite; negative ones are allowed where P and Q are.
            relative_width: The width of an enclosure, at most this times δ.

        Returns:
            Without a width: a number (exact, or a real that refines) where the profile has
            one, else an enclosure of the usual width. With a width: an enclosure.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.
        """

    @abstractmethod
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0; as nats where e^ε is not exact."""

    @abstractmethod
    def reversed(self) -> PrivacyProfile:
        """Return the profile of (Q, P), the other direction."""

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 (nats) with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, above 0 and below 1 (exact profiles take 0 and 1 too).
            relative_width: The width of an enclosure, at most this times ε.

        Returns:
            An Epsilon where the profile has exact ones and no width is asked; else an
            enclosure: δ certainly holds at its upper end and certainly fails at its lower
            one; the point 0 if δ holds at ε = 0. Epsilon.infinity() if no finite ε has it.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If δ is so close to a limit that it cannot be told from it.
        """
        target = open_probability(delta, name="delta")
        limit = self.infinity_mass()
        match is_below(limit, target):
            case Truth.FALSE:
                return Epsilon.infinity()
            case Truth.UNKNOWN:
                raise UndecidedError(
                    f"delta={target} cannot be told from the mass that P has where Q has none. "
                    "Ask for another delta."
                )
        width = checked_width(self.usual_width if relative_width is None else relative_width)
        start = self.search_start(target)
        found = self._smallest_from(start, target, width)
        # δ at the start was not above the target after all: it says nothing.
        if 0 < start == found.upper:
            return self._smallest_from(Fraction(0), target, width)
        return found

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start; the point start if δ holds there."""

        def value_at(x: Fraction, width: Fraction) -> Enclosure:
            return enclosed(self.delta(Epsilon.rational(start + x), relative_width=width), width)

        beyond = smallest_from_zero(
            value_at, target, first=self.first_guess(target), relative_width=width
        )
        return Enclosure(start + beyond.lower, start + beyond.upper)

    def infinity_mass(self) -> Number:
        """Return the limit of δ(ε) for ε to infinity: the mass of P where Q has none."""
        return Exact(0)

    def search_start(self, delta: Exact) -> Fraction:
        """Return an ε >= 0 (nats) that is likely too small for a δ, such as the mean loss."""
        return Fraction(0)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return a guess, above 0, of how far beyond :meth:`search_start` ε is."""
        return Fraction(1)

    def both_directions(self) -> PrivacyProfile:
        """Return the larger of the two directions, ε by ε: the δ of the unordered pair."""
        other = self.reversed()
        return self if other is self else Largest((self, other))

    # The names that other accountants have for the same questions.

    def get_delta_for_epsilon(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return :meth:`delta`, as dp_accounting calls it."""
        return self.delta(epsilon, relative_width=relative_width)

    def get_epsilon_for_delta(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return :meth:`epsilon`, as dp_accounting calls it."""
        return self.epsilon(delta, relative_width=relative_width)

    def plot(self, epsilons: Sequence[Epsilon] | None = None, *, axes: Any = None) -> Any:
        """Draw δ(ε) on a logarithmic axis, with matplotlib (the extra ``report``).

        Args:
            epsilons: Where; by default 0 to 4 nats in steps of 1/8.
            axes: What to draw on, and what is returned; by default new axes.
        """
        at = [Epsilon.rational(x) for x in POINTS] if epsilons is None else epsilons
        return curve(self._shown, at, label=type(self).__name__, axes=axes)

    def _repr_html_(self) -> str:
        """Return a table of δ at a few ε, for a notebook."""
        return html_table(type(self).__name__, self._shown)

    def _shown(self, epsilon: Epsilon) -> Enclosure:
        return enclosed(self.delta(epsilon, relative_width="1e-3"), "1e-3")


class NumberProfile(PrivacyProfile, Generic[N]):
    """A profile whose δ is a number of type N, exact or a real that refines, at every ε.

    A subclass says what it is as a function of γ = e^ε.
    """

    __slots__ = ()

    @abstractmethod
    def _delta_at(self, gamma: Exact) -> N:
        """Return H_γ(P ‖ Q) for γ > 0."""

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of H_γ(P ‖ Q); for those that have a faster way to one."""
        return enclosed(self._delta_at(gamma), width)

    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: None = None) -> N: ...
    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: RationalLike) -> Enclosure: ...
    @overload
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure: ...
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> N | Enclosure:
        """Return δ(ε) for an ε of any sign: a number; an enclosure of it if a width is given."""
        gamma = any_epsilon(epsilon).exp
        if relative_width is None:
            return self._delta_at(gamma)
        return self._delta_within(gamma, checked_width(relative_width))


class ExactProfile(NumberProfile[Exact]):
    """A profile with an exact δ for every ε and an exact ε for every δ.

    A subclass says what they are as functions of γ = e^ε and of δ.
    """

    __slots__ = ()

    @property
    def is_exact(self) -> bool:
        """Always."""
        return True

    @abstractmethod
    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0, or plus infinity."""

    @abstractmethod
    def _epsilon_at(self, delta: Exact) -> Epsilon:
        """Return the smallest ε >= 0 for δ from 0 to 1."""

    @overload
    def epsilon(self, delta: Exact | RationalLike, *, relative_width: None = None) -> Epsilon: ...
    @overload
    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure: ...
    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 with δ(ε) <= δ, exactly; an enclosure if a width is given.

        Args:
            delta: δ, from 0 to 1.
            relative_width: The width of an enclosure of ε (nats).
        """
        value = self._epsilon_at(probability(delta, name="delta"))
        if relative_width is None or value.is_infinite:
            return value
        return enclosed(value.nats, relative_width)


@dataclass(frozen=True, slots=True)
class Largest(PrivacyProfile):
    """The pointwise largest of several profiles: the worst of both orders, or of many cases.

    Attributes:
        profiles: The profiles, at least one.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> pair.delta(Epsilon.log(2)), pair.reversed().delta(Epsilon.log(2))
        (Exact('1/2'), Exact('0'))
        >>> Largest((pair, pair.reversed())).delta(Epsilon.log(2))
        Exact('1/2')
    """

    profiles: tuple[PrivacyProfile, ...]

    def __post_init__(self) -> None:
        if not self.profiles:
            raise DomainError("profiles is empty, and has no largest. Give at least one profile.")

    @property
    def note(self) -> str | None:
        """The notes of all, each once."""
        return " ".join(dict.fromkeys(p.note for p in self.profiles if p.note)) or None

    @property
    def is_exact(self) -> bool:
        """Whether all are."""
        return all(profile.is_exact for profile in self.profiles)

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε)."""
        found = [p.delta(epsilon, relative_width=relative_width) for p in self.profiles]
        return _largest(found)

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the largest ε(δ), which is the smallest ε at which every profile is at most δ."""
        return _largest([p.epsilon(delta, relative_width=relative_width) for p in self.profiles])

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest maximal divergence."""
        return _largest([p.max_divergence() for p in self.profiles])

    def infinity_mass(self) -> Number:
        """Return the largest limit of δ(ε)."""
        return _largest([p.infinity_mass() for p in self.profiles])

    def reversed(self) -> Largest:
        """Return the largest of the profiles reversed."""
        return Largest(tuple(p.reversed() for p in self.profiles))


def enclosed(value: Number | Enclosure, relative_width: RationalLike) -> Enclosure:
    """Return a number as an enclosure of a relative width; an enclosure as it is."""
    if isinstance(value, Enclosure):
        return value
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    width = checked_width(relative_width)
    bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
    return enclosure(value, relative_bits=max(8, bits))


def _largest(answers: Sequence[A]) -> A:
    """Return the largest of values of δ or of ε; if one is an enclosure, an enclosure of it."""
    values: list[Any] = list(answers)
    found: Any
    if all(isinstance(one, Epsilon) for one in values):
        found = max(values)
    elif any(isinstance(one, Epsilon) and one.is_infinite for one in values):
        found = Epsilon.infinity()
    else:
        values = [one.nats if isinstance(one, Epsilon) else one for one in values]
        if any(isinstance(one, Enclosure) for one in values):
            ends = [enclosed(one, "1e-15") for one in values]
            found = Enclosure(max(one.lower for one in ends), max(one.upper for one in ends))
        else:
            found = reduce(larger_number, values)
    return cast("A", found)
