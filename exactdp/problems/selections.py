"""Partition selections, and the largest noisy score, in a problem file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from exactdp.accounting import composed_randomized_response
from exactdp.divergences import PrivacyProfile, Worst
from exactdp.divergences.families import family_of
from exactdp.divergences.profile import enclosed
from exactdp.errors import ParseError
from exactdp.mechanisms import (
    exponential_mechanism,
    noisy_max,
    partition_selection,
    smallest_threshold,
    thresholded,
)
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike
from exactdp.problems.described import noise_of
from exactdp.problems.integer_noise import IntegerNoiseLaw
from exactdp.problems.laws import Law, OpenParameter, SideNames, located
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import HERE, EpsilonValue, OpenProbability, Positive, Rational, Steps

__all__ = ["NoisyMaxLaw", "OptimalSelection", "ThresholdedCount"]


if TYPE_CHECKING:
    _Noise = SampledLaw
else:
    _Noise = noise_of("thresholds")


class ThresholdedCount(Law, frozen=True, kw_only=True, tag="thresholded_count"):
    """Counts of groups with noise, shown above a threshold only; groups of nobody never are.

    Without ``threshold``, only the smallest threshold for a target can be asked. The
    sensitivity of the noise is what a user adds to the count of one group.
    """

    noise: _Noise
    threshold: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        law = self.noise
        if isinstance(law, IntegerNoiseLaw) and (
            law.modulus is not UNSET or not isinstance(law.sensitivity, int)
        ):
            raise ParseError(
                f"{HERE}.noise has a modulus or moves several integers. Give it an integer "
                "sensitivity and no modulus."
            )
        if law.sampling is not UNSET:
            raise ParseError(f"{HERE}.noise has sampling. Leave it out: all users are counted.")

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the worst of all groups; None if the threshold is left out."""
        if not isinstance(self.threshold, Rational):
            return None
        with located(path):
            return thresholded(self._noise(path), threshold=self.threshold.number)

    def sides(self) -> SideNames:
        """Return whose count differs."""
        return SideNames(
            p="the groups above the threshold with their noisy counts, the user in one of them",
            q="the same without the user",
            neighbors="one user is added or removed; the worst group, both directions",
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the threshold."""

        def solve(epsilon: Epsilon, delta: Exact, width: RationalLike) -> Enclosure:
            return enclosed(smallest_threshold(self._noise("$"), epsilon, delta), width)

        return {"threshold": OpenParameter(solve)}

    def kept(self, users: int) -> Number:
        """Return the probability that a group of so many users is shown."""
        if not isinstance(self.threshold, Rational):
            raise ParseError("kept needs the threshold. Give the law its threshold.")
        noise = self._noise("$")
        return noise.above(self.threshold.number - users * noise.sensitivity) if users else Exact(0)

    def _noise(self, path: str) -> AdditiveNoise:
        """Return the mechanism of the noise; it must leave no parameter out."""
        found = self.noise.noise(f"{path}.noise")
        if isinstance(found, AdditiveNoise):
            return found
        raise ParseError(f"{path}.noise leaves out its {self.noise.left_out}. Give it.")


class OptimalSelection(Law, frozen=True, kw_only=True, tag="partition_selection"):
    """The selection of groups that shows each as likely as (epsilon, delta) allows."""

    epsilon: EpsilonValue
    delta: OpenProbability

    def profile(self, path: str) -> PrivacyProfile:
        """Return the worst of all group sizes."""
        with located(path):
            return self._best

    def sides(self) -> SideNames:
        """Return whose presence differs."""
        return SideNames(
            p="whether a group is shown, with the user",
            q="the same without the user",
            neighbors="one user is added or removed; the worst size of a group, both directions",
        )

    def kept(self, users: int) -> Number:
        """Return the probability that a group of so many users is shown."""
        found: Number = self._best.kept(users)
        return found

    @property
    def _best(self) -> Worst:
        return partition_selection(self.epsilon.value, self.delta.number)


Scores = Annotated[list[Rational], Meta(min_length=1, description="Give at least one score.")]


class NoisyMaxLaw(Law, frozen=True, kw_only=True, tag="noisy_max"):
    """The index of the largest noisy score. Gumbel noise is the exponential mechanism.

    Exponential noise is permute-and-flip. ``scores`` and ``neighbor`` are of two data sets;
    ``top`` indices in order, of Gumbel noise, are reported at once. Without scores it is the
    worst of all, scores changing by at most the sensitivity (all the same way if ``monotone``):
    for Gumbel noise exactly; else only the largest loss is known, which bounds the rest.
    Without ``scale``, only the smallest scale for a target can be asked, without scores.
    """

    noise: Literal["gumbel", "exponential", "laplace"]
    scale: Positive | UnsetType = UNSET
    scores: Scores | UnsetType = UNSET
    neighbor: Scores | UnsetType = UNSET
    top: Steps = 1
    sensitivity: Positive = field(default_factory=lambda: Positive.read(1))
    monotone: bool = False

    def __post_init__(self) -> None:
        u, v = self.scores, self.neighbor
        if not isinstance(u, list) or not isinstance(v, list):
            if u is not v:
                raise ParseError(f"{HERE} has one of scores and neighbor. Give both, or none.")
            if self.top != 1:
                raise ParseError(f"{HERE}.top={self.top} needs scores. Give scores and neighbor.")
            return
        if self.scale is UNSET:
            raise ParseError(f"{HERE} has scores and no scale. Give the scale, or no scores.")
        if len(u) != len(v):
            raise ParseError(f"{HERE}: {len(u)} scores, but {len(v)} of neighbor. Give as many.")
        changes = [y.number - x.number for x, y in zip(u, v, strict=True)]
        if max(abs(x) for x in changes) > self.sensitivity.number:
            raise ParseError(
                f"{HERE}.neighbor: a score changes by more than the sensitivity, "
                f"{self.sensitivity.number}. Correct it, or give the sensitivity."
            )
        if self.monotone and min(changes) < 0 < max(changes):
            raise ParseError(
                f"{HERE}.neighbor: scores change both ways, but monotone is true. Leave it out."
            )

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the pair, or the worst of all; None if the scale is left out."""
        if not isinstance(self.scale, Positive):
            return None
        with located(path):
            scale, u, v = self.scale.value, self.scores, self.neighbor
            if isinstance(u, list) and isinstance(v, list):
                of = noisy_max(self.noise, scale=scale)
                return of.pair([x.value for x in u], [x.value for x in v], top=self.top)
            worst = exponential_mechanism(
                scale=scale, sensitivity=self.sensitivity.value, monotone=self.monotone
            )
            if self.noise == "gumbel":
                return worst
            return composed_randomized_response(worst.max_divergence(), 1).pair

    def sides(self) -> SideNames:
        """Return whose scores there are."""
        if self.scores is UNSET:
            relation = "scores change by at most the sensitivity; the worst ones, both directions"
            return SideNames(p="the report for some scores", q="that of others", neighbors=relation)
        return SideNames(
            p="the report for scores", q="that for neighbor", neighbors="scores and neighbor"
        )

    def note(self) -> str | None:
        """Return the note that all but the largest loss is a bound, where it is."""
        if self.scores is UNSET and self.noise != "gumbel":
            return f"Of {self.noise} noise only max_divergence is known exactly: a bound elsewhere."
        return None

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the scale, which for other noise than Gumbel is of pure privacy only."""
        family = family_of(
            exponential_mechanism, sensitivity=self.sensitivity.value, monotone=self.monotone
        )
        needs_delta = None if self.noise == "gumbel" else False
        return {"scale": OpenParameter(family.meeting, needs_delta=needs_delta)}
