"""A noise mechanism on a random sample: the neighboring relation, and how batches are drawn.

Records are added: each adds a vector of norm at most Δ, the mechanism's sensitivity, so
replacing one changes the sum by up to 2Δ (for values in an interval subtract its middle: if
batches have a fixed size, Δ is half its length).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from exactdp.accounting.composition.composed_randomized_response import ComposedRandomizedResponse
from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.accounting.sampling.relations import (
    Batches,
    NeighborRelation,
    one_of,
)
from exactdp.accounting.sampling.substitution import FixedSizeSampled, fixed_size_of_noise
from exactdp.divergences import (
    FiniteProfile,
    Largest,
    Pair,
    PrivacyLossDistribution,
    PrivacyProfile,
    Worst,
    add_or_remove,
)
from exactdp.divergences.profile import Named
from exactdp.divergences.worst import NOTHING
from exactdp.errors import DomainError
from exactdp.mechanisms.mixed_noise import replaced
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import probability
from exactdp.numbers.renamed import renamed
from exactdp.numbers.validated import validated

__all__ = ["poisson_subsampled", "sampled"]

_FEW_COPIES = 100
"""Copies of randomized response up to which their sample is an exact pair."""


@renamed
@validated
def poisson_subsampled(
    mechanism: PrivacyProfile, *, sampling_probability: Exact | RationalLike
) -> PrivacyProfile:
    """Return a mechanism on a Poisson sample, in the direction of removing a record.

    Args:
        mechanism: Any profile: P with the record and Q without. Of a view of shuffled users the
            others are as they are, and not sampled.
        sampling_probability: q, from 0 (which tells nothing) to 1 (which is the mechanism itself).

    Returns:
        The profile of (1 − q)·Q + q·P against Q. Of what is the worst of several pairs, or lies
        between bounds, each is sampled; where a pair needs other records, which a sample may lack,
        a ``Sandwich``, whose lower end is of those that need none. What is composed of it has
        certified enclosures: by the law of the mechanism's loss where that is known, else between
        finite pairs.

    Raises:
        DomainError: For another probability.

    Example:
        >>> from exactdp.mechanisms import discrete_gaussian_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> noise = discrete_gaussian_mechanism(sigma=2)
        >>> one = poisson_subsampled(noise, sampling_probability="1/100")
        >>> decimal(one.delta(Epsilon.log(1)), digits=3)  # a hundredth of that of the noise
        '0.00199'
    """
    q = probability(sampling_probability, name="sampling_probability")
    if q == 0:
        return Pair.from_masses([1], [1])
    if mechanism.is_directed:  # the record is removed from the sample, or added to it
        removed = poisson_subsampled(mechanism.toward(0), sampling_probability=q)
        return removed if mechanism.has_sides else add_or_remove(removed)
    if q == 1:
        return mechanism
    sample = _sampled_pair if mechanism.reached == "pair" else _worst_sample
    return sample(mechanism, q)


def _sampled_pair(mechanism: PrivacyProfile, rate: Exact) -> PrivacyProfile:
    """Return the sample of a profile that is the δ of one pair."""
    if mechanism.worst_of():
        return Largest(tuple(_sampled_pair(one, rate) for one in mechanism.worst_of()))
    if isinstance(mechanism, Pair):
        return mechanism.subsampled(rate)
    if mechanism.has_losses:
        return _pair_of(cast("FiniteProfile", mechanism).losses()).subsampled(rate)
    if isinstance(mechanism, ComposedRandomizedResponse) and mechanism.times <= _FEW_COPIES:
        return _pair_of(mechanism.losses()).subsampled(rate)
    inner, seen = mechanism.seen()  # in both samples with the product of both rates
    return PoissonSubsampled(inner, seen * rate)


def _worst_sample(mechanism: PrivacyProfile, rate: Exact) -> PrivacyProfile:
    """Return the sample of a worst case over several pairs, or of a profile between bounds.

    At each ε δ is increasing in that of the mechanism: the sample of what is above is above. Below
    are the samples of pairs that need no other record, which may not be in the sample.
    """
    every = mechanism.cases()
    cases = tuple(
        replace(
            case,
            words=f"{case.words}, sampled" if case.words else "",
            profile=poisson_subsampled(case.profile, sampling_probability=rate),
        )
        for case in every
        if case.alone
    )
    if mechanism.reached == "each epsilon" and len(cases) == len(every):
        if mechanism.has_all_pairs:
            samples = (
                poisson_subsampled(one, sampling_probability=rate) for one in mechanism.worst_of()
            )
            return Largest(tuple(samples), is_fixed=mechanism.is_fixed)
        return Worst((Named("", PoissonSubsampled(mechanism, rate)),), tried=cases)
    above = tuple(
        replace(
            x,
            words=f"{x.words}, sampled" if x.words else "the worst of all, sampled",
            profile=_sampled_pair(x.profile, rate),
        )
        for x in mechanism.dominating()
    )
    return Worst(cases or (NOTHING,), above, left_open=mechanism.note)


def _pair_of(losses: PrivacyLossDistribution) -> Pair:
    p = [mass for _, mass in losses.atoms]
    q = [mass / ratio for ratio, mass in losses.atoms]
    return Pair.from_masses([*p, losses.infinity_mass(), 0], [*q, 0, losses.minus_infinity_mass()])


@renamed
@validated
def sampled(
    mechanism: PrivacyProfile,
    *,
    sampling_probability: Exact | RationalLike,
    neighbors: NeighborRelation = "add_or_remove",
    batches: Batches = "poisson",
) -> PrivacyProfile:
    """Return a mechanism on a batch, in the direction of removing a record where there are two.

    Args:
        mechanism: Any profile for "add_or_remove"; for "substitution" Gaussian, Laplace,
            log-concave, or symmetric integer noise, calibrated to adding or removing one record.
            For "fixed_size" any other noise, calibrated so, and any other profile, which then is
            that of replacing a record in one batch.
        sampling_probability: q, from 0 to 1, with which a record is in the batch; m/N for a
            batch of m out of N records.
        neighbors: "add_or_remove", or "substitution" of one record by another.
        batches: "poisson", or "fixed_size": then neighbors are "substitution", and what is
            composed of it is an upper bound (see its ``note``).

    Raises:
        DomainError: For another probability, mechanism, kind of neighbors or of batches.

    Example:
        At ε = 0, q times the total variation distance of what a record can do, Laplace noise:

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> one, nothing = laplace_mechanism(scale=1), Epsilon.log(1)
        >>> added = sampled(one, sampling_probability="1/2")
        >>> decimal(added.delta(nothing), digits=6)  # (1 − e^(−1/2))/2
        '0.196735'
        >>> replaced = sampled(one, sampling_probability="1/2", neighbors="substitution")
        >>> decimal(replaced.delta(nothing), digits=6)  # (1 − 1/e)/2
        '0.316060'
    """
    one_of(neighbors, NeighborRelation, name="neighbors")
    one_of(batches, Batches, name="batches")
    if neighbors == "add_or_remove":
        if batches == "fixed_size":
            raise DomainError(
                'batches="fixed_size" fixes the number of records, so none is added or removed. '
                'Pass neighbors="substitution".'
            )
        return poisson_subsampled(mechanism, sampling_probability=sampling_probability)
    q = probability(sampling_probability, name="sampling_probability")
    if q == 0:
        return Pair.from_masses([1], [1])
    ends = (*mechanism.cases(), *mechanism.dominating())
    if mechanism.is_between and all(x.profile.is_noise for x in ends):
        sample = partial(sampled, sampling_probability=q, neighbors=neighbors, batches=batches)
        return mechanism.lifted(lambda x: replace(x, profile=sample(x.profile)))
    if batches == "fixed_size":
        return _of_fixed_size(mechanism, q)
    if q == 1 and mechanism.is_noise:
        return _replaced(mechanism).both_directions()
    if mechanism.is_noise and mechanism.reversed() != mechanism:
        raise DomainError(
            f"{mechanism!r} is not symmetric, so no one pair is the worst of all replacements. "
            'Pass neighbors="add_or_remove".'
        )
    found = replaced(mechanism, q)
    if found is None:
        raise DomainError(
            f"{mechanism!r} is not Gaussian, Laplace, integer or log-concave noise: for "
            "others no pair is known that is worse than all replacements. Pass "
            'neighbors="add_or_remove", or batches="fixed_size".'
        )
    return found


def _of_fixed_size(mechanism: PrivacyProfile, rate: Exact) -> PrivacyProfile:
    """Return a mechanism on a batch of fixed size, in which a record is replaced."""
    one = _replaced(mechanism).both_directions()  # records may change places
    if rate == 1:
        return one
    is_alike = mechanism.is_noise and not mechanism.is_on_integers
    if is_alike and mechanism.has_loss_law and mechanism.infinity_mass() == Exact(0):
        return fixed_size_of_noise(mechanism, rate)
    orders = one.worst_of() if one.is_either_order else (one,)
    samples = [_sampled_pair(order, rate) for order in orders]
    return FixedSizeSampled(tuple(x for sample in samples for x in (sample, sample.reversed())))


def _replaced(mechanism: PrivacyProfile) -> PrivacyProfile:
    """Return the profile of replacing a record: noise is calibrated to one that is in or out."""
    moved = mechanism.moved(2) if mechanism.is_noise else None
    return mechanism if moved is None else moved
