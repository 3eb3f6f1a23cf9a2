"""Pairs of mixtures of rows of one family of noise."""

from __future__ import annotations

from typing import cast

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import Mixture, Sample
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.loss_profile import LossProfile, Rows
from exactdp.mechanisms.mixed_integers import MixedIntegers
from exactdp.mechanisms.mixtures import checked, differing, replaced_rate
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Exact

__all__ = ["mixed", "replaced"]


def mixed(noise: PrivacyProfile, first: Mixture, second: Mixture) -> PrivacyProfile | None:
    """Return noise around one of several answers against noise around one of others.

    Args:
        noise: The family: f, whose row of a shift s is the law of the answer sΔ.
        first: The shifts of P, in units of Δ, and their weights; none is negative.
        second: The shifts of Q, likewise; none is positive.

    Returns:
        The pair, by masses of integers or by the law of its loss; None if neither is known.

    Raises:
        DomainError: If these are not such mixtures.

    Example:
        A record that is replaced on a Poisson sample, at ε = 0: half of what 2Δ is seen by, which
        is 1 − 1/e.

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> out, seen = (0, Exact("1/2")), Exact("1/2")
        >>> pair = mixed(laplace_mechanism(scale=1), (out, (1, seen)), (out, (-1, seen)))
        >>> decimal(pair.delta(Epsilon.log(1)), digits=6)
        '0.316060'
    """
    checked(first, second)
    if noise.is_on_integers:
        return MixedIntegers(cast("IntegerNoise", noise), first, second)
    law = cast("AdditiveNoise", noise).law_between(first, second) if noise.is_noise else None
    if law is None:
        return None
    rate, parts = replaced_rate(first, second), differing(noise, first, second)
    sample = None if rate is None else Sample("replaced", noise, rate, replaced)
    return LossProfile(law, Rows(noise, first, second), parts, sample=sample)


def replaced(noise: PrivacyProfile, rate: Exact) -> PrivacyProfile | None:
    """Return noise on a Poisson sample of which a record is replaced, if its law is known."""
    out = 0, 1 - rate
    return mixed(noise, (out, (1, rate)), (out, (-1, rate)))
