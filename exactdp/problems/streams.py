"""Streams in a problem file: matrix mechanisms and tree aggregation, as in DP-FTRL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from exactdp.divergences.families import Family
from exactdp.mechanisms import banded_toeplitz, matrix_mechanism, tree_aggregation
from exactdp.problems.laws import MechanismLaw, SideNames, located
from exactdp.problems.values import PositiveReal, Rational, Steps, Strict

__all__ = ["MatrixMechanismLaw", "TreeAggregationLaw"]


class Entry(
    Rational,
    allows=lambda x: x.is_rational,
    rule="is not rational. An entry must be; give a number near it.",
):
    """An entry of a matrix."""


Entries = Annotated[list[Entry], Meta(min_length=1)]


class StreamLaw(MechanismLaw, frozen=True, kw_only=True):
    """Normal noise on sums of steps, of which a user takes part in some.

    A user takes part in at most ``participations`` steps, at least ``separation`` apart, each
    time with a vector of norm ``sensitivity`` at most. Without ``sigma``, only the smallest sigma
    for a target can be asked.
    """

    sigma: PositiveReal | UnsetType = UNSET
    sensitivity: PositiveReal = field(default_factory=lambda: PositiveReal.read(1))
    participations: Steps = 1
    separation: Steps = 1

    side_names: ClassVar[SideNames] = SideNames(
        p="what is released with the steps of the user",
        q="the same without them",
        neighbors="all steps of one user, or none; both directions agree",
    )

    def families(self) -> Mapping[str, Family]:
        """Return sigma, if it is left out, for a composition."""
        family = self.family()
        return {} if family is None else {family.parameter: family}


class TreeAggregationLaw(StreamLaw, frozen=True, kw_only=True, tag="tree_aggregation"):
    """Normal noise on each node of a binary tree over steps, or of several, one after another.

    A user takes part in at most ``participations`` steps, at least ``separation`` apart, each
    time with a vector of norm ``sensitivity`` at most. Without ``sigma``, only the smallest sigma
    for a target can be asked.
    """

    steps: Steps | Annotated[list[Steps], Meta(min_length=1)]

    mechanism = staticmethod(tree_aggregation)


class Toeplitz(Strict, frozen=True, kw_only=True):
    """A lower triangular matrix with the same entries along each diagonal.

    Attributes:
        toeplitz: The first column, from the diagonal on.
        steps: The number of rows and of columns.
    """

    toeplitz: Entries
    steps: Steps


class MatrixMechanismLaw(StreamLaw, frozen=True, kw_only=True, tag="matrix_mechanism"):
    """Normal noise on each row of a matrix times the steps; users as for tree_aggregation.

    The matrix has a column for each step: its rows, or {"toeplitz": [...], "steps": ...}.
    """

    matrix: Annotated[list[Entries], Meta(min_length=1)] | Toeplitz

    mechanism = staticmethod(matrix_mechanism)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that are given, with the matrix."""
        found = super().arguments()
        if isinstance(self.matrix, Toeplitz):
            with located("$.matrix"):
                numbers = [x.value for x in self.matrix.toeplitz]
                return found | {"matrix": banded_toeplitz(numbers, self.matrix.steps)}
        return found | {"matrix": [[x.value for x in row] for row in self.matrix]}
