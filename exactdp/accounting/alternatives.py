"""Composition of parts that are the worst of several pairs: between one pair and all.

A profile that is the largest of others, ε by ε, may be that of no pair of neighbors. What is
composed of it lies between

- below: one pair for each part, the same for all its copies, any one of them;
- above: the pair whose δ is the part's at every ε. It dominates all of them, and what dominates
  composes, so this holds for analysts too who choose each step after seeing what came before.

Where a part is the larger of two directions of one pair, compose one direction, and take the larger
of both directions of what is composed: that is closer.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022, Theorem 10; J. Dong, D. Durfee and R. Rogers, Optimal Differential
Privacy Composition for Exponential Mechanisms, ICML 2020 (pairs of two outcomes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from exactdp.accounting.curves import ComposedCurves
from exactdp.accounting.renyi_ends import gaussian_of
from exactdp.accounting.renyi_guarantee import RenyiGuarantee
from exactdp.accounting.sampled_curve import SampledCurve
from exactdp.accounting.sampling import poisson_subsampled
from exactdp.divergences import FiniteProfile, Largest, PrivacyProfile
from exactdp.divergences.sandwich import Named, Sandwich
from exactdp.mechanisms import BoundedRange
from exactdp.mechanisms.thresholds import AllSizes

__all__ = ["between_alternatives", "is_of_several"]

Parts = Sequence[tuple[PrivacyProfile, int]]

_SHARES = [Fraction(x, 32) for x in (16, 17, 18, 20, 24, 28)]
"""The larger loss of pairs of two outcomes that are tried, over the range: any is a lower bound.

Of k copies the worst one for ε has (ε + r)/(k + 1) or more (Dong, Durfee & Rogers, Theorem 3)."""

_MANY = 500
"""Losses of a pair beyond which it is composed by polygons: exactly it would take minutes."""

_MOST = 8
"""Alternatives that are tried, at most, below and above."""


def is_of_several(part: PrivacyProfile) -> bool:
    """Return whether a part is the worst of several pairs."""
    if isinstance(part, SampledCurve):
        return is_of_several(part.mechanism)
    return isinstance(part, Largest | Sandwich | BoundedRange | RenyiGuarantee)


def between_alternatives(parts: Parts, compose: Callable[[Parts], PrivacyProfile]) -> Sandwich:
    """Return the composition of parts, some of which are the worst of several pairs.

    Args:
        parts: The profiles and their numbers of copies.
        compose: Composes parts as if each were one pair, whose δ is the part's.

    Example:
        Two releases of exponential mechanisms with ranges of 1 and of 2 nats:

        >>> from exactdp.accounting import compose
        >>> from exactdp.numbers import Epsilon
        >>> parts = [(BoundedRange(Fraction(size)), 1) for size in (1, 2)]
        >>> found = compose(parts).delta(Epsilon.rational(1))
        >>> found.lower_by[:44]
        'each time the same: two outcomes with losses'
        >>> found.upper_by
        'pairs that dominate all of each part'
    """

    def named(words: str, more: str, made: Parts) -> Named:
        is_long = any(
            isinstance(x, FiniteProfile) and len(x.losses().atoms) > _MANY for x, _ in made
        )
        found = ComposedCurves(tuple(made)) if is_long else compose(made)
        return Named(words + (f": {more}" if more else ""), found)

    below = tuple(named("each time the same", *x) for x in _aligned(parts, _below))
    above = (named("pairs that dominate all of each part", *x) for x in _aligned(parts, _above))
    first = below[0].profile
    return Sandwich(below, tuple(_after(first, one) for one in above))


def _after(first: PrivacyProfile, one: Named) -> Named:
    """Return a profile that is asked after another, like which it may be."""
    if isinstance(first, ComposedCurves) and isinstance(one.profile, ComposedCurves):
        return replace(one, profile=replace(one.profile, like=first))
    return one


def _aligned(
    parts: Parts, ends: Callable[[PrivacyProfile], Iterator[tuple[str, PrivacyProfile]]]
) -> Iterator[tuple[str, Parts]]:
    """Yield parts with the first alternative for each, then with the second, and so on."""
    found = [list(ends(part)) for part, _ in parts]
    for i in range(min(_MOST, max(map(len, found)))):
        chosen = [(one[min(i, len(one) - 1)], k) for one, (_, k) in zip(found, parts, strict=True)]
        words = dict.fromkeys(words for (words, _), _ in chosen if words)
        yield "; ".join(words), [(profile, times) for (_, profile), times in chosen]


def _below(part: PrivacyProfile) -> Iterator[tuple[str, PrivacyProfile]]:
    """Yield pairs that a part is the worst of, or profiles below it, with words."""
    match part:
        case BoundedRange():
            for share in _SHARES:
                high = part.size * share
                words = f"two outcomes with losses {high} and {high - part.size}"
                yield words, part.pair(high)
        case RenyiGuarantee():
            yield "a Gaussian mechanism that keeps the guarantee", gaussian_of(part.rows)
        case AllSizes():
            yield from _below(part.selection.profile())
        case Largest():
            for i, one in enumerate(part.profiles):
                for words, alternative in _below(one):
                    yield words or f"profile {i} of {len(part.profiles)}", alternative
        case Sandwich():
            for named in part.below:
                for words, alternative in _below(named.profile):
                    yield words or named.words, alternative
        case SampledCurve() if is_of_several(part.mechanism):
            for words, alternative in _below(part.mechanism):
                yield f"{words}, sampled", _sampled(part, alternative)
        case _:
            yield "", part


def _above(part: PrivacyProfile) -> Iterator[tuple[str, PrivacyProfile]]:
    """Yield profiles that are those of pairs which dominate all of a part, with words."""
    if isinstance(part, Sandwich):
        for named in part.above:
            yield named.words, named.profile
    else:
        yield "", part


def _sampled(part: SampledCurve, mechanism: PrivacyProfile) -> PrivacyProfile:
    found = poisson_subsampled(mechanism, rate=part.rate)
    if isinstance(found, SampledCurve):
        return replace(found, adds_record=part.adds_record)
    return found.reversed() if part.adds_record else found
