"""DP-SGD in a problem file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from exactdp.accounting import Batches, EpochBatches, Replaced, compose, dp_sgd
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.numbers import Number
from exactdp.problems.laws import MechanismLaw, OpenParameter, SideNames, located
from exactdp.problems.values import HERE, PositiveReal, Probability, Steps

__all__ = ["DpSgd"]

_MOST_STEPS = 10_000
"""Steps with noise by a formula, and numbers in a list, at most."""


class DpSgd(MechanismLaw, frozen=True, kw_only=True, tag="dp_sgd"):
    """Steps of DP-SGD, the larger of both directions; the noise in units of the clipping norm.

    A record is in a batch with ``sampling_probability``; of batches that are the parts of an epoch
    ("shuffled", "balls_and_bins", "deterministic") that is one over their number. Shuffled batches
    lie between bounds of different origin, ``lower_by`` and ``upper_by``. Without
    ``noise_multiplier``, or without ``sampling_probability``, only the extreme one for a target
    can be asked.

    Where the noise changes from step to step, ``noise_multipliers`` stands instead: a list, each
    number of which is that of equally many steps, or a formula of ``step``, which counts from 1,
    such as "1 + step/100", "2*0.99^step" or "sqrt(1 + step)".
    """

    old_keys: ClassVar[Mapping[str, str]] = {
        "sigma": "noise_multiplier",
        "rate": "sampling_probability",
    }

    noise_multiplier: PositiveReal | UnsetType = UNSET
    noise_multipliers: (
        Annotated[list[PositiveReal], Meta(min_length=1, max_length=_MOST_STEPS)] | str | UnsetType
    ) = UNSET
    sampling_probability: Probability | UnsetType = UNSET
    steps: Steps
    batches: Batches | EpochBatches = "poisson"
    neighbors: Replaced | UnsetType = UNSET

    mechanism = staticmethod(dp_sgd)

    def __post_init__(self) -> None:
        if self.noise_multipliers is not UNSET:
            self._refuse_schedule()
        elif self.noise_multiplier is UNSET and self.sampling_probability is UNSET:
            raise ParseError(
                f"{HERE} leaves out both noise_multiplier and sampling_probability. Give one."
            )

    def _refuse_schedule(self) -> None:
        """Refuse a schedule of noise that says no number for each step, or too many."""
        if self.noise_multiplier is not UNSET:
            raise ParseError(
                f"{HERE} has noise_multiplier and noise_multipliers. Keep one of them."
            )
        if self.sampling_probability is UNSET:
            raise ParseError(f"{HERE} leaves out sampling_probability. Give it beside a schedule.")
        if self.batches not in ("poisson", "fixed_size"):
            raise ParseError(
                f'{HERE}.batches="{self.batches}" are of epochs, in which all steps have the same '
                'noise. Take "poisson" or "fixed_size" batches, or one noise_multiplier.'
            )
        given = self.noise_multipliers
        if isinstance(given, list) and self.steps % len(given):
            raise ParseError(
                f"{HERE}.noise_multipliers has {len(given):,} numbers, which does not divide "
                f"steps={self.steps:,}. Give as many for equally many steps each."
            )
        self.schedule()

    def schedule(self) -> list[tuple[Number, int]]:
        """Return the noise multipliers in the order of their steps, each with its steps."""
        given = self.noise_multipliers
        if isinstance(given, list):
            return [(one.number, self.steps // len(given)) for one in given]
        if self.steps > _MOST_STEPS:
            raise ParseError(
                f"{HERE}.steps={self.steps:,} is too many for a formula. Take at most "
                f"{_MOST_STEPS:,}, or list the noise multipliers of equally many steps each."
            )
        found: list[tuple[Number, int]] = []
        for step in range(1, self.steps + 1):
            try:
                one = PositiveReal.read(re.sub(r"\bstep\b", str(step), str(given)))
            except ParseError:
                raise ParseError(
                    f"{HERE}.noise_multipliers={str(given)[:40]!r} says no number above 0 at step "
                    f'{step}. Write a formula such as "1 + step/100" or "2*0.99^step".'
                ) from None
            found.append((one.number, 1))
        return found

    @property
    def left_out(self) -> str | None:
        """The parameter that is left out; none is where the noise has a schedule."""
        return super().left_out if self.noise_multipliers is UNSET else None

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile of all steps; None if a parameter is left out."""
        if self.noise_multipliers is UNSET:
            return super().profile(path)
        given = self.arguments() | {"steps": 1}
        counts = Counter[Number]()
        for one, times in self.schedule():
            counts[one] += times
        with located(path):
            return compose((dp_sgd(one, **given), times) for one, times in counts.items())

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
