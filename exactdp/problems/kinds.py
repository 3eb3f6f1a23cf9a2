"""All kinds of problem files: each a law, and the questions about it."""

from __future__ import annotations

from typing import Any, Union

from exactdp.problems.composition import PARTS, Composition
from exactdp.problems.dp_sgd import DpSgd
from exactdp.problems.pufferfish import LaplaceMixture, Pufferfish
from exactdp.problems.schema import json_schema, with_ask

__all__ = ["ProblemFile", "problem_schema"]

_LAWS = (
    *PARTS,
    LaplaceMixture,
    Pufferfish,
    Composition,
    DpSgd,
)
ProblemFile: Any = Union[tuple(with_ask(law) for law in _LAWS)]  # noqa: UP007
"""A law together with its questions: one object for each law, told apart by its kind."""


def problem_schema() -> dict[str, Any]:
    """Return the JSON Schema of problem files.

    Example:
        >>> sorted(problem_schema()["discriminator"]["mapping"])[:3]
        ['balanced_iteration_subsampling', 'best_of_runs', 'binomial']
    """
    return json_schema(ProblemFile, name="problem")
