"""Questions to a profile: one number of it, and on which side of another number that is.

A :class:`Question` is δ at an ε, the smallest ε for a δ, a Rényi divergence, or the least type II
error of a test at a level, not computed yet. It is answered by ever narrower enclosures, the
cheapest first: Chernoff's bound, then a coarse width, then finer ones, until the other number lies
outside. :func:`beside` is one such step for δ: no narrower than it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.divergences.chernoff import chernoff_bound, is_beyond_all
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.several import beside, sides_of
from exactdp.divergences.values import enclosed
from exactdp.errors import BeyondRangeError, DomainError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, RationalLike
from exactdp.numbers.arguments import any_epsilon, exact, probability, renyi_order
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import first_answer
from exactdp.numbers.text import short
from exactdp.numbers.validated import validated

__all__ = ["Level", "Question", "beside", "question"]

_FAR = Epsilon.rational(100)
"""The ε (nats) above which the bound is asked before a closed form, whose terms may be far too
small."""

WIDTHS = tuple(Fraction(1, 10**k) for k in (1, 3, 6, 9, 12, 15, 20, 30, 50))
"""The relative widths of the answers, one after another."""


@validated
@dataclass(frozen=True)
class Level:
    """The level of a test: the allowed probability of a false rejection.

    Attributes:
        alpha: α, from 0 to 1.

    Example:
        >>> str(Level(Exact("1/20")))
        '1/20'
    """

    alpha: Exact

    def __post_init__(self) -> None:
        probability(self.alpha, name="alpha")

    def __str__(self) -> str:
        return str(self.alpha)


@validated
@dataclass(frozen=True)
class Question:
    """One number of a profile, not computed yet.

    Attributes:
        profile: The profile that is asked.
        at: An Epsilon for δ(ε); a δ for the smallest ε, as an Exact; an order for the Rényi
            divergence, as a Fraction; a Level for the least type II error.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> asked = Question(coin, Epsilon.log(2))
        >>> asked.name, asked.answer(Fraction(1, 10)).upper
        ('delta', Fraction(1, 4))
    """

    profile: PrivacyProfile
    at: Epsilon | Exact | Fraction | Level
    _told: dict[tuple[int, Fraction], Enclosure] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """δ of a direction to a width: who compares several numbers with it asks once."""

    @property
    def name(self) -> str:
        """The name of the question: delta, epsilon, renyi or beta, the type II error."""
        match self.at:
            case Epsilon():
                return "delta"
            case Exact():
                return "epsilon"
            case Level():
                return "beta"
        return "renyi"

    def answer(self, width: Fraction) -> Enclosure | None:
        """Return an enclosure of about a relative width; None where the answer is infinite."""
        match self.at:
            case Epsilon():
                found: Any = self.profile.delta(self.at, relative_width=width)
            case Exact():
                found = self.profile.epsilon(self.at, relative_width=width)
            case Level():
                found = enclosed(self.profile.trade_off(self.at.alpha, relative_width=width), width)
            case _:
                found = self.profile.renyi(self.at, relative_width=width)
        if isinstance(found, Epsilon):
            if found.is_infinite:
                return None
            return Question._around(found)
        assert isinstance(found, Enclosure)
        return found

    def bounds(self, claimed: Exact) -> Iterator[Enclosure]:
        """Yield ever narrower enclosures, the cheapest first; none where it is infinite.

        Args:
            claimed: What the number is compared with.
        """
        if isinstance(self.at, Epsilon):
            yield from self._bounds_of_delta(self.at, claimed)
            return
        for width in WIDTHS:
            found = self.answer(width)
            if found is None:
                return
            yield found

    def _bounds_of_delta(self, epsilon: Epsilon, claimed: Exact) -> Iterator[Enclosure]:
        """Yield enclosures of δ; of several directions each is asked only where it may matter."""
        sides = sides_of(self.profile)
        known = [Enclosure(Fraction(0), Fraction(1))] * len(sides)
        for i, side in enumerate(sides):
            bound = None
            # A closed form is as cheap as the bound, unless its terms are far too small.
            if not side.has_closed_form or epsilon > _FAR:
                bound = first_answer(partial(_bound, side, epsilon, claimed), lambda: None)
            known[i] = Enclosure(Fraction(0), Fraction(1) if bound is None else bound)
        yield _largest(known)
        for width in WIDTHS:
            for i, side in enumerate(sides):
                if known[i].upper <= _largest(known).lower:
                    continue
                try:
                    if (i, width) not in self._told:
                        found = enclosed(side.delta(epsilon, relative_width=width), width)
                        self._told[i, width] = found
                    known[i] = self._told[i, width]
                except BeyondRangeError:  # a closed form may be too small for any digits
                    bound = _bound(side, epsilon, claimed)
                    if bound is None or bound >= known[i].upper:
                        raise
                    known[i] = Enclosure(Fraction(0), bound)
                yield _largest(known)

    def is_certainly_positive(self) -> bool:
        """Return whether δ(ε) > 0 is plain without computing it: ε is below the largest loss."""
        if not isinstance(self.at, Epsilon):
            return False
        return not is_beyond_all(self.profile, self.at).is_possible

    @staticmethod
    def _around(value: Epsilon) -> Enclosure:
        ball = value.nats.ball(256)
        return Enclosure(*endpoints(ball))

    def __repr__(self) -> str:
        name = {
            "delta": "delta at epsilon",
            "epsilon": "the smallest epsilon for delta",
            "beta": "the least type II error at level",
        }
        at = short(self.at) if isinstance(self.at, Fraction) else self.at
        return f"<{name.get(self.name, 'Rényi divergence of order')} {at} of {self.profile!r}>"


def question(
    profile: PrivacyProfile,
    *,
    epsilon: EpsilonLike | None = None,
    delta: Exact | RationalLike | None = None,
    order: RationalLike | None = None,
    alpha: Exact | RationalLike | None = None,
) -> Question:
    """Return one number of a profile as a question; doubles are the numbers that they hold.

    Args:
        profile: The profile.
        epsilon: Where to ask for δ: an Epsilon, or a number of nats.
        delta: The δ for which the smallest ε >= 0 is asked.
        order: The order of the Rényi divergence that is asked.
        alpha: The level of the tests whose least type II error is asked.

    Raises:
        DomainError: If not exactly one of the four is given, or it is out of range.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> question(gaussian_mechanism(sigma=1), epsilon=0.5).at
        Epsilon.rational('1/2')
    """
    given = [value for value in (epsilon, delta, order, alpha) if value is not None]
    if len(given) != 1:
        names = {"epsilon": epsilon, "delta": delta, "order": order, "alpha": alpha}
        told = [f"{name}={short(repr(value))}" for name, value in names.items()]
        raise DomainError(
            f"{', '.join(told)}: give exactly one. "
            "epsilon asks for delta, delta for the smallest epsilon, order for the Rényi "
            "divergence, alpha for the least type II error."
        )
    if epsilon is not None:
        return Question(profile, any_epsilon(epsilon))
    if delta is not None:
        return Question(profile, exact(delta, name="delta"))
    if alpha is not None:
        return Question(profile, Level(exact(alpha, name="alpha")))
    assert order is not None
    return Question(profile, renyi_order(order))


def _bound(side: PrivacyProfile, epsilon: Epsilon, claimed: Exact) -> Fraction | None:
    found = side.quick_bound(epsilon)
    return chernoff_bound(side, epsilon, enough=claimed) if found is None else found


def _largest(known: Sequence[Enclosure]) -> Enclosure:
    return Enclosure(max(one.lower for one in known), max(one.upper for one in known))
