"""What tests of private mechanisms need: one-sided assertions, strategies, a pytest plugin.

Importing this package loads nothing, for the plugin lives in it; its names load on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.testing.assertions import (
        RoundingFaultError,
        assert_contains_truth,
        assert_never_above_truth,
        assert_never_below_truth,
    )
    from exactdp.testing.cases import (
        ShuffledRandomizedResponse,
        shuffled_randomized_response_deltas,
    )
    from exactdp.testing.slack import Slack, SlackRecorder, recording
    from exactdp.testing.strategies import (
        Matrix,
        datasets,
        epsilons,
        exact_pairs,
        local_randomizers,
        neighboring_datasets,
        probability_vectors,
        push_forward,
        rational_pairs,
        stochastic_matrices,
    )

__all__ = [
    "Matrix",
    "RoundingFaultError",
    "ShuffledRandomizedResponse",
    "Slack",
    "SlackRecorder",
    "assert_contains_truth",
    "assert_never_above_truth",
    "assert_never_below_truth",
    "datasets",
    "epsilons",
    "exact_pairs",
    "local_randomizers",
    "neighboring_datasets",
    "probability_vectors",
    "push_forward",
    "rational_pairs",
    "recording",
    "shuffled_randomized_response_deltas",
    "stochastic_matrices",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for file in ("slack", "assertions", "strategies", "cases"):
            module = import_module(f"exactdp.testing.{file}")
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module 'exactdp.testing' has no attribute {name!r}")
