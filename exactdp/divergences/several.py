"""δ and ε of the largest of several profiles: the smaller ones are asked only until it is seen.

The first profile is asked what is wanted. Another one cannot be the largest where its δ is
certainly below the first one's, or, at the first one's ε, certainly at most the δ that is asked
for: to see that, a wide enclosure of one δ mostly suffices, and a narrow one may take a thousand
times as long. A profile that is not seen to be smaller is asked what is wanted, too. Exact
profiles, and those in closed form, are all asked: their answers are cheap, or numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactdp.divergences.searched import DeltaAndEpsilon
from exactdp.divergences.values import largest
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import open_probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import answers

__all__ = ["largest_delta", "largest_divergence", "largest_epsilon"]

_ROUGH = Fraction(1, 256)
"""The part of a width to which one δ is asked, in place of a search for ε."""

_NOTHING = Epsilon.log(1)
"""ε = 0: below it the other directions are not asked beside the best one."""


def largest_delta(
    profiles: Sequence[DeltaAndEpsilon], epsilon: Epsilon, relative_width: RationalLike | None
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
    profiles: Sequence[DeltaAndEpsilon],
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
        left = [p for p in left if not high or p.has_exact_epsilon or not _is_met(p, high, delta)]
    return largest(found)


def largest_divergence(
    profiles: Sequence[DeltaAndEpsilon], order: Fraction, relative_width: Fraction | None
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


def _best(found: Sequence[Number | Epsilon | Enclosure]) -> Fraction:
    """Return the largest lower end; 0 where there is none."""
    return max((one.lower for one in found if isinstance(one, Enclosure)), default=Fraction(0))


def _is_met(profile: DeltaAndEpsilon, nats: Fraction, delta: Exact | RationalLike) -> bool:
    """Return whether δ(ε) of a profile is certainly at most a target; False where it is open."""
    target = open_probability(delta, name="delta")
    at = Epsilon.rational(nats)
    found = answers(lambda x: x.delta_beside(at, target, _ROUGH), [profile])
    return any(value.upper <= target for _, value in found)
