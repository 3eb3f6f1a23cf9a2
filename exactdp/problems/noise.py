"""Noise mechanisms in a problem file, with their parameter or without."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, UnsetType, field

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
from exactdp.numbers import Epsilon
from exactdp.problems.laws import Law, OpenParameter
from exactdp.problems.values import Positive, Steps

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace"]


def _one() -> Positive:
    return Positive.read(1)


class Gaussian(Law, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked."""

    sigma: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the mechanism; None without its parameter."""
        if not isinstance(self.sigma, Positive):
            return None
        return gaussian_mechanism(sigma=self.sigma.value, sensitivity=self.sensitivity.value)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter, if it is left out."""
        if isinstance(self.sigma, Positive):
            return {}
        return {
            "sigma": OpenParameter(
                lambda epsilon, delta, width: smallest_sigma(
                    epsilon, delta, sensitivity=self.sensitivity.value, relative_width=width
                )
            )
        }


class Laplace(Law, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked."""

    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=_one)

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the mechanism; None without its parameter."""
        if not isinstance(self.scale, Positive):
            return None
        return laplace_mechanism(scale=self.scale.value, sensitivity=self.sensitivity.value)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter, if it is left out."""
        if isinstance(self.scale, Positive):
            return {}
        return {
            "scale": OpenParameter(
                lambda epsilon, delta, width: smallest_laplace_scale(
                    epsilon, delta, sensitivity=self.sensitivity.value, relative_width=width
                )
            )
        }


class DiscreteLaplace(Law, frozen=True, kw_only=True, tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace."""

    scale: Positive | UnsetType = UNSET
    sensitivity: Steps = 1

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the mechanism; None without its parameter."""
        if not isinstance(self.scale, Positive):
            return None
        rate = Epsilon.rational(1 / self.scale.value)
        return discrete_laplace_mechanism(rate=rate, sensitivity=self.sensitivity).pair()

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter, if it is left out."""
        if isinstance(self.scale, Positive):
            return {}
        return {
            "scale": OpenParameter(
                lambda epsilon, delta, width: smallest_discrete_laplace_scale(
                    epsilon, delta, sensitivity=self.sensitivity, relative_width=width
                )
            )
        }


class DiscreteGaussian(Law, frozen=True, kw_only=True, tag="discrete_gaussian"):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: Positive
    sensitivity: Steps = 1

    def profile(self, path: str) -> PrivacyProfile:
        """Return the mechanism."""
        return discrete_gaussian_mechanism(
            sigma_squared=self.sigma.value**2, sensitivity=self.sensitivity
        )
