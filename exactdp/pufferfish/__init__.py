"""Additive noise on random data: the exact ratio of two Laplace mixtures."""

from exactdp.pufferfish.calibration import (
    bisect_monotone,
    smallest_scale,
    smallest_scale_over_systems,
)
from exactdp.pufferfish.line import line_law, sum_of_independent, wasserstein_infinity
from exactdp.pufferfish.mixtures import LaplaceMixturePair, LargestRatio
from exactdp.pufferfish.relaxed import (
    relaxed_ratio,
    smallest_relaxed_ratio,
)
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.systems import MultiUserSystem, Others, Secret, User
from exactdp.pufferfish.tables import law_of_counts
from exactdp.pufferfish.transport import (
    OptimalPlans,
    TransportPlan,
    quantile_plan,
    w1_optimal_plans,
    wasserstein_1,
)

__all__ = [
    "LaplaceMixturePair",
    "LaplaceScale",
    "LargestRatio",
    "MultiUserSystem",
    "OptimalPlans",
    "Others",
    "Secret",
    "TransportPlan",
    "User",
    "bisect_monotone",
    "law_of_counts",
    "line_law",
    "quantile_plan",
    "relaxed_ratio",
    "smallest_relaxed_ratio",
    "smallest_scale",
    "smallest_scale_over_systems",
    "sum_of_independent",
    "w1_optimal_plans",
    "wasserstein_1",
    "wasserstein_infinity",
]
