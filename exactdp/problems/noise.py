"""Noise mechanisms in a problem file, with their parameter or without; and guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from flint import fmpq
from msgspec import UNSET, UnsetType, field
from msgspec.structs import asdict

from exactdp.accounting import composed_randomized_response, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    smallest_discrete_laplace_scale,
    smallest_laplace_scale,
    smallest_sigma,
)
from exactdp.numbers import Enclosure, Epsilon
from exactdp.numbers.crossing import Slope
from exactdp.problems.laws import Family, Law, OpenParameter, located
from exactdp.problems.values import EpsilonValue, Positive, Probability, Steps, Strict

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Guarantee", "Laplace"]


class _Noise(Law, frozen=True, kw_only=True):
    """A mechanism, or where it leaves out its parameter the smallest that meets a target."""

    parameter: ClassVar[str]
    mechanism: ClassVar[Callable[..., PrivacyProfile]]
    smallest: ClassVar[Callable[..., Enclosure]]

    def profile(self, path: str) -> PrivacyProfile | None:
        given = asdict(self)[self.parameter]
        if given is UNSET:
            return None
        return self.mechanism(**{self.parameter: given.value}, **self._sensitivity())

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        return {
            self.parameter: OpenParameter(
                lambda epsilon, delta, width: self.smallest(
                    epsilon, delta, **self._sensitivity(), relative_width=width
                )
            )
        }

    def families(self) -> Mapping[str, Family]:
        if asdict(self)[self.parameter] is not UNSET:
            return {}
        # Too little noise is a better start than too much: the search doubles it.
        first = Fraction(str(self._sensitivity()["sensitivity"])) / 4
        return {self.parameter: Family(self._at, first=first)}

    def _at(self, value: Fraction) -> PrivacyProfile:
        return self.mechanism(**{self.parameter: value}, **self._sensitivity())

    def _sensitivity(self) -> dict[str, fmpq | int]:
        given = asdict(self)["sensitivity"]
        return {"sensitivity": given if isinstance(given, int) else given.value}


class PoissonSampling(Strict, frozen=True, kw_only=True):
    """Each record is seen with probability ``poisson``, independently of the others."""

    poisson: Probability


class _SampledNoise(_Noise, frozen=True, kw_only=True):
    """Noise on a Poisson sample, if ``sampling`` says so; P is then the law with the record.

    With ``"sampling": "poisson"``, only the largest rate for a target can be asked.
    """

    sampling: PoissonSampling | Literal["poisson"] | UnsetType = UNSET

    def profile(self, path: str) -> PrivacyProfile | None:
        noise = super().profile(path)
        if self.sampling == "poisson":
            if noise is None:
                raise ParseError(
                    f"{path} leaves out both its {self.parameter} and its rate. Give one of them."
                )
            return None
        return noise if noise is None else self._sampled(noise)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        if self.sampling is UNSET:
            return super().open_parameters()
        return {name: family.parameter() for name, family in self.families().items()}

    def families(self) -> Mapping[str, Family]:
        if self.sampling != "poisson":
            return super().families()
        noise = super().profile("$")
        assert noise is not None

        def at(rate: Fraction) -> PrivacyProfile:
            return poisson_subsampled(noise, rate=rate)

        first = Fraction(1, 100)
        return {"rate": Family(at, slope=Slope.GROWING, first=first, at_most=Fraction(1))}

    def _at(self, value: Fraction) -> PrivacyProfile:
        return self._sampled(super()._at(value))

    def _sampled(self, noise: PrivacyProfile) -> PrivacyProfile:
        if not isinstance(self.sampling, PoissonSampling):
            return noise
        return poisson_subsampled(noise, rate=self.sampling.poisson.value)


def _one() -> Positive:
    return Positive.read(1)


class Gaussian(_SampledNoise, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked.

    Each record is seen at random where there is ``sampling``.
    """

    sigma: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "sigma"
    mechanism = staticmethod(gaussian_mechanism)
    smallest = staticmethod(smallest_sigma)


class Laplace(_SampledNoise, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked.

    Each record is seen at random where there is ``sampling``.
    """

    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "scale"
    mechanism = staticmethod(laplace_mechanism)
    smallest = staticmethod(smallest_laplace_scale)


def _discrete_laplace(*, scale: fmpq, sensitivity: int) -> Pair:
    rate = Epsilon.rational(1 / scale)
    return discrete_laplace_mechanism(rate=rate, sensitivity=sensitivity).pair()


class DiscreteLaplace(_Noise, frozen=True, kw_only=True, tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace."""

    scale: Positive | UnsetType = UNSET
    sensitivity: Steps = 1

    parameter = "scale"
    mechanism = staticmethod(_discrete_laplace)
    smallest = staticmethod(smallest_discrete_laplace_scale)


class DiscreteGaussian(Law, frozen=True, kw_only=True, tag="discrete_gaussian"):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: Positive
    sensitivity: Steps = 1

    def profile(self, path: str) -> PrivacyProfile:
        """Return the mechanism."""
        return discrete_gaussian_mechanism(
            sigma_squared=self.sigma.value**2, sensitivity=self.sensitivity
        )


class Guarantee(Law, frozen=True, kw_only=True, tag="guarantee"):
    """Any (epsilon, delta)-private mechanism: the pair that dominates them all."""

    epsilon: EpsilonValue
    delta: Probability = field(default_factory=lambda: Probability.read(0))

    def profile(self, path: str) -> Pair:
        """Return the pair."""
        with located(path):
            return composed_randomized_response(self.epsilon.value, 1, delta0=self.delta.value).pair
