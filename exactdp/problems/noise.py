"""Noise mechanisms in a problem file, with their parameter or without; and guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import asdict

from exactdp.accounting import Neighbors, composed_randomized_response, sampled
from exactdp.divergences import Pair
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import ParseError
from exactdp.mechanisms import (
    GaussianMechanism,
    LaplaceMechanism,
    Results,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    smallest_bounded_laplace_scale,
    smallest_discrete_laplace_scale,
    smallest_laplace_radius,
    smallest_laplace_scale,
    smallest_sigma,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Enclosure, Exact, RationalLike
from exactdp.numbers.arguments import exact
from exactdp.numbers.crossing import Slope
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.problems.laws import Family, Law, OpenParameter, Sides, located
from exactdp.problems.values import HERE, EpsilonValue, Positive, Probability, Steps, Strict

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

_OF_NOISE = Sides(
    p="the noise around 0",
    q="the noise around the sensitivity",
    neighbors="any for which the query changes by at most the sensitivity; both directions agree",
)


OF_INPUTS = Sides(
    p="the result of an input",
    q="the result of another",
    neighbors="any for which the query changes by at most the sensitivity; both agree",
)


class _Noise(Law, frozen=True, kw_only=True):
    """A mechanism, or where it leaves out its parameter the smallest that meets a target."""

    parameter: ClassVar[str]
    mechanism: ClassVar[Callable[..., PrivacyProfile]]
    smallest: ClassVar[Callable[..., Enclosure]]

    def profile(self, path: str) -> PrivacyProfile | None:
        given = asdict(self)[self.parameter]
        if given is UNSET:
            return None
        with located(path):
            return self.mechanism(**{self.parameter: given.number}, **self._others())

    def sides(self) -> Sides:
        return _OF_NOISE

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        return {
            self.parameter: OpenParameter(
                lambda epsilon, delta, width: self.smallest(
                    epsilon, delta, **self._others(), relative_width=width
                )
            )
        }

    def families(self) -> Mapping[str, Family]:
        if asdict(self)[self.parameter] is not UNSET:
            return {}
        # Too little noise is a better start than too much: the search doubles it.
        first = enclosed(exact(self._others()["sensitivity"], name="size"), "1e-3").lower / 4
        return {self.parameter: Family(self._at, first=first, note=self._at(first).note)}

    def _at(self, value: Fraction) -> PrivacyProfile:
        return self.mechanism(**{self.parameter: value}, **self._others())

    def _others(self) -> dict[str, Any]:
        """Return all but the parameter."""
        given = asdict(self)["sensitivity"]
        return {"sensitivity": given if isinstance(given, int) else given.number}


class Sampling(Strict, frozen=True, kw_only=True):
    """How a batch is drawn, and what neighbors are.

    Attributes:
        poisson: Each record is in the batch with this probability, independently.
        without_replacement: The size of a batch, and of the data; all batches are equally
            likely. Composed, the answer is an upper bound.
        neighbors: A record is in or out, or ("substitution", always for without_replacement)
            one is replaced by another. The sensitivity is that of one record in or out.
    """

    poisson: Probability | UnsetType = UNSET
    without_replacement: Annotated[list[Steps], Meta(min_length=2, max_length=2)] | UnsetType = (
        UNSET
    )
    neighbors: Neighbors | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not isinstance(self.without_replacement, list):
            if self.poisson is UNSET and self.neighbors is UNSET:
                raise ParseError(
                    f"{HERE} says nothing. Give poisson a rate, or without_replacement two sizes."
                )
            return
        batch, records = self.without_replacement
        if self.poisson is not UNSET:
            raise ParseError(f"{HERE} has poisson and without_replacement. Give one of them.")
        if batch > records:
            raise ParseError(
                f"{HERE}.without_replacement: a batch of {batch} from {records} records is too "
                "large. Give the size of a batch, then that of the data."
            )
        if self.neighbors == "add_or_remove":
            raise ParseError(
                f'{HERE}.neighbors="add_or_remove" changes the number of records, which '
                'without_replacement fixes. Give "substitution", or leave it out.'
            )

    @property
    def replaces(self) -> bool:
        """Whether a neighbor has another record in place of one."""
        return isinstance(self.without_replacement, list) or self.neighbors == "substitution"

    @property
    def rate(self) -> Fraction | Exact | None:
        """The probability that a record is in a batch; None if it is to be found."""
        if isinstance(self.without_replacement, list):
            return Fraction(*self.without_replacement)
        return self.poisson.number if isinstance(self.poisson, Probability) else None

    def of(self, noise: PrivacyProfile, rate: Exact | RationalLike) -> PrivacyProfile:
        """Return a mechanism on a batch."""
        assert isinstance(noise, GaussianMechanism | LaplaceMechanism)
        if isinstance(self.without_replacement, list):
            return sampled(noise, rate=rate, neighbors="substitution", batches="fixed_size")
        neighbors = "add_or_remove" if self.neighbors is UNSET else self.neighbors
        return sampled(noise, rate=rate, neighbors=neighbors)


class _SampledNoise(_Noise, frozen=True, kw_only=True):
    """Noise on a random batch, if ``sampling`` says so; P is then the law with the record.

    With ``"sampling": "poisson"``, or only ``neighbors``, only the largest rate for a target
    can be asked.
    """

    sampling: Sampling | Literal["poisson"] | UnsetType = UNSET

    def profile(self, path: str) -> PrivacyProfile | None:
        noise, sampling = super().profile(path), self._sampling()
        if sampling is None:
            return noise
        if sampling.rate is None:
            if noise is None:
                raise ParseError(
                    f"{path} leaves out both its {self.parameter} and its rate. Give one of them."
                )
            return None
        return None if noise is None else sampling.of(noise, sampling.rate)

    def sides(self) -> Sides:
        if self.sampling is UNSET:
            return super().sides()
        if isinstance(self.sampling, Sampling) and self.sampling.replaces:
            return Sides(
                p="the noise of the sample, with the record in the data",
                q="the same with another record in its place",
                neighbors="one record is replaced by another",
            )
        return Sides(
            p="the noise of the sample, with the record in the data",
            q="the same without the record",
            neighbors="one record is added or removed",
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        if self.sampling is UNSET:
            return super().open_parameters()
        return {name: family.parameter() for name, family in self.families().items()}

    def families(self) -> Mapping[str, Family]:
        sampling = self._sampling()
        if sampling is None or sampling.rate is not None:
            return super().families()
        noise = super().profile("$")
        assert noise is not None
        at, first = partial(sampling.of, noise), Fraction(1, 100)
        return {"rate": Family(at, slope=Slope.GROWING, first=first, at_most=Fraction(1))}

    def _at(self, value: Fraction) -> PrivacyProfile:
        noise, sampling = super()._at(value), self._sampling()
        if sampling is None or sampling.rate is None:
            return noise
        return sampling.of(noise, sampling.rate)

    def _sampling(self) -> Sampling | None:
        if isinstance(self.sampling, Sampling):
            return self.sampling
        return Sampling(neighbors="add_or_remove") if self.sampling == "poisson" else None


def _one() -> Positive:
    return Positive.read(1)


class Gaussian(_SampledNoise, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked.

    Where there is ``sampling``, it is on a random batch.
    """

    sigma: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "sigma"
    mechanism = staticmethod(gaussian_mechanism)
    smallest = staticmethod(smallest_sigma)


class Laplace(_SampledNoise, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked.

    Where there is ``sampling``, it is on a random batch.
    """

    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "scale"
    mechanism = staticmethod(laplace_mechanism)
    smallest = staticmethod(smallest_laplace_scale)


class TruncatedLaplace(_Noise, frozen=True, kw_only=True, tag="truncated_laplace"):
    """Laplace noise from −radius to radius. Without ``radius``, only the smallest can be asked."""

    scale: Positive
    radius: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "radius"
    mechanism = staticmethod(truncated_laplace_mechanism)
    smallest = staticmethod(smallest_laplace_radius)

    def families(self) -> Mapping[str, Family]:
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
    smallest = staticmethod(smallest_bounded_laplace_scale)

    def sides(self) -> Sides:
        """Return the results of the two inputs."""
        return OF_INPUTS

    def part(self, path: str) -> PrivacyProfile | None:
        """Return the profile of the worst pair of inputs; None unless results are clamped."""
        return self.profile(path) if self.results == "clamped" else None

    def families(self) -> Mapping[str, Family]:
        """Return the scale, if it is left out of what can be composed."""
        return super().families() if self.results == "clamped" else {}

    def _others(self) -> dict[str, Any]:
        return {"upper": self.upper.number, "results": self.results, **super()._others()}


def _discrete_laplace(*, sensitivity: int, **given: Any) -> PrivacyProfile:
    mechanism = discrete_laplace_mechanism(sensitivity=sensitivity, **given)
    return mechanism.pair() if sensitivity <= MAX_OUTCOMES_OF_NOISE else mechanism


class DiscreteLaplace(_Noise, frozen=True, kw_only=True, tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace.

    ``rate`` may stand instead of it, 1/scale as an epsilon: {"log": "2"} halves at each step.
    """

    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    sensitivity: Steps = 1

    parameter = "scale"
    mechanism = staticmethod(_discrete_laplace)
    smallest = staticmethod(smallest_discrete_laplace_scale)

    def __post_init__(self) -> None:
        if UNSET not in (self.scale, self.rate):
            raise ParseError(f"{HERE} has both a scale and its inverse, a rate. Keep one of them.")

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the pair; None if neither scale nor rate is given."""
        if not isinstance(self.rate, EpsilonValue):
            return super().profile(path)
        with located(path):
            return self.mechanism(rate=self.rate.value, sensitivity=self.sensitivity)

    def families(self) -> Mapping[str, Family]:
        """Return the scale, if it is left out."""
        return super().families() if self.rate is UNSET else {}


class DiscreteGaussian(Law, frozen=True, kw_only=True, tag="discrete_gaussian"):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: Positive
    sensitivity: Steps = 1

    def profile(self, path: str) -> PrivacyProfile:
        """Return the mechanism."""
        return discrete_gaussian_mechanism(sigma=self.sigma.value, sensitivity=self.sensitivity)

    def sides(self) -> Sides:
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

    def sides(self) -> Sides:
        """Return the sides of the dominating pair."""
        return Sides(
            p="the first law of the pair that dominates all such mechanisms",
            q="the second law of that pair",
            neighbors="those of the guarantee; both directions agree",
        )
