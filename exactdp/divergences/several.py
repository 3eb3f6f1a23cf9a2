"""The largest of several profiles, and the best bounds of them, asked no further than it takes.

The first profile is asked what is wanted. Another one cannot be the largest where its δ is
certainly below the first one's, or, at the first one's ε, certainly at most the δ that is asked
for: to see that, a wide enclosure of one δ mostly suffices, and a narrow one may take a thousand
times as long. A profile that is not seen to be smaller is asked what is wanted, too. Exact
profiles, and those in closed form, are all asked: their answers are cheap, or numbers.

Between lower and upper bounds the profiles are asked in their order, cheap ones first, and no more
once the two ends are as close as the widths asked of them allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from exactdp.divergences.profile import Named, Parts, PrivacyProfile
from exactdp.divergences.values import WIDE, Bounds, enclosed, largest, smallest
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, Real, decimal
from exactdp.numbers.arguments import open_probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, TOO_MUCH, answers, first_answer

__all__ = ["COARSER", "added_divergences", "agreed", "answers_between", "beside", "best_between"]
__all__ += [
    "delta_between",
    "epsilon_between",
    "largest_delta",
    "largest_divergence",
    "largest_epsilon",
    "sides_of",
]

_ROUGH = Fraction(1, 256)
"""The part of a width to which one δ is asked, in place of a search for ε."""

_NOTHING = Epsilon.log(1)
"""ε = 0: below it the other directions are not asked beside the best one."""

_FAR_NARROWER = 16
"""Widths so many times less cost far more than that one."""

_NARROW = Fraction(1, 10**9)
"""The relative width of a Rényi divergence of a part where none is asked for."""

COARSER = Fraction(1, 10**3), Fraction(1, 10**2), Fraction(1, 10)
"""The widths of bounds that are tried where none is asked for."""


_Some = Sequence[Named]
_Asked = Number | Enclosure | Epsilon
_Ask = Callable[[PrivacyProfile], _Asked]
_Lower = Callable[[Fraction, Named], Enclosure | None]
_Upper = Callable[[Fraction, Fraction | None, Named], Enclosure | None]


def largest_delta(
    profiles: Sequence[PrivacyProfile], epsilon: Epsilon, relative_width: RationalLike | None
) -> Number | Enclosure:
    """Return the largest δ(ε) of profiles, as their own ``delta`` does.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], ["1/8", "7/8"])
        >>> largest_delta([pair, pair.reversed()], Epsilon.log(2), None)
        Exact('1/4')
    """
    found: list[Number | Enclosure] = []
    for profile in profiles:
        best = _best(found)
        if best and not profile.has_closed_form and epsilon >= _NOTHING:
            width = checked_width(profile.usual_width if relative_width is None else relative_width)
            value = profile.delta_beside(epsilon, Exact(best), width)
            if value.upper < best:
                continue
            if value.lower <= best or value.is_narrow(width):
                found.append(value)  # as narrow as it gets, or as wanted
                continue
        found.append(profile.delta(epsilon, relative_width=relative_width))
    return largest(found)


def largest_epsilon(
    profiles: Sequence[PrivacyProfile],
    delta: Exact | RationalLike,
    relative_width: RationalLike | None,
) -> Epsilon | Enclosure:
    """Return the largest ε(δ) of profiles, as their own ``epsilon`` does.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], ["1/8", "7/8"])
        >>> largest_epsilon([pair, pair.reversed()], "1/4", None)
        Epsilon.log('2')
    """
    found: list[Epsilon | Enclosure] = []
    left = list(profiles)
    while left:
        # Where profiles are in some order, as by a number of users, the middle is often the worst.
        found.append(left.pop((len(left) - 1) // 2).epsilon(delta, relative_width=relative_width))
        high = max((one.upper for one in found if isinstance(one, Enclosure)), default=Fraction(0))
        # Where δ is met there, no ε exceeds that end, and the enclosure is of the largest too.
        left = [p for p in left if not high or p.has_exact_epsilon or _may_exceed(p, high, delta)]
    return largest(found)


def largest_divergence(
    profiles: Sequence[PrivacyProfile], order: Fraction, relative_width: Fraction | None
) -> Number | Enclosure:
    """Return the largest Rényi divergence of profiles, none of which is infinite.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> none = Pair.from_masses([1], [1])
        >>> found = largest_divergence([pair, none], Fraction(2), Fraction(1, 10**6))
        >>> Exact.exp(found.lower) < Exact("7/3") < Exact.exp(found.upper)
        True
    """
    found = largest([one.renyi(order, relative_width=relative_width) for one in profiles])
    assert not isinstance(found, Epsilon)
    return found


def sides_of(profile: PrivacyProfile) -> tuple[PrivacyProfile, ...]:
    """Return the profiles that a profile is the largest of, and of these in turn."""
    if not profile.worst_of():
        return (profile,)
    sides = [side for one in profile.worst_of() for side in sides_of(one)]
    return tuple({id(side): side for side in sides}.values())


def beside(profile: PrivacyProfile, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
    """Return an enclosure of δ(ε), ε >= 0, no narrower than it takes to tell it from a target.

    Of the largest of several profiles: of those that were asked until one was above the target.

    Args:
        profile: The profile.
        epsilon: ε.
        target: What δ(ε) is compared with.
        width: The narrowest relative width that is asked for.

    Raises:
        UndecidedError: If the width is not reached.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> found = beside(laplace_mechanism(scale=1), Epsilon.log(2), Exact("1/2"), Fraction(1, 9))
        >>> found.is_at_most(Exact("1/2"))
        <Truth.TRUE: 'true'>
    """
    found: list[Enclosure] = []
    for side in sides_of(profile):
        if side.has_quick_epsilon and not found:
            found.append(side._delta_or_less(epsilon, width))  # a search goes on from its value
        else:
            found.append(side.delta_beside(epsilon, target, width))
        if not found[-1].is_at_most(target).is_possible:
            break
    return Enclosure(max(one.lower for one in found), max(one.upper for one in found))


def delta_between(below: _Some, above: _Some, at: Epsilon, width: Fraction) -> Bounds:
    """Return the best bounds on δ(ε) of profiles below and above it.

    Example:
        >>> from exactdp.divergences import Pair
        >>> half, all_ = (Pair.from_masses([x, 1 - Exact(x)], [0, 1]) for x in ("1/2", 1))
        >>> some = [Named("half", half)], [Named("all", all_)]
        >>> delta_between(*some, Epsilon.log(2), Fraction(1, 10))
        Bounds([0.500, 1.00], lower end of half, upper end of all)
    """

    def ask(one: Named, width: Fraction) -> Enclosure:
        return enclosed(one.profile.delta(at, relative_width=width), width)

    def lower(best: Fraction, one: Named) -> Enclosure:
        if best and ask(one, WIDE).upper <= best:
            return Enclosure(Fraction(0), best)
        return ask(one, width)

    found = between(below, above, width, lower, lambda low, high, one: ask(one, width))
    assert isinstance(found, Bounds)
    return found


def epsilon_between(below: _Some, above: _Some, delta: Exact, width: Fraction) -> Bounds | Epsilon:
    """Return the best bounds on the smallest ε >= 0 (nats) with H_{e^ε} <= δ.

    At the upper end δ certainly holds; at the lower end it certainly fails (or is ε = 0).
    Epsilon.infinity() if it certainly holds at none.

    Raises:
        UndecidedError: If no upper end is finite.
    """
    target = open_probability(delta, name="delta")

    def lower(best: Fraction, one: Named) -> Enclosure | None:
        # One search costs as much as a narrow δ where one law answers both.
        asked = WIDE if one.profile.has_one_law else width
        asks = asked == width or width * _FAR_NARROWER < WIDE
        if asks and best and not _is_above(one.profile, best, target, asked):
            return Enclosure(Fraction(0), best)
        return _finite(one.profile.epsilon(target, relative_width=width), width)

    def upper(low: Fraction, high: Fraction | None, one: Named) -> Enclosure | None:
        near = _dyadic(low * (1 + width / 2)) if low else Fraction(0)
        asks = not one.profile.has_one_law
        if asks and near and not _is_above(one.profile, near, target, width):
            return Enclosure(near, near)
        if asks and high is not None and _is_above(one.profile, high, target, width):
            return None
        return _finite(one.profile.epsilon(target, relative_width=width), width)

    return between(below, above, width, lower, upper, from_below=True)


def best_between(
    below: _Some,
    above: _Some,
    within: Callable[[Fraction], Enclosure | Epsilon],
    ask: _Ask,
) -> Enclosure | Epsilon:
    """Return bounds of the first usual width that is reached, else the ends that profiles tell."""
    as_known = partial(answers_between, below, above, Fraction(0), ask)
    return first_answer(*(partial(within, width) for width in COARSER), as_known)


def answers_between(below: _Some, above: _Some, width: Fraction, ask: _Ask) -> Bounds | Epsilon:
    """Return the best bounds that answers to one question are, each told beside no other."""

    def known(one: Named) -> Enclosure | None:
        return _finite(ask(one.profile), width or COARSER[0])

    return between(
        below, above, width, lambda best, one: known(one), lambda low, high, one: known(one)
    )


def between(
    below: _Some,
    above: _Some,
    width: Fraction,
    lower: _Lower,
    upper: _Upper,
    *,
    from_below: bool = False,
) -> Bounds | Epsilon:
    """Return the best bounds that the answers of profiles are; infinity if a lower one is.

    Args:
        below: Profiles whose numbers are at most the truth.
        above: Profiles whose numbers are at least the truth.
        width: The relative width at which the ends are close enough.
        lower: Returns an end of the first kind, beside the best one so far; None if it is infinite.
        upper: Returns an end of the second kind, beside both best ones so far, likewise.
        from_below: Whether lower ends come first, and a refusal is told where there is none.

    Raises:
        UndecidedError: If no upper end is finite.
    """
    low, high = (Fraction(0), "nothing"), None
    if not from_below:
        high = _least(above, low[0], upper, width)
    is_sought = not from_below  # where no upper end is finite, a lower one may be infinite, too
    for one in below:
        if high is not None and high[0] - low[0] <= 2 * width * low[0]:
            break
        refusals = () if from_below and not low[0] else TOO_MUCH  # an end is certain without others
        for _, found in answers(partial(lower, low[0]), [one], refusals=refusals):
            if found is None:
                return Epsilon.infinity()
            if found.lower > low[0] or low[1] == "nothing":
                low = found.lower, one.words
        if not is_sought:
            high, is_sought = _least(above, low[0], upper, width), True
    if high is None:
        raise UndecidedError(
            "nothing finite is proved from above, and nothing is excluded: it is at least "
            f"{decimal(Exact(low[0]), digits=6)} ({low[1]}). Ask for hockey_stick, or for the "
            "epsilon of a larger delta."
        )
    return Bounds(min(low[0], high[0]), high[0], low[1], high[1])


def agreed(
    what: str, below: Sequence[Epsilon | Number], above: Sequence[Epsilon | Number]
) -> Epsilon | Number:
    """Return the largest of several numbers; of lower and upper bounds the one that both have.

    Raises:
        UndecidedError: If they do not.

    Example:
        >>> agreed("it", [Exact(1), Exact(2)], []), agreed("it", [Exact(1), Exact(2)], [Exact(2)])
        (Exact('2'), Exact('2'))
    """
    low = largest(below)
    if not above:
        return low
    high = smallest(above)
    if not isinstance(high, Real) and any(not isinstance(x, Real) and x == high for x in below):
        return high
    raise UndecidedError(f"{what} lies between {low!r} and {high!r}. Ask for hockey_stick.")


def added_divergences(
    parts: Parts, order: Fraction, width: Fraction | None
) -> Number | Enclosure | None:
    """Return the sum of the Rényi divergences of parts; None if one is infinite or not known.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> added_divergences([(gaussian_mechanism(sigma=1), 3)], Fraction(2), None)
        Exact('3')
    """
    found: list[tuple[Number | Enclosure, int]] = []
    for part, times in parts:
        ask = partial(part.renyi, order, relative_width=width)
        one = first_answer(ask, Epsilon.infinity, refusals=NO_ANSWER)
        if isinstance(one, Epsilon):
            return None
        found.append((one, times))
    numbers = [times * one for one, times in found if not isinstance(one, Enclosure)]
    if not found or len(numbers) == len(found):
        return sum(numbers[1:], numbers[0]) if found else None
    ends = [(enclosed(one, width or _NARROW), times) for one, times in found]
    lower, upper = (sum(k * getattr(x, end) for x, k in ends) for end in ("lower", "upper"))
    if any(isinstance(one, Bounds) for one, _ in ends):
        return Bounds(lower, upper, "pairs of each part", "what dominates each part")
    return Enclosure(lower, upper)


def _least(
    above: _Some, low: Fraction, upper: _Upper, width: Fraction
) -> tuple[Fraction, str] | None:
    """Return the least upper end, with its words; None if all are infinite."""
    best: tuple[Fraction, str] | None = None
    for one in above:
        if best is not None and best[0] - low <= 2 * width * low:
            break
        refusals = () if best is None and one is above[-1] else TOO_MUCH
        ask = partial(upper, low, best and best[0])
        for _, ends in answers(ask, [one], refusals=refusals):
            if ends is not None and (best is None or ends.upper < best[0]):
                own = f", {ends.upper_by}" if isinstance(ends, Bounds) and not width else ""
                best = ends.upper, one.words + own
    return best


def _finite(found: _Asked, width: Fraction) -> Enclosure | None:
    """Return an answer as an enclosure; None if it is infinite."""
    if isinstance(found, Epsilon):
        return None if found.is_infinite else enclosed(found.nats, width)
    return enclosed(found, width)


def _is_above(profile: PrivacyProfile, nats: Fraction, target: Exact, width: Fraction) -> bool:
    """Return whether δ is above the target, as far as can be seen (False only if certain)."""
    found = beside(profile, Epsilon.rational(nats), target, width)
    return not found.is_at_most(target).is_certain


def _dyadic(value: Fraction) -> Fraction:
    """Return a dyadic rational at most slightly below a positive number."""
    places = 40 + value.denominator.bit_length() - value.numerator.bit_length()
    return Fraction(max(1, round(value * Fraction(2) ** places))) / Fraction(2) ** places


def _best(found: Sequence[Number | Epsilon | Enclosure]) -> Fraction:
    """Return the largest lower end; 0 where there is none."""
    return max((one.lower for one in found if isinstance(one, Enclosure)), default=Fraction(0))


def _may_exceed(profile: PrivacyProfile, nats: Fraction, delta: Exact | RationalLike) -> bool:
    """Return whether δ(ε) of a profile may be above a target."""
    target, at = open_probability(delta, name="delta"), Epsilon.rational(nats)
    found = answers(lambda x: x.delta_beside(at, target, _ROUGH), [profile])
    return not any(one.is_at_most(target).is_certain for _, one in found)
