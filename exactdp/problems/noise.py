"""Noise mechanisms in a problem file, with their parameter or without; and guarantees."""

from __future__ import annotations

from msgspec import UNSET, UnsetType, field

from exactdp.accounting import composed_randomized_response
from exactdp.divergences import Pair
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
from exactdp.problems.laws import Law, SideNames, located
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import (
    HERE,
    EpsilonValue,
    Positive,
    PositiveRational,
    PositiveReal,
    Probability,
    Steps,
)

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

OF_INPUTS = SideNames(
    p="the result of an input",
    q="the result of another",
    neighbors="any for which the query changes by at most the sensitivity; both agree",
)


def _one() -> PositiveReal:
    return PositiveReal.read(1)


class Gaussian(SampledLaw, frozen=True, kw_only=True, tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked."""

    sigma: PositiveReal | UnsetType = UNSET
    sensitivity: PositiveReal = field(default_factory=_one)

    mechanism = staticmethod(gaussian_mechanism)


class Laplace(SampledLaw, frozen=True, kw_only=True, tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked."""

    scale: PositiveReal | UnsetType = UNSET
    sensitivity: PositiveReal = field(default_factory=_one)

    mechanism = staticmethod(laplace_mechanism)


class TruncatedLaplace(SampledLaw, frozen=True, kw_only=True, tag="truncated_laplace"):
    """Laplace noise from −radius to radius. Without ``radius``, only the smallest can be asked."""

    scale: PositiveReal
    radius: PositiveReal | UnsetType = UNSET
    sensitivity: PositiveReal = field(default_factory=_one)

    mechanism = staticmethod(truncated_laplace_mechanism)

    def is_composed_open(self) -> bool:
        """Return False: compositions need a radius above the sensitivity."""
        return False


class BoundedLaplace(SampledLaw, frozen=True, kw_only=True, tag="bounded_laplace"):
    """Laplace noise with results kept in [0, upper], the worst over all inputs there.

    Results beyond an end are moved to it ("clamped"), reflected at it ("folded"), or drawn again
    ("redrawn"). Without ``scale``, only the smallest for a target can be asked ("redrawn": one
    that meets it where a slightly smaller one does not).
    """

    upper: Positive
    results: Results
    scale: Positive | UnsetType = UNSET
    sensitivity: Positive = field(default_factory=lambda: Positive.read(1))

    mechanism = staticmethod(bounded_laplace_mechanism)
    side_names = OF_INPUTS

    def is_composed_open(self) -> bool:
        """Return whether results are clamped."""
        return self.results == "clamped"


class DiscreteLaplace(SampledLaw, frozen=True, kw_only=True, tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace.

    ``rate`` may stand instead of it, 1/scale as an epsilon: {"log": "2"} halves at each step.
    """

    scale: Positive | UnsetType = UNSET
    rate: EpsilonValue | UnsetType = UNSET
    sensitivity: Steps = 1

    mechanism = staticmethod(discrete_laplace_mechanism)

    def __post_init__(self) -> None:
        if UNSET not in (self.scale, self.rate):
            raise ParseError(f"{HERE} has both a scale and its inverse, a rate. Keep one of them.")

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the pair, where it is short; None if neither scale nor rate is given."""
        found = super().profile(path)
        is_short = self.sensitivity <= MAX_OUTCOMES_OF_NOISE
        return found.pair() if isinstance(found, DiscreteLaplaceMechanism) and is_short else found

    @property
    def left_out(self) -> str | None:
        """The scale, if neither it nor the rate is given."""
        return super().left_out if self.rate is UNSET else None


class DiscreteGaussian(SampledLaw, frozen=True, kw_only=True, tag="discrete_gaussian"):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: PositiveRational
    sensitivity: Steps = 1

    mechanism = staticmethod(discrete_gaussian_mechanism)


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
