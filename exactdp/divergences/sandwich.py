"""Between a proved lower and a proved upper bound: what is known where the truth is too large.

Each end is the best of several profiles, named in words: below, every profile is at most the
truth; above, every one is at least it. Profiles are tried in the order given, cheap ones first,
and no more once the two ends are as close as the widths asked of them allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import (
    Named,
    Parts,
    PrivacyProfile,
    enclosed,
    notes_of,
    reversed_parts,
)
from exactdp.divergences.questions import beside
from exactdp.divergences.values import Bounds, largest, smallest
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, Real, decimal
from exactdp.numbers.arguments import any_epsilon, open_probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, answers, first_answer
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.validated import validated

__all__ = ["BOUNDS", "NOTHING", "Bounds", "Named", "Sandwich", "added_divergences"]

_Ask = Callable[[Named], Number | Enclosure | Epsilon]
"""What asks a profile for a number."""

NOTHING = Named("nothing", Pair.from_masses([1], [1]))
"""The lower end where no pair is known that neighbors have."""

BOUNDS = "lower and upper are certified bounds on the truth; see lower_by, upper_by and gap."
"""What such a profile says of its ends."""

_COARSE = Fraction(1, 8)
"""The relative width at which it is first seen whether a lower end would be a better one."""

_FAR_NARROWER = 16
"""Widths so many times less cost far more than that one."""


_NARROW = Fraction(1, 10**9)
"""The relative width of a Rényi divergence of a part where none is asked for."""

_COARSER = Fraction(1, 10**3), Fraction(1, 10**2), Fraction(1, 10)
"""The widths that are tried where none is asked for."""


@validated
@dataclass(frozen=True, slots=True)
class Sandwich(PrivacyProfile):
    """A profile that is known to lie between others: δ and ε as :class:`Bounds`.

    ``relative_width`` is that of each end. The two ends may lie further apart.

    Attributes:
        below: Profiles that are at most this one, at least one.
        above: Profiles that are at least this one, at least one.
        parts: What it is composed of, if it is: some are the worst of several pairs.
        is_symmetric: Whether it is in both directions at once.
        left_open: What the numbers of what is sampled leave open.
    """

    below: tuple[Named, ...]
    above: tuple[Named, ...]
    parts: Parts = field(default=(), kw_only=True, repr=False)
    is_symmetric: bool = field(default=False, kw_only=True, repr=False)
    left_open: str | None = field(default=None, kw_only=True, repr=False)

    usual_width = _COARSER[0]

    def __post_init__(self) -> None:
        if not self.below or not self.above:
            raise DomainError("below or above is empty. Give at least one profile on each side.")

    reached = "bound"

    def cases(self) -> tuple[Named, ...]:
        """Return the pairs of the profiles below."""
        return tuple(case.among(one) for one in self.below for case in one.profile.cases())

    def dominating(self) -> tuple[Named, ...]:
        """Return the profile that dominates those above."""
        return tuple(x.among(one) for one in self.above for x in one.profile.dominating())

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    def made_of(self, parts: Parts) -> Sandwich:
        """Return the same with these parts."""
        return replace(self, parts=tuple(parts))

    @property
    def note(self) -> str | None:
        """A line that says that the ends are bounds, with the facts that the parts leave open."""
        more = notes_of(self.parts) if self.left_open is None else [self.left_open]
        return " ".join(dict.fromkeys([BOUNDS, *more]))

    def delta(self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None) -> Bounds:
        """Return bounds on δ(ε): wider ones if no width is asked and the usual is not reached."""
        at = any_epsilon(epsilon)
        if relative_width is not None:
            return self._delta_within(at, checked_width(relative_width))
        found = self._first_told(
            partial(self._delta_within, at), lambda named: named.profile.delta(at)
        )
        if not isinstance(found, Bounds):
            return self._delta_within(at, self.usual_width)  # whose error is told
        return found

    def _first_told(
        self, within: Callable[[Fraction], Bounds | Epsilon], ask: _Ask
    ) -> Bounds | Epsilon | None:
        """Return bounds of the first width that is reached, else the ends that profiles tell."""
        widths = (partial(within, width) for width in _COARSER)
        return first_answer(*widths, partial(_as_known, self.below, self.above, ask))

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return bounds on δ(ε), ε >= 0: to a width, or told that it is below a target."""
        for x, found in answers(
            lambda x: x.profile.delta_beside(epsilon, target, width), self.above
        ):
            if found.upper < target:
                return Bounds(Fraction(0), found.upper, "nothing", x.words)
        return PrivacyProfile.delta_beside(self, epsilon, target, width)

    def _epsilon_at(self, delta: Exact) -> Bounds | Epsilon | None:
        """Return ε(δ) as :meth:`delta` does where no width is given."""
        return self._first_told(
            partial(self._epsilon_within, delta), lambda named: named.profile.epsilon(delta)
        )

    def _delta_within(self, at: Epsilon, width: Fraction) -> Bounds:
        upper = min(
            ((_delta(x.profile, at, width).upper, x.words) for x in self.above),
            key=lambda found: found[0],
        )
        lower: tuple[Fraction, str] | None = None

        def ask(candidate: Named) -> Fraction:
            if lower and _delta(candidate.profile, at, _COARSE).upper <= lower[0]:
                return lower[0]
            return _delta(candidate.profile, at, width).lower

        for candidate, found in answers(ask, self.below):  # any end is certain without the others
            if lower is None or found > lower[0]:
                lower = found, candidate.words
            if upper[0] - lower[0] <= 2 * width * lower[0]:
                break
        low, low_by = lower or (Fraction(0), "nothing")
        return Bounds(low, max(low, upper[0]), low_by, upper[1])

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Bounds | Epsilon:
        """Return bounds on the smallest ε >= 0 (nats) with H_{e^ε} <= δ.

        At the upper end δ certainly holds; at the lower end it certainly fails (or is ε = 0).
        Epsilon.infinity() if it certainly holds at none.
        """
        target = open_probability(delta, name="delta")
        low, low_by = Fraction(0), "nothing"
        upper: tuple[Fraction, str] | None = None
        is_sought = False  # where no upper end is finite, a lower one may be infinite, too
        for candidate in self.below:
            if upper is not None and upper[0] - low <= 2 * width * low:
                break
            try:
                # One search costs as much as a narrow δ where one law answers both.
                asked = _COARSE if candidate.profile.has_one_law else width
                asks = asked == width or width * _FAR_NARROWER < _COARSE
                if asks and low and not _is_above(candidate.profile, low, target, asked):
                    continue
                found = _epsilon(candidate.profile, target, width)
            except (TooLargeError, UndecidedError):
                if low == 0:
                    raise
                continue  # the end that is there is certain without it
            if found is None:
                return Epsilon.infinity()
            if found.lower > low or low_by == "nothing":
                low, low_by = found.lower, candidate.words
            if upper is None and not is_sought:
                upper, is_sought = self._upper(low, target, width), True
        if upper is None:
            raise UndecidedError(
                f"no finite epsilon is proved for delta={target}, and none is excluded: epsilon is "
                f"at least {decimal(Exact(low), digits=6)} ({low_by}). Ask for a larger delta."
            )
        return Bounds(low, max(low, upper[0]), low_by, upper[1])

    def _has_infinite_renyi(self, order: Fraction) -> bool:
        return False  # the ends say it

    def _renyi_at(self, order: Fraction) -> Enclosure | None:
        return added_divergences(self.parts, order, None)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        """Return bounds on the Rényi divergence: it is larger where δ is, ε by ε."""
        found = added_divergences(self.parts, order, width)
        return found or _between(
            self.below, self.above, width, lambda x: x.profile.renyi(order, relative_width=width)
        )

    def _error_at(self, level: Exact) -> None:
        return None  # the ends say it

    def _trade_off_within(self, level: Exact, width: Fraction) -> Bounds:
        """Return bounds on the least type II error: it is less where δ is larger, ε by ε."""
        found = _between(
            self.above,
            self.below,
            width,
            lambda x: x.profile.trade_off(level, relative_width=width),
        )
        assert isinstance(found, Bounds)
        return found

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return the least of those of the profiles above."""
        found = [one.profile.convex_bound(order) for one in self.above]
        return min((bound for bound in found if bound is not None), default=None)

    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞ where the two ends have the same.

        Raises:
            UndecidedError: If they have not.
        """
        below = [named.profile.max_divergence() for named in self.below]
        above = [named.profile.max_divergence() for named in self.above]
        low, high = largest(below), _least(above)
        is_told = not isinstance(low, Real) and not isinstance(high, Real)
        if not (is_told and low == high):
            raise UndecidedError(
                f"the largest ratio lies between {low!r} and {high!r}. Ask for hockey_stick."
            )
        return low

    def infinity_mass(self) -> Number:
        """Return the limit of δ(ε) where the two ends have the same.

        Raises:
            UndecidedError: If they have not, as far as can be seen.
        """
        low = [named.profile.infinity_mass() for named in self.below]
        high = smallest([named.profile.infinity_mass() for named in self.above])
        if isinstance(high, Exact) and any(isinstance(x, Exact) and x == high for x in low):
            return high
        raise UndecidedError(
            "the mass that P has where Q has none is not found: two bounds on it differ. Ask for "
            "hockey_stick."
        )

    def reversed(self) -> Sandwich:
        """Return the sandwich of the reversed profiles; itself, if it is in both directions."""
        if self.is_symmetric:
            return self
        below, above = (
            tuple(replace(x, profile=x.profile.reversed()) for x in side)
            for side in (self.below, self.above)
        )
        return replace(self, below=below, above=above, parts=reversed_parts(self.parts))

    def _upper(self, low: Fraction, target: Exact, width: Fraction) -> tuple[Fraction, str] | None:
        """Return a certain upper end, if there is one, close to a lower end where possible."""
        best: tuple[Fraction, str] | None = None
        near = _dyadic(low * (1 + width / 2)) if low else Fraction(0)
        for candidate in self.above:
            asks = not candidate.profile.has_one_law
            if asks and low and not _is_above(candidate.profile, near, target, width):
                return near, candidate.words
            if not (asks and best and _is_above(candidate.profile, best[0], target, width)):
                found = _epsilon(candidate.profile, target, width)
                if found is not None and (best is None or found.upper < best[0]):
                    best = found.upper, candidate.words
        return best


def added_divergences(parts: Parts, order: Fraction, width: Fraction | None) -> Enclosure | None:
    """Return the sum of the Rényi divergences of parts; None if one is infinite or not known."""
    if not parts:
        return None
    lower = upper = Fraction(0)
    is_between = False
    for part, times in parts:
        ask = partial(part.renyi, order, relative_width=width)
        one = first_answer(ask, Epsilon.infinity, refusals=NO_ANSWER)
        if isinstance(one, Epsilon):
            return None
        ends = enclosed(one, width or _NARROW)
        is_between = is_between or isinstance(ends, Bounds)
        lower, upper = lower + times * ends.lower, upper + times * ends.upper
    if is_between:
        return Bounds(lower, upper, "pairs of each part", "what dominates each part")
    return Enclosure(lower, upper)


def _least(tops: Sequence[Epsilon | Number]) -> Epsilon | Number:
    """Return the least of several largest losses; in nats where one of them is."""
    finite = [x for x in tops if not (isinstance(x, Epsilon) and x.is_infinite)]
    epsilons = [x for x in finite if isinstance(x, Epsilon)]
    if len(epsilons) == len(finite):
        return min(epsilons, default=Epsilon.infinity())
    least = smallest([x.nats if isinstance(x, Epsilon) else x for x in finite])
    assert not isinstance(least, Enclosure)
    return least


def _between(
    floors: Sequence[Named],
    ceilings: Sequence[Named],
    width: Fraction,
    ask: _Ask,
) -> Bounds | Epsilon:
    """Return the best bounds that the answers of profiles are; infinity if a lower one is.

    Raises:
        UndecidedError: If an end has no finite one.
    """
    high: tuple[Fraction, str] | None = None
    low: tuple[Fraction, str] | None = None
    for candidate, found in answers(ask, (*ceilings, *floors)):
        if isinstance(found, Epsilon):
            if candidate in floors:
                return found
            continue
        ends = enclosed(found, width)
        if candidate in ceilings:
            high = min(high or (ends.upper, candidate.words), (ends.upper, candidate.words))
        else:
            low = max(low or (ends.lower, candidate.words), (ends.lower, candidate.words))
        if low and high and high[0] - low[0] <= 2 * width * low[0]:
            break
    if low is None or high is None:
        end = "below" if low is None else "above"
        raise UndecidedError(f"nothing finite is proved from {end}. Ask for hockey_stick.")
    return Bounds(min(low[0], high[0]), high[0], low[1], high[1])


def _as_known(
    floors: Sequence[Named],
    ceilings: Sequence[Named],
    ask: _Ask,
) -> Bounds | Epsilon | None:
    """Return the ends that profiles tell where no width is asked, with their own words for them.

    Infinity if a lower end is; None if nothing finite is told from above.
    """
    high: tuple[Fraction, str] | None = None
    for candidate, found in answers(ask, ceilings):
        if not (isinstance(found, Epsilon) and found.is_infinite):
            ends = _told(found)
            words = f", {ends.upper_by}" if isinstance(ends, Bounds) else ""
            told = ends.upper, candidate.words + words
            high = told if high is None else min(high, told)
    low = Fraction(0), "nothing"
    for candidate, found in answers(ask, floors):
        if isinstance(found, Epsilon) and found.is_infinite:
            return found
        low = max(low, (_told(found).lower, candidate.words), key=lambda end: end[0])
    return None if high is None else Bounds(min(low[0], high[0]), high[0], low[1], high[1])


def _told(found: Number | Enclosure | Epsilon) -> Enclosure:
    return enclosed(found.nats if isinstance(found, Epsilon) else found, _COARSER[0])


def _delta(profile: PrivacyProfile, at: Epsilon, width: Fraction) -> Enclosure:
    return enclosed(profile.delta(at, relative_width=width), width)


def _is_above(profile: PrivacyProfile, nats: Fraction, target: Exact, width: Fraction) -> bool:
    """Return whether δ is above the target, as far as can be seen (False only if certain)."""
    found = beside(profile, Epsilon.rational(nats), target, width)
    return not found.is_at_most(target).is_certain


def _epsilon(profile: PrivacyProfile, target: Exact, width: Fraction) -> Enclosure | None:
    """Return the ε of a profile, None if it is infinite."""
    found = profile.epsilon(target, relative_width=width)
    if isinstance(found, Epsilon):
        return None if found.is_infinite else enclosed(found.nats, width)
    return found


def _dyadic(value: Fraction) -> Fraction:
    """Return a dyadic rational at most slightly below a positive number."""
    places = 40 + value.denominator.bit_length() - value.numerator.bit_length()
    return Fraction(max(1, round(value * Fraction(2) ** places))) / Fraction(2) ** places
