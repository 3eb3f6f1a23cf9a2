"""Accounting: composition, subsampling, group privacy and closeness, exactly."""

from exactdp.accounting.closeness import (
    WorstEvents,
    is_close,
    smallest_delta,
    smallest_epsilon,
    worst_events,
)
from exactdp.accounting.composition import compose
from exactdp.accounting.familiar import CertifiedPLD
from exactdp.accounting.grid_composition import GridComposition, compose_on_grid
from exactdp.accounting.group import (
    GroupChain,
    chain_delta_upper_bound,
    group_privacy,
)
from exactdp.accounting.loss_laws import (
    LossLaw,
    LossTails,
    Part,
    PoissonSubsampled,
    loss_law,
    poisson_subsampled,
)
from exactdp.accounting.losses import ComposedLosses
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.subsampling import Subsampling

__all__ = [
    "CertifiedPLD",
    "ComposedLosses",
    "ComposedRandomizedResponse",
    "GridComposition",
    "GroupChain",
    "LossLaw",
    "LossTails",
    "Part",
    "PoissonSubsampled",
    "Subsampling",
    "WorstEvents",
    "chain_delta_upper_bound",
    "compose",
    "compose_on_grid",
    "composed_randomized_response",
    "group_privacy",
    "is_close",
    "loss_law",
    "poisson_subsampled",
    "smallest_delta",
    "smallest_epsilon",
    "worst_events",
]
