"""Noise mechanisms in a problem file, with their parameter or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from flint import fmpq
from msgspec import UNSET, UnsetType, field
from msgspec.structs import asdict

from exactdp.divergences import Pair
from exactdp.divergences.profile import PrivacyProfile
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
from exactdp.problems.laws import Law, OpenParameter
from exactdp.problems.values import Positive, Steps

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace"]


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

    def _sensitivity(self) -> dict[str, fmpq | int]:
        given = asdict(self)["sensitivity"]
        return {"sensitivity": given if isinstance(given, int) else given.value}


def _one() -> Positive:
    return Positive.read(1)


class Gaussian(_Noise, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked."""

    sigma: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    parameter = "sigma"
    mechanism = staticmethod(gaussian_mechanism)
    smallest = staticmethod(smallest_sigma)


class Laplace(_Noise, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked."""

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
