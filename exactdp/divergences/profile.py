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
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

from exactdp.divergences.answered import Answers
from exactdp.divergences.display import (
    DELTA,
    LEVELS,
    POINTS,
    Table,
    curve,
    deltas,
    marked,
    name_of,
)
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, short
from exactdp.numbers.arguments import NumberLike, any_epsilon, open_probability, privacy_epsilon
from exactdp.numbers.effort import answers
from exactdp.numbers.validated import validated

__all__ = ["Named", "Parts", "PrivacyProfile", "enclosed", "notes_of", "reversed_parts"]


class PrivacyProfile(Answers):
    """One ordered pair (P, Q) as the function ε -> δ(ε) = H_{e^ε}(P ‖ Q).

    Formula:
        H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S), γ = e^ε, ε in nats.

    A mechanism's δ is the largest over all neighboring pairs, each in both orders.
    """

    __slots__ = ()

    _largest: ClassVar[Callable[..., PrivacyProfile]]
    """Returns the largest of profiles: :func:`Largest`, which says so itself."""

    @abstractmethod
    def reversed(self) -> PrivacyProfile:
        """Return the profile of (Q, P), the other direction."""

    @property
    def is_its_reverse(self) -> bool:
        """True if the other direction is known to have the same δ, but is another object."""
        return False

    def both_directions(self) -> PrivacyProfile:
        """Return the larger of the two directions, ε by ε: the δ of the unordered pair."""
        other = self if self.is_its_reverse else self.reversed()
        if other is self:
            return self
        import_module("exactdp.divergences.worst")  # which says how the largest is made
        return type(self)._largest((self, other), is_either_order=True)

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
        found = Answers._renyi_from_delta(self, order, width)
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

    def lifted(self, change: Callable[[Named], Named]) -> PrivacyProfile:
        """Return the profile changed; of the worst of several, the worst of each one changed.

        Args:
            change: Samples, groups or reverses a profile, with its words.
        """
        return change(Named("", self)).profile

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

    # How it is shown, and asked by the names of other accountants.

    def get_delta_for_epsilon(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return :meth:`delta`, as dp_accounting calls it."""
        return self.delta(epsilon, relative_width=relative_width)

    def get_epsilon_for_delta(
        self, delta: NumberLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return :meth:`epsilon`, as dp_accounting calls it."""
        return self.epsilon(delta, relative_width=relative_width)

    def plot(
        self,
        epsilons: Sequence[EpsilonLike] = (),
        *,
        trade_off: bool = False,
        label: str = "",
        claim: tuple[EpsilonLike, Exact | RationalLike] | None = None,
        axes: Any = None,
    ) -> Any:
        """Draw δ(ε) or the trade-off function, with matplotlib (the extra ``report``).

        Several profiles are in one picture if each is drawn on the axes that the first returned.

        Args:
            epsilons: Where; by default 0 to 4 nats in steps of 1/8.
            trade_off: Whether to draw T(P, Q)(α) at α from 0 to 1 in steps of 1/32 instead.
            label: The name in the legend; by default the mechanism with its parameters.
            claim: An (ε, δ) to mark, δ above 0; no trade-off function has such a point.
            axes: What to draw on and is returned; by default new axes.

        Raises:
            DomainError: If matplotlib is not installed, or an argument is out of range.
        """
        point = None if claim is None else _point(claim, is_trade_off=trade_off)
        name = label or name_of(self)
        if trade_off:
            title, up = "Trade-off function: least type II error at a level α", "T(P, Q)(α)"
            return curve(self._error_shown, LEVELS, "α", up, label=name, title=title, axes=axes)
        axes = curve(
            self._shown,
            [any_epsilon(at) for at in epsilons] or POINTS,
            "ε (nats)",
            DELTA,
            label=name,
            title="Privacy profile: the least δ at each ε",
            axes=axes,
        )
        if point is not None:
            marked(axes, *point)
        return axes

    def table(self) -> Table:
        """Return δ at a few ε."""
        return deltas(name_of(self), self._shown)

    def _shown(self, epsilon: Epsilon) -> Enclosure:
        return enclosed(self.delta(epsilon, relative_width="1e-3"), "1e-3")

    def _error_shown(self, alpha: Exact) -> Enclosure:
        return enclosed(self.trade_off(alpha, relative_width="1e-3"), "1e-3")


@dataclass(frozen=True, slots=True)
class Sample:
    """Noise on a sample of records.

    Attributes:
        kind: How records are sampled, and which of them differ.
        noise: The noise.
        rate: q.
        again: Returns such a sample's profile for another noise and another rate.
    """

    kind: str
    noise: PrivacyProfile
    rate: Exact
    again: Callable[[PrivacyProfile, Exact], PrivacyProfile | None] = field(repr=False)


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


def _point(
    claim: tuple[EpsilonLike, Exact | RationalLike], *, is_trade_off: bool
) -> tuple[Epsilon, Exact]:
    if is_trade_off:
        raise DomainError(
            "claim=(ε, δ) is a point of δ(ε), not of a trade-off function. Leave out one of them."
        )
    if not isinstance(claim, tuple) or len(claim) != 2:
        raise DomainError(f"claim={short(repr(claim))} is not a pair. Pass (epsilon, delta).")
    return privacy_epsilon(claim[0]), open_probability(claim[1], name="claim's delta")
