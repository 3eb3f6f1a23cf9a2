"""Random allocation in a problem file: k of t steps, chosen at random, see the record."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta

from exactdp.divergences import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.problems.laws import Law, Sides, located
from exactdp.problems.noise import DiscreteLaplace, Gaussian, Guarantee, Laplace
from exactdp.problems.pairs import FinitePair
from exactdp.problems.selections import NoisyMax
from exactdp.problems.values import HERE
from exactdp.shuffle import random_allocation

__all__ = ["RandomAllocation"]

Number = Annotated[int, Meta(ge=1, le=10**9, description="Give a number of steps, at least 1.")]


class RandomAllocation(Law, frozen=True, kw_only=True, tag="random_allocation"):
    """A record that takes part in ``chosen`` of ``steps`` steps, all choices equally likely.

    ``step`` is the law of one, its P with the record and its Q without. Answers are exact for
    finite pairs, enclosures for noise; where of noise more than one step is chosen they lie
    between bounds of different origin, ``lower_by`` and ``upper_by``.
    """

    step: FinitePair | Gaussian | Laplace | DiscreteLaplace | Guarantee | NoisyMax
    steps: Number
    chosen: Number = 1

    def __post_init__(self) -> None:
        if self.chosen > self.steps:
            raise ParseError(
                f"{HERE}.chosen={self.chosen} is more than steps={self.steps}. "
                "Choose at most all of them."
            )
        if isinstance(self.step, Gaussian | Laplace) and self.step.sampling is not UNSET:
            raise ParseError(f"{HERE}.step has sampling. Leave it out: steps are chosen instead.")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the allocation."""
        step = self.step.part(f"{path}.step")
        if step is None:
            raise ParseError(f"{path}.step is no single pair. Give it all its parameters.")
        with located(path):
            return random_allocation(step, steps=self.steps, chosen=self.chosen)

    def sides(self) -> Sides:
        """Return whose outputs there are."""
        return Sides(
            p="the outputs of all steps, the record in those that are chosen",
            q="the outputs of all steps without the record",
            neighbors="one record is added or removed",
        )

    def part(self, path: str) -> None:
        """Return None: its losses are too many, or known by enclosures only."""
        return None
