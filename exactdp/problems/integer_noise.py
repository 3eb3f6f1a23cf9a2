"""Integer noise with a log-concave law in a problem file, with its parameter or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType, field

from exactdp.accounting import worst_shift
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.families import Family, families_of
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
from exactdp.problems.laws import OpenParameter, SideNames, located
from exactdp.problems.noise import OF_INPUTS
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import (
    HERE,
    EpsilonValue,
    Positive,
    PositiveRational,
    Probability,
    Size,
    Steps,
    Strict,
    arguments_of,
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


class _IntegerNoise(SampledLaw, frozen=True, kw_only=True):
    """Noise of which one parameter may be left out, to ask for the smallest.

    ``sensitivity`` is an integer, or says how far a query of several integers moves; with
    ``modulus``, results are taken modulo that.
    """

    sensitivity: Steps | Shifts = 1
    modulus: Size | UnsetType = UNSET

    mechanism: ClassVar[Callable[..., IntegerNoise]]
    side_names: ClassVar[SideNames] = SideNames(
        p="the noise around 0",
        q="the noise around the sensitivity",
        neighbors="any for which the query changes by at most the sensitivity",
    )

    def noise(self, path: str) -> PrivacyProfile | None:
        with located(path):
            return None if self.left_out else self._made(self.arguments())

    def _made(self, arguments: Mapping[str, Any]) -> PrivacyProfile:
        """Return the profile of the worst change of the query, modulo the given number."""

        def shifted(size: int) -> PrivacyProfile:
            noise = self.mechanism(**{**arguments, "sensitivity": size})
            return modular_noise(noise, modulus=self.modulus) if self.modulus else noise

        if isinstance(self.sensitivity, int):
            return shifted(self.sensitivity)
        return worst_shift(shifted, **arguments_of(self.sensitivity))

    def is_composed_open(self) -> bool:
        return False

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        if self.left_out is None:
            return super().open_parameters()
        argument = families_of(self.mechanism)[self.left_out].argument
        family = Family(self._with, self.left_out, argument=argument).both_directions()
        return {self.left_out: OpenParameter.of(family, note=None)}

    def _with(self, **parameter: Any) -> PrivacyProfile:
        """Return the profile with the parameter that is left out."""
        with located("$"):
            return self.on_batch(self._made({**self.arguments(), **parameter}))


def _fair() -> Probability:
    return Probability.read("1/2")


class Binomial(_IntegerNoise, frozen=True, kw_only=True, tag="binomial"):
    """The number of successes of ``trials`` coins; without trials, only the fewest can be asked."""

    trials: Steps | UnsetType = UNSET
    success: Probability = field(default_factory=_fair)

    mechanism = staticmethod(binomial_mechanism)


class Skellam(_IntegerNoise, frozen=True, kw_only=True, tag="skellam"):
    """The difference of two Poisson variables of mean variance/2 each.

    Without ``variance``, only the smallest can be asked.
    """

    variance: PositiveRational | UnsetType = UNSET

    mechanism = staticmethod(skellam_mechanism)


def _check_scale(law: TruncatedDiscreteLaplace | BoundedDiscreteLaplace) -> None:
    if (law.scale is UNSET) is (law.rate is UNSET):
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

    mechanism = staticmethod(truncated_discrete_laplace_mechanism)

    def __post_init__(self) -> None:
        _check_scale(self)


class BoundedDiscreteLaplace(SampledLaw, frozen=True, kw_only=True, tag="bounded_discrete_laplace"):
    """Discrete Laplace noise drawn again until the result is in 0, ..., upper.

    ``scale`` or ``rate`` as for truncated_discrete_laplace. The worst over all inputs there.
    """

    upper: Steps
    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    sensitivity: Steps = 1

    mechanism = staticmethod(bounded_discrete_laplace_mechanism)
    side_names = OF_INPUTS

    def __post_init__(self) -> None:
        _check_scale(self)
