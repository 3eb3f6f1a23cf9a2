"""Laws made of other laws in a problem file: compositions, samples, and groups of records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, cast

from msgspec import UNSET, Meta, UnsetType

from exactdp.accounting import best_of_runs, compose, group_profile, tuning_bound
from exactdp.divergences import Pair
from exactdp.divergences.families import Family
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.mechanisms import clamped_noise, clamped_results, rounded_noise
from exactdp.numbers.crossing import Slope
from exactdp.problems.allocation import BalancedIterationSubsampling, RandomAllocation
from exactdp.problems.described import noise_laws
from exactdp.problems.dp_sgd import DpSgd
from exactdp.problems.guarantees import Guarantee, RenyiCurve, Zcdp
from exactdp.problems.laws import Law, MechanismLaw, OpenParameter, SideNames, located
from exactdp.problems.pairs import ClonePair, FinitePair, StrongerClonePair, VariationRatioPair
from exactdp.problems.runs import RunsLaw
from exactdp.problems.sampling import Sampling
from exactdp.problems.selections import NoisyMaxLaw, OptimalSelection, ThresholdedCount
from exactdp.problems.shuffled import BlanketPairLaw, Shuffle, ShuffleWorstCaseLaw
from exactdp.problems.shuffled_noise import ShuffledNoise
from exactdp.problems.streams import MatrixMechanismLaw, TreeAggregationLaw
from exactdp.problems.values import HERE, Rational, Steps, Strict

__all__ = ["PARTS", "BestOfRuns", "Composition", "GroupLaw", "OnSample", "Part", "PartLaw"]


class Part(Strict, frozen=True, kw_only=True):
    """One law of a composition, and how many independent copies of it: one if left out."""

    problem: PartLaw
    times: (
        Annotated[
            int, Meta(ge=1, le=10**18, description="Give a number of copies, from 1 to 10^18.")
        ]
        | UnsetType
    ) = UNSET

    @property
    def count(self) -> int:
        """The number of copies."""
        return self.times if isinstance(self.times, int) else 1


class Composition(Law, frozen=True, kw_only=True, tag="composition"):
    """Independent parts, fixed in advance: their losses add.

    If one part leaves out its parameter, that can be asked for; so can the largest
    ``times`` of the one part that leaves it out.
    """

    parts: Annotated[list[Part], Meta(min_length=1, description="Give at least one part.")]

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile of all parts, by the best route; None if one is left open."""
        parts = self._profiles(path)
        if any(profile is None for profile in parts):
            return None
        with located(path):
            return self._composed(parts)

    def sides(self) -> SideNames:
        """Return the products of the parts' sides."""
        relations = dict.fromkeys(part.problem.sides().neighbors for part in self.parts)
        return SideNames(
            p="the outputs of all parts, each from its P",
            q="the outputs of all parts, each from its Q",
            neighbors="; and ".join(relations),
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter of the one part that leaves it out, or its number of copies."""
        parts = self._profiles("$")
        for i, part in enumerate(self.parts):
            if parts[i] is None:
                families = part.problem.families().items()
                return {
                    name: OpenParameter.of(family.within(partial(self._with, i)), note=family.note)
                    for name, family in families
                }
        uncounted = [i for i, part in enumerate(self.parts) if part.times is UNSET]
        if len(uncounted) != 1:
            return {}
        family = Family(
            lambda times: self._composed(parts, {uncounted[0]: times}),
            "times",
            slope=Slope.GROWING,
            argument=int,
        )
        return {"times": OpenParameter.of(family, note=self.note(), has_default=True)}

    def _profiles(self, path: str) -> list[PrivacyProfile | None]:
        """Return the profile of each part; None for the one part that leaves out a parameter."""
        parts: list[PrivacyProfile | None] = []
        for index, part in enumerate(self.parts):
            place = f"{path}.parts[{index}].problem"
            profile = part.problem.part(place)
            if profile is None and (None in parts or not part.problem.families()):
                raise ParseError(
                    f"{place} cannot be composed. Give a mechanism all its parameters (one part "
                    "may leave out one, to ask for it), or ask about the pair alone."
                )
            parts.append(profile)
        return parts

    def _composed(
        self, parts: Sequence[PrivacyProfile | None], counts: Mapping[int, int] | None = None
    ) -> PrivacyProfile:
        """Return the composition of the parts that have a profile, in given or own counts."""
        given = counts or {}
        return compose(
            (profile, given.get(i, part.count))
            for i, (profile, part) in enumerate(zip(parts, self.parts, strict=True))
            if profile is not None
        )

    def _with(self, index: int, found: PrivacyProfile) -> PrivacyProfile:
        """Return the composition in which one part is given."""
        parts = self._profiles("$")
        parts[index] = found
        return self._composed(parts)

    def note(self) -> str | None:
        """Return the note of the composition; the first note of a part where it has none."""
        profile = self.profile("$")
        found = None if profile is None else profile.note
        return found or next((note for part in self.parts if (note := part.problem.note())), None)

    def is_lower_bound(self) -> bool:
        """Return whether a part is a lower bound."""
        return any(part.problem.is_lower_bound() for part in self.parts)


class _Derived(Law, frozen=True, kw_only=True):
    """A law that is made of another one.

    Attributes:
        problem: The law for one record, on all data.
    """

    problem: PartLaw | Composition

    @abstractmethod
    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        """Return the profile made of another."""

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile made of the inner one; None if it leaves out its parameter."""
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

    Of a composition each part has its groups, and those are composed.

    Attributes:
        problem: The problem for one record.
        size: The number of records.
    """

    problem: PartLaw | Composition | DpSgd
    size: Annotated[int, Meta(ge=1, le=1000, description="Give a number from 1 to 1000.")]

    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        return lambda inner: group_profile(inner, self.size)

    def note(self) -> str | None:
        """Return the protocol whose worst case it is, and the facts left open by the inner law."""
        found = f"upper bound for groups of {self.size}: "
        if isinstance(self.problem, DpSgd) and self.problem.batches == "poisson":
            found = f"users of {self.size} records, each of which is sampled by itself."
        elif isinstance(self.problem, Composition):
            found += "the groups of its parts, composed, as a composition of such parts attains."
        elif self.problem.kind == "zcdp":
            found += "they keep the square of their number times rho."
        elif self.problem.kind == "bounded_laplace":
            found = f"inputs of groups of {self.size} are that many times as far apart."
        else:
            found += "the worst mechanism with this delta for one record attains it."
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


class _OfNoise(_Derived, frozen=True, kw_only=True):
    """Integer results of the noise of a mechanism; its parameters are all given.

    Attributes:
        problem: The mechanism.
    """

    def __post_init__(self) -> None:
        if self.problem.families():  # of more noise no less may be told, once it is moved
            raise ParseError(
                f"{HERE}.problem leaves out a parameter, and {self.kind} may tell more with more "
                "noise. Give it."
            )
        if getattr(self.problem, "sampling", UNSET) is not UNSET:
            raise ParseError(f"{HERE}.problem has sampling. Put it around: kind sampled.")

    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        one = self.problem
        if isinstance(one, MechanismLaw):  # whose profile may be a pair already
            return lambda _: self._of(one.mechanism(**one.arguments()))
        return self._of

    @abstractmethod
    def _of(self, noise: Any) -> PrivacyProfile:
        """Return the profile of the transformed noise."""

    def sides(self) -> SideNames:
        """Return those of the noise."""
        return self.problem.sides()


class RoundedNoise(_OfNoise, frozen=True, kw_only=True, tag="rounded_noise"):
    """Gaussian or Laplace noise that is rounded to the nearest integer, on an integer query.

    Attributes:
        sensitivity: The sensitivity of the query, in units of the grid; the noise's is ignored.
    """

    sensitivity: Steps = 1

    def _of(self, noise: Any) -> PrivacyProfile:
        return rounded_noise(noise, sensitivity=self.sensitivity)


class ClampedResults(_OfNoise, frozen=True, kw_only=True, tag="clamped_results"):
    """Symmetric integer noise whose results are moved to the nearest end of [0, upper].

    Attributes:
        upper: The largest input, and the largest result.
    """

    upper: Steps

    def _of(self, noise: Any) -> PrivacyProfile:
        return clamped_results(noise, upper=self.upper)


class ClampedNoise(_OfNoise, frozen=True, kw_only=True, tag="clamped_noise"):
    """Symmetric integer noise that is itself moved to the nearest end of [-radius, radius].

    Attributes:
        radius: The largest noise.
    """

    radius: Steps

    def _of(self, noise: Any) -> PrivacyProfile:
        return clamped_noise(noise, radius=self.radius)


class BestOfRuns(_Derived, frozen=True, kw_only=True, tag="best_of_runs"):
    """The best of several runs, the others of which nobody sees: selection, tuning.

    Of a ``finite_pair`` with ``scores`` it is exact for its pair. Else it is an upper bound, by
    published theorems, for any scores.

    Attributes:
        runs: How many runs there are.
        scores: How good each outcome of the pair is, higher is better; equal ones are ties.
    """

    problem: PartLaw | Composition | DpSgd
    runs: RunsLaw
    scores: list[Rational] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.scores is not UNSET and not isinstance(self.problem, FinitePair):
            raise ParseError(
                f"{HERE}.scores are those of the outcomes of a finite_pair, and problem is "
                f'"{self.problem.kind}". Leave them out for a bound.'
            )

    def _made(self, path: str) -> Callable[[PrivacyProfile], PrivacyProfile]:
        if isinstance(self.scores, list):
            scores = [score.number for score in self.scores]
            return lambda pair: best_of_runs(cast("Pair", pair), self.runs.runs, scores=scores)
        return lambda one: tuning_bound(one, self.runs.runs)

    def note(self) -> str | None:
        """Return that it is an upper bound, and the facts left open by the law of one run."""
        found = super().note() if self.scores is UNSET else None
        said = [note for note in (found, self.problem.note()) if note]
        return " ".join(dict.fromkeys(said)) or None

    def sides(self) -> SideNames:
        """Return those of one run."""
        inner = self.problem.sides()
        return SideNames(
            p=f"the best of several runs, each of them {inner.p}",
            q=f"the best of several runs, each of them {inner.q}",
            neighbors=inner.neighbors,
        )


PARTS: tuple[Any, ...] = (
    Shuffle,
    FinitePair,
    ClonePair,
    StrongerClonePair,
    VariationRatioPair,
    BlanketPairLaw,
    *noise_laws(),
    Guarantee,
    Zcdp,
    RenyiCurve,
    NoisyMaxLaw,
    RandomAllocation,
    BalancedIterationSubsampling,
    ShuffleWorstCaseLaw,
    ShuffledNoise,
    ThresholdedCount,
    OptimalSelection,
    MatrixMechanismLaw,
    TreeAggregationLaw,
    OnSample,
    GroupLaw,
    BestOfRuns,
    RoundedNoise,
    ClampedResults,
    ClampedNoise,
)
"""What a composition may have as parts."""

if TYPE_CHECKING:
    PartLaw = Law
else:
    PartLaw = reduce(or_, PARTS)
