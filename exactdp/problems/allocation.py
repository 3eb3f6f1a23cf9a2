"""Random allocation in a problem file: k of t steps, chosen at random, see the record."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.families import Family
from exactdp.errors import ParseError
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.crossing import Slope
from exactdp.problems.described import noise_of
from exactdp.problems.guarantees import Guarantee
from exactdp.problems.laws import Law, OpenParameter, SideNames, located
from exactdp.problems.pairs import FinitePair
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.selections import NoisyMaxLaw
from exactdp.problems.values import HERE
from exactdp.shuffle import allocated_scale, random_allocation

__all__ = ["BalancedIterationSubsampling", "RandomAllocation"]

_USUAL_WIDTH = "1e-2"
"""The relative width of calibrated noise: each step of the search asks bounds that take time."""

_OF_BOUNDS = "upper meets the target by an upper bound on delta, lower fails it by a lower one."

Number = Annotated[int, Meta(ge=1, le=10**9, description="Give a number of steps, at least 1.")]


if TYPE_CHECKING:
    _Step = Law
else:
    _Step = noise_of("allocations") | FinitePair | Guarantee | NoisyMaxLaw


class RandomAllocation(Law, frozen=True, kw_only=True, tag="random_allocation"):
    """A record that takes part in ``chosen`` of ``steps`` steps, all choices equally likely.

    ``step`` is the law of one, its P with the record and its Q without. Answers are exact for
    finite pairs, enclosures for noise; where of noise more than one step is chosen, and not all,
    their ends are bounds of different origin, ``lower_by`` and ``upper_by``. Where the step leaves
    out the scale of its noise, only the smallest for a target can be asked.
    """

    step: _Step
    steps: Number
    chosen: Number = 1

    def __post_init__(self) -> None:
        if self.chosen > self.steps:
            raise ParseError(
                f"{HERE}.chosen={self.chosen} is more than steps={self.steps}. "
                "Choose at most all of them."
            )
        if isinstance(self.step, SampledLaw) and self.step.sampling is not UNSET:
            raise ParseError(f"{HERE}.step has sampling. Leave it out: steps are chosen instead.")

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the allocation; None if the step leaves out its parameter."""
        step = self.step.part(f"{path}.step")
        if step is None:
            if self._families():
                return None
            raise ParseError(f"{path}.step is not a single pair. Give it all its parameters.")
        with located(path):
            return random_allocation(step, steps=self.steps, chosen=self.chosen)

    def sides(self) -> SideNames:
        """Return whose outputs there are."""
        return SideNames(
            p="the outputs of all steps, the record in those that are chosen",
            q="the outputs of all steps without the record",
            neighbors="one record is added or removed",
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter of the step, if it is left out."""
        return {name: self._parameter(family) for name, family in self._families().items()}

    def _families(self) -> Mapping[str, Family]:
        families = self.step.families().items()
        return {name: family for name, family in families if family.slope is Slope.FALLING}

    def _parameter(self, family: Family) -> OpenParameter:
        """Return the parameter of a family of noise, with how it is found."""

        def solve(
            epsilon: Epsilon, delta: Exact, width: RationalLike, *, both: bool = False
        ) -> Enclosure:
            return allocated_scale(
                family.member,
                epsilon,
                delta,
                steps=self.steps,
                chosen=self.chosen,
                first=family.first(epsilon, delta),
                both_directions=both,
                relative_width=width,
            )

        noise = isinstance(self.step, SampledLaw)
        note = _OF_BOUNDS if noise and self.chosen > 1 else family.note
        width = _USUAL_WIDTH if noise else None
        return OpenParameter(solve, partial(solve, both=True), note=note, usual_width=width)


class BalancedIterationSubsampling(
    RandomAllocation, frozen=True, kw_only=True, tag="balanced_iteration_subsampling"
):
    """A record that takes part in ``chosen`` of ``steps`` iterations, or one that adds nothing.

    Batches of neighbors are the same then, and the laws are those of a random allocation.

    Source:
        A. Dong, W.-N. Chen and A. Özgür, Leveraging Randomness in Model and Data Partitioning for
        Privacy Amplification, ICML 2025; A. Dong and A. Özgür, What is the Optimal Subsampling
        Scheme for DP-SGD?, 2026 (the pair of laws, under zero-out).
    """

    def sides(self) -> SideNames:
        """Return whose outputs there are."""
        return SideNames(
            p="the outputs of all iterations, the record in those that are chosen",
            q="the outputs of all iterations, with nothing in its place",
            neighbors="one record is replaced with one that adds nothing",
        )
