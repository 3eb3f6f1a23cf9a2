"""A noise mechanism on a random sample: what neighbors are, and how batches are drawn.

Records are added: each adds a vector of norm at most Δ, the mechanism's sensitivity, so
replacing one changes the sum by up to 2Δ (for values in an interval subtract its middle: if
batches have a fixed size, Δ is half its length).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from exactdp.accounting.poisson import NoiseMechanism, poisson_subsampled
from exactdp.accounting.substitution import FixedSizeSampled, PoissonReplaced
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.errors import DomainError
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import probability
from exactdp.numbers.checked import checked

__all__ = ["Batches", "Neighbors", "sampled"]

Neighbors = Literal["add_or_remove", "substitution"]
"""A record is in or out, or it is one or another."""

Batches = Literal["poisson", "fixed_size"]
"""Each record is in a batch at random, independently; or m of N are, without replacement."""


@checked
def sampled(
    mechanism: NoiseMechanism,
    *,
    rate: Exact | RationalLike,
    neighbors: Neighbors = "add_or_remove",
    batches: Batches = "poisson",
) -> PrivacyProfile:
    """Return a mechanism on a batch, in the direction of removing a record where there are two.

    Args:
        mechanism: Gaussian or Laplace noise, calibrated to adding or removing one record.
        rate: q, from 0 to 1: the probability that a record is in the batch; m/N for a batch
            of m out of N records.
        neighbors: "add_or_remove", or "substitution" of one record by another.
        batches: "poisson", or "fixed_size": then neighbors are "substitution", and what is
            composed of it is an upper bound (see its ``note``).

    Raises:
        DomainError: For another rate, mechanism, kind of neighbors or of batches.

    Example:
        At ε = 0, q times the total variation distance of what a record can do, Laplace noise:

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> one, nothing = laplace_mechanism(scale=1), Epsilon.log(1)
        >>> decimal(sampled(one, rate="1/2").delta(nothing), digits=6)  # (1 − e^(−1/2))/2
        '0.196735'
        >>> replaced = sampled(one, rate="1/2", neighbors="substitution")
        >>> decimal(replaced.delta(nothing), digits=6)  # (1 − 1/e)/2
        '0.316060'
    """
    _one_of(neighbors, Neighbors, name="neighbors")
    _one_of(batches, Batches, name="batches")
    if neighbors == "add_or_remove":
        if batches == "fixed_size":
            raise DomainError(
                'batches="fixed_size" fixes the number of records, so none is added or removed. '
                'Pass neighbors="substitution".'
            )
        return poisson_subsampled(mechanism, rate=rate)
    if not isinstance(mechanism, NoiseMechanism):
        raise DomainError(
            f"{mechanism!r} is no Gaussian or Laplace mechanism, which substitution needs. "
            "Take one of these, or add_or_remove."
        )
    q = probability(rate, name="rate")
    if q == 0:
        return Pair.from_masses([1], [1])
    if q == 1:
        return replace(mechanism, sensitivity=2 * mechanism.sensitivity)
    return (PoissonReplaced if batches == "poisson" else FixedSizeSampled)(mechanism, q)


def _one_of(value: str, kinds: object, *, name: str) -> None:
    if value not in get_args(kinds):
        choices = " or ".join(f'"{kind}"' for kind in get_args(kinds))
        raise DomainError(f"{name}={value!r} is not known. Pass {choices}.")
