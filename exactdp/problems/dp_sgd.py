"""DP-SGD in a problem file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from msgspec import UNSET, UnsetType

from exactdp.accounting import Batches, EpochBatches, Replaced, dp_sgd
from exactdp.errors import ParseError
from exactdp.problems.laws import MechanismLaw, OpenParameter, SideNames
from exactdp.problems.values import HERE, PositiveReal, Probability, Steps

__all__ = ["DpSgd"]


class DpSgd(MechanismLaw, frozen=True, kw_only=True, tag="dp_sgd"):
    """Steps of DP-SGD, the larger of both directions; the noise in units of the clipping norm.

    A record is in a batch with ``sampling_probability``; of batches that are the parts of an epoch
    ("shuffled", "balls_and_bins", "deterministic") that is one over their number. Shuffled batches
    lie between bounds of different origin, ``lower_by`` and ``upper_by``. Without
    ``noise_multiplier``, or without ``sampling_probability``, only the extreme one for a target
    can be asked.
    """

    old_keys: ClassVar[Mapping[str, str]] = {
        "sigma": "noise_multiplier",
        "rate": "sampling_probability",
    }

    noise_multiplier: PositiveReal | UnsetType = UNSET
    sampling_probability: Probability | UnsetType = UNSET
    steps: Steps
    batches: Batches | EpochBatches = "poisson"
    neighbors: Replaced | UnsetType = UNSET

    mechanism = staticmethod(dp_sgd)

    def __post_init__(self) -> None:
        if self.noise_multiplier is UNSET and self.sampling_probability is UNSET:
            raise ParseError(
                f"{HERE} leaves out both noise_multiplier and sampling_probability. Give one."
            )

    def sides(self) -> SideNames:
        """Return those of the neighbors, in both orders."""
        if self.neighbors == "substitution":
            q, neighbors = "the same with another record in its place", "one is replaced by another"
        elif self.neighbors == "zero_out" or self.batches in ("shuffled", "deterministic"):
            q, neighbors = "the same where it adds nothing", "a record adds nothing in its place"
        else:
            q, neighbors = "the same without the record", "one record is added or removed"
        return SideNames(
            p="the outputs of all steps, with the record in the data",
            q=q,
            neighbors=f"{neighbors}; the larger of both directions",
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the noise or the sampling probability, whichever is left out."""
        family = self.family()
        if family is None:
            return {}
        found = OpenParameter.of(family, note=None)
        return {family.parameter: replace(found, solve_both=None, usual_width=family.usual_width)}
