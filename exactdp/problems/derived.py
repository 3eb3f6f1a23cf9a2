"""What is made of another law in a problem file: a sample of it, and groups of records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta

from exactdp.accounting import group_profile
from exactdp.divergences.families import Family
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.problems.allocation import RandomAllocation
from exactdp.problems.guarantees import RenyiCurve, ZeroConcentratedLaw
from exactdp.problems.laws import Law, OpenParameter, SideNames, located
from exactdp.problems.noise import Gaussian, Guarantee, Laplace
from exactdp.problems.pairs import ClonePair, FinitePair, StrongerClonePair, VariationRatioPair
from exactdp.problems.sampling import Sampling
from exactdp.problems.selections import NoisyMaxLaw, OptimalSelection, ThresholdedCount
from exactdp.problems.shuffled import BlanketPairLaw, Shuffle, ShuffleWorstCaseLaw
from exactdp.problems.values import HERE

__all__ = ["GroupLaw", "OnSample"]

InnerLaw = (
    Shuffle
    | FinitePair
    | ClonePair
    | StrongerClonePair
    | VariationRatioPair
    | BlanketPairLaw
    | Gaussian
    | Laplace
    | Guarantee
    | ZeroConcentratedLaw
    | RenyiCurve
    | NoisyMaxLaw
    | RandomAllocation
    | ShuffleWorstCaseLaw
    | ThresholdedCount
    | OptimalSelection
)


class _Derived(Law, frozen=True, kw_only=True):
    """A law that is made of another one.

    Attributes:
        problem: The law for one record, on all data.
    """

    problem: InnerLaw

    @abstractmethod
    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        """Return what is made of a profile."""

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return what is made of the inner profile; None if it leaves out its parameter."""
        inner = self.problem.part(f"{path}.problem")
        with located(path):
            return None if inner is None else self._made(path)(inner)

    def families(self) -> Mapping[str, Family]:
        """Return the parameter that the inner law leaves out."""
        found = self.problem.families().items()
        return {name: family.within(self._made("$")) for name, family in found}

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the same."""
        found = self.families().items()
        return {name: OpenParameter.of(family, note=family.note) for name, family in found}


class OnSample(_Derived, frozen=True, kw_only=True, tag="sampled"):
    """Any law on a random batch: its P is with a record, its Q without.

    Attributes:
        sampling: How the batch is drawn. Without replacement, the law is that of replacing a
            record in one batch.
    """

    sampling: Sampling

    def __post_init__(self) -> None:
        if self.sampling.rate is None:
            raise ParseError(
                f"{HERE}.sampling has no rate. Give poisson one, or without_replacement two sizes."
            )

    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        rate = self.sampling.rate
        assert rate is not None
        return lambda inner: self.sampling.of(inner, rate)

    def sides(self) -> SideNames:
        """Return those of a record in the data of which a batch is drawn."""
        if self.sampling.replaces:
            return SideNames(
                p="the result of the batch, with one record in the data",
                q="the same with another record in its place",
                neighbors="one record is replaced by another; both directions agree",
            )
        return SideNames(
            p="the result of the batch, with the record in the data",
            q="the same without the record",
            neighbors="one record is added or removed",
        )


class GroupLaw(_Derived, frozen=True, kw_only=True, tag="group"):
    """Groups of records: the worst mechanism whose law for one record is the inner one.

    Attributes:
        size: The number of records.
    """

    size: Annotated[int, Meta(ge=1, le=1000, description="Give a number from 1 to 1000.")]

    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        return lambda inner: group_profile(inner, self.size)

    def note(self) -> str | None:
        """Return that it is the worst mechanism, and what the inner law leaves open."""
        found = (
            f"upper bound for groups of {self.size}: the worst mechanism with this delta for one "
            "record attains it."
        )
        inner = self.problem.note()
        return f"{found} {inner}" if inner else found

    def sides(self) -> SideNames:
        """Return those of a chain of neighbors."""
        inner = self.problem.sides()
        return SideNames(
            p=inner.p,
            q=f"the same after {self.size} such changes, one after another",
            neighbors=f"{self.size} times: {inner.neighbors}",
        )
