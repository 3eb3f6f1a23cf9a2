"""Additive noise on random data: the exact ratio of two Laplace mixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.pufferfish.line import line_law, sum_of_independent, wasserstein_infinity
    from exactdp.pufferfish.mixture_ratios import LaplaceMixturePair, LargestRatio
    from exactdp.pufferfish.noise_scale import smallest_scale, smallest_scale_over_systems
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

_lazy_door(
    globals(),
    {
        "line": "line_law sum_of_independent wasserstein_infinity",
        "mixture_ratios": "LaplaceMixturePair LargestRatio",
        "noise_scale": "smallest_scale smallest_scale_over_systems",
        "scales": "LaplaceScale",
        "systems": "MultiUserSystem Others Secret User",
        "tables": "law_of_counts",
    },
)
