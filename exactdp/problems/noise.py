"""Noise mechanisms in a problem file, with their parameter or without; and guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType, field
from msgspec.structs import asdict

from exactdp.accounting import composed_randomized_response
from exactdp.divergences import Pair
from exactdp.divergences.families import Family, family_of
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.mechanisms import (
    DiscreteLaplaceMechanism,
    Results,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.problems.laws import Law, OpenParameter, SideNames, located
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import HERE, EpsilonValue, Positive, Probability, Steps

__all__ = [
    "OF_INPUTS",
    "BoundedLaplace",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "TruncatedLaplace",
]

_OF_NOISE = SideNames(
    p="the noise around 0",
    q="the noise around the sensitivity",
    neighbors="any for which the query changes by at most the sensitivity; both directions agree",
)


OF_INPUTS = SideNames(
    p="the result of an input",
    q="the result of another",
    neighbors="any for which the query changes by at most the sensitivity; both agree",
)


class _Noise(SampledLaw, frozen=True, kw_only=True):
    """A mechanism, or where it leaves out its parameter the smallest that meets a target."""

    parameter: ClassVar[str]
    mechanism: ClassVar[Callable[..., PrivacyProfile]]

    def unsampled(self, path: str) -> PrivacyProfile | None:
        given = asdict(self)[self.parameter]
        if given is UNSET:
            return None
        with located(path):
            return self.mechanism(**{self.parameter: given.number}, **self._others())

    def sides_unsampled(self) -> SideNames:
        return _OF_NOISE

    def parameters_unsampled(self) -> Mapping[str, OpenParameter]:
        family = family_of(self.mechanism, **self._others())
        return {self.parameter: OpenParameter.of(family, note=None)}

    def parameters_sampled(self) -> Mapping[str, OpenParameter]:
        families = self.families().items()
        return {name: OpenParameter.of(family, note=family.note) for name, family in families}

    def families_of_noise(self) -> Mapping[str, Family]:
        if asdict(self)[self.parameter] is not UNSET:
            return {}
        family = family_of(self.mechanism, **self._others())
        return {self.parameter: family.within(self.on_batch)}

    def _others(self) -> dict[str, Any]:
        """Return all but the parameter."""
        given = asdict(self)["sensitivity"]
        return {"sensitivity": given if isinstance(given, int) else given.number}


def _one() -> Positive:
    return Positive.read(1)


class Gaussian(_Noise, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked."""

    sigma: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "sigma"
    mechanism = staticmethod(gaussian_mechanism)


class Laplace(_Noise, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked."""

    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "scale"
    mechanism = staticmethod(laplace_mechanism)


class TruncatedLaplace(_Noise, frozen=True, kw_only=True, tag="truncated_laplace"):
    """Laplace noise from −radius to radius. Without ``radius``, only the smallest can be asked."""

    scale: Positive
    radius: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "radius"
    mechanism = staticmethod(truncated_laplace_mechanism)

    def families_of_noise(self) -> Mapping[str, Family]:
        """Return nothing: compositions need a radius above the sensitivity."""
        return {}

    def _others(self) -> dict[str, Any]:
        return {"scale": self.scale.number, **super()._others()}


class BoundedLaplace(_Noise, frozen=True, kw_only=True, tag="bounded_laplace"):
    """Laplace noise with results kept in [0, upper], the worst over all inputs there.

    Results beyond an end are moved to it ("clamped"), reflected at it ("folded"), or drawn again
    ("redrawn"). Without ``scale``, only the smallest for a target can be asked ("redrawn": one
    that meets it where a slightly smaller one does not).
    """

    upper: Positive
    results: Results
    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "scale"
    mechanism = staticmethod(bounded_laplace_mechanism)

    def sides_unsampled(self) -> SideNames:
        """Return the results of the two inputs."""
        return OF_INPUTS

    def part(self, path: str) -> PrivacyProfile | None:
        """Return the profile of the worst pair of inputs; None unless results are clamped."""
        return self.profile(path) if self.results == "clamped" else None

    def families_of_noise(self) -> Mapping[str, Family]:
        """Return the scale, if it is left out of what can be composed."""
        return super().families_of_noise() if self.results == "clamped" else {}

    def _others(self) -> dict[str, Any]:
        return {"upper": self.upper.number, "results": self.results, **super()._others()}


class DiscreteLaplace(_Noise, frozen=True, kw_only=True, tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace.

    ``rate`` may stand instead of it, 1/scale as an epsilon: {"log": "2"} halves at each step.
    """

    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    sensitivity: Steps = 1

    parameter = "scale"
    mechanism = staticmethod(discrete_laplace_mechanism)

    def __post_init__(self) -> None:
        if UNSET not in (self.scale, self.rate):
            raise ParseError(f"{HERE} has both a scale and its inverse, a rate. Keep one of them.")

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the pair, where it is short; None if neither scale nor rate is given."""
        found = super().profile(path)
        is_short = self.sensitivity <= MAX_OUTCOMES_OF_NOISE
        return found.pair() if isinstance(found, DiscreteLaplaceMechanism) and is_short else found

    def unsampled(self, path: str) -> PrivacyProfile | None:
        """Return the mechanism; None if neither scale nor rate is given."""
        if not isinstance(self.rate, EpsilonValue):
            return super().unsampled(path)
        with located(path):
            return self.mechanism(rate=self.rate.value, sensitivity=self.sensitivity)

    def families_of_noise(self) -> Mapping[str, Family]:
        """Return the scale, if it is left out."""
        return super().families_of_noise() if self.rate is UNSET else {}


class DiscreteGaussian(SampledLaw, frozen=True, kw_only=True, tag="discrete_gaussian"):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: Positive
    sensitivity: Steps = 1

    def unsampled(self, path: str) -> PrivacyProfile:
        """Return the mechanism."""
        return discrete_gaussian_mechanism(sigma=self.sigma.value, sensitivity=self.sensitivity)

    def sides_unsampled(self) -> SideNames:
        """Return what noise has."""
        return _OF_NOISE


class Guarantee(Law, frozen=True, kw_only=True, tag="guarantee"):
    """Any (epsilon, delta)-private mechanism: the pair that dominates them all."""

    epsilon: EpsilonValue
    delta: Probability = field(default_factory=lambda: Probability.read(0))

    def profile(self, path: str) -> Pair:
        """Return the pair."""
        with located(path):
            return composed_randomized_response(
                self.epsilon.value, 1, delta0=self.delta.number
            ).pair

    def sides(self) -> SideNames:
        """Return the sides of the dominating pair."""
        return SideNames(
            p="the first law of the pair that dominates all such mechanisms",
            q="the second law of that pair",
            neighbors="those of the guarantee; both directions agree",
        )
