"""The number of runs of a mechanism in a problem file."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from exactdp.accounting import Runs
from exactdp.errors import ParseError
from exactdp.problems.values import (
    HERE,
    Mass,
    OpenProbability,
    Positive,
    RationalOrInfinity,
    Steps,
    Strict,
    check_sum,
)

__all__ = ["RunsLaw"]

_FORM = (
    'Write {"count": 3}, {"masses": ["0", "1/2", "1/2"]} (of 0, 1, 2 runs), {"trials": 8, '
    '"probability": "1/2"}, or {"shape": 1, "mean": 40}: 1 is geometric, 0 logarithmic, '
    '"infinity" Poisson.'
)


class RunsLaw(Strict, frozen=True, kw_only=True):
    """The number of runs, of which the best one is output: fixed, or its law.

    Attributes:
        count: A fixed number.
        masses: The probabilities of 0, 1, 2, ... runs.
        trials: The number of trials of a binomial number.
        probability: The probability of each run, of a binomial number.
        shape: The shape of a negative binomial number from 1 on; "infinity" for Poisson, from 0 on.
        mean: The mean of either.
        stop: The probability of success of a negative binomial number, in place of its mean.
    """

    count: Steps | UnsetType = UNSET
    masses: list[Mass] | UnsetType = UNSET
    trials: Steps | UnsetType = UNSET
    probability: OpenProbability | UnsetType = UNSET
    shape: RationalOrInfinity | UnsetType = UNSET
    mean: Positive | UnsetType = UNSET
    stop: OpenProbability | UnsetType = UNSET

    def __post_init__(self) -> None:
        given = {name for name in self.__struct_fields__ if getattr(self, name) is not UNSET}
        forms = ("count", "masses", "trials probability", "shape mean", "shape stop")
        if given not in [set(form.split()) for form in forms]:
            raise ParseError(f"{HERE} is not read as a number of runs. {_FORM}")
        if isinstance(self.masses, list):
            check_sum(self.masses, f"{HERE}.masses")

    @property
    def runs(self) -> Runs:
        """The law."""
        if isinstance(self.count, int):
            return Runs.fixed(self.count)
        if isinstance(self.masses, list):
            return Runs.of({k: mass.number for k, mass in enumerate(self.masses)})
        if isinstance(self.trials, int) and isinstance(self.probability, OpenProbability):
            return Runs.binomial(trials=self.trials, probability=self.probability.number)
        assert isinstance(self.shape, RationalOrInfinity)
        mean = self.mean.number if isinstance(self.mean, Positive) else None
        if self.shape.value != "infinity":
            stop = self.stop.number if isinstance(self.stop, OpenProbability) else None
            return Runs.negative_binomial(shape=self.shape.value, stop=stop, mean=mean)
        if mean is None:
            raise ParseError(f"a Poisson number of runs has no stop. {_FORM}")
        return Runs.poisson(mean=mean)
