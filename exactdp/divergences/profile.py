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
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.divergences.derived import Reached, RenyiAndTradeOff
from exactdp.divergences.several import largest_delta, largest_divergence, largest_epsilon
from exactdp.divergences.values import LIMIT_BITS, delta_or_less, enclosed, largest, smallest
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, decided_order
from exactdp.numbers.arguments import open_probability, probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.validated import validated

__all__ = ["BothOrders", "Largest", "Named", "PrivacyProfile", "enclosed"]


class PrivacyProfile(RenyiAndTradeOff):
    """One ordered pair (P, Q) as the function ε -> δ(ε) = H_{e^ε}(P ‖ Q).

    Formula:
        H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S), γ = e^ε, ε in nats.

    A mechanism's δ is the largest over all neighboring pairs, each in both orders.
    """

    __slots__ = ()

    @abstractmethod
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) = H_{e^ε}(P ‖ Q).

        Args:
            epsilon: ε in nats, finite; negative ones are allowed where P and Q are.
            relative_width: The width of an enclosure, at most this times δ.

        Returns:
            With a width, an enclosure. Without one, a number (exact, or a real that refines)
            where the profile has one, and an enclosure of the usual width where it has none.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.
        """

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return δ(ε), ε >= 0, to a width or to where it is told from a target."""
        return delta_or_less(self, epsilon, width)

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
            one, or is a point: 0 if δ holds at ε = 0, and the largest finite loss, if that is
            rational, for a δ that is all that P has where Q has none. Epsilon.infinity() if no
            finite ε has it.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If δ is so close to a limit that it cannot be told from it.
        """
        target = probability(delta, name="delta")
        if relative_width is not None:
            return self._epsilon_within(target, checked_width(relative_width))
        found = self._epsilon_at(target)
        return self._epsilon_within(target, self.usual_width) if found is None else found

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure | None:
        """Return the smallest ε for δ, where no width is asked: exactly, if that is known.

        None where it is an enclosure of the usual width.
        """
        return None

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε for δ, as :meth:`epsilon` says it."""
        target = open_probability(delta, name="delta")
        advice = (
            f"delta={target.text(most=40)} cannot be told from the mass that P has where Q has "
            "none. Ask for another delta."
        )
        order = decided_order(self.infinity_mass(), target, max_bits=LIMIT_BITS, advice=advice)
        if order > 0:
            return Epsilon.infinity()
        if order == 0:
            top = self.largest_finite_loss()
            if isinstance(top, Epsilon):
                if top.is_infinite:
                    return top
                top = max(top, Epsilon.log(1)).nats
            ends = enclosed(top, width)
            return Enclosure(max(ends.lower, Fraction(0)), max(ends.upper, Fraction(0)))
        if self.has_closed_form:
            at_zero = self.delta(Epsilon.rational(0))
            if isinstance(at_zero, Exact) and at_zero <= target:  # which enclosures cannot tell
                return Enclosure(Fraction(0), Fraction(0))
        start = self.search_start(target)
        found = self._smallest_from(start, target, width)
        # δ at the start was not above the target after all: it says nothing.
        if 0 < start == found.upper:
            return self._smallest_from(Fraction(0), target, width)
        return found

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= start; the point start if δ holds there."""
        beyond = smallest_from_zero(
            lambda x, asked: delta_or_less(self, Epsilon.rational(start + x), asked),
            target,
            first=self.first_guess(target),
            relative_width=width,
        )
        return Enclosure(start + beyond.lower, start + beyond.upper)

    def quick_bound(self, epsilon: Epsilon) -> Fraction | None:
        """Return a bound of δ(ε) without sums or Rényi divergences; None if none is known."""
        return None

    def loss_bound(self) -> Epsilon | Number:
        """Return a bound of the losses: :meth:`max_divergence` where that is known."""
        return self.max_divergence()

    def infinity_mass(self) -> Number:
        """Return the limit of δ(ε) for ε to infinity: the mass of P where Q has none."""
        return Exact(0)

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the supremum of the finite losses: from there on δ is :meth:`infinity_mass`.

        It is in nats where e^ε is not exact, infinite if they are unbounded, and anything not above
        0 if no loss is. Profiles with mass at infinity override this.

        Raises:
            UndecidedError: If it is not known.
        """
        top = self.max_divergence()
        if isinstance(top, Epsilon) and top.is_infinite and self.infinity_mass() != Exact(0):
            raise UndecidedError(
                "the largest finite loss is not known beside the mass that P has where Q has none. "
                "Ask for hockey_stick, or for the epsilon of a larger delta."
            )
        return top

    def search_start(self, delta: Exact) -> Fraction:
        """Return an ε >= 0 (nats) that is likely too small for a δ, such as the mean loss."""
        return Fraction(0)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return a guess, above 0, of how far beyond :meth:`search_start` ε is."""
        return Fraction(1)

    def both_directions(self) -> PrivacyProfile:
        """Return the larger of the two directions, ε by ε: the δ of the unordered pair."""
        other = self.reversed()
        return self if other is self else BothOrders((self, other))

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


@validated
@dataclass(frozen=True, slots=True)
class Named:
    """A profile, and in words what it is.

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

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> Largest((pair.reversed(), pair)).delta(Epsilon.log(2))  # 0 and 1/2
        Exact('1/2')
    """

    has_all_pairs: ClassVar[bool] = True
    """Whether these are all pairs that neighbors have; else others may compose to more."""

    profiles: tuple[PrivacyProfile, ...]

    def __post_init__(self) -> None:
        if not self.profiles:
            raise DomainError("profiles is empty, and has no largest. Give at least one profile.")

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
        outer = [
            Named(f"profile {i} of {count}" if count > 1 else "", profile)
            for i, profile in enumerate(self.profiles)
        ]
        return tuple(case.among(one) for one in outer for case in one.profile.cases())

    def dominating(self) -> tuple[Named, ...]:
        """Return the largest of what dominates each."""
        above = [profile.dominating()[-1] for profile in self.profiles]
        if all(x.profile is y for x, y in zip(above, self.profiles, strict=True)):
            return (Named("", self),)
        words = dict.fromkeys(x.words for x in above if x.words)
        return (Named("; ".join(words), Largest(tuple(x.profile for x in above))),)

    @property
    def note(self) -> str | None:
        """The notes of all, each once."""
        return " ".join(dict.fromkeys(p.note for p in self.profiles if p.note)) or None

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
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε)."""
        return largest_delta(self.profiles, epsilon, relative_width)

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
        bounds = [one.renyi_bound(order, width=width) for one in self.profiles]
        known = [bound for bound in bounds if bound is not None]
        return max(known) if len(known) == len(bounds) else None

    def _renyi_at(self, order: Fraction) -> Number | Enclosure:
        return largest_divergence(self.profiles, order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return enclosed(largest_divergence(self.profiles, order, width), width)

    def _trade_off_at(self, level: Exact) -> Number | Enclosure:
        """Return the least type II error: the smallest of the trade-off functions."""
        return smallest([p.trade_off(level) for p in self.profiles])

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        found = smallest([p.trade_off(level, relative_width=width) for p in self.profiles])
        return enclosed(found, width)

    def reversed(self) -> Largest:
        """Return the largest of the profiles reversed; itself, if each is its own."""
        others = tuple(p.reversed() for p in self.profiles)
        return self if [*map(id, others)] == [*map(id, self.profiles)] else Largest(others)


@validated
@dataclass(frozen=True, slots=True)
class BothOrders(Largest):
    """The larger of a profile and its reverse: neighbors are so in both orders.

    Example:
        >>> from exactdp.divergences import Pair
        >>> both = Pair.from_masses(["1/2", "1/2"], [1, 0]).both_directions()
        >>> both.delta(Epsilon.log(2)), both.reversed() is both
        (Exact('1/2'), True)
    """

    def reversed(self) -> BothOrders:
        """Return itself."""
        return self
