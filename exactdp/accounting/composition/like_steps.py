"""Upper bounds for many distinct DP-SGD steps: groups, each with least noise and largest rate.

With a rate q <= q' a record is in a sample of rate q' and then seen with probability q/q'. So the
pair of a sample of rate q is a mixture of that of q', and of one that tells nothing; H_γ is jointly
convex. (Of batches of fixed size the header of ``random_batches`` has it.) Less noise tells more,
as the rest may be added. So a group of steps is at most as bad as so many of its least noise and
its largest rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log

from exactdp.divergences import PrivacyProfile
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.numbers import Exact

__all__ = ["MOST_KINDS", "grouped"]

MOST_KINDS = 48
"""Kinds of steps that are composed as they are, in some seconds."""

_FINEST = 1 / 256
"""The logarithm of the ratio of rates, and of noises, of one group, at first; then twice that."""

_Parts = Sequence[tuple[PrivacyProfile, int]]
_Place = tuple[str, Fraction, Fraction]


def grouped(parts: _Parts) -> _Parts:
    """Return parts, or where they are of too many kinds, others that are worse, and fewer.

    Example:
        Fifty rates from 1/100 to 1/149; five of them are counted as one of 1/100:

        >>> from exactdp.accounting.sampling.batches import poisson_subsampled
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> noise = gaussian_mechanism(sigma=1)
        >>> def on(n):
        ...     return poisson_subsampled(noise, sampling_probability=Fraction(1, n))
        >>> parts = [(on(n), 7) for n in range(100, 150)]
        >>> found = grouped(parts)
        >>> len(found) < 49, sum(times for _, times in found)
        (True, 350)
        >>> max(one.sampling_probability for one, _ in found)
        Exact('1/100')
    """
    steps: dict[_Place, tuple[PrivacyProfile, int]] = {}
    rest: list[tuple[PrivacyProfile, int]] = []
    for part, times in parts:
        place = _place(part)
        if place is None:
            rest.append((part, times))
        else:
            steps[place] = part, times + steps.get(place, (part, 0))[1]
    size, most = _FINEST, max(1, MOST_KINDS - len(rest))
    if len(steps) <= most:
        return parts
    while len(steps) > most:
        groups: dict[tuple[str, int, int], tuple[PrivacyProfile, int]] = {}
        for (kind, noise, rate), (part, times) in steps.items():
            cell = kind, floor(log(noise) / size), floor(log(rate) / size)
            worst, count = groups.get(cell, (part, 0))
            groups[cell] = _worse(worst, part), times + count
        size *= 2
        if len(groups) <= most:
            return [*rest, *groups.values()]
    return parts


def _place(part: PrivacyProfile) -> _Place | None:
    """Return the kind of a step, its noise and its rate, if they are numbers."""
    one = part.as_sample()
    if one is None or not isinstance(one.noise, GaussianMechanism):
        return None
    noise = one.noise.sigma / one.noise.sensitivity
    if not isinstance(noise, Exact) or not noise.is_rational or not one.rate.is_rational:
        return None
    return one.kind, noise.as_fraction(), one.rate.as_fraction()


def _worse(one: PrivacyProfile, other: PrivacyProfile) -> PrivacyProfile:
    """Return a step of the same kind that is at least as bad as both."""
    a, b, sample = _place(one), _place(other), one.as_sample()
    assert a is not None and b is not None and sample is not None
    noise = GaussianMechanism(Exact(min(a[1], b[1])), Exact(1))
    found = sample.again(noise, Exact(max(a[2], b[2])))
    assert found is not None
    return found
