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
from exactdp.divergences.profile import Sample
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.numbers import Exact

__all__ = ["MOST_KINDS", "grouped"]

MOST_KINDS = 48
"""Kinds of steps that are composed as they are, in some seconds."""

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
    steps: dict[_Place, tuple[Sample, int]] = {}
    rest: list[tuple[PrivacyProfile, int]] = []
    for part, times in parts:
        sample = part.as_sample()
        place = None if sample is None else _place(sample)
        if sample is None or place is None:
            rest.append((part, times))
        else:
            steps[place] = sample, times + steps.get(place, (sample, 0))[1]
    most = max(1, MOST_KINDS - len(rest))
    if len(steps) <= most:
        return parts
    for k in range(-8, 12):  # 2^k is the logarithm of the ratio of rates, and of noises, of a group
        groups: dict[tuple[str, int, int], tuple[Sample, Fraction, Fraction, int]] = {}
        for (kind, noise, rate), (sample, times) in steps.items():
            cell = kind, floor(log(noise) / 2**k), floor(log(rate) / 2**k)
            _, least, highest, count = groups.get(cell, (sample, noise, rate, 0))
            groups[cell] = sample, min(least, noise), max(highest, rate), times + count
        if len(groups) <= most:
            return [*rest, *((_step(x, noise, q), n) for x, noise, q, n in groups.values())]
    return parts


def _place(sample: Sample) -> _Place | None:
    """Return the kind of a step, its noise and its rate, if they are numbers."""
    if not isinstance(sample.noise, GaussianMechanism):
        return None
    noise = sample.noise.sigma / sample.noise.sensitivity
    if not isinstance(noise, Exact) or not noise.is_rational or not sample.rate.is_rational:
        return None
    return sample.kind, noise.as_fraction(), sample.rate.as_fraction()


def _step(sample: Sample, noise: Fraction, rate: Fraction) -> PrivacyProfile:
    """Return a step of the same kind with another noise and rate."""
    found = sample.again(GaussianMechanism(Exact(noise), Exact(1)), Exact(rate))
    assert found is not None
    return found
