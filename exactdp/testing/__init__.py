"""Tests of private mechanisms: one-sided assertions, strategies, a pytest plugin.

Importing this package loads nothing, for the plugin lives in it; its names load on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.divergences.questions import Question, question
    from exactdp.testing.assertions import (
        RoundingFaultError,
        WrongClaimError,
        assert_contains_truth,
        assert_epsilon_never_below_truth,
        assert_never_above_truth,
        assert_never_below_truth,
        assert_private,
    )
    from exactdp.testing.calibrations import targets
    from exactdp.testing.cases import (
        ShuffledRandomizedResponse,
        deployments,
        shuffled_randomized_response_deltas,
    )
    from exactdp.testing.laws import (
        assert_lawful_composition,
        assert_lawful_delta,
        assert_lawful_epsilon,
    )
    from exactdp.testing.mechanisms import Deployment, Mechanism
    from exactdp.testing.one_run import OneRun
    from exactdp.testing.slack import Slack, SlackRecorder, recording
    from exactdp.testing.strategies import (
        Matrix,
        datasets,
        epsilons,
        exact_pairs,
        fractions,
        local_randomizers,
        neighboring_datasets,
        probability_vectors,
        push_forward,
        rational_pairs,
        stochastic_matrices,
    )
    from exactdp.testing.thresholds import ThresholdCase, thresholded_counts

__all__ = [
    "Deployment",
    "Matrix",
    "Mechanism",
    "OneRun",
    "Question",
    "RoundingFaultError",
    "ShuffledRandomizedResponse",
    "Slack",
    "SlackRecorder",
    "ThresholdCase",
    "WrongClaimError",
    "assert_contains_truth",
    "assert_epsilon_never_below_truth",
    "assert_lawful_composition",
    "assert_lawful_delta",
    "assert_lawful_epsilon",
    "assert_never_above_truth",
    "assert_never_below_truth",
    "assert_private",
    "datasets",
    "deployments",
    "epsilons",
    "exact_pairs",
    "fractions",
    "local_randomizers",
    "neighboring_datasets",
    "probability_vectors",
    "push_forward",
    "question",
    "rational_pairs",
    "recording",
    "shuffled_randomized_response_deltas",
    "stochastic_matrices",
    "targets",
    "thresholded_counts",
]


_FILES = (
    "divergences.questions",
    *("testing.slack", "testing.assertions", "testing.laws", "testing.strategies"),
    *("testing.mechanisms", "testing.cases", "testing.calibrations", "testing.thresholds"),
    "testing.one_run",
)


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        from exactdp.numbers.validated import checked_name

        for file in _FILES:
            module = import_module(f"exactdp.{file}")
            if name in module.__all__:
                return checked_name(getattr(module, name), __name__)
    raise AttributeError(f"module 'exactdp.testing' has no attribute {name!r}")
