"""Integer noise with a log-concave law in a problem file, with its parameter or without."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType, field
from msgspec.structs import asdict, replace

from exactdp.accounting import worst_shift
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.families import Family
from exactdp.errors import ParseError
from exactdp.mechanisms import (
    Ends,
    IntegerNoise,
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    modular_noise,
    skellam_mechanism,
    truncated_discrete_laplace_mechanism,
)
from exactdp.numbers import Exact
from exactdp.problems.laws import OpenParameter, SideNames, located
from exactdp.problems.noise import OF_INPUTS
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import (
    HERE,
    EpsilonValue,
    Positive,
    Probability,
    Size,
    Steps,
    Strict,
)

__all__ = ["Binomial", "BoundedDiscreteLaplace", "Shifts", "Skellam", "TruncatedDiscreteLaplace"]


class Shifts(Strict, frozen=True, kw_only=True):
    """How far a query of several integers moves between neighbors.

    Attributes:
        dimensions: Its number of integers, each with noise of its own.
        l1: The largest sum of the absolute changes.
        l2_squared: The largest sum of their squares.
        linf: The largest absolute change of one integer.
    """

    dimensions: Steps
    l1: Steps | UnsetType = UNSET
    l2_squared: Steps | UnsetType = UNSET
    linf: Steps | UnsetType = UNSET

    def __post_init__(self) -> None:
        if {self.l1, self.l2_squared, self.linf} == {UNSET}:
            raise ParseError(f"{HERE} bounds no change. Give it l1, l2_squared or linf.")


def _positive(value: Fraction) -> Positive:
    return Positive(Exact(value))


class _IntegerNoise(SampledLaw, frozen=True, kw_only=True):
    """Noise of which one parameter may be left out, to ask for the smallest.

    ``sensitivity`` is an integer, or says how far a query of several integers moves; with
    ``modulus``, results are taken modulo that.
    """

    sensitivity: Steps | Shifts = 1
    modulus: Size | UnsetType = UNSET

    parameter: ClassVar[str]
    is_whole: ClassVar[bool] = True

    @abstractmethod
    def _noise(self, size: int) -> IntegerNoise:
        """Return the noise with a sensitivity."""

    def unsampled(self, path: str) -> PrivacyProfile | None:
        if asdict(self)[self.parameter] is UNSET:
            return None
        with located(path):
            if isinstance(self.sensitivity, int):
                return self._shifted(self.sensitivity)
            given = {name: x for name, x in asdict(self.sensitivity).items() if x is not UNSET}
            return worst_shift(self._shifted, **given)

    def _shifted(self, size: int) -> PrivacyProfile:
        noise = self._noise(size)
        return modular_noise(noise, modulus=self.modulus) if self.modulus else noise

    def sides_unsampled(self) -> SideNames:
        return SideNames(
            p="the noise around 0",
            q="the noise around the sensitivity",
            neighbors="any for which the query changes by at most the sensitivity",
        )

    def parameters_unsampled(self) -> Mapping[str, OpenParameter]:
        kind = int if self.is_whole else _positive
        family = Family(self._with, self.parameter, argument=kind).both_directions()
        return {self.parameter: OpenParameter.of(family, note=None)}

    def _with(self, **parameter: Any) -> PrivacyProfile:
        """Return the profile with the parameter that is left out."""
        found = replace(self, **parameter).profile("$")
        assert found is not None
        return found


def _fair() -> Probability:
    return Probability.read("1/2")


class Binomial(_IntegerNoise, frozen=True, kw_only=True, tag="binomial"):
    """The number of successes of ``trials`` coins; without trials, only the fewest can be asked."""

    trials: Steps | UnsetType = UNSET
    success: Probability = field(default_factory=_fair)

    parameter = "trials"

    def _noise(self, size: int) -> IntegerNoise:
        assert isinstance(self.trials, int)
        success = self.success.number
        return binomial_mechanism(trials=self.trials, success=success, sensitivity=size)


class Skellam(_IntegerNoise, frozen=True, kw_only=True, tag="skellam"):
    """The difference of two Poisson variables of mean variance/2 each.

    Without ``variance``, only the smallest can be asked.
    """

    variance: Positive | UnsetType = UNSET

    parameter = "variance"
    is_whole = False

    def _noise(self, size: int) -> IntegerNoise:
        assert isinstance(self.variance, Positive)
        return skellam_mechanism(variance=self.variance.value, sensitivity=size)


def _scale(scale: Positive | UnsetType, rate: EpsilonValue | UnsetType) -> dict[str, Any]:
    """Return the one of both that is given, under its name."""
    if isinstance(scale, Positive) and rate is UNSET:
        return {"scale": scale.number}
    if isinstance(rate, EpsilonValue) and scale is UNSET:
        return {"rate": rate.value}
    raise ParseError(f"{HERE} needs a scale, or its inverse, a rate. Give one of them.")


class TruncatedDiscreteLaplace(
    _IntegerNoise, frozen=True, kw_only=True, tag="truncated_discrete_laplace"
):
    """Integer noise from −radius to radius, with mass proportional to e^(−|x|/scale).

    With ``ends`` "each" it is the difference of two geometric variables of at most the radius
    each. ``rate``, 1/scale as an epsilon, may stand instead of ``scale``. Without ``radius``,
    only one can be asked that meets a target where one less does not.
    """

    radius: Steps | UnsetType = UNSET
    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    ends: Ends = "together"

    parameter = "radius"

    def __post_init__(self) -> None:
        _scale(self.scale, self.rate)

    def _noise(self, size: int) -> IntegerNoise:
        assert isinstance(self.radius, int)
        return truncated_discrete_laplace_mechanism(
            radius=self.radius, sensitivity=size, ends=self.ends, **_scale(self.scale, self.rate)
        )


class BoundedDiscreteLaplace(SampledLaw, frozen=True, kw_only=True, tag="bounded_discrete_laplace"):
    """Discrete Laplace noise drawn again until the result is in 0, ..., upper.

    ``scale`` or ``rate`` as for truncated_discrete_laplace. The worst over all inputs there.
    """

    upper: Steps
    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    sensitivity: Steps = 1

    def __post_init__(self) -> None:
        _scale(self.scale, self.rate)

    def unsampled(self, path: str) -> PrivacyProfile:
        """Return the largest over all pairs of inputs."""
        with located(path):
            return bounded_discrete_laplace_mechanism(
                upper=self.upper, sensitivity=self.sensitivity, **_scale(self.scale, self.rate)
            )

    def sides_unsampled(self) -> SideNames:
        """Return the results of the two inputs."""
        return OF_INPUTS
