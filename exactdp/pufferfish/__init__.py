"""Additive noise on random data: the exact ratio of two Laplace mixtures."""

from exactdp.numbers.validated import checked_door as _checked_door
from exactdp.pufferfish.line import line_law, sum_of_independent, wasserstein_infinity
from exactdp.pufferfish.mixture_ratios import LaplaceMixturePair, LargestRatio
from exactdp.pufferfish.noise_scale import (
    smallest_scale,
    smallest_scale_over_systems,
)
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.systems import MultiUserSystem, Others, Secret, User
from exactdp.pufferfish.tables import law_of_counts

__all__ = [
    "LaplaceMixturePair",
    "LaplaceScale",
    "LargestRatio",
    "MultiUserSystem",
    "Others",
    "Secret",
    "User",
    "law_of_counts",
    "line_law",
    "smallest_scale",
    "smallest_scale_over_systems",
    "sum_of_independent",
    "wasserstein_infinity",
]

_checked_door(globals())
