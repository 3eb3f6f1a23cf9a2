"""Accounting: composition, subsampling, group privacy and closeness, exactly."""

from exactdp.accounting.closeness import (
    WorstEvents,
    is_close,
    smallest_delta,
    smallest_epsilon,
    worst_events,
)
from exactdp.accounting.composition import compose
from exactdp.accounting.group import (
    GroupChain,
    chain_delta_upper_bound,
    group_privacy,
)
from exactdp.accounting.losses import ComposedLosses
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.subsampling import Subsampling

__all__ = [
    "ComposedLosses",
    "ComposedRandomizedResponse",
    "GroupChain",
    "Subsampling",
    "WorstEvents",
    "chain_delta_upper_bound",
    "compose",
    "composed_randomized_response",
    "group_privacy",
    "is_close",
    "smallest_delta",
    "smallest_epsilon",
    "worst_events",
]
