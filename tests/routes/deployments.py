"""Points of the reference as exactdp's own profiles, for tests and benchmarks alike."""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.accounting import compose, sampled
from exactdp.accounting.sampling.relations import NeighborRelation
from exactdp.divergences import PrivacyProfile
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism

__all__ = ["name_of", "profile"]

Part = Sequence[str | int]
"""Noise, scale, rate, steps."""


def profile(parts: Sequence[Part], neighbors: NeighborRelation) -> PrivacyProfile:
    """The larger of both directions; as ``dp_sgd`` for one kind of Gaussian noise."""
    steps = []
    for noise, scale, rate, times in parts:
        one = (
            gaussian_mechanism(sigma=scale)
            if noise == "gaussian"
            else laplace_mechanism(scale=scale)
        )
        steps.append((sampled(one, sampling_probability=rate, neighbors=neighbors), times))
    return compose(steps).both_directions()


def name_of(parts: Sequence[Part], neighbors: str, delta: str) -> str:
    """A point in words: 'gaussian 1 at 0.01 x 1000, 1e-5'."""
    steps = " + ".join(
        f"{noise} {scale} at {rate} x {times}" for noise, scale, rate, times in parts
    )
    kind = "" if neighbors == "add_or_remove" else f", {neighbors}"
    return f"{steps}{kind}, {delta}"
